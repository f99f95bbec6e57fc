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
