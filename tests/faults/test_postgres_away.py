"""While people save: PostgreSQL killed, read-only, behind an address that answers nobody; a worker's clock ahead."""

import os
import signal
import tempfile
import time
import uuid
from pathlib import Path

import psycopg
import pytest

from tests.faults.saving import Saving
from tests.faults.tcp_proxy import Relay
from tests.faults.test_worker_and_redis_killed import (
    GAMES,
    HERE,
    check_whole,
    list_children,
    number,
    sweep_until_done,
    upload,
)
from tests.faults.visitors import Visitor, make_team, words
from tests.services.commands import Commands
from tests.services.live_stack import create_database, stack_on
from tests.services.missing import cannot
from tools.launch import ROOT, Site
from tools.postgres_server import PostgresServer, why_not
from tools.processes import Child, wait_until
from tools.redis_server import free_port

pytestmark = [pytest.mark.slow, pytest.mark.long]

# Where Debian puts it, for any kind of machine.
FAKETIME = "*/faketime/libfaketimeMT.so.1"


@pytest.fixture(scope="module")
def server():
    """A PostgreSQL that keeps what it committed, with a migrated database "empty"."""
    if reason := why_not():
        cannot("PostgreSQL", reason)
    with tempfile.TemporaryDirectory(prefix="evalsite-postgres-") as folder:
        server = PostgresServer(Path(folder), is_durable=True)
        server.start()
        yield server
        server.child.stop(number=2)


@pytest.fixture(scope="module")
def migrated(server, tmp_path_factory):
    url = server.create("empty")
    env = dict(os.environ) | {
        "VAR_DIR": str(tmp_path_factory.mktemp("migrating")),
        "DATABASE_URL": url,
        "DJANGO_SETTINGS_MODULE": "tests.stage_settings",
    }
    commands = Commands(env)
    done = commands.run("migrate", "--noinput", "-v", "0")
    commands.stop()
    assert done.returncode == 0, done.stderr
    return url


@pytest.fixture
def stack(server, migrated, static_files, tmp_path):
    url = create_database(migrated, f"live_{uuid.uuid4().hex[:12]}", template="empty")
    with stack_on(url, tmp_path, static_files) as stack:
        yield stack


def test_postgres_is_killed_and_started_again_while_people_save(server, stack, fault_table):
    team = make_team(stack, 3)
    with Saving(stack, team) as saving:
        server.child.kill()
        saving.wait_for_refusals(9)
        page = team.lead.get("/projects/ours/")
        server.start()
        back = saving.wait_for_more()
        saving.wait_for_more(10)
    told = saving.check(503)
    assert page.status == 503
    fault_table(
        "3 people saving",
        "PostgreSQL killed, started again",
        f"{saving.count_refusals()} requests not served, each went on by itself",
        acknowledged=told,
        back=back,
        stack=stack,
    )


def test_a_database_that_only_reads_refuses_saves_and_shows_pages(server, stack, fault_table):
    team = make_team(stack, 2)
    team.lead.get("/")  # notes that the sign-in is used, which is written now and then
    with Saving(stack, team) as saving:
        set_read_only(stack, "on")
        saving.wait_for_refusals(6)
        page = team.lead.get("/projects/ours/games/")
        set_read_only(stack, "off")
        back = saving.wait_for_more()
    told = saving.check(503)
    assert page.status == 200, words(page.text)
    fault_table(
        "2 people saving",
        "PostgreSQL only reads",
        "pages come, saves are refused with 503",
        acknowledged=told,
        back=back,
        stack=stack,
    )


