"""What not everybody could hear is kept apart; what is not clear is asked."""

import json

import pytest
from msgspec.structs import replace

from discussions.core.records import Elimination, PrivateEntry, Vote
from discussions.transcripts.core import audience
from discussions.transcripts.core.audience import (
    IGNORE,
    NAMED,
    OUT,
    PRIVATE,
    SPEECH,
    THOUGHT,
    VOTE,
    kind_of_audience,
    kind_of_flag,
    kind_of_type,
)
from discussions.transcripts.core.readers.columns import MappingRecord, parse_mapping
from discussions.transcripts.core.readers.heads import propose_mapping, read_head
from discussions.transcripts.core.readers.row_kinds import find_questions
from tests.factories.own_logs import lines
from tests.factories.reading import read_transcripts


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("speech", SPEECH),
        ("publicMessage", SPEECH),
        ("day_discussion", SPEECH),
        ("non-private", SPEECH),
        ("thought", THOUGHT),
        ("internal reasoning", THOUGHT),
        ("inner_monologue", THOUGHT),
        ("Scratchpad", THOUGHT),
        ("vote_reasoning", THOUGHT),
        ("内心独白", THOUGHT),
        ("Gedanken", THOUGHT),
        ("dm", PRIVATE),
        ("private_message", PRIVATE),
        ("nightVote", PRIVATE),
        ("dead chat", PRIVATE),
        ("evil team", PRIVATE),
        ("traitor_chat", PRIVATE),
        ("on_public_action", SPEECH),
        ("night_action", PRIVATE),
        ("actions", IGNORE),
        ("vote", VOTE),
        ("cast_vote", VOTE),
        ("elimination", OUT),
        ("ejection_votes", VOTE),
        ("eliminated_by_vote", OUT),
        ("votacao", VOTE),
        ("player_killed", OUT),
        ("final_results", IGNORE),
        ("system", IGNORE),
        ("vote_result", IGNORE),
        ("vote_counts", IGNORE),
        ("ATTACK", IGNORE),
        ("phase:transitioned", IGNORE),
        ("undertone", ""),
        ("public whisper", ""),
        ("x", ""),
        ("all wolves", PRIVATE),
        ("dead players chat", PRIVATE),
        ("1:1 message", PRIVATE),
        ("Die Wölfe beraten sich", PRIVATE),
        ("says calmly", SPEECH),
        ("discussion 11:10", SPEECH),
        ("self introduction", SPEECH),
        ("öffentliche Rede", SPEECH),
        ("玩家发言", SPEECH),
        ("message to player", PRIVATE),
        ("1 on 1 chat", PRIVATE),
        ("sheriff election speech", SPEECH),
        ("第一天讨论", SPEECH),
    ],
)
def test_what_a_row_of_a_type_is(value, kind):
    assert kind_of_type(value) == kind


@pytest.mark.parametrize(
    "value",
    [
        *(
            "pack chat",
            "family chat",
            "says only to",
            "sheriff message",
            "backroom talk",
            "says quietly",
            "Rudel-Chat",
        ),
        *(
            "débat de la meute",
            "discurso interior",
            "чат стаи",
            "狼队讨论",
            "共有者の議論",
            "늑대 토론",
            "भेड़िया chat",
        ),
    ],
)
def test_a_word_that_is_not_known_makes_the_known_ones_beside_it_unknown(value):
    """One such word may say that not everybody heard it, so the file waits."""
    assert kind_of_type(value) == kind_of_audience(value, {"ann", "bea", "cid"}) == ""
    data = lines(*({"round": 1, "speaker": name, "phase": phase, "text": f"{name} says: vote for Cid, {phase}."}
                   for phase in ("debate", f"{value} 2") for name in ("Ann", "Bea", "Cid", "Ann")))  # fmt: skip
    (fault,) = [fault for fault in read_transcripts(data, "log.jsonl").faults if not fault.is_warning]
    assert f"{value} 2" in fault.message


