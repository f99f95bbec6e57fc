"""Previews of games: what a draft would change, found without changing anything, once for each state, cancelled."""

import pytest
from django.apps import apps

from discussions.models import Measured
from discussions.preview.actions import preview_games
from discussions.preview.queries import batch_judged_games, read_judged, scored_hash
from discussions.verdicts.queries import load_basis
from rubric.models import ImpactPreview
from rubric.preview.actions import ask_for_preview, cancel_preview
from rubric.versions.actions import publish_version
from tests.factories.authorship import submitted_test
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_lead, moment
from tests.factories.preview import (
    asked,
    draft_with,
    parameters,
    previewed,
    recorded_with,
    saved,
    thresholds,
    weights,
)
from tests.factories.rating import make_rating_project
from tests.factories.verdicts import fresh, game_to_record, record, recorded_verdict
from workspace.core.refusals import Conflict, NotAllowed
from workspace.jobs.actions import JobLost, cancel_job, run_job, take_job
from workspace.models import Job

pytestmark = [pytest.mark.django_db]


STRICTER = thresholds(engagement=4)


def everything():
    """Every row of the site by table, but for jobs."""
    labels = ("workspace", "rubric", "discussions")
    tables = [model for model in apps.get_models() if model._meta.app_label in labels and model is not Job]
    return {table.__name__: sorted(map(str, table.objects.values_list())) for table in tables}


@pytest.fixture
def project(db):
    return make_rating_project(slug="ours")


def test_a_threshold_flips_exactly_the_game_that_no_longer_reaches_it(project):
    low, high = (recorded_with(project=project, rating=rating) for rating in ("3.5", "4.0"))
    impact = previewed(draft_with(STRICTER))
    assert (low.passes, high.passes) == (True, True)
    assert (impact.looked_at, impact.flip_count, impact.open_count, impact.notes) == (2, 1, 0, [])
    (flip,) = impact.flips
    assert (flip.where.project, flip.where.number, flip.is_recorded) == ("ours", low.game.number, True)
    assert (flip.before, flip.after) == ("PASS", "FAIL")
    assert flip.reasons == [
        "Engagement 3.5 was enough at 3, is not at 4. It must pass.",
    ]
    assert [(criterion.label, criterion.passes, criterion.fails) for criterion in impact.turned] == [
        ("Engagement", 0, 1)
    ]
    assert impact.move_count == 0


def test_weights_flip_no_verdict_but_change_places():
    """The first game is rated higher, which puts it first; coherence is 58.3 % of its 12 messages, more of 18."""
    project = make_rating_project(number="1.2")
    as_counted = parameters(role_consistency_score="counted", coherence_score="counted")
    recorded_with(project=project, rating="4.0")
    recorded_with(project=project, rating="3.5", message_count=18)
    draft = draft_with(lambda record: weights(0, 0, 0, 0, 0, 0, 1)(as_counted(record)))
    assert previewed(draft).move_count == 0
    draft = saved(draft, weights(0, 0, 1, 0, 0, 0, 0), by=draft.created_by)
    impact = previewed(draft)
    assert (impact.flip_count, impact.flips, impact.turned) == (0, [], [])
    places = {move.where.number: (move.place_before, move.place_after) for move in impact.moves}
    assert places == {1: (1, 2), 2: (2, 1)}
    assert [round(move.after, 1) for move in impact.moves] == [58.3, 61.1]
    assert impact.ranked_count == 2


def test_a_draft_that_scores_by_people_knows_the_samples_of_verdicts_that_did_not():
    """People called every message of the sample consistent, so that their share is far from the threshold."""
    recorded_with(project=make_rating_project(number="1.2"), message_count=60, rating="3.5")
    assert previewed(draft_with(thresholds(role_consistency=75))).turned == []


def test_places_are_counted_within_a_project(project):
    recorded_with(project=project, rating="4.0")
    recorded_with(project=make_rating_project(), rating="3.5", message_count=18)
    assert previewed(draft_with(weights(0, 0, 1, 0, 0, 0, 0))).move_count == 0


