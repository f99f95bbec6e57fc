"""Sentences of cores: said in the reader's language, plainly for evidence, and found by translators."""

import shutil
import subprocess

import pytest
from django.utils.translation import gettext, ngettext

from workspace.core.words import mark, mark_many, plainly, register_words, say, say_many
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
