"""The pages of leads and verdicts in a browser: recording, and replaying in place."""

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect

from discussions.models import Verdict
from tests.factories.verdicts import game_to_record
from workspace.models import Person

pytestmark = pytest.mark.django_db(transaction=True)


def sign_in(page: Page, live_server, person: Person) -> None:
    """A browser in which this person is signed in."""
    client = Client()
    client.force_login(person)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
    )


def test_the_evaluator_records_and_replays(page: Page, live_server) -> None:
    game = game_to_record(message_count=30)
    sign_in(page, live_server, game.evaluations.get().evaluator)
    page.goto(live_server.url + reverse("verdict", args=[game.project.slug, game.number]))
    page.get_by_role("button", name="Record the verdict").click()
    expect(page.get_by_text("Recorded verdict 1")).to_be_visible()
    assert Verdict.objects.count() == 1
    page.evaluate("window.kept = true")
    page.get_by_text("Recorded verdicts", exact=True).click()
    page.get_by_role("button", name="Compute again verdict 1").click()
    expect(page.get_by_text("Equal: the same verdict follows from its basis.")).to_be_visible()
    assert page.evaluate("window.kept")
    page.get_by_role("link", name="Report").click()
    expect(page.get_by_role("heading", name="Evaluators")).to_be_visible()
