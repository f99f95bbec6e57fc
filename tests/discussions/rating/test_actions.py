"""The save contract (spec 6.1): what was acknowledged is stored once, and nothing is overwritten unseen.

Undo: the previous revision comes back as a new one, newest act first.

Flags and comments: rows with a target; a flag is taken back by resolving it.

Revealing the roles and submitting: each names what is missing, and once is enough.
"""

import pytest
from django.db import transaction

from discussions.models import Evaluation, Judgement, Remark, Reveal, Revision, Slot
from discussions.rating import actions
from discussions.rating.actions import (
    judge_all,
    remark,
    reveal_roles,
    submit_evaluation,
    take_flag_back,
    undo,
)
from discussions.rating.queries import load_state
from tests.factories.people import NOW, load_membership, make_admin, make_member, moment
from tests.factories.rating import (
    judge,
    ready_to_submit,
    say,
    say_engagement,
    say_what_is_missing,
    start,
    submitted,
)
from workspace.access.permissions import role_in
from workspace.audit.core import Act
from workspace.checks.actions import CHECKS, verify
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event
from workspace.people.actions.projects import change_role, end_membership

pytestmark = pytest.mark.django_db


def stored(evaluation, kind="coherence", subject="5"):
    return Judgement.objects.get(evaluation=evaluation, kind=kind, subject=subject)


def test_an_act_is_a_value_a_revision_and_an_audit_line():
    evaluation = start()
    before = Event.objects.count()
    saved = say(evaluation, "coherence", "5", "yes", took_ms=1200, now=moment(3))
    row = stored(evaluation)
    assert (row.value, row.version, row.blind_value) == ("yes", 1, "yes")
    assert (saved.revision.version, saved.revision.phase, saved.revision.took_ms) == (1, "blind", 1200)
    assert saved.revision.created_at == moment(3)
    assert Event.objects.count() == before + 1
    line = Event.objects.latest("pk")
    assert (line.verb, line.role) == ("judgement:made", "evaluator")


def list_saved(evaluation):
    """What is stored of all judgements: their rows, revisions, reveals and audit lines, without seals and keys."""
    evaluation.refresh_from_db()
    rows = evaluation.judgements.order_by("pk").values_list(
        "kind", "subject", "value", "version", "blind_value"
    )
    acts = Revision.objects.filter(judgement__evaluation=evaluation).order_by("pk")
    acts = acts.values_list("judgement__subject", "version", "value", "phase", "created_at", "created_by")
    reveals = Reveal.objects.filter(evaluation=evaluation).order_by("pk").values_list("what", "created_at")
    keys = dict(evaluation.judgements.values_list("pk", "subject"))
    lines = Event.objects.filter(verb="judgement:made", chain__project=evaluation.game.project).order_by(
        "seq"
    )
    said = [(line.at, line.role, line.detail, keys[int(line.object_id)]) for line in lines]
    return evaluation.version, list(rows), list(acts), list(reveals), said


def test_acts_that_are_saved_together_are_stored_as_one_by_one():
    evaluation = start()
    acts = [
        Act(kind=kind, subject=subject, value=value, version=version, key=f"k{at}")
        for at, (kind, subject, value, version) in enumerate(
            [("question", "1", "yes", 0), ("coherence", "5", "no", 0), ("question", "1", "no", 1)]
            + [("question", str(number), "yes", 0) for number in range(2, 6)]
            + [("rating", "", "3.5", 0), ("coherence", "5", "yes", 1)]
        )
    ]
    timed = [(act, moment(at)) for at, act in enumerate(acts)]
    with transaction.atomic():
        for act, at in timed:
            judge(evaluation=evaluation, act=act, by=evaluation.evaluator, now=at)
        one_by_one = list_saved(evaluation)
        transaction.set_rollback(True)
    assert Revision.objects.count() == 0
    evaluation = Evaluation.objects.with_work().get(pk=evaluation.pk)
    judge_all(evaluation=evaluation, acts=timed, by=evaluation.evaluator)
    assert list_saved(evaluation) == one_by_one
    assert (evaluation.version, len(one_by_one[2])) == (9, 9)
    checked = verify(checks=CHECKS, by=make_admin(), now=moment(99))
    assert [check.breach_count for check in checked if check.code == "I7"] == [0], "the chain is unbroken"


