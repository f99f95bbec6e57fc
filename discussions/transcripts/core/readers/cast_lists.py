"""The players that a JSON object or a text lists beside the messages of its game: their names, ids and roles."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Any

from discussions.transcripts.core.audience import NARRATORS, words_of
from discussions.transcripts.core.fields import NOTHING, as_list, as_object, as_objects, snake_to_camel
from discussions.transcripts.core.notes import Limits, Notes
from discussions.transcripts.core.readers.chat_labels import LEAST_NUMBERED
from discussions.transcripts.core.readers.columns import PLAYER, TEXT, field_of
from discussions.transcripts.core.readers.narration import ROLE, read_role
from workspace.core.words import mark

# Other words for the players, as a list or as an object by name.
_CASTS = ("cast", "agents", "participants", "characters", "roster")
_LISTS, _DEEPEST = ("players", "seats", "users", *_CASTS), 3
_OWN_NAMES = ("name", "displayName", "display_name", "username", "nickname")
_NAME_KEYS = (
    *_OWN_NAMES,
    *"playerName player_name agentName agent_name alias nick handle full_name fullName label".split(),
)
# Beside lists of players, what holds their names by id, or their ids by name; and the last word of the key of an id.
_NAMES_BY_ID = frozenset("name names speakers seats users id ids nicknames aliases".split()).union(_LISTS)
_ID_WORDS = frozenset("id index idx no number num seat code uid".split())
_ROLES = (
    "roles player_roles playerRoles role_map roleMap role_assignments assignments assignment "
    "rollen rôles 角色 身份 役職"
).split()
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
_ONE_WORD = re.compile(r"\w+")
_DIFFERS = mark('Players with other facts in "players", which count: {count} (first "{what}").')


def find_names(value: Any, rows: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The name of each player to whom an object gives an id, too; `rows` say who speaks, and what."""
    said = {name for row in rows if (name := row.get(PLAYER, "").strip()).casefold() not in NARRATORS} - {""}
    return _find_names(value, said, _in_words(" ".join(cells.get(TEXT, "") for cells in rows)), 0)


def _find_names(value: Any, said: set[str], texts: str, depth: int) -> dict[str, str]:
    found: dict[str, str] = {}
    lists = {key: _stored(part) for key, part in as_object(value).items() if type(part) in (dict, list)}
    told = [key for key, own in lists.items() if key not in _LISTS and len(_ids_of(own, said)) == 1]
    players = [player for key in (*_LISTS, *told[:1]) for player in lists.get(key, ())]
    known = (*_PLAYER_IDS, *_ids_of(players, said))
    keys = [key for key in dict.fromkeys(chain(known, *players[:1])) if key in known or _is_id(key, players)]
    # Seats may be numbers that are ids of others: those by which players speak come first.
    keys.sort(key=lambda key: -sum(str(player.get(key)) in said for player in players))
    for key in keys:
        for player in players:
            name = _name_of(player)
            if type(name) is str and name.strip() and type(player.get(key)) in (str, int):
                found.setdefault(str(player[key]), name.strip())
    # Texts may call players by their ids, and by no alias.
    has_names = any(key in player for player in players for key in _OWN_NAMES)
    ids = [own for own in found if not own.isdecimal()]
    if not has_names and _count_named(ids, texts) > _count_named({*found.values()}, texts):
        found = {}
    for key, part in as_object(value).items():
        if not found and not _NAMES_BY_ID.isdisjoint(words_of(key)):
            found = _by_id_or_name(part, said, texts)
    inner = value.values() if type(value) is dict else value if type(value) is list else ()
    for part in inner if depth < _DEEPEST and not found else ():
        found = found or (_find_names(part, said, texts, depth + 1) if type(part) in (dict, list) else {})
    return found


def _is_id(key: str, players: list[dict[str, Any]]) -> bool:
    """Whether players have ids under a key: one that ends with such a word and differs for each."""
    values = {str(player[key]) for player in players if key in player}
    return (
        key not in _NAME_KEYS and not _ID_WORDS.isdisjoint(words_of(key)[-1:]) and len(values) == len(players)
    )


