"""Addresses of queue."""

from django.urls import URLPattern, path

from discussions.queue import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/queue/", views.queue, name="queue"),
    path("projects/<slug:slug>/next/", views.next_game, name="next_game"),
    path("rate/<int:evaluation>/submit/", views.submit_evaluation, name="submit_evaluation"),
    path("projects/<slug:slug>/team/", views.team, name="team"),
    path("projects/<slug:slug>/team/held/", views.team_holds, name="team_holds"),
    path("projects/<slug:slug>/team/pace/", views.team_pace, name="team_pace"),
    path(
        "projects/<slug:slug>/team/slots/<int:evaluation>/release/",
        views.release_place,
        name="release_place",
    ),
    path("projects/<slug:slug>/team/assign/", views.assign_game, name="assign_game"),
    path("projects/<slug:slug>/team/kept/<int:slot>/take-back/", views.unassign_game, name="unassign_game"),
    path("projects/<slug:slug>/team/queue/", views.change_queue, name="change_queue"),
]
