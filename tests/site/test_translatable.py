"""Every word of ours on every page of every role goes through gettext: a made-up language marks what does."""

import json
import re
import sys
from functools import _lru_cache_wrapper

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction

from discussions.metrics.core.parameters import SHARED
from discussions.queue.core import format_duration
from discussions.transcripts.core.decoding import ENCODINGS
from discussions.transcripts.core.formats import FORMATS
from rubric.core.scales import Scale
from rubric.core.weights import weight_problems
from tests.site.pseudo_locale import install, mark_text, outside, stored_texts, untranslated
from tests.site.rights_matrix import MATRIX
from tests.site.test_rights_matrix import ask, get_address, world  # noqa: F401  a fixture
from workspace.core.words import say, say_many
from workspace.statistics.alpha import krippendorff_alpha
from workspace.statistics.conclusions import cannot_tell, no_difference, small_note, too_few
from workspace.statistics.estimates import jackknife_t
from workspace.statistics.rankings import kendall_w

pytestmark = pytest.mark.django_db

ROLES = ("anonymous", "assigned", "lead", "admin")
ROWS = [(name, row) for name, rows in MATRIX.items() for row in rows]
FORMS = [(name, row) for name, row in ROWS if row.verb == "POST" and not row.scope]
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

# Files with many kinds of faults, for the pages that read them at once.
CRITERION = {
    "key": "alpha",
    "label": "",
    "description": "",
    "question": "",
    "weight": 7,
    "scale": {"lowest": 9},
}
FILES = {
    "import_rubric": [
        b"",
        b"{",
        b'{"alpha": 1, "alpha": 2}',
        b"\xff\xfe",
        b'{"name": "Alpha"}',
        json.dumps(
            {
                "name": "",
                "version": "",
                "kind": "alpha",
                "criteria": [CRITERION],
                "parameters": {},
                "lists": {},
            }
        ).encode(),
        json.dumps(
            {
                "name": "Alpha",
                "version": "9",
                "kind": "response",
                "criteria": [
                    {"key": "alpha", "label": "Alpha", "description": "", "question": "", "weight": 0.3},
                    {"key": "alpha", "label": "Alpha", "description": "", "question": "", "weight": 2},
                ],
                "parameters": {"alpha": 1},
                "lists": {"alpha": []},
            }
        ).encode(),
    ],
    "import_comparisons": [
        b"",
        b"{\n",
        b"[]\n",
        b'{"id": "", "question": "", "responses": [{"id": "alpha", "text": "", "author": 1}]}\n',
        b'{"id": "alpha", "question": "Alpha?", "responses": [{"id": "alpha", "text": "Alpha"}, {"id": "alpha"}]}\n',
        b'{"comparison": "alpha", "reviewer": "alpha", "scores": {"alpha": {"alpha": 99}}, "alpha": 1}\n',
        b'{"comparison": "alpha", "reviewer": "alpha", "text": 1, "ranking": 2, "scale": 3, "labels": 4}\n',
    ],
    "upload_answers": [b"", b"alpha\n", b"[]\n", b'{"comparison": "alpha", "reviewer": 1, "text": ""}\n'],
}


@pytest.fixture(name="known")
def _known(world, monkeypatch):  # noqa: F811
    install(monkeypatch)
    forget_said()
    yield stored_texts()
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


def ask_wrongly(world):  # noqa: F811
    """What forms answer to nothing, to nonsense, and to people who may not."""
    for name, row in FORMS:
        address = get_address(name, world)
        for role in ROLES:
            status = row.expected(role, as_htmx=False)
            if status in (400, 403, 409, 422):
                yield name, ask(world, role, "POST", address, row.body)
        able = next(
            (role for role in reversed(ROLES) if row.expected(role, as_htmx=False) in (200, 303)), None
        )
        if able:
            yield name, ask(world, able, "POST", address, {})
            yield name, ask(world, able, "POST", address, dict.fromkeys(row.body, "?"))


def test_every_refusal_is_translated(world, known):  # noqa: F811
    faults = list_faults(ask_wrongly(world), known)
    assert not faults, "\n".join(faults)


def upload_wrongly(world):  # noqa: F811
    """What pages answer to files with faults."""
    client = world["client"]
    for name, files in FILES.items():
        address = get_address(name, world)
        for number, data in enumerate(files):
            ask(world, "admin", "GET", address)  # signs in
            with transaction.atomic():
                file = SimpleUploadedFile(f"Alpha{number}.json", data)
                answer = client.post(address, {"file": file, "note": "Alpha"})
                transaction.set_rollback(True)
            assert answer.status_code in (400, 422), (name, data)
            yield name, answer


def test_every_fault_of_a_file_is_translated(world, known):  # noqa: F811
    faults = list_faults(upload_wrongly(world), known + " alpha")
    assert not faults, "\n".join(faults)


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


def test_values_that_no_page_of_this_world_shows_are_translated(known):
    said = dict(rare_sentences())
    assert [what for what, text in said.items() if not text] == []
    assert len(said) == 23
    faults = {what: found for what, text in said.items() if (found := untranslated(text, ""))}
    assert not faults


def test_values_stand_outside_of_the_marks(known):
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
