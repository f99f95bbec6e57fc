"""Addresses of acts on several games."""

from django.urls import URLPattern, path

from discussions.selections import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/games/record/", views.record_games, name="record_games"),
]
