"""The pages of model reviewers: their progress, one model with one comparison, and the files to download and upload."""

from typing import Any

from django.db.models import Q
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from rubric.core.call_parameters import describe_parameters
from rubric.core.limits import UPLOAD_BYTES, UPLOAD_LINES
from rubric.core.records import BOTH, HOLISTIC
from rubric.core.response_order import labels
from rubric.core.scales import write_number
from rubric.model_reviewers.actions import answers, jobs, prompts, readings
from rubric.model_reviewers.core import (
    read_answer_lines,
)
from rubric.model_reviewers.forms import AnswersForm, CorrectionForm, ParametersForm, PasteForm
from rubric.model_reviewers.pages.overview import build_answers_page
from rubric.model_reviewers.pages.readings import build_reading_page, build_readings_page
from rubric.model_reviewers.pages.single_answer import build_asked_page
from rubric.model_reviewers.permissions import check_ask_models
from rubric.model_reviewers.queries import has_answers, list_readable
from rubric.models import Answer, Comparison, ComparisonSet, Review, Reviewer, ReviewPrompt, WholePrompt
from rubric.models.comparisons import MODEL
from rubric.models.reviews import SUBMITTED, SUPERSEDED
from rubric.reviews.core.review_lines import LineFault
from rubric.reviews.core.two_calls import WHOLE_PART
from rubric.sets.pages import ASKING, SetFrame
from rubric.sets.permissions import check_change_set, check_open_set, check_see_results, check_see_set
from rubric.sets.views import SECTION, set_or_404
from workspace.access.permissions import may
from workspace.core.refusals import Refusal
from workspace.database.prepared_queries import LARGEST_KEY
from workspace.models import Person
from workspace.web.bind_form import add_refusal, bind_form, only_parameters, parse_number
from workspace.web.forms import NothingForm
from workspace.web.frame import frame
from workspace.web.require import SignedIn, require
from workspace.web.respond import download, respond

LIST, LIST_REGION = "rubric/model_reviewers/list.html", "rubric/model_reviewers/_list.html"
SHOW, UPLOAD = "rubric/model_reviewers/show.html", "rubric/model_reviewers/upload.html"
PARAMETERS = "rubric/model_reviewers/parameters.html"
READINGS, READING = "rubric/model_reviewers/readings.html", "rubric/model_reviewers/reading.html"
MOST_FAULTS = 100
PLAIN_TEXT = "text/plain; charset=utf-8"


