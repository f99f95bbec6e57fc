"""The addresses of the discussions wing."""

from django.urls import URLPattern, path

from discussions.views import (
    accuracy,
    adjudicating,
    agreement,
    calibrating,
    changing_stages,
    deciding,
    figuring,
    games,
    histories,
    home,
    importing,
    iterations,
    leasing,
    own_history,
    packet,
    planning,
    rating,
    returning,
    staging,
    summaries,
    team,
    team_pace,
    verdicts,
    withdrawing,
)

urlpatterns: list[URLPattern] = [
    path("", home.home, name="home"),
    path("mine/", home.mine, name="mine"),
    path("mine/answers/", own_history.own_history, name="own_history"),
    path("projects/<slug:slug>/queue/", home.queue, name="queue"),
    path("projects/<slug:slug>/next/", home.next_game, name="next_game"),
    path("rate/<int:evaluation>/", rating.rate, name="rate"),
    path("rate/<int:evaluation>/judge/", rating.judge, name="judge"),
    path("rate/<int:evaluation>/undo/", rating.undo, name="undo"),
    path("rate/<int:evaluation>/submit/", rating.submit_evaluation, name="submit_evaluation"),
    path("rate/<int:evaluation>/skip/", rating.skip_game, name="skip_game"),
    path("rate/<int:evaluation>/lease/", leasing.renew_lease, name="renew_lease"),
    path("rate/<int:evaluation>/return/", rating.return_to_game, name="return_to_game"),
    path("projects/<slug:slug>/imports/", importing.imports, name="imports"),
    path("projects/<slug:slug>/imports/upload/", importing.import_upload, name="import_upload"),
    path("projects/<slug:slug>/imports/<int:transcript>/", importing.import_show, name="import_show"),
    path(
        "projects/<slug:slug>/imports/<int:transcript>/cancel/", importing.import_cancel, name="import_cancel"
    ),
    path(
        "projects/<slug:slug>/imports/<int:transcript>/resume/", importing.import_resume, name="import_resume"
    ),
    path(
        "projects/<slug:slug>/imports/<int:transcript>/separate/",
        importing.import_separate,
        name="import_separate",
    ),
    path("projects/<slug:slug>/team/", team.team, name="team"),
    path("projects/<slug:slug>/team/held/", team.team_holds, name="team_holds"),
    path("projects/<slug:slug>/team/pace/", team_pace.team_pace, name="team_pace"),
    path(
        "projects/<slug:slug>/team/places/<int:evaluation>/release/", team.release_place, name="release_place"
    ),
    path("projects/<slug:slug>/team/assign/", team.assign_game, name="assign_game"),
    path("projects/<slug:slug>/team/kept/<int:slot>/take-back/", team.unassign_game, name="unassign_game"),
    path("projects/<slug:slug>/team/queue/", team.change_queue, name="change_queue"),
    path("projects/<slug:slug>/iteration/", iterations.change, name="change_iteration"),
    path("projects/<slug:slug>/stages/", summaries.stages, name="stages"),
    path("projects/<slug:slug>/stages/<int:stage>/", histories.stage, name="stage"),
    path(
        "projects/<slug:slug>/stages/<int:stage>/summary/",
        summaries.stage_summary,
        name="stage_summary",
    ),
    path(
        "projects/<slug:slug>/stages/<int:stage>/summary.md",
        summaries.stage_summary_markdown,
        name="stage_summary_markdown",
    ),
    path(
        "projects/<slug:slug>/stages/<int:stage>/summary.json",
        summaries.stage_summary_json,
        name="stage_summary_json",
    ),
    path(
        "projects/<slug:slug>/stages/<int:stage>/figures.csv", summaries.stage_figures, name="stage_figures"
    ),
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/compare/",
        histories.compare_iterations,
        name="compare_iterations",
    ),
    path("projects/<slug:slug>/stages/new/", staging.open_stage, name="open_stage"),
    path("projects/<slug:slug>/stages/<int:stage>/edit/", changing_stages.edit_stage, name="edit_stage"),
    path("projects/<slug:slug>/stages/<int:stage>/gate/", staging.stage_gate, name="stage_gate"),
    path("projects/<slug:slug>/stages/<int:stage>/gate/sign/", staging.sign_stage, name="sign_stage"),
    path(
        "projects/<slug:slug>/stages/<int:stage>/gate/next/", staging.open_next_stage, name="open_next_stage"
    ),
    path(
        "projects/<slug:slug>/stages/<int:stage>/iterations/new/",
        planning.open_iteration,
        name="open_iteration",
    ),
    path("projects/<slug:slug>/iterations/<int:iteration>/", iterations.iteration, name="iteration"),
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/edit/",
        planning.edit_iteration,
        name="edit_iteration",
    ),
    path("projects/<slug:slug>/iterations/<int:iteration>/games/", iterations.move_games, name="move_games"),
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/open/",
        iterations.open_for_rating,
        name="open_for_rating",
    ),
    path(
        "projects/<slug:slug>/iterations/<int:iteration>/decide/",
        deciding.decide_iteration,
        name="decide_iteration",
    ),
    path("projects/<slug:slug>/games/<int:number>/figures/", figuring.enter_figure, name="enter_figure"),
    path(
        "projects/<slug:slug>/games/<int:number>/withdrawal/", withdrawing.withdraw_game, name="withdraw_game"
    ),
    path("projects/<slug:slug>/games/<int:number>/settle/", adjudicating.adjudicate, name="adjudicate"),
    path(
        "projects/<slug:slug>/games/<int:number>/settle/one/",
        adjudicating.adjudicate_one,
        name="adjudicate_one",
    ),
    path(
        "projects/<slug:slug>/games/<int:number>/evaluations/<int:evaluation>/return/",
        returning.return_evaluation,
        name="return_evaluation",
    ),
    path("projects/<slug:slug>/games/<int:number>/fewer/", returning.need_fewer, name="need_fewer"),
    path("projects/<slug:slug>/packet/", packet.packet, name="packet"),
    path("projects/<slug:slug>/packet.md", packet.packet_markdown, name="packet_markdown"),
    path("projects/<slug:slug>/games/<int:number>/names/", adjudicating.show_names, name="show_names"),
    path("projects/<slug:slug>/team/agreement/", agreement.agreement, name="agreement"),
    path(
        "projects/<slug:slug>/team/agreement/<slug:thing>/", agreement.agreement_thing, name="agreement_thing"
    ),
    path("projects/<slug:slug>/team/accuracy/", accuracy.accuracy, name="accuracy"),
    path("projects/<slug:slug>/team/accuracy/cases/", accuracy.accuracy_cases, name="accuracy_cases"),
    path("projects/<slug:slug>/team/figures/", accuracy.figure_team, name="figure_team"),
    path("projects/<slug:slug>/games/", games.games, name="games"),
    path("projects/<slug:slug>/games/<int:number>/", games.game, name="game"),
    path("projects/<slug:slug>/games/<int:number>/verdict/", verdicts.verdict, name="verdict"),
    path("projects/<slug:slug>/games/<int:number>/verdict/record/", verdicts.record, name="record_verdict"),
    path(
        "projects/<slug:slug>/games/<int:number>/verdict/<int:verdict>/replay/",
        verdicts.replay,
        name="replay_verdict",
    ),
    path("projects/<slug:slug>/games/<int:number>/report/", verdicts.report, name="report"),
    path(
        "projects/<slug:slug>/games/<int:number>/report.md", verdicts.report_markdown, name="report_markdown"
    ),
    path("projects/<slug:slug>/games/<int:number>/report.json", verdicts.report_json, name="report_json"),
    path("projects/<slug:slug>/calibration/", calibrating.calibrations, name="calibrations"),
    path("projects/<slug:slug>/calibration/<int:number>/", calibrating.calibration, name="calibration"),
    path(
        "projects/<slug:slug>/calibration/<int:number>/close/",
        calibrating.close_calibration,
        name="close_calibration",
    ),
    path(
        "projects/<slug:slug>/calibration/<int:number>/people/<int:person>/",
        calibrating.let_rate,
        name="let_rate",
    ),
    path(
        "projects/<slug:slug>/calibration/<int:number>/take/",
        calibrating.take_calibration,
        name="take_calibration",
    ),
    path("rate/<int:evaluation>/feedback/", calibrating.calibration_feedback, name="calibration_feedback"),
]
