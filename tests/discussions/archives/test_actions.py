"""An archive is the same bytes for the same data, and comes out of another installation as it went in."""

import io
import json
import os
import re
from itertools import count

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse

from discussions.iterations.actions import open_project
from discussions.models import Adjudication, Game, Measured, Remark, Revision, Transcript
from rubric.checks.actions import CHECKS as REVIEW_CHECKS
from rubric.comparisons.actions import add_reviewer
from rubric.model_reviewers.actions.answers import paste_answer, upload_answers
from rubric.model_reviewers.actions.prompts import ensure_prompt
from rubric.model_reviewers.core import AnswerLine
from rubric.models import Answer, MarkRevision, RubricVersion
from rubric.models.comparisons import MODEL
from rubric.models.reviews import PASTED, UPLOADED
from tests.factories.adjudication import TIE, list_evaluations, make_differing, resolve_difference
from tests.factories.comparisons import make_set
from tests.factories.exports import ask_export, make_export, read_lines, write_export
from tests.factories.human_reviewers import begin, submitted
from tests.factories.jobs import run_waiting_jobs
from tests.factories.model_reviewers import answer_text
from tests.factories.people import NOW, make_admin, make_lead, make_member, make_person, make_project
from tests.factories.project_archives import (
    bring_in,
    change_line,
    list_members,
    make_judged_project,
    read_members,
    write_archive,
)
from tests.factories.tampering import without_triggers
from tests.factories.transcripts import import_game, make_games_project, upload
from tests.factories.versions import make_draft
from tests.services.commands import Commands
from tests.services.migrated import take_database
from workspace.access.permissions import role_in
from workspace.blob_store import open_file
from workspace.checks.core import run_check
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.jobs.actions import run_job
from workspace.models import Event, FirstSeal, Invitation, Job, Membership, Person, Project
from workspace.people.actions.people import invite, system_person
from workspace.tokens.actions import create_service_account

pytestmark = [pytest.mark.django_db, pytest.mark.services(is_long=True)]


@pytest.fixture(scope="module")
def made(django_db_setup, django_db_blocker, tmp_path_factory):
    """The archive and the JSONL of a judged project that is not there any more: as from another installation."""
    folder = override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("first"), AUDIT_KEY="first-" * 10)
    with django_db_blocker.unblock(), folder, transaction.atomic():
        project, lead = make_judged_project()
        found = write_archive(project, lead), read_lines(write_export(project, lead))
        assert write_archive(project, lead) == found[0], "the lines of exports are no part of it"
        transaction.set_rollback(True)
    return found


@pytest.fixture
def archive(made):
    return made[0]


def test_another_installation_makes_the_same_archive_and_the_same_labels_again(made):
    archive, lines = made
    there = make_judged_project()[0]
    Project.objects.filter(pk=there.pk).update(slug="there-before")
    done = bring_in(archive, keeps_roles=True)
    assert not Game.objects.filter(project=done.project, pk__lte=Game.objects.filter(project=there).count())
    admin = make_admin()
    assert write_archive(done.project, admin) == archive
    again = read_lines(write_export(done.project, admin))
    assert [line["kind"] for line in again] == [line["kind"] for line in lines]
    differing = {place for pair in zip(lines, again, strict=True) for place in differences(*pair)}
    # Keys of rows, hashes that cover such keys, and who made the export when; nothing that anybody judged or said.
    keys = r"made_by|audit_head\.\w+|.*\.basis_sha256|(evaluations|reviews)\.\*\.id|verdicts\.\*\.basis\..*"
    assert differing
    assert not [place for place in differing if not re.fullmatch(keys, place)]


def write_answered():
    """The archive of a project with a pasted and an uploaded answer of models."""
    made = make_set(questions=2)
    by = made.created_by
    for number, comparison in enumerate(made.comparisons.order_by("number")):
        model = add_reviewer(comparison_set=made, kind=MODEL, name=f"model-{number}", by=by, now=NOW)
        pair = {"comparison": comparison, "reviewer": model, "by": by, "now": NOW}
        ensure_prompt(**pair)
        if number:
            paste_answer(**pair, text=answer_text())
        else:
            line = AnswerLine(1, comparison.key, model.name, answer_text())
            assert upload_answers(comparison_set=made, lines=[line], by=by, now=NOW) == []
    run_waiting_jobs()
    return write_archive(made.project, by)