def test_another_parameter_measures_again_and_stores_nothing_of_it(project):
    recorded_with(project=project, rating="3.5")
    before = Measured.objects.count()
    impact = previewed(draft_with(parameters(similarity_unique_below=0, pass_count=6)))
    assert Measured.objects.count() == before
    assert impact.notes == [
        "The draft measures differently, so 1 game was measured again. Nothing of that is stored."
    ]
    assert (impact.flip_count, impact.flips[0].reasons[0]) == (
        1,
        (
            "Personality diversity 100\u00a0% was enough at 50\u00a0%; "
            "measured again it is 0\u00a0%, and 50\u00a0% is needed."
        ),
    )


def test_a_rated_game_without_a_verdict_is_told_apart():
    waiting = game_to_record()
    impact = previewed(draft_with(STRICTER))
    assert (impact.looked_at, impact.flip_count, impact.open_count, impact.open_flip_count) == (0, 0, 1, 1)
    assert (impact.flips[0].where.number, impact.flips[0].is_recorded) == (waiting.number, False)


def test_nothing_but_the_row_of_the_preview_is_written(project):
    recorded_with(project=project, rating="3.5")
    draft = draft_with(STRICTER)
    run_waiting_jobs()
    before = everything()
    previewed(draft)
    after = everything()
    assert len(after.pop("ImpactPreview")) == len(before.pop("ImpactPreview")) + 1
    assert after == before
    row = ImpactPreview.objects.get()
    assert (row.version, row.part, row.sha256) == (draft, "games", draft.sha256)
    assert (row.basis_sha256, row.created_by, row.created_at) == (scored_hash(), draft.created_by, NOW)


def test_done_twice_it_leaves_the_same_row(project):
    recorded_with(project=project, rating="3.5")
    draft = draft_with(STRICTER)
    job = asked(draft)
    assert run_job(job=job.pk, clock=lambda: NOW)
    row = ImpactPreview.objects.get()
    Job.objects.filter(pk=job.pk).update(state="running", lease_until=NOW, attempt=1, finished_at=None)
    assert run_job(job=job.pk, clock=lambda: moment(5))
    assert ImpactPreview.objects.get().body == row.body
    assert Job.objects.get(pk=job.pk).state == "done"
    assert asked(draft) is None


def test_another_save_and_more_that_is_scored_each_ask_for_another_preview(project):
    recorded_with(project=project, rating="3.5")
    draft = draft_with(STRICTER)
    first = previewed(draft)
    draft = saved(draft, thresholds(engagement=3.5), by=draft.created_by)
    assert (first.flip_count, previewed(draft).flip_count) == (1, 0)
    recorded_with(project=project, rating="3.0")
    assert previewed(draft).flip_count == 1
    assert ImpactPreview.objects.count() == 3


@pytest.mark.parametrize("act", ["submit", "record", "supersede"])
def test_what_people_do_changes_what_a_preview_looks_at(project, act):
    game = game_to_record(project=project)
    verdict = None if act == "submit" else record(game)
    before = scored_hash()
    assert scored_hash() == before
    if act == "submit":
        record(game)
    elif act == "record":
        recorded_verdict(project=project)
    else:
        record(fresh(verdict.game), by=make_lead(project=project), reason="A slip.")
    assert scored_hash() != before


def test_an_unrated_game_changes_nothing_that_is_looked_at(project):
    recorded_verdict(project=project)
    before = scored_hash()
    from tests.factories.rating import make_game

    make_game(project=project)
    assert scored_hash() == before


def test_asking_again_cancels_work_on_another_state(project):
    recorded_with(project=project, rating="3.5")
    draft = draft_with(STRICTER)
    job = asked(draft)
    assert asked(draft).pk == job.pk
    later = asked(saved(draft, thresholds(engagement=5), by=draft.created_by))
    assert later.pk != job.pk
    assert dict(Job.objects.filter(kind="preview_games").values_list("pk", "state")) == {
        job.pk: "cancelled",
        later.pk: "queued",
    }


