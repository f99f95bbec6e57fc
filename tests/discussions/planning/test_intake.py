"""Queues that fill themselves: rules saved after a preview, games drawn as they come, single games by hand."""

import pytest
from django.urls import reverse

from discussions.agents.queries import find_figures
from discussions.checks.actions import CHECKS
from discussions.core.intake import Filling, FillRow
from discussions.iterations.pages import judge_iteration
from discussions.iterations.queries import load_history
from discussions.models import FillRules, Game, Iteration, QueueDraw, RatingRule, Slot
from discussions.planning.actions import place_game
from discussions.planning.queries import preview_filling
from discussions.queue.actions import take_next_game
from tests.factories.intake import fill_by, numbers_in_queue
from tests.factories.iterations import figures, make_baseline, make_stage, record_figures
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.rating import game_of, make_game, make_rating_project
from tests.factories.reliability import figure_agents
from tests.factories.tokens import program_of
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db
PAGE = "/projects/ours/team/queue/rules/"
NEVER_MAFIA = FillRow("role", 0, value="mafia")


@pytest.fixture
def world():
    project = make_rating_project(slug="ours")
    lead = make_lead(project=project)
    games = [make_game(project=project, content=game_of(12 + at, game_id=f"g{at}")) for at in range(6)]
    return project, lead, games


def breaches():
    return [said for check in CHECKS if check.code.startswith("I9") for said in check.find(NOW)]


def test_without_rules_every_game_enters_and_nothing_is_stored(world):
    project, _lead, games = world
    assert numbers_in_queue(project) == {game.number for game in games}
    assert not QueueDraw.objects.exists()
    assert not Event.objects.filter(verb="queue:filled").exists()


def test_new_games_pass_the_rules_and_old_ones_stay(world):
    project, lead, games = world
    rules = fill_by(project, lead, NEVER_MAFIA, rest=50)
    assert rules.number == 1 and not QueueDraw.objects.exists()
    assert fill_by(project, lead, NEVER_MAFIA, rest=50).number == 1, "the same rules are no new version"
    new = make_game(project=project, content=game_of(20, game_id="new"))
    draw = QueueDraw.objects.get()
    assert (draw.game, draw.row, draw.probability, draw.chance, draw.is_in) == (new, 1, 0, 0, False)
    assert numbers_in_queue(project) == {game.number for game in games}
    detail = Event.objects.get(verb="queue:filled").detail
    assert detail == '{"entered":0,"of":1,"version":1}'
    assert take_next_game(project=project, by=make_member(project=project), now=NOW).game != new
    assert breaches() == []


def test_rules_are_applied_to_games_that_wait_and_what_was_started_keeps_its_probability(world):
    project, lead, games = world
    started = take_next_game(project=project, by=make_member(project=project), now=NOW).game
    removed = next(game for game in games if game != started)
    place_game(game=removed, is_in=False, by=lead, now=NOW)
    found = preview_filling(project, Filling([], 40))
    assert (found.games, found.waiting, found.entering) == (6, 4, 0)
    fill_by(project, lead, rest=40, is_applied=True)
    drawn = QueueDraw.objects.exclude(rules=None)
    assert drawn.filter(is_in=False).count() == found.leaving
    assert {row.probability for row in drawn} == {0.4} and drawn.count() == 4
    waiting = set(drawn.filter(is_in=True).values_list("game__number", flat=True))
    assert numbers_in_queue(project) == waiting
    fill_by(project, lead, rest=100, is_applied=True)
    assert numbers_in_queue(project) == {game.number for game in games} - {started.number, removed.number}
    assert not QueueDraw.objects.filter(game=started).exists()
    assert breaches() == []


def test_a_larger_share_raises_the_chance_of_started_games_and_not_their_probability(world):
    project, lead, _games = world
    fill_by(project, lead, rest=60, is_applied=True)
    started = take_next_game(project=project, by=make_member(project=project), now=NOW).game
    for share, chance in ((80, 0.8), (10, 0.8)):
        fill_by(project, lead, rest=share, is_applied=True)
        draw = QueueDraw.objects.get(game=started)
        assert (draw.probability, draw.chance, draw.rules.number) == (0.6, chance, 1)


