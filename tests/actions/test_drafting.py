"""Drafts are made, imported and saved; nothing is overwritten unseen, and nothing is stored that does not stand."""

import json

import pytest
from msgspec.structs import replace

from rubric.actions.drafting import discard_draft, draft_version, import_version, save_draft
from rubric.actions.publishing import publish_version
from rubric.core.numbering import is_number, next_number
from rubric.core.reading_versions import read_version
from rubric.core.records import RubricRecord
from rubric.models import Rubric, RubricVersion
from tests.drafts import first, make_changed_draft, make_draft, with_weights
from tests.factories import NOW, make_admin, make_person, moment
from workspace.core.canonical import bytes_hash, canonical_bytes
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


def last_event():
    """Verb and detail of the newest audit line."""
    event = Event.objects.order_by("-pk").first()
    return event.verb, json.loads(event.detail)


def test_a_draft_says_what_it_was_made_from_and_has_the_next_number():
    by = make_admin()
    draft = make_draft(by=by)
    assert (draft.number, draft.state, draft.created_by, draft.published_at) == ("1.1", "draft", by, None)
    assert replace(draft.to_record(), version="1.0") == first().to_record()
    assert draft.sha256 == bytes_hash(draft.body.encode())
    assert last_event() == (
        "rubric_version:drafted",
        {"rubric": "response", "number": "1.1", "from": "1.0", "note": draft.note, "sha256": draft.sha256},
    )
    assert make_draft(by=by).number == "1.2"


@pytest.mark.parametrize(
    ("taken", "number"),
    [
        (["1.0"], "1.1"),
        (["1.0", "1.9"], "1.10"),
        (["2"], "2.1"),
        ([], "1.0"),
        (["x"], "1.0"),
        (["1.2.3", "1.2"], "1.2.4"),
    ],
)
def test_the_next_number(taken, number):
    assert next_number(taken) == number
    assert is_number(number)


@pytest.mark.parametrize("text", ["", ".", "..", "1/2", "1 2", "-1", "1.", "a" * 21, "é", "1\n"])
def test_what_cannot_be_a_number(text):
    assert not is_number(text)


def test_only_admins_make_and_change_drafts():
    draft, person = make_draft(), make_person()
    with pytest.raises(NotAllowed, match="Only admins change rubrics"):
        draft_version(version=draft, note="x", by=person, now=NOW)
    with pytest.raises(NotAllowed):
        save_draft(version=draft, record=draft.to_record(), note="x", basis=draft.sha256, by=person, now=NOW)
    with pytest.raises(NotAllowed):
        import_version(record=draft.to_record(), rubric=draft.rubric, note="x", by=person, now=NOW)


@pytest.mark.parametrize("note", ["", "  ", "x" * 2001])
def test_a_draft_wants_a_note(note):
    with pytest.raises(Unacceptable) as refusal:
        draft_version(version=first(), note=note, by=make_admin(), now=NOW)
    assert refusal.value.field == "note"
    assert RubricVersion.objects.count() == 2


def test_saving_replaces_what_the_draft_says():
    draft = make_changed_draft(now=moment(5))
    assert [each.weight for each in draft.to_record().criteria] == [0.4, 0.2, 0.2, 0.2]
    assert (draft.note, draft.edited_at) == ("Accuracy counts more", moment(5))
    verb, detail = last_event()
    assert (verb, detail["changed"], detail["sha256"]) == ("rubric_version:changed", 2, draft.sha256)


def test_saying_the_same_again_changes_nothing():
    draft, by = make_draft(), make_admin()
    before = Event.objects.count()
    save_draft(version=draft, record=draft.to_record(), note=draft.note, basis=draft.sha256, by=by, now=NOW)
    assert Event.objects.count() == before
    assert RubricVersion.objects.get(pk=draft.pk).edited_at is None


def test_whoever_comes_second_overwrites_nothing():
    draft, by = make_draft(), make_admin()
    old = RubricVersion.objects.select_related("rubric").get(pk=draft.pk)
    mine = with_weights(draft.to_record(), 0.4, 0.2, 0.2, 0.2)
    save_draft(version=draft, record=mine, note="a", basis=draft.sha256, by=by, now=NOW)
    theirs = with_weights(draft.to_record(), 0.25, 0.25, 0.25, 0.25)
    with pytest.raises(Conflict, match="Somebody else saved"):
        save_draft(version=old, record=theirs, note="b", basis=old.sha256, by=by, now=NOW)
    assert RubricVersion.objects.get(pk=draft.pk).to_record() == mine


def test_a_version_that_does_not_stand_is_not_stored():
    draft, by = make_draft(), make_admin()
    wrong = with_weights(draft.to_record(), 0.35, 0.25, 0.2, 0.19)
    with pytest.raises(Unacceptable, match=r"sum to 0\.99"):
        save_draft(version=draft, record=wrong, note="a", basis=draft.sha256, by=by, now=NOW)
    assert RubricVersion.objects.get(pk=draft.pk).sha256 == draft.sha256


