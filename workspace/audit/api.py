"""The audit log, for programs."""

from typing import Any, Literal

from ninja import Query
from pydantic import BaseModel, Field

from workspace.access.permissions import check_see_people
from workspace.audit.labels import KINDS, VERBS
from workspace.audit.permissions import check_see_audit_log
from workspace.audit.queries import AuditLine, AuditQuery, audit_page
from workspace.models import Project
from workspace.web.bind_form import project_or_404
from workspace.web.endpoints import After, Answer, Day, Listed, Operations, next_part
from workspace.web.views import SignedIn

router = Operations()
Kind = Literal[("", *KINDS)]  # type: ignore[valid-type]
Verb = Literal[("", *VERBS)]  # type: ignore[valid-type]


class WantedLines(BaseModel):
    """Which lines."""

    kind: Kind = ""
    number: int = Field(0, ge=0, le=10**12, description="the number of the thing, beside its `kind`")
    verb: Verb = ""
    who: str = Field("", max_length=200, description="a part of the name or address of who did it")
    since: Day | None = None
    until: Day | None = None
    after: After = 0


class EventAnswer(
    Answer,
    of=AuditLine,
    fields="seq:event.seq at:event.at by:who role:event.role verb:event.verb object_kind:event.object_kind "
    "object_id:event.object_id mac:event.mac",
):
    """A line of the audit log: who did what to which thing; `mac` seals it to the line before.

    `by` is what the person was called then.
    """

    detail: dict[str, Any]


@router.get("/projects/{slug:slug}/audit/", "api_audit", "see_audit_log", scope="admin", costs="searches")
def list_events(request: SignedIn, slug: str, wanted: Query[WantedLines]) -> Listed[EventAnswer]:
    """Read the audit log of a project.

    The newest line comes first; there are 50 lines in a part. `kind` is what the lines are about, `number` that of one
    such thing.
    """
    return _list_part(request, project_or_404(request.user, slug, check_see_audit_log), wanted)


@router.get("/audit/", "api_site_audit", "see_people", scope="admin", costs="searches")
def list_site_events(request: SignedIn, wanted: Query[WantedLines]) -> Listed[EventAnswer]:
    """Read the audit log of the installation: accounts, access tokens and admins."""
    check_see_people(request.user)
    return _list_part(request, None, wanted)


def _list_part(request: SignedIn, project: Project | None, wanted: WantedLines) -> Listed[EventAnswer]:
    asked = AuditQuery(**wanted.model_dump(exclude={"after"}))
    page = audit_page(project=project, wanted=asked, before=wanted.after, after=0)
    lines = [EventAnswer.read(line, detail=line.event.details) for line in page["lines"]]
    return Listed[EventAnswer](items=lines, next=next_part(request, page["older"]))
