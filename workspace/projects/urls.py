"""Addresses of projects."""

from django.urls import URLPattern, path

from workspace.projects import views

urlpatterns: list[URLPattern] = [
    path("projects/", views.projects, name="projects"),
]
