"""Addresses of history."""

from django.urls import URLPattern, path

from discussions.history.views import stage

STAGE = "projects/<slug:slug>/stages/<int:stage>/"

urlpatterns: list[URLPattern] = [
    path(STAGE, stage.stage, name="stage"),
    path(f"{STAGE}summary/", stage.stage_summary, name="stage_summary"),
    path(f"{STAGE}summary.md", stage.stage_summary_markdown, name="stage_summary_markdown"),
    path(f"{STAGE}summary.json", stage.stage_summary_json, name="stage_summary_json"),
    path(f"{STAGE}figures.csv", stage.stage_figures, name="stage_figures"),
]