def test_cancelled_on_the_way_it_leaves_nothing(project):
    recorded_with(project=project, rating="3.5")
    draft = draft_with(STRICTER)
    asked(draft)
    held = take_job(job=Job.objects.get(kind="preview_games").pk, now=NOW)

    def cancelled_at_the_second_look():
        looks.append(1)
        if len(looks) == 2:
            cancel_preview(version=draft, by=draft.created_by, now=NOW)
        return NOW

    looks = []
    with pytest.raises(JobLost):
        preview_games(job=held, clock=cancelled_at_the_second_look)
    assert not ImpactPreview.objects.exists()
    assert Job.objects.get(pk=held.pk).state == "cancelled"
    with pytest.raises(Conflict):
        cancel_preview(version=draft, by=draft.created_by, now=NOW)
    assert asked(draft).pk == held.pk
    run_waiting_jobs()
    assert ImpactPreview.objects.count() == 1


def test_work_started_again_clears_no_attempts_until_it_gets_further(project):
    recorded_with(project=project, rating="3.5")
    job = asked(draft_with(STRICTER))
    Job.objects.filter(pk=job.pk).update(done_count=7, attempt=2, state="running", lease_until=NOW)
    held = take_job(job=job.pk, now=moment(1))

    def lost():
        looks.append(1)
        if len(looks) == 3:
            cancel_job(job=held, by=held.created_by, now=NOW)
        return moment(1)

    looks = []
    with pytest.raises(JobLost):
        preview_games(job=held, clock=lost)
    job.refresh_from_db()
    assert (job.attempt, job.done_count, job.total_count) == (3, 7, 1)


def test_a_draft_that_was_published_meanwhile_is_not_previewed(project):
    draft = draft_with(STRICTER)
    job = asked(draft)
    publish_version(version=draft, basis=draft.sha256, reason="Agreed", by=draft.created_by, now=NOW)
    run_waiting_jobs()
    job.refresh_from_db()
    assert (job.state, "published already" in job.error) == ("failed", True)
    assert not ImpactPreview.objects.exists()


def test_only_admins_ask_and_cancel(project):
    draft = draft_with(STRICTER)
    lead = make_lead(project=project)
    with pytest.raises(NotAllowed):
        ask_for_preview(version=draft, basis="", by=lead, now=NOW)
    with pytest.raises(NotAllowed):
        cancel_preview(version=draft, by=lead, now=NOW)
    assert not Job.objects.filter(kind="preview_games").exists()


def test_what_is_read_of_many_games_is_what_is_read_of_one(project):
    """Games without a verdict, one of them with the blind test, and one with a verdict: each has its own basis."""
    waiting = [game_to_record(project=project), fresh(submitted_test().game)]
    verdict = recorded_verdict(project=project)
    found = {
        game.basis.game: game
        for batch in batch_judged_games()
        for game in read_judged(batch, lambda rubric: False)
    }
    assert found.keys() == {*(game.pk for game in waiting), verdict.game_id}
    for game in waiting:
        assert found[game.pk].basis == load_basis(game)
        assert found[game.pk].recorded is None
    assert found[waiting[1].pk].basis.tests
    assert found[verdict.game_id].recorded.passes == verdict.passes


def test_reading_takes_as_many_queries_however_many_games(project, django_assert_num_queries):
    def read():
        return [game for batch in batch_judged_games() for game in read_judged(batch, lambda rubric: True)]

    recorded_verdict(project=project), game_to_record(project=project)
    read()
    with django_assert_num_queries(11):
        assert len(read()) == 2
    recorded_verdict(project=project), game_to_record(project=project)
    with django_assert_num_queries(11):
        assert len(read()) == 4
