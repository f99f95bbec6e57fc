"""The model reviewers of a set: every comparison against every model, calls, tokens, cost, files and parameters."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from django.db.models import Count, Q, Sum
from django.db.models.functions import Substr
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from rubric.comparisons.views import may_upload
from rubric.core.call_parameters import describe_parameters
from rubric.core.records import ABSTAINED, HOLISTIC, PARTIAL, RUBRIC, UNREADABLE
from rubric.model_reviewers import core, queries
from rubric.model_reviewers.actions import answers, jobs, prompts
from rubric.model_reviewers.forms import AnswersForm, ParametersForm
from rubric.model_reviewers.permissions import check_ask_models
from rubric.models import Answer, Comparison, ComparisonSet, Reviewer
from rubric.models.comparisons import MODEL
from rubric.models.reviews import FETCHED
from rubric.reviews.pages import ASKING, SetFrame
from rubric.reviews.permissions import check_change_set, check_open_set, check_see_set
from rubric.reviews.views import SECTION, set_or_404
from workspace.access.permissions import get_refusal
from workspace.core.json_faults import Problem
from workspace.core.limits import PAGE_SIZE
from workspace.core.text import one_line
from workspace.database.prepared_queries import LARGEST_KEY
from workspace.jobs.pages import ProgressBar, worker_note
from workspace.models import Job
from workspace.models.jobs import CANCELLED, QUEUED, RUNNING
from workspace.models.jobs import FAILED as JOB_FAILED
from workspace.web.bind_form import bind_form, parse_number
from workspace.web.form_page import form_page, press
from workspace.web.forms import NothingForm
from workspace.web.views import SignedIn, frame, only_parameters, require, respond, stream

LIST, LIST_REGION = "rubric/model_reviewers/list.html", "rubric/model_reviewers/_list.html"
UPLOAD, PARAMETERS = "rubric/model_reviewers/upload.html", "rubric/model_reviewers/parameters.html"
MOST_FAULTS = 100
LONGEST_SHOWN = 120
STATES = {
    core.OPEN: (gettext_lazy("no answer yet"), ""),
    core.UNREAD: (gettext_lazy("being read"), "pending"),
    core.DECLINED: (gettext_lazy("declined"), "fail"),
    core.UNREADABLE_ANSWER: (gettext_lazy("not readable"), "fail"),
    core.FAILED: (gettext_lazy("call failed"), "fail"),
}
READ = {
    RUBRIC: gettext_lazy("answered"),
    PARTIAL: gettext_lazy("answered in part"),
    HOLISTIC: gettext_lazy("answered with holistic scores"),
}


@require("see_set")
def set_answers(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Show every comparison against every model. While answers are fetched or read, the region polls."""
    comparison_set = set_or_404(request.user, slug, number, check_see_set)
    start = parse_number(only_parameters(request, "from")["from"]) or 1
    head = SetFrame(comparison_set, ASKING, request.user)
    reviewers = queries.model_reviewers(comparison_set)
    beginning = Substr("question", 1, LONGEST_SHOWN * 4)
    comparisons = Comparison.objects.filter(set=comparison_set).order_by("number")
    rows = list(comparisons.values_list("pk", "number", beginning))
    asked = queries.load_asked(comparison_set, reviewers, comparisons=[row[0] for row in rows])
    listed = [row for row in rows if row[1] >= start][:PAGE_SIZE]
    counts = _counts(asked, reviewers, comparison_set)
    previous, following, says = _pager(start, listed[-1][1] if listed else 0, len(rows))
    # Leads may change an open set; the check asks the database.
    may_change = head.may_lead and not head.is_closed
    refusal = "" if may_change else get_refusal(check_change_set, request.user, comparison_set)
    context = {
        "head": head,
        "columns": [_column(reviewer) for reviewer in reviewers],
        "lines": _list_cells(listed, asked, reviewers),
        "counts": counts,
        "spent": _spent(comparison_set),
        **_progress(comparison_set, counts),
        "change_refusal": refusal,
        "ask_refusal": get_refusal(check_ask_models, request.user, comparison_set),
        "previous": previous,
        "next": following,
        "says": says,
        **frame(request.user, comparison_set.project, SECTION),
    }
    return respond(request, page=LIST, region=LIST_REGION, context=context)


