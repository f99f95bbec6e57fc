"""A game in parts stays one game: rounds, days and phases with messages inside, and facts under other keys."""

import pytest

from discussions.core.records import Elimination, Player, Vote
from discussions.transcripts.core.readers.columns import MappingRecord
from discussions.transcripts.core.readers.heads import propose_mapping, read_first_game, read_head
from discussions.transcripts.core.readers.row_kinds import find_questions
from tests.factories.reading import read_transcripts
from tests.factories.transcripts import as_bytes

FIRST = [{"speaker": "Ann", "content": "Good day."}, {"speaker": "Bea", "content": "Ann looks guilty."}]
SECOND = [{"speaker": "Ann", "content": "Bea voted for me."}]
PLAYERS = [{"name": "Ann", "role": "MAFIA"}, {"name": "Bea", "role": "VILLAGER"}]


def read_one(value):
    read = read_transcripts(as_bytes(value), "log.json")
    assert len(read.games) == 1, read.faults
    return read.games[0]


def rounds(game):
    return [message.round for message in game.record.messages]


@pytest.mark.parametrize(
    "value",
    [
        {"id": "g", "rounds": [{"round": 1, "messages": FIRST}, {"round": 2, "messages": SECOND}]},
        {"id": "g", "days": [{"messages": FIRST}, {"messages": SECOND}]},
        {"id": "g", "phases": [{"name": "Day 1", "talk": FIRST}, {"name": "Day 2", "talk": SECOND}]},
        {"id": "g", "state": {"rounds": [{"id": 1, "discussion": FIRST}, {"id": 2, "discussion": SECOND}]}},
        {"id": "g", "winner": "mafia", "history": [{"day": 1, "log": FIRST}, {"day": 2, "log": SECOND}]},
        {"metadata": {"game_id": "g"}, "rounds": [{"turns": FIRST}, {"turns": SECOND}]},
        {"id": "g", "state": {"1": {"turns": FIRST}, "2": {"turns": SECOND}}},
    ],
)
def test_rounds_of_one_game_are_not_games(value):
    game = read_one(value)
    assert (game.record.game_id, rounds(game)) == ("g", [1, 1, 2])


def test_a_list_of_rounds_is_one_game():
    game = read_one([{"round": 1, "messages": FIRST}, {"round": 2, "messages": SECOND}])
    assert rounds(game) == [1, 1, 2]
    assert game.record.game_id == "log"


def test_games_in_a_list_stay_games():
    games = [{"id": name, "players": PLAYERS, "messages": FIRST} for name in "ab"]
    read = read_transcripts(as_bytes(games), "log.json")
    assert [game.record.game_id for game in read.games] == ["a", "b"]


def test_votes_and_eliminations_of_rounds_are_those_of_the_game():
    votes = [{"voter": "Ann", "target": "Bea"}, {"voter": "Bea", "target": "Ann"}]
    value = {
        "id": "g",
        "players": PLAYERS,
        "rounds": [
            {"round": 1, "messages": FIRST, "votes": votes, "eliminations": [{"player": "Bea"}]},
            {"round": 2, "messages": SECOND},
        ],
    }
    record = read_one(value).record
    assert record.votes == [Vote(round=1, voter=1, target=2), Vote(round=1, voter=2, target=1)]
    assert record.eliminations == [Elimination(round=1, player=2, how="elimination")]


def test_nights_and_thoughts_beside_rounds_are_kept_apart():
    value = {
        "id": "g",
        "rounds": [
            {"phase": "Day 1", "messages": FIRST, "thoughts": [{"speaker": "Bea", "content": "I lie."}]},
            {"phase": "Night 1", "messages": [{"speaker": "Ann", "content": "Kill Bea."}]},
            {"phase": "Day 2", "messages": SECOND},
        ],
    }
    game = read_one(value)
    assert [message.text for message in game.record.messages] == [row["content"] for row in FIRST + SECOND]
    assert [(entry.kind, entry.after, entry.text) for entry in game.private] == [
        ("thought", 2, "I lie."),
        ("talk", 2, "Kill Bea."),
    ]


