"""Open, close and waive calibration rounds of a set; set its share of hidden duplicates."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Max, Model, QuerySet
from django.utils.translation import gettext as _
from msgspec import Struct
from msgspec.structs import asdict

from rubric.calibration.core import Key, build_consensus, find_missing_mark
from rubric.calibration.permissions import check_calibrate_set
from rubric.calibration.queries import build_labels, calibrated_reviewers
from rubric.core.records import MOST_REPEATS
from rubric.models import (
    CalibrationComparison,
    CalibrationRound,
    CalibrationWaiver,
    Comparison,
    ComparisonSet,
    Response,
    Review,
    Reviewer,
)
from rubric.models.comparisons import PERSON
from rubric.models.reviews import DRAFT, RATING
from rubric.reviews.core.score_rows import collect_marks
from rubric.reviews.permissions import check_change_set
from rubric.reviews.queries import load_reviewed
from workspace.audit.actions import record_event
from workspace.core.canonical import canonical_bytes
from workspace.core.limits import LONGEST_NAME
from workspace.core.refusals import Conflict, Unacceptable
from workspace.core.text import check_length, clean_text
from workspace.models import Person

MOST_ITEMS = 20
R = TypeVar("R", bound=Model)


class SetRoundPlan(Struct, frozen=True, kw_only=True):
    """Comparisons by number, in the order in which people get them.

    `marks` are agreed marks by number of the comparison; without them, the consensus of its submitted reviews is taken.
    `notes` explain the marks, by number.
    """

    name: str
    comparisons: Sequence[int]
    is_required: bool = True
    mark_within: Decimal = Decimal(1)
    pass_percent: int = 80
    first_percent: int = 0
    marks: Mapping[int, Key] = {}
    notes: Mapping[int, str] = {}


def open_round(
    *, comparison_set: ComparisonSet, plan: SetRoundPlan, by: Person, now: datetime
) -> CalibrationRound:
    """Open a round of the set. From now on, reviews of its comparisons do not count.

    Raises NotAllowed for anybody but leads and for a closed set, Unacceptable for an impossible plan (a comparison
    without agreed marks, limits out of range), Conflict while another round is open.
    """
    check_calibrate_set(by, comparison_set)
    check_change_set(by, comparison_set)
    _check_plan(plan)
    with transaction.atomic():
        ComparisonSet.objects.select_for_update().get(pk=comparison_set.pk)
        chosen = _chosen(comparison_set, plan)
        keys = _keys(comparison_set, chosen, plan.marks)
        opened = create_round(
            rounds=CalibrationRound.objects.all(), plan=plan, by=by, now=now, set=comparison_set
        )
        CalibrationComparison.objects.bulk_create(
            CalibrationComparison(
                round=opened,
                comparison=comparison,
                place=place,
                key=canonical_bytes(keys[comparison.number]).decode(),
                note=plan.notes.get(comparison.number, "").strip(),
            )
            for place, comparison in enumerate(chosen, start=1)
        )
        detail = {
            "number": opened.number,
            "comparisons": list(plan.comparisons),
            "mark_within": str(plan.mark_within),
            "pass_percent": plan.pass_percent,
            "first_percent": plan.first_percent,
            "is_required": plan.is_required,
        }
        record_event("comparison_set:calibration_opened", comparison_set, by=by, now=now, detail=detail)
    return opened


def create_round(*, rounds: "QuerySet[R]", plan: Struct, by: Person, now: datetime, **of: Model) -> R:
    """The next round `of` a set or project: what its row and the plan share. Raises Conflict while another is open."""
    columns = {field.name for field in rounds.model._meta.fields}
    facts = {name: value for name, value in asdict(plan).items() if name in columns}
    facts["name"] = facts["name"].strip()
    last = rounds.filter(**of).aggregate(last=Max("number"))["last"] or 0
    try:
        with transaction.atomic():
            return rounds.create(**of, **facts, number=last + 1, created_at=now, created_by=by)
    except IntegrityError:
        says = _("A calibration round is open already. Close it first, then create the next.")
        raise Conflict(says, code="round_open") from None


def close_round(*, opened: CalibrationRound, by: Person, now: datetime) -> None:
    """Close the round: no more comparisons of it are given out. Started ones can still be submitted. Idempotent."""
    check_calibrate_set(by, opened.set)
    with transaction.atomic():
        if CalibrationRound.objects.filter(pk=opened.pk, closed_at=None).update(closed_at=now, closed_by=by):
            detail = {"number": opened.number}
            record_event("comparison_set:calibration_closed", opened.set, by=by, now=now, detail=detail)


def let_review(
    *, opened: CalibrationRound, reviewer: Reviewer, reason: str, by: Person, now: datetime
) -> CalibrationWaiver:
    """Let somebody review who did not pass; a second call does nothing. Raises NotAllowed, Unacceptable, Conflict."""
    check_calibrate_set(by, opened.set)
    reason = clean_text(reason, ask=_("Say why they may review without passing, in a few words."))
    if not calibrated_reviewers(opened.set).filter(pk=reviewer.pk).exists():
        says = _("This person does not review the set as an evaluator now. Reload the page to see who does.")
        raise Conflict(says, code="no_evaluator")
    with transaction.atomic():
        facts = {"reason": reason, "created_at": now, "created_by": by}
        waiver, is_new = CalibrationWaiver.objects.get_or_create(
            round=opened, reviewer=reviewer, defaults=facts
        )
        if is_new:
            detail = {"number": opened.number, "reviewer": reviewer.pk}
            record_event("comparison_set:calibration_waived", opened.set, by=by, now=now, detail=detail)
    return waiver


def change_repeats(*, comparison_set: ComparisonSet, repeat_percent: int, by: Person, now: datetime) -> None:
    """The same value changes nothing. Raises NotAllowed, Unacceptable for too many and for a set with two rounds."""
    check_calibrate_set(by, comparison_set)
    check_change_set(by, comparison_set)
    if not 0 <= repeat_percent <= MOST_REPEATS:
        says = _("At most %(most)d percent of the comparisons can be hidden duplicates.") % {
            "most": MOST_REPEATS
        }
        raise Unacceptable(says, field="repeat_percent", code="too_many")
    if repeat_percent and comparison_set.has_second_round:
        says = _("A set with two rounds has no hidden duplicates: its people see there what others gave.")
        raise Unacceptable(says, field="repeat_percent", code="two_rounds")
    with transaction.atomic():
        locked = ComparisonSet.objects.select_for_update().get(pk=comparison_set.pk)
        if locked.repeat_percent == repeat_percent:
            return
        ComparisonSet.objects.filter(pk=locked.pk).update(repeat_percent=repeat_percent)
        detail = {"repeat_percent": repeat_percent, "before": locked.repeat_percent}
        record_event("comparison_set:repeats_changed", comparison_set, by=by, now=now, detail=detail)


def _chosen(comparison_set: ComparisonSet, plan: SetRoundPlan) -> list[Comparison]:
    rows = Comparison.objects.filter(set=comparison_set, number__in=plan.comparisons)
    by_number = {row.number: row for row in rows}
    for number in plan.comparisons:
        if number not in by_number:
            says = _("This set has no comparison %(number)d. Give numbers as the set's page lists them.")
            raise Unacceptable(says % {"number": number}, field="comparisons")
    for field, numbers in (("marks", plan.marks), ("notes", plan.notes)):
        for number in numbers:
            if number not in by_number:
                says = _(
                    "Comparison %(number)d is not in the round. Add it under Comparisons, or take its line out."
                )
                raise Unacceptable(says % {"number": number}, field=field)
    return [by_number[number] for number in plan.comparisons]


def _keys(
    comparison_set: ComparisonSet, chosen: Iterable[Comparison], marks: Mapping[int, Key]
) -> dict[int, Key]:
    """The key of each comparison, by its number: the agreed marks, else the consensus."""
    labels = build_labels(comparison_set)
    responses: dict[int, list[int]] = defaultdict(list)
    rows = Response.objects.filter(comparison__in=[comparison.pk for comparison in chosen]).order_by("number")
    for number, response in rows.values_list("comparison__number", "number"):
        responses[number].append(response)
    for number, key in marks.items():
        unknown = [response for response in key if int(response) not in responses[number]]
        missing = find_missing_mark(key, responses[number], labels)
        if unknown or missing:
            says = missing or _("it has no response %(response)s") % {"response": unknown[0]}
            raise Unacceptable(
                _("Comparison %(number)d: %(says)s.") % {"number": number, "says": says}, field="marks"
            )
    return {
        comparison.number: marks.get(comparison.number) or _consensus(comparison_set, comparison)
        for comparison in chosen
    }


def _consensus(comparison_set: ComparisonSet, comparison: Comparison) -> Key:
    """The mean of each mark that two or more people gave in submitted reviews. Raises Unacceptable if there is none."""
    reviews = Review.objects.filter(comparison=comparison, reviewer__kind=PERSON, purpose=RATING)
    if reviews.filter(state=DRAFT, reviewer__ended_at=None).exists():
        says = _(
            "Comparison %(number)d has a review that is not submitted yet. Wait for it, or write the agreed marks."
        )
        raise Unacceptable(says % {"number": comparison.number}, field="comparisons", code="started")
    people = set(Reviewer.objects.filter(set=comparison_set, kind=PERSON).values_list("pk", flat=True))
    rows_by_reviewer: dict[int, list[tuple[str, dict[str, float], float | None]]] = defaultdict(list)
    for row in load_reviewed(comparison_set, comparison=comparison.number):
        if row.reviewer in people and (row.scores or row.holistic is not None):
            rows_by_reviewer[row.reviewer].append((str(row.response), row.scores, row.holistic))
    key = build_consensus(collect_marks(rows) for rows in rows_by_reviewer.values())
    if not key:
        says = _(
            "No mark of comparison %(number)d was given by two people or more, so there is no consensus. Write the "
            "agreed marks or choose another comparison."
        )
        raise Unacceptable(says % {"number": comparison.number}, field="comparisons", code="no_consensus")
    return key


def check_round(name: str, *, says: str, **items: Sequence[int]) -> None:
    """Raises Unacceptable for a round without a name, and with `says` for too few or too many items."""
    if not name.strip() or len(name) > LONGEST_NAME:
        raise Unacceptable(_("Give the round a name of at most 200 characters."), field="name")
    for field, numbers in items.items():
        if not 1 <= len(numbers) <= MOST_ITEMS or len(set(numbers)) != len(numbers):
            raise Unacceptable(says % {"most": MOST_ITEMS}, field=field)


def _check_plan(plan: SetRoundPlan) -> None:
    says = _("A round has 1 to %(most)d comparisons, each once. Five to eight are customary.")
    check_round(plan.name, comparisons=plan.comparisons, says=says)
    if not 1 <= plan.pass_percent <= 100:
        raise Unacceptable(_("A round is passed with 1 to 100 percent of the marks."), field="pass_percent")
    if not 0 <= plan.first_percent <= 100:
        raise Unacceptable(_("At most 100 percent of the comparisons can agree."), field="first_percent")
    if not 0 <= plan.mark_within <= 9:
        raise Unacceptable(_("Marks are at most 9 points apart."), field="mark_within")
    for note in plan.notes.values():
        check_length(note, field="notes")
