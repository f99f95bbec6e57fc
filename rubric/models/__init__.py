"""The rows of the rubric wing."""

from rubric.models.rubrics import Rubric, RubricVersion

__all__ = ["Rubric", "RubricVersion"]