@pytest.mark.parametrize(
    "facts",
    [
        {"roles": {"Ann": "MAFIA", "Bea": "VILLAGER"}},
        {"metadata": {"roles": {"Ann": "MAFIA", "Bea": "VILLAGER"}}},
        {"players": {"Ann": {"role": "MAFIA"}, "Bea": {"role": "VILLAGER"}}},
        {"players": {"Ann": "MAFIA", "Bea": "VILLAGER"}},
        {"players": PLAYERS},
    ],
)
def test_roles_are_found_in_an_object_too(facts):
    game = read_one({"id": "g", "messages": FIRST} | facts)
    assert game.record.players == [Player("Ann", "MAFIA"), Player("Bea", "VILLAGER")]


def test_players_may_be_named_by_their_ids():
    players = [{"id": "p1", "name": "Ann", "role": "MAFIA"}, {"id": 2, "name": "Bea", "role": "VILLAGER"}]
    messages = [
        {"playerId": "p1", "content": "Hi.", "recipient": "all"},
        {"playerId": 2, "content": "Psst.", "recipient": "p1"},
        {"playerId": 2, "content": "Ho.", "recipient": "all"},
    ]
    game = read_one({"id": "g", "players": players, "messages": messages})
    names = [game.record.players[message.player - 1].name for message in game.record.messages]
    assert names == ["Ann", "Bea"]
    assert [entry.text for entry in game.private] == ["Psst."]


def test_the_native_keys_around_messages_of_another_spelling_are_read():
    value = {
        "gameId": "g",
        "players": PLAYERS,
        "messages": [row | {"round": 1} for row in FIRST],
        "votes": [],
    }
    assert rounds(read_one(value)) == [1, 1]


def test_an_unknown_key_that_may_say_who_could_hear_it_is_asked_about():
    messages = [FIRST[0] | {"visible_for": "x"}, FIRST[1] | {"visible_for": "y"}]
    read = read_transcripts(as_bytes({"id": "g", "messages": messages}), "log.json")
    assert [fault.code for fault in read.faults] == ["unknown_columns"] * 2
    assert 'What is "x"?' in read.faults[0].message
    # The answer settles it, although the key stays unknown.
    fields = {"player": "speaker", "text": "content"}
    answered = MappingRecord(["speaker", "content", "visible_for"], fields, {"x": "speech", "y": "thought"})
    data = as_bytes({"id": "g", "messages": messages})
    (game,) = read_transcripts(data, "log.json", columns=[answered]).games
    assert [entry.text for entry in game.private] == [FIRST[1]["content"]]
    # A key that is the same everywhere tells nothing apart.
    messages = [row | {"visible_for": "x"} for row in FIRST]
    assert "unknown_key" in {warning.code for warning in read_one({"id": "g", "messages": messages}).warnings}


def test_private_lists_beside_the_messages_are_kept_apart():
    value = {"id": "g", "messages": FIRST, "whispers": [{"speaker": "Bea", "content": "Psst."}]}
    game = read_one(value)
    assert [message.text for message in game.record.messages] == [row["content"] for row in FIRST]
    assert [(entry.kind, entry.text) for entry in game.private] == [("talk", "Psst.")]


def test_the_name_of_a_game_around_it_hides_nothing():
    value = {"mafia": {"rounds": [{"round": 1, "talk": FIRST}, {"round": 2, "talk": SECOND}]}}
    assert rounds(read_one(value)) == [1, 1, 2]


@pytest.mark.parametrize(
    "value",
    [
        {"id": "g", "day_1": {"talk": FIRST, "votes": {"Ann": "Bea"}}, "day_2": {"talk": SECOND}},
        {"id": "g", "rounds": {"1": {"talk": FIRST, "votes": {"Ann": "Bea"}}, "2": {"talk": SECOND}}},
        {
            "game_id": "g",
            "players": PLAYERS,
            "rounds": [{"talk": FIRST, "votes": {"Ann": "Bea"}}, {"talk": SECOND}],
        },
    ],
)
def test_a_key_names_its_round_and_an_object_by_player_holds_its_votes(value):
    game = read_one(value)
    assert (rounds(game), game.record.votes) == ([1, 1, 2], [Vote(round=1, voter=1, target=2)])


