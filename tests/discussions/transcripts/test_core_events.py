"""Events of programs with ids, objects of each player and cards: what is proposed for them, and what is asked."""

import json
from itertools import permutations
from typing import Any

import pytest
from msgspec.structs import replace

from discussions.core.records import GameRecord
from discussions.transcripts.core.readers.heads import propose_mapping, read_first_game, read_head
from discussions.transcripts.core.readers.row_kinds import find_questions
from tests.factories.reading import read_transcripts

NAMES = ["Ida", "Jon", "Kim", "Lou"]
SECRET = "Nobody may know that it was me."


def proposed(data: bytes, **answers: str) -> tuple[GameRecord | None, list[str]]:
    """The first game that is proposed for a file after these answers, and what is asked about it."""
    table = read_head(data, is_part=False)
    assert table is not None
    mapping = propose_mapping(table)
    mapping = replace(mapping, kinds=mapping.kinds | answers)
    asked = [question.value for question in find_questions(table, mapping)]
    return read_first_game(table, mapping, "a", "a", {}).record, asked


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode()


def spoken(record: GameRecord | None) -> list[tuple[int, str, str]]:
    assert record is not None
    return [(one.round, record.players[one.player - 1].name, one.text) for one in record.messages]


def event(kind: str, day: int, message: str, seen_by: list[str] | None = None, **data: Any) -> dict[str, Any]:
    return {"event_type": kind, "day": day, "message": message, "visible_to": seen_by, "data": data}


def named(who: str, name: str) -> dict[str, str]:
    return {f"{who}_id": f"seat_{NAMES.index(name)}", f"{who}_name": name}


def moods(index: int) -> dict[str, Any]:
    """What each player would do now, with a reason that is their own."""
    targets = {name: NAMES[(at + index) % len(NAMES)] for at, name in enumerate(NAMES)}
    return {
        f"seat_{at}": named("player", name) | named("target", targets[name]) | {"reason": SECRET}
        for at, name in enumerate(NAMES)
    }


def test_ids_beside_names_and_what_is_said_of_each_player_are_no_audience():
    rows, said = [], []
    for day, gone in ((1, "Lou"), (2, "Ida")):
        rows.append(event("player_died", day, f"{gone} is gone.", **named("target", gone)))
        for index, name in enumerate(NAMES):
            text = f"On day {day} I, {name}, suspect somebody else."
            said.append((day, name, text))
            rows.append(event("player_speech", day, f"{name}: {text}", **named("player", name), speech=text))
            facts = named("speaker", name) | {
                "public_speech": text,
                "before": moods(index),
                "after": moods(day),
            }
            rows.append(event("vote_snapshot", day, f"After {name} they would vote otherwise.", **facts))
        for index, name in enumerate(NAMES):
            target = NAMES[index - 1]
            facts = named("voter", name) | named("target", target)
            rows.append(event("vote_cast", day, f"{name} votes.", [f"seat_{index}"], **facts))
    record, asked = proposed(lines(rows))
    assert (spoken(record), asked) == (said, [])
    assert record is not None and len(record.votes) == 8
    assert sorted(player.name for player in record.players) == NAMES


def test_cards_are_no_kind_of_message_but_unknown_codes_may_be():
    def play(name: str, number: int) -> dict[str, str]:
        return {"player": name, "act": f"{name} smiles at {NAMES[number - 1]} and lays it down."}

    def deals(key: str) -> bytes:
        rounds = [
            {"deal": number, key: card, "plays": [play(name, number) for name in NAMES]}
            for number, card in enumerate("QKQA", start=1)
        ]
        return json.dumps({"game": 7, "rounds": rounds}).encode()

    assert [proposed(deals(key))[1] for key in ("target_card", "flavour")] == [[], ["Q", "K", "A"]]


def told(kind: str, says: str, hearers: list[str], key: str) -> dict[str, Any]:
    tags = {key.format(name): True for name in hearers}
    return {"at": 1, "type": "item", "tags": tags, "entry": {"entry_kind": kind, "shown_words": says}}


