"""What not everybody could hear is kept apart, with its author, round and hearers; the game is the same without it."""

import json
from itertools import permutations
from pathlib import Path

import pytest

from discussions.transcripts.core.readers import aiwolf, chat_text, llmafia, werewolf_arena
from discussions.transcripts.core.readers.heads import propose_mapping, read_first_game, read_head
from discussions.transcripts.core.readers.tables import SAMPLED
from tests.factories.archives import zipped
from tests.factories.foreign_games import (
    aiwolf_entry,
    aiwolf_game,
    llmafia_files,
    werewolf_arena_game,
    werewolf_arena_logs,
)
from tests.factories.own_logs import SAID
from tests.factories.reading import read_transcripts
from tests.factories.text_formats import read_text, read_value
from tests.factories.transcripts import as_bytes

SHARED = Path(__file__).parents[3].parent / "shared" / "data"


def kept(read):
    """Kind, round, author, text, and who could hear it: players, or a channel."""
    names = ["", *(player.name for player in read.record.players)]
    return [
        (
            entry.kind,
            entry.round,
            names[entry.player],
            entry.text,
            [names[one] for one in entry.to] or entry.channel,
        )
        for entry in read.private
    ]


def chat(*lines):
    (read,) = read_text(chat_text, "\n".join(lines))
    return read


def test_a_night_is_kept_apart_with_its_authors_and_votes():
    read = chat(
        "Day 1", "Ann: a", "Bea: b", "Night 1", "The wolves wake.", "Bea: kill", "Cid", "", "Zoe: me too",
        "Vote: bea -> Ann", "Eliminated: Ann (killed)", "Day 2", "going on", "Ann: c",
    )  # fmt: skip
    assert read.said == [("Ann", "a"), ("Bea", "b"), ("Ann", "c")]
    assert [message.turn for message in read.record.messages] == [1, 2, 3]
    assert kept(read) == [
        ("talk", 1, "", "The wolves wake.", "night"),
        ("talk", 1, "Bea", "kill\nCid", "night"),
        ("talk", 1, "", "Zoe: me too", "night"),
        ("talk", 1, "Bea", "→ Ann", "night"),
        ("talk", 1, "", "Eliminated: Ann (killed)", "night"),
    ]
    assert {entry.after for entry in read.private} == {2}
    day = chat("Day 1", "Ann: a", "Bea: b", "Day 2", "going on", "Ann: c")
    assert day.record == read.record


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Ann (whispers to Bea): psst", ("talk", ["Bea"])),
        ("Ann (to Bea and Cid): psst", ("talk", ["Bea", "Cid"])),
        ("Ann whispers to Bea: psst", ("talk", ["Bea"])),
        ("Ann whispers: psst", ("talk", "whispers")),
        ("Ann -> Bea: psst", ("talk", ["Bea"])),
        ("Ann → Bea: psst", ("talk", ["Bea"])),
        ("Ann (private): psst", ("talk", "private")),
        ("Ann (wolf chat): psst", ("talk", "wolf chat")),
        ("[whisper] Ann: psst", ("talk", "whisper")),
        ("[Mafia chat] Ann: psst", ("talk", "Mafia chat")),
        ("[whisper to Zoe] Ann: psst", ("talk", "Zoe")),
        ("Ann (thinks): psst", ("thought", "")),
        ("[thought] Ann: psst", ("thought", "")),
    ],
)
@pytest.mark.parametrize("start", ["", "[10:05] ", "2026-01-31 10:05 - "])
@pytest.mark.parametrize("head", [(), ("Players: Ann, Bea, Cid", "")])
def test_a_whisper_or_a_thought_is_no_speech(line, expected, start, head):
    usual = [f"{start}{name}: {text}" for name in ("Ann", "Bea", "Cid") for text in ("one", "two")]
    read = chat(*head, *usual, start + line, "goes on", f"{start}Bea: three")
    assert read.said[-2:] == [("Cid", "two"), ("Bea", "three")]
    ((kind, _round, author, text, hearers),) = kept(read)
    assert ((kind, hearers), author, text) == (expected, "Ann", "psst\ngoes on")


