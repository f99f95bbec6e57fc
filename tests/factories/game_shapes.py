"""A made-up game with private talk, thoughts and votes, written in thirty shapes that logs of games have."""

import csv
import gzip
import io
import json
import random
from collections.abc import Callable
from typing import Any

import msgspec

from tests.factories.public_formats import kaggle_act

NAMES = ("Ann", "Bea", "Cid", "Dora", "Eve", "Finn")
WORDS = "I trust you because round vote for nobody was quiet and said lies wolf village think again why not".split()
SPEAKER = ("player", "speaker", "playerName", "agent", "author", "sender", "name", "player_id", "from")
TEXT = ("text", "message", "content", "utterance", "speech", "body")
ROUND = ("round", "day", "round_number", "roundNumber")


class Line(msgspec.Struct):
    """A row of a made-up game: `kind` is speech, thought, private or vote; `target` a player."""

    kind: str
    round: int
    player: str
    text: str = ""
    target: str = ""


class Made(msgspec.Struct):
    roles: dict[str, str]
    lines: list[Line]

    def of(self, *kinds: str) -> list[Line]:
        return [line for line in self.lines if line.kind in kinds]


def make_game(pick: random.Random, *, has_private: bool = True) -> Made:
    names = list(NAMES[: pick.randint(3, 6)])
    lines = []
    for number in range(1, pick.randint(2, 4)):
        for index, name in enumerate(pick.sample(names, len(names))):
            # A canary marks what nobody but its author, or one other, could know.
            said = f"{' '.join(pick.choices(WORDS, k=pick.randint(2, 9)))} {number}{index}."
            if has_private and pick.random() < 0.4:
                lines.append(Line("thought", number, name, f"CANARY {said}"))
            if has_private and pick.random() < 0.3:
                other = pick.choice([player for player in names if player != name])
                lines.append(Line("private", number, name, f"CANARY {said}", other))
            lines.append(Line("speech", number, name, said))
        for name in names:
            lines.append(
                Line("vote", number, name, target=pick.choice([one for one in names if one != name]))
            )
    return Made({name: pick.choice(("MAFIA", "VILLAGER", "SEER")) for name in names}, lines)


def keys_of(pick: random.Random) -> tuple[str, str, str]:
    return pick.choice(SPEAKER), pick.choice(TEXT), pick.choice(ROUND)


def players_of(made: Made) -> list[dict[str, str]]:
    return [{"name": name, "role": role} for name, role in made.roles.items()]


def votes_of(lines: list[Line], **more: Any) -> list[dict[str, Any]]:
    return [{"round": line.round, "voter": line.player, "target": line.target} | more for line in lines]


def as_native(made: Made, pick: random.Random) -> bytes:
    messages = []
    for line in made.of("speech", "thought", "private"):
        who = {"speech": "all", "thought": "nobody", "private": [line.target]}[line.kind]
        messages.append(
            {"roundNumber": line.round, "playerName": line.player, "message": line.text, "audience": who}
        )
    game = {
        "gameId": "g",
        "players": players_of(made),
        "messages": messages,
        "votes": votes_of(made.of("vote")),
    }
    return json.dumps(game).encode()


def with_recipients(made: Made, pick: random.Random) -> list[dict[str, Any]]:
    speaker, text, number = keys_of(pick)
    key = pick.choice(("recipient", "audience", "visible_to", "to"))
    rows = []
    for line in made.of("speech", "thought", "private"):
        who = {"speech": "all", "thought": "self", "private": line.target}[line.kind]
        listed = [who] if pick.random() < 0.2 else who
        rows.append({number: line.round, speaker: line.player, key: listed, text: line.text})
    return rows


def as_recipients(made: Made, pick: random.Random) -> bytes:
    game = {"id": "g", "players": players_of(made), "messages": with_recipients(made, pick)}
    return json.dumps(game | {"votes": votes_of(made.of("vote"))}, indent=pick.choice((None, 2))).encode()


