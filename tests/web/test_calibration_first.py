"""Calibration where evaluators look for work: home, the queue, the rating page, their own evaluations and answers."""

import pytest
from django.urls import reverse

import discussions.core.repeats
from discussions.actions.calibrating import close_round, let_rate, take_calibration
from discussions.models import Evaluation
from discussions.pages.calibration_own import own_calibrations
from discussions.pages.home import home_page
from tests.calibrated import make_round, take, trainee_of
from tests.factories import NOW, make_lead
from tests.rated import make_game, say
from tests.repeated import finish, rated_once, until_repeated

pytestmark = pytest.mark.django_db


def text_of(client, person, name, *args):
    client.force_login(person)
    answer = client.get(reverse(name, args=args))
    assert answer.status_code == 200
    return answer.content.decode()


def failed(opened, person) -> Evaluation:
    """One game of the round, with four answers unlike those of the key."""
    taken = take(opened, person) if opened.is_required else _voluntary(opened, person)
    for question in "1234":
        say(taken, "question", question, "no")
    return finish(taken)


def _voluntary(opened, person) -> Evaluation:
    taken = take_calibration(opened=opened, by=person, now=NOW)
    return Evaluation.objects.with_work().get(pk=taken.pk)


def test_a_required_round_comes_first_and_next_game_leads_to_it(client):
    opened = make_round(games=3)
    person = trainee_of(opened)
    make_game(project=opened.project)
    for page in ("home", "queue"):
        text = text_of(client, person, page, *([opened.project.slug] if page == "queue" else []))
        assert "Calibration first:" in text
        assert "0 of 3 games done." in text
        assert reverse("next_game", args=[opened.project.slug]) in text
        assert reverse("take_calibration", args=[opened.project.slug, 1]) not in text
    assert "Next calibration game" in text_of(client, person, "home")
    first = finish(take(opened, person))
    text = text_of(client, person, "home")
    assert "1 of 3 games done." in text
    assert reverse("calibration_feedback", args=[first.pk]) in text
    begun = take(opened, person)
    text = text_of(client, person, "home")
    assert reverse("rate", args=[begun.pk]) in text
    assert "Go on with the calibration" in text
    assert "calibration</span>" in text, "what was begun says what it is"


def test_a_round_that_is_not_required_is_offered_beside_the_next_game(client):
    opened = make_round(games=2, is_required=False)
    person = trainee_of(opened)
    make_game(project=opened.project)
    text = text_of(client, person, "home")
    assert "Calibration, if you like:" in text
    assert reverse("next_game", args=[opened.project.slug]) in text
    place = reverse("take_calibration", args=[opened.project.slug, 1])
    assert place in text_of(client, person, "queue", opened.project.slug)
    answer = client.post(place, {"key": "take"})
    assert answer["Location"] == reverse("rate", args=[Evaluation.objects.get(evaluator=person).pk])
    assert place not in text_of(client, person, "home"), "one at a time"


@pytest.mark.parametrize("is_required", [True, False])
def test_who_did_not_pass_reads_it_with_the_way_to_the_last_feedback(client, is_required):
    opened = make_round(pass_percent=100, is_required=is_required)
    person = trainee_of(opened)
    last = failed(opened, person)
    make_game(project=opened.project)
    text = text_of(client, person, "home")
    assert "Calibration not passed yet." in text
    assert reverse("calibration_feedback", args=[last.pk]) in text
    assert (reverse("next_game", args=[opened.project.slug]) in text) is not is_required
    assert ("Go through the differences with a team lead" in text) is is_required
    if is_required:
        lead = make_lead(project=opened.project)
        let_rate(opened=opened, person=person, reason="Talked it over.", by=lead, now=NOW)
        text = text_of(client, person, "home")
        assert "not passed" not in text
        assert reverse("next_game", args=[opened.project.slug]) in text


def test_who_passed_reads_it_and_a_closed_round_or_known_games_say_nothing(client):
    opened = make_round(games=2)
    person = trainee_of(opened)
    for _game in range(2):
        finish(take(opened, person))
    assert "Calibration passed." in text_of(client, person, "home")
    rater = Evaluation.objects.filter(purpose="rating").first().evaluator
    (own,) = own_calibrations(person=rater, projects=[opened.project_id]).values()
    assert (own.done, own.of_games, own.waiting) == (0, 1, 1), "the game they rated is not asked of them"
    close_round(opened=opened, by=make_lead(project=opened.project), now=NOW)
    assert "alibration" not in text_of(client, person, "home")
    assert home_page(person=person, now=NOW).places[0].calibration is None


def test_the_rating_page_says_openly_that_it_is_a_calibration(client):
    opened = make_round()
    person = trainee_of(opened)
    begun = take(opened, person)
    assert '<span class="place chip own">Calibration</span>' in text_of(client, person, "rate", begun.pk)
    other = Evaluation.objects.filter(purpose="rating").first()
    assert "Calibration</span>" not in text_of(client, other.evaluator, "rate", other.pk)


def test_own_lists_name_calibrations_with_their_feedback_once_handed_in(client):
    opened = make_round(games=2)
    person = trainee_of(opened)
    done, begun = finish(take(opened, person)), take(opened, person)
    mine = text_of(client, person, "mine")
    assert mine.count('<span class="chip">calibration</span>') == 2
    assert reverse("calibration_feedback", args=[done.pk]) in mine
    assert reverse("calibration_feedback", args=[begun.pk]) not in mine
    answers = text_of(client, person, "own_history")
    assert reverse("calibration_feedback", args=[done.pk]) in answers
    assert reverse("rate", args=[begun.pk]) not in answers


def test_a_repeat_is_told_only_once_it_is_handed_in(client, monkeypatch):
    monkeypatch.setattr(discussions.core.repeats, "APART", 0)
    again = until_repeated(rated_once())
    for page in ("mine", "own_history", "home"):
        text = text_of(client, again.evaluator, page)
        assert "rated again" not in text
        assert "rated before" not in text
    finish(again)
    assert "rated again" in text_of(client, again.evaluator, "own_history")


@pytest.mark.parametrize("games", [1, 4])
def test_home_asks_as_often_however_many_games_a_round_has(client, games, django_assert_num_queries):
    opened = make_round(games=games)
    person = trainee_of(opened)
    client.force_login(person)
    client.get(reverse("home"))
    with django_assert_num_queries(13):
        client.get(reverse("home"))
