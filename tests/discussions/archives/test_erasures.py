"""An erasure leaves figures and a tombstone of a game, a number of a project, and nothing else in column or file."""

import json

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.urls import reverse

from discussions.archives.actions import erased_people, erasures
from discussions.archives.actions.erasures import ask_to_erase
from discussions.archives.queries.erasures import GONE, KEPT
from discussions.games.queries.list_query import ListQuery, load_list_window
from discussions.iterations.queries import count_erased
from discussions.management.commands.verify import CHECKS
from discussions.models import Game, GameText, Judge, JudgePrompt, Transcript, Verdict
from tests.factories.erasures import count_texts, erase, find_everywhere
from tests.factories.exports import make_export
from tests.factories.jobs import run_waiting_jobs
from tests.factories.judges import make_judged
from tests.factories.people import NOW, make_admin, make_lead, moment
from tests.factories.project_archives import bring_in, make_judged_project, read_members, write_archive
from tests.factories.rating import game_of
from tests.factories.tampering import without_triggers
from tests.factories.transcripts import import_game, make_games_project, upload
from tests.factories.verdicts import recorded_verdict
from workspace.blob_store import list_files
from workspace.checks.actions import keep_heads
from workspace.checks.core import run_check
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.jobs.actions import run_job
from workspace.models import Erasure, ErasurePass, Event, Job, Project
from workspace.models.jobs import RUNNING
from workspace.people.actions.people import system_person

pytestmark = [pytest.mark.django_db, pytest.mark.services]
CANARY = "Quetzalcoatlus"


@pytest.fixture(autouse=True)
def _own_files(settings, tmp_path):
    """Files of other tests, whose rows were rolled back, are elsewhere."""
    settings.MEDIA_ROOT = tmp_path


def breaches() -> list[str]:
    found = [run_check(check, NOW) for check in CHECKS if check.code not in ("I8", "I14")]
    return [sentence for checked in found for sentence in checked.breaches]


def plant() -> Verdict:
    """A recorded verdict on a game that names the canary wherever a file can."""
    text = json.dumps(game_of(12, justification=f"by {CANARY}")).replace("Ann", CANARY)
    content = json.loads(text) | {"gameId": f"game-{CANARY}"}
    content["metadata"] = content["metadata"] | {"seed": CANARY, "modelBuild": CANARY, "pair": CANARY}
    return recorded_verdict(content=content)


def fill_texts(game: Game) -> None:
    """The canary in every text of rows that belong to the game, in which a person could have written it."""
    with without_triggers():
        rows = [(model, {path: game}) for model, path in GONE.items()]
        for model, where in [*rows, *((model, {"game": game}) for model in KEPT)]:
            for field in model._meta.concrete_fields:
                if field.name in (
                    "reason",
                    "text",
                    "note",
                    "returned_comment",
                    "skipped_reason",
                    "resolution",
                ):
                    model.objects.filter(**where).update(**{field.name: f"says {CANARY}"})
        Game.objects.filter(pk=game.pk).update(
            model_build=f"build {CANARY}", seed=CANARY, pair=CANARY, withdrawn_reason=CANARY
        )
        Transcript.objects.filter(pk=game.transcript_id).update(name=f"{CANARY}.json", faults=f'["{CANARY}"]')


