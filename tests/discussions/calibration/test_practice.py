"""How rating works is shown to newcomers first; practice is the page of rating, explained, and counts nowhere."""

import html
import re

import pytest
from django.urls import reverse

from discussions.calibration.core import EXCHANGE, LESSONS, VOTES
from discussions.calibration.pages import begin_practice, explain, practise_again
from discussions.metrics.core.registry import METRICS
from discussions.models import Evaluation, Game, Judgement, Slot
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


def test_there_is_a_lesson_of_each_metric_with_its_words():
    assert {lesson.metric for lesson in LESSONS} == {
        key for key, metric in METRICS.items() if metric.judged
    }, "each metric that people judge has a lesson in LESSONS of discussions/calibration/core.py"
    assert all(lesson.why for lesson in LESSONS)
    assert len({(lesson.kind, lesson.subject) for lesson in LESSONS}) == len(LESSONS)
    assert ("Otis", "Mira") in VOTES and ("Pia", "Mira") in VOTES, "message 6 is inaccurate by the votes"
    assert "voted for Lena" in str(EXCHANGE[5][2])


@pytest.mark.parametrize("number", ["1.0", "1.1", "1.2", "1.3"])
def test_every_lesson_is_asked_under_every_version_and_its_answer_is_taken(number):
    project = make_rating_project(number=number)
    work = begin_practice(make_member(project=project), project)
    questions = [("question", str(n + 1), "yes") for n in range(work.judgeable.question_count)]
    rating = [("rating", "", "4.0")]
    others = [(lesson.kind, lesson.subject, lesson.right) for lesson in LESSONS[1:]]
    done = practise_again(work, [*questions, *rating, *others[:-1], ("reveal", "roles", "yes"), others[-1]])
    assert not done.visibility.missing
    assert [explain(done, lesson.kind, lesson.subject)[0] for lesson in LESSONS] == [True] * len(LESSONS)
    wrong = practise_again(work, [*questions, ("rating", "", "1.0"), ("reference", "6.1", "accurate")])
    assert explain(wrong, "rating", "")[0] is False
    assert explain(wrong, "question", "1")[0] is None


def test_the_exchange_and_the_examples_of_the_rubric_tell_one_story():
    record = RubricVersion.objects.newest("discussion").to_record()
    examples = [
        said for criterion in record.criteria for said in criterion.good_examples + criterion.bad_examples
    ]
    told = {vote for said in examples for vote in re.findall(r"\b(?:but )?(\w+) voted for (\w+)\.", said)}
    assert ("Lena", "Pia") in told
    assert told <= set(VOTES)


def press(client, act, address="judge", **given):
    """The answer to one act on the page of practice."""
    where = reverse(f"{address}_practice", args=["fresh"])
    given = {"nonce": "n", "step": "engagement", **({"act": act} if act else {"key": "n:undo"}), **given}
    answer = client.post(where, given, headers={"HX-Request": "true", "HX-Target": "answer"})
    return answer.status_code, " ".join(html.unescape(answer.content.decode()).split())


def test_practice_is_the_page_of_rating_and_counts_nowhere(client, project):
    client.force_login(make_member(project=project))
    address = reverse("practice", args=["fresh"])
    rows = [Evaluation, Judgement, Event, Game, Slot]
    before = [model.objects.count() for model in rows]
    shown = said(client, address)
    assert "phase-read" in shown and "Practice" in shown and "/practice/fresh/judge/" in shown
    for _name, _round, text in EXCHANGE:
        assert text in re.sub(r"</?mark[^>]*>", "", shown)
    assert "doctor" not in shown, "roles come later, as on the page of rating"
    status, answer = press(client, "question~1~0~yes")
    assert (status, "Your own opinion" in answer) == (200, True)
    for n in range(2, 6):
        press(client, f"question~{n}~0~yes")
    status, answer = press(client, "rating~~0~1.0")
    assert "Not quite" in answer and "With 4 or more yes the rubric puts the rating at 3 or more" in answer
    status, answer = press(client, "rating~~1~4.0")
    assert "Right" in answer
    status, answer = press(client, "reference~6.1~0~accurate")
    assert "Not quite" in answer and "the vote record of round 1 has Otis and Pia voting for Mira" in answer
    assert "Not quite" in said(client, address), "it is kept while one is signed in"
    press(client, "", "undo")
    status, answer = press(client, "reference~6.1~0~inaccurate")
    assert "Right" in answer
    status, answer = press(client, "strategic_depth~1~0~yes")
    assert (status, "Practice asks only what it explains." in answer) == (422, True)
    assert [model.objects.count() for model in rows] == before


def test_the_result_leads_to_the_first_game_and_practice_can_begin_anew(client, project):
    make_game(project=project)
    client.force_login(make_member(project=project))
    acts = [*(f"question~{n}~0~yes" for n in range(1, 6)), "rating~~0~4.0"]
    acts += [f"{one.kind}~{one.subject}~0~{one.right}" for one in LESSONS[1:]]
    acts.insert(-1, "reveal~roles~0~yes")
    for act in acts:
        assert press(client, act)[0] == 200, act
    address = reverse("practice", args=["fresh"])
    shown = said(client, address)
    assert f"Practice finished: {len(LESSONS)} of {len(LESSONS)} answers right" in shown
    take = reverse("next_game", args=["fresh"])
    assert f'action="{take}"' in shown and "Start the first game" in shown
    assert "/rate/" in client.post(take)["Location"]
    assert client.post(address)["Location"] == address
    assert "Practice finished" not in said(client, address)


def test_leads_practise_and_are_led_back(client, project):
    client.force_login(make_lead(project=project))
    address = reverse("practice", args=["fresh"])
    assert "Start the first game" not in said(client, address, step="review")
    assert client.get(address, {"colour": "red"}).status_code == 400
    assert press(client, "question~9~0~<b>")[0] == 422