@pytest.mark.parametrize("key", ["{}_visible", "heard_by_{}", "{}_heard_it", "{}_can_see"])
def test_a_flag_for_each_player_and_names_before_texts_say_who_spoke_to_whom(key):
    said, rows = [], [told("ROLE_GIVEN", f"'{name}' is a guest.", [name], key) for name in NAMES]
    for name, other in permutations(NAMES, 2):
        rows += [
            told("ASIDE", f"{name} messaged {other}: {name + SECRET + other!r}", [name, other], key),
            told("TABLE_SPEECH", f"{name} said: \"Let's look at {other}, he's pale.\"", NAMES, key),
            told("TABLE_VOTE", f"{name} voted to banish {other}", NAMES, key),
        ]
        said.append((1, name, f"Let's look at {other}, he's pale."))
    record, asked = proposed(json.dumps({"key": None, "items": rows}).encode())
    assert (spoken(record), asked) == (said, [])
    assert record is not None and len(record.votes) == len(said)


def test_events_of_which_some_hold_messages_are_no_games_and_phases_have_keys_of_their_own():
    rows: list[dict[str, Any]] = []
    for turn, name in enumerate(NAMES, start=1):
        offers = [
            (other, f"{other} would say this at {turn}.", f"{other} has a plan, {turn}.") for other in NAMES
        ]
        rows += [
            {"turn": turn, "phase": "offer", "agent": who, "msg": said if who != "Lou" else "", "reason": why}
            for who, said, why in offers
        ]
        chosen = [
            {"speaker": name, "message": offers[0][1]},
            {"speaker": "GM", "message": f"Turn {turn} ends."},
        ]
        rows += [
            {"turn": turn, "phase": "choice", "answer": {"chosen": chosen}},
            {"turn": turn, "phase": "message", "speaker": name, "message": f"{name} speaks in turn {turn}."},
        ]
    data = json.dumps(rows).encode()
    assert [fault.code for fault in read_transcripts(data, "log.json").faults] == ["unknown_columns"]
    assert proposed(data)[1] == ["offer"]
    record, _asked = proposed(data, offer="private")
    assert [text for _round, _name, text in spoken(record)] == [
        f"{name} speaks in turn {turn}." for turn, name in enumerate(NAMES, start=1)
    ]


ZH = [
    "我觉得今天应该先听四号怎么解释昨天的票",
    "昨天的票很奇怪，我不太相信三号说的话",
    "没有人注意到他一直在回避问题吗，请大家想想",
]


@pytest.mark.parametrize("hidden", ["", "wolf_notes"])
def test_events_of_which_some_hold_pairs_of_player_and_text_are_one_game(hidden):
    """Under a key that hides them, the pairs of all events are hidden."""
    rows: list[dict[str, Any]] = [{"kind": "begin", "round": 0, "game_id": "7"}]
    for number in (1, 2):
        pairs = [[at, f"{said}{number}"] for at, said in enumerate(ZH, start=number)]
        talk = {hidden: {"speeches": pairs}} if hidden else {"speeches": pairs}
        rows += [
            {"kind": "leader", "round": number, "leader": number},
            {"kind": "talk", "round": number, **talk},
        ]
    table = read_head(json.dumps(rows).encode(), is_part=False)
    assert table is not None
    record = read_first_game(table, propose_mapping(table), "a", "a", {}).record
    expected = [
        (number, str(at), f"{said}{number}") for number in (1, 2) for at, said in enumerate(ZH, start=number)
    ]
    assert (spoken(record) if record else []) == ([] if hidden else expected)


def test_what_repeats_the_talk_in_each_row_is_no_audience_in_any_script():
    said = [(name, f"{text}。") for name in NAMES for text in ZH]
    rows = [
        {
            "agent": name,
            "speech": text,
            "round": 1,
            "visible_log": "\n".join(f"{who}: {what}" for who, what in said[:at]),
        }
        for at, (name, text) in enumerate(said, start=1)
    ]
    record, asked = proposed(lines(rows))
    assert (spoken(record), asked) == ([(1, *one) for one in said], [])


