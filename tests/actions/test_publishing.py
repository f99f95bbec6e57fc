"""Versions are published with a reason and retired with one; new work takes the newest that is published."""

import json
from datetime import timedelta

import pytest

from discussions.actions.iterating import open_project
from discussions.models import Iteration
from rubric.actions.publishing import publish_version, retire_version
from rubric.models import RubricVersion
from tests.drafts import first, make_changed_draft, make_draft
from tests.factories import NOW, make_admin, make_games_project, make_person, moment
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


def publish(draft, *, by=None, basis=None, reason="Agreed on Monday", now=NOW):
    """Publish as somebody who looked at it just now."""
    publish_version(version=draft, basis=basis or draft.sha256, reason=reason, by=by or make_admin(), now=now)
    return RubricVersion.objects.select_related("rubric").get(pk=draft.pk)


def test_publishing_names_who_when_and_why():
    by = make_admin()
    version = publish(make_changed_draft(), by=by, now=moment(9))
    assert (version.state, version.published_by, version.published_at) == ("published", by, moment(9))
    assert version.reason == "Agreed on Monday"
    event = Event.objects.order_by("-pk").first()
    assert event.verb == "rubric_version:published"
    assert json.loads(event.detail)["reason"] == "Agreed on Monday"
    with pytest.raises(NotAllowed, match="published already"):
        publish(version)


def test_publishing_wants_a_reason_and_an_admin():
    draft = make_draft()
    with pytest.raises(Unacceptable) as refusal:
        publish(draft, reason=" ")
    assert refusal.value.field == "reason"
    with pytest.raises(NotAllowed):
        publish(draft, by=make_person())
    assert RubricVersion.objects.get(pk=draft.pk).state == "draft"


def test_what_was_not_looked_at_is_not_published():
    draft = make_draft()
    with pytest.raises(Conflict, match="Look at it again"):
        publish(draft, basis="0" * 64)
    assert RubricVersion.objects.get(pk=draft.pk).state == "draft"


def test_new_projects_take_the_newest_and_old_ones_keep_theirs():
    old = make_games_project()
    later = first("discussion").published_at + timedelta(days=1)
    version = publish(make_draft(key="discussion"), now=later)
    new = open_project(slug="spring", name="Spring", by=make_admin(), now=NOW)
    assert Iteration.objects.get(project=new).rubric_version == version
    assert Iteration.objects.get(project=old).rubric_version.number == "1.0"


def test_a_retired_version_is_not_taken_any_more():
    version, by = publish(make_draft(key="discussion")), make_admin()
    retire_version(version=version, reason="A mistake", by=by, now=moment(9))
    found = RubricVersion.objects.select_related("rubric").get(pk=version.pk)
    assert (found.state, found.retired_by, found.retired_reason) == ("retired", by, "A mistake")
    assert Event.objects.order_by("-pk").first().verb == "rubric_version:retired"
    project = open_project(slug="spring", name="Spring", by=by, now=NOW)
    assert Iteration.objects.get(project=project).rubric_version.number == "1.0"
    with pytest.raises(NotAllowed, match="retired already"):
        retire_version(version=found, reason="Again", by=by, now=NOW)


def test_the_only_published_version_and_drafts_are_not_retired():
    draft, by = make_draft(), make_admin()
    with pytest.raises(NotAllowed, match="only published version"):
        retire_version(version=first(), reason="Old", by=by, now=NOW)
    with pytest.raises(NotAllowed, match="nothing to retire"):
        retire_version(version=draft, reason="Old", by=by, now=NOW)
    publish(draft)
    with pytest.raises(NotAllowed, match="Only admins"):
        retire_version(version=first(), reason="Old", by=make_person(), now=NOW)
    with pytest.raises(Unacceptable):
        retire_version(version=first(), reason="", by=by, now=NOW)
    retire_version(version=first(), reason="Old", by=by, now=NOW)


def test_whoever_retires_second_is_told():
    publish(make_draft())
    stale, by = first(), make_admin()
    retire_version(version=first(), reason="Old", by=by, now=NOW)
    publish(make_draft(by=by))
    with pytest.raises(Conflict, match="in the meantime"):
        retire_version(version=stale, reason="Old", by=by, now=NOW)
