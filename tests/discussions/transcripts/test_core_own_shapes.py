"""Logs in shapes of many tools: right at once, or a proposal to confirm; a private text is never a message."""

import json

import pytest
from msgspec.structs import replace

from discussions.transcripts.core.audience import PRIVATE
from discussions.transcripts.core.readers.columns import read_recipe, write_recipe
from discussions.transcripts.core.readers.heads import propose_mapping, read_first_game, read_head
from discussions.transcripts.core.readers.row_kinds import find_questions
from discussions.transcripts.core.thoughts import ASIDE, split_answer, split_thoughts
from tests.factories.own_logs import CANARY, SAID, lines
from tests.factories.reading import read_transcripts

SECRET = f"{CANARY} nobody suspects me"


def text(*shapes: str, sign: str = "\n", rounds: str = "=== Round {} ===\n") -> bytes:
    """Each message in these lines, with headings of rounds before the first and the fourth."""
    parts = []
    for index, (name, said) in enumerate(SAID):
        heading = rounds.format(1 + index // 3) if index % 3 == 0 and rounds else ""
        role = "Seer" if name == "Ann" else "Villager"
        more = {"name": name, "said": said, "secret": f"{SECRET} {index}", "n": 10 + index, "role": role}
        more["caps"] = name.upper()
        parts.append(heading + sign.join(shape.format(**more) for shape in shapes))
    return "\n".join(parts).encode()


AT_ONCE = {
    "tabs": text(
        "2026-03-01 20:15:{n}\t{name}\t{said}", "2026-03-01 20:15:{n}\t-->\t{name} joined", rounds=""
    ),
    "unknown tag": text("{name}: {said}", "[Traitor] Cid: {secret}"),
    "one tag": text("[BOT] {name}: {said}", "[Whisper] Cid: {secret}"),
    "who leads": text("{name}: {said}", rounds="[GM] Round {} has begun.\n"),
    "indented": text("{name}: {said}", "    thought: {secret}", "  (thinking: {secret})"),
    "quoted": text("> *{name} thinks:* {secret}", "", "**{name}:** {said}"),
    "signs": text("💭 {name}: {secret}", "🗣️ {name}: {said}", "🐺 Cid: {secret}", rounds="☀️ DAY {}\n"),
    "signs without names": text("💭 {secret}", "{name}: {said}", "  🔒 {secret}"),
    "numbered heads": text("Post #{n}, 8:{n} pm", "{name} wrote:", "{said}", "", rounds=""),
    "above": text("[03/01/2026 8:{n} PM] {name}", "{said}", "", rounds=""),
    "above and below": text("{name}", "  8:{n} PM", "{said}", rounds=""),
    "channels": text(
        *("#den (wolves only)", "", "Cid — Today at 8:{n} PM", "{secret}", "", "#town-square", ""),
        *("{name} — Today at 8:{n} PM", "{said}", ""),
        rounds="#town-square  day {}\n\n",
    ),
    "boxes": text(
        *("╭─ {name} · plans (hidden) ───╮", "│ {secret}  │", "╰─────╯"),
        *("╭─ {name} · says aloud ───╮", "│ {said}  │", "╰─────╯"),
        rounds=f"{'━' * 60} Round {{}} {'━' * 60}\n",
    ),
    "branches": text("├── {name}", "│   ├── 💭 {secret}", "│   └── 💬 {said}", rounds="Day {}\n"),
    "branches above": text(
        "┌─ {name} (thinks)", "└─ {secret}", "", "┌─ {name} [some/model-2]", "└─ {said}", ""
    ),
    "play": text(
        *("          {caps}", "     (aside, unheard by the rest)", "  {secret}", ""),
        *("          {caps}", "  {said}", "", "They look at each other.", ""),
        rounds="\nACT I. DAY {}\n\n",
    ),
    "role before name": text("{role} {name}: {said}", rounds="*night {0}*\nSeer Ann: CANARY\n*day {0}*\n"),
    "hidden again": text("{name}: {said}", rounds="### Round {}\n\n")
    + b"\n\n## Appendix: chain of thought\n\nNobody saw it.\n\n"
    + text("{name}: {secret}", rounds="### Round {}\n\n"),
    "figures": text("{name}: {said}", rounds="=== Round {} ===\nTokens: 12\nAlive: Ann, Bea, Cid\n")
    + b"\nWinner: Mafia\n",
    "cast": b"Ann: Villager\nBea: Seer (llama-3)\nCid: Werewolf\n"
    + text("{name}: {said}")
    + b"\n\nAnn: Villager [alive]\nBea: Seer [dead]\nCid: 3 points\n",
    "models": b"Ann: acme/gpt-9\nBea: acme/gpt-9\nCid: claude-2.1\n" + text("{name}: {said}"),
    "boxed": text("{name}: {{thinks: {secret}}} {said}"),
    "tags": text("{name}: <private>{secret}</private><public>{said}</public>"),
    "other language": text("{name} (про себя): {secret}", "{name}: {said}", rounds="=== День {} ===\n"),
    "characters": text("{name}（内心）：{secret}", "{name}：{said}", rounds="第{}天\n"),
    "seen by": lines(
        *({"speaker": "Ann", "text": SECRET, "seen_by": ["Cid"]} for _n in range(3)),
        *({"speaker": name, "text": said, "seen_by": ["Ann", "Bea", "Cid"]} for name, said in SAID),
    ),
    "broadcast": lines(
        *({"speaker": "Ann", "text": SECRET, "broadcast": False} for _n in range(3)),
        *({"speaker": name, "text": said, "broadcast": True} for name, said in SAID),
    ),
    "lines of tags": text("<thinking>", "{secret}", "</thinking>", "{name}: {said}"),
    "brackets": text("{name}: [THOUGHT] {secret} [/THOUGHT] {said}"),
    "note": text("{name}: {said} (Internal note: {secret})"),
    "labels": lines(
        *(
            {"speaker": name, "text": f"**Thought:** {SECRET}\nAction: speak\nAction Input: {said}"}
            for name, said in SAID
        )
    ),
    "answers": lines(
        *({"speaker": name, "text": json.dumps({"thought": SECRET, "speech": said})} for name, said in SAID)
    ),
    "marked up": json.dumps(
        {
            "type": "group",
            "messages": [
                {"from": name, "text": [said[:4], {"type": "bold", "text": said[4:]}]} for name, said in SAID
            ],
        }
    ).encode(),
    "empty list beside": json.dumps(
        {
            "values": {"messages": [{"type": "ai", "name": n, "content": t} for n, t in SAID], "beliefs": {}},
            "next": [],
        }
    ).encode(),
    "names of players": json.dumps(
        {"players": ["Ann", "Bea", "Cid"], "log": {"Day 1": [{"speaker": n, "text": t} for n, t in SAID]}}
    ).encode(),
    "columns": json.dumps(
        {
            key: {str(index): row[place] for index, row in enumerate(SAID)}
            for place, key in enumerate(("player", "text"))
        }
    ).encode(),
}
LOG = "2026-03-01 20:15:{n},101 "
ASKS = {
    "log lines": (text(f"{LOG}DEBUG agent.{{name}}: thought: {{secret}}", f"{LOG}INFO game.table: {{name}}: {{said}}",
                       rounds=LOG.format(n=10) + "INFO game.engine: Round {} begins\n"), {}),
    "levels": (text(f"{LOG}DEBUG [brain] {{name}}: {{secret}}", f"{LOG}INFO [table] {{name}}: {{said}}", rounds=""),
               {"DEBUG brain": "private"}),
    "pairs": (text('level=debug event=think player={name} msg="{secret}"',
                   'level=info event=speak player={name} msg="{said}"', rounds=""), {}),
    "table": (b"| Who | Says | Thinks |\n|---|---|---|\n" + text("| {name} | {said} | {secret} |", rounds=""), {}),
    "mud": (text("{name}> {said}", "Cid whispers> {secret}", rounds=""), {}),
    "marks": (text("{name}: *{secret}* {said}"), {ASIDE: "thought"}),
    "marks behind": (text("{name}: {said} ({secret})"), {ASIDE: "thought"}),
    "marks alone": (text("{name}: [{secret}]", "{name}: {said}"), {ASIDE: "thought"}),
    "marks in rows": (lines(*({"speaker": n, "text": f"<<{SECRET}>> {t}"} for n, t in SAID)), {ASIDE: "private"}),
    "cast above": (b"Characters\n  Ann: Villager\n  Bea: Seer\n  Cid: Werewolf\n" + text("  {name}: {said}"), {}),
    "signs of lines": (text("{name}: {said}", "  ↳ {secret}"), {"other lines": "thought"}),
    "items": (text("{name}: {said}", "- {secret}"), {"other lines": "thought"}),
    "numbers": (text("{n}. {name}: {said}"), {}),
    "bold, and quoted aloud": (text("***{name} (thoughts as {role}):*** {secret}", "> **{name}:** {said}",
                                    rounds=""), {">": "speech"}),
    "modes": (text("{name} (piensa): {secret}", "{name} (dice): {said}", rounds="## Ronda {}\n"), {}),
    "unknown mode": (text("{name} (grumbles): {secret}", "{name}: {said}"), {"grumbles": "thought"}),
    "side by side": (json.dumps({"id": "g", "threads": {
        "main": [{"speaker": n, "text": t} for n, t in SAID], "plotters": [{"speaker": "Cid", "text": SECRET}] * 2,
    }}).encode(), {"plotters": "private"}),
    "channels": (lines(*({"ch": ch, "u": n, "m": m} for i, (n, t) in enumerate(SAID)
                         for ch, m in (("C01", t), ("C02", f"{SECRET}, as I said {i} times")))),
                 {"C01": "speech", "C02": "private"}),
    "flags": (b"Wer;Text;geheim\n" + text("{name};{secret};WAHR", "{name};{said};FALSCH", rounds=""), {}),
    "note to self": (b"Wer\tGesagt\tNotiz (nur f\xc3\xbcr mich)\n" + text("{name}\t{said}\t{secret}", rounds=""), {}),
}  # fmt: skip


def check(record) -> None:
    assert record is not None
    names = [player.name for player in record.players]
    assert sorted(names) == ["Ann", "Bea", "Cid"]
    assert [(names[message.player - 1], message.text) for message in record.messages] == SAID
    assert record.votes == []


@pytest.mark.parametrize("name", AT_ONCE)
def test_a_log_is_read_at_once_without_what_is_private(name):
    read = read_transcripts(AT_ONCE[name], "log.txt")
    assert [fault for fault in read.faults if not fault.is_warning] == []
    (game,) = read.games
    check(game.record)


@pytest.mark.parametrize("name", ASKS)
def test_a_log_waits_and_its_brother_is_read_by_the_recipe(name):
    check_waits(*ASKS[name])


def check_waits(data: bytes, answers: dict[str, str]) -> None:
    """The log waits with these questions; a recipe with these answers reads its like."""
    read = read_transcripts(data, "log.txt")
    assert {fault.code for fault in read.faults} == {"unknown_columns"} and read.games == []
    table = read_head(data, is_part=False)
    assert table is not None
    mapping = propose_mapping(table)
    questions = [question.value for question in find_questions(table, mapping)]
    assert sorted(questions) == sorted(answers)
    # Before anybody answers, nothing private is shown as said.
    unclear = replace(mapping, kinds={value.casefold(): PRIVATE for value in questions} | mapping.kinds)
    first = read_first_game(table, unclear, "log.txt", "log", {}).record
    assert first is None or CANARY not in str([message.text for message in first.messages])
    kinds = {value.casefold(): kind for value, kind in answers.items()}
    recipe = read_recipe(write_recipe("log", replace(mapping, kinds=kinds | mapping.kinds)))[1]
    (game,) = read_transcripts(data.replace(b"8:1", b"9:1"), "brother.txt", columns=[recipe]).games
    check(game.record)


def test_rounds_that_begin_again_wait_unless_a_person_says_how_the_file_is_read():
    rows = [f"{number},{name},{said}" for _game in range(2) for number in (1, 2) for name, said in SAID[:1]]
    data = "\n".join(["round,player,text", *rows]).replace("Bea and", "Bea").encode()
    read = read_transcripts(data.replace(b", Bea", b" Bea"), "log.csv")
    assert [(fault.code, fault.place) for fault in read.faults] == [("unknown_columns", "log.csv line 4")]
    table = read_head(data.replace(b", Bea", b" Bea"), is_part=False)
    assert table is not None
    own = [replace(propose_mapping(table), settings={"rounds": "none"})]
    assert len(read_transcripts(data.replace(b", Bea", b" Bea"), "log.csv", columns=own).games) == 1


def test_a_column_at_each_value_of_which_the_rounds_begin_again_is_proposed_as_the_game():
    rows = ({"run": run, "round": n, "player": p, "text": t} for run in "ab" for n in (1, 2) for p, t in SAID)
    table = read_head(lines(*rows), is_part=False)
    assert table is not None
    assert propose_mapping(table).fields["game"] == "run"


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        ("Ann: I thought so.", ("Ann: I thought so.", "")),
        ("My plan: vote (as I said) for Bea.", ("My plan: vote (as I said) for Bea.", "")),
        ("Reasoning: Bea.\nFinal answer: Vote Bea.\nThought: ha.", ("Vote Bea.", "Bea.\nha.")),
        ("[thinking] aloud", ("[thinking] aloud", "")),
        ("a </think> b", ("b", "a")),
    ],
)
def test_labels_and_tags_tell_thoughts_from_speech(said, parts):
    assert split_thoughts(said) == parts


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        ('{"say": "Hi", "vote": "Bea"}', ('{"say": "Hi", "vote": "Bea"}', "")),
        ('{"reasoning": "x", "vote": "Bea"}', ("", "x")),
        ('{"a": [}', ('{"a": [}', "")),
        ('{"thought": "x", "content": "Hi"}', ("Hi", "x")),
    ],
)
def test_answers_in_json(said, parts):
    assert split_answer(said) == parts


