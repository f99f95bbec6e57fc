"""Redis emptied and away for a while, during which people save and bring in games."""

import os
import time
from contextlib import closing

import pytest
from redis import Redis

from tests.faults.saving import Saving
from tests.faults.test_worker_and_redis_killed import GAMES, check_whole, sweep_until_done, upload
from tests.faults.visitors import make_team
from tools.run_tests import LONG

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.long]

AWAY = 60 if os.environ.get(LONG) else 5


def test_redis_is_flushed_and_away_while_people_save(live_stack, fault_table):
    team = make_team(live_stack, 3)
    with Saving(live_stack, team, think=0.3) as saving:
        upload(team)
        with closing(Redis.from_url(live_stack.redis_server.url)) as redis:
            redis.flushall()
        live_stack.redis.kill()
        time.sleep(AWAY)
        upload(team, "later.json", b"[]")
        live_stack.start_redis()
        began = time.monotonic()
        sweep_until_done(live_stack)
        back = time.monotonic() - began
    told = saving.check()
    check_whole(live_stack, GAMES + 3)
    fault_table(
        "3 people saving, an import",
        f"Redis flushed and away for {AWAY} s",
        f"p95 of saves {saving.p95() * 1000:.0f} ms; the import went on when it was back",
        acknowledged=told,
        back=back,
    )
