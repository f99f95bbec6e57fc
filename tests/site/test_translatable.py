"""Every word of ours goes through gettext: how a made-up language shows it on pages, and what no page shows."""

import re
import sys
from functools import _lru_cache_wrapper

import numpy as np
import pytest

from discussions.metrics.core.parameters import SHARED
from discussions.queue.core import format_duration
from discussions.transcripts.core.decoding import ENCODINGS
from discussions.transcripts.core.formats import FORMATS
from rubric.core.scales import Scale
from rubric.core.weights import weight_problems
from tests.site.pseudo_locale import install, mark_text, outside, untranslated
from workspace.core.words import say, say_many
from workspace.statistics.alpha import krippendorff_alpha
from workspace.statistics.conclusions import cannot_tell, no_difference, small_note, too_few
from workspace.statistics.estimates import jackknife_t
from workspace.statistics.rankings import kendall_w

# Names that every language writes alike, each with its reason; a part of a text that is one of them is no fault.
NAMES = {
    "Acme": "the name of the provider of sign-ins, from the settings",
    "Markdown": "a file format",
    **{known.name.replace("_", " "): "a file format, as programs name it" for known in FORMATS},
    # Without its digits: "utf", "windows".
    **{
        re.sub(r"-?\d.*", "", name).replace("_", " "): "an encoding, as programs name it"
        for name in ENCODINGS
    },
    "sqlite": "the name of a product",
    "tau-b": "the name of a statistic",
    "minimal": "a value of a parameter of calls, as programs name it",
    "after first": "a value of a parameter, as the rubric's file has it",
    "dice bigrams": "a value of a parameter, as the rubric's file has it",
    "pooled": "a value of a parameter, as the rubric's file has it",
    "reset": "a value of a parameter, as the rubric's file has it",
    # Parameters that the shipped versions lack, so that their defaults hold.
    **{
        str(word).replace("_", " "): "a parameter or its value, as the rubric's file has it"
        for name in SHARED.defaults
        for word in (name, *SHARED.choices.get(name, ()))
    },
    **dict.fromkeys(("Otis", "Mira", "Lena", "Pia", "Kuno"), "a player of the practice game"),
}
# What is made for one person and shown once.
SECRETS = re.compile(r"\b[0-9a-f]{64}\b|https?://[^\s\"'<]+|whsec_[^\s\"'<]+")


@pytest.fixture
def marked(monkeypatch):
    """The made-up language."""
    install(monkeypatch)
    forget_said()
    yield
    forget_said()


def forget_said() -> None:
    """The made-up language goes by the name of the real one, so what was said in either is kept for no other test."""
    ours = [module for name, module in sys.modules.items() if name.startswith(("discussions.", "rubric."))]
    for found in (value for module in ours for value in vars(module).values()):
        if type(found) is _lru_cache_wrapper:
            found.cache_clear()


def is_page(answer) -> bool:
    return not answer.streaming and "html" in answer.headers.get("Content-Type", "")


def list_faults(answers, known: str) -> list[str]:
    faults: dict[str, set[str]] = {}
    seen: set[str] = set()
    for name, answer in answers:
        if not is_page(answer) or (said := answer.content.decode()) in seen:
            continue
        seen.add(said)
        for words in untranslated(SECRETS.sub("", said), known, NAMES, seen):
            faults.setdefault(words, set()).add(name)
    return [
        f"{words[:150]!r} on {', '.join(sorted(names)[:3])}: translate it, or say in NAMES why not"
        for words, names in sorted(faults.items())
    ]


def rare_sentences():
    """Values that no page of the tests' world shows, by what they are."""
    twins = [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]
    yield from ((f"{minutes} minutes", format_duration(minutes)) for minutes in (1, 17, 200, 9000))
    weights = {f"c{number}": "0.2" for number in range(10)}
    yield "weights", " ".join(problem.message for problem in weight_problems(weights))
    yield "two steps", Scale(0, 1, 1).text
    yield "half steps", Scale(0, 3, 0.5).text
    for ratings in ([], [[1.0, 2.0]], twins, [[float("inf"), 1.0]] * 2):
        yield f"alpha of {ratings}", krippendorff_alpha(ratings, level="interval").reason
        yield f"ranks of {ratings}", kendall_w(ratings).reason
    for unit in ("item", "group"):
        yield f"few {unit}s", jackknife_t(0.5, np.array([0.5]), unit=unit)[1]
        yield f"one {unit}", jackknife_t(0.5, np.full(99, np.nan), unit=unit)[1]
    yield "few comparisons", too_few(3)
    yield "cannot tell", cannot_tell(3, say("no game yet")).reason
    yield "no difference", no_difference(3, say("no game yet")).reason
    yield "hardly", small_note((-0.1, 0.1), 1.0, say("no game yet"))


def test_values_that_no_page_of_this_world_shows_are_translated(marked):
    said = dict(rare_sentences())
    assert [what for what, text in said.items() if not text] == []
    assert len(said) == 23
    faults = {what: found for what, text in said.items() if (found := untranslated(text, ""))}
    assert not faults


def test_values_stand_outside_of_the_marks(marked):
    assert mark_text("Game %(n)s of {total:,}") == "⟦Game ⟧%(n)s⟦ of ⟧{total:,}"
    assert say("Game {number} is gone", number="three") == "⟦Game ⟧three⟦ is gone⟧"
    assert say_many("{n} game", "{n} games", 2) == "2⟦ games⟧"
    assert list(outside("⟦Game ⟧three⟦ is gone⟧ now"))[-1] == " now"


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("<p>⟦All is well⟧</p>", []),
        ("<p>⟦Game ⟧broken⟦ is gone⟧</p>", ["broken"]),
        ("<p>Plain words</p>", ["Plain words"]),
        ("<p><code>plain_words</code></p>", []),
        ('<p title="Plain words">⟦Fine⟧</p>', ["Plain words"]),
        ('<input type="hidden" value="plain words">', []),
        ('<input type="submit" value="Plain words">', ["Plain words"]),
        ("<p>Alpha: 3.5, Beta</p>", []),
    ],
)
def test_a_plain_word_is_found(page, found):
    assert untranslated(page, "alpha beta") == found
