"""The addresses of the rubric wing."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
