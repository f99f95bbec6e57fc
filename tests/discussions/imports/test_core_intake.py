"""Which games of a file are taken: new ones, once; and the fault of each that is not."""

import pytest

from discussions.imports.core import Intake
from discussions.transcripts.core.reader import ReadTally

OURS, OTHERS = 5, 4


class Taker:
    """An intake with its tally."""

    def __init__(self, *, is_separate=False):
        self.intake = Intake(transcript=OURS, is_separate=is_separate)
        self.tally = ReadTally()

    def takes(self, game_id, sha256, place, known):
        return self.intake.takes(self.tally, known, game_id, sha256, place)

    @property
    def faults(self):
        return self.tally.not_taken

    @property
    def counts(self):
        return self.tally.taken_count, self.tally.not_taken_count


def told(found):
    """Place, code, whether it is only a warning, and what the sentence says of where."""
    return [(fault.place, fault.code, fault.is_warning) for fault in found.faults]


def test_a_new_game_is_taken_once():
    found = Taker()
    assert found.takes("a", "x", "game 1", {})
    assert not found.takes("a", "x", "game 2", {})
    assert found.takes("b", "x", "game 3", {})
    assert told(found) == [("game 2", "already_imported", True)]
    assert "twice, word for word" in found.faults[0].message
    assert found.counts == (2, 0)


def test_a_game_that_another_file_brought_is_not_taken_again_and_says_which_it_is():
    found = Taker()
    assert not found.takes("a", "x", "game 1", {"a": {"x": (12, OTHERS)}})
    assert told(found) == [("game 1", "already_imported", True)]
    assert "already here as game 12" in found.faults[0].message
    assert found.counts == (0, 0)
    assert not found.takes("a", "x", "game 2", {})
    assert "twice" in found.faults[1].message


def test_a_game_that_this_file_brought_before_it_was_interrupted_counts_without_a_word():
    found = Taker()
    assert not found.takes("a", "x", "game 1", {"a": {"x": (12, OURS)}})
    assert (found.faults, found.counts) == ([], (1, 0))


@pytest.mark.parametrize(
    ("known", "where"),
    [({"a": {"y": (12, OTHERS), "z": (7, OTHERS)}}, "game 7"), ({}, "another game of this file")],
)
def test_an_id_of_another_content_is_refused_unless_games_are_separate(known, where):
    for is_separate in (False, True):
        found = Taker(is_separate=is_separate)
        if not known:
            found.intake.know("a", "y")
        assert found.takes("a", "x", "game 3", known) is is_separate
        assert told(found) == ([] if is_separate else [("game 3", "game_exists", False)])
        assert all(f"belongs to {where}, whose" in fault.message for fault in found.faults)
        assert found.counts == ((1, 0) if is_separate else (0, 1))


def test_another_content_that_this_file_brought_before_is_refused_as_one_of_this_file():
    known = {"a": {"y": (12, OURS)}}
    found = Taker()
    assert not found.takes("a", "y", "game 1", known)
    assert not found.takes("a", "x", "game 2", known)
    assert "another game of this file" in found.faults[0].message
    assert Taker().takes("a", "x", "game 2", known), "nothing of this file was met yet"
