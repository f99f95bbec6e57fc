"""Addresses of recipes."""

from django.urls import URLPattern, path

from discussions.imports import views
from workspace.web.require import moved

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/imports/<int:table>/columns/", views.map_columns, name="map_columns"),
    path("projects/<slug:slug>/recipes/", views.column_mappings, name="column_mappings"),
    path("projects/<slug:slug>/columns/", moved("column_mappings"), name="moved_columns"),
    path(
        "projects/<slug:slug>/recipes/<int:mapping>/recipe.json",
        views.download_recipe,
        name="download_recipe",
    ),
    path("projects/<slug:slug>/recipes/<int:mapping>/rename/", views.rename_recipe, name="rename_recipe"),
    path("projects/<slug:slug>/recipes/<int:mapping>/remove/", views.remove_mapping, name="remove_mapping"),
]