def test_a_part_named_after_two_players_is_theirs():
    data = lines(*({"round": 1, "speaker": name, "phase": phase, "text": f"{name} says: vote for Cid, {phase}."}
                   for phase in ("debate", "Ann and Bea chat", "Cid defense")
                   for name in ("Ann", "Bea", "Cid")))  # fmt: skip
    (fault,) = [fault for fault in read_transcripts(data, "log.jsonl").faults if not fault.is_warning]
    assert "Ann and Bea chat" in fault.message and "Cid defense" not in fault.message


def test_who_an_audience_is():
    names = {"ann", "bea", "dr. x and co"}
    for value in ("all", "ALL", "*", "everyone", "public", "town square", "所有人发言"):
        assert kind_of_audience(value, names) == SPEECH, value
    for value in ("Bea", "Ann, Bea", "Ann and Bea", "dr. X and Co"):
        assert kind_of_audience(value, names) == NAMED, value
    assert kind_of_audience("Ann", names, author="Ann") == THOUGHT
    assert kind_of_audience("self", names) == THOUGHT
    assert kind_of_audience("wolves", names) == PRIVATE
    for value in ("Zoe", "everyone except Bea"):
        assert kind_of_audience(value, names) == ""
    for value in ("wolf room", "group of lovers", "all mafia"):
        assert kind_of_audience(value, names) == PRIVATE, value
    assert kind_of_audience("Bea, dr. x and co", {"ann", "bea", "cid"}, author="Ann") == ""
    assert kind_of_audience("Bea, Cid", {"ann", "bea", "cid"}, author="Ann") == SPEECH
    assert kind_of_flag("True", is_private=True) == kind_of_flag("0", is_private=False) == PRIVATE
    assert kind_of_flag("no", is_private=True) == SPEECH
    assert kind_of_flag("Bea", is_private=True) == ""
    assert len({*audience.KINDS}) == 7


def read_rows(rows, *mappings):
    data = "\n".join(json.dumps(row) for row in rows).encode()
    return read_transcripts(data, "log.jsonl", columns=mappings)


def said(game):
    return [message.text for message in game.record.messages]


def row(text, player="Ann", **more):
    return {"round": 1, "player": player, "text": text} | more


@pytest.mark.parametrize(
    ("key", "public", "hidden", "entry"),
    [
        ("recipient", "ALL", "Bea", {"kind": "talk", "to": [2]}),
        ("to", "everyone", ["Bea"], {"kind": "talk", "to": [2]}),
        # A list that names everybody is public.
        ("visible_to", ["Ann", "Bea", "Cid"], ["Ann", "Bea"], {"kind": "talk", "to": [1, 2]}),
        ("audience", "all", "self", {"kind": "thought"}),
        ("phase", "speech", "inner monologue", {"kind": "thought"}),
        ("channel", "town", "wolves", {"kind": "talk", "channel": "wolves"}),
        ("type", "speech", "scratchpad", {"kind": "thought"}),
        ("private", False, True, {"kind": "talk", "channel": "private: true"}),
        ("is_public", True, False, {"kind": "talk", "channel": "public: false"}),
    ],
)
def test_rows_that_not_everybody_could_hear_are_kept_apart(key, public, hidden, entry):
    rows = [
        row("Good day.", **{key: public}),
        row("Only for you.", **{key: hidden}),
        row("Hello.", "Bea", **{key: public}),
        row("And I.", "Cid", **{key: public}),
    ]
    read = read_rows(rows)
    (game,) = read.games
    assert said(game) == ["Good day.", "Hello.", "And I."]
    assert game.private == [PrivateEntry(after=1, player=1, text="Only for you.", **entry | {"round": 1})]
    assert b"Only for you" not in json.dumps([fault.message for fault in game.warnings]).encode()


def test_a_thought_beside_a_text_is_kept_with_the_next_message_of_its_author():
    (game,) = read_rows([row("Hi."), row("I listen.", "Bea", thought="Ann lies.")]).games
    assert said(game) == ["Hi.", "I listen."]
    assert game.private == [PrivateEntry(after=1, player=2, text="Ann lies.", kind="thought", round=1)]


