"""Which games wait to be measured again, because another version of the code measured them."""

from django.db.models import Exists, OuterRef, QuerySet

from discussions.metrics.core.registry import CODE_VERSION
from discussions.models import Game, Measured


def outdated_games() -> "QuerySet[Game]":
    """Games that were measured under their iteration's rubric version, but not by today's code; withdrawn ones too."""
    own = Measured.objects.filter(game=OuterRef("pk"), rubric_version=OuterRef("iteration__rubric_version"))
    return Game.objects.filter(~Exists(own.filter(code_version=CODE_VERSION)), Exists(own))
