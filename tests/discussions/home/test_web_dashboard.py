"""The dashboard of a project: figures as the list of games has them, what a lead has to do, and its charts."""

import html
import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from msgspec.structs import replace

from discussions.games.actions import enter_figure, withdraw_game
from discussions.games.queries.list_query import ListQuery, load_list_window
from discussions.home.pages.dashboard import build_dashboard
from discussions.iterations.actions import open_for_rating
from discussions.iterations.pages import compute_margins, judge_iteration
from discussions.metrics.core.registry import CODE_VERSION
from discussions.models import Game
from discussions.queue.actions import take_next_game
from tests.factories.adjudication import make_differing
from tests.factories.iterations import (
    decide_on,
    figures,
    history,
    import_games,
    make_baseline,
    make_iteration,
    make_stage,
)
from tests.factories.jobs import make_failed_job
from tests.factories.people import NOW, make_admin, make_lead, make_member, make_project
from tests.factories.rating import make_game, make_rating_project
from tests.factories.tokens import program_of
from tests.factories.verdicts import game_to_record, record
from workspace.checks.pages import find_last_backup
from workspace.jobs.actions import beat
from workspace.models import Event, Job
from workspace.people.actions.people import system_person

pytestmark = pytest.mark.django_db


def get_page(project, now=NOW):
    return build_dashboard(project=project, now=now)


def get_text(client, person, project):
    client.force_login(person)
    answer = client.get(reverse("project", args=[project.slug]))
    assert answer.status_code == 200
    return " ".join(html.unescape(answer.content.decode()).split())


def get_home(client):
    return " ".join(html.unescape(client.get(reverse("home")).content.decode()).split())


def find_first_act(text):
    """The link and the name of the one act on top of home."""
    (found,) = re.findall(r'<a class="button primary big" href="([^"]+)" autofocus\s*>\s*([^<]+) <kbd', text)
    return found


def test_every_state_counts_as_the_list_of_games_has_it():
    project = make_rating_project()
    lead, person = make_lead(project=project), make_member(project=project)
    waiting = game_to_record(project=project)
    record(game_to_record(project=project))
    for _ in range(3):
        make_game(project=project)
    take_next_game(project=project, by=person, now=NOW)
    states = get_page(project).states
    listed = {
        state: len(load_list_window(project, ListQuery(state=state)).games)
        for state in ("measuring", "waiting", "rating", "submitted", "pass", "fail")
    }
    assert listed == {
        "measuring": states.measuring,
        "waiting": states.waiting,
        "rating": states.rating,
        "submitted": states.complete,
        "pass": states.passed,
        "fail": states.failed,
    }
    assert (states.total, states.recorded, states.rating, states.waiting) == (5, 1, 1, 2)
    assert get_page(project).to_do.ready.to_record == [waiting.number]
    withdraw_game(game=waiting, reason="Cut short", by=lead, now=NOW)
    states = get_page(project).states
    assert (states.total, states.withdrawn, states.complete) == (4, 1, 0)


def test_a_tie_and_the_flag_beside_it_wait_for_the_lead(client):
    game = make_differing(slug="shared")
    lead = make_lead(project=game.project)
    to_do = get_page(game.project).to_do
    assert (to_do.ready.tied, to_do.ready.to_record, to_do.flags) == ([game.number], [], 1)
    said = get_text(client, lead, game.project)
    assert reverse("adjudicate", args=["shared", game.number]) in said
    for part in ("game has a tie to resolve", "flag waits for an answer"):
        assert part in said


def test_a_change_whose_games_all_have_verdicts_waits_for_a_decision(client):
    """It said "Nothing to do for leads now", although the stage could not go on without a decision."""
    stage = make_stage()
    make_iteration(stage=stage, games=[figures()] * 3)
    change = make_iteration(stage=stage, games=[figures(), None, figures()])
    assert get_page(stage.project).to_do.undecided == []
    withdraw_game(
        game=Game.objects.get(iteration=change, verdicts=None),
        reason="Cut short",
        by=stage.created_by,
        now=NOW,
    )
    said = get_text(client, stage.created_by, stage.project)
    place = reverse("compare_iterations", args=[stage.project.slug, change.number])
    assert f"Iteration {change.number} waits for your decision</h1>" in said
    assert f'href="{place}">Decide iteration {change.number}</a>' in said
    first = get_home(client)
    assert f">Iteration {change.number} waits for your decision</h1>" in first
    assert find_first_act(first) == (place, f"Decide iteration {change.number}")
    answer = program_of(stage.created_by).get(f"projects/{stage.project.slug}/dashboard/").json()
    assert answer["to_do"]["undecided"] == [change.number]
    decide_on(iteration=change, choice="revert")
    assert get_page(stage.project).to_do.undecided == []


