"""Addresses of planning."""

from django.urls import URLPattern, path

from discussions.planning.views import iteration, plan, settings, upgrades
from workspace.web.require import moved

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/settings/", settings.change, name="project_settings"),
    path("projects/<slug:slug>/settings/rules/", settings.change_rating_rules, name="project_rules"),
    path("projects/<slug:slug>/iteration/", moved("project_settings"), name="moved_settings"),
    path("projects/<slug:slug>/storage/", settings.set_storage_limit, name="set_storage_limit"),
    path(
        "projects/<slug:slug>/stages/<int:stage>/iterations/new/",
        plan.open_iteration,
        name="open_iteration",
    ),
    path("projects/<slug:slug>/iterations/<int:iteration>/", iteration.iteration, name="iteration"),
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/edit/",
        plan.edit_iteration,
        name="edit_iteration",
    ),
    path("projects/<slug:slug>/iterations/<int:iteration>/games/", iteration.move_games, name="move_games"),
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/open/",
        iteration.open_for_rating,
        name="open_for_rating",
    ),
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/again/",
        iteration.replay_reference,
        name="replay_reference",
    ),
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/version/",
        upgrades.change_version,
        name="change_version",
    ),
    path("projects/<slug:slug>/measure-again/", upgrades.measure_outdated, name="measure_again"),
]
