"""What every test has at hand: real servers (tests/services), a real browser, and walls against the outside."""

import gc
import os
import shutil
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from importlib import import_module

import hypothesis
import pytest
from _pytest import runner
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.template.backends.jinja2 import Template
from django.test import Client, TransactionTestCase, override_settings
from django.test.signals import template_rendered
from xdist.scheduler import LoadFileScheduling

from tests.factories.replays import replays
from tests.services.browser import browser_context_args, browser_type_launch_args  # noqa: F401
from tests.services.live_stack import (  # noqa: F401
    live_stack,
    migrated_database,
    started_stack,
    static_files,
)
from tests.services.migrated import keep_database, take_database
from tests.services.places import make_installation  # noqa: F401
from tests.services.servers import postgres_server, redis_server  # noqa: F401

# Playwright's synchronous interface runs an event loop in the test's own thread; Django would refuse the ORM there.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"

# Files that take longest, longest first: `make test` hands out whole files, and its processes should end together.
LONGEST = (
    "site/test_rights_matrix.py",
    "site/test_blindness_first.py",
    "browser/test_accessibility.py",
    "site/test_blindness_team.py",
    "faults/test_odd_games.py",
    "site/test_every_page.py",
    "services/test_launcher.py",
    "discussions/demo/test_demo.py",
    "discussions/transcripts/test_ways_in.py",
    "browser/test_accessibility_tree.py",
    "faults/test_iterations_at_once.py",
    "browser/test_keyboard_sessions.py",
    "services/test_damaged_database.py",
    "fuzz/test_team.py",
    "browser/test_rating_without_script.py",
    "faults/test_web_killed.py",
    "browser/test_keys.py",
    "browser/test_nothing_lost.py",
    "browser/test_disagreements.py",
    "services/test_proxies.py",
    "browser/test_team.py",
    "browser/test_acts.py",
    "faults/test_worker_and_redis_killed.py",
    "faults/test_at_once.py",
    "browser/test_identification.py",
    "discussions/archives/test_actions.py",
    "discussions/games/test_many_games.py",
    "browser/test_rating_by_keyboard.py",
    "browser/test_hostile_text.py",
)

# Fixtures of plugins and of this file that every test asks for, and the mark or fixture without which they do nothing.
IDLE_WITHOUT = {
    "_django_clear_site_cache": "django.contrib.sites",
    "_django_db_marker": "django_db",
    "_django_isolate_apps": "django_isolate_apps",
    "_django_set_urlconf": "urls",
    "_django_setup_unittest": "unittest",
    "_live_server_helper": "live_server",
    "_pw_trace_api_requests": "playwright",
    "_template_string_if_invalid_marker": "ignore_template_errors",
    "replayed_worlds": "django_db",
}
MIGRATED = pytest.StashKey[sqlite3.Connection]()
LOOPBACK = ("127.", "::1", "localhost")

# `make fuzz` tries many more examples. A busy machine is slow without anything being wrong.
hypothesis.settings.register_profile(
    "suite", max_examples=25, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("suite")


def pytest_configure(config):
    """A parallel process tells the run of each test once: not that it began, ended, and was set up and torn down well.

    Telling takes longer than most tests do. Whoever asks for durations is told everything.
    """
    # xdist runs its module by another name, so the class is known by its own.
    plugins = config.pluginmanager.get_plugins()
    worker = next((one for one in plugins if type(one).__name__ == "WorkerInteractor"), None)
    if worker is None or config.getoption("durations") is not None:
        return
    send = worker.sendevent

    def send_what_counts(name, **what):
        is_said = (
            name == "testreport" and what["data"]["when"] != "call" and what["data"]["outcome"] == "passed"
        )
        if name not in ("logstart", "logfinish") and not is_said:
            send(name, **what)

    worker.sendevent = send_what_counts


class OneStack(LoadFileScheduling):
    """Hands out whole files; all that use the started site go to one process, which alone starts it."""

    SIGNS = ("live_stack", "started_stack", "proxied")

    def _split_scope(self, nodeid):
        path = super()._split_scope(nodeid)
        return "stack" if any(sign in read_test_file(path) for sign in self.SIGNS) else path


@cache
def read_test_file(path):
    return (settings.BASE_DIR / path).read_text()


def pytest_xdist_make_scheduler(config, log):
    """With tests marked `long` these files are most of the run, and are shared out like all others."""
    is_known = config.getvalue("dist") == "loadfile" and not os.environ.get("LONG_TESTS")
    return OneStack(config, log) if is_known else None


# What is imported and collected stays: the garbage collector would look at it again and again, and free nothing.
gc.disable()


def pytest_collection_finish():
    """Nor does the garbage collector look at what is there now when tests run."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)


def within_one_chunk(run: Callable[[], object]) -> object:
    """Call it below a frame so large that Python maps one chunk of memory for all frames above.

    CPython 3.11 maps and unmaps a chunk of 16 KB whenever a call crosses its end: in tests half a million times.
    """
    return run()


within_one_chunk.__code__ = within_one_chunk.__code__.replace(co_stacksize=1 << 17)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """What pytest itself does, below one large frame."""
    return within_one_chunk(lambda: runner.pytest_runtest_protocol(item, nextitem))


@pytest.fixture(autouse=True, scope="session")
def loopback_only():
    """No test talks to another machine: connecting anywhere but to this one fails."""
    real = socket.socket.connect

    def connect(self, address):
        if self.family in (socket.AF_INET, socket.AF_INET6) and not str(address[0]).startswith(LOOPBACK):
            raise AssertionError(f"a test tried to reach {address[0]}; tests talk to this machine only")
        return real(self, address)

    socket.socket.connect = connect
    yield
    socket.socket.connect = real


@pytest.fixture(autouse=True, scope="session")
def seen_contexts():
    """What a page was drawn from stands on the test client's answers, which Django does for its own engine alone."""
    real = Template.render

    def render(self, context=None, request=None):
        context = {} if context is None else context
        drawn = real(self, context, request)
        template_rendered.send(sender=self, template=self, context=context)
        return drawn

    Template.render = render
    yield
    Template.render = real


@pytest.fixture(autouse=True, scope="session")
def known_sign_ins():
    """Factories are replayed after somebody signed in, too."""
    real = Client.force_login

    def force_login(self, user, backend=None):
        replays.sign_in(user.pk, lambda: real(self, user, backend))

    Client.force_login = force_login
    yield
    Client.force_login = real


@pytest.fixture(scope="module")
def shared_rows(django_db_setup, django_db_blocker, tmp_path_factory):
    """For rows that all tests of a module share: what fixtures of the module's scope make is undone at its end."""
    folder = tmp_path_factory.mktemp("kept")
    with django_db_blocker.unblock(), override_settings(MEDIA_ROOT=folder), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_modify_db_settings):
    """On SQLite tests begin with a copy of the migrated database that an earlier run kept, if there is one."""
    if connection.vendor != "sqlite":
        return False
    is_kept = take_database(connection.settings_dict["TEST"]["NAME"])
    # Django would build all states of the models again, to find that nothing is left to migrate.
    connection.settings_dict["TEST"]["MIGRATE"] = not is_kept
    return is_kept


