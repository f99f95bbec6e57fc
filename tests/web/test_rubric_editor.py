"""The editor of a draft: every button is the server's, and whatever is wrong, nothing that was typed is lost."""

import html
import re

import pytest
from django.forms import CheckboxInput
from django.urls import reverse

from rubric.actions.drafting import save_draft
from rubric.core.draft_texts import draft_texts
from rubric.core.weighing import in_step
from rubric.models import RubricVersion
from tests.drafts import make_draft, with_weights
from tests.factories import NOW, make_admin
from workspace.models import Event

pytestmark = pytest.mark.django_db


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


def test_saving_leads_to_the_version_and_leaves_a_line_in_the_log(client, admin):
    draft = make_draft(by=admin)
    body = typed(draft, do="save", c0__weight="0.40", c1__weight="0.2", c0__label="Truth")
    answer = client.post(address(draft), body)
    assert (answer.status_code, answer["Location"]) == (303, "/rubrics/response/1.1/")
    first = stored(draft).to_record().criteria[0]
    assert (first.weight, first.label) == (0.4, "Truth")
    assert Event.objects.order_by("-pk").first().verb == "rubric_version:changed"
    answer = client.post(
        address(draft), typed(stored(draft), do="save", note="N"), headers={"HX-Request": "true"}
    )
    assert (answer.status_code, answer["HX-Redirect"]) == (200, "/rubrics/response/1.1/")


def test_a_fault_keeps_everything_and_names_the_sum(client, admin):
    draft = make_draft(by=admin)
    body = typed(
        draft, do="save", c3__weight="0.19", c0__label="Truth <b>", note="Half done", c1__advice="one\r\ntwo"
    )
    answer = client.post(address(draft), body)
    text = said(answer)
    assert answer.status_code == 422
    assert "sum to 0.99, 0.01 too little" in text
    assert "clarity 0.19" in text
    assert "must be 1" in text
    for kept in ('value="Truth <b>"', "Half done", "one\r\ntwo"):
        assert kept in text
    assert weights_shown(text)[:4] == ["0.35", "0.25", "0.2", "0.19"]
    assert stored(draft).sha256 == draft.sha256


def test_a_fault_stands_at_its_field_which_is_open(client, admin):
    draft = make_draft(key="discussion", by=admin)
    answer = client.post(address(draft), typed(draft, do="check", p__pass_count="9", c0__weight="x"))
    text = said(answer)
    assert answer.status_code == 422
    assert 'The weight of memory_accuracy is "x"' in text
    assert 'Sum <span class="num">?</span>' in text and "A weight is no number." in text
    answer = client.post(address(draft), typed(draft, do="check", p__pass_count="9"))
    assert "pass_count is 9; it must lie between 1 and 7." in said(answer)
    assert re.search(r"<details[^>]* open><summary>Verdict", said(answer))


def test_checking_stores_nothing(client, admin):
    draft = make_draft(by=admin)
    answer = client.post(address(draft), typed(draft, do="check", c0__weight="0.3", c1__weight="0.3"))
    assert answer.status_code == 200
    assert "Nothing is wrong with this draft" in said(answer)
    assert stored(draft).sha256 == draft.sha256
    assert client.post(address(draft), typed(draft)).status_code == 200  # Enter in a field


def test_scaling_the_others_and_resetting(client, admin):
    draft = make_draft(by=admin)
    answer = client.post(address(draft), typed(draft, do="scale:0", c0__weight="0.48", c0__label="Truth"))
    text = said(answer)
    assert weights_shown(text)[:4] == ["0.48", "0.2", "0.16", "0.16"]
    assert "Truth keeps its own" in text and "as it must be" in text
    assert 'value="Truth"' in text
    answer = client.post(address(draft), typed(draft, do="reset", c0__weight="0.9", c0__label="Truth"))
    assert weights_shown(said(answer))[:4] == ["0.35", "0.25", "0.2", "0.2"]
    assert 'value="Truth"' in said(answer)
    answer = client.post(address(draft), typed(draft, do="scale:0", c0__weight="2"))
    assert (answer.status_code, "between 0 and 1" in said(answer)) == (422, True)
    assert stored(draft).sha256 == draft.sha256


def controls(draft, **changes):
    """What the browser sends of the weights besides: the sliders, and what the numbers were."""
    return in_step(draft_texts(draft.to_record())) | changes


