"""The addresses of the rubric app. Those that count who uses a version are wired in evalsite/urls.py."""

from django.urls import URLResolver, include, path

PACKAGES = (
    "versions",
    "calibration",
    "reviewer_statistics",
    "comparisons",
    "model_reviewers",
    "human_reviewers",
    "results",
)

urlpatterns: list[URLResolver] = [path("", include(f"rubric.{package}.urls")) for package in PACKAGES]
