"""Home and queue: what was sent back, started, paused and assigned; why nothing is free; as quick with many games.

What home says to who just handed a game in: that it is in, and how many are, and nothing of the others.
"""

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from discussions.games.actions import return_evaluation
from discussions.home.pages.home import build_home
from discussions.models import Evaluation, Game, Slot, TieRequest
from discussions.queue.actions import assign_games, take_next_game
from discussions.queue.views import queue_page
from discussions.rating.actions import reopen_evaluation, skip_game
from discussions.slots.actions import expire_leases, release_slot
from discussions.slots.core import LEASE
from tests.factories.adjudication import list_evaluations, make_shared_game, submit_as
from tests.factories.calibration import make_round, make_trainee, take
from tests.factories.people import NOW, make_lead, make_member, moment
from tests.factories.queue import finish, rated_once, until_repeated
from tests.factories.rating import make_game, make_rating_project, ready_to_submit, say, start, submitted
from tests.factories.tampering import without_triggers
from workspace.models import Notification, Person
from workspace.people.actions.people import system_person

pytestmark = pytest.mark.django_db


LATER = NOW + LEASE


def expire(now=LATER):
    expire_leases(by=system_person(now=now), now=now)


def get_text(client, person, name, *args):
    client.force_login(person)
    answer = client.get(reverse(name, args=args))
    assert answer.status_code == 200
    return answer.content.decode()


def skipped_one(project, person):
    """A game that the person skipped."""
    make_game(project=project)
    evaluation = take_next_game(project=project, by=person, now=NOW)
    skip_game(evaluation=evaluation, reason="I know <this> one", by=person, now=NOW)
    return evaluation


def test_what_is_started_says_how_long_it_is_held(client):
    evaluation = start()
    say(evaluation, "coherence", "5", "yes")
    (started_game,) = build_home(person=evaluation.evaluator, now=moment(10))["started"]
    assert (started_game.minutes, started_game.judged, started_game.is_returned) == (20, 1, False)
    (over,) = build_home(person=evaluation.evaluator, now=LATER)["started"]
    assert over.minutes == 0
    assert "the reservation ended" in get_text(client, evaluation.evaluator, "home")


def test_what_was_sent_back_stands_first_with_the_comment(client):
    evaluation = submitted()
    Evaluation.objects.update(state="returned", returned_comment="Look at <message> 3")
    Slot.objects.update(is_closed=False)
    page = build_home(person=evaluation.evaluator, now=NOW)
    assert ([started_game.returned_comment for started_game in page["returned"]], page["started"]) == (
        ["Look at <message> 3"],
        [],
    )
    assert page["returned"][0].minutes is None
    text = get_text(client, evaluation.evaluator, "home")
    assert f"Game {evaluation.game.number} came back to you" in text
    assert "Look at &lt;message&gt; 3" in text


def test_what_was_set_aside_is_listed_while_its_place_is_free(client):
    project = make_rating_project()
    person = make_member(project=project)
    skipped = skipped_one(project, person)
    make_game(project=project)
    lapsed = take_next_game(project=project, by=person, now=NOW)
    say(Evaluation.objects.with_work().get(pk=lapsed.pk), "coherence", "5", "yes")
    expire()
    aside = build_home(person=person, now=LATER)["aside"]
    assert [
        (other_aside.pk, other_aside.state == "skipped", other_aside.judged) for other_aside in aside
    ] == [
        (lapsed.pk, False, 1),
        (skipped.pk, True, 0),
    ]
    text = get_text(client, person, "home")
    assert "I know &lt;this&gt; one" in text
    assert reverse("return_to_game", args=[lapsed.pk]) in text
    page = queue_page(person=person, project=project)
    assert page.reasons[:2] == [
        "Skipped by you: 1. You can resume them from your home page.",
        "Started by you until your time ended: 1. You can resume them from your home page.",
    ]
    assert "released" in get_text(client, person, "mine")
    other = make_member(project=project)
    for evaluation in (take_next_game(project=project, by=other, now=LATER), None):
        if evaluation:
            skip_game(evaluation=evaluation, reason="later", by=other, now=LATER)
    Slot.objects.update(evaluator=other, taken_at=LATER)
    assert build_home(person=person, now=LATER)["aside"] == []
    assert "no open slot any more: 2." in queue_page(person=person, project=project).reasons[0]
    answer = client.post(reverse("return_to_game", args=[lapsed.pk]))
    assert answer.status_code == 409