@pytest.mark.parametrize("became", ["evaluator", "lead", "lead once", "gone", "admin", "inactive"])
def test_whoever_may_judge_has_the_role_that_the_audit_line_says(became):
    evaluation, admin = start(), make_admin()
    person, project = evaluation.evaluator, evaluation.game.project
    membership = load_membership(person=person, project=project)
    if became.startswith("lead"):
        membership = change_role(membership=membership, role="lead", by=admin, now=moment(1))
    if became == "lead once":
        change_role(membership=membership, role="evaluator", by=admin, now=moment(2))
    if became == "gone":
        end_membership(membership=membership, by=admin, now=moment(1))
    person.is_admin, person.is_active = became == "admin", became != "inactive"
    person.save()
    if became == "evaluator":
        say(evaluation, "coherence", "5", "yes", now=moment(3))
        assert role_in(person, project) == Event.objects.latest("pk").role
    else:
        with pytest.raises(NotAllowed):
            say(evaluation, "coherence", "5", "yes", now=moment(3))


def test_the_same_act_again_gives_the_stored_result_and_writes_nothing():
    evaluation = start()
    first = say(evaluation, "coherence", "5", "yes", version=0, key="k")
    events = Event.objects.count()
    again = say(evaluation, "coherence", "5", "yes", version=0, key="k", now=moment(30))
    assert again.is_repeated
    assert again.revision == first.revision
    assert again.revision.created_at == NOW
    assert (Revision.objects.count(), Event.objects.count()) == (1, events)


def test_a_repetition_is_answered_after_the_evaluation_was_submitted():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes", version=0, key="k")
    Evaluation.objects.filter(pk=evaluation.pk).update(state="submitted")
    assert say(evaluation, "coherence", "5", "yes", version=0, key="k").is_repeated


def test_what_another_window_saved_just_before_the_lock_counts(monkeypatch):
    evaluation, lock = start(), actions.lock_evaluation

    def lock_after_another_save(mine):
        monkeypatch.setattr(actions, "lock_evaluation", lock)
        say(evaluation, "coherence", "5", "yes")
        lock(mine)

    monkeypatch.setattr(actions, "lock_evaluation", lock_after_another_save)
    mine = Evaluation.objects.with_work().get(pk=evaluation.pk)
    act = Act(kind="coherence", subject="6", value="no", version=0, key="late")
    saved = judge(evaluation=mine, act=act, by=evaluation.evaluator, now=NOW)
    assert saved.work.values["coherence"] == {"5": "yes", "6": "no"}


@pytest.mark.parametrize(
    "changed", [{"value": "no"}, {"version": 1}, {"subject": "6"}, {"reason": "because"}]
)
def test_the_same_key_with_another_body_is_refused(changed):
    evaluation = start()
    say(evaluation, "coherence", "5", "yes", version=0, key="k")
    act = {"kind": "coherence", "subject": "5", "value": "yes", "version": 0, "key": "k"} | changed
    with pytest.raises(Unacceptable, match="already saved with another answer"):
        judge(evaluation=evaluation, act=Act(**act), by=evaluation.evaluator, now=NOW)
    assert Revision.objects.count() == 1


def test_acts_that_are_saved_together_are_refused_under_a_key_that_is_taken():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes", version=0, key="k")
    acts = [(Act(kind="coherence", subject="6", value="no", version=0, key="k"), NOW)]
    with pytest.raises(Unacceptable, match="already saved with another answer"):
        judge_all(evaluation=evaluation, acts=acts, by=evaluation.evaluator)
    assert Revision.objects.count() == 1


def test_a_key_belongs_to_one_person():
    evaluation = start()
    other = start(project=evaluation.game.project)
    say(evaluation, "coherence", "5", "yes", key="k")
    assert not say(other, "coherence", "5", "no", key="k").is_repeated


def test_a_key_longer_than_its_column_still_finds_its_act():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes", version=0, key="k" * 500)
    assert say(evaluation, "coherence", "5", "yes", version=0, key="k" * 500).is_repeated
    assert not say(evaluation, "coherence", "6", "yes", version=0, key="k" * 501).is_repeated


