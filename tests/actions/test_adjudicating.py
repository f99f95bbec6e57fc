"""Adjudication: a lead settles one difference with a reason, once, on what the page showed."""

import pytest

from discussions.actions.adjudicating import adjudicate
from discussions.actions.settling import record_verdict
from discussions.core.disagreements import letters
from discussions.models import Adjudication, Evaluation, Game
from discussions.models.adjudicated import disagreements_in, ground_in, settled_ever, settled_in
from discussions.models.bases import preview_of
from tests.factories import make_admin, make_lead, make_member, moment
from tests.settled import fresh, preview, record
from tests.team import evaluations_of, make_shared_game, submit_as, submitted_game
from workspace.core.canonical import canonical_bytes
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db

DEPTH = ("strategic_depth", "4")
LABEL = ("reference", "2.1")
TIED = {LABEL: ("accurate", "vague")}
SPLIT = {DEPTH: ("no", "no", "yes")}


def difference(game, key):
    """The difference as a page shows it now."""
    return {one.key: one for one in disagreements_in(fresh(game))}[key]


def settle(
    game,
    about=LABEL,
    value="",
    *,
    by=None,
    adopted=None,
    reason="Because.",
    shown="",
    form_key="",
    minutes=60,
):
    """Settle as the page would."""
    return adjudicate(
        game=game,
        kind=about[0],
        subject=about[1],
        value=value,
        reason=reason,
        adopted=adopted,
        sides_sha256=shown or difference(game, about).page_sha256,
        key=form_key or f"key-{Adjudication.objects.count()}",
        by=by or make_lead(project=game.project),
        now=moment(minutes),
    )


def test_adopting_a_side_takes_its_value_and_opens_the_verdict():
    game = submitted_game(2, differing=TIED)
    before = preview(game)
    assert (before.has_ties, before.is_complete) == (True, False)
    second = evaluations_of(game)[1]
    made = settle(game, adopted=second, reason=" He says it twice. ")
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
    made = settle(game, value="inaccurate")
    assert (made.value, made.adopted) == ("inaccurate", None)
    assert preview(game).found.values["reference"]["2.1"] == "inaccurate"


def test_a_silent_side_can_be_adopted_and_says_what_the_machine_says():
    game = submitted_game(3, differing={("phrase", phrase_of()): ("acceptable", "", "")})
    (one,) = disagreements_in(game)
    silent = next(side for side in one.sides if side.is_silent)
    made = settle(game, one.key, adopted=Evaluation.objects.get(pk=silent.evaluation))
    assert made.value == ""
    assert "phrase" not in preview(game).found.values


def phrase_of():
    """A phrase that a player of the shared games repeats."""
    return min(ground_in(make_shared_game(k=1)).phrases)


def test_a_majority_can_be_settled_otherwise_and_settled_again():
    game = submitted_game(3, differing=SPLIT)
    lead = make_lead(project=game.project)
    first = settle(game, DEPTH, "yes", by=lead, reason="Only irony.")
    assert preview(game).found.values["strategic_depth"]["4"] == "yes"
    second = settle(game, DEPTH, "no", by=lead, reason="I was wrong.")
    assert (second.number, second.supersedes) == (2, first)
    assert [one.id for one in settled_in([game.pk])[game.pk]] == [second.pk]
    assert [(one.number, one.by_name) for one in settled_ever(game.pk)] == [(1, lead.name), (2, lead.name)]


@pytest.mark.parametrize(
    ("given", "field", "says"),
    [
        ({"value": "vague", "reason": "  "}, "reason", "Say why"),
        ({"value": "vague", "reason": "x" * 2001}, "reason", "2,000"),
        ({"value": "brilliant"}, "value", "not an answer"),
        ({"value": ""}, "value", "Choose one of the sides"),
        ({"about": ("reference", "99.1"), "value": "vague"}, "value", "no sentence"),
        ({"about": ("genius", "1"), "value": "vague"}, "value", "no judgement"),
    ],
)
def test_what_cannot_be_settled_is_refused(given, field, says):
    game = submitted_game(2, differing=TIED)
    with pytest.raises(Unacceptable, match=says) as caught:
        settle(game, shown=difference(game, LABEL).page_sha256, **given)
    assert caught.value.field == field
    assert not Adjudication.objects.exists()


def test_nobody_settles_a_question_or_the_rating():
    game = submitted_game(2, differing={("question", "2"): ("yes", "no"), ("rating", ""): ("3.0", "4.0")})
    shown = difference(game, ("question", "2")).page_sha256
    with pytest.raises(Unacceptable, match="Nothing of the verdict"):
        settle(game, ("question", "2"), "yes", shown=shown)
    with pytest.raises(Conflict, match="do not differ"):
        settle(game, ("rating", ""), "3.0", shown=shown)


