"""What who leads a game says in a chat: rounds, nights, votes and who leaves; and votes by a command."""

import json

import pytest

from discussions.transcripts.core.readers.narration import Rounds, find_narrators, part_of_day
from tests.factories.reading import read_transcripts

FORMS = {
    "colon": ("{name}: {text}", "Moderator"),
    "time": ("[10:0{at}] {name}: {text}", "Ведущий"),
    "whatsapp": ("10/05/2024, 21:0{at} - {name}: {text}", "Spielleiter"),
    "irc": ("[10:0{at}] <{name}> {text}", "GameServ"),
    "markdown": ("**{name}:** {text}", "WolfBot"),
    "a name like any other": ("{name}: {text}", "Zoe"),
}
BEGINS = (
    "Day {} begins.",
    "Round {} starts now, please discuss!",
    "Welcome to day {}.",
    "**Day {}**",
    "Day {}: wake up.",
)


def said(form, begins):
    """Two rounds of three players: what they say is under names alone, rounds are only told."""
    shape, narrator = FORMS[form]
    lines = [
        (narrator, begins.format(1)),
        ("Ann", "I was at home, Bea."),
        ("Bea", "So was I. On day 2 I trust Ann."),
        ("Cid", "Who was not?"),
        (narrator, "Ann votes for Cid."),
        ("Bea", "!vote Cid"),
        ("Cid", "[vote] Bea"),
        (narrator, "Cid has been eliminated with 2 votes in round 1. " + begins.format(2)),
        ("Ann", "Only us, Bea."),
        (narrator, "Dan was found dead."),
    ]
    text = "\n".join(shape.format(name=name, text=text, at=at) for at, (name, text) in enumerate(lines))
    (game,) = read_transcripts(text.encode(), "a.txt").games
    return game.record


@pytest.mark.parametrize("begins", BEGINS)
@pytest.mark.parametrize("form", FORMS)
def test_rounds_votes_and_who_leaves_are_told_by_who_leads_the_game(form, begins):
    record = said(form, begins)
    names = [player.name for player in record.players]
    assert names == ["Ann", "Bea", "Cid", "Dan"]
    assert [(one.round, names[one.player - 1]) for one in record.messages] == [
        (1, "Ann"),
        (1, "Bea"),
        (1, "Cid"),
        (2, "Ann"),
    ]
    votes = [(one.round, names[one.voter - 1], names[one.target - 1]) for one in record.votes]
    assert votes == [(1, "Ann", "Cid"), (1, "Bea", "Cid"), (1, "Cid", "Bea")]
    assert [(one.round, names[one.player - 1], one.how) for one in record.eliminations] == [
        (1, "Cid", "voted out"),
        (2, "Dan", "killed at night"),
    ]


@pytest.mark.parametrize(
    ("texts", "rounds"),
    [
        (("Dawn breaks.", None, "Night falls.", "The sun rises.", None), [1, 2]),
        (("Night 1 falls.", "Good morning!", None, "Night 2", "Ann was found dead.", None), [1, 2]),
        ((None, "Round 1 is over. Votes, please.", None, None), [1, 2, 2]),
        (("Day one begins.", None, "Good morning all.", None, "The second day begins.", None), [1, 1, 2]),
        (("第1天开始", None, "天黑请闭眼", "天亮了,第二天开始。", None), [1, 2]),
        (("Now it's Daytime.", None, "It is night now.", "Everyone can talk again.", None), [1, 2]),
        (("Discuss before night falls.", None, "The night starts in two minutes.", None), [None] * 2),
        (("Night falls.", None, "You have a minute until the day breaks.", None), ["night"] * 2),
        (("What a night!", None, "Last night Ann died. The night is over.", None), [None] * 2),
        (
            ("Votes of day 1:", None, "We had a good day 2, but it is over. Day 3 votes: Ann.", None),
            [None] * 2,
        ),
    ],
)
def test_rounds_follow_the_sentences_of_who_leads_the_game(texts, rounds):
    now, found = Rounds(), []
    for text in texts:
        if text is None:
            now.talk()
            found.append(now.number if not now.is_night else "night")
        else:
            now.hear(text)
    assert [number or 1 for number in found] == [number or 1 for number in rounds]


