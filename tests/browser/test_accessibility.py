"""axe-core finds nothing on any page, light and dark; no page scrolls sideways on a phone or at 200 % zoom.

Pages are drawn that have elements of three shapes that no page before had; all others by tests marked `long`. Then
what appears on a page only when somebody acts. With PICTURES=1 pictures of every page, wide and narrow, in light and in
dark, are left under var/screenshots, with a contact sheet of them all.
"""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import start_judging
from tests.browser.gallery import ROLES
from tests.browser.looking import (
    crawl,
    list_faults,
    list_shapes,
    mark_fresh,
    open_in_light,
    too_pale,
    violations,
)

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("role", ROLES)
def test_every_page_with_new_shapes_of_elements(gallery, browser, browser_context_args, asked, role):
    faults = crawl(gallery, browser, browser_context_args, role, asked)
    assert not faults, "\n".join(faults)


@pytest.mark.long
@pytest.mark.parametrize("role", ROLES)
def test_every_page(gallery, browser, browser_context_args, asked, role):
    """Those that the test above left out; all of them when it did not run."""
    faults = crawl(gallery, browser, browser_context_args, role, asked, is_whole=True)
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("known", "other"),
    [
        ("<p>", "<p class=x>"),
        ("<p>", "<p role=alert>"),
        ("<p>", "<p aria-label=x>"),
        ("<input title=x>", "<input>"),
        ("<label><input></label>", "<input>"),
        ('<label for="f"></label><input id="f">', '<label for="g"></label><input id="f">'),
        ("<button>Go</button>", "<button></button>"),
        ("<h2></h2><h3></h3>", "<h2></h2><h4></h4><h3></h3>"),
    ],
)
def test_what_axe_judges_differently_has_another_shape(known, other):
    assert list_shapes(known.replace(">", " data-x=y>", 1)) == list_shapes(known)
    assert not list_shapes(other) <= list_shapes(known)


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


@pytest.fixture
def rating_page(gallery, browser, browser_context_args):
    """The evaluator's page, fresh, in light colours; what a test does to it is then looked at in both schemes."""
    with gallery.context(browser, browser_context_args, "fresh", color_scheme="light") as context:
        page = context.new_page()
        page.goto(f"{gallery.url}/rate/{gallery.world['fresh']}/")
        start_judging(page)
        expect(page.locator(".item:focus")).to_have_count(1)
        yield page


def test_the_key_sheet_and_the_other_sheets(rating_page: Page, asked):
    for key in ("?", "s"):
        rating_page.keyboard.press(key)
        expect(rating_page.locator("details.pop[open]")).not_to_have_count(0)
        assert not list_faults(rating_page, asked.looks)
        rating_page.keyboard.press("Escape")
    for key, field in (("w", "Comment"), ("f", "Flag for a lead: what is wrong?")):
        rating_page.keyboard.press(key)
        expect(rating_page.locator("#at").get_by_label(field)).to_be_focused()
        assert not list_faults(rating_page, asked.looks)
        rating_page.keyboard.press("Escape")
    rating_page.locator("#menu > summary").click()
    rating_page.locator("#flag summary").click()
    assert not list_faults(rating_page, asked.looks)


def test_the_note_of_what_is_missing(rating_page: Page, asked):
    rating_page.keyboard.press("Control+Enter")
    expect(rating_page.get_by_role("alert")).to_contain_text("Not accepted")
    assert not list_faults(rating_page, asked.looks)


def test_the_two_versions(rating_page: Page, asked):
    button = rating_page.locator('#step-engagement [name="act"][value^="question~1~"]').first
    rating_page.locator('#steps a[data-step="engagement"]').click()
    button.evaluate("(one) => { one.value = one.value.replace('~0~', '~99~'); }")
    button.click()
    expect(rating_page.get_by_role("alert")).to_be_visible()
    assert not list_faults(rating_page, asked.looks)


def test_the_sign_in_dialog(gallery, rating_page: Page, asked):
    rating_page.locator('#steps a[data-step="engagement"]').click()
    rating_page.context.clear_cookies(name="sessionid")
    rating_page.locator("#step-engagement").get_by_role("button", name="Yes").first.click()
    dialog = rating_page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    assert not list_faults(rating_page, asked.looks)
    dialog.get_by_label("E-mail").fill("nobody@example.org")
    dialog.get_by_label("Password").fill("wrong")
    dialog.get_by_role("button", name=re.compile("Sign in")).click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    assert not list_faults(rating_page, asked.looks)


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
