"""The screens on which leads open comparison sets, give them reviewers, and close them."""

from collections.abc import Callable
from typing import Any

from django.forms import BaseForm
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from rubric.actions import comparing, scoring_choices
from rubric.forms.comparing import (
    ModelReviewerForm,
    OutsideReviewerForm,
    PersonReviewerForm,
    ScoringForm,
    SetForm,
)
from rubric.models import ComparisonSet, Reviewer, RubricVersion
from rubric.models.comparisons import ELSEWHERE, MODEL, PERSON
from rubric.models.scoring_choices import default_mode
from rubric.pages.comparing import build_set_page, build_sets_page, candidates
from rubric.permissions import check_change_set, check_edit_rubrics, check_open_set, check_see_set
from workspace.core.refusals import Malformed, Refusal
from workspace.forms.people import NothingForm
from workspace.models import Person, Project
from workspace.pages.frame import frame
from workspace.views.answers import answer
from workspace.views.bodies import fault_of, number_of, only_parameters, typed
from workspace.views.gate import SignedIn, needs
from workspace.views.projects import project_or_404

LIST, OPEN, SHOW = "rubric/set_list.html", "rubric/set_open.html", "rubric/set_show.html"
SECTION = "comparisons"


def set_or_404(person: Person, slug: str, number: int) -> ComparisonSet:
    """The set of that address with its project and rubric, when the person may know of it."""
    rows = ComparisonSet.objects.visible_to(person).select_related("project", "rubric_version__rubric")
    return get_object_or_404(rows, project__slug=slug, number=number)


@needs("sign_in")
def comparison_sets(request: SignedIn, slug: str) -> HttpResponse:
    """The sets of a project: all for leads, those one reviews in for everybody else."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    page = build_sets_page(project=project, person=request.user)
    return answer(request, page=LIST, context={"page": page, **frame(request.user, project, SECTION)})


@needs("open_set", methods=("GET", "POST"))
def open_set(request: SignedIn, slug: str) -> HttpResponse:
    """A form for a new set; leads to the set."""
    only_parameters(request)
    project = project_or_404(request.user, slug)
    check_open_set(request.user, project)
    versions = {str(each.pk): each for each in RubricVersion.objects.newest_of_each("response")}
    given = {"versions": [(key, str(each)) for key, each in versions.items()]}
    form, status = SetForm(**given, initial={"mode": default_mode()}), 200
    if request.method == "POST":
        form, status = typed(request, SetForm, **given), 422
        if form.is_valid():
            try:
                return _opened(request, project, form.cleaned_data, versions)
            except Refusal as refusal:
                status = fault_of(form, refusal)
    context = {"form": form, **frame(request.user, project, SECTION)}
    return answer(request, page=OPEN, context=context, status=status)


@needs("see_set")
def comparison_set(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """What the set holds, who reviews it, and how far they are."""
    given = only_parameters(request, "from", "comparisons", "reviews", "known")
    found = set_or_404(request.user, slug, number)
    check_see_set(request.user, found)
    brought = [number_of(given[name]) for name in ("comparisons", "reviews", "known")]
    return show_set(request, found, start=number_of(given["from"]) or 1, brought=brought)


@needs("change_set", methods=("POST",))
def add_reviewer(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Let a person, a model or somebody elsewhere review; `kind` says which form was sent."""
    found = set_or_404(request.user, slug, number)
    check_change_set(request.user, found)
    form = _bound(request, found)
    if not form.is_valid():
        return show_set(request, found, form=form, status=422)
    given = form.cleaned_data
    if "person" in given:
        given |= {"person": Person.objects.filter(pk=given["person"]).first()}
    try:
        comparing.add_reviewer(comparison_set=found, **given, by=request.user, now=timezone.now())
    except Refusal as refusal:
        return show_set(request, found, form=form, status=fault_of(form, refusal))
    return answer(request, page="", redirect=_address(found))


@needs("change_set", methods=("POST",))
def end_reviewer(request: SignedIn, slug: str, number: int, reviewer: int) -> HttpResponse:
    """Ask somebody for no more reviews."""
    found = set_or_404(request.user, slug, number)
    check_change_set(request.user, found)
    row = get_object_or_404(Reviewer.objects.select_related("set__project"), pk=reviewer, set=found)
    typed(request, NothingForm)
    comparing.end_reviewer(reviewer=row, by=request.user, now=timezone.now())
    return answer(request, page="", redirect=_address(found))


@needs("open_set", methods=("POST",))
def close_set(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Take no more reviews; whoever reviewed sees the results."""
    return _change(request, slug, number, comparing.close_set)


@needs("open_set", methods=("POST",))
def reopen_set(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Take reviews again."""
    return _change(request, slug, number, comparing.reopen_set)


@needs("edit_rubrics", methods=("POST",))
def choose_scoring(request: SignedIn) -> HttpResponse:
    """Say whether new sets begin with scores by criterion."""
    check_edit_rubrics(request.user)
    form = typed(request, ScoringForm)
    if not form.is_valid():
        raise Malformed(_("Say whether scoring by criterion is on or off. Reload the page and try again."))
    scoring_choices.choose_scoring(**form.cleaned_data, by=request.user, now=timezone.now())
    return answer(request, page="", redirect=reverse("rubrics"))


def show_set(
    request: SignedIn,
    comparison_set: ComparisonSet,
    *,
    start: int = 1,
    brought: list[int] | None = None,
    form: BaseForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """The set's page; `form` is one of the three for reviewers that was sent and has faults."""
    page = build_set_page(comparison_set=comparison_set, person=request.user, start=start)
    forms: dict[str, BaseForm] = {
        PERSON: PersonReviewerForm(people=page.candidates, auto_id="person_%s"),
        MODEL: ModelReviewerForm(auto_id="model_%s"),
        ELSEWHERE: OutsideReviewerForm(auto_id="elsewhere_%s"),
    }
    if form is not None:
        forms[str(form["kind"].value())] = form
    context: dict[str, Any] = {"page": page, "head": page.head, "forms": forms, "brought": brought}
    context |= {"project": comparison_set.project, "section": SECTION, "may_lead": page.head.may_lead}
    return answer(request, page=SHOW, context=context, status=status)


def _opened(
    request: SignedIn, project: Project, given: dict[str, Any], versions: dict[str, RubricVersion]
) -> HttpResponse:
    given = given | {"version": versions[given["version"]]}
    made = comparing.open_set(project=project, **given, by=request.user, now=timezone.now())
    return answer(request, page="", redirect=_address(made))


def _bound(request: SignedIn, comparison_set: ComparisonSet) -> BaseForm:
    """The form for reviewers that was sent."""
    kind = request.POST.get("kind", "")
    if kind == PERSON:
        people = candidates(comparison_set)
        return typed(request, PersonReviewerForm, people=people, auto_id="person_%s")
    if kind == MODEL:
        return typed(request, ModelReviewerForm, auto_id="model_%s")
    if kind == ELSEWHERE:
        return typed(request, OutsideReviewerForm, auto_id="elsewhere_%s")
    raise Malformed(
        _("The form does not say what kind of reviewer it is about. Reload the page and try again.")
    )


def _change(request: SignedIn, slug: str, number: int, act: Callable[..., None]) -> HttpResponse:
    found = set_or_404(request.user, slug, number)
    check_open_set(request.user, found.project)
    typed(request, NothingForm)
    act(comparison_set=found, by=request.user, now=timezone.now())
    return answer(request, page="", redirect=_address(found))


def _address(comparison_set: ComparisonSet) -> str:
    return reverse("comparison_set", args=[comparison_set.project.slug, comparison_set.number])
