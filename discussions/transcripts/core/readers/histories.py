"""Histories of agents: what each was told and answered, which is public if all who are told something later knew it."""

import re
from bisect import bisect
from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from discussions.transcripts.core.audience import LEAST_SPACES, THOUGHT, VOTE, kind_of_type, words_of
from discussions.transcripts.core.fields import as_list, as_object, read_part
from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers import openai_chat
from discussions.transcripts.core.readers.cast_lists import add_listed
from discussions.transcripts.core.readers.draft import VOTED_OUT, Draft
from discussions.transcripts.core.readers.json_rounds import ROUND_KEY
from discussions.transcripts.core.readers.narration import PARTS, ROLE, leavers
from discussions.transcripts.core.readers.stories import Answer, find_public
from discussions.transcripts.core.thoughts import read_answer, split_thoughts
from workspace.core.words import mark

VIEWS = mark(
    "The file holds one chat for each player. What the others were told of the answers is not in it, so who heard them "
    "is not known. Export the messages of the game, each once, with its player."
)
_LEAST_PLAYERS, _LEAST_SAID, _DEEPEST = 3, 3, 3
# How much is compared: answers times what their hearers were told, in characters.
_MOST_COMPARED = 2_000_000_000
# Where the author's name may stand before an answer, and how often a text is looked for.
_LONGEST_BEFORE, _MOST_PLACES = 60, 20
# How much of what a player was told last is what it was asked.
_LONGEST_ASKED = 200
_OWNERS = ("name", "agent", "agent_name", "player", "player_name", "agent_id", "player_id", "id", "owner")
_CHATS = "messages history chat_history message_history conversation memory context chat".split()
_APART = "\0"
_LONGEST_END = 80
# Between a name and what it says: " said: \"", " (Villager): ".
_SAYS = re.compile(r"(?:[^.!?\0]|[.!?](?![\s\"”]))*[:：\"“'‘>\])–—-]\s*")
_SPACES = re.compile(r"\s+")
_CAST = re.compile(r"(?:I(?:'m| am)? )?vot(?:e|ing)(?: for|:) ", re.IGNORECASE)
_LABEL = re.compile(r"\W{0,3}[^\W\d][\w ]{0,30}[:：]\W{0,3}\s")
_YOU_SAID = re.compile(r"\W{0,3}(?:you|i) (?:said|say)\W{0,3}[:：]\s{0,3}", re.IGNORECASE)
_TOLD_DAY = re.compile(rf"\b(?:{PARTS})[\W_]{{0,3}}(?P<number>\d{{1,3}})\b", re.IGNORECASE)
_ROLE = re.compile(
    rf"(?:\brole(?: is|:)|\byou are|\byou['’]re)\W{{1,4}}(?:(?:a|an|the) )?\W{{0,3}}(?P<role>{ROLE.pattern})\b",
    re.IGNORECASE,
)


class AgentChat(Struct):
    """The chat of one player: what it was told, as one text, where each told message begins in it, and its answers."""

    owner: str
    place: str
    role: str | None
    told: str = ""
    begins: list[int] = []
    numbers: list[int] = []
    rounds: list[int | None] = []
    answers: list[Answer] = []
    thoughts: list[tuple[int, str]] = []
    votes: list[tuple[int, str]] = []

    def placed(self, at: int) -> tuple[str, int | None, str]:
        """The place of a message, the round that its author was told before, and its author."""
        told = bisect(self.numbers, at)
        return f"{self.place}/{at}", self.rounds[told - 1] if told else None, self.owner


def recognises(value: Any) -> bool:
    """Whether a JSON value holds a chat without names for each of several players."""
    chats = _find_chats(value)
    return len(chats) >= _LEAST_PLAYERS and all(_is_own(owner, chat) for owner, _place, chat, _about in chats)