def test_what_an_event_holds_by_player_is_what_they_say_and_whom_they_vote_for():
    alive = NAMES[:3]
    said = {f"Agent{at}": f"Agent {at} thinks that {name} was late." for at, name in enumerate(alive)}
    votes = dict(zip(said, [*list(said)[1:], "Agent0"], strict=True))
    base = {"day": 1, "phase": "day", "agents_alive": list(said), "actor": None, "content": None}
    events = [
        base | {"event_type": "statement_round", "pairs": votes, "statements": said},
        base | {"event_type": "discussion", "actor": "Agent3", "content": "I am nearly out, hear me."},
        base
        | {
            "event_type": "discussion",
            "actor": "Agent1",
            "content": "So am I.",
            "agents_alive": list(said)[:2],
        },
        base | {"event_type": "vote_round", "votes": votes},
        base | {"event_type": "wolf_vote_round", "phase": "night", "votes": {"Agent1": "Agent0"}},
    ]
    (game,) = read_transcripts(json.dumps({"events": events}).encode(), "log.json").games
    assert spoken(game.record) == [
        *((1, name, text) for name, text in said.items()),
        (1, "Agent3", "I am nearly out, hear me."),
        (1, "Agent1", "So am I."),
    ]
    assert len(game.record.votes) == 3


USERS = {f"u_{at}x9": {"username": name, "role": "guest"} for at, name in enumerate(NAMES)}


@pytest.mark.parametrize("text", ["content", "what"])
@pytest.mark.parametrize("is_ordered", [True, False])
def test_messages_and_players_may_stand_under_their_ids(text, is_ordered):
    """Where the key of the texts is unknown, the list of them is proposed."""

    def store(parts: dict[str, Any]) -> dict[str, Any]:
        return {"byId": parts, "allIds": [*parts]} if is_ordered else parts

    turns = [(number, own) for number in (1, 2) for own in USERS]
    said = {
        f"-Nx{at}a": {"userId": own, text: f"Message {at} says that all is well.", "round": number}
        for at, (number, own) in enumerate(turns)
    }
    data = json.dumps({"topic": "g", "users": store(USERS), "chat": store(said)}).encode()
    expected = [
        (number, USERS[own]["username"], f"Message {at} says that all is well.")
        for at, (number, own) in enumerate(turns)
    ]
    games = read_transcripts(data, "store.json").games
    record = games[0].record if games else proposed(data)[0]
    assert (spoken(record), bool(games)) == (expected, text == "content")


def test_parts_of_a_tree_that_are_called_rounds_are_no_games():
    rounds = [
        {"id": f"r{number}", "type": "round", "number": number, "children": [
            {"id": f"m{number}{name}", "type": "message", "speaker": name, "text": f"I, {name}, say {number}."}
            for name in NAMES
        ]}
        for number in (1, 2)
    ]  # fmt: skip
    (game,) = read_transcripts(json.dumps({"id": "root", "children": rounds}).encode(), "tree.json").games
    assert [one[0] for one in spoken(game.record)] == [1, 1, 1, 1, 2, 2, 2, 2]


def test_columns_may_be_named_after_one_that_names_their_player():
    rows = [f"{at},deep,open,Let us share {at} coins.,I take {at} of them.,{at},3" for at in range(1, 5)]
    record, asked = proposed(
        "\n".join(["round,p1,p2,p1_message,p2_message,p1_payoff,p2_payoff", *rows]).encode()
    )
    assert spoken(record)[:2] == [(1, "deep", "Let us share 1 coins."), (1, "open", "I take 1 of them.")]
    assert not asked


def test_what_came_of_a_round_says_nothing_of_who_heard_it():
    talk = [{"player": name, "said": f"I am {name}, and I hear you."} for name in NAMES]
    quests = [
        {"quest": n, "proposals": [{"talk": talk}], "outcome": "fail" if n == 1 else "done"} for n in (1, 2)
    ]
    assert not proposed(json.dumps({"game": "avalon", "quests": quests}).encode())[1]


