"""References against the record of votes and eliminations: supported, close, or cannot be checked; never "wrong".

Rows count as known before a message when their round is earlier; inside one round only when message and vote both carry
a full ISO date-time and the vote's is the earlier one.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import islice, product

from msgspec import Struct

from discussions.core.records import Evidence, GameRecord, Message, Vote
from discussions.metrics.core.patterns import PatternGroup
from discussions.metrics.core.text import NAME_CHARS, OWNED, PAD, decode_player, players_in

SUPPORTED = "supported"
CLOSE = "close"
CANNOT_CHECK = "cannot_check"
# Groups are atomic, not possessive, as in the patterns of claims: before 3.11.5 Python matches the latter wrongly.
_NAME = f"[{NAME_CHARS}]{PAD}*+"
_WHO = f"(?:{_NAME}|\\b(?:i|me|you|he|she|they|we|who|someone|somebody|everyone)\\b)"
_ALSO = r"(?>(?: (?:has|have|had|also|both|all|just|only|even|already|then|still)){0,4})"

_VOTED = re.compile(
    f"(?P<voters>{_WHO}(?>(?:(?:, | and |, and | & ){_WHO}){{0,9}})),?{_ALSO} voted"
    "(?>(?: (?:for|against|out|off|to eliminate|to banish|to exile|to lynch))?) "
    f"(?P<targets>{_WHO}(?>(?: and {_NAME}){{0,9}}))(?!{OWNED})"
)

_VOTE_OF = re.compile(
    f"(?:(?P<name>{_NAME}){OWNED}++|\\b(?P<mine>my))(?>(?: (?:own|first|last|earlier|previous))?)"
    f" votes? (?:for|against|on) (?P<target>{_WHO})"
)

_OUT = r"(?:eliminated|killed|lynched|banished|exiled|voted out|voted off)"

_GONE = re.compile(
    f"(?P<a>{_NAME})(?>(?: (?:was|were|got|has been|had been|being)){{1,3}}) {_OUT}"
    f"|\\b(?:we|they|you|town|everyone|the village) (?:already )?(?:have |had )?{_OUT} (?P<b>{_NAME})"
    f"|\\bwith (?P<c>{_NAME}) (?:gone|out|dead|eliminated)"
    f"|(?P<d>{_NAME}){OWNED}++ (?:elimination|death|exit|banishment|exile|lynching)"
)

_GONE_WORD = re.compile(r" (?:eliminat|killed|lynch|banish|exile|voted o|gone|out|dead|death|exit)")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")

_ROUND = re.compile(
    rf"\b(?:round|day) (\d{{1,6}}|{'|'.join(_NUMBERS)})\b|\b(?:last|previous) (?:round|day)\b"
)

_PERSON = re.compile(f"({_NAME})|\\b(i|me)\\b|\\b([a-z]+)\\b")
_NO_SUCH_ROUND = 10**6
_MOST_CLAIMS = 20
_LONGEST = 2_000
_RANK = {SUPPORTED: 0, CLOSE: 1, CANNOT_CHECK: 2}


class Doubts(Struct, frozen=True):
    """Patterns of sentences that are not plain statements: negations (and what only looks like one), conditions."""

    negation: PatternGroup
    not_a_negation: PatternGroup
    conditional: PatternGroup

    def has_negation(self, text: str, flags: int = -1) -> bool:
        """Whether the text negates; "no doubt" does not."""
        if not self.negation.search(text, flags):
            return False
        for pattern in self.not_a_negation.patterns:
            text = pattern.regex.sub(" ", text)
        return self.negation.search(text) is not None

    def apply_to(self, text: str, flags: int = -1) -> bool:
        """Whether the text asks, negates or sets a condition; `flags` belong to its message's tokens, if known."""
        if "?" in text or self.conditional.search(text, flags) is not None:
            return True
        return self.has_negation(text, flags)


class Claim(Struct, frozen=True):
    """One thing a sentence says about the record: a vote (voter, target), or that a player is gone (target alone).

    A player of None could not be identified; `round` is None when the sentence names none.
    """

    voter: int | None
    target: int | None
    round: int | None
    is_vote: bool


def round_number(text: str) -> int | None:
    """The number that a round is called by, in digits (any of seven or more is one) or from one to twelve, or None."""
    if text.isdecimal():
        return int(text) if len(text) <= 6 else _NO_SUCH_ROUND
    return _NUMBERS.index(text) + 1 if text in _NUMBERS else None


def check(low: str, game: GameRecord, message: Message, doubts: Doubts) -> tuple[str, Evidence | None]:
    """Compares a sentence (lower-cased, folded, marked) of a message with the rows recorded before that message.

    The outcome is the weakest of the sentence's claims; a sentence of more than 20 claims or 2,000 characters is not
    checked. A sentence that claims no vote and no elimination is CANNOT_CHECK, with the players and the round that it
    names as evidence, for looking up.
    """
    if len(low) > _LONGEST:
        return CANNOT_CHECK, None
    found = list(islice(claims(low, message), _MOST_CLAIMS + 1))
    if not found:
        return CANNOT_CHECK, _reading_up(low, message)
    if len(found) > _MOST_CLAIMS or doubts.apply_to(low):
        return CANNOT_CHECK, None
    outcomes = [
        check_vote(claim, game, message) if claim.is_vote else check_elimination(claim, game, message)
        for claim in found
    ]
    outcome = max((outcome for outcome, _ in outcomes), key=_RANK.__getitem__)
    if outcome == CANNOT_CHECK:
        return CANNOT_CHECK, None
    pieces = [evidence for _, evidence in outcomes if evidence is not None]
    rows = list(dict.fromkeys(row for evidence in pieces for row in evidence.rows))
    says = " ".join(dict.fromkeys(evidence.says for evidence in pieces))
    players = sorted({player for evidence in pieces for player in evidence.players})
    return outcome, Evidence(says, rows, found[0].round, players)


