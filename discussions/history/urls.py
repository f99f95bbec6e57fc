"""Addresses of history."""

from django.urls import URLPattern, path

from discussions.history.views import stage, weak_spots

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/stages/<int:stage>/", stage.stage, name="stage"),
    path(
        "projects/<slug:slug>/stages/<int:stage>/summary/",
        stage.stage_summary,
        name="stage_summary",
    ),
    path(
        "projects/<slug:slug>/stages/<int:stage>/summary.md",
        stage.stage_summary_markdown,
        name="stage_summary_markdown",
    ),
    path(
        "projects/<slug:slug>/stages/<int:stage>/summary.json",
        stage.stage_summary_json,
        name="stage_summary_json",
    ),
    path("projects/<slug:slug>/stages/<int:stage>/figures.csv", stage.stage_figures, name="stage_figures"),
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/weak-spots/",
        weak_spots.weak_spots,
        name="weak_spots",
    ),
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/weak-spots.md",
        weak_spots.weak_spots_markdown,
        name="weak_spots_markdown",
    ),
]
