"""The figures of the dashboard are those of the rows, and SQLite reads few of these."""

from datetime import timedelta
from itertools import product

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from discussions.games.actions import restore_game
from discussions.home.core import divide_time
from discussions.home.pages.dashboard import build_dashboard
from discussions.home.queries import load_counts, sum_recorded
from discussions.models import Game, Stage, Verdict
from tests.factories.iterations import figures, make_iteration, make_stage, record_figures, withdraw
from tests.factories.people import NOW
from tests.factories.rating import make_game

pytestmark = [pytest.mark.django_db, pytest.mark.services]

DAY = 24 * 60
# Indexes that hold what waits for somebody or is out of the ordinary, and tables that do not grow with games.
FEW = (
    *("game_withdrawn", "slot_taken", "slot_awaiting_verdict", "remark_open_flag", "evaluation_open"),
    *("transcript_with_faults", "stage_one_open_per_project", "workspace_job_", "discussions_iteration_"),
    "sqlite_autoindex_discussions_iteration_",
)
# Columns with the same value in thousands of rows.
MANY = ("state", "rubric_version_id", "purpose")
LATER = NOW + timedelta(days=100)


@pytest.fixture
def stage():
    """Games rated over 90 days in two iterations and outside; some rated again, withdrawn, withdrawn and back."""
    stage = make_stage()
    old = [figures(cost=1), figures(cost=None), figures(coherence=0, engagement=1), figures(cost=4)]
    make_iteration(stage=stage, games=[*old, figures()])
    new = [figures(cost=2), figures(coherence=0, engagement=1), figures(cost=8)]
    make_iteration(stage=stage, games=[*new, None], minutes=60 * DAY)
    games = list(Game.objects.filter(project=stage.project).order_by("number"))
    record_figures(game=games[0], given=figures(coherence=0, engagement=1), minutes=62 * DAY)
    record_figures(game=games[2], given=figures(cost=3), minutes=3)
    record_figures(game=games[6], given=figures(cost=3), minutes=90 * DAY)
    for game in (games[3], games[4], games[7]):
        withdraw(game=game, minutes=91 * DAY)
    back = Game.objects.select_related("project", "iteration").get(pk=games[4].pk)
    restore_game(game=back, reason="It was whole.", by=stage.created_by, now=LATER)
    record_figures(game=make_game(project=stage.project), given=figures(), minutes=95 * DAY)
    return stage


def sum_by_hand(project, stage, starts):
    """Period -> its verdicts, those that pass, those of the stage, those with a cost and what they cost together."""
    sums = {}
    replaced = set(Verdict.objects.exclude(supersedes=None).values_list("supersedes", flat=True))
    for verdict in Verdict.objects.select_related("game__iteration").filter(project=project):
        game = verdict.game
        if game.withdrawn_at is not None or verdict.pk in replaced:
            continue
        period = max((at for at, start in enumerate(starts) if verdict.created_at >= start), default=-1)
        line = sums.setdefault(period, [0, 0, 0, 0, 0])
        line[0] += 1
        line[1] += verdict.passes
        line[2] += stage is None or game.iteration.stage_id == stage.pk
        if period >= 0 and game.paid_usd is not None:
            line[3] += 1
            line[4] += game.paid_usd
    return sums


def test_sums_by_period_are_those_of_the_rows(stage):
    project = stage.project
    for days, asked in product((3, 63, 100, 300), (stage, None)):
        periods = divide_time(NOW.date(), (NOW + timedelta(days=days)).date())
        starts = [NOW.replace(hour=0) + (start - NOW.date()) for start in periods.starts]
        found = {
            line.period: [line.count, line.passed, line.own, line.costed, line.cost]
            for line in sum_recorded(project, asked, starts)
            if line.count
        }
        assert found == sum_by_hand(project, asked, starts), (days, asked)
        assert sum(line[0] for line in found.values()) == 7


def test_games_are_counted_by_iteration_with_the_withdrawn_ones_apart(stage):
    rows = Game.objects.filter(iteration__project=stage.project).values_list("iteration", "withdrawn_at")
    assert sum(load_counts(stage.project, NOW).games.values()) == len(rows) == 10
    assert (
        sum(load_counts(stage.project, NOW).withdrawn.values())
        == sum(moment is not None for _, moment in rows)
        == 2
    )
    for key, count in load_counts(stage.project, NOW).games.items():
        assert count == sum(iteration == key for iteration, _moment in rows)


def test_games_outside_the_open_stage_are_not_part_of_its_progress(stage):
    page = build_dashboard(project=stage.project, now=LATER)
    assert (page.progress.total, page.progress.recorded, page.states.recorded) == (7, 6, 7)
    Stage.objects.filter(pk=stage.pk).update(closed_at=LATER, closed_by=stage.created_by)
    page = build_dashboard(project=stage.project, now=LATER)
    assert (page.progress.total, page.progress.recorded) == (8, 7)


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL chooses by what the tables hold")
def test_no_query_looks_at_the_rows_of_all_games(stage):
    with CaptureQueriesContext(connection) as queries:
        build_dashboard(project=stage.project, now=LATER)
    steps = []
    with connection.cursor() as cursor:
        for query in queries.captured_queries:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            steps += [step for *_, step in cursor.fetchall()]
    assert any("verdict_by_time (project_id=? AND created_at<?)" in step for step in steps)
    assert [step for step in steps if reads_many(step)] == []


def reads_many(step):
    """Whether a step of a plan reads rows, not only an index, of which a project has as many as games."""
    if "COVERING INDEX" in step or any(f"INDEX {few}" in step for few in FEW):
        return False
    return step.startswith("SCAN") or any(f"({wide}=?)" in step for wide in ("project_id", *MANY))