def test_a_released_place_says_why(client):
    evaluation = start()
    lead = make_lead(project=evaluation.game.project)
    release_slot(evaluation=evaluation, reason="You are away", by=lead, now=NOW)
    text = get_text(client, evaluation.evaluator, "home")
    assert "released by a lead" in text
    assert "You are away" in text
    client.post(reverse("return_to_game", args=[evaluation.pk]))
    assert Evaluation.objects.get().state == "draft"


def test_what_is_assigned_is_named_and_given_with_next_game(client):
    project = make_rating_project()
    games = [make_game(project=project) for _ in range(2)]
    person, lead = make_member(project=project), make_lead(project=project)
    assign_games(project=project, numbers=[1, 2], person=person, by=lead, now=NOW)
    for name, args, says in (
        ("home", (), "Game 1 is assigned to you"),
        ("queue", (project.slug,), "Assigned to you, up next: game 1"),
    ):
        text = " ".join(get_text(client, person, name, *args).split())
        assert says in text
        assert reverse("next_game", args=[project.slug]) in text
    other = make_member(project=project)
    assert "Reserved for other evaluators by a team lead: 2." in get_text(
        client, other, "queue", project.slug
    )
    client.force_login(person)
    client.get(reverse("guideline", args=[project.slug]))
    client.post(reverse("next_game", args=[project.slug]))
    assert Evaluation.objects.get().game == games[0]


def test_why_nothing_is_free(client):
    project = make_rating_project()
    person = make_member(project=project)
    assert "No game has been imported" in queue_page(person=person, project=project).reasons[0]
    make_game(project=project)
    held = take_next_game(project=project, by=make_member(project=project), now=NOW)
    assert queue_page(person=person, project=project).reasons == ["Being rated by other evaluators: 1."]
    mine = queue_page(person=held.evaluator, project=project)
    assert mine.reasons == ["Started by you and not submitted yet: 1."]
    assert mine.comes_first == "You have started a game here; it comes first."
    done = submitted()
    other = make_member(project=done.game.project)
    assert queue_page(person=other, project=done.game.project).reasons == ["Rated by other evaluators: 1."]
    client.force_login(person)
    shown = client.get(reverse("queue", args=[project.slug]))
    assert re.search(r'aria-current="page">Games<', shown.content.decode()), "the bar says where one is"
    closed = make_rating_project()
    with without_triggers():
        Slot.objects.filter(game=make_game(project=closed)).delete()
    page = queue_page(person=make_member(project=closed), project=closed)
    assert page.reasons == ["The games that are here are not open for rating yet. A team lead opens them."]
    refused = queue_page(person=make_lead(project=project), project=project)
    assert refused.refusal.startswith("Only evaluators of this project")
    assert "You do not rate here" in get_text(client, make_lead(project=project), "queue", project.slug)


def many_places(project, count):
    """So many games with a free slot, rows copied from one that was imported and measured."""
    game = make_game(project=project, message_count=6)
    rows = [
        type(game)(
            **{f.attname: getattr(game, f.attname) for f in game._meta.concrete_fields if f.name != "id"}
        )
        for _ in range(count)
    ]
    for at, row in enumerate(rows):
        row.number, row.content_sha256 = 10_000 + at, f"{at:064x}"
    made = type(game).objects.bulk_create(rows)
    Slot.objects.bulk_create(
        Slot(game=row, project=project, number=1, shuffle=1000 * at) for at, row in enumerate(made)
    )


