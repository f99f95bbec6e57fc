"""People who save all the time while something is broken, insist, and keep what they were told."""

import threading
import time

from benchmarks.clients import SAVE, Evaluator, Log, differences
from benchmarks.driver import Browser, Judge, quantile
from tests.faults.visitors import Team, Visitor
from tests.services.live_stack import LiveStack
from tools.processes import wait_until

REVISIONS = "SELECT key, version, value FROM discussions_revision"


def browser_of(stack: LiveStack, visitor: Visitor) -> Browser:
    """A browser in which that visitor is signed in."""
    browser = Browser(stack.url)
    browser.cookies = dict(pair.split("=", 1) for pair in visitor.headers["Cookie"].split("; "))
    return browser


def seat(stack: LiveStack, team: Team, log: Log) -> list[Evaluator]:
    """Every evaluator of the team in front of their game."""
    return [
        Evaluator(
            Judge(browser_of(stack, visitor), f"/rate/{evaluation}/"), [stack.url], log, seed=evaluation
        )
        for visitor, evaluation in zip(team.evaluators, team.evaluations, strict=True)
    ]


class Saving:
    """As a context: the team's evaluators save from its beginning until its end, and who was refused tries again."""

    def __init__(self, stack: LiveStack, team: Team, think: float = 0.05) -> None:
        self.stack, self.think, self.log, self.faults = stack, think, Log(), []
        self.people = seat(stack, team, self.log)
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=self._work, args=(person,)) for person in self.people]

    def __enter__(self) -> "Saving":
        for thread in self.threads:
            thread.start()
        self.wait_for_more(5)
        return self

    def __exit__(self, *_: object) -> None:
        self.is_over.set()
        for thread in self.threads:
            thread.join()
        for person in self.people:
            person.judge.browser.close()

    def _work(self, person: Evaluator) -> None:
        try:
            while not self.is_over.wait(self.think):
                person.save()
        except Exception as fault:  # noqa: BLE001  asserted by `check`
            self.faults.append(fault)

    def wait_for_more(self, count: int = 1) -> float:
        """Until so many more acts were acknowledged; the seconds that it took."""
        began = time.monotonic()
        before = len(self.log.told)
        assert wait_until(lambda: len(self.log.told) >= before + count), (
            self.faults,
            self.log.server_errors[-3:],
            self.stack.web.last_lines(30),
        )
        return time.monotonic() - began

    def wait_for_refusals(self, count: int = 3) -> None:
        """Until so many more requests were not served."""
        before = self.count_refusals()
        assert wait_until(lambda: self.count_refusals() >= before + count)

    def count_refusals(self) -> int:
        """How many requests were answered by a server error, or not at all."""
        return len(self.log.server_errors) + self.log.cuts

    def p95(self) -> float:
        """The p95 of the seconds until a save was acknowledged."""
        return quantile([sample.seconds for sample in self.log.samples if sample.what == SAVE], 0.95)

    def check(self, *statuses: int) -> int:
        """Nothing is lost, altered or doubled, and server errors had only these statuses; acts acknowledged."""
        wrong = [*self.faults, *self.log.surprises]
        assert not wrong, wrong
        met = {error.rpartition(" ")[2] for error in self.log.server_errors}
        assert met <= {str(status) for status in statuses}, self.stack.web.last_lines(60)
        lost = differences(self.log.told, self.stack.rows(REVISIONS))
        assert not lost, lost
        return len(self.log.told)
