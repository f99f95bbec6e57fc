"""Names that the eye takes for each other: letters of other scripts, or different in marks and case only."""

import unicodedata
from collections import Counter
from collections.abc import Sequence

# The letters of Cyrillic and Greek that are drawn as Latin ones, and what else is read for a letter (UTS #39).
_DRAWN_AS = str.maketrans(
    "абвгдеийкмнорстухьѕіјԁԛԝαβγεηικμνορτυχϲ01|!",
    "a6brdeuukmhopctyxbsijdqwabyenlkuvoptuxcolll",
)
_ALIKE = (("rn", "m"), ("vv", "w"), ("i", "l"))


def skeleton(name: str) -> str:
    """What a name looks like: two names with one skeleton cannot be told apart at a glance."""
    plain = "".join(
        character
        for character in unicodedata.normalize("NFKD", name).casefold()
        if not unicodedata.category(character).startswith(("M", "C"))
    )
    drawn = plain.translate(_DRAWN_AS)
    for written, seen in _ALIKE:
        drawn = drawn.replace(written, seen)
    return " ".join(drawn.split())


def is_mixed(name: str) -> bool:
    """Whether letters of two of the scripts that look alike stand in one name."""
    scripts = {unicodedata.name(character, "").partition(" ")[0] for character in name if character.isalpha()}
    return len(scripts & {"LATIN", "CYRILLIC", "GREEK"}) > 1


def confusable(names: Sequence[str]) -> list[bool]:
    """For each name of one roster whether another looks like it, or it is mixed of scripts."""
    counts = Counter(skeleton(name) for name in names)
    return [counts[skeleton(name)] > 1 or is_mixed(name) for name in names]
