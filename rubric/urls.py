"""The addresses of the rubric wing. Those that count who uses a version are wired in evalsite/urls.py."""

from django.urls import URLPattern, path

from rubric.views import (
    asking,
    comparing,
    drafts,
    filling,
    publishing,
    results,
    reviewing,
    statistics,
    surveys,
    versions,
)

VERSION = "rubrics/<slug:slug>/<str:number>/"
SETS = "projects/<slug:slug>/comparisons/"
SET = f"{SETS}<int:number>/"
PAIR = f"{SET}answers/<int:comparison>/<int:reviewer>/"

urlpatterns: list[URLPattern] = [
    path("rubrics/import/", drafts.import_rubric, name="import_rubric"),
    path("rubrics/scoring/", comparing.choose_scoring, name="choose_scoring"),
    path(VERSION, versions.rubric_version, name="rubric_version"),
    path(f"{VERSION}differences/", versions.compare_versions, name="compare_versions"),
    path(f"{VERSION}rubric.json", versions.export_version, name="export_version"),
    path(f"{VERSION}draft/", drafts.draft_version, name="draft_version"),
    path(f"{VERSION}edit/", drafts.edit_version, name="edit_version"),
    path(f"{VERSION}discard/", publishing.discard_version, name="discard_version"),
    path("reviews/", reviewing.reviews, name="reviews"),
    path("reviews/begin/<int:comparison>/", reviewing.begin, name="begin_review"),
    path("reviews/<int:review>/", reviewing.review, name="review"),
    path("reviews/<int:review>/mark/", reviewing.mark, name="mark"),
    path("reviews/<int:review>/undo/", reviewing.undo_mark, name="undo_mark"),
    path("reviews/<int:review>/hand-in/", reviewing.submit_review, name="submit_review"),
    path(SETS, comparing.comparison_sets, name="comparison_sets"),
    path(f"{SETS}new/", comparing.open_set, name="open_set"),
    path(SET, comparing.comparison_set, name="comparison_set"),
    path(f"{SET}add/", filling.add_comparison, name="add_comparison"),
    path(f"{SET}import/", filling.import_comparisons, name="import_comparisons"),
    path(f"{SET}people/", comparing.add_reviewer, name="add_reviewer"),
    path(f"{SET}people/<int:reviewer>/end/", comparing.end_reviewer, name="end_reviewer"),
    path(f"{SET}manners/", statistics.set_manners, name="set_manners"),
    path(f"{SET}manners/<int:reviewer>/", statistics.set_reviewer, name="set_reviewer"),
    path(f"{SET}agreement/", statistics.set_agreement, name="set_agreement"),
    path(f"{SET}success/", statistics.set_success, name="set_success"),
    path(f"{SET}tuning/", statistics.set_tuning, name="set_tuning"),
    path(f"{SET}tuning/adopt/", statistics.adopt_fit, name="adopt_fit"),
    path(f"{SET}figures/", statistics.figure_set, name="figure_set"),
    path(f"{SET}<int:comparison>/survey/", surveys.survey, name="survey"),
    path(f"{SET}results/", results.set_results, name="set_results"),
    path(f"{SET}<int:comparison>/", results.comparison_result, name="comparison_result"),
    path(f"{SET}answers/", asking.set_answers, name="set_answers"),
    path(f"{SET}answers/ask/", asking.ask_models, name="ask_models"),
    path(f"{SET}answers/stop/", asking.stop_asking, name="stop_asking"),
    path(f"{SET}answers/failed/", asking.ask_failed_again, name="ask_failed_again"),
    path(f"{SET}answers/prompts/", asking.open_prompts, name="open_prompts"),
    path(f"{SET}answers/upload/", asking.upload_answers, name="upload_answers"),
    path(PAIR, asking.model_answer, name="model_answer"),
    path(f"{PAIR}prompt/", asking.make_prompt, name="make_prompt"),
    path(f"{PAIR}prompt.txt", asking.prompt_text, name="prompt_text"),
    path(f"{PAIR}paste/", asking.paste_answer, name="paste_answer"),
    path(f"{PAIR}again/", asking.ask_again, name="ask_again"),
    path(f"{PAIR}<int:came>.txt", asking.answer_text, name="answer_text"),
    path(f"{SET}close/", comparing.close_set, name="close_set"),
    path(f"{SET}reopen/", comparing.reopen_set, name="reopen_set"),
]
