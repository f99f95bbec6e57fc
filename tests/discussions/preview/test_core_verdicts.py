"""Games decided again under a draft, and what all of them come to, on games small enough to count by hand."""

from decimal import Decimal

import pytest
from msgspec.structs import replace

from discussions.metrics.core.registry import CODE_VERSION, measure_game
from discussions.preview.core import JudgedGame, Rejudged, compute_games_impact, needs_text, rejudge
from discussions.verdicts.core.basis import (
    FORMAT,
    Basis,
    BasisCost,
    BasisEvaluation,
    BasisJudgement,
    BasisMeasured,
    BasisVersion,
)
from discussions.verdicts.core.scoring import compute_basis_outcome
from rubric.preview.core import CriterionFlips, Location, Transition
from tests.factories.metrics import game, rubric

RUBRIC = rubric()


GAME = game(
    messages=[
        ("Alpha", "Earlier you voted for me, which is strange.", 2),
        ("Bravo", "I suspect Alpha because of that vote.", 2),
        ("Charlie", "Let us hear what Bravo says about that vote.", 2),
        ("Alpha", "That vote was strange, Charlie, I suspect Bravo.", 2),
    ],
    roles={"Alpha": "Villager", "Bravo": "Mafia", "Charlie": "Villager"},
    votes=[(1, "Bravo", "Alpha")],
)


MEASURED = measure_game(GAME, RUBRIC)


LABELLED = ("reference", "1.1", "accurate")


CONSISTENT = [("role_consistency", str(position), "consistent") for position in range(1, 5)]


def basis(*judged, evaluations=(1,)):
    """A basis with these judgements (kind, subject, value[, evaluation])."""
    return Basis(
        format=FORMAT,
        game=1,
        game_sha256="",
        transcript=1,
        transcript_sha256="",
        rubric_version=BasisVersion(1, ""),
        measured=BasisMeasured(1, CODE_VERSION, "", ""),
        cost=BasisCost(Decimal("1.00"), "transcript"),
        evaluator_count=len(evaluations),
        evaluations=[BasisEvaluation(key, key) for key in evaluations],
        judgements=[
            BasisJudgement(at, (*rest, 1)[0], kind, subject, value, "", 1)
            for at, (kind, subject, value, *rest) in enumerate(judged)
        ],
        adjudications=[],
        supersedes=None,
    )


def judged(*given, number=1, is_recorded=True, text=None, evaluations=(1,)):
    """The small game, rated 3.5 and judged so."""
    said = basis(*given, *CONSISTENT, ("rating", "", "3.5"), evaluations=evaluations)
    return JudgedGame(
        where=Location("ours", number),
        basis=said,
        measurements=MEASURED,
        rubric=RUBRIC,
        recorded=compute_basis_outcome(said, MEASURED, RUBRIC) if is_recorded else None,
        text=text,
    )


def draft(*, parameters=None, weights=None, **thresholds):
    """The shipped version with other thresholds (or all at what `everything` says), parameters or weights."""
    low = thresholds.pop("everything", None)
    criteria = [
        replace(
            rejudged_game,
            threshold=thresholds.get(rejudged_game.key, rejudged_game.threshold if low is None else low),
        )
        for rejudged_game in RUBRIC.criteria
    ]
    if weights:
        criteria = [
            replace(rejudged_game, weight=weight)
            for rejudged_game, weight in zip(criteria, weights, strict=True)
        ]
    return replace(RUBRIC, criteria=criteria, parameters={**RUBRIC.parameters, **(parameters or {})})


def test_the_same_version_gives_the_same_outcome_recorded_or_not():
    for is_recorded in (True, False):
        found = rejudge(judged(LABELLED, is_recorded=is_recorded), RUBRIC)
        assert found.before == found.after in ("PASS", "FAIL")
        assert (found.turned, found.reasons, found.is_recorded) == ([], [], is_recorded)
        assert found.composites[0] == found.composites[1] is not None


