"""Settling differences: ties first, letters for names, one decision at a time with its reason, by htmx and plainly."""

import json
import re

import pytest
from django.urls import reverse

from discussions.actions.adjudicating import adjudicate
from discussions.models import Adjudication, Evaluation
from discussions.models.adjudicated import disagreements_in
from tests.differing import HOSTILE, OTHER_TIE, TIE, make_differing, page_hash
from tests.factories import make_lead, make_member, moment
from tests.rated import make_rating_project
from tests.settled import fresh
from tests.team import evaluations_of, make_shared_game, submit_as, submitted_game
from workspace.models import Event, Person

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true", "HX-Target": "settle-item-coherence-5"}


def address(game, name="adjudicate"):
    return reverse(name, args=[game.project.slug, game.number])


def signed_in(client, game):
    lead = make_lead(project=game.project)
    client.force_login(lead)
    return lead


def sent(game, key=TIE, *, form="once", **given):
    """What the form of that thing sends."""
    fields = {
        "kind": key[0],
        "subject": key[1],
        "choice": "A",
        "reason": "It takes up message 4.",
        "next": "",
    }
    return fields | {"sides_sha256": page_hash(game, *key), "key": f"{form}:{key}", "page": "1"} | given


def test_ties_stand_first_with_what_each_side_says_and_what_to_hold_it_against(client):
    game = make_differing()
    signed_in(client, game)
    said = client.get(address(game)).content.decode()
    assert "4 ties must be settled before the verdict can be recorded" in said
    parts = [said.index(part) for part in ("Ties: the verdict waits", "For information: no verdict hangs")]
    assert parts == sorted(parts)
    assert parts[0] < said.index('id="settle-item-coherence-5"') < parts[1]
    assert parts[1] < said.index('id="settle-item-question-1"')
    for shown in (
        "Earlier Ann defended Finn",  # the message
        "takes up nothing of the messages before it",  # why the machine says what it says
        "Vote record of round",
        "Too vague to be a reply.",
        "What was said before",
    ):
        assert shown in said, shown
    assert HOSTILE not in said
    assert "&lt;b&gt;answers&lt;/b&gt;" in said


def test_nobody_is_named_unless_a_lead_asks_and_that_is_in_the_audit_log_once(client):
    game = make_differing()
    Person.objects.filter(evaluations__game=game).update(name="Canary Bird")
    for at in (address(game), address(game, "game"), f"{address(game)}?names=1"):
        lead = signed_in(client, game)
        assert "Canary" not in client.get(at).content.decode(), at
    for _time in range(2):
        shown = client.post(address(game, "show_names"), {"page": "1"}, follow=True)
        assert "Canary Bird" in shown.content.decode()
    lines = Event.objects.filter(verb="names:shown", by=lead, object_id=str(game.pk))
    assert lines.count() == 1
    assert "Canary" in client.get(f"{address(game, 'game')}?names=1").content.decode()
    assert "Canary" not in client.get(address(game)).content.decode()
    signed_in(client, game)  # another lead has not asked
    assert "Canary" not in client.get(f"{address(game)}?names=1").content.decode()


def test_a_side_is_adopted_with_a_reason_and_the_focus_goes_to_the_next(client):
    game = make_differing()
    lead = signed_in(client, game)
    wanted = "settle-item-strategic_depth-4"
    answer = client.post(address(game, "adjudicate_one"), sent(game, next=wanted), headers=HTMX)
    said = answer.content.decode()
    assert answer.status_code == 200
    assert said.startswith('<section class="card difference" id="settle-item-coherence-5"')
    assert "3 ties must be settled" in said
    assert 'id="settle-progress"' in said and "hx-swap-oob" in said
    assert json.loads(answer["HX-Trigger-After-Settle"]) == {"go-to": {"id": f"{wanted}-first"}}
    made = Adjudication.objects.get()
    side = next(one for one in disagreements_in(game) if one.key == TIE).sides[0]
    assert (side.alias, made.adopted_id, made.value) == ("A", side.evaluation, side.value)
    assert (made.created_by, made.reason) == (lead, "It takes up message 4.")
    assert "It takes up message 4." in client.get(address(game)).content.decode()


def test_a_plain_browser_is_led_to_the_next_open_thing(client):
    game = make_differing()
    signed_in(client, game)
    answer = client.post(address(game, "adjudicate_one"), sent(game, next="settle-item-strategic_depth-4"))
    assert answer.status_code == 303
    assert answer["Location"] == f"{address(game)}?page=1#settle-item-strategic_depth-4"
    assert f'id="{answer["Location"].partition("#")[2]}"' in client.get(address(game)).content.decode()


