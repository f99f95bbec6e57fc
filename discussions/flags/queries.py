"""Flags that evaluators set, and for whom each waits."""

from collections.abc import Collection

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery

from discussions.models import FlagReply, Remark
from workspace.models import Person

FLAG = "flag"


def query_flags() -> QuerySet[Remark]:
    """Every flag; `last_by` wrote last: the key of the evaluator or of a lead."""
    replies = FlagReply.objects.filter(flag=OuterRef("pk")).order_by("-pk").values("created_by")[:1]
    rows: QuerySet[Remark] = Remark.objects.filter(kind=FLAG)
    return rows.annotate(last_reply_by=Subquery(replies))


def waits_for_lead() -> Q:
    """The flag is open, and its evaluator wrote last."""
    return Q(resolved_at=None) & (Q(last_reply_by=None) | Q(last_reply_by=F("evaluation__evaluator")))


def waits_for_evaluator() -> Q:
    """The flag is open, and a lead wrote last."""
    return Q(resolved_at=None, last_reply_by__isnull=False) & ~Q(last_reply_by=F("evaluation__evaluator"))


def count_waiting_flags(person: Person, led: Collection[int], rated: Collection[int]) -> dict[int, int]:
    """By project: flags that wait for its leads (in `led`), or for the person who set them (in `rated`)."""
    as_lead = Q(evaluation__game__project__in=led) & waits_for_lead()
    as_evaluator = (
        Q(evaluation__game__project__in=rated, evaluation__evaluator=person) & waits_for_evaluator()
    )
    rows = query_flags().filter(as_lead | as_evaluator).values("evaluation__game__project")
    return dict(rows.annotate(count=Count("pk")).values_list("evaluation__game__project", "count"))
