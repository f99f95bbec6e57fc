"""Rows from before a migration are what they would be today, and can go back."""

from decimal import Decimal
from importlib import import_module

import pytest
from django.apps import apps

from discussions.games.actions import enter_figure
from discussions.models import Game, Iteration, Verdict
from discussions.models.manual_figures import COST
from tests.factories.iterations import figures, make_baseline, make_iteration, make_stage
from tests.factories.people import NOW, make_lead
from tests.factories.tampering import without_triggers
from tests.factories.transcripts import import_game, make_games_project, native_game

pytestmark = pytest.mark.django_db


def test_tokens_come_out_of_the_texts(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    project = make_games_project()
    lead = make_lead(project=project)
    import_game(project=project, by=lead)
    import_game(project=project, by=lead, metadata={}, messages=native_game()["messages"][:4])
    assert list(Game.objects.order_by("number").values_list("input_tokens", flat=True)) == [90_000, None]
    with without_triggers():
        Game.objects.update(input_tokens=None)
        import_module("discussions.migrations.0005_iteration_history_append_only").take_tokens_from_texts(
            apps, None
        )
    assert list(Game.objects.order_by("number").values_list("input_tokens", flat=True)) == [90_000, None]


def test_games_of_before_are_found_by_their_ids_files_and_players(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    project = make_games_project()
    game = import_game(project=project, by=make_lead(project=project), gameId="Spring-7")
    searched = Game.objects.get(pk=game.pk).search_text
    assert searched.startswith(f"spring-7\n{game.transcript.name.casefold()}\n")
    assert game.text.to_record().players[0].name.casefold() in searched.split("\n")
    with without_triggers():
        Game.objects.update(search_text="")
        import_module("discussions.migrations.0024_search_text").fill_search_texts(apps, None)
    assert Game.objects.get(pk=game.pk).search_text == searched


def test_games_of_before_cost_what_was_entered_else_what_they_report(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    project = make_games_project()
    lead = make_lead(project=project)
    game = import_game(project=project, by=lead)
    import_game(project=project, by=lead, gameId="Other")
    import_game(project=project, by=lead, metadata={}, gameId="Without")
    for value in ("2.5", "7"):
        enter_figure(game=game, kind=COST, value=Decimal(value), reason="An invoice", by=lead, now=NOW)
    costs = Game.objects.order_by("number").values_list("paid_usd", flat=True)
    counted = [Decimal(7), Game.objects.get(number=2).cost_usd, None]
    assert list(costs.all()) == counted
    Game.objects.update(paid_usd=None)
    import_module("discussions.migrations.0026_paid_usd").fill_costs(apps, None)
    assert list(costs.all()) == counted


def test_verdicts_of_before_count_their_weak_passes(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    stage = make_stage(project=make_games_project())
    make_iteration(stage=stage, games=[figures(memory_accuracy=None), figures(), figures()])
    counts = Verdict.objects.order_by("game__number").values_list("weak_pass_count", flat=True)
    assert list(counts.all()) == [1, 0, 0]
    with without_triggers():
        Verdict.objects.update(weak_pass_count=0)
        import_module("discussions.migrations.0016_weak_passes").count_weak_passes(apps, None)
    assert list(counts.all()) == [1, 0, 0]


def test_unsorted_games_leave_number_1_to_stages_and_iterations_keep_theirs():
    migration = import_module("discussions.migrations.0017_unsorted_is_no_iteration")
    baseline = make_baseline(stage=make_stage())
    empty = make_games_project()
    numbers = {baseline.project_id: [0, 1], empty.pk: [0]}

    def count():
        rows = Iteration.objects.order_by("number").values_list("project", "number")
        return {project: [number for key, number in rows if key == project] for project in numbers}

    assert count() == numbers
    migration.give_unsorted_one(apps, None)
    assert count() == {baseline.project_id: [0, 1], empty.pk: [1]}, "a number that is taken stays"
    Iteration.objects.filter(pk=baseline.pk).update(number=2)
    migration.give_unsorted_one(apps, None)
    assert count() == {baseline.project_id: [1, 2], empty.pk: [1]}, "a project from before"
    migration.give_unsorted_zero(apps, None)
    assert count() == {baseline.project_id: [0, 2], empty.pk: [0]}