def test_what_players_approve_is_no_vote_for_a_player():
    turns = [{"talk": [*FIRST, {}], "votes": {"Ann": "ja", "Bea": "nein"}}, {"talk": SECOND}]
    game = read_one({"id": "g", "rounds": turns})
    assert (game.record.votes, [player.name for player in game.record.players]) == ([], ["Ann", "Bea"])


@pytest.mark.parametrize(
    "more",
    [
        {"cast": PLAYERS},
        {"agents": {"p0": PLAYERS[0], "p1": PLAYERS[1]}},
        {"agents": {"Ann": "MAFIA", "Bea": "VILLAGER"}},
    ],
)
def test_players_are_known_under_other_words(more):
    game = read_one({"id": "g", "rounds": [{"round": 1, "talk": FIRST}], **more})
    assert [(player.name, player.role) for player in game.record.players] == [
        ("Ann", "MAFIA"),
        ("Bea", "VILLAGER"),
    ]


CHAT = [{"role": "system", "content": "You are a wolf."}, {"role": "assistant", "content": "Hi."}]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (
            as_bytes({"id": "g", "agents": [{"name": name, "messages": CHAT} for name in ("Ann", "Bea")]}),
            "views",
        ),
        (as_bytes([{"agent": name, "messages": CHAT} for name in ("Ann", "Bea")]), "views"),
        (b"\n".join(as_bytes({"agent": name, "messages": CHAT}) for name in ("Ann", "Bea")), "views"),
    ],
)
def test_parts_of_one_game_are_no_games_of_their_own(data, says):
    read = read_transcripts(data, "log.json")
    (fault,) = read.faults
    assert (read.games, fault.code) == ([], "pieces") and says in fault.message


def test_a_round_on_each_line_is_one_game():
    lines = [as_bytes({"round": n, "messages": part}) for n, part in ((1, FIRST), (2, SECOND))]
    (game,) = read_transcripts(b"\n".join(lines), "log.jsonl").games
    assert {message.round for message in game.record.messages} == {1, 2}
    assert len(game.record.messages) == len(FIRST) + len(SECOND)


def test_conversations_with_ids_are_games_and_names_come_before_ids():
    talks = [
        {"conversationId": n, "messages": [{"author": f"p:{n}", "authorName": name, "text": "Hi."}] * 2}
        for n, name in ((1, "Ann"), (2, "Bea"))
    ]
    read = read_transcripts(as_bytes({"conversations": talks}), "log.json")
    assert [game.record.players[0].name for game in read.games] == ["Ann", "Bea"]


def test_answers_inside_messages_follow_them():
    chain = {"author": "Ann", "day": 1, "text": "Who?", "replies": []}
    for name, text in (("Cid", "Not me."), ("Bea", "Not I."), ("Ann", "Who was it?")):
        chain = {"author": name, "day": 1, "text": text, "replies": [chain]}
    said = ["Who was it?", "Not I.", "Not me.", "Who?"]
    other = {"author": "Bea", "day": 2, "text": "Good day.", "replies": []}
    for value, more in (({"thread": "t", "root": chain}, []), ([chain, other], ["Good day."])):
        assert [message.text for message in read_one(value).record.messages] == said + more


def test_lines_with_one_message_each_are_no_games():
    lines = [{"node": "n", "update": {"talk": [turn], "thoughts": [turn]}} for turn in (*FIRST, *SECOND)]
    read = read_transcripts(b"\n".join(map(as_bytes, lines)), "log.jsonl")
    assert read.games == [] and {fault.code for fault in read.faults} == {"unknown_columns"}
    cells = {"cells": [{"outputs": [{"name": "stdout", "text": ["Ann: Hello.\n", "Bea: Good day.\n"]}]}]}
    assert read_transcripts(as_bytes(cells), "run.json").games == []


def test_states_that_repeat_the_messages_are_one_game():
    talk = [*FIRST, *SECOND]
    states = [{"tick": at, "day": 1, "log": talk[: at + 1], "minds": [{"ann": 1}]} for at in range(len(talk))]
    for value in ({"states": states}, states, {"id": "g", "turns": [{"state": state} for state in states]}):
        assert [message.text for message in read_one(value).record.messages] == [
            turn["content"] for turn in talk
        ]
    lines = read_transcripts(b"\n".join(as_bytes({"id": "g"} | state) for state in states), "log.jsonl")
    assert lines.games == [] and "states of one game" in lines.faults[0].message
    # Rounds repeat nothing, and two games may begin alike.
    games = [{"game_id": f"g{at}", "turns": talk[: at + 2]} for at in (0, 1)] + [
        {"game_id": "z", "turns": talk * 2}
    ]
    assert len(read_transcripts(as_bytes(games), "log.json").games) == 3


