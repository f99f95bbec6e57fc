"""Ties that share a question are one decision, and a third evaluator answers ties without knowing the others'."""

import html
import re

import pytest
from django.urls import reverse

from discussions.adjudication.actions import answer_tie, send_ties
from discussions.adjudication.queries import disagreements_in
from discussions.models import Adjudication, Slot, TieRequest
from discussions.rating.actions import reopen_evaluation
from discussions.slots.permissions import check_may_get
from discussions.slots.queries import query_free_slots
from tests.factories.adjudication import (
    LABEL,
    breaches,
    difference,
    list_evaluations,
    resolve_difference,
    submit_as,
    submitted_game,
)
from tests.factories.people import make_lead, make_member, make_project, moment
from tests.factories.tokens import program_of
from tests.factories.verdicts import fresh, preview
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event, Notification

pytestmark = pytest.mark.django_db
GROUP = {("coherence", str(number)): ("yes", "no") for number in (3, 5, 7)}
OTHER = ("strategic_depth", "4")
TIED = {**GROUP, OTHER: ("no", "yes")}


def made(differing=TIED):
    """The game, its lead and an evaluator who did not rate it."""
    game = submitted_game(2, differing=differing)
    return game, make_lead(project=game.project), make_member(project=game.project)


def ties(game):
    return {one.key for one in disagreements_in(fresh(game)) if one.is_tie}


def read(client, person, url):
    client.force_login(person)
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def words(body):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def page_of(game, name="adjudicate"):
    return reverse(name, args=[game.project.slug, game.number])


def test_ties_that_share_a_question_are_one_group_with_one_reason(client):
    game, lead, _third = made()
    body = read(client, lead, page_of(game))
    assert "4 ties in game 1 are 2 questions" in words(body)
    items = re.findall(r'name="item" value="([^"]+)"', body)
    assert [item.split("|")[2] for item in items] == ["3", "5", "7"] and body.count('class="group"') == 1
    given = {"group": "x", "key": "k", "value": "is:yes", "item": [html.unescape(item) for item in items]}
    refused = client.post(page_of(game, "adjudicate_group"), given)
    assert refused.status_code == 422 and not Adjudication.objects.exists()
    done = client.post(page_of(game, "adjudicate_group"), {**given, "reason": "Asking back is no answer."})
    assert done.status_code == 303 and ties(game) == {OTHER}
    rows = Adjudication.objects.values_list("value", "reason", "created_by")
    assert list(rows) == [("yes", "Asking back is no answer.", lead.pk)] * 3
    body = words(read(client, lead, page_of(game)))
    assert "1 tie in game 1" in body and "Resolved 3" in body


def test_a_group_leaves_alone_what_changed_since(client):
    game, lead, _third = made()
    items = [f"coherence|{difference(game, key).page_sha256}|{key[1]}" for key in GROUP]
    given = {
        "group": "x",
        "key": "k",
        "value": "is:no",
        "reason": "Because",
        "item": [*items[:2], "coherence|0|7"],
    }
    client.force_login(lead)
    answer = client.post(page_of(game, "adjudicate_group"), given)
    assert answer.status_code == 422 and "1 tie was not resolved" in html.unescape(answer.content.decode())
    assert ties(game) == {OTHER, ("coherence", "7")}


def test_the_third_evaluator_sees_the_tied_items_alone_and_makes_the_majority(client):
    game, lead, third = made()
    client.force_login(lead)
    sent = client.post(page_of(game, "send_ties"), {"evaluator": third.pk, "group": "coherence|no|yes"})
    assert sent.status_code == 303 and TieRequest.objects.count() == 3
    assert Notification.objects.filter(person=third, code="ties_sent", read_at=None).count() == 1
    assert "3 ties wait for a third evaluator" in words(read(client, lead, page_of(game)))
    home = read(client, third, reverse("home"))
    assert "3 ties to answer" in home and f'href="{reverse("ties")}"' in home
    body = read(client, third, reverse("ties"))
    assert body.count('<fieldset class="tie">') == 3 and "3 ties wait for your answer" in words(body)
    # Nothing tells what others, the rules or the transcript's roles say.
    assert "checked" not in body and "majority" not in body and "mafia" not in body.lower()
    assert not [row for row in list_evaluations(game) if row.evaluator.name in body]
    keys = list(TieRequest.objects.order_by("pk").values_list("pk", flat=True))
    answers = {f"value-{key}": "is:no" for key in keys[:2]} | {f"reason-{keys[0]}": "It asks back"}
    assert client.post(reverse("ties"), answers).status_code == 303
    assert ties(game) == {OTHER, ("coherence", "7")}
    assert Notification.objects.filter(person=third, code="ties_sent", read_at=None).count() == 1
    assert client.post(reverse("ties"), {f"value-{keys[2]}": "is:yes"}).status_code == 303
    assert ties(game) == {OTHER} and "You have no ties to answer" in read(client, third, reverse("ties"))
    assert not Notification.objects.filter(person=third, code="ties_sent", read_at=None).exists()
    decided = {row.subject: (row.value, row.created_by_id) for row in Adjudication.objects.all()}
    assert decided == {"3": ("no", third.pk), "5": ("no", third.pk), "7": ("yes", third.pk)}
    assert breaches(now=moment(minutes=200)) == []


