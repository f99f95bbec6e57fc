"""The votes in a JSON value: a list of them, an object by player or by round, or texts."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from discussions.transcripts.core.audience import VOTE, count_gaps, kind_of_type, words_of
from discussions.transcripts.core.fields import as_list, as_object, as_objects
from discussions.transcripts.core.native import are_votes
from discussions.transcripts.core.readers import json_rounds as rounds
from discussions.transcripts.core.readers.chat_lines import ARROW
from discussions.transcripts.core.readers.columns import PLAYER, field_of
from discussions.transcripts.core.readers.draft import is_nobody
from discussions.transcripts.core.readers.json_cells import as_text
from discussions.transcripts.core.readers.json_cells import names_both as is_message
from discussions.transcripts.core.readers.vote_columns import TARGETS, VOTERS


def are_objects(part: Any) -> bool:
    return type(part) is list and bool(part) and all(type(item) is dict for item in part)


def holds_lists(value: dict[str, Any]) -> bool:
    """Whether an object is a round of votes: with a list of them beside others, or of messages."""
    lists = [key for key, part in value.items() if are_objects(part)]
    of_votes = [key for key in lists if kind_of_type(key) == VOTE]
    return is_message(value) or (bool(of_votes) and of_votes != lists)


def votes_of(part: Any, place: str, around: dict[str, Any]) -> Iterator[rounds.Row]:
    """The votes of a round, or those of several under their keys; nothing where they are no votes of players."""
    # What is around a whole game says no round.
    if cast := casts_of(part) or (_pairs_in(part) if place.count("/") > 1 else []):
        for voter, target in cast:
            yield place, around | {"type": VOTE, "voter": voter, "target": target}
    elif are_objects(part) and not holds_lists(part[0]):
        # What is said of a voter under the same key in each is nobody's name there.
        keys = set().union(*part)
        are_rows = len(part) > 1 and all(
            item.keys() == keys and keys.isdisjoint(map(str, item.values())) for item in part
        )
        for index, item in enumerate(part):
            yield from _of_item(item, index, place, around, is_row=are_rows)
    elif type(part) is dict:
        shapes = rounds.count_shapes(part)
        for key, own in part.items():
            if numbered := rounds.of_key(key, "rounds", shapes, around):
                yield from votes_of(own, f"{place}/{key}", around | numbered)


def votes_beside(value: dict[str, Any], talk: str, place: str) -> Iterator[rounds.Row]:
    """The votes beside a list of messages; where nothing is called so, the rows of the one list that may be votes."""
    beside = {key: part for key, part in value.items() if key != talk and type(part) in (dict, list)}
    voted = [key for key in beside if kind_of_type(key) == VOTE]
    for key in voted:
        yield from rounds.with_rounds(votes_of(beside[key], f"{place}/{key}", {}))
    acts = [key for key, part in beside.items() if not voted and _are_acts(key, part, value[talk])]
    if len(acts) == 1:
        yield from ((f"{place}/{acts[0]}/{at}", act) for at, act in enumerate(beside[acts[0]]))


def _are_acts(key: str, part: Any, talk: Any) -> bool:
    """Whether the rows of a list have no texts, but two names each of those who speak in a list beside it."""
    items, said = as_list(part), as_list(talk)
    are_rows = {*map(type, items)} == {*map(type, said)} == {dict} and not kind_of_type(key)
    cells = [cell for item in items if are_rows for cell in item.values()]
    if not cells or any(type(cell) in (dict, list) or count_gaps(str(cell)) > 1 for cell in cells):
        return False
    own = [{as_text(item.get(name)) for item in items} for name in items[0]]
    named = [{name for name in names if not is_nobody(name)} for names in own]
    spoken = [{as_text(item.get(name)) for item in said} for name in said[0]]
    return any(sum(len(names) > 1 and names <= players for names in named) > 1 for players in spoken)


def _of_item(
    item: dict[str, Any], index: int, place: str, around: dict[str, Any], *, is_row: bool
) -> Iterator[rounds.Row]:
    """The vote that an object of a list is, or those of the round that it is."""
    ballot = as_ballot(item)
    inner = [part for key, part in item.items() if kind_of_type(key) == VOTE and type(part) in (dict, list)]
    own = [] if is_row or any(map(field_of, item)) else [item]
    casts = [] if "voter" in ballot else [one for one in (*own, *inner) if casts_of(one) or are_objects(one)]
    for cast in casts:
        yield from votes_of(cast, f"{place}/{index}", rounds.of_item(item, index, around, has_id=False))
    if not casts:
        hidden = {"phase": around["phase"]} if rounds.hides(around) else {}
        yield f"{place}/{index}", around | {"type": VOTE} | rounds.own_round(item) | ballot | hidden


def as_ballot(item: dict[str, Any]) -> dict[str, Any]:
    """A vote with who casts it as "voter", and for whom as "target", where its keys say so: "from", "to"."""
    plain = [key for key, part in item.items() if type(part) in (str, int)]
    voter = _find_key(plain, VOTERS, ("voter", PLAYER))
    target = _find_key([key for key in plain if key != voter], TARGETS, ("target", "vote"))
    if not (voter and target):
        return item
    rest = {key: part for key, part in item.items() if key not in (voter, target)}
    return rest | {"voter": item[voter], "target": item[target]}


def _find_key(keys: Collection[str], known: Iterable[frozenset[str]], fields: Collection[str]) -> str:
    """The first key that is called so: with a word of the first of these sets, or of these fields; "" without one."""
    found = (key for words in known for key in keys if field_of(key) in fields or words & {*words_of(key)})
    return next(found, "")


def casts_of(part: Any) -> list[tuple[str, str]]:
    """The voter and the target of each vote, where they are an object by player, or texts such as "Ann -> Bea"."""
    if type(part) is dict and any(map(as_list, part.values())):
        # Who voted for each: nobody does twice, and somebody is voted for who votes.
        found = {str(voter): target for target, voters in part.items() for voter in as_list(voters)}
        filled = list(filter(None, map(as_list, part.values())))
        are_votes = len(found) == sum(map(len, filled)) > len(filled)
        return list(found.items()) if are_votes and not part.keys().isdisjoint(found) else []
    if type(part) is dict:
        # Other numbers are how many votes each got.
        are_seats = len(part) > 1 and {*map(as_text, part.values())} <= {*part}
        are_names = are_seats or all(type(target) is str for target in part.values())
        return [(voter, as_text(target)) for voter, target in part.items()] if are_names else []
    arrows = [ARROW.fullmatch(said) for said in as_list(part) if type(said) is str]
    return [(arrow["voter"], arrow["target"]) for arrow in arrows if arrow]


def _pairs_in(part: Any) -> list[list[Any]]:
    """The voters and targets of lists of two texts, or of the objects that a table has for them; or []."""
    items = as_list(part)
    pairs = [[*pair.values()] if as_object(pair).keys() == {"1", "2"} else as_list(pair) for pair in items]
    return pairs if all([*map(type, pair)] == [str, str] for pair in pairs) else []


def are_native(part: Any) -> bool:
    """Whether votes have the keys of native ones, and no other round."""
    return are_votes(part) and not rounds.own_round(next(iter(as_objects(part)), {}))
