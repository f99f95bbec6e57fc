"""Addresses of games."""

from django.urls import URLPattern, path

from discussions.games import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/games/<int:number>/figures/", views.enter_figure, name="enter_figure"),
    path("projects/<slug:slug>/games/<int:number>/withdrawal/", views.withdraw_game, name="withdraw_game"),
    path(
        "projects/<slug:slug>/games/<int:number>/evaluations/<slug:evaluation>/return/",
        views.return_evaluation,
        name="return_evaluation",
    ),
    path("projects/<slug:slug>/games/<int:number>/repeats/drop/", views.drop_repeats, name="drop_repeats"),
    path("projects/<slug:slug>/games/<int:number>/diagnostics/", views.diagnostics, name="diagnostics"),
    path("projects/<slug:slug>/games/<int:number>/rounds/", views.set_round_offset, name="set_round_offset"),
    path("projects/<slug:slug>/games/<int:number>/fewer/", views.need_fewer, name="need_fewer"),
    path("projects/<slug:slug>/games/columns/", views.choose_columns, name="choose_columns"),
    path("projects/<slug:slug>/games/", views.games, name="games"),
    path("projects/<slug:slug>/games/<int:number>/", views.game, name="game"),
]
