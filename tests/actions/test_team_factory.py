"""The factory of shared games: everybody is in, and they differ on what they were told to, and on nothing else."""

import pytest

from discussions.core.disagreements import disagreements_of
from discussions.core.effective import Judged
from discussions.models import Judgement
from discussions.models.standings import work_of
from tests.team import evaluations_of, make_shared_game, submitted_game

pytestmark = pytest.mark.django_db


def differing(game):
    """What they differ on, from the rows."""
    rows = Judgement.objects.filter(evaluation__game=game)
    judged = [
        Judged(row.evaluation_id, row.kind, row.subject, row.value, row.blind_value, is_submitted=True)
        for row in rows
    ]
    machine = work_of(evaluations_of(game)[0]).machine
    return {one.key: one for one in disagreements_of(judged, machine, [], game=game.pk)}


def test_everybody_has_begun():
    game = make_shared_game(k=3)
    assert {(one.state, one.slot.evaluator_id) for one in evaluations_of(game)} == {
        ("draft", one.evaluator_id) for one in evaluations_of(game)
    }
    assert len({one.evaluator_id for one in evaluations_of(game)}) == 3


def test_they_agree_on_everything_they_were_not_told_to_differ_on():
    game = submitted_game(3)
    assert {one.state for one in evaluations_of(game)} == {"submitted"}
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