def as_phases(made: Made, pick: random.Random) -> bytes:
    speaker, text, number = keys_of(pick)
    words = {
        "speech": pick.choice(("speech", "discussion", "public", "day talk")),
        "thought": pick.choice(
            ("thought", "inner monologue", "scratchpad", "reasoning", "Gedanken", "内心独白")
        ),
        "private": pick.choice(("dm", "whisper", "night", "private_chat", "wolves")),
    }
    key = pick.choice(("phase", "channel", "type", "visibility"))
    rows = [
        {number: line.round, key: words[line.kind], speaker: line.player, text: line.text}
        for line in made.of("speech", "thought", "private")
    ]
    game = {"id": "g", "roles": made.roles, pick.choice(("messages", "log", "events", "data")): rows}
    return json.dumps(game | {"votes": votes_of(made.of("vote"))}, ensure_ascii=False).encode()


def as_rounds(made: Made, pick: random.Random) -> bytes:
    speaker, text, _number = keys_of(pick)
    inside, numbers = (
        pick.choice(("messages", "discussion", "talk")),
        sorted({line.round for line in made.lines}),
    )
    rounds = []
    for number in numbers:
        own = [line for line in made.lines if line.round == number]
        block: dict[str, Any] = {pick.choice(("round", "number", "day")): number}
        block[inside] = [{speaker: line.player, text: line.text} for line in own if line.kind == "speech"]
        hidden = [line for line in own if line.kind in ("thought", "private")]
        if hidden:
            block[pick.choice(("thoughts", "private_messages", "scratchpad"))] = [
                {speaker: line.player, text: line.text} for line in hidden
            ]
        block["votes"] = [
            {"voter": line.player, "target": line.target} for line in own if line.kind == "vote"
        ]
        rounds.append(block)
    game = {"id": "g", "players": players_of(made), pick.choice(("rounds", "days", "phases")): rounds}
    return json.dumps({"data": game} if pick.random() < 0.3 else game, indent=pick.choice((None, 1))).encode()


def typed_rows(made: Made, pick: random.Random) -> list[dict[str, Any]]:
    _speaker, text, number = keys_of(pick)
    words = {
        "speech": pick.choice(("speech", "conversation", "chat_message", "statement")),
        "thought": pick.choice(("thought", "internal_reasoning", "scratchpad")),
        "private": pick.choice(("private", "whisper", "dm", "night_chat")),
        "vote": pick.choice(("vote", "cast_vote", "ballot")),
    }
    rows = []
    for line in made.lines:
        row: dict[str, Any] = {"game_id": "g", "type": words[line.kind], number: line.round}
        if line.kind == "vote":
            row |= {"voter": line.player, "target": line.target}
        else:
            row |= {"player": line.player, "role": made.roles[line.player], text: line.text}
        rows.append(row)
    return rows


def as_typed_lines(made: Made, pick: random.Random) -> bytes:
    return "\n".join(map(json.dumps, typed_rows(made, pick))).encode()


def as_typed_values(made: Made, pick: random.Random) -> bytes:
    return "\n".join(json.dumps(row, indent=1) for row in typed_rows(made, pick)).encode()


def as_table(made: Made, pick: random.Random) -> bytes:
    rows = typed_rows(made, pick)
    names = list(dict.fromkeys(key for row in rows for key in row))
    out = io.StringIO()
    table = csv.DictWriter(out, names, delimiter=pick.choice(",;\t"))
    table.writeheader()
    table.writerows(rows)
    return out.getvalue().encode(pick.choice(("utf-8", "utf-8-sig")))


def as_flags(made: Made, pick: random.Random) -> bytes:
    speaker, text, number = keys_of(pick)
    key, is_public = pick.choice((("is_private", False), ("public", True), ("private", False)))
    rows = [
        {"game": "g", number: line.round, speaker: line.player, text: line.text}
        | {key: (line.kind == "speech") == is_public, "role": made.roles[line.player]}
        for line in made.of("speech", "thought", "private")
    ]
    return json.dumps(rows).encode()