@pytest.mark.parametrize(
    "night",
    [
        "Night falls.",
        "Now it's Nighttime for 1 minute, only mafia can see messages.",
        "The night phase has started.",
        "Moving on to the night.",
        "Only the wolves may talk now.",
        "Darkness falls, all players close their eyes.",
    ],
)
def test_what_is_said_after_night_falls_is_private_until_the_day_is_told(night):
    lines = [
        "GM: Day 1 begins.",
        "Ann: Hi, Bea.",
        f"GM: {night}",
        "Ann: I take Bea.",
        "GM: Day 2 begins.",
        "Bea: Ho.",
    ]
    (game,) = read_transcripts("\n".join([*lines, "Ann: Yes."]).encode(), "a.txt").games
    assert [(one.round, one.text) for one in game.record.messages] == [
        (1, "Hi, Bea."),
        (2, "Ho."),
        (2, "Yes."),
    ]
    assert [entry.text for entry in game.private] == ["I take Bea."]


@pytest.mark.parametrize(
    "others",
    [
        [("Bea", "Ann, you lie.")],
        [("Ann", "I like it here."), ("Ann", "Who was it?"), ("Ann", "Me?"), ("Ann", "No.")],
    ],
)
def test_a_player_who_says_that_a_day_begins_leads_nothing(others):
    said = [("Ann", "Day 1 begins."), ("Bea", "Well."), ("Ann", "Day 2 begins."), *others]
    assert "ann" not in find_narrators(said)
    assert "ann" in find_narrators(said[:3])


def test_players_who_begin_their_texts_by_the_day_lead_nothing():
    said = [(name, f"Day {day}: I saw nothing.") for day in (1, 2) for name in ("P1", "P2", "P3")]
    assert find_narrators(said).isdisjoint({"p1", "p2", "p3"})


def test_who_leaves_is_a_known_player_behind_other_words():
    lines = [
        "GM: Day 1 begins.",
        "Ann: Hi, Bea.",
        "Bea: Ho.",
        "GM: Sadly Bea was killed. The Seer was killed.",
    ]
    (game,) = read_transcripts("\n".join([*lines, "GM: Nobody was eliminated."]).encode(), "a.txt").games
    assert [player.name for player in game.record.players] == ["Ann", "Bea"]
    assert [one.player for one in game.record.eliminations] == [2]


def test_the_engine_tells_a_list_of_numbers_and_who_leaves_by_its_number():
    lines = ["[10:00] Round {0} begins", "[10:00] Alive now: [0, 1, 2]"]
    lines += [f"[10:01] Player {at}: I trust Player {2 - at} in round {{0}}." for at in (0, 1, 2, 0)]
    lines += [
        "Votes: {{0: 1, 2: 2}}",
        "❌ Player 2 was eliminated.",
        "[10:02] Game: Player 2 was eliminated.",
        "",
    ]
    text = "\n".join(lines)
    (game,) = read_transcripts((text.format(1) + text.format(2)).encode(), "a.txt").games
    assert [player.name for player in game.record.players] == ["Player 0", "Player 1", "Player 2"]
    assert all(one.text.startswith("I trust") for one in game.record.messages)
    assert [(one.round, one.player) for one in game.record.eliminations] == [(1, 3)]


@pytest.mark.parametrize("text", ["I vote Bea", "vote later, Bea?", "My vote: still open!", "!unsure Bea"])
def test_what_is_not_only_a_vote_stays_a_message(text):
    (game,) = read_transcripts(f"Ann: Hi.\nBea: Ho.\nAnn: {text}\nBea: Yes.".encode(), "a.txt").games
    assert text in [one.text for one in game.record.messages]


def test_several_players_who_say_only_a_sign_and_a_name_vote():
    talk = ["[10:01] Ann: +1 for being quick", "[10:02] Bea: +1 Cid", "[10:03] Cid: Why me?"]
    votes = ["[10:04] Ann: +1 Cid", "[10:05] Bea: +1 cid.", "[10:06] Cid: +1 Ann"]
    (game,) = read_transcripts("\n".join([*talk, *votes]).encode(), "a.txt").games
    assert [one.text for one in game.record.messages] == ["+1 for being quick", "+1 Cid", "Why me?"]
    assert [(one.voter, one.target) for one in game.record.votes] == [(1, 3), (2, 3), (3, 1)]


