"""Logs of Inspect AI (inspect.aisi.org.uk): each sample is a game, spoken by names in metadata, agents or models."""

from collections.abc import Iterable, Iterator
from typing import Any

from discussions.transcripts.core.fields import as_list, as_object, as_objects
from discussions.transcripts.core.notes import Notes
from discussions.transcripts.core.readers.openai_chat import INSTRUCTION, convert
from workspace.core.words import mark, say

# A message with its pointer.
_Placed = tuple[str, dict[str, Any]]
NAME_KEYS = ("player", "agent", "name", "speaker")
ATTACHMENT = "attachment://"
_ERROR = mark("The sample ended with an error; what was said until then was read.")
_EVENTS = mark("The messages come from the calls of models, since the conversation has one speaker.")
_LIMIT = mark("The sample ended at a limit; what was said until then was read.")
_SCORES = mark('Scores of the log were left out: {count} (first "{what}").')
_USED = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")


def recognises(value: Any) -> bool:
    is_log = type(value) is dict and type(value.get("eval")) is dict and value.keys() >= {"version", "plan"}
    return is_log or is_sample(value)


def is_sample(value: Any) -> bool:
    return type(value) is dict and value.keys() >= {"id", "epoch", "messages", "target"}


def parts(value: Any) -> list[tuple[str, Any]]:
    """The samples of a log with their pointers; a lone sample is the only one, a log without samples a bad sample."""
    samples = value.get("samples") if type(value) is dict and not is_sample(value) else None
    if type(samples) is not list or not samples:
        return [("", value)]
    return [(f"/samples/{index}", sample) for index, sample in enumerate(samples)]


def to_native(value: Any, notes: Notes) -> dict[str, Any] | None:
    """One sample as a native object; None when it is not a sample. Never raises."""
    if not is_sample(value) or type(value["messages"]) is not list:
        return None
    for key, says in (("error", _ERROR), ("limit", _LIMIT)):
        if value.get(key):
            notes.warn("sample_error", f"/{key}", says=says)
    events, texts = as_list(value.get("events")), as_object(value.get("attachments"))
    agents = _agents_of_outputs(events)
    placed = list(_from_messages(value["messages"], agents, texts, notes))
    if len({message["name"] for _place, message in placed}) < 2:
        said = list(_from_events(events, agents, texts))
        if len({message["name"] for _place, message in said}) > 1:
            notes.warn("taken_from_events", "/events", says=_EVENTS)
            placed = said
    if scores := as_object(value.get("scores")):
        notes.warn("scores_left_out", "/scores", next(iter(scores)), count=len(scores), says=_SCORES)
    metadata = as_object(value.get("metadata"))
    usage = value.get("model_usage")
    about = {"id": _game_id(value, notes), "metadata": metadata, "timestamp": value.get("started_at")}
    facts = {key: metadata.get(key) for key in ("seed", "pair")}
    about |= {key: fact for key, fact in facts.items() if type(fact) in (str, int, float)}
    return convert(about | {"modelBuild": list(as_object(usage)), "cost": _cost(usage)}, placed, notes)


def _game_id(sample: dict[str, Any], notes: Notes) -> str:
    """The sample's id and epoch, and the beginning of its unique number, because ids repeat from run to run."""
    own = sample["id"] if type(sample["id"]) in (str, int) else notes.source
    parts = [str(own)[:150], str(sample["epoch"]) if type(sample["epoch"]) is int else "1"]
    number = sample.get("uuid")
    return "-".join([*parts, number[:8]] if type(number) is str and number else parts)


def _agents_of_outputs(events: list[Any]) -> dict[str, tuple[str, Any]]:
    """Id of a message -> the agent that called the model for it ("" without one), and the moment."""
    begun = [event for event in as_objects(events) if event.get("event") == "span_begin"]
    spans = {event["id"]: event for event in begun if type(event.get("id")) is str}
    found: dict[str, tuple[str, Any]] = {}
    for _pointer, event, message in _outputs(events):
        if type(message.get("id")) is str:
            agent = _agent_of_span(event.get("span_id"), spans)
            found.setdefault(message["id"], (agent, event.get("timestamp")))
    return found


