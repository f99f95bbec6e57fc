"""Addresses of reliability."""

from django.urls import URLPattern, path

from discussions.reliability.views import accuracy, agreement, engagement

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/team/agreement/", agreement.agreement, name="agreement"),
    path(
        "projects/<slug:slug>/team/agreement/<slug:thing>/", agreement.agreement_thing, name="agreement_thing"
    ),
    path("projects/<slug:slug>/team/accuracy/", accuracy.accuracy, name="accuracy"),
    path("projects/<slug:slug>/team/accuracy/cases/", accuracy.accuracy_cases, name="accuracy_cases"),
    path("projects/<slug:slug>/team/worth-watching/", engagement.worth_watching, name="worth_watching"),
    path("projects/<slug:slug>/team/figures/", accuracy.figure_team, name="figure_team"),
]
