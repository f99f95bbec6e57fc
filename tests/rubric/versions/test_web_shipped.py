"""Versions that came with the site say why, as those that people publish do."""

import html

import pytest

from rubric.versions.actions import publish_first_versions, publish_version
from rubric.versions.labels import SHIPPED_REASONS
from rubric.versions.queries import DISCUSSION_NUMBERS, RESPONSE_NUMBERS
from tests.factories.people import NOW, make_admin, make_lead, make_project
from tests.factories.versions import make_changed_draft
from workspace.models import Person

pytestmark = pytest.mark.django_db


def shown(client, person, address):
    client.force_login(person)
    return html.unescape(client.get(address).content.decode())


def test_versions_that_came_with_the_site_say_why(client, settings):
    publish_first_versions(by=Person.objects.system(now=NOW), now=NOW)
    lead = make_lead(project=make_project())
    text = shown(client, lead, "/rubrics/")
    assert len(SHIPPED_REASONS) == len(DISCUSSION_NUMBERS) + len(RESPONSE_NUMBERS)
    for (kind, number), reason in SHIPPED_REASONS.items():
        assert str(reason) in text
        assert str(reason) in shown(client, lead, f"/rubrics/{kind}/{number}/")
    # Other weights than those under which a response version was stored do not hide what it is.
    settings.RESPONSE_WEIGHTS = {"accuracy": 0.4, "completeness": 0.3, "conciseness": 0.2, "clarity": 0.1}
    assert str(SHIPPED_REASONS["response", "1.1"]) in shown(client, lead, "/rubrics/response/1.1/")


def test_a_version_that_a_person_published_says_what_that_person_said(client):
    publish_first_versions(by=Person.objects.system(now=NOW), now=NOW)
    admin = make_admin()
    # It differs from a shipped one in weights alone.
    draft = make_changed_draft(by=admin)
    publish_version(version=draft, reason="Agreed on Monday", basis=draft.sha256, by=admin, now=NOW)
    text = shown(client, admin, f"/rubrics/response/{draft.number}/")
    assert "Agreed on Monday" in text and "came with the site" not in text


def test_the_page_of_publishing_says_what_becomes_of_a_version(client):
    admin = make_admin()
    draft = make_changed_draft(by=admin)
    text = " ".join(shown(client, admin, f"/rubrics/response/{draft.number}/publish/").split())
    assert "From then on it never changes, and is used for new work." in text