def as_beside(made: Made, pick: random.Random) -> bytes:
    """Thoughts beside the text of their author's next message."""
    speaker, text, number = keys_of(pick)
    key = pick.choice(("reasoning", "thought", "inner_monologue", "scratchpad", "private_thoughts"))
    rows, waiting = [], ""
    for line in made.of("speech", "thought"):
        if line.kind == "thought":
            waiting = line.text
            continue
        row = {number: line.round, speaker: line.player, text: line.text, "role": made.roles[line.player]}
        rows.append(row | ({key: waiting} if waiting else {}))
        waiting = ""
    return json.dumps({"id": "g", "transcript": rows, "votes": votes_of(made.of("vote"))}).encode()


def as_payloads(made: Made, pick: random.Random) -> bytes:
    """Rows of events, each with its facts in an object of its own."""
    outer, inner = (
        pick.choice(("event", "type", "eventType", "kind")),
        pick.choice(("data", "payload", "details")),
    )
    rows = []
    for row in typed_rows(made, pick):
        kept = {key: row[key] for key in ("game_id", *ROUND) if key in row}
        rest = {key: value for key, value in row.items() if key not in kept and key != "type"}
        rows.append({outer: row["type"], **kept, inner: rest})
    pack = pick.choice(("lines", "list"))
    return json.dumps(rows).encode() if pack == "list" else "\n".join(map(json.dumps, rows)).encode()


def as_ids(made: Made, pick: random.Random) -> bytes:
    """Messages name players by the ids of the list of players."""
    ids = {name: f"p{number}" for number, name in enumerate(made.roles, start=1)}
    key = pick.choice(("playerId", "player_id", "speakerId", "from", "agent_id"))
    who = {"speech": "all", "thought": "self"}
    rows = [
        {"round": line.round, key: ids[line.player], "text": line.text}
        | {"recipient": who.get(line.kind) or ids[line.target]}
        for line in made.of("speech", "thought", "private")
    ]
    players = [player | {"id": ids[player["name"]]} for player in players_of(made)]
    votes = [{"round": row.round, "voter": row.player, "target": row.target} for row in made.of("vote")]
    return json.dumps({"id": "g", "players": players, "messages": rows, "votes": votes}).encode()


def as_list_of_rounds(made: Made, pick: random.Random) -> bytes:
    speaker, text, number = keys_of(pick)
    rounds = [
        {
            number: one,
            "messages": [
                {speaker: line.player, text: line.text, "role": made.roles[line.player]}
                for line in made.of("speech")
                if line.round == one
            ],
        }
        for one in sorted({line.round for line in made.lines})
    ]
    return json.dumps(rounds).encode()


def as_columns_of_types(made: Made, pick: random.Random) -> bytes:
    """A table whose rows of some type have columns of their own, with the line ends of Windows."""
    names = ("event", "day", "speaker", "role", "utterance", "voter", "target")
    words = {"speech": "speech", "thought": "thought", "private": "whisper", "vote": "vote"}
    out = io.StringIO()
    table = csv.writer(out, delimiter=pick.choice(",\t"), lineterminator="\r\n")
    table.writerow(names)
    for line in made.lines:
        told = (line.player, made.roles[line.player], line.text, "", "")
        told = ("", "", "", line.player, line.target) if line.kind == "vote" else told
        table.writerow((words[line.kind], f"Day {line.round}", *told))
    return out.getvalue().encode(pick.choice(("utf-8", "utf-16", "utf-8-sig")))


def as_encoded(made: Made, pick: random.Random) -> bytes:
    """A native game in snake_case, as UTF-16 or packed."""
    text = as_native(made, pick).decode()
    for camel, snake in (
        ("roundNumber", "round_number"),
        ("playerName", "player_name"),
        ("gameId", "game_id"),
    ):
        text = text.replace(camel, snake)
    return gzip.compress(text.encode()) if pick.random() < 0.5 else text.encode("utf-16")


