"""Finds the names we know among those a reviewer wrote: as they are, and else in another case."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from rubric.core.reading_blocks import REFUSED
from workspace.core.strict_json import normalise_text


class Found(Struct, frozen=True):
    """What was found under known names, and the keys as written that are unknown or speak of a name again."""

    values: dict[str, Any]
    unknown: list[str]
    again: list[str]


class Names:
    """Names by what they are in any case; a name that differs from another by its case alone is only itself."""

    def __init__(self, names: Iterable[str]) -> None:
        self.all = list(names)
        counts = Counter(map(_folded, self.all))
        self._exact = set(self.all)
        self._folded = {_folded(name): name for name in self.all if counts[_folded(name)] == 1}

    def match(self, written: str) -> str | None:
        """The known name that was meant, or None."""
        return written if written in self._exact else self._folded.get(_folded(written))

    def pick(self, mapping: Mapping[str, Any]) -> Found:
        """The values of the mapping by known name. An exact key wins; two others for one name refuse each other."""
        values = {key: value for key, value in mapping.items() if key in self._exact}
        exact = set(values)
        unknown, again = [], []
        for key, value in mapping.items():
            name = self.match(key)
            if name is None:
                unknown.append(key)
            elif key != name:
                if name not in values:
                    values[name] = value
                else:
                    again.append(key)
                    values[name] = values[name] if name in exact else REFUSED
        return Found(values=values, unknown=unknown, again=again)


def _folded(name: str) -> str:
    return name.strip().casefold()


def shown(written: str) -> str:
    """What a reviewer wrote, cut to what fits into a sentence, and without what no database stores."""
    written, _replaced = normalise_text(written)
    return written if len(written) <= 80 else written[:79] + "…"
