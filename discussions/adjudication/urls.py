"""Addresses of adjudication."""

from django.urls import URLPattern, path

from discussions.adjudication.views import game, packet, ties

urlpatterns: list[URLPattern] = [
    path("projects/<slug:slug>/games/<int:number>/resolve/", game.adjudicate, name="adjudicate"),
    path(
        "projects/<slug:slug>/games/<int:number>/resolve/one/",
        game.adjudicate_one,
        name="adjudicate_one",
    ),
    path(
        "projects/<slug:slug>/games/<int:number>/resolve/group/",
        ties.adjudicate_group,
        name="adjudicate_group",
    ),
    path("projects/<slug:slug>/games/<int:number>/resolve/third/", ties.send_ties, name="send_ties"),
    path("mine/ties/", ties.ties, name="ties"),
    path("projects/<slug:slug>/packet/", packet.packet, name="packet"),
    path("projects/<slug:slug>/packet.md", packet.packet_markdown, name="packet_markdown"),
    path("projects/<slug:slug>/games/<int:number>/names/", game.show_names, name="show_names"),
]