def as_phases_of_days(made: Made, pick: random.Random) -> bytes:
    """Days that hold phases, which hold messages; the night and the thoughts are phases of their own."""
    speaker, text, _number = keys_of(pick)
    phase, inside = pick.choice(("phase", "name", "type")), pick.choice(("messages", "utterances", "log"))
    words = {"speech": "discussion", "private": "night", "thought": pick.choice(("thoughts", "scratchpad"))}
    days = []
    for number in sorted({line.round for line in made.lines}):
        phases = [
            {phase: word, inside: [{speaker: line.player, text: line.text} for line in own]}
            for kind, word in words.items()
            if (own := [line for line in made.of(kind) if line.round == number])
        ]
        votes = [row for row in votes_of(made.of("vote")) if row["round"] == number]
        days.append({"day": number, "phases": phases, "votes": votes})
    return json.dumps({"id": "g", "players": players_of(made), "days": days}).encode()


def as_lists_beside(made: Made, pick: random.Random) -> bytes:
    """Private talk and thoughts in lists of their own beside the talk."""
    speaker, text, number = keys_of(pick)

    def rows(kind: str) -> list[dict[str, Any]]:
        return [{number: line.round, speaker: line.player, text: line.text} for line in made.of(kind)]

    game = {
        "id": "g",
        "players": players_of(made),
        pick.choice(("messages", "turns", "dialogue")): rows("speech"),
    }
    hidden = {
        pick.choice(("private_messages", "whispers", "night_chat")): rows("private"),
        pick.choice(("thoughts", "inner_thoughts", "scratchpad")): rows("thought"),
    }
    return json.dumps(game | hidden | {"votes": votes_of(made.of("vote"))}).encode()


def as_players_by_name(made: Made, pick: random.Random) -> bytes:
    """An object of players, by name, with their roles."""
    players = {name: {"role": role, "model": "m"} for name, role in made.roles.items()}
    rows = with_recipients(made, pick)
    key = pick.choice(("messages", "conversation", "chat"))
    return json.dumps({"id": "g", "players": players, key: rows, "votes": votes_of(made.of("vote"))}).encode()


def as_audience_lists(made: Made, pick: random.Random) -> bytes:
    """Lists of those who could hear a message; of all players for what is public."""
    key = pick.choice(("visible_to", "audience", "recipients", "heard_by"))
    rows = []
    for line in made.of("speech", "thought", "private"):
        who = {"speech": list(made.roles), "thought": [line.player], "private": [line.player, line.target]}
        rows.append({"round": line.round, "speaker": line.player, "text": line.text, key: who[line.kind]})
    return json.dumps({"id": "g", "players": players_of(made), "messages": rows}).encode()


def as_chatarena(made: Made, pick: random.Random) -> bytes:
    """A history of ChatArena with a moderator."""
    rows = [("Moderator", "The game begins.", "all")]
    for line in made.of("speech", "thought", "private"):
        who = {"speech": "all", "thought": [line.player], "private": [line.player, line.target]}[line.kind]
        rows.append((line.player, line.text, who))
    keys = ("agent_name", "content", "visible_to", "turn", "timestamp", "msg_type")
    found = [
        dict(zip(keys, (*row, turn, str(1_780_000_000_000_000_000 + turn), "text"), strict=True))
        for turn, row in enumerate(rows)
    ]
    return json.dumps(found, indent=4).encode()


def as_chat_messages(made: Made, pick: random.Random) -> bytes:
    """A chat of a model's API whose messages say who could hear them."""
    key = pick.choice(("audience", "to", "recipient"))
    rows: list[dict[str, Any]] = [{"role": "system", "content": "CANARY: you play a game."}]
    for line in made.of("speech", "thought", "private"):
        who = {"speech": "all", "thought": "self", "private": line.target}[line.kind]
        said = {"role": pick.choice(("assistant", "user")), "name": line.player, "content": line.text}
        rows.append(said | {"round": line.round, key: who})
    about = {"roles": made.roles}
    return json.dumps(
        {"id": "g", "messages": rows, "metadata": about, "votes": votes_of(made.of("vote"))}
    ).encode()


