"""The queue: one place, one person; nobody twice on a game; random but fixed order per person."""

import json

import pytest

from discussions.models import Evaluation, Iteration, Slot
from discussions.models.queue_rules import load_queue_rule
from discussions.queue.actions import assign_game, change_queue, take_next_game
from discussions.queue.core import rank_closeness
from discussions.queue.queries import compute_draw_point, list_in_order, next_draw
from discussions.rating.actions import reopen_evaluation, return_to_game, skip_game
from discussions.slots.actions import open_slots
from discussions.verdicts.queries import load_verdict_preview
from tests.factories.adjudication import submit_as
from tests.factories.iterations import make_baseline, make_stage
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.rating import ANSWERS, make_game, make_rating_project, say, start, submitted
from tests.factories.verdicts import fresh
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event


@pytest.mark.django_db
def test_a_place_is_taken_with_an_evaluation_and_an_audit_line():
    project = make_rating_project()
    game = make_game(project=project)
    person = make_member(project=project)
    evaluation = take_next_game(project=project, by=person, now=NOW)
    slot = Slot.objects.get(game=game)
    assert (slot.evaluator, slot.taken_at, evaluation.slot) == (person, NOW, slot)
    assert (evaluation.state, evaluation.measured.game, len(evaluation.seed)) == ("draft", game, 32)
    assert Event.objects.latest("pk").verb == "game:taken"


@pytest.mark.django_db
def test_what_was_started_comes_first():
    project = make_rating_project()
    make_game(project=project), make_game(project=project)
    person = make_member(project=project)
    first = take_next_game(project=project, by=person, now=NOW)
    assert take_next_game(project=project, by=person, now=NOW) == first


@pytest.mark.django_db
def test_of_an_iteration_only_its_own_games_are_taken():
    project = make_rating_project()
    make_game(project=project)
    person = make_member(project=project)
    stage = make_stage(project=project, by=make_lead(project=project))
    iteration = make_baseline(stage=stage, games=[None] * 3)
    taken = take_next_game(project=project, by=person, now=NOW, iteration=iteration)
    assert taken is not None
    assert taken.game.iteration == iteration
    assert take_next_game(project=project, by=person, now=NOW) == taken


@pytest.mark.django_db
@pytest.mark.parametrize("order", ["random", "oldest"])
def test_games_of_open_iterations_come_before_unsorted_ones(order):
    project = make_rating_project()
    lead = make_lead(project=project)
    for _at in range(3):
        make_game(project=project)
    change_queue(project=project, order=order, repeat_percent=0, by=lead, now=NOW)
    stage = make_stage(project=project, by=lead)
    first = make_baseline(stage=stage, games=[None] * 3)
    second = make_baseline(stage=stage, games=[None] * 3)
    person, given = make_member(project=project), []
    for _at in range(9):
        evaluation = take_next_game(project=project, by=person, now=NOW)
        given.append(evaluation.game.iteration.number)
        skip_game(evaluation=evaluation, reason="Not now.", by=person, now=NOW)
    assert sorted(given[:6]) == [first.number] * 3 + [second.number] * 3
    assert given[6:] == [0, 0, 0]


@pytest.mark.django_db
@pytest.mark.parametrize("order", ["closest", "random", "oldest"])
def test_games_that_others_have_submitted_come_before_untouched_ones(order):
    project = make_rating_project(evaluator_count=2)
    lead, first, person = (
        make_lead(project=project),
        make_member(project=project),
        make_member(project=project),
    )
    *others, begun = (make_game(project=project) for _at in range(6))
    change_queue(project=project, order=order, repeat_percent=0, by=lead, now=NOW)
    assign_game(game=begun, person=first, by=lead, now=NOW)
    submit_as(take_next_game(project=project, by=first, now=NOW))
    given = []
    for _at in range(6):
        evaluation = take_next_game(project=project, by=person, now=NOW)
        given.append(evaluation.game)
        skip_game(evaluation=evaluation, reason="Not now.", by=person, now=NOW)
    assert given[0] == begun
    assert {game.pk for game in given[1:]} == {game.pk for game in others}


