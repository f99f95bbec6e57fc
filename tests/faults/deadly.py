"""What a worker does in tests of its death: JOB_ACTIONS of `tests.faults.worker_settings` and of single tests."""

import os
import signal
from typing import Any

from discussions.imports.actions.reading import help_import, import_games
from discussions.metrics import actions as measuring
from discussions.models import Transcript
from workspace.models import Job

POISON = "poison"


class Death(BaseException):
    """Stands for kill -9 where the test's own process is the worker: nothing catches it."""


def import_or_die(*, job: Job, clock: Any) -> None:
    """An import during which a file called poison... kills whoever reads it."""
    if Transcript.objects.get(job=job).name.startswith(POISON):
        os.kill(os.getpid(), signal.SIGKILL)
    import_games(job=job, clock=clock)


def measure_or_die(*, job: Job, clock: Any) -> None:
    """Importing or measuring during which a game whose id begins with poison ends the worker that measures it."""
    real = measuring.measure_game

    def measure(game: Any, rubric: Any) -> Any:
        if game.game_id.startswith(POISON):
            raise Death
        return real(game, rubric)

    measuring.measure_game = measure
    try:
        {"import": import_games, "import_part": help_import, "measure": measuring.measure_games}[job.kind](
            job=job, clock=clock
        )
    finally:
        measuring.measure_game = real