def as_reasoning(made: Made, pick: random.Random) -> bytes:
    """A chat whose messages hold the reasoning before them, as a key or a part."""
    rows, waiting = [], ""
    is_part = pick.random() < 0.5
    for line in made.of("speech", "thought"):
        if line.kind == "thought":
            waiting = line.text
            continue
        row: dict[str, Any] = {
            "role": "assistant",
            "name": line.player,
            "content": line.text,
            "round": line.round,
        }
        if waiting and is_part:
            row["content"] = [{"type": "thinking", "thinking": waiting}, {"type": "text", "text": line.text}]
        elif waiting:
            row[pick.choice(("reasoning_content", "reasoning", "thinking"))] = waiting
        rows.append(row)
        waiting = ""
    return json.dumps({"id": "g", "messages": rows, "metadata": {"roles": made.roles}}).encode()


def as_autogen(made: Made, pick: random.Random) -> bytes:
    words = {"speech": "TextMessage", "thought": "ThoughtEvent"}
    rows = [
        {"source": line.player, "type": words[line.kind], "content": line.text, "models_usage": None}
        for line in made.of(*words)
    ]
    return json.dumps({"type": "TaskResult", "messages": rows, "stop_reason": "CANARY"}).encode()


def as_steps(made: Made, pick: random.Random) -> bytes:
    """A trace of Langfuse: an answer of a model for each line, with what is known of it."""
    words = {"speech": "speak", "thought": "reflection", "private": pick.choice(("night", "whisper"))}
    steps = [
        {
            "type": "GENERATION",
            "name": words[line.kind],
            "startTime": f"2026-01-31T20:{number // 60:02}:{number % 60:02}Z",
            "metadata": {"player": line.player, "round": line.round},
            "input": [{"role": "user", "content": "CANARY"}],
            "output": {"role": "assistant", "content": line.text},
        }
        for number, line in enumerate(made.of(*words))
    ]
    pick.shuffle(steps)
    return json.dumps({"id": "t", "sessionId": "g", "observations": steps}).encode()


def as_spans(made: Made, pick: random.Random) -> bytes:
    """Spans of OpenTelemetry; a thought is a part of its author's next answer."""
    spans, waiting = [], ""
    for number, line in enumerate(made.of("speech", "thought")):
        if line.kind == "thought":
            waiting = line.text
            continue
        parts = [{"type": "reasoning", "content": waiting}] if waiting else []
        parts.append({"type": "text", "content": line.text})
        output = json.dumps([{"role": "assistant", "parts": parts}])
        given = {"agent.name": line.player, "output.messages": output, "input.messages": "CANARY"}
        attributes = [{"key": f"gen_ai.{key}", "value": {"stringValue": text}} for key, text in given.items()]
        spans.append(
            {"traceId": "g", "spanId": str(number), "endTimeUnixNano": str(number), "attributes": attributes}
        )
        waiting = ""
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()


def as_kaggle(made: Made, pick: random.Random) -> bytes:
    """A replay of Kaggle's werewolf."""
    events = []
    for line in made.lines:
        if line.kind == "thought":
            event = kaggle_act(
                "ChatDataEntry", line.round, "Night", line.player, seen_by=[line.player], message=line.text
            )
        elif line.kind == "vote":
            event = kaggle_act("DayExileVoteDataEntry", line.round, "Day", line.player, target_id=line.target)
        else:
            seen = {} if line.kind == "speech" else {"seen_by": [line.player, line.target]}
            phase = "Day" if line.kind == "speech" else "Night"
            event = kaggle_act("ChatDataEntry", line.round, phase, line.player, message=line.text, **seen)
        events.append([event])
    end = {
        "all_players": [{"id": name, "agent": {"role": role}} for name, role in made.roles.items()],
        "all_players_and_role": made.roles,
        "winner_team": "Villagers",
    }
    return json.dumps(
        {"name": "werewolf", "steps": [], "info": {"MODERATOR_OBSERVATION": events, "GAME_END": end}}
    ).encode()