def test_a_game_that_somebody_removed_never_comes_back_by_a_rule(world):
    project, lead, games = world
    assert place_game(game=games[0], is_in=True, by=lead, now=NOW) is None
    place_game(game=games[0], is_in=False, by=lead, now=NOW)
    assert Slot.objects.get(game=games[0]).is_closed
    fill_by(project, lead, rest=100, is_applied=True)
    assert games[0].number not in numbers_in_queue(project)
    draw = place_game(game=games[0], is_in=True, by=lead, now=NOW)
    assert (draw.is_in, draw.chance) == (True, 1.0), "it was in before somebody removed it"
    fill_by(project, lead, rest=0, is_applied=True)
    assert numbers_in_queue(project) == {games[0].number}
    chosen = place_game(game=games[1], is_in=True, by=lead, now=NOW)
    assert (chosen.chance, chosen.probability) == (0, 0), "a lead chose it: it stands for no other game"
    assert breaches() == []
    with pytest.raises(NotAllowed):
        place_game(game=games[1], is_in=False, by=make_member(project=project), now=NOW)


def test_rules_are_shown_before_they_are_saved(client, world):
    project, lead, games = world
    client.force_login(lead)
    assert "present games enter" not in client.get(PAGE).content.decode(), "it would read every game"
    everything = client.post(PAGE, {"rest": "100", "games": "later"}).content.decode()
    assert "6 of 6 present games enter" in everything
    sent = {
        "condition-1": "role",
        "value-1": "mafia",
        "percent-1": "0",
        "metric-1": "weakest",
        "place-1": "1",
    }
    sent |= {"rest": "100", "games": "waiting"}
    answer = client.post(PAGE, sent)
    assert answer.status_code == 200 and "Nothing is saved yet" in answer.content.decode()
    assert not FillRules.objects.exists()
    confirmed = answer.context["confirmed"]
    changed = client.post(PAGE, {**sent, "rest": "50", "confirmed": confirmed})
    assert changed.status_code == 200 and not FillRules.objects.exists()
    assert client.post(PAGE, {**sent, "confirmed": confirmed}).status_code == 303
    assert FillRules.objects.get().to_record() == Filling([NEVER_MAFIA], 100)
    assert numbers_in_queue(project) == set()
    listed = client.get("/projects/ours/games/", {"state": "left_out"}).content.decode()
    assert "not in the queue" in listed and f'href="{games[0].number}/' in listed
    assert "Not in the queue: 6." in client.get("/projects/ours/").content.decode()
    page = client.get(f"/projects/ours/games/{games[0].number}/").content.decode()
    assert "Role mafia" in page and "Put into the queue" in page
    assert client.post(f"/projects/ours/games/{games[0].number}/queue/in/").status_code == 303
    assert numbers_in_queue(project) == {games[0].number}
    assert client.post(PAGE, {**sent, "condition-1": "below", "value-1": "x"}).status_code == 422
    assert client.post(PAGE, {**sent, "rest": "101"}).status_code == 422
    assert client.post(PAGE, {**sent, "condition-13": "odd"}).status_code == 400


def test_programs_read_preview_and_save_rules(world):
    project, lead, games = world
    api, path = program_of(lead, "read", "admin"), "projects/ours/team/queue/rules/"
    assert api.get(path).json() == {"version": 0, "rows": [], "named": ["The rest, at random"], "rest": 100}
    rules = {"rows": [{"condition": "short", "metric": "weakest", "value": "5", "percent": 100}], "rest": 20}
    found = api.send("POST", f"{path}preview/", rules).json()
    assert (found["games"], found["waiting"], len(found["lines"])) == (6, 6, 2)
    assert not FillRules.objects.exists()
    assert api.send("POST", path, {**rules, "is_applied": True}).json()["version"] == 1
    assert api.get(path).json()["named"][0] == "The weakest metric fails by less than 5 points"
    assert len(numbers_in_queue(project)) == found["taken"]
    assert api.send("POST", path, {"rows": [], "rest": 200}).status_code == 422
    out = api.send("POST", f"projects/ours/games/{games[0].number}/queue/out/", {}).json()
    assert out["is_in"] is False


