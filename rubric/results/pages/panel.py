"""One comparison's ranking by one kind of score: the table, the dots behind each mean, and how certain the lead is."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from msgspec import Struct

from rubric.core.records import HOLISTIC, RUBRIC
from rubric.results.core.ranking_uncertainty import (
    LEAST_PANEL,
    MARGIN,
    Lead,
    compute_unanimity,
    count_unanimous,
    find_open,
    leads,
    mean_interval,
)
from rubric.results.pages.words import (
    NamedResponse,
    difference_text,
    draw_means,
    gap_range_text,
    gap_text,
    join_names,
    lead_word,
    percent_text,
    ranked_alone_text,
    two,
    unanimous_text,
)
from rubric.reviews.core.panel import Panel, PanelScore, Rankings, ResponseRank, counted_values, panel
from workspace.display.core.charts import DotsChart
from workspace.display.core.multiples import REVIEWERS
from workspace.statistics.estimates import Interval

TITLES = {RUBRIC: gettext_lazy("By overall"), HOLISTIC: gettext_lazy("By holistic score")}
FALLBACK = gettext_lazy("Fallback: by holistic score")


class RankingRow(Struct, frozen=True):
    """One response of the ranking, with the values that count."""

    response: NamedResponse
    rank: ResponseRank
    is_tie: bool
    values: list[Fraction]
    interval: Interval | None


class PanelPart(Struct, frozen=True):
    """The ranking by one kind of score. `answer` says who answers best, if that can be told.

    `lead` is a sentence about the first response and its lead.

    `leads` are (rival, lead, its interval, the word for it).
    """

    kind: str
    title: str
    answer: str
    lead: str
    first: list[str]
    rows: list[RankingRow]
    chart: DotsChart
    leads: list[tuple[str, Lead, str, str]]
    changes: str
    found: Panel
    margin: str

    least_reviewers: int = REVIEWERS

    @property
    def id(self) -> str:
        return f"by-{self.kind}"

    @property
    def dot_count(self) -> int:
        return max((len(row.values) for row in self.rows), default=0)


def build_panel(
    judgements: Sequence[PanelScore],
    named_responses: Mapping[str, NamedResponse],
    *,
    kind: str,
    with_incomplete: bool,
    rankings: Rankings | None = None,
    rounding: float = 0.0,
    is_fallback: bool = False,
) -> PanelPart:
    """The ranking from judgements in the order of the responses; the title of a fallback says so.

    `rounding` is the variance that rounding gives one value.
    """
    found = panel(judgements, kind=kind, with_incomplete=with_incomplete, rankings=rankings)
    values = counted_values(judgements, kind, with_incomplete=with_incomplete)
    standings = [standing for standing in found.standings if standing.place is not None]
    first = [standing.response for standing in standings if standing.place == 1]
    rivals = [standing.response for standing in standings if standing.response != first[0]] if first else []
    ahead = leads(values, first[0], rivals, rounding) if first else []
    unanimous = count_unanimous(values, first[0], rankings) if len(first) == 1 else 0
    rows = _rows(found, values, named_responses, rounding)
    chance = compute_unanimity(values, rankings) if unanimous else 1.0
    return PanelPart(
        kind=kind,
        title=str(FALLBACK if is_fallback else TITLES[kind]),
        answer=_name_best(first, ahead, named_responses),
        lead=_lead_sentence(first, found, ahead, named_responses, unanimous=unanimous, chance=chance),
        first=first,
        rows=rows,
        chart=draw_means(
            (row.response.name, [float(value) for value in row.values], row.rank.mean, row.interval)
            for row in rows
        ),
        leads=[_lead_row(lead, named_responses, is_unanimous=unanimous > 0) for lead in ahead],
        changes=_changes(found, named_responses),
        found=found,
        margin=two(MARGIN),
    )


def _lead_row(
    lead: Lead, named_responses: Mapping[str, NamedResponse], *, is_unanimous: bool
) -> tuple[str, Lead, str, str]:
    word = lead_word(lead, is_unanimous=is_unanimous)
    return named_responses[lead.rival].name, lead, gap_range_text(lead.interval), word


def _rows(
    found: Panel,
    values: Mapping[str, Mapping[str, Fraction]],
    named_responses: Mapping[str, NamedResponse],
    rounding: float,
) -> list[RankingRow]:
    places = [rank.place for rank in found.standings]
    known = {rank.response for rank in found.standings}
    counted = {
        key: [given[key] for given in values.values() if key in given] for key in (*known, *named_responses)
    }
    unranked = [ResponseRank(key, None, 0, None, None, None) for key in named_responses if key not in known]
    return [
        RankingRow(
            response=named_responses[rank.response],
            rank=rank,
            is_tie=rank.place is not None and places.count(rank.place) > 1,
            values=counted[rank.response],
            interval=mean_interval(counted[rank.response], rounding),
        )
        for rank in [*found.standings, *unranked]
    ]


def _name_best(
    first: Sequence[str], ahead: Sequence[Lead], named_responses: Mapping[str, NamedResponse]
) -> str:
    word = find_open(ahead).word if ahead else ""
    names = join_names(named_responses[key].name for key in first)
    if word == "ahead":
        return _("%(name)s answers best, by %(gap)s points") % {"name": names, "gap": gap_text(ahead[0].gap)}
    if word == "level":
        names = join_names([names, named_responses[find_open(ahead).rival].name])
        return _("%(names)s are level") % {"names": names}
    if len(first) > 1:
        return _("%(names)s share the first rank") % {"names": names}
    return _("Nobody can tell who answers best")


def _lead_sentence(
    first: Sequence[str],
    found: Panel,
    ahead: Sequence[Lead],
    named_responses: Mapping[str, NamedResponse],
    *,
    unanimous: int,
    chance: float,
) -> str:
    """Whether every reviewer puts the first response first, then how certain its lead is over all others."""
    if not first:
        return ranked_alone_text(
            (named_responses[row.response].name, row.mean_rank) for row in found.standings
        )
    values = {
        "names": join_names(named_responses[key].name for key in first), "mean": two(found.standings[0].mean),
    }  # fmt: skip
    if not ahead:
        return _("%(names)s has a mean of %(mean)s; no other response has scores that count.") % values
    if len(first) > 1:
        return _("%(names)s share the first rank with a mean of %(mean)s: a tie.") % values
    name, nearest = values["names"], find_open(ahead)
    rival = named_responses[nearest.rival].name
    worth = _worth(name, rival, nearest, len(ahead), is_unanimous=unanimous > 0)
    return f"{unanimous_text(unanimous, chance, name)} {worth}" if unanimous else worth


def _worth(name: str, rival: str, lead: Lead, rivals: int, *, is_unanimous: bool) -> str:
    values = {
        "name": name, "rival": rival, "gap": difference_text(lead.gap, lead.interval), "margin": two(MARGIN),
        "chance": percent_text(lead.chance), "n": lead.reviewers,
    }  # fmt: skip
    drawn = _("With reviewers resampled it stays ahead in %(chance)s of draws.") % values
    if is_unanimous and lead.word == "cannot_tell":
        return _("By how much it leads %(rival)s is open: %(gap)s.") % values
    if lead.interval is None:
        return (
            _(
                "%(name)s scores %(gap)s more than %(rival)s. One of the two was judged by one reviewer alone, so it "
                "cannot be told whether it is ahead."
            )
            % values
        )
    if lead.word == "ahead":
        said = _("%(name)s is ahead of %(rival)s by %(gap)s.")
        if rivals > 1:
            said = _("%(name)s is ahead of all others, of %(rival)s by %(gap)s.")
        return said % values + f" {drawn}"
    if lead.word == "level":
        return (
            _(
                "%(name)s and %(rival)s are level: %(gap)s. The whole interval lies within %(margin)s points either "
                "way."
            )
            % values
        )
    said = ngettext(
        "%(name)s scores %(gap)s more than %(rival)s: whether others would agree cannot be told with %(n)d reviewer.",
        "%(name)s scores %(gap)s more than %(rival)s: whether others would agree cannot be told with %(n)d reviewers.",
        lead.reviewers,
    )
    return said % values + (f" {drawn}" if lead.reviewers >= LEAST_PANEL else "")


def _changes(found: Panel, named_responses: Mapping[str, NamedResponse]) -> str:
    """The ranks that differ by mean rank; "" when nothing is ranked."""
    ranked_rows = {standing.response: standing for standing in found.standings if standing.place is not None}
    changed = [ranked_rows[key] for key in found.changes if key in ranked_rows]
    if not ranked_rows:
        return ""
    if not changed:
        return _("The mean ranks of the reviewers' own lists give the same order.")
    parts = [
        _("%(name)s: %(there)s instead of %(here)s")
        % {
            "name": named_responses[rank.response].name,
            "there": rank.place_by_places or "–",
            "here": rank.place,
        }
        for rank in changed
    ]
    return _("The mean ranks of the reviewers' own lists give other ranks: %(parts)s.") % {
        "parts": join_names(parts)
    }
