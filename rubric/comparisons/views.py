"""The pages on which leads open, fill and close comparison sets, by hand or from a file, and add reviewers."""

from functools import partial
from typing import Any

from django.forms import BaseForm
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from rubric.comparisons import actions, queries
from rubric.comparisons.actions import ImportSummary, add_comparisons, import_lines
from rubric.comparisons.core.lines import Lines, comparison_faults, read_comparison_lines
from rubric.comparisons.forms import (
    ClosingForm,
    ComparisonForm,
    LinesForm,
    ModelReviewerForm,
    OutsideReviewerForm,
    PersonReviewerForm,
    PlacesForm,
    SetForm,
)
from rubric.core.records import UPLOAD_BYTES, UPLOAD_LINES
from rubric.models import ComparisonSet, Reviewer, RubricVersion
from rubric.models.comparisons import ELSEWHERE, MODEL, PERSON, default_mode
from rubric.reviews.pages import COMPARISONS, MODE_NAMES, SetFrame
from rubric.reviews.permissions import check_change_set, check_open_set, check_see_set
from rubric.reviews.queries import load_calibrated
from rubric.reviews.views import SECTION, set_or_404
from workspace.access.permissions import get_refusal, may
from workspace.core.refusals import Conflict, Malformed, NotAllowed, Refusal, Unacceptable
from workspace.models import Person
from workspace.web.bind_form import add_refusal, bind_form, parse_number, project_or_404
from workspace.web.form_page import form_page, press, send
from workspace.web.views import SignedIn, frame, only_parameters, require, respond

KIND_NAMES = {
    PERSON: gettext_lazy("person"),
    MODEL: gettext_lazy("model"),
    ELSEWHERE: gettext_lazy("external"),
}
PLACES = "places"  # the name of the form that says how many people each comparison needs


@require("sign_in")
def comparison_sets(request: SignedIn, slug: str) -> HttpResponse:
    """List the sets of a project: all of them for leads, for others those in which they review."""
    project = project_or_404(request.user, slug)
    lines = queries.list_set_lines(project, request.user)
    context = {
        "lines": lines,
        "modes": MODE_NAMES,
        "reviews_any": any(line.own_count is not None for line in lines),
        **frame(request.user, project, SECTION),
    }
    return respond(request, page="rubric/comparisons/list.html", context=context)


@require("open_set", methods=("GET", "POST"))
def open_set(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_open_set)
    versions = {str(version.pk): version for version in RubricVersion.objects.newest_of_each("response")}
    choices = [(key, str(version)) for key, version in versions.items()]

    def open_(form: SetForm) -> str:
        chosen = form.cleaned_data | {"version": versions[form.cleaned_data["version"]]}
        return _address(actions.open_set(project=project, **chosen, by=request.user, now=timezone.now()))

    page: dict[str, Any] = {
        "page": "rubric/comparisons/open.html",
        "context": partial(frame, request.user, project, SECTION),
    }
    return form_page(request, SetForm, open_, **page, initial={"mode": default_mode()}, versions=choices)


@require("see_set")
def comparison_set(request: SignedIn, slug: str, number: int) -> HttpResponse:
    given = only_parameters(request, "from", "comparisons", "reviews", "known")
    found = set_or_404(request.user, slug, number, check_see_set)
    brought = [parse_number(given[name]) for name in ("comparisons", "reviews", "known")]
    return show_set(request, found, start=parse_number(given["from"]) or 1, brought=brought)


