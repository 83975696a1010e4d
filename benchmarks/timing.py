"""CPU time of calls: on a machine that others use too, the figure to trust."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def cpu_seconds(
    function: Callable[Given, Answer], *args: Given.args, **options: Given.kwargs
) -> tuple[float, Answer]:
    """Time one call, in CPU seconds of this process."""
    start = time.process_time()
    answer = function(*args, **options)
    return time.process_time() - start, answer


def fastest(
    repeats: int, function: Callable[Given, Answer], *args: Given.args, **options: Given.kwargs
) -> tuple[float, Answer]:
    """Time a call several times: other load only ever slows it down."""
    runs = [cpu_seconds(function, *args, **options) for _ in range(repeats)]
    return min(seconds for seconds, _ in runs), runs[0][1]
