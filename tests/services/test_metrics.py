"""Metrics of a real server: whichever of its processes is asked, it tells what all of them counted."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest
import requests
from prometheus_client.parser import text_string_to_metric_families

from tests.services.live_stack import stack_in
from tools.processes import PATIENCE, wait_until

pytestmark = [pytest.mark.services, pytest.mark.slow, pytest.mark.long]
TOKEN = "a-token-of-the-tests-0123456789abcdef"


def ask(stack, **headers):
    """What `/metrics` answers. A question that waited for a process that was killed is cut, so it is asked again."""
    told = []

    def is_told():
        with suppress(requests.ConnectionError):
            told.append(requests.get(f"{stack.url}/metrics", headers=headers, timeout=PATIENCE))
        return bool(told)

    assert wait_until(is_told)
    return told[0]


def count(stack, name, **labels):
    """One figure, from whichever process answers."""
    answer = ask(stack, Authorization=f"Bearer {TOKEN}")
    assert answer.status_code == 200
    samples = [
        sample
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    ]
    return sum(sample.value for sample in samples)


def workers_of(process):
    """The processes that a process started, by the system."""
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def test_processes_tell_the_sum_and_one_that_is_killed_takes_nothing_away(
    tmp_path, static_files, migrated_database, monkeypatch
):
    monkeypatch.setenv("METRICS_TOKEN", TOKEN)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / "data").mkdir()
    with stack_in(tmp_path / "data", static_files, migrated_database, has_worker=False) as stack:
        before = count(stack, "evalsite_requests_total", route="healthz")
        # Each over a connection of its own, which the system gives to one of the processes.
        for _number in range(40):
            assert requests.get(f"{stack.url}/healthz", timeout=PATIENCE).status_code == 200
        (folder,) = tmp_path.glob("evalsite-metrics-*")
        if len(os.sched_getaffinity(0)) > 1:
            assert len(list(folder.glob("counter_*.db"))) > 1
        sums = {count(stack, "evalsite_requests_total", route="healthz") for _number in range(12)}
        assert sums == {before + 40}
        assert count(stack, "evalsite_request_seconds_count", route="healthz") == before + 40

        os.kill(workers_of(stack.web.pid)[0], signal.SIGKILL)
        assert wait_until(stack._site.answers)
        assert count(stack, "evalsite_requests_total", route="healthz") >= before + 40
        assert ask(stack).status_code == 401
        stack.web.stop()
        assert not list(tmp_path.glob("evalsite-metrics-*"))