def test_answers_of_models_are_still_what_their_audit_lines_name():
    with override_settings(AUDIT_KEY="first-" * 10), transaction.atomic():
        archive = write_answered()
        transaction.set_rollback(True)
    done = bring_in(archive)
    brought = Answer.objects.filter(review__reviewer__set__project=done.project)
    assert set(brought.values_list("source", flat=True)) == {PASTED, UPLOADED}
    (check,) = [check for check in REVIEW_CHECKS if check.code == "R2"]
    assert run_check(check, NOW).breaches == []
    with without_triggers():
        brought.update(text="I decline.")
    said = [breach.split()[0] for breach in run_check(check, NOW).breaches]
    assert said == ["Review", "Review", "Answer", "Uploaded"]


def differences(first, other, place=""):
    """Where two plain values differ, as paths."""
    if isinstance(first, dict) and isinstance(other, dict) and first.keys() == other.keys():
        for name in first:
            yield from differences(first[name], other[name], f"{place}.{name}".strip("."))
    elif isinstance(first, list) and isinstance(other, list) and len(first) == len(other):
        for pair in zip(first, other, strict=True):
            yield from differences(*pair, f"{place}.*")
    elif first != other:
        yield place


def test_the_log_goes_on_under_the_own_key_and_keeps_the_first_seals(archive):
    done = bring_in(archive)
    assert not done.seals_hold, "the first installation has another key"
    first = json.loads(read_members(archive)["rows/workspace.event.jsonl"].splitlines()[-1])
    last = FirstSeal.objects.select_related("event").order_by("-event__seq").first()
    assert (last.mac, last.chain) == (first["first"]["mac"], first["first"]["chain"])
    assert last.event.mac != last.mac
    assert (done.project.chain.seq, done.project.chain.mac) == (last.event.seq, last.event.mac)
    told = Event.objects.get(verb="project:imported")
    assert (told.chain.project, told.object_id) == (None, str(done.project.pk))
    assert json.loads(told.detail)["seal"] == last.mac


def test_lines_that_are_written_later_follow_those_that_came(archive):
    done = bring_in(archive)
    lead = make_lead(project=done.project)
    before, after = (read_members(data) for data in (archive, write_archive(done.project, lead)))
    old, new = (members["rows/workspace.event.jsonl"] for members in (before, after))
    assert new.startswith(old)
    added = json.loads(new.splitlines()[-1])
    event = Event.objects.get(chain=done.project.chain, seq=added["seq"])
    assert (added["verb"], added["first"]["mac"]) == ("membership:added", event.mac)


def test_the_page_of_the_log_says_which_lines_came_by_an_archive(archive):
    done = bring_in(archive)
    lead = make_lead(project=done.project)
    browser = Client()
    browser.force_login(lead)
    text = browser.get(reverse("audit", args=[done.project.slug])).content.decode()
    marked = text.count("imported, first seal not checked")
    assert marked == text.count("</tr>") - 2, "not the head, nor the lead's own line"


def test_people_who_were_not_there_are_switched_off_and_without_a_password(archive):
    line = json.loads(read_members(archive)["rows/workspace.person.jsonl"].splitlines()[0])
    there = make_person(email=line["email"], name="Known here")
    done = bring_in(archive)
    there.refresh_from_db()
    assert there.is_active
    assert (there.name, line["email"] in done.new_people) == ("Known here", False)
    for person in Person.objects.filter(email__in=done.new_people):
        assert not person.is_active
        assert not person.is_admin
        assert not person.has_usable_password()
    assert role_in(there, done.project) is None


