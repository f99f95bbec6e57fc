"""The page of all components: sample values for the real templates."""

from datetime import UTC, datetime, timedelta

from django.utils.translation import gettext as _
from msgspec import Struct

from workspace.display.core.charts import (
    BarRow,
    BarsChart,
    DotRow,
    DotsChart,
    IntervalRow,
    IntervalsChart,
    Segment,
    dot_plot,
    interval_plot,
    share_bar,
    threshold_bars,
)

HOSTILE = "Ana\u202e <b>&"


class SampleRow(Struct, frozen=True):
    """One row of the sample table."""

    name: str
    games: int
    share: float
    cost: float
    change: float | None
    at: datetime


class SampleCriterion(Struct, frozen=True):
    """What a rubric says about one criterion."""

    description: str
    guiding_questions: list[str]
    good_examples: list[str]
    bad_examples: list[str]


class DesignPage(Struct, frozen=True):
    """Sample values; `scheme` is "light", "dark" or "" for the setting of the viewer's browser."""

    scheme: str
    hostile: str
    rows: list[SampleRow]
    bars: BarsChart
    dots: DotsChart
    intervals: IntervalsChart
    shares: list[Segment]
    criterion: SampleCriterion
    is_open: bool = True


def build_design_page(*, scheme: str, now: datetime) -> DesignPage:
    """The page in that scheme; recent moments are relative to `now`."""
    long_ago = datetime(2026, 3, 2, 9, 5, tzinfo=UTC)
    rows = [
        SampleRow("Ana", 12, 87.5, 1.8, 4.2, now - timedelta(hours=3)),
        SampleRow("Bo", 7, 79.96, 3.004, -3.1, now - timedelta(days=2)),
        SampleRow(HOSTILE, 0, 100.0, 0.0, None, long_ago),
    ]
    dots = [DotRow(_("Responses"), [3, 6, 6, 8, 9], 6.4, "6.4", 4.1, 8.7, _("4.1 to 8.7"))]
    intervals = [
        IntervalRow("alpha", 0.62, "0.62", 0.48, 0.74),
        IntervalRow(_("Compared"), 0.31, "0.31", hollow=0.4),
    ]
    return DesignPage(
        scheme=scheme,
        hostile=HOSTILE,
        rows=rows,
        bars=threshold_bars(_bars()),
        dots=dot_plot(dots, minimum=1, maximum=10),
        intervals=interval_plot(intervals, minimum=0, maximum=1, reference=0.5),
        shares=share_bar(
            [
                (_("Won"), "50\u00a0%", 0.5),
                (_("Level"), "25\u00a0%", 0.25),
                (_("Lost"), "15\u00a0%", 0.15),
                (_("None"), "10\u00a0%", 0.1),
            ]
        ),
        criterion=SampleCriterion(
            _("Does the agent refer to what was said before?"),
            [_("Is the message named that it answers?")],
            [_("In round 2 you voted for Bo.")],
            [_("As somebody said.")],
        ),
    )


def _bars() -> list[BarRow]:
    return [
        BarRow(
            _("Passes"),
            87.5,
            80,
            "87.5\u00a0%",
            "pass",
            "PASS",
            "35 of 40",
            75.0,
            94.0,
            interval_text="75 to 94",
        ),
        BarRow(_("Fails"), 58.0, 60, "58.0\u00a0%", "fail", "FAIL", "29 of 50"),
        BarRow(_("Not known yet"), None, 80, _("pending")),
        BarRow(_("Less is better"), 30, None, "30", "less"),
        BarRow(_("More is better"), 70, None, "70", "more"),
    ]
