"""XML, HTML, and texts that are written in HTML."""

import json
from html import escape

import pytest

from discussions.transcripts.core.readers.heads import propose_mapping, read_first_game, read_head
from discussions.transcripts.core.readers.markup import as_rows, without_html
from discussions.transcripts.core.readers.row_kinds import find_questions
from tests.factories.reading import read_transcripts

SAID = [
    (1, "Ida", "Good morning, Jon & Kim, I <3 you.", True),
    (1, "Jon", "Kim was very quiet all night.", True),
    (1, "Kim", "Jon is the one, I am sure.", True),
    (1, "Ida", "SECRET: we take Kim tonight.", False),
    (1, "Jon", "SECRET: agreed, Kim must go.", False),
    (2, "Kim", "I do not trust Ida at all.", True),
    (2, "Ida", "Kim lies to all of you, Jon.", True),
    (2, "Jon", "Ida is right about Kim.", True),
]
VOTES = [(1, "Ida", "Jon"), (1, "Jon", "Kim"), (2, "Kim", "Ida"), (2, "Ida", "Kim"), (2, "Jon", "Kim")]


def written(said: str, vote: str, day: str = "{}", words: tuple[str, str] = ("all", "wolves")) -> str:
    """The days, each with what was said and the votes; {k} says who heard it."""
    days = []
    for number in (1, 2):
        lines = [
            said.format(n=number, a=name, t=escape(text), k=words[not is_open])
            for day, name, text, is_open in SAID
            if day == number
        ]
        lines += [vote.format(n=number, a=name, b=target) for day, name, target in VOTES if day == number]
        days.append(day.format("\n".join(lines), n=number))
    return "\n".join(days)


FORMS = {
    "attributes": "<?xml version='1.0'?><game>"
    + written(
        "<say from='{a}' channel='{k}'>{t}</say>",
        "<vote voter='{a}' target='{b}'/>",
        "<day number='{n}'>{}</day>",
    )
    + "</game>",
    "elements": "<log>"
    + written(
        "<entry><kind>{k}</kind><round>{n}</round><player>{a}</player><text>{t}</text></entry>",
        "<entry><kind>vote</kind><round>{n}</round><player>{a}</player><target>{b}</target></entry>",
        words=("say", "whisper"),
    )
    + "</log>",
    "names of elements": "<log>"
    + written(
        "<turn player='{a}' day='{n}'><{k}>{t}</{k}></turn>",
        "<turn player='{a}' day='{n}'><vote>{b}</vote></turn>",
        words=("speech", "thought"),
    )
    + "</log>",
    "classes": "<!DOCTYPE html><html><head><title>A game</title></head><body>"
    + written(
        '<div class="msg {k}"><i>◆</i><span class="author">{a}</span>: <span class="body">{t}</span></div>',
        '<div class="vote"><span class="voter">{a}</span> for <span class="target">{b}</span></div>',
        "<h2>Day {n}</h2>{}",
        words=("", "private"),
    )
    + "</body></html>",
    "told votes": "<!DOCTYPE html><html><body>"
    + written(
        '<p class="msg {k}"><i>◆</i><span class="author">{a}</span>: <span class="body">{t}</span></p>',
        '<p class="ballot"><b>{a}</b> votes for <i>{b}</i></p>',
        "<h2>Day {n}</h2>{}",
        words=("", "private"),
    )
    + "</body></html>",
    "a table": "<html><body><table><tr><th>Day</th><th>Player</th><th>Kind</th><th>Text</th></tr>"
    + written(
        "<tr><td>{n}</td><td>{a}</td><td>{k}</td><td>{t}</td></tr>",
        "<tr><td>{n}</td><td>{a}</td><td>vote</td><td>{b}</td></tr>",
        words=("speech", "night chat"),
    )
    + "</table></body></html>",
    "a page": "<html><body>"
    + written(
        "<p><b>{a}{k}:</b> {t}</p>", "<p>Vote: {a} -&gt; {b}", "<h2>Day {n}</h2>{}", words=("", " (whispers)")
    )
    + "</body></html>",
}


def first_game(data: bytes):
    """The game as it is read at once, else as it is proposed, and what is asked."""
    if games := read_transcripts(data, "game").games:
        return games[0].record, []
    table = read_head(data, is_part=False)
    assert table is not None
    mapping = propose_mapping(table)
    return read_first_game(table, mapping, "game", "game", {}).record, find_questions(table, mapping)


@pytest.mark.parametrize("form", FORMS)
def test_markup_is_read_as_rows_or_lines(form):
    record, asked = first_game(FORMS[form].encode())
    names = [player.name for player in record.players]
    said = [(one.round, names[one.player - 1], one.text) for one in record.messages]
    assert said == [(day, name, text) for day, name, text, is_open in SAID if is_open]
    votes = [(one.round, names[one.voter - 1], names[one.target - 1]) for one in record.votes]
    assert sorted(votes) == sorted(VOTES)
    assert asked == []


def test_unknown_attributes_of_texts_are_one_question_for_each_value():
    words = ("offen", "verdeckt")
    text = written(
        "<zeile wer='{a}' art='{k}'>{t}</zeile>",
        "<stimme von='{a}' gegen='{b}'/>",
        "<tag nr='{n}'>{}</tag>",
        words,
    )
    _record, asked = first_game(f"<log>{text}</log>".encode())
    assert [one.value for one in asked] == list(words)


