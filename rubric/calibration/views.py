"""Leads open, view and close the calibration rounds of a set, and set the share of hidden duplicates."""

from collections import Counter
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from rubric.calibration import actions
from rubric.calibration.forms import HiddenDuplicatesForm, RoundForm, WaiverForm
from rubric.calibration.permissions import check_calibrate_set
from rubric.calibration.queries import (
    ReviewerProgress,
    build_labels,
    list_offered,
    load_agreed_marks,
    load_people,
    load_rounds,
)
from rubric.models import CalibrationRound, ComparisonSet, Reviewer
from rubric.reviews.pages import CALIBRATIONS, SetFrame
from rubric.reviews.views import SECTION, set_or_404
from workspace.core.refusals import NotAllowed, Refusal, Unacceptable
from workspace.display.core.number_lists import format_numbers
from workspace.web.bind_form import bind_form, kept_status, only_parameters
from workspace.web.forms import NothingForm
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import respond

MOST_MISSED = 20


@require("calibrate_set", methods=("GET", "POST"))
def set_calibrations(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Show all rounds of the set, and the form that opens one; redirects to the new round."""
    only_parameters(request)
    found = set_or_404(request.user, slug, number, check_calibrate_set)
    asked = _list_asked(found)
    form, status = RoundForm(**asked), 200
    if request.method == "POST":
        form, status = bind_form(request, RoundForm, **asked), 422
        try:
            if form.is_valid():
                opened = actions.open_round(
                    comparison_set=found, plan=form.to_plan(), by=request.user, now=timezone.now()
                )
                return respond(request, page="", redirect=_address(found, opened.number))
        except Refusal as refusal:
            status = kept_status(form, refusal)
    return _show_list(request, found, form=form, status=status)


@require("calibrate_set")
def set_calibration(request: SignedIn, slug: str, number: int, calibration: int) -> HttpResponse:
    """Show one round, with everybody's progress."""
    only_parameters(request)
    found = set_or_404(request.user, slug, number, check_calibrate_set)
    return _show(request, round_or_404(found, calibration))


@require("calibrate_set", methods=("POST",))
def close_set_calibration(request: SignedIn, slug: str, number: int, calibration: int) -> HttpResponse:
    found = set_or_404(request.user, slug, number, check_calibrate_set)
    opened = round_or_404(found, calibration)
    bind_form(request, NothingForm)
    actions.close_round(opened=opened, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=_address(found, calibration))


@require("calibrate_set", methods=("POST",))
def let_review(request: SignedIn, slug: str, number: int, calibration: int, reviewer: int) -> HttpResponse:
    """Let somebody who did not pass review."""
    found = set_or_404(request.user, slug, number, check_calibrate_set)
    opened = round_or_404(found, calibration)
    who = get_object_or_404(Reviewer, set=found, pk=reviewer)
    form = bind_form(request, WaiverForm)
    reason = form.cleaned_data["reason"] if form.is_valid() else ""
    try:
        actions.let_review(opened=opened, reviewer=who, reason=reason, by=request.user, now=timezone.now())
    except (Unacceptable, NotAllowed) as refusal:
        status = kept_status(form, refusal)
        return _show(request, opened, waiving=form, waived=who.pk, status=status)
    return respond(request, page="", redirect=f"{_address(found, calibration)}#people")


@require("calibrate_set", methods=("POST",))
def change_repeats(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Set the share of hidden duplicates in the set."""
    found = set_or_404(request.user, slug, number, check_calibrate_set)
    form, status = bind_form(request, HiddenDuplicatesForm), 422
    try:
        if form.is_valid():
            actions.change_repeats(
                comparison_set=found, **form.cleaned_data, by=request.user, now=timezone.now()
            )
            return respond(request, page="", redirect=reverse("set_calibrations", args=[slug, number]))
    except Refusal as refusal:
        status = kept_status(form, refusal)
    return _show_list(request, found, repeats=form, status=status)


def round_or_404(comparison_set: ComparisonSet, number: int) -> CalibrationRound:
    """The set's round with that number, or 404."""
    rows = CalibrationRound.objects.select_related("created_by")
    found = get_object_or_404(rows, set=comparison_set, number=number)
    found.set = comparison_set
    return found


def _list_asked(comparison_set: ComparisonSet) -> dict[str, Any]:
    """What a key can hold: the labels of the marks, and the scales of criteria that have their own."""
    scales = comparison_set.rubric_version.to_record().scales
    return {"labels": build_labels(comparison_set), "scales": scales}


def _show_list(
    request: SignedIn,
    comparison_set: ComparisonSet,
    *,
    form: RoundForm | None = None,
    repeats: HiddenDuplicatesForm | None = None,
    status: int = 200,
) -> HttpResponse:
    rounds, offered = load_rounds(comparison_set), list_offered(comparison_set)
    initial = {"repeat_percent": comparison_set.repeat_percent}
    context = {
        "head": SetFrame(comparison_set, CALIBRATIONS, request.user),
        "rounds": rounds,
        "is_open": any(row.closed_at is None for row in rounds),
        "offered": format_numbers(offered, "comparison") if offered else "",
        "marks": build_labels(comparison_set),
        "form": form or RoundForm(**_list_asked(comparison_set)),
        "repeats": repeats or HiddenDuplicatesForm(initial=initial),
        **frame(request.user, comparison_set.project, SECTION),
    }
    return respond(request, page="rubric/calibration/list.html", context=context, status=status)


def _show(
    request: SignedIn,
    opened: CalibrationRound,
    *,
    waiving: WaiverForm | None = None,
    waived: int = 0,
    status: int = 200,
) -> HttpResponse:
    comparisons, people = load_agreed_marks(opened), load_people(opened)
    numbers = {row.comparison_id: row.comparison.number for row, _marks in comparisons}
    context = {
        "head": SetFrame(opened.set, CALIBRATIONS, request.user),
        "round": opened,
        "comparisons": comparisons,
        "people": people,
        "missed": _list_missed(
            [progress for _reviewer, progress in people], numbers, build_labels(opened.set)
        ),
        "waiving": waiving,
        "waived": waived,
        **frame(request.user, opened.set.project, SECTION),
    }
    return respond(request, page="rubric/calibration/show.html", context=context, status=status)


def _list_missed(
    people: list[ReviewerProgress], numbers: dict[int, int], labels: dict[str, str]
) -> list[dict[str, Any]]:
    """Marks for which at least two people differ from the key, the most frequent first: perhaps the key is wrong."""
    taken = Counter[int]()
    missed = Counter[tuple[int, str, str]]()
    for comparison, compared in (item for person in people for item in person.compared.items()):
        taken[comparison] += 1
        missed.update((comparison, pair.response, pair.key) for pair in compared.differences)
    lines = [
        (-count, numbers[comparison], int(response), labels[key], taken[comparison])
        for (comparison, response, key), count in missed.items()
        if count > 1
    ]
    return [
        {"number": number, "response": response, "label": label, "people": -count, "of_people": of_people}
        for count, number, response, label, of_people in sorted(lines)[:MOST_MISSED]
    ]


def _address(comparison_set: ComparisonSet, number: int) -> str:
    return reverse("set_calibration", args=[comparison_set.project.slug, comparison_set.number, number])
