"""The page that publishes a draft: what it says, its weights, and who may not publish.

The page of a version that a project archive brought: an admin offers it for new work.

Versions that came with the site say why, as those that people publish do.
"""

import html
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from rubric.models import RubricVersion
from rubric.versions.actions import publish_first_versions, publish_version
from rubric.versions.labels import SHIPPED_REASONS
from rubric.versions.queries import DISCUSSION_NUMBERS, RESPONSE_NUMBERS
from tests.factories.people import NOW, make_admin, make_lead, make_project
from tests.factories.transcripts import make_games_project
from tests.factories.versions import make_changed_draft, make_draft, make_imported_version
from workspace.models import Person

pytestmark = pytest.mark.django_db


def test_the_page_of_publishing_shows_what_changes_and_who_keeps_what(client):
    project = make_games_project()
    draft = make_draft(key="discussion")
    client.force_login(make_admin())
    text = html.unescape(client.get("/rubrics/discussion/1.4/publish/").content.decode())
    assert "1 iteration uses it and keeps it" in text
    assert "It says the same as 1.3" in text
    answer = client.post("/rubrics/discussion/1.4/publish/", {"reason": "", "basis": draft.sha256})
    assert (answer.status_code, "Say why" in answer.content.decode()) == (422, True)
    answer = client.post("/rubrics/discussion/1.4/publish/", {"reason": "Agreed", "basis": "0" * 64})
    assert (answer.status_code, "Agreed" in answer.content.decode()) == (409, True)
    answer = client.post("/rubrics/discussion/1.4/publish/", {"reason": "Agreed", "basis": draft.sha256})
    assert (answer.status_code, answer["Location"]) == (303, "/rubrics/discussion/1.4/")
    answer = client.post("/rubrics/discussion/1.4/publish/", {"reason": "Agreed", "basis": draft.sha256})
    assert answer.status_code == 403
    says = {number: read(client, f"/rubrics/discussion/{number}/") for number in ("1.3", "1.4")}
    assert f">{project.name}</bdi></a> (1 iteration). Iterations under" in says["1.3"]
    assert "No iteration uses it yet. Iterations under an earlier version keep it" in says["1.4"]
    client.force_login(make_lead(project=project))
    assert "1 iteration" not in read(client, "/rubrics/discussion/1.3/")


def read(client, address):
    return " ".join(html.unescape(client.get(address).content.decode()).split())


@pytest.mark.parametrize(("button", "page"), [("weights", "publish_version"), ("edit", "edit_version")])
def test_its_buttons_save_weights_alone_and_leave_the_rest(client, button, page):
    admin = make_admin()
    client.force_login(admin)
    draft = make_draft(by=admin)
    edit = reverse("edit_version", args=[draft.rubric.key, draft.number])
    publish = reverse("publish_version", args=[draft.rubric.key, draft.number])
    shown = html.unescape(client.get(publish).content.decode())
    fields = dict(re.findall(r'name="(c\d-(?:key|slide|was|weight))"\s+value="([^"]*)"', shown))
    assert f'value="{button}"' in shown
    assert len(fields) == 16
    body = {**fields, "c0-weight": "48", "c1-weight": "20", "c2-weight": "16", "c3-weight": "16"}
    body |= {"do": button, "note": draft.note, "basis": draft.sha256, "reason": "Seen\r\nin games"}
    refused = client.post(publish, body | {"do": ""})
    text = html.unescape(refused.content.decode())
    assert (refused.status_code, "These weights are not saved" in text) == (422, True)
    assert f">{draft.to_record().criteria[0].label}</bdi></label>" in text
    assert "in games</textarea>" in text and 'name="c0-weight" value="48"' in " ".join(text.split())
    for wrong in ("abc", "", "40,5 %"):
        assert client.post(publish, body | {"do": "", "c0-weight": wrong}).status_code == 422
    answer = client.post(edit, body)
    assert (answer.status_code, answer["Location"]) == (
        303,
        reverse(page, args=[draft.rubric.key, draft.number]),
    )
    before, after = draft.to_record(), RubricVersion.objects.get(pk=draft.pk).to_record()
    assert [criterion.weight for criterion in after.criteria] == [0.48, 0.2, 0.16, 0.16]
    assert [criterion.question for criterion in after.criteria] == [each.question for each in before.criteria]
    answer = client.post(
        edit, body | {"c0-weight": "49", "basis": RubricVersion.objects.get(pk=draft.pk).sha256}
    )
    assert (answer.status_code, "1\u00a0% too much" in html.unescape(answer.content.decode())) == (422, True)
    # The reason that was typed goes along to every page.
    assert "in games</textarea>" in html.unescape(client.get(publish).content.decode())
    for text in (answer.content.decode(), client.get(edit).content.decode()):
        assert re.search(r'<input type="hidden" name="reason" value="Seen\s+in games"', html.unescape(text))
    stored = RubricVersion.objects.get(pk=draft.pk)
    long = client.post(edit, body | {"basis": stored.sha256, "reason": "x" * 10_001})
    assert (long.status_code, "too long" in long.content.decode()) == (422, True)
    assert client.post(edit, body | {"basis": stored.sha256, "reason": ""}).status_code == 303
    assert RubricVersion.objects.get(pk=draft.pk).reason == "Seen\nin games"
    shown = html.unescape(client.get(publish).content.decode())
    fields = dict(re.findall(r'name="(c\d-(?:key|slide|was|weight))"\s+value="([^"]*)"', shown))
    body = {**fields, "note": stored.note, "basis": stored.sha256, "reason": "Seen"}
    assert client.post(publish, body).status_code == 303


def test_only_versions_that_games_are_judged_by_ask_which_projects_use_them(client):
    make_draft()
    client.force_login(make_admin())
    for kind, asked in (("discussion", True), ("response", False)):
        with CaptureQueriesContext(connection) as queries:
            text = read(client, f"/rubrics/{kind}/1.3/" if kind == "discussion" else "/rubrics/response/1.2/")
        assert any("iteration" in query["sql"] for query in queries) is asked
        assert ("No iteration uses it yet" in text) is asked


def shown(client, person, address):
    client.force_login(person)
    return html.unescape(client.get(address).content.decode())


def test_an_imported_version_is_offered_for_new_work_on_its_page(client):
    admin = make_admin()
    version = make_imported_version(by=admin)
    address = f"/rubrics/discussion/{version.number}/"
    text = shown(client, admin, address)
    assert "New work does not use it until an admin offers it" in text
    assert f'href="{address}offer/"' in text
    assert "imported" in shown(client, admin, "/rubrics/")
    assert "Once it is offered" in shown(client, admin, f"{address}offer/")
    assert client.post(f"{address}offer/", {"reason": ""}).status_code == 422
    answer = client.post(f"{address}offer/", {"reason": "Compared with ours", "basis": version.sha256})
    assert (answer.status_code, answer["Location"]) == (303, address)
    assert f'href="{address}offer/"' not in shown(client, admin, address)
    assert client.get(f"{address}offer/").status_code == 403


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
