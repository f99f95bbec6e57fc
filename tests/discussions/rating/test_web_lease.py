"""The lease on the evaluator's page: how long it lasts, what renews it, what is said when it ended, and breaks."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from discussions.models import Evaluation, Iteration, Slot
from discussions.queue.actions import take_next_game
from discussions.rating.actions import skip_game
from discussions.rating.pages.lease import build_lease
from discussions.slots.actions import expire_leases, release_slot
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.rating import make_rating_project, say, start, submitted
from workspace.models import Person

pytestmark = pytest.mark.django_db


HTMX = {"HX-Request": "true", "HX-Target": "lease-says"}


@pytest.fixture
def evaluation(client):
    started = start(now=timezone.now())
    client.force_login(started.evaluator)
    return started


def address(evaluation):
    return reverse("renew_lease", args=[evaluation.pk])


def place(evaluation):
    return Slot.objects.filter(pk=Evaluation.objects.values("slot").get(pk=evaluation.pk)["slot"])


def minutes_left(evaluation, minutes):
    """As if so much of the lease were left."""
    place(evaluation).update(lease_until=timezone.now() + timedelta(minutes=minutes))


def end(evaluation):
    minutes_left(evaluation, -1)
    system = Person.objects.system(now=timezone.now())
    assert expire_leases(by=system, now=timezone.now()) == 1


def post(client, evaluation, headers=HTMX, **body):
    answer = client.post(address(evaluation), body, headers=headers)
    return answer.status_code, answer.content.decode()


def test_the_head_says_how_long_the_place_is_held_and_asks_again_by_itself(client, evaluation):
    minutes_left(evaluation, 12.5)
    said = client.get(reverse("rate", args=[evaluation.pk])).content.decode()
    assert "reserved, 13 min left" in said
    assert f'hx-get="{address(evaluation)}" hx-trigger="every 60s"' in said
    assert "keydown from:body throttle:60s" in said
    region = client.get(address(evaluation), headers=HTMX).content.decode()
    assert "reserved, 13 min left" in region
    assert "<html" not in region
    assert 'id="answer"' not in region


def test_use_renews_the_place_and_looking_does_not(client, evaluation):
    minutes_left(evaluation, 5)
    until = place(evaluation).get().lease_until
    client.get(address(evaluation), headers=HTMX)
    client.get(reverse("rate", args=[evaluation.pk]))
    assert place(evaluation).get().lease_until == until
    status, said = post(client, evaluation)
    assert (status, "reserved, 30 min left" in said) == (200, True)
    assert place(evaluation).get().lease_until > until + timedelta(minutes=24)


def test_without_script_a_button_renews_and_leads_back(client, evaluation):
    minutes_left(evaluation, 5)
    answer = client.post(address(evaluation))
    assert (answer.status_code, answer["Location"]) == (303, f"/rate/{evaluation.pk}/")
    assert place(evaluation).get().lease_until > timezone.now() + timedelta(minutes=29)
    assert client.get(address(evaluation))["Location"] == f"/rate/{evaluation.pk}/"


def test_time_that_is_up_is_said_while_nobody_asked_for_the_place(client, evaluation):
    minutes_left(evaluation, -3)
    assert "continue to extend it" in client.get(address(evaluation), headers=HTMX).content.decode()
    assert "reserved, 30 min left" in post(client, evaluation)[1]


def test_an_ended_lease_is_noted_once_and_the_game_is_taken_up_again_in_place(client, evaluation):
    say(evaluation, "question", "2", "yes")
    end(evaluation)
    said = client.get(address(evaluation), headers=HTMX).content.decode()
    assert 'id="answer" hx-swap-oob="innerHTML"' in said
    assert "Resume the game" in said
    assert "every 60s" not in said
    status, said = post(client, evaluation, again="yes")
    assert (status, "reserved, 30 min left" in said) == (200, True)
    assert '<div id="answer" hx-swap-oob="innerHTML"></div>' in said
    assert Evaluation.objects.get().state == "draft"
    assert Evaluation.objects.get().judgements.get().value == "yes"


def test_going_on_takes_it_up_again_too_and_takes_the_note_away(client, evaluation):
    end(evaluation)
    status, said = post(client, evaluation, known="ended")
    assert (status, "reserved, 30 min left" in said) == (200, True)
    assert '<div id="answer" hx-swap-oob="innerHTML"></div>' in said


def test_a_place_that_went_to_somebody_else_is_said_and_what_was_judged_is_kept(client, evaluation):
    say(evaluation, "question", "2", "yes")
    end(evaluation)
    project = evaluation.game.project
    assert take_next_game(project=project, by=make_member(project=project), now=timezone.now())
    for body, status in (({}, 403), ({"again": "yes"}, 409)):
        found, said = post(client, evaluation, **body)
        assert found == status
        assert "This game has no open slot left" in said
        assert 'href="/"' in said
    assert 'id="answer"' not in post(client, evaluation, known="ended")[1]
    assert client.post(address(evaluation)).status_code == 403
    assert Evaluation.objects.get(pk=evaluation.pk).judgements.get().value == "yes"


def test_a_place_that_a_lead_gave_back_says_so_with_the_reason(client, evaluation):
    lead = make_lead(project=evaluation.game.project)
    release_slot(evaluation=evaluation, reason="Ann is away <today>", by=lead, now=timezone.now())
    status, said = post(client, evaluation)
    assert status == 403
    assert "Ann is away &lt;today&gt;" in said
    page = client.get(reverse("rate", args=[evaluation.pk])).content.decode()
    assert "Ann is away &lt;today&gt;" in page
    assert f'action="/rate/{evaluation.pk}/return/"' in page
    assert 'id="lease"' not in page
    assert client.post(reverse("return_to_game", args=[evaluation.pk])).status_code == 303


def test_a_submitted_evaluation_has_no_lease(client):
    done = submitted()
    client.force_login(done.evaluator)
    region = client.get(address(done), headers=HTMX).content.decode()
    assert "closed" in region
    assert "every 60s" not in region
    assert post(client, done)[0] == 403
    assert 'id="lease"' not in client.get(reverse("rate", args=[done.pk])).content.decode()


@pytest.mark.parametrize(
    ("body", "status"), [({"known": "nothing"}, 422), ({"again": "1"}, 422), ({"x": "1"}, 400)]
)
def test_what_the_page_does_not_send_is_refused(client, evaluation, body, status):
    minutes_left(evaluation, 5)
    until = place(evaluation).get().lease_until
    assert post(client, evaluation, **body)[0] == status
    assert place(evaluation).get().lease_until == until
    assert client.get(address(evaluation) + "?x=1").status_code == 400
    assert client.put(address(evaluation)).status_code == 405


def test_others_find_no_such_place(client, evaluation):
    client.force_login(make_member(project=evaluation.game.project))
    assert post(client, evaluation)[0] == 404
    client.logout()
    assert post(client, evaluation)[0] == 401


def test_after_fifty_minutes_a_break_is_proposed_and_going_on_lets_it_go():
    project = make_rating_project()
    evaluation = start(project=project, now=NOW)
    for minute in range(0, 57, 8):
        say(evaluation, "question", "2", "yes", now=NOW + timedelta(minutes=minute))
        renewed = NOW + timedelta(minutes=minute + 30)
        place(evaluation).update(lease_until=renewed)

    def proposed(minutes):
        return build_lease(evaluation=evaluation, now=NOW + timedelta(minutes=minutes)).break_minutes

    assert (proposed(56), proposed(70)) == (0, 0)
    assert proposed(48) == 0
    say(evaluation, "question", "2", "no", now=NOW + timedelta(minutes=51))
    assert proposed(51.5) == 50


def test_the_break_stands_in_the_head(client, evaluation):
    now = timezone.now()
    place(evaluation).update(taken_at=now - timedelta(minutes=52))
    for minute in range(45, 0, -8):
        say(evaluation, "question", "2", "yes", now=now - timedelta(minutes=minute))
    minutes_left(evaluation, 30)
    said = client.get(address(evaluation), headers=HTMX).content.decode()
    assert "You have rated for 50 minutes. A break of ten minutes helps to stay consistent." in said


@pytest.mark.parametrize("acts", [1, 12])
def test_the_region_asks_a_fixed_number_of_queries(client, evaluation, acts, django_assert_num_queries):
    for number in range(acts):
        say(evaluation, "question", str(number % 3 + 1), "yes" if number % 2 else "no", now=timezone.now())
    client.get(address(evaluation), headers=HTMX)
    with django_assert_num_queries(5):
        client.get(address(evaluation), headers=HTMX)
    with django_assert_num_queries(9):
        client.post(address(evaluation), headers=HTMX)


def released(evaluation, reason="Ann is away <today>"):
    lead = make_lead(project=evaluation.game.project)
    return release_slot(evaluation=evaluation, reason=reason, by=lead, now=timezone.now())


def act(client, evaluation, name="judge", headers=HTMX, **body):
    said = {"act": "comment~message:3~0~", "text": "half a <thought>", "nonce": "n1", "step": "depth"}
    answer = client.post(reverse(name, args=[evaluation.pk]), body or said, headers=headers)
    return answer.status_code, answer.content.decode()


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("judge", {"act": "question~2~0~yes", "nonce": "n1", "step": "engagement"}),
        ("judge", {}),
        ("undo", {"key": "n1:undo:0"}),
        ("submit_evaluation", {"key": "n1:submit"}),
    ],
)
def test_an_act_on_a_released_place_is_told_how_the_game_is_taken_up_again(client, evaluation, name, body):
    released(evaluation)
    status, said = act(client, evaluation, name, **body)
    assert status == 403
    assert "Ann is away &lt;today&gt;" in said
    assert "reserved for you again" in said
    assert f'hx-post="{address(evaluation)}"' in said
    assert f'action="/rate/{evaluation.pk}/return/"' in said
    # The head stops asking how long the place is held, so that no second note takes the place of this one.
    assert re.search(r'<span id="lease-says" class="row" hx-swap-oob="true"\s*>', said)
    assert 'name="known" value="ended"' in said
    assert not evaluation.judgements.exists() and not evaluation.remarks.exists()
    answer = client.post(address(evaluation), {"again": "yes", "known": "ended"}, headers=HTMX)
    assert answer.status_code == 200
    assert "signed-in" in answer["HX-Trigger"]
    assert "HX-Trigger" not in client.post(address(evaluation), headers=HTMX)
    if name == "judge":
        assert act(client, evaluation, name, **body)[0] == 200


def test_without_script_the_page_says_it_and_what_was_written(client, evaluation):
    released(evaluation)
    for name in ("judge", "skip_game"):
        body = {"text": "half a <thought>", "key": "n1:skip"} if name == "skip_game" else {}
        status, said = act(client, evaluation, name, {}, **body)
        assert status == 403
        assert "Ann is away &lt;today&gt;" in said
        assert "What you just did was not saved." in said and "half a &lt;thought&gt;" in said
        assert said.count(f'action="/rate/{evaluation.pk}/return/"') == 1
        assert "hx-post" not in said


def test_the_test_of_who_said_it_is_told_the_same(client):
    project = make_rating_project()
    Iteration.objects.filter(project=project).update(identification="test")
    evaluation = start(project=project, message_count=60, now=timezone.now())
    client.force_login(evaluation.evaluator)
    released(evaluation)
    body = {"act": "attribution~1~0~1", "nonce": "n1", "step": "identify"}
    assert "Resume the game" in act(client, evaluation, **body)[1]
    status, said = act(client, evaluation, "judge", {}, **body)
    assert (status, "Could I identify this agent" in said, "Resume the game" in said) == (
        403,
        True,
        True,
    )


def test_where_nobody_may_take_it_up_again_no_button_is_offered(client, evaluation):
    released(evaluation)
    project = evaluation.game.project
    taken = take_next_game(project=project, by=make_member(project=project), now=timezone.now())
    for status, said in (act(client, evaluation), post(client, evaluation)):
        assert status == 403
        assert "Ann is away &lt;today&gt;" in said and 'href="/"' in said
        assert "Resume the game" not in said and "Try again" not in said
    page = client.get(reverse("rate", args=[evaluation.pk])).content.decode()
    assert f'action="/rate/{evaluation.pk}/return/"' not in page
    release_slot(evaluation=taken, reason="", by=make_lead(project=project), now=timezone.now())
    assert "Resume the game" in act(client, evaluation)[1]


def test_an_act_on_a_game_skipped_elsewhere_is_told_so(client, evaluation):
    skip_game(evaluation=evaluation, reason="too long", by=evaluation.evaluator, now=timezone.now())
    status, said = act(client, evaluation)
    assert (status, "You skipped this game" in said, "Resume the game" in said) == (403, True, True)
    assert post(client, evaluation, again="yes")[0] == 200
    assert act(client, evaluation)[0] == 200


def test_what_cannot_be_gone_on_with_is_refused_as_before(client):
    done = submitted()
    client.force_login(done.evaluator)
    status, said = act(client, done)
    assert (status, "was submitted" in said, "<form" in said) == (403, True, False)
