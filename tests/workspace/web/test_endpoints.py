"""Answers of the API: what leaves of a row or record, and which types it has."""

from decimal import Decimal
from typing import NamedTuple

import pytest
from msgspec import Struct

from workspace.models import Project
from workspace.web.endpoints import Answer


class Part(Struct, frozen=True):
    size: Decimal
    secret: str = "hidden"


class Whole(NamedTuple):
    project: Project | None
    parts: list[Part]
    first: Part | None
    pairs: list[tuple[Part, int]]

    @property
    def note(self) -> str | None:
        return None


class PartAnswer(Answer, of=Part, fields="size"):
    pass


class WholeAnswer(
    Answer,
    of=Whole,
    fields="project slug:project.slug sizes:parts.size count:parts.len() first:first.size of:pairs.1 says:note "
    "notes:first.secret own:parts",
):
    says: str
    notes: list[str]
    own: list[PartAnswer]


def test_what_is_named_leaves_and_nothing_else():
    project, parts = Project(name="Ours", slug="ours"), [Part(Decimal("0.5")), Part(Decimal(2))]
    answer = WholeAnswer.read(Whole(project, parts, None, [(parts[0], 7)])).model_dump()
    assert answer == {
        "project": str(project),
        "slug": "ours",
        "sizes": [0.5, 2.0],
        "count": 2,
        "first": None,
        "of": [7],
        "says": "",
        "notes": [],
        "own": [{"size": 0.5}, {"size": 2.0}],
    }


def test_types_are_those_of_the_class():
    fields = {name: field.annotation for name, field in WholeAnswer.model_fields.items()}
    assert fields == {
        "project": str | None,
        "slug": str | None,
        "sizes": list[float],
        "count": int,
        "first": float | None,
        "of": list[int],
        "says": str,
        "notes": list[str],
        "own": list[PartAnswer],
    }


def test_what_the_class_does_not_have_cannot_be_named():
    with pytest.raises(TypeError, match=r"Part\.colour has no type"):
        type("Wrong", (Answer,), {"__module__": __name__}, of=Part, fields="colour")
