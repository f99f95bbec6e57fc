"""What a sentence says about votes and eliminations, part by part (rules 1.1), against the record of the game.

A sentence is supported only when every part of it that names a vote is. Parts that cannot be looked up say so, with
the reason.
"""

import re
from collections.abc import Iterator
from itertools import islice, product

from msgspec import Struct

from discussions.core.records import Evidence, GameRecord, Message, Vote
from discussions.metrics.core.references.round_names import NamedRound, RoundNames
from discussions.metrics.core.references.vote_record import (
    CANNOT_CHECK,
    CLOSE,
    SUPPORTED,
    Claim,
    Doubts,
    check_elimination,
    check_vote,
    cite_votes,
)
from discussions.metrics.core.text import NAME_CHARS, OWNED, PAD, decode_player, players_in

_NAME = f"[{NAME_CHARS}]{PAD}*+"
_WHO = f"(?:{_NAME}|\\b(?:i|me|you|he|she|they|we|who|someone|somebody|everyone|nobody|no one)\\b)"
_LIST = f"{_WHO}(?>(?:(?:, | and |, and | & | ){_WHO}){{0,9}})"
_SMALL = (
    r"(?>(?: (?:has|have|had|also|both|all|just|only|even|already|then|still|first|did|ever|really|actually|once"
    r"|later|never|not|didn't|hasn't|haven't|hadn't|didnt)(?![a-z'])){0,5})"
)
_OUT = r"(?:eliminate|banish|exile|lynch|remove|execute|kill|vote out|get rid of|take out)"
_HOW = rf"(?>(?P<how> (?:for|against|on|out|off|to {_OUT}))?)"

_WHEN = (
    r"(?:(?:(?:in|on|during|at) )?(?:the )?(?:(?:last|previous|first|second|third) (?:round|day|quest)"
    r"|(?:round|day|night|quest) ?\w{1,6})|earlier|before|previously|yesterday|again|later|then|also|first)"
)
_VOTED = re.compile(
    f"(?P<voters>{_LIST}),?(?P<small>{_SMALL}) vot(?:e(?P<past>d)?|(?P<ing>ing))(?: {_WHEN})?{_HOW} "
    f"(?P<targets>{_WHO}(?>(?: (?:and|&) {_NAME}(?!{_SMALL} vote)){{0,9}}))(?!{OWNED})(?>(?: (?:out|off)\\b)?)"
)
# "Bravo, you voted": whom a sentence calls by name, at its start or behind a mark, is its "you".
_CALLED = re.compile(
    r"(?:^|[,;:.!?-] |\b(?:and|but|so|well|hey|ok|okay|yes|no) )"
    f"(?P<names>{_NAME}(?>(?:(?:, | and |, and | & | ){_NAME}){{0,9}}))"
    r"(?=[,:-]| -|,? (?:and )?you\b)"
)
_CALLED_LAST = re.compile(f", (?P<names>{_NAME}(?>(?:(?:, | and |, and | & ){_NAME}){{0,9}}))[.! ]*$")
_VOTE_OF = re.compile(
    f"(?:(?P<name>{_NAME}){OWNED}++|\\b(?P<whose>my|your|his|her|their|our))"
    f"(?>(?: (?:own|first|last|earlier|previous|round \\w+))?) votes?(?: {_WHEN})?{_HOW} (?P<targets>{_WHO})(?!{OWNED})"
    r"(?! (?:is|stays|will|goes|would|remains|now)\b)"
)
_JOINT = r"(?P<joint>, and then|, and|, but|, then| and then| and| but| then|,|;)"
_MORE = re.compile(
    f"(?: {_WHEN})?{_JOINT}(?>(?: {_WHEN},?){{0,2}}) (?:voted )?(?:(?P<word>for|against|to {_OUT}) )?"
    f"(?P<targets>{_WHO}(?>(?: and {_NAME}){{0,9}}))(?P<when> {_WHEN})?(?!{OWNED}|{_SMALL} vote)"
)
_GONE_PAST = r"(?:eliminated|killed|lynched|banished|exiled|executed|removed|voted out|voted off)"
_GONE = re.compile(
    f"(?P<a>{_NAME})(?>(?: (?:was|were|got|has been|had been|being|already)){{1,3}}) {_GONE_PAST}"
    r"|\b(?:we|they|town|everyone|the village)(?>(?: (?:already|all|have|had|then|just)){0,3}) "
    f"{_GONE_PAST} (?P<b>{_NAME})"
    f"|\\bwith (?P<c>{_NAME}) (?:gone|out|dead|eliminated)"
    f"|(?P<d>{_NAME}){OWNED}++ (?:elimination|death|exit|banishment|exile|lynching|removal)"
)
# Every match of the pattern above contains one of these.
_GONE_WORD = re.compile(r"eliminat|killed|lynch|banish|exile|execut|remov|voted o|gone|out|dea|exit")
# These words name a vote that was cast: a verb of the past, or a vote of somebody for somebody.
_PART = re.compile(
    f"\\bvoted\\b|\\b(?:was|were|been) voting\\b"
    f"|(?:{OWNED}|\\b(?:my|your|his|her|their|our)) votes? (?:for|against|on) "
)
# These words say that votes were cast at all; "let's vote" does not.
_ABOUT = re.compile(
    r"\bvote[ds]\b|\b(?:did|didn't|didnt)\b.{0,60}\bvote\b|\b(?:was|were|been|kept|started) voting\b"
    r"|(?:\b(?:the|that|this)|'s)(?: \w+)? voting\b|\bvoting (?:patterns?|records?|history|behaviou?rs?)\b"
    rf"|(?:\b(?:the|that|my|your|his|her|their|last|first|own)|'s|{OWNED}) (?:round )?(?:\w+ )?vote\b"
)
_DID = re.compile(r"\b(?:did|didn't|didnt)\b")
_DENIED = re.compile(r"\b(?:never|not|didnt)\b|n't\b")
_GROUPS = ("we", "they", "everyone")
_PERSON = re.compile(f"({_NAME})|\\b(i|me)\\b|\\b(you)\\b|\\b([a-z]+)\\b")
_BLANKS = re.compile(r"\s+")
_CLOSELY = r"(?: (?:too|as well|again|already|back|here|there))?(?: (?:in|on|during|at|of))?(?: the)? ?"
_TIGHT, _IMMEDIATE = re.compile(_CLOSELY), re.compile(f",?{_CLOSELY}")
_NEXT = re.compile(f",? (?:(?:he|she|they|i|then|{_NAME}) )?(?:voted|for|against)\\b")
_CLAUSE_START = re.compile(r"[,;:] ")
_MOST_CLAIMS = 20
_LONGEST = 2_000
_RANK = {SUPPORTED: 0, CLOSE: 1, CANNOT_CHECK: 2}

