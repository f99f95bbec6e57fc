"""Addresses of exports."""

from django.urls import URLPattern, path

from workspace.exports import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/exports/", views.exports, name="exports"),
    path("projects/<slug:slug>/exports/<int:export>/file/", views.download_export, name="download_export"),
    path("projects/<slug:slug>/exports/<int:export>/cancel/", views.cancel, name="cancel_export"),
    path("projects/<slug:slug>/exports/<int:export>/remove/", views.remove, name="remove_export"),
]
