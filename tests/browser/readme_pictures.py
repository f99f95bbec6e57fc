"""The pictures of README: `python -m tests.browser.readme_pictures ADDRESS` of a site with a new demo (`make demo`)."""

import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tools import chromium

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"
LARGEST = 150_000
SIZE = {"width": 1200, "height": 750}
LEAD, EVALUATOR = (
    ("lead@example.org", "harbour-at-midnight"),
    ("evaluator2@example.org", "copper-ferry-leaves"),
)


def take_pictures(address: str) -> None:
    """Write rating, verdict and history; fails where one is larger than 150 KB."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.ensure())
        lead = _sign_in(browser.new_page(viewport=SIZE), address, *LEAD)
        _take(lead, f"{address}/projects/demo/games/1/verdict/", "verdict")
        _take(lead, f"{address}/projects/demo/stages/1/", "history")
        rating = _sign_in(browser.new_context(viewport=SIZE).new_page(), address, *EVALUATOR)
        rating.keyboard.press("Enter")
        rating.wait_for_url("**/rate/*/**")
        rating.get_by_role("button", name="Start judging").or_(
            rating.get_by_role("link", name="Start judging")
        ).first.click()
        rating.wait_for_load_state("networkidle")
        _keep(rating, "rating")


def _sign_in(page: Page, address: str, email: str, password: str) -> Page:
    page.goto(f"{address}/sign-in/")
    page.fill("[name=login]", email)
    page.fill("[name=password]", password)
    page.press("[name=password]", "Enter")
    page.wait_for_url(f"{address}/")
    return page


def _take(page: Page, address: str, name: str) -> None:
    page.goto(address, wait_until="networkidle")
    _keep(page, name)


def _keep(page: Page, name: str) -> None:
    file = FOLDER / f"{name}.png"
    page.screenshot(path=file)
    if (size := file.stat().st_size) > LARGEST:
        raise SystemExit(f"{file} has {size} bytes, more than {LARGEST}.")


if __name__ == "__main__":
    take_pictures(sys.argv[1])
