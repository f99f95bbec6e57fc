"""Leads open, view and close the calibration rounds of a set, and set the share of hidden duplicates."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone

from rubric.calibration import actions, queries
from rubric.calibration.core import list_missed
from rubric.calibration.forms import HiddenDuplicatesForm, SetRoundForm, WaiverForm
from rubric.calibration.permissions import check_calibrate_set
from rubric.models import CalibrationRound, ComparisonSet, Reviewer
from rubric.reviews.pages import CALIBRATIONS, SetFrame
from rubric.reviews.views import SECTION, set_or_404
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.display.core.number_lists import format_numbers
from workspace.models import Person
from workspace.web.bind_form import bind_form, kept_status
from workspace.web.form_page import form_page, press, send
from workspace.web.views import SignedIn, frame, require, respond


@require("calibrate_set", methods=("GET", "POST"))
def set_calibrations(request: SignedIn, slug: str, number: int) -> HttpResponse:
    comparison_set = set_or_404(request.user, slug, number, check_calibrate_set)

    def open_round(form: SetRoundForm) -> str:
        plan = actions.SetRoundPlan(**form.cleaned_data)
        opened = actions.open_round(
            comparison_set=comparison_set, plan=plan, by=request.user, now=timezone.now()
        )
        return _address(comparison_set, opened.number)

    return form_page(
        request,
        SetRoundForm,
        open_round,
        page="rubric/calibration/list.html",
        context=lambda: _list_context(request.user, comparison_set),
        refuse=kept_status,
        **_list_asked(comparison_set),
    )


@require("calibrate_set")
def set_calibration(request: SignedIn, slug: str, number: int, calibration: int) -> HttpResponse:
    comparison_set = set_or_404(request.user, slug, number, check_calibrate_set)
    return _show(request, round_or_404(comparison_set, calibration))


@require("calibrate_set", methods=("POST",))
def close_set_calibration(request: SignedIn, slug: str, number: int, calibration: int) -> HttpResponse:
    comparison_set = set_or_404(request.user, slug, number, check_calibrate_set)
    opened = round_or_404(comparison_set, calibration)
    return press(request, actions.close_round, _address(comparison_set, calibration), opened=opened)


@require("calibrate_set", methods=("POST",))
def let_review(request: SignedIn, slug: str, number: int, calibration: int, reviewer: int) -> HttpResponse:
    comparison_set = set_or_404(request.user, slug, number, check_calibrate_set)
    opened = round_or_404(comparison_set, calibration)
    who = get_object_or_404(Reviewer, set=comparison_set, pk=reviewer)
    let = partial(actions.let_review, opened=opened, reviewer=who)
    return waive(
        request, let, partial(_show, request, opened, waived=who.pk), _address(comparison_set, calibration)
    )


def waive(
    request: SignedIn, let: Callable[..., object], show: Callable[..., HttpResponse], address: str
) -> HttpResponse:
    """Let somebody go on who did not pass, or show the round again with the reason and its fault."""
    form = bind_form(request, WaiverForm)
    reason = form.cleaned_data["reason"] if form.is_valid() else ""
    try:
        let(reason=reason, by=request.user, now=timezone.now())
    except (Unacceptable, NotAllowed) as refusal:
        status = kept_status(form, refusal)
        return show(waiving=form, status=status)
    return respond(request, page="", redirect=f"{address}#people")


@require("calibrate_set", methods=("POST",))
def change_repeats(request: SignedIn, slug: str, number: int) -> HttpResponse:
    comparison_set = set_or_404(request.user, slug, number, check_calibrate_set)
    form, to = bind_form(request, HiddenDuplicatesForm), reverse("set_calibrations", args=[slug, number])

    def show(status: int) -> HttpResponse:
        opening = SetRoundForm(**_list_asked(comparison_set))
        context = {**_list_context(request.user, comparison_set), "form": opening, "repeats": form}
        return respond(request, page="rubric/calibration/list.html", context=context, status=status)

    act = partial(actions.change_repeats, comparison_set=comparison_set)
    return send(request, form, act, to, show=show, refuse=kept_status)


def round_or_404(comparison_set: ComparisonSet, number: int) -> CalibrationRound:
    rows = CalibrationRound.objects.select_related("created_by")
    opened = get_object_or_404(rows, set=comparison_set, number=number)
    opened.set = comparison_set
    return opened


def _list_asked(comparison_set: ComparisonSet) -> dict[str, Any]:
    scales = comparison_set.rubric_version.to_record().scales
    return {"labels": queries.build_labels(comparison_set), "scales": scales}


def _list_context(person: Person, comparison_set: ComparisonSet) -> dict[str, Any]:
    rounds, offered = queries.load_rounds(comparison_set), queries.list_offered(comparison_set)
    return {
        "head": SetFrame(comparison_set, CALIBRATIONS, person),
        "rounds": rounds,
        "is_open": any(row.closed_at is None for row in rounds),
        "offered": format_numbers(offered, "comparison") if offered else "",
        "marks": queries.build_labels(comparison_set),
        "repeats": HiddenDuplicatesForm(initial={"repeat_percent": comparison_set.repeat_percent}),
        **frame(person, comparison_set.project, SECTION),
    }


def _show(
    request: SignedIn,
    opened: CalibrationRound,
    *,
    waiving: WaiverForm | None = None,
    waived: int = 0,
    status: int = 200,
) -> HttpResponse:
    comparisons, people = queries.load_agreed_marks(opened), queries.load_people(opened)
    numbers = {row.comparison_id: row.comparison.number for row, _marks in comparisons}
    labels = queries.build_labels(opened.set)
    missed = list_missed(
        [progress.compared for _reviewer, progress in people],
        lambda item, pair: (numbers[item], int(pair.response), labels[pair.key], pair.key),
    )
    context = {
        "head": SetFrame(opened.set, CALIBRATIONS, request.user),
        "round": opened,
        "comparisons": comparisons,
        "people": people,
        "missed": missed,
        "waiving": waiving,
        "waived": waived,
        **frame(request.user, opened.set.project, SECTION),
    }
    return respond(request, page="rubric/calibration/show.html", context=context, status=status)


def _address(comparison_set: ComparisonSet, number: int) -> str:
    return reverse("set_calibration", args=[comparison_set.project.slug, comparison_set.number, number])
