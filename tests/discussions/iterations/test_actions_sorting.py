"""Games move while nobody rated them, and an iteration's list of games is frozen when it is opened for rating."""

import pytest

from discussions.iterations.actions import move_games, open_for_rating
from discussions.models import Evaluation, Game, Iteration, Measured, Slot
from discussions.queue.actions import take_next_game
from discussions.transcripts.actions import Upload, cancel_import, import_files, resume_import
from tests.factories.iterations import (
    figures,
    fresh,
    get_lead,
    import_games,
    make_baseline,
    make_change,
    make_iteration,
)
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import make_member, moment
from tests.factories.transcripts import as_bytes, import_game, native_game
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = [pytest.mark.django_db, pytest.mark.services]


@pytest.fixture
def baseline(stage):
    return make_baseline(stage=stage)


def load_unsorted(stage):
    return fresh(Iteration.objects.get(project=stage.project, stage=None))


def put_in(iteration, name="one"):
    data = as_bytes(native_game(gameId=name))
    given = {"project": iteration.project, "files": [Upload("a.json", data)], "by": iteration.created_by}
    return import_files(**given, now=moment(5), iteration=iteration).imported[0].transcript


def freeze(iteration, minutes=5):
    open_for_rating(iteration=iteration, by=get_lead(iteration.stage), now=moment(minutes))
    return fresh(iteration)


def move(games, to, by=None):
    return move_games(games=games, to=to, by=by or to.created_by, now=moment(6))


def test_places_open_with_the_iteration_and_not_before(stage, baseline):
    import_games(iteration=baseline, games=[figures()] * 3)
    evaluator = make_member(project=stage.project)
    assert Measured.objects.count() == 3
    assert not Slot.objects.exists()
    assert take_next_game(project=stage.project, by=evaluator, now=moment(4)) is None
    opened = freeze(baseline)
    assert (opened.state, opened.opened_at, opened.opened_by) == ("rating", moment(5), get_lead(stage))
    assert Slot.objects.count() == 3
    assert take_next_game(project=stage.project, by=evaluator, now=moment(6)).game.iteration == baseline
    event = Event.objects.get(verb="iteration:opened_for_rating")
    assert '"games":[1,2,3]' in event.detail


@pytest.mark.services(is_long=True)
def test_as_many_places_as_evaluators(stage):
    baseline = make_baseline(stage=stage, evaluator_count=2)
    import_games(iteration=baseline, games=[figures()] * 3)
    freeze(baseline)
    assert Slot.objects.count() == 6


@pytest.mark.services(is_long=True)
def test_too_few_games_are_not_opened(baseline):
    import_games(iteration=baseline, games=[figures()] * 2)
    with pytest.raises(NotAllowed, match="has 2 games and needs at least 3"):
        freeze(baseline)
    assert fresh(baseline).state == "importing"


@pytest.mark.services(is_long=True)
def test_what_is_still_read_or_measured_holds_the_opening_up(baseline):
    import_games(iteration=baseline, games=[figures()] * 3)
    put_in(baseline)
    with pytest.raises(NotAllowed, match="1 upload is still being read"):
        freeze(baseline)
    run_waiting_jobs(now=moment(5))
    game = Game.objects.order_by("-number").first()
    Game.objects.filter(pk=game.pk).update(iteration=load_unsorted(baseline.stage))
    other = make_change(stage=baseline.stage, minutes=6, least_games=1)
    Iteration.objects.filter(pk=other.pk).update(rubric_version=_another_version(other.rubric_version))
    move([game.number], fresh(other))
    with pytest.raises(NotAllowed, match=f"Still being measured: game {game.number}"):
        freeze(fresh(other))
    run_waiting_jobs(now=moment(7))
    assert freeze(fresh(other)).state == "rating"


def _another_version(version):
    version.pk, version.number = None, "1.9"
    version.save(force_insert=True)
    return version


def test_a_frozen_list_takes_no_more_games(stage, baseline):
    import_games(iteration=baseline, games=[figures()] * 3)
    stopped = put_in(baseline, "stopped")
    cancel_import(transcript=stopped, by=get_lead(stage), now=moment(5))
    freeze(baseline)
    waiting = import_game(project=stage.project, by=get_lead(stage))
    for act in (
        lambda: put_in(fresh(baseline), "late"),
        lambda: resume_import(transcript=stopped, by=get_lead(stage), now=moment(6)),
        lambda: move([waiting.number], fresh(baseline)),
        lambda: move([1], load_unsorted(stage)),
        lambda: freeze(baseline),
    ):
        with pytest.raises(NotAllowed, match="Iteration 1 was opened for rating"):
            act()
    assert Game.objects.filter(iteration=baseline).count() == 3


