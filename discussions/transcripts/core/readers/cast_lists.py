"""The players that a JSON object or a text lists beside the messages of its game: their names, ids and roles."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from discussions.transcripts.core.audience import NARRATORS
from discussions.transcripts.core.fields import NOTHING, as_list, as_object, as_objects, snake_to_camel
from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers.chat_labels import LEAST_NUMBERED
from discussions.transcripts.core.readers.narration import ROLE
from workspace.core.words import mark

# Other words for the players, as a list or as an object by name.
_CASTS = ("cast", "agents", "participants", "characters", "roster")
_LISTS, _DEEPEST = ("players", "seats", "users", *_CASTS), 3
_NAME_KEYS = ("name", "displayName", "display_name", "username", "nickname")
_ROLES = "roles player_roles playerRoles role_assignments assignments assignment rollen rôles 角色 身份 役職".split()
KEYS = ("players", *_CASTS, *_ROLES)
_PLAYER_IDS = "id playerId player_id pid agent_id agentId seat seat_id seatId number".split()
# What a list of players says of each: a role, a model, whether they live.
_CARD = re.compile(
    rf"(?:role ?[:=.] ?)?(?:{ROLE.pattern})(?: ?[(\[/|,-].{{0,60}}| ?: ?\d{{1,3}})?"
    r"|(?=\S{0,60}\d)[^\W\d_][\w.]{1,30}[-/:][\w./:-]{1,60}"
    r"|alive|dead|living|eliminated|killed|executed|存活|死亡|出局|生存|\d{1,4} (?:points?|pts|votes?|票)"
    r"|\d{1,4}(?: {0,20}\| {0,20}\d{1,4}){1,20}",
    re.IGNORECASE,
)
_DIFFERS = mark(
    'Players to whom messages give another role or personality than "players", which counts: {count} (first "{what}").'
)


def find_names(value: Any, depth: int = 0) -> dict[str, str]:
    """The name of each player whom a list of players gives an id, too, in an object or in one inside it."""
    found: dict[str, str] = {}
    players = [player for key in _LISTS if key in as_object(value) for player in _stored(value[key])]
    # Seats may be numbers that are ids of others.
    for key in _PLAYER_IDS:
        for player in players:
            name = _name_of(player)
            if type(name) is str and name.strip() and type(player.get(key)) in (str, int):
                found.setdefault(str(player[key]), name.strip())
    inner = value.values() if type(value) is dict else value if type(value) is list else ()
    for part in inner if depth < _DEEPEST and not found else ():
        found = found or (find_names(part, depth + 1) if type(part) in (dict, list) else {})
    return found


def _stored(part: Any) -> list[dict[str, Any]]:
    """The players of a list, or of an object under their ids."""
    if type(part) is not dict:
        return as_objects(part)
    return [{"id": key} | player for key, player in _by_id(part).items() if type(player) is dict]


def _by_id(part: dict[str, Any]) -> dict[str, Any]:
    """The object in a store that keeps the order of ids beside it: {"allIds": [...], "byId": {...}}."""
    return as_object(part.get("byId")) or part


def _name_of(player: dict[str, Any]) -> Any:
    return next((player[key] for key in _NAME_KEYS if key in player), None)


def list_players(value: dict[str, Any], said: dict[str, dict[str, Any]]) -> Any:
    """The players that an object lists, as names, as objects, by name or by their roles; None where it lists none."""
    listed = value.get("players") or None
    if type(listed) is list:
        are_names = all(type(name) is str for name in listed)
        return [{"name": name} for name in listed] if are_names else _named(listed, said)
    cast = next(filter(None, (as_objects(value.get(key)) for key in _CASTS)), [])
    names = [player.get("name") for player in cast]
    if listed is None and all(type(name) is str for name in names) and not said.keys().isdisjoint(names):
        return [_facts(player) for player in cast]
    metadata = as_object(value.get("metadata"))
    for key in KEYS:
        facts = _by_id(as_object(value.get(key) or metadata.get(key)))
        # Under an id, a player says their name.
        inner = as_objects([*facts.values()])
        named = {name: fact for fact in inner if type(name := _name_of(fact)) in (str, int)}
        facts = named if len(named) == len(facts) else facts
        # Counts of roles and settings ("players": {"min": 3}) name nobody who speaks.
        if not said.keys().isdisjoint(facts):
            return [
                said.get(name, {}) | _facts(facts.get(name)) | {"name": name}
                for name in dict.fromkeys((*said, *facts))
            ]
    return listed


def add_listed(around: Iterable[Any], roster: dict[str, dict[str, Any]], depth: int = 0) -> None:
    """Add to the players of rows those whom one of these values, or one inside it, lists beside most of them."""
    for part in filter(None, map(as_object, around)):
        for key in KEYS:
            cast = _read_cast(part.get(key), roster)
            known = cast if 2 * len(cast.keys() & roster.keys()) > len(cast) else {}
            for name, role in known.items():
                if name in roster or name.casefold() not in NARRATORS:
                    own = roster.setdefault(name, {"name": name, "role": None, "personality": None})
                    own["role"] = own["role"] or role
        if depth < _DEEPEST:
            add_listed(part.values(), roster, depth + 1)


def _read_cast(listed: Any, roster: dict[str, dict[str, Any]]) -> dict[str, str | None]:
    """The names in a list of players, or in an object by name or id, each with the role that stands there."""
    if type(listed) is dict:
        pairs = [(as_object(fact).get("name", name), fact) for name, fact in listed.items()]
    else:
        objects = [{"name": item} if type(item) is str else item for item in as_list(listed)]
        pairs = [(fact.get("name"), fact) for fact in as_objects(_named(objects, roster))]
    return {
        name.strip(): _facts(fact).get("role") for name, fact in pairs if type(name) is str and name.strip()
    }


def without_lists(value: dict[str, Any], depth: int = 0) -> dict[str, Any]:
    """The object without the lists of players in it, and in the objects inside it."""
    return {
        key: without_lists(part, depth + 1) if type(part) is dict and depth < _DEEPEST else part
        for key, part in value.items()
        if key not in KEYS or type(part) is not list
    }


def _named(listed: list[Any], said: dict[str, dict[str, Any]]) -> list[Any]:
    """The players of a list that names none by "name": by the key that holds those who speak."""
    keys = dict.fromkeys(key for player in as_objects(listed) for key in player)
    counts = {key: sum(str(player.get(key)) in said for player in as_objects(listed)) for key in keys}
    known = max(counts, key=counts.__getitem__, default="")
    if not counts.get(known) or not {"name", "playerName", "player_name"}.isdisjoint(keys):
        return listed
    return [
        {"name": str(player[known])} | player if known in as_object(player) else player for player in listed
    ]


def _facts(fact: Any) -> dict[str, Any]:
    """What a list or an object of players or roles says of one: the role itself, or an object with it."""
    known = {"role": fact} if type(fact) is str else as_object(fact)
    return {key: known[key] for key in ("name", "role", "personality") if type(known.get(key)) is str}


def merge_player(player: Any, said: dict[str, dict[str, Any]], place: str, notes: Notes) -> Any:
    """A player of the list, completed with a role and a personality that only the messages give."""
    if type(player) is not dict:
        return player
    names = (name for key, name in player.items() if snake_to_camel(key) in ("name", "playerName"))
    name = next((name.strip() for name in names if type(name) is str), "")
    if name not in said:
        return player
    fields = ("role", "personality", "aliases")
    facts = {field: said[name][field] for field in fields if said[name].get(field)}
    if any(player.get(field) not in (*NOTHING, fact) for field, fact in facts.items()):
        notes.warn("player_differs", place, name, says=_DIFFERS)
    return player | {field: fact for field, fact in facts.items() if player.get(field) in NOTHING}


def is_card(text: str) -> bool:
    """Whether a text is what a list of players says of one: a role, a model, a score, whether they live."""
    return _CARD.fullmatch(text.strip()) is not None


def find_cards(said: Sequence[tuple[str, str]]) -> set[int]:
    """Which of the texts, with their names, are lists of players above the talk or below it: "Ann: Seer"."""
    found: set[int] = set()
    for is_listed, run in groupby(enumerate(said), lambda one: is_card(one[1][1])):
        listed = dict(run)
        is_beside = min(listed) < LEAST_NUMBERED or max(listed) >= len(said) - LEAST_NUMBERED
        if is_listed and is_beside and len({name for name, _text in listed.values()}) >= LEAST_NUMBERED:
            found |= listed.keys()
    return found
