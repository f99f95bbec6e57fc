"""Every operation of the API with values in its address that no thing has."""

import re

import pytest
from django.db import connection
from django.urls import reverse

from tests.factories.people import make_lead
from tests.factories.tokens import program_of
from tests.factories.transcripts import make_games_project
from workspace.web.problems import API

pytestmark = [pytest.mark.django_db, pytest.mark.services]
# The first two reach the database where they are not refused before: these alone are asked on PostgreSQL, and by acts.
ODD = ("%00", "99999999999999999999", "-1", "٣")
PART = re.compile(r"\{(\w+)\}")

# The arguments with which tests/site/test_blindness.py and its like for reviews ask all operations, in worlds that
# differ only in what is hidden.
CRAWLED = (
    {
        "slug",
        "number",
        "evaluation",
        "stage",
        "iteration",
        "transcript",
        "table",
        "export",
        "webhook",
        "mapping",
        "calibration",
        "judge",
    },
    {"slug", "number", "comparison", "review", "calibration"},
)


def fill(path, **odd):
    """The address of an operation in the project "ours"; a part that is not named is 1."""
    values = {"slug": "ours"} | odd
    return PART.sub(lambda part: values.get(part[1], "1"), path)


def list_questions(paths):
    """Verb and address of every operation with an odd value in one place, and the statuses that fit."""
    for path, verbs in paths.items():
        for verb, operation in verbs.items():
            for odd in ODD if verb == "get" and connection.vendor == "sqlite" else ODD[:2]:
                for name in PART.findall(path):
                    yield verb, fill(path, **{name: odd}), {404}
                for given in operation["parameters"]:
                    if given["in"] == "query":
                        address = f"{fill(path)}?{given['name']}={odd}"
                        yield verb, address, {400, 403, 404} if odd == "%00" else {200, 202, 403, 404, 422}


def test_values_that_no_thing_has_are_told_apart_from_faults(client, settings, tmp_path):
    settings.MEDIA_ROOT, settings.API_RATE_LIMIT = tmp_path, 10**6
    program = program_of(make_lead(project=make_games_project(slug="ours")))
    questions = list(list_questions(client.get(reverse("api_openapi")).json()["paths"]))
    wrong = []
    for verb, address, expected in questions:
        path = address.removeprefix(API)
        answer = program.get(path) if verb == "get" else program.send(verb.upper(), path, b"{}")
        if answer.status_code not in expected:
            wrong.append(f"{verb} {address}: {answer.status_code}")
    assert len(questions) > 300, len(questions)
    assert not wrong, wrong[:20]


def test_every_question_is_asked_where_worlds_differ_in_what_is_hidden(client):
    paths = client.get(reverse("api_openapi")).json()["paths"]
    asked = [path for path, verbs in paths.items() if "get" in verbs]
    left = [path for path in asked if not any(set(PART.findall(path)) <= given for given in CRAWLED)]
    assert (left, len(asked) > 30) == ([], True)
