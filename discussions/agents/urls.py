"""Addresses of agents."""

from django.urls import URLPattern, path

from discussions.agents import views

AGENTS = "projects/<slug:slug>/team/agents/"

urlpatterns: list[URLPattern] = [
    path(AGENTS, views.agents, name="agents"),
    path(f"{AGENTS}figures.csv", views.agents_table, name="agents_table"),
    path(f"{AGENTS}file/", views.agent, name="agent"),
    path(f"{AGENTS}file.md", views.agent_markdown, name="agent_markdown"),
    path(f"{AGENTS}figures/", views.figure_agents, name="figure_agents"),
]