def weighed(client, draft, *, in_hand, **changes):
    """What htmx gets when a weight is moved: the answer's text, and the ids that are swapped."""
    body = typed(draft) | controls(draft) | {name.replace("__", "-"): text for name, text in changes.items()}
    answer = client.post(address(draft), body | {"do": f"weigh:{in_hand}"}, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    parts = re.findall(r"<[a-z]+ [^>]*hx-swap-oob[^>]*>", said(answer))
    return said(answer), {re.search(r' id="([^"]*)"', part)[1] for part in parts}


BESIDES = {"weights-sum", *(f"weight-{place}" for place in range(4))}


def test_a_slider_moves_its_number_and_the_sum_and_is_not_redrawn_itself(client, admin):
    draft = make_draft(by=admin)
    text, swapped = weighed(client, draft, in_hand="c0-slide", c0__slide="0.48")
    assert swapped == BESIDES | {"id_c0-weight"}
    assert weights_shown(text)[:4] == ["0.48", "0.25", "0.2", "0.2"]
    assert 'Sum <span class="num">1.13</span>' in text and "0.13 too much" in text and "must be 1" in text
    assert text.lstrip().startswith('<section id="weights"') and "<html" not in text
    assert stored(draft).sha256 == draft.sha256


def test_a_number_moves_its_slider_and_is_not_redrawn_itself(client, admin):
    draft = make_draft(by=admin)
    text, swapped = weighed(client, draft, in_hand="c1-weight", c1__weight="0.333")
    assert swapped == BESIDES | {"id_c1-slide"}
    assert 'name="c1-slide" value="0.33"' in text and 'name="c1-was" value="0.333"' in text
    text, swapped = weighed(client, draft, in_hand="c1-weight", c1__weight="2")
    assert "The weight of completeness is 2; it must lie between 0 and 1." in text
    text, swapped = weighed(client, draft, in_hand="c1-weight", c1__weight="")
    assert (
        'The weight of completeness is "", which is no number.' in text and "A weight is no number." in text
    )


def test_a_slider_that_was_moved_counts_in_whatever_way_the_form_is_sent(client, admin):
    """Whoever presses Save before the server answered loses nothing."""
    draft = make_draft(by=admin)
    body = typed(draft, do="save") | controls(draft, **{"c0-slide": "0.4", "c1-slide": "0.2"})
    assert client.post(address(draft), body).status_code == 303
    assert [each.weight for each in stored(draft).to_record().criteria] == [0.4, 0.2, 0.2, 0.2]


def test_without_script_the_number_alone_counts(client, admin):
    """Nobody sees the sliders then; they are sent as the page had them."""
    draft = make_draft(by=admin)
    numbers = {"c0-weight": "0.405", "c1-weight": "0.195"}
    assert (
        client.post(address(draft), typed(draft, do="save") | controls(draft, **numbers)).status_code == 303
    )
    assert [each.weight for each in stored(draft).to_record().criteria] == [0.405, 0.195, 0.2, 0.2]


def test_weighing_without_htmx_shows_the_whole_page(client, admin):
    draft = make_draft(by=admin)
    answer = client.post(address(draft), typed(draft, do="weigh:c0-slide") | controls(draft))
    assert (answer.status_code, "<html" in said(answer)) == (200, True)


def test_a_criterion_is_added_and_another_left_out(client, admin):
    draft = make_draft(by=admin)
    new = {"c4__key": "tone", "c4__label": "Tone", "c4__description": "Its sound", "c4__weight": "0.2"}
    answer = client.post(address(draft), typed(draft, do="save", c3__remove="yes", **new))
    assert answer.status_code == 303
    keys = [each.key for each in stored(draft).to_record().criteria]
    assert keys == ["accuracy", "completeness", "conciseness", "tone"]


def test_whoever_comes_second_sees_both_versions_and_decides(client, admin):
    draft = make_draft(by=admin)
    mine = typed(draft, do="save", c0__weight="0.45", c1__weight="0.15", c0__label="Truth")
    theirs = with_weights(draft.to_record(), 0.25, 0.25, 0.25, 0.25)
    other = make_admin(name="Ada Other")
    save_draft(version=draft, record=theirs, note="Evenly", basis=draft.sha256, by=other, now=NOW)
    answer = client.post(address(draft), mine)
    text = said(answer)
    assert answer.status_code == 409
    for words in ("Ada Other", "Somebody else saved this draft", 'value="Truth"', "Stored", "Yours", "0.45"):
        assert words in text
    assert text.index('value="check"') < text.index('value="overwrite:')  # what Enter presses comes first
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
    answer = client.get("/rubrics/response/1.0/edit/")
    assert (answer.status_code, "Make a new draft from it" in said(answer)) == (403, True)


def test_queries(client, admin, django_assert_num_queries):
    draft = make_draft(key="discussion", by=admin)
    client.get(address(draft))
    with django_assert_num_queries(3):
        assert client.get(address(draft)).status_code == 200
    with django_assert_num_queries(3):
        assert client.post(address(draft), typed(draft, do="check")).status_code == 200
