"""Small games written for the tests in public formats with private parts, each of which holds the word CANARY."""

import json
from typing import Any

CANARY = "kept-from-the-table"


def kaggle_event(
    kind: str, day: int, phase: str, *, seen_by: list[str] | None = None, **data: Any
) -> dict[str, Any]:
    """An event of the moderator; a public one unless it is seen by some."""
    event = {
        "event_name": "event",
        "day": day,
        "phase": phase,
        "description": f"{kind} of {data.get('actor_id')} {CANARY}",
        "public": seen_by is None,
        "visible_to": seen_by or [],
        "data": data,
        "source": "MODERATOR",
        "created_at": "2026-01-31 10:00:00+00:00",
    }
    return {"data_type": kind, "json_str": json.dumps(event)}


def kaggle_act(kind: str, day: int, phase: str, actor: str, **data: Any) -> dict[str, Any]:
    """An act of a player with the reason and the threat level that nobody else knows."""
    seen_by = data.pop("seen_by", None)
    private = {"reasoning": f"I lie, {CANARY}", "perceived_threat_level": f"DANGER {CANARY}"}
    return kaggle_event(kind, day, phase, seen_by=seen_by, actor_id=actor, **private, **data)


def kaggle_replay(**changes: Any) -> dict[str, Any]:
    """A first night and a day of four players, of whom two are eliminated."""
    roles = {"Ann": "Villager", "Bea": "Werewolf", "Cid": "Seer", "Dan": "Doctor"}
    alive = ["Ann", "Bea", "Cid"]
    events = [
        [kaggle_event("GameStartRoleDataEntry", 0, "Night", seen_by=[name], player_id=name, role=role)]
        for name, role in roles.items()
    ]
    events += [
        [
            kaggle_act("WerewolfNightVoteDataEntry", 0, "Night", "Bea", seen_by=["Bea"], target_id="Dan"),
            kaggle_act("ChatDataEntry", 0, "Night", "Bea", seen_by=["Bea"], message=f"Dan it is, {CANARY}"),
            kaggle_event("WerewolfNightEliminationDataEntry", 0, "Night", eliminated_player_id="Dan"),
        ],
        [
            kaggle_event(
                "dict", 1, "Day", seen_by=[], actor_id="Ann", message="Who was it?", raw_prompt=CANARY
            ),
            kaggle_act("ChatDataEntry", 1, "Day", "Ann", message="Who was it?"),
            kaggle_act("ChatDataEntry", 1, "Day", "Bea", message="Not me."),
        ],
        [
            kaggle_act("DayExileVoteDataEntry", 1, "Day", "Ann", seen_by=alive, target_id="Bea"),
            kaggle_act("DayExileVoteDataEntry", 1, "Day", "Cid", seen_by=alive, target_id="-1"),
            kaggle_event("DayExileElectedDataEntry", 1, "Day", elected_player_id="Bea"),
        ],
    ]
    players = [
        {"id": name, "agent": {"agent_id": "llm", "role": role, "llms": [{"model_name": "model-a"}]}}
        for name, role in roles.items()
    ]
    info = {
        "EpisodeId": 741,
        "MODERATOR_OBSERVATION": events,
        "GAME_END": {
            "winner_team": "Villagers",
            "all_players": players,
            "all_players_and_role": roles,
            "terminated_with_agent_error": False,
        },
    }
    kwargs = {
        "actor_id": "Ann",
        "raw_prompt": CANARY,
        "cost": 0.25,
        "prompt_tokens": 100,
        "completion_tokens": 9,
    }
    steps = [
        [{"action": {}, "observation": {}}, {"action": {"action_type": "ChatAction", "kwargs": kwargs}}]
    ] * 2
    return {"id": "uuid", "name": "werewolf", "configuration": {}, "steps": steps, "info": info | changes}


# The only game of each of these says the same.
SAID = [("Ann", "Good morning."), ("Bea", "Who begins?")]


def _thought(**more: Any) -> dict[str, Any]:
    return {"text": f"She lies, {CANARY}."} | more


def agents_items() -> list[dict[str, Any]]:
    """Items of OpenAI's Agents SDK (`RunResult.to_input_list`), whose speakers have no names of their own."""
    call = {"type": "function_call", "name": "look", "arguments": CANARY, "call_id": "c"}
    output = [{"type": "output_text", "text": "Who begins?", "annotations": []}]
    return [
        {"role": "user", "content": "Good morning."},
        {"type": "reasoning", "id": "r", "summary": [_thought(type="summary_text")]},
        call,
        {"type": "function_call_output", "call_id": "c", "output": CANARY},
        {"type": "message", "role": "assistant", "status": "completed", "content": output},
    ]


