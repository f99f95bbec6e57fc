"""kill -9 of the web server while several people save: what was acknowledged is there, what was in doubt is clear.

Of all its processes, and of its main process alone, whose workers must not go on serving.
"""

import os
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.faults.saving import Saving
from tests.faults.test_half_bodies import FORM, HALF
from tests.faults.test_worker_and_redis_killed import list_children
from tests.faults.visitors import make_team
from tools.launch import GiveUp, check_port_is_free
from tools.processes import PATIENCE, wait_until

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.long]

PEOPLE, ACTS, KILLS = 4, 40, 3


class Saver:
    """One evaluator who answers five questions over and over, and keeps a book of what the site said was saved."""

    def __init__(self, visitor, evaluation):
        self.visitor, self.evaluation = visitor, evaluation
        self.told: dict[str, tuple[dict, str]] = {}
        self.doubts = 0

    def work(self, is_up):
        for number in range(ACTS):
            turn, question = divmod(number, 5)
            body = {
                "kind": "question",
                "subject": question + 1,
                "version": turn,
                "value": ("yes", "no")[turn % 2],
                "key": f"{self.evaluation}:{question + 1}:{turn}",
            }
            self.told[body["key"]] = (body, self.save(body, is_up))

    def save(self, body, is_up):
        """Post until it is acknowledged, with the same key; when it was saved, by what the site says."""
        for _attempt in range(20):
            try:
                answer = self.visitor.post(f"/rate/{self.evaluation}/judge/", **body)
            except OSError:
                self.doubts += 1
                assert is_up.wait(PATIENCE)
                continue
            assert answer.status == 200, (answer.status, body, answer.text[:500])
            return answer.headers["X-Saved"]
        raise AssertionError(f"never acknowledged: {body}")


def wait_for_saves(savers, working, wanted):
    """Until so many acts were acknowledged, or somebody gave up."""

    def is_time():
        failed = any(future.done() and future.exception() for future in working)
        return failed or sum(len(saver.told) for saver in savers) >= wanted

    assert wait_until(is_time)


def test_every_acknowledged_save_is_there_after_kills_in_the_middle(live_stack, fault_table):
    team = make_team(live_stack, PEOPLE)
    savers = [Saver(*pair) for pair in zip(team.evaluators, team.evaluations, strict=True)]
    is_up = threading.Event()
    is_up.set()
    with ThreadPoolExecutor(PEOPLE) as pool:
        working = [pool.submit(saver.work, is_up) for saver in savers]
        for kill in range(1, KILLS + 1):
            wait_for_saves(savers, working, PEOPLE * ACTS * kill // (KILLS + 1))
            is_up.clear()
            live_stack.web.kill()
            live_stack.start_web()
            is_up.set()
        for future in working:
            future.result(PATIENCE)

    stored = live_stack.rows("SELECT key, version, value FROM discussions_revision")
    told = {key: body for saver in savers for key, (body, _saved) in saver.told.items()}
    assert len(stored) == len(told) == PEOPLE * ACTS
    for key, version, value in stored:
        assert (version, value) == (told[key]["version"] + 1, told[key]["value"])
    assert sum(saver.doubts for saver in savers) > 0

    for saver in savers:
        for body, saved in list(saver.told.values())[::7]:
            again = saver.visitor.post(f"/rate/{saver.evaluation}/judge/", **body)
            assert (again.status, again.headers["X-Saved"]) == (200, saved)
        body, _saved = next(iter(saver.told.values()))
        altered = saver.visitor.post(f"/rate/{saver.evaluation}/judge/", **body | {"value": "no"})
        assert altered.status == 422
    assert live_stack.rows("SELECT COUNT(*) FROM discussions_revision") == [(PEOPLE * ACTS,)]
    assert "all hold" in live_stack.manage("verify")
    doubts = sum(saver.doubts for saver in savers)
    fault_table(
        "4 people saving",
        f"web server killed {KILLS} times",
        f"{len(told)} acknowledged, {len(stored)} stored; {doubts} requests in doubt, all resolved by their key",
    )


def kill_main_process(child):
    """kill -9 of that process alone, and its reaping; the processes that it had started."""
    started = list_children(child.pid)
    os.kill(child.pid, signal.SIGKILL)
    child.process.wait()
    return started


def is_free(stack):
    """Whether nobody listens at the address of the web server."""
    where = urlsplit(stack.url)
    with suppress(GiveUp):
        check_port_is_free(where.hostname, where.port)
        return True
    return False


def is_gone(process):
    """Whether it ended; nobody may have asked yet how."""
    try:
        return not Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return True


def test_workers_end_with_their_main_process_and_lose_no_save(live_stack, fault_table):
    team = make_team(live_stack, PEOPLE)
    with Saving(live_stack, team) as saving:
        workers = kill_main_process(live_stack.web)
        began = time.monotonic()
        assert wait_until(lambda: is_free(live_stack))
        took = time.monotonic() - began
        live_stack.start_web()
        saving.wait_for_more(10)
        back = time.monotonic() - began
    assert workers
    assert all(map(is_gone, workers))
    fault_table(
        f"{PEOPLE} people saving",
        "main process of the web server killed",
        f"its workers ended, and its port was free after {took:.1f} s",
        acknowledged=saving.check(),
        back=back,
        stack=live_stack,
    )


def test_what_came_half_when_the_main_process_was_killed_is_answered(live_stack):
    where = urlsplit(live_stack.url)
    request = HALF % (b"/sign-in/", where.netloc.encode(), FORM, b"")
    with (
        closing(socket.create_connection((where.hostname, where.port), timeout=PATIENCE)) as whole,
        closing(socket.create_connection((where.hostname, where.port), timeout=PATIENCE)) as never,
    ):
        whole.sendall(request)
        never.sendall(request)
        time.sleep(0.5)  # a worker reads both
        workers = kill_main_process(live_stack.web)
        time.sleep(0.5)
        whole.sendall(b"x" * (2000 - len(b"login=somebody")))
        assert whole.recv(1000).startswith(b"HTTP/1.1 403 ")
        # Whoever never sends the rest holds up nobody who starts it again.
        assert wait_until(lambda: all(map(is_gone, workers)))
    assert is_free(live_stack)
