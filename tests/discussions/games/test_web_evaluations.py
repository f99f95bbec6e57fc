"""A game of several evaluators for its leads and for those who rated it: who learns what, and what a lead does."""

import pytest
from django.urls import reverse

from discussions.adjudication.actions import unmask_evaluators
from discussions.adjudication.queries import handle_of
from discussions.games.views.evaluations import PeoplePart
from discussions.models import Evaluation
from discussions.rating.actions import remark, return_to_game, skip_game
from discussions.slots.actions import expire_leases, reduce_required_evaluators, release_slot
from tests.factories.adjudication import (
    HOSTILE,
    list_evaluations,
    make_differing,
    make_shared_game,
    submit_as,
    submitted_game,
)
from tests.factories.people import NOW, make_lead, make_member, moment
from tests.factories.rating import submitted
from tests.factories.tokens import program_of
from tests.factories.verdicts import fresh, record
from workspace.models import Event, Person
from workspace.people.actions.people import system_person

pytestmark = pytest.mark.django_db


def address(game, name="game"):
    return reverse(name, args=[game.project.slug, game.number])


def page(client, person, at):
    client.force_login(person)
    return client.get(at).content.decode()


def test_what_evaluators_differ_on_comes_first_on_the_game_s_page(client):
    game = make_differing()
    said = page(client, make_lead(project=game.project), address(game))
    assert "2 of 2 evaluations are submitted." in said
    assert "They have 4 open disagreements" in said
    assert f'href="{address(game, "adjudicate")}"' in said
    assert said.index('id="game-differences"') < said.index("Evaluation A") < said.index("Evaluation B")
    assert HOSTILE not in said and "&lt;b&gt;answers" in said


def test_one_evaluator_alone_is_named(client):
    game = submitted().game
    said = page(client, make_lead(project=game.project), address(game))
    assert game.evaluations.get().evaluator.name in said
    assert "Evaluation A" not in said and "Fewer evaluations" not in said


def test_the_queries_of_the_game_s_page_do_not_grow_with_differences(client, django_assert_num_queries):
    many = {("coherence", str(number)): ("yes", "no") for number in range(1, 31)}
    few = {("coherence", str(number)): ("yes", "no") for number in range(1, 3)}
    for differing in (few, many):
        game = submitted_game(2, differing=differing, message_count=60)
        client.force_login(make_lead(project=game.project))
        client.get(address(game))
        with django_assert_num_queries(16):
            client.get(address(game))


@pytest.mark.parametrize("count", [2, 3])
def test_the_greyed_verdict_button_leads_to_what_holds_it_up(client, count):
    game = make_shared_game(k=3)
    for evaluation, value in zip(list_evaluations(game)[:count], ("yes", "no", "no"), strict=False):
        submit_as(evaluation, values={("coherence", "5"): value})
    lead = make_lead(project=game.project)
    said = page(client, lead, address(game, "verdict"))
    if count < 3:
        assert "2 of 3 evaluations are submitted" in said
        assert f'href="{address(game)}#game-people"' in said
    else:
        assert "#game-people" not in said
    tie = make_differing()
    said = page(client, make_lead(project=tie.project), address(tie, "verdict"))
    assert f'href="{address(tie, "adjudicate")}"' in said


def test_an_evaluator_learns_how_many_are_in_and_nothing_else(client):
    game = make_shared_game(k=3)
    first, two, _three = list_evaluations(game)
    Person.objects.filter(pk=two.evaluator_id).update(name="Canary Bird")
    submit_as(first, values={("coherence", "5"): "yes"})
    mine = page(client, first.evaluator, reverse("mine"))
    assert "1 of 3 evaluations are submitted" in mine
    submit_as(two, values={("coherence", "5"): "no"})
    mine = page(client, first.evaluator, reverse("mine"))
    assert "2 of 3 evaluations are submitted" in mine and "Canary" not in mine
    third = page(client, _three.evaluator, reverse("mine"))
    assert "evaluations are in" not in third
    verdict = page(client, first.evaluator, address(game, "verdict"))
    assert "Canary" not in verdict and "Resolve disagreements" not in verdict


