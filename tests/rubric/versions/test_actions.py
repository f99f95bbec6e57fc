"""Drafts are made, imported and saved; nothing is overwritten unseen, and nothing is stored that does not stand.

Versions are published with a reason and retired with one; new work takes the newest that is published.

How new sets are scored: as the environment says, until an admin chooses.
"""

import json
from datetime import timedelta

import pytest
from msgspec.structs import replace

from discussions.iterations.actions import open_project
from discussions.models import Iteration
from rubric.core.records import RubricRecord
from rubric.models import Rubric, RubricVersion, ScoringChoice
from rubric.models.comparisons import default_mode
from rubric.versions.actions import (
    choose_scoring,
    discard_draft,
    draft_version,
    import_version,
    offer_version,
    publish_version,
    retire_version,
    save_draft,
)
from rubric.versions.core.version_json import is_number, next_number, read_version
from tests.factories.people import NOW, make_admin, make_lead, make_person, make_project, moment
from tests.factories.transcripts import make_games_project
from tests.factories.versions import (
    first,
    make_changed_draft,
    make_draft,
    make_imported_version,
    retire_earlier,
    with_weights,
)
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
    assert (draft.number, draft.state, draft.created_by, draft.published_at) == ("1.3", "draft", by, None)
    assert replace(draft.to_record(), version="1.2") == first().to_record()
    assert draft.sha256 == bytes_hash(draft.body.encode())
    assert last_event() == (
        "rubric_version:drafted",
        {"rubric": "response", "number": "1.3", "from": "1.2", "note": draft.note, "sha256": draft.sha256},
    )
    assert make_draft(by=by).number == "1.4"


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
    assert RubricVersion.objects.count() == 7


def test_saving_replaces_what_the_draft_says():
    draft = make_changed_draft(now=moment(5))
    assert [criterion.weight for criterion in draft.to_record().criteria] == [0.4, 0.2, 0.2, 0.2]
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
    with pytest.raises(Unacceptable, match="sum to 99\u00a0%"):
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
    assert (draft.rubric.key, draft.rubric.name, draft.number) == ("coding", "Coding", "1.2")
    assert read_version(draft.body.encode()) == record
    with pytest.raises(Conflict, match="short name already"):
        import_version(record=record, rubric=None, key="coding", note="For code", by=by, now=NOW)
    odd = replace(record, name="Cod\u202eing")
    with pytest.raises(Unacceptable, match="/name has a hidden character"):
        import_version(record=odd, rubric=None, key="odd", note="For code", by=by, now=NOW)


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
    assert (Rubric.objects.count(), RubricVersion.objects.count()) == (2, 7)


def discard(draft, *, by=None, basis=None, reason="A dead end", now=NOW):
    """Discard as somebody who looked at it just now."""
    discard_draft(version=draft, basis=basis or draft.sha256, reason=reason, by=by or make_admin(), now=now)
    return RubricVersion.objects.select_related("rubric").get(pk=draft.pk)


def test_a_discarded_draft_stays_with_its_number_and_the_reason():
    by, draft = make_admin(), make_draft()
    gone = discard(draft, by=by, now=moment(7))
    assert (gone.state, gone.discarded_by, gone.discarded_at) == ("discarded", by, moment(7))
    assert (gone.discarded_reason, gone.body) == ("A dead end", draft.body)
    detail = {"rubric": "response", "number": "1.3", "sha256": draft.sha256, "reason": "A dead end"}
    assert last_event() == ("rubric_version:discarded", detail)
    assert make_draft().number == "1.4", "its number never comes to mean another version"
    assert draft_version(version=gone, note="It was not so bad", by=by, now=NOW).number == "1.5"


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


@pytest.mark.parametrize("part", ["question", "description"])
def test_a_criterion_without_question_or_description_is_not_published(part):
    draft = make_draft()
    record = draft.to_record()
    record = replace(record, criteria=[replace(record.criteria[0], **{part: " "}), *record.criteria[1:]])
    with pytest.raises(Unacceptable, match=f'The criterion "accuracy" has no {part}'):
        save_draft(version=draft, record=record, note="Shorter", basis=draft.sha256, by=make_admin(), now=NOW)
    stored_unchecked(draft, record)
    with pytest.raises(Unacceptable, match=f'The criterion "accuracy" has no {part}'):
        publish(draft)
    assert RubricVersion.objects.get(pk=draft.pk).state == "draft"


def test_a_draft_from_before_the_sum_was_strict_is_not_published():
    draft = make_draft()
    stored_unchecked(draft, with_weights(draft.to_record(), 0.35, 0.25, 0.2, 0.199))
    with pytest.raises(Unacceptable, match=r"The weights sum to 99\.9\u00a0%, 0\.1\u00a0% too little"):
        publish(draft)


