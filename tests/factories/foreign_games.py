"""Small games written for the tests in the formats of public collections of games."""

import json
from typing import Any


def werewolf_arena_game(**changes: Any) -> dict[str, Any]:
    """Two rounds of four players: a doctor who saves one, a poll before the vote, and an exile in the second round."""

    def player(name: str, role: str, model: str = "model-a") -> dict[str, Any]:
        return {
            "name": name,
            "role": role,
            "personality": None,
            "model": model,
            "observations": ["Round 0: x"],
        }

    people = [
        player("Ann", "Villager"),
        player("Bea", "Werewolf"),
        player("Cid", "Doctor"),
        player("Dan", "Seer"),
    ]
    people[1]["model"] = "model-b"
    game: dict[str, Any] = {
        "session_id": "7",
        "seer": people[3],
        "doctor": people[2],
        "villagers": [people[0]],
        "werewolves": [people[1]],
        "players": {person["name"]: person for person in people},
        "rounds": [
            {
                "players": ["Ann", "Bea", "Cid", "Dan"],
                "eliminated": "Ann",
                "unmasked": "Ann",
                "protected": "Ann",
                "exiled": None,
                "debate": [["Ann", "Nobody died, so the doctor was awake."], ["Bea", "Who is it then?"]],
                "votes": [
                    {"Ann": "Bea", "Bea": "Ann", "Cid": "Ann", "Dan": "Ann"},
                    {"Ann": "Dan", "Bea": "Ann", "Cid": "Bea", "Dan": "Bea"},
                ],
                "bids": [{"Ann": 4, "Bea": 1, "Cid": 0, "Dan": 2}, {"Bea": 3, "Cid": 1, "Dan": 2}],
                "success": True,
            },
            {
                "players": ["Bea", "Cid", "Dan"],
                "eliminated": "Ann",
                "unmasked": "Bea",
                "protected": "Cid",
                "exiled": "Bea",
                "debate": [["Dan", "I looked at Bea: she is a wolf."]],
                "votes": [{"Bea": "Dan", "Cid": "Bea", "Dan": "Bea"}],
                "bids": [{"Bea": 1, "Cid": 0, "Dan": 4}],
                "success": True,
            },
        ],
        "error_message": "",
        "winner": "Villagers",
    }
    return game | changes


def werewolf_arena_logs() -> list[dict[str, Any]]:
    """The logs of one round: two bid and speak, three vote."""

    def log(**result: Any) -> dict[str, Any]:
        return {"prompt": "You are playing.", "raw_resp": "{}", "result": {"reasoning": "private", **result}}

    def ballots(*votes: tuple[str, str]) -> list[dict[str, Any]]:
        return [{"player": voter, "voted_for": target, "log": log(vote=target)} for voter, target in votes]

    return [
        {
            "eliminate": log(remove="Eve"),
            "investigate": None,
            "protect": log(protect="Ann"),
            "bid": [[["Bea", log(bid="3")], ["Ann", log(bid="2")]]],
            "debate": [["Ann", log(say="Good morning.")], ["Bea", log(say="It is not.")]],
            "votes": [ballots(("Ann", "Cid")), ballots(("Ann", "Bea"), ("Bea", "Ann"), ("Cid", "Bea"))],
            "summaries": [["Ann", log(summary="private")]],
        }
    ]


def avalon_game() -> dict[str, Any]:
    """Two quests of three players; the system speaks, too, and says who won."""
    said = [
        ("system", 1, "game started!"),
        ("player-1", 1, "i take player-2 along"),
        ("system", 1, "party vote outcome: player-1: yes, player-2: yes, player-3: no"),
        ("player-2", 2, "why not me?"),
        ("player-3", 2, "you failed the quest"),
        ("system", 3, "the assassin didn't find merlin, thus the forces of good win!"),
    ]
    roles = ("merlin", "assassin", "servant-1")
    return {
        "users": {
            str(number): {"name": f"player-{number}", "role": role, "index": number}
            for number, role in enumerate(roles, start=1)
        },
        "messages": {
            str(number): {"player": player, "msg": text, "mid": f"m{number}", "quest": quest, "turn": number}
            for number, (player, quest, text) in enumerate(said, start=1)
        },
        "beliefs": {"1": {"player": "player-1", "about_player": "player-2", "belief": "evil", "quest": 2}},
        "persuasion": {"1": {"mid": "m2", "persuasion": "suggestion", "deception": None}},
    }


AIWOLF_ROLES = {"Ann": "SEER", "Bea": "WEREWOLF", "Cid": "POSSESSED"}


def aiwolf_entry(agent: str, kind: str, day: int, answer: str | None = None, **more: Any) -> dict[str, Any]:
    """One request to an agent and its answer; `info` is put into the request's, all else next to it."""
    info = {
        "game_id": "01ABC",
        "day": day,
        "agent": agent,
        "status_map": dict.fromkeys(sorted(AIWOLF_ROLES), "ALIVE"),
        "role_map": {agent: AIWOLF_ROLES[agent]},
        **more.pop("info", {}),
    }
    entry: dict[str, Any] = {
        "agent": agent,
        "request": json.dumps({"request": kind, "info": info, **more}),
        "request_timestamp": 1_750_000_000_000,
        "response_timestamp": 1_750_000_001_500,
    }
    return entry | ({} if answer is None else {"response": answer})


