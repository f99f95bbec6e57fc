"""Fixtures of the tests of background work."""

import pytest

from rubric.comparisons.actions import add_reviewer
from rubric.models.comparisons import MODEL
from tests.factories.comparisons import make_set
from tests.factories.model_reviewers import Waits, go
from tests.factories.people import NOW
from tests.services.chat_server import talking


@pytest.fixture
def waits():
    return Waits()


@pytest.fixture
def asking(settings, waits):
    """Opens a server with these acts, has a set of one model asked there, and gives the set and the server."""
    opened = []

    def ask(*acts, questions=1, models=("one-model",), run=True, **given):
        made = make_set(questions=questions, **given)
        for name in models:
            add_reviewer(comparison_set=made, kind=MODEL, name=name, by=made.created_by, now=NOW)
        context = talking(*acts)
        server = context.__enter__()
        opened.append(context)
        settings.REVIEW_MODELS_URL, settings.REVIEW_MODELS_KEY = server.url, "sk-very-secret"
        settings.REVIEW_MODELS, settings.REVIEW_TIMEOUT = list(models), 90
        if run:
            go(made, waits)
        return made, server

    yield ask
    for context in opened:
        context.__exit__(None, None, None)
