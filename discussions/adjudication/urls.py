"""Addresses of adjudication."""

from django.urls import URLPattern, path

from discussions.adjudication.views import game, ties

PROJECT = "projects/<slug:slug>/"

urlpatterns: list[URLPattern] = [
    path(f"{PROJECT}games/<int:number>/resolve/", game.adjudicate, name="adjudicate"),
    path(f"{PROJECT}games/<int:number>/resolve/one/", game.adjudicate_one, name="adjudicate_one"),
    path(f"{PROJECT}games/<int:number>/resolve/group/", ties.adjudicate_group, name="adjudicate_group"),
    path(f"{PROJECT}games/<int:number>/resolve/third/", ties.send_ties, name="send_ties"),
    path("mine/ties/", ties.ties, name="ties"),
    path(f"{PROJECT}packet/", ties.packet, name="packet"),
    path(f"{PROJECT}packet.md", ties.packet_markdown, name="packet_markdown"),
    path(f"{PROJECT}games/<int:number>/names/", game.show_names, name="show_names"),
]