def test_votes_as_texts_count_and_numbered_games_are_games():
    value = {"id": "g", "rounds": [{"turns": FIRST, "votes": ["Ann -> Bea", "Bea -> Ann", "nobody won"]}]}
    assert [(vote.voter, vote.target) for vote in read_one(value).record.votes] == [(1, 2), (2, 1)]
    games = {f"game_{number}": {"turns": [*FIRST, *SECOND]} for number in (1, 2)}
    assert len(read_transcripts(as_bytes(games), "log.json").games) == 2


def one_per_line(*rows):
    return b"\n".join(map(as_bytes, rows))


def read_lines(*rows):
    read = read_transcripts(one_per_line(*rows), "log.jsonl")
    assert len(read.games) == 1, read.faults
    return read.games[0].record


def seat(number, text, **more):
    return {"player": number, "name": f"Seat {number}", "speech": text, "speaking_order": number, **more}


def test_lines_of_one_game_hold_its_nights_and_days_whose_seats_have_names():
    night = {"events": [{"type": "wolf_chat", **seat(2, "We take 3.")}, {"type": "wolf_kill", "target": 3}]}
    votes, tally = {"1": 2, "2": 1, "3": 2}, {"2": 2, "1": 1}
    days = [
        {"talk": [seat(1, "Good morning."), seat(2, "Seat 3 is odd.")], "result": {"votes": votes}},
        {
            "talk": [seat(1, "Seat 2, why?"), seat(2, "Because.")],
            "votes": {"Seat 2": 2, "Seat 1": 1},
            "tally": tally,
        },
    ]
    record = read_lines(
        {"type": "start", "game_id": "g", "message": "It begins."},
        {"type": "night_phase", "game_id": "g", "round": 1, "data": night},
        {"type": "vote", "game_id": "g", "round": 1, "data": {"voter_id": 1, "target_id": 2}},
        *({"type": "day_phase", "game_id": "g", "round": n, "data": day} for n, day in enumerate(days, 1)),
    )
    assert [player.name for player in record.players] == ["Seat 2", "Seat 1", "3"]
    assert [message.text for message in record.messages] == [
        "Good morning.",
        "Seat 3 is odd.",
        "Seat 2, why?",
        "Because.",
    ]
    assert [(vote.round, vote.voter, vote.target) for vote in record.votes] == [
        (1, 2, 1),
        (1, 1, 2),
        (1, 3, 1),
    ]


def test_turns_in_which_several_speak_are_rounds_and_ballots_in_json_votes():
    def row(turn, name, kind, text):
        return {"turn": turn, "phase": "day", "speaker": name, "kind": kind, "content": text}

    names = ("Ann", "Bea", "Cid")
    rows = [row(turn, name, "speech", f"{name} says {turn}.") for turn in (1, 2) for name in names]
    ballot = row(2, "Ann", "day_vote", '{"target_id": 3, "target_name": "Cid"}')
    record = read_lines(*rows, ballot, row(2, "Bea", "day_vote", '{"target": 7}'))
    assert [message.round for message in record.messages] == [1, 1, 1, 2, 2, 2]
    assert [(vote.round, vote.voter, vote.target) for vote in record.votes] == [(2, 1, 3), (2, 2, 4)]


def test_ids_are_the_names_that_rows_give_them():
    joined = [
        {"type": "joined", "playerId": f"p{n}", "name": name, "visible": "all"}
        for n, name in ((1, "Ann"), (2, "Bea"))
    ]
    moved = {"type": "phase:transitioned", "from": "DAY", "to": "NIGHT", "visible": "all"}
    said = {"type": "speech", "playerId": "p2", "content": "Hello.", "visible": "all"}
    data = one_per_line(*joined, said, moved, said | {"playerId": "p1"})
    table = read_head(data, is_part=False)
    game = read_first_game(table, propose_mapping(table), "log.jsonl", "log", {}).record
    assert [player.name for player in game.players] == ["Bea", "Ann"]


