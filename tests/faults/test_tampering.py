"""What somebody with the database, the triggers and the disk in hand could do: `manage.py verify` finds each of it."""

import json
import shutil
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import override_settings

from discussions.models import (
    Game,
    GameText,
    Judgement,
    Measured,
    MeasuredFindings,
    Revision,
    Slot,
    Transcript,
    Verdict,
)
from tests.factories.people import load_membership, make_admin, make_lead, make_member, make_person, moment
from tests.factories.rating import make_game, say, start
from tests.factories.tampering import without_triggers
from tests.factories.tokens import make_token
from tests.factories.verdicts import recorded_verdict
from tests.faults.crowd import breaches
from workspace.checks.actions import keep_heads
from workspace.core.canonical import bytes_hash
from workspace.database.append_only import guards
from workspace.models import AccessToken, Chain, Event, Job, Membership, Person
from workspace.people.actions.people import deactivate_person, system_person
from workspace.people.actions.projects import end_membership

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def whole(shared_rows, tmp_path_factory):
    """A verdict and all that leads to it, whole, with today's heads of the audit log kept; the folder of its files."""
    folder = tmp_path_factory.mktemp("whole")
    with override_settings(MEDIA_ROOT=folder, VAR_DIR=folder):
        recorded = recorded_verdict()
        say(start(), "question", "1", "yes")
        keep_heads(by=system_person(now=moment()), now=moment())
        assert breaches() == {}
    return recorded, folder


@pytest.fixture
def verdict(whole, settings, tmp_path):
    """The verdict, with files of its own; what is done to rows is undone."""
    recorded, folder = whole
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    settings.MEDIA_ROOT = settings.VAR_DIR = tmp_path
    return Verdict.objects.get(pk=recorded.pk)


def change(rows, **columns):
    with without_triggers():
        assert rows.update(**columns) == rows.count() >= 1


def remove(rows):
    with without_triggers():
        table, keys = rows.model._meta.db_table, list(rows.values_list("pk", flat=True))
        column = rows.model._meta.pk.column
        with connection.cursor() as cursor:
            for key in keys:
                cursor.execute(f'DELETE FROM "{table}" WHERE "{column}" = %s', [key])
        assert keys


def project_events(verdict):
    return Event.objects.filter(chain__project=verdict.project).order_by("seq")


def flip_a_byte(verdict):
    event = project_events(verdict)[2]
    change(Event.objects.filter(pk=event.pk), detail=event.detail.replace('"', "'", 1))


def lose_a_line(verdict):
    remove(Event.objects.filter(pk=project_events(verdict)[2].pk))


def cut_the_tail(verdict):
    """The last lines go, and the chain's row is made to fit: only the kept head shows it."""
    *_, before, _last_but_one, _last = project_events(verdict)
    remove(project_events(verdict).filter(seq__gt=before.seq))
    Chain.objects.filter(pk=before.chain_id).update(seq=before.seq, mac=before.mac)


def change_the_basis(verdict):
    change(
        Verdict.objects.filter(pk=verdict.pk), basis=verdict.basis.replace('"value":"yes"', '"value":"no"', 1)
    )


def change_the_basis_and_its_hash(verdict):
    basis = verdict.basis.replace('"value":"yes"', '"value":"no"', 1)
    assert basis != verdict.basis
    change(Verdict.objects.filter(pk=verdict.pk), basis=basis, basis_sha256=bytes_hash(basis.encode()))


def change_the_outcome(verdict):
    change(Verdict.objects.filter(pk=verdict.pk), passes=not verdict.passes)


def change_findings(verdict):
    row = MeasuredFindings.objects.get(pk=verdict.measured_id)
    change(MeasuredFindings.objects.filter(pk=row.pk), body=row.body.replace("e", "a", 1))


def change_findings_and_their_hash(_verdict):
    row = MeasuredFindings.objects.exclude(measured__evaluations__state="submitted").get()
    body = json.loads(row.body)
    body["coherence"]["denominator"] += 1
    said = json.dumps(body, separators=(",", ":"), ensure_ascii=False)
    change(MeasuredFindings.objects.filter(pk=row.pk), body=said)
    change(Measured.objects.filter(pk=row.pk), findings_sha256=bytes_hash(said.encode()))


def change_figures(verdict):
    change(Measured.objects.filter(pk=verdict.measured_id), figures="{}")


def change_a_message(verdict):
    row = GameText.objects.get(pk=verdict.game_id)
    change(GameText.objects.filter(pk=row.pk), body=row.body.replace("quiet", "loud", 1))


def forget_a_measurement(_verdict):
    row = Measured.objects.exclude(evaluations__state="submitted").get()
    Job.objects.filter(kind="measure").update(state="done")
    game = make_game(project=row.game.project)
    remove(Slot.objects.filter(game=game))
    remove(MeasuredFindings.objects.filter(measured__game=game))
    remove(Measured.objects.filter(game=game))


def age_a_judgement(_verdict):
    change(Judgement.objects.filter(evaluation__state="draft"), version=2)


def change_a_judgement(_verdict):
    change(Judgement.objects.filter(evaluation__state="draft"), value="no")


def change_a_revision(_verdict):
    change(Revision.objects.filter(judgement__evaluation__state="draft"), value="no")


def lose_a_trigger(_verdict):
    guards()["discussions_verdict"].take_down(connection)


