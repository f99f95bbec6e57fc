"""The team page and its table of workload: who holds what, places released and kept, and the rule of the queue."""

import html
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from discussions.models import Evaluation, QueueRule, Revision, Slot
from discussions.models.slots import RATING
from discussions.queue import queries
from discussions.queue.actions import assign_game, take_next_game
from discussions.queue.core import Held
from discussions.queue.queries import load_workloads
from discussions.queue.views import MOST_FREE, TeamPage
from discussions.rating.actions import skip_game
from discussions.slots.actions import expire_leases, release_slot
from tests.factories.pages import get_text
from tests.factories.people import NOW, make_lead, make_member, make_person
from tests.factories.queue import make_repeat
from tests.factories.rating import make_game, make_rating_project, say, start, submitted
from tests.factories.tokens import program_of
from tests.factories.transcripts import make_games_project
from workspace.models import Event, Person

pytestmark = pytest.mark.django_db


HTMX = {"HX-Request": "true", "HX-Target": "team-holds"}


@pytest.fixture
def project():
    return make_rating_project()


@pytest.fixture
def lead(client, project):
    found = make_lead(project=project)
    client.force_login(found)
    return found


@pytest.fixture
def ann(project):
    return make_member(project=project, person=make_person(name="Ann <b>"))


def to(name, project, *more):
    return reverse(name, args=[project.slug, *more])


def held(project, person=None):
    make_game(project=project)
    person = person or make_member(project=project)
    return take_next_game(project=project, by=person, now=timezone.now())


@pytest.mark.usefixtures("lead")
def test_a_project_in_which_nothing_goes_on_says_so(client, project):
    said = get_text(client.get(to("team", project)))
    assert "Nobody is rating a game at the moment" in said
    assert "No game has an open slot now" in said
    assert "Paused" not in said


@pytest.mark.usefixtures("lead")
def test_it_shows_who_holds_what_since_when_and_how_far_they_are(client, project, ann):
    taken = held(project, ann)
    evaluation = Evaluation.objects.with_work().get(pk=taken.pk)
    say(evaluation, "question", "2", "yes")
    Slot.objects.filter(pk=taken.slot_id).update(lease_until=timezone.now() + timedelta(minutes=12))
    answer = client.get(to("team", project))
    said = get_text(answer)
    for part in ("Being rated now", "working", "12 minutes", "1 of ", "Ann <b>"):
        assert part in said
    assert "Ann <b>" not in answer.content.decode()
    (slot,) = TeamPage(project=project, now=timezone.now()).holds.held
    assert (slot.evaluation.game.number, slot.judged, slot.evaluation.state) == (1, 1, "draft")
    say(evaluation, "question", "3", "yes")
    (slot,) = TeamPage(project=project, now=timezone.now()).holds.held
    assert slot.judged == 2


@pytest.mark.usefixtures("lead")
def test_the_live_part_asks_again_by_itself_and_is_a_page_without_htmx(client, project):
    held(project)
    region = client.get(to("team_holds", project), headers=HTMX).content.decode()
    assert region.lstrip().startswith('<div id="team-holds"')
    assert f'hx-get="{to("team_holds", project)}" hx-trigger="every 5s"' in region
    assert "<html" not in region
    for part in ("<textarea", 'type="text"', "<select"):
        assert part not in region, "what is typed must not be drawn away"
    assert "<html" in client.get(to("team_holds", project)).content.decode()


@pytest.mark.usefixtures("lead")
def test_leads_are_told_of_repeats_and_of_what_was_sent_back(client, project, ann):
    taken = held(project, ann)
    Evaluation.objects.filter(pk=taken.pk).update(state="returned", returned_comment="Look at <i>round 2</i>")
    Slot.objects.filter(pk=taken.slot_id).update(lease_until=None)
    said = get_text(client.get(to("team", project)))
    for part in ("returned", "Look at <i>round 2</i>", "no time limit"):
        assert part in said
    assert "hidden duplicate" not in said.partition("Queue order")[0]
    make_repeat(taken)
    said = get_text(client.get(to("team", project)))
    assert "hidden duplicate" in said.partition("Queue order")[0]


def test_what_was_set_aside_is_listed_with_its_reason(client, project, lead, ann):
    now = timezone.now()
    skipped = held(project)
    skip_game(evaluation=skipped, reason="I know <who> won", by=skipped.evaluator, now=now)
    released = held(project, ann)
    release_slot(evaluation=released, reason="Ann is away.", by=lead, now=now)
    lapsed = held(project)
    Slot.objects.filter(pk=lapsed.slot_id).update(lease_until=now - timedelta(minutes=1))
    expire_leases(by=Person.objects.system(now=now), now=now)
    taken = take_next_game(project=project, by=make_member(project=project), now=now)
    said = get_text(client.get(to("team", project)))
    for part in (
        "skipped: <bdi",
        "I know <who> won",
        "released by a lead: ",
        "Ann is away.",
        "reservation ended",
    ):
        assert part in said, part
    rows = TeamPage(project=project, now=now).holds.aside
    assert len(rows) == 3 and all(row.is_free == (row.game_id != taken.game_id) for row in rows)