# Outcomes of a part that a sentence cannot have: a denied vote that is recorded, and other votes of the voter.
_OTHERWISE, _OTHERS = "otherwise", "others"
NO_VOTES = "the file records no votes"
NO_ELIMINATIONS = "the file records nobody who left"
DOUBTED = "it asks, supposes or denies"
INCOMPLETE = "it does not say in full who voted for whom"
NOT_RECORDED = "the record has no such row before the message"
TOO_LONG = "it says too much at once"
NO_EVIDENCE = Evidence("")


class SentencePart(Struct, frozen=True):
    """A claim of a sentence at [start, end) of its text, and whether the sentence denies it."""

    claim: Claim
    start: int
    end: int
    is_denied: bool = False


class _Sentence(Struct, frozen=True):
    """A sentence with single blanks, its message, and the rounds that it names."""

    low: str
    game: GameRecord
    message: Message
    rounds: list[NamedRound]


def check_sentence(
    piece: str, game: GameRecord, message: Message, doubts: Doubts, names: RoundNames
) -> tuple[str, Evidence | None, int]:
    """Compares a sentence (lower-cased, folded, marked) of a message with the rows recorded before that message.

    Gives its outcome, its evidence, and the file's number of the round that it speaks of (0: none). The outcome is the
    weakest of its parts, and CANNOT_CHECK when a part names a vote that no claim covers. A denied but recorded vote is
    not an outcome of its own: the evidence shows the record, and a person labels it.
    """
    low = _BLANKS.sub(" ", piece[:_LONGEST]).strip()
    rounds = names.find_rounds(low, message.round)
    sentence = _Sentence(low, game, message, rounds)
    spoken = rounds[0].number if rounds else max(message.round - 1, 0)
    parts = [] if len(piece) > _LONGEST else list(islice(_list_parts(sentence), _MOST_CLAIMS + 1))
    if len(piece) > _LONGEST or len(parts) > _MOST_CLAIMS:
        return CANNOT_CHECK, _explain(sentence, TOO_LONG, []), spoken
    if not parts and not _is_about_votes(low):
        return CANNOT_CHECK, _name_messages(sentence), spoken
    outcome, evidence = _check_parts(sentence, parts, doubts)
    return outcome, evidence, evidence.round or spoken


