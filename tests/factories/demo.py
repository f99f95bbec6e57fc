"""What tests read of the demo."""

from discussions.demo.actions.fill import fill_demo
from tests.factories.people import NOW
from workspace.people.actions import system_person


def fill():
    return fill_demo(by=system_person(now=NOW), now=NOW)