def test_players_who_join_by_an_id_and_a_name_are_called_so():
    said = [
        (number, own, f"This is line {number} of {at}.") for number in (1, 2) for at, own in enumerate(NAMES)
    ]
    ids = {name: f"plr_{at}" for at, name in enumerate(NAMES)}
    rows = [
        {"kind": "Joined", "payload": {"playerId": own, "displayName": name}} for name, own in ids.items()
    ]
    rows += [
        {"kind": "Uttered", "payload": {"day": number, "playerId": ids[name], "utterance": text}}
        for number, name, text in said
    ]
    record, _asked = proposed("\n".join(map(json.dumps, rows)).encode())
    assert spoken(record) == said


def test_what_a_player_writes_beside_a_system_is_speech():
    rows = [
        f"{at},{'system,' if at % 3 == 0 else f'player,{at % 3}'},This is line {at}." for at in range(1, 9)
    ]
    (game,) = read_transcripts("\n".join(["id,type,player_index,content", *rows]).encode(), "a.csv").games
    assert [text for _round, _name, text in spoken(game.record)] == [
        f"This is line {at}." for at in range(1, 9) if at % 3
    ]


def test_texts_under_another_key_in_the_same_phase_are_not_read():
    rows = [
        row
        for name in NAMES
        for row in (
            {"phase": "day 1", "speaker": name, "message": f"I am {name}, hello."},
            {"phase": "day 1", "agent": name, "content": f"{SECRET} {name}"},
        )
    ]
    assert [text for _round, _name, text in spoken(proposed(lines(rows))[0])] == [
        f"I am {name}, hello." for name in NAMES
    ]


@pytest.mark.parametrize("key", ["responses", "thoughts", "whispers", "answers"])
def test_what_models_answered_in_an_event_is_not_read(key):
    talk = [{"day": 1, "speaker": name, "text": f"I am {name}, hello."} for name in NAMES]
    events = [*talk, {"day": 1, key: {name: f"{SECRET} {name}" for name in NAMES}}]
    (game,) = read_transcripts(json.dumps({"id": "g", "log": events}).encode(), "log.json").games
    assert [text for _round, _name, text in spoken(game.record)] == [row["text"] for row in talk]


@pytest.mark.parametrize("key", ["responses", "raw", "plans"])
def test_a_list_within_events_that_is_no_talk_is_not_proposed(key):
    own = [{"player": name, "words": f"{SECRET} {name}"} for name in NAMES]
    rows = [{"kind": "start", "day": 1}, *({"kind": "other", "day": day, key: own} for day in (1, 2))]
    table = read_head(json.dumps(rows).encode(), is_part=False)
    assert table is None or not table.settings


@pytest.mark.parametrize("key", ["alive", "voters", "candidates"])
def test_lists_of_the_living_that_differ_and_grow_within_a_round_are_asked_about(key):
    parts = [
        {
            "round": number,
            key: own,
            "messages": [{"speaker": name, "text": f"{said} {name}, {number}."} for name in own],
        }
        for number in (1, 2)
        for own, said in ((NAMES, "I am"), (NAMES[:2], SECRET))
    ]
    read = read_transcripts(json.dumps({"id": "g", "rounds": parts}).encode(), "a.json")
    assert ([fault.code for fault in read.faults], read.games) == (["unknown_columns"], [])


def talk() -> list[tuple[int, str, str]]:
    return [(day, name, f"I, {name}, say this on day {day}.") for day in (1, 2) for name in NAMES]


def utterance(day: int, name: str, text: str) -> dict[str, Any]:
    return {"type": "utterance", "body": {"reply": {"round": day, "speaker": name, "text": text}}}


def test_the_speaker_beside_a_text_in_an_inner_object_is_its_player():
    rows = [{"type": "begun", "body": {"speaker": "Ida", "seed": 4}}, *(utterance(*row) for row in talk())]
    record, _asked = proposed(lines(rows))
    assert spoken(record) == talk()