def test_a_published_version_is_not_saved_over():
    version = first()
    with pytest.raises(NotAllowed, match="never changes"):
        save_draft(
            version=version,
            record=version.to_record(),
            note="a",
            basis=version.sha256,
            by=make_admin(),
            now=NOW,
        )


def test_a_file_comes_in_as_a_draft_with_its_own_number_where_it_is_free():
    record, by = replace(first().to_record(), version="2.0"), make_admin()
    draft = import_version(record=record, rubric=first().rubric, note="From a file", by=by, now=NOW)
    assert (draft.number, draft.state, draft.body.encode()) == ("2.0", "draft", canonical_bytes(record))
    again = import_version(record=record, rubric=first().rubric, note="From a file", by=by, now=NOW)
    assert (again.number, again.to_record().version) == ("2.1", "2.1")
    assert last_event()[0] == "rubric_version:imported"


def test_a_file_can_begin_a_response_rubric():
    record, by = replace(first().to_record(), name="Coding"), make_admin()
    draft = import_version(record=record, rubric=None, key="coding", note="For code", by=by, now=NOW)
    assert (draft.rubric.key, draft.rubric.name, draft.number) == ("coding", "Coding", "1.0")
    assert read_version(draft.body.encode()) == record
    with pytest.raises(Conflict, match="short name already"):
        import_version(record=record, rubric=None, key="coding", note="For code", by=by, now=NOW)


def test_what_does_not_fit_together_is_refused():
    by, response = make_admin(), first().to_record()
    discussion = first("discussion").to_record()

    def refusal(record: RubricRecord, **given):
        with pytest.raises(Unacceptable) as raised:
            import_version(record=record, note="x", by=by, now=NOW, **given)
        return raised.value.field

    assert refusal(discussion, rubric=first().rubric) == "rubric"
    assert refusal(discussion, rubric=None, key="mafia") == "rubric"
    assert refusal(response, rubric=None, key="Not this!") == "key"
    assert refusal(replace(response, version="1/2"), rubric=first().rubric) == "file"
    assert refusal(replace(response, name="n" * 201), rubric=first().rubric) == "file"
    assert Rubric.objects.count() == RubricVersion.objects.count() == 2


def discard(draft, *, by=None, basis=None, reason="A dead end", now=NOW):
    """Discard as somebody who looked at it just now."""
    discard_draft(version=draft, basis=basis or draft.sha256, reason=reason, by=by or make_admin(), now=now)
    return RubricVersion.objects.select_related("rubric").get(pk=draft.pk)


def test_a_discarded_draft_stays_with_its_number_and_the_reason():
    by, draft = make_admin(), make_draft()
    gone = discard(draft, by=by, now=moment(7))
    assert (gone.state, gone.discarded_by, gone.discarded_at) == ("discarded", by, moment(7))
    assert (gone.discarded_reason, gone.body) == ("A dead end", draft.body)
    detail = {"rubric": "response", "number": "1.1", "sha256": draft.sha256, "reason": "A dead end"}
    assert last_event() == ("rubric_version:discarded", detail)
    assert make_draft().number == "1.2", "its number never comes to mean another version"
    assert draft_version(version=gone, note="It was not so bad", by=by, now=NOW).number == "1.3"


def test_discarding_wants_a_reason_and_an_admin():
    draft = make_draft()
    with pytest.raises(Unacceptable) as refusal:
        discard(draft, reason=" ")
    assert refusal.value.field == "reason"
    with pytest.raises(NotAllowed, match="Only admins"):
        discard(draft, by=make_person())
    with pytest.raises(NotAllowed, match="Retire it instead"):
        discard(first())


def test_what_was_saved_meanwhile_is_not_discarded():
    draft, by = make_draft(), make_admin()
    other = with_weights(draft.to_record(), 0.4, 0.2, 0.2, 0.2)
    save_draft(version=draft, record=other, note="Better", basis=draft.sha256, by=by, now=NOW)
    with pytest.raises(Conflict, match="Look again"):
        discard(draft)
    assert RubricVersion.objects.get(pk=draft.pk).state == "draft"


def test_what_is_discarded_is_neither_saved_nor_published_nor_discarded_again():
    draft, by = make_draft(), make_admin()
    gone = discard(draft)
    mine = {"record": draft.to_record(), "note": "Mine", "basis": draft.sha256, "by": by, "now": NOW}
    for version, refusal in ((draft, Conflict), (gone, NotAllowed)):
        with pytest.raises(refusal):
            save_draft(version=version, **mine)
        with pytest.raises(refusal):
            publish_version(version=version, basis=draft.sha256, reason="Agreed", by=by, now=NOW)
        with pytest.raises(refusal):
            discard(version)
