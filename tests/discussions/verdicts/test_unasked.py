"""Suggested references that nobody looked at are named wherever the score of memory accuracy is read."""

import html

import pytest
from django.urls import reverse

from discussions.adjudication.core.judgeable import list_unasked
from discussions.rating.actions import act
from discussions.rating.pages.evaluation import EvaluationQuery, rating_page
from discussions.rating.pages.lease import build_lease
from discussions.rating.queries import load_state
from discussions.verdicts.queries import count_unasked_suggestions, load_basis
from tests.factories.people import NOW
from tests.factories.rating import (
    game_of,
    load_again,
    make_rating_project,
    ready_to_submit,
    say,
    say_engagement,
    say_what_is_missing,
    start,
)
from tests.factories.tokens import program_of
from tests.factories.verdicts import fresh, get_lead, record
from workspace.audit.core import Act

pytestmark = pytest.mark.django_db

SAID = "Memory accuracy: nobody looked at {n} suggestion"


def content(references=0, suggestions=2):
    """A game of twelve messages with that many references and suggested references."""
    game = game_of(12)
    texts = ["Bea voted for Ann in round 1."] * references + [
        "If Bea had voted for Cid in round 2, he would be gone."
    ] * suggestions
    assert len(texts) <= 12
    for message, text in zip(
        game["messages"], texts + ["Good morning to you."] * (12 - len(texts)), strict=True
    ):
        message["message"] = text
    return game


def ended(**given):
    """An evaluation with everything in that is asked for, and no look at the suggestions."""
    return ready_to_submit(project=make_rating_project(number="1.2"), content=content(**given))


def open_page(evaluation, step=""):
    evaluation = load_again(evaluation)
    lease = build_lease(evaluation=evaluation, now=NOW)
    return rating_page(work=load_state(evaluation), wanted=EvaluationQuery("n", step), lease=lease)


def look(evaluation, what="suggestions"):
    posted = Act(kind="reveal", subject=what, value="yes", version=0, key="look")
    act(evaluation=load_again(evaluation), posted=posted, by=evaluation.evaluator, now=NOW)


def submit(client, evaluation):
    client.force_login(evaluation.evaluator)
    answer = client.post(reverse("submit_evaluation", args=[evaluation.pk]), {"key": "n:submit"})
    assert answer.status_code == 303


def read(client, game, name):
    address = reverse(name, args=[game.project.slug, game.number])
    return " ".join(html.unescape(client.get(address).content.decode()).split())


def test_what_counts_as_looked_at():
    possible = ["2.1", "5.1", "5.2", "11.1"]
    assert list_unasked(possible, set(), []) == possible
    assert list_unasked(possible, {"5.1"}, ["roles", "reference:2.1"]) == ["2.1", "5.2", "11.1"]
    assert list_unasked(possible, set(), ["suggestions:5.1-5.2"]) == ["2.1", "11.1"]
    assert list_unasked(possible, set(), ["suggestions"]) == []


@pytest.mark.parametrize(("references", "suggestions"), [(0, 3), (2, 5)])
def test_it_is_said_at_submitting_and_wherever_the_verdict_is_read(client, references, suggestions):
    evaluation = ended(references=references, suggestions=suggestions)
    count = len(load_state(load_again(evaluation)).judgeable.possible)
    assert (count, len(load_state(load_again(evaluation)).judgeable.counted)) == (suggestions, references)
    said = SAID.format(n=count)
    assert open_page(evaluation, "review").review.unasked.startswith(said)
    submit(client, evaluation)
    game = fresh(evaluation.game)
    assert said in read(client, game, "verdict")
    lead = get_lead(game)
    program = program_of(lead)
    path = f"projects/{game.project.slug}/games/{game.number}/verdict/"
    assert program.get(path).json()["unasked"].startswith(said)
    record(game)
    client.force_login(lead)
    for name in ("verdict", "game", "report", "report_markdown", "report_json"):
        assert read(client, game, name).count(said) == 1, name
    facts = client.get(reverse("report_json", args=[game.project.slug, game.number])).json()["verdict"]
    assert len(facts["notes"]) == 1
    assert program.get(path).json()["unasked"].startswith(said)


@pytest.mark.parametrize("is_marked", [False, True])
def test_nothing_is_said_once_somebody_looked(client, is_marked):
    evaluation = ended(suggestions=2)
    if is_marked:
        for subject in load_state(load_again(evaluation)).judgeable.possible:
            say(load_again(evaluation), "missed", subject, "yes")
        say_what_is_missing(load_again(evaluation))
    else:
        look(evaluation)
    assert open_page(evaluation, "review").review.unasked == ""
    submit(client, evaluation)
    game = fresh(evaluation.game)
    assert "nobody looked at" not in read(client, game, "verdict")
    record(game)
    facts = client.get(reverse("report_json", args=[game.project.slug, game.number])).json()["verdict"]
    assert facts["notes"] == []


def test_some_may_be_left():
    evaluation = ended(suggestions=3)
    first = load_state(load_again(evaluation)).judgeable.possible[0]
    look(evaluation, f"suggestions:{first}-{first}")
    assert open_page(evaluation, "review").review.unasked.startswith(SAID.format(n=2) + "s")


def test_without_evaluations_nobody_could_look():
    game = fresh(start(content=content()).game)
    assert count_unasked_suggestions(load_basis(game)) == 0


def test_the_page_opens_at_suggestions_that_nobody_asked_for():
    evaluation = start(project=make_rating_project(number="1.2"), content=content(suggestions=2))
    assert open_page(evaluation).step == "engagement"
    say_engagement(evaluation)
    page = open_page(evaluation)
    assert page.step == "references"
    assert [item.is_suggested for item in page.references] == [True, True]
    look(evaluation)
    page = open_page(evaluation)
    assert page.step != "references"
    assert [item.is_suggested for item in page.references] == [False, False]


def test_with_everything_in_it_opens_at_the_suggestions_and_not_at_submit():
    evaluation = ended(suggestions=2)
    assert open_page(evaluation).step == "references"
    look(evaluation)
    assert open_page(evaluation).step == "review"
