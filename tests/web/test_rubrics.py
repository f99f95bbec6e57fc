"""The list of rubrics, differences, files, publishing and retiring: who sees what, and what becomes of it."""

import html
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from rubric.core.reading_versions import read_version
from rubric.core.records import RubricRecord
from rubric.models import Rubric, RubricVersion
from tests.drafts import first, make_changed_draft, make_draft
from tests.factories import NOW, make_admin, make_games_project, make_lead, make_member, make_person

pytestmark = pytest.mark.django_db

IMPORT = "/rubrics/import/"


def shown(client, person, address, **given):
    client.force_login(person)
    return html.unescape(client.get(address, **given).content.decode())


def file_of(data, name="rubric.json"):
    return SimpleUploadedFile(name, data if isinstance(data, bytes) else json.dumps(data).encode())


def test_the_list_names_versions_states_people_and_uses(client):
    admin = make_admin(name="Ada Chief")
    make_games_project()
    make_games_project()
    make_changed_draft(by=admin)
    text = shown(client, admin, "/rubrics/")
    for words in (
        "Discussion quality",
        "Response quality",
        "1.1",
        "draft",
        "published",
        "Ada Chief",
        "Accuracy counts more",
    ):
        assert words in text
    assert '<td class="num">2</td>' in text
    assert text.count("new work takes it") == 2
    assert 'href="/rubrics/response/1.1/edit/"' in text
    assert text.count("New draft") == 2 and 'href="/rubrics/discussion/1.0/draft/"' in text


def test_others_see_no_drafts_and_only_who_sees_weights_reads_notes(client):
    project = make_games_project()
    draft = make_changed_draft()
    member, lead, admin = make_member(project=project), make_lead(project=project), make_admin()
    assert "1.1" not in shown(client, lead, "/rubrics/")
    client.force_login(admin)
    publish = reverse("publish_version", args=["response", "1.1"])
    assert client.post(publish, {"reason": "Agreed on Monday", "basis": draft.sha256}).status_code == 303
    seen = {person: shown(client, person, "/rubrics/") for person in (member, lead)}
    assert "1.1" in seen[member] and "Agreed on Monday" not in seen[member]
    assert "Accuracy counts more" not in shown(client, member, "/rubrics/response/1.1/")
    assert "Agreed on Monday" in seen[lead] and "Only admins change rubrics" in seen[lead]


def test_differences_are_those_from_the_version_before(client):
    make_changed_draft()
    text = shown(client, make_admin(), "/rubrics/response/1.1/differences/")
    assert "2 differences from Response quality 1.0" in text
    assert "0.35" in text and "0.4" in text
    text = shown(client, make_admin(), "/rubrics/response/1.0/differences/", data={"from": "response/1.1"})
    assert "2 differences from Response quality 1.1" in text


def test_weights_do_not_leak_through_differences_or_files(client):
    project, draft, admin = make_games_project(), make_changed_draft(), make_admin()
    client.force_login(admin)
    client.post(reverse("publish_version", args=["response", "1.1"]), {"reason": "x", "basis": draft.sha256})
    member = make_member(project=project)
    text = shown(client, member, "/rubrics/response/1.1/differences/")
    assert "0 differences" in text and "Weights are left out" in text and "0.35" not in text
    assert client.get("/rubrics/response/1.1/rubric.json").status_code == 403


def test_what_cannot_be_compared_is_not_there(client):
    make_draft()
    for person, chosen in (
        (make_person(), "response/1.1"),
        (make_admin(), "discussion/1.0"),
        (make_admin(), "response/9"),
        (make_admin(), "x"),
    ):
        client.force_login(person)
        assert client.get("/rubrics/response/1.0/differences/", {"from": chosen}).status_code == 404
    assert "Nothing to compare with" in shown(client, make_admin(), "/rubrics/discussion/1.0/differences/")


