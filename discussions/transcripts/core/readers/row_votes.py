"""What rows of votes say, and rows of other types under fields of their own."""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from discussions.transcripts.core import audience
from discussions.transcripts.core.notes import NativeGame
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers.chat_lines import ARROW
from discussions.transcripts.core.readers.draft import is_ballot, is_nobody
from discussions.transcripts.core.readers.narration import VOTE_COMMAND
from discussions.transcripts.core.readers.row_kinds import RowSigns
from discussions.transcripts.core.readers.vote_columns import is_target
from discussions.transcripts.core.thoughts import read_answer

# "!see Ann", "##unvote", "/claim": what a bot is told. "!important" and "#trust Ann" are said.
_COMMAND = re.compile(
    r"(?P<sign>[!/.$~]|#{1,2})[^\W\d_]{2,20}(?:[\s:]{1,3}@?(?P<target>[^\n]{1,60}?))?\W{0,2}", re.IGNORECASE
)
_ALONE = ("!", "/", "##")
_VERBS = frozenset("unvote hang see peek shoot bite role roles pass abstain list help claim".split())
_I_VOTE = re.compile(
    r"(?:(?:I(?: am|['’]m| will|['’]ll)? (?:vote|voting)|my vote (?:is|goes)|ich stimme|je vote|voto|я голосую)"
    r"(?: (?:for|to|against|für|gegen|pour|contre|a|por|contra|за|против))? )?(?P<target>[^\n]{1,60}?)\W{0,3}",
    re.IGNORECASE,
)


def is_poll(target: str, signs: RowSigns) -> bool:
    """Whether the target of a vote is "yes" or "approve", or to end the discussion, which no player is called."""
    is_known = is_nobody(target) or target.isdecimal() or target.casefold() in signs.names
    return not is_known and (is_ballot(target) or "discussion" in audience.words_of(target))


def _read_arrow(text: str, signs: RowSigns) -> dict[str, str]:
    """The cells of the vote that a text is: "Ann -> Bea"; {} of any other."""
    cast = ARROW.fullmatch(text)
    named = [signs.name(who) for who in cast.groups()] if cast else []
    are_known = named and all(
        who.casefold() in signs.names or (at and is_nobody(who)) for at, who in enumerate(named)
    )
    return {recipes.PLAYER: named[0], "vote": named[1], recipes.TEXT: ""} if are_known else {}


def read_command(cells: Mapping[str, str], signs: RowSigns) -> tuple[str, Mapping[str, str]]:
    """What a row is, and its cells: a text that is nothing but "VOTE: Bea", or a command, is an act."""
    text = cells.get(recipes.TEXT, "").strip()
    if not cells.get(recipes.PLAYER) and (cast := _read_arrow(text, signs)):
        return audience.SPEECH, dict(cells) | cast
    voted, says_more = target_in(text), recipes.TEXT in map(recipes.field_of, read_answer(text))
    if voted != text and signs.name(voted).casefold() in signs.names and not says_more:
        return audience.SPEECH, dict(cells) | {recipes.TEXT: "", "vote": voted}
    vote, command = VOTE_COMMAND.fullmatch(text), _COMMAND.fullmatch(text)
    told = [one["target"] for one in (command, vote) if one and one["target"]]
    known = [who for who in told if is_nobody(who) or signs.name(who).casefold() in signs.names]
    if vote and known and not cells.get("vote"):
        return audience.SPEECH, dict(cells) | {recipes.TEXT: "", "vote": known[0]}
    verb = next(iter(audience.words_of(text.casefold())), "")
    is_verb = verb in _VERBS or audience.kind_of_type(verb) not in ("", audience.SPEECH)
    is_act = command and is_verb and (known or (not told and command["sign"] in _ALONE))
    return (audience.IGNORE if is_act else audience.SPEECH), cells


