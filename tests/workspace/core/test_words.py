"""Sentences of cores: said in the reader's language, plainly for evidence, and found by translators."""

import shutil
import subprocess
from decimal import Decimal

import msgspec
import pytest
from django.utils.translation import gettext, ngettext

from workspace.core.words import (
    decode_stored,
    for_storage,
    mark,
    mark_many,
    plainly,
    register_words,
    say,
    say_many,
    say_stored,
)
from workspace.management.commands.makemessages import Command

GERMAN = {
    "Game {number} is gone.": "Spiel {number} ist weg.",
    "{n} games": "{n} Spiele",
    "{n} game": "{n} Spiel",
}


@pytest.fixture
def _german():
    register_words(GERMAN.__getitem__, lambda one, many, count: GERMAN[one if count == 1 else many])
    yield
    register_words(gettext, ngettext)


@pytest.mark.usefixtures("_german")
def test_a_sentence_is_said_in_the_language_that_is_registered():
    assert say("Game {number} is gone.", number=3) == "Spiel 3 ist weg."
    assert say_many("{n} game", "{n} games", 1) == "1 Spiel"
    assert say_many(*mark_many("{n} game", "{n} games"), 2) == "2 Spiele"


@pytest.mark.usefixtures("_german")
def test_evidence_is_made_in_the_words_of_the_code():
    with plainly():
        assert say(mark("Game {number} is gone."), number=3) == "Game 3 is gone."
        assert say_many("{n} game", "{n} games", 2) == "2 games"
    assert say("Game {number} is gone.", number=3) == "Spiel 3 ist weg."


def test_a_sentence_without_values_keeps_its_braces():
    assert say('Write {"a": 1}.') == 'Write {"a": 1}.'
    assert say("") == ""


def test_a_doubled_brace_is_one_brace_also_in_a_stored_sentence():
    template = "Write {{...}}, or {{0,{most}}}, not {seen}."
    values = {"most": 3, "seen": "{{a}}"}
    with for_storage():
        stored = say(template, **values)
    assert say_stored(stored) == say(template, **values) == "Write {...}, or {0,3}, not {{a}}."


def test_a_stored_sentence_is_said_in_the_language_of_its_reader():
    with for_storage():
        stored = say("Game {number} is gone.", number=say_many("{n} game", "{n} games", 2))
        assert say(stored) == stored, "given on and said again, it is stored once"
        joined = f"{stored} {say('Of {size:,.1f} MiB and {share:g}.', size=Decimal(1234), share=0.5)}"
    assert say_stored([joined, {"a": stored}]) == [
        "Game 2 games is gone. Of 1,234.0 MiB and 0.5.",
        {"a": "Game 2 games is gone."},
    ]
    register_words(GERMAN.__getitem__, lambda one, many, count: GERMAN[one if count == 1 else many])
    try:
        assert say_stored(stored) == "Spiel 2 Spiele ist weg."
        with plainly():
            assert say_stored(stored) == "Game 2 games is gone."
    finally:
        register_words(gettext, ngettext)


def test_stored_json_is_read_in_its_shape_also_that_of_before():
    with for_storage():
        body = msgspec.json.encode({1: [say("Game {number} is gone.", number=3)]}).decode()
    assert decode_stored(body, dict[int, list[str]]) == {1: ["Game 3 is gone."]}
    assert decode_stored('{"1":["Game 3 is gone."]}', dict[int, list[str]]) == {1: ["Game 3 is gone."]}


@pytest.mark.parametrize(
    "text",
    [
        "\x02\x03",
        "\x02[\x03",
        '\x02["{a.__class__}",{"a":1}]\x03',
        '\x02["{a:>999999999}",{"a":1}]\x03',
        '\x02["{b}",{"a":1}]\x03',
        '\x02["x",{"a":[1]}]\x03',
        "\x02" * 5_000,
    ],
)
def test_what_a_stranger_wrote_between_the_signs_of_stored_sentences_does_no_harm(text):
    assert say_stored(text) in (text, "{a.__class__}", "{a:>999999999}")


def test_a_stored_text_does_not_grow_without_end():
    text = "x" * 100
    for _depth in range(6):
        text = f"\x02{msgspec.json.encode(['{a}' * 100, {'a': text}]).decode()}\x03"
    assert len(say_stored(text)) <= 20_000


@pytest.mark.skipif(shutil.which("xgettext") is None, reason="xgettext of GNU gettext is not installed")
def test_translators_find_the_sentences_of_cores(tmp_path):
    source = tmp_path / "core.py"
    source.write_text(
        'say("Said {x}.", x=1)\nsay_many("{n} one", "{n} many", 2)\nmark("Marked.")\nmark_many("One.", "More.")\n'
        '_now("Now.")\nplain("Plain.")\n'
    )
    options = ["--language=Python", *Command.xgettext_options, "--output=-"]
    done = subprocess.run(["xgettext", *options, str(source)], capture_output=True, text=True, check=True)
    assert 'msgid "Said {x}."' in done.stdout
    assert 'msgid_plural "{n} many"' in done.stdout
    assert 'msgid "Marked."' in done.stdout
    assert 'msgid_plural "More."' in done.stdout
    assert 'msgid "Now."' in done.stdout
    assert "Plain." not in done.stdout