@pytest.mark.parametrize("title", ["The pack confers", "Wolves' den", "Night 1"])
@pytest.mark.parametrize(
    "form", ["<p><b>{}:</b> {}</p>", '<div class="m"><b class="who">{}</b><i class="said">{}</i></div>']
)
@pytest.mark.parametrize("heading", ["<h2>{}</h2>", "<p><strong>{}</strong></p>", "<div>{}</div>"])
def test_what_stands_below_a_title_that_may_hide_it_is_not_public_at_once(title, form, heading):
    talk = [form.format(name, text) for _day, name, text, is_open in SAID if is_open]
    secret = [form.format(name, text) for _day, name, text, is_open in SAID if not is_open]
    parts = [
        heading.format("Day 1"),
        *talk[:3],
        heading.format(title),
        *secret,
        heading.format("Day 2"),
        *talk[3:],
    ]
    read = read_transcripts(f"<html><body>{''.join(parts)}</body></html>".encode(), "game")
    assert not any("SECRET" in one.text for game in read.games for one in game.record.messages)
    record, asked = first_game(f"<html><body>{''.join(parts)}</body></html>".encode())
    assert asked or not any("SECRET" in one.text for one in record.messages)
    assert len({one.round for one in record.messages}) == 2


@pytest.mark.parametrize(
    "text",
    [
        "<Ann> One\n<Bea> Two\n<Ann> Three\n",
        "<think>I lie.</think>\nAnn: Hello there.\nBea: Hi.\nAnn: Why?\n",
        "<log>" + "<a>" * 200 + "Ann: Hello." + "</a>" * 200 + "</log>",
        "<log><![foo[ x ]]></log>",
        '<ul><li class="wolves">Ann: psst</li><li>Bea: hi</li></ul>',
        '<html><p><b>Ann:</b> Hi</p><p title="whisper to Bea"><b>Ann:</b> Psst</p></html>',
    ],
)
def test_other_texts_stay_as_they_are(text):
    assert as_rows(text.encode()) == text.encode()


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("<span class='vote'>VOTE: Bea</span>", "VOTE: Bea"),
        ("<blockquote>Hi</blockquote>No &amp; <b>never</b>,<br>I say: 1 < 2, x<y.", "No & never,\nI say: 1 < 2, x<y."),
        ("<i>I must hide it.</i> Hello.", "*I must hide it.* Hello."),
        ("Tom &amp; Ann\n\nand I", "Tom & Ann\n\nand I"),
        ("<think>I lie.</think> <b>Hello.</b>", None),
        ('<span class="whisper">Psst.</span>', "<whisper>Psst.</whisper>"),
        ("<span title='whisper to Bea'>Vote Cid</span> Hi.", "<whisper to Bea>Vote Cid</whisper to Bea> Hi."),
        ("<p title='der Bau'>Psst.</p>", "<der Bau>Psst.</der Bau>"),
        ("<p data-to='wolves'>Psst.</p>", "<wolves>Psst.</wolves>"),
        ("<a title='Ann of old' href='x'>Ann</a>, hi", "Ann, hi"),
        ("Hi <span style='color: red; display:none'>I am the <b>wolf</b></span> all", "Hi all"),
        ("Hi <b hidden>I am it</b><i style='visibility: hidden'>yes</i>", "Hi"),
        ("if a <b and c> d then</b> fine", None),
        ("<blockquote>My whole <b>statement</b></blockquote>", "My whole statement"),
    ],
)  # fmt: skip
def test_texts_in_html_are_read_as_people_see_them(written, plain):
    data = json.dumps([{"text": written, "other": "<b>x</b>"}], ensure_ascii=False).encode()
    (read,) = json.loads(without_html(data))
    assert read == {"text": written if plain is None else plain, "other": "x"}


@pytest.mark.parametrize("sign", ["title='wolves'", "data-to='wolves'", "hidden", "style='display: none'"])
@pytest.mark.parametrize(
    "form",
    [
        "<div class='msg' {k}><b class='who'>{a}</b> <span class='text'>{t}</span></div>",
        "<div class='msg'><b class='who'>{a}</b> <span {k}>{t}</span></div>",
    ],
)
def test_attributes_of_a_page_say_who_heard_a_line(sign, form):
    page = f"<html><body>{written(form, '', '{}', ('', sign))}</body></html>"
    record, _asked = first_game(page.encode())
    assert [one.text for one in record.messages] == [text for _n, _a, text, is_open in SAID if is_open]


def test_addresses_are_no_codes_and_votes_in_html_are_votes():
    rows = [
        {"user": name, "content": f"<p>{text}</p>", "link": "https://x.org/a"} for _n, name, text, _o in SAID
    ]
    rows += [
        {"user": name, "content": f"<b>VOTE: {target}</b>", "link": "https://x.org/b"}
        for _n, name, target in VOTES[:2]
    ]
    record, asked = first_game("\n".join(map(json.dumps, rows)).encode())
    assert (len(record.votes), asked) == (2, [])