def test_a_place_is_released_with_a_reason_and_everything_is_kept(client, project, lead, ann):
    taken = held(project, ann)
    say(Evaluation.objects.with_work().get(pk=taken.pk), "question", "2", "yes")
    address = to("release_place", project, taken.pk)
    said = get_text(client.get(address))
    assert "Release game 1" in said
    assert "1 of " in said
    answer = client.post(address, {"reason": "Ann is away."})
    assert (answer.status_code, answer["Location"]) == (303, to("team", project))
    taken.refresh_from_db()
    assert (taken.state, taken.released_reason) == ("lapsed", "Ann is away.")
    assert taken.judgements.get().value == "yes"
    assert Slot.objects.get(pk=taken.slot_id).evaluator is None
    assert Event.objects.filter(verb="place:released", by=lead).exists()


@pytest.mark.usefixtures("lead")
def test_a_release_that_came_too_late_keeps_what_was_typed(client, project):
    done = submitted(project=project)
    said = get_text(client.post(to("release_place", project, done.pk), {"reason": "Away <today>"}), 409)
    assert "meanwhile. Nothing was changed." in said
    assert "Away <today>" in said
    long = client.post(to("release_place", project, held(project).pk), {"reason": "x" * 2001})
    assert "at most 2,000 characters" in get_text(long, 422)
    assert Evaluation.objects.filter(state="lapsed").count() == 0


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"numbers": "1, 3-4"}, [1, 3, 4]),
        ({"games": ["2", "3"]}, [2, 3]),
        ({"numbers": "1", "games": ["1", "2"]}, [1, 2]),
    ],
)
@pytest.mark.usefixtures("lead")
def test_games_are_assigned_by_number_or_chosen(client, project, ann, given, kept):
    for _ in range(4):
        make_game(project=project)
    answer = client.post(to("assign_game", project), {"person": str(ann.pk), **given})
    assert (answer.status_code, answer["Location"]) == (303, to("team", project) + "#kept")
    slots = Slot.objects.filter(assigned_to=ann).order_by("game__number")
    assert list(slots.values_list("game__number", flat=True)) == kept
    said = get_text(client.get(to("team", project)))
    assert "Assigned and not started" in said
    taken = take_next_game(project=project, by=ann, now=timezone.now())
    assert taken.game.number in kept


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"numbers": "1, x<y>"}, "“x<y>” names no games"),
        ({"numbers": "7-5"}, "“7-5” names no games"),
        ({"numbers": "9"}, "The project has no game 9."),
        ({"numbers": "1, 9-10"}, "The project has no games 9 and 10."),
        ({}, "Choose at least one game."),
        ({"games": ["x"]}, "Nothing was assigned"),
        ({"numbers": "1", "person": ""}, "This field is required."),
        ({"numbers": "1", "person": "999999"}, "does not rate in the project now"),
    ],
)
@pytest.mark.usefixtures("lead")
def test_what_cannot_be_assigned_is_said_and_nothing_is(client, project, ann, given, says):
    make_game(project=project)
    said = get_text(client.post(to("assign_game", project), {"person": str(ann.pk)} | given), 422)
    assert says in said
    if numbers := given.get("numbers"):
        assert f'value="{numbers}"' in said
    assert not Slot.objects.exclude(assigned_to=None).exists()


@pytest.mark.usefixtures("lead")
def test_no_place_or_a_started_game_is_refused_with_everything_typed(client, project, ann):
    held(project)
    said = get_text(client.post(to("assign_game", project), {"person": str(ann.pk), "numbers": "1"}), 409)
    assert "Game 1 has no open slot" in said
    assert f'<option value="{ann.pk}" selected>' in said
    started = held(project, ann)
    body = {"person": str(ann.pk), "numbers": str(started.game.number)}
    assert "started game 2 already" in get_text(client.post(to("assign_game", project), body), 403)


def test_an_assigned_place_is_taken_back_while_nobody_has_started(client, project, lead, ann):
    game = make_game(project=project)
    slot = assign_game(game=game, person=ann, by=lead, now=timezone.now())
    answer = client.post(to("unassign_game", project, slot.pk))
    assert (answer.status_code, answer["Location"]) == (303, to("team", project) + "#kept")
    assert Slot.objects.get(pk=slot.pk).assigned_to is None
    slot = assign_game(game=game, person=ann, by=lead, now=timezone.now())
    take_next_game(project=project, by=ann, now=timezone.now())
    assert "started this game meanwhile" in get_text(client.post(to("unassign_game", project, slot.pk)), 409)
    assert client.post(to("unassign_game", project, slot.pk), {"x": "1"}).status_code == 400


