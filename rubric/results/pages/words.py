"""Names of responses, formats of figures and addresses of switches, shared by all result pages."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from msgspec import Struct

from rubric.core.records import Criterion, RubricRecord
from rubric.core.scales import HIGHEST, LOWEST
from rubric.core.scores import get_weights, rank_values, round_half_up
from rubric.core.weights import Number, exact
from rubric.models import ComparisonSet, RubricVersion
from rubric.results.core.ranking_uncertainty import MARGIN, Lead
from rubric.reviews.core.panel import compute_rank_numbers
from workspace.core.text import with_minus
from workspace.display.core.charts import DotRow, DotsChart, dot_plot
from workspace.statistics.estimates import Interval


class NamedResponse(Struct, frozen=True):
    """One response. Its name is the author, else its key, else its number; `key` is the number as text."""

    key: str
    number: int
    name: str
    author: str
    words: int

    @property
    def is_named(self) -> bool:
        return self.name != _("Response %(number)d") % {"number": self.number}


class ResultsQuery(Struct, frozen=True):
    """The parameters of a result page: version, whether incomplete reviews count, page.

    `under` is "" for the set's own version, `whole` the number of a response that is shown in full.
    """

    version: RubricVersion
    under: str = ""
    with_incomplete: bool = False
    whole: int = 0
    page: int = 1

    @property
    def record(self) -> RubricRecord:
        return self.version.to_record()

    @property
    def shares(self) -> dict[str, Fraction]:
        """Its weights, exact."""
        return get_weights(self.record)

    @property
    def criteria(self) -> list[Criterion]:
        return self.record.criteria

    def query(self, **changed: str | int) -> str:
        """The query string with the values of `changed`; "?" when every parameter has its default."""
        values: dict[str, str | int] = {
            "under": self.under,
            "incomplete": "yes" if self.with_incomplete else "",
            "page": self.page if self.page > 1 else "",
        } | changed
        return "?" + urlencode({name: value for name, value in values.items() if value})


def list_version_options(comparison_set: ComparisonSet) -> list[tuple[str, str]]:
    """Value and label of each published version of the set's rubric; the value of the set's own version is ""."""
    own = comparison_set.rubric_version
    others = RubricVersion.objects.published().filter(rubric=own.rubric_id).exclude(pk=own.pk)
    numbers = others.order_by("pk").values_list("number", flat=True)
    return [
        ("", _("%(number)s, of this set") % {"number": own.number}),
        *((number, number) for number in numbers),
    ]


def name_responses(responses: Iterable[tuple[int, str, str, int]]) -> dict[str, NamedResponse]:
    """Each response (number, key, author, words) by its number as text; equal names get their numbers appended."""
    listed = list(responses)
    names = [author or (key if key != str(number) else "") for number, key, author, _words in listed]
    counts = Counter(names)
    found = {}
    for (number, _key, author, words), name in zip(listed, names, strict=True):
        shown = name or _("Response %(number)d") % {"number": number}
        if name and counts[name] > 1:
            shown = f"{name} ({number})"
        found[str(number)] = NamedResponse(str(number), number, shown, author, words)
    return found


def two(value: Fraction | float | None) -> str:
    """A score with two decimals, halves up; "" without one."""
    if value is None:
        return ""
    known = value if isinstance(value, Fraction) else Fraction(str(round(value, 9)))
    return with_minus(str(round_half_up(known)))


def gap_text(value: Fraction | float | None) -> str:
    """A difference of scores with two decimals, or as many as it takes to show that it is not 0."""
    if value is None:
        return ""
    known = value if isinstance(value, Fraction) else Fraction(str(round(value, 9)))
    found = (round_half_up(known, places) for places in range(2, 9))
    return with_minus(next((str(shown) for shown in found if shown), "0.00"))


def weight_text(value: Number | None) -> str:
    """A weight in percent with as many decimals as it needs, two at most; "" without one."""
    return "" if value is None else f"{round_half_up(exact(value) * 100, 2).normalize():f}\u00a0%"


def percent_text(share: float | None) -> str:
    """A share in whole percent, 0 or 100 only if it is exactly that; "" without one."""
    if share is None:
        return ""
    if 0 < share < 0.005:
        return "< 1\u00a0%"
    if 0.995 <= share < 1:
        return "> 99\u00a0%"
    return f"{100 * share:.0f}\u00a0%"


def range_text(interval: Interval | None, shown: Callable[[float], str] = two) -> str:
    """ "7.10 to 8.40", "" without an interval."""
    if interval is None:
        return ""
    return _("%(low)s to %(high)s") % {"low": shown(interval[0]), "high": shown(interval[1])}


def difference_text(value: Fraction | float | None, interval: Interval | None) -> str:
    """ "0.03 (-0.13 to 0.19)": a difference and its interval, if it has one."""
    if interval is None:
        return gap_text(value)
    return _("%(gap)s (%(interval)s)") % {"gap": gap_text(value), "interval": gap_range_text(interval)}


def gap_range_text(interval: Interval | None) -> str:
    """ "-0.13 to 0.19"; an end that is not 0 is never shown as 0.00; "" without an interval."""
    return range_text(interval, gap_text)


def lead_word(lead: Lead, *, is_unanimous: bool = False) -> str:
    """The words for a lead: a tie, level, ahead, or that this number of reviewers cannot tell.

    Unanimous reviewers tell who is first, so what remains open is by how much.
    """
    if lead.word == "tie":
        return _("tie")
    if lead.word == "ahead":
        return _("ahead")
    if lead.word == "level":
        return _("level within %(margin)s") % {"margin": two(MARGIN)}
    if is_unanimous:
        return _("by how much is open")
    said = ngettext("can't tell with %(n)d reviewer", "can't tell with %(n)d reviewers", lead.panel_size)
    return said % {"n": lead.panel_size}


def unanimous_text(reviewers: int, chance: float, name: str) -> str:
    """ "Alpha: all 3 reviewers put it first (by chance 11 %)."; "" if they do not, or if there is only one."""
    if not reviewers:
        return ""
    says = _("%(name)s: all %(n)d reviewers put it first (by chance %(chance)s\u00a0%%).")
    return says % {"name": name, "n": reviewers, "chance": f"{100 * chance:.2g}"}


def rank_by_value(values: Mapping[str, Fraction | float | None]) -> dict[str, int]:
    """The rank of each key by its value, the highest first; ties share a rank."""
    return compute_rank_numbers(rank_values(values))


def join_names(names: Iterable[str]) -> str:
    several = list(names)
    if len(several) < 2:
        return "".join(several)
    return _("%(most)s and %(last)s") % {"most": ", ".join(several[:-1]), "last": several[-1]}


def ranked_alone_text(places: Iterable[tuple[str, Fraction | None]]) -> str:
    """What is first where no score counts, from (name, mean rank): by rankings alone, or nothing."""
    known = [(name, place) for name, place in places if place is not None]
    if not known:
        return _("No score counts yet, so nothing is ranked.")
    best = min(place for _name, place in known)
    said = _("No score counts yet. By rankings alone the best mean rank, %(place)s, goes to %(names)s.")
    return said % {"names": join_names(name for name, place in known if place == best), "place": two(best)}


def draw_means(
    rows: Iterable[tuple[str, list[float], Fraction | None, Interval | None]], *, is_cut: bool = False
) -> DotsChart:
    """Means with the values behind them, as (name, values, mean, interval), on the scale from 1 to 10.

    `is_cut` begins the scale at the whole number below all values.
    """
    drawn = []
    for name, values, mean, interval in rows:
        low, high = interval or (None, None)
        at = None if mean is None else float(mean)
        drawn.append(DotRow(name, values, at, two(mean), low, high, range_text(interval)))
    ends = (value for row in drawn for value in (*row.points, HIGHEST - 1 if row.low is None else row.low))
    lowest = min(ends, default=LOWEST) if is_cut else LOWEST
    return dot_plot(drawn, minimum=max(LOWEST, int(lowest)), maximum=HIGHEST)
