"""How new sets are scored: as the environment says, until an admin chooses."""

import pytest

from rubric.actions.scoring_choices import choose_scoring
from rubric.models import ScoringChoice
from rubric.models.scoring_choices import default_mode
from tests.factories import NOW, make_admin, make_lead, make_project
from workspace.core.refusals import NotAllowed
from workspace.models import Event

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("is_on", "mode"), [(False, "holistic"), (True, "both")])
def test_the_environment_gives_the_first_value(settings, is_on, mode):
    settings.DEFAULT_RUBRIC_SCORING = is_on
    assert default_mode() == mode


def test_an_admin_turns_it_on_and_off_again_and_both_stay_on_record(settings):
    admin = make_admin()
    choose_scoring(is_on=True, by=admin, now=NOW)
    assert default_mode() == "both"
    choose_scoring(is_on=False, by=admin, now=NOW)
    settings.DEFAULT_RUBRIC_SCORING = True
    assert default_mode() == "holistic"
    found = Event.objects.filter(verb="rubric_scoring:chosen").order_by("pk")
    assert [event.by_id for event in found] == [admin.pk, admin.pk]


def test_choosing_what_is_so_writes_nothing():
    choose_scoring(is_on=False, by=make_admin(), now=NOW)
    assert not ScoringChoice.objects.exists()
    assert not Event.objects.filter(verb="rubric_scoring:chosen").exists()


def test_only_admins_choose():
    with pytest.raises(NotAllowed):
        choose_scoring(is_on=True, by=make_lead(project=make_project()), now=NOW)
    assert not ScoringChoice.objects.exists()