def test_a_stale_version_is_a_conflict_that_shows_both_and_overwrites_nothing():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes", version=0, now=moment(1))
    with pytest.raises(Conflict) as caught:
        say(evaluation, "coherence", "5", "no", version=0)
    detail = caught.value.detail
    assert (detail["yours"], detail["stored"], detail["version"]) == ("no", "yes", 1)
    assert detail["stored_at"] == moment(1)
    assert (stored(evaluation).value, Revision.objects.count()) == ("yes", 1)


@pytest.mark.parametrize("version", [1, 7])
def test_a_version_that_was_never_there_is_a_conflict(version):
    evaluation = start()
    with pytest.raises(Conflict):
        say(evaluation, "coherence", "5", "no", version=version)
    assert not Judgement.objects.exists()


def test_an_absent_field_stays_and_an_empty_one_clears():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes", reason="it names Ann")
    say(evaluation, "coherence", "5", None, reason="it answers Ann")
    assert (stored(evaluation).value, stored(evaluation).reason) == ("yes", "it answers Ann")
    say(evaluation, "coherence", "5", "no")
    assert (stored(evaluation).value, stored(evaluation).reason) == ("no", "it answers Ann")
    say(evaluation, "coherence", "5", "")
    assert (stored(evaluation).value, stored(evaluation).version) == ("", 4)


@pytest.mark.parametrize(
    ("kind", "subject", "value"),
    [
        ("coherence", "999", "yes"),
        ("reference", "1.1", "accurate"),
        ("rating", "", "2.7"),
        ("nothing", "", ""),
    ],
)
def test_what_is_not_there_is_refused_and_nothing_is_written(kind, subject, value):
    evaluation = start()
    with pytest.raises(Unacceptable):
        say(evaluation, kind, subject, value, version=0)
    assert not (Judgement.objects.exists() or Revision.objects.exists())


def test_nobody_judges_in_the_place_of_another():
    evaluation = start()
    stranger = make_member(project=evaluation.game.project)
    act = Act(kind="coherence", subject="5", value="yes", version=0, key="k")
    with pytest.raises(NotAllowed):
        judge(evaluation=evaluation, act=act, by=stranger, now=NOW)


def test_what_was_submitted_is_not_judged_any_more():
    evaluation = submitted()
    with pytest.raises(NotAllowed, match="was submitted"):
        say(evaluation, "coherence", "5", "no")


def test_judging_for_oneself_reveals_and_keeps_the_blind_answer():
    evaluation = start()
    *others, subject = load_state(evaluation).judgeable.counted
    say_engagement(evaluation)
    for other in others:
        assert say(evaluation, "reference", other, "accurate").revealed == frozenset()
    saved = say(evaluation, "reference", subject, "accurate")
    assert saved.revealed == {f"reference:{one}" for one in (*others, subject)}
    assert {row.what for row in Reveal.objects.filter(evaluation=evaluation)} == saved.revealed
    changed = say(evaluation, "reference", subject, "inaccurate", reason="Bea did")
    row = stored(evaluation, "reference", subject)
    assert (row.value, row.blind_value, changed.revision.phase) == ("inaccurate", "accurate", "revealed")
    assert changed.revealed == frozenset()


def test_every_revision_is_kept_and_the_version_counts_them():
    evaluation = ready_to_submit()
    say(evaluation, "rating", "", "4.0")
    for judgement in evaluation.judgements.all():
        versions = list(judgement.revisions.order_by("version").values_list("version", flat=True))
        assert versions == list(range(1, judgement.version + 1))
    assert Evaluation.objects.get(pk=evaluation.pk).version == Revision.objects.count() + 1  # and the roles


def take_back(evaluation, key, **given):
    return undo(evaluation=evaluation, key=key, by=evaluation.evaluator, now=NOW, **given)


def value(evaluation, subject, kind="coherence"):
    return Judgement.objects.get(evaluation=evaluation, kind=kind, subject=subject).value


