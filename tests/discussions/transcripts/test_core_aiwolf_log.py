"""The text logs of AIWolf servers: talks, votes, who left, and lines that are wrong."""

import re
from pathlib import Path

import pytest

from discussions.core.records import Elimination, Message, Player, Vote
from discussions.transcripts.core.readers import aiwolf, chat_heads, csv_rows, json_rows
from tests.factories.reading import read_transcripts
from tests.factories.text_formats import read_text

LOG = """0,status,1,SEER,ALIVE,team1,Ann
0,status,2,WEREWOLF,ALIVE,team2,Bea
0,status,3,POSSESSED,ALIVE,team3
0,whisper,0,0,2,They are blind.
0,talk,0,0,1,Hello, all of you.,1750000001
0,talk,1,0,2,First line.
Second line, the last.,1750000002
0,talk,2,0,3,Skip
0,divine,1,2,WEREWOLF
1,status,1,SEER,ALIVE,team1,Ann
1,talk,0,0,3,I agree.
1,vote,1,2
1,vote,2,1
1,vote,3,-1
1,vote,1,3
1,execute,2,WEREWOLF
1,attackVote,2,1
1,attack,1,true
2,attack,-1,true
2,attack,3,false
2,result,1,0,VILLAGER
"""


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_log_is_a_game(ends):
    text = LOG.replace("\n", ends)
    assert aiwolf.recognises_text(text)
    (read,) = read_text(aiwolf, text)
    record = read.record
    assert (record.game_id, record.winner) == ("file", "VILLAGER")
    assert record.players == [
        Player("Ann", "VILLAGER", "SEER/team1", is_alive=True),
        Player("Bea", "MAFIA", "WEREWOLF/team2", is_alive=True),
        Player("Agent[03]", "VILLAGER", "POSSESSED/team3", is_alive=True),
    ]
    moment = "2025-06-15T15:06:4{}+00:00"
    assert record.messages == [
        Message(1, 1, "Hello, all of you.", 1, turn=1, time=moment.format(1)),
        Message(2, 2, "First line.\nSecond line, the last.", 1, turn=2, time=moment.format(2)),
        Message(3, 3, "I agree.", 2, turn=3),
    ]
    assert record.votes == [Vote(2, 2, 1), Vote(2, 1, 3)]
    assert record.eliminations == [Elimination(2, 2, "voted out"), Elimination(2, 1, "killed at night")]


@pytest.mark.parametrize(
    ("line", "place", "says"),
    [
        ("1,vote,1", "line 22", 'The line of "vote" should look like "1,vote,1,2".'),
        ("1,talk,0,0", "line 22", 'The line of "talk" should look like'),
        ("1,talk,0,0,9,Hello.", "line 22", '"Agent[09]" is not among the players'),
        ("1,talk,0,0,1,", "line 22", "The message has no text."),
        ("1,execute,x", "line 22", 'The line of "execute"'),
        ("2,result", "line 21", 'The line of "result"'),
        ("0,status,4", "line 22", 'The line of "status"'),
        ("0,status,4,SEER,ALIVE,a,Agent[05]\n0,status,5,SEER,ALIVE,a", "line 23", "is named twice"),
    ],
)
def test_a_bad_line_is_told(line, place, says):
    (read,) = read_text(aiwolf, LOG + line)
    assert read.record is None
    assert [fault.place for fault in read.faults] == [f"file.txt {place}"]
    assert says in read.faults[0].message


def test_agents_of_one_name_are_called_by_their_numbers():
    (read,) = read_text(aiwolf, LOG.replace("team2,Bea", "team1,ann").replace("team3\n", "team1,Ann\n"))
    record = read.record
    assert [player.name for player in record.players] == ["Ann", "Agent[02]", "Agent[03]"]
    assert [message.player for message in record.messages] == [1, 2, 3]
    assert record.votes == [Vote(2, 2, 1), Vote(2, 1, 3)]
    assert record.eliminations == [Elimination(2, 2, "voted out"), Elimination(2, 1, "killed at night")]
    (same,) = [warning for warning in read.warnings if warning.code == "same_name"]
    assert (same.place, same.message) == (
        "file.txt line 2",
        "Agents with the name of another are called by their numbers: 2 (first Agent[02]).",
    )


def test_the_example_comes_in():
    text = Path(__file__).with_name("public_formats.md").read_text(encoding="utf-8")
    example = re.search(r"```text\n(0,status.*?)```", text, re.DOTALL)[1]
    read = read_transcripts(example.encode(), "a.log")
    assert (read.format, read.faults, len(read.games[0].record.messages)) == ("aiwolf_log", [], 2)


def test_other_texts_are_no_logs():
    for text in ("", "0,status", LOG.splitlines()[0], "player,text\nAnn,a\n", "Ann: a\nBea: b\n"):
        assert not aiwolf.recognises_text(text), text
    assert not chat_heads.recognises_text(LOG) and not json_rows.recognises_text(LOG)
    assert read_text(csv_rows, LOG)[0].record is None
