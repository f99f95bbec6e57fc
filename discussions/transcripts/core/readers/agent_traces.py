"""Traces of agents (OTLP JSON with `gen_ai`, Langfuse, LangSmith, Hugging Face), and logged calls of APIs.

What models answered are the messages, of the agent whose step it was; what they were given is never read.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from discussions.transcripts.core.audience import IGNORE, OUT, PRIVATE, THOUGHT, VOTE, kind_of_type
from discussions.transcripts.core.decoding import Decoded
from discussions.transcripts.core.fields import as_object, plain_value
from discussions.transcripts.core.notes import Games, NativeGame, NewNotes, Notes
from discussions.transcripts.core.readers import openai_chat
from discussions.transcripts.core.readers.columns import PLAYER, Columns, field_of
from discussions.transcripts.core.readers.json_rounds import ROUNDS
from workspace.core.strict_json import read_json

_OTLP, _LANGFUSE, _LANGSMITH, _SESSION = "resourceSpans", "observations", "run_type", "harness"
_OUTPUT, _AGENT, _TALK = "gen_ai.output.messages", "gen_ai.agent.name", "gen_ai.conversation.id"
_CALL = "response"
MOST_LINES = 20
# A call has an id of its own, which may begin with the player: "Ann-12".
_APART, _LAST_NUMBER, _DIGITS = re.compile(r"[^\w]+|_"), re.compile(r"\d{1,9}\Z"), re.compile(r"\D")
COUNTED = re.compile(r"(?<=.)[\W_]{0,9}\d{0,40}\Z")
# Where a log of calls keeps an answer, and what tells one.
_ANSWERS = ("response", "completion", "result", "output", "body", "raw_response", "answer", "data")
_ABOUT = ("metadata", "request", "context", "info", "extra")
# Where an answer keeps its messages or its text.
_WITHIN = "candidates generations choices messages message kwargs output text content".split()
_WITHIN_RUN = "child_runs"
_THREAD = ("thread_id", "session_id", "conversation_id")
_LEFT_OUT = {"role": "tool"}
# The types by which a list of observations is known to be one of Langfuse.
_STEPS = ("GENERATION", "SPAN", "EVENT", "AGENT", "CHAIN", "TOOL")
_DEEPEST = 64

# Values, or the messages of a game, each with its place.
_Placed = list[tuple[str, Any]]
# The game, the place, what is known of the message, and what was answered; None is left out.
_Answer = tuple[Any, str, dict[str, Any], Any]


def _kind(value: Any) -> str:
    if type(value) is not dict:
        return ""
    is_langfuse = any(step.get("type") in _STEPS for _place, step in _objects(value, _LANGFUSE))
    listed = [_OTLP] if type(value.get(_OTLP)) is list else [_LANGFUSE] if is_langfuse else []
    is_run = type(value.get(_LANGSMITH)) is str and "outputs" in value
    if is_run and value.get(_WITHIN_RUN):
        # A tree of runs whose answers are no messages is read as lists of its own keys.
        is_run = any(_said(run["outputs"]) for _place, run in _run_tree([("", value)]) if _is_model(run))
    is_session = value.get("type") == "session" and _SESSION in value
    kind = listed[0] if listed else _LANGSMITH if is_run else _SESSION if is_session else ""
    return kind or (_CALL if _answer(value) is not None else "")


def _answer(value: Any, depth: int = 0) -> dict[str, Any] | None:
    """The answer of an API in a call that was logged; None without one."""
    if type(value) is not dict or depth > 2:
        return None
    if any(_objects(value, key) and _said(value) for key in ("choices", "candidates")):
        return value
    is_message = value.get("role") == "assistant" and value.get("type") == "message"
    if is_message and type(value.get("content")) is list and ("usage" in value or "stop_reason" in value):
        return value
    if any(item.get("type") == "message" for _place, item in _objects(value, "output")):
        return {"output": [item for _place, item in _objects(value, "output")]}
    return next(filter(None, (_answer(value.get(key), depth + 1) for key in _ANSWERS)), None)


def recognises(value: Any) -> bool:
    """Whether it is a trace, or a list of traces, runs or lines of a session."""
    if type(value) is list:
        return bool(value) and (_kind(value[0]) != "" or are_turns(value[:MOST_LINES]))
    tree = (_LANGSMITH,) if as_object(value).get(_WITHIN_RUN) else ()
    return _kind(value) in (_OTLP, _LANGFUSE, _CALL, *tree)


def recognises_text(text: str) -> bool:
    """Whether the first line is a trace, a run or the head of a session."""
    lines = [line for line in text.split("\n", MOST_LINES)[:MOST_LINES] if line.startswith("{")]
    if not lines or not text.startswith("{"):
        return False
    values = [read_json(line.encode(), is_lenient=True).value for line in lines]
    return _kind(values[0]) != "" or are_turns(values)


def are_turns(values: list[Any]) -> bool:
    """Whether each of several values is a chat with a player who is asked again: what it answered last is a message."""
    asked = [value for value in values if type(value) is dict and _last_answer(value) is not None]
    plain = ({key: part for key, part in value.items() if type(part) is str} for value in asked)
    owners = [openai_chat.first_values(own, PLAYER).get(PLAYER) for own in plain]
    return len(owners) == len(values) and None not in owners and 1 < len({*owners}) < len(owners)


def _last_answer(value: dict[str, Any]) -> dict[str, Any] | None:
    """The last message of a chat between a user and a model; None of any other value."""
    chat = [message for _place, message in _objects(value, "messages")]
    is_chat = all(openai_chat.is_chat_message(message) and "name" not in message for message in chat)
    return chat[-1] if chat and is_chat and chat[-1].get("role") == "assistant" else None


def parts(value: Any) -> list[tuple[str, Any]]:
    """Each game of a value, with all of its messages."""
    return [("", game) for game in _games(_placed(value)).items()] or [("", value)]


def to_native(value: Any, notes: Notes) -> NativeGame:
    found = value if type(value) is tuple else next(iter(_games(_placed(value)).items()), None)
    return None if found is None else openai_chat.convert({"id": found[0]}, found[1], notes)


def to_native_text(decoded: Decoded, new_notes: NewNotes, columns: Columns) -> Games:
    """The games of lines. Never raises."""
    lines = [(f"line {number} ", line) for number, line in enumerate(decoded.text.split("\n"), 1)]
    read = [(place, read_json(line.encode(), is_lenient=True)) for place, line in lines if line.strip()]
    games = _games([(place, document.value) for place, document in read])
    for game, entries in (games or {"": []}).items():
        notes = new_notes()
        for place, document in read:
            for problem in document.problems:
                notes.fault(problem.code, place.strip(), problem.message)
        yield (openai_chat.convert({"id": game}, entries, notes) if entries else None), notes


def _placed(value: Any) -> _Placed:
    return [(f"/{index}", item) for index, item in enumerate(value)] if type(value) is list else [("", value)]


def _games(values: _Placed) -> dict[str, _Placed]:
    """The messages of each game: in order of time, if all answers have one."""
    kind = next(filter(None, (_kind(value) for _place, value in values)), "")
    if not kind and are_turns([value for _place, value in values]):
        kind = _CALL
    readers = {_OTLP: _spans, _LANGFUSE: _observations, _LANGSMITH: _runs, _SESSION: _lines, _CALL: _calls}
    objects = [(place, value) for place, value in values if type(value) is dict]
    answers = list(readers[kind](objects)) if kind else []
    if all(facts["timestamp"] for _game, _place, facts, _answer in answers):
        answers.sort(key=lambda answer: str(answer[2]["timestamp"]).rjust(20, "0"))
    games: dict[str, _Placed] = {}
    for game, place, facts, answer in answers:
        entries = games.setdefault(str(game) if type(game) in (str, int) else "", [])
        for message in [_LEFT_OUT] if answer is None else _said(answer):
            is_known = "role" not in message or message["role"] in openai_chat.ROLES
            entries.append((place, message | facts if is_known else _LEFT_OUT))
    return games


def _said(answer: Any) -> list[dict[str, Any]]:
    """The messages of an answer, in whatever it is wrapped."""
    if type(answer) is list:
        return [message for part in answer for message in _said(part)]
    if type(answer) is not dict:
        return [{"role": "assistant", "content": answer}] if type(answer) is str else []
    if str(answer.get("role")) in openai_chat.A2A_ROLES and type(answer.get("parts")) is list:
        return [{"role": openai_chat.A2A_ROLES[answer["role"]], "content": answer["parts"]}]
    if type(answer.get("role")) is str or openai_chat.is_chat_message(answer):
        return [answer | {"content": answer.get("content", answer.get("parts"))}]
    return next((_said(answer[key]) for key in _WITHIN if answer.get(key)), [])


def _objects(value: dict[str, Any], key: str, place: str = "") -> _Placed:
    listed = enumerate(value[key]) if type(value.get(key)) is list else ()
    return [(f"{place}/{key}/{index}", item) for index, item in listed if type(item) is dict]


def _spans(values: _Placed) -> Iterator[_Answer]:
    """The answers of agents; those of models within them repeat these."""
    spans = [
        span
        for place, value in values
        for resource, scopes in _objects(value, _OTLP, place)
        for scope, inner in _objects(scopes, "scopeSpans", resource)
        for span in _objects(inner, "spans", scope)
    ]
    facts: dict[tuple[str, str], dict[str, Any]] = {}
    for _place, span in spans:
        told = [span, *(event for _at, event in _objects(span, "events"))]
        listed = [item for part in told for _at, item in _objects(part, "attributes")]
        given = {str(item.get("key")): plain_value(item.get("value")) for item in listed}
        facts[_span_id(span, "spanId")] = given | {"above": _span_id(span, "parentSpanId")}
    for place, span in spans:
        above = [facts[_span_id(span, "spanId")]]
        while above[-1]["above"] in facts and len(above) < _DEEPEST:
            above.append(facts[above[-1]["above"]])
        answer = above[0].get(_OUTPUT)
        if answer:
            if type(answer) is str:
                document = read_json(answer.encode(), is_lenient=True)
                answer = document.value if document.is_readable else answer
            game, name = (next((part[key] for part in above if key in part), None) for key in (_TALK, _AGENT))
            said = {"name": name, "timestamp": span.get("endTimeUnixNano")}
            repeats = any(_AGENT in part and _OUTPUT in part for part in above[1:])
            yield game or span.get("traceId"), place, said, None if repeats else answer


def _span_id(span: dict[str, Any], key: str) -> tuple[str, str]:
    """The id of a span, which is its own within a trace alone."""
    return str(span.get("traceId")), str(span.get(key))


def _observations(values: _Placed) -> Iterator[_Answer]:
    for place, trace in values:
        for where, step in _objects(trace, _LANGFUSE, place):
            answer = step.get("output") if step.get("type") == "GENERATION" else None
            facts = _facts(step, step.get("metadata"), "startTime")
            yield trace.get("sessionId") or trace.get("id"), where, facts, answer


def _run_tree(runs: _Placed) -> _Placed:
    """The runs, each before those within it."""
    return [one for at, run in runs for one in ((at, run), *_run_tree(_objects(run, _WITHIN_RUN, at)))]


def _is_model(run: dict[str, Any]) -> bool:
    return run.get(_LANGSMITH) == "llm" and "outputs" in run


def _runs(values: _Placed) -> Iterator[_Answer]:
    for root in values:
        thread = None
        for place, run in _run_tree([root]):
            about = as_object(as_object(run.get("extra")).get("metadata"))
            thread = openai_chat.find_id([about], *_THREAD) or run.get("trace_id") or thread
            answer = run["outputs"] if _is_model(run) else None
            yield thread, place, _facts(run, about, "start_time"), answer


def _lines(values: _Placed) -> Iterator[_Answer]:
    game = None
    for place, line in values:
        if _kind(line) == _SESSION:
            game = line.get("id")
        else:
            answer = line.get("message") if line.get("type") == "message" else None
            yield game, place, {"timestamp": line.get("timestamp")}, answer


def _calls(values: _Placed) -> Iterator[_Answer]:
    ids = _read_ids([str(call["custom_id"]) for _place, call in values if call.get("custom_id")])
    for place, call in values:
        about = {key: part for name in _ABOUT for key, part in as_object(call.get(name)).items()} | call
        plain = {key: part for key, part in about.items() if type(part) in (str, int, bool)}
        plain = ids.get(str(call.get("custom_id")), {}) | plain
        given = openai_chat.first_values(plain, "game", "time", "type")
        kind = kind_of_type(str(given.get("type", "")))
        facts = _facts({"name": "assistant"}, plain, "")
        facts["timestamp"] = given.get("time")
        if kind in (THOUGHT, PRIVATE):
            facts["phase"] = given["type"]
        elif not kind and given.get("type") and call.get("custom_id"):
            # What the word of an id means is not known.
            facts["phase"] = f"{PRIVATE} {given['type']}"
        answer = None if kind in (VOTE, OUT, IGNORE) else _answer(call) or _last_answer(call)
        yield given.get("game"), place, facts, answer


def _read_ids(ids: list[str]) -> dict[str, dict[str, Any]]:
    """What ids such as "game7|round1|Ann|speak|1" say of their calls; {} unless the player is one part of them."""
    sign = next((sign for sign in "|/:;#, " if ids and all(sign in own for own in ids)), "")
    split = _APART if not sign else re.compile(re.escape(sign))
    parts = {own: [part for part in split.split(COUNTED.sub("", own)) if part] for own in ids}
    fields: dict[str, list[int]] = {}
    if len({*map(len, parts.values())}) == 1:
        for at, words in enumerate(zip(*parts.values(), strict=True)):
            fields.setdefault(_field_of_words(words), []).append(at)
    if len(fields.get(PLAYER, [])) != 1:
        return {}
    found = {own: {field: words[at] for field, (at, *_) in fields.items()} for own, words in parts.items()}
    for facts in found.values() if "round" in fields else ():
        facts["round"] = int(_DIGITS.sub("", facts["round"]))
    return found


def _field_of_words(words: Sequence[str]) -> str:
    """What words at one place of several ids are; "" where they are not known."""
    different = {*words}
    shape = {_LAST_NUMBER.sub("", word).casefold() for word in different}
    is_counted = len(shape) == 1 and all(map(_LAST_NUMBER.search, words))
    if is_counted and shape <= {*ROUNDS, "r", "d", ""}:
        return "round"
    is_game = all(field_of(word) == "game" for word in shape)
    if is_game or (len(different) > 1 and any(map(kind_of_type, different))):
        return "game" if is_game else "type"
    return PLAYER if len(different) > 1 or len(words) == 1 else ""


def _facts(step: dict[str, Any], about: Any, time: str) -> dict[str, Any]:
    """What is known of a step's message; where nothing about it names a player, the name of the step does."""
    given = openai_chat.first_values(as_object(about), PLAYER, "round", "phase", "audience", "private")
    step_name = step.get("name")
    # A step called "reflection" is no speech of a player of this name.
    is_phase = PLAYER in given or (type(step_name) is str and kind_of_type(step_name) == THOUGHT)
    named = {"phase": step_name} if is_phase else {}
    return {"timestamp": step.get(time), "name": given.pop(PLAYER, step_name)} | named | given