def test_the_evaluation_adopted_is_one_of_the_sides():
    game = submitted_game(2, differing=TIED)
    other = evaluations_of(submitted_game(1))[0]
    with pytest.raises(Unacceptable, match="another side"):
        settle(game, adopted=other)


def test_sides_that_changed_since_the_page_are_shown_again():
    game = submitted_game(2, differing=TIED)
    shown = difference(game, LABEL)
    row = evaluations_of(game)[0].judgements.get(kind="reference", subject="2.1")
    row.value = "inaccurate"
    row.save()
    with pytest.raises(Conflict, match="say something else") as caught:
        settle(game, value="vague", shown=shown.page_sha256)
    detail = caught.value.detail
    assert (detail["yours"], detail["difference"].key) == ("vague", LABEL)
    assert sorted(side.value for side in detail["difference"].sides) == ["inaccurate", "vague"]


def test_of_two_leads_the_second_is_told_what_the_first_settled():
    game = submitted_game(2, differing=TIED)
    shown = difference(game, LABEL).page_sha256
    first = make_lead(project=game.project)
    settle(game, value="vague", by=first, shown=shown)
    with pytest.raises(Conflict, match=f"{first.name} settled this") as caught:
        settle(game, value="accurate", shown=shown)
    assert caught.value.detail["difference"].settled.value == "vague"
    assert Adjudication.objects.count() == 1


def test_the_same_key_gives_the_same_row_and_another_answer_under_it_is_refused():
    game = submitted_game(2, differing=TIED)
    lead, shown = make_lead(project=game.project), difference(game, LABEL).page_sha256
    given = {"by": lead, "form_key": "one", "shown": shown}
    first = settle(game, value="vague", **given)
    assert settle(game, value="vague", **given) == first
    with pytest.raises(Unacceptable, match="already saved"):
        settle(game, value="accurate", **given)
    assert Adjudication.objects.count() == 1


def test_only_leads_of_the_project_settle():
    game = submitted_game(2, differing=TIED)
    for person in (
        make_member(project=game.project),
        evaluations_of(game)[0].evaluator,
        make_lead(project=submitted_game(1).project),
    ):
        with pytest.raises(NotAllowed, match="Only team leads"):
            settle(game, value="vague", by=person)
    settle(game, value="vague", by=make_admin())


def test_whoever_rated_the_game_does_not_settle_it():
    game = submitted_game(2, differing=TIED)
    rater = evaluations_of(game)[0].evaluator
    rater.is_admin = True
    rater.save()
    with pytest.raises(NotAllowed, match="You rated this game yourself"):
        settle(game, value="vague", by=rater)


def test_settling_waits_for_every_evaluation():
    game = make_shared_game(k=3)
    for evaluation, value in zip(evaluations_of(game)[:2], TIED[LABEL], strict=True):
        submit_as(evaluation, values={LABEL: value})
    with pytest.raises(NotAllowed, match="2 of 3 evaluations"):
        settle(fresh(game), value="vague")


def test_the_page_of_a_recorded_verdict_names_what_was_settled_since():
    game = submitted_game(3, differing=SPLIT)
    lead = make_lead(project=game.project)
    shown = preview(game)
    settle(game, DEPTH, "yes", by=lead, reason="Only irony.")
    carried = {"basis_sha256": shown.basis_sha256, "shown": canonical_bytes(shown.basis).decode()}
    with pytest.raises(Conflict) as caught:
        record_verdict(game=game, by=lead, now=moment(70), **carried)
    assert caught.value.detail["changes"] == ["A lead settled strategic depth 4: yes."]
    assert record(game, by=lead).number == 1


def test_letters_are_not_the_order_of_evaluations():
    """Neither here nor in any other game of the same three: see the core's test of letters."""
    game = submitted_game(3, differing=SPLIT)
    dealt = letters(game.pk, [one.pk for one in evaluations_of(game)])
    assert {side.evaluation: side.alias for side in difference(game, DEPTH).sides} == dealt


def test_reading_differences_takes_the_same_queries_for_any_number(django_assert_num_queries):
    small = submitted_game(2, differing=TIED)
    large = submitted_game(
        4, differing={LABEL: ("accurate", "vague", "vague", "accurate"), DEPTH: ("no",) * 4}
    )
    for game in (small, large):
        assert preview_of(fresh(game)) is not None
        row = Game.objects.select_related("iteration__rubric_version").get(pk=game.pk)
        with django_assert_num_queries(3):
            disagreements_in(row)