def test_names_alone_and_unknown_words_are_asked_and_the_answer_is_kept():
    rows = [row("Hi.", to="Bea"), row("Ho.", "Bea", to="Ann"), row("Well.", to="Bea", tone="x")]
    (fault,) = read_rows(rows[:2]).faults
    assert fault.code == "unknown_columns" and fault.message.startswith("2 messages name players")
    fields = {"player": "player", "text": "text", "round": "round", "audience": "to"}
    open_talk = MappingRecord([], fields, {NAMED: SPEECH})
    assert said(read_rows(rows[:2], open_talk).games[0]) == ["Hi.", "Ho."]
    rows = [row("Hi.", type="speech"), row("Hm.", type="undertone"), row("Ho.", "Bea", type="speech")]
    (fault,) = read_rows(rows).faults
    assert fault.message.startswith('What is "undertone"? One row has it')
    answered = MappingRecord([], {"player": "player", "text": "text"}, {"undertone": THOUGHT})
    (game,) = read_rows(rows, answered).games
    assert (said(game), [entry.text for entry in game.private]) == (["Hi.", "Ho."], ["Hm."])


def test_whatever_a_person_maps_nothing_private_becomes_public():
    rows = [row("Hi.", recipient="all"), row("Psst.", recipient="Bea"), row("Ho.", "Bea", recipient="all")]
    (game,) = read_rows(rows, MappingRecord([], {"player": "player", "text": "text"})).games
    assert said(game) == ["Hi.", "Ho."]


def test_a_log_of_events_is_read_by_the_type_of_each_row():
    rows = [
        {"game_id": 7, "type": "conversation", "round": 1, "player_id": "Ann", "message": "Good day."},
        {
            "game_id": 7,
            "type": "private",
            "round": 1,
            "speaker_id": "Bea",
            "target_id": "Ann",
            "message": "Psst.",
        },
        {"game_id": 7, "type": "thought", "round": 1, "player_id": "Bea", "thought": "She lies."},
        {"game_id": 7, "type": "conversation", "round": 1, "player_id": "Bea", "message": "Hello."},
        {"game_id": 7, "type": "vote", "round": 1, "voter_id": "Ann", "target_id": "Bea"},
        {"game_id": 7, "type": "elimination", "round": 1, "eliminated_player": "Bea"},
        {"game_id": 7, "type": "final_results", "final_ranks": {"Ann_Game7": 1}},
    ]
    (fault,) = read_rows(rows).faults
    assert fault.code == "unknown_columns"
    (game,) = read_rows(rows, parse_mapping(["game=game_id,round=round,player=player_id,text=message"])).games
    record = game.record
    assert (record.game_id, said(game)) == ("7", ["Good day.", "Hello."])
    assert record.votes == [Vote(round=1, voter=1, target=2)]
    assert record.eliminations == [Elimination(round=1, player=2, how="elimination")]
    assert [entry.text for entry in game.private] == ["Psst.", "She lies."]
    left_out = [warning.message for warning in game.warnings if warning.code == "row_ignored"]
    assert left_out == [
        'Rows that are no speech, vote or elimination were left out: 1 (first "final_results").'
    ]


def test_a_vote_that_each_row_of_an_agent_repeats_counts_once():
    rows = [
        row("a", vote="Bea"),
        row("b", "Bea", vote="Ann"),
        row("c", vote="Bea"),
        row("d", vote="Bea", round=2),
    ]
    (game,) = read_rows(rows).games
    assert [(vote.round, vote.voter, vote.target) for vote in game.record.votes] == [
        (1, 1, 2),
        (1, 2, 1),
        (2, 1, 2),
    ]
    assert "vote_repeated" in {warning.code for warning in game.warnings}