def test_the_rule_of_the_queue_is_set_and_shown(client, project, lead):
    said = get_text(client.get(to("team", project)))
    assert 'name="repeat_percent" value="0"' in said
    answer = client.post(to("change_queue", project), {"order": "oldest", "repeat_percent": "12"})
    assert answer.status_code == 303
    rule = QueueRule.objects.get()
    assert (rule.order, rule.repeat_percent, rule.changed_by) == ("oldest", 12, lead)
    said = get_text(client.get(to("team", project)))
    assert 'name="repeat_percent" value="12"' in said
    assert '<option value="oldest" selected>' in said


@pytest.mark.parametrize(
    "body",
    [
        {"order": "newest", "repeat_percent": "0"},
        {"order": "oldest", "repeat_percent": "51"},
        {"order": "oldest", "repeat_percent": "-1"},
        {"order": "oldest", "repeat_percent": "ten"},
        {"order": "oldest"},
        {},
    ],
)
@pytest.mark.usefixtures("lead")
def test_a_rule_that_there_is_not_is_refused(client, project, body):
    assert client.post(to("change_queue", project), body).status_code == 422
    assert not QueueRule.objects.exists()


def test_evaluators_see_none_of_it_and_strangers_do_not_find_it(client, project, lead, ann):
    taken = held(project, ann)
    slot = assign_game(game=make_game(project=project), person=ann, by=lead, now=timezone.now())
    gets = [to("team", project), to("team_holds", project), to("release_place", project, taken.pk)]
    posts = [
        to("release_place", project, taken.pk),
        to("assign_game", project),
        to("unassign_game", project, slot.pk),
        to("change_queue", project),
    ]
    for person, status in ((ann, 403), (make_lead(project=make_games_project()), 404)):
        client.force_login(person)
        assert [client.get(page).status_code for page in gets] == [status] * 3
        assert [client.post(post).status_code for post in posts] == [status] * 4
    client.force_login(ann)
    assert to("team", project) not in client.get(to("project", project)).content.decode()
    client.force_login(lead)
    assert client.get(to("project", project)).content.decode().count(f'href="{to("team", project)}"') == 2
    assert client.post(to("team", project)).status_code == 405
    assert client.get(to("assign_game", project)).status_code == 405
    assert client.get(to("team", project) + "?x=1").status_code == 400
    elsewhere = start()
    assert client.get(to("release_place", project, elsewhere.pk)).status_code == 404


def test_only_places_that_anybody_could_take_are_offered(project, lead, ann):
    games = [make_game(project=project) for _ in range(3)]
    assign_game(game=games[0], person=ann, by=lead, now=timezone.now())
    page = TeamPage(project=project, now=timezone.now())
    assert page.free == [(2, 1), (3, 1)]
    assert page.free_count == 2
    assert MOST_FREE > 3
    assert Slot.objects.filter(purpose=RATING).count() == 3


@pytest.mark.parametrize("games", [1, 4])
def test_the_number_of_queries_does_not_grow(client, project, lead, ann, games, django_assert_num_queries):
    for _ in range(games):
        held(project)
        skipped = held(project)
        skip_game(evaluation=skipped, reason="Ill", by=skipped.evaluator, now=timezone.now())
        make_game(project=project)
    last = Slot.objects.filter(evaluator=None).order_by("-game__number")[:games]
    for slot in last:
        assign_game(game=slot.game, person=ann, by=lead, now=timezone.now())
    client.get(to("team", project))
    with django_assert_num_queries(11):
        client.get(to("team", project))
    with django_assert_num_queries(7):
        client.get(to("team_holds", project), headers=HTMX)


def address(project):
    return reverse("team_pace", args=[project.slug])


def loads(project, now=NOW):
    return {load.person: load for load in load_workloads(project=project, now=now)[0]}


@pytest.mark.usefixtures("lead")
def test_a_project_without_evaluators_says_whom_to_invite(client, project):
    said = client.get(address(project)).content.decode()
    assert "No evaluator yet" in said
    assert reverse("members", args=[project.slug]) in said