def test_a_row_that_ends_before_its_player_is_no_obstacle_to_a_proposal():
    rows = "".join(f"C0{n % 2},{text} {n},{name}\n" for n, (name, text) in enumerate(SAID * 3))
    table = read_head(f"kindness,Gesagt,Wer\n{rows.replace(', ', ' ')}C01\n".encode(), is_part=False)
    assert table is not None
    assert propose_mapping(table).fields == {"text": "Gesagt", "player": "Wer", "type": "kindness"}


BY_PLAYER = {
    "objects": {
        "assignment": {"Ann": "Wolf", "Bea": "Villager", "Cid": "Villager"},
        "rounds": {
            str(number): {
                name: {
                    "scratchpad": "CANARY",
                    "speech": f"I am {name} in {number}.",
                    "ballot": {"choice": "Ann"},
                }
                for name in ("Ann", "Bea", "Cid")
            }
            for number in (1, 2)
        },
    },
    "German": {
        "runden": [
            {
                "runde": number,
                "nacht": {"rat": [{"spieler": "Ann", "nachricht": "CANARY heute."}]},
                "tag": {
                    "wortmeldungen": [
                        {"spieler": name, "gedanken": "CANARY", "aussage": f"I am {name} in {number}."}
                        for name in ("Ann", "Bea", "Cid")
                    ]
                },
                "abstimmung": [{"spieler": name, "stimme": "Ann"} for name in ("Ann", "Bea", "Cid")],
            }
            for number in (1, 2)
        ]
    },
}