def test_nothing_of_an_erased_game_is_left_and_its_figures_stay():
    verdict = plant()
    game, project = verdict.game, verdict.game.project
    lead, admin = make_lead(project=project), make_admin()
    make_judged(project, lead, [game.number])
    make_export(project=project, by=lead)
    assert not breaches()
    fill_texts(game)
    assert "discussions_judgereply.text" in find_everywhere(CANARY)
    planted = find_everywhere(CANARY)
    assert len(planted) > 12, planted
    assert count_texts() > 200
    erasure = erase(game, by=admin)
    assert find_everywhere(CANARY) == []
    assert breaches() == []
    assert erasure.done_at
    assert erasure.counts["texts of games"] == 1
    assert not ErasurePass.objects.exists()
    assert Judge.objects.exists() and not JudgePrompt.objects.exists()
    left = Verdict.objects.get()
    assert (left.passes, left.composite, left.outcome) == (verdict.passes, verdict.composite, verdict.outcome)
    assert count_erased(project=project) == {0: 1}
    line = Event.objects.get(verb="game:erased")
    assert (line.by, line.details["reason"]) == (admin, "Uploaded by mistake")
    assert not Game.objects.exists()
    for asked in ({}, {"q": str(game.number)}, {"q": " "}, {"q": "game"}):
        assert load_list_window(project, ListQuery(**asked)).games == []


def test_rows_are_frozen_but_for_those_that_the_erasure_names():
    verdict = recorded_verdict()
    text = GameText.objects.get()
    erasure = Erasure.objects.create(
        kind="game", row=1, stamp="x", reason="x", created_at=NOW, created_by=verdict.created_by
    )

    def refused(sql: str) -> bool:
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(sql)
                transaction.set_rollback(True)
        except DatabaseError:
            return True
        return False

    delete = f"DELETE FROM discussions_gametext WHERE game_id = {text.pk}"
    update = f"UPDATE discussions_verdict SET reason = 'x' WHERE id = {verdict.pk}"
    assert refused(delete)
    assert refused(update)
    ErasurePass.objects.create(erasure=erasure, table="discussions_gametext", row=text.pk + 1)
    ErasurePass.objects.create(erasure=erasure, table="discussions_revision", row=text.pk)
    assert refused(delete)
    ErasurePass.objects.create(erasure=erasure, table="discussions_gametext", row=text.pk)
    ErasurePass.objects.create(erasure=erasure, table="discussions_verdict", row=verdict.pk)
    assert not refused(delete)
    assert not refused(update)
    assert any("may still be changed" in sentence for sentence in breaches())


@pytest.mark.services(is_long=True)
def test_what_is_missing_without_a_tombstone_is_a_breach():
    verdict = recorded_verdict()
    erase(verdict.game, by=make_admin())
    assert breaches() == []
    with without_triggers():
        Verdict.objects.update(outcome=verdict.outcome.replace('"passes":true', '"passes":false', 1))
    assert any("not what an erasure left" in sentence for sentence in breaches())
    other = recorded_verdict(content=game_of(13))
    with without_triggers():
        Game.objects.filter(pk=other.game_id).update(erased_at=NOW)
    assert any("does not tell of" in sentence for sentence in breaches())


def test_an_upload_goes_with_its_games_and_does_not_come_back():
    lead, admin = make_judged_project()[1], make_admin()
    project = Project.objects.get()
    first, second = game_of(12), game_of(13)
    row = upload(project=project, by=lead, games=[first, second])
    run_waiting_jobs()
    assert row.games.count() == 2
    files = set(list_files())
    erase(Transcript.objects.get(pk=row.pk), by=admin)
    assert Game.with_erased.filter(transcript=row).exclude(erased_at=None).count() == 2
    assert len(files - set(list_files())) == 1
    assert breaches() == []
    with pytest.raises(Conflict, match="was erased"):
        upload(project=project, by=lead, games=[first, second])


@pytest.mark.services(is_long=True)
def test_who_may_not_what_runs_and_what_has_no_reason_is_refused():
    game = recorded_verdict().game
    lead, admin = make_lead(project=game.project), make_admin()
    with pytest.raises(NotAllowed):
        ask_to_erase(thing=game, reason="Why", by=lead, now=NOW)
    with pytest.raises(Unacceptable):
        ask_to_erase(thing=game, reason=" ", by=admin, now=NOW)
    Job.objects.create(
        project=game.project, kind="measure", subject="x", state=RUNNING, created_at=NOW, created_by=lead
    )
    with pytest.raises(Conflict, match="works on this now"):
        ask_to_erase(thing=game, reason="Why", by=admin, now=NOW)
    Job.objects.filter(subject="x").delete()
    ask_to_erase(thing=game, reason="Why", by=admin, now=NOW)
    with pytest.raises(Conflict):
        ask_to_erase(thing=game, reason="Why", by=admin, now=NOW)


