"""The rows of the rubric app."""

from rubric.models.calibration import CalibrationComparison, CalibrationRound, CalibrationWaiver
from rubric.models.comparisons import Comparison, ComparisonSet, Response, Reviewer, ScoringChoice
from rubric.models.results import ImpactPreview, SetFigures, Survey
from rubric.models.reviews import (
    Answer,
    Mark,
    MarkRevision,
    Review,
    ReviewedResponse,
    ReviewPrompt,
    WholePrompt,
)
from rubric.models.rubrics import Rubric, RubricVersion