@require("change_set", methods=("POST",))
def add_reviewer(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Let a person, a model or an external reviewer review; `kind` says which form was sent."""
    found = set_or_404(request.user, slug, number, check_change_set)
    form = _bound(request, found)

    def add(**given: Any) -> None:
        if "person" in given:
            given["person"] = Person.objects.filter(pk=given["person"]).first()
        actions.add_reviewer(comparison_set=found, **given)

    return send(request, form, add, _address(found), show=partial(show_set, request, found, form=form))


@require("change_set", methods=("POST",))
def end_reviewer(request: SignedIn, slug: str, number: int, reviewer: int) -> HttpResponse:
    found = set_or_404(request.user, slug, number, check_change_set)
    row = get_object_or_404(Reviewer.objects.select_related("set__project"), pk=reviewer, set=found)
    return press(request, actions.end_reviewer, _address(found), reviewer=row)


@require("change_set", methods=("POST",))
def change_people_needed(request: SignedIn, slug: str, number: int) -> HttpResponse:
    found = set_or_404(request.user, slug, number, check_change_set)
    form = bind_form(request, PlacesForm, auto_id=f"{PLACES}_%s")
    show, act = partial(show_set, request, found, form=form), actions.change_people_needed
    return send(request, form, act, _address(found), show=show, comparison_set=found)


@require("open_set", methods=("POST",))
def close_set(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Close the set: it takes no more reviews, and its reviewers see the results.

    If more reviews are under way than the page said, it is shown again with their number.
    """
    found = set_or_404(request.user, slug, number)
    check_open_set(request.user, found.project)
    form = bind_form(request, ClosingForm)
    told = form.cleaned_data["under_way"] if form.is_valid() else None
    _comparisons, under_way = queries.count_comparisons(found)
    if found.closed_at is None and told is not None and told < under_way:
        return show_set(request, found, is_closing=True, status=409)
    actions.close_set(comparison_set=found, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=_address(found))


@require("open_set", methods=("POST",))
def reopen_set(request: SignedIn, slug: str, number: int) -> HttpResponse:
    found = set_or_404(request.user, slug, number)
    check_open_set(request.user, found.project)
    return press(request, actions.reopen_set, _address(found), comparison_set=found)


def show_set(
    request: SignedIn,
    comparison_set: ComparisonSet,
    *,
    start: int = 1,
    brought: list[int] | None = None,
    form: BaseForm | None = None,
    is_closing: bool = False,
    status: int = 200,
) -> HttpResponse:
    """Show the set's page; `form` is the submitted form for reviewers or places that has faults.

    With `is_closing`, closing it was refused because reviews are under way.
    """
    count, under_way = queries.count_comparisons(comparison_set)
    people = queries.candidates(comparison_set)
    context: dict[str, Any] = {
        **_list_page(comparison_set, start, count),
        **_list_reviewers(comparison_set, count),
        **_frame(request, comparison_set),
        "forms": _reviewer_forms(comparison_set, people, form),
        "candidates": people,
        "change_refusal": get_refusal(check_change_set, request.user, comparison_set)
        if comparison_set.closed_at
        else "",
        "under_way": under_way,
        "brought": brought,
        "is_closing": is_closing,
    }
    return respond(request, page="rubric/comparisons/show.html", context=context, status=status)


def _list_reviewers(comparison_set: ComparisonSet, count: int) -> dict[str, Any]:
    """The reviewers, and the places that they take; `count` counts comparisons, `calibrated` are for calibration."""
    calibrated = load_calibrated([comparison_set])
    reviewers, more = queries.list_reviewers(comparison_set, count, calibrated)
    return {
        "reviewers": reviewers,
        "more_reviewers": more,
        "kinds": KIND_NAMES,
        "people_needed": comparison_set.people_needed,
        "places": queries.count_places(comparison_set, calibrated),
        "calibrated": calibrated,
    }


def _list_page(comparison_set: ComparisonSet, start: int, count: int) -> dict[str, Any]:
    """The comparisons from `start` on, and the query strings of the pages before and after, "" without one."""
    lines = queries.list_comparisons(comparison_set, start)
    last = lines[-1][0].number if lines else 0
    says = _("%(first)s to %(last)s of %(count)s") % {"first": start, "last": last, "count": count}
    return {
        "lines": lines,
        "comparison_count": count,
        "previous": f"?from={max(1, start - queries.COMPARISONS_A_PAGE)}" if start > 1 else "",
        "next": f"?from={last + 1}" if lines and last < count else "",
        "says": says if count > queries.COMPARISONS_A_PAGE else "",
    }


def _reviewer_forms(
    comparison_set: ComparisonSet, people: list[tuple[int, str]], form: BaseForm | None
) -> dict[str, BaseForm]:
    forms: dict[str, BaseForm] = {
        PERSON: PersonReviewerForm(people=people, auto_id="person_%s"),
        MODEL: ModelReviewerForm(auto_id="model_%s"),
        ELSEWHERE: OutsideReviewerForm(auto_id="elsewhere_%s"),
        PLACES: PlacesForm(auto_id=f"{PLACES}_%s", initial={"people_needed": comparison_set.people_needed}),
    }
    if form is not None:
        forms[PLACES if isinstance(form, PlacesForm) else str(form["kind"].value())] = form
    return forms


def _frame(request: SignedIn, comparison_set: ComparisonSet) -> dict[str, Any]:
    head = SetFrame(comparison_set, COMPARISONS, request.user)
    return {"head": head, "project": head.project, "section": SECTION, "may_lead": head.may_lead}


def _bound(request: SignedIn, comparison_set: ComparisonSet) -> BaseForm:
    kind = request.POST.get("kind", "")
    if kind == PERSON:
        people = queries.candidates(comparison_set)
        return bind_form(request, PersonReviewerForm, people=people, auto_id="person_%s")
    if kind == MODEL:
        return bind_form(request, ModelReviewerForm, auto_id="model_%s")
    if kind == ELSEWHERE:
        return bind_form(request, OutsideReviewerForm, auto_id="elsewhere_%s")
    raise Malformed(
        _("The form does not say what kind of reviewer it is about. Reload the page and try again.")
    )


def _address(comparison_set: ComparisonSet) -> str:
    return reverse("comparison_set", args=[comparison_set.project.slug, comparison_set.number])


# Submitting a review takes some milliseconds, and somebody waits for the page.
MOST_REVIEWS = 1_000
MOST_FAULTS = 200


@require("change_set", methods=("GET", "POST"))
def add_comparison(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Show a form for one comparison; "more" adds fields for a response, and typed texts stay whatever the faults."""
    saved = only_parameters(request, "saved")["saved"]
    found = set_or_404(request.user, slug, number, check_see_set)
    if request.method == "GET":
        check_change_set(request.user, found)
        return _show(request, found, ComparisonForm(), saved=saved == "1")
    form = bind_form(request, ComparisonForm)
    if not form.is_valid():
        return _show(request, found, form, status=422)
    if form.cleaned_data["do"] == "more":
        return _show(request, found, form.grown())
    status = _store(request, found, form)
    if status >= 400:
        return _show(request, found, form, status=status)
    if form.cleaned_data["do"] == "next":
        address = reverse("add_comparison", args=[slug, number])
        return respond(request, page="", redirect=f"{address}?{urlencode({'saved': 1})}")
    return respond(request, page="", redirect=reverse("comparison_set", args=[slug, number]))


def may_upload(person: Person, slug: str, number: int) -> bool:
    """Whether the person may import files into that set; checked before any file is read."""
    found = ComparisonSet.objects.visible_to(person).filter(project__slug=slug, number=number).first()
    return found is not None and may(check_change_set, person, found)


@require("change_set", methods=("GET", "POST"), files=may_upload, costs="uploads")
def import_comparisons(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Show a form for a file of comparisons and reviews. Import all of it, or list every fault and import nothing."""
    found = set_or_404(request.user, slug, number, check_see_set)
    check_change_set(request.user, found)
    form, status, brought = LinesForm(), 200, ImportSummary()
    if request.method == "POST":
        form, status = bind_form(request, LinesForm), 422
        if form.is_valid():
            try:
                brought = _bring(request, found, form)
            except Refusal as refusal:
                status = add_refusal(form, refusal)
        if form.is_valid() and not brought.faults:
            said = {"comparisons": brought.comparisons, "reviews": brought.reviews, "known": brought.known}
            address = reverse("comparison_set", args=[slug, number])
            return respond(request, page="", redirect=f"{address}?{urlencode(said)}")
    faults = {"faults": brought.faults[:MOST_FAULTS], "more": max(0, len(brought.faults) - MOST_FAULTS)}
    context = {"form": form, **faults, **_frame(request, found)}
    return respond(request, page="rubric/comparisons/import.html", context=context, status=status)


def _bring(request: SignedIn, comparison_set: ComparisonSet, form: LinesForm) -> ImportSummary:
    lines = read_upload(form.cleaned_data["file"].read(UPLOAD_BYTES + 1))
    return import_lines(comparison_set=comparison_set, lines=lines, by=request.user, now=timezone.now())


def read_upload(data: bytes) -> Lines:
    """Read the lines of an uploaded file. Raises Unacceptable for a file that is too large for one request."""
    if len(data) > UPLOAD_BYTES:
        says = _("The file is larger than 32 MB. Split it, or use manage.py import_comparisons.")
        raise Unacceptable(says, field="file", code="too_large")
    if data.count(b"\n") > UPLOAD_LINES:
        says = _("The file has more than 10,000 lines. Split it, or use manage.py import_comparisons.")
        raise Unacceptable(says, field="file", code="too_many_lines")
    lines = read_comparison_lines(data)
    if len(lines.reviews) > MOST_REVIEWS:
        said = _(
            "The file holds %(n)d reviews. Upload at most 1,000 at once, or use manage.py import_comparisons."
        )
        raise Unacceptable(said % {"n": len(lines.reviews)}, field="file", code="too_many_reviews")
    return lines


def _store(request: SignedIn, comparison_set: ComparisonSet, form: ComparisonForm) -> int:
    """Add the comparison as typed, or show faults next to their fields; return the status of the response."""
    given = form.to_comparison()
    faults = comparison_faults(given)
    for fault in faults:
        form.add_error(form.field_at(fault.pointer), fault.message)
    if faults:
        return 422
    try:
        add_comparisons(
            comparison_set=comparison_set, comparisons=[given], by=request.user, now=timezone.now()
        )
    except (NotAllowed, Conflict) as refusal:
        form.add_error(None, refusal.sentence)
        return refusal.status
    return 200


def _show(
    request: SignedIn,
    comparison_set: ComparisonSet,
    form: ComparisonForm,
    *,
    saved: bool = False,
    status: int = 200,
) -> HttpResponse:
    context = {"form": form, "saved": saved, **_frame(request, comparison_set)}
    return respond(request, page="rubric/comparisons/add.html", context=context, status=status)
