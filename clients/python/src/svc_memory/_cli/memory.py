"""The commands that ask the memory."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

from .._client import Client
from ..gen.routes import ROUTES
from .errors import CommandError, FailureKind
from .tell import Answer, tell_edit, tell_explained, tell_recalled, tell_remembered, tell_units, tell_whoami
from .text import one_line, plain, plain_json

_STDIN_BYTES_MAX = 1_048_576
_READ_MAX = 100
_FORGETTABLE = ("fact", "decision", "strategy", "workflow", "skill", "episode", "entity")


class Desk:
    """The tools of a command.

    Args:
        svc: The client.
        as_json: Whether answers are shown as they came.
    """

    def __init__(self, svc: Client, *, as_json: bool) -> None:
        self.svc = svc
        self._as_json = as_json

    def ask(self, operation: str, **given: Any) -> Answer:
        """Return the reply of an operation, as JSON has it."""
        route = ROUTES[operation]
        members = {name: value for name, value in given.items() if value is not None}
        request = self.svc._build(operation, members, dict.fromkeys(route.headers))
        answer: Answer = json.loads(self.svc._send(request, stream=False).content)
        return answer

    def pages(self, operation: str, **given: Any) -> Iterator[Answer]:
        """Yield the items of all pages of a reply."""
        cursor: str | None = None
        while True:
            page = self.ask(operation, **given, cursor=cursor)
            yield from page["data"]
            cursor = page["nextCursor"]
            if cursor is None:
                return

    def show(self, answer: Answer, tell: Callable[[Answer], str]) -> None:
        """Show an answer, as it came or in words."""
        text = plain_json(answer) if self._as_json else tell(answer)
        if text:
            print(text)


def text_of(words: list[str]) -> str:
    """Return the words of an argument; `-` stands for standard input."""
    text = " ".join(words)
    if text != "-":
        return text
    read = sys.stdin.buffer.read(_STDIN_BYTES_MAX + 1)
    if len(read) > _STDIN_BYTES_MAX:
        raise CommandError("bad_input", "Cannot read the text: standard input is above 1 MiB")
    return read.decode(errors="replace").strip()


def whoami(desk: Desk, options: argparse.Namespace) -> None:
    desk.show(desk.ask("whoami"), tell_whoami)


def brief(desk: Desk, options: argparse.Namespace) -> None:
    reply = desk.ask("getSelfProfile", maxTokens=options.max_tokens, subject=options.about or None)
    desk.show(reply, lambda answer: plain(answer["text"]))


def recall(desk: Desk, options: argparse.Namespace) -> None:
    query = text_of(options.query)
    if not options.explain and not options.why_not:
        desk.show(desk.ask("recall", query=query, limit=options.limit), tell_recalled)
        return
    reply = desk.ask("explainRecall", query=query, limit=options.limit, explainIds=options.why_not)
    desk.show(reply, tell_explained)


def read(desk: Desk, options: argparse.Namespace) -> None:
    if len(options.ids) > _READ_MAX:
        raise CommandError("bad_input", f"Cannot read: at most {_READ_MAX} ids at once")
    found = desk.ask("getUnits", id=options.ids)["data"]
    units: list[Answer] = []
    for one in found:
        told: Answer = {"id": one["id"], "unit": one["unit"]}
        if one["unit"] is not None and one["unit"]["type"] == "fact":
            told |= {"newer": one["newer"]} if "newer" in one else {}
            told["citations"] = desk.ask("listFactCitations", id=one["id"])["data"]
            if options.history:
                told["history"] = list(desk.pages("getFactHistory", id=one["id"], limit=200))
        units.append(told)
    desk.show({"units": units}, tell_units)
    missing = [one["id"] for one in found if one["unit"] is None]
    if missing:
        raise CommandError("not_found", f"Cannot read {', '.join(missing)}: not found")


def remember(desk: Desk, options: argparse.Namespace) -> None:
    fact = desk.ask(
        "createFact",
        statement=text_of(options.statement),
        factType=options.kind,
        attribution="user_stated" if options.said_by == "user" else None,
        subject=options.subject,
        predicate=options.predicate,
        object=options.object,
        validFrom=options.valid_from,
        validTo=options.valid_to,
        tags=options.tag,
    )
    desk.show(fact, tell_remembered)


def correct(desk: Desk, options: argparse.Namespace) -> None:
    given = {"statement": options.statement, "validTo": options.valid_to}
    patch = {name: value for name, value in given.items() if value is not None}
    operation = {"op": "update", "id": options.id, "patch": patch} if patch else {"op": "retract", "id": options.id}
    edit = desk.ask("editSelf", reason=options.reason, mode="atomic", operations=[operation])
    desk.show(edit, tell_edit)
    done = (edit["operations"] or [{}])[0]
    # The service answers an edit that was recorded and refused like one that was applied.
    if done.get("outcome") == "refused":
        why = done.get("error") or {}
        absent, denied = why.get("code") in ("not_found", "erased"), why.get("code") == "insufficient_scope"
        failure: FailureKind = "not_found" if absent else "no_access" if denied else "bad_input"
        raise CommandError(failure, why.get("message", "Cannot correct: refused"))


def forget(desk: Desk, options: argparse.Namespace) -> None:
    unit = desk.ask("getUnits", id=[options.id])["data"][0]["unit"]
    if unit is None or unit["type"] not in _FORGETTABLE:
        raise CommandError("not_found", f"Cannot forget {options.id}: not found")
    kind = unit["type"]
    mode = "erase" if options.erase else "archive"
    reply = desk.ask(f"forget{kind.capitalize()}", id=options.id, mode=mode, reason=options.reason)
    erased, archived = f"Erased {kind} {options.id} for ever", f"Archived {kind} {options.id}; it can be restored"
    desk.show(reply, lambda _: one_line(erased if options.erase else archived))


def forget_where(desk: Desk, options: argparse.Namespace) -> None:
    found = desk.pages(
        "forgetUnits",
        mode="erase" if options.erase else "archive",
        reason=options.reason,
        dryRun=None if options.yes else True,
        types=options.type,
        tags=options.tag,
        createdBy=options.created_by,
        agentId=options.agent,
        sessionId=options.session,
        attribution=options.said_by,
        metadata=None if options.metadata is None else _parse_object(options.metadata),
        createdFrom=options.from_,
        createdTo=options.to,
    )
    units = list(found)

    def count(outcome: str) -> int:
        return sum(1 for unit in units if unit["outcome"] == outcome)

    def tell(_: Answer) -> str:
        if not options.yes:
            return f"{len(units)} units would be forgotten; say --yes to do it"
        refused = f", refused {count('refused')}" if count("refused") else ""
        done = f"Erased {count('erased')}" if options.erase else f"Archived {count('archived')}"
        return f"{done}{refused}"

    desk.show({"units": units}, tell)


def _parse_object(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise CommandError("bad_input", "Cannot read --metadata: it is not JSON") from error