@pytest.mark.parametrize("name", BY_PLAYER)
def test_objects_by_player_and_keys_of_other_languages_are_read(name):
    (game,) = read_transcripts(json.dumps(BY_PLAYER[name]).encode(), "a.json").games
    record = game.record
    names = [player.name for player in record.players]
    expected = [
        (number, name, f"I am {name} in {number}.") for number in (1, 2) for name in ("Ann", "Bea", "Cid")
    ]
    assert [(one.round, names[one.player - 1], one.text) for one in record.messages] == expected
    assert {(one.round, names[one.target - 1]) for one in record.votes} == {(1, "Ann"), (2, "Ann")}


def test_pairs_under_an_unknown_key_are_asked_about():
    days = {
        f"day_{at}": {"crier": "Dawn.", "square": [["Ann", f"Hi {at}."], ["Bea", f"Ho {at}."]]}
        for at in (1, 2)
    }
    outcome = read_transcripts(json.dumps(days).encode(), "a.json")
    assert [fault.code for fault in outcome.faults] == ["unknown_columns"]
    assert '"square"' in outcome.faults[0].message


def test_texts_of_one_assistant_that_begin_with_names_are_those_of_players():
    said = [(f"{name} thinks (hidden)", "CANARY plan.") for name in ("Ann", "Bea", "Cid")]
    said = [
        pair
        for number in (1, 2)
        for name, (title, thought) in zip(("Ann", "Bea", "Cid"), said, strict=True)
        for pair in ((title, thought), (None, f"**{name}**: I am {name} in {number}."))
    ]
    chat = [{"role": "user", "content": "Start", "metadata": {"title": None}}]
    chat += [{"role": "assistant", "content": text, "metadata": {"title": title}} for title, text in said]
    data = json.dumps(chat).encode()
    assert [fault.code for fault in read_transcripts(data, "a.json").faults] == ["unknown_columns"]
    mapping = propose_mapping(read_head(data, is_part=False))
    (game,) = read_transcripts(data, "a.json", columns=[mapping]).games
    assert [one.text for one in game.record.messages] == [
        f"I am {name} in {number}." for number in (1, 2) for name in ("Ann", "Bea", "Cid")
    ]
    assert {entry.text for entry in game.private} == {"CANARY plan."}


