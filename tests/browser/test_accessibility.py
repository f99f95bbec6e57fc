"""axe-core finds nothing on any page, light and dark; no page scrolls sideways on a phone or at 200 % zoom.

Contrast is by far the dearest rule, so it is asked once of everything that looks alike. With PICTURES=1 pictures of
every page, wide and narrow, in light and in dark, are left under var/screenshots, with a contact sheet of them all.
"""

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page, expect

from tests.browser.contact_sheet import write_contact_sheet
from tests.browser.driving import artefacts, tell
from tests.browser.gallery import ROLES

pytestmark = pytest.mark.slow

WIDE = {"width": 1366, "height": 820}
# 200 % zoom of a laptop, then a phone.
NARROW = ({"width": 683, "height": 384}, {"width": 360, "height": 740})
OPEN_ALL = (
    "document.querySelectorAll('main details:not([name], .pop)').forEach((one) => { one.open = true; })"
)
# Colours would take their time to change.
NO_TRANSITIONS = """() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("*, ::before, ::after { transition: none !important; animation: none !important; }");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}"""
# Until the page has these colours: the news of another scheme takes a moment, and so does painting.
PAINTED_IN = """(scheme) => new Promise((done) => {
    const look = () => matchMedia(`(prefers-color-scheme: ${scheme})`).matches
        ? requestAnimationFrame(() => requestAnimationFrame(done)) : requestAnimationFrame(look);
    look();
})"""
TOO_WIDE = """() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.querySelectorAll("body *")]
        .filter((one) => one.getBoundingClientRect().right > width + 1)
        .map((one) => one.outerHTML.slice(0, 90));
}"""


# How each element with text is painted now: what decides its contrast, from itself up to the root. What looks alike has
# the same colours, sizes and backgrounds in both schemes; what is laid over something else also the same tags and
# classes.
PAINT = """() => {
    const seen = new Map();
    const walk = (element, above, isOver) => {
        if (!element.checkVisibility({ visibilityProperty: true })) return;
        const style = getComputedStyle(element);
        const over = isOver || ["absolute", "fixed", "sticky"].includes(style.position) || element.localName === "svg";
        const ground = [style.backgroundColor, style.backgroundImage, style.opacity, style.filter].join();
        const isBare = ground === "rgba(0, 0, 0, 0),none,1,none";
        let own = isBare ? above : `${above}/${ground}`;
        if (over) own += ` ${element.localName}.${element.getAttribute("class") ?? ""}`;
        const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        const isField = "placeholder" in element || element.localName === "select";
        if (hasText || isField) {
            const text = [style.color, style.fill, style.fontSize, style.fontWeight, style.textShadow, isField];
            seen.set(element, `${own} ${text.join()} ${element.ariaDisabled ?? ""}${element.disabled ?? ""}`);
        }
        for (const child of element.children) walk(child, own, over);
    };
    walk(document.body, "", false);
    return seen;
}"""
KEEP_PAINT = f"window.paintBefore = ({PAINT})()"
# Marks the first element of each look that is not known, and gives these looks.
MARK_FRESH = f"""(known) => {{
    const seen = new Set(known), fresh = [];
    for (const [element, now] of ({PAINT})()) {{
        const look = `${{window.paintBefore.get(element)}} | ${{now}}`;
        if (seen.has(look)) continue;
        seen.add(look);
        fresh.push(look);
        element.dataset.fresh = "";
    }}
    return fresh;
}}"""