def _ids_of(players: list[dict[str, Any]], said: set[str]) -> list[str]:
    """The keys under which several players have ids, which are no names of theirs, and which hold all who speak."""
    values = {
        key: {str(player.get(key)) for player in players} for key in (players[0] if said and players else ())
    }
    names = {str(_name_of(player)) for player in players}
    return [
        key
        for key, own in values.items()
        if said <= own and len(own) == len(players) and own.isdisjoint(names)
    ]


def _by_id_or_name(part: Any, said: set[str], texts: str) -> dict[str, str]:
    """The names by id in an object of names by id or of ids by name, or in a list of names, where ids speak."""
    if not said:
        return {}
    if type(part) is list and {*map(type, part)} == {str} and all(map(str.isdecimal, said)):
        first = 0 if "0" in said else 1 if str(len(part)) in said else len(part)
        found = {str(number): name for number, name in enumerate(part, start=first)}
        return found if said <= found.keys() else {}
    pairs = [(key, str(one)) for key, one in as_object(part).items() if type(one) in (str, int)]
    if len(pairs) > Limits().players:
        return {}
    for found in (dict(pairs), {one: key for key, one in pairs}):
        is_whole = len(pairs) == len(as_object(part)) == len({*found.values()}) > 1
        # Whom each player targets is no name of theirs.
        own = {key.casefold() for key in found}
        is_ring = any(name != key and name.casefold() in own for key, name in found.items())
        # Of "Player-1" the id is a part.
        are_parts = all(own in name for own, name in found.items())
        is_listed = is_whole and not is_ring and said <= found.keys()
        if is_listed and (are_parts or not any(map(is_card, found.values()))):
            called = [_count_named(own, texts) for own in (found, found.values())]
            are_ids = all(len(own) < 3 or any(map(str.isdecimal, own)) for own in found)
            are_names = not any(any(map(str.isdecimal, name)) for name in found.values())
            if called[1] > called[0] or are_parts or (not called[0] and are_ids and are_names):
                return found
    return {}


def _count_named(names: Iterable[str], texts: str) -> int:
    """How many of the names stand in the words of texts (`_in_words`)."""
    return sum(_in_words(name) in texts for name in names)


def _in_words(text: str) -> str:
    """The words of a text between spaces, so that words can be looked up in it."""
    return f" {' '.join(_ONE_WORD.findall(text))} "


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


def list_players(value: dict[str, Any], said: dict[str, dict[str, Any]], ids: Mapping[str, str]) -> Any:
    """The players that an object lists, as names, as objects, by name or by their roles; None where it lists none."""
    listed = value.get("players") or None
    facts: dict[str, dict[str, Any]] = {}
    for cast in _find_casts(value, said, ids):
        for name, own in cast.items():
            facts[name] = own | facts.get(name, {})
    if type(listed) is list:
        return [_completed(player, facts) for player in _named(listed, said)]
    if not facts:
        return listed
    return [said.get(name, {}) | facts.get(name, {}) | {"name": name} for name in said | facts]


def _completed(player: Any, facts: dict[str, dict[str, Any]]) -> Any:
    """A listed player, with what another list says of them."""
    own = facts.get(str(as_object(player).get("name")).strip(), {})
    return player | {key: fact for key, fact in own.items() if player.get(key) in NOTHING} if own else player


def add_listed(around: Iterable[Any], roster: dict[str, dict[str, Any]], ids: Mapping[str, str]) -> None:
    """Add to the players of rows those whom one of these values, or one inside it, lists beside most of them."""
    for cast in [cast for part in around for cast in _find_casts(part, roster, ids)]:
        for name, facts in cast.items():
            if name in roster or name.casefold() not in NARRATORS:
                own = roster.setdefault(name, {"name": name, "role": None, "personality": None})
                own["role"] = own["role"] or facts.get("role")


