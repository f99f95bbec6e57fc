"""The columns of votes: who votes, and for whom."""

from collections.abc import Collection, Mapping

from discussions.transcripts.core.audience import VOTE, kind_of_type
from discussions.transcripts.core.readers import columns as recipes
from discussions.transcripts.core.readers.column_guesses import Column
from discussions.transcripts.core.readers.draft import is_nobody


def find_votes(rows: list[dict[str, str]], free: list[Column], fields: Mapping[str, str]) -> dict[str, str]:
    """The columns of who votes, in rows of votes without a known one, and for whom (`find_target`)."""
    are_votes = [kind_of_type(own.get("type", "")) == VOTE for own in rows]
    players = {own[recipes.PLAYER] for own in rows if recipes.PLAYER in own}
    is_open = not any(
        vote and {recipes.PLAYER, "voter"} & own.keys() for vote, own in zip(are_votes, rows, strict=True)
    )
    cast = [
        (one, [cell for cell, vote in zip(one.all, are_votes, strict=True) if vote])
        for one in free
        if is_open and any(are_votes)
    ]
    named = [one for one, cells in cast if players.issuperset(cells)]
    voter = min(named, key=lambda one: recipes.field_of(one.last) != "voter", default=None)
    others = [one for one in free if one is not voter]
    return ({"voter": voter.name} if voter else {}) | find_target(rows, others, fields)


def find_target(rows: list[dict[str, str]], free: list[Column], fields: Mapping[str, str]) -> dict[str, str]:
    """The column that names a player in votes alone, or is called so and beside no text, as the field "target".

    Nothing without such a column, without types, or where the target is known. `rows` have the known fields.
    """
    players = {own[recipes.PLAYER] for own in rows if recipes.PLAYER in own}
    is_open = "type" in fields and "target" not in fields
    for column in sorted(free, key=lambda one: recipes.field_of(one.name) != "target") if is_open else ():
        filled = [own for own, cell in zip(rows, column.all, strict=True) if cell]
        are_votes = [kind_of_type(own.get("type", "")) == VOTE for own in filled]
        is_called = recipes.field_of(column.name) == "target" and not any(
            recipes.TEXT in own for own in filled
        )
        named = {name for name in column.different if not is_nobody(name)}
        if (any(are_votes) and is_called) or (all(are_votes) and named and named <= players):
            return {"target": column.name}
    return {}


def is_target(cells: Mapping[str, str], called: str, names: Collection[str]) -> bool:
    """Whether the audience of a row, a player `called` so, is for whom it votes: {"type": "vote", "to": "Bea"}."""
    is_bare = not {recipes.TEXT, "target", "vote"} & cells.keys()
    return is_bare and called.casefold() in names and kind_of_type(cells.get("type", "")) == VOTE
