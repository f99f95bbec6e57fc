"""What an act costs, counted: the same on every machine and at every load."""

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def count_lines(act: Callable[[], object]) -> int:
    """How many lines of Python the act runs."""
    count = 0

    def look(_frame: FrameType, event: str, _value: Any) -> Any:
        nonlocal count
        count += event == "line"
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        act()
    finally:
        sys.settrace(before)
    return count


def count_calls(act: Callable[[], object]) -> int:
    """How many functions the act calls, those of C among them."""
    count = 0

    def look(_frame: FrameType, event: str, _value: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    gc.disable()  # others may have told it to call them
    sys.setprofile(look)
    try:
        act()
    finally:
        sys.setprofile(before)
        gc.enable()
    return count
