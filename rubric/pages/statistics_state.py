"""Whether a set's figures are there, of the present input, or on their way; and what the statistics pages share."""

from datetime import datetime
from typing import Any

import msgspec
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from msgspec import Struct

from rubric.core.agreement.estimates import Agreement, Interval
from rubric.core.figured import AGREEMENT, KINDS, MANNERS, SUCCESS, TUNING
from rubric.core.manners.residuals import Manner
from rubric.core.success.figures import Figure
from rubric.models import ComparisonSet, Reviewer, SetFigures
from rubric.models.figured import FIGURE_SET, stored_figures, subject_of
from workspace.models import Job, Person
from workspace.models.jobs import CANCELLED, FAILED, QUEUED, RUNNING
from workspace.pages.progress import worker_note

KIND_NAMES = {
    MANNERS: gettext_lazy("Reviewers"),
    AGREEMENT: gettext_lazy("Agreement"),
    SUCCESS: gettext_lazy("Success"),
    TUNING: gettext_lazy("Weights"),
}
ROUTES = {kind: f"set_{kind}" for kind in KINDS}


class Part(Struct, frozen=True):
    """One kind of figures: what it is called, and whether it is computed."""

    name: str
    is_done: bool


class FiguresState(Struct, frozen=True):
    """Where the figures of one kind stand. They are shown when `is_there`, and never when they are of other input.

    `is_live` says that a job waits or runs. `since` is a sentence about figures of other input, "" without any.
    """

    kind: str
    route: str
    slug: str
    number: int
    is_there: bool
    is_live: bool
    computed_at: datetime | None
    review_count: int
    done: int
    parts: list[Part]
    since: str
    worker_note: str
    error: str


def build_state(
    *, comparison_set: ComparisonSet, kind: str, now: datetime
) -> tuple[FiguresState, SetFigures | None]:
    """The state of that kind's figures, and their row when they are of the present input."""
    stored = stored_figures(comparison_set)
    count, key = stored.reviews, stored.rows.get(kind)
    row = None if key is None else SetFigures.objects.get(pk=key)
    job = None
    if row is None and count:
        job = Job.objects.filter(kind=FIGURE_SET, subject=subject_of(comparison_set)).order_by("-pk").first()
    is_live = job is not None and job.state in (QUEUED, RUNNING)
    state = FiguresState(
        kind=kind,
        route=ROUTES[kind],
        slug=comparison_set.project.slug,
        number=comparison_set.number,
        is_there=row is not None,
        is_live=is_live,
        computed_at=row.created_at if row else None,
        review_count=count,
        done=len(stored.rows),
        parts=[Part(str(KIND_NAMES[each]), each in stored.rows) for each in KINDS],
        since=_since(comparison_set, kind, count) if row is None and count and not is_live else "",
        worker_note=worker_note(now) if is_live else "",
        error=_error(job) if job is not None else "",
    )
    return state, row


def names_of(comparison_set: ComparisonSet, person: Person, *, is_lead: bool) -> dict[str, str]:
    """What reviewers are called, by their keys: everybody by name for leads, only oneself for a reviewer."""
    names, others = {}, 0
    for each in Reviewer.objects.filter(set=comparison_set).order_by("pk"):
        if is_lead or each.person_id == person.pk:
            names[str(each.pk)] = each.name
        else:
            others += 1
            names[str(each.pk)] = _("another reviewer (%(number)d)") % {"number": others}
    return names


def interval_text(interval: Interval | None, places: int = 2) -> str:
    """ "0.41 to 0.52", "" without an interval."""
    return _("%(low)s to %(high)s") % {
        "low": number(interval[0], places), "high": number(interval[1], places),
    } if interval else ""  # fmt: skip


def number(value: float | None, places: int = 2) -> str:
    """A figure with so many decimals, never "-0.00"; "" without one."""
    if value is None:
        return ""
    shown = f"{value:.{places}f}"
    return shown.removeprefix("-") if float(shown) == 0 else shown


def signed(value: float | None, places: int = 2) -> str:
    """A figure with its sign."""
    shown = number(value, places)
    return shown if not shown or float(shown) <= 0 else f"+{shown}"


def why_not(found: Figure | Manner | Agreement) -> str:
    """The sentence for a figure that is not there, or for its interval."""
    return found.reason or found.interval_reason


def p_text(p: float | None) -> str:
    """A p as it is printed: with three decimals, and never 0."""
    return "" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def body_of(row: SetFigures, shape: type[Any]) -> Any:
    """What is stored, in its shape."""
    return msgspec.json.decode(row.body, type=shape)


def _since(comparison_set: ComparisonSet, kind: str, count: int) -> str:
    """That there are figures of other input, from when, and how many reviews came since."""
    last = SetFigures.objects.filter(set=comparison_set, kind=kind).order_by("-created_at", "-pk").first()
    if last is None:
        return ""
    more = count - int(msgspec.json.decode(last.body)["reviews"])
    if more <= 0:
        return _(
            "The figures there are come from other reviews or an earlier way of computing, so they are not shown."
        )
    sentence = ngettext(
        "%(n)d review came in since the figures were computed, so they are not shown.",
        "%(n)d reviews came in since the figures were computed, so they are not shown.",
        more,
    )
    return sentence % {"n": more}


def _error(job: Job) -> str:
    if job.state == CANCELLED:
        return _("The work was cancelled before its end.")
    return job.error if job.state == FAILED else ""
