"""Costs and cache hit rates by hand: the newest counts, marked, and what was reported stays."""

from decimal import Decimal

import pytest

from discussions.actions.figuring_games import enter_figure
from discussions.models import Game, ManualFigure
from tests.factories import make_member, moment
from tests.staged import figures, history, lead_of, make_iteration, make_stage
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    made = make_stage()
    make_iteration(stage=made, games=[figures(cost=None, cache=None), figures(), figures()])
    return made


def enter(stage, kind="cost", value="1.5", reason="From the invoice.", by=None):
    game = Game.objects.select_related("project").get(project=stage.project, number=1)
    return enter_figure(
        game=game, kind=kind, value=Decimal(value), reason=reason, by=by or lead_of(stage), now=moment(5)
    )


def told(stage):
    found = history(stage).iterations[0].figures[0]
    return found.cost_usd, found.is_cost_by_hand, found.cache_hit_rate, found.is_cache_by_hand


def test_what_was_not_reported_is_entered_and_marked(stage):
    assert told(stage) == (None, False, None, False)
    enter(stage)
    enter(stage, "cache", "0.75")
    assert told(stage) == (Decimal("1.5"), True, 0.75, True)
    other = history(stage).iterations[0].figures[1]
    assert (other.cost_usd, other.is_cost_by_hand, other.input_tokens) == (Decimal("1.25"), False, 90_000)


def test_the_newest_figure_counts_and_the_earlier_ones_stay(stage):
    first, second = enter(stage), enter(stage, value="1.75", reason="The other invoice.")
    assert (second.number, second.supersedes) == (2, first)
    assert told(stage)[0] == Decimal("1.75")
    assert ManualFigure.objects.count() == 2
    assert Game.objects.get(project=stage.project, number=1).cost_usd is None
    details = list(
        Event.objects.filter(verb="figure:entered").order_by("pk").values_list("detail", flat=True)
    )
    assert '"value":"1.750000"' in details[1]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"kind": "tokens"}, "kind"),
        ({"value": "-0.01"}, "value"),
        ({"value": "100000.01"}, "value"),
        ({"value": "NaN"}, "value"),
        ({"kind": "cache", "value": "1.01"}, "value"),
        ({"reason": " "}, "reason"),
        ({"reason": "x" * 2001}, "reason"),
    ],
)
def test_figures_that_cannot_be_are_refused(stage, given, field):
    with pytest.raises(Unacceptable) as refusal:
        enter(stage, **given)
    assert refusal.value.field == field
    assert not ManualFigure.objects.exists()


def test_a_cost_of_nothing_can_be_meant(stage):
    enter(stage, value="0")
    assert told(stage)[:2] == (0, True)


def test_evaluators_enter_nothing(stage):
    with pytest.raises(NotAllowed, match="Only team leads"):
        enter(stage, by=make_member(project=stage.project))
