"""Addresses of mappings of columns."""

from django.urls import URLPattern, path

from discussions.imports import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/imports/<int:table>/columns/", views.map_columns, name="map_columns"),
    path("projects/<slug:slug>/columns/", views.column_mappings, name="column_mappings"),
    path("projects/<slug:slug>/columns/<int:mapping>/remove/", views.remove_mapping, name="remove_mapping"),
]