def test_a_native_game_says_who_could_hear_it():
    def message(text, player="Ann", **more):
        return {"turn": 1, "roundNumber": 1, "playerName": player, "message": text} | more

    native = {
        "gameId": "g",
        "players": [{"name": "Ann", "role": "SEER"}, {"name": "Bea", "role": "MAFIA"}, {"name": "Cid"}],
        "messages": [
            message("Hi.", audience="all", reasoning="I greet."),
            message("Psst.", audience=["Bea"]),
            message("She is the wolf.", audience="nobody"),
            message("Ho.", "Bea"),
            message("All of you.", audience=["Bea", "Cid"]),
        ],
        "votes": [{"roundNumber": 1, "voterName": "Ann", "targetName": "Bea", "reasoning": "I saw her."}],
    }
    (game,) = read_transcripts(json.dumps(native).encode(), "g.json").games
    assert said(game) == ["Hi.", "Ho.", "All of you."]
    assert [message.position for message in game.record.messages] == [1, 2, 3]
    assert [(entry.kind, entry.after, entry.to, entry.text) for entry in game.private] == [
        ("thought", 0, [], "I greet."),
        ("talk", 1, [2], "Psst."),
        ("thought", 1, [], "She is the wolf."),
        ("vote", 3, [], "I saw her."),
    ]
    native["messages"][0]["audience"] = "undertone"
    (fault,) = read_transcripts(json.dumps(native).encode(), "g.json").faults
    assert (fault.code, fault.place) == ("unknown_audience", "g.json /messages/0/audience")
    native["messages"] = [message("Psst.", audience=["Bea"])]
    assert [fault.code for fault in read_transcripts(json.dumps(native).encode(), "g.json").faults] == [
        "no_messages"
    ]


def test_that_names_are_addresses_says_nothing_about_other_words():
    rows = [row("Hi.", to="Bea"), row("Hm.", "Bea", to="undertone"), row("Ho.", "Bea", to="Ann")]
    fields = {"player": "player", "text": "text", "round": "round", "audience": "to"}
    (fault,) = read_rows(rows, MappingRecord([], fields, {NAMED: SPEECH})).faults
    assert fault.message.startswith('What is "undertone"?')


def test_an_unknown_column_that_may_be_an_audience_is_asked_whatever_a_person_maps():
    rows = [row("Hi.", visible_for="x"), row("Psst.", visible_for="y"), row("Ho.", "Bea", visible_for="x")]
    given = parse_mapping(["player=player,text=text,round=round"])
    assert [fault.code for fault in read_rows(rows, given).faults] == ["unknown_columns"] * 2
    answered = parse_mapping(["player=player,text=text,round=round,is.x=speech,is.y=private"])
    (game,) = read_rows(rows, answered).games
    assert (said(game), [entry.text for entry in game.private]) == (["Hi.", "Ho."], ["Psst."])


def test_a_whisper_to_anybody_is_private_and_a_vote_at_night_is_kept():
    rows = [
        row("Hi.", type="speech"),
        row("Psst.", type="speech", whisper="Zoe"),
        {"round": 1, "player": "Bea", "type": "night_vote", "vote": "Ann"},
        row("Ho.", "Bea", type="speech", whisper="none"),
    ]
    (game,) = read_rows(rows).games
    assert (said(game), game.record.votes) == (["Hi.", "Ho."], [])
    assert [entry.text for entry in game.private] == ["Psst.", "→ Ann"]


@pytest.mark.parametrize(
    ("key", "public", "hidden"),
    [
        ("is_wolf_chat", False, True),
        ("tags", ["intro"], ["whisper", "to:Bea"]),
        ("mode", "open talk", "whisper"),
        ("thinking_aloud", "no", "yes"),
    ],
)
def test_an_unknown_key_hides_by_its_few_values_or_as_a_flag(key, public, hidden):
    said_of = [("Hi.", "Ann", public), ("Psst.", "Ann", hidden), ("Ho.", "Bea", public)]
    messages = [
        {"round": 1, "playerName": name, "message": text, key: value} for text, name, value in said_of
    ]
    players = [{"name": "Ann", "role": "SEER"}, {"name": "Bea", "role": "MAFIA"}]
    value = {"gameId": "g", "players": players, "messages": messages}
    (game,) = read_transcripts(json.dumps(value).encode(), "g.json").games
    assert (said(game), [entry.text for entry in game.private]) == (["Hi.", "Ho."], ["Psst."])


