"""Whether a set's figures are there, of the present input, or on their way; and what the statistics pages share."""

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from rubric.core.agreement.estimates import Agreement, Interval
from rubric.core.figured import AGREEMENT, KINDS, MANNERS, SUCCESS, TUNING
from rubric.core.manners.residuals import Manner
from rubric.core.success.figures import Figure
from rubric.models import ComparisonSet, Reviewer, SetFigures
from rubric.models.figured import SET_STATISTICS
from workspace.models import Person
from workspace.pages.stored_statistics import StatisticsState, read_state

KIND_NAMES = {
    MANNERS: gettext_lazy("Reviewers"),
    AGREEMENT: gettext_lazy("Agreement"),
    SUCCESS: gettext_lazy("Success"),
    TUNING: gettext_lazy("Weights"),
}
ROUTES = {kind: f"set_{kind}" for kind in KINDS}


class FiguresState(StatisticsState, frozen=True, kw_only=True):
    """The state of the figures of one kind, and the address of their page."""

    route: str
    slug: str
    number: int

    @property
    def review_count(self) -> int:
        """The reviews that the figures come from."""
        return self.count


def build_state(
    *, comparison_set: ComparisonSet, kind: str, now: datetime
) -> tuple[FiguresState, SetFigures | None]:
    """The state of that kind's figures, and their row when they are of the present input."""
    state, row = read_state(
        store=SET_STATISTICS, owner=comparison_set, kind=kind, names=KIND_NAMES, since=_since, now=now
    )
    slug, number = comparison_set.project.slug, comparison_set.number
    return FiguresState(**state, route=ROUTES[kind], slug=slug, number=number), row


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


def _since(more: int) -> str:
    """That there are figures of other input, and how many reviews came since."""
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