def make_begun(order):
    """A project whose games one evaluator submitted, each rated lower than the one before; and another evaluator."""
    project = make_rating_project(evaluator_count=2)
    lead, first, person = (
        make_lead(project=project),
        make_member(project=project),
        make_member(project=project),
    )
    games = [make_game(project=project) for _at in range(5)]
    change_queue(project=project, order=order, repeat_percent=0, by=lead, now=NOW)
    for at, game in enumerate(games):
        assign_game(game=game, person=first, by=lead, now=NOW)
        answers = ANSWERS | {"question": "no", "rating": f"{2.5 - at / 2:.1f}" if at < 4 else "1.0"}
        submit_as(take_next_game(project=project, by=first, now=NOW), answers=answers)
    return project, games, person


@pytest.mark.django_db
def test_of_begun_games_the_closest_to_another_verdict_comes_first():
    project, games, person = make_begun("closest")
    ranks = {}
    for game in games:
        preview = load_verdict_preview(fresh(game))
        ranks[game.number] = rank_closeness(preview.outcome, len(preview.found.ties), 1)
    assert sorted(ranks.values()) == [1, 2, 3, 4, 4]
    given = [ranks[number] for number in given_games(project, person, len(games))]
    assert given == sorted(given)


@pytest.mark.django_db
def test_the_closest_are_found_again_when_answers_changed_and_in_as_many_queries(
    django_assert_max_num_queries,
):
    project, games, person = make_begun("closest")
    rule, slots = load_queue_rule(project), len(games)

    def listed():
        return [slot.game for slot in list_in_order(next_draw(rule, person), project, person, rule)][:slots]

    before = listed()
    with django_assert_max_num_queries(9):
        assert listed() == before
    moved = Evaluation.objects.with_work().get(game=before[-1])
    reopen_evaluation(evaluation=moved, by=moved.evaluator, now=NOW)
    submit_as(moved, values={("rating", ""): "2.5"})
    assert listed() != before


@pytest.mark.django_db
def test_which_game_is_begun_is_left_to_chance():
    """Nothing that a game holds decides whether it enters figures of rated games: its place in the draw alone does."""
    for text in ("closest", "random"):
        project = make_rating_project()
        games = [make_game(project=project, message_count=6 + 2 * at) for at in range(4)]
        change_queue(project=project, order=text, repeat_percent=0, by=make_lead(project=project), now=NOW)
        person, given = make_member(project=project), []
        for at in range(4):
            point = compute_draw_point(person, project.pk, at)
            free = Slot.objects.free().filter(project=project).exclude(game__in=given).order_by("shuffle")
            shuffles = list(free.values_list("shuffle", "game"))
            expected = next((game for shuffle, game in shuffles if shuffle >= point), shuffles[0][1])
            done = submit_as(take_next_game(project=project, by=person, now=NOW))
            assert done.game_id == expected
            given.append(expected)
        assert len(set(given)) == len(games)


@pytest.mark.django_db
def test_there_is_none_when_everything_is_taken_done_or_withdrawn():
    evaluation = submitted()
    project = evaluation.game.project
    assert take_next_game(project=project, by=evaluation.evaluator, now=NOW) is None
    game = make_game(project=project)
    type(game).objects.filter(pk=game.pk).update(withdrawn_at=NOW, withdrawn_by=evaluation.evaluator)
    assert take_next_game(project=project, by=evaluation.evaluator, now=NOW) is None


@pytest.mark.django_db
def test_a_game_for_three_takes_three_people_each_once():
    project = make_rating_project(evaluator_count=3)
    game = make_game(project=project)
    people = [make_member(project=project) for _ in range(4)]
    taken = [take_next_game(project=project, by=person, now=NOW) for person in people]
    assert [bool(evaluation) for evaluation in taken] == [True, True, True, False]
    assert Slot.objects.filter(game=game).count() == 3


@pytest.mark.django_db
def test_only_evaluators_of_the_project_take_games():
    project = make_rating_project()
    make_game(project=project)
    for person in (make_lead(project=project), make_member(project=make_rating_project())):
        with pytest.raises(NotAllowed, match="Only evaluators"):
            take_next_game(project=project, by=person, now=NOW)


