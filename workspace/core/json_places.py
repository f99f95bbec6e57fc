"""Where in a text something is wrong: the problem record, JSON pointers, and lines and columns."""

from msgspec import Struct


class Problem(Struct, frozen=True):
    """One thing that keeps a text from being strict JSON.

    `line` and `column` count characters from 1; `pointer` is the JSON pointer of the value (or of the object that
    holds the key), "" for the whole text.
    """

    code: str
    message: str
    line: int = 1
    column: int = 1
    pointer: str = ""


def pointer_of(parts: list[str | int]) -> str:
    """The JSON pointer of these keys and indexes; a very long key is cut, since it is there to be read."""
    shown = []
    for part in parts:
        text = str(part).replace("~", "~0").replace("/", "~1")
        shown.append("/" + (text if len(text) <= 100 else text[:99] + "…"))
    return "".join(shown)


class Places:
    """Turns positions in a text into lines and columns; positions asked for must not go back over a line.

    Lines are counted once over the whole text and not from its start every time.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._line = 1
        self._line_start = 0
        self._counted = 0

    def line_and_column(self, position: int) -> tuple[int, int]:
        """Line and column of a position, in characters from 1."""
        if position > self._counted:
            self._line += self._text.count("\n", self._counted, position)
            self._line_start = max(self._line_start, self._text.rfind("\n", self._counted, position) + 1)
            self._counted = position
        return self._line, position - self._line_start + 1
