"""A picture of every page, wide in light and narrow in dark, under var/screenshots: to be looked at by people."""

import pytest
from playwright.sync_api import expect

from tests.browser.driving import artefacts
from tests.browser.gallery import ROLES

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("width", "height", "theme"), [(1366, 820, "light"), (360, 740, "dark")])
@pytest.mark.parametrize("role", ROLES)
def test_every_page_has_its_picture(gallery, browser, browser_context_args, role, width, height, theme):
    folder = artefacts(f"screenshots/{role}-{width}-{theme}")
    size = {"width": width, "height": height}
    with gallery.context(browser, browser_context_args, role, color_scheme=theme, viewport=size) as context:
        page = context.new_page()
        for name, address in gallery.pages(role).items():
            page.goto(address)
            expect(page.get_by_role("heading", level=1)).to_have_count(1)
            page.screenshot(path=folder / f"{name}.png", full_page=not name.startswith("rate"))