def aiwolf_talk(day: int, number: int, agent: str, text: str, **changes: Any) -> dict[str, Any]:
    """One talk as the server tells it."""
    talk = {"idx": number, "day": day, "turn": 0, "agent": agent, "text": text, "skip": False, "over": False}
    return talk | changes


def aiwolf_game() -> dict[str, Any]:
    """Two days of three agents: talks told several times, a skip, a vote that is repeated after a tie."""
    first = [aiwolf_talk(0, 0, "Bea", "Hello."), aiwolf_talk(0, 1, "Ann", " @Bea  hello.")]
    skip = aiwolf_talk(0, 2, "Cid", "Skip", skip=True)
    later = aiwolf_talk(1, 0, "Cid", "I am the seer.")
    gone = {"executed_agent": "Ann", "attacked_agent": "Cid"}
    entries = [
        *(
            aiwolf_entry(agent, "INITIALIZE", 0, info={"profile": "private"})
            for agent in ("Bea", "Ann", "Cid")
        ),
        aiwolf_entry("Bea", "TALK", 0, "Hello.", talk_history=[]),
        aiwolf_entry("Ann", "TALK", 0, "@Bea hello.", talk_history=first[:1]),
        aiwolf_entry("Cid", "TALK", 0, "Skip", talk_history=first),
        aiwolf_entry("Bea", "WHISPER", 0, "They are blind.", whisper_history=[]),
        aiwolf_entry("Bea", "DAILY_FINISH", 0, talk_history=[first[1], skip]),
        aiwolf_entry("Ann", "DIVINE", 0, "Bea"),
        aiwolf_entry("Bea", "DAILY_FINISH", 1, talk_history=[later]),
        aiwolf_entry("Ann", "VOTE", 1, "Bea"),
        aiwolf_entry("Bea", "VOTE", 1, "Ann"),
        aiwolf_entry("Cid", "VOTE", 1, "Cid"),
        aiwolf_entry("Ann", "VOTE", 1, "Bea"),
        aiwolf_entry("Bea", "VOTE", 1, "Ann"),
        aiwolf_entry("Cid", "VOTE", 1, "Ann"),
        aiwolf_entry("Bea", "ATTACK", 1, "Cid"),
        *(aiwolf_entry(agent, "FINISH", 2, info=gone | {"role_map": AIWOLF_ROLES}) for agent in AIWOLF_ROLES),
    ]
    agents = [
        {"idx": 1, "name": "team2", "role": "WEREWOLF", "team": "team"},
        {"idx": 2, "name": "team1", "role": "SEER", "team": "team"},
        {"idx": 3, "name": "team3", "role": "POSSESSED", "team": "team"},
    ]
    return {"agents": agents, "entries": entries, "game_id": "01ABC", "win_side": "WEREWOLF"}


def llmafia_files(**changes: str | None) -> dict[str, bytes]:
    """The files of a folder: two days of four players; `changes` (`who_wins="..."`) replace or, by None, drop files."""
    config = {
        "players": [
            {
                "name": name,
                "is_mafia": name == "Bea",
                "is_llm": name == "Cid",
                "real_name": "x",
                "llm_config": {},
            }
            for name in ("Ann", "Bea", "Cid", "Dan")
        ],
        "daytime_minutes": 3,
    }
    files: dict[str, str | None] = {
        "config": None,
        "player_names": "Ann\nBea\nCid\nDan",
        "mafia_names": "Bea",
        "public_daytime_chat": (
            "[20:00:01] Ann: Good evening: who are you?\n"
            "[20:00:05] Bea: Not the mafia.\n"
            "[20:03:00] Game-Manager: Daytime has ended, now it's time to vote! Waiting for all players to vote...\n"
            "[20:03:05] Game-Manager: Ann voted for Bea\n"
            "[20:03:06] Cid: I was too slow.\n"
            "[20:03:09] Game-Manager: Bea voted for Dan\n"
            "[20:05:00] Cid: Dan is gone.\nHe was a good man.\n\n"
        ),
        "public_nighttime_chat": "[20:04:00] Bea: Ann it is.\n",
        "public_manager_chat": (
            "[20:00:00] Game-Manager: Now it's Daytime for 3 minutes, everyone can communicate.\n"
            "[20:03:10] Game-Manager: Dan was voted out. Their role was bystander\n"
            "[20:03:10] Game-Manager: Now it's Nighttime for 1 minutes, only mafia can communicate.\n"
            "[20:04:30] Game-Manager: Ann was voted out. Their role was bystander\n"
            "[20:04:30] Game-Manager: Now it's Daytime for 3 minutes, everyone can communicate.\n"
        ),
        "who_wins": "Mafia wins!",
        "Ann_survey": "similarity to human behavior - 70",
    } | changes
    built = {f"{stem}.txt": text.encode() for stem, text in files.items() if text is not None}
    if "config" not in changes:
        built["config.json"] = json.dumps(config).encode()
    elif changes["config"] is not None:
        built["config.json"] = built.pop("config.txt")
    return built
