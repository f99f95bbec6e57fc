"""The evaluations of a game and where they differ; if several people rate, evaluators are shown as letters."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from discussions.adjudication.core.disagreements import (
    Disagreement,
    find_disagreements,
    has_letters,
    letters,
)
from discussions.adjudication.core.effective import Judged, machine_values
from discussions.adjudication.pages import answer_word, get_kind_label
from discussions.adjudication.queries import handle_of, letters_seed, load_adjudicated_by_game
from discussions.core import judgement_kinds
from discussions.core.evaluation_states import LAPSED, SKIPPED, SUBMITTED
from discussions.core.judgement_kinds import parse_subject
from discussions.models import Evaluation, Game, Judgement, Remark
from discussions.models.slots import RATING
from discussions.queries import load_measurements
from discussions.verdicts.queries import Preview
from workspace.models import Person

MOST_DIFFERENCES = 10
JUDGED = ("evaluation_id", "kind", "subject", "value", "blind_value", "reason")


class JudgementLine:
    """One judgement in words; `before` is the blind answer if it was changed after a reveal."""

    def __init__(self, row: Any) -> None:
        self.kind, self.subject, self.reason = get_kind_label(row.kind), row.subject, row.reason
        self.message = _get_message(row.kind, row.subject)
        self.value = answer_word(row.kind, row.value)
        changed = bool(row.blind_value) and row.blind_value != row.value
        self.before = answer_word(row.kind, row.blind_value) if changed else ""

    @property
    def is_plain(self) -> bool:
        return not (self.before or self.reason)

    @property
    def about(self) -> str:
        """The kind of judgement, with the sentence where a message has several."""
        sentence = self.subject.partition(".")[2]
        return f"{self.kind} {self.subject}" if sentence and sentence != "0" else self.kind


class RemarkLine:
    def __init__(self, row: Remark) -> None:
        self.kind, self.target, self.text = row.kind, row.target.replace(":", " "), row.text
        self.is_flag, self.is_resolved = row.kind == "flag", row.resolved_at is not None
        kind, _colon, subject = row.target.partition(":")
        is_placed = kind in ("message", *judgement_kinds.SENTENCE_KINDS)
        self.message = parse_subject(subject)[0] if is_placed else 0
        self.at = row.created_at


class PersonPart:
    """One evaluation and everything judged in it, without the person where names are hidden: `name` is "" then.

    `alias` is its letter where several rate, "" before it is submitted. `evaluation` is its handle. `aside` says how
    the slot was given back: "skipped", "released" by a lead, or "ended" with its lease. `known_as`: their number.
    """

    def __init__(
        self, evaluation: Evaluation, alias: str, judgements: list[Any], remarks: list[Any], *, is_named: bool
    ) -> None:
        self.evaluation, self.alias = handle_of(evaluation.pk), alias
        self.name = evaluation.evaluator.name if is_named else ""
        self.state, self.is_in = evaluation.state, evaluation.state == SUBMITTED
        self.started_at, self.submitted_at = evaluation.created_at, evaluation.submitted_at
        self.comment = evaluation.returned_comment
        self.known_as = evaluation.shown_number or 0
        self.aside = self.aside_why = ""
        if evaluation.state == SKIPPED:
            self.aside, self.aside_why = "skipped", evaluation.skipped_reason
        elif evaluation.state == LAPSED:
            self.aside_why = evaluation.released_reason
            self.aside = "released" if self.aside_why else "ended"
        self.aside_at = evaluation.set_aside_at if self.aside else None
        self.rating = next((row.value for row in judgements if row.kind == judgement_kinds.RATING), "")
        lines = [JudgementLine(row) for row in judgements if row.kind != judgement_kinds.RATING]
        self.judgements = sorted(lines, key=lambda line: (line.kind, line.message, line.subject))
        self.remarks = [RemarkLine(row) for row in remarks]


class DifferenceLine:
    def __init__(self, disagreement: Disagreement) -> None:
        by_answer: dict[str, list[str]] = {}
        for side in disagreement.sides:
            by_answer.setdefault(answer_word(disagreement.kind, side.value), []).append(side.alias)
        self.label, self.is_tie = get_kind_label(disagreement.kind), disagreement.is_tie
        self.message = _get_message(disagreement.kind, disagreement.subject)
        self.subject = disagreement.subject.rpartition("|")[2]
        self.answers = [f"{', '.join(aliases)}: {answer}" for answer, aliases in by_answer.items()]


class PeoplePart:
    """The evaluations of one game, in order of their letters; those not submitted come last.

    With `only`, those of that person. If several rate the game, names are hidden unless `is_named`. `differences` are
    the first open disagreements, `open_count` counts all of them. Takes three queries, and one more with adjudications.
    """

    def __init__(
        self, game: Game, preview: Preview | None, *, is_named: bool = False, only: Person | None = None
    ) -> None:
        rows = Evaluation.objects.filter(game=game, purpose=RATING).order_by("pk")
        evaluations = list(rows.select_related("evaluator")) if getattr(game, "has_ratings", True) else []
        own = [row for row in evaluations if only is None or row.evaluator_id == only.pk]
        keys = [row.pk for row in own]
        answers = Judgement.objects.filter(evaluation__in=keys).exclude(value="")
        judgements = _by_evaluation(answers.values_list(*JUDGED, named=True) if keys else ())
        has_remarks = keys and getattr(game, "has_remarks", True)
        notes = Remark.objects.filter(evaluation__in=keys).order_by("pk") if has_remarks else ()
        remarks = _by_evaluation(notes)
        submitted = [row.pk for row in evaluations if row.state == SUBMITTED]
        self.is_shared, self.is_named = has_letters(len(evaluations), game.evaluator_count), is_named
        self.is_whole, self.in_count = only is None, len(submitted)
        self.needed_count, self.needed_reason = game.evaluator_count, game.needed_reason
        aliases = letters(letters_seed(game.pk), submitted) if self.is_shared else {}
        shows_names = is_named or not self.is_shared or only is not None
        people = [
            PersonPart(
                row, aliases.get(row.pk, ""), judgements[row.pk], remarks[row.pk], is_named=shows_names
            )
            for row in own
        ]
        self.people = sorted(people, key=lambda person: (not person.alias, person.alias))
        differing: list[Disagreement] = []
        if preview and only is None and len(submitted) > 1:
            differing = _find_disagreements(game, own, judgements, preview)
        waiting = [
            difference
            for difference in differing
            if difference.resolved is None and difference.can_be_adjudicated
        ]
        self.differences = [DifferenceLine(difference) for difference in waiting[:MOST_DIFFERENCES]]
        self.tie_count, self.open_count = sum(difference.is_tie for difference in differing), len(waiting)
        self.adjudicated_count = sum(difference.resolved is not None for difference in differing)


def _by_evaluation(rows: Iterable[Any]) -> dict[int, list[Any]]:
    grouped = defaultdict[int, list[Any]](list)
    for row in rows:
        grouped[row.evaluation_id].append(row)
    return grouped


def _find_disagreements(
    game: Game, evaluations: list[Evaluation], judgements: Mapping[int, list[Any]], preview: Preview
) -> list[Disagreement]:
    judged = [
        Judged(row.pk, answer.kind, answer.subject, answer.value, answer.blind_value, is_submitted=True)
        for row in evaluations
        if row.state == SUBMITTED
        for answer in judgements[row.pk]
    ]
    measured = preview.basis.measured
    machine = machine_values(load_measurements(measured.id, measured.findings_sha256))
    adjudicated = load_adjudicated_by_game([game.pk]).get(game.pk, []) if preview.basis.adjudications else []
    return find_disagreements(judged, machine, adjudicated, seed=letters_seed(game.pk))


def _get_message(kind: str, subject: str) -> int:
    return parse_subject(subject)[0] if kind in judgement_kinds.PLACED_KINDS else 0


class MessageMarks:
    """What people said at one message: answers by subject, each with all who gave it, and remarks with their authors.

    People are letters or names, none if names are hidden and there is no letter.
    """

    def __init__(self) -> None:
        self.judged: dict[str, list[tuple[JudgementLine, list[str]]]] = {}
        self.remarks: list[tuple[str, RemarkLine]] = []

    def add(self, line: JudgementLine, who: str) -> None:
        """People who gave the same answer without a reason or a change stand together, before the others."""
        authors = [who] if who else []
        answers = self.judged.setdefault(line.about, [])
        for other, others in answers:
            if line.is_plain and other.is_plain and other.value == line.value:
                others += authors
                return
        answers.append((line, authors))
        answers.sort(key=lambda answer: not answer[0].is_plain)


def collect_marks(people: Iterable[PersonPart]) -> dict[int, MessageMarks]:
    marks: dict[int, MessageMarks] = {}
    for person in people:
        who = person.name or person.alias
        for line in person.judgements:
            if line.message:
                marks.setdefault(line.message, MessageMarks()).add(line, who)
        for remark in person.remarks:
            if remark.message:
                marks.setdefault(remark.message, MessageMarks()).remarks.append((who, remark))
    return marks
