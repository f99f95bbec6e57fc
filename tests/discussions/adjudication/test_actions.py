"""Adjudication: a lead resolves one difference with a reason, once, on what the page showed.

Sending an evaluation back: a comment is needed, a verdict is not touched, and only who may rate gets it.

The factory of shared games: everybody is in, and they differ on what they were told to, and on nothing else.
"""

import pytest

from discussions.adjudication.core.disagreements import find_disagreements, letters
from discussions.adjudication.core.effective import Judged
from discussions.adjudication.queries import (
    disagreements_in,
    letters_seed,
    load_adjudicated_by_game,
    load_adjudication_history,
    load_judgeable_subjects,
)
from discussions.games.actions import return_evaluation
from discussions.models import Adjudication, Evaluation, Game, Judgement, Slot
from discussions.rating.actions import return_to_game, skip_game
from discussions.rating.queries import load_state
from discussions.verdicts.actions import record_verdict
from discussions.verdicts.queries import load_verdict_preview
from tests.factories.adjudication import (
    LABEL,
    breaches,
    difference,
    list_evaluations,
    make_shared_game,
    resolve_difference,
    submit_as,
    submitted_game,
)
from tests.factories.people import make_admin, make_lead, make_member, moment
from tests.factories.verdicts import fresh, preview, record
from workspace.core.canonical import canonical_bytes
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event, Membership
from workspace.people.actions.projects import end_membership

pytestmark = pytest.mark.django_db


DEPTH = ("strategic_depth", "4")


TIED = {LABEL: ("accurate", "vague")}


SPLIT = {DEPTH: ("no", "no", "yes")}


def test_adopting_a_side_takes_its_value_and_opens_the_verdict():
    game = submitted_game(2, differing=TIED)
    before = preview(game)
    assert (before.has_ties, before.is_complete) == (True, False)
    second = list_evaluations(game)[1]
    made = resolve_difference(game, adopted=second, reason=" He says it twice. ")
    assert (made.value, made.adopted, made.number, made.reason) == ("vague", second, 1, "He says it twice.")
    after = preview(game)
    assert (after.has_ties, after.is_complete, after.found.values["reference"]["2.1"]) == (
        False,
        True,
        "vague",
    )
    event = Event.objects.latest("pk")
    assert (event.verb, event.object_id) == ("difference:settled", str(made.pk))


def test_deciding_anew_needs_no_side():
    game = submitted_game(2, differing=TIED)
    made = resolve_difference(game, value="inaccurate")
    assert (made.value, made.adopted) == ("inaccurate", None)
    assert preview(game).found.values["reference"]["2.1"] == "inaccurate"


def test_a_silent_side_can_be_adopted_and_says_what_the_machine_says():
    game = submitted_game(3, differing={("phrase", pick_phrase()): ("acceptable", "", "")})
    (disagreement,) = disagreements_in(game)
    silent = next(side for side in disagreement.sides if side.is_silent)
    made = resolve_difference(game, disagreement.key, adopted=Evaluation.objects.get(pk=silent.evaluation))
    assert made.value == ""
    assert "phrase" not in preview(game).found.values


def pick_phrase():
    """A phrase that a player of the shared games repeats."""
    return min(load_judgeable_subjects(make_shared_game(k=1)).phrases)


def test_a_majority_can_be_resolved_otherwise_and_resolved_again():
    game = submitted_game(3, differing=SPLIT)
    lead = make_lead(project=game.project)
    first = resolve_difference(game, DEPTH, "yes", by=lead, reason="Only irony.")
    assert preview(game).found.values["strategic_depth"]["4"] == "yes"
    second = resolve_difference(game, DEPTH, "no", by=lead, reason="I was wrong.")
    assert (second.number, second.supersedes) == (2, first)
    assert [adjudication.id for adjudication in load_adjudicated_by_game([game.pk])[game.pk]] == [second.pk]
    assert [
        (adjudication.number, adjudication.by_name) for adjudication in load_adjudication_history(game.pk)
    ] == [
        (1, lead.name),
        (2, lead.name),
    ]


@pytest.mark.parametrize(
    ("given", "field", "says"),
    [
        ({"value": "vague", "reason": "  "}, "reason", "Give a reason"),
        ({"value": "vague", "reason": "x" * 2001}, "reason", "2,000"),
        ({"value": "brilliant"}, "value", "not an answer"),
        ({"value": ""}, "value", "Choose one of the sides"),
        ({"about": ("reference", "99.1"), "value": "vague"}, "value", "no sentence"),
        ({"about": ("genius", "1"), "value": "vague"}, "value", "no judgement"),
    ],
)
def test_what_cannot_be_resolved_is_refused(given, field, says):
    game = submitted_game(2, differing=TIED)
    with pytest.raises(Unacceptable, match=says) as caught:
        resolve_difference(game, shown=difference(game, LABEL).page_sha256, **given)
    assert caught.value.field == field
    assert not Adjudication.objects.exists()


