"""M7, engagement: the evaluators' mean rating; it is not measured automatically. Source: rubric, Metric 7."""

from discussions.core import judgement_kinds
from discussions.metrics.core.metric import RATING, Metric
from rubric.versions.core.game_specs import ParameterSpecs

KEY = "engagement"

METRIC = Metric(
    KEY,
    scale=RATING,
    parameters=ParameterSpecs(counts={"answers_yes_count": (1, 5)}, amounts={"answers_yes_rating": (1, 5)}),
    judged=judgement_kinds.RATING,
    step="engagement",
    is_required=True,
)
