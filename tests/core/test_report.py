"""The report as Markdown and JSON: in the rubric's order, and other people's text stays text."""

import re
from datetime import UTC, datetime
from decimal import Decimal

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from discussions.core.basis import (
    Basis,
    BasisCost,
    BasisEvaluation,
    BasisJudgement,
    BasisMeasured,
    BasisVersion,
    changes,
)
from discussions.core.report import (
    Judge,
    Override,
    Report,
    ReportLine,
    json_of,
    overrides_of,
)
from workspace.core.markdown import fenced, plain
from workspace.pages.markdown import render_markdown

AT = datetime(2026, 3, 2, 9, 5, tzinfo=UTC)


def markdown_of(report):
    return render_markdown("discussions/report.md", report=report)


def line(key, text, count, says):
    return ReportLine(key, key.replace("_", " ").capitalize(), text, count, "80 %", says, "", "", "", "")


REPORT = Report(
    format=1,
    project="Spring *trial*",
    game=142,
    transcript_sha256="a" * 64,
    rubric="Discussion quality 1.0",
    code_version="1.0.0",
    number=1,
    recorded_at=AT,
    recorded_by="Lee",
    reason="",
    lines=[
        line("memory_accuracy", "85.0 %", "17 of 20 references accurate", "PASS"),
        line("role_consistency", "76.0 %", "38 of 50 messages fit the role", "FAIL"),
    ],
    headline="6/7 PASS",
    passes=True,
    reasons=[],
    cost_usd=Decimal("1.25"),
    cost_says="",
    turns="5 judgements made otherwise would change it.",
    composite=71.2,
    recommendations=[("Role consistency", ["Make the prompt stronger."])],
    judges=[Judge("Kim", AT, "3.5", ["yes", "no"], ["message 3: it `ends` here"])],
    overrides=[Override("strategic_depth", "19", "no", "yes", "", "Kim", "deep *play*")],
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
        "Who judged",
        "What was overridden",
        "Verdict 1",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "- Memory accuracy: **85.0 %**, 17 of 20 references accurate, threshold 80 %: **PASS**" in text
    assert "- strategic depth, message 19: **yes** (machine: no), Kim: deep \\*play\\*" in text
    assert "rating 3.5; answers yes, no" in text


def test_names_and_comments_cannot_open_markup():
    text = markdown_of(
        replace(REPORT, project="# [x](http://y) <b>", judges=[Judge("*k*", AT, "", [], ["```\n# out"])])
    )
    assert text.startswith("# \\# \\[x\\]\\(http\\://y\\) \\<b\\>, game 142")
    assert "\\*k\\*" in text
    assert "````text\n```\n# out\n````" in text


def test_nothing_overridden_is_said():
    assert "the machine's findings were accepted" in markdown_of(replace(REPORT, overrides=[]))


def test_a_game_that_passes_everything_has_no_recommendation():
    assert "**Recommendation:** none" in markdown_of(replace(REPORT, recommendations=[]))


def test_json_comes_back_as_the_same_record():
    assert msgspec.json.decode(json_of(REPORT), type=Report) == REPORT


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


def basis(*judgements, **changed):
    given = {
        "format": 1, "game": 1, "game_sha256": "g", "transcript": 1, "transcript_sha256": "t",
        "rubric_version": BasisVersion(1, "r"), "measured": BasisMeasured(1, "1", "i", "f"),
        "cost": BasisCost(Decimal("1.25"), "transcript"), "evaluator_count": 1,
        "evaluations": [BasisEvaluation(7, 3)], "judgements": list(judgements), "adjudications": [], "supersedes": None,
    }  # fmt: skip
    return Basis(**given | changed)


def judged(key, kind, subject, value, blind="", version=1):
    return BasisJudgement(key, 7, kind, subject, value, blind, version)


def test_overrides_are_what_differs_from_the_machine_or_from_before_the_reveal():
    found = overrides_of(
        basis(
            judged(1, "strategic_depth", "2", "yes", "yes"),
            judged(2, "strategic_depth", "11", "no", "no"),
            judged(3, "reference", "4.1", "accurate", "inaccurate"),
            judged(4, "reference", "5.1", "vague", "vague"),
            judged(5, "phrase", "3|i think that", "acceptable"),
            judged(6, "coherence", "9", ""),
            judged(7, "rating", "", "4.0"),
            judged(8, "missed", "6.2", "yes"),
        ),
        {("strategic_depth", "2"): "no", ("strategic_depth", "11"): "no"},
        {7: "Kim"},
        {1: "because"},
    )
    assert [(one.kind, one.subject) for one in found] == [
        ("missed", "6.2"), ("phrase", "3|i think that"), ("reference", "4.1"), ("strategic_depth", "2"),
    ]  # fmt: skip
    assert (found[3].machine, found[3].value, found[3].by, found[3].reason) == ("no", "yes", "Kim", "because")
    assert found[2].before == "inaccurate"


def test_every_change_of_a_basis_is_named():
    before = basis(judged(1, "rating", "", "3.0"))
    assert changes(before, before) == []
    added = judged(2, "coherence", "9", "yes")
    changed = {
        "A verdict was recorded meanwhile.": {"supersedes": 4},
        "The game is judged by another rubric version now.": {"rubric_version": BasisVersion(2, "r")},
        "The game was measured again.": {"measured": BasisMeasured(2, "2", "i", "f")},
        "The transcript is another one.": {"transcript_sha256": "x"},
        "The cost was $1.25 and is not reported now.": {"cost": BasisCost(None, "by hand")},
        "1 evaluators were needed, 2 are now.": {"evaluator_count": 2},
        "Other evaluations are submitted now than when the page was shown.": {"evaluations": []},
        "rating: 3.0 before, unset now.": {"judgements": [judged(1, "rating", "", "", version=2)]},
        "coherence 9: not judged before, yes now.": {"judgements": [*before.judgements, added]},
    }  # fmt: skip
    for says, change in changed.items():
        assert changes(before, replace(before, **change)) == [says]