def test_texts_in_a_table_that_begin_with_names_are_those_of_players():
    names = ("Ann Lee", "Bea Roy", "Cid")
    night = [("info", "Phase Change to Nighttime"), ("text", "Cid: CANARY plan."), ("vote", "Cid: Bea Roy")]
    day = [("info", "Phase Change to Daytime"), *(("text", f"{name}: I am {name}.") for name in names)]
    day += [("vote", f"{name}: Cid") for name in names[:2]]
    data = "".join(f"{number},{kind},{text}\n" for number, (kind, text) in enumerate([*night, *day] * 2))
    data = f"id,type,contents\n{data}".encode()
    assert [fault.code for fault in read_transcripts(data, "a.csv").faults] == ["unknown_columns"]
    mapping = propose_mapping(read_head(data, is_part=False))
    (game,) = read_transcripts(data, "a.csv", columns=[mapping]).games
    said = [(one.round, game.record.players[one.player - 1].name, one.text) for one in game.record.messages]
    assert said == [(number, name, f"I am {name}.") for number in (1, 2) for name in names]
    assert ([vote.round for vote in game.record.votes], len(game.private)) == ([1, 1, 2, 2], 4)


@pytest.mark.parametrize("around", ["game", "setup"])
def test_who_is_listed_beside_the_rows_is_a_player_of_a_role(around):
    cast = [("Ann", "Seer"), ("Bea", "Wolf"), ("Cid", "Doctor"), ("Dan", "Villager"), ("Moderator", None)]
    listed = {"players": [{"name": name, "role": role} for name, role in cast]}
    rows = [
        {"kind": "talk", "who": name, "what": f"I am {name} {number}, and so I say.", "at": number}
        for number in (1, 2)
        for name, _role in cast[:3]
    ]
    whole = ({"setup": listed} if around == "setup" else listed) | {"seed": 3, "moves": rows}
    data = json.dumps(whole).encode()
    mapping = propose_mapping(read_head(data, is_part=False))
    (game,) = read_transcripts(data, "a.json", columns=[mapping]).games
    assert [(player.name, player.role) for player in game.record.players] == cast[:4]


