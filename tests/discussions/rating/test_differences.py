"""Where you and the rule differ: only of one's own submitted work, only where the project shows it, nothing hidden."""

import html

import pytest
from django.urls import reverse

from discussions.models import Evaluation, Iteration
from discussions.models.slots import CALIBRATION
from discussions.planning.actions import change_rating_rule
from discussions.rating.actions import reopen_evaluation, reveal_roles, submit_evaluation
from discussions.rating.pages.differences import build_differences_page
from discussions.rating.queries import load_state
from tests.factories.adjudication import list_evaluations, make_differing
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.queue import finish, rated_once, until_repeated
from tests.factories.rating import ANSWERS, ready_to_submit, say_what_is_missing, start, submitted
from tests.factories.tampering import without_triggers
from tests.factories.verdicts import get_lead, record

pytestmark = pytest.mark.django_db


def show_differences(project):
    """Switch the page on."""
    change_rating_rule(
        project=project,
        flags="hold",
        reopen_minutes=30,
        shows_differences=True,
        records_at_submit=False,
        by=make_lead(project=project),
        now=NOW,
    )


def address(evaluation):
    return reverse("own_differences", args=[evaluation.pk])


def test_it_is_off_until_the_project_shows_it(client):
    evaluation = submitted()
    client.force_login(evaluation.evaluator)
    assert client.get(address(evaluation)).status_code == 404
    assert address(evaluation) not in client.get(reverse("mine")).content.decode()
    show_differences(evaluation.game.project)
    assert client.get(address(evaluation)).status_code == 200
    for page in (reverse("mine"), f"/?submitted={evaluation.pk}"):
        assert f'href="{address(evaluation)}"' in client.get(page).content.decode()


def test_it_lists_each_message_judged_otherwise_than_the_rule_with_the_rubrics_words(client):
    evaluation = start()
    no_depth = ANSWERS | {"strategic_depth": "no"}
    say_what_is_missing(evaluation, answers=no_depth)
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    say_what_is_missing(evaluation, answers=no_depth)
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    show_differences(evaluation.game.project)
    work = load_state(evaluation)
    page = build_differences_page(work)
    depth = next(metric for metric in page.metrics if metric.guide.label == "Strategic depth")
    judged = work.values["strategic_depth"]
    wrong = [
        int(subject) for subject, value in judged.items() if work.machine["strategic_depth", subject] != value
    ]
    assert wrong, "the sample has messages that the rule calls strategic"
    assert [item.message for item in depth.differences] == sorted(wrong)
    assert depth.judged == len(judged)
    assert {(item.yours, item.rule) for item in depth.differences} == {("not strategic", "strategic")}
    client.force_login(evaluation.evaluator)
    said = html.unescape(client.get(address(evaluation)).content.decode())
    criterion = work.rubric.criterion("strategic_depth")
    for words in (criterion.question, *criterion.good_examples, work.game.messages[wrong[0] - 1].text):
        assert words in said


def test_it_is_ones_own_submitted_evaluation_alone(client):
    evaluation = ready_to_submit()
    show_differences(evaluation.game.project)
    client.force_login(evaluation.evaluator)
    assert client.get(address(evaluation)).status_code == 404, "a draft"
    for person in (make_member(project=evaluation.game.project), make_lead(project=evaluation.game.project)):
        client.force_login(person)
        assert client.get(address(evaluation)).status_code == 404


def test_a_reopened_one_has_none(client):
    evaluation = submitted()
    show_differences(evaluation.game.project)
    reopen_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    client.force_login(evaluation.evaluator)
    assert client.get(address(evaluation)).status_code == 404


def test_a_calibration_game_has_its_own_feedback_instead(client):
    evaluation = submitted()
    show_differences(evaluation.game.project)
    with without_triggers():
        Evaluation.objects.filter(pk=evaluation.pk).update(purpose=CALIBRATION)
    client.force_login(evaluation.evaluator)
    assert client.get(address(evaluation)).status_code == 404
    assert address(evaluation) not in client.get(reverse("mine")).content.decode()


def test_what_others_judged_changes_nothing(client):
    game = make_differing()
    show_differences(game.project)
    first, second = list_evaluations(game)
    pages = {one.pk: build_differences_page(load_state(one)) for one in (first, second)}
    assert pages[first.pk] != pages[second.pk]
    client.force_login(first.evaluator)
    said = client.get(address(first)).content.decode()
    assert "Too vague to be a reply." not in said
    assert second.evaluator.name not in said
    second.judgements.filter(kind="coherence").update(value="yes")
    assert build_differences_page(load_state(first)) == pages[first.pk]


def test_what_the_iteration_hides_stays_hidden_until_the_verdict(client):
    evaluation = submitted(reveal="never")
    show_differences(evaluation.game.project)
    assert Iteration.objects.get(pk=evaluation.game.iteration_id).reveal == "never"
    client.force_login(evaluation.evaluator)
    said = client.get(address(evaluation)).content.decode()
    assert "hidden until the verdict" in said
    assert "The rule:" not in said
    record(evaluation.game, by=get_lead(evaluation.game))
    assert "The rule:" in client.get(address(evaluation)).content.decode()


def test_a_hidden_duplicate_is_called_by_the_number_it_was_shown_under(client, monkeypatch):
    monkeypatch.setattr("workspace.core.hidden_duplicates.APART", 0)
    repeat = finish(until_repeated(rated_once()))
    show_differences(repeat.game.project)
    client.force_login(repeat.evaluator)
    said = " ".join(client.get(address(repeat)).content.decode().split())
    assert f"Game {repeat.shown_number}<" in said
    assert f"Game {repeat.game.number}<" not in said
