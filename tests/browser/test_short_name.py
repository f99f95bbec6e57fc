"""The short name of a project is proposed while its name is typed, and never replaces one that somebody typed."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import sign_in_as
from tests.factories.people import make_admin

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_follows_the_name_until_it_is_typed(page: Page, live_server) -> None:
    sign_in_as(page, live_server.url, make_admin())
    page.goto(f"{live_server.url}/projects/new/")
    name, slug = page.get_by_label("Name", exact=True), page.get_by_label("Short name")
    name.press_sequentially("Mafia: Größe 2026!")
    expect(slug).to_have_value("mafia-groe-2026")
    slug.fill("ours")
    name.press_sequentially(" again")
    expect(slug).to_have_value("ours")