def as_chat_text(made: Made, pick: random.Random) -> bytes:
    """A chat as text, with headings of rounds, nights and lines of votes."""
    lines = ["Game: g", "Players:", *(f"- {name}: {role}" for name, role in made.roles.items()), ""]
    colour = pick.choice(("", "\x1b[31m"))
    for number in sorted({line.round for line in made.lines}):
        own = [line for line in made.lines if line.round == number]
        lines.append(pick.choice(("=== Day {} ===", "## Round {}", "Day {}")).format(number))
        lines += [f"[10:00] {colour}{line.player}: {line.text}" for line in own if line.kind == "speech"]
        lines += [f"Vote: {line.player} -> {line.target}" for line in own if line.kind == "vote"]
        hidden = [
            f"[22:00] {line.player}: {line.text}" for line in own if line.kind in ("private", "thought")
        ]
        lines += [f"Night {number}", *hidden] if hidden else []
    return "\n".join(lines).encode(pick.choice(("utf-8", "utf-16")))


def as_irc(made: Made, pick: random.Random) -> bytes:
    lines = []
    for line in made.of("speech"):
        if f"[Day {line.round}]" not in lines:
            lines.append(f"[Day {line.round}]")
        lines.append(f"<{line.player}> {line.text}")
    return "\n".join(lines).encode()


def as_discord(made: Made, pick: random.Random) -> bytes:
    rows = [
        {
            "id": str(number),
            "type": "Default",
            "timestamp": f"2026-01-31T20:{number:02}:00Z",
            "content": line.text,
        }
        | {
            "author": {
                "id": line.player.lower(),
                "name": f"{line.player}77",
                "nickname": line.player,
                "isBot": True,
            }
        }
        for number, line in enumerate(made.of("speech"))
    ]
    channel = {"id": "2", "type": "GuildTextChat", "name": "town"}
    return json.dumps({"guild": {"id": "1", "name": "g"}, "channel": channel, "messages": rows}).encode()


def as_inspect(made: Made, pick: random.Random) -> bytes:
    """A sample of a log of Inspect AI."""
    rows: list[dict[str, Any]] = [{"role": "user", "content": "CANARY: you play."}]
    waiting = ""
    for line in made.of("speech", "thought"):
        if line.kind == "thought":
            waiting = line.text
            continue
        parts = [{"type": "reasoning", "reasoning": waiting}] if waiting else []
        about = {"player": line.player, "round": line.round}
        rows.append(
            {"role": "assistant", "content": [*parts, {"type": "text", "text": line.text}], "metadata": about}
        )
        waiting = ""
    sample = {"id": "g", "epoch": 1, "target": "", "messages": rows, "metadata": {"roles": made.roles}}
    return json.dumps({"version": 2, "plan": {}, "eval": {"task": "x"}, "samples": [sample]}).encode()


def as_convokit(made: Made, pick: random.Random) -> bytes:
    """Utterances of ConvoKit."""
    rows = [
        {
            "id": f"u{number}",
            "conversation_id": "g",
            "speaker": line.player,
            "text": line.text,
            "reply-to": None,
        }
        | {
            "timestamp": number,
            "vectors": [],
            "meta": {"round": line.round, "role": made.roles[line.player], "n": 1},
        }
        for number, line in enumerate(made.of("speech"))
    ]
    return "\n".join(map(json.dumps, rows)).encode()


# Each shape, with what it does not carry: "votes", "roles", "rounds", or all that is private.
SHAPES: dict[Callable[[Made, random.Random], bytes], str] = {
    as_native: "",
    as_recipients: "",
    as_phases: "",
    as_rounds: "",
    as_typed_lines: "",
    as_typed_values: "",
    as_table: "",
    as_flags: "votes",
    as_beside: "private",
    as_payloads: "",
    as_ids: "",
    as_list_of_rounds: "votes private",
    as_columns_of_types: "",
    as_encoded: "",
    as_phases_of_days: "",
    as_lists_beside: "",
    as_players_by_name: "",
    as_audience_lists: "votes",
    as_chatarena: "votes roles rounds",
    as_chat_messages: "",
    as_reasoning: "votes private",
    as_autogen: "votes private roles rounds",
    as_steps: "votes roles",
    as_spans: "votes private roles rounds",
    as_kaggle: "private",
    as_chat_text: "private",
    as_irc: "votes private roles",
    as_discord: "votes private roles rounds",
    as_inspect: "votes private",
    as_convokit: "votes private",
}