@pytest.mark.parametrize("count", [1, 120])
def test_home_and_queue_ask_as_often_however_many_games(client, count, django_assert_num_queries):
    project = make_rating_project()
    many_places(project, count)
    person, lead = make_member(project=project), make_lead(project=project)
    skipped = take_next_game(project=project, by=person, now=NOW)
    assert skipped is None or skip_game(evaluation=skipped, reason="x", by=person, now=NOW)
    free = min(100, count)
    assert build_home(person=person, now=NOW)["projects"][0]["free_count"] == free
    assert queue_page(person=person, project=project).free_count == free
    for who, name, args, queries in (
        (person, "home", (), 8),
        (lead, "home", (), 5),
        (person, "queue", (project.slug,), 9),
    ):
        client.force_login(who)
        client.get(reverse(name, args=args))
        with django_assert_num_queries(queries):
            text = client.get(reverse(name, args=args)).content.decode()
        if who == person:
            assert ("100 or more games are open for you" in text) == (count > 100)


@pytest.mark.parametrize("first", ["is assigned to you", "tie to answer", "Your next game has"])
def test_home_asks_ten_times_at_most_however_much_waits(client, django_assert_max_num_queries, first):
    project = make_rating_project(evaluator_count=2)
    person, lead, other = (
        make_member(project=project),
        make_lead(project=project),
        make_member(project=project),
    )
    own, begun, *free = (make_game(project=project) for _ in range(5))
    for game, who in ((own, person), (begun, other)):
        assign_games(project=project, numbers=[game.number], person=who, by=lead, now=NOW)
        submit_as(take_next_game(project=project, by=who, now=NOW))
    if first == "is assigned to you":
        assign_games(project=project, numbers=[free[0].number], person=person, by=lead, now=NOW)
    elif first == "tie to answer":
        sent = {
            "kind": "coherence",
            "subject": "3",
            "evaluator": person,
            "created_at": NOW,
            "created_by": lead,
        }
        TieRequest.objects.create(game=own, **sent)
    assert re.search(f"<h1[^>]*>[^<]*{first}", home(client, person, 0))
    with django_assert_max_num_queries(10):
        client.get("/")


def test_my_evaluations_offer_to_take_up_only_what_can_be(client):
    project = make_rating_project()
    person, other = make_member(project=project), make_member(project=project)
    skipped = skipped_one(project, person)
    make_game(project=project)
    lapsed = take_next_game(project=project, by=person, now=NOW)
    expire()
    again = [reverse("return_to_game", args=[left.pk]) for left in (skipped, lapsed)]

    def offered():
        text = get_text(client, person, "mine")
        return [at in text for at in again], text.count("can't be resumed now")

    assert offered() == ([True, True], 0)
    Slot.objects.filter(game=skipped.game).update(evaluator=other, taken_at=LATER)
    assert offered() == ([False, True], 1)
    Slot.objects.filter(game=skipped.game).update(evaluator=None, taken_at=None)
    lead = make_lead(project=project)
    assign_games(project=project, numbers=[skipped.game.number], person=other, by=lead, now=LATER)
    assert offered() == ([False, True], 1)
    Game.objects.filter(pk=lapsed.game_id).update(
        withdrawn_at=LATER, withdrawn_by=lead, withdrawn_reason="broken"
    )
    assert offered() == ([False, False], 2)


@pytest.mark.parametrize("count", [1, 6])
def test_my_evaluations_ask_as_often_however_many_were_set_aside(client, count, django_assert_num_queries):
    project = make_rating_project()
    person = make_member(project=project)
    for _ in range(count):
        skipped_one(project, person)
    get_text(client, person, "mine")
    with django_assert_num_queries(3):
        assert client.get(reverse("mine")).content.decode().count(">Resume<") == count


