"""Addresses of model reviewers."""

from django.urls import URLPattern, path

from rubric.model_reviewers.views import overview, readings, single_answer

SETS = "projects/<slug:slug>/comparisons/"
SET = f"{SETS}<int:number>/"
PAIR = f"{SET}answers/<int:comparison>/<int:reviewer>/"
urlpatterns: list[URLPattern] = [
    path(f"{SET}answers/", overview.set_answers, name="set_answers"),
    path(f"{SET}answers/ask/", overview.ask_models, name="ask_models"),
    path(f"{SET}answers/stop/", overview.stop_asking, name="stop_asking"),
    path(f"{SET}answers/failed/", overview.ask_failed_again, name="ask_failed_again"),
    path(f"{SET}answers/prompts/", overview.open_prompts, name="open_prompts"),
    path(f"{SET}answers/upload/", overview.upload_answers, name="upload_answers"),
    path(f"{SET}answers/models/<int:reviewer>/", overview.model_parameters, name="model_parameters"),
    path(f"{SET}answers/readings/", readings.set_readings, name="set_readings"),
    path(f"{SET}answers/readings/again/", readings.reread_answers, name="reread_answers"),
    path(f"{SET}answers/readings/<int:review>/", readings.reading, name="reading"),
    path(f"{SET}answers/readings/<int:review>/again/", readings.reread_answer, name="reread_answer"),
    path(f"{SET}answers/readings/<int:review>/correct/", readings.correct_reading, name="correct_reading"),
    path(PAIR, single_answer.model_answer, name="model_answer"),
    path(f"{PAIR}prompt/", single_answer.make_prompt, name="make_prompt"),
    path(f"{PAIR}prompt.txt", single_answer.prompt_text, name="prompt_text"),
    path(f"{PAIR}paste/", single_answer.paste_answer, name="paste_answer"),
    path(f"{PAIR}again/", single_answer.ask_again, name="ask_again"),
    path(f"{PAIR}<int:came>.txt", single_answer.answer_text, name="answer_text"),
]
