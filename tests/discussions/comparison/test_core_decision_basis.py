"""A decision's basis: what is pending, what counts as the same figures, and that its proposal comes out again."""

from decimal import Decimal

import msgspec
import pytest
from msgspec.structs import replace

from discussions.comparison.core.decision_basis import (
    FORMAT,
    DecidedGame,
    DecisionBasis,
    compute_proposal,
    figures_hash,
    other_proposal,
)
from discussions.comparison.core.sentences import PLAY_REFERENCE
from discussions.core.iteration_states import KEEP
from discussions.iterations.core.figures import GameFigures
from rubric.versions.queries import first_discussion_version
from workspace.core.canonical import canonical_bytes

KEYS = (
    "memory_accuracy", "strategic_depth", "coherence", "role_consistency", "personality_diversity", "anti_repetition",
)  # fmt: skip
DEPTH = "strategic_depth"


@pytest.fixture(scope="module")
def rubric():
    return first_discussion_version()


def decided_game(number, depth=70.0, rating=4.0, **more):
    given = {"people": more.pop("people", {}), "pair": more.pop("pair", "")}
    scores = dict.fromkeys(KEYS, 85.0) | {DEPTH: depth} | more
    return DecidedGame(number, number, GameFigures(number, scores, rating, **given))


def basis(control=(60, 62, 64), change=(90, 92, 94), look=1, **more):
    games = [
        [
            score if isinstance(score, DecidedGame) else decided_game(number, score)
            for number, score in enumerate(batch, start)
        ]
        for batch, start in ((control, 1), (change, 10))
    ]
    return DecisionBasis(FORMAT, 2, 1, 1, "0" * 64, DEPTH, {DEPTH: 5.0}, look, *games, [], **more)


def stored_again(made):
    return msgspec.json.decode(canonical_bytes(made), type=DecisionBasis)


def test_the_proposal_comes_out_of_the_stored_basis_again(rubric):
    made = basis()
    found = compute_proposal(made, rubric)
    assert found.proposal == KEEP
    stored = canonical_bytes(found).decode()
    again = stored_again(made)
    assert again == made
    assert list(other_proposal(stored, compute_proposal(again, rubric))) == []


def test_all_that_an_answer_rests_on_comes_out_of_the_stored_basis_again(rubric):
    """The target picked, its prompt kept by these games, games withdrawn, people's estimates, and games in pairs."""
    sides = [
        [
            decided_game(
                number,
                value,
                coherence=85.0 + value / 4,
                anti_repetition=95.0,
                people={DEPTH: value},
                pair=f"p{number % 10}",
            )
            for number, value in enumerate(values, start)
        ]
        for values, start in (((40, 44, 48, 46), 1), ((44, 52, 60, 45), 11))
    ]
    made = basis(
        *sides, picked=[1, 2, 3], flattered=[DEPTH], change_out=[decided_game(19, 20, people={DEPTH: 20})]
    )
    found = compute_proposal(made, rubric)
    metric = found.metric(DEPTH)
    assert (metric.by_people, metric.difference.pair_count, metric.difference.picked_share) == (True, 4, 0.75)
    assert metric.difference.rebound > 0
    assert (found.act, found.withdrawn) == (PLAY_REFERENCE, [19])
    stored = canonical_bytes(found).decode()
    assert list(other_proposal(stored, compute_proposal(stored_again(made), rubric))) == []


def test_a_last_digit_is_no_other_proposal_and_an_answer_is(rubric):
    stored = canonical_bytes(compute_proposal(basis(), rubric)).decode()
    near = basis(change=(90 + 1e-9, 92, 94))
    assert list(other_proposal(stored, compute_proposal(near, rubric))) == []
    (said,) = other_proposal(stored, compute_proposal(basis(change=(90, 92, 95)), rubric))
    assert "/metrics/" in said
    (said,) = other_proposal("null", compute_proposal(basis(), rubric))
    assert "at its top" in said


def test_other_words_for_the_same_figures_are_no_other_proposal(rubric):
    found = compute_proposal(basis([60, 68, 76], [74, 82, 90]), rubric)
    stored = msgspec.to_builtins(found)
    for name in ("says", "action", "reason"):
        assert stored[name]
        stored[name] = "In other words."
    assert list(other_proposal(msgspec.json.encode(stored).decode(), found)) == []
    stored["act"] = "drop"
    (said,) = other_proposal(msgspec.json.encode(stored).decode(), found)
    assert "/act" in said


def test_a_fourth_look_has_no_proposal(rubric):
    assert compute_proposal(basis(look=3), rubric).look == 3
    assert compute_proposal(basis(look=4), rubric) is None


def test_games_that_are_not_known_in_full_are_pending():
    made = basis(change=[decided_game(10), decided_game(11, rating=None), decided_game(12, coherence=None)])
    assert made.pending == [11, 12]
    assert basis().pending == []


def test_the_same_figures_are_the_same_look_whatever_was_named():
    assert figures_hash(basis()) == figures_hash(basis(look=2))
    assert figures_hash(basis()) != figures_hash(basis(change=(90, 92, 93)))


def test_what_a_game_cost_is_nothing_that_is_looked_at_and_an_estimate_is():
    dear, estimated = (
        DecidedGame(10, 10, replace(decided_game(10, 90).figures, **given))
        for given in ({"cost_usd": Decimal("2.5"), "is_pass": True}, {"people": {DEPTH: 88.0}})
    )
    assert figures_hash(basis(change=[dear, 92, 94])) == figures_hash(basis())
    assert figures_hash(basis(change=[estimated, 92, 94])) != figures_hash(basis())
