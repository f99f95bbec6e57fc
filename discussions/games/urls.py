"""Addresses of games."""

from django.urls import URLPattern, path

from discussions.games.views import flags, game, game_list, selections

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/games/<int:number>/figures/", flags.enter_figure, name="enter_figure"),
    path("projects/<slug:slug>/games/<int:number>/withdrawal/", flags.withdraw_game, name="withdraw_game"),
    path(
        "projects/<slug:slug>/games/<int:number>/evaluations/<slug:evaluation>/return/",
        flags.return_evaluation,
        name="return_evaluation",
    ),
    path("projects/<slug:slug>/games/<int:number>/repeats/drop/", flags.drop_repeats, name="drop_repeats"),
    path("projects/<slug:slug>/games/<int:number>/diagnostics/", game.diagnostics, name="diagnostics"),
    path("projects/<slug:slug>/games/<int:number>/rounds/", flags.set_round_offset, name="set_round_offset"),
    path("projects/<slug:slug>/games/<int:number>/fewer/", flags.need_fewer, name="need_fewer"),
    path("projects/<slug:slug>/games/columns/", game_list.choose_columns, name="choose_columns"),
    path("projects/<slug:slug>/games/", game_list.games, name="games"),
    path("projects/<slug:slug>/games/<int:number>/", game.game, name="game"),
    path("projects/<slug:slug>/flags/", flags.flags, name="flags"),
    path("projects/<slug:slug>/flags/<int:flag>/", flags.answer, name="answer_flag"),
    path("projects/<slug:slug>/games/choose/", selections.choose_games, name="choose_games"),
    path("projects/<slug:slug>/games/assign/", selections.assign_selected, name="assign_selected"),
    path("projects/<slug:slug>/games/move/", selections.move_selected, name="move_selected"),
    path("projects/<slug:slug>/games/withdraw/", selections.withdraw_selected, name="withdraw_selected"),
    path("projects/<slug:slug>/games/record/", selections.record_games, name="record_games"),
]
