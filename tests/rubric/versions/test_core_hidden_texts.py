"""A hidden character in any text of a version is refused where the version is written, and read where it is stored."""

import copy
import json
from pathlib import Path

import pytest

from rubric.versions.core.draft import draft_texts, read_draft
from rubric.versions.core.version_json import read_version

FOLDER = Path("rubric/versions/first_versions")
VERSIONS = [json.loads((FOLDER / name).read_bytes()) for name in ("discussion-1.2.json", "response-1.2.json")]
FREE = ("label", "description", "question", "guiding_questions", "good_examples", "bad_examples", "advice")


def read(document, **given):
    return read_version(json.dumps(document).encode(), **given)


def list_places(value, path=()):
    """The path of every text in a document."""
    if isinstance(value, str):
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        yield from list_places(inner, (*path, name))


def with_text(document, path, add):
    changed = copy.deepcopy(document)
    place = changed
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] += add
    return changed


@pytest.mark.parametrize("document", VERSIONS, ids=["discussion", "response"])
def test_a_hidden_character_in_any_text_is_refused_at_its_place(document):
    # Keys, numbers and choices are no free texts: what is in them has a fault of its own.
    paths = [
        path
        for path in list_places(document)
        if path[0] in ("name", "source", "lists") or (path[0] == "criteria" and path[2] in (*FREE, "anchors"))
    ]
    # One of each kind of place: of a criterion's texts, and of lists the first text of each.
    kinds = {
        (path[0], *path[2:3]) if path[0] == "criteria" else path: path for path in paths if path[-1] != 1
    }
    paths = [path for path in kinds.values() if "lists" not in path or path[-1] == 0]
    assert len(paths) > 8
    for path in paths:
        changed = with_text(document, path, "\u202e")
        problems = read(changed)
        assert [problem.code for problem in problems] == ["hidden"], path
        assert problems[0].pointer == "/" + "/".join(map(str, path))
        assert "⟨U+202E⟩. Remove it" in problems[0].message
        assert not isinstance(read(changed, is_stored=True), list), path


@pytest.mark.parametrize("hidden", ["\u200b", "\u2066", "\xad", "\ufeff", "\x1b", "\U000e0041", "\xa0"])
def test_other_hidden_characters_are_refused(hidden):
    assert [problem.code for problem in read(with_text(VERSIONS[1], ("criteria", 0, "label"), hidden))] == [
        "hidden"
    ]


@pytest.mark.parametrize("seen", ["é", "…", "“x”", "\n", "\t", "日本", "שלום", "👩\u200d🔬", "नमस्\u200dते"])
def test_what_is_seen_is_read(seen):
    assert not isinstance(read(with_text(VERSIONS[1], ("criteria", 0, "question"), seen)), list)


@pytest.mark.parametrize("name", ["label", "question", "description", "guiding_questions"])
def test_the_editor_shows_it_at_its_field(name):
    base = read(VERSIONS[1])
    texts = draft_texts(base)
    texts[f"c0-{name}"] = "Is it\u202e so?"
    ((field, says),) = read_draft(texts, base)
    assert (field, "⟨U+202E⟩" in says) == (f"c0-{name}", True)