def home(client, person, evaluation):
    client.force_login(person)
    answer = client.get(reverse("home"), {"submitted": evaluation})
    assert answer.status_code == 200
    return answer.content.decode()


def test_handing_in_leads_to_a_sentence_with_how_many_are_in(client):
    game = make_shared_game(k=3)
    first, two, third = list_evaluations(game)
    Person.objects.filter(pk=first.evaluator_id).update(name="Canary Bird")
    submit_as(first, values={("coherence", "5"): "yes"})
    submit_as(two)
    client.force_login(two.evaluator)
    for headers, status, where in (({}, 303, "Location"), ({"HX-Request": "true"}, 200, "HX-Redirect")):
        answer = client.post(
            reverse("submit_evaluation", args=[two.pk]), {"key": "n:submit"}, headers=headers
        )
        assert (answer.status_code, answer[where]) == (status, f"/?submitted={two.pk}")
    said = " ".join(client.get(f"/?submitted={two.pk}").content.decode().split())
    assert f"Game {game.number}: 2 of 3 evaluations are submitted." in said
    assert f"{game.project.name}</bdi>: No more games for you today." in said
    assert "Canary" not in said
    # Who has not submitted, who does not rate it and who leads are told nothing by another's address.
    lead, stranger = make_lead(project=game.project), make_member(project=game.project)
    for person in (third.evaluator, first.evaluator, lead, stranger):
        assert "Submitted." not in home(client, person, two.pk)
    assert "Submitted." not in home(client, third.evaluator, third.pk)
    assert "Submitted." not in client.get("/").content.decode()
    assert client.get("/?submitted=x").status_code == 400
    assert client.get("/?submitted=1&submitted=2").status_code == 400
    assert client.get("/?other=1").status_code == 400


def test_fewer_that_are_enough_are_not_exceeded(client):
    game = make_shared_game(k=2)
    first, two = list_evaluations(game)
    submit_as(first)
    submit_as(two)
    type(game).objects.filter(pk=game.pk).update(
        needed_count=1, needed_by=first.evaluator, needed_reason="x", needed_at=game.created_at
    )
    assert f"Game {game.number}: 1 of 1" not in home(client, two.evaluator, two.pk)
    assert f"Game {game.number} is submitted." in home(client, two.evaluator, two.pk)


def test_who_rates_alone_goes_on_to_the_verdict_as_before(client):
    evaluation = ready_to_submit()
    client.force_login(evaluation.evaluator)
    answer = client.post(reverse("submit_evaluation", args=[evaluation.pk]), {"key": "n:submit"})
    assert answer["Location"].endswith("/verdict/")
    said = " ".join(client.get(answer["Location"]).content.decode().split())
    number = evaluation.game.number
    assert re.search(rf"Game {number} (passes|fails): \d of 7", said)
    assert re.search(r"<button[^>]*> ?Record the verdict", said)


def test_the_next_game_is_focused_with_how_many_are_left(client):
    game = make_shared_game(k=2)
    for _ in range(3):
        make_game(project=game.project)
    done = submit_as(list_evaluations(game)[0])
    said = " ".join(home(client, done.evaluator, done.pk).split())
    assert "Submitted." in said
    assert f"{game.project.name}</bdi>: 3 games left for you today." in said
    assert find_focus(said)[1] == "Start the next game"
    for when, counts in ((NOW, [0] * 6 + [1]), (NOW + timedelta(days=1), [0] * 5 + [1, 0])):
        week = build_home(person=done.evaluator, now=when)["week"]
        assert [count for _day, count in week["days"]] == counts
        assert week["count"] == counts[-1]
    elsewhere = make_rating_project()
    week = build_home(person=done.evaluator, now=NOW, only=elsewhere)["week"]
    assert week is None, "nobody rates there"
    make_member(project=elsewhere, person=done.evaluator)
    assert build_home(person=done.evaluator, now=NOW, only=elsewhere)["week"]["count"] == 0