def test_a_list_that_was_frozen_meanwhile_takes_no_more_games_either(stage, baseline):
    import_games(iteration=baseline, games=[figures()] * 3)
    stale = fresh(baseline)
    freeze(baseline)
    with pytest.raises(NotAllowed, match="froze"):
        put_in(stale)


def places():
    """Places that somebody could take, or has."""
    return Slot.objects.filter(is_closed=False)


def test_games_wait_in_unsorted_and_are_moved_with_their_places(stage, baseline):
    games = [import_game(project=stage.project, by=get_lead(stage)) for _ in range(3)]
    assert places().count() == 3
    assert move([game.number for game in games], baseline) == [1, 2, 3]
    assert Game.objects.filter(iteration=baseline).count() == 3
    assert not places().exists()
    run_waiting_jobs(now=moment(6))
    assert Measured.objects.count() == 3
    assert not places().exists()
    freeze(baseline, 7)
    assert places().count() == 3
    event = Event.objects.get(verb="games:moved")
    assert '"games":[1,2,3]' in event.detail


@pytest.mark.services(is_long=True)
def test_and_back_again_while_the_iteration_is_open_for_import(stage, baseline):
    import_games(iteration=baseline, games=[figures()] * 2)
    assert move([2], load_unsorted(stage)) == [2]
    assert list(places().values_list("game__number", flat=True)) == [2]
    assert move([1, 2], load_unsorted(stage)) == [1]
    assert places().count() == 2


@pytest.mark.services(is_long=True)
def test_a_game_that_is_there_already_is_left_alone(stage, baseline):
    import_games(iteration=baseline, games=[figures()])
    assert move([1], baseline) == []
    assert not Event.objects.filter(verb="games:moved").exists()


@pytest.mark.services(is_long=True)
def test_rated_games_stay_where_they_are(stage, baseline):
    for _ in range(2):
        import_game(project=stage.project, by=get_lead(stage))
    taken = take_next_game(project=stage.project, by=make_member(project=stage.project), now=moment(4))
    with pytest.raises(NotAllowed, match=f"Somebody rates or rated game {taken.game.number} already"):
        move([1, 2], baseline)
    assert not Game.objects.filter(iteration=baseline).exists()
    assert (Slot.objects.count(), Evaluation.objects.count()) == (2, 1)


@pytest.mark.services(is_long=True)
def test_withdrawn_games_and_games_that_are_not_there_do_not_move(stage, baseline):
    game = import_game(project=stage.project, by=get_lead(stage))
    with pytest.raises(Unacceptable, match="The project has no games 7 and 9"):
        move([game.number, 7, 9], baseline)
    with pytest.raises(Unacceptable, match="Choose at least one game"):
        move([], baseline)
    Game.objects.filter(pk=game.pk).update(withdrawn_at=moment(), withdrawn_by=get_lead(stage))
    with pytest.raises(NotAllowed, match="was withdrawn"):
        move([game.number], baseline)


@pytest.mark.services(is_long=True)
def test_only_leads_move_and_open(stage, baseline):
    other = make_member(project=stage.project)
    import_game(project=stage.project, by=get_lead(stage))
    with pytest.raises(NotAllowed, match="Only team leads"):
        move([1], baseline, by=other)
    with pytest.raises(NotAllowed, match="Only team leads"):
        open_for_rating(iteration=baseline, by=other, now=moment(5))


@pytest.mark.services(is_long=True)
def test_unsorted_is_never_opened_and_rated_as_today(stage):
    import_game(project=stage.project, by=get_lead(stage))
    with pytest.raises(NotAllowed, match="nothing to open"):
        open_for_rating(iteration=load_unsorted(stage), by=get_lead(stage), now=moment(5))
    evaluator = make_member(project=stage.project)
    assert take_next_game(project=stage.project, by=evaluator, now=moment(5)) is not None


def test_a_decided_iteration_is_frozen_as_well(stage):
    make_iteration(stage=stage, games=[figures()] * 3)
    kept = make_iteration(stage=stage, games=[figures()] * 3, decision="keep")
    with pytest.raises(NotAllowed, match="Iteration 2 is decided, and its list of games is frozen"):
        put_in(kept)