def _check_parts(sentence: _Sentence, parts: list[SentencePart], doubts: Doubts) -> tuple[str, Evidence]:
    found = [_check_part(sentence, part, doubts) for part in parts]
    for outcome, evidence, _reason in found:
        if outcome == _OTHERWISE:
            return CANNOT_CHECK, evidence
    reasons = [] if _is_covered(sentence.low, parts) else [INCOMPLETE]
    reasons += [reason for _outcome, _evidence, reason in found if reason]
    others = [evidence for outcome, evidence, _reason in found if outcome == _OTHERS]
    if others and not reasons:
        says = f"The record has no such vote before the message. It has: {_say(others)}"
        return CANNOT_CHECK, Evidence(says, _rows(others))
    pieces = [evidence for outcome, evidence, _reason in found if outcome in (SUPPORTED, CLOSE)]
    if reasons or not pieces:
        return CANNOT_CHECK, _explain(sentence, (reasons or [INCOMPLETE])[0], pieces)
    outcome = max((outcome for outcome, _evidence, _reason in found), key=_RANK.__getitem__)
    players = sorted({player for evidence in pieces for player in evidence.players})
    return outcome, Evidence(_say(pieces), _rows(pieces), parts[0].claim.round, players)


def _check_part(sentence: _Sentence, part: SentencePart, doubts: Doubts) -> tuple[str, Evidence, str]:
    """The outcome of one part and its evidence, or the reason why it cannot be looked up."""
    claim = part.claim
    if claim.target is None or (claim.is_vote and claim.voter is None):
        return "", NO_EVIDENCE, INCOMPLETE
    if _is_doubted(sentence.low, part, doubts):
        return "", NO_EVIDENCE, DOUBTED
    look_up = check_vote if claim.is_vote else check_elimination
    outcome, evidence = look_up(claim, sentence.game, sentence.message)
    if part.is_denied and outcome == SUPPORTED and evidence is not None:
        says = f"The record says otherwise: {evidence.says}"
        return _OTHERWISE, Evidence(says, evidence.rows, evidence.round), ""
    if part.is_denied or evidence is None:
        is_known = claim.is_vote or sentence.game.eliminations
        return "", NO_EVIDENCE, NOT_RECORDED if is_known else NO_ELIMINATIONS
    if outcome == CLOSE and claim.is_vote and claim.round is None:
        return _OTHERS, _cite_newest(evidence, sentence.game, claim), ""
    return outcome, evidence, ""


def _cite_newest(evidence: Evidence, game: GameRecord, claim: Claim) -> Evidence:
    """The voter's newest votes for somebody else: if the claim has no round, none of them is close."""
    newest = max(row[0] for row in evidence.rows)
    return cite_votes([Vote(*row) for row in evidence.rows if row[0] == newest], game, claim)


def _is_about_votes(low: str) -> bool:
    return "vot" in low and _ABOUT.search(low) is not None


def _is_covered(low: str, parts: list[SentencePart]) -> bool:
    """Whether every part that names a vote belongs to a claim."""
    return all(any(part.start <= match.start() < part.end for part in parts) for match in _PART.finditer(low))


def _is_doubted(low: str, part: SentencePart, doubts: Doubts) -> bool:
    """Whether the sentence asks, a condition stands before the claim's end, or its clause negates it from before."""
    if "?" in low or doubts.conditional.search(low[: part.end]):
        return True
    before = low[: part.start]
    begin = max((match.end() for match in _CLAUSE_START.finditer(before)), default=0)
    return doubts.has_negation(before[begin:])


def _list_parts(sentence: _Sentence) -> Iterator[SentencePart]:
    """What the sentence claims about votes and eliminations; I, me, my: the speaker; you: the player addressed."""
    low = sentence.low
    if "vot" in low:
        for match in _VOTED.finditer(low):
            yield from _read_votes(sentence, match)
        for match in _VOTE_OF.finditer(low):
            whose = match["whose"]
            voter = decode_player(match["name"]) if match["name"] else None
            voters = (
                [voter] if not whose else _people(sentence, "i" if whose == "my" else whose, match.start())
            )
            if whose == "your":
                voters = _find_called(sentence, match.start())
            yield from _claim(sentence, voters, match, match.span())
    if not low.isascii() and _GONE_WORD.search(low):
        for match in _GONE.finditer(low):
            name = match["a"] or match["b"] or match["c"] or match["d"]
            claim = Claim(None, decode_player(name), _scope(sentence, match.span()), is_vote=False)
            denied = _DENIED.search(match[0]) is not None
            yield SentencePart(claim, *match.span(), denied)