@pytest.mark.parametrize("above", [[], [{"type": "waiting", "data": {"message": "Two of four are here."}}]])
def test_a_game_may_be_named_after_its_first_rows_and_nicknames_come_before_ids(above: list[Any]):
    ids = {name: f"b9{at}fb863-30b0" for at, name in enumerate(NAMES)}
    begun = {"type": "game_start", "data": {"game_id": "6f3e", "mode": "group"}}
    rows = [
        {"type": "chat", "data": {"player_id": ids[name], "nickname": name, "round": day, "content": text}}
        for day, name, text in talk()
    ]
    record, _asked = proposed(lines([*above, begun, *rows]))
    assert spoken(record) == talk()


@pytest.mark.parametrize("vote", ["Jon", "I am voting for Jon.", "My vote goes to Jon!"])
def test_a_sentence_in_a_row_of_votes_is_a_vote(vote: str):
    rows = [{"type": "chat", "round": day, "who": name, "text": text} for day, name, text in talk()]
    rows += [{"type": "vote", "round": 2, "who": name, "text": vote} for name in NAMES[::2]]
    record, _asked = proposed(lines(rows))
    assert spoken(record) == talk()
    assert record and {(vote.voter, vote.target) for vote in record.votes} >= {(1, 2), (3, 2)}


@pytest.mark.parametrize("nobody", ["No Ejection", "skip", "Abstain.", "弃权"])
def test_whoever_votes_for_nobody_says_nothing(nobody: str):
    rows = [{"round": day, "phase": "DISCUSSION", "agent": name, "text": text} for day, name, text in talk()]
    rows += [{"round": 2, "phase": "VOTING", "agent": "Ida", "text": "Jon"}]
    rows += [{"round": 2, "phase": "VOTING", "agent": name, "text": nobody} for name in NAMES[1:]]
    rows += [{"round": 2, "phase": "DISCUSSION", "agent": "Kim", "text": "VOTE Jon"}]
    record, _asked = proposed(lines(rows))
    assert spoken(record) == talk()
    assert record and [(vote.voter, vote.target) for vote in record.votes] == [(1, 2), (3, 2)]


def test_a_choice_of_a_player_or_of_nobody_is_the_target_of_a_vote():
    rows = [{"type": "chat", "round": day, "who": name, "text": text} for day, name, text in talk()]
    rows += [{"type": "vote", "round": 2, "data": {"voter": name, "choice": "Lou"}} for name in NAMES[:2]]
    rows += [{"type": "vote", "round": 2, "data": {"voter": "Kim", "choice": "skip"}}]
    record, _asked = proposed(lines(rows))
    assert record and [(vote.voter, vote.target) for vote in record.votes] == [(1, 4), (2, 4)]


def test_the_role_of_a_chat_api_makes_no_player_of_who_leads_the_game():
    rows = [
        {"id": str(at), "name": name, "role": "assistant", "content": text, "round": day}
        for at, (day, name, text) in enumerate([(1, "Moderator", f"Ida, you are a wolf. {SECRET}"), *talk()])
    ]
    record, _asked = proposed(lines(rows))
    assert spoken(record) == talk()


def test_a_sentence_that_ends_with_nobody_hides_nothing():
    rows = [
        {
            "round": day,
            "phase": "Meeting called by a button. Gone since then: None",
            "player": name,
            "text": text,
        }
        for day, name, text in talk()
    ]
    record, _asked = proposed(lines(rows))
    assert spoken(record) == talk()


def test_a_message_alone_beside_a_list_of_them_is_one_of_them():
    rounds = [
        {
            "day": day,
            "discussion": [{"player": name, "text": text} for number, name, text in talk() if number == day],
            "last_words": {"player": "Lou", "text": f"Remember me after day {day}."},
        }
        for day in (1, 2)
    ]
    (game,) = read_transcripts(json.dumps({"days": rounds}).encode(), "game.json").games
    assert len(spoken(game.record)) == 10
    assert (1, "Lou", "Remember me after day 1.") in spoken(game.record)


