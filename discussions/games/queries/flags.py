"""Flags that evaluators set, and the people for whom each waits."""

from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from discussions.models import Evaluation, FlagReply, Remark
from workspace.database.unions import CappedCount

FLAG = "flag"
MOST = 10_000


def query_flags() -> QuerySet[Remark]:
    """Every flag; `last_by` is the key of the evaluator or lead who wrote last."""
    replies = FlagReply.objects.filter(flag=OuterRef("pk")).order_by("-pk").values("created_by")[:1]
    rows: QuerySet[Remark] = Remark.objects.filter(kind=FLAG)
    return rows.annotate(last_reply_by=Subquery(replies))


def is_in_project(project: Any) -> Exists:
    """The flag is on a game of the project; an EXISTS, so that SQLite begins with flags and not with all games."""
    return Exists(Evaluation.objects.filter(pk=OuterRef("evaluation"), game__project=project))


def waits_for_lead() -> Q:
    return Q(resolved_at=None) & (Q(last_reply_by=None) | Q(last_reply_by=F("evaluation__evaluator")))


def waits_for_evaluator() -> Q:
    return Q(resolved_at=None, last_reply_by__isnull=False) & ~Q(last_reply_by=F("evaluation__evaluator"))


def count_for_leads(project: OuterRef) -> CappedCount:
    rows = query_flags().filter(waits_for_lead(), is_in_project(OuterRef(project)))
    return CappedCount(rows.order_by().values("pk"), MOST)


def count_for_evaluator(person: Any, project: Any) -> CappedCount:
    rows = query_flags().filter(
        waits_for_evaluator(), evaluation__evaluator=person, evaluation__game__project=project
    )
    return CappedCount(rows.order_by().values("pk"), MOST)
