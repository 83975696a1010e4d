"""The types of arrays that cross module boundaries, named once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
#: Word positions, offsets and ids: what the core calls an int.
IntArray = npt.NDArray[np.int32]
LongArray = npt.NDArray[np.int64]
#: What numpy indexes with.
IndexArray = npt.NDArray[np.intp]
BoolArray = npt.NDArray[np.bool_]
#: Keys of features.
KeyArray = npt.NDArray[np.uint64]