def _progress(comparison_set: ComparisonSet, counts: dict[str, int]) -> dict[str, Any]:
    rows = Job.objects.filter(subject=f"comparison_set:{comparison_set.pk}")
    jobs_by_kind = {job.kind: job for job in rows.filter(kind__in=("ask_models", "read_answers"))}
    running = {kind for kind, job in jobs_by_kind.items() if job.state in (QUEUED, RUNNING)}
    is_live = "ask_models" in running or bool(counts["unread"] and running)
    total = counts["total"]
    received = total - counts["open"] - counts["unread"]
    asking, error = jobs_by_kind.get("ask_models"), ""
    if asking and asking.state in (JOB_FAILED, CANCELLED):
        stopped = _("The calls were stopped before all were made.")
        error = asking.error if asking.state == JOB_FAILED else stopped
    return {
        "is_asking": "ask_models" in running,
        "is_live": is_live,
        "bar": ProgressBar(_("Received answers"), received, total, _("answers")) if is_live else None,
        "worker_note": worker_note(timezone.now()) if is_live else "",
        "error": error,
    }


@require("ask_models", methods=("POST",), costs="computations")
def ask_models(request: SignedIn, slug: str, number: int) -> HttpResponse:
    comparison_set = set_or_404(request.user, slug, number, check_ask_models)
    return press(request, jobs.start_asking, _answers_address(comparison_set), comparison_set=comparison_set)


@require("open_set", methods=("POST",))
def stop_asking(request: SignedIn, slug: str, number: int) -> HttpResponse:
    comparison_set = set_or_404(request.user, slug, number)
    check_open_set(request.user, comparison_set.project)
    return press(request, jobs.stop_asking, _answers_address(comparison_set), comparison_set=comparison_set)


@require("change_set", methods=("POST",), costs="computations")
def ask_failed_again(request: SignedIn, slug: str, number: int) -> HttpResponse:
    comparison_set = set_or_404(request.user, slug, number, check_change_set)
    return press(
        request, prompts.ask_failed_again, _answers_address(comparison_set), comparison_set=comparison_set
    )


@require("change_set", methods=("POST",))
def open_prompts(request: SignedIn, slug: str, number: int) -> HttpResponse:
    comparison_set = set_or_404(request.user, slug, number, check_change_set)
    bind_form(request, NothingForm)
    lines = prompts.open_prompts(comparison_set=comparison_set, by=request.user, now=timezone.now())
    return stream(lines, f"prompts-{slug}-{comparison_set.number}.jsonl", "application/jsonl")


@require("change_set", methods=("GET", "POST"), files=may_upload, costs="uploads")
def upload_answers(request: SignedIn, slug: str, number: int) -> HttpResponse:
    comparison_set = set_or_404(request.user, slug, number, check_change_set)
    keep = partial(answers.upload_answers, comparison_set=comparison_set)
    head = SetFrame(comparison_set=comparison_set, current="", person=request.user)
    context = {"head": head, **frame(request.user, comparison_set.project, SECTION)}
    to = _answers_address(comparison_set)
    return take_file(request, core.read_answer_lines, keep, to=to, page=UPLOAD, context=context)


def take_file(
    request: SignedIn,
    read: Callable[[bytes], tuple[Sequence[Any], list[Problem]]],
    keep: Callable[..., list[Problem]],
    *,
    to: str,
    page: str,
    context: Mapping[str, object],
) -> HttpResponse:
    """The page that takes a file of answers: all its `lines` are kept, or the page shows the faults that `read` or
    `keep` found.
    """
    form, status, faults = AnswersForm(), 200, list[Problem]()
    if request.method == "POST":
        form, status = bind_form(request, AnswersForm), 422
        if form.is_valid():
            lines, faults = read(form.cleaned_data["file"])
            faults = faults or keep(lines=lines, by=request.user, now=timezone.now())
        if form.is_valid() and not faults:
            return respond(request, page="", redirect=to)
    shown = {"form": form, "faults": faults[:MOST_FAULTS], "more": max(0, len(faults) - MOST_FAULTS)}
    return respond(request, page=page, context={**context, **shown}, status=status)


@require("change_set", methods=("GET", "POST"))
def model_parameters(request: SignedIn, slug: str, number: int, reviewer: int) -> HttpResponse:
    comparison_set = set_or_404(request.user, slug, number, check_see_set)
    check_change_set(request.user, comparison_set)
    model = get_object_or_404(Reviewer, set=comparison_set, pk=min(reviewer, LARGEST_KEY), kind=MODEL)
    model.set = comparison_set

    def save(form: ParametersForm) -> str:
        parameters = form.to_parameters()
        answers.set_parameters(reviewer=model, parameters=parameters, by=request.user, now=timezone.now())
        return _answers_address(comparison_set)

    def context() -> dict[str, Any]:
        return {
            "head": SetFrame(comparison_set=comparison_set, current=ASKING, person=request.user),
            "reviewer": model,
            "is_frozen": queries.has_answers(model),
            "said": describe_parameters(model.parameters),
            **frame(request.user, comparison_set.project, SECTION),
        }

    initial = ParametersForm.read_initial(model.parameters)
    return form_page(request, ParametersForm, save, page=PARAMETERS, context=context, initial=initial)