def test_a_version_that_is_not_there_is_made_and_one_that_says_other_things_is_refused(archive):
    def say_other_things(row):
        row["body"] = row["body"].replace('"name":"', '"name":"My ', 1)
        row["sha256"] = bytes_hash(row["body"].encode())

    def renumber(row):
        row["body"] = row["body"].replace(f'"version":"{row["number"]}"', '"version":"9.0"')
        row |= {"number": "9.0", "sha256": bytes_hash(row["body"].encode())}

    with pytest.raises(Unacceptable, match=r"has a version discussion .* that says other things"):
        bring_in(change_line(archive, "rubric.rubricversion", say_other_things))
    members = read_members(change_line(archive, "rubric.rubricversion", renumber))
    number = json.loads(read_members(archive)["rows/rubric.rubricversion.jsonl"].splitlines()[0])["number"]
    named = {
        name: body.replace(f'"discussion {number}"'.encode(), b'"discussion 9.0"')
        for name, body in members.items()
    }
    bring_in(list_members(named), checks=())
    version = RubricVersion.objects.get(number="9.0")
    assert (version.state, version.rubric.key) == ("imported", "discussion")
    assert Event.objects.filter(verb="rubric_version:imported", object_id=str(version.pk)).count() == 1


def test_a_project_that_is_there_is_not_imported_over_itself_nor_beside_itself(archive):
    done = bring_in(archive)
    for slug in ("", "again"):
        with pytest.raises(Conflict, match=r"This installation has this project already.* “project"):
            bring_in(archive, slug=slug)
    with pytest.raises(Unacceptable, match="Write a short name"):
        bring_in(archive, slug="No Slug")
    assert list(Project.objects.all()) == [done.project]


def test_a_project_is_not_imported_where_it_was_made_in_whatever_state():
    project, lead = make_judged_project()
    before = write_archive(project, lead)
    make_member(project=project)
    for data in (before, write_archive(project, lead)):
        counts = [model.objects.count() for model in (Project, Person, Event)]
        with pytest.raises(Conflict, match="This installation has this project already"):
            bring_in(data, slug="again")
        assert [model.objects.count() for model in (Project, Person, Event)] == counts


def test_a_short_name_of_another_project_is_refused(archive):
    taken = make_project(slug=json.loads(read_members(archive)["manifest.json"])["project"])
    with pytest.raises(Conflict, match=r"There is a project with the short name .* --slug"):
        bring_in(archive)
    assert list(Project.objects.all()) == [taken]


def test_a_project_gets_another_short_name_where_it_is_asked_for(archive):
    assert bring_in(archive, slug="renamed").project.slug == "renamed"


def test_what_was_not_measured_yet_is_measured_after_the_import(monkeypatch):
    monkeypatch.setattr("discussions.imports.actions.reading.ONE_PASS_MESSAGES", 0)
    with transaction.atomic():
        project = make_games_project()
        lead = make_lead(project=project)
        transcript = upload(project=project, by=lead)
        run_job(job=transcript.job_id, clock=lambda: NOW)
        archive = write_archive(project, lead)
        transaction.set_rollback(True)
    done = bring_in(archive)
    assert not Measured.objects.exists()
    assert Job.objects.get(state="queued").kind == "measure"
    run_waiting_jobs()
    assert Measured.objects.get().game.project == done.project
    assert Transcript.objects.get().job.subject == f"transcript:{Transcript.objects.get().pk}"


def test_a_project_of_the_system_alone_comes_in_again():
    with transaction.atomic():
        project = open_project(slug="alone", name="Alone", by=system_person(now=NOW), now=NOW)
        archive = write_archive(project, system_person(now=NOW))
        transaction.set_rollback(True)
    done = bring_in(archive)
    assert write_archive(done.project, make_admin()) == archive


def test_an_upload_that_is_being_read_is_waited_for():
    project = make_games_project()
    lead = make_lead(project=project)
    upload(project=project, by=lead, name="slow.json")
    with pytest.raises(Conflict, match=r"“slow\.json” is being read\. Wait"):
        write_archive(project, lead)


def test_invitations_and_tokens_stay_behind_and_their_lines_name_no_row():
    with transaction.atomic():
        project = make_games_project()
        admin = make_admin()
        invite(email="guest@example.org", role="evaluator", project=project, by=admin, now=NOW)
        archive = write_archive(project, admin)
        transaction.set_rollback(True)
    assert b"secret_hash" not in b"".join(read_members(archive).values())
    done = bring_in(archive)
    assert not Invitation.objects.exists()
    event = Event.objects.get(chain__project=done.project, verb="invitation:created")
    assert event.object_id == ""
    assert FirstSeal.objects.get(event=event).object_id != ""


