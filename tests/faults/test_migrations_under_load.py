"""An update of a database of 200,000 games while people save, killed twice and begun again; and no way back."""

import os
import subprocess
import sys
import threading

import psycopg
import pytest

from tests.faults.saving import Saving
from tests.faults.visitors import make_team
from tests.services.live_stack import stack_in
from tools.launch import ROOT
from tools.processes import PATIENCE, Child, wait_until

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.long]

COUNT = 200_000
FILL = f"""
from benchmarks.games_by_copy import add_games
from discussions.models import Game
add_games(Game.objects.order_by("pk").first(), {COUNT})
"""
COLUMNS = "SELECT COUNT(*) FROM information_schema.columns WHERE column_name = 'mood'"
# Where an update is killed: while the index is built, and when some rows have their values.
BUILDING = "SELECT COUNT(*) FROM pg_class WHERE relname = 'game_by_mood'"
FILLING = "SELECT COUNT(*) FROM (SELECT 1 FROM discussions_game WHERE mood = 'calm' LIMIT 1) AS one"
FILLED = "SELECT COUNT(*) FROM discussions_game WHERE mood = 'calm'"
INDEX = "SELECT COUNT(*) FROM pg_index WHERE indexrelid = to_regclass('game_by_mood') AND indisvalid"
# A lock that PostgreSQL would have a save wait for longer is an error of the save, which `Saving` finds.
BOUND = "4s"
MIGRATE = [sys.executable, "manage.py", "migrate", "--noinput", "-v", "0"]
LATER = {"DJANGO_SETTINGS_MODULE": "tests.faults.later_settings"}


@pytest.fixture
def stack(tmp_path, static_files, migrated_database):
    if not os.environ.get("TEST_DATABASE_URL"):
        pytest.skip("SQLite has one writer: an update stops the site")
    with stack_in(tmp_path, static_files, migrated_database) as stack:
        yield stack


def fill(stack):
    """Add games; from then on no save waits long for a lock."""
    env = stack.env | {"DJANGO_SETTINGS_MODULE": "tests.stage_settings"}
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", FILL], env=env, cwd=ROOT, check=True
    )
    with psycopg.connect(stack.database_url, autocommit=True) as connection:
        name = stack.database_url.rpartition("/")[2]
        connection.execute(f"ALTER DATABASE {name} SET lock_timeout = '{BOUND}'")
    for child in (stack.web, stack.worker):
        child.kill()
    stack.worker.start()
    stack.start_web()


def read_slowly(address, is_over):
    """A transaction that has read the games and goes on until it is told to end, as a long report."""
    with psycopg.connect(address) as connection:
        connection.execute("SELECT COUNT(*) FROM discussions_game WHERE number < 5")
        is_over.wait(PATIENCE)


def migrate(env, *names):
    """Run `manage.py migrate` to its end; its exit code, and what it said."""
    done = subprocess.run([*MIGRATE, *names], env=env, cwd=ROOT, check=False, capture_output=True, text=True)
    return done.returncode, done.stderr


def test_people_save_while_a_database_is_brought_up_to_date(stack):
    team = make_team(stack, 3)
    fill(stack)
    update = Child("migrate", MIGRATE, stack.env | LATER, stack.folder / "log" / "migrate.log", ROOT)
    with Saving(stack, team, think=0.1) as saving:
        is_over = threading.Event()
        reader = threading.Thread(target=read_slowly, args=(stack.database_url, is_over))
        reader.start()
        update.start()
        assert wait_until(lambda: "trying again" in update.last_lines()), update.last_lines()
        saving.wait_for_more(5)
        is_over.set()
        reader.join()
        for begun in (BUILDING, FILLING):
            if not update.is_running():
                update.start()
            assert wait_until(lambda: stack.rows(COLUMNS) == [(2,)], every=0.02), update.last_lines()
            assert wait_until(lambda sql=begun: stack.rows(sql) == [(1,)], every=0.02), update.last_lines()
            update.kill()
        assert stack.rows(FILLED) < [(COUNT,)]
        code, said = migrate(stack.env | LATER)
        assert code == 0, said
        saving.wait_for_more(5)
    assert saving.check() > 5
    assert stack.rows(FILLED) == stack.rows("SELECT COUNT(*) FROM discussions_game") == [(COUNT + 3,)]
    assert stack.rows(INDEX) == [(1,)]
    present = max(path.stem for path in (ROOT / "discussions" / "migrations").glob("0*.py"))
    code, said = migrate(stack.env | LATER, "discussions", present)
    assert (code, "not undone" in said) == (1, True), said
