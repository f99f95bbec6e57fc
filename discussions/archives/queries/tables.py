"""The tables of a project: every model with rows of a project, in the order in which an import creates them.

The lines of an archive follow from the models' fields. This module adds only what fields do not define: the rows of a
project, the values that an import fills in, and the paths at which stored JSON names rows by their keys.
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Annotated, Any, Literal

import msgspec
from django.db import models
from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.models import QuerySet
from msgspec import Meta, Struct

from discussions import models as games
from discussions.calibration.core import Key as GameKey
from discussions.comparison.core.decision_basis import DecisionBasis
from discussions.core.intake import Filling
from discussions.core.outcome import Outcome
from discussions.core.records import Fault, GameRecord, Measurement, PrivateEntry
from discussions.iterations.core.gates import GateStatus
from discussions.slots.core import LEASE
from discussions.verdicts.core.basis import Basis
from rubric import models as rubric
from rubric.calibration.core import Key as ComparisonKey
from rubric.human_reviewers.queries.reviews import STARTING
from workspace import models as workspace
from workspace.audit.labels import KINDS
from workspace.audit.queries import kind_of
from workspace.models import Project

AnyModel = type[models.Model]


class ArchivedTable(Struct, frozen=True):
    """One model in archives.

    `path` leads from a row to its project; a line names a row of another table by the number of its line, in the order
    of keys. Tables without a path are shared by projects: their rows are named by a text, and written when a line
    names them. `filled` are fields that no line has, with how an import fills them. `inner` says where the JSON of a
    field names rows: field -> path -> model; such a field is JSON in the line, too. `texts` are the types of JSON in
    text fields, and `types` those of fields that hold another thing in a line than in the row. `ahead` are moments that
    may lie in the future, with how far.
    """

    model: AnyModel
    path: str = ""
    filled: dict[str, str] = {}
    inner: dict[str, dict[str, AnyModel]] = {}
    texts: dict[str, Any] = {}
    types: dict[str, Any] = {}
    ahead: dict[str, timedelta] = {}

    @property
    def kind(self) -> str:
        return str(self.model._meta.label_lower)

    @property
    def fields(self) -> list[Any]:
        return [
            field
            for field in self.model._meta.concrete_fields
            if field.name not in self.filled and not isinstance(field, models.AutoField)
        ]

    def find_rows(self, project: Project) -> "QuerySet[Any]":
        # Also what is left of erased games and uploads.
        rows = self.model._base_manager.all()
        if self.path == "transcripts":
            return rows.filter(pk__in=games.Transcript.with_erased.filter(project=project).values("job"))
        return rows.filter(**{self.path: project.pk})


HASH_OF_BASIS = {"basis_sha256": "the hash of the basis with the new keys"}
_MAYBE = {"created_at": datetime | None, "created_by": str | None}
_GAME, _EVALUATION = "game__project", "evaluation__game__project"
_SET, _REVIEW = "set__project", "review__reviewer__set__project"

BASIS_KEYS: dict[str, AnyModel] = {
    "game": games.Game,
    "transcript": games.Transcript,
    "rubric_version.id": rubric.RubricVersion,
    "measured.id": games.Measured,
    "evaluations.*.id": games.Evaluation,
    "evaluations.*.evaluator": workspace.Person,
    "judgements.*.id": games.Judgement,
    "judgements.*.evaluation": games.Evaluation,
    "adjudications.*.id": games.Adjudication,
    "supersedes": games.Verdict,
    "tests.*.evaluation": games.Evaluation,
    "judges.*.judge": games.Judge,
    "judges.*.admissions.*": games.Admission,
}
DECISION_KEYS: dict[str, AnyModel] = {
    "iteration": games.Iteration,
    "compared_with": games.Iteration,
    "rubric_version": rubric.RubricVersion,
    "supersedes": games.Decision,
    "picked.*": games.Game,
    **{
        f"{part}.*.{key}": model
        for part in ("control", "change", "control_out", "change_out")
        for key, model in (("id", games.Game), ("verdict", games.Verdict))
    },
}

# Shared by the projects of an installation: an archive holds those that its lines name.
SHARED = (
    ArchivedTable(
        workspace.Person,
        filled={
            "password": "none: nobody can sign in by it",
            "last_login": "empty",
            "oidc_issuer": "empty",
            "oidc_subject": "empty: the account is linked here",
            "is_active": "no for accounts that were not there: an admin switches them on",
            "is_admin": "no for accounts that were not there",
            "has_single_keys": "as for every new account",
            "keys": "as for every new account",
            "time_zone": "as for every new account",
            "erased_at": "empty: the account here has the pseudonym for a name",
            "created_at": "when it was imported",
        },
    ),
    ArchivedTable(rubric.Rubric),
    # Of a version that came with the product only the content: each installation has published it itself.
    ArchivedTable(rubric.RubricVersion, types=_MAYBE | {"state": Literal["published", "retired"]}),
)
OWN = (
    ArchivedTable(workspace.Project, "pk", filled={"erased_at": "empty"}),
    ArchivedTable(workspace.Membership, "project"),
    # Only jobs that read uploads: with the upload they form its report. No path leads from a job to what it reads.
    ArchivedTable(
        workspace.Job,
        "transcripts",
        filled={
            "subject": "names the upload by its new key",
            "attempt": "0",
            "suspects": "none",
            "faults": "none",
            "fence": "0",
            "lease_until": "empty",
            "queued_at": "empty",
            "rung_at": "empty",
            "cause": "none",
        },
        types={"kind": Literal["import"], "state": Literal["done", "failed", "cancelled"]},
    ),
    ArchivedTable(games.Stage, "project", texts={"door": GateStatus}),
    ArchivedTable(games.Iteration, "project", texts={"material": dict[str, float]}),
    ArchivedTable(games.Transcript, "project", texts={"faults": list[Fault]}),
    ArchivedTable(games.ColumnMapping, "project", texts={"columns": list[str], "fields": dict[str, str]}),
    ArchivedTable(
        games.Game,
        "project",
        filled={"paid_usd": "the cost by hand, else that of the file"},
        texts={"warnings": list[Fault]},
    ),
    ArchivedTable(games.GameText, _GAME, texts={"body": GameRecord}),
    ArchivedTable(games.PrivateTrack, _GAME, texts={"body": list[PrivateEntry]}),
    ArchivedTable(games.RoundOffset, _GAME),
    ArchivedTable(
        games.Measured,
        _GAME,
        filled={"job": "empty: jobs belong to the installation"},
        texts={"figures": dict[str, tuple[int, int, bool, bool]]},
    ),
    ArchivedTable(games.MeasuredFindings, "measured__game__project", texts={"body": dict[str, Measurement]}),
    ArchivedTable(games.Companions, "measured__game__project", texts={"body": dict[str, Any]}),
    ArchivedTable(games.ManualFigure, _GAME),
    ArchivedTable(games.Withdrawal, _GAME),
    ArchivedTable(games.Category, "project"),
    ArchivedTable(games.CategoryEnd, "category__project"),
    ArchivedTable(games.Coding, _GAME),
    ArchivedTable(games.Slot, "project", ahead={"lease_until": LEASE}),
    ArchivedTable(games.Evaluation, _GAME),
    ArchivedTable(games.Judgement, _EVALUATION),
    ArchivedTable(games.Revision, "judgement__evaluation__game__project"),
    ArchivedTable(games.Reveal, _EVALUATION),
    ArchivedTable(games.Remark, _EVALUATION),
    ArchivedTable(games.FlagReply, "flag__evaluation__game__project"),
    # The hash covers keys of evaluations: null says that the answers are still those that were resolved.
    ArchivedTable(games.Adjudication, _GAME, types={"sides_sha256": str | None}),
    ArchivedTable(games.TieRequest, _GAME),
    ArchivedTable(games.Judge, "project"),
    ArchivedTable(games.Admission, "judge__project"),
    ArchivedTable(
        games.Verdict,
        "project",
        filled=HASH_OF_BASIS,
        inner={"basis": BASIS_KEYS},
        texts={"basis": Basis, "outcome": Outcome},
    ),
    ArchivedTable(
        games.Decision,
        "iteration__project",
        filled=HASH_OF_BASIS,
        inner={"basis": DECISION_KEYS},
        texts={"basis": DecisionBasis, "proposal": Any},
    ),
    ArchivedTable(games.CalibrationRound, "project"),
    ArchivedTable(games.CalibrationGame, "round__project", texts={"key": GameKey}),
    ArchivedTable(games.CalibrationWaiver, "round__project"),
    ArchivedTable(games.JudgePrompt, _GAME),
    ArchivedTable(games.JudgeReply, "prompt__game__project"),
    ArchivedTable(games.JudgeAnswer, "prompt__game__project"),
    ArchivedTable(games.QueueRule, "project"),
    ArchivedTable(games.FillRules, "project", texts={"body": Filling}),
    ArchivedTable(games.QueueDraw, _GAME),
    ArchivedTable(games.RatingRule, "project"),
    ArchivedTable(games.Guideline, "project"),
    ArchivedTable(games.GuidelineReading, "guideline__project"),
    ArchivedTable(rubric.ComparisonSet, "project"),
    ArchivedTable(rubric.Comparison, _SET),
    ArchivedTable(rubric.Response, "comparison__set__project"),
    ArchivedTable(rubric.Reviewer, _SET),
    ArchivedTable(rubric.Review, "reviewer__set__project"),
    ArchivedTable(rubric.ReviewedResponse, _REVIEW),
    ArchivedTable(rubric.Mark, _REVIEW),
    ArchivedTable(rubric.MarkRevision, "mark__review__reviewer__set__project"),
    ArchivedTable(rubric.ReviewPrompt, _REVIEW),
    ArchivedTable(rubric.WholePrompt, _REVIEW),
    ArchivedTable(rubric.Answer, _REVIEW),
    ArchivedTable(rubric.Survey, "comparison__set__project"),
    ArchivedTable(rubric.CalibrationRound, _SET),
    ArchivedTable(rubric.CalibrationComparison, "round__set__project", texts={"key": ComparisonKey}),
    ArchivedTable(rubric.CalibrationWaiver, "round__set__project"),
)
TABLES: dict[AnyModel, ArchivedTable] = {table.model: table for table in (*SHARED, *OWN)}

# What an archive leaves out, and why.
LEFT_OUT = {
    workspace.AccessToken: "a secret of the installation",
    workspace.Chain: "made from the audit lines",
    workspace.Counter: "counts of the installation that run out",
    workspace.Delivery: "what was sent from this installation to a webhook",
    workspace.Email: "what was sent from this installation, some of it secrets",
    workspace.Erasure: "what admins of this installation asked for; the audit lines say what is gone",
    workspace.ErasurePass: "empty but while something is erased",
    workspace.Export: "files of the installation that run out",
    workspace.Heartbeat: "signs of life of the installation's workers",
    workspace.Invitation: "a way into the installation, opened by a secret",
    workspace.KeptAnswer: "answers to programs, kept for some days",
    workspace.Notification: "what people of this installation were told of, kept for some months",
    workspace.NotificationSettings: "choices of people of this installation",
    workspace.SignIn: "a secret of the installation",
    workspace.StorageLimit: "what the installation lets the project store",
    workspace.Webhook: "a secret of the installation, and whom it tells",
    games.ImportRun: "how far an import is, until it is over",
    games.ImportDismissal: "which notices of this installation were seen",
    games.IndexedMessage: "made from the texts of games",
    games.UnindexedGame: "whose texts wait to be indexed here",
    games.TeamFigures: "computed from what is there, when a page asks for it",
    rubric.SetFigures: "computed from what is there, when a page asks for it",
    rubric.ImpactPreview: "computed from all projects, for a draft",
    rubric.ScoringChoice: "a choice for the whole installation",
}
# Written by `events.py`: lines of the audit log with their first seals.
AUDIT = (workspace.Event, workspace.FirstSeal)

# What audit lines are about -> the model whose rows they name. Lines about jobs, of which few are written, and about
# what an archive leaves out name no row.
KIND_MODELS: dict[str, AnyModel] = {
    kind_of(model): model for model in TABLES if kind_of(model) in KINDS and model is not workspace.Job
}


def is_shared(model: AnyModel) -> bool:
    """Whether lines name the model's rows by a text, not by the number of a line."""
    return not TABLES[model].path