def test_leads_and_admins_make_it_as_a_whole_and_with_names():
    project = make_games_project()
    lead, evaluator = make_lead(project=project), make_member(project=project)
    with pytest.raises(NotAllowed, match="Only team leads of this project and admins make its archive"):
        ask_export(project, evaluator, format_name="archive")
    import_game(project=project, by=lead)
    with pytest.raises(Unacceptable, match="Only a whole project has an archive"):
        ask_export(project, lead, format_name="archive", of="game:1")
    with pytest.raises(Unacceptable, match="Leave out the pseudonyms"):
        write_export(project, lead, "archive", pseudonyms=True)
    run_waiting_jobs()
    export = make_export(project, make_admin(), format_name="archive")
    with open_file(export.stored_as) as file:
        assert file.read() == write_archive(project, lead)


def test_a_lead_who_still_reviews_a_set_leaves_the_archive_to_others():
    lead = make_lead(project=make_games_project())
    made = make_set(by=lead, people=[lead])
    with pytest.raises(NotAllowed, match=r"all reviews of comparison set 1\. You review this set yourself"):
        write_archive(made.project, lead)
    assert read_members(write_archive(made.project, make_admin()))


def run(*given):
    """Exit code and what the command says."""
    said, faults = io.StringIO(), io.StringIO()
    try:
        call_command(*given, stdout=said, stderr=faults)
    except SystemExit as end:
        return end.code, faults.getvalue()
    return 0, said.getvalue()


def test_the_command_imports_a_file_and_says_what_it_made(archive, tmp_path):
    file = tmp_path / "a.zip"
    code, said = run("import_archive", str(file))
    assert (code, said) == (2, f'"{file}" could not be read: No such file or directory. Correct the path.\n')
    file.write_bytes(b"PK no zip")
    code, said = run("import_archive", str(file), "--json")
    assert (code, json.loads(said)["faults"][0]["code"]) == (2, "no_zip")
    file.write_bytes(archive)
    code, said = run("import_archive", str(file), "--slug", "ours")
    assert code == 0
    assert said.startswith("Imported project ours: ")
    assert "New accounts, deactivated and without a password: " in said
    assert "do not fit this installation's AUDIT_KEY" in said
    assert run("verify")[0] == 0


@pytest.mark.slow
@pytest.mark.services(is_long_on_sqlite=True)
def test_another_kind_of_database_makes_the_same_archive_again(archive, tmp_path):
    """From the tests' database to SQLite and back; with PostgreSQL underneath these are two kinds."""
    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    first.write_bytes(archive)
    project = json.loads(read_members(archive)["manifest.json"])["project"]
    database = tmp_path / "evalsite.sqlite3"
    commands = Commands(
        dict(os.environ)
        | {
            "VAR_DIR": str(tmp_path),
            "DATABASE_URL": f"sqlite:///{database}",
            "DJANGO_SETTINGS_MODULE": "tests.stage_settings",
        }
    )
    try:
        if not take_database(str(database)):
            assert commands.run("migrate", "-v", "0").returncode == 0
        make_admin = "from tests.factories.people import make_admin; make_admin(email='moves@example.org')"
        given = ("--by", "moves@example.org", "--format", "archive", "--out", str(second))
        for command in (
            ("import_archive", str(first)),
            ("verify",),
            ("shell", "-c", make_admin),
            ("export", "--project", project, *given),
        ):
            said = commands.run(*command)
            assert said.returncode == 0, said
    finally:
        commands.stop()
    assert second.read_bytes() == archive
    assert write_archive(bring_in(second.read_bytes()).project, make_person(is_admin=True)) == archive


KEYED = (Adjudication, MarkRevision, Remark, Revision)


def make_installation(slug: str) -> tuple[Project, Person]:
    """A project whose people have the addresses, and whose requests the keys, that they have in every installation."""
    game = make_differing()
    project, lead = game.project, make_lead(project=game.project)
    resolve_difference(game, TIE, "yes", by=lead)
    evaluator = list_evaluations(game)[0].evaluator
    submitted(begin(make_set(by=lead, people=[evaluator]), by=evaluator))
    Project.objects.filter(pk=project.pk).update(slug=slug)
    with without_triggers():
        for number, person in enumerate(Person.objects.filter(is_system=False).order_by("pk")):
            Person.objects.filter(pk=person.pk).update(email=f"person-{number}@example.org")
        for model in KEYED:
            numbers = count(1)
            for row in model.objects.order_by("pk"):
                model.objects.filter(pk=row.pk).update(key=f"api:{next(numbers)}")
    project.refresh_from_db()
    return project, lead


