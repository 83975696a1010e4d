"""UTF-8 that was taken for Latin-1 and encoded once more, as an encoding with a name.

Files that went through such a mistake read ``subrayÃ³`` where ``subrayó`` was meant. The encoding
``utf-8-twice`` reads them as they were meant, and writes them as they are.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Buffer

#: What the encoding is called.
NAME = "utf-8-twice"


def encode(text: str, errors: str = "strict") -> tuple[bytes, int]:
    """Encode twice.

    >>> encode("ó")[0].decode()
    'Ã³'
    """
    return text.encode("utf-8", errors).decode("latin-1").encode(), len(text)


def decode(data: Buffer, errors: str = "strict") -> tuple[str, int]:
    """Decode twice; what was encoded only once, or is no UTF-8 at all, is a UnicodeDecodeError.

    >>> decode("subrayÃ³".encode())[0]
    'subrayó'
    """
    given = bytes(data)
    once = given.decode("utf-8", errors)
    try:
        return once.encode("latin-1").decode("utf-8", errors), len(given)
    except (UnicodeEncodeError, UnicodeDecodeError) as error:
        # The place is one in the text that was decoded once.
        start = len(once[: error.start].encode())
        raise UnicodeDecodeError(NAME, given, start, start + 1, "encoded once only") from None


class _IncrementalEncoder(codecs.IncrementalEncoder):
    def encode(self, text: str, final: bool = False) -> bytes:
        return encode(text, self.errors)[0]


class _IncrementalDecoder(codecs.BufferedIncrementalDecoder):
    def _buffer_decode(self, data: Buffer, errors: str, final: bool) -> tuple[str, int]:
        # Lines end in the same byte in any number of encodings.
        given = bytes(data)
        return decode(given if final else given[: given.rfind(b"\n") + 1], errors)


def _find(name: str) -> codecs.CodecInfo | None:
    if name.replace("-", "_") != NAME.replace("-", "_"):
        return None
    return codecs.CodecInfo(
        encode,
        decode,
        incrementalencoder=_IncrementalEncoder,
        incrementaldecoder=_IncrementalDecoder,
        name=NAME,
    )


codecs.register(_find)
