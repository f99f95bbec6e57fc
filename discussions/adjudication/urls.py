"""Addresses of adjudication."""

from django.urls import URLPattern, path

from discussions.adjudication import views

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/games/<int:number>/resolve/", views.adjudicate, name="adjudicate"),
    path(
        "projects/<slug:slug>/games/<int:number>/resolve/one/",
        views.adjudicate_one,
        name="adjudicate_one",
    ),
    path("projects/<slug:slug>/packet/", views.packet, name="packet"),
    path("projects/<slug:slug>/packet.md", views.packet_markdown, name="packet_markdown"),
    path("projects/<slug:slug>/games/<int:number>/names/", views.show_names, name="show_names"),
]