def to_native(value: Any, notes: Notes) -> dict[str, Any] | None:
    """The game that the histories are views of; None with a fault if they do not say who heard what. Never raises."""
    histories = [_read(*chat) for chat in _find_chats(value)]
    names = {history.owner.casefold() for history in histories}
    answers = [answer for history in histories for answer in _without_names(history, names)]
    owners = sorted((re.escape(history.owner) for history in histories), key=len, reverse=True)
    named = re.compile(rf"(?<!\w)(?:{'|'.join(owners)})(?!\w)", re.IGNORECASE)
    if len(answers) * sum(len(history.told) for history in histories) <= _MOST_COMPARED:
        answers = [part for answer in answers for part in _heard_parts(histories, named, answer)]
    said = _order(histories, answers)
    public = find_public(said)
    if len(public) < _LEAST_SAID or 2 * len({answer.owner for answer in public}) < len(histories):
        notes.fault("no_names", "", VIEWS)
        return None
    draft = Draft(notes, openai_chat.game_id(as_object(value), notes))
    for history in histories:
        draft.add_player(history.place, history.owner, history.role, None)
        history.answers = [answer for answer in answers if answer.owner == history.owner]
        _count_rounds(history, said)
    game = _fill(draft, {history.owner: history for history in histories}, public)
    roster = {player["name"]: player for player in game["players"]}
    add_listed([value], roster, {})
    won = {key: said for key, said in as_object(value).items() if key == "winner" and type(said) is str}
    return game | {"players": [*roster.values()]} | won


def _find_chats(
    value: Any, pointer: str = "", depth: int = 0
) -> list[tuple[str, str, list[Any], dict[str, Any]]]:
    """The chat of each player with its owner, its place and what stands beside it; of the first part that has some."""
    entries: list[tuple[str, str, Any]] = []
    if type(value) is dict:
        entries = [
            (key, f"{pointer}/{key}", part) for key, part in value.items() if not ROUND_KEY.fullmatch(key)
        ]
    elif type(value) is list and any(_chat_of(part, "") for part in value[:_LEAST_PLAYERS]):
        for index, part in enumerate(map(as_object, value)):
            owners = [str(part[key]) for key in _OWNERS if type(part.get(key)) in (str, int)]
            entries.append(("".join(owners[:1]), f"{pointer}/{index}", part))
    chats = [(owner.strip(), _chat_of(part, place)) for owner, place, part in entries if owner.strip()]
    found = [(owner, *chat) for owner, chat in chats if chat]
    if len({owner for owner, *_chat in found}) == len(found) >= _LEAST_PLAYERS:
        return found
    inner = value.items() if type(value) is dict and depth < _DEEPEST else ()
    within = (_find_chats(part, f"{pointer}/{key}", depth + 1) for key, part in inner)
    return next(filter(None, within), [])


def _chat_of(part: Any, place: str) -> tuple[str, list[Any], dict[str, Any]] | None:
    """The place of a chat, its messages and the object around it; None of anything else."""
    about = as_object(part)
    chats = [("", _as_chat(part)), *((f"/{key}", _as_chat(about.get(key))) for key in _CHATS)]
    is_chat = openai_chat.is_chat_message
    found = ((place + at, chat, about) for at, chat in chats if any(map(is_chat, as_list(chat)[:3])))
    return next(found, None)


def _as_chat(part: Any) -> Any:
    """The messages of a memory in sentences, of which the owner's own begin with "You said:"; else the value."""
    said = [_YOU_SAID.match(text) for text in part if type(text) is str] if type(part) is list else []
    if not any(said) or len(said) < len(part):
        return part
    pairs = zip(said, part, strict=True)
    return [
        {"role": "assistant", "content": text[own.end() :]} if own else {"role": "user", "content": text}
        for own, text in pairs
    ]


def _is_own(owner: str, chat: list[Any]) -> bool:
    """Whether what is answered in a chat is its owner's: nobody else has a name in it."""
    told = map(as_object, map(openai_chat.with_role, chat))
    names = {str(one.get("name") or owner).casefold() for one in told if one.get("role") == "assistant"}
    return names <= {owner.casefold()}


