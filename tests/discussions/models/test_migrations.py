"""Rows of before get what later migrations add: input tokens from texts, weak passes from outcomes."""

from importlib import import_module

import pytest
from django.apps import apps

from discussions.models import Game, Verdict
from tests.factories.iterations import figures, make_iteration, make_stage
from tests.factories.people import make_lead
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
