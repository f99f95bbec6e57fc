"""The progress of a set's model reviewers: every comparison against every model, calls, tokens and cost."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Q, Sum
from django.db.models.functions import Substr
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import Struct

from rubric.core.call_parameters import describe_parameters
from rubric.core.records import ABSTAINED, HOLISTIC, PARTIAL, RUBRIC, UNREADABLE
from rubric.model_reviewers.core import (
    ANSWERED,
    DECLINED,
    FAILED,
    OPEN,
    UNREAD,
    UNREADABLE_ANSWER,
)
from rubric.model_reviewers.permissions import check_ask_models
from rubric.model_reviewers.queries import (
    AskedComparison,
    HalfReview,
    get_model_name,
    load_asked,
    may_call,
    model_reviewers,
    read_halves,
)
from rubric.models import Answer, Comparison, ComparisonSet, Reviewer
from rubric.models.comparisons import MODEL
from rubric.models.reviews import FETCHED
from rubric.sets.pages import ASKING, SetFrame
from rubric.sets.permissions import check_change_set
from workspace.access.permissions import get_refusal
from workspace.core.limits import PAGE_SIZE
from workspace.core.text import one_line
from workspace.jobs.pages import ProgressBar, worker_note
from workspace.models import Job, Person
from workspace.models.jobs import CANCELLED, QUEUED, RUNNING
from workspace.models.jobs import FAILED as JOB_FAILED

LONGEST_SHOWN = 120
STATES = {
    OPEN: (gettext_lazy("no answer yet"), ""),
    UNREAD: (gettext_lazy("being read"), "pending"),
    DECLINED: (gettext_lazy("declined"), "fail"),
    UNREADABLE_ANSWER: (gettext_lazy("not readable"), "fail"),
    FAILED: (gettext_lazy("call failed"), "fail"),
}
READ = {
    RUBRIC: gettext_lazy("answered"),
    PARTIAL: gettext_lazy("answered in part"),
    HOLISTIC: gettext_lazy("answered with holistic scores"),
}


class StateWord(Struct, frozen=True):
    """A state in a word, and its tone."""

    label: str
    tone: str


class AnswerRow(Struct, frozen=True):
    """One comparison with the state of every model's answer, in the order of the models."""

    number: int
    question: str
    cells: list[tuple[AskedComparison, StateWord]]


class ModelColumn(Struct, frozen=True):
    """One model reviewer, the model that a call names, why no call is made ("" when one is), parameters in words."""

    reviewer: Reviewer
    model: str
    note: str
    parameters: str


class Counts(Struct, frozen=True):
    """The number of answers in each state. Calls can fetch `callable` of the pending ones; `half` are one of two."""

    total: int
    answered: int
    nothing: int
    failed: int
    open: int
    unread: int
    callable: int
    half: int


class AnswersPage(Struct, frozen=True):
    """The model reviewers of a set. Refusals say why something cannot be done now, "" when it can.

    `spent` sums the tokens and the cost of the set's live calls; `unpriced` counts calls without a known price.
    """

    head: SetFrame
    columns: list[ModelColumn]
    lines: list[AnswerRow]
    counts: Counts
    spent: dict[str, Any]
    is_asking: bool
    is_live: bool
    bar: ProgressBar | None
    worker_note: str
    error: str
    change_refusal: str
    ask_refusal: str
    previous: str
    next: str
    says: str


def build_answers_page(
    *, comparison_set: ComparisonSet, person: Person, now: datetime, start: int = 1
) -> AnswersPage:
    """The set's models, and the comparisons from the number `start` on."""
    head = SetFrame(comparison_set=comparison_set, current=ASKING, person=person)
    reviewers = model_reviewers(comparison_set)
    rows = _comparisons(comparison_set)
    asked = load_asked(comparison_set, reviewers, comparisons=[row.pk for row in rows])
    shown = [row for row in rows if row.number >= start][:PAGE_SIZE]
    counts = _counts(asked, reviewers, comparison_set)
    subject = f"comparison_set:{comparison_set.pk}"
    jobs = {
        job.kind: job for job in Job.objects.filter(subject=subject, kind__in=("ask_models", "read_answers"))
    }
    asking = jobs.get("ask_models")
    is_asking = asking is not None and asking.state in (QUEUED, RUNNING)
    is_live = is_asking or (
        bool(counts.unread) and any(job.state in (QUEUED, RUNNING) for job in jobs.values())
    )
    came = counts.total - counts.open - counts.unread
    previous, following, says = _pager(start, shown, len(rows))
    return AnswersPage(
        head=head,
        columns=[_column(reviewer) for reviewer in reviewers],
        lines=_lines(shown, asked, reviewers),
        counts=counts,
        spent=_spent(comparison_set),
        is_asking=is_asking,
        is_live=is_live,
        bar=ProgressBar(_("Received answers"), came, counts.total, _("answers")) if is_live else None,
        worker_note=worker_note(now) if is_live else "",
        error=_error(asking),
        # Leads may change an open set; the check asks the database.
        change_refusal=""
        if head.may_lead and not head.is_closed
        else get_refusal(check_change_set, person, comparison_set),
        ask_refusal=get_refusal(check_ask_models, person, comparison_set),
        previous=previous,
        next=following,
        says=says,
    )


