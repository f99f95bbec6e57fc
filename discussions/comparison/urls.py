"""Addresses of comparison."""

from django.urls import URLPattern, path

from discussions.comparison.views import compare

ITERATION = "projects/<slug:slug>/iterations/<int:iteration>/"

urlpatterns: list[URLPattern] = [
    path(f"{ITERATION}compare/", compare.compare_iterations, name="compare_iterations"),
    path(f"{ITERATION}decide/", compare.decide_iteration, name="decide_iteration"),
]