def find_focus(text):
    """The form or link of what has the focus in the page itself, and its label."""
    text = text.partition("<main")[2]
    assert text.count("autofocus") == 1
    before, _, after = text.partition("autofocus")
    return re.findall(r'(?:action|href)="([^"]+)"', before)[-1], re.sub(
        r"^\s*>|<.*", "", after, flags=re.DOTALL
    ).strip()


def test_after_the_last_game_what_else_is_to_do_is_focused(client):
    game = make_shared_game(k=2)
    done = submit_as(list_evaluations(game)[0])
    assert find_focus(home(client, done.evaluator, done.pk)) == (reverse("mine"), "My evaluations")
    elsewhere = make_rating_project()
    make_game(project=elsewhere)
    make_member(project=elsewhere, person=done.evaluator)
    link = reverse("next_game", args=[elsewhere.slug])
    assert find_focus(home(client, done.evaluator, done.pk)) == (link, "Start the next game")
    other = take_next_game(project=elsewhere, by=done.evaluator, now=NOW)
    assert find_focus(home(client, done.evaluator, done.pk)) == (
        reverse("rate", args=[other.pk]),
        f"Continue game {other.game.number}",
    )
    assert find_focus(get_text(client, done.evaluator, "home"))[1].startswith("Continue")


def test_after_a_skip_the_next_game_is_focused(client):
    project = make_rating_project()
    make_game(project=project)
    person = make_member(project=project)
    evaluation = skipped_one(project, person)
    client.force_login(person)
    told = client.post(reverse("skip_game", args=[evaluation.pk]), {"key": "n:skip", "text": "again"})
    assert told["Location"] == f"/?skipped={evaluation.pk}"
    said = client.get(told["Location"]).content.decode()
    assert "Skipped. What you judged is kept" in said
    assert find_focus(said) == (reverse("next_game", args=[project.slug]), "Start the next game")
    stranger = make_member(project=project)
    client.force_login(stranger)
    assert "Skipped." not in client.get(told["Location"]).content.decode()


def test_the_queue_focuses_what_can_be_done(client):
    project = make_rating_project()
    person = make_member(project=project)
    assert find_focus(get_text(client, person, "queue", project.slug)) == (reverse("home"), "Home")
    make_game(project=project)
    said = find_focus(get_text(client, person, "queue", project.slug))
    assert said == (reverse("next_game", args=[project.slug]), "Next game")


def test_a_repeat_is_told_by_the_number_it_was_shown_under(client, monkeypatch):
    monkeypatch.setattr("workspace.core.hidden_duplicates.APART", 0)
    repeat = finish(until_repeated(rated_once()))
    said = home(client, repeat.evaluator, repeat.pk)
    assert f"Game {repeat.shown_number} is submitted." in said
    assert f"Game {repeat.game.number} is submitted" not in said


def test_it_asks_a_few_queries_more(client, django_assert_num_queries):
    evaluation = submitted()
    client.force_login(evaluation.evaluator)
    client.get("/")
    with django_assert_num_queries(6):
        client.get("/")
    with django_assert_num_queries(9):
        client.get(f"/?submitted={evaluation.pk}")


