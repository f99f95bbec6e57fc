"""Three evaluators from the first place to a replayed verdict: tie, refusal, settling, recording, verifying."""

from fractions import Fraction

import pytest

from discussions.actions.needing import need_fewer
from discussions.actions.replaying import replay_verdict
from discussions.actions.returning import return_evaluation
from discussions.actions.verifying_adjudications import ADJUDICATION_CHECKS
from discussions.core.report import json_of
from discussions.models import Adjudication, Evaluation, Iteration, Verdict
from discussions.models.adjudicated import disagreements_in
from discussions.models.scored import scored_hash
from discussions.pages.report import build_report
from tests.actions.tampering import without_triggers
from tests.actions.test_adjudicating import settle
from tests.factories import make_lead, moment
from tests.rated import ANSWERS
from tests.settled import fresh, preview, record
from tests.team import breaches, evaluations_of, submit_as, submitted_game
from workspace.core.refusals import NotAllowed
from workspace.models import Event
from workspace.pages.markdown import render_markdown

pytestmark = pytest.mark.django_db

ROLE = ("role_consistency", "3")
LABEL = ("reference", "2.1")
DIFFERING = {
    ROLE: ("consistent", "inconsistent", "not_assessable"),
    LABEL: ("vague", "accurate", "vague"),
    ("missed", "1.1"): ("yes", "", ""),
    ("rating", ""): ("3.0", "4.0", "4.5"),
}


def three():
    """A game that three rated, differing; and a lead of its project."""
    game = submitted_game(3, differing=DIFFERING)
    return game, make_lead(project=game.project)


def test_from_a_tie_to_a_verdict_that_replays_and_verifies():
    game, lead = three()
    assert [(one.key, one.is_tie) for one in disagreements_in(game)] == [
        (ROLE, True),
        (LABEL, False),
        (("missed", "1.1"), False),
    ]
    with pytest.raises(NotAllowed, match="a team lead settles it first"):
        record(game, by=lead)
    before = scored_hash()
    settle(game, ROLE, adopted=evaluations_of(game)[1], by=lead, reason="She confesses.")
    assert scored_hash() != before
    verdict = record(game, by=lead)
    outcome = replay_verdict(verdict=verdict).outcome
    assert outcome is not None
    assert Fraction(outcome.line("engagement").numerator, outcome.line("engagement").denominator) == Fraction(
        23, 6
    )
    found = preview(game).found
    assert (found.values["role_consistency"]["3"], found.values["reference"]["2.1"]) == (
        "inconsistent",
        "vague",
    )
    assert found.added == frozenset()
    replay = replay_verdict(verdict=verdict)
    assert (replay.differences, replay.is_equal) == ([], True)
    assert breaches() == []


def test_the_one_evaluator_of_three_does_not_record():
    game, _lead = three()
    with pytest.raises(NotAllowed, match="several evaluators, so a team lead"):
        record(game, by=evaluations_of(game)[0].evaluator)


def test_settling_after_the_verdict_is_recorded_by_superseding_it():
    game, lead = three()
    settle(game, ROLE, "consistent", by=lead)
    record(game, by=lead)
    settle(game, LABEL, "inaccurate", by=lead, reason="The vote was for Bea.")
    second = record(game, by=lead, reason="A label was settled.", minutes=90)
    assert second.number == 2
    assert '"value":"inaccurate"' in second.basis
    assert [replay_verdict(verdict=one).differences for one in Verdict.objects.all()] == [[], []]
    assert breaches() == []


def test_what_was_sent_back_does_not_count_until_it_is_handed_in_again():
    game, lead = three()
    second = evaluations_of(game)[1]
    return_evaluation(evaluation=second, comment=" Look at message 3. ", by=lead, now=moment(70))
    assert len(preview(game).basis.evaluations) == 2
    with pytest.raises(NotAllowed, match="2 of 3 evaluations"):
        settle(game, ROLE, "consistent", by=lead, shown="0" * 64)
    again = Evaluation.objects.with_work().get(pk=second.pk)
    assert (again.state, again.returned_comment) == ("returned", "Look at message 3.")
    assert (again.slot.is_closed, again.slot.evaluator_id, again.slot.lease_until) == (
        False,
        second.evaluator_id,
        None,
    )
    assert Event.objects.latest("pk").verb == "evaluation:returned"
    assert breaches() == []
    submit_as(again, values={ROLE: "consistent"}, answers=ANSWERS, now=moment(80))
    assert [one.key for one in disagreements_in(fresh(game)) if one.is_tie] == []
    assert record(game, by=lead).number == 1
    assert breaches() == []