def of_kind(cells: Mapping[str, str], kind: str, signs: RowSigns) -> Mapping[str, str]:
    """The cells of a row of some type, with what only rows of this type hold under the fields of all rows."""
    voter, target, thought = (cells.get(field, "") for field in ("voter", "target", "thought"))
    told = cells.get("audience", "")
    if kind == audience.VOTE:
        target = told if is_target(cells, signs.name(told), signs.names) else target or cells.get("out", "")
    # The value of a vote may stand where texts do, as may an answer in JSON that names it.
    said = cells.get(recipes.TEXT, "").strip() if kind == audience.VOTE and not target else ""
    if cast := _read_arrow(said, signs):
        return dict(cells) | cast
    named = _I_VOTE.fullmatch(said)
    said = named["target"] if named and signs.name(named["target"]).casefold() in signs.names else said
    is_name = signs.name(said).casefold() in signs.names or (said != "" and is_nobody(said))
    if is_name or target_in(said) != said:
        return {"vote": target_in(said)} | dict(cells) | {recipes.TEXT: ""}
    if kind == audience.VOTE:
        return {recipes.PLAYER: voter, "vote": target} | {key: value for key, value in cells.items() if value}
    if kind == audience.OUT:
        return dict(cells) | {recipes.PLAYER: cells.get("out") or target or cells.get(recipes.PLAYER, "")}
    if kind == audience.THOUGHT and not cells.get(recipes.TEXT):
        return dict(cells) | {recipes.TEXT: thought, "thought": ""}
    return cells


def target_in(said: str) -> str:
    """For whom a vote is whose cell may be an answer in JSON, a name rather than a number."""
    voted = [part for key, part in read_answer(said).items() if recipes.field_of(key) in ("vote", "target")]
    return next(map(str, sorted(voted, key=lambda part: type(part) is int)), said)


def says_nothing(
    cells: Mapping[str, str], kind: str, name: str, target: str, signs: RowSigns, *, is_typed: bool
) -> bool:
    """Whether a row has neither a text nor a vote that its kind needs, abstains, or has one of nobody beside others."""
    text = cells.get(recipes.TEXT, "").strip()
    if text or target:
        return not name and bool(signs.has_more or {"type", "phase"} & signs.at.keys())
    is_idle = audience.kind_of_type(cells.get("type", "")) == audience.IGNORE
    if is_typed:
        is_hidden = kind in (audience.PRIVATE, audience.THOUGHT)
        return not (name and not is_idle if is_hidden else kind == audience.OUT)
    return "vote" in signs.at and not cells.get("thought")


# Who voted, after how many messages; "" for a vote beside a text.
Ballots = Sequence[tuple[str, int]]


def vote_again(ballots: Ballots) -> bool:
    """Whether two players vote again after more talk, where several vote one after the other."""
    votes = Counter(name for name, _count in ballots if name)
    together = Counter(count for name, count in ballots if name)
    is_again, are_ballots = (sum(n > 1 for n in counts.values()) > 1 for counts in (votes, together))
    return is_again and are_ballots and bool(_find_begins(ballots))


def _find_begins(ballots: Ballots) -> list[int]:
    """The numbers of the messages with which rounds begin: the first ones after votes, where somebody votes again."""
    begins, voted, last = list[int](), set[str](), 0
    for count, same in groupby(ballots, key=lambda ballot: ballot[1]):
        names = {name for name, _count in same} - {""}
        if voted & names:
            begins.append(last)
            voted = set()
        voted, last = voted | names, count
    return begins


def count_by_votes(game: NativeGame, ballots: Ballots, gone: Sequence[int]) -> None:
    """Give a game's parts the rounds that votes end; `gone` says after how many messages each of its players left."""
    begins, parts = _find_begins(ballots), game or {}
    places = {
        "messages": range(len(parts["messages"])),
        "votes": [count - 1 for _name, count in ballots],
        "eliminations": [count - 1 for count in gone],
    }
    for key, own in places.items():
        for part, at in zip(parts[key], own, strict=True):
            part["roundNumber"] = 1 + bisect(begins, at)
