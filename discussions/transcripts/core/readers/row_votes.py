"""What rows of votes say, and rows of other types under fields of their own."""

import re
from collections.abc import Mapping

from discussions.transcripts.core.audience import OUT, THOUGHT, VOTE, words_of
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers.draft import is_ballot, is_nobody
from discussions.transcripts.core.readers.row_kinds import RowSigns
from discussions.transcripts.core.readers.vote_columns import is_target
from discussions.transcripts.core.thoughts import read_answer

_VOTE_TEXT = re.compile(
    r"\W{0,3}vote(?:s| for)?\s{0,3}[:=→>-]{1,2}\s{0,3}(?P<target>[^\n]{1,60}?)\W{0,3}", re.IGNORECASE
)


def is_poll(target: str, signs: RowSigns) -> bool:
    """Whether the target of a vote is "yes" or "approve", or to end the discussion, which no player is called."""
    is_known = is_nobody(target) or target.isdecimal() or target.casefold() in signs.names
    return not is_known and (is_ballot(target) or "discussion" in words_of(target))


def as_vote(cells: Mapping[str, str], signs: RowSigns) -> Mapping[str, str]:
    """The cells of a row whose text is nothing but a vote, "VOTE: Bea", as in a chat; else as they are."""
    vote = _VOTE_TEXT.fullmatch(cells.get(recipes.TEXT, "").strip())
    if vote is None or cells.get("vote") or signs.name(vote["target"]).casefold() not in signs.names:
        return cells
    return dict(cells) | {recipes.TEXT: "", "vote": vote["target"]}


def of_kind(cells: Mapping[str, str], kind: str, signs: RowSigns) -> Mapping[str, str]:
    """The cells of a row of some type, with what only rows of this type hold under the fields of all rows."""
    voter, target, thought = (cells.get(field, "") for field in ("voter", "target", "thought"))
    told = cells.get("audience", "")
    target = told if kind == VOTE and is_target(cells, signs.name(told), signs.names) else target
    # The value of a vote may stand where texts do, as may an answer in JSON that names it.
    said = cells.get(recipes.TEXT, "") if kind == VOTE and not target else ""
    is_name = signs.name(said).casefold() in signs.names or (said != "" and is_nobody(said))
    voted = [part for key, part in read_answer(said).items() if recipes.field_of(key) in ("vote", "target")]
    for part in [said] if is_name else sorted(voted, key=lambda part: type(part) is int):
        return {"vote": str(part)} | dict(cells) | {recipes.TEXT: ""}
    if kind == VOTE:
        return {recipes.PLAYER: voter, "vote": target} | {key: value for key, value in cells.items() if value}
    if kind == OUT:
        return dict(cells) | {recipes.PLAYER: cells.get("out") or target or cells.get(recipes.PLAYER, "")}
    if kind == THOUGHT and not cells.get(recipes.TEXT):
        return dict(cells) | {recipes.TEXT: thought, "thought": ""}
    return cells