def damage(**columns):
    """Change the one row behind the triggers' back."""
    with without_triggers():
        Adjudication.objects.update(**columns)


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"number": 2}, "does not follow"),
        ({"kind": "rating", "subject": "", "value": "3.0"}, "not a lead's to settle"),
        ({"value": "brilliant"}, "no answer there"),
        ({"reason": "  "}, "has no reason"),
        ({"value": "consistent"}, "no such row of its game says so"),
    ],
)
def test_verify_names_every_damage(columns, says):
    game, lead = three()
    settle(game, ROLE, "inconsistent", by=lead)
    record(game, by=lead)
    damage(**columns)
    found = [sentence for check in ADJUDICATION_CHECKS for sentence in check.find(moment())]
    assert any(says in sentence for sentence in found), found


def test_verify_names_an_adopted_stranger_a_side_that_judges_and_a_silent_act():
    game, lead = three()
    made = settle(game, ROLE, adopted=evaluations_of(game)[0], by=lead)
    other = evaluations_of(submitted_game(1))[0]
    damage(adopted=other, created_by=evaluations_of(game)[2].evaluator)
    Adjudication.objects.create(
        game=game, kind="reference", subject="2.1", number=1, value="vague", reason="?", key="k",
        sides_sha256="", body_sha256="", created_at=moment(), created_by=lead,
    )  # fmt: skip
    found = " ".join(sentence for check in ADJUDICATION_CHECKS for sentence in check.find(moment()))
    assert f"(row {made.pk}) adopts an evaluation of another game" in found
    assert f"(row {made.pk}) was settled by somebody whose own answers" in found
    assert "adjudication" in found


def test_a_replay_names_what_the_row_does_not_say():
    game, lead = three()
    settle(game, ROLE, "inconsistent", by=lead)
    verdict = record(game, by=lead)
    damage(value="consistent")
    assert any("was settled on inconsistent" in one for one in replay_verdict(verdict=verdict).differences)


def test_the_report_says_what_was_settled_by_whom_and_what_that_supersedes():
    game, lead = three()
    first, second, _third = evaluations_of(game)
    settle(game, ROLE, adopted=first, by=lead, reason="She is *sure*.")
    settle(game, ROLE, adopted=second, by=lead, reason="I read it again.")
    settle(game, LABEL, "inaccurate", by=lead, reason="No such vote.")
    record(game, by=lead)
    report = build_report(game=fresh(game))
    assert report is not None
    assert [(one.what, one.says, one.adopted, one.reason, len(one.earlier)) for one in report.settled] == [
        ("reference 2.1", "inaccurate", "", "No such vote.", 0),
        ("role consistency, message 3", "inconsistent", second.evaluator.name, "I read it again.", 1),
    ]
    text = render_markdown("discussions/report.md", report=report)
    assert "## What a lead settled between evaluators" in text
    assert "role consistency, message 3: **inconsistent**, as" in text
    assert "  - before: consistent, by" in text
    assert "She is \\*sure\\*" in text
    assert b'"settled": [' in json_of(report)
    own = build_report(game=fresh(game), only=first.evaluator)
    assert own is not None
    assert (own.settled, own.fewer, [judge.name for judge in own.judges]) == ([], "", [first.evaluator.name])


def test_a_report_says_why_fewer_were_enough():
    game = submitted_game(2)
    lead = make_lead(project=game.project)
    Iteration.objects.filter(pk=game.iteration_id).update(evaluator_count=3)
    need_fewer(game=game, count=2, reason="Nobody else is there.", by=lead, now=moment(50))
    record(game, by=lead)
    report = build_report(game=fresh(game))
    assert report is not None
    assert (report.fewer, report.settled) == (f"2, {lead.name}: Nobody else is there.", [])
    assert "Nobody else is there" in render_markdown("discussions/report.md", report=report)
    assert "What a lead settled" not in render_markdown("discussions/report.md", report=report)