def autogen_result() -> dict[str, Any]:
    """A result of AutoGen 0.4 (`TaskResult.model_dump`)."""

    def message(kind: str, source: str, content: Any) -> dict[str, Any]:
        return {"source": source, "models_usage": None, "metadata": {}, "content": content, "type": kind}

    messages = [
        message("TextMessage", "Ann", "Good morning."),
        message("ThoughtEvent", "Bea", _thought()["text"]),
        message("ToolCallRequestEvent", "Bea", [{"id": "c", "arguments": CANARY, "name": "look"}]),
        message("ToolCallSummaryMessage", "Bea", CANARY),
        message("TextMessage", "Bea", "Who begins?"),
    ]
    return {"messages": messages, "stop_reason": None}


def a2a_task() -> dict[str, Any]:
    """A task of the Agent2Agent protocol."""

    def message(name: str, *parts: dict[str, Any]) -> dict[str, Any]:
        about = {"messageId": name, "kind": "message", "metadata": {"agent": name}}
        return {"role": "agent", "parts": list(parts), **about}

    thought = _thought(kind="text", metadata={"adk_thought": True})
    history = [
        message("Ann", {"kind": "text", "text": "Good morning."}, {"kind": "data", "data": {"x": CANARY}}),
        message("Bea", thought, {"kind": "text", "text": "Who begins?"}),
    ]
    return {
        "id": "task",
        "contextId": "c",
        "status": {"state": "completed"},
        "history": history,
        "kind": "task",
    }


def atif_trajectory() -> dict[str, Any]:
    """A trajectory of one agent in the Agent Trajectory Interchange Format."""
    calls = [{"tool_call_id": "c", "function_name": "look", "arguments": {"at": CANARY}}]
    steps = [
        {"step_id": 1, "source": "system", "message": "You play."},
        {"step_id": 2, "source": "user", "message": f"Your word is {CANARY}."},
        {"step_id": 3, "source": "agent", "message": "", "tool_calls": calls, "observation": {"results": []}},
        {
            "step_id": 4,
            "source": "agent",
            "message": "Good morning.",
            "reasoning_content": _thought()["text"],
        },
    ]
    metrics = {"total_prompt_tokens": 40, "total_completion_tokens": 5, "total_cost_usd": 0.5}
    return {
        "schema_version": "ATIF-v1.4",
        "session_id": "s",
        "agent": {"name": "Ann", "version": "1"},
        "steps": steps,
        "final_metrics": metrics,
    }


def _answer(name: str, text: str) -> dict[str, Any]:
    parts = [{"type": "reasoning", "content": _thought()["text"]}] if name == "Bea" else []
    return {
        "role": "assistant",
        "parts": [*parts, {"type": "text", "content": text}],
        "finish_reason": "stop",
    }


def otlp_spans() -> dict[str, Any]:
    """Spans of OpenTelemetry (semantic conventions for generative AI): each agent's holds that of its model."""

    def span(number: int, parent: str, **attributes: Any) -> dict[str, Any]:
        given = [
            {"key": f"gen_ai.{key.replace('_', '.', 1)}", "value": {"stringValue": value}}
            for key, value in attributes.items()
        ]
        ids = {"traceId": "t", "spanId": f"s{number}", "parentSpanId": parent}
        return ids | {"name": "x", "endTimeUnixNano": str(10**18 + number), "attributes": given}

    spans = []
    for number, (name, text) in reversed(list(enumerate(SAID, 1))):
        output = json.dumps([_answer(name, text)])
        agent = {"operation_name": "invoke_agent", "agent_name": name, "conversation_id": "g"}
        asked = json.dumps([{"role": "user", "parts": [{"type": "text", "content": CANARY}]}])
        spans.append(span(number * 2, "", **agent, input_messages=asked, output_messages=output))
        spans.append(span(number * 2 - 1, f"s{number * 2}", operation_name="chat", output_messages=output))
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "x"}, "spans": spans}]}]}


