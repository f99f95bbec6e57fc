"""The evaluations of a game and where they differ; if several people rate, evaluators are shown as letters."""

from datetime import datetime

from msgspec import Struct

from discussions.adjudication.core.disagreements import (
    Disagreement,
    find_disagreements,
    has_letters,
    letters,
)
from discussions.adjudication.core.effective import Judged, machine_values
from discussions.adjudication.pages.evidence import answer_word, get_kind_label
from discussions.adjudication.queries import handle_of, letters_seed, load_adjudicated_by_game
from discussions.core import judgement_kinds
from discussions.core.evaluation_states import LAPSED, SKIPPED, SUBMITTED
from discussions.core.judgement_kinds import parse_subject
from discussions.models import Evaluation, Game, Judgement, Remark
from discussions.models.slots import RATING
from discussions.queries import load_measurements
from discussions.verdicts.queries import Preview
from workspace.database.prepared_queries import Prepared
from workspace.models import Person

MOST_DIFFERENCES = 10


class JudgementLine(Struct, frozen=True):
    """One judgement; `before` is the blind answer if it was changed after a reveal."""

    kind: str
    subject: str
    message: int
    value: str
    before: str
    reason: str


class RemarkLine(Struct, frozen=True):
    """One flag or comment; `message` is the one it is on, 0 for the whole game."""

    kind: str
    target: str
    message: int
    text: str
    at: datetime
    is_resolved: bool

    @property
    def is_flag(self) -> bool:
        """Whether it is a flag, which asks for a lead."""
        return self.kind == "flag"


class PersonPart(Struct, frozen=True):
    """One evaluation and everything judged in it; `alias` is its letter where several rate, "" before it is submitted.

    `evaluation` is its handle. `name` is "" where names are hidden. `aside` says how the slot was given back:
    "skipped", "released" by a lead, or "ended" with its lease; `aside_why` is the reason, `aside_at` the moment.
    """

    evaluation: str
    name: str
    alias: str
    state: str
    started_at: datetime
    submitted_at: datetime | None
    rating: str
    comment: str
    aside: str
    aside_why: str
    aside_at: datetime | None
    judgements: list[JudgementLine]
    remarks: list[RemarkLine]

    @property
    def is_in(self) -> bool:
        """Whether it is submitted."""
        return self.state == SUBMITTED


class DifferenceLine(Struct, frozen=True):
    """One open disagreement: its subject, and the answer of each letter."""

    label: str
    message: int
    subject: str
    is_tie: bool
    answers: list[str]


class PeoplePart(Struct, frozen=True):
    """All evaluations of one game. `is_shared` where several rate it; then names are hidden unless `is_named`.

    `differences` are the first open disagreements, `open_count` counts all of them.
    """

    people: list[PersonPart]
    in_count: int
    needed_count: int
    needed_reason: str
    is_shared: bool
    is_named: bool
    is_whole: bool
    differences: list[DifferenceLine]
    tie_count: int
    open_count: int
    adjudicated_count: int


def people_part(
    game: Game, preview: Preview | None, *, is_named: bool = False, only: Person | None = None
) -> PeoplePart:
    """The evaluations, in three queries, and one more with adjudications; with `only`, those of that person.

    `preview` is None while the game is not measured.
    """
    found: list[Evaluation] = _EVALUATIONS.objects(game.pk)
    own = [evaluation for evaluation in found if only is None or evaluation.evaluator_id == only.pk]
    judgements, remarks = _load_judgements(own), _load_remarks(own)
    is_shared = has_letters(len(found), game.evaluator_count)
    submitted = [evaluation.pk for evaluation in found if evaluation.state == SUBMITTED]
    is_compared = only is None and len(submitted) > 1
    disagreements = (
        _find_disagreements(game, submitted, judgements, preview) if preview and is_compared else []
    )
    waiting = [
        disagreement
        for disagreement in disagreements
        if disagreement.resolved is None and disagreement.can_be_adjudicated
    ]
    return PeoplePart(
        people=_people(
            own,
            judgements,
            remarks,
            letters(letters_seed(game.pk), submitted) if is_shared else {},
            is_named=is_named or not is_shared or only is not None,
        ),
        in_count=len(submitted),
        needed_count=game.evaluator_count,
        needed_reason=game.needed_reason,
        is_shared=is_shared,
        is_named=is_named,
        is_whole=only is None,
        differences=[_difference(disagreement) for disagreement in waiting[:MOST_DIFFERENCES]],
        tie_count=sum(disagreement.is_tie for disagreement in disagreements),
        open_count=len(waiting),
        adjudicated_count=sum(disagreement.resolved is not None for disagreement in disagreements),
    )


_EVALUATIONS = Prepared(
    lambda game: (
        Evaluation.objects.filter(game=game, purpose=RATING).select_related("evaluator").order_by("pk")
    ),
    int,
)
_JUDGEMENTS = Prepared(
    lambda evaluations: Judgement.objects.filter(evaluation__in=evaluations).exclude(value=""), list
)
_REMARKS = Prepared(
    lambda evaluations: Remark.objects.filter(evaluation__in=evaluations).order_by("pk"), list
)


