"""The screens on which leads fill a comparison set: one comparison by hand, or many and reviews from a file."""

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from rubric.actions.bringing import Brought, bring_lines
from rubric.actions.comparing import add_comparisons
from rubric.core.comparison_lines import read_comparison_lines
from rubric.core.comparisons import comparison_faults
from rubric.core.limits import UPLOAD_BYTES, UPLOAD_LINES
from rubric.forms.comparing import ComparisonForm, LinesForm
from rubric.models import ComparisonSet
from rubric.pages.set_frame import LEADS, build_set_frame
from rubric.permissions import check_change_set, check_see_set
from rubric.views.comparing import SECTION, set_or_404
from workspace.core.refusals import Conflict, NotAllowed, Refusal
from workspace.models import Person
from workspace.pages.frame import frame
from workspace.permissions import may
from workspace.views.answers import answer
from workspace.views.bodies import fault_of, only_parameters, typed
from workspace.views.gate import SignedIn, needs

ADD, IMPORT = "rubric/comparison_add.html", "rubric/set_import.html"
# Handing one in takes some milliseconds, and somebody waits for the page.
MOST_REVIEWS = 1_000
MOST_FAULTS = 200


@needs("change_set", methods=("GET", "POST"))
def add_comparison(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """A form for one comparison; "more" gives it another place for a response, and whatever is wrong, all stays."""
    saved = only_parameters(request, "saved")["saved"]
    found = set_or_404(request.user, slug, number)
    check_see_set(request.user, found)
    if request.method == "GET":
        check_change_set(request.user, found)
        return _show(request, found, ComparisonForm(), saved=saved == "1")
    form = typed(request, ComparisonForm)
    if not form.is_valid():
        return _show(request, found, form, status=422)
    if form.cleaned_data["do"] == "more":
        return _show(request, found, form.grown())
    status = _store(request, found, form)
    if status >= 400:
        return _show(request, found, form, status=status)
    if form.cleaned_data["do"] == "next":
        address = reverse("add_comparison", args=[slug, number])
        return answer(request, page="", redirect=f"{address}?{urlencode({'saved': 1})}")
    return answer(request, page="", redirect=reverse("comparison_set", args=[slug, number]))


def may_upload(person: Person, slug: str, number: int) -> bool:
    """Whether the person brings files into that set; asked before any file is read."""
    found = ComparisonSet.objects.visible_to(person).filter(project__slug=slug, number=number).first()
    return found is not None and may(check_change_set, person, found)


@needs("change_set", methods=("GET", "POST"), files=may_upload)
def import_comparisons(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """A form for a file of comparisons and reviews; all of it comes in, or every fault is listed and nothing does."""
    only_parameters(request)
    found = set_or_404(request.user, slug, number)
    check_see_set(request.user, found)
    check_change_set(request.user, found)
    form, status, brought = LinesForm(), 200, Brought()
    if request.method == "POST":
        form, status = typed(request, LinesForm), 422
        if form.is_valid():
            try:
                brought = _bring(request, found, form)
            except Refusal as refusal:
                status = fault_of(form, refusal)
        if form.is_valid() and not brought.faults:
            said = {"comparisons": brought.comparisons, "reviews": brought.reviews, "known": brought.known}
            address = reverse("comparison_set", args=[slug, number])
            return answer(request, page="", redirect=f"{address}?{urlencode(said)}")
    head = build_set_frame(comparison_set=found, current=LEADS, person=request.user)
    faults = {"faults": brought.faults[:MOST_FAULTS], "more": max(0, len(brought.faults) - MOST_FAULTS)}
    context = {"head": head, "form": form, **faults, **frame(request.user, found.project, SECTION)}
    return answer(request, page=IMPORT, context=context, status=status)


def _bring(request: SignedIn, comparison_set: ComparisonSet, form: LinesForm) -> Brought:
    """What came of the file; one that is too much for one request gets its fault beside the field."""
    file = form.cleaned_data["file"]
    if file.size > UPLOAD_BYTES:
        form.add_error(
            "file", _("The file is larger than 32 MB. Split it, or use manage.py import_comparisons.")
        )
        return Brought()
    data = file.read()
    if data.count(b"\n") > UPLOAD_LINES:
        form.add_error(
            "file", _("The file has more than 10,000 lines. Split it, or use manage.py import_comparisons.")
        )
        return Brought()
    lines = read_comparison_lines(data)
    if len(lines.reviews) > MOST_REVIEWS:
        said = _(
            "The file holds %(n)d reviews. Upload at most 1,000 at once, or use manage.py import_comparisons."
        )
        form.add_error("file", said % {"n": len(lines.reviews)})
        return Brought()
    return bring_lines(comparison_set=comparison_set, lines=lines, by=request.user, now=timezone.now())


def _store(request: SignedIn, comparison_set: ComparisonSet, form: ComparisonForm) -> int:
    """Add what was typed, or put what is wrong beside its field; the status to answer with."""
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
    head = build_set_frame(comparison_set=comparison_set, current=LEADS, person=request.user)
    context = {"head": head, "form": form, "saved": saved}
    context |= frame(request.user, comparison_set.project, SECTION)
    return answer(request, page=ADD, context=context, status=status)
