"""Publishing rubric versions. In this edition: the versions that the app is shipped with."""

from datetime import datetime

from django.db import transaction

from rubric.models import Rubric, RubricVersion
from rubric.models.rubrics import PUBLISHED
from rubric.models.shipped import Shipped, shipped_versions
from workspace.actions.events import record_event
from workspace.models import Person


def publish_first_versions(*, by: Person, now: datetime) -> list[RubricVersion]:
    """Publish every shipped version that is not there yet; the new ones. Doing it again changes nothing."""
    with transaction.atomic():
        return [
            version for shipped in shipped_versions() if (version := _publish(shipped, by, now)) is not None
        ]


def _publish(shipped: Shipped, by: Person, now: datetime) -> RubricVersion | None:
    rubric, _made = Rubric.objects.get_or_create(
        key=shipped.key, defaults={"kind": shipped.kind, "name": shipped.name}
    )
    version, is_new = RubricVersion.objects.get_or_create(
        rubric=rubric,
        number=shipped.number,
        defaults={
            "state": PUBLISHED,
            "body": shipped.body,
            "sha256": shipped.sha256,
            "created_at": now,
            "created_by": by,
            "published_at": now,
            "published_by": by,
        },
    )
    if not is_new:
        return None
    record_event(
        by=by,
        now=now,
        project=None,
        verb="rubric_version:published",
        object_kind="rubric_version",
        object_id=version.pk,
        detail={"rubric": shipped.key, "number": shipped.number, "sha256": shipped.sha256},
    )
    return version
