"""Addresses of the search."""

from django.urls import URLPattern, path

from discussions.search import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/search/", views.search, name="search"),
    path("search/", views.search_everywhere, name="search_everywhere"),
]
