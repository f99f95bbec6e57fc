"""Calibration rounds and hidden duplicates of comparison sets, for programs of leads."""

from collections.abc import Iterable
from decimal import Decimal

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from pydantic import Field

from rubric.calibration import actions, queries
from rubric.calibration.actions import SetRoundPlan
from rubric.calibration.core import parse_agreed_marks
from rubric.calibration.permissions import check_calibrate_set
from rubric.calibration.views import round_or_404
from rubric.core.records import MOST_REPEATS
from rubric.models import CalibrationComparison, CalibrationRound, ComparisonSet, Reviewer
from rubric.reviews.views import set_or_404
from workspace.core.limits import LONGEST_REASON
from workspace.core.refusals import Unacceptable
from workspace.web.endpoints import Answer, Given, Listed, Number, Operations
from workspace.web.views import SignedIn

router = Operations()
SET = "/projects/{slug:slug}/comparison-sets/{int:number}/"
PATH = SET + "calibrations/"
ONE = PATH + "{int:calibration}/"


class SetRoundAnswer(
    Answer,
    of=CalibrationRound,
    fields="number name is_required mark_within pass_percent first_percent comparison_count:item_count created_at "
    "closed_at",
):
    """A calibration round of a set; it is open while `closed_at` is null.

    It is passed with `pass_percent` of a hundred marks at most `mark_within` from the agreed ones, and the agreed
    response first in `first_percent` of a hundred comparisons.
    """

    comparison_count: int


class SetRoundsAnswer(Listed[SetRoundAnswer]):
    """The rounds of a set, and how many of a hundred comparisons that a person gets are hidden duplicates."""

    repeat_percent: int


class AgreedMarksAnswer(
    Answer,
    of=tuple[CalibrationComparison, list[tuple[str, str]]],
    fields="comparison:0.comparison.number note:0.note responses:1",
):
    """A comparison of a round with its note, and the agreed marks of each response in words."""

    responses: list[tuple[str, str]]


class CalibratedAnswer(
    Answer,
    of=tuple[Reviewer, queries.ReviewerProgress],
    fields="reviewer:0.pk name:0.name done:1.result.done asked:1.result.asked alike:1.result.alike "
    "count:1.result.count first_alike:1.result.first_alike first_count:1.result.first_count passes:1.result.passes "
    "waiver:1.waiver",
):
    """How a reviewer does: `alike` of `count` marks near enough, in `done` of `asked` comparisons; `passes` is null
    while comparisons are missing. `waiver` is why a lead lets them review without passing.
    """


class SingleSetRoundAnswer(SetRoundAnswer):
    """One round with its comparisons, and everybody who takes part."""

    comparisons: list[AgreedMarksAnswer]
    people: list[CalibratedAnswer]


class ReasonGiven(Given):
    """What explains the agreed marks of a comparison."""

    comparison: Number
    note: str = Field(max_length=5000)


class SetRoundGiven(Given):
    """A new round: numbers of comparisons in the order in which they come, and its rule.

    `marks` are agreed marks, one line for each response, such as “3.1: 8” or “3.1: accuracy 9, clarity 7”; a comparison
    without lines gets the mean of its submitted reviews by people.
    """

    name: str = Field(max_length=200)
    comparisons: list[Number] = Field(max_length=100)
    is_required: bool = True
    mark_within: float = Field(default=1, ge=0, le=9)
    pass_percent: int = Field(default=80, ge=1, le=100)
    first_percent: int = Field(default=0, ge=0, le=100)
    marks: str = Field(default="", max_length=40_000)
    notes: list[ReasonGiven] = Field(default=[], max_length=100)


class SetWaiverGiven(Given):
    """Why somebody may review without passing."""

    reason: str = Field(max_length=LONGEST_REASON)


class RepeatsGiven(Given):
    """How many of a hundred comparisons that a person gets are hidden duplicates; 0 for none."""

    repeat_percent: int = Field(ge=0, le=MOST_REPEATS)


@router.get(PATH, "api_set_calibrations", "calibrate_set")
def list_rounds(request: SignedIn, slug: str, number: int) -> SetRoundsAnswer:
    """List the calibration rounds of a comparison set, the newest first."""
    return _list(_led_set(request, slug, number))


