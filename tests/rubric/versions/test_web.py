"""The list of rubrics, differences, files, publishing and retiring: who sees what, and what becomes of it.

A rubric version, read only: what everybody reads, and weights for leads and admins alone.

The editor of a draft: every button is the server's, and whatever is wrong, nothing that was typed is lost.
"""

import html
import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.forms import CheckboxInput
from django.urls import reverse

from rubric.core.records import RubricRecord
from rubric.models import Rubric, RubricVersion
from rubric.versions.actions import save_draft
from rubric.versions.core.draft import draft_texts, in_step, list_entries
from rubric.versions.core.game_specs import add_defaults
from rubric.versions.core.version_json import read_version
from rubric.versions.labels import readings
from tests.factories.people import NOW, make_admin, make_lead, make_member, make_person, make_project
from tests.factories.transcripts import make_games_project
from tests.factories.versions import first, make_changed_draft, make_draft, retire_earlier, with_weights
from workspace.models import Event

pytestmark = pytest.mark.django_db


IMPORT = "/rubrics/import/"


def shown(client, person, address, **given):
    client.force_login(person)
    return html.unescape(client.get(address, **given).content.decode())


def make_file(data, name="rubric.json"):
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
    assert 'data-label="Iterations">2</td>' in text
    assert text.count("used for new work") == 2
    assert 'href="/rubrics/response/1.3/edit/"' in text
    assert text.count("New draft") == 2 and 'href="/rubrics/discussion/1.3/draft/"' in text


def test_others_see_no_drafts_and_only_who_sees_weights_reads_notes(client):
    project = make_games_project()
    draft = make_changed_draft()
    member, lead, admin = make_member(project=project), make_lead(project=project), make_admin()
    assert "response/1.3" not in shown(client, lead, "/rubrics/")
    client.force_login(admin)
    publish = reverse("publish_version", args=["response", "1.3"])
    assert client.post(publish, {"reason": "Agreed on Monday", "basis": draft.sha256}).status_code == 303
    seen = {person: shown(client, person, "/rubrics/") for person in (member, lead)}
    assert not any("Iterations" in text for text in seen.values())  # they tell of all projects
    assert "1.1" in seen[member] and "Agreed on Monday" not in seen[member]
    assert "Accuracy counts more" not in shown(client, member, "/rubrics/response/1.3/")
    assert "Agreed on Monday" in seen[lead] and "Only admins change rubrics" in seen[lead]


def test_differences_are_those_from_the_version_before(client):
    make_changed_draft()
    text = shown(client, make_admin(), "/rubrics/response/1.3/differences/")
    assert "2 differences from Response quality 1.2" in text
    assert "35\u00a0%" in text and "40\u00a0%" in text
    text = shown(client, make_admin(), "/rubrics/response/1.2/differences/", data={"from": "response/1.3"})
    assert "2 differences from Response quality 1.3" in text


def test_weights_do_not_leak_through_differences_or_files(client):
    project, draft, admin = make_games_project(), make_changed_draft(), make_admin()
    client.force_login(admin)
    client.post(reverse("publish_version", args=["response", "1.3"]), {"reason": "x", "basis": draft.sha256})
    member = make_member(project=project)
    text = shown(client, member, "/rubrics/response/1.3/differences/")
    assert "0 differences" in text and "Weights are left out" in text and "35 %" not in text
    assert client.get("/rubrics/response/1.3/rubric.json").status_code == 403


def test_what_cannot_be_compared_is_not_there(client):
    make_draft()
    for person, chosen in (
        (make_person(), "response/1.3"),
        (make_admin(), "discussion/1.1"),
        (make_admin(), "response/9"),
        (make_admin(), "x"),
    ):
        client.force_login(person)
        assert client.get("/rubrics/response/1.2/differences/", {"from": chosen}).status_code == 404