@pytest.mark.parametrize("key", ["players", "roles", "data"])
def test_the_first_row_may_list_the_players_and_their_roles(key):
    cast = [("Ann", "Seer"), ("Bea", "Wolf"), ("Cid", "Doctor"), ("Dan", "Villager"), ("Narrator", None)]
    listed = [{"id": number, "name": name, "role": role} for number, (name, role) in enumerate(cast)]
    start = {"players": listed, "roles": dict(cast), "data": {"players": listed}}[key]
    rows = [{"type": "game_start", key: start}]
    rows += [{"type": "speech", "player": name, "text": f"I am {name}."} for name, _role in cast[:3] * 2]
    one, two = rows, [row | {"game": name} for name in ("g1", "g2") for row in rows]
    for read, players in ((one, [cast[:4]]), (two, [[(name, None) for name, _role in cast[:3]]] * 2)):
        data = lines(*read)
        mapping = propose_mapping(read_head(data, is_part=False))
        games = read_transcripts(data, "a.jsonl", columns=[mapping]).games
        assert [[(each.name, each.role) for each in game.record.players] for game in games] == players


@pytest.mark.parametrize(
    "start",
    [
        *({"roles": {"Wolf": 1, "Seer": 2}}, {"roles": {"Wolf": ["Ann"], "Town": ["Bea", "Cid"]}}),
        *({"players": {"min": 3, "max": 9}}, {"players": [{"name": "Ann"}, {"name": "Bea"}, {"seat": 3}]}),
    ],
)
def test_what_lists_no_names_adds_no_player(start):
    rows = [{"type": "game_start"} | start]
    rows += [
        {"type": "speech", "player": name, "text": f"I am {name}."} for name in ("Ann", "Bea", "Cid") * 2
    ]
    mapping = propose_mapping(read_head(lines(*rows), is_part=False))
    (table,) = read_transcripts(lines(*rows), "a.jsonl", columns=[mapping]).games
    chats = read_transcripts(json.dumps(start | {"turns": rows[1:]}).encode(), "a.json").games
    # In a chat, players who are none refuse it.
    assert len(chats) == ("roles" in start)
    for game in (table, *chats):
        assert [one.name for one in game.record.players] == ["Ann", "Bea", "Cid"]


