"""A whole evaluation without a mouse: 60 messages, 10 references, the samples, 3 overrides, at most 65 keys."""

import re
from collections import Counter

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driving import (
    SLUG,
    Keyboard,
    Watch,
    focused,
    judgements,
    prepare_site,
    sign_in_by_form,
    tell,
)
from tests.browser.transcripts import REFERENCES, lively_game

pytestmark = pytest.mark.slow

MOST_KEYS = 65
WORDS = {"a": "accurate", "i": "inaccurate", "v": "vague", "x": "not_a_reference", "y": "yes", "n": "no"}
QUESTIONS = {"1": "y", "2": "y", "3": "n", "4": "y", "5": "n"}
FLIPS = {
    "2": ("strategic_depth", ("yes", "no")),
    "3": ("coherence", ("yes", "no")),
    "4": ("role_consistency", ("inconsistent",)),
}
# The messages to which the rule objects: with others, it would ask for more than fit into the keys.
OBJECTED = ("28", "33", "45")
ROLE_WORDS = {"c": "consistent", "i": "inconsistent", "x": "not_assessable"}


def choose_answer(kind: str, subject: str) -> str:
    """The key for a thing that asks."""
    if kind == "reference":
        return REFERENCES[subject]
    if kind == "question":
        return QUESTIONS[subject]
    if kind == "role_consistency":
        return "i" if subject in OBJECTED else "c"
    return "y" if int(subject) % 3 else "n"


def rate_what_asks(keys: Keyboard) -> dict[tuple[str, str], str]:
    """Answer the focused thing until nothing of the kind is focused; the keys pressed by (kind, subject)."""
    said = {}
    while True:
        here = focused(keys.page)
        kind = here.get_attribute("data-kind") or ""
        if kind in ("rating", "reveal", ""):
            return said
        subject = re.search(rf'value="{kind}~([^~]+)~', here.inner_html())[1]
        key = choose_answer(kind, subject)
        assert (kind, subject) not in said, f"the focus came back to {kind} {subject}"
        said[kind, subject] = key
        keys.press(key)


def override(keys: Keyboard, said: dict[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """Flip one metric after the other, each on the next message above or below that was no sample of it."""
    stored = {}
    now = keys.page.locator(".msg.now")
    away = "k" if int(now.get_attribute("data-position")) > 15 else "j"
    for metric, (kind, turned) in FLIPS.items():
        keys.press(away)
        while (kind, now.get_attribute("data-position")) in said:
            keys.press(away)
        position = now.get_attribute("data-position")
        was = now.locator(f"[data-m='{metric}']").get_attribute("data-act").split("~")[-1]
        keys.press("m", metric)
        expect(now).to_have_attribute("data-position", position)
        expect(now.locator(f"[data-m='{metric}'] .was")).to_be_visible()
        stored[kind, position] = was
        assert was in turned
    return stored


def test_a_game_is_rated_with_at_most_65_keys(live_stack, page: Page):
    prepare_site(live_stack, lively_game())
    watch = Watch(page)
    sign_in_by_form(page, live_stack)
    page.goto(f"{live_stack.url}/projects/{SLUG}/guideline/")
    page.goto(f"{live_stack.url}/")
    keys = Keyboard(page)
    keys.tab_to(page.get_by_role("button", name="Next game"))
    keys.press("Enter")
    page.wait_for_url(re.compile(r"/rate/\d+/"))
    expect(page.locator("body.phase-read .text:focus")).to_have_count(1)
    keys.press("t")
    to_begin = len(keys)

    expect(focused(page)).to_have_attribute("data-kind", "question")
    said = rate_what_asks(keys)
    expect(focused(page)).to_have_attribute("data-kind", "rating")
    keys.press("3", "h", ".")
    expect(focused(page)).to_have_attribute("data-kind", "reference")
    said |= rate_what_asks(keys)
    assert [subject for kind, subject in said if kind == "reference"] == list(REFERENCES)
    assert Counter(kind for kind, _ in said) == {
        "reference": 10,
        "strategic_depth": 6,
        "coherence": 6,
        "question": 5,
    }
    expect(focused(page)).to_have_attribute("data-kind", "reveal")
    keys.press("y")
    said |= rate_what_asks(keys)
    assert {("role_consistency", position) for position in OBJECTED} <= set(said)
    expect(page.locator("#step-review")).to_be_visible()
    overridden = override(keys, said)
    keys.press("Control+Enter")
    page.wait_for_url("**/?submitted=*")
    tell(f"{len(keys)} keys, {to_begin} of them to begin: {' '.join(keys.pressed)}")
    assert len(keys) <= MOST_KEYS
    words = {
        (kind, subject): (ROLE_WORDS if kind == "role_consistency" else WORDS)[key]
        for (kind, subject), key in said.items()
    }
    assert judgements(live_stack) == words | overridden | {("rating", ""): "3.5"}

    record = Keyboard(page)
    expect(focused(page)).to_have_text(re.compile("Record game"))
    record.press("Enter")
    page.wait_for_url("**/verdict/")
    record.tab_to(page.get_by_role("button", name="Record the verdict"))
    record.press("Enter")
    expect(page.get_by_role("link", name="Report")).to_be_visible()
    tell(f"{len(record)} keys more to record the verdict")
    assert live_stack.rows("SELECT COUNT(*) FROM discussions_verdict") == [(1,)]
    assert "5 of 9" in page.locator("main").text_content()
    watch.check()
    assert "all hold" in live_stack.manage("verify")