def given_games(project, person, count):
    """The games that one person is given, one after the other, each given back before the next."""
    numbers = []
    for _ in range(count):
        evaluation = take_next_game(project=project, by=person, now=NOW)
        numbers.append(evaluation.game.number)
        skip_game(evaluation=evaluation, reason="later", by=person, now=NOW)
    return numbers


@pytest.mark.django_db
def test_the_order_is_each_persons_own_and_can_be_made_again():
    project = make_rating_project()
    games = [make_game(project=project) for _ in range(6)]
    people = [make_member(project=project) for _ in range(4)]
    orders = [given_games(project, person, 6) for person in people]
    assert {tuple(sorted(order)) for order in orders} == {tuple(game.number for game in games)}
    assert len({tuple(order) for order in orders}) > 1
    drawn = [json.loads(event.detail) for event in Event.objects.filter(verb="game:taken", by=people[1])]
    assert [draw["game"] for draw in drawn] == orders[1]
    left = list(Slot.objects.order_by("shuffle"))
    for number, draw in enumerate(drawn):
        point = compute_draw_point(people[1], project.pk, number)
        assert draw["order"] == [number, point]
        first = next((slot for slot in left if slot.shuffle >= point), left[0])
        assert first.game.number == draw["game"]
        left.remove(first)


@pytest.mark.django_db
def test_the_oldest_come_first_where_the_project_says_so():
    project = make_rating_project(evaluator_count=2)
    games = [make_game(project=project) for _ in range(4)]
    change_queue(project=project, order="oldest", repeat_percent=0, by=make_lead(project=project), now=NOW)
    for _ in range(2):
        person = make_member(project=project)
        assert given_games(project, person, 4) == [game.number for game in games]
        assert take_next_game(project=project, by=person, now=NOW) is None


@pytest.mark.django_db
def test_opening_places_twice_opens_them_once_and_a_raised_number_adds():
    project = make_rating_project()
    game = make_game(project=project)
    open_slots(games=[game], by=game.created_by, now=NOW)
    assert Slot.objects.filter(game=game).count() == 1
    Iteration.objects.filter(project=project).update(evaluator_count=2)
    game.refresh_from_db()
    open_slots(
        games=[type(game).objects.select_related("iteration").get(pk=game.pk)], by=game.created_by, now=NOW
    )
    assert Slot.objects.filter(game=game).count() == 2


@pytest.mark.django_db
def test_a_skipped_game_goes_back_with_its_work_and_can_be_taken_up_again():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes")
    with pytest.raises(Unacceptable, match="why you skip"):
        skip_game(evaluation=evaluation, reason=" ", by=evaluation.evaluator, now=NOW)
    skip_game(evaluation=evaluation, reason="I know this one", by=evaluation.evaluator, now=NOW)
    skip_game(evaluation=evaluation, reason="again", by=evaluation.evaluator, now=NOW)
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.skipped_reason) == ("skipped", "I know this one")
    assert Slot.objects.get(pk=evaluation.slot_id).evaluator is None
    with pytest.raises(NotAllowed, match="You skipped this game"):
        say(evaluation, "coherence", "6", "yes")
    assert take_next_game(project=evaluation.game.project, by=evaluation.evaluator, now=NOW) is None
    return_to_game(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    return_to_game(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    say(evaluation, "coherence", "6", "yes")
    assert evaluation.judgements.count() == 2


@pytest.mark.django_db
def test_a_skipped_game_that_somebody_else_took_is_gone():
    evaluation = start()
    skip_game(evaluation=evaluation, reason="later", by=evaluation.evaluator, now=NOW)
    other = make_member(project=evaluation.game.project)
    assert take_next_game(project=evaluation.game.project, by=other, now=NOW).game == evaluation.game
    with pytest.raises(Conflict, match="somebody else has it now"):
        return_to_game(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    done = submitted()
    with pytest.raises(NotAllowed, match="was not skipped"):
        return_to_game(evaluation=done, by=done.evaluator, now=NOW)