def propose(*rows):
    table = read_head(one_per_line(*rows), is_part=False)
    mapping = propose_mapping(table)
    return find_questions(table, mapping), read_first_game(table, mapping, "log.jsonl", "log", {}).record


def told(author, to, text, **more):
    return {"from": author, "to": to, "content": text, **more}


WOLVES, OTHERS = ["Ann", "Bea"], ["Cid", "Dan", "Eve"]


def test_whoever_still_plays_is_everybody_and_wolves_at_the_end_are_not():
    whole = [*WOLVES, *OTHERS]
    rows = [
        told(name, whole, f"{name} is here.", character="" if name == "Ann" else "WOLF") for name in whole
    ]
    living = ["Ann", "Bea", "Cid"]
    rows += [told("Moderator", whole, "Dan and Eve are dead."), told("Ann", WOLVES, "We take Cid.")]
    rows += [told(name, living, f"{name} goes on.") for name in living]
    rows += [told("Moderator", whole, "Cid is dead."), told("Ann", WOLVES, "We have won.")]
    read = read_transcripts(one_per_line(*(row | {"character": ""} for row in rows)), "log.jsonl")
    assert not read.games
    _questions, record = propose(
        *({key: part for key, part in row.items() if key != "character"} for row in rows)
    )
    said = [message.text for message in record.messages]
    assert said == [*(f"{name} is here." for name in whole), *(f"{name} goes on." for name in living)]


def test_three_wolves_at_the_end_are_heard_by_nobody_else():
    whole = ["Ann", "Bea", "Cid", "Dan", "Eve", "Fay"]
    wolves = whole[:3]
    rows = [told(name, whole, f"{name} is here.") for name in whole]
    rows += [told(name, wolves, f"{name} plots.") for name in wolves]
    _questions, record = propose(*rows)
    assert [message.text for message in record.messages] == [f"{name} is here." for name in whole]


def test_a_role_of_each_player_and_a_public_state_hide_nothing():
    rows = [
        {
            "speaker": name,
            "content": f"{name} says {n}.",
            "public_state.round_number": 3 + n,
            "character": role,
        }
        for n in range(4)
        for name, role in (("Ann", "WEREWOLF"), ("Bea", "VILLAGER"), ("Moderator", ""))
    ]
    questions, record = propose({**rows[0], "character": ""}, *rows)
    assert (questions, len(record.messages)) == ([], 9)


def test_a_poll_is_no_vote_and_who_only_hears_is_a_player():
    whole = ["Ann", "Bea", "Cid"]
    event = {"type": "message", "sender": "Ann", "message": "Hello.", "recipients": ["Bea", "Cid"]}
    rows = [
        event | {"participants": whole},
        event | {"message": "Psst.", "recipients": ["Bea"], "participants": whole[:2]},
    ]
    rows += [event | {"sender": "Bea", "message": "Hi.", "recipients": ["Ann", "Cid"], "participants": whole}]
    rows += [{"type": "vote", "voter": "Bea", "vote": vote} for vote in ("Yes", "skip_discussion", "Ann")]
    questions, record = propose(*rows)
    assert [message.text for message in record.messages] == ["Hello.", "Hi."]
    assert not questions
    assert [(vote.voter, vote.target) for vote in record.votes] == [(2, 1)]


def test_a_list_of_objects_that_hold_games_has_players_by_the_key_of_those_who_speak():
    players = [
        {"player_id": "one", "model": "m"},
        {"player_id": "two", "role": "MAFIA"},
        {"player_id": "three"},
    ]
    log = [
        {"night": 1, "mafia_reasons": [{"player_id": "two", "reason": "We take three."}]},
        {
            "day": 1,
            "events": [{"player_id": "one", "statement": "Hello."}, {"player_id": "two", "statement": "Hi."}],
        },
    ]
    values = [{"details": {"players": players, "log": log}, "tokens": {"m": 3}}] * 2
    read = read_transcripts(as_bytes(values), "log.json")
    assert [[player.name for player in game.record.players] for game in read.games] == [
        ["one", "two", "three"]
    ] * 2
    assert [message.text for message in read.games[0].record.messages] == ["Hello.", "Hi."]