@pytest.mark.services(is_long=True)
def test_what_another_job_may_still_write_is_waited_for():
    game = recorded_verdict().game
    erasure = ask_to_erase(thing=game, reason="Why", by=make_admin(), now=NOW)
    Job.objects.create(
        project=game.project,
        kind="measure",
        subject="x",
        state=RUNNING,
        created_at=NOW,
        created_by=game.created_by,
    )
    assert run_job(job=erasure.job_id, clock=lambda: moment(1))
    assert GameText.objects.exists()
    Job.objects.filter(subject="x").delete()
    run_waiting_jobs()
    assert not GameText.objects.exists()


@pytest.mark.parametrize(
    "dies_in",
    [
        "drop_files",
        pytest.param("_empty_upload", marks=pytest.mark.long),
        pytest.param("drop_bytes", marks=pytest.mark.long),
    ],
)
def test_an_erasure_that_dies_half_way_is_whole_after_the_next_try(dies_in, monkeypatch):
    verdict = plant()
    erasure = ask_to_erase(thing=verdict.game, reason="Why", by=make_admin(), now=NOW)

    def die(*_given: object, **_named: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(erasures, dies_in, die)
        with pytest.raises(KeyboardInterrupt):
            run_waiting_jobs()
    assert breaches() == [] or dies_in == "drop_bytes"
    Job.objects.filter(pk=erasure.job_id).update(state="queued")
    run_waiting_jobs(now=moment(2))
    assert find_everywhere(CANARY) == []
    assert breaches() == []
    assert Event.objects.filter(verb="game:erased").count() == 1


@pytest.mark.services(is_long=True)
def test_an_archive_made_after_holds_figures_alone_and_an_older_one_does_not_bring_it_back():
    project, lead = make_judged_project()
    before = write_archive(project, lead)
    game = Game.objects.get()
    text = GameText.objects.get().body
    erase(game, by=make_admin())
    after = write_archive(project, lead)
    assert text[:200].encode() not in b"".join(read_members(after).values())
    assert not any(name.startswith("bytes/") for name in read_members(after))
    with pytest.raises(Conflict):
        bring_in(before, slug="again")


def test_the_command_shows_what_would_go_and_erases(capsys):
    game = recorded_verdict().game
    admin = make_admin()
    call_command("erase", project=game.project.slug, game=game.number)
    assert "would be erased" in capsys.readouterr().out
    assert Game.objects.exists()
    call_command("erase", project=game.project.slug, game=game.number, reason="By mistake", by=admin.email)
    assert "texts of games erased" in capsys.readouterr().out
    assert not Game.objects.exists()
    call_command("erase", list=True)
    assert f"game {game.number} of {game.project.name}: erased" in capsys.readouterr().out


def test_the_page_shows_counts_asks_for_a_reason_and_the_name_and_leads_to_the_list(client):
    game, admin = recorded_verdict().game, make_admin()
    client.force_login(admin)
    page = reverse("erase_game", args=[game.project.slug, game.number])
    shown = client.get(page).content.decode()
    assert "texts of games" in shown
    assert client.post(page, {"reason": "Why", "confirm": "game 99"}).status_code == 422
    assert client.post(page, {"reason": "Why", "confirm": f"game {game.number}"}).status_code == 303
    run_waiting_jobs()
    assert "Why" in client.get(reverse("erasures")).content.decode()
    gone = client.get(reverse("game", args=[game.project.slug, game.number]))
    assert (gone.status_code, "was erased" in gone.content.decode()) == (409, True)


@pytest.mark.services(is_long=True)
def test_another_installation_takes_an_archive_with_an_erased_game_and_its_figures(settings, tmp_path):
    with transaction.atomic():
        project, admin = make_judged_project()[0], make_admin()
        verdict = Verdict.objects.filter(game__project=project).latest("pk")
        erase(verdict.game, by=admin)
        archive, passes = write_archive(project, admin), verdict.passes
        transaction.set_rollback(True)
    settings.AUDIT_KEY, settings.MEDIA_ROOT = "elsewhere-" * 5, tmp_path
    done = bring_in(archive, slug="there")
    (game,) = Game._base_manager.filter(project=done.project, erased_at__isnull=False)
    assert game.verdicts.latest("pk").passes == passes
    assert not GameText.objects.filter(game=game).exists()
    assert sum(count_erased(project=done.project).values()) == 1
    assert breaches() == []


def list_tables_with(project: int) -> set[str]:
    """The tables with a row that names the project by a column "project_id"."""
    found = set()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            columns = {
                column.name for column in connection.introspection.get_table_description(cursor, table)
            }
            if "project_id" in columns:
                cursor.execute(f"SELECT COUNT(*) FROM {table} WHERE project_id = %s", [project])
                found |= {table} if cursor.fetchone()[0] else set()
    return found


def test_nothing_of_an_erased_project_is_left_and_others_stay():
    project, lead = make_judged_project()
    other = make_games_project(slug="other")
    admin = make_admin()
    kept = import_game(project=other, by=admin)
    make_export(project=project, by=lead)
    keep_heads(by=system_person(now=NOW), now=NOW)
    archive, slug = write_archive(project, lead), project.slug
    files = set(list_files())
    assert len(list_tables_with(project.pk)) > 8
    erasure = erase(project, by=admin)
    assert erasure.done_at
    assert list_tables_with(project.pk) == {"workspace_erasure"}
    assert find_everywhere(project.name) == find_everywhere(slug) == []
    assert len(files - set(list_files())) >= 1
    assert kept.text.body
    assert breaches() == []
    assert not Project.objects.filter(pk=project.pk).exists()
    line = Event.objects.get(verb="project:erased")
    assert (line.chain.project, line.by, line.details["reason"]) == (None, admin, "Uploaded by mistake")
    with pytest.raises(Conflict, match="was erased here"):
        bring_in(archive, slug="again")


@pytest.mark.services(is_long=True)
@pytest.mark.parametrize(
    "dies_in",
    [
        "_delete",
        pytest.param("_forget_emails", marks=pytest.mark.long),
        pytest.param("_leave_tombstone", marks=pytest.mark.long),
    ],
)
def test_an_erasure_of_a_project_that_dies_half_way_is_whole_after_the_next_try(dies_in, monkeypatch):
    project, _lead = make_judged_project()
    erasure = ask_to_erase(thing=project, reason="Why", by=make_admin(), now=NOW)

    def die(*_given: object, **_named: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(erased_people, dies_in, die)
        with pytest.raises(KeyboardInterrupt):
            run_waiting_jobs()
    Job.objects.filter(pk=erasure.job_id).update(state="queued")
    run_waiting_jobs(now=moment(2))
    assert list_tables_with(project.pk) == {"workspace_erasure"}
    assert breaches() == []
    assert Event.objects.filter(verb="project:erased").count() == 1


def test_the_page_asks_for_the_short_name(client):
    project, _lead = make_judged_project()
    client.force_login(make_admin())
    page = reverse("erase_project", args=[project.slug])
    assert "lines of its audit log" in client.get(page).content.decode()
    assert client.post(page, {"reason": "Why", "confirm": "x"}).status_code == 422
    assert client.post(page, {"reason": "Why", "confirm": project.slug}).status_code == 303
    run_waiting_jobs()
    assert client.get(page).status_code == 404
    assert client.get(reverse("erasures")).status_code == 200