def _load_judgements(evaluations: list[Evaluation]) -> dict[int, list[Judgement]]:
    found: dict[int, list[Judgement]] = {}
    for row in _JUDGEMENTS.objects([evaluation.pk for evaluation in evaluations]):
        found.setdefault(row.evaluation_id, []).append(row)
    return found


def _load_remarks(evaluations: list[Evaluation]) -> dict[int, list[Remark]]:
    found: dict[int, list[Remark]] = {}
    for remark in _REMARKS.objects([evaluation.pk for evaluation in evaluations]):
        found.setdefault(remark.evaluation_id, []).append(remark)
    return found


def _people(
    evaluations: list[Evaluation],
    judgements: dict[int, list[Judgement]],
    remarks: dict[int, list[Remark]],
    aliases: dict[int, str],
    *,
    is_named: bool,
) -> list[PersonPart]:
    """The evaluations in order of their letters; those not submitted come last."""
    parts = [
        _part(
            evaluation,
            judgements.get(evaluation.pk, []),
            remarks.get(evaluation.pk, []),
            aliases,
            is_named=is_named,
        )
        for evaluation in evaluations
    ]
    return sorted(parts, key=lambda part: (not part.alias, part.alias))


def _find_disagreements(
    game: Game, submitted: list[int], judgements: dict[int, list[Judgement]], preview: Preview
) -> list[Disagreement]:
    judged = [
        Judged(key, row.kind, row.subject, row.value, row.blind_value, is_submitted=True)
        for key in submitted
        for row in judgements.get(key, [])
    ]
    measured = preview.basis.measured
    machine = machine_values(load_measurements(measured.id, measured.findings_sha256))
    adjudicated = load_adjudicated_by_game([game.pk]).get(game.pk, []) if preview.basis.adjudications else []
    return find_disagreements(judged, machine, adjudicated, seed=letters_seed(game.pk))


def _difference(disagreement: Disagreement) -> DifferenceLine:
    by_answer: dict[str, list[str]] = {}
    for side in disagreement.sides:
        by_answer.setdefault(answer_word(disagreement.kind, side.value), []).append(side.alias)
    return DifferenceLine(
        label=get_kind_label(disagreement.kind),
        message=_get_message(disagreement.kind, disagreement.subject),
        subject=disagreement.subject.rpartition("|")[2],
        is_tie=disagreement.is_tie,
        answers=[f"{', '.join(aliases)}: {answer}" for answer, aliases in by_answer.items()],
    )


def _part(
    evaluation: Evaluation,
    judgements: list[Judgement],
    remarks: list[Remark],
    aliases: dict[int, str],
    *,
    is_named: bool,
) -> PersonPart:
    rating = [row.value for row in judgements if row.kind == judgement_kinds.RATING]
    lines = [_line(row) for row in judgements if row.kind != judgement_kinds.RATING]
    aside, why = _set_aside(evaluation)
    return PersonPart(
        evaluation=handle_of(evaluation.pk),
        name=evaluation.evaluator.name if is_named else "",
        alias=aliases.get(evaluation.pk, ""),
        state=evaluation.state,
        started_at=evaluation.created_at,
        submitted_at=evaluation.submitted_at,
        rating=rating[0] if rating else "",
        comment=evaluation.returned_comment,
        aside=aside,
        aside_why=why,
        aside_at=evaluation.set_aside_at if aside else None,
        judgements=sorted(lines, key=lambda line: (line.kind, line.message, line.subject)),
        remarks=[
            RemarkLine(
                kind=row.kind,
                target=row.target.replace(":", " "),
                message=_get_target_message(row.target),
                text=row.text,
                at=row.created_at,
                is_resolved=row.resolved_at is not None,
            )
            for row in remarks
        ],
    )


def _set_aside(evaluation: Evaluation) -> tuple[str, str]:
    """How the slot of an evaluation was given back, and the reason; "" twice if it was not."""
    if evaluation.state == SKIPPED:
        return "skipped", evaluation.skipped_reason
    if evaluation.state == LAPSED:
        return ("released", evaluation.released_reason) if evaluation.released_reason else ("ended", "")
    return "", ""


def _line(row: Judgement) -> JudgementLine:
    changed = bool(row.blind_value) and row.blind_value != row.value
    return JudgementLine(
        kind=get_kind_label(row.kind),
        subject=row.subject,
        message=_get_message(row.kind, row.subject),
        value=answer_word(row.kind, row.value),
        before=answer_word(row.kind, row.blind_value) if changed else "",
        reason=row.reason,
    )


def _get_target_message(target: str) -> int:
    """The message that a remark is on, "message:19" or "reference:19.2"; 0 for another target."""
    kind, _colon, subject = target.partition(":")
    return parse_subject(subject)[0] if kind in ("message", *judgement_kinds.SENTENCE_KINDS) else 0


def _get_message(kind: str, subject: str) -> int:
    """The message that a judgement is about, 0 for another subject."""
    is_placed = kind in judgement_kinds.MESSAGE_KINDS or kind in judgement_kinds.SENTENCE_KINDS
    return parse_subject(subject)[0] if is_placed else 0