def test_an_iteration_with_its_games_waits_to_be_opened(client):
    """Nobody can rate its games before that."""
    planned = make_baseline(stage=make_stage())
    project = planned.project
    import_games(iteration=planned, games=[None] * 2)
    assert get_page(project).to_do.unopened == []
    import_games(iteration=planned, games=[None])
    assert get_page(project).to_do.unopened == [planned.number]
    place = reverse("iteration", args=[project.slug, planned.number])
    said = get_text(client, planned.created_by, project)
    assert f'href="{place}">Open iteration {planned.number}</a>' in said
    assert find_first_act(get_home(client)) == (place, f"Open iteration {planned.number}")
    open_for_rating(iteration=planned, by=planned.created_by, now=NOW)
    assert get_page(project).to_do.unopened == []


def test_a_failed_job_is_counted_with_a_link_to_its_reason(client):
    project = make_rating_project()
    lead = make_lead(project=project)
    assert "No games yet</h1>" in get_text(client, lead, project)
    make_failed_job(project=project, by=lead)
    assert get_page(project).to_do.failed_jobs == 1
    said = get_text(client, lead, project)
    assert f"{reverse('status')}#failed" in said
    assert "job failed" in said


def test_the_stage_shows_its_successes_in_a_row_and_too_little_data(client):
    stage = make_stage(name="Watch <me>", goal="Reasons.")
    make_iteration(stage=stage, games=[figures()] * 3)
    make_iteration(stage=stage, games=[figures()] * 3, decision="keep", minutes=5)
    make_iteration(stage=stage, games=[figures()] * 2 + [None], minutes=9)
    progress = get_page(stage.project).progress
    assert (progress.stage, progress.recorded, progress.total) == (stage, 8, 9)
    assert (progress.gate.streak.count, progress.estimate.state) == (2, "short")
    said = get_text(client, stage.created_by, stage.project)
    for part in ("Stage 1", "2 of 3 iterations in a row", "Watch <me>"):
        assert part in said
    later = get_page(stage.project, now=NOW + timedelta(days=9)).progress.estimate
    assert (later.state, later.done, later.days) == ("known", 8, 10)
    assert later.on == (NOW + timedelta(days=11)).date()  # one left, at eight in ten days


def test_pass_rate_and_cost_stand_by_period():
    stage = make_stage()
    make_iteration(stage=stage, games=[figures(cost=1), figures(cost=2), figures(cost=None)])
    make_iteration(stage=stage, games=[figures(coherence=0, engagement=1)] * 3, minutes=60 * 24)
    page = get_page(stage.project, now=NOW + timedelta(days=2))
    trend = page.trend
    assert trend.unit == "day"
    first, second, third = trend.rows
    assert (first.count, first.passed, first.rate, first.costed) == (3, 3, 100.0, 2)
    assert float(first.cost) == 1.5
    assert (second.count, second.passed, third.rate) == (3, 0, None)
    weeks = get_page(stage.project, now=NOW + timedelta(days=90)).trend
    assert (weeks.unit, weeks.before) == ("week", 6)


def test_a_cost_by_hand_replaces_that_of_the_transcript():
    stage = make_stage()
    make_iteration(stage=stage, games=[figures(cost=1), figures(cost=None), figures(cost=3)])
    one, two, _three = Game.objects.order_by("number")
    for game, value in ((one, Decimal(5)), (two, Decimal(4))):
        enter_figure(game=game, kind="cost", value=value, reason="Invoice", by=stage.created_by, now=NOW)
    (row,) = [row for row in get_page(stage.project).trend.rows if row.count]
    assert (row.costed, float(row.cost)) == (3, 4.0)


def test_an_empty_project_says_what_to_do_first(client):
    project = make_rating_project()
    said = get_text(client, make_lead(project=project), project)
    assert "No games yet" in said
    assert f'href="{reverse("imports", args=[project.slug])}">Import games</a>' in said
    assert "Verdicts by" not in said


def test_an_evaluator_sees_their_own_part_alone(client):
    game = make_differing(slug="shared")
    lead, person = make_lead(project=game.project), make_member(project=game.project)
    make_failed_job(project=game.project, by=lead)
    said = get_text(client, person, game.project)
    assert ">You have nothing to do</h1>" in said
    for hidden in ("Who is rating", "PASS", "Pass rate", "tie", "job", lead.name):
        assert hidden not in said.replace("Guideline", "")
    settings = reverse("project_settings", args=[game.project.slug])
    assert settings not in said
    assert settings in get_text(client, lead, game.project)