@pytest.mark.parametrize(("key", "public"), [("target", ""), ("кому", "все"), ("toward", "everyone")])
def test_a_key_that_names_a_player_for_some_messages_is_asked_or_hides(key, public):
    rows = [row("Hi.", **{key: public}), row("Psst.", **{key: "Bea"}), row("Ho.", "Bea", **{key: public})]
    read = read_rows(rows, parse_mapping(["player=player,text=text,round=round"]))
    assert [fault.code for fault in read.faults] == ["unknown_columns"]
    assert read.faults[0].message.startswith("One message names a player")


def test_what_an_unknown_key_says_of_players_hides_nothing():
    rows = [row("Hi.", is_wolf=True, side="wolves"), row("Ho.", "Bea", is_wolf=False, side="town")]
    (game,) = read_rows([*rows, *rows], parse_mapping(["player=player,text=text,round=round"])).games
    assert said(game) == ["Hi.", "Ho.", "Hi.", "Ho."]


def test_a_channel_without_words_is_asked_and_each_sign_of_a_row_counts():
    rows = [row("Hi.", channel=1), row("Psst.", channel=2), row("Ho.", "Bea", channel=1)]
    assert [fault.code for fault in read_rows(rows).faults] == ["unknown_columns"] * 2
    rows = [row("Hi.", channel="town", to=""), row("Psst.", channel="town", to="Bea")]
    rows += [row("Ho.", "Bea", channel="town")]
    given = parse_mapping(
        ["player=player,text=text,round=round,audience=channel|to,is.a player's name=private"]
    )
    assert said(read_rows(rows, given).games[0]) == ["Hi.", "Ho."]


@pytest.mark.parametrize(
    ("key", "may_tell"),
    [
        ("to.name", True),
        ("setting.vote_visibility", False),
        ("config.to", False),
        ("public_state.round", False),
    ],
)
def test_settings_and_states_do_not_say_who_hears(key, may_tell):
    assert audience.looks_like_audience(key) == may_tell


@pytest.mark.parametrize(
    ("public", "hidden"),
    [
        (["*"], ["Ann", "Bea"]),
        (["-1"], ["Ann", "Bea"]),
        ([0], ["Ann", "Bea"]),
        ([0, 1, 2], [0, 1]),
        (["p0", "p1", "p2"], ["p0", "p1"]),
        ([1, 1, 1], [1, 1, 0]),
        ("111", "110"),
    ],
)
def test_who_heard_under_any_key_is_asked_however_all_are_written(public, hidden):
    said_of = [
        (name, f"{name} says {number}.", hidden if name == "Bea" and number == 2 else public)
        for number in (1, 2, 3)
        for name in ("Ann", "Bea", "Cid")
    ]
    messages = [{"round": 1, "speaker": name, "content": text, "ears": to} for name, text, to in said_of]
    read = read_transcripts(json.dumps({"id": "g", "messages": messages}).encode(), "g.json")
    assert (read.games, {fault.code for fault in read.faults}) == ([], {"unknown_columns"})


@pytest.mark.parametrize("everybody", ["all", "everyone", ["Ann", "Bea", "Cid"]])
@pytest.mark.parametrize("key", ["audience", "ears", "visible_to"])
@pytest.mark.parametrize("beside", [{}, {"eventType": "UtteranceMade"}])
@pytest.mark.parametrize("player", ["speaker", "role_name"])
def test_texts_without_an_audience_beside_some_for_all_are_asked_about(everybody, key, beside, player):
    rows = [
        {"round": number, player: name, "content": f"{name} says {number}.", "meta": {key: everybody}}
        | beside
        for number in (1, 2)
        for name in ("Ann", "Bea", "Cid")
    ]
    for at, hearers in ((0, None), (2, ["Ann"]), (5, None)):
        rows[at] |= {"content": f"CANARY {at}", "meta": {key: hearers}}
    assert (read_rows(rows).games, read_rows(rows).fault_count > 0) == ([], True)
    table = read_head(lines(*rows), is_part=False)
    mapping = propose_mapping(table)
    asked = {question.value for question in find_questions(table, mapping)}
    assert "(empty)" in str(asked)
    assert mapping.fields["player"] == player
    (game,) = read_rows(rows, replace(mapping, kinds=dict.fromkeys(asked, PRIVATE))).games
    assert not [text for text in said(game) if "CANARY" in text]
    heard = [
        {"role": "assistant", "name": one[player], "content": one["content"]} | one["meta"] for one in rows
    ]
    assert read_transcripts(json.dumps({"messages": heard}).encode(), "a.json").games == []


