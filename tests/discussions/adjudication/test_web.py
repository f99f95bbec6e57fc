"""Settling differences: ties first, letters for names, one decision at a time with its reason, by htmx and plainly.

The packet for a guideline meeting: what is confused, the most telling differences, and nobody's name.
"""

import html
import json
import re

import pytest
from django.urls import reverse

from discussions.adjudication.actions import adjudicate, answer_tie, send_ties
from discussions.adjudication.queries import disagreements_in
from discussions.adjudication.views.ties import MOST_DIFFERENCES
from discussions.models import Adjudication, Evaluation, Iteration, Slot, TieRequest
from discussions.rating.actions import reopen_evaluation
from discussions.slots.permissions import check_may_get
from discussions.slots.queries import query_free_slots
from tests.factories.adjudication import (
    HOSTILE,
    LABEL,
    OTHER_TIE,
    TIE,
    breaches,
    difference,
    list_evaluations,
    make_differing,
    make_shared_game,
    page_hash,
    resolve_difference,
    submit_as,
    submitted_game,
)
from tests.factories.people import make_lead, make_member, make_project, moment
from tests.factories.rating import make_rating_project
from tests.factories.tokens import program_of
from tests.factories.verdicts import fresh, preview
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event, Notification, Person

pytestmark = pytest.mark.django_db