def test_what_is_said_to_all_is_speech():
    read = chat("Ann: a", "Bea: b", "Ann (to all): c", "[Day 1] Bea (to everyone): d", "Ann (she): e")
    assert [text for _name, text in read.said] == ["a", "b", "c", "d", "e"]
    assert read.private == []


def test_whispers_and_acts_of_aiwolf_are_kept_in_their_night():
    game = aiwolf_game()
    game["entries"].insert(-3, aiwolf_entry("Ann", "GUARD", 1, None))
    read = read_value(aiwolf, game)
    assert kept(read) == [
        ("talk", 1, "Bea", "They are blind.", "whisper"),
        ("talk", 1, "Ann", "divine → Bea", "divine"),
        ("talk", 2, "Bea", "attack → Cid", "attack"),
    ]
    assert [entry.after for entry in read.private] == [2, 2, 3]


def test_two_werewolves_hear_each_other():
    roles = {"Ann": "WEREWOLF", "Bea": "WEREWOLF", "Cid": "SEER"}
    entries = [
        aiwolf_entry(name, "INITIALIZE", 0, info={"role_map": {name: role}}) for name, role in roles.items()
    ]
    entries += [
        aiwolf_entry("Cid", "X", 0, talk_history=[{"idx": 0, "day": 0, "agent": "Cid", "text": "Hello."}]),
        aiwolf_entry("Ann", "WHISPER", 0, "Cid is the seer."),
        aiwolf_entry("Bea", "WHISPER", 0, "Over"),
    ]
    read = read_value(aiwolf, aiwolf_game() | {"entries": entries, "agents": []})
    assert kept(read) == [("talk", 1, "Ann", "Cid is the seer.", ["Bea"])]


def test_lines_of_a_night_in_a_text_log_of_aiwolf_are_kept():
    log = (
        "0,status,1,SEER,ALIVE,a,Ann\n0,status,2,WEREWOLF,ALIVE,b,Bea\n0,status,3,WEREWOLF,ALIVE,c,Cid\n"
        "0,talk,0,0,1,Hello.\n0,whisper,0,0,2,They are blind.,1750000001\n0,whisper,1,0,3,Over\n"
        "0,whisper,odd\n0,divine,1,2,WEREWOLF\n1,attackVote,2,1\n1,talk,0,0,2,Good day.\n"
    )
    (read,) = read_text(aiwolf, log)
    assert (read.faults, [text for _name, text in read.said]) == ([], ["Hello.", "Good day."])
    assert kept(read) == [
        ("talk", 1, "Bea", "They are blind.", ["Cid"]),
        ("talk", 1, "Ann", "divine → Bea", "divine"),
        ("talk", 2, "Bea", "attackVote → Ann", ["Cid"]),
    ]
    assert read.private[0].time == "2025-06-15T15:06:41+00:00"


def only(data, name):
    found = read_transcripts(data, name)
    assert [fault for fault in found.faults if not fault.is_warning] == []
    (game,) = found.games
    return game


def test_the_nights_of_llmafia_follow_their_days():
    files = llmafia_files()
    files["public_nighttime_chat.txt"] += (
        b"[20:04:10] Game-Manager: Nighttime has ended, now it's time to vote! Waiting...\n"
        b"[20:04:20] Game-Manager: Bea voted for Ann\n"
    )
    packed = zipped({f"0142/{name}": data for name, data in files.items()})
    game = only(packed, "a.zip")
    assert kept(game) == [("talk", 1, "Bea", "Ann it is.", "night"), ("talk", 1, "Bea", "→ Ann", "night")]
    assert [entry.after for entry in game.private] == [3, 3]
    assert llmafia.recognises_files(list(files))
    for damage in (b"\xff\xfe", b"no line of a chat\n"):
        broken = files | {"public_nighttime_chat.txt": damage}
        packed = zipped({f"0142/{name}": data for name, data in broken.items()})
        assert only(packed, "a.zip").record == game.record


