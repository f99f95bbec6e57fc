"""What tests read of the demo."""

from discussions.demo.actions.fill import fill_demo
from tests.factories.people import NOW
from tests.factories.replays import replayed
from workspace.people.actions.people import system_person


@replayed
def fill():
    return fill_demo(by=system_person(now=NOW), now=NOW)
