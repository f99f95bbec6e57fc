"""A decision's basis: what is pending, what counts as the same figures, and that its proposal comes out again."""

from decimal import Decimal

import msgspec
import pytest
from msgspec.structs import replace

from discussions.core.compared import KEEP
from discussions.core.decision_basis import (
    DecidedGame,
    DecisionBasis,
    figures_hash,
    other_proposal,
    proposal_of,
)
from discussions.core.game_figures import GameFigures
from rubric.shelf import first_discussion_version
from workspace.core.canonical import canonical_bytes

KEYS = (
    "memory_accuracy", "strategic_depth", "coherence", "role_consistency", "personality_diversity", "anti_repetition",
)  # fmt: skip


@pytest.fixture(scope="module")
def rubric():
    return first_discussion_version()


def game(number, depth=70.0, rating=4.0, **scores):
    given = dict.fromkeys(KEYS, 85.0) | {"strategic_depth": depth} | scores
    return DecidedGame(number, number, GameFigures(number, given, rating))


def basis(control=(60, 62, 64), change=(90, 92, 94), look=1):
    games = [
        [
            each if isinstance(each, DecidedGame) else game(number, each)
            for number, each in enumerate(batch, start)
        ]
        for batch, start in ((control, 1), (change, 10))
    ]
    return DecisionBasis(1, 2, 1, 1, "0" * 64, "strategic_depth", {"strategic_depth": 5.0}, look, *games, [])


def test_the_proposal_comes_out_of_the_stored_basis_again(rubric):
    made = basis()
    found = proposal_of(made, rubric)
    assert found.proposal == KEEP
    stored = canonical_bytes(found).decode()
    again = msgspec.json.decode(canonical_bytes(made), type=DecisionBasis)
    assert again == made
    assert list(other_proposal(stored, proposal_of(again, rubric))) == []


def test_a_last_digit_is_no_other_proposal_and_an_answer_is(rubric):
    stored = canonical_bytes(proposal_of(basis(), rubric)).decode()
    near = basis(change=(90 + 1e-9, 92, 94))
    assert list(other_proposal(stored, proposal_of(near, rubric))) == []
    (said,) = other_proposal(stored, proposal_of(basis(change=(90, 92, 95)), rubric))
    assert "/metrics/" in said
    (said,) = other_proposal("null", proposal_of(basis(), rubric))
    assert "at its top" in said


def test_a_fourth_look_has_no_proposal(rubric):
    assert proposal_of(basis(look=3), rubric).looks_left == 0
    assert proposal_of(basis(look=4), rubric) is None


def test_games_that_are_not_known_in_full_are_pending():
    made = basis(change=[game(10), game(11, rating=None), game(12, coherence=None)])
    assert made.pending == [11, 12]
    assert basis().pending == []


def test_the_same_figures_are_the_same_look_whatever_was_named():
    assert figures_hash(basis()) == figures_hash(basis(look=2))
    assert figures_hash(basis()) != figures_hash(basis(change=(90, 92, 93)))


def test_what_a_game_cost_is_nothing_that_is_looked_at():
    dear = DecidedGame(10, 10, replace(game(10, 90).figures, cost_usd=Decimal("2.5"), is_pass=True))
    assert figures_hash(basis(change=[dear, 92, 94])) == figures_hash(basis())
