"""What a published rubric version says is final, and its state fits its dates: the database itself holds it."""

import pytest
from django.db import DatabaseError, transaction

from rubric.models import RubricVersion
from rubric.versions.actions import discard_draft
from tests.factories.people import NOW, make_admin
from tests.factories.versions import first, make_draft

pytestmark = [pytest.mark.django_db, pytest.mark.services]


@pytest.fixture(autouse=True)
def published(db):
    """There is something published."""
    first()


def refuses(**changes):
    """Whether the database refuses to change every version so."""
    try:
        with transaction.atomic():
            RubricVersion.objects.update(**changes)
    except DatabaseError:
        return True
    return False


@pytest.mark.parametrize(
    "changes",
    [
        {"body": "{}"},
        {"sha256": "0" * 64},
        {"number": "7"},
        {"note": "another"},
        {"reason": "another"},
        {"published_at": None, "published_by": None},
        {"state": "draft"},
        {"state": "draft", "published_at": None, "published_by": None},
        {"state": "retired"},
        {"state": "gone"},
        {"retired_at": NOW},
        {"edited_at": NOW},
    ],
    ids=str,
)
def test_what_is_published_stays_as_it_is(changes):
    assert refuses(**changes)


def test_a_published_version_is_not_deleted():
    with pytest.raises(DatabaseError), transaction.atomic():
        RubricVersion.objects.all().delete()


def test_it_can_be_retired_and_says_the_same_then():
    assert not refuses(state="retired", retired_at=NOW, retired_by=make_admin(), retired_reason="Superseded")
    assert refuses(body="{}")
    assert refuses(state="draft")


@pytest.mark.parametrize(
    "changes",
    [
        {"body": "{}"},
        {"note": "another"},
        {"discarded_at": None, "discarded_by": None},
        {"discarded_reason": "another"},
        {"state": "draft"},
        {"state": "draft", "discarded_at": None, "discarded_by": None},
        {"state": "published"},
        {"published_at": NOW},
    ],
    ids=str,
)
def test_a_discarded_draft_stays_as_it_is(changes):
    by = make_admin()
    draft = make_draft(by=by)
    discard_draft(version=draft, basis=draft.sha256, reason="A dead end", by=by, now=NOW)
    rows = RubricVersion.objects.filter(pk=draft.pk)
    with pytest.raises(DatabaseError), transaction.atomic():
        rows.update(**changes)
    with pytest.raises(DatabaseError), transaction.atomic():
        rows.delete()


def test_what_is_published_cannot_be_discarded():
    assert refuses(state="discarded", discarded_at=NOW, discarded_by=make_admin())
    assert refuses(discarded_at=NOW, discarded_by=make_admin())