@pytest.mark.parametrize("key", ["discussion", "response"])
def test_a_file_goes_out_comes_in_and_goes_out_the_same(client, key):
    client.force_login(make_admin())
    draft = make_draft(key=key)
    address = f"/rubrics/{key}/{draft.number}/"
    out = client.get(f"{address}rubric.json")
    assert out["Content-Disposition"] == f'attachment; filename="{key}-{draft.number}.json"'
    assert isinstance(read_version(out.content), RubricRecord)
    RubricVersion.objects.filter(pk=draft.pk).delete()
    answer = client.post(IMPORT, {"file": make_file(out.content), "rubric": key, "note": "Back again"})
    assert (answer.status_code, answer["Location"]) == (303, address)
    assert client.get(f"{address}rubric.json").content == out.content
    assert RubricVersion.objects.get(rubric__key=key, number=draft.number).body == draft.body


def test_every_fault_of_a_file_is_listed_with_its_place(client):
    client.force_login(make_admin())
    data = json.loads(first("discussion").body)
    data["parameters"]["pass_count"] = 9
    data["lists"]["patterns"]["accuse"][0] = "("
    data["criteria"][0]["weight"] = 0.5
    answer = client.post(IMPORT, {"file": make_file(data), "rubric": "discussion", "note": "My words"})
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
    assert RubricVersion.objects.count() == 7


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"a": 1, "a": 2}', b"\xff\xfe\x00", b"[" * 100_000])
def test_what_is_no_version_is_refused(client, data):
    client.force_login(make_admin())
    answer = client.post(IMPORT, {"file": make_file(data), "rubric": "response", "note": "x"})
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
    answer = client.post(IMPORT, {"file": make_file(first().body.encode()), **given})
    assert (answer.status_code, says in html.unescape(answer.content.decode())) == (status, True)
    assert (Rubric.objects.count(), RubricVersion.objects.count()) == (2, 7)


def test_a_file_begins_a_response_rubric(client):
    client.force_login(make_admin())
    data = json.loads(first().body) | {"name": "Coding"}
    answer = client.post(IMPORT, {"file": make_file(data), "rubric": "", "key": "coding", "note": "For code"})
    assert answer["Location"] == "/rubrics/coding/1.2/"
    assert "Coding" in client.get("/rubrics/").content.decode()


def test_a_new_draft_leads_to_its_editor(client):
    client.force_login(make_admin())
    answer = client.post("/rubrics/response/1.2/draft/", {"note": "To try other weights"})
    assert (answer.status_code, answer["Location"]) == (303, "/rubrics/response/1.3/edit/")
    answer = client.post("/rubrics/response/1.2/draft/", {"note": ""})
    assert (answer.status_code, "Say in a few words" in answer.content.decode()) == (422, True)


def test_the_last_published_version_says_why_it_cannot_be_retired(client):
    admin = make_admin()
    retire_earlier(by=admin)
    assert "only published version" in shown(client, admin, "/rubrics/response/1.2/")
    assert client.get("/rubrics/response/1.2/retire/").status_code == 403
    draft = make_draft()
    client.post("/rubrics/response/1.3/publish/", {"reason": "Agreed", "basis": draft.sha256})
    assert 'href="/rubrics/response/1.2/retire/"' in shown(client, admin, "/rubrics/response/1.2/")
    assert client.post("/rubrics/response/1.2/retire/", {"reason": "Superseded"}).status_code == 303
    text = shown(client, make_person(), "/rubrics/response/1.2/")
    assert "retired" in text and "Superseded" not in text