@pytest.fixture(scope="session")
def django_db_setup(request, django_db_setup, django_db_keepdb, django_db_blocker):
    """Keep the database that was just migrated, and in memory what tests that commit are cleared up from."""
    with closing(sqlite3.connect(":memory:")) as migrated:
        with django_db_blocker.unblock():
            if connection.vendor == "sqlite":
                if not django_db_keepdb:
                    keep_database(connection.settings_dict["NAME"])
                connection.ensure_connection()
                connection.connection.backup(migrated)
                request.config.stash[MIGRATED] = migrated
            replays.note_migrated()
        yield


@pytest.fixture(autouse=True)
def replayed_worlds(monkeypatch):
    """Factories may write a world again that an earlier test made, unless this test has patched code."""
    replays.begin(list_patches=lambda: (monkeypatch._setattr, monkeypatch._setitem))
    yield
    replays.end()


@pytest.fixture(autouse=True, scope="session")
def flush_past_the_triggers(request):
    """After a test that commits, all rows are as migrations left them. On SQLite so are the ids to come.

    On SQLite the migrated database is copied back. PostgreSQL deletes all rows but those that Django writes after
    migrations; for a replica neither foreign keys nor the triggers that guard evidence are looked at. The shipped
    rubric versions are published again.
    """
    real = TransactionTestCase._fixture_teardown
    publish = import_module("rubric.migrations.0002_shipped_versions").publish
    kept = {model._meta.db_table for model in (ContentType, Permission)}

    def teardown(self):
        if migrated := request.config.stash.get(MIGRATED, None):
            connection.ensure_connection()
            migrated.backup(connection.connection)
            return
        tables = {*connection.introspection.django_table_names(include_views=False)} - kept
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute(";".join(f'DELETE FROM "{table}"' for table in sorted(tables)))
        publish(apps, None)

    TransactionTestCase._fixture_teardown = teardown
    yield
    TransactionTestCase._fixture_teardown = real


@pytest.fixture(autouse=True)
def forget_audit_heads():
    """`verify` keeps the heads of the audit log in a file, which is of a database that the next test no longer has."""
    yield
    shutil.rmtree(settings.VAR_DIR / "audit", ignore_errors=True)


def pytest_collection_modifyitems(items):
    """Everything in tests/browser drives a browser, whether it says so or not. The longest files come first.

    What is marked `services(is_long=True)` is long on the servers, where SQLite shows the same; with
    `is_long_on_sqlite=True` it is long on SQLite, whose one writer shows less than PostgreSQL. `make faults` runs both.
    """
    is_long = "is_long" if "TEST_DATABASE_URL" in os.environ else "is_long_on_sqlite"
    for item in items:
        if item.path.match("tests/browser/test_*.py"):
            item.add_marker(pytest.mark.browser)
        if any(mark.kwargs.get(is_long) for mark in item.iter_markers("services")):
            item.add_marker(pytest.mark.long)
        named = {mark.name for mark in item.iter_markers()}.union(item.fixturenames)
        item.fixturenames = [name for name in item.fixturenames if IDLE_WITHOUT.get(name, name) in named]
    places = {f"tests/{name}": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(places)))


def pytest_unconfigure():
    """The parallel processes of a run end without the interpreter's farewell, so clear up here."""
    shutil.rmtree(settings.VAR_DIR, ignore_errors=True)
