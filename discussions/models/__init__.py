"""The rows of the discussions wing."""

from discussions.models.evaluations import Evaluation, Judgement, Remark, Reveal, Revision, Slot
from discussions.models.games import Game, GameText, Transcript
from discussions.models.iterations import Iteration, Stage
from discussions.models.measurements import Companions, Measured, MeasuredFindings
from discussions.models.verdicts import Verdict

__all__ = [
    "Companions",
    "Evaluation",
    "Game",
    "GameText",
    "Iteration",
    "Judgement",
    "Measured",
    "MeasuredFindings",
    "Remark",
    "Reveal",
    "Revision",
    "Slot",
    "Stage",
    "Transcript",
    "Verdict",
]