@pytest.mark.parametrize("way", ["returned", "reopened"])
def test_a_game_has_one_number_whenever_it_is_open_and_the_sentence_after_submitting_says_it(
    client, monkeypatch, way
):
    monkeypatch.setattr("workspace.core.hidden_duplicates.APART", 0)
    repeat = until_repeated(rated_once())
    person, project = repeat.evaluator, repeat.game.project
    evaluation = Evaluation.objects.filter(evaluator=person, purpose="rating", shown_number__gt=0).last()
    shown, number = evaluation.shown_number, evaluation.game.number
    if way == "returned":
        lead = make_lead(project=project)
        return_evaluation(evaluation=evaluation, comment="Look again", by=lead, now=NOW)
        (told,) = Notification.objects.filter(person=person, about__evaluation=evaluation.pk)
        assert told.about["game"] == shown
        said = " ".join(get_text(client, lead, "game", project.slug, number).split())
        assert f"Known to them as Game {shown}" in re.sub(r"<[^>]*>|\s+", " ", said).replace("  ", " ")
    else:
        reopen_evaluation(evaluation=evaluation, by=person, now=NOW)
    for name, args in (("home", ()), ("mine", ()), ("rate", (evaluation.pk,))):
        text = get_text(client, person, name, *args)
        assert re.search(rf"[Gg]ame {shown}\b", text), name
        assert not re.search(rf"[Gg]ame {number}\b", text), name
    said = client.post(reverse("submit_evaluation", args=[evaluation.pk]), {"key": "n:s", "unchanged": "yes"})
    assert f"Game {shown} is submitted." in client.get(said["Location"]).content.decode()
    mine = " ".join(get_text(client, person, "mine").split())
    assert re.search(rf"Game {number}\b.{{0,80}}rated as game {shown}\b", mine)


def press(client, evaluation, **given):
    """Where the button leads."""
    client.force_login(evaluation.evaluator)
    answer = client.post(reverse("submit_evaluation", args=[evaluation.pk]), {"key": "n:submit", **given})
    assert answer.status_code == 303
    return answer["Location"]


def told(client, address):
    """The line on the game that was submitted, and its link."""
    page = " ".join(client.get(address).content.decode().split())
    found = re.search(r'<p class="told" role="status"><a href="([^"]+)">([^<]+)</a></p>', page)
    return found.groups() if found else None


def test_the_next_game_opens_at_once_and_says_what_became_of_the_last(client):
    evaluation = ready_to_submit()
    project = evaluation.game.project
    make_game(project=project)
    address = press(client, evaluation, then="next")
    taken = Evaluation.objects.get(state="draft")
    assert address == f"/rate/{taken.pk}/?submitted={evaluation.pk}"
    page = client.get(address).content.decode()
    assert "phase-read" in page
    link, says = told(client, address)
    number = evaluation.game.number
    assert re.fullmatch(rf"Game {number} submitted: \d of 7 pass", says)
    assert link == reverse("verdict", args=[project.slug, number])
    assert press(client, evaluation, then="next") == address, "the same press again changes nothing"
    assert Evaluation.objects.count() == 2
    theirs = start()
    client.force_login(theirs.evaluator)
    assert told(client, f"/rate/{theirs.pk}/?submitted={evaluation.pk}") is None


def test_the_line_has_no_outcome_where_its_evaluator_saw_none(client):
    project = make_rating_project(evaluator_count=2, reveal="never")
    evaluation = ready_to_submit(project=project)
    make_game(project=project)
    address = press(client, evaluation, then="next")
    assert told(client, address) == (
        f"/?submitted={evaluation.pk}",
        f"Game {evaluation.game.number} submitted",
    )


def test_without_a_next_game_home_says_so(client):
    evaluation = ready_to_submit()
    address = press(client, evaluation, then="next")
    assert address == f"/?submitted={evaluation.pk}"
    assert "No more games for you today." in client.get(address).content.decode()


def test_the_second_button_stays_with_this_game(client):
    evaluation = ready_to_submit()
    make_game(project=evaluation.game.project)
    client.force_login(evaluation.evaluator)
    page = " ".join(client.get(reverse("rate", args=[evaluation.pk])).content.decode().split())
    assert page.index("Submit and next game") < page.index("Submit and see the verdict")
    assert press(client, evaluation).endswith("/verdict/")
    assert Evaluation.objects.count() == 1


def test_a_training_game_leads_to_its_feedback_alone(client):
    opened = make_round()
    evaluation = take(opened, make_trainee(opened))
    client.force_login(evaluation.evaluator)
    page = client.get(f"/rate/{evaluation.pk}/?step=review").content.decode()
    assert 'id="submit"' in page and "Submit and" not in page
