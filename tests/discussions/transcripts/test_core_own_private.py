"""Own logs of many kinds: what a model was told or thought is in no message that is read or proposed."""

import pytest
from msgspec.structs import replace

from discussions.core.records import GameRecord
from discussions.transcripts.core.audience import PRIVATE
from discussions.transcripts.core.readers.columns import has_needed
from discussions.transcripts.core.readers.heads import (
    profile_paths,
    propose_mapping,
    read_first_game,
    read_head,
)
from discussions.transcripts.core.readers.row_kinds import find_questions
from tests.factories.own_logs import CANARY, LOGS, SAID, lines
from tests.factories.reading import read_transcripts

# Files that are no game as they are, each with the fault that says why.
REFUSED = {
    "views.json": "pieces",
}
# What a person has to choose or to answer before a game is shown.
# An assistant without a name, and what each assistant was asked for.
PARTS = {"per_agent.json": 3}


def proposed(data: bytes, name: str) -> tuple[GameRecord | None, list[str], dict[str, str]]:
    """The first game as the page shows it before anybody answers, with its questions and columns."""
    table = read_head(data, is_part=False)
    assert table is not None, name
    mapping = propose_mapping(table)
    questions = [question.value for question in find_questions(table, mapping)]
    mapping = replace(mapping, kinds={value.casefold(): PRIVATE for value in questions} | mapping.kinds)
    if not has_needed(mapping.fields):
        return None, questions, mapping.fields
    first = read_first_game(table, mapping, name, name, {})
    assert first.game_count == 1, name
    return first.record, questions, mapping.fields


@pytest.mark.parametrize("name", LOGS)
def test_no_private_text_is_read_or_proposed(name):
    read = read_transcripts(LOGS[name], name)
    codes = {fault.code for fault in read.faults if not fault.is_warning}
    if name in REFUSED:
        assert (codes, read.games) == ({REFUSED[name]}, [])
        return
    records = [game.record for game in read.games]
    if codes:
        assert (codes, records) == ({"unknown_columns"}, [])
        record, _questions, fields = proposed(LOGS[name], name)
        assert record is not None, (name, fields)
        records = [record]
    (record,) = records
    texts = [message.text for message in record.messages]
    assert not any(CANARY in text for text in texts)
    assert set(texts) == {text for _name, text in SAID[: PARTS.get(name, len(SAID))]}


def test_a_profile_says_what_each_path_holds():
    table = read_head(LOGS["raw.csv"], is_part=False)
    assert table is not None
    found = {path.path: path for path in profile_paths(table, propose_mapping(table))}
    assert [(path, one.kind, one.share, one.distinct, one.named) for path, one in found.items()] == [
        ("agent", "text", 100, 3, 3),
        ("round_no", "number", 100, 2, 0),
        ("parsed_statement", "text", 100, 6, 0),
        ("raw_response.thought", "text", 100, 6, 0),
        ("raw_response.say", "text", 100, 6, 0),
    ]
    assert (found["agent"].length, found["agent"].longest) == (3, 3)


@pytest.mark.parametrize("sign", [{"public": False}, {"is_private": True}, {"visibility": "private"}])
def test_what_hides_all_rows_alike_is_asked_about_once(sign):
    rows = [{"player": name, "text": said, "round": 1} | sign for name, said in SAID]
    read = read_transcripts(lines(*rows), "a.jsonl")
    assert ([fault.code for fault in read.faults], read.games) == (["unknown_columns"], [])
    _record, questions, _fields = proposed(lines(*rows), "a.jsonl")
    # Where one row says otherwise, it tells rows apart.
    open_row = {"player": "Ann", "text": "Hello.", "round": 1} | dict.fromkeys(
        sign, sign == {"public": False}
    )
    (game,) = read_transcripts(lines(*rows, open_row | {"visibility": "all"}), "a.jsonl").games
    assert (len(questions), [one.text for one in game.record.messages]) == (1, ["Hello."])


@pytest.mark.parametrize("column", ["Secret musings", "agent_thinking", "private_notes", "hidden agenda"])
def test_a_column_of_thoughts_under_any_name_is_proposed_as_one(column):
    rows = [f"{name},{said.replace(',', '')},CANARY and I hide {at}." for at, (name, said) in enumerate(SAID)]
    table = read_head("\n".join([f"Person X,Words,{column}", *rows]).encode(), is_part=False)
    assert propose_mapping(table).fields == {"player": "Person X", "text": "Words", "thought": column}
