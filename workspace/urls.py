"""The addresses of the workspace wing."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
