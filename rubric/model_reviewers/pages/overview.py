"""How far the model reviewers of a set are: every comparison against every model, calls, tokens and what they cost."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Count, Q, Sum
from django.db.models.functions import Substr
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import Struct

from rubric.core.records import HOLISTIC, PARTIAL, RUBRIC
from rubric.model_reviewers.core import ANSWERED, DECLINED, FAILED, OPEN, UNREAD, UNREADABLE_ANSWER
from rubric.model_reviewers.permissions import check_ask_models
from rubric.model_reviewers.queries import (
    AskedComparison,
    get_model_name,
    load_asked,
    may_call,
    model_reviewers,
)
from rubric.models import Answer, Comparison, ComparisonSet, Reviewer
from rubric.models.comparisons import MODEL
from rubric.models.reviews import FETCHED
from rubric.sets.pages import ASKING, SetFrame, build_set_frame
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
    HOLISTIC: gettext_lazy("answered as a whole"),
}


class StateWord(Struct, frozen=True):
    """A state in a word, and its tone."""

    says: str
    tone: str


class AnswerCell(Struct, frozen=True):
    """One comparison and one model: leads to their page. `flag_count` are remarks on what was read."""

    comparison: int
    reviewer: int
    model: str
    said: StateWord
    flag_count: int
    superseded_count: int


class AnswerRow(Struct, frozen=True):
    """One comparison and its cells, in the order of the models."""

    number: int
    question: str
    cells: list[AnswerCell]


class ModelColumn(Struct, frozen=True):
    """One model: what it is called, what a call asks for, and why it is not called, "" when it is."""

    name: str
    model: str
    note: str


class Counts(Struct, frozen=True):
    """How many answers are in which state; `callable` of those to come can be fetched by calls."""

    total: int
    answered: int
    nothing: int
    failed: int
    open: int
    unread: int
    callable: int


class Spent(Struct, frozen=True):
    """Live calls of the set, with their tokens and their cost as far as prices are known; `unpriced` calls lack it."""

    calls: int
    prompt_tokens: str
    answer_tokens: str
    cost: str
    unpriced: int


class AnswersPage(Struct, frozen=True):
    """The model reviewers of a set. Refusals say why something cannot be done now, "" when it can."""

    head: SetFrame
    columns: list[ModelColumn]
    lines: list[AnswerRow]
    counts: Counts
    spent: Spent
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
    head = build_set_frame(comparison_set=comparison_set, current=ASKING, person=person)
    reviewers = model_reviewers(comparison_set)
    rows = _comparisons(comparison_set)
    asked = load_asked(comparison_set, reviewers, comparisons=[row.pk for row in rows])
    shown = [row for row in rows if row.number >= start][:PAGE_SIZE]
    counts = _counts(asked, reviewers, comparison_set)
    jobs = {job.kind: job for job in _jobs(comparison_set)}
    asking = jobs.get("ask_models")
    is_asking = asking is not None and asking.state in (QUEUED, RUNNING)
    is_live = is_asking or (
        bool(counts.unread) and any(job.state in (QUEUED, RUNNING) for job in jobs.values())
    )
    came = counts.total - counts.open - counts.unread
    previous, following, says = _pager(start, shown, len(rows))
    ask_refusal = get_refusal(check_ask_models, person, comparison_set)
    return AnswersPage(
        head=head,
        columns=[
            ModelColumn(reviewer.name, get_model_name(reviewer), _note(reviewer)) for reviewer in reviewers
        ],
        lines=_lines(shown, asked, reviewers),
        counts=counts,
        spent=_spent(comparison_set),
        is_asking=is_asking,
        is_live=is_live,
        bar=ProgressBar(_("Answers that came"), came, counts.total, _("answers")) if is_live else None,
        worker_note=worker_note(now) if is_live else "",
        error=_error(asking),
        # Whoever leads an open set may change it; only others are told why not.
        change_refusal=""
        if head.may_lead and not head.is_closed
        else get_refusal(check_change_set, person, comparison_set),
        ask_refusal=ask_refusal,
        previous=previous,
        next=following,
        says=says,
    )


def state_word(asked: AskedComparison) -> StateWord:
    """How far one answer is, in a word."""
    if asked.state == ANSWERED:
        return StateWord(str(READ[asked.mode]), "pending" if asked.mode == PARTIAL else "pass")
    says, tone = STATES[asked.state]
    return StateWord(str(says), tone)


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


def cost_text(cost: Decimal | None) -> str:
    """US dollars; a call costs a fraction of a cent, so small sums have four decimals. "" when it is not known."""
    if cost is None:
        return ""
    return f"${cost:,.2f}" if cost >= 1 else f"${cost:.4f}"


def _pager(start: int, shown: Sequence[QuestionRow], count: int) -> tuple[str, str, str]:
    """The ends of the addresses of the pages before and after, and where this is; "" when it is the only one."""
    last = shown[-1].number if shown else 0
    previous = f"?from={max(1, start - PAGE_SIZE)}" if start > 1 else ""
    following = f"?from={last + 1}" if last < count else ""
    if not (previous or following):
        return "", "", ""
    says = _("%(first)s to %(last)s of %(count)s") % {"first": start, "last": last, "count": count}
    return previous, following, says


def _note(reviewer: Reviewer) -> str:
    if reviewer.ended_at is not None:
        return _("taken out")
    return "" if may_call(reviewer) else _("pasted or uploaded")


def _counts(
    asked: Sequence[AskedComparison], reviewers: Sequence[Reviewer], comparison_set: ComparisonSet
) -> Counts:
    """Those of models that were taken out count only where they answered: nothing more is to come from them."""
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
    )


def _lines(
    shown: Sequence[QuestionRow], asked: Sequence[AskedComparison], reviewers: Sequence[Reviewer]
) -> list[AnswerRow]:
    found: Mapping[tuple[int, int], AskedComparison] = {
        (comparison.comparison, comparison.reviewer): comparison for comparison in asked
    }
    return [
        AnswerRow(
            number=row.number,
            question=one_line(row.question, LONGEST_SHOWN),
            cells=[_cell(row, reviewer, found[row.pk, reviewer.pk]) for reviewer in reviewers],
        )
        for row in shown
    ]


def _cell(row: QuestionRow, reviewer: Reviewer, asked: AskedComparison) -> AnswerCell:
    return AnswerCell(
        comparison=row.number,
        reviewer=reviewer.pk,
        model=reviewer.name,
        said=state_word(asked),
        flag_count=asked.flag_count,
        superseded_count=asked.superseded_count,
    )


def _spent(comparison_set: ComparisonSet) -> Spent:
    rows = Answer.objects.filter(review__reviewer__set=comparison_set, review__reviewer__kind=MODEL)
    found = rows.filter(source=FETCHED).aggregate(
        calls=Count("pk"),
        prompt=Sum("prompt_tokens"),
        answer=Sum("answer_tokens"),
        cost=Sum("cost_usd"),
        unpriced=Count("pk", filter=Q(cost_usd=None, prompt_tokens__isnull=False)),
    )
    return Spent(
        calls=found["calls"],
        prompt_tokens=f"{found['prompt'] or 0:,}",
        answer_tokens=f"{found['answer'] or 0:,}",
        cost=cost_text(found["cost"]),
        unpriced=found["unpriced"],
    )


def _jobs(comparison_set: ComparisonSet) -> list[Job]:
    subject = f"comparison_set:{comparison_set.pk}"
    return list(Job.objects.filter(subject=subject, kind__in=("ask_models", "read_answers")))


def _error(job: Job | None) -> str:
    if job is None or job.state not in (JOB_FAILED, CANCELLED):
        return ""
    return job.error if job.state == JOB_FAILED else _("The calls were stopped before all were made.")
