"""Addresses of home."""

from django.urls import URLPattern, path

from discussions.home import views

urlpatterns: list[URLPattern] = [
    path("", views.home, name="home"),
    path("overview/", views.overview, name="overview"),
    path("projects/<slug:slug>/", views.project, name="project"),
    path("projects/<slug:slug>/stages/", views.stages, name="stages"),
]
