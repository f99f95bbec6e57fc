"""Addresses of stages and their gates."""

from django.urls import URLPattern, path

from discussions.iterations import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/stages/new/", views.open_stage, name="open_stage"),
    path("projects/<slug:slug>/stages/<int:stage>/edit/", views.edit_stage, name="edit_stage"),
    path("projects/<slug:slug>/stages/<int:stage>/gate/", views.stage_gate, name="stage_gate"),
    path("projects/<slug:slug>/stages/<int:stage>/gate/sign/", views.sign_stage, name="sign_stage"),
    path("projects/<slug:slug>/stages/<int:stage>/gate/next/", views.open_next_stage, name="open_next_stage"),
]
