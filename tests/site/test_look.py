"""The look as rules that can be checked: safe text, honest figures, contrast, one page of script."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from django import forms
from django.template import engines
from django.test import override_settings

from discussions.rating.pages.records import RatingItem
from discussions.verdicts.pages.lines import figure_rows
from tests.factories.people import make_admin
from tests.factories.transcripts import make_games_project
from tests.factories.verdict_examples import verdict, with_failing
from workspace.markup import clock, dollars, hostile, moment, percent, plain
from workspace.models import Project

ROOT = Path(__file__).parents[2]


BASE = (ROOT / "static/css/base.css").read_text()


def test_hostile_text_is_escaped_isolated_and_badged() -> None:
    assert hostile("<b>x</b>") == '<bdi dir="auto">&lt;b&gt;x&lt;/b&gt;</bdi>'
    assert "⟨U+202E⟩" in hostile("a\u202eb")
    assert "\u202e" not in hostile("a\u202eb")
    assert hostile("<i>ab", [(0, 3)]) == '<bdi dir="auto"><mark>&lt;i&gt;</mark>ab</bdi>'


def test_hidden_characters_are_named_where_no_badge_can_be() -> None:
    assert plain("a\u202eb <b>") == "a⟨U+202E⟩b <b>"
    assert plain("5\u00a0% of a\u00e9") == "5\u00a0% of a\u00e9"
    drawn = engines["jinja2"].from_string('<p title="{{ text|plain }}">').render({"text": '"\u2066&'})
    assert drawn == '<p title="&#34;⟨U+2066⟩&amp;">'


def test_choices_of_forms_name_hidden_characters_and_typed_text_stays() -> None:
    class Form(forms.Form):
        one = forms.ChoiceField(choices=[("1", "a\u202eb <b>")])
        several = forms.ChoiceField(choices=[("1", "c\u202ed")], widget=forms.RadioSelect)
        typed = forms.CharField(initial="e\u202ef")
        long = forms.CharField(initial="g\u202eh", widget=forms.Textarea)

    form = Form()
    assert "a⟨U+202E⟩b &lt;b&gt;</option>" in str(form["one"])
    assert "c⟨U+202E⟩d" in str(form["several"])
    assert "e\u202ef" in str(form["typed"]) and "g\u202eh" in str(form["long"])


@pytest.mark.django_db
def test_title_and_menus_of_a_page_name_hidden_characters(client) -> None:
    project = make_games_project()
    Project.objects.update(name="Spring\u202e 26")  # which forms refuse
    client.force_login(make_admin())
    page = client.get(f"/projects/{project.slug}/games/").content.decode()
    title = re.search("<title>(.*?)</title>", page)
    assert title and "Spring⟨U+202E⟩ 26" in title[1]
    assert not re.findall("<(?:a|option|title)[^<>]*\u202e|<(?:option|title)[^>]*>[^<]*\u202e", page)


def test_a_template_does_not_escape_hostile_text_twice() -> None:
    drawn = engines["jinja2"].from_string("{{ text|hostile }}").render({"text": "a & b\u200b<"})
    assert drawn.startswith('<bdi dir="auto">a &amp; b<span class="badge"')
    assert drawn.endswith("&lt;</bdi>")


def test_figures_never_look_like_the_other_side_of_their_threshold() -> None:
    assert percent(79.96, 80) == "79.96"
    assert percent(None) == "pending"
    assert dollars(Decimal("3.004"), 3) == "$3.004"
    assert dollars(Decimal("1.6")) == "$1.60"
    assert dollars(None) == "not reported"


@override_settings(TIME_ZONE="UTC")
def test_times_are_shown_by_the_clock_of_the_viewer() -> None:
    when = datetime(2026, 3, 2, 9, 5, 7, tzinfo=UTC)
    assert clock(when) == "09:05:07"
    assert ">2 Mar 2026, 09:05</time>" in moment(when)
    assert (clock(None), moment(None)) == ("", "")


@pytest.mark.parametrize(
    ("rating", "half"), [("3.0", "3.5"), ("3.5", "3.0"), ("5.0", "4.5"), ("1.0", "1.5"), ("", "")]
)
def test_half_a_point_is_one_key_away(rating: str, half: str) -> None:
    item = RatingItem(id="rating", kind="rating", subject="", value=rating, anchors=[])
    assert item.other_half == half


def test_a_plot_of_metrics_has_words_and_figures_in_its_row() -> None:
    rows = figure_rows(verdict(with_failing("strategic_depth")))
    template = engines["jinja2"].from_string('{% include "discussions/verdicts/_metrics.html" %}')
    drawn = template.render({"rows": rows, "rings": {"strategic_depth": 70.0}})
    assert drawn.count("<tr>") == 1 + 7
    assert drawn.count('<svg aria-hidden="true">') == 7, "a plot says nothing that its row does not say"
    assert drawn.index("Strategic depth") < drawn.index("Memory"), "failing first"
    assert drawn.count('class="fails"') == 1 and drawn.count('class="people"') == 2
    for row in rows:
        assert all(said in drawn for said in (row.text, row.says, row.threshold, row.interval, row.flips))
    assert "style=" not in drawn


def _tokens(side: int) -> dict[str, str]:
    pairs = re.findall(r"--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", BASE)
    return {name: colours[side] for name, *colours in pairs}


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(first: str, other: str) -> float:
    light, dark = sorted((_luminance(first), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _check_contrast(ink: str, ground: str, side: int, least: float) -> None:
    tokens = _tokens(side)
    found = _contrast(tokens[ink], tokens[ground])
    assert found >= least, f"--{ink} on --{ground} of base.css has {found:.2f} to 1: make them differ more"


@pytest.mark.parametrize("side", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("ink", ["ink", "ink-2", "ink-3", "accent", "good", "bad", "wait"])
@pytest.mark.parametrize("ground", ["paper", "sheet", "sunk"])
def test_every_ink_can_be_read_on_every_ground(side: int, ink: str, ground: str) -> None:
    """WCAG 2.2 AA, 1.4.3: 4.5 to 1."""
    _check_contrast(ink, ground, side, 4.5)


@pytest.mark.parametrize("side", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("ink", "ground", "least"),
    [
        ("accent", "accent-soft", 4.5),
        ("paper", "accent", 4.5),
        ("ink", "mark", 4.5),
        ("good", "good-soft", 4.5),
        ("bad", "bad-soft", 4.5),
        ("wait", "wait-soft", 4.5),
        ("ink", "bad-soft", 4.5),
        ("edge", "sheet", 3),
        ("edge", "paper", 3),
    ],
)
def test_tones_and_edges_can_be_seen(side: int, ink: str, ground: str, least: float) -> None:
    """WCAG 2.2 AA, 1.4.3 and 1.4.11."""
    _check_contrast(ink, ground, side, least)
