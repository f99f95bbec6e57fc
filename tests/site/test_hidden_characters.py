"""A hidden character in every text that a person typed reaches no page, title, label or Markdown file as it is."""

import re
from collections.abc import Mapping

import pytest
from django.apps import apps
from django.db.models import CharField, F, TextField, Value
from django.db.models.functions import Concat
from django.test import Client

from tests.factories.tampering import without_triggers
from tests.factories.world import make_world
from tests.site.matrix_rows import COLUMNS
from tests.site.rights_matrix import MATRIX
from tests.site.test_rights_matrix import get_address

pytestmark = pytest.mark.django_db
HIDDEN = "\u202e"

# What people type, by the names of the columns. The names of people, projects, sets, rubrics, tokens and webhooks are
# left out: whoever types them is refused a hidden character (`plain_name`).
TYPED = set(
    "author change_note comment discarded_reason error finish_reason goal hunks_answer model needed_reason note notes "
    "override_reason prompt question reason released_reason retired_reason returned_comment skipped_reason source_id "
    "statement text withdrawn_reason".split()
)
NAMED = {"CalibrationRound", "Iteration", "Reviewer", "Stage", "Transcript"}

# Fields of forms keep what was typed.
FIELDS = re.compile(r"<textarea.*?</textarea>|\bvalue=\"[^\"]*\"", re.DOTALL)


def hide_in_texts() -> list[str]:
    """Add a hidden character to every text of every row; return the names of the columns."""
    columns = []
    for model in apps.get_models():
        if model._meta.app_label not in ("workspace", "rubric", "discussions"):
            continue
        for field in model._meta.concrete_fields:
            is_typed = field.name in TYPED or (field.name == "name" and model.__name__ in NAMED)
            if not is_typed or field.choices or not isinstance(field, CharField | TextField):
                continue
            rows = model._base_manager.exclude(**{field.name: ""})
            if rows.update(**{field.name: Concat(F(field.name), Value(HIDDEN))}):
                columns.append(f"{model.__name__}.{field.name}")
    return columns


def list_pages(column: str) -> list[tuple[str, Mapping[str, str]]]:
    """The pages that somebody of this column may open, and what they send."""
    place = COLUMNS.index(column)
    return [
        (name, row.body)
        for name, rows in MATRIX.items()
        for row in rows
        if (row.verb, row.statuses.split()[place]) == ("GET", "200") and not name.startswith("api:")
    ]


def test_no_page_shows_a_hidden_character_as_it_is():
    world, opened, wrong = make_world(), 0, []
    with without_triggers():
        columns = hide_in_texts()
    for column in ("assigned", "lead", "admin"):
        client = Client()
        client.force_login(world["people"][column])
        for name, body in list_pages(column):
            answer = client.get(get_address(name, world), body)
            if not answer["Content-Type"].startswith(("text/html", "text/markdown")):
                continue  # files for programs hold what was typed
            opened += 1
            shown = FIELDS.sub("", answer.content.decode())
            found = shown.find(HIDDEN)
            wrong += [f"{column} {name}: {shown[max(0, found - 90) : found + 10]!r}"] if found >= 0 else []
    assert not wrong, "\n".join(wrong)
    assert (opened > 200, len(columns) > 12) == (True, True), (opened, columns)
