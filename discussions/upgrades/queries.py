"""Newer versions for an iteration, and what moving it to one of them would change."""

from collections import Counter
from functools import partial
from typing import Any

import msgspec
from django.db.models import Count, Exists, Max, QuerySet, Sum
from msgspec import Struct
from msgspec.structs import replace

from discussions.core.outcome import Outcome
from discussions.metrics.core.registry import CODE_VERSION
from discussions.models import Adjudication, Evaluation, Game, Iteration, ManualFigure, Verdict
from discussions.preview.core import PENDING, Rejudged, compute_games_impact, needs_text, rejudge
from discussions.preview.queries import Batch, read_judged
from discussions.queries import measured_for
from rubric.models import RubricVersion
from rubric.preview.core import Impact
from workspace.core.canonical import canonical_hash

_OUTCOME: Any = msgspec.json.Decoder(Outcome)


class VersionPreview(Struct, frozen=True):
    """What the move would change: each rated game, all of them together, and the hash that moving must carry."""

    version: RubricVersion
    games: list[Rejudged]
    impact: Impact
    input_sha256: str

    @property
    def counts(self) -> dict[str, int]:
        """Outcome under the version, in words -> games."""
        return dict(Counter(game.after for game in self.games))

    @property
    def waiting_count(self) -> int:
        """Games with a verdict that would wait for labels or a decision."""
        return sum(game.is_recorded and game.after == PENDING for game in self.games)


def list_newer_versions(iteration: Iteration) -> "QuerySet[RubricVersion]":
    """The published versions of the iteration's rubric that were made after its own, the newest first."""
    own = iteration.rubric_version
    rows = RubricVersion.objects.published().filter(rubric=own.rubric_id, pk__gt=own.pk)
    return rows.select_related("rubric").order_by("-pk")


def load_version_preview(iteration: Iteration, version: RubricVersion) -> VersionPreview:
    """The games with submitted evaluations, decided again under that version from the judgements so far.

    A fixed number of queries. Nothing is stored.
    """
    draft = version.to_record()
    submitted = Evaluation.objects.submitted_ratings().filter(game__iteration=iteration)
    rated = Game.objects.filter(Exists(measured_for(iteration)), pk__in=submitted.values("game")).order_by(
        "pk"
    )
    recorded = {
        number: _OUTCOME.decode(outcome)
        for number, outcome in Verdict.objects.filter(game__iteration=iteration)
        .not_superseded()
        .values_list("game__number", "outcome")
    }
    keys = list(rated.values_list("pk", flat=True))
    judged = read_judged(Batch(keys, is_recorded=False), partial(needs_text, draft=draft))
    games = [rejudge(replace(game, recorded=recorded.get(game.where.number)), draft) for game in judged]
    return VersionPreview(version, games, compute_games_impact(games, draft), hash_input(iteration, version))


def hash_input(iteration: Iteration, version: RubricVersion) -> str:
    """The hash of the preview's input: versions, verdicts, evaluations, adjudications and manual costs."""
    games = Game.objects.filter(iteration=iteration)
    rows = Evaluation.objects.submitted_ratings().filter(game__in=games)
    return canonical_hash(
        [
            CODE_VERSION,
            iteration.rubric_version.sha256,
            version.sha256,
            games.aggregate(Count("pk"), Count("withdrawn_at")),
            Verdict.objects.filter(game__in=games).aggregate(Count("pk"), Max("pk")),
            rows.aggregate(Count("pk"), Sum("pk"), Sum("version")),
            Adjudication.objects.filter(game__in=games).aggregate(Count("pk"), Max("pk")),
            ManualFigure.objects.filter(game__in=games).aggregate(Count("pk"), Max("pk")),
        ]
    )