def test_who_rated_alone_is_not_told_that_one_of_one_is_in(client):
    evaluation = submitted()
    assert "evaluations are in" not in page(client, evaluation.evaluator, reverse("mine"))


def test_recorded_or_not_nobody_is_shown_what_another_evaluator_said(client):
    game = submitted_game(3, differing={("coherence", "5"): ("yes", "no", "no")})
    first, two, _three = list_evaluations(game)
    two.judgements.filter(kind="coherence").update(reason="Canary reason")
    Person.objects.filter(pk=two.evaluator_id).update(name="Canary Bird")
    lead = make_lead(project=game.project)
    record(game, by=lead)
    for name in ("game", "verdict", "report", "report_markdown", "report_json"):
        seen = page(client, first.evaluator, address(game, name))
        assert "Canary" not in seen, name
        assert "&quot;judgements&quot;" not in seen, name
    assert first.evaluator.name in page(client, first.evaluator, address(game, "report"))
    assert "Canary Bird" in page(client, lead, address(game, "report"))


def test_an_evaluation_is_sent_back_with_a_comment(client):
    game = submitted_game(2)
    evaluation = list_evaluations(game)[0]
    at = reverse("return_evaluation", args=[game.project.slug, game.number, handle_of(evaluation.pk)])
    assert f'action="{at}"' in page(client, make_lead(project=game.project), address(game))
    for comment, says in (("", "Say what to look at again"), ("x" * 2001, "at most 2,000 characters")):
        answer = client.post(at, {"comment": comment})
        said = answer.content.decode()
        assert answer.status_code == 422 and says in said and comment in said
    assert client.post(at, {"comment": "a", "other": "b"}).status_code == 400
    evaluation.refresh_from_db()
    assert evaluation.state == "submitted"
    answer = client.post(at, {"comment": "Look at message 5 again."})
    assert answer["Location"] == f"{address(game)}#game-people"
    assert Evaluation.objects.get(pk=evaluation.pk).state == "returned"
    assert "Look at message 5 again." in client.get(address(game)).content.decode()
    again = client.post(at, {"comment": "Another comment, typed in vain"})
    assert again.status_code == 403
    assert "not submitted" in again.content.decode()
    client.force_login(evaluation.evaluator)
    rating = client.get(reverse("rate", args=[evaluation.pk])).content.decode()
    assert "Look at message 5 again." in rating
    assert client.post(at, {"comment": "x"}).status_code == 404
    assert client.get(at).status_code == 405


def test_nothing_beside_a_letter_is_in_the_audit_log_beside_a_name(client):
    """Neither the number of an evaluation nor a moment, on the page and for programs; once names are shown, both."""
    game = make_shared_game(k=2)
    first, second = list_evaluations(game)
    remark(evaluation=first, kind="comment", target="game", text="Odd", key="n", by=first.evaluator, now=NOW)
    for evaluation in (first, second):
        submit_as(evaluation)
    lead = make_lead(project=game.project)
    parts = PeoplePart(game, None).people
    assert {part.evaluation for part in parts} == {handle_of(row.pk) for row in list_evaluations(game)}
    shown = [part.alias for part in parts]
    assert shown == sorted(shown) and len(shown) == 2
    people = page(client, lead, address(game)).partition('id="game-people"')[2]
    assert "Odd" in people and "<time" not in people.partition('id="game-transcript"')[0]
    program, at = program_of(lead), f"projects/{game.project.slug}/games/{game.number}/evaluations/"
    listed = program.get(at).json()["items"]
    assert [(item["started_at"], item["submitted_at"], item["evaluator"]) for item in listed] == [
        (None, None, "")
    ] * 2
    assert [item["letter"] for item in listed] == ["A", "B"]
    unmask_evaluators(game=game, by=lead, now=NOW)
    listed = program.get(at).json()["items"]
    assert len(listed) == 2
    assert all(item["started_at"] and item["submitted_at"] and item["evaluator"] for item in listed)