def test_what_players_of_werewolf_arena_remember_is_private():
    state = werewolf_arena_game()
    state["players"]["Bea"] |= {
        "observations": [
            "Round 0: During the night, we decided to eliminate Ann.",
            "Round 0: Moderator Announcement: Nobody died.",
            "Round 1: Summary: Dan found me.",
        ],
        "bidding_rationale": "I must turn them against Dan.",
        "gamestate": {"round_number": 2},
    }
    state["players"]["Ann"] |= {"bidding_rationale": "3", "gamestate": {"round_number": 1}}
    read = read_value(werewolf_arena, state)
    assert [entry for entry in kept(read) if entry[2] == "Bea"] == [
        ("thought", 1, "Bea", "During the night, we decided to eliminate Ann.", ""),
        ("thought", 2, "Bea", "Summary: Dan found me.", ""),
        ("thought", 2, "Bea", "I must turn them against Dan.", ""),
    ]
    assert [entry.after for entry in read.private if entry.player == 2] == [0, 3, 3]
    for entry in kept(read):
        assert "Moderator" not in entry[3] and entry[3] != "3"


@pytest.mark.parametrize("has_state", [True, False])
def test_reasons_in_the_logs_of_werewolf_arena_are_private(has_state):
    logs = json.loads(json.dumps(werewolf_arena_logs()).replace("private", "REASON"))
    logs[0]["summaries"] = [["Bea", {"result": {"summary": "REASON to look back"}}]]
    logs[0]["debate"][1] = ["Bea", {"result": {"reasoning": "REASON of Bea", "say": "Who is it then?"}}]
    files = {"game_logs.json": as_bytes(logs)}
    if has_state:
        files["game_complete.json"] = as_bytes(werewolf_arena_game())
    game = only(zipped({f"s1/{name}": data for name, data in files.items()}), "a.zip")
    assert "REASON" not in repr((game.record, game.warnings))
    entries = kept(game)
    assert ("thought", 1, "", "eliminate: Eve", "") in entries
    assert ("thought", 1, "Bea", "REASON of Bea", "") in entries
    assert ("thought", 1, "Bea", "REASON to look back", "") in entries
    assert ("vote", 1, "Ann", "REASON", "") in entries
    assert ("thought", 1, "Ann", "REASON", "") in entries
    if has_state:
        without = only(zipped({"s1/game_complete.json": files["game_complete.json"]}), "a.zip")
        assert without.record == game.record


def folders():
    return sorted((SHARED / "llmafia").glob("0*")) + sorted((SHARED / "werewolf_arena").glob("session_*"))


@pytest.mark.skipif(not SHARED.exists(), reason="the folder of samples is not here")
def test_the_samples_have_private_tracks_and_no_private_text_in_their_games():
    read = [only(path.read_bytes(), path.name) for path in sorted((SHARED / "aiwolf").glob("*.json"))]
    for folder in folders():
        files = {
            f"{folder.name}/{path.name}": path.read_bytes() for path in folder.iterdir() if path.is_file()
        }
        read.append(only(zipped(files), f"{folder.name}.zip"))
    assert len(read) >= 8
    # Two games of AIWolf end before their first night.
    assert sum(game.private == [] for game in read) <= 2
    for game in read:
        # One model says at day again what it said at night.
        said = [(message.text, message.time) for message in game.record.messages]
        long = [(entry.text, entry.time) for entry in game.private if len(entry.text) > 40]
        assert not set(said) & set(long), game.place
        assert all(0 <= entry.after <= len(said) for entry in game.private)


@pytest.mark.skipif(not SHARED.exists(), reason="the folder of samples is not here")
def test_the_night_of_a_sample_is_heard_by_the_mafia():
    folder = SHARED / "llmafia" / "0001"
    files = {f"0001/{path.name}": path.read_bytes() for path in folder.iterdir() if path.is_file()}
    entries = kept(only(zipped(files), "0001.zip"))
    assert entries[0] == ("talk", 1, "Winter", "Hi", ["Angel"])
    assert ("talk", 1, "Angel", "i think that brook", ["Winter"]) in entries
    assert ("talk", 2, "Angel", "→ Charlie", ["Winter"]) in entries