def test_a_table_of_votes_and_a_sentence_in_italics_are_no_texts_in_markdown():
    table = "### Votes\n\n| Voter | Target |\n|:--|--|\n| Ann | *Bea* |\n| Bea | Ann |\n\n*Bea was voted out.*\n\n"
    said = "".join(f"**{name}:** I see *nothing*.\n\n" for name in ("Ann", "Bea", "Cid"))
    text = f"# The game\n\nPlayers: Ann, Bea, Cid\n\n## Day 1\n\n### Discussion\n\n{said}{table}## Day 2\n\n{said}"
    (game,) = read_transcripts(text.encode(), "a.md").games
    assert {one.text for one in game.record.messages} == {"I see *nothing*."}
    assert [(one.round, one.voter, one.target) for one in game.record.votes] == [(1, 1, 2), (1, 2, 1)]
    assert [one.player for one in game.record.eliminations] == [2]


def test_names_of_models_have_colons_and_small_letters():
    lines = [
        "Moderator [whisper to llama3:8b]: You are the wolf.",
        "llama3:8b: I saw phi-3.",
        "phi-3: No: I was here.",
        "llama3:8b [whisper to Moderator]: phi-3",
        "phi-3: Well.",
        "Moderator: phi-3 has voted for llama3:8b.",
    ]
    (game,) = read_transcripts("\n".join(lines).encode(), "a.txt").games
    names = [player.name for player in game.record.players]
    assert [(names[one.player - 1], one.text) for one in game.record.messages] == [
        ("llama3:8b", "I saw phi-3."),
        ("phi-3", "No: I was here."),
        ("phi-3", "Well."),
    ]
    assert [(one.voter, one.target) for one in game.record.votes] == [(2, 1)]


def test_a_title_above_names_and_times_is_asked_about():
    posts = [f"{name}, [11.02.2026 19:10]\nHello to all.\n" for name in ("Ann", "Bea", "Ann", "Bea")]
    text = "\n".join(["Square\n", *posts, "The den\n", *posts])
    assert [fault.code for fault in read_transcripts(text.encode(), "a.txt").faults] == ["unknown_columns"]


@pytest.mark.parametrize("role", ["user", "system"])
def test_who_leads_the_game_is_no_player_in_a_json_chat_either(role):
    rows = [
        ("Moderator", "Night falls."),
        ("Bea", "Ann first."),
        ("Moderator", "Day 1 begins. Dan was found dead."),
        ("Ann", "Who was it, Bea?"),
        ("Bea", "Not me, Ann."),
        ("Moderator", "Round 2 starts."),
        ("Ann", "Bea again."),
    ]
    roles = {"Moderator": role}
    chat = [{"role": roles.get(name, "user"), "name": name, "content": text} for name, text in rows]
    (game,) = read_transcripts(json.dumps(chat).encode(), "a.json").games
    names = [player.name for player in game.record.players]
    said = [(one.round, names[one.player - 1], one.text) for one in game.record.messages]
    assert said == [(1, "Ann", "Who was it, Bea?"), (1, "Bea", "Not me, Ann."), (2, "Ann", "Bea again.")]
    assert [entry.text for entry in game.private] == ["Ann first."]
    assert names == ["Bea", "Ann"]


def test_what_is_said_at_night_or_to_few_opens_no_round_in_a_json_chat():
    rows = [
        ("Moderator", "Night falls."), ("Bea", "Ann first."), ("Moderator", "Dawn breaks."), ("Ann", "Hi, Bea."),
        ("Moderator", "Night falls."), ("Bea", "Ann now."), ("Moderator", "Dawn breaks."), ("Ann", "Ho, Bea."),
    ]  # fmt: skip
    chat = [{"role": "user", "name": name, "content": text} for name, text in rows]
    (game,) = read_transcripts(json.dumps(chat).encode(), "a.json").games
    assert [(one.round, one.text) for one in game.record.messages] == [(1, "Hi, Bea."), (2, "Ho, Bea.")]


@pytest.mark.parametrize("line", ["Ann votes for Bea", "Eliminated: Bea", "Round 2"])
def test_what_follows_a_vote_or_a_heading_is_no_part_of_the_text_above(line):
    text = f"Round 1\nAnn: Hi, Bea.\nBea: Ho, Ann.\nAnn: Bea again.\n{line}\nNobody is left.\nBea: Yes, Ann."
    (game,) = read_transcripts(text.encode(), "a.txt").games
    assert [one.text for one in game.record.messages] == ["Hi, Bea.", "Ho, Ann.", "Bea again.", "Yes, Ann."]


