"""The address of a new export."""

from django.urls import URLPattern, path

from discussions.exports import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/exports/new/", views.new_export, name="new_export")
]