def test_a_state_of_the_game_says_what_its_seats_are_called():
    log = [{"kind": "speech", "round": n, "seatId": n - 1, "text": f"Seat {n} speaks."} for n in (1, 2)]
    log.append({"kind": "vote", "round": 2, "seatId": 0, "targetSeatId": 1})
    seats = [{"id": n, "name": name} for n, name in enumerate(("Ann", "Bea"))]
    state = {"gameId": "g", "phase": "result", "winner": "town", "seats": seats, "log": log}
    phases = [{"type": "phase", "phase": "speak", "round": n} for n in (1, 1, 2)]
    record = read_one({"gameId": "g", "purpose": "test", "events": [state, *phases]}).record
    assert [player.name for player in record.players] == ["Ann", "Bea"]
    assert [(message.round, message.player) for message in record.messages] == [(1, 1), (2, 2)]
    assert [(vote.round, vote.voter, vote.target) for vote in record.votes] == [(2, 1, 2)]


def test_days_of_votes_are_rounds_and_marks_of_hidden_rows_are_not_asked_about():
    talk = [
        {"day": day, "actor": name, "text": f"{name} says {day}."}
        for day in (1, 2)
        for name in ("Ann", "Bea")
    ]
    notes = [{"day": 1, "actor": "Ann", "text": f"[Mafia channel, night {n}] We take Bea."} for n in range(4)]
    value = {"id": "g", "publicLog": talk, "privateLog": {"Ann": notes}}
    record = read_one(value | {"votes": [{"day": 2, "voter": "Ann", "target": "Bea"}]}).record
    assert (len(record.messages), [vote.round for vote in record.votes]) == (4, [2])


def test_the_text_of_an_act_is_what_is_said_and_parts_of_answers_are_no_players():
    rows = [
        {
            "type": "turn",
            "phase": "day",
            "playerId": f"player_{n}",
            "playerName": f"Player {n}" if turn == 0 else name,
            "answer.raw.past": f"{name} was a baker in the town.",
            "answer.raw.job": "Baker",
            "answer.persona.past": f"{name} was a baker in the town.",
            "answer.persona.job": "Baker",
            "act_text": f"SPEAK: I am {name}, and this is turn {turn}.",
            "speech": f"I am {name}, and this is turn {turn}.",
        }
        for turn in range(3)
        for n, name in ((1, "Ann"), (2, "Bea"), (3, "Cid"))
    ]
    table = read_head(one_per_line(*rows), is_part=False)
    mapping = propose_mapping(table)
    record = read_first_game(table, mapping, "log.jsonl", "log", {}).record
    assert (mapping.fields["text"], len(record.messages)) == ("speech", 9)
    assert [player.name for player in record.players] == ["Ann", "Bea", "Cid"]


def test_messages_inside_events_are_rows_of_the_days_that_other_events_begin():
    def chat(name, text):
        return {"kind": "chat", "channel": "public", "message": {"player_id": name, "message": text}}

    begins = [{"kind": "PHASE_STARTED", "payload": {"day": day, "phase": "day"}} for day in (1, 2)]
    _questions, record = propose(
        begins[0], chat("p1", "Hello."), chat("p2", "Hi."), begins[1], chat("p1", "Ho.")
    )
    assert [(message.round, message.text) for message in record.messages] == [
        (1, "Hello."),
        (1, "Hi."),
        (2, "Ho."),
    ]


def test_acts_with_a_verb_before_them_are_speech_votes_or_nothing_said():
    acts = [
        "MOVE from Hall to Yard",
        "COMPLETE TASK - Wiring",
        "SPEAK: I was in the yard.",
        "VOTE Bea",
        "KILL Ann",
    ]
    rows = [
        {
            "step": n,
            "player": {"name": name},
            "answer": {"Action": act, "Thinking": f"{name} waits for step {n}."},
        }
        for n, act in enumerate(acts)
        for name in ("Ann", "Bea")
    ]
    _questions, record = propose(*rows)
    assert [message.text for message in record.messages] == ["I was in the yard."] * 2
    assert [(vote.voter, vote.target) for vote in record.votes] == [(1, 2), (2, 2)]
    assert not record.eliminations


