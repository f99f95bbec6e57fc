"""Games whose messages are searched."""

from typing import Any

from discussions.models import UnindexedGame
from discussions.search.actions import ask_to_index
from tests.factories.jobs import run_waiting_jobs
from tests.factories.native_games import native_message
from tests.factories.people import NOW
from workspace.models import Person


def index_all() -> None:
    """What the sweep and a worker do."""
    ask_to_index(by=Person.objects.system(now=NOW), now=NOW)
    run_waiting_jobs()
    assert not UnindexedGame.objects.exists()


def talk(*texts: str) -> dict[str, Any]:
    """The part of a native game in which Ann, Bea and Cid say these texts in turns, three a round."""
    names = ("Ann", "Bea", "Cid")
    return {
        "messages": [
            native_message(at + 1, names[at % 3], text, roundNumber=1 + at // 3)
            for at, text in enumerate(texts)
        ]
    }
