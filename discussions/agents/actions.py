"""Codes and their categories: give, take back, rename, merge, remove, restore; and the job that computes files."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from discussions.agents.permissions import check_code_games, check_see_agents, check_undo_code
from discussions.agents.queries import AGENT_STATISTICS
from discussions.models import Category, CategoryEnd, Coding, Game
from workspace.audit.actions import record_event
from workspace.core.refusals import Unacceptable
from workspace.core.text import check_length
from workspace.jobs.actions import Clock
from workspace.models import Job, Person, Project
from workspace.stored_statistics.actions import compute_missing, enqueue_missing

LONGEST_NAME = 80
RENAME, MERGE, REMOVE, RESTORE = "rename", "merge", "remove", "restore"


def code(*, game: Game, message: int, name: str, by: Person, now: datetime) -> Coding:
    """Put a category on a message, or with message 0 on the whole game; it is made if the project has none so called.

    A code that is there is kept. Raises NotAllowed, and Unacceptable for a message that the game has not.
    """
    check_code_games(by, game.project)
    plain = _clean(name)
    if not 0 <= message <= game.message_count:
        raise Unacceptable(_("There is no such message in this game. Load the page again."), field="message")
    with transaction.atomic():
        category = _find_or_make(game.project, plain, by, now)
        about = {"game": game, "message": message, "category": category, "created_by": by}
        made, is_new = Coding.objects.get_or_create(**about, removed_at=None, defaults={"created_at": now})
        if is_new:
            detail = {"game": game.number, "message": message, "name": category.name}
            record_event("category:given", category, by=by, now=now, project=game.project, detail=detail)
    return made


def code_found(
    *, project: Project, places: Mapping[int, Sequence[int]], name: str, by: Person, now: datetime
) -> None:
    """Put a category on all of these messages, by key of their game; codes that are there are kept.

    Raises NotAllowed, and Unacceptable if there are none.
    """
    check_code_games(by, project)
    plain = _clean(name)
    if not places:
        raise Unacceptable(_("Nothing is found any more. Search again."))
    with transaction.atomic():
        category = _find_or_make(project, plain, by, now)
        known = Coding.objects.filter(category=category, created_by=by, removed_at=None, game__in=places)
        there = set(known.values_list("game", "message"))
        rows = [
            Coding(category=category, game_id=game, message=message, created_by=by, created_at=now)
            for game, messages in places.items()
            for message in messages
            if (game, message) not in there
        ]
        Coding.objects.bulk_create(rows, ignore_conflicts=True)
        detail = {"games": len(places), "messages": len(rows), "name": category.name}
        record_event("category:given", category, by=by, now=now, project=project, detail=detail)


def take_code_back(*, coding: Coding, by: Person, now: datetime) -> None:
    """Take back one's own code; nothing happens if it was taken back. Raises NotAllowed."""
    project = coding.game.project
    check_undo_code(by, coding)
    with transaction.atomic():
        if not Coding.objects.filter(pk=coding.pk, removed_at=None).update(removed_at=now, removed_by=by):
            return
        detail = {"game": coding.game.number, "message": coding.message}
        record_event("category:taken_back", coding.category, by=by, now=now, project=project, detail=detail)


def change_category(
    *, category: Category, do: str, name: str = "", into: Category | None = None, by: Person, now: datetime
) -> None:
    """Rename a category, merge it into another, remove it, or restore one that was merged or removed.

    Codes keep the category that they were given as: those of a merged one count for the other, those of a removed one
    count no more. Raises NotAllowed, and Unacceptable for a name that another category has, for one to merge with that
    is of another project, ended or the same, and for a category that was ended or restored meanwhile.
    """
    check_code_games(by, category.project)
    with transaction.atomic():
        locked = Category.objects.select_for_update().select_related("project").get(pk=category.pk)
        end = CategoryEnd.objects.filter(category=locked).first()
        if (end is None) == (do == RESTORE):
            says = _("This category was merged, removed or restored meanwhile. Reload the page.")
            raise Unacceptable(says, code="ended")
        if do == RENAME:
            verb, detail = "renamed", _rename(locked, name)
        elif do == MERGE:
            verb, detail = "merged", {"into": _check_into(locked, into).name}
            CategoryEnd.objects.create(category=locked, merged_into=into, created_at=now, created_by=by)
        elif do == REMOVE:
            verb, detail = "removed", {}
            CategoryEnd.objects.create(category=locked, created_at=now, created_by=by)
        else:
            assert end is not None
            verb, detail = "restored", {}
            end.delete()
            _check_free(locked, locked.name)
        record_event(f"category:{verb}", locked, by=by, now=now, project=locked.project, detail=detail)


def _rename(category: Category, name: str) -> dict[str, str]:
    before, category.name = category.name, _clean(name)
    _check_free(category, category.name)
    category.save(update_fields=["name"])
    return {"before": before, "after": category.name}


def _check_free(category: Category, name: str) -> None:
    if _query_named(category.project, name).exclude(pk=category.pk).exists():
        raise Unacceptable(_("Another category has this name. Rename or merge that one first."), field="name")


def _check_into(category: Category, into: Category | None) -> Category:
    if into is None:
        raise Unacceptable(_("Choose the category to merge with."), field="into")
    target = Category.objects.select_for_update().get(pk=into.pk)
    is_other = target.project_id == category.project_id and target.pk != category.pk
    if not is_other or CategoryEnd.objects.filter(category=target).exists():
        says = _("Choose another category of this project to merge with, which was not ended.")
        raise Unacceptable(says, field="into")
    return target


def _clean(name: str) -> str:
    plain = " ".join(name.split())
    if not plain:
        raise Unacceptable(_("The category has no name. Write a few words."), field="name")
    check_length(plain, field="name", most=LONGEST_NAME)
    return plain


def _find_or_make(project: Project, name: str, by: Person, now: datetime) -> Category:
    known = _query_named(project, name).first()
    return known or Category.objects.create(project=project, name=name, created_at=now, created_by=by)


def _query_named(project: Project, name: str) -> "QuerySet[Category]":
    return Category.objects.filter(project=project, name__iexact=name, end=None)


def ask_for_agents(*, project: Project, by: Person, now: datetime) -> Job | None:
    """Queue the files if they are missing; None when they are there. Raises NotAllowed."""
    check_see_agents(by, project)
    return enqueue_missing(store=AGENT_STATISTICS, owner=project, by=by, now=now)


def compute_agents(*, job: Job, clock: Clock) -> None:
    """Compute the files. Raises JobLost when the job was taken over."""
    compute_missing(store=AGENT_STATISTICS, job=job, clock=clock)