def test_another_threshold_flips_exactly_the_game_between_the_two():
    """Of four messages, as many as people say are strategic: 25, 50 and 75 %, with a threshold of 60, then 50."""
    games = [
        judged(
            LABELLED,
            *[("strategic_depth", str(at), "yes" if at <= count else "no") for at in range(1, 5)],
            number=count,
        )
        for count in (1, 2, 3)
    ]
    must = [
        replace(rejudged_game, is_mandatory=rejudged_game.key == "strategic_depth", threshold=1.0)
        for rejudged_game in RUBRIC.criteria
    ]
    old = replace(
        RUBRIC,
        criteria=[
            replace(rejudged_game, threshold=60.0) if rejudged_game.is_mandatory else rejudged_game
            for rejudged_game in must
        ],
    )
    new = replace(
        RUBRIC,
        criteria=[
            replace(rejudged_game, threshold=50.0) if rejudged_game.is_mandatory else rejudged_game
            for rejudged_game in must
        ],
    )
    games = [
        replace(rejudged_game, rubric=old, recorded=compute_basis_outcome(rejudged_game.basis, MEASURED, old))
        for rejudged_game in games
    ]
    impact = compute_games_impact([rejudge(rejudged_game, new) for rejudged_game in games], new)
    assert (impact.looked_at, impact.flip_count, impact.unknown_count) == (3, 1, 0)
    (flip,) = impact.flips
    assert (flip.where.number, flip.before, flip.after) == (2, "FAIL", "PASS")
    assert flip.reasons == ["Strategic depth 50\u00a0% was not enough at 60\u00a0%, is at 50\u00a0%."]
    assert impact.turned == [CriterionFlips("Strategic depth", passes=1, fails=0)]
    assert impact.transitions == [
        Transition("PASS", "PASS", 1), Transition("FAIL", "PASS", 1), Transition("FAIL", "FAIL", 1),
    ]  # fmt: skip
    assert (impact.move_count, impact.notes) == (0, [])


def test_other_weights_flip_no_verdict_but_change_places():
    """Game 1 has 4 of 4 strategic and no phrase; game 2 is rated higher. Weight on the rating turns the two round."""
    deep = [("strategic_depth", str(at), "yes") for at in range(1, 5)]
    flat = [("strategic_depth", str(at), "no") for at in range(1, 5)]
    high = replace(judged(LABELLED, *flat, number=2))
    said = [
        replace(judgement, value="5.0") if judgement.kind == "rating" else judgement
        for judgement in high.basis.judgements
    ]
    rated = replace(high.basis, judgements=said)
    games = [
        judged(LABELLED, *deep, number=1),
        replace(high, basis=rated, recorded=compute_basis_outcome(rated, MEASURED, RUBRIC)),
    ]
    on_rating = draft(weights=[0.0, 0.1, 0.0, 0.0, 0.0, 0.0, 0.9])
    impact = compute_games_impact([rejudge(rejudged_game, on_rating) for rejudged_game in games], on_rating)
    assert (impact.flip_count, impact.flips, impact.turned) == (0, [], [])
    # Under the draft: 0.1 x 100 + 0.9 x 62.5 = 66.25, and 0.1 x 0 + 0.9 x 100 = 90.
    moves = {move.where.number: (move.place_before, move.place_after, move.after) for move in impact.moves}
    assert moves == {1: (1, 2, 66.25), 2: (2, 1, 90.0)}
    assert impact.ranked_count == impact.move_count == 2


def test_another_parameter_measures_again_and_counts_judgements_whose_finding_is_gone():
    by_message = draft(parameters={"reference_unit": "message"})
    assert needs_text(RUBRIC, by_message) and not needs_text(RUBRIC, draft(everything=4.0))
    games = [
        judged(LABELLED, text=GAME),
        judged(("reference", "1.1", "not_a_reference"), text=GAME, number=2),
    ]
    found = [rejudge(rejudged_game, by_message) for rejudged_game in games]
    assert [dict(rejudged_game.lost) for rejudged_game in found] == [{"reference": 1}] * 2
    assert [rejudged_game.after for rejudged_game in found] == ["pending", "pending"]
    assert found[0].reasons == [
        "Memory accuracy cannot be told: 1 thing that the draft counts was not judged."
    ]
    impact = compute_games_impact(found, by_message)
    assert (
        impact.flip_count,
        impact.unknown_count,
        [rejudged_game.is_known for rejudged_game in impact.flips],
    ) == (
        0,
        2,
        [False] * 2,
    )
    assert impact.notes == [
        "The draft measures differently, so 2 games were measured again. Nothing of that is stored.",
        "2 labels are of references that the draft does not find; they count as references that people found.",
        "These judgements, whose finding is gone, are in 2 games.",
    ]