def test_events_of_which_some_hold_votes_are_looked_at_as_rows():
    rows = [
        {"day": day, "type": "speech", "data": {"actor": name, "text": text}} for day, name, text in talk()
    ]
    votes = [{"actor": name, "target": "Lou"} for name in NAMES]
    events = [*rows, {"day": 2, "type": "summary", "data": {"votes": votes}}]
    record, _asked = proposed(json.dumps({"meta": {"seed": 1}, "events": events}).encode())
    assert spoken(record) == talk()


def test_who_votes_is_whom_a_column_is_called_after():
    rows = [{"type": "speech", "player": name, "text": text} for _day, name, text in talk()]
    rows += [{"type": "vote", "nominee": "Jon", "by": name} for name in ("Ida", "Kim")]
    (game,) = read_transcripts(json.dumps({"events": rows}).encode(), "log.json").games
    assert [(vote.voter, vote.target) for vote in game.record.votes] == [(1, 2), (3, 2)]


def test_a_player_called_like_a_leader_is_one_among_people_and_models():
    rows = [
        {"player": name, "text": text, "role": role}
        for name, text, role in (
            ("Ida", "Hello.", "ai"),
            ("God", "I am human.", "human"),
            ("Jon", "Hi.", "ai"),
            ("God", "Still me.", "human"),
        )
    ]
    (game,) = read_transcripts(json.dumps(rows).encode(), "log.json").games
    assert len(game.record.messages) == 4


@pytest.mark.parametrize("heard", ["none of the players", "players: none of them", "none (other players)"])
def test_what_none_of_the_players_heard_is_private(heard: str):
    rows = [{"player": name, "text": text, "audience": "all", "round": day} for day, name, text in talk()]
    rows[2] |= {"text": SECRET, "audience": heard}
    (game,) = read_transcripts(json.dumps(rows).encode(), "log.json").games
    assert SECRET not in [message.text for message in game.record.messages]


@pytest.mark.parametrize("turn", ["{}", "Day {}"])
def test_turns_that_several_speak_in_or_that_are_days_are_rounds(turn: str):
    rows = [{"turn": turn.format(day), "player": name, "text": text} for day, name, text in talk()]
    (game,) = read_transcripts(lines(rows), "log.jsonl").games
    assert spoken(game.record) == talk()


CASTS = [("Ann", "Bea"), ("Bea", "Ann"), ("Cid", "Bea")]
TALK = [(name, f"{name} thinks that it is somebody else.") for name, _target in CASTS]
WRAPPED = [
    {"type": "config", "role_map": {"Ann": "wolf", "Bea": "seer", "Cid": "cop", "Dee": "witch"}},
    *({"type": "event", "event": {"type": "message", "speaker": name, "text": text}} for name, text in TALK),
    *(
        {"type": "event", "event": {"type": "vote", "payload": {"voter_id": name, "target_id": target}}}
        for name, target in CASTS
    ),
    {"type": "outcome", "winner": "town"},
]
MOVES = [
    *({"kind": "aloud", "body": {"agent": name, "say": text}} for name, text in TALK),
    *({"kind": "move", "body": {"agent": name, "do": "vote", "on": target}} for name, target in CASTS),
]


@pytest.mark.parametrize(("rows", "typed"), [(WRAPPED, "event.type|type"), (MOVES, "body.do|kind")])
def test_of_several_types_the_one_that_tells_rows_apart_comes_first(rows, typed):
    table = read_head("\n".join(map(json.dumps, rows)).encode(), is_part=False)
    mapping = propose_mapping(table)
    record = read_first_game(table, mapping, "a", "a", {}).record
    names = [player.name for player in record.players]
    assert mapping.fields["type"] == typed
    assert [(names[vote.voter - 1], names[vote.target - 1]) for vote in record.votes] == CASTS
    assert [(names[message.player - 1], message.text) for message in record.messages] == TALK
    assert {player.name: player.role for player in record.players} == WRAPPED[0]["role_map"] or rows is MOVES
