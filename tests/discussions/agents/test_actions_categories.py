"""Codes are given by leads, found again by their name, merged with their origin, and taken back by who gave them."""

import pytest

from discussions.agents.actions import (
    MERGE,
    REMOVE,
    RENAME,
    RESTORE,
    change_category,
    code,
    take_code_back,
)
from discussions.agents.queries import load_coded
from discussions.models import Category, CategoryEnd, Coding
from tests.factories.people import NOW, make_lead, make_member
from tests.factories.transcripts import import_game, make_games_project
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    project = make_games_project()
    lead = make_lead(project=project)
    return project, lead, import_game(project=project, by=lead)


def give(game, lead, name, message=1):
    return code(game=game, message=message, name=name, by=lead, now=NOW)


def test_a_code_makes_its_category_once_in_any_case_and_is_kept(world):
    project, lead, game = world
    first = give(game, lead, " Stalls  for time ")
    assert first.category.name == "Stalls for time"
    assert give(game, lead, "stalls for TIME") == first
    assert give(game, lead, "stalls for time", 0).category == first.category
    other = give(game, make_lead(project=project), "stalls for time")
    assert other != first and other.category == first.category
    assert Category.objects.count() == 1
    verbs = list(Event.objects.filter(verb__startswith="category:").values_list("verb", flat=True))
    assert verbs == ["category:given"] * 3


@pytest.mark.parametrize(("name", "message"), [("", 1), ("x" * 81, 1), ("fine", 99)])
def test_what_cannot_be_coded_is_refused(world, name, message):
    _project, lead, game = world
    with pytest.raises(Unacceptable):
        give(game, lead, name, message)
    assert not Coding.objects.exists()


def test_only_leads_code_and_take_back_their_own(world):
    project, lead, game = world
    with pytest.raises(NotAllowed):
        give(game, make_member(project=project), "stalls")
    made = give(game, lead, "stalls")
    with pytest.raises(NotAllowed):
        take_code_back(coding=made, by=make_lead(project=project), now=NOW)
    take_code_back(coding=made, by=lead, now=NOW)
    take_code_back(coding=made, by=lead, now=NOW)
    made.refresh_from_db()
    assert made.removed_by == lead
    assert Event.objects.filter(verb="category:taken_back").count() == 1
    assert give(game, lead, "stalls") != made


def test_categories_are_renamed_merged_and_removed_and_codes_keep_their_origin(world):
    _project, lead, game = world
    by = {"by": lead, "now": NOW}
    one, two, three = (give(game, lead, name).category for name in ("stalls", "waits", "rude"))
    change_category(category=one, do=RENAME, name="Stalls for time", **by)
    with pytest.raises(Unacceptable):
        change_category(category=one, do=RENAME, name="WAITS", **by)
    change_category(category=two, do=MERGE, into=one, **by)
    assert Coding.objects.filter(category=two).count() == 1
    assert CategoryEnd.objects.get(category=two).merged_into == one
    elsewhere = make_games_project()
    there = make_lead(project=elsewhere)
    foreign = give(import_game(project=elsewhere, by=there), there, "other").category
    for category, into in ((two, one), (one, one), (one, two), (one, foreign), (one, None)):
        with pytest.raises(Unacceptable):
            change_category(category=category, do=MERGE, into=into, **by)
    change_category(category=three, do=REMOVE, **by)
    assert give(game, lead, "rude").category != three


def test_what_was_merged_or_removed_is_restored_unless_its_name_is_taken(world):
    project, lead, game = world
    by = {"by": lead, "now": NOW}
    one, two = (give(game, lead, name).category for name in ("stalls", "waits"))
    with pytest.raises(Unacceptable):
        change_category(category=two, do=RESTORE, **by)
    change_category(category=two, do=MERGE, into=one, **by)
    change_category(category=two, do=RESTORE, **by)
    assert load_coded(project).names == {one.pk: "stalls", two.pk: "waits"}
    change_category(category=two, do=REMOVE, **by)
    give(game, lead, "Waits", 2)
    with pytest.raises(Unacceptable, match="has this name"):
        change_category(category=two, do=RESTORE, **by)
    assert CategoryEnd.objects.filter(category=two).exists()
