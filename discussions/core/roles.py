"""Which side a role plays for; the map is data of the rubric version, an unknown role has no side."""

import re
from collections.abc import Collection, Mapping

from discussions.core.names import fold
from discussions.core.records import MAFIA, VILLAGE

_GAPS = re.compile(r"[\s_-]+")


def side_of(role: str | None, role_map: Mapping[str, Collection[str]]) -> str | None:
    """MAFIA, VILLAGE, or None for a missing or unknown role; case, dashes and underscores do not matter."""
    if not role:
        return None
    plain = _GAPS.sub(" ", fold(role)).strip().lower()
    for side in (MAFIA, VILLAGE):
        if plain in role_map.get(side, ()):
            return side
    return None
