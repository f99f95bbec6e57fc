"""A whole review without a mouse: three responses as a whole and by four criteria, submitted, at most 20 keys."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import EVALUATOR, Keyboard, Watch, focused, prepare_site, settle, sign_in, tell

pytestmark = pytest.mark.slow

MOST_KEYS = 20
WHOLE = "870"
BY_CRITERION = {"accuracy": "976", "completeness": "896", "conciseness": "796", "clarity": "886"}
_SET = f"""
from django.utils import timezone
from tests.factories.comparisons import make_set
from workspace.models import Person
lead, person = (Person.objects.get(email=email) for email in ("lead@example.org", {EVALUATOR!r}))
make_set(by=lead, people=[person], questions=2, mode="both")
"""


def get_subject(page: Page) -> tuple[str, str]:
    """Kind and subject of the focused thing."""
    here = focused(page)
    kind = here.get_attribute("data-kind") or ""
    return kind, re.search(rf'value="{kind}~([^~]+)~', here.inner_html())[1]


def test_a_comparison_is_reviewed_with_at_most_20_keys(live_stack, page: Page):
    prepare_site(live_stack)
    live_stack.script(_SET)
    watch = Watch(page)
    sign_in(page, live_stack)
    page.goto(f"{live_stack.url}/reviews/")
    keys = Keyboard(page)
    expect(focused(page)).to_have_class(re.compile("primary"))
    keys.press("Enter")
    page.wait_for_url(re.compile(r"/reviews/\d+/"))
    # Whoever resizes a field gives it a style, which htmx would copy to what takes its place, against the policy.
    page.evaluate(
        "document.querySelectorAll('textarea').forEach((field) => { field.style.height = '90px'; })"
    )
    for place, key in enumerate(WHOLE, start=1):
        assert get_subject(page) == ("holistic", str(place))
        expect(page.locator(f"#message-{place}")).to_have_class(re.compile("now"))
        keys.press(key)
    for criterion, pressed in BY_CRITERION.items():
        for place, key in enumerate(pressed, start=1):
            assert get_subject(page) == ("score", f"{place}.{criterion}")
            expect(page.locator(f"[aria-labelledby='criterion-{criterion}'] .anchors")).to_be_in_viewport()
            keys.press(key)
    expect(page.locator("#submit button")).to_be_focused()
    expect(page.locator("#step-review .item .by")).to_have_text(
        [re.compile(rf"Response {letter}") for letter in "ABC"]
    )
    reviewing = page.url
    keys.press("Control+Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("submitted")
    assert page.url == reviewing
    expect(page.locator("td.strong")).to_have_text(["8.15", "8.10", "6.00"])
    tell(f"{len(keys)} keys: {' '.join(keys.pressed)}")
    assert len(keys) <= MOST_KEYS
    rows = live_stack.rows("SELECT position, holistic FROM rubric_reviewedresponse ORDER BY position")
    assert rows == [(1, 8.0), (2, 7.0), (3, 10.0)]

    keys.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Your comparison 2")
    what_else_the_keys_do(live_stack, page, keys)
    watch.check()
    assert "all hold" in live_stack.manage("verify")


def what_else_the_keys_do(live_stack, page: Page, keys: Keyboard) -> None:
    """Cannot judge asks why, notes are saved on leaving them, undo goes back to what it undid, missing is named."""
    keys.press("c")
    expect(page.get_by_label("Response A: overall (holistic) cannot be judged, since")).to_be_focused()
    page.keyboard.type("It is cut")
    keys.tab_to(page.get_by_role("button", name="Cancel"))
    keys.press("Enter")
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    assert not live_stack.rows("SELECT 1 FROM rubric_mark WHERE review_id = 2")
    keys.press("c", "End")
    page.keyboard.type(" off")
    keys.press("Enter")
    assert get_subject(page) == ("holistic", "2")
    expect(page.locator("#item-holistic-1")).to_contain_text("It is cut off")
    keys.press("n")
    expect(page.get_by_label("Notes on Response B")).to_be_focused()
    page.keyboard.type("Salty, 4 of 5")
    keys.press("Escape")
    expect(page.locator("#item-holistic-2")).to_be_focused()
    settle(page)
    marks = "SELECT kind, subject, value, reason FROM rubric_mark WHERE review_id = 2 ORDER BY kind"
    assert live_stack.rows(marks) == [
        ("holistic", "1", "cannot", "It is cut off"),
        ("notes", "2", "Salty, 4 of 5", ""),
    ]
    keys.press("u", "u")
    expect(page.get_by_label("Notes on Response B")).to_have_value("")
    assert get_subject(page) == ("holistic", "1")
    keys.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Response A has no holistic score.")
    expect(page.locator("#item-holistic-1")).to_be_focused()
