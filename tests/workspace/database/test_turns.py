"""Writers of an SQLite file take turns: threads, processes, and after whatever ended a transaction."""

import multiprocessing
import os
import sqlite3
import threading
from contextlib import closing

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction

from tests.factories.people import NOW
from tools.processes import PATIENCE
from workspace.database.sqlite.base import DatabaseWrapper, Turns, get_turns
from workspace.models import Person

ROUNDS, WRITERS = 60, 3


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "some.sqlite3")


@pytest.fixture
def on_sqlite():
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL has rows to lock")


def write(path: str, overtaken: "multiprocessing.Queue[int]") -> None:
    """Write again and again, as several clients of one process do."""

    def work() -> None:
        database = sqlite3.connect(path, timeout=0, isolation_level=None)
        for _ in range(ROUNDS):
            (before,) = database.execute("SELECT n FROM t").fetchone()
            assert turns.take(PATIENCE)
            database.execute("BEGIN IMMEDIATE")  # with no patience at all
            (told,) = database.execute("SELECT n FROM t").fetchone()
            overtaken.put(told - before)
            database.execute("UPDATE t SET n = ?", (told + 1,))
            database.execute("COMMIT")
            turns.give_back()
        database.close()

    turns = get_turns(path)
    threads = [threading.Thread(target=work) for _ in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_writers_never_meet_and_none_waits_for_all_others(path):
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("CREATE TABLE t (n INTEGER)")
    database.execute("INSERT INTO t VALUES (0)")
    database.commit()
    several = multiprocessing.get_context("fork")
    overtaken = several.Queue()
    processes = [several.Process(target=write, args=(path, overtaken)) for _ in range(2)]
    for process in processes:
        process.start()
    others = [overtaken.get(timeout=PATIENCE) for _ in range(2 * WRITERS * ROUNDS)]
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    assert database.execute("SELECT n FROM t").fetchone() == (2 * WRITERS * ROUNDS,)
    database.close()
    # Whoever starves would let most of the other writes go first.
    assert max(others) < WRITERS * ROUNDS


def test_whoever_waits_too_long_is_told(path):
    holder, other = Turns(path), Turns(path)
    assert holder.take(1)
    assert not holder.take(0.01)  # another thread of the same process
    assert not other.take(0.05)  # another process
    holder.give_back()
    assert other.take(1)
    other.give_back()


def test_a_process_that_ends_gives_its_turn_back(path):
    turns = Turns(path)
    child = os.fork()
    if not child:
        Turns(path).take(1)
        os._exit(0)
    os.waitpid(child, 0)
    assert turns.take(0.1)
    turns.give_back()


def test_a_fork_does_not_write_in_its_parents_turn(path):
    turns = get_turns(path)
    assert turns.take(1)
    child = os.fork()
    if not child:
        os._exit(int(get_turns(path).take(0.05)))
    assert os.waitpid(child, 0)[1] == 0
    turns.give_back()


@pytest.mark.django_db(transaction=True)
class TestTransactions:
    def test_the_turn_is_given_back_however_a_transaction_ends(self, on_sqlite):
        with transaction.atomic():
            assert connection._turn is not None
            with transaction.atomic():
                pass
            assert connection._turn is not None
        assert connection._turn is None
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            raise ZeroDivisionError
        assert connection._turn is None
        people = [Person(email="a@example.org", name="a") for _ in range(2)]
        with pytest.raises(IntegrityError):
            Person.objects.bulk_create(people)
        assert connection._turn is None
        with transaction.atomic():
            connection.close()
        assert connection._turn is None

    def test_a_transaction_that_gets_no_turn_asks_sqlite_who_writes(self, on_sqlite, monkeypatch):
        """Somebody holds the turn for ever, as a process that was stopped; then the write lock, too."""
        monkeypatch.setattr("workspace.database.sqlite.base.LONGEST_TURN", 0.05)
        turns = Turns(connection.settings_dict["NAME"])
        assert turns.take(1)
        for email in ("a@example.org", "b@example.org"):
            with transaction.atomic():
                assert connection._turn is None
                Person.objects.create(email=email, name="a", created_at=NOW)
        with closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:
            other.execute("BEGIN IMMEDIATE")
            connection.cursor().execute("PRAGMA busy_timeout = 50")
            with pytest.raises(OperationalError, match="locked"), transaction.atomic():
                pass
        connection.close()
        turns.give_back()
        with transaction.atomic():
            assert connection._turn is not None


def test_where_no_file_can_be_made_the_threads_take_turns_and_sqlite_says_the_rest(tmp_path):
    turns = Turns(str(tmp_path / "missing" / "evalsite.sqlite3"))
    assert turns.take(1)
    assert not turns.take(0.01)
    turns.give_back()
    assert turns.take(0.01)
    turns.give_back()


@pytest.mark.django_db
def test_whether_json_is_known_is_asked_while_somebody_writes(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        database = DatabaseWrapper(
            {**connection.settings_dict, "NAME": path, "OPTIONS": {"timeout": 0}}, "other"
        )
        with closing(database):
            assert database.features.supports_json_field
