"""What an import adds to the installation outside of its project: it is listed, and gives nobody a right."""

import io
import json
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client, override_settings
from django.urls import reverse

from rubric.models import RubricVersion
from rubric.versions.actions import offer_version
from tests.factories.people import NOW, make_admin, make_lead, make_person
from tests.factories.project_archives import (
    bring_in,
    change_line,
    list_members,
    make_judged_project,
    read_members,
    write_archive,
)
from tests.factories.versions import first
from workspace.access.permissions import get_refusal, role_in
from workspace.checks.actions import CHECKS
from workspace.checks.core import run_check
from workspace.core.canonical import bytes_hash
from workspace.database.append_only import guards
from workspace.models import Event, FirstSeal, Membership
from workspace.people.permissions import check_make_password_link

pytestmark = [pytest.mark.django_db, pytest.mark.services(is_long=True)]

VERSION = "rubric.rubricversion"


@pytest.fixture(scope="module")
def archive(django_db_setup, django_db_blocker, tmp_path_factory):
    """A sound archive of a project that is not there, sealed with this installation's key."""
    folder = override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("first"))
    with django_db_blocker.unblock(), folder, transaction.atomic():
        found = write_archive(*make_judged_project())
        transaction.set_rollback(True)
    return found


def renumbered(archive, **changed):
    """The archive with its discussion version under the number 9.0, which no installation has."""

    def renumber(row):
        row["body"] = row["body"].replace(f'"version":"{row["number"]}"', '"version":"9.0"')
        row |= {"number": "9.0", "sha256": bytes_hash(row["body"].encode())} | changed

    number = json.loads(read_members(archive)[f"rows/{VERSION}.jsonl"].splitlines()[0])["number"]
    members = read_members(change_line(archive, VERSION, renumber))
    old = f'"discussion {number}"'.encode()
    return list_members({name: body.replace(old, b'"discussion 9.0"') for name, body in members.items()})


def test_an_imported_version_is_not_what_new_work_uses_until_an_admin_offers_it(archive):
    later = first("discussion").published_at + timedelta(days=1)
    said = later.strftime("%Y-%m-%dT%H:%M:%SZ")
    published = {"created_at": said, "created_by": "system@evalsite.invalid"}
    published |= {"published_at": said, "published_by": "system@evalsite.invalid"}
    for data in (renumbered(archive), renumbered(archive, **published)):
        with transaction.atomic():
            done = bring_in(data, checks=(), now=later + timedelta(days=1))
            assert done.new_versions == ["discussion 9.0"]
            version = RubricVersion.objects.select_related("rubric").get(number="9.0")
            assert RubricVersion.objects.newest("discussion") == first("discussion")
            assert version not in RubricVersion.objects.published()
            # The next archive says "published" again: it is what the version is where it was made.
            members = read_members(write_archive(done.project, make_admin()))
            again = json.loads(members[f"rows/{VERSION}.jsonl"].splitlines()[0])
            assert (again["number"], again["state"]) == ("9.0", "published")
            offer_version(version=version, reason="Ours", by=make_admin(email="b@example.org"), now=NOW)
            assert RubricVersion.objects.newest("discussion") == version
            transaction.set_rollback(True)


def emails(archive):
    """Role -> the address of a member."""
    rows = map(json.loads, read_members(archive)["rows/workspace.membership.jsonl"].splitlines())
    return {row["role"]: row["person"] for row in rows}


def test_people_who_had_an_account_get_no_role_and_no_lead_gets_their_link(archive):
    known = emails(archive)
    there = {role: make_person(email=email) for role, email in known.items()}
    done = bring_in(archive)
    assert set(done.known_members) >= {(email, role) for role, email in known.items()}
    assert not Membership.objects.filter(
        project=done.project, person__in=there.values(), ended_at=None
    ).exists()
    assert role_in(there["lead"], done.project) is None
    assert get_refusal(check_make_password_link, there["lead"], there["evaluator"])
    ended = Event.objects.filter(chain__project=done.project, verb="membership:ended")
    assert ended.count() == len(done.known_members)
    told = json.loads(Event.objects.get(verb="project:imported").detail)
    assert f"{known['lead']}: lead" in told["roles"]


def test_who_imports_can_give_the_roles_that_the_archive_names(archive):
    lead = make_person(email=emails(archive)["lead"])
    done = bring_in(archive, keeps_roles=True)
    assert role_in(lead, done.project) == "lead"
    assert [email for email, _role in done.known_members] == [lead.email]


def say(*given):
    out = io.StringIO()
    call_command(*given, stdout=out)
    return out.getvalue()


def test_the_command_lists_people_versions_and_roles(archive, tmp_path):
    lead = make_person(email=emails(archive)["lead"])
    file = tmp_path / "a.zip"
    file.write_bytes(archive)
    said = say("import_archive", str(file))
    assert f"their memberships were ended by the import: {lead.email} (lead). Add them" in said
    assert "with this installation's key, and the first seals hold" in said


def test_the_command_gives_roles_where_it_is_asked_to(archive, tmp_path):
    lead = make_person(email=emails(archive)["lead"])
    file = tmp_path / "a.zip"
    file.write_bytes(archive)
    said = json.loads(say("import_archive", str(file), "--keep-roles", "--json"))
    assert said["known_members"] == [{"email": lead.email, "role": "lead"}]
    assert (said["keeps_roles"], said["new_rubric_versions"]) == (True, [])


def test_the_log_says_that_first_seals_were_checked(archive):
    done = bring_in(archive)
    assert done.seals_hold
    lead = make_lead(project=done.project)
    browser = Client()
    browser.force_login(lead)
    text = browser.get(reverse("audit", args=[done.project.slug])).content.decode()
    assert "imported, first seal checked" in text
    assert "not checked" not in text


def test_verify_finds_a_first_seal_that_was_changed(archive):
    done = bring_in(archive)
    check = next(check for check in CHECKS if check.code == "I7f")
    assert run_check(check, NOW).breaches == []
    seal = FirstSeal.objects.filter(event__chain__project=done.project).first()
    guards()["workspace_firstseal"].take_down(connection)
    FirstSeal.objects.filter(pk=seal.pk).update(mac="0" * 64)
    assert run_check(check, NOW).breaches == [
        f"The first seals of project {done.project.pk} are not those that were imported."
    ]
