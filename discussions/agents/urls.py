"""Addresses of agents."""

from django.urls import URLPattern, path

from discussions.agents.views import files, weak_spots

AGENTS = "projects/<slug:slug>/team/agents/"
CATEGORIES = "projects/<slug:slug>/team/categories/"
WEAK_SPOTS = "projects/<slug:slug>/iterations/<int:iteration>/weak-spots"

urlpatterns: list[URLPattern] = [
    path(CATEGORIES, files.categories, name="categories"),
    path("projects/<slug:slug>/team/categories.md", files.categories_markdown, name="categories_markdown"),
    path(f"{CATEGORIES}code/", files.give_code, name="give_code"),
    path(f"{CATEGORIES}found/", files.give_code_to_found, name="give_code_to_found"),
    path(f"{CATEGORIES}<int:category>/", files.change_category, name="change_category"),
    path(f"{CATEGORIES}codes/<int:coding>/take-back/", files.take_back, name="take_code_back"),
    path(AGENTS, files.agents, name="agents"),
    path(f"{AGENTS}figures.csv", files.agents_table, name="agents_table"),
    path(f"{AGENTS}file/", files.agent, name="agent"),
    path(f"{AGENTS}file.md", files.agent_markdown, name="agent_markdown"),
    path(f"{AGENTS}figures/", files.figure_agents, name="figure_agents"),
    path(f"{WEAK_SPOTS}/", weak_spots.weak_spots, name="weak_spots"),
    path(f"{WEAK_SPOTS}.md", weak_spots.weak_spots_markdown, name="weak_spots_markdown"),
]