def test_only_leads_save_rules_and_faulty_ones_are_refused(world):
    project, lead, _games = world
    with pytest.raises(NotAllowed):
        fill_by(project, make_member(project=project), rest=20)
    with pytest.raises(Unacceptable):
        fill_by(project, lead, FillRow("below", 10, "engagement", "3"))


def test_games_left_out_hold_nothing_up_and_those_that_entered_stand_for_them(client):
    stage = make_stage()
    lead, slug = stage.created_by, stage.project.slug
    fill_by(stage.project, lead, rest=50)
    iteration = make_baseline(stage=stage, games=[None] * 4)
    games = list(Game.objects.filter(iteration=iteration).order_by("number"))
    draws = QueueDraw.objects.filter(game__in=games)
    assert {draw.probability for draw in draws} == {0.5} and len(draws) == 4
    for game, chance in zip(games, (1.0, 1.0, 0.2, 0.2), strict=True):
        draws.filter(game=game).update(chance=chance, is_in=game != games[3])
    for game, memory in zip(games, (60.0, 60.0, 90.0), strict=False):
        record_figures(game=game, given=figures(memory_accuracy=memory))
    (row,) = load_history(stage).iterations
    averages = judge_iteration(row).averages
    assert [game.figures.chance for game in row.games] == [None, None, 0.2]
    line = averages.line("memory_accuracy")
    assert (line.value, line.pending, averages.is_weighted) == (pytest.approx((120 + 450) / 7), [], True)
    client.force_login(lead)
    said = client.get(f"/projects/{slug}/iterations/{iteration.number}/").content.decode()
    said += client.get(f"/projects/{slug}/stages/{stage.number}/summary/").content.decode()
    assert "weighted" in said


def test_files_of_agents_are_of_the_games_that_entered(world):
    project, lead, games = world
    for game in games[:2]:
        place_game(game=game, is_in=False, by=lead, now=NOW)
    QueueDraw.objects.create(game=games[2], is_in=True, chance=0.5, drawn_at=NOW)
    figure_agents(project, by=lead)
    found = find_figures(project)
    assert (found.games, found.files["agent"][0].is_weighted) == (4, True)
    QueueDraw.objects.filter(game=games[2]).update(chance=0.25)
    assert find_figures(project) is None


def test_evaluators_never_learn_why_a_game_is_in_their_queue(client, world):
    project, lead, _games = world
    fill_by(
        project,
        lead,
        FillRow("category", 40, value="XYZZY"),
        FillRow("role", 100, value="mafia"),
        is_applied=True,
    )
    person = make_member(project=project)
    client.force_login(person)
    taken = take_next_game(project=project, by=person, now=NOW)
    rate = reverse("rate", args=[taken.pk])
    paths = [
        "/",
        "/mine/",
        "/projects/ours/queue/",
        rate,
        f"{rate}?step=review",
        f"/projects/ours/games/{taken.game_number}/",
    ]
    answers = [client.get(path) for path in [*paths, PAGE]]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 200, 404, 403]
    api = program_of(person, "read", "rate")
    answers += [api.send("POST", "projects/ours/next/", {}), api.get(f"evaluations/{taken.pk}/")]
    answers += [api.get("projects/ours/team/queue/rules/")]
    said = " ".join(answer.content.decode() for answer in answers)
    assert [
        word for word in ("XYZZY", "queue rules", "Queue rules", "probability", "chance") if word in said
    ] == []


@pytest.fixture
def project():
    return make_rating_project(evaluator_count=1, slug="ours")


@pytest.fixture
def address(project):
    return reverse("project_settings", args=[project.slug])


@pytest.fixture
def lead(project, client):
    """A lead, signed in."""
    person = make_lead(project=project)
    client.force_login(person)
    return person


def stored(project):
    """The number as it is stored."""
    return Iteration.objects.get(project=project).evaluator_count