def test_the_page_takes_few_queries_however_many_games_there_are(client):
    project = make_rating_project()
    lead = make_lead(project=project)
    counts = []
    for _ in range(2):
        record(game_to_record(project=project))
        get_text(client, lead, project)
        with CaptureQueriesContext(connection) as queries:
            get_text(client, lead, project)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_programs_of_leads_read_the_same_figures():
    project = make_rating_project()
    record(game_to_record(project=project))
    waiting = game_to_record(project=project)
    lead = make_lead(project=project)
    answer = program_of(lead).get(f"projects/{project.slug}/dashboard/").json()
    assert (answer["games"]["total"], answer["to_do"]["to_record"]) == (2, [waiting.number])
    assert answer["progress"]["stage"] is None
    assert (
        program_of(make_member(project=project)).get(f"projects/{project.slug}/dashboard/").status_code == 403
    )


def test_the_weakest_metric_comes_first_with_its_margin_in_percent_of_what_is_needed(client):
    """A change that was reverted is drawn, but is not what the project has now."""
    stage = make_stage()
    make_iteration(stage=stage, games=[figures(coherence=80, engagement=3.1)] * 3)
    make_iteration(stage=stage, games=[figures(coherence=10, engagement=5)] * 3, decision="revert", minutes=5)
    make_iteration(stage=stage, games=[figures(role_consistency=60), None, None], minutes=9)  # rated in part
    page = get_page(stage.project)
    first, *others = page.metrics
    assert (first["label"], first["now"], first["needed"], first["margin"]) == (
        "Engagement",
        "3.1",
        "3.0",
        "+3\u00a0%",
    )
    (coherence,) = [row for row in others if row["label"] == "Conversation coherence"]
    assert (coherence["now"], coherence["texts"]) == ("80.0\u00a0%", "80.0, 10.0")
    assert [number for number, _x in page.columns] == [1, 2]
    assert len(others) == 6 and others == sorted(others, key=lambda row: row["margin_value"])
    assert "Weakest metric of iteration 1: Engagement, 3.1 where 3.0 is needed." in get_text(
        client, stage.created_by, stage.project
    )


def test_what_the_project_has_now_is_drawn_however_many_changes_were_reverted(monkeypatch):
    monkeypatch.setattr("discussions.home.pages.dashboard.MOST_DRAWN", 2)
    stage = make_stage()
    make_iteration(stage=stage, games=[figures(coherence=80)] * 3)
    for minutes in (5, 9):
        make_iteration(stage=stage, games=[figures(coherence=10)] * 3, decision="revert", minutes=minutes)
    page = get_page(stage.project)
    (coherence,) = [row for row in page.metrics if row["label"] == "Conversation coherence"]
    assert (coherence["now"], coherence["texts"]) == ("80.0\u00a0%", "80.0, 10.0")
    assert [number for number, _x in page.columns] == [1, 3]


def test_a_metric_that_the_newest_version_lacks_is_not_the_weakest():
    stage = make_stage()
    make_iteration(stage=stage, games=[figures(coherence=10, engagement=3.1)] * 3)
    judged = [judge_iteration(row) for row in history(stage).iterations]
    assert compute_margins(judged)[0][0].key == "coherence"
    lines = [line for line in judged[0].averages.lines if line.key != "coherence"]
    newest = replace(judged[0], averages=replace(judged[0].averages, lines=lines, passes=None))
    (weakest, margin), *_others = compute_margins([*judged, newest])
    assert (weakest.key, round(margin)) == ("engagement", 3)


def test_a_stage_whose_only_rated_iteration_was_reverted_says_so(client):
    stage = make_stage()
    make_iteration(stage=stage, games=[figures(), figures(), None])
    make_iteration(stage=stage, games=[figures()] * 3, decision="revert", minutes=5)
    said = get_text(client, stage.created_by, stage.project)
    assert "There is no iteration yet that is rated in full and was not reverted." in said


def test_one_click_from_home_a_lead_reads_what_to_do_next(client):
    """What is most urgent is the headline, and its one button leads there; the rest is one list."""
    game = game_to_record(project=make_rating_project())
    lead = make_lead(project=game.project)
    make_failed_job(project=game.project, by=lead)
    client.force_login(lead)
    assert f'href="{reverse("project", args=[game.project.slug])}"' in get_home(client)
    said = get_text(client, lead, game.project)
    assert "1 game is ready to record</h1>" in said
    place = reverse("verdict", args=[game.project.slug, game.number])
    assert f'<a class="button primary big" href="{place}">Record game {game.number}</a>' in said
    assert said.count("button primary") == 1
    assert "1 job failed" in said.split("Also waiting")[1]


@pytest.fixture
def admin(client, settings, tmp_path):
    settings.MEDIA_ROOT = settings.VAR_DIR = tmp_path
    found = make_admin()
    client.force_login(found)
    return found


def read_site(client, name="overview", **given):
    answer = client.get(reverse(name), **given)
    assert answer.status_code == 200
    return " ".join(html.unescape(answer.content.decode()).split())