@require("see_set")
def set_answers(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Show every comparison against every model. While answers are fetched or read, the region polls."""
    found = set_or_404(request.user, slug, number)
    check_see_set(request.user, found)
    start = parse_number(only_parameters(request, "from")["from"]) or 1
    page = build_answers_page(comparison_set=found, person=request.user, now=timezone.now(), start=start)
    context = {"page": page, "head": page.head, **frame(request.user, found.project, SECTION)}
    return respond(request, page=LIST, region=LIST_REGION, context=context)


@require("ask_models", methods=("POST",), costs="computations")
def ask_models(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Start calls for all pending answers."""
    found = set_or_404(request.user, slug, number)
    check_ask_models(request.user, found)
    bind_form(request, NothingForm)
    jobs.start_asking(comparison_set=found, by=request.user, now=timezone.now())
    return _to_list(request, found)


@require("open_set", methods=("POST",))
def stop_asking(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Make no further calls."""
    found = set_or_404(request.user, slug, number)
    check_open_set(request.user, found.project)
    bind_form(request, NothingForm)
    jobs.stop_asking(comparison_set=found, by=request.user, now=timezone.now())
    return _to_list(request, found)


@require("change_set", methods=("POST",), costs="computations")
def ask_failed_again(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Ask again for every answer with failed calls."""
    found = set_or_404(request.user, slug, number)
    check_change_set(request.user, found)
    bind_form(request, NothingForm)
    prompts.ask_failed_again(comparison_set=found, by=request.user, now=timezone.now())
    return _to_list(request, found)


@require("change_set", methods=("POST",))
def open_prompts(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Download a file with the prompts of all pending answers; missing prompts are made."""
    found = set_or_404(request.user, slug, number)
    check_change_set(request.user, found)
    bind_form(request, NothingForm)
    lines = prompts.open_prompts(comparison_set=found, by=request.user, now=timezone.now())
    name = f"prompts-{slug}-{found.number}.jsonl"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    # One prompt at a time: all together may not fit into memory.
    return StreamingHttpResponse(lines, content_type="application/jsonl", headers=headers)  # type: ignore[return-value]


def may_upload(person: Person, slug: str, number: int) -> bool:
    """Whether the person may fill that set; checked before any file is read."""
    rows = ComparisonSet.objects.visible_to(person).filter(project__slug=slug, number=number)
    found = rows.select_related("project").first()
    return found is not None and may(check_change_set, person, found)


@require("change_set", methods=("GET", "POST"), files=may_upload, costs="uploads")
def upload_answers(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Show a form for a file of answers; all are stored and read in the background, or every fault is listed."""
    only_parameters(request)
    found = set_or_404(request.user, slug, number)
    check_change_set(request.user, found)
    form, status, faults = AnswersForm(), 200, list[LineFault]()
    if request.method == "POST":
        form, status = bind_form(request, AnswersForm), 422
        faults = _upload(request, found, form) if form.is_valid() else []
        if form.is_valid() and not faults:
            return _to_list(request, found)
    head = SetFrame(comparison_set=found, current="", person=request.user)
    context: dict[str, Any] = {"head": head, "form": form, "faults": faults[:MOST_FAULTS]}
    context |= {"more": max(0, len(faults) - MOST_FAULTS), **frame(request.user, found.project, SECTION)}
    return respond(request, page=UPLOAD, context=context, status=status)


@require("see_set")
def model_answer(request: SignedIn, slug: str, number: int, comparison: int, reviewer: int) -> HttpResponse:
    """One model and one comparison: prompt, answers, and what was read."""
    only_parameters(request)
    row, model = pair_or_404(request, slug, number, comparison, reviewer)
    return _show(request, row, model, PasteForm())


@require("change_set", methods=("POST",))
def make_prompt(request: SignedIn, slug: str, number: int, comparison: int, reviewer: int) -> HttpResponse:
    """Create the prompt, which shuffles the responses."""
    row, model = pair_or_404(request, slug, number, comparison, reviewer)
    check_change_set(request.user, model.set)
    bind_form(request, NothingForm)
    prompts.ensure_prompt(comparison=row, reviewer=model, by=request.user, now=timezone.now())
    return _to_pair(request, row, model)


@require("change_set", methods=("POST",))
def paste_answer(request: SignedIn, slug: str, number: int, comparison: int, reviewer: int) -> HttpResponse:
    """Store the pasted answer, and read it."""
    row, model = pair_or_404(request, slug, number, comparison, reviewer)
    check_change_set(request.user, model.set)
    form, status = bind_form(request, PasteForm), 422
    if form.is_valid():
        try:
            text, now = form.cleaned_data["text"], timezone.now()
            given = {"text": text, "part": form.cleaned_data["part"]}
            answers.paste_answer(comparison=row, reviewer=model, **given, by=request.user, now=now)
            return _to_pair(request, row, model)
        except Refusal as refusal:
            status = add_refusal(form, refusal)
    return _show(request, row, model, form, status=status)


@require("change_set", methods=("POST",))
def ask_again(request: SignedIn, slug: str, number: int, comparison: int, reviewer: int) -> HttpResponse:
    """Supersede the answer, and make a new prompt."""
    row, model = pair_or_404(request, slug, number, comparison, reviewer)
    check_change_set(request.user, model.set)
    bind_form(request, NothingForm)
    prompts.ask_again(comparison=row, reviewer=model, by=request.user, now=timezone.now())
    return _to_pair(request, row, model)


@require("see_set")
def prompt_text(request: SignedIn, slug: str, number: int, comparison: int, reviewer: int) -> HttpResponse:
    """The prompt as a file."""
    part = only_parameters(request, "part")["part"]
    row, model = pair_or_404(request, slug, number, comparison, reviewer)
    reviews = Review.objects.filter(comparison=row, reviewer=model).exclude(state=SUPERSEDED)
    prompts: Any = WholePrompt.objects if part == WHOLE_PART else ReviewPrompt.objects
    prompt = prompts.filter(Q(review__in=reviews) | Q(review__readings__in=reviews)).first()
    if prompt is None:
        raise Http404
    name = f"prompt-{slug}-{number}-{comparison}-{reviewer}.txt"
    return download(prompt.text.encode(), name, PLAIN_TEXT)


@require("see_results")
def answer_text(
    request: SignedIn, slug: str, number: int, comparison: int, reviewer: int, came: int
) -> HttpResponse:
    """Download one raw answer as a file."""
    only_parameters(request)
    row, model = pair_or_404(request, slug, number, comparison, reviewer)
    check_see_results(request.user, model.set)
    kept = get_object_or_404(Answer, pk=came, review__comparison=row, review__reviewer=model)
    name = f"answer-{slug}-{number}-{comparison}-{reviewer}-{kept.attempt}.txt"
    return download(kept.text.encode(), name, PLAIN_TEXT)


@require("change_set", methods=("GET", "POST"))
def model_parameters(request: SignedIn, slug: str, number: int, reviewer: int) -> HttpResponse:
    """Show and set what every call to a model sends besides the prompt."""
    only_parameters(request)
    found = set_or_404(request.user, slug, number)
    check_see_set(request.user, found)
    check_change_set(request.user, found)
    model = get_object_or_404(Reviewer, set=found, pk=min(reviewer, LARGEST_KEY), kind=MODEL)
    model.set = found
    form, status = ParametersForm(initial=ParametersForm.read_initial(model.parameters)), 200
    if request.method == "POST":
        form, status = bind_form(request, ParametersForm), 422
        if form.is_valid():
            try:
                given = form.to_parameters()
                answers.set_parameters(reviewer=model, parameters=given, by=request.user, now=timezone.now())
                return _to_list(request, found)
            except Refusal as refusal:
                status = add_refusal(form, refusal)
    head = SetFrame(comparison_set=found, current=ASKING, person=request.user)
    context = {"head": head, "reviewer": model, "form": form, "is_frozen": has_answers(model)}
    context |= {"said": describe_parameters(model.parameters), **frame(request.user, found.project, SECTION)}
    return respond(request, page=PARAMETERS, context=context, status=status)


@require("see_results")
def set_readings(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """List answers that the current reader reads differently, that are unreadable, or that a person corrected."""
    only_parameters(request)
    found = set_or_404(request.user, slug, number)
    check_see_set(request.user, found)
    check_see_results(request.user, found)
    page = build_readings_page(comparison_set=found, person=request.user)
    context = {"page": page, "head": page.head, **frame(request.user, found.project, SECTION)}
    return respond(request, page=READINGS, context=context)


@require("change_set", methods=("POST",), costs="computations")
def reread_answers(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Make the current reader's readings count, for the whole set."""
    found = set_or_404(request.user, slug, number)
    check_change_set(request.user, found)
    bind_form(request, NothingForm)
    readings.reread_answers(comparison_set=found, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("set_readings", args=[slug, number]))


@require("see_results")
def reading(request: SignedIn, slug: str, number: int, review: int) -> HttpResponse:
    """One answer with both readings, and a form to correct it."""
    only_parameters(request)
    row = _readable_or_404(request, slug, number, review)
    check_see_results(request.user, row.reviewer.set)
    return _show_reading(request, row, CorrectionForm(**_sheet(row), initial=_initial(row)))


@require("change_set", methods=("POST",))
def reread_answer(request: SignedIn, slug: str, number: int, review: int) -> HttpResponse:
    """Make the current reader's reading of one answer count."""
    row = _readable_or_404(request, slug, number, review)
    check_change_set(request.user, row.reviewer.set)
    bind_form(request, NothingForm)
    made = readings.reread_answer(review=row, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("reading", args=[slug, number, made.pk]))


@require("change_set", methods=("POST",))
def correct_reading(request: SignedIn, slug: str, number: int, review: int) -> HttpResponse:
    """Make a person's correction of a reading count."""
    row = _readable_or_404(request, slug, number, review)
    check_change_set(request.user, row.reviewer.set)
    form, status = bind_form(request, CorrectionForm, **_sheet(row)), 422
    if form.is_valid():
        try:
            given = form.to_correction()
            made = readings.correct_reading(review=row, correction=given, by=request.user, now=timezone.now())
            return respond(request, page="", redirect=reverse("reading", args=[slug, number, made.pk]))
        except Refusal as refusal:
            status = add_refusal(form, refusal)
    return _show_reading(request, row, form, status=status)


def _readable_or_404(request: SignedIn, slug: str, number: int, review: int) -> Review:
    """A review that was read from text, for a lead of its set."""
    found = set_or_404(request.user, slug, number)
    check_see_set(request.user, found)
    row = get_object_or_404(list_readable(found, states=(SUBMITTED, SUPERSEDED)), pk=min(review, LARGEST_KEY))
    row.reviewer.set = row.comparison.set = found
    return row


def _sheet(row: Review) -> dict[str, Any]:
    """What the review can hold: its labels, and what is scored in its set."""
    held_by = row.reviewer.set
    record = held_by.rubric_version.to_record()
    criteria = {HOLISTIC: _("Holistic")} if held_by.mode in (HOLISTIC, BOTH) else {}
    if held_by.mode != HOLISTIC:
        criteria |= {criterion.key: criterion.label for criterion in record.criteria}
    return {"labels": labels(len(row.order)), "criteria": criteria, "scales": record.scales}


def _initial(row: Review) -> dict[str, Any]:
    """The initial values of the form, from the stored reading."""
    said: dict[str, Any] = {}
    for line in row.reviewed.all():
        scores = {**line.scores, **({} if line.holistic is None else {HOLISTIC: line.holistic})}
        said |= {f"s{line.position}-{key}": write_number(score) for key, score in scores.items()}
    ranking = row.reported_ranking or []
    return said | {"ranking": " > ".join(" = ".join(label[-1] for label in place) for place in ranking)}


def _show_reading(request: SignedIn, row: Review, form: CorrectionForm, *, status: int = 200) -> HttpResponse:
    page = build_reading_page(review=row, person=request.user)
    context = {"page": page, "head": page.head, "form": form}
    context |= frame(request.user, row.reviewer.set.project, SECTION)
    return respond(request, page=READING, context=context, status=status)


def pair_or_404(
    request: SignedIn, slug: str, number: int, comparison: int, reviewer: int
) -> tuple[Comparison, Reviewer]:
    """The comparison and the model at a URL, for a lead of the set."""
    found = set_or_404(request.user, slug, number)
    check_see_set(request.user, found)
    row = get_object_or_404(Comparison, set=found, number=comparison)
    model = get_object_or_404(Reviewer, set=found, pk=reviewer, kind=MODEL)
    row.set = model.set = found
    return row, model


def _upload(request: SignedIn, comparison_set: ComparisonSet, form: AnswersForm) -> list[LineFault]:
    """Store the answers of the file; the faults of its lines. A file that is too large is a fault of the field."""
    file = form.cleaned_data["file"]
    if file.size > UPLOAD_BYTES:
        form.add_error("file", _("The file is larger than 32 MB. Split it."))
        return []
    data = file.read()
    if data.count(b"\n") > UPLOAD_LINES:
        form.add_error("file", _("The file has more than 10,000 lines. Split it."))
        return []
    lines, faults = read_answer_lines(data)
    if faults:
        return faults
    return answers.upload_answers(
        comparison_set=comparison_set, lines=lines, by=request.user, now=timezone.now()
    )


def _show(
    request: SignedIn, row: Comparison, model: Reviewer, form: PasteForm, *, status: int = 200
) -> HttpResponse:
    page = build_asked_page(comparison=row, reviewer=model, person=request.user)
    context = {"page": page, "head": page.head, "form": form}
    context |= frame(request.user, model.set.project, SECTION)
    return respond(request, page=SHOW, context=context, status=status)


def _to_list(request: SignedIn, comparison_set: ComparisonSet) -> HttpResponse:
    address = reverse("set_answers", args=[comparison_set.project.slug, comparison_set.number])
    return respond(request, page="", redirect=address)


def _to_pair(request: SignedIn, row: Comparison, model: Reviewer) -> HttpResponse:
    parts = [model.set.project.slug, model.set.number, row.number, model.pk]
    return respond(request, page="", redirect=reverse("model_answer", args=parts))
