"""The rows of the discussions app."""

from discussions.models.adjudications import Adjudication, TieRequest
from discussions.models.calibrations import CalibrationGame, CalibrationRound, CalibrationWaiver
from discussions.models.column_mappings import ColumnMapping
from discussions.models.decisions import Decision
from discussions.models.evaluations import (
    Category,
    CategoryEnd,
    Coding,
    Evaluation,
    FlagReply,
    Judgement,
    Remark,
    Reveal,
    Revision,
)
from discussions.models.games import (
    Game,
    GameText,
    ImportDismissal,
    ImportRun,
    IndexedMessage,
    PrivateTrack,
    Transcript,
    UnindexedGame,
)
from discussions.models.iterations import Iteration, Stage
from discussions.models.judges import Admission, Judge, JudgeAnswer, JudgePrompt, JudgeReply
from discussions.models.manual_figures import ManualFigure
from discussions.models.measurements import Companions, Measured, MeasuredFindings, TeamFigures
from discussions.models.queue_rules import (
    FillRules,
    Guideline,
    GuidelineReading,
    QueueDraw,
    QueueRule,
    RatingRule,
)
from discussions.models.round_offsets import RoundOffset
from discussions.models.slots import Slot
from discussions.models.verdicts import Verdict
from discussions.models.withdrawals import Withdrawal