HTMX = {"HX-Request": "true", "HX-Target": "disagreement-item-coherence-5"}


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
    assert "The verdict waits for 4 ties" in said
    parts = [said.index(part) for part in ("Ties: the verdict waits", "For information: these do not")]
    assert parts == sorted(parts)
    assert parts[0] < said.index('id="disagreement-item-coherence-5"') < parts[1]
    assert parts[1] < said.index('id="disagreement-item-question-1"')
    for shown in (
        "Earlier Ann defended Finn",  # the message
        "does not respond to the messages before it",  # why the machine says what it says
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
    wanted = "disagreement-item-strategic_depth-4"
    answer = client.post(address(game, "adjudicate_one"), sent(game, next=wanted), headers=HTMX)
    said = answer.content.decode()
    assert answer.status_code == 200
    assert said.lstrip().startswith('<section class="card difference" id="disagreement-item-coherence-5"')
    assert "The verdict waits for 3 ties" in said
    assert 'id="disagreements-progress"' in said and said.count("hx-swap-oob") == 2
    assert "3 ties in game" in said
    assert json.loads(answer["HX-Trigger-After-Settle"]) == {"go-to": {"id": f"{wanted}-first"}}
    made = Adjudication.objects.get()
    side = next(disagreement for disagreement in disagreements_in(game) if disagreement.key == TIE).sides[0]
    assert (side.alias, made.adopted_id, made.value) == ("A", side.evaluation, side.value)
    assert (made.created_by, made.reason) == (lead, "It takes up message 4.")
    assert "It takes up message 4." in client.get(address(game)).content.decode()


def test_a_plain_browser_is_led_to_the_next_open_thing(client):
    game = make_differing()
    signed_in(client, game)
    answer = client.post(
        address(game, "adjudicate_one"), sent(game, next="disagreement-item-strategic_depth-4")
    )
    assert answer.status_code == 303
    assert answer["Location"] == f"{address(game)}?page=1#disagreement-item-strategic_depth-4"
    assert f'id="{answer["Location"].partition("#")[2]}"' in client.get(address(game)).content.decode()


def test_decided_anew_and_resolved_again_the_newest_counts(client):
    game = make_differing()
    signed_in(client, game)
    key = next(
        disagreement.key for disagreement in disagreements_in(game) if disagreement.kind == "reference"
    )
    assert 'value="anew:inaccurate"' in client.get(address(game)).content.decode()
    first = sent(game, key, choice="anew:inaccurate", reason="Cid voted for Bea.")
    assert client.post(address(game, "adjudicate_one"), first).status_code == 303
    assert client.post(address(game, "adjudicate_one"), first).status_code == 303  # sent twice, stored once
    assert Adjudication.objects.count() == 1
    again = sent(game, key, form="again", choice="A", reason="The record says so after all.")
    assert client.post(address(game, "adjudicate_one"), again).status_code == 303
    newest = Adjudication.objects.not_superseded().get(kind=key[0], subject=key[1])
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
    sides = next(disagreement for disagreement in disagreements_in(game) if disagreement.key == TIE).sides
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
    for evaluation, value in zip(list_evaluations(game)[:2], ("yes", "no"), strict=True):
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
    for evaluation in list_evaluations(game):
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
        with django_assert_num_queries(19):
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


def packet_address(project, name="packet"):
    return reverse(name, args=[project.slug])


def get_lead(client, project):
    client.force_login(make_lead(project=project))


def test_it_counts_confusions_and_quotes_differences_without_names(client):
    game = make_differing()
    Person.objects.filter(evaluations__game=game).update(name="Canary Bird")
    game.evaluations.first().judgements.filter(kind=TIE[0], subject=TIE[1]).update(
        reason="It <i>answers</i>."
    )
    get_lead(client, game.project)
    for name in ("packet", "packet_markdown"):
        said = client.get(packet_address(game.project, name)).content.decode()
        assert "Canary" not in said, name
        assert "off topic / on topic" in said
        assert "Earlier Ann defended Finn" in said
        assert HOSTILE not in said
        assert "<i>" not in said
        assert "Decision:" in said
    page = client.get(packet_address(game.project)).content.decode()
    assert "They differ on 5 of" in page
    assert reverse("adjudicate", args=[game.project.slug, game.number]) in page
    assert 'aria-current="page">Disagreements' in page


def test_a_project_without_shared_games_says_what_to_wait_for(client):
    project = make_rating_project()
    get_lead(client, project)
    assert "No game has two evaluations yet" in client.get(packet_address(project)).content.decode()
    assert client.get(packet_address(project, "packet_markdown")).status_code == 200


def test_it_is_narrowed_to_games_and_iterations(client):
    project = make_rating_project(evaluator_count=2)
    first = submitted_game(2, differing={("coherence", "5"): ("yes", "no")}, project=project)
    second = submitted_game(2, differing={("strategic_depth", "4"): ("yes", "no")}, project=project)
    get_lead(client, project)
    said = client.get(packet_address(project), {"games": f"{second.number}"}).content.decode()
    assert "Strategic depth" in said and "off topic / on topic" not in said
    assert f"packet.md?games={second.number}" in said
    iteration = Iteration.objects.get(project=project)
    said = client.get(packet_address(project), {"iteration": iteration.number}).content.decode()
    assert "off topic / on topic" in said and "Strategic depth" in said
    said = client.get(packet_address(project), {"iteration": "99"}).content.decode()
    assert "No game has two evaluations yet" in said
    asked = {"games": f"{second.number}, {first.number}, {second.number}"}
    said = client.get(packet_address(project), asked).content.decode()
    assert f"packet.md?games={first.number},{second.number}" in said
    wrong = client.get(packet_address(project), {"games": f"{first.number}, seven"})
    assert wrong.status_code == 422
    assert "“seven” is no number of a game" in wrong.content.decode()
    assert f'value="{first.number}, seven"' in wrong.content.decode()
    assert client.get(packet_address(project, "packet_markdown"), {"games": "seven"}).status_code == 400
    assert client.get(packet_address(project), {"other": "1"}).status_code == 400


def test_only_leads_open_it(client):
    project = make_rating_project()
    for name in ("packet", "packet_markdown"):
        client.force_login(make_member(project=project))
        assert client.get(packet_address(project, name)).status_code == 403
        client.force_login(make_lead(project=make_rating_project()))
        assert client.get(packet_address(project, name)).status_code == 404
        assert client.post(packet_address(project, name)).status_code == 405


def test_queries_are_the_same_for_few_and_many_differences(client, django_assert_num_queries):
    many = {("coherence", str(number)): ("yes", "no") for number in range(1, 31)}
    few = {("coherence", str(number)): ("yes", "no") for number in range(1, 3)}
    for differing, shown in ((few, 2), (many, MOST_DIFFERENCES)):
        game = submitted_game(2, differing=differing, message_count=60)
        get_lead(client, game.project)
        client.get(packet_address(game.project))
        with django_assert_num_queries(13):
            said = client.get(packet_address(game.project)).content.decode()
        assert said.count('class="card tight telling"') == shown


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
    assert not [row for row in list_evaluations(game) if re.search(rf"{row.evaluator.name}\b", body)]
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