def test_a_question_and_its_answer_are_said_by_two():
    def asked(turn, who, other):
        names = {"asker_nickname": who, "answerer_nickname": other}
        return {"turn_number": turn, **names, "question": f"Who, {other}?", "answer": f"Not me, {who}."}

    rounds_of_pairs = [{"round_number": 1, "turns": [asked(1, "Ann", "Bea"), asked(2, "Bea", "Cid")]}]
    polls = [{"initiator": "Ann", "suspect": "Bea", "votes": {"Ann": True, "Bea": False}}]
    rounds_of_pairs.append({"round_number": 2, "turns": [asked(1, "Cid", "Ann")], "vote_attempts": polls})
    players = [{"nickname": name, "model": "m"} for name in ("Ann", "Bea", "Cid")]
    record = read_one({"game_id": "g", "players": players, "rounds": rounds_of_pairs}).record
    assert [(message.round, message.player, message.text) for message in record.messages][:3] == [
        (1, 1, "Who, Bea?"),
        (1, 2, "Not me, Ann."),
        (1, 2, "Who, Cid?"),
    ]
    assert (len(record.messages), [player.name for player in record.players]) == (6, ["Ann", "Bea", "Cid"])


def test_the_dead_at_the_end_are_not_everybody():
    whole = ["Ann", "Bea", "Cid", "Dan", "Eve", "Fay"]
    rows = [told(name, whole, f"{name} is here.") for name in whole]
    rows += [told(name, ["Ann", "Bea", "Cid"], f"{name} lives.") for name in ("Ann", "Bea", "Cid")]
    rows += [told(name, whole[2:], f"{name} is a ghost.") for name in whole[2:]]
    _questions, record = propose(*rows)
    assert not any("ghost" in message.text for message in record.messages)


def test_a_night_of_three_wolves_leaves_the_next_day_open():
    whole = ["Ann", "Bea", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal"]
    rows = [told(name, whole, f"{name} is here.") for name in whole]
    rows += [told(name, whole[:3], f"{name} plots.") for name in whole[:3]]
    rows += [told(name, whole[:-1], f"{name} goes on.") for name in whole[:-1]]
    _questions, record = propose(*rows)
    said = [message.text for message in record.messages]
    assert said == [*(f"{name} is here." for name in whole), *(f"{name} goes on." for name in whole[:-1])]


def test_of_two_columns_of_players_the_one_that_more_rows_have_is_read():
    whole = ["Ann", "Bea", "Cid"]
    rows = [{"character": "", **told(name, whole, f"{name} is here.")} for name in whole]
    rows += [
        {"character": role, **told(name, whole, f"{name} waits.")}
        for name, role in zip(whole, "XYX", strict=True)
    ]
    _questions, record = propose(*rows)
    assert [player.name for player in record.players] == whole


def test_votes_may_be_listed_by_whom_they_are_for_and_twice_with_their_times():
    by_target = {
        "vote_details": {"Bea": ["Ann", "Cid"], "Ann": ["Bea"]},
        "confirmed": {"votes": {"yes": ["Ann", "Bea"]}},
    }
    talk = [*FIRST, {"speaker": "Cid", "content": "Hm."}]
    cast = [
        {"voter": "Ann", "target": "Bea", "timestamp": "2025-03-25T00:31:02"},
        {"voter": "Bea", "target": "Ann", "timestamp": "2025-03-25T00:31:02"},
    ]
    value = [
        {"round": 1, "talk": talk, **by_target},
        {"round": 2, "votes": cast},
        {"round": 2, "talk": SECOND, "votes": cast},
    ]
    record = read_one({"id": "g", "rounds": value}).record
    assert [(vote.round, vote.voter, vote.target) for vote in record.votes] == [
        (1, 1, 2),
        (1, 3, 2),
        (1, 2, 1),
        (2, 1, 2),
        (2, 2, 1),
    ]
    assert len(record.players) == 3


def test_what_texts_call_players_is_no_id_of_their_model():
    rows = [
        {"player_id": f"Player_{n}", "agent": model, "message": f"I trust Player_{3 - n} on day {day}."}
        for day in (1, 2)
        for n, model in ((1, "gpt-4o"), (2, "haiku"))
    ]
    _questions, record = propose(*rows)
    assert [player.name for player in record.players] == ["Player_1", "Player_2"]
