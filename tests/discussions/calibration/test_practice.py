"""How rating works is shown to newcomers first; the practice item explains each answer and stores nothing."""

import html
import re

import pytest
from django.urls import reverse

from discussions.calibration.core import ENOUGH, EXCHANGE, QUESTIONS, TOO_LOW, VOTES
from discussions.metrics.core.registry import METRICS
from discussions.models import Evaluation, Judgement
from rubric.models import RubricVersion
from tests.factories.people import make_lead, make_member
from tests.factories.rating import make_game, make_rating_project, start
from workspace.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_rating_project(slug="fresh")


def said(client, address, **given):
    """A page's text."""
    answer = client.get(address, given)
    assert answer.status_code == 200
    return " ".join(html.unescape(answer.content.decode()).split())


def test_a_newcomer_is_shown_how_rating_works_before_the_first_game(client, project):
    make_game(project=project)
    client.force_login(make_member(project=project))
    page, take = reverse("guideline", args=["fresh"]), reverse("next_game", args=["fresh"])
    for _again in range(2):
        assert client.post(take)["Location"] == page
    assert not Evaluation.objects.exists()
    shown = said(client, page)
    assert reverse("practice", args=["fresh"]) in shown
    assert f'action="{take}"' in shown
    assert "/rate/" in client.post(take)["Location"]


def test_who_has_started_a_game_here_is_no_newcomer(client):
    evaluation = start()
    client.force_login(evaluation.evaluator)
    answer = client.post(reverse("next_game", args=[evaluation.game.project.slug]))
    assert answer["Location"] == reverse("rate", args=[evaluation.pk])


def test_home_and_the_rating_page_lead_back_to_it(client):
    evaluation = start()
    client.force_login(evaluation.evaluator)
    link = f'href="{reverse("guideline", args=[evaluation.game.project.slug])}"'
    for address in ("/", reverse("rate", args=[evaluation.pk])):
        assert said(client, address).count(link) == 1


def test_there_is_a_question_of_each_kind_with_its_words():
    metrics = [question.metric for question in QUESTIONS]
    assert set(metrics) == {key for key, metric in METRICS.items() if metric.judged}, (
        "each metric that people judge has a question in QUESTIONS of discussions/calibration/core.py"
    )
    assert len(metrics) == len(set(metrics))
    assert all(question.about and question.why for question in QUESTIONS)
    assert all(question.right in question.answers for question in QUESTIONS)
    assert ("Otis", "Mira") in VOTES and ("Pia", "Mira") in VOTES, "message 3 is inaccurate by the votes"
    assert "voted for Lena" in str(EXCHANGE[2][1])


def test_the_exchange_and_the_examples_of_the_rubric_tell_one_story():
    record = RubricVersion.objects.newest("discussion").to_record()
    examples = [
        said for criterion in record.criteria for said in criterion.good_examples + criterion.bad_examples
    ]
    told = {vote for said in examples for vote in re.findall(r"\b(?:but )?(\w+) voted for (\w+)\.", said)}
    assert ("Lena", "Pia") in told
    assert told <= set(VOTES)


def test_each_answer_is_explained_and_the_others_are_kept(client, project):
    client.force_login(make_member(project=project))
    address = reverse("practice", args=["fresh"])
    events = Event.objects.count()
    shown = said(client, address)
    record = RubricVersion.objects.newest("discussion").to_record()
    for criterion in record.criteria:
        assert criterion.question in shown
    assert "Right" not in shown and "Not quite" not in shown
    (wrong,) = (question for question in QUESTIONS if question.metric == "memory_accuracy")
    given = {"memory_accuracy": "accurate"}
    shown = said(client, address, **given)
    assert shown.count("Not quite") == 1 and wrong.why in shown
    assert shown.count('name="memory_accuracy" value="accurate"') == len(QUESTIONS)
    given = {question.metric: question.right for question in QUESTIONS}
    shown = said(client, address, **given)
    assert shown.count("<strong>Right</strong>") == len(QUESTIONS)
    assert "7 of 7 answers right" in shown
    assert (Judgement.objects.count(), Event.objects.count()) == (0, events)


def test_the_rating_follows_the_rule_of_the_rubric_version(client, project):
    client.force_login(make_member(project=project))
    shown = said(client, reverse("practice", args=["fresh"]), engagement=TOO_LOW)
    assert "You answered yes to 4 of the questions" in shown
    assert "With 4 or more yes the rubric puts the rating at 3 or more." in shown
    answers = re.findall(
        r'name="engagement" value="(\w+)" aria-pressed="\w+"\s*>\s*(\S+?)\s*</button>', shown
    )
    assert answers == [(TOO_LOW, "2"), (ENOUGH, "3")]


def test_an_answer_that_is_none_is_left_out_and_an_unknown_name_refused(client, project):
    client.force_login(make_lead(project=project))
    address = reverse("practice", args=["fresh"])
    shown = said(client, address, memory_accuracy="<b>")
    assert "<b>" not in shown and "Not quite" not in shown
    assert "Next game" not in shown, "leads rate nothing"
    assert client.get(address, {"colour": "red"}).status_code == 400
