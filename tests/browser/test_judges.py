"""A lead tries a judge with pasted answers and admits it; drift suspends it; no evaluator gets a byte of it."""

import json
from datetime import timedelta

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from discussions.core import judgement_kinds as kinds
from discussions.judges.core.prompts import draw_code
from discussions.judges.queries import find_open, load_admitted
from discussions.models import Evaluation, Game, Judge
from discussions.queue.actions import take_next_game
from tests.browser.driving import sign_in_as
from tests.factories.adjudication import submit_as
from tests.factories.jobs import run_waiting_jobs
from tests.factories.judges import answer_as, make_trusted_project, run_all, say_in_turn
from tests.factories.people import NOW, make_lead
from tests.factories.rating import make_game
from tests.factories.reliability import add_game, list_people, write_labels
from workspace.models import Person

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
CANARY = "KANARIMARK"


@pytest.fixture
def trusted(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    project = make_trusted_project(slug="trusted")
    return project, make_lead(project=project), list_people(project)


def paste_answers(page: Page, judge: Judge) -> None:
    """Paste what a good judge writes into the page, prompt by prompt."""
    while prompt := find_open(judge).first():
        expect(page.get_by_role("heading", name=f"Prompt {prompt.number},")).to_be_visible()
        said = [say_in_turn(prompt.game.number, subject) for subject in prompt.subjects]
        given = {"code": draw_code(prompt.seed), "answers": {str(at): one for at, one in enumerate(said, 1)}}
        page.get_by_label("The judge’s answer").fill(f"{CANARY} {json.dumps(given)}")
        page.get_by_role("button", name="Keep the answer").click()
        page.wait_for_load_state()


def ask_before(judge: Judge, lead: Person, game: Game) -> None:
    """Prompts of the day before people answer."""
    before = NOW - timedelta(days=1)
    run_all(judge, lead, [game.number], kinds=[kinds.COHERENCE], repeat_percent=0, now=before)


def contradict(project, judge, lead, people) -> None:
    """Three games that the judge was asked about before people said the contrary."""
    for _number in range(3):
        game = add_game(project, people, {})
        contrary = {"yes": "no", "no": "yes"}
        said = [[contrary[say_in_turn(game.number, str(at))]] * len(people) for at in range(1, 13)]
        write_labels(game, kinds.COHERENCE, said)
        ask_before(judge, lead, game)
        answer_as(judge, lead, say_in_turn)


def test_a_judge_is_tried_admitted_and_suspended_while_an_evaluator_sees_nothing(
    page: Page, live_server, trusted
):
    project, lead, people = trusted
    sign_in_as(page, live_server.url, lead)
    page.goto(live_server.url + reverse("judges", args=["trusted"]))
    page.get_by_label("Name").fill(f"Larch {CANARY}")
    page.get_by_label("Model", exact=True).fill(CANARY)
    page.get_by_role("button", name="Add a judge").click()
    for other in ("Memory", "Strategic depth", "Role", "Engagement"):
        page.get_by_label(other, exact=True).uncheck()
    page.get_by_label("all of the games").check()
    page.get_by_label("Asked twice, in percent").fill("50")
    page.get_by_role("button", name="Make the prompts").click()
    expect(page.locator("#judge-progress")).to_contain_text("of 6 games")
    run_waiting_jobs()
    page.get_by_role("link", name="Give answers").click()
    judge = Judge.objects.get()
    paste_answers(page, judge)
    page.goto(live_server.url + reverse("show_judge", args=["trusted", 1]))
    expect(page.locator("h1")).to_contain_text("may help with coherence for village")
    page.get_by_role("button", name="Admit Coherence, village").click()
    expect(page.get_by_role("button", name="Withdraw Coherence, village")).to_be_visible()
    assert load_admitted(project)["coherence", "village"].admitted_by == lead

    contradict(project, judge, lead, people)
    rated = make_game(project=project)
    taken = take_next_game(project=project, by=people[0], now=NOW)
    evaluation = Evaluation.objects.with_work().get(pk=taken.pk)
    ask_before(judge, lead, rated)
    answer_as(judge, lead, say_in_turn)
    page.context.clear_cookies()
    sign_in_as(page, live_server.url, people[0])
    for name, args, status in (
        ("home", [], 200),
        ("rate", [evaluation.pk], 200),
        ("project", ["trusted"], 200),
        ("notifications", [], 200),
        ("show_judge", ["trusted", 1], 403),
    ):
        answer = page.goto(live_server.url + reverse(name, args=args))
        assert (name, answer.status) == (name, status)
        page.wait_for_load_state("networkidle")
        assert CANARY not in answer.text() + page.content()

    submit_as(evaluation, values={("rating", ""): "4.0"})
    run_waiting_jobs()
    page.context.clear_cookies()
    sign_in_as(page, live_server.url, lead)
    page.goto(live_server.url + reverse("notifications"))
    page.get_by_role("link", name="Judge 1 was suspended").click()
    expect(page.locator("#judge-progress")).to_contain_text("Coherence, village: it agreed with people in")
    expect(page.get_by_role("heading", name="Drift: Coherence")).to_be_visible()
    assert not load_admitted(project)