@pytest.mark.parametrize("key", ["discussion", "response"])
def test_a_file_goes_out_comes_in_and_goes_out_the_same(client, key):
    client.force_login(make_admin())
    draft = make_draft(key=key)
    out = client.get(f"/rubrics/{key}/1.1/rubric.json")
    assert out["Content-Disposition"] == f'attachment; filename="{key}-1.1.json"'
    assert isinstance(read_version(out.content), RubricRecord)
    RubricVersion.objects.filter(pk=draft.pk).delete()
    answer = client.post(IMPORT, {"file": file_of(out.content), "rubric": key, "note": "Back again"})
    assert (answer.status_code, answer["Location"]) == (303, f"/rubrics/{key}/1.1/")
    assert client.get(f"/rubrics/{key}/1.1/rubric.json").content == out.content
    assert RubricVersion.objects.get(rubric__key=key, number="1.1").body == draft.body


def test_every_fault_of_a_file_is_listed_with_its_place(client):
    client.force_login(make_admin())
    data = json.loads(first("discussion").body)
    data["parameters"]["pass_count"] = 9
    data["lists"]["patterns"]["accuse"][0] = "("
    data["criteria"][0]["weight"] = 0.5
    answer = client.post(IMPORT, {"file": file_of(data), "rubric": "discussion", "note": "My words"})
    text = html.unescape(answer.content.decode())
    assert answer.status_code == 422
    for words in (
        "3 faults",
        "/parameters/pass_count",
        "/lists/patterns/accuse/0",
        "/criteria",
        "My words",
        "sum to",
    ):
        assert words in text
    assert RubricVersion.objects.count() == 2


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"a": 1, "a": 2}', b"\xff\xfe\x00", b"[" * 100_000])
def test_what_is_no_version_is_refused(client, data):
    client.force_login(make_admin())
    answer = client.post(IMPORT, {"file": file_of(data), "rubric": "response", "note": "x"})
    assert answer.status_code == 422
    assert "nothing was imported" in answer.content.decode()


@pytest.mark.parametrize(
    ("given", "status", "says"),
    [
        ({"rubric": "response", "note": ""}, 422, "where this version comes from"),
        ({"rubric": "discussion", "note": "x"}, 422, 'is of kind "discussion"'),
        ({"rubric": "", "key": "Bad key", "note": "x"}, 422, "short name of small letters"),
        ({"rubric": "", "key": "response", "note": "x"}, 409, "short name already"),
        ({"rubric": "nothing", "note": "x"}, 422, "not one of the available choices"),
        ({"rubric": "response", "note": "x", "colour": "red"}, 400, "a field that it does not have"),
    ],
)
def test_where_a_file_cannot_go_is_said(client, given, status, says):
    client.force_login(make_admin())
    answer = client.post(IMPORT, {"file": file_of(first().body.encode()), **given})
    assert (answer.status_code, says in html.unescape(answer.content.decode())) == (status, True)
    assert Rubric.objects.count() == RubricVersion.objects.count() == 2


def test_a_file_begins_a_response_rubric(client):
    client.force_login(make_admin())
    data = json.loads(first().body) | {"name": "Coding"}
    answer = client.post(IMPORT, {"file": file_of(data), "rubric": "", "key": "coding", "note": "For code"})
    assert answer["Location"] == "/rubrics/coding/1.0/"
    assert "Coding" in client.get("/rubrics/").content.decode()


def test_a_new_draft_leads_to_its_editor(client):
    client.force_login(make_admin())
    answer = client.post("/rubrics/response/1.0/draft/", {"note": "To try other weights"})
    assert (answer.status_code, answer["Location"]) == (303, "/rubrics/response/1.1/edit/")
    answer = client.post("/rubrics/response/1.0/draft/", {"note": ""})
    assert (answer.status_code, "Say in a few words" in answer.content.decode()) == (422, True)


