"""The addresses of the discussions wing."""

from django.urls import URLResolver, include, path

PACKAGES = (
    "transcripts",
    "columns",
    "adjudication",
    "verdicts",
    "rating",
    "calibration",
    "guidelines",
    "queue",
    "games",
    "flags",
    "gates",
    "comparison",
    "planning",
    "history",
    "weak_spots",
    "upgrades",
    "reliability",
    "exports",
    "selections",
    "home",
)

urlpatterns: list[URLResolver] = [path("", include(f"discussions.{package}.urls")) for package in PACKAGES]