def set_read_only(stack, value):
    """What an administrator or a failover does: from now on no transaction writes, or all may again."""
    with psycopg.connect(stack.database_url, autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        connection.execute(f"ALTER SYSTEM SET default_transaction_read_only = {value}")
        connection.execute("SELECT pg_reload_conf()")


def test_an_address_that_answers_nobody_holds_no_page_for_long(server, stack, tmp_path, fault_table):
    relay = Relay(server.port)
    url = stack.database_url.replace(f":{server.port}/", f":{relay.port}/")
    site = Site(stack.env | {"DATABASE_URL": url, "PORT": str(free_port())})
    site.env["DJANGO_SETTINGS_MODULE"] = "tests.site_settings"
    web = site.web()
    web.log = tmp_path / "web.log"
    try:
        web.start()
        assert wait_until(site.answers), web.last_lines(40)
        team = make_team(stack, 1)
        visitor = Visitor(site.address, team.lead.headers["Cookie"].partition("sessionid=")[2].split(";")[0])
        assert visitor.get("/projects/ours/").status == 200
        relay.swallow()
        answers = [visitor.get("/projects/ours/")]
        answers += [Visitor(site.address, "none").get(path) for path in ("/readyz", "/healthz")]
        relay.let_through()
        began = time.monotonic()
        assert wait_until(lambda: visitor.get("/projects/ours/").status == 200)
        back = time.monotonic() - began
    finally:
        web.kill()
        relay.close()
    assert [answer.status for answer in answers] == [503, 503, 200]
    slowest = max(answer.seconds for answer in answers)
    fault_table(
        "while pages are asked for",
        "PostgreSQL's address answers nobody",
        f"503 after {slowest:.1f} s",
        back=back,
        stack=stack,
    )


def test_a_postgres_that_stands_still_holds_no_page_for_ever(server, stack, fault_table):
    stack.web.kill()
    stack.web.env["DJANGO_SETTINGS_MODULE"] = "tests.faults.hasty_settings"
    stack.start_web()
    team = make_team(stack, 4)
    with Saving(stack, team) as saving:
        asleep = [server.child.pid, *list_children(server.child.pid)]
        for process in asleep:
            os.kill(process, signal.SIGSTOP)
        try:
            saving.wait_for_refusals(8)
            answers = [Visitor(stack.url, "none").get(path) for path in ("/sign-in/", "/healthz", "/readyz")]
        finally:
            for process in reversed(asleep):
                os.kill(process, signal.SIGCONT)
        back = saving.wait_for_more()
        saving.wait_for_more(10)
    told = saving.check(503)
    slowest = max(answer.seconds for answer in answers)
    assert [answer.status for answer in answers] == [200, 200, 503]
    fault_table(
        "4 people saving",
        "PostgreSQL stopped, then woken",
        f"503, then each went on by itself; slowest page {slowest:.1f} s",
        acknowledged=told,
        back=back,
        stack=stack,
    )


def test_a_web_server_that_stands_still_in_a_transaction_goes_on_when_postgres_ended_it(
    migrated, static_files, tmp_path, fault_table
):
    url = create_database(migrated, f"live_{uuid.uuid4().hex[:12]}", template="empty")
    url += "?options=-c%20idle_in_transaction_session_timeout%3D1s"
    with stack_on(url, tmp_path, static_files) as stack:
        team = make_team(stack, 3)
        with Saving(stack, team) as saving:
            asleep = list_children(stack.web.pid)
            held = stop_in_transaction(stack, asleep)
            assert wait_until(lambda: not find_idle(stack) & held)
            for process in asleep:
                os.kill(process, signal.SIGCONT)
            back = saving.wait_for_more()
            saving.wait_for_more(10)
        told = saving.check(503)
        assert saving.log.server_errors
        fault_table(
            "3 people saving",
            "web server stopped until PostgreSQL ends its transaction",
            "503, each went on by itself",
            acknowledged=told,
            back=back,
            stack=stack,
        )


def stop_in_transaction(stack, processes):
    """Stop the processes of a web server when one is within a transaction; its connections that are."""
    while True:
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        if (idle := find_idle(stack)) and find_idle(stack) == idle:
            return idle
        for process in processes:
            os.kill(process, signal.SIGCONT)
        time.sleep(0.003)


def find_idle(stack):
    """Connections that have a transaction open and ask for nothing."""
    state = "SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()"
    return {pid for (pid,) in stack.rows(state)}


def test_a_worker_whose_clock_is_two_hours_ahead_does_nothing_twice(stack, tmp_path, fault_table):
    libraries = sorted(map(str, Path("/usr/lib").glob(FAKETIME)))
    if not libraries:
        pytest.skip("libfaketime is not installed (Debian: apt-get install libfaketime)")
    env = stack.worker.env | {"LD_PRELOAD": libraries[0], "FAKETIME": "+2h"}
    ahead = Child("worker ahead", [*stack.worker.command, "-n", "ahead"], env, tmp_path / "ahead.log", ROOT)
    team = make_team(stack, 1)
    with Saving(stack, team) as saving:
        ahead.start()
        try:
            upload(team)
            assert wait_until(lambda: number(stack, HERE["measure"]) > 1)
            sweep_until_done(stack)
        finally:
            ahead.kill()
        saving.wait_for_more()
    check_whole(stack, GAMES + 1)
    fault_table(
        f"import of {GAMES} games",
        "the clock of one of two workers 2 h ahead",
        "each game once",
        acknowledged=saving.check(),
        stack=stack,
    )