def _read(owner: str, place: str, chat: list[Any], about: dict[str, Any]) -> AgentChat:
    history = AgentChat(owner, place, None)
    told: list[str] = []
    instructions = [text for key in ("system", "system_prompt") if type(text := about.get(key)) is str]
    length = 0
    for number, message in enumerate(map(as_object, map(openai_chat.with_role, chat))):
        if message.get("role") == "assistant":
            _read_answer(history, number, message)
            continue
        texts = [text for text in _texts(message) if text]
        if message.get("role") in ("system", "developer"):
            instructions += texts
            continue
        history.begins.append(length)
        history.numbers.append(number)
        name = message.get("name")
        told.append(_plain("\n".join([f"{name}:", *texts] if type(name) is str else texts)))
        length += len(told[-1]) + 1
    history.told = _APART.join(told)
    found = _ROLE.search("\n".join([*instructions, *told[:1]]))
    given = about.get("role")
    history.role = given if type(given) is str else found["role"] if found else None
    return history


def _texts(message: dict[str, Any]) -> Iterator[str]:
    """The texts of what a player was told; outputs of tools stand within parts."""
    content = message.get("content")
    if type(content) is str:
        yield content
    for part in as_list(content):
        told = read_part(part)[1]
        yield from [told] if told is not None else _texts(as_object(part))


def _plain(text: str) -> str:
    """A text with single spaces, as it is compared."""
    return _SPACES.sub(" ", text.replace(_APART, " ")).strip()


def _read_answer(history: AgentChat, number: int, message: dict[str, Any]) -> None:
    """Add what a message answers to its history: texts, thoughts and votes."""
    pairs = [(name, key, said) for name, args in openai_chat.calls_of(message) for key, said in args.items()]
    for kind, text in _answered(message):
        said, thought = split_thoughts(text)
        answer = read_answer(said)
        pairs += [("", THOUGHT, thought), *(("", key, given) for key, given in answer.items())]
        pairs += [] if answer else [("", kind, said)]
    for name, key, given in pairs:
        kinds = kind_of_type(key), kind_of_type(name)
        text = given.strip() if type(given) is str else ""
        # "Ann: Hello", as the others are told it.
        called, colon, rest = text.partition(":")
        text = rest.strip() if colon and called.strip().casefold() == history.owner.casefold() else text
        if text and VOTE in kinds:
            history.votes.append((number, text))
        elif text and THOUGHT in kinds:
            history.thoughts.append((number, text))
        elif text:
            history.answers.append(Answer(history.owner, number, text))