def test_what_a_player_does_or_thinks_under_a_text_is_no_part_of_it():
    text = "".join(f"{name}: Good day.\n* {name} broods that Bea is it.\n" for name in ("Ann", "Bea", "Ann"))
    (game,) = read_transcripts(text.encode(), "chat.txt").games
    assert {message.text for message in game.record.messages} == {"Good day."}
    assert [entry.text for entry in game.private] == ["broods that Bea is it."] * 3


def test_lines_that_tell_what_a_player_does_below_a_text_are_asked_about():
    said = [(name, f"I say that it was {other}.") for name, other in permutations(("Ann", "Bea", "Cid"), 2)]
    lines = [f"<{name}> {text}\n{name} thinks: CANARY" for name, text in said]
    read = read_transcripts("\n".join(lines).encode(), "log.txt")
    assert not read.games and [fault.code for fault in read.faults] == ["unknown_columns"]


@pytest.mark.parametrize(
    "thought", ["({name} thinks: {}, I must blame Bea.)", "7. {name} ({role}) [thought]: {}"]
)
def test_thoughts_between_names_above_texts_are_proposed_as_thoughts(thought):
    roles = {"Ann": "Seer", "Bea": "Villager", "Cid": "Werewolf", "Dan": "Doctor"}
    blocks = [
        f"{thought.format('CANARY', name=name, role=role)}\n8. {name} ({role}):\nI say {n} that it was not me."
        for n in range(2)
        for name, role in roles.items()
    ]
    table = read_head("\n".join(["Day 1", *blocks]).encode(), is_part=False)
    game = read_first_game(table, propose_mapping(table), "a", "a", {})
    assert {message.text[:5] for message in game.record.messages} == {"I say"}
    assert not any("CANARY" in message.text for message in game.record.messages)
    assert len(game.private) == len(blocks)


def test_a_role_after_a_name_behind_a_sign_is_no_part_of_the_name():
    lines = [
        f"💬 {name} ({role}): I say {n}."
        for n in range(2)
        for name, role in (("Ann", "Seer"), ("Bea", "Wolf"))
    ]
    (game,) = read_transcripts("\n".join(lines).encode(), "a.txt").games
    assert [(player.name, player.role) for player in game.record.players] == [
        ("Ann", "Seer"),
        ("Bea", "Wolf"),
    ]


def test_lines_of_their_own_inside_a_text_are_no_part_of_it():
    text = "".join(
        f"{name}: Good day.\n[{name} -> Cid] I am it.\n* Cid is quiet.\n" for name in ("Ann", "Bea", "Ann")
    )
    (game,) = read_transcripts(f"{text}Cid: Good day.".encode(), "chat.txt").games
    assert {message.text.split("\n")[0] for message in game.record.messages} == {"Good day."}
    assert not any("I am it." in message.text for message in game.record.messages)
    reads = "Ann: My reads.\n* Bea is odd.\n* Ann is good.\nBea: Why?\nAnn: So.\n"
    (game,) = read_transcripts(reads.encode(), "chat.txt").games
    assert game.record.messages[0].text == "My reads.\n* Bea is odd.\n* Ann is good."
    night = "Ann: Hi.\nBea: Ho.\nAnn: So.\n\nNight falls.\n\nBea: I kill Ann.\n\nDay breaks.\n\nBea: Who is gone?\n"
    (game,) = read_transcripts(night.encode(), "chat.txt").games
    assert [message.text for message in game.record.messages] == ["Hi.", "Ho.", "So.", "Who is gone?"]