def test_a_log_that_begins_with_its_players_comes_in_at_once():
    rows = [
        {"type": "game_start", "players": [{"name": name, "role": "Seer"} for name in ("Ann", "Bea", "Cid")]}
    ]
    rows += [{"type": "speech", "player": name, "text": f"I am {name}."} for name in ("Ann", "Bea") * 2]
    (game,) = read_transcripts(lines(*rows), "a.jsonl").games
    assert [(one.name, one.role) for one in game.record.players] == [
        (name, "Seer") for name in ("Ann", "Bea", "Cid")
    ]


def test_a_game_that_only_its_first_row_names_is_one():
    rows = [{"type": "created", "gameid": "g1"}]
    rows += [{"type": "speech", "player": name, "text": f"I am {name}."} for name in ("Ann", "Bea")]
    (game,) = read_transcripts("\n".join(map(json.dumps, rows)).encode(), "a.jsonl").games
    assert (game.record.game_id, len(game.record.messages)) == ("g1", 2)


def test_the_only_key_of_a_row_is_its_type():
    rows = [{"GameStarted": {"seed": 3, "model": "m"}}]
    for name in ("Ann", "Bea", "Cid"):
        rows.append({"Thought": {"player": name, "round": 1, "text": "CANARY hide."}})
        rows.append({"Speech": {"player": name, "round": 1, "text": f"I am {name}, look at Bea."}})
        rows.append({"Vote": {"voter": name, "round": 1, "target": "Bea"}})
    data = "\n".join(map(json.dumps, rows)).encode()
    table = read_head(data, is_part=False)
    mapping = propose_mapping(table)
    assert find_questions(table, mapping) == []
    (game,) = read_transcripts(data, "a.jsonl", columns=[mapping]).games
    assert [one.text for one in game.record.messages] == [
        f"I am {name}, look at Bea." for name in ("Ann", "Bea", "Cid")
    ]
    assert len(game.record.votes) == 3
    assert {entry.text for entry in game.private} == {"CANARY hide."}


