"""A summary says the same in Markdown, JSON and CSV, and nothing in it is ever markup or a formula."""

import csv
import io
from datetime import UTC, datetime
from decimal import Decimal

import msgspec
import pytest

from discussions.history.core.stages import (
    COLUMNS,
    StageSummary,
    SummaryAverage,
    SummaryComparison,
    SummaryDecision,
    SummaryDifference,
    SummaryGame,
    SummaryGate,
    SummaryIteration,
    SummaryWithdrawal,
    figures_csv,
    summary_to_json,
)
from discussions.iterations.core.gates import Signed
from discussions.iterations.core.next_target import MarginText, TargetAdvice
from workspace.display.pages import render_markdown

WHEN = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


HOSTILE = '=HYPERLINK("http://x") <b>|`'


def average(key="coherence", value=66.25, state="fail"):
    return SummaryAverage(
        key=key,
        label=key.capitalize(),
        text=f"{value:.1f}",
        state=state,
        word=state,
        says="mean of 2 games; 1 of 2 pass",
        threshold=70.0,
        value=value,
        second=61.5,
        second_says="mean of 1 game",
        interval=(50.25, 72.75),
        game_count=2,
    )


def game(number=7, **changes):
    given = {
        "number": number,
        "state": "recorded",
        "is_pass": False,
        "scores": {"coherence": 66.25, "engagement": 3.5},
        "passes": {"coherence": False, "engagement": True},
        "by_rule": [],
        "cost_usd": Decimal("1.890000"),
        "is_cost_by_hand": True,
        "cache_hit_rate": None,
        "is_cache_by_hand": False,
    }
    return SummaryGame(**(given | changes))


def difference():
    return SummaryDifference(
        key="coherence",
        label="Coherence",
        is_target=True,
        answer="cannot tell yet",
        rule="the rule says REVERT: 66.2 < 70.0",
        control_mean=70.0,
        change_mean=66.25,
        game_count=4,
        raw=-3.75,
        interval=(-20.0, 12.5),
        by_people=True,
        rebound=0.5,
    )


def iteration(**changes):
    given = {
        "number": 3,
        "name": HOSTILE,
        "kind": "change",
        "stands": "reverted",
        "is_reference": False,
        "change_note": "Shorter *now*",
        "target": "Coherence",
        "hunks_answer": "",
        "diff": ["- old ```", "+ new"],
        "prompt_sha256": "0" * 64,
        "compared_with": 2,
        "rubric": "Discussion quality 1.0",
        "opened_at": WHEN,
        "opened_by": "Lea",
        "games": [game(), game(8, state="open", scores={"coherence": None}, passes={}, cost_usd=None)],
        "withdrawn": [SummaryWithdrawal(game(9), "Cut *short*", "Lea", WHEN)],
        "averages": [average(), average("engagement", 3.5, "pass")],
        "headline": "6/7 FAIL",
        "passes": False,
        "cost": "$1.89 (1 by hand)",
        "cost_says": "Game 8 without a reported cost.",
        "cache": "",
        "cache_says": "The cache hit rate of games 7 and 8 is not reported; enter it with a reason.",
        "decisions": [
            SummaryDecision(1, 1, "inconclusive", "first", "Lea", WHEN),
            SummaryDecision(2, 2, "revert", "- not a list <i>", "Lea", WHEN),
        ],
        "compared": SummaryComparison(
            2,
            "Baseline",
            "cannot tell yet",
            "Says.",
            "inconclusive",
            "Do.",
            "Because.",
            "",
            ["Check."],
            ["Gain."],
            [difference()],
        ),
    }
    return SummaryIteration(**(given | changes))


def summary(**changes):
    gate = SummaryGate(
        is_open=False,
        missing=["No iteration in a row succeeds; 3 are needed.", "Nobody signed."],
        count=0,
        needed=3,
        unit="iteration",
        streak_says="No iteration in a row succeeds; 3 are needed.",
        cache_says="No game yet.",
        statement=Signed("Lea", "2026-03-01", "Fascinating."),
        closed_at=WHEN,
        closed_by="Ada",
        override_reason="Deadline",
    )
    lines = [
        MarginText("Coherence", "66.2 %", "70.0 %", "-3.8", "-0.9", "fail", is_proposed=True, is_literal=True)
    ]
    given = {
        "format": 2,
        "project": "# Mafia",
        "number": 1,
        "name": "Worth watching",
        "goal": "",
        "counted": "A success is counted in whole iterations.",
        "made_at": WHEN,
        "opened_at": WHEN,
        "opened_by": "Lea",
        "gate": gate,
        "iterations": [iteration()],
        "next": TargetAdvice(
            "coherence", "Coherence", "Next target: coherence.", ["Name whom you answer."], lines
        ),
    }
    return StageSummary(**(given | changes))