def test_rounds_and_votes_in_chinese():
    lines = [
        "第一天 Day 1",
        "玩家1：你好。",
        "玩家2：我不信玩家1。",
        "玩家1 投票给了玩家2",
        "第2天：平安夜。",
        "玩家1：好。",
    ]
    (game,) = read_transcripts("\n".join(lines).encode(), "a.txt").games
    names = [player.name for player in game.record.players]
    assert names == ["玩家1", "玩家2"]
    assert [one.round for one in game.record.messages] == [1, 1, 2]
    assert [(names[one.voter - 1], names[one.target - 1]) for one in game.record.votes] == [
        ("玩家1", "玩家2")
    ]


def test_a_chat_with_sentences_in_a_table_is_not_read_as_a_chat():
    table = "\n".join(
        f"| {name} | I say this and that. | I think that it is so. |" for name in ("Ann", "Bea", "Cid")
    )
    read = read_transcripts(f"Leader: Ann\n\n{table}\n\nLeader: Bea\n\n{table}".encode(), "a.md")
    assert read.games == []


@pytest.mark.parametrize(
    ("night", "day"),
    [
        *(("NIGHT PHASE", "DAY PHASE"), ("# Night", "# Day"), ("Night", "Day"), ("[Night]", "[Day]")),
        *(("Phase: Night", "Phase: Day"), ("夜", "昼"), ("【夜晚】", "【白天】"), ("{}日目 夜", "{}日目 昼")),
        *(("The werewolves wake up.", "The village wakes up."), ("Wolves' den:", "Town square:")),
        *(
            ("Round {} - Night", "Round {} - Day"),
            ("Round {} (night)", "Round {} (day)"),
            ("Day {} night", "Day {}"),
        ),
        *(
            ("=== Round {}: Night ===", "=== Round {}: Day ==="),
            ("Entering night phase...", "Entering day phase..."),
        ),
        *(("Werewolf discussion:", "Public discussion:"), ("Night phase begins", "Day phase begins")),
        ("Moderator: Werewolves, choose your victim.", "Moderator: Good morning! Day {}."),
        *(("N{}", "D{}"), ("T{}: NIGHT", "T{}: DAY"), ("turn {} night", "turn {} day")),
        ("Cycle {} | NIGHT", "Cycle {} | DAY"),
    ],
)
def test_what_is_said_under_the_title_of_a_night_is_private(night, day):
    lines = ["Ann: I am Ann, Bea.", "Bea: I trust Ann, and you, Cid?", "Cid: Me too, Bea."]
    parts = [[night, "Bea: CANARY for Ann.", "Cid: CANARY.", day, *lines] for _number in range(2)]
    text = "\n".join(line.format(number) for number, part in enumerate(parts, start=1) for line in part)
    (game,) = read_transcripts(text.encode(), "a.txt").games
    assert [(one.round, one.text) for one in game.record.messages] == [
        (number, line.partition(": ")[2]) for number in (1, 2) for line in lines
    ]


@pytest.mark.parametrize("title", ["Werewolf Game", "# Mafia game night", "morning everyone", "Town"])
def test_other_titles_are_no_part_of_a_day(title):
    assert part_of_day(title) == ""


FORMS_OF_VOTES = {
    "bullets": "## Day 1\n\n**Ann:** Hi, Bea.\n\n**Bea:** Ho, Ann.\n\n### Vote\n\n- Ann → Bea\n- Bea → Ann\n\n"
    "*Bea was voted out.*\n\n## Day 2\n\n**Ann:** Alone, Bea.",
    "timed": "[20:01:00] GM: Day 1 has started.\n[20:01:01] Ann: Hi, Bea.\n[20:01:02] Bea: Ho, Ann.\n"
    "[20:01:03] * Ann voted for Bea\n[20:01:04] * Bea voted for Ann\n[20:01:05] GM: Bea was voted out.\n"
    "[20:01:06] GM: Day 2 has started.\n[20:01:07] Ann: Alone, Bea.",
    "French": "Jour 1\nAnn: Hi, Bea.\nBea: Ho, Ann.\nAnn vote contre Bea\nBea a voté pour Ann\n\nEliminated: Bea\n\n"
    "Jour 2\nAnn: Alone, Bea.",
    "words": "DAY ONE\n=======\n\n[Everyone wakes up for day 1.]\n\nAnn: Hi, Bea.\nBea: Ho, Ann.\n\n"
    "Votes: Ann -> Bea, Bea -> Ann\nEliminated: Bea\n\nDAY TWO\n=======\n\n[Everyone wakes up for day 2.]\n\n"
    "Ann: Alone, Bea.",
}


