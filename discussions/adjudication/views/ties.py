"""Ties, resolved as a group or by a third evaluator, who answers them blind; and the packet of a meeting."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from discussions.adjudication.actions import adjudicate_group as do_adjudicate_group
from discussions.adjudication.actions import answer_tie
from discussions.adjudication.actions import send_ties as do_send_ties
from discussions.adjudication.core.disagreements import Disagreement
from discussions.adjudication.core.packet import Differing, count_confusions, group_by_kind, most_telling
from discussions.adjudication.forms import GroupForm, PacketForm, ThirdForm
from discussions.adjudication.labels import TIE_ENDED
from discussions.adjudication.pages import (
    IS,
    EvidenceSource,
    answer_word,
    build_subject,
    get_kind_label,
    list_groups,
    list_values,
    load_evidence_source,
)
from discussions.adjudication.permissions import check_adjudicate, check_send_ties, check_third
from discussions.adjudication.queries import (
    GameDisagreements,
    disagreements_in,
    load_disagreements,
    rated_by_several,
)
from discussions.adjudication.views.game import led_game_or_404
from discussions.core.judgement_kinds import ROLE_CONSISTENCY
from discussions.models import GameText, Iteration, TieRequest
from discussions.queries import newest_measured, rubric_record
from discussions.slots.permissions import check_see_games
from workspace.core.refusals import Malformed, Refusal, Unacceptable
from workspace.core.text import figure, shorten
from workspace.display.pages import render_markdown
from workspace.models import Person, Project
from workspace.models.projects import EVALUATOR
from workspace.web.bind_form import bind_form, project_or_404
from workspace.web.views import SignedIn, download, frame, only_parameters, require, respond


@require("adjudicate", methods=("POST",))
def adjudicate_group(request: SignedIn, slug: str, number: int) -> HttpResponse:
    game = led_game_or_404(request.user, slug, number)
    check_adjudicate(request.user, game)
    form = bind_form(request, GroupForm)
    form.check()
    fields = form.cleaned_data
    if not fields["value"].startswith(IS):
        raise Malformed(_("The form does not say which answer it means. Reload the page and try again."))
    # What the page showed comes with the form, so that an answer that changed since is not decided.
    shown = {}
    for item in fields["item"]:
        kind, _bar, rest = item.partition("|")
        sides_sha256, _bar, subject = rest.partition("|")
        shown[kind, subject] = sides_sha256
    refused = do_adjudicate_group(
        game=game, value=fields["value"].removeprefix(IS), reason=fields["reason"], shown=shown, key=fields["key"],
        by=request.user, now=timezone.now(),
    )  # fmt: skip
    if refused:
        says = ngettext(
            "%(n)d tie was not resolved: %(why)s", "%(n)d ties were not resolved: %(why)s", len(refused)
        )
        raise Unacceptable(says % {"n": len(refused), "why": " ".join(dict.fromkeys(refused))})
    return respond(request, page="", redirect=reverse("adjudicate", args=[slug, number]))


@require("send_ties", methods=("POST",))
def send_ties(request: SignedIn, slug: str, number: int) -> HttpResponse:
    """Send the ties of a group, or all that are open, to one evaluator."""
    game = led_game_or_404(request.user, slug, number)
    check_send_ties(request.user, game)
    form = bind_form(request, ThirdForm)
    form.check()
    group = form.cleaned_data["group"]
    keys = [one.key for one in list_groups(disagreements_in(game)).get(group, [])] if group else []
    if group and not keys:
        raise Unacceptable(_("No open tie is left to send. Reload the page."))
    evaluator = check_third(Person.objects.filter(pk=form.cleaned_data["evaluator"]).first(), game)
    do_send_ties(game=game, keys=keys, evaluator=evaluator, by=request.user, now=timezone.now())
    return respond(request, page="", redirect=reverse("adjudicate", args=[slug, number]))


@require("sign_in", methods=("GET", "POST"))
def ties(request: SignedIn) -> HttpResponse:
    """The ties that wait for this person, and their answers; what others or the rules say is not here."""
    faults, status = [], 200
    if request.method == "POST":
        waiting = _waiting(request.user)
        if _is_any_gone(request, {row.pk for row in waiting}):
            faults, status = [str(TIE_ENDED)], 409
        for row in waiting:
            choice = str(request.POST.get(f"value-{row.pk}", ""))
            if not choice.startswith(IS):
                continue
            reason = str(request.POST.get(f"reason-{row.pk}", ""))
            try:
                answer_tie(
                    request=row,
                    value=choice.removeprefix(IS),
                    reason=reason,
                    by=request.user,
                    now=timezone.now(),
                )
            except Refusal as refusal:
                faults.append(refusal.sentence)
                status = refusal.status
        if not faults:
            return respond(request, page="", redirect=reverse("ties"))
    typed = request.POST.dict()  # kept beside what was refused
    context = {"items": list_items(request.user), "faults": faults, "typed": typed, **frame(request.user)}
    return respond(request, page="discussions/adjudication/ties.html", context=context, status=status)


def _is_any_gone(request: SignedIn, waiting: set[int]) -> bool:
    """Whether an answer was sent to a tie that ended after the page was loaded."""
    sent = {int(key) for name in request.POST if (key := name.removeprefix("value-")).isdecimal()}
    ended = TieRequest.objects.filter(evaluator=request.user, pk__in=sent - waiting).exclude(ended_at=None)
    return bool(sent - waiting) and ended.exists()


def _waiting(person: Person) -> list[TieRequest]:
    rows = TieRequest.objects.waiting_for(person).filter(
        game__project__memberships__person=person,
        game__project__memberships__role=EVALUATOR,
        game__project__memberships__ended_at=None,
    )
    rows = rows.select_related("game__project", "game__iteration__rubric_version")
    return list(rows.order_by("game", "pk"))


def list_items(person: Person) -> list[dict[str, Any]]:
    """Hides what the rules found and all answers: there is what was said, and the role where that is the question."""
    items = []
    for game, several in groupby(_waiting(person), key=lambda row: row.game):
        measured = newest_measured(game)
        if measured is None:
            continue
        source = load_evidence_source(game, measured, game.iteration.rubric_version)
        for row in several:
            subject = build_subject(source, row.kind, row.subject)
            items.append({
                "pk": row.pk, "project": game.project, "game": game.number, "kind": row.kind, "label": subject.label,
                "message": subject.message, "name": subject.name, "text": subject.text, "spans": subject.spans,
                "before": subject.before, "quotes": subject.quotes, "values": list_values(row.kind),
                "role": subject.role if row.kind == ROLE_CONSISTENCY else "",
            })  # fmt: skip
    return items


MOST_GAMES, MOST_DIFFERENCES, MOST_CONFUSIONS, LONGEST_SHOWN = 100, 12, 4, 900


@require("see_games")
def packet(request: SignedIn, slug: str) -> HttpResponse:
    """The packet of the project, without names; faults of the scope are shown."""
    project = project_or_404(request.user, slug, check_see_games)
    form = PacketForm(only_parameters(request, "iteration", "games"))
    is_read = form.is_valid()
    iteration, numbers = form.cleaned_data.get("iteration"), form.cleaned_data.get("games") or []
    report, games = _build_packet(project, iteration, numbers, now=timezone.now())
    parts = [f"iteration={iteration}"] if iteration is not None else []
    parts += [f"games={','.join(map(str, numbers))}"] if numbers else []
    context = {
        "packet": report,
        "form": form,
        "chosen": iteration,
        "iterations": list(
            Iteration.objects.filter(project=project).order_by("number").values("number", "name")
        ),
        "numbers": ", ".join(map(str, numbers)),
        "to_adjudicate": [line for game in games if (line := _count_open(game))["open"]],
        "query": f"?{'&'.join(parts)}" if parts else "",
        **frame(request.user, project, "team"),
    }
    return respond(
        request, page="discussions/adjudication/packet.html", context=context, status=200 if is_read else 422
    )


@require("see_games")
def packet_markdown(request: SignedIn, slug: str) -> HttpResponse:
    project = project_or_404(request.user, slug, check_see_games)
    form = PacketForm(only_parameters(request, "iteration", "games"))
    if not form.is_valid():
        raise Malformed(str(next(iter(next(iter(form.errors.values()))))))
    report, _games = _build_packet(
        project, form.cleaned_data["iteration"], form.cleaned_data["games"], now=timezone.now()
    )
    text = render_markdown("discussions/adjudication/packet.md", packet=report)
    return download(text.encode(), f"{slug}-packet.md", "text/markdown; charset=utf-8")


def _count_open(game: GameDisagreements) -> dict[str, int]:
    waiting = [one for one in game.disagreements if one.can_be_adjudicated and one.resolved is None]
    return {"number": game.number, "ties": sum(one.is_tie for one in waiting), "open": len(waiting)}


def _build_packet(
    project: Project, iteration: int | None, numbers: Sequence[int], *, now: datetime
) -> tuple[dict[str, Any], list[GameDisagreements]]:
    """The packet over the newest games of one iteration, with these numbers, or of all; a fixed number of queries.

    `left_out` counts older games that were not read.
    """
    rows = rated_by_several(project)
    rows = rows if iteration is None else rows.filter(iteration__number=iteration)
    rows = rows.filter(number__in=numbers) if numbers else rows
    count = rows.count()
    games = load_disagreements(rows[:MOST_GAMES])
    differing = [(game.number, one) for game in games for one in game.disagreements if one.is_split]
    judged: Counter[str] = Counter()
    for game in games:
        judged.update(game.judged)
    packet = {
        "project": project.name,
        "scope": _scope_says(project, iteration, numbers),
        "made_at": now,
        "games": len(games),
        "left_out": max(0, count - MOST_GAMES),
        "differing": len(differing),
        "judged": judged.total(),
        "share": _share(len(differing), judged.total()),
        "kinds": [_kind(kind, those, judged[kind]) for kind, those in group_by_kind(differing).items()],
        "differences": _differences(most_telling(differing, MOST_DIFFERENCES), games),
    }
    return packet, games


def _scope_says(project: Project, iteration: int | None, numbers: Sequence[int]) -> str:
    parts = []
    if iteration is not None:
        names = Iteration.objects.filter(project=project, number=iteration).values_list("name", flat=True)
        parts.append(_("Iteration: %(name)s") % {"name": names.first() or iteration})
    if numbers:
        parts.append(_("Games %(numbers)s") % {"numbers": ", ".join(map(str, numbers))})
    return "; ".join(parts) or _("All games that several evaluators rated")


def _share(part: int, whole: int) -> str:
    return f"{figure(100 * part / whole)}\u00a0%" if whole else "–"


def _kind(kind: str, differing: Sequence[Differing], judged: int) -> dict[str, Any]:
    """What evaluators confuse in the `judged` subjects of a kind."""
    disagreements = [disagreement for _game, disagreement in differing]
    confusions = []
    for answers, count in list(count_confusions(disagreements).items())[:MOST_CONFUSIONS]:
        first, second = (answer_word(kind, answer) for answer in answers)
        confusions.append((_("%(one)s / %(other)s") % {"one": first, "other": second}, count))
    return {
        "label": get_kind_label(kind),
        "differing": len(disagreements),
        "judged": judged,
        "share": _share(len(disagreements), judged),
        "ties": sum(disagreement.majority is None for disagreement in disagreements),
        "confusions": confusions,
    }


def _differences(telling: list[Differing], games: list[GameDisagreements]) -> list[dict[str, Any]]:
    by_number = {game.number: game for game in games}
    keys = {by_number[number].game for number, _disagreement in telling}
    texts = {text.game_id: text for text in GameText.objects.filter(game__in=keys)}
    differences = []
    for number, disagreement in telling:
        game = by_number[number]
        record = texts[game.game].to_record()
        source = EvidenceSource(record, game.measurements, rubric_record(*game.version))
        differences.append(_difference(number, source, disagreement))
    return differences


def _difference(number: int, source: EvidenceSource, disagreement: Disagreement) -> dict[str, Any]:
    kind, resolved = disagreement.kind, disagreement.resolved
    subject = build_subject(source, kind, disagreement.subject)
    machine = answer_word(kind, disagreement.machine) if disagreement.machine else ""
    return {
        "game": number,
        "label": subject.label,
        "message": subject.message,
        "speaker": subject.name,
        "role": subject.role if kind == ROLE_CONSISTENCY else "",
        "text": shorten(subject.text, max([LONGEST_SHOWN, *(end for _start, end in subject.spans)])),
        "spans": subject.spans,
        "machine": ": ".join(part for part in (machine, subject.finding) if part),
        "evidence": subject.evidence,
        "answers": _answers(disagreement),
        "resolved": answer_word(kind, resolved.value) if resolved else "",
        "resolved_reason": resolved.reason if resolved else "",
    }


def _answers(disagreement: Disagreement) -> list[dict[str, Any]]:
    """The answers, the most frequent first, without saying who gave which."""
    kind, counts = disagreement.kind, Counter(side.value for side in disagreement.sides)
    answers = []
    for value, count in sorted(counts.items(), key=lambda row: (-row[1], row[0])):
        sides = [side for side in disagreement.sides if side.value == value]
        reasons = sorted(side.reason for side in sides if side.reason)
        before = sorted(answer_word(kind, side.blind_value) for side in sides if side.is_changed)
        word = answer_word(kind, value)
        answers.append({"word": word, "count": count, "reasons": reasons, "before": before})
    return answers