def test_an_evaluation_of_another_game_is_not_there(client):
    game, other = submitted_game(2), submitted().game
    client.force_login(make_lead(project=game.project))
    foreign = handle_of(other.evaluations.get().pk)
    at = reverse("return_evaluation", args=[game.project.slug, game.number, foreign])
    assert client.post(at, {"comment": "x"}).status_code == 404


def test_a_lead_says_that_fewer_are_enough(client):
    game = make_shared_game(k=3)
    submit_as(list_evaluations(game)[0])
    at = address(game, "need_fewer")
    assert f'action="{at}"' in page(client, make_lead(project=game.project), address(game))
    for fields, says in (
        ({"count": "", "reason": "typed"}, "This field is required"),
        ({"count": "3", "reason": "typed"}, "choose a lower number"),
        ({"count": "2", "reason": ""}, "why fewer are enough"),
    ):
        answer = client.post(at, fields)
        said = answer.content.decode()
        assert answer.status_code == 422 and says in said and fields["reason"] in said, fields
    assert fresh(game).evaluator_count == 3
    assert client.post(at, {"count": "2", "reason": "Two agree"}).status_code == 303
    assert fresh(game).evaluator_count == 2
    said = client.get(address(game)).content.decode()
    assert "1 of 2 evaluations are submitted." in said and "Two agree" in said
    assert Event.objects.filter(verb="game:needs_fewer").count() == 1
    client.force_login(make_member(project=game.project))
    assert client.post(at, {"count": "1", "reason": "x"}).status_code == 404


def test_leads_read_why_and_when_a_place_went_back_and_whose_it_was_only_with_names(client):
    game = make_shared_game(k=3)
    skipped, freed, ended = list_evaluations(game)
    lead = make_lead(project=game.project)
    skip_game(evaluation=skipped, reason="I <know> it", by=skipped.evaluator, now=moment(3))
    release_slot(evaluation=freed, reason="Away today", by=lead, now=moment(4))
    expire_leases(by=system_person(now=moment(40)), now=moment(40))
    hidden = page(client, lead, address(game))
    unmask_evaluators(game=game, by=lead, now=moment(41))
    shown = page(client, lead, f"{address(game)}?names=1")
    for said in (hidden, shown):
        assert "Skipped</dt>" in said and "I &lt;know&gt; it" in said
        assert "Released by a lead</dt>" in said and "Away today" in said
        assert "Time ended</dt>" in said
    part = PeoplePart(fresh(game), None, is_named=True)
    assert [(person.aside, person.aside_why, person.aside_at) for person in part.people] == [
        ("skipped", "I <know> it", moment(3)),
        ("released", "Away today", moment(4)),
        ("ended", "", moment(40)),
    ]
    for evaluation, minutes in ((skipped, 3), (freed, 4), (ended, 40)):
        at = f"{moment(minutes):%H:%M}"
        assert evaluation.evaluator.name in shown and evaluation.evaluator.name not in hidden
        assert at in shown and at not in hidden
    return_to_game(evaluation=skipped, by=skipped.evaluator, now=moment(50))
    part = PeoplePart(fresh(game), None)
    assert [(person.aside, person.aside_at) for person in part.people][0] == ("", None)
    assert Evaluation.objects.get(pk=skipped.pk).set_aside_at is None


def test_who_rated_does_not_read_why_others_skipped(client):
    game = make_shared_game(k=3)
    skipped, two, three = list_evaluations(game)
    lead = make_lead(project=game.project)
    skip_game(evaluation=skipped, reason="Canary reason", by=skipped.evaluator, now=moment(3))
    reduce_required_evaluators(game=game, count=2, reason="Two are enough", by=lead, now=moment(4))
    for evaluation in (two, three):
        submit_as(evaluation)
    record(game, by=lead)
    assert "Canary reason" in page(client, lead, address(game))
    assert "Canary" not in page(client, two.evaluator, address(game))