def test_decided_anew_and_settled_again_the_newest_counts(client):
    game = make_differing()
    signed_in(client, game)
    key = next(one.key for one in disagreements_in(game) if one.kind == "reference")
    assert 'value="anew:inaccurate"' in client.get(address(game)).content.decode()
    first = sent(game, key, choice="anew:inaccurate", reason="Cid voted for Bea.")
    assert client.post(address(game, "adjudicate_one"), first).status_code == 303
    assert client.post(address(game, "adjudicate_one"), first).status_code == 303  # sent twice, stored once
    assert Adjudication.objects.count() == 1
    again = sent(game, key, form="again", choice="A", reason="The record says so after all.")
    assert client.post(address(game, "adjudicate_one"), again).status_code == 303
    newest = Adjudication.objects.standing().get(kind=key[0], subject=key[1])
    assert (newest.number, newest.reason) == (2, "The record says so after all.")
    assert "decided 2 times" in client.get(address(game)).content.decode()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"choice": ""}, "Choose the answer that holds"),
        ({"reason": ""}, "Say why"),
        ({"reason": "x" * 2001}, "at most 2,000 characters"),
        ({"choice": "Q"}, "no side called that"),
        ({"choice": "anew:perhaps"}, "is not an answer here"),
        ({"kind": "nonsense"}, "Nothing was saved"),
    ],
)
def test_what_cannot_be_taken_stays_in_the_form(client, wrong, says):
    game = make_differing()
    signed_in(client, game)
    fields = sent(game, reason="Typed with care") | wrong
    for headers in ({}, HTMX):
        answer = client.post(address(game, "adjudicate_one"), fields, headers=headers)
        said = answer.content.decode()
        assert answer.status_code == 422
        assert says in said
        assert fields["reason"] in said
    assert not Adjudication.objects.exists()
    assert client.post(address(game, "adjudicate_one"), fields | {"other": "x"}).status_code == 400


def test_who_was_faster_is_shown_beside_what_one_was_about_to_save(client):
    game = make_differing()
    signed_in(client, game)
    stale = sent(game, reason="My own view")
    sides = next(one for one in disagreements_in(game) if one.key == TIE).sides
    adjudicate(
        game=game,
        kind=TIE[0],
        subject=TIE[1],
        value="",
        reason="The view of another",
        adopted=Evaluation.objects.get(pk=sides[1].evaluation),
        sides_sha256=stale["sides_sha256"],
        key="other",
        by=make_lead(project=game.project),
        now=moment(5),
    )
    for headers in ({}, HTMX):
        answer = client.post(address(game, "adjudicate_one"), stale, headers=headers)
        said = answer.content.decode()
        assert answer.status_code == 409
        assert "Nothing was saved" in said
        assert "My own view" in said and "The view of another" in said
    assert Adjudication.objects.count() == 1


def test_while_evaluations_are_missing_everything_is_shown_and_nothing_taken(client):
    game = make_shared_game(k=3)
    for evaluation, value in zip(evaluations_of(game)[:2], ("yes", "no"), strict=True):
        submit_as(evaluation, values={TIE: value})
    signed_in(client, game)
    said = client.get(address(game)).content.decode()
    assert "2 of 3 evaluations are submitted" in said
    assert re.search(r"<fieldset[^>]* disabled", said)
    assert client.post(address(game, "adjudicate_one"), sent(fresh(game))).status_code == 403
    assert not Adjudication.objects.exists()


def test_evaluators_do_not_even_learn_that_there_is_such_a_page(client):
    game = make_differing()
    for person in (game.evaluations.first().evaluator, make_member(project=game.project)):
        client.force_login(person)
        assert client.get(address(game)).status_code == 404
        for name in ("adjudicate_one", "show_names"):
            assert client.post(address(game, name), sent(game)).status_code == 404
            assert client.get(address(game, name)).status_code == 405
    assert not Adjudication.objects.exists()


def test_the_page_without_differences_says_why(client):
    game = make_shared_game(k=2)
    signed_in(client, game)
    assert "Nothing to compare yet" in client.get(address(game)).content.decode()
    for evaluation in evaluations_of(game):
        submit_as(evaluation)
    assert "The evaluators do not differ" in client.get(address(game)).content.decode()


def test_long_lists_come_in_pages_and_queries_stay_the_same(client, django_assert_num_queries):
    project = make_rating_project(evaluator_count=2)
    many = {("coherence", str(number)): ("yes", "no") for number in range(1, 46)}
    small = submitted_game(2, differing={TIE: ("yes", "no"), OTHER_TIE: ("yes", "no")})
    large = submitted_game(2, differing=many, project=project, message_count=60)
    for game, count in ((small, 2), (large, 40)):
        signed_in(client, game)
        client.get(address(game))
        with django_assert_num_queries(15):
            said = client.get(address(game)).content.decode()
        assert said.count('class="card difference') == count
    assert "Page 1 of 2" in said
    rest = client.get(f"{address(large)}?page=2").content.decode()
    assert rest.count('class="card difference') == 5
    assert client.get(f"{address(large)}?page=99").content.decode().count('class="card difference') == 5
    assert client.get(f"{address(large)}?page=x").status_code == 400
    late = sent(large, ("coherence", "44"), choice="", page="2")
    refused = client.post(address(large, "adjudicate_one"), late).content.decode()
    assert "Choose the answer that holds" in refused and "Page 2 of 2" in refused
