"""The address of the page of all components."""

from django.urls import URLPattern, path

from workspace.design import views

urlpatterns: list[URLPattern] = [path("design/", views.design, name="design")]