def test_without_a_flag_of_what_is_hidden_nothing_is():
    rows = [row("Hi.", whisper=False), row("Ho.", "Bea"), row("Psst.", whisper=True)]
    assert said(read_rows(rows).games[0]) == ["Hi.", "Ho."]


@pytest.mark.parametrize("lists", [(["x", "y"], ["y", "z"]), ([1, 2], [3, 4]), (["Ann"], ["rain"])])
def test_other_lists_are_left_out_with_a_warning(lists):
    names = ("Ann", "Bea", "Cid")
    messages = [
        {"round": 1, "speaker": name, "content": f"{lists[at % 2][0]} it is, {at}.", "tags": lists[at % 2]}
        for at, name in enumerate(names * 3)
    ]
    read = read_transcripts(json.dumps({"id": "g", "messages": messages}).encode(), "g.json")
    assert len(read.games[0].record.messages) == len(messages)


def test_a_type_that_all_who_speak_have_is_asked_about_if_its_words_leave_it_out():
    rows = [
        row(text, name, type="player_action")
        for text, name in (("Hi.", "Ann"), ("Ho.", "Bea"), ("Ha.", "Ann"))
    ]
    read = read_rows([*rows, row("", "Ann", type="setup")])
    assert [fault.message[:24] for fault in read.faults] == ['What is "player_action"?']


@pytest.mark.parametrize(
    ("name", "others", "is_read"),
    [
        ("mafia_ann", ("Bea", "Cid"), True),
        ("mafia_ann", ("Bea", "Bea"), False),
        ("Mafia den", ("Bea", "Cid"), False),
    ],
)
def test_an_id_with_a_known_word_is_a_player_where_two_others_name_it(name, others, is_read):
    rows = [row("Hi.", name), *(row(f"I doubt {name}.", other) for other in others), row("Ho.", name)]
    assert bool(read_rows(rows).games) == is_read


@pytest.mark.parametrize("key", ["leader_dm", "president_and_chancellor", "approved"])
def test_a_list_of_players_is_asked_about_whatever_word_its_key_has(key):
    told = (["Ann"], ["Bea", "Cid"], ["Ann", "Bea", "Cid"])
    rows = [
        row(f"{at}. Hi.", name, **{key: told[(at + shift) % 3]})
        for shift, name in enumerate(("Ann", "Bea", "Cid"))
        for at in range(3)
    ]
    assert read_rows(rows).games == []


@pytest.mark.parametrize(("kind", "gone"), [("elimination", "Ann"), ("other lines", "Bea")])
def test_who_leaves_is_the_player_of_the_row_but_for_lines_that_nobody_says(kind, gone):
    rows = [row("Hi.", type="speech"), row("Ho.", "Bea", type="speech"), row("Bea was voted out.", type=kind)]
    recipe = parse_mapping(["player=player,text=text,round=round,type=type,is.other lines=elimination"])
    (game,) = read_rows(rows, recipe).games
    assert [game.record.players[one.player - 1].name for one in game.record.eliminations] == [gone]


def test_the_media_type_of_a_text_says_nothing_of_who_heard_it():
    assert not audience.may_hide("contentType", ["text/plain"])
    assert audience.may_hide("contentType", ["den"])


def test_second_thoughts_of_each_row_are_not_asked_about():
    rows = [
        {"speaker": name, "text": f"I trust {name} {day}.", "reasoning": f"I am {name} {day}."}
        for day in "123"
        for name in ("Ann", "Bea", "Cid")
    ]
    data = lines(
        [row | {"private_notes": f"{row['speaker']} is odd, {number}."} for number, row in enumerate(rows)]
    )
    table = read_head(data, is_part=False)
    assert table is not None and find_questions(table, propose_mapping(table)) == []