@cache
def list_named_models() -> frozenset[AnyModel]:
    """The models whose rows lines name by the number of a line."""
    related = {field.related_model for table in OWN for field in table.fields if field.is_relation}
    inside = {model for table in OWN for paths in table.inner.values() for model in paths.values()}
    named = related | inside | set(KIND_MODELS.values()) | {rubric.Review}
    return frozenset(model for model in named if not is_shared(model))


def swap_start_key(key: str, swap: Callable[[int], int | str]) -> str:
    """The key of a mark that a review began with, with another name for the review that it names; other keys stay."""
    if not key.startswith(STARTING):
        return key
    review, _, rest = key.removeprefix(STARTING).partition(":")
    return f"{STARTING}{swap(int(review))}:{rest}" if review.isdecimal() else key


@cache
def get_line_type(model: AnyModel) -> type[Struct]:
    """The record of the model's lines, made from its fields: what is written, and what is read strictly."""
    table = TABLES[model]
    fields = [(field.name, table.types.get(field.name) or _type_of(table, field)) for field in table.fields]
    return msgspec.defstruct(
        table.model.__name__,
        fields,
        tag_field="table",
        tag=table.kind,
        frozen=True,
        forbid_unknown_fields=True,
    )


_SIMPLE = (
    (models.BooleanField, bool),
    (models.FloatField, float),
    (models.DecimalField, Decimal),
    (models.DateTimeField, datetime),
)


def _type_of(table: ArchivedTable, field: Any) -> Any:
    kind: Any
    if field.is_relation:
        kind = str if is_shared(field.related_model) else Annotated[int, Meta(ge=1)]
    elif field.name in table.inner:
        kind = dict[str, Any]
    elif isinstance(field, models.IntegerField):
        lowest, highest = BaseDatabaseOperations.integer_field_ranges[field.get_internal_type()]
        kind = Annotated[int, Meta(ge=lowest, le=highest)]
    elif isinstance(field, models.JSONField):
        kind = {list: list[Any], dict: dict[str, Any]}.get(field.default, list[Any])
    elif isinstance(field, models.CharField):
        kind = Annotated[str, Meta(max_length=field.max_length)]
        if field.choices:
            # One of these, or empty where it may be.
            words = [word for word, _label in field.choices] + ([""] if field.blank else [])
            kind = Literal[tuple(words)]
    else:
        kind = next((plain for column, plain in _SIMPLE if isinstance(field, column)), str)
    return kind | None if field.null else kind