@pytest.fixture(scope="module")
def there(django_db_setup, django_db_blocker, tmp_path_factory):
    """The archive of an installation that is not here."""
    folder = override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("there"), AUDIT_KEY="there-" * 10)
    with django_db_blocker.unblock(), folder, transaction.atomic():
        archive = write_archive(*make_installation("there"))
        transaction.set_rollback(True)
    return archive


def count_rows() -> list[int]:
    """How many rows there are of what an archive brings."""
    return [model.objects.count() for model in (*KEYED, Project, Person, Event, Game, RubricVersion)]


def test_programs_of_one_person_may_have_numbered_their_requests_alike(there):
    here, lead = make_installation("here")
    before = {model: dict(model.objects.values_list("pk", "key")) for model in KEYED}
    own = write_archive(here, lead)
    done = bring_in(there, keeps_roles=True)
    assert done.new_people == []
    mark = f"archive:{done.project.pk}:"
    for model in KEYED:
        keys = dict(model.objects.values_list("pk", "key"))
        fresh = [key for pk, key in keys.items() if pk not in before[model]]
        assert {pk: keys[pk] for pk in before[model]} == before[model]
        renamed = [key for key in fresh if key.startswith(mark)]
        assert len(fresh) >= len(renamed) > 0, model
        assert {key.removeprefix(mark) for key in fresh} == {f"api:{n + 1}" for n in range(len(fresh))}
    assert write_archive(here, lead) == own


def test_uploads_accounts_and_programs_that_have_the_same_name_here_stay_apart(there):
    here, _lead = make_installation("here")
    admin = make_admin(email="admin@example.org")
    create_service_account(name="Pipeline", project=here, role="lead", by=admin, now=NOW)
    invite(email="new@example.org", name="New", role="evaluator", project=here, by=admin, now=NOW)
    before = {model: list(model.objects.filter(project=here).values()) for model in (Membership, Transcript)}
    done = bring_in(there)
    assert not Membership.objects.filter(project=done.project, ended_at=None).exists()
    assert Transcript.objects.filter(project=done.project).exists()
    for model, rows in before.items():
        assert list(model.objects.filter(project=here).values()) == rows, model


def test_a_rubric_version_that_is_a_draft_here_is_not_what_the_project_uses(there):
    def renumber(row):
        row["body"] = row["body"].replace(f'"version":"{row["number"]}"', '"version":"9.0"')
        row |= {"number": "9.0", "sha256": bytes_hash(row["body"].encode())}

    changed = change_line(there, "rubric.rubricversion", renumber)
    row = json.loads(read_members(changed)["rows/rubric.rubricversion.jsonl"].splitlines()[0])
    draft = make_draft(key=row["rubric"], by=make_admin())
    same = {name: row[name] for name in ("number", "body", "sha256")}
    RubricVersion.objects.filter(pk=draft.pk).update(**same)
    counts = count_rows()
    members = {
        name: body.replace(f'"{row["rubric"]} 1.2"'.encode(), f'"{row["rubric"]} 9.0"'.encode())
        for name, body in read_members(changed).items()
    }
    with pytest.raises(Unacceptable, match="is an unpublished or discarded draft here"):
        bring_in(list_members(members))
    assert count_rows() == counts


def test_a_rubric_version_with_a_hidden_character_is_refused_where_it_is_not_known(there):
    def hide(row):
        body = json.loads(row["body"])
        body["criteria"][0]["label"] += "\u202e"
        row["body"] = canonical_bytes(body | {"version": "9.0"}).decode()
        row |= {"number": "9.0", "sha256": bytes_hash(row["body"].encode())}

    counts = count_rows()
    with pytest.raises(Unacceptable, match=r"/criteria/0/label has a hidden character, ⟨U\+202E⟩"):
        bring_in(change_line(there, "rubric.rubricversion", hide))
    assert count_rows() == counts