def langfuse_traces() -> list[dict[str, Any]]:
    """Traces of Langfuse (its public API, with observations), two of one session."""
    return [
        {
            "id": f"t{number}",
            "sessionId": "g",
            "timestamp": f"2026-01-31T10:0{number}:00Z",
            "observations": [
                {"type": "SPAN", "name": "turn", "input": CANARY, "output": CANARY},
                {
                    "type": "GENERATION",
                    "name": "llm",
                    "metadata": {"player": name},
                    "input": [{"role": "user", "content": CANARY}],
                    "output": {"role": "assistant", "content": _answer(name, text)["parts"]},
                },
            ],
        }
        for number, (name, text) in enumerate(SAID)
    ]


def langsmith_runs() -> list[dict[str, Any]]:
    """Runs of LangSmith, newest first: those of models, and the chain around them, which repeats their answers."""

    def run(number: int, name: str, text: str) -> dict[str, Any]:
        thought = [{"type": "thinking", "thinking": _thought()["text"]}] if name == "Bea" else []
        content = [*thought, {"type": "text", "text": text}]
        said = {"text": text, "message": {"lc": 1, "kwargs": {"type": "ai", "content": content}}}
        return {
            "id": f"r{number}",
            "trace_id": f"t{number}",
            "run_type": "llm",
            "name": "ChatOpenAI",
            "start_time": f"2026-01-31T10:0{number}:00",
            "extra": {"metadata": {"agent": name, "thread_id": "g"}},
            "inputs": {"messages": [CANARY]},
            "outputs": {"generations": [[said]]},
        }

    first, second = (run(number, *line) for number, line in enumerate(SAID))
    return [second, first | {"run_type": "chain", "outputs": {"output": CANARY}}, first]


def session_lines() -> list[dict[str, Any]]:
    """A session trace as the Hugging Face Hub shows it, in the lines of a coding agent."""

    def line(role: str, content: Any, **more: Any) -> dict[str, Any]:
        return {"type": "message", "message": {"role": role, "content": content} | more}

    thinking = {"type": "thinking", "thinking": _thought()["text"]}
    return [
        {"type": "session", "harness": "pi", "id": "g", "name": "evening"},
        {"type": "model_change", "modelId": CANARY},
        line("user", "Good morning.", name="Ann"),
        line("toolResult", CANARY),
        line("assistant", [thinking, {"type": "text", "text": "Who begins?"}], name="Bea"),
    ]