def test_nobody_settles_a_question_or_the_rating():
    game = submitted_game(2, differing={("question", "2"): ("yes", "no"), ("rating", ""): ("3.0", "4.0")})
    shown = difference(game, ("question", "2")).page_sha256
    with pytest.raises(Unacceptable, match="The verdict does not depend"):
        resolve_difference(game, ("question", "2"), "yes", shown=shown)
    with pytest.raises(Conflict, match="do not differ"):
        resolve_difference(game, ("rating", ""), "3.0", shown=shown)


def test_the_evaluation_adopted_is_one_of_the_sides():
    game = submitted_game(2, differing=TIED)
    other = list_evaluations(submitted_game(1))[0]
    with pytest.raises(Unacceptable, match="another side"):
        resolve_difference(game, adopted=other)


def test_sides_that_changed_since_the_page_are_shown_again():
    game = submitted_game(2, differing=TIED)
    shown = difference(game, LABEL)
    row = list_evaluations(game)[0].judgements.get(kind="reference", subject="2.1")
    row.value = "inaccurate"
    row.save()
    with pytest.raises(Conflict, match="say something else") as caught:
        resolve_difference(game, value="vague", shown=shown.page_sha256)
    detail = caught.value.detail
    assert (detail["yours"], detail["difference"].key) == ("vague", LABEL)
    assert sorted(side.value for side in detail["difference"].sides) == ["inaccurate", "vague"]


def test_of_two_leads_the_second_is_told_what_the_first_resolved():
    game = submitted_game(2, differing=TIED)
    shown = difference(game, LABEL).page_sha256
    first = make_lead(project=game.project)
    resolve_difference(game, value="vague", by=first, shown=shown)
    with pytest.raises(Conflict, match=f"{first.name} resolved this") as caught:
        resolve_difference(game, value="accurate", shown=shown)
    assert caught.value.detail["difference"].resolved.value == "vague"
    assert Adjudication.objects.count() == 1


def test_the_same_key_gives_the_same_row_and_another_answer_under_it_is_refused():
    game = submitted_game(2, differing=TIED)
    lead, shown = make_lead(project=game.project), difference(game, LABEL).page_sha256
    given = {"by": lead, "form_key": "one", "shown": shown}
    first = resolve_difference(game, value="vague", **given)
    assert resolve_difference(game, value="vague", **given) == first
    with pytest.raises(Unacceptable, match="already saved"):
        resolve_difference(game, value="accurate", **given)
    assert Adjudication.objects.count() == 1


def test_only_leads_of_the_project_settle():
    game = submitted_game(2, differing=TIED)
    for person in (
        make_member(project=game.project),
        list_evaluations(game)[0].evaluator,
        make_lead(project=submitted_game(1).project),
    ):
        with pytest.raises(NotAllowed, match="Only team leads"):
            resolve_difference(game, value="vague", by=person)
    resolve_difference(game, value="vague", by=make_admin())


def test_whoever_rated_the_game_does_not_settle_it():
    game = submitted_game(2, differing=TIED)
    rater = list_evaluations(game)[0].evaluator
    rater.is_admin = True
    rater.save()
    with pytest.raises(NotAllowed, match="You rated this game yourself"):
        resolve_difference(game, value="vague", by=rater)


def test_settling_waits_for_every_evaluation():
    game = make_shared_game(k=3)
    for evaluation, value in zip(list_evaluations(game)[:2], TIED[LABEL], strict=True):
        submit_as(evaluation, values={LABEL: value})
    with pytest.raises(NotAllowed, match="2 of 3 evaluations"):
        resolve_difference(fresh(game), value="vague")


def test_the_page_of_a_recorded_verdict_names_what_was_resolved_since():
    game = submitted_game(3, differing=SPLIT)
    lead = make_lead(project=game.project)
    shown = preview(game)
    resolve_difference(game, DEPTH, "yes", by=lead, reason="Only irony.")
    carried = {"basis_sha256": shown.basis_sha256, "shown": canonical_bytes(shown.basis).decode()}
    with pytest.raises(Conflict) as caught:
        record_verdict(game=game, by=lead, now=moment(70), **carried)
    assert caught.value.detail["changes"] == ["A lead resolved strategic depth 4: yes."]
    assert record(game, by=lead).number == 1


def test_letters_are_not_the_order_of_evaluations():
    """Neither here nor in any other game of the same three: see the core's test of letters."""
    game = submitted_game(3, differing=SPLIT)
    orders = letters(letters_seed(game.pk), [evaluation.pk for evaluation in list_evaluations(game)])
    assert {side.evaluation: side.alias for side in difference(game, DEPTH).sides} == orders


def test_letters_depend_on_the_key_of_the_installation(settings):
    game = submitted_game(3, differing=SPLIT)
    orders = set()
    for key in range(40):
        settings.AUDIT_KEY = f"{key}" * 40
        orders.add(tuple((side.evaluation, side.alias) for side in sorted_sides(game)))
    assert len(orders) > 3


def sorted_sides(game):
    return sorted(difference(game, DEPTH).sides, key=lambda side: side.evaluation)


