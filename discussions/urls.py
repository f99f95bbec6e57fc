"""The addresses of the discussions wing."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
