"""The world in which the rights matrix is tried: two projects, one person per column, and one of every thing."""

from typing import Any

from django.utils import timezone

from discussions.actions.taking import take_next_game
from rubric.actions.publishing import publish_version
from tests.drafts import make_changed_draft, make_draft
from tests.factories import (
    make_admin,
    make_game,
    make_games_project,
    make_lead,
    make_member,
    membership_of,
    upload,
)
from tests.settled import settle
from tests.web.rights_matrix import COLUMNS
from workspace.actions.invitations import invite
from workspace.models import Person


def make_world() -> dict[str, Any]:
    """People by column under "people"; all other keys are arguments of addresses, by the name the address uses."""
    now = timezone.now()
    project, other = make_games_project(slug="here", now=now), make_games_project(slug="there", now=now)
    admin = make_admin(now=now)
    people: dict[str, Person | None] = {
        "anonymous": None,
        "assigned": make_member(project=project, now=now),
        "same_project": make_member(project=project, now=now),
        "elsewhere": make_member(project=other, now=now),
        "lead": make_lead(project=project, now=now),
        "lead_elsewhere": make_lead(project=other, now=now),
        "admin": admin,
        "deactivated": make_member(project=project, now=now),
    }
    assert tuple(people) == COLUMNS
    bystander = make_member(project=project, now=now)
    invited = invite(email="guest@example.org", role="evaluator", project=project, by=admin, now=now)
    as_admin = invite(email="chief@example.org", role="admin", project=None, by=admin, now=now)
    settled = make_game(project=project, by=people["lead"], now=now)
    verdict = settle(project=project, by=people["assigned"])
    game = make_game(project=project, by=people["lead"], now=now)
    evaluation = take_next_game(project=project, by=people["assigned"], now=now)
    version = game.iteration.rubric_version
    newer = make_changed_draft(by=admin, now=now)
    publish_version(version=newer, basis=newer.sha256, reason="Agreed", by=admin, now=now)
    draft = make_changed_draft(by=admin, weights=(0.3, 0.3, 0.2, 0.2), now=now)
    return {
        "people": people,
        "slug": project.slug,
        "other_slug": other.slug,
        "membership": membership_of(person=bystander, project=project).pk,
        "person": bystander.pk,
        "secret": invited.secret,
        "invitation": invited.invitation.pk,
        "admin_invitation": as_admin.invitation.pk,
        "number": game.number,
        "settled_number": settled.number,
        "verdict": verdict.number,
        "evaluation": evaluation.pk,
        "rubric_slug": version.rubric.key,
        "rubric_number": version.number,
        "response_slug": newer.rubric.key,
        "response_number": newer.number,
        "draft_number": draft.number,
        "draft_sha256": draft.sha256,
        "long_number": make_draft(key="discussion", by=admin, now=now).number,
        "transcript": upload(project=project, by=admin, now=now).pk,
    }


# Where an address names its argument like another one's, but means another thing.
ARGUMENTS = {
    **{
        name: {"number": "settled_number"}
        for name in (
            "verdict",
            "record_verdict",
            "replay_verdict",
            "report",
            "report_markdown",
            "report_json",
        )
    },
    "withdraw_admin": {"invitation": "admin_invitation"},
    "rubric_version": {"slug": "rubric_slug", "number": "rubric_number"},
    "draft_version": {"slug": "rubric_slug", "number": "rubric_number"},
    "edit_version": {"slug": "rubric_slug", "number": "long_number"},
    **{
        name: {"slug": "response_slug", "number": "response_number"}
        for name in ("compare_versions", "export_version", "retire_version")
    },
    "publish_version": {"slug": "response_slug", "number": "draft_number"},
}
