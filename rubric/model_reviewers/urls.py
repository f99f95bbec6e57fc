"""Addresses of model reviewers."""

from django.urls import URLPattern, path

from rubric.model_reviewers import views

SETS = "projects/<slug:slug>/comparisons/"
SET = f"{SETS}<int:number>/"
PAIR = f"{SET}answers/<int:comparison>/<int:reviewer>/"
urlpatterns: list[URLPattern] = [
    path(f"{SET}answers/", views.set_answers, name="set_answers"),
    path(f"{SET}answers/ask/", views.ask_models, name="ask_models"),
    path(f"{SET}answers/stop/", views.stop_asking, name="stop_asking"),
    path(f"{SET}answers/failed/", views.ask_failed_again, name="ask_failed_again"),
    path(f"{SET}answers/prompts/", views.open_prompts, name="open_prompts"),
    path(f"{SET}answers/upload/", views.upload_answers, name="upload_answers"),
    path(f"{SET}answers/models/<int:reviewer>/", views.model_parameters, name="model_parameters"),
    path(f"{SET}answers/readings/", views.set_readings, name="set_readings"),
    path(f"{SET}answers/readings/again/", views.reread_answers, name="reread_answers"),
    path(f"{SET}answers/readings/<int:review>/", views.reading, name="reading"),
    path(f"{SET}answers/readings/<int:review>/again/", views.reread_answer, name="reread_answer"),
    path(f"{SET}answers/readings/<int:review>/correct/", views.correct_reading, name="correct_reading"),
    path(PAIR, views.model_answer, name="model_answer"),
    path(f"{PAIR}prompt/", views.make_prompt, name="make_prompt"),
    path(f"{PAIR}prompt.txt", views.prompt_text, name="prompt_text"),
    path(f"{PAIR}paste/", views.paste_answer, name="paste_answer"),
    path(f"{PAIR}again/", views.ask_again, name="ask_again"),
    path(f"{PAIR}<int:came>.txt", views.answer_text, name="answer_text"),
]
