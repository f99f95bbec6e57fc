"""Games that came in before their input tokens had a column get them from their texts."""

from importlib import import_module

import pytest
from django.apps import apps

from discussions.models import Game
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
