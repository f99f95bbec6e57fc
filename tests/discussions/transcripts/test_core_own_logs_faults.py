"""Bad files of the formats that people write themselves: each is answered with sentences, and none raises."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discussions.transcripts.core.decoding import Decoded
from discussions.transcripts.core.notes import Limits, Notes
from discussions.transcripts.core.readers import (
    chat_heads,
    chat_text,
    csv_rows,
    inspect_eval,
    json_rows,
    json_turns,
    openai_chat,
)
from discussions.transcripts.core.readers.columns import MappingRecord
from tests.factories.text_formats import inspect_sample, read_text, read_value

SMALL = Limits(messages=3, players=2, votes=1, message_characters=40, name_characters=12, faults=5)
LONG = "x" * 60
WIDE = "\uff21nn"  # "Ann" in full width


def check(reads, code):
    """Some game has the fault, with a place and sentences; none came in."""
    faults = [fault for read in reads for fault in read.faults]
    assert code in {fault.code for fault in faults}, faults
    assert all(read.record is None for read in reads)
    for fault in faults:
        assert re.fullmatch(r"file\.(txt|json)( .+)?", fault.place), fault
        assert fault.message.endswith("."), fault
        assert "None" not in fault.message and "Error" not in fault.message, fault


CSV_HEAD = "player,text,round,time,turn,vote,game,reply_to,id,role,personality,winner\n"
CSV = [
    ("", "unknown_columns"),
    ("\n\n", "unknown_columns"),
    ("player,text", "no_games"),
    ("player,text\n", "no_games"),
    ("player,text\n\n ,\n", "no_games"),
    ("who,what\nAnn,a\n", "unknown_columns"),
    ("player,message,text\nAnn,a,b\n", "unknown_columns"),
    ("player,round\nAnn,1\n", "unknown_columns"),
    ("text,round\nAnn,1\n", "unknown_columns"),
    ("player,text,model\nAnn,a,b\n", "unknown_columns"),
    ("player,text\nAnn,a,b\n", "row_length"),
    ("player,text\nAnn,one, two, three\nBea,b\n", "row_length"),
    ('player,text\nAnn,"a" b\n', "quotes"),
    ('player,text\nAnn,"a\nBea,b\n', "quotes"),
    ('player,text\nAnn,a\nBea,"b"c,d\n', "quotes"),
    ('player,text\nAnn,"' + "x" * 140_000 + '"\n', "too_long"),
    ("player,text\n,a\n", "no_player"),
    ("player,text\nAnn,a\n   ,b\n", "no_player"),
    ("player,text,vote\n,,Ann\nBea,b,\n", "no_player"),
    ("player,text\nAnn,\nBea,b\n", "no_text"),
    ("player,text\nAnn, \nBea,b\n", "no_text"),
    ("player,text,round\nAnn,a,one\n", "wrong_type"),
    ("player,text,round\nAnn,a,-1\n", "wrong_type"),
    ("player,text,round\nAnn,a,12345678901\n", "wrong_type"),
    ("player,text,turn\nAnn,a,x1\n", "wrong_type"),
    ("player,text,turn\nAnn,a,1.5\n", "wrong_type"),
    ("player,text,game\nAnn,a,\n", "no_game_id"),
    (f"player,text,game\nAnn,a,{LONG}\n", "too_long"),
    (f"player,text\nAnn,{LONG}\n", "too_long"),
    (f"player,text\n{LONG},a\n", "too_long"),
    (f"player,text,time\nAnn,a,{LONG}\n", "too_long"),
    (f"player,text,role\nAnn,a,{LONG}\n", "too_long"),
    (f"player,text,personality\nAnn,a,{LONG}\n", "too_long"),
    (f"player,text,winner\nAnn,a,{LONG}\n", "too_long"),
    (f"player,text,vote\nAnn,a,{LONG}\n", "too_long"),
    ("player,text\n" + "Ann,a\nBea,b\n" * 2, "too_many"),
    ("player,text\nAnn,a\nBea,b\nCid,c\n", "too_many"),
    ("player,text,vote\nAnn,a,Bea\nBea,b,Ann\n", "too_many"),
    ("player,text\nAnn,a\nann,b\n", "duplicate_player"),
    (f"player,text\nAnn,a\n{WIDE},b\n", "duplicate_player"),
    ("player,text\nAnn,a\nA\u200bnn,b\n", "duplicate_player"),
    (",".join(f"c{number}" for number in range(300)) + "\n" + "a," * 299 + "a\n", "too_many"),
]


@pytest.mark.parametrize(("text", "code"), CSV)
def test_bad_csv(text, code):
    check(read_text(csv_rows, text, limits=SMALL), code)


def row(**fields):
    return json.dumps({"player": "Ann", "text": "a"} | fields)


JSONL = [
    ("", "unknown_columns"),
    ("[]", "unknown_columns"),
    ("{}", "unknown_columns"),
    ("[[]]", "wrong_type"),
    ("[5]", "wrong_type"),
    ("5", "wrong_type"),
    ("null\n" + row(), "wrong_type"),
    ('"a"\n' + row(), "wrong_type"),
    (row() + "\n[1]", "wrong_type"),
    (row() + "\n{", "truncated"),
    (row() + "\n}", "syntax"),
    (row() + "\nnot JSON", "syntax"),
    (row() + "\n" + row()[:-3], "truncated"),
    (row() + "x", "trailing"),
    ("[" + row(), "truncated"),
    ("[" + row() + "]]", "trailing"),
    ("[" + row() + ",]", "syntax"),
    ('{"player": "Ann", "player": "Bea", "text": "a"}', "duplicate_key"),
    ('{"player": "Ann", "text": NaN}', "not_finite"),
    ('{"player": "Ann", "text": "a", "round": 12345678901234567890123}', "wrong_type"),
    ("[" * 100, "depth"),
    ('{"who": "Ann", "what": "a"}', "unknown_columns"),
    ('{"player": "Ann"}', "unknown_columns"),
    ('{"player": ["Ann"], "text": "a"}', "unknown_columns"),
    ('{"player": {"x": "Ann"}, "text": "a"}', "unknown_columns"),
    (row(model="m"), "unknown_columns"),
    (row(player=""), "no_player"),
    (row(player=None), "no_player"),
    (row(text=""), "no_text"),
    (row(text=None), "no_text"),
    (row(round="x"), "wrong_type"),
    (row(round=-1), "wrong_type"),
    (row(round=True), "wrong_type"),
    (row(turn="x"), "wrong_type"),
    (row(game=""), "no_game_id"),
    (row(game=LONG), "too_long"),
    (row(text=LONG), "too_long"),
    (row(player=LONG), "too_long"),
    (row(vote=LONG), "too_long"),
    ("\n".join([row()] * 4), "too_many"),
    ("\n".join(row(player=name) for name in "abc"), "too_many"),
    (row() + "\n" + row(player="ann"), "duplicate_player"),
    (json.dumps({f"k{number}": "a" for number in range(300)}), "too_many"),
]


@pytest.mark.parametrize(("text", "code"), JSONL)
def test_bad_jsonl(text, code):
    check(read_text(json_rows, text, limits=SMALL), code)


@pytest.mark.parametrize(
    ("reader", "text"),
    [(csv_rows, "player,text\n" + "Ann,a,b\n" * 2500), (json_rows, row() + "\n" + "x\n" * 2500)],
)
def test_the_faults_of_rows_are_counted_but_no_more_are_kept_than_are_told(reader, text):
    (read,) = reader.to_native_text(Decoded(text.encode()), lambda: Notes("file.txt", "", Limits()), [])
    notes = read[1]
    assert (len(notes.faults), notes.fault_count) == (1000, 2500)
    read_rows = getattr(reader, "read_csv", None) or reader.read_rows
    assert len(read_rows(Decoded(text.encode())).faults.first) == 1000


CHATS = [
    ("", "no_messages"),
    ("\n\n\n", "no_messages"),
    ("hello", "no_messages"),
    ("Round 1", "no_messages"),
    ("Round 1\n\nRound 2", "no_messages"),
    ("=== Day 1 ===\nnobody speaks here", "no_messages"),
    ("- a\n- b", "no_messages"),
    ("lower: case names do not speak", "no_messages"),
    ("This is a sentence: no name", "no_messages"),
    ("Game: x", "no_messages"),
    ("Game: x\nPlayers: Ann", "no_messages"),
    ("Players:\n- Ann: SEER\n", "no_messages"),
    ("Players: Ann\n\nBea: hello", "no_messages"),
    ("Winner: village\nDate: today", "no_messages"),
    ("Game:\nPlayers:\n\n", "no_messages"),
    ("Night 1\nAnn: a\nBea: b", "no_messages"),
    ("Vote: Ann -> Bea", "no_messages"),
    ("Eliminated: Ann", "no_messages"),
    ("Vote: Ann -> nobody", "no_messages"),
    ("  Ann: set in", "no_messages"),
    ("\tAnn: set in", "no_messages"),
    ("[10:00] Ann:", "no_text"),
    ("Ann:\nBea: b", "no_text"),
    ("Ann: \n\n\nBea: b", "no_text"),
    (f"Ann: {LONG}", "too_long"),
    ("Ann: a\n" + "more text\n" * 5, "too_long"),
    ("[10:00] A very long name: a\n[10:01] A very long name: b", "too_long"),
    (f"Game: {LONG}\n\nAnn: a", "too_long"),
    (f"Date: {LONG}\n\nAnn: a", "too_long"),
    (f"Winner: {LONG}\n\nAnn: a", "too_long"),
    (f"Players:\n- Ann: {LONG}\n\nAnn: a", "too_long"),
    (f"Players:\n- {LONG}\n\nAnn: a", "too_long"),
    ("Players:\n- Ann: SEER, " + LONG + "\n\nAnn: a", "too_long"),
    ("Ann: a\nBea: b\n" * 2, "too_many"),
    ("Ann: a\nBea: b\nCid: c", "too_many"),
    ("Players: Ann, Bea, Cid\n\nAnn: a", "too_many"),
    ("Ann: a\nVote: Ann -> Bea\nVote: Bea -> Ann", "too_many"),
    ("Ann: a\nANN: b", "duplicate_player"),
    (f"Ann: a\n{WIDE}: b", "duplicate_player"),
    ("[10:00] Ann: a\n[10:01] ann: b", "duplicate_player"),
    ("Ann: a\nVote: ann -> Ann", "duplicate_player"),
    (f"Ann: a\nEliminated: Bea ({LONG})", "too_long"),
    ("Game: a\n\nnothing\nGame: b\n\nnothing", "no_messages"),
]


@pytest.mark.parametrize(("text", "code"), CHATS)
def test_bad_chat_text(text, code):
    check(read_text(chat_text, text, limits=SMALL), code)


def said(**fields):
    return {"role": "assistant", "name": "Ann", "content": "a"} | fields


CHAT_VALUES = [
    (None, "shape"),
    (5, "shape"),
    ("a", "shape"),
    (True, "shape"),
    ({}, "shape"),
    ({"messages": None}, "shape"),
    ({"messages": {}}, "shape"),
    ({"messages": "a"}, "shape"),
    ({"messages": 5}, "shape"),
    ([], "no_messages"),
    ({"messages": []}, "no_messages"),
    ([5], "wrong_type"),
    ([None], "wrong_type"),
    (["a"], "wrong_type"),
    ([[]], "wrong_type"),
    ([{}], "wrong_type"),
    ([{"content": "a"}], "wrong_type"),
    ([said(role=5)], "wrong_type"),
    ([said(role=None)], "wrong_type"),
    ([said(), 5], "wrong_type"),
    ([said(name=5)], "wrong_type"),
    ([said(name=["Ann"])], "wrong_type"),
    ([said(content=5)], "wrong_type"),
    ([said(content={"text": "a"})], "wrong_type"),
    ([said(content=None)], "no_text"),
    ([said(content="")], "no_text"),
    ([said(content=" ")], "no_text"),
    ([said(content=[])], "no_text"),
    ([said(content=[{"type": "image_url"}])], "no_text"),
    ([{"role": "system", "content": "a"}], "no_messages"),
    ([{"role": "tool", "content": "a"}], "no_messages"),
    ([said(content=None, tool_calls=[1])], "no_messages"),
    ([said(content=LONG)], "too_long"),
    ([said(name=LONG)], "too_long"),
    ([said(timestamp=LONG)], "too_long"),
    ([said(timestamp={})], "wrong_type"),
    ([said(round=-1)], "out_of_range"),
    ([said()] * 4, "too_many"),
    ([said(name=name) for name in "abc"], "too_many"),
    ([said(), said(name="ann")], "duplicate_player"),
    ({"id": LONG, "messages": [said()]}, "too_long"),
    ({"messages": [said()], "players": [5]}, "wrong_type"),
    ({"messages": [said()], "players": [{"name": "Bea"}]}, "unknown_player"),
    ({"messages": [said()], "votes": 5}, "wrong_type"),
    ({"messages": [said()], "cost": "free"}, "wrong_type"),
]


@pytest.mark.parametrize(("value", "code"), CHAT_VALUES)
def test_bad_openai_chats(value, code):
    check([read_value(openai_chat, value, SMALL)], code)


def first(**fields):
    """A sample of one message with these fields."""
    return inspect_sample(messages=[{"role": "assistant", "content": "a", "model": "m"} | fields], events=[])


def without(key):
    return {name: value for name, value in inspect_sample().items() if name != key}


SAMPLES = [
    (None, "shape"),
    (5, "shape"),
    ("a", "shape"),
    ([], "shape"),
    ({}, "shape"),
    (without("id"), "shape"),
    (without("epoch"), "shape"),
    (without("messages"), "shape"),
    (without("target"), "shape"),
    (inspect_sample(messages=None), "shape"),
    (inspect_sample(messages={}), "shape"),
    (inspect_sample(messages="a"), "shape"),
    (inspect_sample(messages=5), "shape"),
    (inspect_sample(messages=[], events=[]), "no_messages"),
    (inspect_sample(messages=[], events=None), "no_messages"),
    (inspect_sample(messages=[], events=5), "no_messages"),
    (inspect_sample(messages=[], events=[5, None, {}, {"event": "model"}]), "no_messages"),
    (inspect_sample(messages=[], events=[{"event": "model", "output": {"choices": 5}}]), "no_messages"),
    (inspect_sample(messages=[], events=[{"event": "model", "output": {"choices": [5]}}]), "no_messages"),
    (inspect_sample(messages=[5]), "wrong_type"),
    (inspect_sample(messages=[None]), "wrong_type"),
    (inspect_sample(messages=["a"]), "wrong_type"),
    (inspect_sample(messages=[[]]), "wrong_type"),
    (first(role="user"), "no_messages"),
    (first(role=None), "no_messages"),
    (first(role=[]), "no_messages"),
    (first(role="tool"), "no_messages"),
    (first(content=None), "no_text"),
    (first(content=""), "no_text"),
    (first(content=[]), "no_text"),
    (first(content=[{"type": "reasoning", "reasoning": "a"}]), "no_messages"),
    (first(content=[{"type": "text", "text": 5}]), "no_text"),
    (first(content=[5]), "no_text"),
    (first(content=5), "wrong_type"),
    (first(content={}), "wrong_type"),
    (first(content=None, tool_calls=[{}]), "no_messages"),
    (first(content=LONG), "too_long"),
    (first(model=LONG), "too_long"),
    (first(metadata={"player": LONG}), "too_long"),
    (first(metadata={"round": -1}), "out_of_range"),
    (first() | {"id": LONG}, "too_long"),
    (first() | {"started_at": {}}, "wrong_type"),
    (first() | {"metadata": {"roles": {"m": 5}}}, "wrong_type"),
    (first() | {"metadata": {"players": [5]}}, "wrong_type"),
    (first() | {"metadata": {"players": [{"name": "Bea"}]}}, "unknown_player"),
    (first() | {"model_usage": {"m": {"total_cost": -1}}}, "out_of_range"),
    (first() | {"messages": first()["messages"] * 4}, "too_many"),
]


@pytest.mark.parametrize(("value", "code"), SAMPLES)
def test_bad_inspect_samples(value, code):
    check([read_value(inspect_eval, value, SMALL)], code)


def test_each_format_has_its_forty():
    assert min(map(len, (CSV, JSONL, CHATS, CHAT_VALUES, SAMPLES))) >= 40


WORDS = ["Ann: a", "[10:00] ", "Vote: ", "Night 1", "Game: x", "Players:", "player", "text", "null", "\r\n"]
PIECES = st.lists(
    st.sampled_from([*"\n\r\t,;:\"'[](){}->→*#= 12aAé", *WORDS, '{"player": "Ann", "text": "a"}']),
    max_size=60,
).map("".join)


@given(text=PIECES | st.text(max_size=200))
def test_no_text_raises(text):
    mapping = MappingRecord(columns=[], fields={"player": "player", "text": "text", "round": "a"})
    for reader, head in ((csv_rows, csv_rows), (json_rows, json_rows), (chat_text, chat_heads)):
        assert head.recognises_text(text) in (True, False)
        for read in read_text(reader, text, [mapping], SMALL):
            assert (read.record is None) == bool(read.faults)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.sampled_from(["Ann", "assistant", "model", "span_begin", "agent", ""]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                "role name content messages id epoch target events event output choices message span_id parent_id type "
                "metadata player roles model_usage input_tokens attachments text tool_calls scores uuid players".split()
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=30,
)


@given(value=VALUES, changes=st.dictionaries(st.sampled_from([*inspect_sample()]), VALUES, max_size=4))
def test_no_json_raises(value, changes):
    for reader, given_value in (
        (openai_chat, value),
        (inspect_eval, value),
        (inspect_eval, inspect_sample(**changes)),
    ):
        assert reader.recognises(given_value) in (True, False)
        read = read_value(reader, given_value, SMALL)
        assert (read.record is None) == bool(read.faults)
        inspect_eval.parts(given_value)


@given(facts=st.dictionaries(st.sampled_from("players roles cast metadata votes id winner".split()), VALUES))
def test_what_stands_beside_turns_never_raises(facts):
    for beside in (facts, {"roles": {"Ann": {"name": [facts]}}}):
        turns = [{"speaker": name, "text": "I agree."} for name in ("Ann", "Bea", "Ann")]
        read = read_value(json_turns, {"turns": turns} | beside, SMALL)
        assert (read.record is None) == bool(read.faults)
