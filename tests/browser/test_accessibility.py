"""axe-core finds nothing on any page, light and dark; no page scrolls sideways on a phone or at 200 % zoom."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.driving import tell
from tests.browser.gallery import ROLES

pytestmark = pytest.mark.slow

NARROW = {"a phone": 360, "200 % zoom": 683}
TOO_WIDE = """() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.querySelectorAll("body *")]
        .filter((one) => one.getBoundingClientRect().right > width + 1)
        .map((one) => one.outerHTML.slice(0, 90));
}"""


def violations(page: Page) -> list[str]:
    """What axe has against the page: rule, place and what to do."""
    return [
        f"{page.url} {found['id']}: {node['target']} {node['failureSummary']}"
        for found in Axe().run(page).response["violations"]
        for node in found["nodes"]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("role", ROLES)
def test_no_page_has_a_violation(gallery, browser, browser_context_args, role, theme):
    pages = gallery.pages(role)
    with gallery.context(browser, browser_context_args, role, color_scheme=theme) as context:
        page = context.new_page()
        faults = []
        for address in pages.values():
            page.goto(address)
            faults += violations(page)
    tell(f"axe: {len(pages)} pages of {role}, {theme}: {len(faults)} violations")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("width", NARROW.values(), ids=NARROW)
@pytest.mark.parametrize("role", ROLES)
def test_no_page_scrolls_sideways(gallery, browser, browser_context_args, role, width):
    size = {"width": width, "height": 740 if width < 600 else 384}
    with gallery.context(browser, browser_context_args, role, viewport=size) as context:
        page = context.new_page()
        faults = []
        for name, address in gallery.pages(role).items():
            page.goto(address)
            faults += [f"{name}: {what}" for what in page.evaluate(TOO_WIDE)]
            for part in page.locator(".parts label").all():
                part.click()
                faults += [f"{name}, {part.inner_text()}: {what}" for what in page.evaluate(TOO_WIDE)]
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
    desk.context.clear_cookies(name="sessionid")
    desk.locator('#steps a[data-step="engagement"]').click()
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
            page.locator("main").get_by_role("button", name="Open the project").click()
        assert arrived.value.status == status
        assert "A name that was typed" in page.content()
        assert not violations(page)
