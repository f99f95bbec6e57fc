"""Codes on a game, one of a category that was merged, one that was taken back."""

from discussions.agents.actions import MERGE, change_category, code, take_code_back
from discussions.models import Category, Coding, Game
from tests.factories.people import NOW
from tests.factories.replays import replayed
from workspace.models import Person


@replayed
def give(game: Game, lead: Person, name: str, message: int = 1) -> Coding:
    return code(game=game, message=message, name=name, by=lead, now=NOW)


def make_coded(game: Game, lead: Person) -> Category:
    """The category that counts; another was merged into it."""
    kept, merged = give(game, lead, "Stalls"), give(game, lead, "Waits", 2)
    change_category(category=merged.category, do=MERGE, into=kept.category, by=lead, now=NOW)
    take_code_back(coding=give(game, lead, "Stalls", 0), by=lead, now=NOW)
    return kept.category
