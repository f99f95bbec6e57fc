"""The addresses of the discussions app."""

from django.urls import URLResolver, include, path

# Addresses are searched in this order; those that are asked for most come first.
PACKAGES = (
    "rating",
    "home",
    "queue",
    "games",
    "search",
    "verdicts",
    "adjudication",
    "transcripts",
    "imports",
    "calibration",
    "iterations",
    "comparison",
    "planning",
    "history",
    "reliability",
    "agents",
    "judges",
    "archives",
    "exports",
)

urlpatterns: list[URLResolver] = [path("", include(f"discussions.{package}.urls")) for package in PACKAGES]