def _answers_address(comparison_set: ComparisonSet) -> str:
    return reverse("set_answers", args=[comparison_set.project.slug, comparison_set.number])


def state_word(asked: queries.AskedComparison, half: queries.HalfReview | None = None) -> tuple[str, str]:
    """The state of one answer in words, and its tone; `half` is what was read in the first of two."""
    if asked.is_half and asked.state == core.OPEN:
        record, missing = half or (None, [])
        if record is None or not missing:
            return _("1 of 2 answers"), "pending"
        words = {UNREADABLE: _("1 of 2 answers, not readable"), ABSTAINED: _("1 of 2 answers, declined")}.get(
            record.mode, _("1 of 2 answers, incomplete")
        )
        return words, "fail"
    if asked.state == core.ANSWERED:
        return str(READ[asked.mode]), "pending" if asked.mode == PARTIAL else "pass"
    label, tone = STATES[asked.state]
    return str(label), tone


def _pager(start: int, last: int, count: int) -> tuple[str, str, str]:
    """The query strings of the previous and the next page, and the position of this page; "" if it is the only one."""
    previous = f"?from={max(1, start - PAGE_SIZE)}" if start > 1 else ""
    following = f"?from={last + 1}" if last < count else ""
    if not (previous or following):
        return "", "", ""
    says = _("%(first)s to %(last)s of %(count)s") % {"first": start, "last": last, "count": count}
    return previous, following, says


def _column(reviewer: Reviewer) -> tuple[Reviewer, str, str, str]:
    """A model reviewer, the model that a call names, why no call is made ("" when one is), parameters in words."""
    note = (
        _("removed") if reviewer.ended_at else "" if queries.may_call(reviewer) else _("pasted or uploaded")
    )
    return reviewer, queries.get_model_name(reviewer), note, describe_parameters(reviewer.parameters)


def _counts(
    asked: Sequence[queries.AskedComparison], reviewers: Sequence[Reviewer], comparison_set: ComparisonSet
) -> dict[str, int]:
    """The number of answers in each state. Calls can fetch `callable` of the pending ones; `half` are one of two.

    A removed model counts only where it answered, since it will not answer any more.
    """
    active = {reviewer.pk: reviewer for reviewer in reviewers if reviewer.ended_at is None}
    present = [pair for pair in asked if pair.reviewer in active or not pair.is_waiting]
    states = Counter(pair.state for pair in present)
    is_open = comparison_set.closed_at is None
    called = {key for key, reviewer in active.items() if is_open and queries.may_call(reviewer)}
    return {
        "total": len(present),
        "answered": states[core.ANSWERED],
        "nothing": states[core.DECLINED] + states[core.UNREADABLE_ANSWER],
        "failed": states[core.FAILED],
        "open": states[core.OPEN],
        "unread": states[core.UNREAD],
        "callable": sum(pair.state == core.OPEN and pair.reviewer in called for pair in present),
        "half": sum(pair.state == core.OPEN and pair.is_half for pair in present),
    }


def _list_cells(
    rows: Sequence[tuple[int, int, str]],
    asked: Sequence[queries.AskedComparison],
    reviewers: Sequence[Reviewer],
) -> list[tuple[int, str, list[tuple[queries.AskedComparison, tuple[str, str]]]]]:
    by_pair = {(pair.comparison, pair.reviewer): pair for pair in asked}
    keys = {key for key, _number, _question in rows}
    halves = queries.read_halves(pair for pair in asked if pair.comparison in keys)
    lines = []
    for key, number, question in rows:
        pairs = [by_pair[key, reviewer.pk] for reviewer in reviewers]
        cells = [(pair, state_word(pair, halves.get(pair.review or 0))) for pair in pairs]
        lines.append((number, one_line(question, LONGEST_SHOWN), cells))
    return lines


def _spent(comparison_set: ComparisonSet) -> dict[str, Any]:
    rows = Answer.objects.filter(review__reviewer__set=comparison_set, review__reviewer__kind=MODEL)
    return rows.filter(source=FETCHED).aggregate(
        calls=Count("pk"),
        sent=Sum("prompt_tokens", default=0),
        received=Sum("answer_tokens", default=0),
        cost=Sum("cost_usd"),
        unpriced=Count("pk", filter=Q(cost_usd=None, prompt_tokens__isnull=False)),
    )
