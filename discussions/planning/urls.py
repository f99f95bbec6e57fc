"""Addresses of planning."""

from django.urls import URLPattern, path

from discussions.planning.views import intake, iteration, plan, settings
from workspace.web.require import moved

PROJECT = "projects/<slug:slug>/"
ITERATION = f"{PROJECT}iterations/<int:iteration>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}settings/", settings.change, name="project_settings"),
    path(f"{PROJECT}settings/rules/", settings.change_rating_rules, name="project_rules"),
    path(f"{PROJECT}iteration/", moved("project_settings"), name="moved_settings"),
    path(f"{PROJECT}storage/", settings.set_storage_limit, name="set_storage_limit"),
    path(f"{PROJECT}team/queue/rules/", intake.fill_rules, name="fill_rules"),
    path(f"{PROJECT}games/<int:number>/queue/in/", intake.put_in_queue, name="put_in_queue"),
    path(f"{PROJECT}games/<int:number>/queue/out/", intake.take_out_of_queue, name="take_out_of_queue"),
    path(f"{PROJECT}stages/<int:stage>/iterations/new/", plan.open_iteration, name="open_iteration"),
    path(ITERATION, iteration.iteration, name="iteration"),
    path(f"{ITERATION}edit/", plan.edit_iteration, name="edit_iteration"),
    path(f"{ITERATION}games/", iteration.move_games, name="move_games"),
    path(f"{ITERATION}open/", iteration.open_for_rating, name="open_for_rating"),
    path(f"{ITERATION}again/", iteration.replay_reference, name="replay_reference"),
    path(f"{ITERATION}play-list.csv", iteration.play_list, {"suffix": "csv"}, name="play_list"),
    path(f"{ITERATION}play-list.json", iteration.play_list, {"suffix": "json"}, name="play_list_json"),
    path(f"{ITERATION}version/", settings.change_version, name="change_version"),
    path(f"{PROJECT}measure-again/", settings.measure_outdated, name="measure_again"),
]