@pytest.mark.usefixtures("admin")
def test_it_tells_the_product_from_the_code_of_the_metrics(client, settings):
    said = read_site(client)
    assert f"evalsite (product)</dt><dd>{settings.VERSION}</dd>" in said
    assert f"Code of the metrics</dt><dd>{CODE_VERSION}</dd>" in said


def test_it_says_that_no_worker_is_running_until_one_beats(client, admin):
    assert "No worker is running" in read_site(client)
    now = timezone.now()
    beat(worker="celery@here", by=system_person(now=now), now=now)
    said = read_site(client)
    assert "No worker is running" not in said
    assert "celery@here" in said


@pytest.mark.usefixtures("admin")
def test_projects_stand_with_their_stage_and_members(client):
    stage = make_stage(name="Reasons")
    make_member(project=stage.project)
    make_project(slug="empty")
    said = read_site(client)
    assert reverse("stage", args=[stage.project.slug, 1]) in said
    assert reverse("members", args=["empty"]) in said


def test_a_failed_job_shows_its_reason_and_is_retried_once(client, admin):
    project = make_project(slug="ours")
    job = make_failed_job(project=project, by=admin)
    assert "It stopped 3 times." in read_site(client)
    answer = client.post(reverse("retry_job", args=[job.pk]))
    assert (answer.status_code, answer["Location"]) == (303, reverse("overview") + "#failed")
    job.refresh_from_db()
    assert (job.state, job.error, job.attempt) == ("queued", "", 0)
    assert Event.objects.get(verb="job:retried").object_id == str(job.pk)
    assert client.post(reverse("retry_job", args=[job.pk])).status_code == 409


@pytest.mark.parametrize(
    ("kind", "says"), [("import", "on its own page"), ("ask_models", "calls cost money")]
)
def test_jobs_with_conditions_of_their_own_are_not_retried_here(client, admin, kind, says):
    job = make_failed_job(project=make_project(slug="ours"), by=admin, kind=kind)
    assert says in read_site(client)
    assert client.post(reverse("retry_job", args=[job.pk])).status_code == 403
    assert Job.objects.get().state == "failed"


def test_a_lead_sees_and_retries_failed_jobs_of_their_own_projects_alone(client):
    ours, theirs = make_project(slug="ours"), make_project(slug="theirs")
    lead = make_lead(project=ours)
    own, other = make_failed_job(project=ours, by=lead), make_failed_job(project=theirs, by=lead, subject="x")
    client.force_login(lead)
    said = read_site(client, "status")
    assert f'id="job-{own.pk}"' in said
    assert f'id="job-{other.pk}"' not in said
    assert client.post(reverse("retry_job", args=[other.pk])).status_code == 404
    assert client.post(reverse("retry_job", args=[own.pk]))["Location"] == reverse("status") + "#failed"
    assert client.get(reverse("overview")).status_code == 403


@pytest.mark.usefixtures("admin")
def test_htmx_gets_the_live_part_alone(client):
    said = read_site(client, headers={"HX-Request": "true"})
    assert said.startswith('<div id="site"')
    assert 'hx-trigger="every 30s"' in said


@pytest.mark.usefixtures("admin")
def test_without_a_backup_it_says_so(client):
    assert "No backup was made with manage.py backup" in read_site(client)


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_the_last_backup_is_the_one_that_the_command_made_and_checked(client, settings, tmp_path):
    settings.MEDIA_ROOT, settings.VAR_DIR = tmp_path / "media", tmp_path / "var"
    (tmp_path / "backups").mkdir()
    call_command("backup", tmp_path / "backups")
    (file,) = (tmp_path / "backups").glob("*.zip")
    now = timezone.now()
    found = find_last_backup(now)
    assert (found["name"], found["is_late"]) == (file.name, False)
    assert find_last_backup(now + timedelta(days=2))["is_late"]
    client.force_login(make_admin())
    said = read_site(client)
    assert file.name in said
    assert "read back whole" in said


def test_programs_of_admins_read_the_same(client, admin):
    job = make_failed_job(project=make_project(slug="ours"), by=admin)
    program = program_of(admin)
    answer = program.get("overview/").json()
    assert answer["versions"]["metrics"] == CODE_VERSION
    assert [failed["id"] for failed in answer["failed_jobs"]] == [job.pk]
    assert answer["backup"] is None
    assert program.post(f"jobs/{job.pk}/retry/", {}).json()["state"] == "queued"


def test_storage_counts_what_is_stored(client, admin, settings):
    (settings.MEDIA_ROOT / "transcripts").mkdir()
    (settings.MEDIA_ROOT / "transcripts" / "a").write_bytes(b"x" * 2048)
    answer = program_of(admin).get("overview/").json()
    assert (answer["file_count"], answer["file_bytes"]) == (1, 2048)
    assert answer["database_bytes"] > 0
    assert "1 file" in read_site(client)