@pytest.mark.parametrize("form", FORMS_OF_VOTES)
def test_votes_and_rounds_in_everyday_forms(form):
    (game,) = read_transcripts(FORMS_OF_VOTES[form].encode(), "a.txt").games
    names = [player.name for player in game.record.players]
    said = [(one.round, names[one.player - 1], one.text) for one in game.record.messages]
    assert said == [(1, "Ann", "Hi, Bea."), (1, "Bea", "Ho, Ann."), (2, "Ann", "Alone, Bea.")]
    votes = [(one.round, names[one.voter - 1], names[one.target - 1]) for one in game.record.votes]
    assert votes == [(1, "Ann", "Bea"), (1, "Bea", "Ann")]
    assert [names[one.player - 1] for one in game.record.eliminations] == ["Bea"]


def test_votes_of_each_round_by_their_voters():
    talk = [
        {"round": number, "speaker": name, "text": f"Hi {number}."}
        for number in (1, 2)
        for name in ("Ann", "Bea")
    ]
    votes = [{"round": 1, "votes": {"Ann": "Bea", "Bea": "Ann"}}]
    (game,) = read_transcripts(
        json.dumps({"channels": {"public": talk}, "votes": votes}).encode(), "a.json"
    ).games
    assert [(one.round, one.voter, one.target) for one in game.record.votes] == [(1, 1, 2), (1, 2, 1)]


def test_a_row_without_a_player_is_no_fault_where_rows_have_phases():
    rows = [(None, "Day 1."), ("Ann", "Hi, Bea."), ("Bea", "Ho, Ann.")]
    lines = [json.dumps({"day": 1, "phase": "talk", "player": name, "message": text}) for name, text in rows]
    (game,) = read_transcripts("\n".join(lines).encode(), "a.jsonl").games
    assert [one.text for one in game.record.messages] == ["Hi, Bea.", "Ho, Ann."]


TOLD_ROWS = [
    ("GameBot", "Day 1 breaks. Nobody was harmed."),
    ("Ann", "Hi, Bea."),
    ("Bea", "Ho, Ann."),
    ("GameBot", "Night 2 falls."),
    ("Ann", "We take Cid, CANARY."),
    ("GameBot", "Day 2 breaks. Cid was killed."),
    ("Ann", "Alone, Bea."),
]


@pytest.mark.parametrize("narrator", ["GameBot", "Moderator", "Host"])
@pytest.mark.parametrize("shape", ["lines", "turns", "csv"])
def test_rows_without_a_round_have_that_of_the_narrator(narrator, shape):
    told = [(narrator if name == "GameBot" else name, text) for name, text in TOLD_ROWS]
    rows = [{"speaker": name, "text": text} for name, text in told]
    data = {
        "lines": "\n".join(map(json.dumps, rows)),
        "turns": json.dumps({"turns": rows}),
        "csv": "\n".join(["speaker,text", *(f'{name},"{text}"' for name, text in told)]),
    }
    (game,) = read_transcripts(data[shape].encode(), f"a.{shape}").games
    said = [(one.round, one.text) for one in game.record.messages]
    assert said == [(1, "Hi, Bea."), (1, "Ho, Ann."), (2, "Alone, Bea.")]
    assert [entry.text for entry in game.private] == ["We take Cid, CANARY."]
    assert [player.name for player in game.record.players] == ["Ann", "Bea"]


