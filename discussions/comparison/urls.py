"""Addresses of comparison."""

from django.urls import URLPattern, path

from discussions.comparison.views import compare, decision

ITERATION = "projects/<slug:slug>/iterations/<int:iteration>/"

urlpatterns: list[URLPattern] = [
    path(f"{ITERATION}compare/", compare.compare_iterations, name="compare_iterations"),
    path(f"{ITERATION}decide/", decision.decide_iteration, name="decide_iteration"),
]