def test_the_last_tie_opens_the_verdict_and_a_third_answer_leaves_it_to_the_lead():
    game, lead, third = made({LABEL: ("accurate", "vague"), OTHER: ("no", "yes")})
    now = moment(minutes=60)
    rows = {row.kind: row for row in send_ties(game=game, keys=[], evaluator=third, by=lead, now=now)}
    assert not answer_tie(request=rows["reference"], value="inaccurate", by=third, now=now)
    assert answer_tie(request=rows["strategic_depth"], value="yes", by=third, now=now)
    assert ties(game) == {LABEL} and preview(game).has_ties
    assert Event.objects.filter(verb="game:tie_answered").count() == 2


def test_who_may_send_and_answer_and_only_once():
    game, lead, third = made()
    other, rater = make_member(project=game.project), list_evaluations(game)[0].evaluator
    now = moment(minutes=60)
    for person in (rater, lead, make_member(project=make_project())):
        with pytest.raises(Unacceptable, match="did not rate this game"):
            send_ties(game=game, keys=[], evaluator=person, by=lead, now=now)
    with pytest.raises(NotAllowed):
        send_ties(game=game, keys=[], evaluator=third, by=other, now=now)
    rows = send_ties(game=game, keys=[OTHER], evaluator=third, by=lead, now=now)
    with pytest.raises(Unacceptable, match="No open tie is left"):
        send_ties(game=game, keys=[OTHER], evaluator=other, by=lead, now=now)
    with pytest.raises(NotAllowed):
        answer_tie(request=rows[0], value="yes", by=other, now=now)
    for value in ("", "perhaps"):
        with pytest.raises(Unacceptable):
            answer_tie(request=rows[0], value=value, by=third, now=now)
    assert answer_tie(request=rows[0], value="yes", by=third, now=now)
    with pytest.raises(Conflict):
        answer_tie(request=rows[0], value="no", by=third, now=now)


def test_who_left_the_project_is_shown_no_tie_and_answers_none(client):
    game, lead, third = made()
    rows = send_ties(game=game, keys=[OTHER], evaluator=third, by=lead, now=moment(minutes=60))
    third.memberships.update(ended_at=moment(minutes=61), ended_by=lead)
    assert "You have no ties to answer" in read(client, third, reverse("ties"))
    with pytest.raises(NotAllowed):
        answer_tie(request=rows[0], value="yes", by=third, now=moment(minutes=62))


def test_who_answers_ties_does_not_rate_the_game_and_who_led_it_answers_none():
    game, lead, third = made()
    led = make_lead(project=game.project)
    led.memberships.update(ended_at=moment(minutes=50), ended_by=lead)
    make_member(project=game.project, person=led, now=moment(minutes=51))
    now = moment(minutes=60)
    with pytest.raises(Unacceptable, match="did not rate this game"):
        send_ties(game=game, keys=[], evaluator=led, by=lead, now=now)
    Slot.objects.filter(game=game).update(evaluator=None, taken_at=None, awaiting_since=None, is_closed=False)
    assert query_free_slots(third, game.project).filter(game=game).exists()
    send_ties(game=game, keys=[OTHER], evaluator=third, by=lead, now=now)
    assert not query_free_slots(third, game.project).filter(game=game).exists()
    with pytest.raises(NotAllowed, match="was asked about ties of game 1"):
        check_may_get(third, game)


