"""Formats of times, figures and tables, each in one place."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from tests.factories.people import make_admin
from workspace.core.text import format_signed, number, pieces, signed_figure, with_minus
from workspace.markup import ago, dollars, interval_text, label_cells, moment, percent
from workspace.people.actions.people import change_settings

NOW = datetime(2026, 3, 9, 9, 5, tzinfo=UTC)
ROOT = Path(__file__).parents[2]


@pytest.fixture
def _is_now(monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: NOW)


@pytest.mark.usefixtures("_is_now")
@pytest.mark.parametrize(
    ("passed", "said"),
    [
        ({"seconds": 59}, "just now"),
        ({"minutes": 1}, "1 minute ago"),
        ({"minutes": 59, "seconds": 59}, "59 minutes ago"),
        ({"hours": 1}, "1 hour ago"),
        ({"hours": 23}, "23 hours ago"),
        ({"days": 1}, "1 day ago"),
        ({"days": 6, "hours": 23}, "6 days ago"),
    ],
)
def test_a_recent_moment_is_told_by_how_long_ago_it_was(passed, said):
    with timezone.override("Europe/Vienna"):
        shown = ago(NOW - timedelta(**passed))
    assert f">{said}</time>" in shown
    assert "Mar 2026, " in shown and 'Europe/Vienna"' in shown


@pytest.mark.usefixtures("_is_now")
def test_a_moment_of_last_week_or_to_come_is_told_by_its_date():
    with timezone.override("Europe/Vienna"):
        for other in (NOW - timedelta(days=7), NOW + timedelta(seconds=1)):
            assert ago(other) == moment(other)
        assert moment(NOW) == (
            '<time datetime="2026-03-09T09:05:00+00:00" title="Europe/Vienna">9 Mar 2026, 10:05</time>'
        )
    assert ago(None) == ""


def test_a_difference_has_its_sign_and_never_shows_as_zero():
    assert [signed_figure(value) for value in (3.25, -3.25, 0.04, -0.04)] == [
        "+3.3",
        "−3.3",
        "+0.04",
        "−0.04",
    ]


def test_figures_below_zero_have_a_minus_sign():
    assert with_minus("-3.2") == "−3.2"
    assert with_minus("3-2") == "3-2"
    assert number(-3.21) == "−3.21"
    assert number(-0.001) == "0.00"
    assert [number(value, 1) for value in (81.25, 68.75, -0.25)] == ["81.3", "68.8", "−0.3"], (
        "as scores round"
    )
    assert [format_signed(value) for value in (-1, 0, 1, None)] == ["−1.00", "0.00", "+1.00", ""]
    assert interval_text((-0.5, 0.25)) == "−0.50 to 0.25"
    assert percent(-4) == "−4.0"
    assert dollars(Decimal("-1.8")) == "−$1.80"
    assert dollars(Decimal("1.8")) == "$1.80"


def test_templates_have_one_dash_for_none():
    wrong = ('or "-"', "%}-{%", "or '-'", 'else "-"', 'default_if_none("-")', "—", "n/a")
    found = [
        f"{path.relative_to(ROOT)}: {part}"
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for part in wrong
        if part in path.read_text()
    ]
    assert found == []


@pytest.mark.django_db
class TestZone:
    """Whose zone times are shown in."""

    def shown(self, client) -> str:
        page = client.get("/settings/").content.decode()
        return page.partition("Times are shown in ")[2].partition(" now.")[0]

    def test_it_is_the_browsers_until_one_is_chosen(self, client: Client, settings):
        settings.TIME_ZONE = "UTC"
        person = make_admin(now=timezone.now())
        client.force_login(person)
        assert self.shown(client) == "UTC"
        client.cookies["zone"] = "America/New_York"
        assert self.shown(client) == "America/New_York"
        change_settings(
            name="A", time_zone="Europe/Vienna", has_single_keys=True, by=person, now=timezone.now()
        )
        assert self.shown(client) == "Europe/Vienna"

    @pytest.mark.parametrize("named", ["../../etc/passwd", "Nowhere/There", "utc\x00", ""])
    def test_a_zone_that_does_not_exist_is_the_sites(self, client: Client, settings, named):
        settings.TIME_ZONE = "UTC"
        client.force_login(make_admin(now=timezone.now()))
        client.cookies["zone"] = named
        assert self.shown(client) == "UTC"


def test_a_no_break_space_before_a_percent_sign_is_no_hidden_character():
    assert not any(piece.title for piece in pieces("12.5\u00a0%"))
    assert [bool(piece.title) for piece in pieces("a\u00a0%")] == [False, True, False]
    assert [bool(piece.title) for piece in pieces("5\u00a0b")] == [False, True, False]


HEAD = (
    '<thead><tr><th scope="col">Name</th><th scope="col" class="num">Games <span class="tiny">in "all"</span></th>'
    '<th scope="col"><span class="visually-hidden">Acts</span></th></tr></thead>'
)


def table(rows: str, head: str = HEAD) -> str:
    return f"{head}<tbody>{rows}</tbody>"


def test_cells_learn_the_headings_of_their_columns():
    labelled = label_cells(table('<tr><th scope="row">A</th><td class="num">3</td><td>x</td></tr>' * 2))
    assert labelled.startswith(HEAD)
    assert labelled.count('<td class="num" data-label="Games in &#34;all&#34;">3</td>') == 2
    assert labelled.count('<th scope="row">A</th>') == 2
    assert labelled.count("<td>x</td>") == 2, "a heading that is not seen is no label"


def test_a_cell_over_several_columns_has_no_label_and_the_next_has_its_own():
    three = HEAD.replace("</tr>", '<th scope="col">Last</th></tr>')
    labelled = label_cells(table('<tr><td colspan="3">all</td><td>z</td></tr>', head=three))
    assert '<td colspan="3">all</td><td data-label="Last">z</td>' in labelled


def test_an_empty_cell_under_a_heading_gets_a_dash():
    labelled = label_cells(table('<tr><th scope="row">A</th><td class="num">\n  </td><td></td></tr>'))
    assert '<td class="num" data-label="Games in &#34;all&#34;">–</td><td></td>' in labelled


def test_tables_that_are_read_across_stay_as_they_are():
    row = "<tr><th>A</th><td>1</td><td>2</td></tr>"
    two = '<thead><tr><th scope="col">A</th><th scope="col">B</th></tr></thead>'
    grouped = HEAD.replace('scope="col" class="num"', 'scope="colgroup" colspan="2"')
    for kept in (
        table(row, head=two),
        table(row, head=grouped),
        table(row, head=HEAD.replace("</thead>", "<tr><th>B</th></tr></thead>")),
        table(row.replace("<th>", '<th rowspan="2">')),
        table(row, head=""),
    ):
        assert label_cells(kept) == ""