def claims(low: str, message: Message) -> Iterator[Claim]:
    if "vote" in low:
        for found in _VOTED.finditer(low):
            scope = _scope(low, found.end(), message)
            for voter, target in product(
                _people(found["voters"], message), _people(found["targets"], message)
            ):
                yield Claim(voter, target, scope, is_vote=True)
        for found in _VOTE_OF.finditer(low):
            scope = _scope(low, found.end(), message)
            voter = message.player if found["mine"] else decode_player(found["name"])
            for target in _people(found["target"], message):
                yield Claim(voter, target, scope, is_vote=True)
    if not low.isascii() and _GONE_WORD.search(low):
        for found in _GONE.finditer(low):
            name = found["a"] or found["b"] or found["c"] or found["d"]
            yield Claim(None, decode_player(name), _scope(low, found.end(), message), is_vote=False)


def _people(text: str, message: Message) -> list[int | None]:
    return [
        decode_player(found[1]) if found[1] else message.player if found[2] else None
        for found in _PERSON.finditer(text)
        if found[3] != "and"
    ]


def _scope(low: str, end: int, message: Message) -> int | None:
    """The round named first after a claim, else the last one before it; None when the sentence names none."""
    if "round" not in low and "day" not in low:
        return None
    rounds = [
        (found.start(), round_number(found[1]) if found[1] else message.round - 1)
        for found in _ROUND.finditer(low)
    ]
    after = [number for start, number in rounds if start >= end]
    return after[0] if after else rounds[-1][1] if rounds else None


def known_votes(game: GameRecord, message: Message) -> list[Vote]:
    said = _moment(message.time)
    return [vote for vote in game.votes if vote.round < message.round or _came_first(vote, message, said)]


def _came_first(vote: Vote, message: Message, said: datetime | None) -> bool:
    if said is None or vote.round != message.round:
        return False
    cast = _moment(vote.time)
    return cast is not None and (cast.tzinfo is None) == (said.tzinfo is None) and cast < said


def _moment(text: str | None) -> datetime | None:
    """A full ISO date-time; None for a clock time, a date, or nothing."""
    if not text or len(text) < 16:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def check_vote(claim: Claim, game: GameRecord, message: Message) -> tuple[str, Evidence | None]:
    """Compare a claimed vote with the rows: the exact row, the pair in another round, or the voter's other target."""
    if claim.voter is None or claim.target is None:
        return CANNOT_CHECK, None
    mine = [vote for vote in known_votes(game, message) if vote.voter == claim.voter]
    in_scope = [vote for vote in mine if claim.round is None or vote.round == claim.round]
    pair = [vote for vote in mine if vote.target == claim.target]
    exact = [vote for vote in in_scope if vote.target == claim.target]
    for outcome, rows in ((SUPPORTED, exact), (CLOSE, pair), (CLOSE, in_scope)):
        if rows:
            return outcome, cite_votes(rows, game, claim)
    return CANNOT_CHECK, None


def cite_votes(rows: list[Vote], game: GameRecord, claim: Claim) -> Evidence:
    name = [player.name for player in game.players]
    says = " ".join(
        f"Round {row.round}: {name[row.voter - 1]} voted for {name[row.target - 1]}." for row in rows
    )
    players = sorted({row.voter for row in rows} | {row.target for row in rows})
    return Evidence(says, [(row.round, row.voter, row.target) for row in rows], claim.round, players)


def check_elimination(claim: Claim, game: GameRecord, message: Message) -> tuple[str, Evidence | None]:
    for row in game.eliminations:
        if row.player == claim.target and row.round < message.round:
            is_exact = claim.round is None or claim.round == row.round
            how = f" ({row.how})" if row.how else ""
            says = f"Round {row.round}: {game.players[row.player - 1].name} left the game{how}."
            return SUPPORTED if is_exact else CLOSE, Evidence(says, [], row.round, [row.player])
    return CANNOT_CHECK, None


def _reading_up(low: str, message: Message) -> Evidence | None:
    """Name the players and the round to read, for a reference that is not about votes."""
    players = sorted(players_in(low))
    if not players:
        return None
    number = _scope(low, 0, message)
    when = f"of round {number}" if number else "of the rounds before"
    return Evidence(
        f"Not about a recorded vote: read the named players' messages {when}.", [], number, players
    )


_NAMED_ROUND = re.compile(r"\b(?:round|day) (\w{1,6})\b")


def find_named_round(text: str, own_round: int, offset: int = 0) -> int:
    """The file's number of the round that a sentence names, else of the one before its own; 0 when there is none.

    `offset` is added to a number in the text, as in `GameRecord`.
    """
    low = text.casefold()
    lowest = 0 if offset < 0 else 1
    # Two cheap tests first: this runs for every reference after every save.
    for found in _NAMED_ROUND.finditer(low) if "round" in low or "day" in low else ():
        number = 0 if found[1] == "zero" else round_number(found[1])
        if number is not None and number + offset >= lowest:
            return number + offset
    return max(own_round - 1, 0)