def test_events_of_a_program_are_proposed_with_targets_of_votes_and_numbers_of_phases():
    rows = [{"phase": "day", "phase_num": 1, "actor": 9, "act": "pass_token", "data": {"target_id": 1}}]
    rows[0]["data"]["round"] = 1
    for number in (1, 2):
        head = {"phase": "night", "phase_num": number, "actor": 1}
        rows.append(head | {"act": "clear_chat", "data": {"target_id": 2}})
        rows.append(head | {"act": "speak", "data": {"content": f"{CANARY} in {number}.", "speaker_id": 1}})
        for actor in (1, 2, 3):
            head = {"phase": "day", "phase_num": number, "actor": actor}
            said = {"content": f"I am {actor}, look at 2 in {number}.", "speaker_id": actor, "round": number}
            rows += [head | {"act": "speak", "data": said}, head | {"act": "vote", "data": {"target_id": 2}}]
    data = lines(*rows)
    mapping = propose_mapping(read_head(data, is_part=False))
    assert mapping.fields["target"] == "data.target_id"
    (game,) = read_transcripts(data, "a.jsonl", columns=[mapping]).games
    assert [one.round for one in game.record.messages] == [1, 1, 1, 2, 2, 2]
    assert len(game.record.votes) == 6
    assert {entry.text for entry in game.private} == {f"{CANARY} in {number}." for number in (1, 2)}
    assert [player.name for player in game.record.players] == ["1", "2", "3"]