def upload_path(verdict):
    return Path(verdict.game.transcript.sha256[:2]) / verdict.game.transcript.sha256


def change_a_cost(verdict):
    Game.objects.filter(pk=verdict.game_id).update(paid_usd=99)


def lose_an_upload(verdict, root):
    (root / "transcripts" / upload_path(verdict)).unlink()


def change_an_upload(verdict, root):
    path = root / "transcripts" / upload_path(verdict)
    path.write_bytes(path.read_bytes().replace(b"quiet", b"loud ", 1))


def forget_a_job(verdict):
    Transcript.objects.filter(pk=verdict.game.transcript_id).update(job=None)


def copy_a_game(verdict):
    game = Game.objects.select_related("text").get(pk=verdict.game_id)
    text = game.text.body
    game.pk, game.number, game.transcript_id = None, 999, Transcript.objects.latest("pk").pk
    game.save(force_insert=True)
    GameText.objects.create(game=game, body=text)


def become_admin(verdict):
    change(Person.objects.filter(pk=verdict.created_by_id), is_admin=True)


def come_back(_verdict):
    person, admin = make_person(), make_admin()
    deactivate_person(person=person, by=admin, now=moment())
    change(Person.objects.filter(pk=person.pk), is_active=True)


def raise_oneself(verdict):
    membership = load_membership(project=verdict.project, person=make_member(project=verdict.project))
    change(Membership.objects.filter(pk=membership.pk), role="lead")


def stay_a_member(verdict):
    person, admin = make_member(project=verdict.project), make_admin()
    membership = load_membership(project=verdict.project, person=person)
    end_membership(membership=membership, by=admin, now=moment())
    change(Membership.objects.filter(pk=membership.pk), ended_at=None, ended_by=None)


def widen_a_token(verdict):
    make_token(make_lead(project=verdict.project), "read")
    change(AccessToken.objects.all(), scopes="read admin")


IN_THE_DATABASE = [
    (flip_a_byte, "I7", "breaks at line 3: line 3 does not match its seal"),
    (lose_a_line, "I7", "line 3 is missing, line 4 follows"),
    (cut_the_tail, "I7", "were there when a head was kept"),
    (change_the_basis, "I6", "does not have the hash that was recorded with it"),
    (change_the_basis_and_its_hash, "I6", "The basis says 'no' of"),
    (change_the_outcome, "I6", "The figures that lists show are not those of the outcome"),
    (change_findings, "I5", "its findings are not those that were stored with it"),
    (change_findings, "I6", "The stored findings are not those that the verdict rests on"),
    (change_findings_and_their_hash, "I5", "measured again, the game gives something else"),
    (change_figures, "I5", "its figures are not those of its findings"),
    (change_a_message, "I4g", "is not the content that was imported"),
    (forget_a_measurement, "I8g", "is not measured, and no job is about to do it"),
    (age_a_judgement, "I2", "is at version 2, with 1 revisions up to version 1"),
    (change_a_judgement, "I2", "holds another value than its newest revision"),
    (change_a_revision, "I2", "holds another value than its newest revision"),
    pytest.param(lose_a_trigger, "I12", "discussions_verdict_frozen_update", marks=pytest.mark.services),
    (forget_a_job, "I4", "has no job that reads it"),
    (change_a_cost, "I4c", "is listed with a cost of 99"),
    (become_admin, "I7b", "is an admin; the audit log does not say that they became one"),
    (come_back, "I7b", "is active; the audit log says that the account was deactivated"),
    (raise_oneself, "I7b", "gives the role lead; the audit log says evaluator"),
    (stay_a_member, "I7b", "gives the role evaluator; the audit log says that it ended"),
    (widen_a_token, "I7b", "may read admin; the audit log says read"),
    (copy_a_game, "I4g", "is 2 times in the project"),
]


@pytest.mark.parametrize(
    ("tamper", "code", "says"), IN_THE_DATABASE, ids=lambda given: getattr(given, "__name__", None)
)
def test_verify_finds_what_was_changed_in_the_database(verdict, tamper, code, says):
    tamper(verdict)
    found = breaches()
    guards()["discussions_verdict"].put_up(connection)
    assert any(says in breach for breach in found[code]), found


@pytest.mark.parametrize(
    ("tamper", "says"), [(lose_an_upload, "are gone"), (change_an_upload, "have changed")]
)
def test_verify_finds_what_was_changed_on_the_disk(verdict, tmp_path, tamper, says):
    tamper(verdict, tmp_path)
    (found,) = breaches()["I4"]
    assert found.startswith(f"Upload {verdict.game.transcript_id} (game.json) cannot be read again")
    assert says in found


@pytest.mark.services(is_long=True)
def test_the_command_ends_with_1_and_names_the_breach(verdict, capsys):
    call_command("verify")
    flip_a_byte(verdict)
    with pytest.raises(SystemExit) as end:
        call_command("verify")
    assert end.value.code == 1
    assert "BROKEN I7" in capsys.readouterr().out


def test_verifying_something_else_does_not_hide_a_cut(verdict, capsys):
    cut_the_tail(verdict)
    call_command("verify", "--only", "I12")
    with pytest.raises(SystemExit):
        call_command("verify", "--only", "I7")
    assert "were there when a head was kept" in capsys.readouterr().out