@pytest.mark.parametrize("after", ["_thoughts", " (inner)", "_plan"])
def test_what_stands_after_names_hides_a_row(after):
    rows = [
        {"speaker": f"{name}{end}", "round": 1, "text": text}
        for name in ("Ann", "Bea")
        for end, text in ((after, "I am it."), ("", "Good day."))
    ]
    for data in (b"\n".join(map(as_bytes, rows)), as_bytes({"id": "g", "turns": rows})):
        (game,) = read_transcripts(data, "log.json").games
        assert [message.text for message in game.record.messages] == ["Good day."] * 2
        assert [player.name for player in game.record.players] == ["Ann", "Bea"]
    unknown = as_bytes(rows).replace(after.encode(), b"_draft")
    assert {fault.code for fault in read_transcripts(unknown, "log.json").faults} == {"unknown_columns"}
    chat = [{"role": "assistant", "name": row["speaker"], "content": row["text"]} for row in rows]
    (game,) = read_transcripts(as_bytes({"messages": chat}), "log.json").games
    assert [message.text for message in game.record.messages] == ["Good day."] * 2
    faults = read_transcripts(
        as_bytes({"messages": chat}).replace(after.encode(), b"_draft"), "log.json"
    ).faults
    assert {fault.code for fault in faults} == {"unclear_name"}


def chat_of(*beside):
    """A chat of an API in which each message has more of these keys, one after the other."""
    return [
        {"role": "assistant", "name": name, "content": text} | beside[at % len(beside)]
        for at, (name, text) in enumerate(SAID)
    ]


def test_a_thought_without_an_author_is_of_the_next_speaker_alone():
    talk = chat_of({})
    thoughts = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": f"I am {n}."}]} for n in "AC"
    ]
    items = [thoughts[0], *talk[:2], thoughts[1], *talk[2:]]
    assert [one[2:4] for one in kept(read_transcripts(as_bytes(items), "log.json").games[0])] == [
        ("Ann", "I am A."),
        ("Cid", "I am C."),
    ]


def test_what_may_hide_a_message_behind_the_first_of_a_chat_is_a_fault():
    many = chat_of({}) * SAMPLED
    hidden = [*many, *chat_of({"is_wolf_chat": False}, {"is_wolf_chat": True})]
    strangers = [*many, *({"role": "assistant", "name": "Wolves", "content": "We take Bea."},) * 2]
    for chat, code in ((hidden, "unknown_audience"), (strangers, "unclear_name")):
        read = read_transcripts(as_bytes({"messages": chat}), "log.json")
        assert (read.games, [fault.code for fault in read.faults]) == ([], [code])


def test_names_that_share_words_are_names():
    names = ("red_spy", "red_cat", "blue_spy", "blue_cat", "o1", "o1-mini", "gpt", "gpt-mini")
    rows = [{"speaker": name, "round": 1, "text": "Good day."} for name in names]
    (game,) = read_transcripts(b"\n".join(map(as_bytes, rows)), "log.jsonl").games
    assert [player.name for player in game.record.players] == list(names)


def test_titles_of_games_begin_games():
    for title in ("=== Game {} ===", "# Match {}"):
        text = "".join(f"{title.format(at)}\n--- Day 1 ---\nAnn: Hi.\nBea: Ho.\nAnn: So.\n" for at in (1, 2))
        assert len(read_transcripts(text.encode(), "chat.txt").games) == 2


def test_a_sign_after_names_is_no_name_and_a_tagged_vote_no_text():
    text = "".join(f"{name} \U0001f512: I am it.\n{name}: Good day.\n" for name in ("Ann", "Bea", "Ann"))
    assert read_transcripts(text.encode(), "chat.txt").games == []
    text = "Ann: Good day.\nBea: Good day.\nAnn: So.\n[VOTE] Ann votes Bea\n[VOTE] Bea votes Ann\n"
    (game,) = read_transcripts(text.encode(), "chat.txt").games
    assert (len(game.record.votes), game.record.messages[-1].text) == (2, "So.")


def test_notes_of_a_day_are_asked_about():
    rows = [
        {"player": name, "phase": f"Day 1 - {part}", "text": "Good day."}
        for name in ("Ann", "Bea")
        for part in ("notes", "discussion")
    ]
    (fault,) = read_transcripts(b"\n".join(map(as_bytes, rows)), "log.jsonl").faults
    assert '"Day 1 - notes"' in fault.message