def test_a_version_that_says_less_can_still_be_read():
    record = first().to_record()
    record = replace(record, criteria=[replace(record.criteria[0], question=""), *record.criteria[1:]])
    assert read_version(canonical_bytes(record)) == record


def stored_unchecked(draft, record):
    """Give the draft this content as earlier checks let it be stored."""
    body = canonical_bytes(record)
    draft.body, draft.sha256 = body.decode(), bytes_hash(body)
    draft.save(update_fields=["body", "sha256"])


def test_what_was_not_looked_at_is_not_published():
    draft = make_draft()
    with pytest.raises(Conflict, match="Look again"):
        publish(draft, basis="0" * 64)
    assert RubricVersion.objects.get(pk=draft.pk).state == "draft"


def test_new_projects_take_the_newest_and_old_ones_keep_theirs():
    old = make_games_project()
    later = first("discussion").published_at + timedelta(days=1)
    version = publish(make_draft(key="discussion"), now=later)
    new = open_project(slug="spring", name="Spring", by=make_admin(), now=NOW)
    assert Iteration.objects.get(project=new).rubric_version == version
    assert Iteration.objects.get(project=old).rubric_version.number == "1.3"


def test_a_retired_version_is_not_taken_any_more():
    version, by = publish(make_draft(key="discussion")), make_admin()
    retire_version(version=version, reason="A mistake", by=by, now=moment(9))
    found = RubricVersion.objects.select_related("rubric").get(pk=version.pk)
    assert (found.state, found.retired_by, found.retired_reason) == ("retired", by, "A mistake")
    assert Event.objects.order_by("-pk").first().verb == "rubric_version:retired"
    project = open_project(slug="spring", name="Spring", by=by, now=NOW)
    assert Iteration.objects.get(project=project).rubric_version.number == "1.3"
    with pytest.raises(NotAllowed, match="retired already"):
        retire_version(version=found, reason="Again", by=by, now=NOW)


def test_new_work_uses_an_imported_version_only_after_an_admin_offered_it():
    later = first("discussion").published_at + timedelta(days=1)
    version, by = make_imported_version(now=later), make_admin()
    assert RubricVersion.objects.newest("discussion") == first("discussion")
    assert version not in RubricVersion.objects.newest_of_each("discussion")
    with pytest.raises(NotAllowed, match="nothing to retire"):
        retire_version(version=version, reason="Old", by=by, now=later)
    with pytest.raises(NotAllowed, match="Only admins"):
        offer_version(version=version, reason="Ours", by=make_person(), now=later)
    with pytest.raises(Unacceptable, match="Say why new work"):
        offer_version(version=version, reason=" ", by=by, now=later)
    offer_version(version=version, reason="Compared with ours", by=by, now=later)
    assert Event.objects.order_by("-pk").first().verb == "rubric_version:offered"
    assert RubricVersion.objects.newest("discussion") == version
    with pytest.raises(Conflict, match="in the meantime"):
        offer_version(version=version, reason="Again", by=by, now=later)
    with pytest.raises(NotAllowed, match="Only a version that was imported"):
        offer_version(version=first(), reason="Ours", by=by, now=later)


def test_the_only_published_version_and_drafts_are_not_retired():
    draft, by = make_draft(), make_admin()
    retire_earlier(by=by)
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


@pytest.mark.parametrize(("is_on", "mode"), [(False, "holistic"), (True, "both")])
def test_the_environment_gives_the_first_value(settings, is_on, mode):
    settings.DEFAULT_RUBRIC_SCORING = is_on
    assert default_mode() == mode


def test_an_admin_turns_it_on_and_off_again_and_both_stay_on_record(settings):
    admin = make_admin()
    choose_scoring(is_on=True, by=admin, now=NOW)
    assert default_mode() == "both"
    choose_scoring(is_on=False, by=admin, now=NOW)
    settings.DEFAULT_RUBRIC_SCORING = True
    assert default_mode() == "holistic"
    found = Event.objects.filter(verb="rubric_scoring:chosen").order_by("pk")
    assert [event.by_id for event in found] == [admin.pk, admin.pk]


def test_choosing_what_is_so_writes_nothing():
    choose_scoring(is_on=False, by=make_admin(), now=NOW)
    assert not ScoringChoice.objects.exists()
    assert not Event.objects.filter(verb="rubric_scoring:chosen").exists()


def test_only_admins_choose():
    with pytest.raises(NotAllowed):
        choose_scoring(is_on=True, by=make_lead(project=make_project()), now=NOW)
    assert not ScoringChoice.objects.exists()
