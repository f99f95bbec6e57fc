"""axe-core finds nothing on any page, light and dark; no page scrolls sideways on a phone or at 200 % zoom.

Here for leads and admins, in another file for all others: two processes share the crawl. A page whose main part another
role was given, too, is opened and not asked again. With PICTURES=1 pictures of every page, wide and narrow, in light
and in dark, are left under var/screenshots, with a contact sheet of them all.
"""

import pytest

from tests.browser.gallery import MANAGERS
from tests.browser.looking import crawl, mark_fresh, open_in_light, too_pale

pytestmark = pytest.mark.slow


@pytest.mark.timeout(900)
@pytest.mark.parametrize("role", MANAGERS)
def test_every_page(gallery, browser, browser_context_args, asked, role):
    faults = crawl(gallery, browser, browser_context_args, role, asked)
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
