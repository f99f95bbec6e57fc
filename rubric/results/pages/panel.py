"""One comparison's ranking by one kind of score: the table, the dots behind each mean, and what the lead is worth."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import Struct

from rubric.core.records import HIGHEST, HOLISTIC, LOWEST, RUBRIC
from rubric.results.core.ranking_uncertainty import Lead, leads, mean_interval
from rubric.results.pages.words import Candidate, gap_text, join_names, percent_text, range_text, two
from rubric.reviews.core.panel import Judgement, Panel, ResponseRank, counted_values, panel
from workspace.display.core.charts import DotRow, DotsChart, dot_plot

TITLES = {RUBRIC: gettext_lazy("By overall"), HOLISTIC: gettext_lazy("By score as a whole")}
FALLBACK = gettext_lazy("Fallback: by score as a whole")

WORDS = {
    "level": gettext_lazy("level"),
    "one_reviewer": gettext_lazy("cannot tell: one reviewer alone"),
    "tie": gettext_lazy("a tie: less than reviewers differ by"),
    "ahead": gettext_lazy("ahead by more than reviewers differ by"),
}


class RankingRow(Struct, frozen=True):
    """One response's line of the ranking; texts are "" where nobody's score counts."""

    candidate: Candidate
    place: int | None
    is_shared: bool
    mean: str
    interval: str
    count: int
    mean_rank: str
    other_place: int | None
    is_changed: bool


class LeadRow(Struct, frozen=True):
    """The first against one other response."""

    name: str
    gap: str
    noise: str
    chance: str
    says: str


class PanelPart(Struct, frozen=True):
    """The ranking by one kind of score. `lead` says in a sentence who is first and by how much."""

    kind: str
    title: str
    lead: str
    first: list[str]
    rows: list[RankingRow]
    chart: DotsChart
    leads: list[LeadRow]
    changes: str
    reviewer_count: int
    found: Panel

    @property
    def id(self) -> str:
        """The name of its place on the page."""
        return f"by-{self.kind}"


def build_panel(
    judgements: Sequence[Judgement],
    candidates: Mapping[str, Candidate],
    *,
    kind: str,
    with_incomplete: bool,
    is_fallback: bool = False,
) -> PanelPart:
    """The ranking from judgements that are in the order of the responses; a fallback is called one."""
    found = panel(judgements, kind=kind, with_incomplete=with_incomplete)
    values = counted_values(judgements, kind, with_incomplete=with_incomplete)
    standings = [standing for standing in found.standings if standing.place is not None]
    first = [standing.response for standing in standings if standing.place == 1]
    rivals = [standing.response for standing in standings if standing.response != first[0]] if first else []
    ahead = leads(values, first[0], rivals) if first else []
    rows = _rows(found, values, candidates)
    return PanelPart(
        kind=kind,
        title=str(FALLBACK if is_fallback else TITLES[kind]),
        lead=_lead_sentence(first, standings, ahead, candidates),
        first=first,
        rows=rows,
        chart=_chart(rows, values),
        leads=[_lead_row(lead, candidates) for lead in ahead],
        changes=_changes(found, candidates),
        reviewer_count=len(values),
        found=found,
    )


def _rows(
    found: Panel, values: Mapping[str, Mapping[str, Fraction]], candidates: Mapping[str, Candidate]
) -> list[RankingRow]:
    places = [standing.place for standing in found.standings]
    known = {standing.response for standing in found.standings}
    standings = [
        *found.standings,
        *(ResponseRank(key, None, 0, None, None, None) for key in candidates if key not in known),
    ]
    return [
        RankingRow(
            candidate=candidates[standing.response],
            place=standing.place,
            is_shared=standing.place is not None and places.count(standing.place) > 1,
            mean=two(standing.mean),
            interval=range_text(mean_interval(_given(values, standing.response))),
            count=standing.count,
            mean_rank=two(standing.mean_rank),
            other_place=standing.place_by_places,
            is_changed=standing.response in found.changes,
        )
        for standing in standings
    ]


def _given(values: Mapping[str, Mapping[str, Fraction]], response: str) -> list[Fraction]:
    return [given[response] for given in values.values() if response in given]


def _chart(rows: Sequence[RankingRow], values: Mapping[str, Mapping[str, Fraction]]) -> DotsChart:
    drawn = []
    for row in rows:
        given = _given(values, row.candidate.key)
        low, high = mean_interval(given) or (None, None)
        mean = float(sum(given, Fraction()) / len(given)) if given else None
        points = [float(value) for value in given]
        drawn.append(DotRow(row.candidate.name, points, mean, row.mean, low, high, row.interval))
    return dot_plot(drawn, minimum=LOWEST, maximum=HIGHEST)


def _lead_row(lead: Lead, candidates: Mapping[str, Candidate]) -> LeadRow:
    return LeadRow(
        name=candidates[lead.rival].name,
        gap=gap_text(lead.gap),
        noise=gap_text(lead.noise),
        chance=percent_text(lead.chance),
        says=str(WORDS[lead.word]),
    )


def _lead_sentence(
    first: Sequence[str],
    standings: Sequence[ResponseRank],
    ahead: Sequence[Lead],
    candidates: Mapping[str, Candidate],
) -> str:
    """Who is first, by how much, and whether that is more than reviewers differ by."""
    if not standings:
        return _("No score counts yet, so nothing is ranked.")
    names = join_names(candidates[key].name for key in first)
    mean = two(standings[0].mean)
    if len(standings) == 1:
        return _("%(name)s has a mean of %(mean)s; no other response has scores that count.") % {
            "name": names, "mean": mean,
        }  # fmt: skip
    if len(first) > 1:
        return _("%(names)s share the first place with a mean of %(mean)s: a tie.") % {
            "names": names, "mean": mean,
        }  # fmt: skip
    nearest = ahead[0]
    said = _("%(name)s leads %(rival)s by %(gap)s.") % {
        "name": names, "rival": candidates[nearest.rival].name, "gap": gap_text(nearest.gap),
    }  # fmt: skip
    return f"{said} {_worth(nearest)}"


def _worth(lead: Lead) -> str:
    if lead.noise is None:
        return _("One of the two was judged by one reviewer alone, so it cannot be told from noise.")
    values = {"noise": gap_text(lead.noise), "chance": percent_text(lead.chance), "n": lead.reviewers}
    if lead.word == "tie":
        return (
            _(
                "That is a tie: over its %(n)d reviewers the difference is uncertain by %(noise)s either way. "
                "With reviewers drawn anew it stays ahead in %(chance)s of draws."
            )
            % values
        )
    return (
        _(
            "That is more than the %(noise)s by which the difference over its %(n)d reviewers is uncertain. "
            "With reviewers drawn anew it stays ahead in %(chance)s of draws."
        )
        % values
    )


def _changes(found: Panel, candidates: Mapping[str, Candidate]) -> str:
    """Which places differ by the mean of places; "" when nothing is ranked."""
    ranked_rows = {standing.response: standing for standing in found.standings if standing.place is not None}
    changed = [ranked_rows[key] for key in found.changes if key in ranked_rows]
    if not ranked_rows:
        return ""
    if not changed:
        return _(
            "By the mean of their places on the reviewers' own lists every response stands where it does by means."
        )
    parts = [
        _("%(name)s: %(there)s instead of %(here)s")
        % {"name": candidates[rank.response].name, "there": rank.place_by_places or "-", "here": rank.place}
        for rank in changed
    ]
    return _("By the mean of their places on the reviewers' own lists other places come out: %(parts)s.") % {
        "parts": join_names(parts)
    }