def test_the_page_of_publishing_shows_what_changes_and_who_keeps_what(client):
    make_games_project()
    draft = make_draft(key="discussion")
    text = shown(client, make_admin(), "/rubrics/discussion/1.1/publish/")
    assert "1 iteration uses it and keeps it" in text
    assert "It says the same as 1.0" in text
    answer = client.post("/rubrics/discussion/1.1/publish/", {"reason": "", "basis": draft.sha256})
    assert (answer.status_code, "Say why" in answer.content.decode()) == (422, True)
    answer = client.post("/rubrics/discussion/1.1/publish/", {"reason": "Agreed", "basis": "0" * 64})
    assert (answer.status_code, "Agreed" in answer.content.decode()) == (409, True)
    answer = client.post("/rubrics/discussion/1.1/publish/", {"reason": "Agreed", "basis": draft.sha256})
    assert (answer.status_code, answer["Location"]) == (303, "/rubrics/discussion/1.1/")
    answer = client.post("/rubrics/discussion/1.1/publish/", {"reason": "Agreed", "basis": draft.sha256})
    assert answer.status_code == 403


def test_the_last_published_version_says_why_it_cannot_be_retired(client):
    admin = make_admin()
    assert "only published version" in shown(client, admin, "/rubrics/response/1.0/")
    assert client.get("/rubrics/response/1.0/retire/").status_code == 403
    draft = make_draft()
    client.post("/rubrics/response/1.1/publish/", {"reason": "Agreed", "basis": draft.sha256})
    assert 'href="/rubrics/response/1.0/retire/"' in shown(client, admin, "/rubrics/response/1.0/")
    assert client.post("/rubrics/response/1.0/retire/", {"reason": "Superseded"}).status_code == 303
    text = shown(client, make_person(), "/rubrics/response/1.0/")
    assert "retired" in text and "Superseded" not in text


@pytest.mark.parametrize(
    ("address", "count"),
    [
        ("/rubrics/", 7),
        ("/rubrics/response/1.1/", 3),
        ("/rubrics/response/1.1/differences/", 5),
        ("/rubrics/response/1.1/publish/", 9),
    ],
)
def test_queries_at_two_sizes(client, django_assert_num_queries, address, count):
    client.force_login(make_admin())
    make_changed_draft()
    client.get(address)
    with django_assert_num_queries(count):
        assert client.get(address).status_code == 200
    for _each in range(5):
        make_draft(now=NOW)
    with django_assert_num_queries(count):
        assert client.get(address).status_code == 200


def test_a_draft_is_discarded_with_a_reason_and_no_list_shows_it(client):
    admin = make_admin(name="Ada Chief")
    draft, other = make_changed_draft(by=admin), make_draft(by=admin)
    discard = reverse("discard_version", args=["response", "1.1"])
    assert f'href="{discard}"' in shown(client, admin, "/rubrics/response/1.1/")
    assert f'href="{discard}"' in shown(client, admin, "/rubrics/response/1.1/edit/")
    text = shown(client, admin, discard)
    assert "Accuracy counts more" in text and "2 differences from 1.0" in text
    body = {"reason": "A dead end", "basis": draft.sha256}
    assert client.post(discard, body | {"reason": " "}).status_code == 422
    stale = client.post(discard, body | {"basis": other.sha256})
    assert (stale.status_code, "Look again" in html.unescape(stale.content.decode())) == (409, True)
    answer = client.post(discard, body)
    assert (answer.status_code, answer["Location"]) == (303, "/rubrics/response/1.1/")
    text = shown(client, admin, "/rubrics/response/1.1/")
    for words in ("discarded", "A dead end", "New draft from it", "Ada Chief"):
        assert words in text
    for act in ("edit", "publish", "discard"):
        assert f"/rubrics/response/1.1/{act}/" not in text
        assert client.get(f"/rubrics/response/1.1/{act}/").status_code == 403
    listed = shown(client, admin, "/rubrics/")
    assert "/response/1.1/" not in listed and "/response/1.2/" in listed
    choices = shown(client, admin, "/rubrics/response/1.2/differences/")
    assert 'value="response/1.1"' not in choices and 'value="response/1.0"' in choices
    lead = make_lead(project=make_games_project())
    client.force_login(lead)
    assert client.get("/rubrics/response/1.1/").status_code == 404
