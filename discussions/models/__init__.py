"""The rows of the discussions wing."""

from discussions.models.decisions import Decision
from discussions.models.evaluations import Evaluation, Judgement, Remark, Reveal, Revision, Slot
from discussions.models.games import Game, GameText, Transcript
from discussions.models.iterations import Iteration, Stage
from discussions.models.manual_figures import ManualFigure
from discussions.models.measurements import Companions, Measured, MeasuredFindings
from discussions.models.verdicts import Verdict
from discussions.models.withdrawals import Withdrawal

__all__ = [
    "Companions",
    "Decision",
    "Evaluation",
    "Game",
    "GameText",
    "Iteration",
    "Judgement",
    "ManualFigure",
    "Measured",
    "MeasuredFindings",
    "Remark",
    "Reveal",
    "Revision",
    "Slot",
    "Stage",
    "Transcript",
    "Verdict",
    "Withdrawal",
]
