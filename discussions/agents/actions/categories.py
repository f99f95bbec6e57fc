"""Codes on messages and games, and the list of categories: give, take back, rename, merge, remove."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from discussions.agents.permissions import check_code_games, check_undo_code
from discussions.models import Category, CategoryEnd, Coding, Game
from workspace.audit.actions import record_event
from workspace.core.refusals import Unacceptable
from workspace.models import Person, Project
from workspace.texts import check_length

LONGEST_NAME = 80


def code(*, game: Game, message: int, name: str, by: Person, now: datetime) -> Coding:
    """Put a category on a message, or with message 0 on the whole game; it is made if the project has none so called.

    A code that is there is kept. Raises NotAllowed, and Unacceptable for a message that the game has not.
    """
    check_code_games(by, game.project)
    plain = _clean(name)
    if not 0 <= message <= game.message_count:
        raise Unacceptable(_("There is no such message in this game. Load the page again."), field="message")
    with transaction.atomic():
        category = _find(game.project, plain) or Category.objects.create(
            project=game.project, name=plain, created_at=now, created_by=by
        )
        about = {"game": game, "message": message, "category": category, "created_by": by}
        made, is_new = Coding.objects.get_or_create(**about, removed_at=None, defaults={"created_at": now})
        if is_new:
            detail = {"game": game.number, "message": message, "name": category.name}
            record_event("category:given", category, by=by, now=now, project=game.project, detail=detail)
    return made


def take_code_back(*, coding: Coding, by: Person, now: datetime) -> None:
    """Take back one's own code; nothing happens if it was taken back. Raises NotAllowed."""
    project = coding.game.project
    check_undo_code(by, coding)
    with transaction.atomic():
        if not Coding.objects.filter(pk=coding.pk, removed_at=None).update(removed_at=now, removed_by=by):
            return
        detail = {"game": coding.game.number, "message": coding.message}
        record_event("category:taken_back", coding.category, by=by, now=now, project=project, detail=detail)


def rename_category(*, category: Category, name: str, by: Person, now: datetime) -> None:
    """Raises NotAllowed, and Unacceptable for a name that another category of the project has."""
    check_code_games(by, category.project)
    plain = _clean(name)
    with transaction.atomic():
        locked = _lock(category)
        other = _find(category.project, plain)
        if other is not None and other.pk != category.pk:
            raise Unacceptable(_("Another category has this name. Merge the two instead."), field="name")
        before, locked.name = locked.name, plain
        locked.save(update_fields=["name"])
        detail = {"before": before, "after": plain}
        record_event("category:renamed", locked, by=by, now=now, project=category.project, detail=detail)


def merge_category(*, category: Category, into: Category, by: Person, now: datetime) -> None:
    """End a category; its codes count for the other from now on, and keep the one that they were given as.

    Raises NotAllowed, and Unacceptable for one of another project, or that ended, or is the same.
    """
    check_code_games(by, category.project)
    with transaction.atomic():
        locked, target = _lock(category), _lock(into)
        if target.project_id != locked.project_id or target.pk == locked.pk:
            raise Unacceptable(_("Choose another category of this project to merge with."), field="into")
        CategoryEnd.objects.create(category=locked, merged_into=target, created_at=now, created_by=by)
        detail = {"into": target.name}
        record_event("category:merged", locked, by=by, now=now, project=category.project, detail=detail)


def remove_category(*, category: Category, by: Person, now: datetime) -> None:
    """End a category; its codes stay and count no more. Raises NotAllowed."""
    check_code_games(by, category.project)
    with transaction.atomic():
        locked = _lock(category)
        CategoryEnd.objects.create(category=locked, created_at=now, created_by=by)
        record_event("category:removed", locked, by=by, now=now, project=category.project)


def _clean(name: str) -> str:
    plain = " ".join(name.split())
    if not plain:
        raise Unacceptable(_("The category has no name. Write a few words."), field="name")
    check_length(plain, field="name", most=LONGEST_NAME)
    return plain


def _find(project: Project, name: str) -> Category | None:
    return Category.objects.filter(project=project, name__iexact=name, end=None).first()


def _lock(category: Category) -> Category:
    locked = Category.objects.select_for_update().get(pk=category.pk)
    if CategoryEnd.objects.filter(category=locked).exists():
        raise Unacceptable(_("This category was merged or removed meanwhile. Reload the page."), code="ended")
    return locked
