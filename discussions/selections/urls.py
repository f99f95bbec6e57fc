"""Addresses of bulk actions."""

from django.urls import URLPattern, path

from discussions.selections import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/games/choose/", views.choose_games, name="choose_games"),
    path("projects/<slug:slug>/games/assign/", views.assign_selected, name="assign_selected"),
    path("projects/<slug:slug>/games/move/", views.move_selected, name="move_selected"),
    path("projects/<slug:slug>/games/withdraw/", views.withdraw_selected, name="withdraw_selected"),
    path("projects/<slug:slug>/games/record/", views.record_games, name="record_games"),
]
