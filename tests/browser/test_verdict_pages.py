"""The pages of leads and verdicts in a browser: recording, replaying in place, no axe violation, nothing too wide."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect

from discussions.models import Verdict
from tests.settled import game_to_settle, lead_of, record
from workspace.models import Person

pytestmark = pytest.mark.django_db(transaction=True)

WIDTHS = (1366, 360)


def sign_in(page: Page, live_server, person: Person) -> None:
    """A browser in which this person is signed in."""
    client = Client()
    client.force_login(person)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
    )


def faults_of(page: Page) -> list[str]:
    """What axe finds on the page as it stands."""
    found = Axe().run(page).response["violations"]
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}" for each in found for node in each["nodes"]
    ]


def test_the_evaluator_records_and_replays(page: Page, live_server) -> None:
    game = game_to_settle(message_count=30)
    sign_in(page, live_server, game.evaluations.get().evaluator)
    page.goto(live_server.url + reverse("verdict", args=[game.project.slug, game.number]))
    page.get_by_role("button", name="Record the verdict").click()
    expect(page.get_by_text("Recorded verdict 1")).to_be_visible()
    assert Verdict.objects.count() == 1
    page.evaluate("window.kept = true")
    page.get_by_role("button", name="Compute again verdict 1").click()
    expect(page.get_by_text("Equal: it comes out of its basis again.")).to_be_visible()
    assert page.evaluate("window.kept")
    page.get_by_role("link", name="Report").click()
    expect(page.get_by_role("heading", name="Who judged")).to_be_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_has_an_axe_violation_or_is_too_wide(page: Page, live_server, theme, pytestconfig) -> None:
    game = game_to_settle(message_count=30)
    record(game)
    sign_in(page, live_server, lead_of(game))
    page.emulate_media(color_scheme=theme)
    place = [game.project.slug, game.number]
    addresses = {
        "games": reverse("games", args=place[:1]),
        "game": reverse("game", args=place),
        "verdict": reverse("verdict", args=place),
        "report": reverse("report", args=place),
        "rubric": reverse("rubric_version", args=["discussion", "1.0"]),
    }
    for name, address in addresses.items():
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(live_server.url + address)
            page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
            assert faults_of(page) == [], name
            too_wide = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            assert too_wide <= 0, f"{name} is {too_wide} px too wide at {width} px"
            page.screenshot(
                path=f"{pytestconfig.getoption('output')}/{name}-{theme}-{width}.png", full_page=True
            )