def test_what_was_typed_beside_a_refused_answer_is_kept(client):
    game, lead, third = made()
    row = send_ties(game=game, keys=[OTHER], evaluator=third, by=lead, now=moment(minutes=60))[0]
    client.force_login(third)
    answer = client.post(reverse("ties"), {f"value-{row.pk}": "is:yes", f"reason-{row.pk}": "x" * 2001})
    body = answer.content.decode()
    assert answer.status_code == 422 and "x" * 2001 in body
    assert re.search(r'value="is:yes"\s+checked', body)


def unread(person, code):
    return Notification.objects.filter(person=person, code=code, read_at=None).count()


def test_a_tie_that_a_lead_decides_is_withdrawn_from_the_third_evaluator(client):
    game, lead, third = made({LABEL: ("accurate", "vague"), OTHER: ("no", "yes")})
    rows = {
        row.kind: row
        for row in send_ties(game=game, keys=[], evaluator=third, by=lead, now=moment(minutes=60))
    }
    program = program_of(third)
    assert len(program.get("mine/ties/").json()["items"]) == 2 and unread(third, "ties_sent") == 1
    resolve_difference(game, LABEL, "vague", by=lead)
    left = program.get("mine/ties/").json()["items"]
    assert [item["kind"] for item in left] == ["strategic_depth"] and unread(third, "ties_sent") == 1
    assert "1 tie to answer" in read(client, third, reverse("home"))
    # An answer to it that was on its way is refused.
    answer = client.post(reverse("ties"), {f"value-{rows['reference'].pk}": "is:vague"})
    assert answer.status_code == 409 and "resolved meanwhile" in answer.content.decode()
    assert program.post("mine/ties/", {"id": rows["reference"].pk, "value": "vague"}).status_code == 409
    resolve_difference(game, OTHER, "no", by=lead)
    assert not TieRequest.objects.waiting().exists() and program.get("mine/ties/").json()["items"] == []
    assert (unread(third, "ties_sent"), unread(lead, "game_tied")) == (0, 0)
    home = read(client, third, reverse("home"))
    assert "to answer" not in home and "You have no ties to answer" in read(client, third, reverse("ties"))
    assert Adjudication.objects.filter(created_by=lead).count() == 2
    # Who was asked could see roles, and does not rate the game although nobody asks any more.
    with pytest.raises(NotAllowed, match="was asked about ties"):
        check_may_get(third, game)
    assert breaches(now=moment(minutes=200)) == []


def test_a_tie_that_the_third_evaluator_decides_vanishes_for_leads_and_an_open_one_comes_back(client):
    game, lead, third = made({LABEL: ("accurate", "vague"), OTHER: ("no", "yes")})
    now = moment(minutes=60)
    rows = {row.kind: row for row in send_ties(game=game, keys=[], evaluator=third, by=lead, now=now)}
    Notification.objects.filter(person=lead).update(read_at=now)
    assert answer_tie(request=rows["strategic_depth"], value="yes", by=third, now=now)
    assert unread(lead, "game_tied") == 0, "the other one waits for an answer"
    body = words(read(client, lead, page_of(game)))
    assert "1 tie in game 1" in body and "1 tie waits for a third evaluator" in body
    assert not answer_tie(request=rows["reference"], value="inaccurate", by=third, now=now)
    assert unread(lead, "game_tied") == 1, "three answers, and no majority"
    resolve_difference(game, LABEL, "vague", by=lead)
    assert (unread(lead, "game_tied"), unread(third, "ties_sent")) == (0, 0)
    assert "tie to resolve" not in read(client, lead, reverse("home"))


def test_a_tie_that_ends_as_its_evaluators_agree_is_withdrawn():
    game, lead, third = made({OTHER: ("no", "yes")})
    send_ties(game=game, keys=[], evaluator=third, by=lead, now=moment(minutes=10))
    first = list_evaluations(game)[0]
    reopen_evaluation(evaluation=first, by=first.evaluator, now=moment(minutes=11))
    assert TieRequest.objects.waiting().count() == 1, "nobody knows yet what comes of it"
    submit_as(list_evaluations(game)[0], values={OTHER: "yes"}, now=moment(minutes=12))
    assert not TieRequest.objects.waiting().exists() and unread(third, "ties_sent") == 0
