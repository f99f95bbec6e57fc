"""The crawl of test_accessibility.py for everybody else, and what appears on a page only when somebody acts."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.gallery import OTHERS
from tests.browser.looking import crawl, violations

pytestmark = pytest.mark.slow


@pytest.mark.timeout(900)
@pytest.mark.parametrize("role", OTHERS)
def test_every_page(gallery, browser, browser_context_args, asked, role):
    faults = crawl(gallery, browser, browser_context_args, role, asked)
    assert not faults, "\n".join(faults)


@pytest.fixture(params=["light", "dark"])
def desk(gallery, browser, browser_context_args, request):
    """The evaluator's page, fresh."""
    with gallery.context(browser, browser_context_args, "fresh", color_scheme=request.param) as context:
        page = context.new_page()
        page.goto(f"{gallery.url}/rate/{gallery.world['fresh']}/")
        expect(page.locator(".item:focus")).to_have_count(1)
        yield page


def test_the_key_sheet_and_the_other_sheets(desk: Page):
    for key in ("?", "s"):
        desk.keyboard.press(key)
        expect(desk.locator("details.pop[open]")).to_have_count(1)
        assert not violations(desk)
        desk.keyboard.press("Escape")
    for key, field in (("w", "Comment"), ("f", "Flag for a lead: what is wrong?")):
        desk.keyboard.press(key)
        expect(desk.locator("#at").get_by_label(field)).to_be_focused()
        assert not violations(desk)
        desk.keyboard.press("Escape")
    desk.locator("#flag summary").click()
    assert not violations(desk)


def test_the_note_of_what_is_missing(desk: Page):
    desk.keyboard.press("Control+Enter")
    expect(desk.get_by_role("alert")).to_contain_text("Not accepted")
    assert not violations(desk)


def test_the_two_versions(desk: Page):
    button = desk.locator('#step-engagement [name="act"][value^="question~1~"]').first
    desk.locator('#steps a[data-step="engagement"]').click()
    button.evaluate("(one) => { one.value = one.value.replace('~0~', '~99~'); }")
    button.click()
    expect(desk.get_by_role("alert")).to_be_visible()
    assert not violations(desk)


def test_the_sign_in_dialog(gallery, desk: Page):
    with desk.expect_response("**/lease/"):  # by the first press in a minute; then the act itself is refused
        desk.locator('#steps a[data-step="engagement"]').click()
    desk.context.clear_cookies(name="sessionid")
    desk.locator("#step-engagement").get_by_role("button", name="Yes").first.click()
    dialog = desk.get_by_role("dialog")
    expect(dialog).to_be_visible()
    assert not violations(desk)
    dialog.get_by_label("E-mail").fill("nobody@example.org")
    dialog.get_by_label("Password").fill("wrong")
    dialog.get_by_role("button", name=re.compile("Sign in")).click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    assert not violations(desk)


@pytest.mark.parametrize(
    ("lost", "status"), [("sessionid", 401), ("csrftoken", 403), ("", 409)], ids=["401", "403", "409"]
)
def test_a_refused_form_keeps_what_was_typed(gallery, browser, browser_context_args, lost, status):
    with gallery.context(browser, browser_context_args, "admin") as context:
        page = context.new_page()
        page.goto(f"{gallery.url}/projects/new/")
        page.get_by_label("Name", exact=True).fill("A name that was typed")
        page.get_by_label("Short name").fill("here")
        if lost:
            context.clear_cookies(name=lost)
        with page.expect_navigation() as arrived:
            page.locator("main").get_by_role("button", name="Create project").click()
        assert arrived.value.status == status
        assert "A name that was typed" in page.content()
        assert not violations(page)