@router.post(PATH, "api_set_calibrations", "calibrate_set", "admin", status=201)
def open_round(request: SignedIn, slug: str, number: int, given: SetRoundGiven) -> SingleSetRoundAnswer:
    """Open a calibration round of a comparison set. From then on its comparisons are reviewed for calibration alone."""
    comparison_set = _led_set(request, slug, number)
    made = actions.open_round(
        comparison_set=comparison_set, plan=_plan(comparison_set, given), by=request.user, now=timezone.now()
    )
    return _single(comparison_set, made.number)


@router.get(ONE, "api_set_calibration", "calibrate_set")
def show_round(request: SignedIn, slug: str, number: int, calibration: int) -> SingleSetRoundAnswer:
    """Read a calibration round of a comparison set, and how everybody does in it."""
    return _single(_led_set(request, slug, number), calibration)


@router.post(ONE + "close/", "api_set_calibration_close", "calibrate_set", "admin")
def close(request: SignedIn, slug: str, number: int, calibration: int) -> SingleSetRoundAnswer:
    """Close a calibration round of a comparison set. Started reviews can still be submitted."""
    comparison_set = _led_set(request, slug, number)
    opened = round_or_404(comparison_set, calibration)
    actions.close_round(opened=opened, by=request.user, now=timezone.now())
    return _single(comparison_set, calibration)


@router.post(ONE + "reviewers/{int:reviewer}/let-review/", "api_let_review", "calibrate_set", "admin")
def let_review(
    request: SignedIn, slug: str, number: int, calibration: int, reviewer: int, given: SetWaiverGiven
) -> SingleSetRoundAnswer:
    """Let a reviewer review who did not pass a round."""
    comparison_set = _led_set(request, slug, number)
    opened = round_or_404(comparison_set, calibration)
    who = get_object_or_404(Reviewer, set=comparison_set, pk=reviewer)
    now = timezone.now()
    actions.let_review(opened=opened, reviewer=who, reason=given.reason, by=request.user, now=now)
    return _single(comparison_set, calibration)


@router.post(SET + "repeats/", "api_set_repeats", "calibrate_set", "admin")
def change_repeats(request: SignedIn, slug: str, number: int, given: RepeatsGiven) -> SetRoundsAnswer:
    """Set how many of the comparisons that a person gets come again as hidden duplicates."""
    comparison_set = _led_set(request, slug, number)
    percent, now = given.repeat_percent, timezone.now()
    actions.change_repeats(comparison_set=comparison_set, repeat_percent=percent, by=request.user, now=now)
    return _list(_led_set(request, slug, number))


def collect_notes(given: Iterable[tuple[int, str]]) -> dict[int, str]:
    """Number -> note. Raises Unacceptable for two notes on one number, since one would be lost."""
    notes: dict[int, str] = {}
    for number, note in given:
        if number in notes:
            says = _("There are two notes on %(number)d. Write one of both.")
            raise Unacceptable(says % {"number": number}, field="notes")
        notes[number] = note
    return notes


def _led_set(request: SignedIn, slug: str, number: int) -> ComparisonSet:
    return set_or_404(request.user, slug, number, check_calibrate_set)


def _plan(comparison_set: ComparisonSet, given: SetRoundGiven) -> SetRoundPlan:
    scales = comparison_set.rubric_version.to_record().scales
    try:
        marks = parse_agreed_marks(given.marks, queries.build_labels(comparison_set), scales)
    except ValueError as fault:
        raise Unacceptable(str(fault), field="marks") from None
    values = given.model_dump(exclude={"marks", "notes", "mark_within"})
    notes = collect_notes((one.comparison, one.note) for one in given.notes)
    return SetRoundPlan(**values, mark_within=Decimal(str(given.mark_within)), marks=marks, notes=notes)


def _list(comparison_set: ComparisonSet) -> SetRoundsAnswer:
    return SetRoundsAnswer(
        items=[SetRoundAnswer.read(row) for row in queries.load_rounds(comparison_set)],
        repeat_percent=comparison_set.repeat_percent,
    )


def _single(comparison_set: ComparisonSet, number: int) -> SingleSetRoundAnswer:
    opened = round_or_404(comparison_set, number)
    comparisons = queries.load_agreed_marks(opened)
    return SingleSetRoundAnswer.read(
        opened, comparison_count=len(comparisons), comparisons=comparisons, people=queries.load_people(opened)
    )
