"""Factories that are replayed leave what they left the first time, and run as they are where that is not certain."""

import pytest
from django.apps import apps
from django.db import connection, transaction

from discussions.models import Transcript
from tests.factories.people import make_member, make_project
from tests.factories.replays import replayed, replays
from tests.factories.transcripts import make_games_project
from tests.factories.verdicts import recorded_verdict
from workspace.blob_store import load_bytes
from workspace.core import hidden_duplicates
from workspace.models import Person

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="factories are replayed on SQLite alone"),
]
runs: list[str] = []


@replayed
def make_told(word="a"):
    """Somebody in a project; `runs` says that they were made by the actions."""
    runs.append(word)
    return make_member(project=make_games_project())


@replayed
def make_verdict():
    """A verdict and a person, as `make_told`."""
    runs.append("verdict")
    verdict = recorded_verdict()
    return verdict, make_member(project=verdict.project)


def list_rows():
    return {
        model._meta.label: list(model._base_manager.order_by("pk").values())
        for model in apps.get_models()
        if not model._meta.proxy
    }


def in_a_test(make, patched=()):
    """What `make` gives and the rows that it leaves, in a test of its own; and whether actions made them."""
    runs.clear()
    with transaction.atomic():
        replays.begin(list_patches=lambda: (list(patched), []))
        made, rows = make(), list_rows()
        transaction.set_rollback(True)
    return made, rows, bool(runs)


def test_rows_files_and_what_is_returned_are_those_of_the_first_time(settings, tmp_path):
    first, rows, _is_made = in_a_test(make_verdict)
    settings.MEDIA_ROOT = tmp_path

    def make():
        again = make_verdict()
        assert load_bytes(Transcript.objects.get().sha256)
        return again

    again, same, is_made = in_a_test(make)
    assert (again, same, is_made) == (first, rows, False)
    assert again[0] is not first[0]
    assert (again[0].basis_sha256, again[1].name) == (first[0].basis_sha256, first[1].name)


def test_what_came_before_decides_what_is_written():
    """One after the other, factories go on from the rows that the one before left."""

    def make(role):
        project = make_games_project()
        person = make_member(project=project, role=role)
        make_told(role)
        return person

    assert in_a_test(lambda: make("lead"))[2]
    assert not in_a_test(lambda: make("lead"))[2]
    assert in_a_test(lambda: make_told("lead"))[2]


def test_who_signed_in_before_decides_too(client):
    """The session's key and moment are others each time."""

    def make(*roles):
        project = make_games_project()
        people = {role: make_member(project=project, role=role) for role in ("lead", "evaluator")}
        for role in roles:
            client.force_login(people[role])
        return make_told("z")

    assert in_a_test(lambda: make("lead"))[2]
    assert not in_a_test(lambda: make("lead"))[2]
    assert in_a_test(lambda: make("evaluator"))[2]
    assert in_a_test(lambda: make("lead", "evaluator"))[2]


def write_another_row():
    make_project()
    Person.objects.filter(is_system=True).update(name="Another")


def undo_a_row():
    with transaction.atomic():
        make_project()
        transaction.set_rollback(True)


@pytest.mark.parametrize("before", [write_another_row, undo_a_row, replays.end])
def test_on_rows_that_are_not_known_the_actions_run(before):
    in_a_test(make_told)

    def make():
        before()
        return make_told()

    assert in_a_test(make)[2]
    assert in_a_test(make)[2]


def test_with_other_settings_the_actions_run(settings):
    in_a_test(make_told)
    assert not in_a_test(make_told)[2]
    settings.AUDIT_KEY = "another" * 10
    assert in_a_test(make_told)[2]


def test_with_patched_values_come_the_rows_of_a_test_with_the_same_and_with_patched_code_none(monkeypatch):
    def is_made():
        return in_a_test(make_told, monkeypatch._setattr)[2]

    in_a_test(make_told)
    for owner, name, value, expected in (
        (hidden_duplicates, "APART", 0, [True, False]),
        (hidden_duplicates, "APART", 1, [True, False]),
        (hidden_duplicates, "APART", 0, [False, False]),
        (Person, "least", "a", [True, False]),
        (hidden_duplicates, "is_due", len, [True, True]),
    ):
        monkeypatch.setattr(owner, name, value, raising=False)
        assert [is_made(), is_made()] == expected, (name, value)


def test_arguments_that_cannot_be_compared_make_the_actions_run():
    @replayed
    def make(_given):
        runs.append("made")

    for given, is_made in ((1, True), (1, False), (True, True), ([1.5], True), ((1.5,), True), (len, True)):
        assert in_a_test(lambda given=given: make(given))[2] is is_made
    assert in_a_test(lambda: make(len))[2]
