"""Costs and cache hit rates by hand: the newest counts, marked, and what was reported stays."""

from decimal import Decimal

import pytest

from discussions.games.actions import enter_figure
from discussions.models import Game, ManualFigure
from discussions.preview.queries import Batch, read_judged
from discussions.verdicts.actions import replay_verdict
from discussions.verdicts.pages.report import build_report
from discussions.verdicts.pages.verdict import build_verdict_page
from tests.factories.iterations import figures, get_lead, history, make_iteration, make_stage
from tests.factories.people import make_lead, make_member, moment
from tests.factories.verdicts import fresh, game_to_record, preview, record, recorded_verdict
from workspace.core.refusals import NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage():
    made = make_stage()
    make_iteration(stage=made, games=[figures(cost=None, cache=None), figures(), figures()])
    return made


def enter(stage, kind="cost", value="1.5", reason="From the invoice.", by=None):
    game = Game.objects.select_related("project").get(project=stage.project, number=1)
    return enter_figure(
        game=game, kind=kind, value=Decimal(value), reason=reason, by=by or get_lead(stage), now=moment(5)
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


def by_hand(game, dollars):
    return enter_figure(
        game=fresh(game),
        kind="cost",
        value=Decimal(dollars),
        reason="From the invoice.",
        by=make_lead(project=game.project),
        now=moment(70),
    )


def test_a_verdict_rests_on_the_cost_that_was_entered_and_says_where_it_came_from():
    game = game_to_record()
    by_hand(game, "3.5")
    found = preview(game)
    assert (found.basis.cost.total_usd, found.basis.cost.source) == (Decimal("3.5"), "by hand")
    (judged,) = read_judged(Batch([game.pk], is_recorded=False), lambda _rubric: False)
    assert judged.basis == found.basis
    verdict = record(game, minutes=80)
    assert not verdict.passes
    assert "cost 3.50 > 3.00" in verdict.outcome
    assert replay_verdict(verdict=verdict).is_equal
    assert "entered by hand; above $3.00" in build_report(game=game).cost_says


def test_a_recorded_verdict_stays_and_its_page_says_that_the_cost_is_another_now():
    verdict = recorded_verdict()
    game, stored = fresh(verdict.game), verdict.outcome
    by_hand(game, "3.5")
    page = build_verdict_page(game=game, person=make_lead(project=game.project))
    (said,) = page.changed
    assert said.endswith("and is $3.500000, entered by hand now.")
    assert page.outcome.cost != "$3.50"
    lead = make_lead(project=game.project)
    newer = record(game, by=lead, reason="The invoice came in.", minutes=90)
    verdict.refresh_from_db()
    assert (verdict.outcome, newer.supersedes, newer.passes) == (stored, verdict, False)