def test_what_was_submitted_is_counted_and_timed_without_pauses(project):
    done = submitted(project=project, now=NOW - timedelta(minutes=3))
    # Everything was judged at one moment, three minutes after the game was taken.
    load = loads(project)[done.evaluator_id]
    assert (load.done_short, load.done_long) == (1, 1)
    assert load.minutes == pytest.approx(3)
    assert load.minutes_per_100 == pytest.approx(25)
    paused = submitted(project=project, now=NOW - timedelta(minutes=30))
    # Half an hour between taking the game and the first act is a pause.
    assert loads(project)[paused.evaluator_id].minutes == pytest.approx(0)
    later = loads(project, NOW + timedelta(days=8))[done.evaluator_id]
    assert (later.done_short, later.done_long) == (0, 1)
    assert loads(project, NOW + timedelta(days=29))[done.evaluator_id].done_long == 0


def test_what_is_before_somebody_is_open_sent_back_and_assigned(project, lead):
    started = start(project=project)
    person = started.evaluator
    skipped = start(project=project)
    skip_game(evaluation=skipped, reason="Ill", by=skipped.evaluator, now=NOW)
    assign_game(game=make_game(project=project), person=person, by=lead, now=NOW)
    found = loads(project)
    assert found[person.pk].held == Held(open=1, assigned=1)
    assert found[skipped.evaluator_id].held == Held(set_aside=1)
    assert (found[person.pk].ahead, found[skipped.evaluator_id].ahead) == (2, 0)
    Evaluation.objects.filter(pk=started.pk).update(state="returned")
    assert loads(project)[person.pk].held == Held(sent_back=1, assigned=1)
    make_repeat(started)
    assert loads(project)[person.pk].held == Held(sent_back=1, assigned=1)


@pytest.mark.usefixtures("lead")
def test_people_stand_by_name_and_the_page_says_what_it_is_for(client, project):
    for name in ("zoe", "Ann <b>", "Bea"):
        make_member(project=project, person=make_person(name=name))
    submitted(project=project, now=NOW)
    text = client.get(address(project)).content.decode()
    said = " ".join(html.unescape(text).split())
    assert said.index("Ann <b>") < said.index("Bea") < said.index("zoe")
    assert "Ann <b>" not in text
    for part in ("Speed is not a goal", "do not say how well somebody rates", "pauses"):
        assert part in said
    assert 'aria-current="page">Workload' in said


def test_of_very_many_only_the_newest_are_timed(monkeypatch, project):
    monkeypatch.setattr(queries, "MOST_TIMED", 1)
    first = submitted(project=project, now=NOW - timedelta(minutes=2))
    Evaluation.objects.filter(pk=first.pk).update(submitted_at=NOW - timedelta(hours=1))
    second = submitted(project=project, now=NOW - timedelta(minutes=2))
    workloads, timed = load_workloads(project=project, now=NOW)
    found = {load.person: load for load in workloads}
    assert timed == 1
    assert found[first.evaluator_id].done_long == 1
    assert found[first.evaluator_id].minutes is None
    assert found[second.evaluator_id].minutes == pytest.approx(2)


@pytest.mark.usefixtures("lead")
def test_evaluators_and_strangers_do_not_see_it(client, project):
    for person, status in (
        (make_member(project=project), 403),
        (make_lead(project=make_games_project()), 404),
    ):
        client.force_login(person)
        assert client.get(address(project)).status_code == status


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.usefixtures("lead")
def test_the_number_of_queries_of_the_table_does_not_grow(client, project, count, django_assert_num_queries):
    for _ in range(count):
        submitted(project=project, now=NOW)
        say(start(project=project), "question", "2", "yes")
    assert Revision.objects.count() > count
    client.get(address(project))
    with django_assert_num_queries(9):
        client.get(address(project))
    assert client.post(address(project)).status_code == 405
    assert client.get(address(project) + "?x=1").status_code == 400


TEAM = "projects/here/team/"


def test_games_are_assigned_to_evaluators_started_by_them_and_given_back(django_assert_max_num_queries):
    project = make_rating_project(slug="here")
    games = [make_game(project=project).number for _game in range(2)]
    person, lead = make_member(project=project), make_lead(project=project)
    program = program_of(lead)
    assert program.get(TEAM).json()["evaluators"] == [{"id": person.pk, "name": person.name}]
    wrong = program.post("projects/here/assignments/", {"person": lead.pk, "games": games})
    assert (wrong.status_code, wrong.json()["field"]) == (422, "person")
    assigned = program.post("projects/here/assignments/", {"person": person.pk, "games": games}).json()
    assert [(row["game"], row["person"]) for row in assigned["assigned"]] == [
        (number, person.pk) for number in games
    ]
    taken = program_of(person).post("projects/here/next/").json()["evaluation"]
    with django_assert_max_num_queries(16):
        team = program.get(TEAM).json()
    assert [(row["game"], row["judged"]) for row in team["held"]] == [(taken["game"], 0)]
    left = program.post(f"projects/here/assignments/{team['assigned'][0]['id']}/end/").json()
    assert (left["assigned"], left["free_count"]) == ([], 1)