def rows(made):
    return list(csv.DictReader(io.StringIO(figures_csv(made).decode(), newline=""), strict=True))


def test_the_json_is_the_record():
    assert msgspec.json.decode(summary_to_json(summary()), type=StageSummary) == summary()


def test_every_dot_mean_and_difference_is_a_line_of_the_figures():
    found = rows(summary())
    assert [row["row"] for row in found] == ["game"] * 12 + ["average"] * 2 + ["difference"]
    assert {row["metric"] for row in found} == {"coherence", "engagement", "cost", "cache_hit_rate"}
    assert all(tuple(row) == COLUMNS for row in found)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (
            0,
            {
                "game": "7",
                "value": "66.25",
                "threshold": "70.0",
                "passes": "no",
                "applies": "yes",
                "source": "verdict",
                "withdrawn": "no",
            },
        ),
        (2, {"metric": "cost", "value": "1.890000", "unit": "dollars", "source": "by hand"}),
        (3, {"metric": "cache_hit_rate", "value": "", "source": "not reported"}),
        (4, {"game": "8", "value": "", "passes": "", "source": "not known yet"}),
        (
            12,
            {
                "value": "66.25",
                "second_look": "61.5",
                "low": "50.25",
                "high": "72.75",
                "games": "2",
                "passes": "no",
            },
        ),
        (8, {"game": "9", "value": "66.25", "withdrawn": "yes"}),
        (13, {"metric": "engagement", "unit": "rating 1 to 5", "passes": "yes", "withdrawn": ""}),
        (
            14,
            {
                "difference": "-3.75",
                "low": "-20.0",
                "high": "12.5",
                "by_people": "yes",
                "rebound": "0.5",
                "games": "4",
            },
        ),
    ],
)
def test_a_line_says_what_the_record_says(place, expected):
    row = rows(summary())[place]
    assert {key: row[key] for key in expected} == expected
    assert (row["stage"], row["iteration"], row["decision"], row["compared_with"]) == (
        "1",
        "3",
        "revert",
        "2",
    )


def test_a_name_in_the_figures_is_no_formula():
    assert {row["iteration_name"] for row in rows(summary())} == {f"'{HOSTILE}"}


def test_markdown_tells_everything_and_obeys_nobody():
    said = render_markdown("discussions/history/summary.md", summary=summary())
    for part in (
        "# \\# Mafia: Worth watching",
        "**The gate to the next stage is closed.**",
        "- Nobody signed.",
        "Lea signed on 2026-03-01: Fascinating\\.",
        "although the gate was closed: Deadline",
        "### 3 \\=HYPERLINK",
        "````text\n- old ```\n+ new\n````",
        "**revert**, 2026-03-02 09:30 UTC, Lea: \\- not a list \\<i\\>",
        "Game 9 was withdrawn, and is in no average: Cut \\*short\\* (Lea, 2026-03-02)",
        "Against iteration 2 (Baseline): Do. Because. Says.",
        "- Gain.\n- Check.",
        "- Name whom you answer.",
    ):
        assert part in said
    assert said.count("No iteration in a row succeeds") == 1
    assert "<b>" not in said
    assert "<i>" not in said
    head, _rule, row = [line for line in said.splitlines() if line.startswith("| ")]
    assert head.count("|") == row.replace("\\|", "").count("|")


def test_a_stage_without_iterations_says_so():
    bare = summary(iterations=[], next=None)
    assert "No iteration yet." in render_markdown("discussions/history/summary.md", summary=bare)
    assert "What to work on next" not in render_markdown("discussions/history/summary.md", summary=bare)
    assert rows(bare) == []
    assert bare.game_count == 0


def test_the_decision_that_stands_is_the_last():
    assert iteration().decision.choice == "revert"
    assert iteration(decisions=[]).decision is None
    assert summary().game_count == 2
