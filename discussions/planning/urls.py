"""Addresses of planning."""

from django.urls import URLPattern, path

from discussions.planning import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/iteration/", views.change, name="change_iteration"),
    path("projects/<slug:slug>/iteration/rules/", views.change_rating_rules, name="change_rating_rules"),
    path("projects/<slug:slug>/storage/", views.set_storage_limit, name="set_storage_limit"),
    path(
        "projects/<slug:slug>/stages/<int:stage>/iterations/new/",
        views.open_iteration,
        name="open_iteration",
    ),
    path("projects/<slug:slug>/iterations/<int:iteration>/", views.iteration, name="iteration"),
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/edit/",
        views.edit_iteration,
        name="edit_iteration",
    ),
    path("projects/<slug:slug>/iterations/<int:iteration>/games/", views.move_games, name="move_games"),
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/open/",
        views.open_for_rating,
        name="open_for_rating",
    ),
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/again/",
        views.replay_reference,
        name="replay_reference",
    ),
]