def _find_casts(
    value: Any, roster: Mapping[str, Any], ids: Mapping[str, str], depth: int = 0
) -> Iterator[dict[str, dict[str, Any]]]:
    """The casts in an object, and in those inside it, of most of those who speak."""
    for key, part in as_object(value).items():
        is_known = key in KEYS or "roles" in words_of(key) or _is_cast(part, roster)
        cast = _read_cast(part, roster, ids) if is_known else {}
        if 2 * len(cast.keys() & roster.keys()) > len(cast):
            yield cast
        if type(part) is dict and depth < _DEEPEST:
            yield from _find_casts(part, roster, ids, depth + 1)


def _is_cast(part: Any, roster: Mapping[str, Any]) -> bool:
    """Whether a list under an unknown key has one object for each of several players, with a role, and no text."""
    items = as_list(part)
    if {*map(type, items)} != {dict} or TEXT in map(field_of, items[0]) or not any(map(_facts, items)):
        return False
    columns = [[str(item.get(key)) for item in items] for key in items[0]]
    named = [own for own in columns if 2 * sum(name in roster for name in own) > len(own)]
    return len(named) == 1 and len({*named[0]}) == len(items) > 1


def _read_cast(listed: Any, roster: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The players in a list, or in an object by name, by id or by role, each with what stands there of them."""
    called = {name.casefold(): name for name in roster} | {own.casefold(): name for own, name in ids.items()}
    pairs: list[tuple[Any, Any]] = []
    for item in _named(as_list(listed), roster):
        key, fact = item if type(item) is list and len(item) == 2 else (_name_of(as_object(item)), item)
        pairs.append((fact, key) if str(fact).casefold() in called else (key, fact))
    for key, fact in _by_id(as_object(listed)).items():
        names = [one for one in as_list(fact) or [fact] if str(one).strip().casefold() in called]
        is_role = key.casefold() not in called and len(names) == len(as_list(fact) or [fact])
        pairs += [(name, key) for name in names] if is_role else [(_name_of(as_object(fact)) or key, fact)]
    named = ((str(name).strip(), fact) for name, fact in pairs if name)
    said = [(called.get(name.casefold(), name), fact) for name, fact in named]
    # What is called otherwise has no role.
    return {name: {} if called.get(str(fact).casefold()) == name else _facts(fact) for name, fact in said}


def without_lists(value: dict[str, Any], depth: int = 0) -> dict[str, Any]:
    """The object without the lists of players in it, and in the objects inside it."""
    return {
        key: without_lists(part, depth + 1) if type(part) is dict and depth < _DEEPEST else part
        for key, part in value.items()
        if key not in KEYS or type(part) is not list
    }


def _named(listed: list[Any], said: Mapping[str, Any]) -> list[Any]:
    """The players of a list as objects: of names, which a role may follow, or with what those who speak are called."""
    read = [read_role(one) if type(one) is str and one not in said else (one, "") for one in listed]
    listed = [
        {"name": one} | ({"role": role} if role else {}) if type(one) is str else one for one, role in read
    ]
    keys = dict.fromkeys(key for player in as_objects(listed) for key in player)
    counts = {key: sum(str(player.get(key)) in said for player in as_objects(listed)) for key in keys}
    known = max(counts, key=counts.__getitem__, default="")
    if not counts.get(known) or not {"name", "playerName", "player_name"}.isdisjoint(keys):
        return listed
    return [{"name": str(one[known])} | one if known in as_object(one) else one for one in listed]


def _facts(fact: Any) -> dict[str, Any]:
    """What a list or an object of players or roles says of one: the role itself, or an object with it."""
    known = {"role": fact} if type(fact) is str else as_object(fact)
    roles = [said for key, said in known.items() if words_of(key)[-1:] == ["role"] or field_of(key) == "role"]
    known = {"role": next(iter(roles), None)} | known
    return {key: known[key] for key in ("role", "personality") if type(known.get(key)) is str}


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
