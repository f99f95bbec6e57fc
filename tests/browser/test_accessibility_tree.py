"""The page of an evaluator by roles and names alone, as a screen reader has it; and focus that nothing covers."""

import re

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Locator, Page, expect

from discussions.models import Evaluation
from discussions.rating.queries import load_state
from tests.browser.driving import HERE, Keyboard, answer_by_keys, open_rating_page, settle, take_next_game
from tests.factories.people import make_member
from tests.factories.rating import make_game, make_rating_project, start

pytestmark = pytest.mark.django_db(transaction=True)

ANSWERS = re.compile(
    r"^(Accurate|Yes, strategic|Yes|Consistent|3|Reveal the roles|Skip them and reveal the roles)( \w)?$"
)
NAMED = re.compile(".")
# What of the focused element is covered by something else: its corners and its middle, a little inside, if on screen.
COVERED = """() => {
    const one = document.activeElement;
    if (one === document.body) return []; // beyond the last stop of Tab
    // Radio buttons that look like tabs show in their labels.
    const shown = one.type === "radio" ? one.labels[0] : one;
    const { left, right, top, bottom } = shown.getClientRects()[0];
    const inside = (at, most) => Math.min(Math.max(at, 1), most - 1);
    const high = Math.min(bottom - top, 150); // of what is taller than the screen the upper part
    const middle = [(left + right) / 2, top + high / 2];
    const places = [[left + 4, top + 4], [right - 4, top + 4], middle, [left + 4, top + high - 4]];
    return places.filter(([x, y]) => {
        if (y < 0 || y > innerHeight) return true;
        const found = document.elementFromPoint(inside(x, innerWidth), y);
        return !(shown.contains(found) || found?.contains(shown));
    }).map(([x, y]) => `${one.outerHTML.slice(0, 90)} at ${x},${y} of ${innerHeight}`);
}"""


def test_one_whole_evaluation_through_the_accessibility_tree(page: Page, live_server) -> None:
    """From the home page to Submitted by `get_by_role`: every thing to judge is named by its question and its quote."""
    evaluator = ready_person(page, live_server.url)
    page.goto(live_server.url)
    take_next_game(page)
    steps = page.get_by_role("navigation", name="Steps")
    expect(steps).to_be_visible()
    evaluation = Evaluation.objects.with_work().get(evaluator=evaluator)
    seen: list[str] = []
    asking = steps.get_by_role("link", name=re.compile(r"^[1-7] .*(\d+ to do|after the reveal)$"))
    while asking.count():
        asking.first.click()
        seen += answer_step(page)
    state = load_state(evaluation)
    for position in state.samples["coherence"]:
        assert sum(state.seen.messages[position - 1].text in name for name in seen) >= 1
    for text in state.rubric.criterion("engagement").guiding_questions:
        assert any(text in name for name in seen)
    steps.get_by_role("link", name=re.compile("Submit")).click()
    page.get_by_role("button", name="Submit and next game").click()
    expect(page.get_by_role("status").filter(has_text=re.compile("ubmitted"))).to_be_visible()
    evaluation.refresh_from_db()
    assert evaluation.state == "submitted"


def ready_person(page: Page, site: str):
    """Somebody who is signed in, with two games to rate."""
    project = make_rating_project(evaluator_count=2, number="1.2")
    for _game in range(2):
        make_game(project=project, message_count=12)
    evaluator = make_member(project=project)
    client = Client()
    client.force_login(evaluator)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": site}])
    return evaluator


def answer_step(page: Page) -> list[str]:
    """Answer everything in the open step that asks; the names of what was answered."""
    step = page.get_by_role("region", name="What is asked").get_by_role("region").last
    question = step.get_by_role("heading").first.inner_text()
    answers = page.get_by_role("button", name=ANSWERS)
    asked = step.get_by_role("group", name=NAMED).filter(has=answers)
    asked = asked.filter(has_not=page.get_by_role("button", pressed=True))
    names = []
    while asked.count():
        group = page.locator(f"#{asked.first.get_attribute('id')}")
        names.append(get_name(group))
        is_reveal = names[-1] == "Reveal the roles"
        assert is_reveal or names[-1].startswith("Your rating") or names[-1].startswith(question)
        group.get_by_role("button", name=ANSWERS).first.click()
        settle(page)
        expect(page.get_by_role("status").filter(has_text="saved").first).to_be_attached()
        if is_reveal or step.get_by_role("heading").first.inner_text() != question:
            break  # the last answer of a step leads on to the next one
        expect(group.get_by_role("button", name=ANSWERS).first).to_have_attribute("aria-pressed", "true")
    return names


def get_name(group: Locator) -> str:
    """The accessible name as the browser computes it."""
    first = group.aria_snapshot().splitlines()[0].replace("''", "'")
    return re.sub(r"\\(.)", r"\1", re.search(r'group "(.*)"', first)[1])


def check_uncovered(rating_page: Page) -> None:
    """Nothing covers what has the focus, once the page is still."""
    for _wait in range(10):
        if not rating_page.evaluate(COVERED):
            return
        rating_page.wait_for_timeout(100)
    assert rating_page.evaluate(COVERED) == []


@pytest.mark.parametrize("size", [(360, 640), (683, 384), pytest.param((1366, 768), marks=pytest.mark.long)])
def test_what_is_focused_is_never_covered(size, page: Page, live_server) -> None:
    """At 360 px, at 200 % zoom of 1366, and at 1366: by Tab through the whole page, and by keys through all answers."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    evaluation = start(project=make_rating_project(number="1.2"), message_count=12)
    rating_page = open_rating_page(page, live_server.url, evaluation)
    for _stop in range(70):
        rating_page.keyboard.press("Tab")
        check_uncovered(rating_page)
    for _stop in range(40):
        rating_page.keyboard.press("Shift+Tab")
        check_uncovered(rating_page)
    rating_page.keyboard.press("Alt+1")
    keys = Keyboard(rating_page)
    for _answer in answer_by_keys(keys):
        check_uncovered(rating_page)
    assert not load_state(evaluation).visibility.missing


def test_quotes_are_no_stops_of_tab(page: Page, live_server) -> None:
    rating_page = open_rating_page(
        page, live_server.url, start(project=make_rating_project(number="1.2"), message_count=12)
    )
    stops = rating_page.evaluate("""
        () => [...document.querySelectorAll(".item blockquote, .item .quotes, #at blockquote")]
        .filter((one) => one.tabIndex >= 0 || one.scrollHeight > one.clientHeight + 1).length""")
    assert stops == 0
    assert rating_page.evaluate(HERE)
