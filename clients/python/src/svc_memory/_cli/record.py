"""`svc-memory record`: the transcript of a conversation as turns of a session; a turn sent twice is stored once."""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from .._error import SvcError, takes_no_more
from .errors import CommandError
from .memory import Desk
from .tell import Answer
from .text import one_line
from .transcript import read_turns

Turn = dict[str, Any]

_TURNS_MAX = 100
"""The most turns in one request; the service takes 500 and 1 MiB."""
_CHARS_MAX = 200_000
_LINE_MAX = 4_194_304
"""The longest line that is read, in bytes. The words of people and models are far shorter."""
_NAME_MAX = 200
_PARTS_MAX = 100
"""The most sessions that are tried for a conversation until one takes its turns."""


def record(desk: Desk, options: argparse.Namespace) -> None:
    path: str = options.transcript
    session = options.session if options.session is not None else re.sub(r"\.[^.]*$", "", Path(path).name)
    if not session or not options.client:
        raise CommandError("bad_input", "Cannot record: a name is empty")
    recording = _Recording(desk, options.client, session)
    try:
        with open(path, "rb") as file:
            for turns in _batches(_read(file, recording)):
                recording.send(turns)
    except FileNotFoundError as error:
        raise CommandError("not_found", f"Cannot record {path}: not found") from error
    except IsADirectoryError as error:
        raise CommandError("failed", "the transcript is not a file") from error
    if recording.session_id is None:
        raise CommandError("bad_input", f"Cannot record {path}: nothing in it was said by anybody")
    answer: Answer = {
        "sessionId": recording.session_id,
        "created": recording.created,
        "duplicates": recording.duplicates,
        "unread": recording.unread,
    }
    if options.done:
        answer["facts"] = len(desk.ask("collapseSession", id=recording.session_id)["facts"])
    desk.show(answer, _tell)


def _tell(answer: Answer) -> str:
    unread = f", {answer['unread']} lines are not JSON" if answer["unread"] else ""
    facts = f", {answer['facts']} facts" if "facts" in answer else ""
    done = f"{answer['created']} turns recorded, {answer['duplicates']} were recorded before"
    return one_line(f"Session {answer['sessionId']}: {done}{unread}{facts}")


def _warn(sentence: str) -> None:
    print(one_line(f"svc-memory record: {sentence}"), file=sys.stderr)


def _read(file: Any, recording: _Recording) -> Iterator[Turn]:
    """Yield the turns of a file, however long its lines are."""
    while line := file.readline(_LINE_MAX + 1):
        place = file.tell() - len(line)
        if len(line) > _LINE_MAX and not line.endswith(b"\n"):
            while (rest := file.readline(_LINE_MAX)) and not rest.endswith(b"\n"):
                continue
            _warn("a line above 4 MiB was left out")
            continue
        text = line.decode(errors="replace").strip()
        if not text:
            continue
        try:
            yield from read_turns(text, place)
        except ValueError:
            recording.unread += 1


def _batches(turns: Iterator[Turn]) -> Iterator[list[Turn]]:
    batch: list[Turn] = []
    chars = 0
    for turn in turns:
        if len(batch) == _TURNS_MAX or (batch and chars + len(turn["content"]) > _CHARS_MAX):
            yield batch
            batch, chars = [], 0
        batch.append(turn)
        chars += len(turn["content"])
    if batch:
        yield batch


class _Recording:
    """A conversation on its way to sessions: to the next one where one is closed or full."""

    def __init__(self, desk: Desk, client: str, session: str) -> None:
        self._desk = desk
        self._client = client
        self._session = session
        self._part = 1
        self.session_id: str | None = None
        self.created = 0
        self.duplicates = 0
        self.unread = 0

    def send(self, turns: Sequence[Turn]) -> None:
        """Add turns.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        left = list(turns)
        parts = 0
        while left:
            try:
                self._add(left)
                return
            except SvcError as error:
                if takes_no_more(error):
                    # The conversation continues in another session, from the first turn on that this one does not take.
                    if parts >= _PARTS_MAX:
                        raise
                    left = left[self._add_until_closed(left) if len(left) > 1 else 0 :]
                    if left:
                        parts, self._part, self.session_id = parts + 1, self._part + 1, None
                    continue
                others = _without_refused(left, error) if error.code == "conflict" else left
                if len(others) == len(left):
                    raise
                _warn("a turn is stored with another text and stays as it is")
                self.duplicates += len(left) - len(others)
                left = others

    def _add(self, turns: Sequence[Turn]) -> None:
        if self.session_id is None:
            self.session_id = self._start()
        added = self._desk.ask("addTurns", id=self.session_id, turns=list(turns))
        self.created += added["created"]
        self.duplicates += added["duplicates"]

    def _add_until_closed(self, turns: Sequence[Turn]) -> int:
        """Add turns one by one up to the first that the session does not take, and return how many."""
        for done, turn in enumerate(turns):
            try:
                self._add([turn])
            except SvcError as error:
                if takes_no_more(error):
                    return done
                raise
        return len(turns)

    def _start(self) -> str:
        """Start the session of the conversation, or find it, even if somebody else started it with other members."""
        name = f"{self._client}:{self._session}{f'#{self._part}' if self._part > 1 else ''}"
        if len(name) > _NAME_MAX:
            name = f"{self._client}:{hashlib.sha256(name.encode()).hexdigest()}"
        try:
            started = self._desk.ask("startSession", externalId=name, agentId=self._client[:_NAME_MAX])
            return str(started["id"])
        except SvcError as error:
            found = error.details.get("sessionId") if error.code == "conflict" else None
            if isinstance(found, str):
                return found
            raise


def _without_refused(turns: Sequence[Turn], error: SvcError) -> list[Turn]:
    """Leave out the turns that a refusal names (their ids have other texts), and later parts of their messages."""
    refused = {one.path for one in error.errors}
    base: str | None = None
    kept: list[Turn] = []
    for index, turn in enumerate(turns):
        own = re.sub(r"#\d{1,4}$", "", turn["messageId"])
        is_part = base is not None and turn["messageId"] != base and own == base
        is_named = f"turns.{index}.messageId" in refused
        base = own if is_named or is_part else None
        if base is None:
            kept.append(turn)
    return kept
