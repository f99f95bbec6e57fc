"""Games out of the averages, and costs and cache hit rates by hand: with a reason, marked, and back by another act."""

from decimal import Decimal

import pytest

from discussions.games.actions import enter_figure, restore_game, withdraw_game
from discussions.iterations.queries import load_rubric
from discussions.models import Decision, Game, ManualFigure, Verdict, Withdrawal
from discussions.preview.queries import Batch, read_judged
from discussions.queue.actions import take_next_game
from discussions.verdicts.actions import replay_verdict
from discussions.verdicts.pages.report import build_report
from discussions.verdicts.pages.verdict import build_verdict_page
from tests.factories.iterations import (
    decide_on,
    figures,
    get_lead,
    history,
    make_iteration,
    make_stage,
    preview,
    withdraw,
)
from tests.factories.people import make_lead, make_member, make_project, moment
from tests.factories.verdicts import fresh, game_to_record, record, recorded_verdict
from tests.factories.verdicts import preview as preview_verdict
from workspace.core.refusals import Conflict, NotAllowed, Unacceptable
from workspace.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage():
    made = make_stage()
    make_iteration(stage=made, games=[figures(coherence=value) for value in (60, 80, 90)])
    return made


def game(number=1):
    return Game.objects.select_related("project", "iteration").get(number=number)


def row(stage):
    return history(stage).iterations[0]


def restore(number=1, *, by, minutes=9):
    restore_game(game=game(number), reason="The file was whole.", by=by, now=moment(minutes))


def test_a_withdrawn_game_is_in_no_average_and_comes_back(stage):
    withdraw(game=game())
    assert [figure.number for figure in row(stage).figures] == [2, 3]
    assert (row(stage).withdrawn, Verdict.objects.count()) == ([1], 3)
    restore(by=get_lead(stage))
    assert [figure.number for figure in row(stage).figures] == [1, 2, 3]
    assert row(stage).left_out == []
    assert list(Withdrawal.objects.values_list("number", "is_withdrawn", "reason")) == [
        (1, True, "Cut short."),
        (2, False, "The file was whole."),
    ]
    verbs = Event.objects.filter(object_kind="withdrawal").order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["game:withdrawn", "game:restored"]


def test_what_stands_already_is_not_done_again(stage):
    with pytest.raises(Conflict, match="counts again already"):
        restore(by=get_lead(stage))
    withdraw(game=game())
    with pytest.raises(Conflict, match="withdrew game 1 first"):
        withdraw(game=game(), reason="Another reason.")
    assert (Withdrawal.objects.count(), game().withdrawn_reason) == (1, "Cut short.")


@pytest.mark.parametrize("reason", [" ", "x" * 2001])
def test_a_reason_is_needed(stage, reason):
    with pytest.raises(Unacceptable) as refusal:
        withdraw(game=game(), reason=reason)
    assert (refusal.value.field, Withdrawal.objects.count()) == ("reason", 0)


def test_only_leads_withdraw(stage):
    for somebody in (make_member(project=stage.project), make_lead(project=make_project())):
        with pytest.raises(NotAllowed, match="team leads"):
            withdraw_game(game=game(), reason="Mine.", by=somebody, now=moment(5))
    assert not Event.objects.filter(verb="game:withdrawn").exists()


def test_nobody_is_given_a_withdrawn_game_and_it_gets_its_places_back(stage):
    change = make_iteration(stage=stage, games=[None] * 3, minutes=10)
    for number in (4, 5):
        withdraw(game=game(number), minutes=11)
    first, other = (make_member(project=stage.project) for _ in range(2))

    def take(by, minutes):
        found = take_next_game(project=stage.project, by=by, now=moment(minutes), iteration=change)
        return found and found.game.number

    assert (take(first, 12), take(other, 12)) == (6, None)
    restore(4, by=get_lead(stage), minutes=13)
    assert take(other, 14) == 4


def test_a_decision_stands_on_what_it_rested_on(stage):
    change = make_iteration(
        stage=stage, games=[figures(coherence=value) for value in (85, 90, 95)], minutes=10
    )
    before = decide_on(iteration=change, choice="keep", minutes=11).basis_sha256
    withdraw(game=game(4), minutes=12)
    assert preview(change).basis_sha256 != before
    assert Decision.objects.get().basis_sha256 == before
    assert history(stage).reference.id == change.pk


def test_the_gate_knows_that_games_are_missing(stage):
    (step,) = history(stage).for_gate(load_rubric)
    assert (len(step.games), step.least) == (3, 3)
    withdraw(game=game())
    (step,) = history(stage).for_gate(load_rubric)
    assert (len(step.games), step.least) == (2, 3)


@pytest.fixture
def unpaid():
    made = make_stage()
    make_iteration(stage=made, games=[figures(cost=None, cache=None), figures(), figures()])
    return made


def enter(unpaid, kind="cost", value="1.5", reason="From the invoice.", by=None):
    game = Game.objects.select_related("project").get(project=unpaid.project, number=1)
    return enter_figure(
        game=game, kind=kind, value=Decimal(value), reason=reason, by=by or get_lead(unpaid), now=moment(5)
    )


def told(unpaid):
    found = history(unpaid).iterations[0].figures[0]
    return found.cost_usd, found.is_cost_by_hand, found.cache_hit_rate, found.is_cache_by_hand


def test_what_was_not_reported_is_entered_and_marked(unpaid):
    assert told(unpaid) == (None, False, None, False)
    enter(unpaid)
    enter(unpaid, "cache", "0.75")
    assert told(unpaid) == (Decimal("1.5"), True, 0.75, True)
    other = history(unpaid).iterations[0].figures[1]
    assert (other.cost_usd, other.is_cost_by_hand, other.input_tokens) == (Decimal("1.25"), False, 90_000)


def test_the_newest_figure_counts_and_the_earlier_ones_stay(unpaid):
    first, second = enter(unpaid), enter(unpaid, value="1.75", reason="The other invoice.")
    assert (second.number, second.supersedes) == (2, first)
    assert told(unpaid)[0] == Decimal("1.75")
    assert ManualFigure.objects.count() == 2
    assert Game.objects.get(project=unpaid.project, number=1).cost_usd is None
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
def test_figures_that_cannot_be_are_refused(unpaid, given, field):
    with pytest.raises(Unacceptable) as refusal:
        enter(unpaid, **given)
    assert refusal.value.field == field
    assert not ManualFigure.objects.exists()


def test_a_cost_of_nothing_can_be_meant(unpaid):
    enter(unpaid, value="0")
    assert told(unpaid)[:2] == (0, True)


def test_evaluators_enter_nothing(unpaid):
    with pytest.raises(NotAllowed, match="Only team leads"):
        enter(unpaid, by=make_member(project=unpaid.project))


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
    found = preview_verdict(game)
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