def test_objects_with_one_text_under_a_name_beside_what_all_have_are_messages():
    roles = {"Ann": "Seer", "Bea": "Werewolf", "Cid": "Villager"}

    def turn(name: str, said: str, kind: str) -> dict[str, object]:
        return {"Host": f"{name}, your turn.", f"{name}({roles[name]})": said, "rule": {"form": kind}}

    rounds = {
        f"round {number} begins:": [
            *(turn(name, text, "words") for name, text in SAID[3 * number - 3 : 3 * number]),
            *(turn(name, f"{CANARY} of round {number}", "card") for name in roles),
            {"Host": "The round is over."},
        ]
        for number in (1, 2)
    }
    data = json.dumps(rounds).encode()
    table = read_head(data, is_part=False)
    mapping = propose_mapping(table)
    assert [question.value for question in find_questions(table, mapping)] == ["card"]
    mapping = replace(mapping, kinds={"card": PRIVATE})
    (game,) = read_transcripts(data, "a.json", columns=[mapping]).games
    names = [player.name for player in game.record.players]
    assert [(one.round, names[one.player - 1], one.text) for one in game.record.messages] == [
        (1 + at // 3, name, text) for at, (name, text) in enumerate(SAID)
    ]
    assert [player.role for player in game.record.players] == list(roles.values())


@pytest.mark.parametrize("key", ["role", "text"])
def test_rows_of_several_types_without_players_may_have_several_columns_of_a_field(key):
    rows = [
        {"type": "a", key: "assistant", "content": "Hi."},
        {"type": "b", "data": {key: "x"}, "content": "Ho."},
    ]
    assert {fault.code for fault in read_transcripts(lines(*rows), "a.jsonl").faults} <= {"unknown_columns"}


def test_days_under_their_keys_may_call_texts_public_beside_a_private_channel():
    def day(number: int) -> dict[str, object]:
        return {
            "private_thought": SECRET,
            "vote": "Ann",
            "thinking_time": number * 1.25,
        }

    game: dict[str, object] = {}
    for number in (1, 2):
        said = SAID[3 * number - 3 : 3 * number]
        game[f"night_{number}"] = {"wolves_chat": [{"speaker": "Cid", "content": SECRET}] * 2}
        game[f"day_{number}"] = {
            "actions": [{"agent": name, "public_speech": text, **day(number)} for name, text in said]
        }
    (read,) = read_transcripts(json.dumps(game).encode(), "a.json").games
    assert [(one.round, one.text) for one in read.record.messages] == [
        (1 + at // 3, said) for at, (_name, said) in enumerate(SAID)
    ]
    assert len(read.record.votes) == 6


def test_a_vote_for_a_proposal_names_no_player_and_a_duration_no_audience():
    ballots = [
        {"player": name, "vote": "reject", "thinking_time": 0.5 + at} for at, (name, _said) in enumerate(SAID)
    ]
    talk = [
        {"player": name, "content": said, "thinking_time": 9.25 + at} for at, (name, said) in enumerate(SAID)
    ]
    rounds = [{"round": 1, "votes": ballots, "discussion": talk}]
    (game,) = read_transcripts(json.dumps({"missions": rounds}).encode(), "a.json").games
    assert {player.name for player in game.record.players} == {name for name, _said in SAID}
    assert (len(game.record.messages), game.record.votes) == (6, [])


@pytest.mark.parametrize("shape", ["[{name}]: {said}", "{name}: {said}", "**{name}:** {said}"])
def test_a_name_before_each_own_text_is_left_out(shape):
    rows = [{"speaker": name, "text": shape.format(name=name, said=said)} for name, said in SAID]
    (game,) = read_transcripts(lines(*rows), "a.jsonl").games
    assert [one.text for one in game.record.messages] == [said for _name, said in SAID]
    assert "own_name" in {warning.code for warning in game.warnings}
    # Who says what they think of others begins with their own name once.
    rows[1] |= {"text": SAID[1][1]}
    (game,) = read_transcripts(lines(*rows), "a.jsonl").games
    assert game.record.messages[0].text == rows[0]["text"]


def test_an_id_that_comes_back_is_that_of_who_speaks():
    rows = [{"id": f"p_{at % 2}", "text": said} for at, (_name, said) in enumerate(SAID)]
    value = [{"dialogue": 7, "chat_logs": rows, "labels": [[said, "greeting"] for _name, said in SAID[:4]]}]
    mapping = propose_mapping(read_head(json.dumps(value).encode(), is_part=False))
    assert (mapping.fields["player"], mapping.settings["list"]) == ("id", "chat_logs")


def test_a_record_of_the_whole_talk_in_each_row_is_no_message():
    story = "You are {name}, the killer.\\nPlace: hall\\nAnn: Hi.\\nBea: Who was it?\\nYour Action: none"
    rows = "".join(
        f'{name},"{story.format(name=name)}"\n'.replace("\\n", "\n") for name in ("Ann", "Bea", "Cid")
    )
    mapping = propose_mapping(read_head(f"name,story\n{rows}".encode(), is_part=False))
    assert "text" not in mapping.fields


@pytest.mark.parametrize(
    "secret", ["({0})", "[{0}]", "~ {0}", "↳ {0}", "-> {0}", "*{0}*", "_{0}_", "  └─ {0}", "\x1b[90m[{0}]"]
)
def test_what_stands_in_rare_marks_below_two_messages_is_asked_about(secret):
    lines = [f"{name}: {said}" for name, said in SAID]
    lines[1:1], lines[5:5] = [[secret.format(SECRET)]] * 2
    read = read_transcripts("\n".join(lines).encode(), "a.txt")
    assert (read.games, read.faults[0].code) == ([], "unknown_columns")


def test_what_wolves_are_marked_with_is_theirs_though_it_sounds_like_a_vote():
    lines = [part for name, said in SAID for part in ("🐺 Nothing points to me.", f"{name}: {said}")]
    (game,) = read_transcripts("\n".join(lines).encode(), "a.txt").games
    assert [one.text for one in game.record.messages] == [said for _name, said in SAID]