def _agent_of_span(span: Any, spans: dict[str, dict[str, Any]]) -> str:
    seen: set[str] = set()
    while type(span) is str and span in spans and span not in seen:
        seen.add(span)
        holder = spans[span]
        if holder.get("type") == "agent" and type(holder.get("name")) is str:
            return str(holder["name"]).strip()
        span = holder.get("parent_id")
    return ""


def _outputs(events: list[Any]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Each model call that returned a message: its pointer, the call and the message."""
    for index, event in enumerate(map(as_object, events)):
        if event.get("event") == "model":
            choices = as_list(as_object(event.get("output")).get("choices"))
            message = as_object(choices[0]).get("message") if choices else None
            if type(message) is dict:
                yield f"/events/{index}", event, message


def _from_messages(
    messages: list[Any], agents: dict[str, tuple[str, Any]], texts: dict[str, Any], notes: Notes
) -> Iterator[_Placed]:
    """The messages of the sample's conversation. Texts of moderators have no speaker and are left out."""
    for index, entry in enumerate(messages):
        pointer = f"/messages/{index}"
        if type(entry) is not dict:
            notes.fault("wrong_type", pointer, say("A message should be a JSON object. Correct the file."))
            continue
        metadata, role = as_object(entry.get("metadata")), entry.get("role")
        named = _first_text(metadata.get(key) for key in NAME_KEYS)
        if role != "assistant" and not (role == "user" and named):
            notes.warn("instruction_left_out", pointer, role, says=INSTRUCTION)
            continue
        agent, time = agents.get(_id(entry), ("", None))
        name = named or agent or _first_text([entry.get("model"), "assistant"])
        yield pointer, _message(entry, name, time, texts)


def _from_events(
    events: list[Any], agents: dict[str, tuple[str, Any]], texts: dict[str, Any]
) -> Iterator[_Placed]:
    """The messages of the agents' models, in the order of their calls. A message that two calls return counts once."""
    seen: set[str] = set()
    for pointer, _event, entry in _outputs(events):
        number = _id(entry)
        agent, time = agents.get(number, ("", None))
        if not agent or number in seen:
            continue
        seen.add(number)
        yield pointer, _message(entry, agent, time, texts)


def _id(entry: dict[str, Any]) -> str:
    return entry["id"] if type(entry.get("id")) is str else ""


def _first_text(values: Iterable[Any]) -> str:
    return next((value.strip() for value in values if type(value) is str and value.strip()), "")


def _message(entry: dict[str, Any], agent: str, time: Any, texts: dict[str, Any]) -> dict[str, Any]:
    """The message as one of a chat, with the texts that the log stores once under `attachments`."""
    content, calls = _resolved(entry.get("content"), texts), entry.get("tool_calls")
    told = {"role": "assistant", "name": agent, "content": content, "tool_calls": calls}
    return told | {"timestamp": time, "round": as_object(entry.get("metadata")).get("round")}


def _resolved(part: Any, texts: dict[str, Any]) -> Any:
    if type(part) is list:
        return [_resolved(inner, texts) for inner in part]
    if type(part) is dict:
        return part | {"text": _resolved(part.get("text"), texts)}
    if type(part) is str and part.startswith(ATTACHMENT):
        return texts.get(part.removeprefix(ATTACHMENT), part)
    return part


def _cost(usage: Any) -> dict[str, Any] | None:
    """Tokens and dollars of all models together. The cache hit rate is a share of all input tokens."""
    blocks = as_objects([*as_object(usage).values()])
    if not blocks:
        return None
    whole, read, written = (_sum(blocks, key) for key in _USED)
    total = (whole or 0) + (read or 0) + (written or 0)
    prices = [block["total_cost"] for block in blocks if type(block.get("total_cost")) in (int, float)]
    is_whole = read is not None and total > 0 and 0 <= read <= total
    return {
        "totalUsd": sum(prices) if len(prices) == len(blocks) else None,
        "inputTokens": total,
        "outputTokens": _sum(blocks, "output_tokens"),
        "cacheHitRate": read / total if is_whole else None,
    }


def _sum(blocks: list[dict[str, Any]], key: str) -> Any:
    numbers = [block[key] for block in blocks if type(block.get(key)) is int]
    return sum(numbers) if numbers else None
