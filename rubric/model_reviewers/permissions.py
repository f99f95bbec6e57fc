"""Who may start live calls to models."""

from django.conf import settings
from django.utils.translation import gettext as _

from rubric.models import ComparisonSet
from rubric.reviews.permissions import check_change_set
from workspace.core.refusals import NotAllowed
from workspace.models import Person


def check_ask_models(person: Person, comparison_set: ComparisonSet) -> None:
    check_change_set(person, comparison_set)
    if not settings.REVIEW_MODELS_URL:
        raise NotAllowed(
            _(
                "This site calls no models by itself. Paste or upload their answers, or have an admin configure it."
            )
        )