@pytest.mark.parametrize(
    ("address", "count"),
    [
        ("/rubrics/", 7),
        ("/rubrics/response/1.3/", 3),
        ("/rubrics/response/1.3/differences/", 5),
        ("/rubrics/response/1.3/publish/", 9),
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
    discard = reverse("discard_version", args=["response", "1.3"])
    assert f'href="{discard}"' in shown(client, admin, "/rubrics/response/1.3/")
    assert f'href="{discard}"' in shown(client, admin, "/rubrics/response/1.3/edit/")
    text = shown(client, admin, discard)
    assert "Accuracy counts more" in text and "2 differences from 1.2" in text
    body = {"reason": "A dead end", "basis": draft.sha256}
    assert client.post(discard, body | {"reason": " "}).status_code == 422
    stale = client.post(discard, body | {"basis": other.sha256})
    assert (stale.status_code, "Look again" in html.unescape(stale.content.decode())) == (409, True)
    answer = client.post(discard, body)
    assert (answer.status_code, answer["Location"]) == (303, "/rubrics/response/1.3/")
    text = shown(client, admin, "/rubrics/response/1.3/")
    for words in ("discarded", "A dead end", "New draft from it", "Ada Chief"):
        assert words in text
    for act in ("edit", "publish", "discard"):
        assert f"/rubrics/response/1.3/{act}/" not in text
        assert client.get(f"/rubrics/response/1.3/{act}/").status_code == 403
    listed = shown(client, admin, "/rubrics/")
    assert "/response/1.3/" not in listed and "/response/1.4/" in listed
    choices = shown(client, admin, "/rubrics/response/1.4/differences/")
    assert 'value="response/1.3"' not in choices and 'value="response/1.2"' in choices
    lead = make_lead(project=make_games_project())
    client.force_login(lead)
    assert client.get("/rubrics/response/1.3/").status_code == 404


ADDRESS = "/rubrics/discussion/1.2/"


def shown_version(client, person):
    client.force_login(person)
    return client.get(ADDRESS).content.decode()


def test_everything_the_version_decides_is_on_the_page(client):
    said = shown_version(client, make_person())
    record = RubricVersion.objects.get(rubric__key="discussion", number="1.2").to_record()
    for criterion in record.criteria:
        assert criterion.label in said
    for name in (*record.parameters, *record.lists):
        assert name in said
    assert "What it decides" in said
    assert reverse("rubric_version", args=["discussion", "1.2"]) == ADDRESS


def test_weights_are_for_leads_and_admins(client):
    project = make_project()
    assert "14.29\u00a0%" not in shown_version(client, make_member(project=project))
    assert "14.29\u00a0%" in shown_version(client, make_lead(project=project))
    assert "14.29\u00a0%" in shown_version(client, make_admin())


def test_a_draft_is_not_there_but_for_admins(client):
    version = RubricVersion.objects.get(rubric__key="discussion", number="1.2")
    RubricVersion.objects.create(
        rubric=version.rubric, number="1.4", body=version.body, sha256="x", created_at=NOW,
        created_by=version.created_by,
    )  # fmt: skip
    for person, status in ((make_person(), 404), (make_admin(), 200)):
        client.force_login(person)
        assert client.get("/rubrics/discussion/1.4/").status_code == status


def test_every_parameter_of_the_shipped_versions_is_explained(client):
    records = [version.to_record() for version in RubricVersion.objects.all()]
    given = {name for record in records for name in (*add_defaults(record), *list_entries(record.lists))}
    assert given == set(readings())


def test_the_response_rubric_has_a_page_too(client):
    client.force_login(make_admin())
    said = client.get("/rubrics/response/1.2/").content.decode()
    for words in ("Response quality 1.2", "ADR-016", "Conciseness", "9-10", "35.00\u00a0%", "ask_overall"):
        assert words in said
    for words in ("Passes", "Word lists"):
        assert words not in said


def test_the_page_of_a_version_takes_few_queries(client, django_assert_num_queries):
    client.force_login(make_person())
    client.get(ADDRESS)
    with django_assert_num_queries(4):
        assert client.get(ADDRESS).status_code == 200


@pytest.fixture
def admin(client):
    person = make_admin()
    client.force_login(person)
    return person


def address(draft):
    return reverse("edit_version", args=[draft.rubric.key, draft.number])


def typed(draft, **changes):
    """What the browser sends of the untouched editor, some fields changed; __ stands for - in their names."""
    texts = {name: text for name, text in draft_texts(draft.to_record()).items() if text}
    given = {name.replace("__", "-"): text for name, text in changes.items()}
    return texts | {"note": draft.note, "basis": draft.sha256} | given


def said(answer):
    return html.unescape(answer.content.decode())


def weights_shown(text):
    return re.findall(r'name="c\d-weight" value="([^"]*)"', text)


def stored(draft):
    return RubricVersion.objects.select_related("rubric").get(pk=draft.pk)


@pytest.mark.parametrize("key", ["discussion", "response"])
def test_opening_and_saving_changes_nothing(client, admin, key):
    """What the page shows in its fields, sent back as a browser does, is the draft to the byte."""
    draft = make_draft(key=key, by=admin)
    form = client.get(address(draft)).context["form"]
    sent = {}
    for field in form:
        value = field.value()
        if isinstance(field.field.widget, CheckboxInput):
            sent |= {field.html_name: "yes"} if value else {}
        else:
            sent[field.html_name] = (value or "").replace("\n", "\r\n")
    answer = client.post(address(draft), sent | {"do": "save", "note": "Another\r\nnote"})
    assert answer.status_code == 303
    assert (stored(draft).body, stored(draft).note) == (draft.body, "Another\nnote")


@pytest.mark.parametrize(("button", "page"), [("save", ""), ("preview", "publish/")])
def test_saving_leads_on_and_leaves_a_line_in_the_log(client, admin, button, page):
    draft = make_draft(by=admin)
    body = typed(draft, do=button, c0__weight="40", c1__weight="20", c0__label="Truth")
    answer = client.post(address(draft), body)
    assert (answer.status_code, answer["Location"]) == (303, f"/rubrics/response/1.3/{page}")
    first = stored(draft).to_record().criteria[0]
    assert (first.weight, first.label) == (0.4, "Truth")
    assert Event.objects.order_by("-pk").first().verb == "rubric_version:changed"
    body = typed(stored(draft), do=button, note="N")
    answer = client.post(address(draft), body, headers={"HX-Request": "true"})
    assert (answer.status_code, answer["HX-Redirect"]) == (200, f"/rubrics/response/1.3/{page}")


def test_a_fault_keeps_everything_and_names_the_sum(client, admin):
    draft = make_draft(by=admin)
    body = typed(
        draft, do="save", c3__weight="19", c0__label="Truth <b>", note="Half done", c1__advice="one\r\ntwo"
    )
    answer = client.post(address(draft), body)
    text = said(answer)
    assert answer.status_code == 422
    assert "sum to 99\u00a0%, 1\u00a0% too little" in text
    assert "Clarity 19\u00a0%" in text
    assert "must be 100\u00a0%" in text
    for kept in ('value="Truth <b>"', "Half done", "one\r\ntwo"):
        assert kept in text
    assert weights_shown(text)[:4] == ["35", "25", "20", "19"]
    assert stored(draft).sha256 == draft.sha256


def test_a_fault_stands_at_its_field_which_is_open(client, admin):
    draft = make_draft(key="discussion", by=admin)
    answer = client.post(address(draft), typed(draft, do="check", p__pass_count="9", c0__weight="x"))
    text = said(answer)
    assert answer.status_code == 422
    assert 'The weight of Memory accuracy is "x"' in text
    assert 'Sum <span class="num">?</span>' in text and "A weight is no number." in text
    answer = client.post(address(draft), typed(draft, do="check", p__pass_count="9"))
    assert "pass_count is 9; " in said(answer)
    assert re.search(r"<details[^>]* open><summary>Verdict", said(answer))


def test_checking_stores_nothing(client, admin):
    draft = make_draft(by=admin)
    answer = client.post(address(draft), typed(draft, do="check", c0__weight="30", c1__weight="30"))
    assert answer.status_code == 200
    assert "Nothing is wrong with this draft" in said(answer)
    assert stored(draft).sha256 == draft.sha256
    assert client.post(address(draft), typed(draft)).status_code == 200  # Enter in a field


def test_scaling_the_others_and_resetting(client, admin):
    draft = make_draft(by=admin)
    answer = client.post(address(draft), typed(draft, do="scale:0", c0__weight="48", c0__label="Truth"))
    text = said(answer)
    assert weights_shown(text)[:4] == ["48", "20", "16", "16"]
    assert "Truth keeps its own" in text and ">correct<" in text
    assert 'value="Truth"' in text
    answer = client.post(address(draft), typed(draft, do="reset", c0__weight="90", c0__label="Truth"))
    assert weights_shown(said(answer))[:4] == ["35", "25", "20", "20"]
    assert 'value="Truth"' in said(answer)
    answer = client.post(address(draft), typed(draft, do="scale:0", c0__weight="200"))
    assert (answer.status_code, "between 0 and 100\u00a0%" in said(answer)) == (422, True)
    assert stored(draft).sha256 == draft.sha256


def controls(draft, **changes):
    """What the browser sends of the weights besides: the sliders, and what the numbers were."""
    return in_step(draft_texts(draft.to_record())) | changes


def weighed(client, draft, *, active_field, **changes):
    """What htmx gets when a weight is moved: the answer's text, and the ids that are swapped."""
    body = typed(draft) | controls(draft) | {name.replace("__", "-"): text for name, text in changes.items()}
    answer = client.post(
        address(draft), body | {"do": f"weigh:{active_field}"}, headers={"HX-Request": "true"}
    )
    assert answer.status_code == 200
    parts = re.findall(r"<[a-z]+ [^>]*hx-swap-oob[^>]*>", said(answer))
    return said(answer), {re.search(r' id="([^"]*)"', part)[1] for part in parts}


BESIDES = {"weights-bar", "weights-sum", *(f"weight-{index}" for index in range(4))}


def test_a_slider_moves_its_number_and_the_sum_and_is_not_redrawn_itself(client, admin):
    draft = make_draft(by=admin)
    text, swapped = weighed(client, draft, active_field="c0-slide", c0__slide="48")
    assert swapped == BESIDES | {"id_c0-weight"}
    assert weights_shown(text)[:4] == ["48", "25", "20", "20"]
    assert (
        'Sum <span class="num">113\u00a0%</span>' in text
        and "13\u00a0% too much" in text
        and "must be 100\u00a0%" in text
    )
    assert text.lstrip().startswith('<section id="weights"') and "<html" not in text
    assert stored(draft).sha256 == draft.sha256


def test_a_number_moves_its_slider_and_is_not_redrawn_itself(client, admin):
    draft = make_draft(by=admin)
    text, swapped = weighed(client, draft, active_field="c1-weight", c1__weight="33.3")
    assert swapped == BESIDES | {"id_c1-slide"}
    assert 'name="c1-slide" value="33"' in text and 'name="c1-was" value="33.3"' in text
    text, swapped = weighed(client, draft, active_field="c1-weight", c1__weight="200")
    assert "The weight of Completeness is 200\u00a0%; it must lie between 0 and 100\u00a0%." in text
    text, swapped = weighed(client, draft, active_field="c1-weight", c1__weight="")
    assert (
        'The weight of Completeness is "", which is no number.' in text and "A weight is no number." in text
    )


def test_the_others_give_way_in_proportion_if_that_is_ticked(client, admin):
    draft = make_draft(by=admin)
    text, swapped = weighed(client, draft, active_field="c0-slide", c0__slide="48", even="on")
    assert weights_shown(text)[:4] == ["48", "20", "16", "16"]
    assert swapped == BESIDES | {
        "id_c0-weight",
        *(f"id_c{at}-{name}" for at in (1, 2, 3) for name in ("weight", "slide")),
    }
    assert 'Sum <span class="num">100\u00a0%</span>' in text
    text, _swapped = weighed(client, draft, active_field="c0-weight", c0__weight="odd", even="on")
    assert weights_shown(text)[:4] == ["odd", "25", "20", "20"]


def test_a_slider_that_was_moved_counts_in_whatever_way_the_form_is_sent(client, admin):
    """Whoever presses Save before the server answered loses nothing."""
    draft = make_draft(by=admin)
    body = typed(draft, do="save") | controls(draft, **{"c0-slide": "40", "c1-slide": "20"})
    assert client.post(address(draft), body).status_code == 303
    assert [criterion.weight for criterion in stored(draft).to_record().criteria] == [0.4, 0.2, 0.2, 0.2]


def test_without_script_the_number_alone_counts(client, admin):
    """Nobody sees the sliders then; they are sent as the page had them."""
    draft = make_draft(by=admin)
    numbers = {"c0-weight": "40.5", "c1-weight": "19.5"}
    assert (
        client.post(address(draft), typed(draft, do="save") | controls(draft, **numbers)).status_code == 303
    )
    assert [criterion.weight for criterion in stored(draft).to_record().criteria] == [0.405, 0.195, 0.2, 0.2]


def test_weighing_without_htmx_shows_the_whole_page(client, admin):
    draft = make_draft(by=admin)
    answer = client.post(address(draft), typed(draft, do="weigh:c0-slide") | controls(draft))
    assert (answer.status_code, "<html" in said(answer)) == (200, True)


def test_a_criterion_is_added_and_another_left_out(client, admin):
    draft = make_draft(by=admin)
    new = {"c4__key": "tone", "c4__label": "Tone", "c4__description": "Its sound", "c4__weight": "20"}
    answer = client.post(address(draft), typed(draft, do="save", c3__remove="yes", **new))
    assert (answer.status_code, stored(draft).sha256) == (422, draft.sha256)
    assert 'The criterion "tone" has no question.' in said(answer)
    new |= {"c4__question": "How does it sound?"}
    answer = client.post(address(draft), typed(draft, do="save", c3__remove="yes", **new))
    assert answer.status_code == 303
    keys = [criterion.key for criterion in stored(draft).to_record().criteria]
    assert keys == ["accuracy", "completeness", "conciseness", "tone"]


def test_whoever_comes_second_sees_both_versions_and_decides(client, admin):
    draft = make_draft(by=admin)
    mine = typed(draft, do="save", c0__weight="45", c1__weight="15", c0__label="Truth")
    theirs = with_weights(draft.to_record(), 0.25, 0.25, 0.25, 0.25)
    other = make_admin(name="Ada Other")
    save_draft(version=draft, record=theirs, note="Evenly", basis=draft.sha256, by=other, now=NOW)
    answer = client.post(address(draft), mine)
    text = said(answer)
    assert answer.status_code == 409
    for words in (
        "Ada Other",
        "Somebody else saved this draft",
        'value="Truth"',
        "Stored",
        "Yours",
        "45\u00a0%",
    ):
        assert words in text
    assert text.index('value="check"') < text.index('value="preview"')  # what Enter presses comes first
    assert stored(draft).to_record() == theirs
    button = re.search(r'value="(overwrite:[0-9a-f]{64})"', text)[1]
    assert client.post(address(draft), mine | {"do": button}).status_code == 303
    assert stored(draft).to_record().criteria[0].label == "Truth"
    assert client.post(address(draft), mine | {"do": button}).status_code == 409


def test_no_note_no_save(client, admin):
    draft = make_draft(by=admin)
    answer = client.post(address(draft), typed(draft, do="save", note=" ", c0__label="Truth"))
    assert (answer.status_code, "Say in a few words" in said(answer)) == (422, True)
    assert 'value="Truth"' in said(answer)


@pytest.mark.parametrize(
    "fields", [{"do": "delete"}, {"do": "scale:99"}, {"colour": "red"}, {"c77-key": "x"}]
)
def test_what_our_page_does_not_send_is_refused(client, admin, fields):
    draft = make_draft(by=admin)
    assert client.post(address(draft), typed(draft) | fields).status_code == 400


def test_a_null_character_is_a_fault_and_no_crash(client, admin):
    draft = make_draft(by=admin)
    assert client.post(address(draft), typed(draft, do="save", c0__label="a\x00b")).status_code == 422


def test_a_published_version_has_no_editor(client, admin):
    answer = client.get("/rubrics/response/1.2/edit/")
    assert (answer.status_code, "Make a new draft from it" in said(answer)) == (403, True)


def test_the_editor_takes_few_queries(client, admin, django_assert_num_queries):
    draft = make_draft(key="discussion", by=admin)
    client.get(address(draft))
    with django_assert_num_queries(4):
        assert client.get(address(draft)).status_code == 200
    with django_assert_num_queries(4):
        assert client.post(address(draft), typed(draft, do="check")).status_code == 200


@pytest.mark.parametrize(
    ("weight", "says"),
    [("19.9", "99.9\u00a0%<"), ("19.99", "99.99\u00a0%<"), ("19.996", "100\u00a0%<"), ("20", "100\u00a0%<")],
)
def test_the_sum_is_called_right_only_when_it_is_1_to_4_places(client, admin, weight, says):
    draft = make_draft(by=admin)
    text = said(client.post(address(draft), typed(draft, do="check", c3__weight=weight)))
    assert f'Sum <span class="num">{says}' in text
    assert (">correct<" in text) == says.startswith("1")


def test_advice_of_a_response_criterion_is_for_low_scores(client, admin):
    text = said(client.get(reverse("rubric_version", args=["response", "1.2"])))
    assert "When its scores are low" in text and "When it fails" not in text
    assert "Let it say what it does not know, instead of filling the gap." in text
    assert "When it fails" in said(client.get(ADDRESS))
