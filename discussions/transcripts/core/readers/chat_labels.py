"""What stands before the texts of a chat: whether labels are names of players, and what else they may say."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from discussions.transcripts.core.audience import (
    PRIVATE,
    SPEECH,
    THOUGHT,
    THOUGHT_NAMES,
    have_asides,
    kind_of_type,
)
from discussions.transcripts.core.notices import split_notice
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
_ENDS = (".", "!", "?", "…", "。", "！", "？")
_WITH_MODE = re.compile(r"(?P<name>[^()\[\]]{1,60}?) ?[(\[](?P<mode>[^()\[\]]{1,40})[)\]]")
_WITH_VERB = re.compile(
    r"(?P<name>[^\W\d_]\S{0,40}) (?P<mode>[^\W\d_A-ZÀ-Þ][^()\[\]]{0,40}|[^\w\s()\[\]]{1,4})"
)
_WITH_SUFFIX = re.compile(r"(?P<name>[^\W\d_]\S{0,60}?)(?P<mode>_[^\W\d_]{2,30})")
# "[Ann -> Bea] psst" and "(Ann whispers to Bea) psst".
_BOXED_NAME = re.compile(
    r"[\[(<{](?P<name>[^\W\d_][\w'’-]{0,40})(?: ?(?:->|→|=>) ?|,? (?:whisper\w{0,3} )?to )[^\[\]()<>{}]{1,60}[\])>}]"
    r":? ?(?P<what>\S.*)"
)
# What a player does or thinks, as a chat tells it: "* Ann thinks that ...".
_DEED = re.compile(r"[*_~]{1,3} ?(?P<name>[^\W\d_]\S{0,40}) (?P<what>(?P<verb>[^\W\d_A-Z]\S*).*)")


def is_odd_chat(said: list[ChatLine], lines: list[str]) -> bool:
    """Whether it has to be asked what words before or in texts mean. It then waits as lines with a colon."""
    names = [read_aside(line.name)[0] if line.audience else line.name for line in said]
    # "Note to self" and "thinking" are no names, nor is a group that a chat program's notice stands under.
    if any(may_be_none(name) and not _is_read(line) for line, name in zip(said, names, strict=True)):
        return True
    is_unclear = find_modes(names) or unknown_parts(lines) or have_asides(line.text for line in said)
    return bool(is_unclear) or are_keys([(line.name, line.text) for line in said])


def read_deed(text: str, above: Mapping[str, Any]) -> tuple[str, str]:
    """Who does or thinks something in a line under a message, which nobody says, and what; else "".

    Of others than the author only thoughts and whispers count, and nothing in a list: "* Bea is odd" is a part of a
    text.
    """
    found = _BOXED_NAME.fullmatch(text)
    deed = None if found else _DEED.fullmatch(text)
    kind = kind_of_type(deed["verb"]) if deed else ""
    is_list = above["message"].rpartition("\n")[2].startswith(text[:1])
    is_own = deed is not None and deed["name"] == above["playerName"] and not is_list
    if deed and (kind in (PRIVATE, THOUGHT) or (is_own and kind != SPEECH)):
        found = deed
    return (found["name"], found["what"]) if found else ("", "")


def find_modes(names: Iterable[str]) -> frozenset[str]:
    """What stands after several names, in brackets or as a word, of players who speak with other words, too.

    It may say who could hear a message: "Ann (aside)", "Ann denkt", "Ann_plans".
    """
    found: dict[str, set[str]] = {}
    for name in names:
        match = _match_mode(name)
        found.setdefault(match["name"] if match else name, set()).add(match["mode"] if match else "")
    modes = Counter(mode for own in found.values() if len(own) > 1 for mode in own if mode)
    bare = {mode for own in found.values() if "" in own for mode in own}
    # Of "red_spy", "red_cat" and "blue_spy", nobody is "red".
    return frozenset(
        mode
        for mode, count in modes.items()
        if count > 1
        and (not mode.startswith("_") or mode in bare or kind_of_type(mode) in (PRIVATE, THOUGHT))
    )


def may_be_none(name: str) -> bool:
    """Whether a label may be no player: "Wolves", "Plan"."""
    is_nobody = name.casefold() in ("none", "nobody")
    return not is_nobody and kind_of_type(name.split(" ", maxsplit=1)[0]) in (PRIVATE, THOUGHT)


def _is_read(line: ChatLine) -> bool:
    """Whether what is said under a label that hides it is read as such anyway."""
    is_thought = bool(line.audience) or line.name.casefold() in THOUGHT_NAMES
    return is_thought or not split_notice(line.text, line.name)[0]


def split_mode(name: str, modes: Collection[str]) -> tuple[str, str]:
    """A name, and what of these stands after it; "" for other names."""
    match = _match_mode(name) if modes else None
    return (match["name"], match["mode"]) if match and match["mode"] in modes else (name, "")


def _match_mode(name: str) -> "re.Match[str] | None":
    return _WITH_MODE.fullmatch(name) or _WITH_VERB.fullmatch(name) or _WITH_SUFFIX.fullmatch(name)


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
    counts = Counter(len(texts) for texts in said.values() if _are_values(texts))
    return any(labels > 1 and 3 * labels * count > len(pairs) for count, labels in counts.items())


def _are_values(texts: list[str]) -> bool:
    """Whether texts under one label are short values that come back, and no sentences."""
    different = {*texts}
    is_short = max(map(len, texts)) < LONGEST_VALUE and not any(text.endswith(_ENDS) for text in different)
    return is_short and len(texts) >= LEAST_NUMBERED and len(different) <= len(texts) // 2
