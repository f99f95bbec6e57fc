"""The page that publishes a draft: what it says, its weights, and who may not publish."""

import html
import re

import pytest
from django.urls import reverse

from rubric.models import RubricVersion
from tests.factories.people import make_admin
from tests.factories.transcripts import make_games_project
from tests.factories.versions import make_draft

pytestmark = pytest.mark.django_db


def test_the_page_of_publishing_shows_what_changes_and_who_keeps_what(client):
    make_games_project()
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


def test_it_saves_weights_alone_and_leaves_the_rest(client):
    admin = make_admin()
    client.force_login(admin)
    draft = make_draft(by=admin)
    edit = reverse("edit_version", args=[draft.rubric.key, draft.number])
    publish = reverse("publish_version", args=[draft.rubric.key, draft.number])
    page = html.unescape(client.get(publish).content.decode())
    fields = dict(re.findall(r'name="(c\d-(?:key|slide|was|weight))"\s+value="([^"]*)"', page))
    assert len(fields) == 16
    body = {**fields, "c0-weight": "48", "c1-weight": "20", "c2-weight": "16", "c3-weight": "16"}
    body |= {"do": "weights", "note": draft.note, "basis": draft.sha256}
    answer = client.post(edit, body)
    assert (answer.status_code, answer["Location"]) == (303, publish)
    before, after = draft.to_record(), RubricVersion.objects.get(pk=draft.pk).to_record()
    assert [criterion.weight for criterion in after.criteria] == [0.48, 0.2, 0.16, 0.16]
    assert [criterion.question for criterion in after.criteria] == [each.question for each in before.criteria]
    answer = client.post(
        edit, body | {"c0-weight": "49", "basis": RubricVersion.objects.get(pk=draft.pk).sha256}
    )
    assert (answer.status_code, "1\u00a0% too much" in html.unescape(answer.content.decode())) == (422, True)
