"""Clients of a load: they act at given moments, retry until they are answered, and record the answers.

`Plan` says when somebody saves, `Evaluator` saves, `Log` keeps every request and what was acknowledged, and
`differences` compares that with what is stored. As in a real team, some forms are sent twice, some from an old page.
"""

import http.client
import re
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from html import unescape
from random import Random
from threading import Event
from typing import NamedTuple

from benchmarks.driver import Answer, Browser, Judge, JudgedAct, quantile

SAVE = "save"
FURTHER = re.compile(r'rel="next"\s+href="(\?[^"]+)"')
AGAIN, STALE, TWICE = 0.10, 0.05, 0.02
PATIENCE, PAUSE = 90.0, 0.3


class Plan(NamedTuple):
    """Saves a second, in bursts, and how long (seconds). Bursts come at a quarter and at three quarters of the time."""

    seconds: float
    rate: float
    burst_rate: float
    burst_seconds: float

    def moments(self, source: Random) -> list[float]:
        """The moments of saves, in seconds from the beginning: a Poisson process of that rate."""
        found, at = [], 0.0
        while True:
            at += source.expovariate(self.burst_rate if self.is_burst(at) else self.rate)
            if at >= self.seconds:
                return found
            found.append(at)

    def is_burst(self, at: float) -> bool:
        """Whether it is the time of a burst."""
        length = min(self.burst_seconds, self.seconds / 8)
        return any(0 <= at - self.seconds * begin < length for begin in (0.25, 0.75))


class Sample(NamedTuple):
    """One request until its answer, including retries: its kind, its seconds, and its last status."""

    what: str
    seconds: float
    status: int


class Told(NamedTuple):
    """What the site acknowledged: the version and value of a judgement, and when it says that it saved it."""

    version: int
    value: str
    saved: str


class Log:
    """What all clients of a load recorded: `told` by key, requests, server errors, cut connections, surprises."""

    def __init__(self) -> None:
        self.told: dict[str, Told] = {}
        self.samples: list[Sample] = []
        self.server_errors: list[str] = []
        self.cuts = 0
        self.surprises: list[str] = []

    def expect(self, what: str, answer: Answer, *statuses: int) -> bool:
        """Whether the answer has one of the statuses; any other is recorded as a surprise."""
        if answer.status in statuses:
            return True
        self.surprises.append(f"{what} was answered by {answer.status}: {answer.text[:200]}")
        return False


def insist(browser: Browser, addresses: list[str], log: Log, what: str, ask: Callable[[], Answer]) -> Answer:
    """Retry until the answer is not a server error, at the next address when a connection is cut.

    Raises RuntimeError when nothing answers for a minute and a half.
    """
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE:
        try:
            answer = ask()
        except (OSError, http.client.HTTPException):
            log.cuts += 1
            here = addresses.index(browser.where.geturl())
            browser.turn_to(addresses[(here + 1) % len(addresses)])
        else:
            if answer.status < 500:
                log.samples.append(Sample(what, time.monotonic() - began, answer.status))
                return answer
            log.server_errors.append(f"{what}: {answer.status}")
        time.sleep(PAUSE)
    raise RuntimeError(f"{what}: no answer for {PATIENCE:.0f} s")


class Evaluator:
    """Saves at given moments; now and then sends the same form twice, or one from an old page."""

    def __init__(self, judge: Judge, addresses: list[str], log: Log, seed: int) -> None:
        self.judge, self.addresses, self.log, self.source = judge, addresses, log, Random(seed)

    def work(self, moments: Iterable[float], began: float) -> None:
        """Save at these moments after `began` (monotonic); a late client goes on at once."""
        for due in moments:
            time.sleep(max(0.0, began + due - time.monotonic()))
            self.save()

    def save(self) -> None:
        """Save one judgement, and do what people do besides."""
        act, chance = self.judge.next_act(), self.source.random()
        answer = self.click_twice(act) if chance < TWICE else self.insist(SAVE, act)
        if not self.log.expect(SAVE, answer, 200):
            return
        self.log.told[act.key] = Told(act.version + 1, act.value, answer.headers.get("x-saved", ""))
        if TWICE <= chance < TWICE + AGAIN:
            again = self.insist("same form again", act)
            if self.log.expect("same form again", again, 200) and again.headers.get(
                "x-saved"
            ) != self.told_of(act):
                self.log.surprises.append(f"{act.key} was saved at another time when it came again")
        elif chance > 1 - STALE:
            other = act._replace(key=f"{act.key}:old", value=act.value)
            self.log.expect("form of an old page", self.insist("form of an old page", other), 409)

    def told_of(self, act: JudgedAct) -> str:
        """When that act was saved, according to the first answer."""
        return self.log.told[act.key].saved

    def insist(self, what: str, act: JudgedAct) -> Answer:
        """Send the act until it is answered."""
        return insist(self.judge.browser, self.addresses, self.log, what, lambda: self.judge.send(act))

    def click_twice(self, act: JudgedAct) -> Answer:
        """Send the same form on two connections at once."""
        browser = self.judge.browser
        twin = Browser(browser.where.geturl())
        twin.__dict__ |= {name: getattr(browser, name) for name in ("cookies", "token", "proxied")}
        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(self.judge.send, act, twin)
            answer = self.insist(SAVE, act)
            with suppress(OSError, http.client.HTTPException):
                self.log.expect("second click", other.result(), 200, 502, 503, 507)
        twin.close()
        return answer


class Reader:
    """A lead who pages through lists until told to stop."""

    def __init__(self, browser: Browser, addresses: list[str], log: Log, pages: list[str]) -> None:
        self.browser, self.addresses, self.log, self.pages = browser, addresses, log, pages

    def work(self, is_over: Event, think: float = 1.0) -> None:
        """Load one page after the other, a second between them; for lists also the next pages."""
        waiting: list[str] = []
        while not is_over.is_set():
            waiting = waiting or list(self.pages)
            page = waiting.pop(0)
            ask = partial(self.browser.get, page)
            answer = insist(self.browser, self.addresses, self.log, "lead's page", ask)
            is_shown = self.log.expect(page, answer, 200)
            if is_shown and (further := FURTHER.search(answer.text)):
                waiting.insert(0, page.partition("?")[0] + unescape(further[1]))
            is_over.wait(think)


def differences(told: dict[str, Told], stored: list[tuple[str, int, str]]) -> list[str]:
    """Sentences for every act that was acknowledged and is not stored as it was, or is stored but was not acknowledged.

    `stored` are key, version and value of every revision.
    """
    found, seen = [], {}
    for key, version, value in stored:
        if key in seen:
            found.append(f"{key} is stored twice")
        seen[key] = (version, value)
    for key, act in told.items():
        if key not in seen:
            found.append(f"{key} was acknowledged and is not stored")
        elif seen[key] != (act.version, act.value):
            found.append(f"{key} was acknowledged as {act[:2]} and is stored as {seen[key]}")
    return found + [f"{key} is stored and was never acknowledged" for key in seen if key not in told]


def build_table(log: Log) -> list[str]:
    """A line for each kind of request: how many, p50, p95, p99 and the longest in milliseconds."""
    lines = [f"{'':<22}{'count':>8}{'p50':>9}{'p95':>9}{'p99':>9}{'max':>9}   ms"]
    for what in dict.fromkeys(sample.what for sample in log.samples):
        took = [1000 * sample.seconds for sample in log.samples if sample.what == what]
        figures = [*(quantile(took, share) for share in (0.5, 0.95, 0.99)), max(took)]
        lines.append(f"{what:<22}{len(took):>8}" + "".join(f"{figure:>9.0f}" for figure in figures))
    return lines
