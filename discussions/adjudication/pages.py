"""The subjects of disagreements in words: the text with its position, the evidence, and the automatic value."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import Struct
from msgspec.structs import replace

from discussions.adjudication.core.disagreements import CAN_BE_NO, Disagreement
from discussions.adjudication.labels import answer_label
from discussions.core import judgement_kinds
from discussions.core.judgement_kinds import VALUES
from discussions.core.records import GameRecord, Measurement
from discussions.metrics.core.references.vote_record import find_named_round
from discussions.metrics.core.text import split
from discussions.metrics.labels import describe_check, list_evidence, rule_text
from discussions.models import Game, Measured
from discussions.queries import game_record, load_measured_offset, load_measurements, rubric_record
from rubric.core.records import RubricRecord
from rubric.models import RubricVersion
from workspace.core.text import shorten

MOST_BEFORE, MOST_QUOTES, LONGEST_QUOTE = 3, 6, 600

LABELS = {
    judgement_kinds.REFERENCE: gettext_lazy("Memory reference"),
    judgement_kinds.MISSED: gettext_lazy("Marked as a memory reference"),
    judgement_kinds.DELIBERATE: gettext_lazy("Deliberate mistake"),
    judgement_kinds.STRATEGIC_DEPTH: gettext_lazy("Strategic depth"),
    judgement_kinds.COHERENCE: gettext_lazy("Coherence"),
    judgement_kinds.ROLE_CONSISTENCY: gettext_lazy("Role consistency"),
    judgement_kinds.PHRASE: gettext_lazy("Repeated phrase"),
    judgement_kinds.IDENTIFY: gettext_lazy("Identified by the language"),
    judgement_kinds.IDENTIFY_DECIDES: gettext_lazy("Does the manual check decide?"),
    judgement_kinds.QUESTION: gettext_lazy("Question"),
    judgement_kinds.RATING: gettext_lazy("Rating"),
    judgement_kinds.STATEMENT: gettext_lazy("Statement"),
}


# Longer than on an evaluator's buttons, where the context is visible.
ANSWERS = {
    (judgement_kinds.MISSED, judgement_kinds.YES): gettext_lazy("a memory reference"),
    (judgement_kinds.MISSED, ""): gettext_lazy("no memory reference"),
    (judgement_kinds.DELIBERATE, judgement_kinds.YES): gettext_lazy("deliberate"),
    (judgement_kinds.DELIBERATE, ""): gettext_lazy("not deliberate"),
    (judgement_kinds.PHRASE, ""): gettext_lazy("counts as repetition"),
    (judgement_kinds.IDENTIFY_DECIDES, judgement_kinds.YES): gettext_lazy("the manual check decides"),
    (judgement_kinds.IDENTIFY_DECIDES, ""): gettext_lazy("the automatic score decides"),
}


class VoteRow(Struct, frozen=True):
    voter: str
    target: str
    is_hit: bool = False


class RoundVotes(Struct, frozen=True):
    round: int
    rows: list[VoteRow]


class Quote(Struct, frozen=True):
    message: int
    name: str
    text: str


class JudgedSubject(Struct, frozen=True):
    """A judged subject: its kind in words, its message and speaker, and the evidence.

    `spans` mark the part of `text` that was judged; `finding` and `evidence` are the automatic value and its reasons;
    `votes` are the votes of the round that a reference is about. `quotes` are the messages with the phrase, or of the
    agent; `more` counts those that are not listed. `before` are the messages just before.
    """

    label: str
    message: int = 0
    name: str = ""
    role: str = ""
    text: str = ""
    spans: list[tuple[int, int]] = []
    finding: str = ""
    evidence: list[str] = []
    votes: RoundVotes | None = None
    quotes: list[Quote] = []
    more: int = 0
    before: list[Quote] = []


class EvidenceSource(Struct, frozen=True):
    game: GameRecord
    measurements: Mapping[str, Measurement]
    rubric: RubricRecord


def load_evidence_source(game: Game, measured: Measured, version: RubricVersion) -> EvidenceSource:
    return EvidenceSource(
        game_record(game.pk, game.content_sha256, load_measured_offset(measured)),
        load_measurements(measured.pk, measured.findings_sha256),
        rubric_record(version.pk, version.sha256),
    )


def get_kind_label(kind: str) -> str:
    return str(LABELS.get(kind, kind.replace("_", " ")))


def answer_word(kind: str, value: str) -> str:
    said = ANSWERS.get((kind, value))
    return answer_label(kind, value) if said is None else str(said)


# No answer is a value, too, so a choice has a mark before it.
IS = "is:"


def group_of(disagreement: Disagreement) -> str:
    """Ties of one kind between the same answers share a question."""
    return "|".join([disagreement.kind, *sorted({side.value for side in disagreement.sides})])


def list_groups(disagreements: Sequence[Disagreement]) -> dict[str, list[Disagreement]]:
    """The open ties by group, the largest group first."""
    ties = sorted((one for one in disagreements if one.is_tie and one.is_open), key=group_of)
    found = {name: list(several) for name, several in groupby(ties, key=group_of)}
    return dict(sorted(found.items(), key=lambda row: (-len(row[1]), row[0])))


def list_values(kind: str) -> list[tuple[str, str]]:
    """Each answer as the form sends it, and in words."""
    values = [*VALUES[kind], *([""] if kind in CAN_BE_NO else [])]
    return [(IS + value, answer_word(kind, value)) for value in values]


def build_subject(source: EvidenceSource, kind: str, subject: str) -> JudgedSubject:
    build = _BUILT.get(kind)
    found = build(source, kind, subject) if build else JudgedSubject("")
    return replace(found, label=get_kind_label(kind))


def _message(source: EvidenceSource, kind: str, subject: str) -> JudgedSubject:
    """A message that one of metrics 2 to 4 judges, with the rule that decided and the words that it matched."""
    position = judgement_kinds.parse_subject(subject)[0]
    found = source.measurements[kind].messages
    finding = next((finding for finding in found if finding.message == position), None)
    said = _said(source, position)
    if finding is None:
        return said
    rule = rule_text(finding.rule)
    words = f" ({', '.join(finding.words)})" if finding.words else ""
    return replace(said, finding=f"{rule}{words}")


def _said(source: EvidenceSource, position: int) -> JudgedSubject:
    message = source.game.messages[position - 1]
    player = source.game.players[message.player - 1]
    before = _quotes(source.game, list(range(max(1, position - MOST_BEFORE), position)))
    return JudgedSubject("", position, player.name, player.role or "", message.text, before=before)


def _sentence(source: EvidenceSource, kind: str, subject: str) -> JudgedSubject:
    """A reference, or a sentence that somebody marked as one, with the votes of the round that it refers to."""
    position, number = judgement_kinds.parse_subject(subject)
    message, said = source.game.messages[position - 1], _said(source, position)
    references = source.measurements["memory_accuracy"].references
    finding = next((one for one in references if (one.message, one.sentence) == (position, number)), None)
    if finding:
        start, end = finding.start, finding.end
    else:
        start, end = split(message.text)[number - 1] if number else (0, len(message.text))
    spoken = finding.round if finding else None
    if spoken is None:
        spoken = find_named_round(message.text[start:end], message.round, source.game.round_offset)
    hits = finding.evidence.rows if finding and finding.evidence else []
    return replace(
        said,
        spans=[(start, end)],
        finding=describe_check(finding) if finding else _("not found automatically"),
        evidence=list(list_evidence(finding, source.game.players)) if finding else [],
        votes=_votes(source.game, spoken, hits),
    )


def _votes(game: GameRecord, number: int, hits: list[tuple[int, int, int]]) -> RoundVotes | None:
    names = [player.name for player in game.players]
    rows = [
        VoteRow(names[vote.voter - 1], names[vote.target - 1], (vote.round, vote.voter, vote.target) in hits)
        for vote in game.votes
        if vote.round == number
    ]
    return RoundVotes(number, rows) if rows else None


def _phrase(source: EvidenceSource, kind: str, subject: str) -> JudgedSubject:
    player, _bar, phrase = subject.partition("|")
    phrases = source.measurements["anti_repetition"].phrases
    finding = next((one for one in phrases if (one.player, one.phrase) == (int(player), phrase)), None)
    name = source.game.players[int(player) - 1].name if int(player) else _("all agents")
    places = finding.messages if finding else []
    times = _("used %(count)d times") % {"count": finding.count} if finding else ""
    return JudgedSubject(
        "",
        name=name,
        text=phrase,
        finding=times,
        quotes=_quotes(source.game, places),
        more=max(0, len(places) - MOST_QUOTES),
    )


def _agent(source: EvidenceSource, kind: str, subject: str) -> JudgedSubject:
    number = int(subject)
    player = source.game.players[number - 1]
    places = [message.position for message in source.game.messages if message.player == number]
    quotes = _quotes(source.game, places)
    return JudgedSubject(
        "", name=player.name, role=player.role or "", quotes=quotes, more=max(0, len(places) - MOST_QUOTES)
    )


def _question(source: EvidenceSource, kind: str, subject: str) -> JudgedSubject:
    return JudgedSubject("", text=source.rubric.criterion("engagement").guiding_questions[int(subject) - 1])


def _quotes(game: GameRecord, positions: list[int]) -> list[Quote]:
    said = [game.messages[position - 1] for position in positions[:MOST_QUOTES]]
    return [
        Quote(message.position, game.players[message.player - 1].name, shorten(message.text, LONGEST_QUOTE))
        for message in said
    ]


_BUILT: dict[str, Callable[[EvidenceSource, str, str], JudgedSubject]] = {
    **dict.fromkeys(judgement_kinds.MESSAGE_KINDS, _message),
    **dict.fromkeys(judgement_kinds.SENTENCE_KINDS, _sentence),
    judgement_kinds.PHRASE: _phrase,
    judgement_kinds.IDENTIFY: _agent,
    judgement_kinds.QUESTION: _question,
}