def test_acts_are_taken_back_newest_first():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes", reason="names")
    say(evaluation, "coherence", "5", "no", reason="does not")
    say(evaluation, "coherence", "6", "yes")
    take_back(evaluation, "u1")
    assert (value(evaluation, "5"), value(evaluation, "6")) == ("no", "")
    saved = take_back(evaluation, "u2")
    assert value(evaluation, "5") == "yes"
    assert saved.revision.reason == "names"
    assert saved.revision.undoes == 2
    take_back(evaluation, "u3")
    assert value(evaluation, "5") == ""
    assert Judgement.objects.get(evaluation=evaluation, subject="5").version == 4
    with pytest.raises(Unacceptable, match="nothing left to undo"):
        take_back(evaluation, "u4")
    assert Event.objects.latest("pk").verb == "judgement:undone"


def test_one_thing_can_be_taken_back_alone():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes")
    say(evaluation, "coherence", "6", "yes")
    take_back(evaluation, "u", kind="coherence", subject="5")
    assert (value(evaluation, "5"), value(evaluation, "6")) == ("", "yes")


def test_undoing_twice_under_one_key_is_once():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes")
    say(evaluation, "coherence", "6", "yes")
    first = take_back(evaluation, "u")
    assert take_back(evaluation, "u").revision == first.revision
    assert value(evaluation, "5") == "yes"
    with pytest.raises(Unacceptable):
        take_back(evaluation, "u", kind="coherence", subject="5")


def test_an_act_after_an_undo_can_be_taken_back_too():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes")
    take_back(evaluation, "u1")
    say(evaluation, "coherence", "5", "no")
    take_back(evaluation, "u2")
    assert value(evaluation, "5") == ""
    assert Revision.objects.count() == 4


def test_what_was_shown_stays_shown():
    evaluation = start()
    say_engagement(evaluation)
    for subject in load_state(evaluation).judgeable.counted:
        say(evaluation, "reference", subject, "accurate")
    take_back(evaluation, "u")
    assert Reveal.objects.filter(evaluation=evaluation, what=f"reference:{subject}").exists()
    assert Revision.objects.latest("pk").phase == "revealed"
    assert Judgement.objects.get(kind="reference", subject=subject).blind_value == "accurate"


def test_a_mark_is_not_taken_back_under_its_label():
    evaluation = start()
    free = next(n for n in range(1, 13) if f"{n}.1" not in load_state(evaluation).judgeable.counted)
    subject = f"{free}.1"
    say(evaluation, "missed", subject, "yes")
    say(evaluation, "reference", subject, "accurate")
    if subject not in load_state(evaluation).judgeable.possible:
        with pytest.raises(Unacceptable, match="Clear the label first"):
            take_back(evaluation, "u", kind="missed", subject=subject)
    take_back(evaluation, "u1")
    take_back(evaluation, "u2")
    assert value(evaluation, subject, "missed") == ""


def test_only_ones_own_open_evaluation():
    evaluation = start()
    say(evaluation, "coherence", "5", "yes")
    stranger = make_member(project=evaluation.game.project)
    with pytest.raises(NotAllowed):
        undo(evaluation=evaluation, key="u", by=stranger, now=NOW)
    with pytest.raises(NotAllowed, match="was submitted"):
        take_back(submitted(), "u")


def note(evaluation, kind="comment", target="message:3", text="odd", key="k"):
    return remark(
        evaluation=evaluation, kind=kind, target=target, text=text, key=key, by=evaluation.evaluator, now=NOW
    )


def test_a_comment_is_a_row_once_per_key():
    evaluation = start()
    assert note(evaluation) == note(evaluation)
    note(evaluation, key="other", target="game")
    assert list(Remark.objects.order_by("pk").values_list("target", "text")) == [
        ("message:3", "odd"),
        ("game", "odd"),
    ]
    assert Event.objects.filter(verb="remark:made").count() == 2
    with pytest.raises(Unacceptable, match="another text"):
        note(evaluation, text="changed")


def test_a_flag_stands_once_and_is_taken_back_by_resolving_it():
    evaluation = start()
    assert note(evaluation, kind="flag", key="a") == note(evaluation, kind="flag", key="b")
    take_flag_back(evaluation=evaluation, target="message:3", by=evaluation.evaluator, now=NOW)
    take_flag_back(evaluation=evaluation, target="message:3", by=evaluation.evaluator, now=NOW)
    assert Remark.objects.get().resolved_by == evaluation.evaluator
    note(evaluation, kind="flag", key="c")
    assert Remark.objects.filter(resolved_at=None).count() == 1


