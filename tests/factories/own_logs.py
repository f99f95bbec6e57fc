"""Logs as people write them themselves. What nobody but its author, or a model alone, may read says CANARY."""

import json
from typing import Any

CANARY = "CANARY"
TOLD = f"{CANARY} You are Ann, a WEREWOLF. Never reveal it."
SAID = [
    ("Ann", "Good morning, Bea and Cid."),
    ("Bea", "I think that Ann was quiet."),
    ("Cid", "Bea, why do you say so?"),
    ("Ann", "I was only listening, Bea."),
    ("Bea", "Then vote with me, Cid."),
    ("Cid", "I will think about it."),
]


def lines(*rows: Any) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


LOGS: dict[str, bytes] = {}
# OpenAI request/response pairs, one a line
LOGS["openai_calls.jsonl"] = lines(
    *(
        {
            "timestamp": f"2026-01-31T20:15:{i:02}Z",
            "agent": n,
            "request": {
                "model": "gpt-x",
                "messages": [
                    {"role": "system", "content": TOLD},
                    {"role": "user", "content": f"{CANARY} Round 1. Your turn."},
                ],
            },
            "response": {
                "id": f"c{i}",
                "choices": [{"index": 0, "message": {"role": "assistant", "content": t}}],
                "usage": {"prompt_tokens": 9, "completion_tokens": 4},
            },
        }
        for i, (n, t) in enumerate(SAID)
    )
)
# Anthropic
LOGS["anthropic_calls.jsonl"] = lines(
    *(
        {
            "player": n,
            "request": {
                "model": "claude-x",
                "system": TOLD,
                "messages": [{"role": "user", "content": f"{CANARY} history"}],
            },
            "response": {
                "id": f"m{i}",
                "type": "message",
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": f"{CANARY} I must hide"},
                    {"type": "text", "text": t},
                ],
                "usage": {"input_tokens": 4, "output_tokens": 4},
            },
        }
        for i, (n, t) in enumerate(SAID)
    )
)
# flat prompt/completion
LOGS["prompts.jsonl"] = lines(
    *(
        {
            "agent_name": n,
            "system_prompt": TOLD,
            "prompt": f"{CANARY} What do you say? This is a longer prompt with a lot of words {i}.",
            "completion": t,
        }
        for i, (n, t) in enumerate(SAID)
    )
)
# CSV with prompt and response
LOGS["prompts.csv"] = (
    "player,prompt,response,reasoning_trace\n"
    + "\n".join(
        f'{n},"{CANARY} You are {n}, state {i} of the long game with many words","{t}","{CANARY} I think {i}"'
        for i, (n, t) in enumerate(SAID)
    )
).encode()
# per-agent logs
LOGS["per_agent.json"] = json.dumps(
    {
        "game_id": "g1",
        "agents": [
            {
                "name": n,
                "role": "WEREWOLF",
                "log": [
                    {"role": "system", "content": TOLD},
                    {"role": "user", "content": f"{CANARY} x"},
                    {"role": "assistant", "content": [t for m, t in SAID if m == n][0]},
                ],
            }
            for n in ("Ann", "Bea", "Cid")
        ],
    }
).encode()
# nested quests/rounds/discussions
LOGS["quests.json"] = json.dumps(
    {
        "game_id": "g1",
        "roles": {"Ann": "assassin", "Bea": "merlin", "Cid": "servant"},
        "quests": [
            {
                "quest": 1,
                "rounds": [
                    {
                        "leader": "Ann",
                        "discussion": [
                            {"player": n, "message": t, "private_thought": f"{CANARY} hm"}
                            for n, t in SAID[:3]
                        ],
                        "team": ["Ann", "Bea"],
                    }
                ],
            },
            {
                "quest": 2,
                "rounds": [
                    {
                        "leader": "Bea",
                        "discussion": [
                            {"player": n, "message": t, "private_thought": f"{CANARY} hm"}
                            for n, t in SAID[3:]
                        ],
                    }
                ],
            },
        ],
    }
).encode()
# quests without id, unknown keys
LOGS["quests2.json"] = json.dumps(
    {
        "quests": [
            {
                "discussion": [
                    {"who_spoke": n, "utter": t, "inner": f"{CANARY} hm {t}"} for n, t in SAID[:3]
                ],
                "vote": {"Ann": True, "Bea": False},
            },
            {"discussion": [{"who_spoke": n, "utter": t, "inner": f"{CANARY} hm {t}"} for n, t in SAID[3:]]},
        ]
    }
).encode()
# replay with hidden state
LOGS["replay.json"] = json.dumps(
    {
        "replay": {
            "version": 1,
            "states": [
                {
                    "step": i,
                    "hidden": {"roles": {"Ann": "WOLF"}, "memo": f"{CANARY} secret {i}"},
                    "public": {"speaker": n, "speech": t},
                }
                for i, (n, t) in enumerate(SAID)
            ],
        }
    }
).encode()
# events with payload
LOGS["events.jsonl"] = lines(
    *[
        {
            "event": "llm_call",
            "agent": n,
            "payload": {"prompt": f"{CANARY} {TOLD}", "completion": f"{CANARY} raw {t}"},
        }
        for n, t in SAID
    ],
    *[{"event": "speak", "agent": n, "payload": {"text": t}} for n, t in SAID],
)
# tool calls
LOGS["tools.jsonl"] = lines(
    *(
        {
            "speaker": n,
            "content": t,
            "tool_calls": [{"name": "recall", "arguments": f"{CANARY} q"}],
            "tool_result": f"{CANARY} memory {i}",
        }
        for i, (n, t) in enumerate(SAID)
    )
)
# openai batch output
LOGS["batch.jsonl"] = lines(
    *(
        {
            "custom_id": f"{n}-{i}",
            "response": {
                "status_code": 200,
                "body": {
                    "choices": [
                        {
                            "message": {
                                "role": "assistant",
                                "content": t,
                                "reasoning_content": f"{CANARY} hidden",
                            }
                        }
                    ]
                },
            },
        }
        for i, (n, t) in enumerate(SAID)
    )
)
# responses api
LOGS["responses.json"] = json.dumps(
    [
        {
            "instructions": TOLD,
            "metadata": {"player": n},
            "output": [
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": f"{CANARY} r"}]},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": t}]},
            ],
        }
        for n, t in SAID
    ]
).encode()
# observations per turn
LOGS["turns_obs.json"] = json.dumps(
    {
        "turns": [
            {
                "turn": i,
                "player": n,
                "observation": f"{CANARY} you see many things {i}",
                "action": t,
                "scratch_notes": f"{CANARY} hm",
            }
            for i, (n, t) in enumerate(SAID)
        ]
    }
).encode()
# game with private night chat list
LOGS["nightchat.json"] = json.dumps(
    {
        "id": "g",
        "days": [
            {
                "day": 1,
                "chat": [{"from": n, "msg": t} for n, t in SAID],
                "wolf_chat": [{"from": "Ann", "msg": f"{CANARY} kill Bea"}],
            }
        ],
    }
).encode()
# history of messages per player (views)
LOGS["views.json"] = json.dumps(
    {
        "Ann": {"memory": [f"{CANARY} a"], "messages": [{"speaker": n, "text": t} for n, t in SAID]},
        "Bea": {"memory": [f"{CANARY} b"], "messages": [{"speaker": n, "text": t} for n, t in SAID]},
    }
).encode()
# rows with system rows typed in unknown column
LOGS["kinds.csv"] = (
    "who,stage,line\n"
    + "\n".join(f'{n},aloud,"{t}"' for n, t in SAID)
    + "\n"
    + "\n".join(f'{n},inwardly,"{CANARY} my secret is {i} hm"' for i, (n, t) in enumerate(SAID))
).encode()
# yaml-like list of dict w/ system prompts in conv
LOGS["conv.json"] = json.dumps(
    {"conversation": [{"from": "system", "value": TOLD}, *[{"from": n, "value": t} for n, t in SAID]]}
).encode()
# sharegpt gpt/human
LOGS["sharegpt.json"] = json.dumps(
    [
        {
            "id": "g1",
            "conversations": [{"from": "system", "value": TOLD}, *[{"from": n, "value": t} for n, t in SAID]],
        }
    ]
).encode()
# nested choices w/ agents
LOGS["steps.json"] = json.dumps(
    {
        "steps": [
            {
                "agent": n,
                "input": {"system": TOLD, "observation": f"{CANARY} obs {i} of the game"},
                "output": {"thinking": f"{CANARY} th", "speech": t},
            }
            for i, (n, t) in enumerate(SAID)
        ]
    }
).encode()
# text log of calls
LOGS["debug.log"] = (
    "\n".join(
        f"[20:15:{i:02}] SYSTEM PROMPT: {CANARY} You are {n}.\n[20:15:{i:02}] {n}: {t}"
        for i, (n, t) in enumerate(SAID)
    )
).encode()
# messages + raw llm logs beside
LOGS["both.json"] = json.dumps(
    {
        "game_id": "g",
        "messages": [{"player": n, "text": t} for n, t in SAID],
        "llm_logs": [
            {"player": n, "prompt": f"{CANARY} p", "response": f"{CANARY} raw {t}"} for n, t in SAID
        ],
    }
).encode()
# table with raw_response besides
LOGS["raw.csv"] = (
    "agent,round_no,raw_response,parsed_statement\n"
    + "\n".join(
        f'{n},{1 + i // 3},"{{""thought"": ""{CANARY} x {i} that is hidden from all"", ""say"": ""{t}""}}","{t}"'
        for i, (n, t) in enumerate(SAID)
    )
).encode()

