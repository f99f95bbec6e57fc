"""What two installations gave the same name meets on an import: it comes in, or a sentence says why nothing did."""

import json
from itertools import count

import pytest
from django.db import transaction
from django.test import override_settings

from discussions.models import Adjudication, Game, Remark, Revision, Transcript
from rubric.models import MarkRevision, RubricVersion
from tests.factories.adjudication import TIE, list_evaluations, make_differing, resolve_difference
from tests.factories.comparisons import make_set
from tests.factories.human_reviewers import begin, submitted
from tests.factories.people import NOW, make_admin, make_lead
from tests.factories.project_archives import (
    bring_in,
    change_line,
    list_members,
    read_members,
    write_archive,
)
from tests.factories.tampering import without_triggers
from tests.factories.versions import make_draft
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.core.refusals import Unacceptable
from workspace.models import Event, Membership, Person, Project
from workspace.people.actions.people import invite
from workspace.tokens.actions import create_service_account

pytestmark = [pytest.mark.django_db, pytest.mark.services(is_long=True)]
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
