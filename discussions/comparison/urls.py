"""Addresses of comparison."""

from django.urls import URLPattern, path

from discussions.comparison import views

urlpatterns: list[URLPattern] = [
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/compare/",
        views.compare_iterations,
        name="compare_iterations",
    ),
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/decide/",
        views.decide_iteration,
        name="decide_iteration",
    ),
]