# gemini call dump w/ agent in context
LOGS["gemini.jsonl"] = lines(
    *(
        {
            "context": {"player": n, "round": 1 + i // 3},
            "request": {
                "systemInstruction": {"parts": [{"text": TOLD}]},
                "contents": [{"role": "user", "parts": [{"text": f"{CANARY} go"}]}],
            },
            "response": {
                "candidates": [
                    {
                        "content": {
                            "role": "model",
                            "parts": [{"thought": True, "text": f"{CANARY} hmm"}, {"text": t}],
                        }
                    }
                ]
            },
        }
        for i, (n, t) in enumerate(SAID)
    )
)
# calls with call_type vote/bid
LOGS["calltypes.jsonl"] = lines(
    *[
        {
            "player": n,
            "kind": "speak",
            "response": {"choices": [{"message": {"role": "assistant", "content": t}}]},
        }
        for n, t in SAID
    ],
    *[
        {
            "player": n,
            "kind": "inner_monologue",
            "response": {"choices": [{"message": {"role": "assistant", "content": f"{CANARY} mono"}}]},
        }
        for n, t in SAID
    ],
    *[
        {
            "player": n,
            "kind": "vote",
            "response": {"choices": [{"message": {"role": "assistant", "content": f"{CANARY} {{vote}}"}}]},
        }
        for n, t in SAID
    ],
)
# request messages only with assistant turns history at top-level with player
LOGS["history.jsonl"] = lines(
    *(
        {
            "player_name": n,
            "messages": [
                {"role": "system", "content": TOLD},
                {"role": "user", "content": f"{CANARY} say"},
                {"role": "assistant", "content": t},
            ],
        }
        for n, t in SAID
    )
)
# games with rounds -> discussion -> statements nested deep, with private
LOGS["avalonish.json"] = json.dumps(
    {
        "game": {
            "id": "x1",
            "players": [{"name": n, "role": "r"} for n in ("Ann", "Bea", "Cid")],
            "missions": [
                {
                    "mission": 1,
                    "proposals": [
                        {
                            "leader": "Ann",
                            "talk": [
                                {"speaker": n, "statement": t, "true_belief": f"{CANARY} b"}
                                for n, t in SAID[:3]
                            ],
                        }
                    ],
                },
                {
                    "mission": 2,
                    "proposals": [
                        {
                            "leader": "Bea",
                            "talk": [
                                {"speaker": n, "statement": t, "true_belief": f"{CANARY} b"}
                                for n, t in SAID[3:]
                            ],
                        }
                    ],
                },
            ],
        }
    }
).encode()
# mongodb export w/ event sourcing
LOGS["mongo.json"] = json.dumps(
    [
        {
            "_id": {"$oid": f"5f{i}"},
            "ts": {"$date": f"2026-01-31T20:15:{i:02}Z"},
            "evt": "CHAT",
            "by": n,
            "body": {"txt": t, "seenBy": ["*"]},
        }
        for i, (n, t) in enumerate(SAID)
    ]
    + [
        {
            "_id": {"$oid": f"6f{i}"},
            "ts": {"$date": f"2026-01-31T21:15:{i:02}Z"},
            "evt": "WHISP",
            "by": "Ann",
            "body": {"txt": f"{CANARY} psst {i} wolves", "seenBy": ["Bea"]},
        }
        for i in range(3)
    ]
).encode()
# csv with is_bot_thought flag
LOGS["flag.csv"] = (
    "name,message,is_internal\n"
    + "\n".join(f'{n},"{t}",0\n{n},"{CANARY} inside {i}",1' for i, (n, t) in enumerate(SAID))
).encode()
# csv with visible_to list & observation column
LOGS["vis.csv"] = (
    "name,message,visible_to,obs\n"
    + "\n".join(
        f'{n},"{t}",all,"{CANARY} obs"\n{n},"{CANARY} inside {i}",{n},"{CANARY}"'
        for i, (n, t) in enumerate(SAID)
    )
).encode()
# per-turn with both public statement and private plan, nested
LOGS["plan.json"] = json.dumps(
    {
        "log": [
            {
                "turn": i,
                "agent": n,
                "private": {"plan": f"{CANARY} plan", "suspicions": {"Bea": f"{CANARY} s"}},
                "public": {"statement": t},
            }
            for i, (n, t) in enumerate(SAID)
        ]
    }
).encode()
# autogen-like with inner agents
LOGS["langgraph.json"] = json.dumps(
    {
        "values": {
            "messages": [
                {"type": "system", "content": TOLD},
                *[
                    {
                        "type": "ai",
                        "name": n,
                        "content": t,
                        "additional_kwargs": {"reasoning_content": f"{CANARY} r"},
                    }
                    for n, t in SAID
                ],
            ],
            "scratchpad": {"Ann": f"{CANARY} s"},
        }
    }
).encode()
# text transcript w/ thoughts on own lines
LOGS["thoughts.txt"] = "\n".join(
    f"[THOUGHT] {n}: {CANARY} I hide {i}\n{n}: {t}" for i, (n, t) in enumerate(SAID)
).encode()
LOGS["thoughts2.txt"] = "\n".join(
    f"{n}: {t}\nReasoning: {CANARY} I hide {i}" for i, (n, t) in enumerate(SAID)
).encode()
LOGS["thoughts3.txt"] = "\n".join(
    f"{n} (internal): {CANARY} hidden {i}\n{n} (public): {t}" for i, (n, t) in enumerate(SAID)
).encode()
# markdown with sections per player secret
LOGS["md.md"] = (
    "# Game 1\n## Roles\nAnn: WOLF "
    + CANARY
    + "\n## Day 1\n"
    + "\n".join(f"**{n}**: {t}" for n, t in SAID)
    + "\n## Night 1\n**Ann**: "
    + CANARY
    + " kill Bea\n"
).encode()
# chat as dict of lists by channel
LOGS["channels.json"] = json.dumps(
    {
        "channels": {
            "town": [{"user": n, "text": t} for n, t in SAID],
            "wolves": [{"user": "Ann", "text": f"{CANARY} kill"}],
        }
    }
).encode()
# jsonl with state snapshots
LOGS["snap.jsonl"] = lines(
    *(
        {
            "step": i,
            "current_player": n,
            "utterance": t,
            "state": {"roles": {"Ann": "wolf"}, "secret_note": f"{CANARY} note {i}"},
            "observations": {"Ann": f"{CANARY} o", "Bea": f"{CANARY} p"},
        }
        for i, (n, t) in enumerate(SAID)
    )
)
# openspiel like list of [player, action] lists
LOGS["pairs.json"] = json.dumps(
    {"history": [[n, t] for n, t in SAID], "private": [["Ann", f"{CANARY} x"]]}
).encode()
# two-column tsv with llm JSON output
LOGS["jsoncell.csv"] = (
    "speaker,output\n"
    + "\n".join(f'{n},"{{""think"": ""{CANARY} x"", ""speak"": ""{t}""}}"' for n, t in SAID)
).encode()
# chat with "Ann -> wolves"
LOGS["arrow.txt"] = "\n".join([f"{n}: {t}" for n, t in SAID] + [f"Ann -> wolves: {CANARY} kill"]).encode()
# openai threads/messages list
LOGS["threads.json"] = json.dumps(
    {
        "object": "list",
        "data": [
            {
                "id": "m",
                "object": "thread.message",
                "role": "assistant",
                "assistant_id": n,
                "content": [{"type": "text", "text": {"value": t, "annotations": []}}],
            }
            for n, t in SAID
        ],
    }
).encode()
# wandb table
LOGS["wandb.table.json"] = json.dumps(
    {"columns": ["speaker", "text", "cot"], "data": [[n, t, f"{CANARY} c"] for n, t in SAID]}
).encode()