def test_reading_differences_takes_the_same_queries_for_any_number(django_assert_num_queries):
    small = submitted_game(2, differing=TIED)
    large = submitted_game(
        4, differing={LABEL: ("accurate", "vague", "vague", "accurate"), DEPTH: ("no",) * 4}
    )
    for game in (small, large):
        assert load_verdict_preview(fresh(game)) is not None
        row = Game.objects.select_related("iteration__rubric_version").get(pk=game.pk)
        with django_assert_num_queries(3):
            disagreements_in(row)


def send_back(evaluation, *, comment="Look at message 3.", by=None):
    """Send it back as a lead."""
    by = by or make_lead(project=evaluation.game.project)
    return return_evaluation(evaluation=evaluation, comment=comment, by=by, now=moment(60))


@pytest.mark.parametrize(("comment", "says"), [("  ", "what to look at"), ("x" * 2001, "2,000")])
def test_a_comment_is_needed(comment, says):
    (evaluation,) = list_evaluations(submitted_game(1))
    with pytest.raises(Unacceptable, match=says) as caught:
        send_back(evaluation, comment=comment)
    assert caught.value.field == "comment"
    assert Evaluation.objects.get().state == "submitted"


def test_the_same_again_changes_nothing():
    (evaluation,) = list_evaluations(submitted_game(1))
    lead = make_lead(project=evaluation.game.project)
    first = send_back(evaluation, by=lead)
    assert send_back(evaluation, by=lead).version == first.version
    assert Event.objects.filter(verb="evaluation:returned").count() == 1


def test_what_a_verdict_rests_on_stays():
    game = submitted_game(1)
    record(game)
    with pytest.raises(NotAllowed, match="A verdict rests on this evaluation"):
        send_back(list_evaluations(game)[0])


def test_only_what_is_submitted_goes_back_and_only_leads_send_it():
    game = make_shared_game(k=1)
    with pytest.raises(NotAllowed, match="not submitted"):
        send_back(list_evaluations(game)[0])
    (evaluation,) = list_evaluations(submitted_game(1))
    for person in (evaluation.evaluator, make_member(project=evaluation.game.project)):
        with pytest.raises(NotAllowed, match="Only team leads"):
            send_back(evaluation, by=person)


def test_it_does_not_go_back_to_somebody_who_cannot_rate_any_more():
    (evaluation,) = list_evaluations(submitted_game(1))
    lead = make_lead(project=evaluation.game.project)
    membership = Membership.objects.get(person=evaluation.evaluator, ended_at=None)
    end_membership(membership=membership, by=make_admin(), now=moment(30))
    with pytest.raises(NotAllowed, match="cannot rate this game any more"):
        send_back(evaluation, by=lead)


def test_what_was_sent_back_can_be_skipped_with_its_place_free_for_others_and_taken_up_again():
    (evaluation,) = list_evaluations(submitted_game(1))
    send_back(evaluation)
    skip_game(evaluation=evaluation, reason="I am away.", by=evaluation.evaluator, now=moment(61))
    place = Slot.objects.get(game=evaluation.game)
    evaluation.refresh_from_db()
    assert (evaluation.state, place.evaluator, place.is_closed) == ("skipped", None, False)
    assert breaches(moment(62)) == []
    return_to_game(evaluation=evaluation, by=evaluation.evaluator, now=moment(63))
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.returned_comment) == ("draft", "Look at message 3.")
    assert breaches(moment(64)) == []


def differing(game):
    """What they differ on, from the rows."""
    rows = Judgement.objects.filter(evaluation__game=game)
    judged = [
        Judged(row.evaluation_id, row.kind, row.subject, row.value, row.blind_value, is_submitted=True)
        for row in rows
    ]
    machine = load_state(list_evaluations(game)[0]).machine
    return {
        disagreement.key: disagreement
        for disagreement in find_disagreements(judged, machine, [], seed=letters_seed(game.pk))
    }


def test_everybody_has_started():
    game = make_shared_game(k=3)
    assert {(evaluation.state, evaluation.slot.evaluator_id) for evaluation in list_evaluations(game)} == {
        ("draft", evaluation.evaluator_id) for evaluation in list_evaluations(game)
    }
    assert len({evaluation.evaluator_id for evaluation in list_evaluations(game)}) == 3


def test_they_agree_on_everything_they_were_not_told_to_differ_on():
    game = submitted_game(3)
    assert {evaluation.state for evaluation in list_evaluations(game)} == {"submitted"}
    assert differing(game) == {}


def test_they_differ_on_what_they_were_told():
    told = {
        ("strategic_depth", "4"): ("no", "", "yes"),
        ("role_consistency", "3"): ("not_assessable", "inconsistent", "consistent"),
        ("reference", "2.1"): ("vague", "vague", "accurate"),
        ("missed", "1.1"): ("yes", "", ""),
        ("rating", ""): ("3.0", "4.0", "5.0"),
    }
    found = differing(submitted_game(3, differing=told))
    assert set(found) == set(told) - {("rating", "")}
    assert (found["reference", "2.1"].majority, found["role_consistency", "3"].is_tie) == ("vague", True)