def violations(page: Page, within: str = "html", **options: Any) -> list[str]:
    """What axe has against the page, or against the parts that a selector names: rule, place and what to do."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    # Only the violations travel: what passes is a hundred times as long.
    run = "([within, options]) => axe.run(within, options).then((all) => all.violations)"
    found = page.evaluate(run, [within, {"resultTypes": ["violations"]} | options])
    return [
        f"{page.url} {violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in found
        for node in violation["nodes"]
    ]


def paint(page: Page, scheme: str) -> None:
    """Show the page in light or dark colours."""
    page.emulate_media(color_scheme=scheme)
    page.evaluate(PAINTED_IN, scheme)


def mark_fresh(page: Page, known: set[str]) -> list[str]:
    """Mark what looks, in light and in dark, like nothing in `known`; the looks. Takes the page from light to dark."""
    page.evaluate(NO_TRANSITIONS)
    page.evaluate(KEEP_PAINT)
    paint(page, "dark")
    return page.evaluate(MARK_FRESH, list(known))


def too_pale(page: Page, known: set[str]) -> list[str]:
    """What has too little contrast, in dark or light, among that which looks like nothing in `known`; adds it there.

    The page was opened in light colours.
    """
    fresh = mark_fresh(page, known)
    known.update(fresh)
    if not fresh:
        return []
    faults = []
    for scheme in ("dark", "light"):
        paint(page, scheme)
        found = violations(page, "[data-fresh]", runOnly=["color-contrast"])
        faults += [f"{scheme}: {fault}" for fault in found]
    return faults


@pytest.fixture(scope="session")
def known() -> set[str]:
    """What was seen before."""
    return set()


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


def open_in_light(page: Page, address: str) -> None:
    """Open an address in light colours, on a wide window."""
    page.set_viewport_size(WIDE)
    page.emulate_media(color_scheme="light")
    answer = page.goto(address)
    assert answer is not None and answer.status < 500, f"{address}: {answer and answer.status}"


def picture(page: Page, folder: str, name: str) -> None:
    """Leave pictures of the page in dark and in light, where they are asked for. Takes the page to light."""
    if os.environ.get("PICTURES"):
        is_whole = not name.startswith("rate")
        for scheme in ("dark", "light"):
            paint(page, scheme)
            path = artefacts(f"screenshots/{folder}-{scheme}") / f"{name}.png"
            page.screenshot(path=path, full_page=is_whole)


@pytest.fixture(scope="module", autouse=True)
def _contact_sheet() -> Iterator[None]:
    """After the tests, one page of all pictures; each process writes it anew, the last one with all."""
    yield
    if os.environ.get("PICTURES"):
        write_contact_sheet(artefacts("screenshots"))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("role", ROLES)
def test_every_page(gallery, browser, browser_context_args, known, role):
    """Each page is opened in light and in dark, and made narrow."""
    faults = []
    pages = gallery.pages(role)
    with gallery.context(browser, browser_context_args, role, color_scheme="light") as context:
        context.add_init_script(AXE_SCRIPT)  # quicker than to send it to each page
        page = context.new_page()
        for name, address in pages.items():
            open_in_light(page, address)
            expect(page.get_by_role("heading", level=1)).to_have_count(1)
            picture(page, f"{role}-wide", name)
            page.evaluate(OPEN_ALL)
            faults += violations(page, rules={"color-contrast": {"enabled": False}})
            faults += too_pale(page, known)
            faults += sideways(page, name)
            picture(page, f"{role}-phone", name)
    tell(f"{len(pages)} pages of {role}: {len(faults)} faults")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pale_text_is_found_once_wherever_it_stands(gallery, browser, browser_context_args, scheme):
    with gallery.context(browser, browser_context_args, "lead", color_scheme="light") as context:
        page = context.new_page()
        known: set[str] = set()
        open_in_light(page, gallery.pages("lead")["games"])
        assert not too_pale(page, known)
        open_in_light(page, gallery.pages("lead")["games"])
        assert mark_fresh(page, known) == []
        open_in_light(page, gallery.pages("lead")["games"])
        page.evaluate(
            """(scheme) => {
                const added = document.createElement("p");
                added.textContent = "pale";
                added.className = "x";
                document.querySelector("main").append(added);
                const sheet = new CSSStyleSheet();
                sheet.replaceSync(`.x { color: #000; background: #fff; }
                    @media (prefers-color-scheme: ${scheme}) { .x { color: #888; background: #777; } }`);
                document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
            }""",
            scheme,
        )
        found = [fault for fault in too_pale(page, known) if "color-contrast" in fault]
        assert found and all(fault.startswith(scheme) for fault in found)


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