def state_word(asked: AskedComparison, half: HalfReview | None = None) -> StateWord:
    """The state of one answer; `half` is what was read in the first of two."""
    if asked.is_half and asked.state == OPEN:
        return _half_word(half)
    if asked.state == ANSWERED:
        return StateWord(str(READ[asked.mode]), "pending" if asked.mode == PARTIAL else "pass")
    label, tone = STATES[asked.state]
    return StateWord(str(label), tone)


def _half_word(half: HalfReview | None) -> StateWord:
    if half is None or not half.missing:
        return StateWord(_("1 of 2 answers"), "pending")
    said = {
        UNREADABLE: _("1 of 2 answers, not readable"),
        ABSTAINED: _("1 of 2 answers, declined"),
    }.get(half.record.mode, _("1 of 2 answers, incomplete"))
    return StateWord(said, "fail")


class QuestionRow(NamedTuple):
    """One comparison: its key, its number, and the beginning of its question."""

    pk: int
    number: int
    question: str


def _comparisons(comparison_set: ComparisonSet) -> list[QuestionRow]:
    rows = Comparison.objects.filter(set=comparison_set).order_by("number")
    return [
        QuestionRow(*row)
        for row in rows.values_list("pk", "number", Substr("question", 1, LONGEST_SHOWN * 4))
    ]


def _pager(start: int, shown: Sequence[QuestionRow], count: int) -> tuple[str, str, str]:
    """The query strings of the previous and the next page, and the position of this page; "" if it is the only one."""
    last = shown[-1].number if shown else 0
    previous = f"?from={max(1, start - PAGE_SIZE)}" if start > 1 else ""
    following = f"?from={last + 1}" if last < count else ""
    if not (previous or following):
        return "", "", ""
    says = _("%(first)s to %(last)s of %(count)s") % {"first": start, "last": last, "count": count}
    return previous, following, says


def _column(reviewer: Reviewer) -> ModelColumn:
    said = describe_parameters(reviewer.parameters)
    return ModelColumn(reviewer, get_model_name(reviewer), _note(reviewer), said)


def _note(reviewer: Reviewer) -> str:
    if reviewer.ended_at is not None:
        return _("removed")
    return "" if may_call(reviewer) else _("pasted or uploaded")


def _counts(
    asked: Sequence[AskedComparison], reviewers: Sequence[Reviewer], comparison_set: ComparisonSet
) -> Counts:
    """Count the states; a removed model counts only where it answered, since it will not answer any more."""
    active = {reviewer.pk: reviewer for reviewer in reviewers if reviewer.ended_at is None}
    present = [
        comparison for comparison in asked if comparison.reviewer in active or not comparison.is_waiting
    ]
    states = Counter(comparison.state for comparison in present)
    called = {
        key for key, reviewer in active.items() if may_call(reviewer) and comparison_set.closed_at is None
    }
    return Counts(
        total=len(present),
        answered=states[ANSWERED],
        nothing=states[DECLINED] + states[UNREADABLE_ANSWER],
        failed=states[FAILED],
        open=states[OPEN],
        unread=states[UNREAD],
        callable=sum(comparison.state == OPEN and comparison.reviewer in called for comparison in present),
        half=sum(comparison.state == OPEN and comparison.is_half for comparison in present),
    )


def _lines(
    shown: Sequence[QuestionRow], asked: Sequence[AskedComparison], reviewers: Sequence[Reviewer]
) -> list[AnswerRow]:
    found = {(pair.comparison, pair.reviewer): pair for pair in asked}
    wanted = {row.pk for row in shown}
    halves = read_halves(pair for pair in asked if pair.comparison in wanted)
    lines = []
    for row in shown:
        pairs = [found[row.pk, reviewer.pk] for reviewer in reviewers]
        cells = [(pair, state_word(pair, halves.get(pair.review or 0))) for pair in pairs]
        lines.append(AnswerRow(row.number, one_line(row.question, LONGEST_SHOWN), cells))
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


def _error(job: Job | None) -> str:
    if job is None or job.state not in (JOB_FAILED, CANCELLED):
        return ""
    return job.error if job.state == JOB_FAILED else _("The calls were stopped before all were made.")
