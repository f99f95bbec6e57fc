"""Addresses of flags."""

from django.urls import URLPattern, path

from discussions.flags import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/flags/", views.flags, name="flags"),
    path("projects/<slug:slug>/flags/<int:flag>/", views.answer, name="answer_flag"),
]
