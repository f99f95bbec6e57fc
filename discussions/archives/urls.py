"""Addresses of erasures."""

from django.urls import URLPattern, path

from discussions.archives import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/games/<int:number>/erase/", views.erase_game, name="erase_game"),
    path("projects/<slug:slug>/imports/<int:transcript>/erase/", views.erase_upload, name="erase_upload"),
    path("projects/<slug:slug>/erase/", views.erase_project, name="erase_project"),
    path("people/<int:person>/erase/", views.erase_person, name="erase_person"),
    path("erasures/", views.erasures, name="erasures"),
]
