"""The report in files: in the rubric's order, numbers as numbers, and what other people wrote stays text."""

import re
from datetime import UTC, datetime
from decimal import Decimal

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from discussions.core.outcome import OutcomeLine, Recommendation
from discussions.metrics.core.metric import PERCENT
from discussions.verdicts.core.report import (
    FigureRow,
    Override,
    RatedBy,
    Report,
    report_to_csv,
    report_to_json,
)
from workspace.core.markdown import fenced, plain
from workspace.display.pages import render_markdown

AT = datetime(2026, 3, 2, 9, 5, tzinfo=UTC)


def markdown_of(report):
    return render_markdown("discussions/verdicts/report.md", report=report)


def line(key, text, above, below, says):
    label, score = key.replace("_", " ").capitalize(), 100 * above / below
    figures = OutcomeLine(
        key, label, "percent", 80.0, above, below, score, says == "PASS", interval=(60.5, 97.25), flip=2
    )
    return FigureRow(
        label, text, f"{above} of {below}", "80 %", says.lower(), says, "", "", "", "", figures, PERCENT
    )


REPORT = Report(
    project="Spring *trial*",
    game=142,
    game_id="evening-<7>",
    file_name="evening.json",
    transcript_sha256="a" * 64,
    rubric="Discussion quality 1.0",
    code_version="1.0.0",
    number=1,
    recorded_at=AT,
    recorded_by="Lee",
    reason="",
    lines=[
        line("memory_accuracy", "85.0 %", 17, 20, "PASS"),
        line("role_consistency", "76.0 %", 38, 50, "FAIL"),
    ],
    headline="6/7 PASS",
    passes=True,
    reasons=[],
    cost_usd=Decimal("1.25"),
    cost_says="",
    turns="5 different judgements would change it.",
    composite=71.2,
    recommendations=[Recommendation("role_consistency", "Role consistency", 0.05, ["Create the prompt stronger."])],
    questions=["Is it fun?", "Is it *clear*?"],
    judges=[RatedBy("Kim", AT, "3.5", ["yes", ""], [("message:3", "message 3", "it `ends` here")])],
    overrides=[
        Override(
            "strategic_depth", "19", "no", "yes", "", "Kim", "deep *play*", "Depth, message 19", "strategic", "not"
        )
    ],
    basis_sha256="b" * 64,
)  # fmt: skip


def test_the_markdown_is_in_the_order_of_the_rubric_s_appendix():
    text = markdown_of(REPORT)
    order = [
        "# Spring",
        "Memory accuracy",
        "Role consistency",
        "**Result:** 6/7 PASS",
        "**Recommendation:** work on",
        "## Evaluators",
        "## Overrides",
        "Verdict 1",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "- Memory accuracy: **85.0 %**, 17 of 20, threshold 80 %: **PASS**" in text
    assert "- Depth, message 19: **strategic** (automatic value: not), Kim: deep \\*play\\*" in text
    assert re.search(r"^- Kim, submitted .*2026.*: rating 3.5$", text, re.MULTILINE)
    assert "  - Is it fun? **yes**" in text
    assert "  - Is it \\*clear\\*? **no answer**" in text
    assert "Game evening\\-\\<7\\>, file evening\\.json" in text


def test_names_and_comments_cannot_open_markup():
    text = markdown_of(
        replace(
            REPORT,
            project="# [x](http://y) <b>",
            questions=[],
            judges=[RatedBy("*k*", AT, "", [], [("game", "the game", "```\n# out")])],
        )
    )
    assert text.startswith("# \\# \\[x\\]\\(http\\://y\\) \\<b\\>, game 142")
    assert "\\*k\\*" in text
    assert "````text\n```\n# out\n````" in text


def test_nothing_overridden_is_said():
    assert "None: the automatic values were accepted" in markdown_of(replace(REPORT, overrides=[]))


def test_a_game_that_passes_everything_has_no_recommendation():
    assert "**Recommendation:** none" in markdown_of(replace(REPORT, recommendations=[]))


def test_json_has_numbers_as_numbers_under_the_keys_of_its_format():
    found = msgspec.json.decode(report_to_json(REPORT))
    assert (found["format"], found["game"]["id"], found["game"]["file"]) == (3, "evening-<7>", "evening.json")
    assert found["game"]["cost_usd"] == 1.25
    assert found["verdict"]["pass"] is True
    assert found["metrics"][0] == {
        "key": "memory_accuracy", "label": "Memory accuracy", "unit": "percent", "score": 85.0, "numerator": 17,
        "denominator": 20, "interval": {"low": 60.5, "high": 97.25}, "threshold": 80.0, "pass": True,
        "applicable": True, "mandatory": False, "judgements_to_flip": 2, "manual_check": None,
    }  # fmt: skip
    (kim,) = found["evaluators"]
    assert (kim["rating"], [answer["answer"] for answer in kim["answers"]]) == (3.5, [True, None])
    assert kim["comments"] == [{"target": "message:3", "text": "it `ends` here"}]
    assert found["recommendations"] == [
        {"metric": "role_consistency", "advice": ["Create the prompt stronger."]}
    ]


def test_csv_has_a_row_for_each_metric():
    heading, first, second = report_to_csv(REPORT).decode().splitlines()
    assert heading.split(",")[8:11] == ["score", "numerator", "denominator"]
    assert first == (
        "Spring *trial*,142,evening-<7>,evening.json,1,yes,"
        "memory_accuracy,percent,85.0,17,20,60.5,97.25,80.0,yes,yes,2,"
    )
    assert ",role_consistency,percent,76.0,38,50," in second


@given(st.text(max_size=60))
def test_plain_text_has_no_bare_markup_and_no_line_break(text):
    shown = plain(text)
    assert "\n" not in shown
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_<>\[\]|#]", shown)


@given(st.text(alphabet="`~a\n", max_size=60))
def test_a_fence_is_longer_than_anything_inside(text):
    lines = fenced(text).splitlines()
    fence = lines[0].removesuffix("text")
    assert lines[-1] == fence
    assert all(not re.match(rf"`{{{len(fence)},}}", line) for line in lines[1:-1])