def _read_votes(sentence: _Sentence, match: re.Match[str]) -> Iterator[SentencePart]:
    low = sentence.low
    has_past_round = any(named.number < sentence.message.round for named in sentence.rounds)
    is_past = match["past"] or _DID.search(match["small"]) or (match["ing"] and has_past_round)
    is_of_a_group = match["voters"] in _GROUPS and match["how"] and match["how"] not in (" for", " against")
    if not is_past or is_of_a_group:
        return
    voters = _people(sentence, match["voters"], match.end("voters"))
    is_denied = _DENIED.search(match["small"]) is not None
    yield from _claim(sentence, voters, match, match.span(), is_denied=is_denied)
    at = match.end()
    while (more := _MORE.match(low, at)) and (more["word"] or more["when"]):
        at = more.end()
        yield from _claim(sentence, voters, more, (more.end("joint"), at), is_denied=is_denied)


def _claim(
    sentence: _Sentence,
    voters: list[int | None],
    match: re.Match[str],
    span: tuple[int, int],
    *,
    is_denied: bool = False,
) -> Iterator[SentencePart]:
    targets = _people(sentence, match["targets"], span[0])
    scope = _scope(sentence, span)
    for voter, target in product(voters or [None], targets or [None]):
        yield SentencePart(Claim(voter, target, scope, is_vote=True), *span, is_denied)


def _people(sentence: _Sentence, text: str, at: int) -> list[int | None]:
    """The players of a list like "Alpha, Bravo and me" that ends or begins at `at`; None for a person without a name.

    In "Alpha, you" the name is only an address.
    """
    if text.endswith(", you"):
        return _find_called(sentence, at)
    people: list[int | None] = []
    for found in _PERSON.finditer(text):
        if found[1]:
            people.append(decode_player(found[1]))
        elif found[3]:
            people.extend(_find_called(sentence, at))
        elif found[4] != "and":
            people.append(sentence.message.player if found[2] else None)
    return people


def _find_called(sentence: _Sentence, at: int) -> list[int | None]:
    """The players last addressed by name before `at`, else at the very end; [None] without any."""
    called = [match for match in _CALLED.finditer(sentence.low) if match.end("names") <= at]
    last = called[-1] if called else _CALLED_LAST.search(sentence.low, at)
    return [*sorted(players_in(last["names"]))] if last else [None]


def _scope(sentence: _Sentence, span: tuple[int, int]) -> int | None:
    """The round of a claim: named inside it, right after it, before it, else later; None when none is named."""
    start, end = span
    rounds = sentence.rounds
    inside = [named.number for named in rounds if start <= named.start < end]
    before = [named.number for named in rounds if named.start < start]
    behind: list[int] = []
    after: list[int] = []
    for named in rounds:
        gap = sentence.low[end : named.start]
        # "..., in round 2 for Charlie" opens the next part.
        if named.start < end or (not _TIGHT.fullmatch(gap) and _NEXT.match(sentence.low, named.end)):
            continue
        (behind if _IMMEDIATE.fullmatch(gap) else after).append(named.number)
    return next(iter([*inside[-1:], *behind, *before[-1:], *after]), None)


def _say(pieces: list[Evidence]) -> str:
    return " ".join(dict.fromkeys(evidence.says for evidence in pieces))


def _rows(pieces: list[Evidence]) -> list[tuple[int, int, int]]:
    return list(dict.fromkeys(row for evidence in pieces for row in evidence.rows))


def _explain(sentence: _Sentence, reason: str, pieces: list[Evidence]) -> Evidence:
    """Explain why a sentence cannot be looked up, and which part can; without votes, name the messages to read."""
    is_about_votes = _is_about_votes(sentence.low)
    if is_about_votes and not sentence.game.votes:
        reason = NO_VOTES
    about = "votes" if is_about_votes else "who left the game"
    says = f"About {about}, but it cannot be looked up: {reason}."
    if pieces:
        says = f"Only a part can be looked up. {_say(pieces)} The rest cannot: {reason}."
    players = [] if is_about_votes and sentence.game.votes else sorted(players_in(sentence.low))
    number = next((named.number for named in sentence.rounds), None)
    return Evidence(says, _rows(pieces), number, players)


def _name_messages(sentence: _Sentence) -> Evidence | None:
    """Name the players and the round to read, for a reference that is not about votes."""
    players = sorted(players_in(sentence.low))
    if not players:
        return None
    number = next((named.number for named in sentence.rounds), None)
    when = f"of round {number}" if number else "of the rounds before"
    says = f"Not about a recorded vote: read the named players' messages {when}."
    return Evidence(says, [], number, players)