VOTE_LINES = {
    "below a title": "Votes:\nAnn → Bea\nBea → Ann\n",
    "below a title, as a list": "Vote results:\n- Ann: Bea\n- Bea: Ann\n",
    "as sentences": "Voting:\nAnn votes for Bea\nBea voted for Ann.\n",
    "dictionary": "Votes: {'Ann': 'Bea', 'Bea': 'Ann'}\n",
    "boxed": "[Votes] Ann -> Bea, Bea -> Ann\n",
    "own": "Ann votes: Bea\nBea's vote: Ann\n",
    "own, boxed": "Ann [VOTE]: Bea\nBea (vote): Ann\n",
    "Chinese": "投票：\nAnn → Bea\nBea → Ann\n",
}
COUNTS = ["Vote count: Bea 2, Ann 1\n", "Votes: Bea 2, Ann 1\n", "Voting results: Bea is out with 2 votes.\n"]
HEADS = [
    "Mafia game log\nPlayers: Ann (Mafia), Bea (Seer), Cid (Doctor)\n\n",
    "Roles:\nAnn - Mafia\nBea - Seer\nCid - Doctor\n\n",
    "=== GAME START ===\nPlayers: Ann, Bea, Cid\nRoles: Ann=Mafia, Bea=Seer, Cid=Doctor\n",
    "对局记录\n角色：Ann=Mafia、Bea=Seer、Cid=Doctor\n\n",
]
TAGGED = {"Ann": "gpt-4o", "Bea": "claude-3", "Cid": "gemini"}
HIDDEN_LINES = ["> Ann's reasoning: CANARY.\n", "  [reasoning] CANARY.\n", "[thinking] CANARY.\n"]


def two_days(after="", head=""):
    days = ["".join(f"{name}: I say {other} on day {at}.\n" for name, other in PAIRS) for at in (1, 2)]
    return f"{head}Day 1\n{days[0]}{after}Day 2\n{days[1]}{after}"


PAIRS = [("Ann", "Bea"), ("Bea", "Cid"), ("Cid", "Ann"), ("Ann", "Cid")]


def read_days(text):
    (game,) = read_transcripts(text.encode(), "a.txt").games
    record = game.record
    names = [player.name for player in record.players]
    said = [(one.round, names[one.player - 1], one.text) for one in record.messages]
    assert said == [(at, name, f"I say {other} on day {at}.") for at in (1, 2) for name, other in PAIRS]
    votes = [(one.round, names[one.voter - 1], names[one.target - 1]) for one in record.votes]
    return game, {player.name: player.role for player in record.players}, votes


@pytest.mark.parametrize("form", VOTE_LINES)
def test_votes_below_and_after_a_title_are_votes(form):
    _game, _roles, votes = read_days(two_days(VOTE_LINES[form]))
    assert votes == [(at, *pair) for at in (1, 2) for pair in (("Ann", "Bea"), ("Bea", "Ann"))]


@pytest.mark.parametrize("line", COUNTS)
def test_counted_votes_are_told_and_no_message(line):
    _game, _roles, votes = read_days(two_days(line))
    assert votes == []


@pytest.mark.parametrize("head", HEADS)
def test_players_and_roles_stand_below_a_title(head):
    _game, roles, _votes = read_days(two_days(head=head))
    assert roles == {"Ann": "Mafia", "Bea": "Seer", "Cid": "Doctor"}


@pytest.mark.parametrize("line", HIDDEN_LINES)
def test_a_line_set_apart_that_says_thought_is_one(line):
    game, _roles, _votes = read_days(two_days(line))
    assert all("CANARY" in entry.text for entry in game.private)
    assert len(game.private) == 2


def test_titles_of_channels_hide_what_follows():
    data = two_days("=== Ghost chat ===\nAnn: CANARY.\nBea: CANARY.\n=== Day 9 ===\n").replace(
        "=== Day 9 ===\n", ""
    )
    (game,) = read_transcripts(data.encode(), "a.txt").games
    assert not any("CANARY" in one.text for one in game.record.messages)


def test_models_in_brackets_before_their_names_are_no_audience():
    said = "".join(f"[{TAGGED[name]}] {name}: I say {other} on day 1.\n" for name, other in PAIRS)
    votes = "".join(f"[{tag}] {name} voted: Ann\n" for name, tag in TAGGED.items())
    (game,) = read_transcripts(f"Day 1\n{said}{votes}".encode(), "a.txt").games
    assert [one.text for one in game.record.messages] == [
        f"I say {other} on day 1." for _name, other in PAIRS
    ]
    assert len(game.record.votes) == 3


def test_who_says_my_vote_is_asked_about():
    outcome = read_transcripts(two_days("My vote: Ann, for she lies.\n").encode(), "a.txt")
    assert not outcome.games
