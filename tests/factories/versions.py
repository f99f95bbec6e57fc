"""Drafts of rubric versions for tests, reached through the real actions."""

from msgspec.structs import replace

from rubric.core.records import Criterion, RubricRecord
from rubric.core.scales import Scale
from rubric.models import RubricVersion
from rubric.models.rubrics import IMPORTED
from rubric.versions.actions import (
    draft_version,
    import_version,
    publish_version,
    retire_version,
    save_draft,
)
from rubric.versions.queries import DISCUSSION_NUMBERS, RESPONSE_NUMBERS, response_version
from tests.factories.people import NOW, make_admin
from tests.factories.replays import replayed

SHIPPED = {"discussion": DISCUSSION_NUMBERS[-1], "response": RESPONSE_NUMBERS[-1]}


def first(key="response"):
    """The newest shipped version of that rubric."""
    return RubricVersion.objects.select_related("rubric").get(rubric__key=key, number=SHIPPED[key])


@replayed
def retire_earlier(*, key="response", by=None):
    """Retire the shipped versions before the newest, which is then the only published one."""
    newest = first(key)
    for version in RubricVersion.objects.published().filter(rubric=newest.rubric).exclude(pk=newest.pk):
        retire_version(version=version, reason="Superseded", by=by or make_admin(), now=NOW)


@replayed
def make_draft(*, key="response", by=None, note="To try other weights", now=NOW):
    """A draft of what the shipped version says."""
    return draft_version(version=first(key), note=note, by=by or make_admin(), now=now)


def make_imported_version(*, by=None, key="discussion", now=NOW):
    """A version as a project archive brings it: published elsewhere, and new work does not use it."""
    by = by or make_admin()
    draft = make_draft(key=key, by=by, now=now)
    publish_version(version=draft, basis=draft.sha256, reason="Agreed", by=by, now=now)
    RubricVersion.objects.filter(pk=draft.pk).update(state=IMPORTED)
    return RubricVersion.objects.select_related("rubric").get(pk=draft.pk)


def with_weights(record: RubricRecord, *weights: float) -> RubricRecord:
    """The version with these weights, in the order of its criteria."""
    criteria = [
        replace(criterion, weight=weight) for criterion, weight in zip(record.criteria, weights, strict=True)
    ]
    return replace(record, criteria=criteria)


@replayed
def make_changed_draft(*, by=None, weights=(0.4, 0.2, 0.2, 0.2), now=NOW):
    """A draft of the response rubric with other weights."""
    by = by or make_admin()
    draft = make_draft(by=by, now=now)
    record = with_weights(draft.to_record(), *weights)
    save_draft(version=draft, record=record, note="Accuracy counts more", basis=draft.sha256, by=by, now=now)
    return RubricVersion.objects.select_related("rubric").get(pk=draft.pk)


def three_scales(depth: Scale | None = None) -> RubricRecord:
    """A response version whose criteria have three scales: 1 to 5, 0 or 1, and `depth`, else the common one."""
    shipped = response_version()
    named = (("coherence", Scale(1, 5), 0.5), ("recommend", Scale(0, 1), 0.2), ("depth", depth, 0.3))
    criteria = [
        Criterion(
            key=key,
            label=key.title(),
            description=f"What {key} means.",
            weight=weight,
            question=f"How is its {key}?",
            anchors={"1": "The lowest that is good enough"},
            scale=scale,
        )
        for key, scale, weight in named
    ]
    return replace(shipped, name="Stories", version="1.0", criteria=criteria)


def publish_three_scales(depth: Scale | None = None) -> RubricVersion:
    """The same as a published version of a rubric of its own."""
    admin = make_admin()
    draft = import_version(
        record=three_scales(depth), rubric=None, key="stories", note="Ours", by=admin, now=NOW
    )
    publish_version(version=draft, basis=draft.sha256, reason="Agreed", by=admin, now=NOW)
    return RubricVersion.objects.select_related("rubric").get(pk=draft.pk)


# The parameters of the discussion rubric by which people's estimate is the score.
BY_PEOPLE = {
    "role_consistency_score": "people",
    "strategic_depth_score": "people_if_contradicted",
    "coherence_score": "people_if_contradicted",
    "more_messages": "while_open",
    "more_batches": 1,
}


@replayed
def publish_with_parameters(**parameters: object) -> RubricVersion:
    """A published version of the discussion rubric with some parameters changed."""
    admin, draft = make_admin(), make_draft(key="discussion")
    record = draft.to_record()
    record = replace(record, parameters=record.parameters | parameters)
    save_draft(version=draft, record=record, note="By people", basis=draft.sha256, by=admin, now=NOW)
    draft.refresh_from_db()
    publish_version(version=draft, basis=draft.sha256, reason="Agreed", by=admin, now=NOW)
    return RubricVersion.objects.get(pk=draft.pk)