def test_phrases_that_the_draft_does_not_find():
    record = game(
        messages=[
            ("Alpha", "I think that the vote was odd. I think that it was."),
            ("Bravo", "I think that too."),
        ]
    )
    before = measure_game(record, RUBRIC)
    phrase = before["anti_repetition"].phrases[0]
    marked = basis(("phrase", phrase.subject, "acceptable"), ("rating", "", "4.0"))
    marked = replace(marked, measured=replace(marked.measured, code_version="0.9"))
    pooled = draft(parameters={"repetition_scope": "pooled"})
    judged_game = JudgedGame(
        Location("ours", 1),
        marked,
        before,
        RUBRIC,
        compute_basis_outcome(marked, before, RUBRIC),
        record,
    )
    found = rejudge(judged_game, pooled)
    assert dict(found.lost) == {"phrase": 1}
    assert compute_games_impact([found], pooled).notes == [
        "The draft measures differently, so 1 game was measured again. Nothing of that is stored.",
        "1 of them was measured by older code before; what differs can come from that, too.",
        "1 phrase marked as acceptable is not among those that the draft finds; the mark counts for nothing.",
        "These judgements, whose finding is gone, are in 1 game.",
    ]


def test_what_evaluators_differ_on_waits_before_and_after():
    two = judged(
        LABELLED, ("coherence", "2", "yes", 1), ("coherence", "2", "no", 2), (*LABELLED, 2),
        is_recorded=False, evaluations=(1, 2),
    )  # fmt: skip
    found = rejudge(two, RUBRIC)
    assert (found.before, found.after, found.reasons) == ("pending", "pending", [])


def test_recorded_verdicts_are_listed_before_games_without_one():
    strict = draft(engagement=5.0)
    games = [judged(LABELLED, number=1, is_recorded=False), judged(LABELLED, number=2)]
    lenient = [
        replace(rejudged_game, threshold=0.0 if rejudged_game.key != "engagement" else 1.0)
        for rejudged_game in RUBRIC.criteria
    ]
    old = replace(RUBRIC, criteria=lenient)
    games = [
        replace(
            rejudged_game,
            rubric=old,
            recorded=rejudged_game.recorded and compute_basis_outcome(rejudged_game.basis, MEASURED, old),
        )
        for rejudged_game in games
    ]
    impact = compute_games_impact([rejudge(rejudged_game, strict) for rejudged_game in games], strict)
    assert [(flip.where.number, flip.is_recorded, flip.before, flip.after) for flip in impact.flips] == [
        (2, True, "PASS", "FAIL"), (1, False, "PASS", "FAIL"),
    ]  # fmt: skip
    assert (impact.looked_at, impact.flip_count, impact.open_count, impact.open_flip_count) == (1, 1, 1, 1)


def test_nothing_judged_is_nothing_changed():
    impact = compute_games_impact([], RUBRIC)
    assert (impact.looked_at, impact.flips, impact.ranked_count, impact.notes) == (0, [], 0, [])


@pytest.mark.parametrize("count", [200, 230])
def test_the_list_of_flips_is_cut_and_says_of_how_many(count):
    games = [
        Rejudged(Location("ours", number), True, "PASS", "FAIL", (50.0, 50.0))
        for number in range(count, 0, -1)
    ]
    impact = compute_games_impact(games, RUBRIC)
    assert (len(impact.flips), impact.listed_of, impact.flip_count) == (200, count, count)
    assert [flip.where.number for flip in impact.flips[:3]] == [1, 2, 3]
