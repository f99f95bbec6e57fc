"""The ring around the focused element is drawn whole: nothing that scrolls cuts it."""

import pytest
from playwright.sync_api import Page

from tests.browser.driving import open_rating_page, sign_in_as
from tests.factories.people import make_lead
from tests.factories.rating import start

pytestmark = pytest.mark.django_db(transaction=True)

# What is cut off the ring of an element by something around it that is not scrolled and does not scroll that way.
CUT = """() => {
    const cut = new Set();
    const fields = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
    for (const one of document.querySelectorAll(fields)) {
        if (!one.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
        one.focus({ focusVisible: true });
        const style = getComputedStyle(one), ring = one.getClientRects()[0];
        if (document.activeElement !== one || style.outlineStyle === "none" || !ring) continue;
        const beyond = parseFloat(style.outlineWidth) + parseFloat(style.outlineOffset) - 0.5;
        for (let box = one.parentElement; box && box !== document.body; box = box.parentElement) {
            if (getComputedStyle(box).overflowX === "visible") continue;
            const edge = box.getBoundingClientRect();
            const sides = {
                left: !box.scrollLeft && ring.left >= edge.left - 1 && ring.left - beyond < edge.left,
                top: !box.scrollTop && ring.top >= edge.top - 1 && ring.top - beyond < edge.top,
                bottom: box.scrollHeight <= box.clientHeight && ring.bottom <= edge.bottom + 1
                    && ring.bottom + beyond > edge.bottom,
            };
            const names = Object.keys(sides).filter((side) => sides[side]);
            if (names.length) cut.add(`${names} of ${one.outerHTML.slice(0, 100)} by .${box.className}`);
        }
    }
    return [...cut];
}"""


@pytest.mark.parametrize("width", [1366, 360])
def test_no_ring_is_cut(width: int, page: Page, live_server) -> None:
    evaluation = start(message_count=12)
    page.set_viewport_size({"width": width, "height": 768})
    open_rating_page(page, live_server.url, evaluation)
    cut = page.evaluate(CUT)
    page.keyboard.press("/")
    page.keyboard.type("the")
    page.keyboard.press("Enter")
    page.locator("#found [data-found]:focus").wait_for()
    cut += page.evaluate(CUT)
    project = evaluation.game.project
    page.goto(f"{live_server.url}/mine/")
    cut += page.evaluate(CUT)
    sign_in_as(page, live_server.url, make_lead(project=project))
    for name in ("games", "imports", "team", "members", "stages"):
        page.goto(f"{live_server.url}/projects/{project.slug}/{name}/")
        cut += page.evaluate(CUT)
    assert not cut, "\n".join(cut)