def _answered(message: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The texts of an answer, each with its kind; "" for what is not known to be a thought."""
    content = message.get("content")
    parts = [read_part(part) for part in as_list(content)]
    yield from [("", content)] if type(content) is str else []
    yield from ((THOUGHT if is_thought else "", text) for _kind, text, is_thought in parts if text)
    yield from ((THOUGHT, text) for key in openai_chat.THOUGHTS if type(text := message.get(key)) is str)


def _without_names(history: AgentChat, names: set[str]) -> list[Answer]:
    """The answers but for votes in words and names alone: a vote where one was asked for, else a private act."""
    told, kept = history.told.split(_APART), []
    for answer in history.answers:
        name = answer.text.strip(" .!\"'*")
        cast = _CAST.sub("", name, count=1)
        if cast.casefold() not in names:
            kept.append(answer)
            continue
        asked = told[bisect(history.numbers, answer.at) - 1][-_LONGEST_ASKED:] if history.numbers else ""
        is_vote = cast != name or any(kind_of_type(word) == VOTE for word in words_of(asked))
        (history.votes if is_vote else history.thoughts).append((answer.at, cast))
    return kept


def _heard_parts(histories: list[AgentChat], named: "re.Pattern[str]", answer: Answer) -> list[Answer]:
    """An answer with where the others were told it; of one that they were told in part, its lines by their hearers."""
    whole = _heard(histories, named, answer)
    parts: list[Answer] = []
    for line in answer.text.split("\n") if not whole.heard else ():
        texts = (line.strip(), _LABEL.sub("", line, count=1).strip())
        heard = [_heard(histories, named, replace(answer, text=text)) for text in texts if text]
        part = next((one for one in heard if one.heard), heard[0] if heard else None)
        if part and parts and parts[-1].heard.keys() == part.heard.keys():
            parts[-1].text += f"\n{part.text}"
        elif part:
            parts.append(part)
    return parts if any(part.heard for part in parts) else [whole]


def _heard(histories: list[AgentChat], named: "re.Pattern[str]", answer: Answer) -> Answer:
    others = (one for one in histories if one.owner != answer.owner)
    places = {one.owner: _place_of(one.told, _plain(answer.text), answer.owner, named) for one in others}
    return replace(answer, heard={owner: at for owner, at in places.items() if at >= 0})


def _place_of(told: str, text: str, owner: str, named: "re.Pattern[str]") -> int:
    """Where a text is a message of its own, or stands right after its author's name; -1 where it does not."""
    at = -1
    for _time in range(_MOST_PLACES):
        at = told.find(text, at + 1)
        start, end = max(0, at - _LONGEST_BEFORE), at + len(text)
        if at < 0 or (told[at - 1 : at] in ("", _APART) and told[end : end + 1] in ("", _APART)):
            return at if text.count(" ") >= LEAST_SPACES else -1
        names = list(named.finditer(told, start, at))
        is_owner = names != [] and names[-1][0].casefold() == owner.casefold()
        if is_owner and _SAYS.fullmatch(told[names[-1].end() : at]):
            return at
    return -1


def _order(histories: list[AgentChat], answers: list[Answer]) -> list[Answer]:
    """The answers that others were told, in the order in which players came to know them."""
    came: list[list[tuple[int, int, int]]] = []
    for history in histories:
        places = []
        for index, answer in enumerate(answers):
            at = answer.heard.get(history.owner)
            if at is not None:
                places.append((history.numbers[bisect(history.begins, at) - 1], at, index))
            elif answer.heard and answer.owner == history.owner:
                places.append((answer.at, 0, index))
        came.append(sorted(places))
    keys: dict[int, tuple[int, ...]] = {}
    for places in sorted(came, key=len, reverse=True):
        last: tuple[int, ...] = ()
        for number, (_at, _offset, index) in enumerate(places):
            last, keys[index] = (keys[index], keys[index]) if index in keys else (last, (*last, number))
    return [answers[index] for index in sorted(keys, key=keys.__getitem__)]


def _count_rounds(history: AgentChat, said: list[Answer]) -> None:
    """Note the round at each told message: the last number after "round" or "day" that counts on, outside answers."""
    told = history.told
    for answer in said:
        if history.owner in answer.heard:
            told = told.replace(_plain(answer.text), "")
    number: int | None = None
    has_heard = False
    for text, whole in zip(told.split(_APART), history.told.split(_APART), strict=True):
        for value in (int(found["number"]) for found in _TOLD_DAY.finditer(text)):
            is_next = value <= 1 if number is None else value == number + 1
            # "Day 1: Ann was exiled" after its talk ends it.
            is_out = len(text) < _LONGEST_END and any(how == VOTED_OUT for _who, how in leavers(text))
            is_over = has_heard and is_out and value == (number or 1)
            number = value + 1 if is_over else value if is_next else number
            has_heard = has_heard and not (is_over or is_next)
        has_heard = has_heard or text != whole
        history.rounds.append(number)


def _fill(draft: Draft, by_owner: dict[str, AgentChat], public: list[Answer]) -> dict[str, Any]:
    for answer in public:
        history = by_owner[answer.owner]
        thought = "\n".join(text for at, text in history.thoughts if at == answer.at)
        draft.add_message(*history.placed(answer.at), answer.text, reasoning=thought or None)
    for history in by_owner.values():
        names = {owner.casefold(): owner for owner in by_owner}
        for at, target in history.votes:
            if target.casefold() in names:
                draft.add_vote(*history.placed(at), names[target.casefold()])
            else:
                draft.add_thought(*history.placed(at), target)
        _add_private(draft, history, [answer for answer in public if answer.owner == history.owner])
    return draft.game


def _add_private(draft: Draft, history: AgentChat, public: list[Answer]) -> None:
    """Add what its owner thought, beside public answers or not, and answered to some or to nobody."""
    spoken = {answer.at for answer in public}
    for at, text in history.thoughts:
        if at not in spoken:
            draft.add_thought(*history.placed(at), text)
    for answer in history.answers:
        if all(answer is not other for other in public):
            audience = {"channel": list(answer.heard)} if answer.heard else "nobody"
            draft.add_message(*history.placed(answer.at), answer.text, audience=audience)
