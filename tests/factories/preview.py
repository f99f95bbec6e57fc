"""Impact previews of drafts for tests, reached through the real actions."""

from collections.abc import Callable

from msgspec.structs import replace

from discussions.models import Verdict
from discussions.preview.queries import scored_hash
from discussions.rating.actions import reveal_roles, submit_evaluation
from rubric.core.records import RubricRecord
from rubric.models import ImpactPreview, RubricVersion
from rubric.preview.actions import ask_for_preview
from rubric.preview.core import Impact
from rubric.preview.queries import reviews_hash
from rubric.versions.actions import save_draft
from tests.factories.jobs import run_waiting_jobs
from tests.factories.people import NOW, make_admin
from tests.factories.rating import ANSWERS, say_what_is_missing, start
from tests.factories.verdicts import record
from tests.factories.versions import make_draft, with_weights
from workspace.core.words import decode_stored
from workspace.models import Job, Person, Project

Change = Callable[[RubricRecord], RubricRecord]


def draft_with(change: Change, *, key: str = "discussion", by: Person | None = None) -> RubricVersion:
    """A draft that says what `change` makes of the shipped version."""
    by = by or make_admin()
    draft = make_draft(key=key, by=by)
    return saved(draft, change, by=by)


def saved(draft: RubricVersion, change: Change, *, by: Person) -> RubricVersion:
    """The draft after another save."""
    record = change(draft.to_record())
    save_draft(version=draft, record=record, note="Tried", basis=draft.sha256, by=by, now=NOW)
    return RubricVersion.objects.select_related("rubric").get(pk=draft.pk)


def thresholds(**given: float) -> Change:
    """Other thresholds, by criterion."""

    def change(record: RubricRecord) -> RubricRecord:
        criteria = [
            replace(criterion, threshold=given.get(criterion.key, criterion.threshold))
            for criterion in record.criteria
        ]
        return replace(record, criteria=criteria)

    return change


def weights(*given: float) -> Change:
    """Other weights, in the order of the criteria."""
    return lambda record: with_weights(record, *given)


def parameters(**given: object) -> Change:
    """Other parameters."""
    return lambda record: replace(record, parameters={**record.parameters, **given})


def compute_basis_hash(draft: RubricVersion) -> str:
    """The hash of what a preview of the draft looks at now."""
    return scored_hash() if draft.rubric.kind == "discussion" else reviews_hash(draft.rubric_id)


def asked(draft: RubricVersion) -> Job | None:
    """The job of a preview that was asked for."""
    return ask_for_preview(version=draft, basis=compute_basis_hash(draft), by=draft.created_by, now=NOW)


def previewed(draft: RubricVersion) -> Impact:
    """What a preview of the draft finds."""
    asked(draft)
    run_waiting_jobs()
    row = ImpactPreview.objects.filter(version=draft, sha256=draft.sha256).order_by("-pk").first()
    assert row is not None
    return decode_stored(row.body, Impact)


def recorded_with(*, project: Project, rating: str, message_count: int = 12) -> Verdict:
    """A recorded verdict on a game that passes 5 of 7 metrics when the rating does: depth is 83.3 %."""
    evaluation = start(project=project, message_count=message_count)
    say_what_is_missing(evaluation, answers=ANSWERS | {"rating": rating})
    reveal_roles(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    say_what_is_missing(evaluation)
    submit_evaluation(evaluation=evaluation, by=evaluation.evaluator, now=NOW)
    return record(evaluation.game)
