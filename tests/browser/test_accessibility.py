"""axe-core finds nothing on any page, light and dark; no page scrolls sideways on a phone or at 200 % zoom.

Pictures of every page, wide in light and narrow in dark, are left under var/screenshots.
"""

import re

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from tests.browser.driving import artefacts, tell
from tests.browser.gallery import ROLES

pytestmark = pytest.mark.slow

WIDE = {"width": 1366, "height": 820}
# 200 % zoom of a laptop, then a phone.
NARROW = ({"width": 683, "height": 384}, {"width": 360, "height": 740})
OPEN_ALL = (
    "document.querySelectorAll('main details:not([name], .pop)').forEach((one) => { one.open = true; })"
)
TOO_WIDE = """() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.querySelectorAll("body *")]
        .filter((one) => one.getBoundingClientRect().right > width + 1)
        .map((one) => one.outerHTML.slice(0, 90));
}"""


def violations(page: Page, rules: str = "") -> list[str]:
    """What axe has against the page as it stands: rule, place and what to do; one rule alone when it is named."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    options = {"resultTypes": ["violations"]} | ({"runOnly": [rules]} if rules else {})
    # Only the violations travel: what passes is a hundred times as long.
    found = page.evaluate("(options) => axe.run(options).then((all) => all.violations)", options)
    return [
        f"{page.url} {one['id']}: {node['target']} {node['failureSummary']}"
        for one in found
        for node in one["nodes"]
    ]


def sideways(page: Page, name: str) -> list[str]:
    """What sticks out of the window on a phone and at 200 % zoom, in every part of a page that has parts."""
    faults = []
    for size in NARROW:
        page.set_viewport_size(size)
        faults += [f"{name}: {what}" for what in page.evaluate(TOO_WIDE)]
        for part in page.locator(".parts label").all():
            part.click()
            faults += [f"{name}, {part.inner_text()}: {what}" for what in page.evaluate(TOO_WIDE)]
    return faults


@pytest.mark.timeout(900)
@pytest.mark.parametrize("role", ROLES)
def test_every_page(gallery, browser, browser_context_args, role):
    """Each page is opened in light and in dark, and made narrow; its pictures are kept for people to look at."""
    faults = []
    pages = gallery.pages(role)
    with gallery.context(browser, browser_context_args, role, color_scheme="light") as context:
        page = context.new_page()
        for name, address in pages.items():
            page.set_viewport_size(WIDE)
            page.emulate_media(color_scheme="light")
            page.goto(address)
            expect(page.get_by_role("heading", level=1)).to_have_count(1)
            is_whole = not name.startswith("rate")
            page.screenshot(
                path=artefacts(f"screenshots/{role}-wide-light") / f"{name}.png", full_page=is_whole
            )
            page.evaluate(OPEN_ALL)
            faults += violations(page)
            page.emulate_media(color_scheme="dark")
            page.goto(address)  # colours of a page that is switched while it stands are not all new at once
            page.evaluate(OPEN_ALL)
            faults += violations(page, "color-contrast")
            faults += sideways(page, name)
            page.screenshot(
                path=artefacts(f"screenshots/{role}-phone-dark") / f"{name}.png", full_page=is_whole
            )
    tell(f"{len(pages)} pages of {role}: {len(faults)} faults")
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
            page.locator("main").get_by_role("button", name="Open the project").click()
        assert arrived.value.status == status
        assert "A name that was typed" in page.content()
        assert not violations(page)
