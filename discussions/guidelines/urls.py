"""Addresses of guidelines."""

from django.urls import URLPattern, path

from discussions.guidelines import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/guideline/", views.guideline, name="guideline"),
    path("projects/<slug:slug>/practice/", views.practice, name="practice"),
    path("projects/<slug:slug>/guideline/edit/", views.edit_guideline, name="edit_guideline"),
    path("projects/<slug:slug>/guideline/read/", views.confirm, name="confirm_guideline"),
]
