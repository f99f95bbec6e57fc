"""Figures by kind: computed, stored and read back the same; and preferences told by rankings."""

import msgspec
import pytest

from rubric.core.figured import (
    KINDS,
    AgreementFigures,
    Input,
    MannersFigures,
    SuccessFigures,
    TuningFigures,
    figures_of,
    preferences_of,
)
from rubric.core.tuning import Preference
from tests.core.scored import WEIGHTS, panel_of

SHAPES = (MannersFigures, AgreementFigures, SuccessFigures, TuningFigures)


@pytest.mark.parametrize(("kind", "shape"), list(zip(KINDS, SHAPES, strict=True)))
@pytest.mark.parametrize("comparisons", [0, 1, 20])
def test_what_is_stored_reads_back_the_same(kind, shape, comparisons):
    rows = panel_of(comparisons, 3, 3, seed=2) if comparisons else []
    found = figures_of(kind, Input(rows, [], WEIGHTS, 7))
    assert found.reviews == 7
    stored = msgspec.json.encode(found)
    assert msgspec.json.decode(stored, type=shape) == found
    again = figures_of(kind, Input(rows[::-1], [], WEIGHTS, 7))
    assert msgspec.json.encode(again) == stored


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="luck"):
        figures_of("luck", Input([], [], WEIGHTS, 0))


def test_preferences_are_pairs_of_different_places():
    found = preferences_of("1", "7", [["2"], ["1", "4"], ["3"]], own=["4"])
    pairs = [("2", "1"), ("2", "3"), ("1", "3")]
    assert found == [Preference("1", better, worse, "7") for better, worse in pairs]
    assert preferences_of("1", "7", [["1", "2"]]) == []
