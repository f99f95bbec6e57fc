"""What stands before the texts of a chat: whether labels are names of players, and what else they may say."""

import re
from collections import Counter
from collections.abc import Collection, Iterable

from discussions.transcripts.core.audience import SPEECH, have_asides, kind_of_type
from discussions.transcripts.core.readers.chat_lines import (
    ANY_NUMBER,
    HIDDEN,
    LEAST_NUMBERED,
    SECTION,
    SETUP,
    ChatLine,
    read_aside,
    read_heading,
)

LONGEST_VALUE = 40
_WITH_MODE = re.compile(r"(?P<name>[^()\[\]]{1,60}?) ?[(\[](?P<mode>[^()\[\]]{1,40})[)\]]")
_WITH_VERB = re.compile(r"(?P<name>[^\W\d_]\S{0,40}) (?P<mode>[^\W\d_A-ZÀ-Þ][^()\[\]]{0,40})")
# What a player does or thinks, as a chat tells it: "* Ann thinks that ...".
_DEED = re.compile(r"[*_~]{1,3} ?(?P<name>[^\W\d_]\S{0,40}) (?P<what>(?P<verb>[^\W\d_A-Z]\S*).*)")


def is_odd_chat(said: list[ChatLine], lines: list[str]) -> bool:
    """Whether it has to be asked what words before or in texts mean. It then waits as lines with a colon."""
    names = (read_aside(line.name)[0] if line.audience else line.name for line in said)
    is_unclear = find_modes(names) or unknown_parts(lines) or have_asides(line.text for line in said)
    return bool(is_unclear) or are_keys([(line.name, line.text) for line in said])


def read_deed(text: str) -> tuple[str, str]:
    """Who does or thinks something in a line that nobody says, and what; "" in any other line."""
    found = _DEED.fullmatch(text)
    return (found["name"], found["what"]) if found and kind_of_type(found["verb"]) != SPEECH else ("", "")


def find_modes(names: Iterable[str]) -> set[str]:
    """What stands after several names, in brackets or as a verb, of players who speak with other words, too.

    It may say who could hear a message: "Ann (aside)", "Ann denkt".
    """
    found: dict[str, set[str]] = {}
    for name in names:
        match = _WITH_MODE.fullmatch(name) or _WITH_VERB.fullmatch(name)
        found.setdefault(match["name"] if match else name, set()).add(match["mode"] if match else "")
    modes = Counter(mode for own in found.values() if len(own) > 1 for mode in own if mode)
    return {mode for mode, count in modes.items() if count > 1}


def unknown_parts(lines: Iterable[str]) -> set[str]:
    """The titles between lines, without their numbers, that say neither a round nor who could hear what follows."""
    found = (
        match["title"] for line in lines if (match := SECTION.fullmatch(line)) and not read_heading(line)
    )
    titles = {ANY_NUMBER.sub("", title).strip().casefold() for title in found}
    return {
        title for title in titles if not (kind_of_type(title) or HIDDEN.search(title) or SETUP.search(title))
    }


def are_keys(pairs: Collection[tuple[str, str]]) -> bool:
    """Whether labels and what follows them are fields of records, and not names and texts.

    Two labels or more come back equally often, and each with few short values.
    """
    said: dict[str, list[str]] = {}
    for label, text in pairs:
        said.setdefault(label, []).append(text)
    counts = Counter(
        len(texts)
        for texts in said.values()
        if len(texts) >= LEAST_NUMBERED
        and 2 * len({*texts}) <= len(texts)
        and max(map(len, texts)) < LONGEST_VALUE
    )
    return any(labels > 1 and 3 * labels * count > len(pairs) for count, labels in counts.items())