@pytest.mark.parametrize(
    "given", [{"target": "message:999"}, {"target": "x"}, {"text": "  "}, {"text": "x" * 4001}, {"key": ""}]
)
def test_what_cannot_be_noted_is_refused(given):
    evaluation = start()
    with pytest.raises(Unacceptable):
        note(evaluation, **given)
    assert not Remark.objects.exists()


def test_not_after_handing_in():
    with pytest.raises(NotAllowed, match="was submitted"):
        note(submitted())


def reveal(evaluation):
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=NOW)


def submit(evaluation):
    return submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)


def test_roles_are_refused_until_everything_before_them_is_in():
    evaluation = start()
    with pytest.raises(Unacceptable) as caught:
        reveal(evaluation)
    assert caught.value.field == "question:1"
    say_what_is_missing(evaluation)
    reveal(evaluation)
    reveal(evaluation)
    assert Reveal.objects.filter(evaluation=evaluation, what="roles").count() == 1
    assert Event.objects.filter(verb="roles:revealed").count() == 1


def test_role_labels_wait_for_the_roles():
    evaluation = start()
    with pytest.raises(Unacceptable, match="roles are not revealed"):
        say(evaluation, "role_consistency", "1", "consistent")


def test_handing_in_names_the_first_missing_thing():
    evaluation = start()
    with pytest.raises(Unacceptable, match="Question 1 is not answered yet"):
        submit(evaluation)
    say_what_is_missing(evaluation)
    with pytest.raises(Unacceptable, match="roles are not revealed") as caught:
        submit(evaluation)
    assert caught.value.field == "reveal:roles"


def test_lines_asked_for_by_metric_are_those_of_the_verdict():
    work = load_state(ready_to_submit())
    lines = work.own_outcome.lines
    assert len(lines) == 7
    assert [work.own_lines([line.key]) for line in lines] == [[line] for line in lines]
    assert work.own_lines([line.key for line in lines]) == lines
    assert work.own_lines([]) == []


def test_four_yes_and_a_rating_below_three_are_refused_with_the_reason():
    evaluation = ready_to_submit()
    say(evaluation, "rating", "", "2.5")
    with pytest.raises(Unacceptable, match="5 of 5 answers are yes: the rubric puts the rating at 3 or more"):
        submit(evaluation)
    for number in "12":
        say(evaluation, "question", number, "no")
    assert submit(evaluation).state == "submitted"


def test_handing_in_closes_the_place_and_once_is_enough():
    evaluation = ready_to_submit()
    submit(evaluation)
    submit(evaluation)
    stored = Evaluation.objects.get(pk=evaluation.pk)
    assert (stored.state, stored.submitted_at) == ("submitted", NOW)
    assert Slot.objects.get(pk=stored.slot_id).is_closed
    assert Event.objects.filter(verb="evaluation:submitted").count() == 1


def test_only_ones_own():
    evaluation = ready_to_submit()
    stranger = make_member(project=evaluation.game.project)
    for act in (reveal_roles, submit_evaluation):
        with pytest.raises(NotAllowed):
            act(evaluation=evaluation, by=stranger, now=NOW)


@pytest.mark.parametrize("setting", ["alongside", "never"])
def test_an_evaluation_can_be_finished_under_every_setting(setting):
    evaluation = start(reveal=setting)
    say_what_is_missing(evaluation)
    if setting == "never":
        reveal(evaluation)
        say_what_is_missing(evaluation)
    assert submit(evaluation).state == "submitted"


def test_a_returned_evaluation_is_submitted_again():
    evaluation = submit(ready_to_submit())
    Evaluation.objects.filter(pk=evaluation.pk).update(state="returned")
    say(evaluation, "rating", "", "4.5")
    assert submit(evaluation).state == "submitted"


def test_a_game_without_references_asks_for_no_label():
    from tests.factories.rating import game_of

    content = game_of(6)
    content["messages"] = [
        message | {"message": "Good morning to all of you."} for message in content["messages"]
    ]
    evaluation = start(content=content)
    say_engagement(evaluation)
    missing = load_state(evaluation).visibility.missing
    assert [(it.kind, it.step) for it in missing[:2]] == [
        ("reveal", "references"),
        ("strategic_depth", "depth"),
    ]
