"""Other names of players: which ones texts suggest, and what the pairs of a recipe mean in one game.

A pair with `*` stands for numbers: "P*" is "Player*" says that P2 is the player whose name holds Player2.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping

ANY = "*"
# How many pairs are proposed, and how often a text must use a short name.
MOST_PROPOSED, LEAST_USES = 3, 2
_LIKE_A_PLAYER = re.compile(r"\b((?:p|player|agent|seat)[ _#-]?)(\d{1,3})\b", re.IGNORECASE)
_NUMBERED_NAME = re.compile(r"(?<![^\W_])([^\W\d_]*[ _#-]?)(\d{1,9})(?![^\W_])")
_JOINTS, _WORDS = " _#-", ("player", "agent", "seat")
# A word with a capital letter inside a sentence.
_CALLED = re.compile(r"(?<=[^\W\d_,] )[^\W\d_]{3,}")


def is_pair(alias: str, called: str) -> bool:
    """Whether two names are a pair: both with one `*` at the end, or none."""
    stars = [(name.count(ANY), name.endswith(ANY)) for name in (alias, called)]
    return bool(alias.strip() and called.strip()) and stars[0] == stars[1] in ((0, False), (1, True))


def expand_aliases(pairs: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    """Other name -> name among the players of one game. What fits two players, or none, says nothing."""
    found: dict[str, set[str]] = {}
    for alias, called in pairs.items():
        head, star, _rest = called.partition(ANY)
        numbered = re.compile(rf"(?<![^\W_]){re.escape(head)}(\d{{1,9}})(?![^\W_])", re.IGNORECASE)
        for name in names:
            number = numbered.search(name) if star else None
            if number or (not star and name.casefold() == called.casefold()):
                found.setdefault(alias.replace(ANY, number[1]) if number else alias, set()).add(name)
    return {alias: min(own) for alias, own in found.items() if len(own) == 1 and alias not in own}


def propose_aliases(names: Collection[str], texts: str) -> dict[str, str]:
    """Pairs that may be: players whom texts number otherwise, and names that texts shorten."""
    said: dict[str, set[str]] = {}
    spelled: dict[str, str] = {}
    for match in _LIKE_A_PLAYER.finditer(texts):
        head = spelled.setdefault(match[1].casefold(), match[1])
        said.setdefault(head, set()).add(match[2])
    numbered: dict[str, list[str]] = {}
    for name in names:
        for head, number in dict(_NUMBERED_NAME.findall(name)).items():
            numbered.setdefault(head, []).append(number)
    found: dict[str, str] = {}
    for head, numbers in said.items():
        for own, known in numbered.items():
            # "Player 1" is 1 anyway.
            is_other = head.strip(_JOINTS).casefold() not in (
                own.strip(_JOINTS).casefold(),
                *(() if own else _WORDS),
            )
            if is_other and len(known) == len(set(known)) == len(names) and numbers <= set(known):
                found.setdefault(f"{head}{ANY}", f"{own}{ANY}")
    return dict(list((found | _shortened(names, texts)).items())[:MOST_PROPOSED])


def _shortened(names: Collection[str], texts: str) -> dict[str, str]:
    """Beginnings of one name alone, which no text writes without a capital letter."""
    found = {}
    for word, count in sorted(Counter(_CALLED.findall(texts)).items()):
        if count < LEAST_USES or not word.istitle():
            continue
        own = [name for name in names if name.startswith(word)]
        if len(own) == 1 and own[0] != word and not re.search(rf"\b{re.escape(word.lower())}\b", texts):
            found[word] = own[0]
    return found