def test_what_it_does_is_shown_and_nothing_saved_until_it_is_confirmed(client, lead, project, address):
    make_game(project=project)
    body = {"identification": "question", "evaluator_count": "3"}
    shown = client.post(address, body)
    page = shown.content.decode()
    assert (shown.status_code, stored(project)) == (200, 1)
    assert "From 1 to 3 evaluators per game. Nothing is saved yet." in page
    assert "2 further slots open on games without a verdict." in page
    assert "Games imported from now on are rated by 3 evaluators." in page
    assert '<input type="hidden" name="confirmed" value="3">' in page
    assert client.post(address, body | {"confirmed": "2"}).status_code == 200
    assert stored(project) == 1
    saved = client.post(address, body | {"confirmed": "3"})
    assert (saved.status_code, saved["Location"], stored(project)) == (303, address, 3)
    assert Slot.objects.filter(is_closed=False).count() == 3
    assert 'value="3"' in client.get(address).content.decode()


def test_the_form_alone_is_saved_at_once(client, lead, project, address):
    answer = client.post(address, {"identification": "test", "evaluator_count": "1"})
    assert answer.status_code == 303
    assert Iteration.objects.get(project=project).identification == "test"


@pytest.mark.parametrize("count", ["0", "11", "many", "2.5"])
def test_what_is_no_number_of_evaluators_is_refused_and_kept(client, lead, project, address, count):
    refused = client.post(address, {"identification": "test", "evaluator_count": count, "confirmed": count})
    assert refused.status_code == 422
    assert f'value="{count}"' in refused.content.decode()
    assert (stored(project), Iteration.objects.get(project=project).identification) == (1, "question")


def test_evaluators_and_strangers(client, project, address):
    for person, status in (
        (make_member(project=project), 403),
        (make_lead(project=make_rating_project()), 404),
    ):
        client.force_login(person)
        assert client.post(address, {"identification": "test", "evaluator_count": "2"}).status_code == status
    assert stored(project) == 1


def test_queries_are_the_same_for_few_and_many_games(
    client, lead, project, address, django_assert_num_queries
):
    counts = []
    for _size in range(2):
        make_game(project=project)
        client.post(address, {"identification": "question", "evaluator_count": "3"})
        with django_assert_num_queries(16):
            counts.append(client.post(address, {"identification": "question", "evaluator_count": "3"}))
    assert [answer.status_code for answer in counts] == [200, 200]


def test_what_holds_once_a_game_is_rated_is_saved_and_shown(client, lead, project, address):
    page = client.get(address).content.decode()
    assert "<h1>Settings</h1>" in page
    assert 'value="hold" selected' in page and 'value="30"' in page and 'value="no" selected' in page
    rules = reverse("project_rules", args=[project.slug])
    body = {"flags": "warn", "reopen_minutes": "0", "shows_differences": "yes", "records_at_submit": "yes"}
    answer = client.post(rules, body)
    assert (answer.status_code, answer["Location"]) == (303, address)
    rule = RatingRule.objects.get(project=project)
    assert (rule.flags, rule.reopen_minutes, rule.shows_differences, rule.records_at_submit) == (
        "warn",
        0,
        True,
        True,
    )
    client.post(rules, body)
    event = Event.objects.get(verb="rating_rules:changed")
    assert event.by == lead
    assert 'value="warn" selected' in client.get(address).content.decode()


@pytest.mark.parametrize(
    ("name", "value"), [("flags", "shout"), ("reopen_minutes", "-1"), ("reopen_minutes", "10081"),
                        ("reopen_minutes", ""), ("shows_differences", "maybe"), ("records_at_submit", "")]
)  # fmt: skip
def test_a_rule_that_is_none_is_said_beside_its_field(client, lead, project, name, value):
    body = {"flags": "warn", "reopen_minutes": "10", "shows_differences": "no", "records_at_submit": "no"} | {
        name: value
    }
    answer = client.post(reverse("project_rules", args=[project.slug]), body)
    assert answer.status_code == 422
    assert "aria-invalid" in answer.content.decode()
    assert not RatingRule.objects.exists()