def otlp_structured() -> dict[str, Any]:
    """The same spans whose messages are structured attributes, as OTLP JSON writes lists and objects."""

    def plain(value: Any) -> dict[str, Any]:
        if type(value) is dict:
            pairs = [{"key": key, "value": plain(part)} for key, part in value.items()]
            return {"kvlistValue": {"values": pairs}}
        if type(value) is list:
            return {"arrayValue": {"values": [plain(part) for part in value]}}
        return {"stringValue": value}

    trace = otlp_spans()
    for span in trace["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for item in span["attributes"]:
            if item["key"].endswith(".messages"):
                item["value"] = plain(json.loads(item["value"]["stringValue"]))
        # The conventions allow them on an event of the span, too.
        span["events"] = [
            {"name": "gen_ai.client.inference.operation.details", "attributes": span["attributes"][-1:]}
        ]
        del span["attributes"][-1]
    return trace


def a2a_latest() -> dict[str, Any]:
    """A task of A2A whose last message is only in its status."""
    task = a2a_task()
    last = task["history"].pop()
    return task | {"status": {"state": "completed", "message": last}}


def chatarena_history() -> list[dict[str, Any]]:
    """A history of ChatArena (`Arena.save_history`): some of what is said only some can see."""
    rows = [
        ("Moderator", "Now the game starts!", "all"),
        ("Moderator", f"You are the chameleon, {CANARY}.", "Bea"),
        ("Ann", "Good morning.", "all"),
        ("Ann", f"Bea lies, {CANARY}.", ["Ann", "Cid"]),
        ("Bea", "Who begins?", "all"),
        ("Cid", f"I wait, {CANARY}.", ["Cid", "Moderator"]),
    ]
    return [
        {
            "agent_name": name,
            "content": text,
            "turn": turn,
            "timestamp": str(1_780_000_000_000_000_000 + turn),
            "visible_to": seen_by,
            "msg_type": "text",
        }
        for turn, (name, text, seen_by) in enumerate(rows, 1)
    ]


def crew_output() -> dict[str, Any]:
    """What a crew of CrewAI returned (`CrewOutput.model_dump`)."""
    tasks = [
        {
            "description": f"Greet the others, {CANARY}.",
            "name": "greet_task",
            "expected_output": CANARY,
            "summary": CANARY,
            "raw": text,
            "pydantic": None,
            "json_dict": None,
            "agent": f"{name}\n",
            "output_format": "raw",
            "messages": [{"role": "user", "content": CANARY}],
        }
        for name, text in SAID
    ]
    usage = {"total_tokens": 45, "prompt_tokens": 40, "completion_tokens": 5, "successful_requests": 2}
    return {
        "raw": SAID[-1][1],
        "pydantic": None,
        "json_dict": None,
        "tasks_output": tasks,
        "token_usage": usage,
    }


def crew_log() -> list[dict[str, Any]]:
    """The log of tasks that a crew of CrewAI writes (`output_log_file` that ends with .json)."""
    return [
        {
            "timestamp": "2026-01-31 20:15:00",
            "task_name": "greet",
            "task": f"Greet, {CANARY}.",
            "agent": name,
            **more,
        }
        for name, text in SAID
        for more in ({"status": "started"}, {"status": "completed", "output": text})
    ]


def discord_channel(kind: str = "GuildTextChat") -> dict[str, Any]:
    """A channel that DiscordChatExporter exported as JSON."""

    def message(number: int, kind: str, name: str, text: str, **more: Any) -> dict[str, Any]:
        author = {"id": f"10{name}", "name": f"{name.lower()}_7", "discriminator": "0000", "nickname": name}
        return {
            "id": str(number),
            "type": kind,
            "timestamp": f"2026-01-31T20:15:0{number}+00:00",
            "timestampEdited": None,
            "isPinned": False,
            "content": text,
            "author": author | {"color": None, "isBot": True, "roles": [], "avatarUrl": ""},
            "attachments": [],
            "reactions": [],
            "mentions": [],
        } | more

    return {
        "guild": {"id": "1", "name": "Games", "iconUrl": ""},
        "channel": {
            "id": "2",
            "type": kind,
            "categoryId": "3",
            "category": "Text",
            "name": "town",
            "topic": None,
        },
        "dateRange": {"after": None, "before": None},
        "exportedAt": "2026-02-01T00:00:00+00:00",
        "messages": [
            message(1, "GuildMemberJoin", "Cid", "Joined the server."),
            message(2, "Default", "Ann", "Good morning."),
            message(3, "Reply", "Bea", "Who begins?", reference={"messageId": "2", "channelId": "2"}),
            message(4, "ChannelPinnedMessage", "Ann", "Pinned a message."),
        ],
        "messageCount": 4,
    }


def slack_day(*, has_profiles: bool = False) -> list[dict[str, Any]]:
    """A day of a channel of Slack."""
    people = {"U01AAAAAAAA": "Ann", "U01BBBBBBBB": "Bea"}

    def message(user: str, text: str, ts: str, **more: Any) -> dict[str, Any]:
        profile = {"user_profile": {"display_name": people[user], "real_name": "x"}} if has_profiles else {}
        return {"type": "message", "user": user, "text": text, "ts": ts, "team": "T1"} | profile | more

    ann, bea = people
    return [
        message(ann, f"<@{ann}> has joined the channel", "1769890500.000100", subtype="channel_join"),
        message(ann, "Good morning.", "1769890501.000200", reactions=[{"name": "wave", "users": [bea]}]),
        message(bea, "Who begins?", "1769890502.000300", thread_ts="1769890501.000200"),
    ]


def slack_export(**changes: Any) -> dict[str, Any]:
    """The files of an export of Slack, by path: a public channel, a private one and direct messages."""
    ann, bea = "U01AAAAAAAA", "U01BBBBBBBB"
    secret = {"type": "message", "user": bea, "text": f"Ann next, {CANARY}", "ts": "1769890503.000100"}
    return {
        "users.json": [
            {"id": ann, "name": "ann.a", "profile": {"display_name": "", "real_name": "Ann"}},
            {"id": bea, "name": "bea.b", "profile": {"display_name": "Bea", "real_name": "Bea B."}},
        ],
        "channels.json": [
            {"id": "C1", "name": "town", "members": [ann, bea]},
            {"id": "C2", "name": "random"},
        ],
        "groups.json": [{"id": "G1", "name": "wolves", "members": [bea]}],
        "dms.json": [{"id": "D01CCCCCCCC", "members": [ann, bea]}],
        "town/2026-01-31.json": slack_day(),
        "random/2026-01-31.json": slack_day()[:1],
        "wolves/2026-01-31.json": [secret],
        "D01CCCCCCCC/2026-01-31.json": [secret | {"ts": "1769890504.000100"}],
    } | changes
