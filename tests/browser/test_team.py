"""A team in browsers: three rate one game, one is killed, one's time ends; a lead resolves a tie and records."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from discussions.models import Adjudication, Evaluation, Slot, Verdict
from tests.browser.driving import Keyboard, focused, start_judging
from tests.browser.test_verdict_pages import sign_in
from tests.factories.adjudication import breaches
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_lead, make_member, make_person
from tests.factories.rating import game_of, make_game, make_rating_project
from workspace.models import Person, Project

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

NAMES = ("Ada Alder", "Ben Birch", "Cleo Cedar")
# What each says of the first reference, and the key of everything that is asked with yes or no.
FIRST = {"Ada Alder": "a", "Ben Birch": "i", "Cleo Cedar": "v"}
LABELS = {"a": "accurate", "i": "inaccurate", "v": "vague"}
RATINGS = {"Ada Alder": "3", "Ben Birch": "4", "Cleo Cedar": "5"}
# Nobody is asked for more in a game of six messages.
MOST_ASKED = 60


class Evaluator:
    """Somebody at a browser of their own, and every page that they were shown."""

    def __init__(self, browser: Browser, live_server, person: Person) -> None:
        self.browser, self.live_server, self.person = browser, live_server, person
        self.seen: list[str] = []
        self.page = self.open()

    def open(self) -> Page:
        """A new browser, signed in, on the home page."""
        page = self.browser.new_context().new_page()
        sign_in(page, self.live_server, self.person)
        self.page = page
        self.go("home")
        return page

    def go(self, name: str, *args: object) -> None:
        """Open a page."""
        self.page.goto(self.live_server.url + reverse(name, args=args))
        self.look()

    def look(self) -> None:
        """Keep what the page holds, to the last attribute."""
        self.seen.append(self.page.content())

    def take(self, button: str) -> None:
        """Press that button of the home page, which leads to a game."""
        self.page.get_by_role("button", name=button).click()
        self.page.wait_for_url(re.compile(r"/rate/\d+/|/guideline/"))
        if "/guideline/" in self.page.url:
            self.page.get_by_role("button", name="Next game").click()
            self.page.wait_for_url(re.compile(r"/rate/\d+/"))
        start_judging(self.page)
        expect(focused(self.page)).to_have_attribute("data-kind", re.compile("."))

    def rate(self, most: int = MOST_ASKED) -> int:
        """Answer what asks by keys, up to the review or so many things; how many were answered."""
        keys, count = Keyboard(self.page), 0
        while count < most and (kind := focused(self.page).get_attribute("data-kind")):
            keys.press(*self._keys(kind))
            count += 1
        assert count < MOST_ASKED, "the same is asked again and again"
        self.look()
        return count

    def _keys(self, kind: str) -> tuple[str, ...]:
        if kind == "rating":
            return (RATINGS[self.person.name], ".")
        if kind == "reference":
            first = not self.judged().filter(kind="reference").exists()
            return (FIRST[self.person.name] if first else "a",)
        return ("c",) if kind == "role_consistency" else ("y",)

    def hand_in(self) -> None:
        """Submit, and read what home says then."""
        expect(self.page.locator("#step-review")).to_be_visible()
        Keyboard(self.page).press("Control+Enter")
        self.page.wait_for_url(re.compile(r"/\?submitted=\d+$"))
        expect(
            self.page.get_by_text(re.compile(r"Game \d+: \d of 3 evaluations are submitted\."))
        ).to_be_visible()
        self.go("mine")

    def evaluation(self) -> Evaluation:
        return Evaluation.objects.get(evaluator=self.person)

    def judged(self):
        """What is stored of their answers."""
        return self.evaluation().judgements.exclude(value="")

    def time_ends(self) -> None:
        """Their lease ends, and the sweep comes by."""
        ended = Slot.objects.filter(evaluator=self.person)
        assert ended.update(lease_until=timezone.now() - timedelta(seconds=1)) == 1
        with suppress(SystemExit):  # where the tests' broker is away
            call_command("sweep")
        assert self.evaluation().state == "lapsed"


@pytest.fixture
def project(db) -> Project:
    """A project whose games three evaluators rate."""
    return make_rating_project(evaluator_count=3, slug="team", number="1.2")


@pytest.fixture
def team(project, browser: Browser, live_server) -> Iterator[list[Evaluator]]:
    """Three evaluators, each at home in a browser; one short game waits."""
    make_game(project=project, content=game_of(6))
    people = [make_member(project=project, person=make_person(name=name)) for name in NAMES]
    evaluators = [Evaluator(browser, live_server, person) for person in people]
    yield evaluators
    for evaluator in evaluators:
        evaluator.page.context.close()


def test_three_rate_a_game_at_once_and_a_lead_settles_their_tie(team, project, page, live_server) -> None:
    lead = make_lead(project=project)
    _all_three_hand_in(*team)
    game = project.games.get()
    sign_in(page, live_server, lead)
    _the_lead_resolves_the_tie_and_records(page, live_server, game)
    _agreement_shows_it(page, live_server, project)
    _nobody_saw_anything_of_the_others(team, lead, game)
    assert breaches(timezone.now()) == []


def _all_three_hand_in(ada: Evaluator, ben: Evaluator, cleo: Evaluator) -> None:
    """Ben's browser is killed and his time ends; Cleo's time ends on the open page; both go on where they were."""
    for evaluator in (ada, ben, cleo):
        evaluator.take("Next game")
    assert Slot.objects.exclude(evaluator=None).count() == 3
    assert ben.rate(most=5) == 5
    ben.page.context.close()
    ben.time_ends()
    assert cleo.rate(most=3) == 3
    ada.rate()
    ada.hand_in()
    cleo.time_ends()
    assert cleo.rate(most=1) == 1
    assert (cleo.evaluation().state, cleo.judged().count()) == ("draft", 4), (
        "her next key took the place again"
    )
    cleo.rate()
    cleo.hand_in()
    expect(cleo.page.get_by_text("2 of 3 evaluations are submitted")).to_be_visible()
    ben.open()
    ben.take("Resume")
    assert ben.judged().count() == 5, "what was acknowledged before the kill is there"
    ben.rate()
    ben.hand_in()
    states = Evaluation.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == ["submitted"] * 3


def _the_lead_resolves_the_tie_and_records(page: Page, live_server, game) -> None:
    place = [game.project.slug, game.number]
    page.goto(live_server.url + reverse("verdict", args=place))
    expect(page.get_by_role("button", name="Record the verdict")).to_be_disabled()
    page.goto(live_server.url + reverse("adjudicate", args=place))
    asks = page.locator(".difference.asks")
    count, tie = asks.count(), asks.first
    expect(tie.get_by_role("radio")).not_to_have_count(0)
    for label in FIRST.values():
        expect(tie).to_contain_text(LABELS[label])
    for name in NAMES:
        assert name not in page.content(), "a lead sees letters until they ask for names"
    tie.get_by_role("radio").first.focus()
    page.keyboard.press("Space")
    tie.get_by_label("Reason").fill("The record of round 1 says so.")
    page.keyboard.press("Enter")
    expect(asks).to_have_count(count - 1)
    assert Adjudication.objects.get().kind == "reference"
    page.get_by_role("link", name="Open the verdict").click()
    page.get_by_role("button", name="Record the verdict").click()
    expect(page.get_by_text("Recorded verdict 1")).to_be_visible()
    assert Verdict.objects.count() == 1


def _agreement_shows_it(page: Page, live_server, project: Project) -> None:
    address = live_server.url + reverse("agreement", args=[project.slug])
    page.goto(address)
    with page.expect_navigation():
        page.get_by_role("button", name="Compute").click()
    run_waiting_jobs(now=timezone.now())
    page.goto(address)
    page.evaluate("for (const fold of document.querySelectorAll('main details')) fold.open = true")
    row = page.get_by_role("row", name=re.compile("^Memory references"))
    row.get_by_role("link").first.click()
    expect(page.get_by_text("vague").first).to_be_visible()


def _nobody_saw_anything_of_the_others(team: list[Evaluator], lead: Person, game) -> None:
    """Neither while they rated nor now that the verdict stands: no name, no answer, no figure of a team."""
    for evaluator in team:
        for name in ("game", "verdict", "report"):
            evaluator.go(name, game.project.slug, game.number)
        others = {name for name in NAMES if name != evaluator.person.name}
        for text in evaluator.seen:
            assert not [name for name in others if name in text]
            assert "The record of round 1 says so." not in text
        for name, args in (("agreement", ()), ("team", ()), ("adjudicate", (game.number,))):
            place = reverse(name, args=[game.project.slug, *args])
            assert evaluator.page.request.get(evaluator.live_server.url + place).status in (403, 404)
