"""How messages become memories of their own: nobody's statement is changed, ended or taken over by another's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import uuid4

from .._client import Client
from .._error import SvcError
from .._facts import IN_FORCE, digest, keep_fact
from .._request import UNSET
from ..gen import models
from ._mem0_filters import SCOPES
from ._mem0_items import TAG, tags_of


class Adding:
    """Adds memories of one user, agent or run.

    Args:
        svc: The client.
        scopes: Whom the memories belong to.
        metadata: What is kept with each of them.
        ending: The last day on which they count; None: there is none.
    """

    def __init__(self, svc: Client, scopes: Mapping[str, str], metadata: Mapping[str, Any], ending: str | None) -> None:
        self._svc = svc
        self._scopes = dict(scopes)
        self._who = next((name, scopes[name]) for name in SCOPES if scopes.get(name))
        """The id that speaks: of a user's runs and agents, the user's."""
        self._tags = tags_of(scopes)
        self._kept = {**metadata, TAG: {**scopes, **({"expiration_date": ending} if ending else {})}}
        self._expires_at = UNSET if ending is None else ending

    def store(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Store a message as it stands."""
        speaker = {"role": message["role"], **({"actor_id": message["name"]} if "name" in message else {})}
        name = f"{TAG}/{uuid4()}"
        fact = self._svc.upsert_fact(
            external_id=name,
            statement=message["content"],
            # Only this memory has the name, so that it contradicts no other, and none contradicts it.
            subject=name,
            predicate="holds",
            object="value",
            tags=self._tags,
            metadata={**self._kept, TAG: {**self._kept[TAG], **speaker}},
            expires_at=self._expires_at,
        )
        return {"id": fact.id, "memory": fact.statement, "event": "ADD", "actor_id": message.get("name"), **speaker}

    def infer(self, said: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """Keep messages as a session, and yield what they state and was not known of these ids."""
        if not said:
            return
        # What is stated is stated of somebody, so that two users' statements seldom meet.
        session = self._svc.start_session(tags=self._tags)
        turns = [{"name": self._who[1], **message} if message["role"] == "user" else dict(message) for message in said]
        self._svc.add_turns(id=session.id, turns=turns)
        for found in self._svc.collapse_session(id=session.id).facts:
            fact = self._claim(session.id, found)
            if fact is not None:
                yield {"id": fact.id, "memory": fact.statement, "event": "ADD"}

    def _claim(self, session_id: str, found: models.ExtractedFact) -> models.Fact | models.WrittenFact | None:
        """Return the memory that a statement becomes; None if these ids have it already.

        The service compares what a session states with all that the workspace knows. Where it has met another's
        statement, that one stays, or is restored, and these ids get one of their own.
        """
        fact = self._svc.get_fact(id=found.fact_id)
        if found.outcome == "corroborated":
            return None if self._has(fact) else self._copy(session_id, found, fact)
        others = [one for one in self._read(found.related_fact_ids) if not self._said(one)]
        met = [one for one in others if one.status == "superseded" or found.outcome == "contested"]
        if not met and fact.status in IN_FORCE:
            return self._svc.update_fact(
                id=fact.id,
                tags=sorted({*fact.tags, *self._tags}),
                metadata={**fact.metadata, **self._kept},
                expires_at=self._expires_at,
            )
        self._svc.archive_fact(id=fact.id)
        for one in met:
            if one.status == "superseded":
                self._svc.restore_fact(id=one.id)
        return self._copy(session_id, found, fact)

    def _copy(self, session_id: str, found: models.ExtractedFact, fact: models.Fact) -> models.Fact | None:
        """Store a statement once more, as one of these ids; None if they have it already."""
        name = f"{TAG}/{digest(*self._tags, fact.statement)}"
        try:
            if self._svc.get_fact_by_external_id(external_id=name).status in IN_FORCE:
                return None
        except SvcError as error:
            if error.code not in ("not_found", "erased"):
                raise
        # By its own subject, a later statement of these ids replaces it, and one of others does not.
        subject = {} if fact.subject is None else {"subject": f"{fact.subject} ({digest(*self._who)[:8]})"}
        claim = {**subject, "predicate": fact.predicate, "object": fact.object} if subject else {}
        keep_fact(
            self._svc,
            name,
            statement=fact.statement,
            **claim,
            tags=self._tags,
            metadata=self._kept,
            valid_from=UNSET if fact.valid_from is None else fact.valid_from,
            expires_at=self._expires_at,
            citations=[{"sessionId": session_id, "messageId": found.message_id}],
        )
        return self._svc.get_fact_by_external_id(external_id=name)

    def _read(self, identities: Sequence[str]) -> list[models.Fact]:
        units = self._svc.get_units(id=identities).data if identities else []
        return [one.unit for one in units if isinstance(one.unit, models.Fact)]

    def _said(self, fact: models.Fact) -> bool:
        name, value = self._who
        return bool(fact.metadata.get(TAG, {}).get(name) == value)

    def _has(self, fact: models.Fact) -> bool:
        held = fact.metadata.get(TAG)
        return held is not None and {name: held[name] for name in SCOPES[:4] if name in held} == self._scopes
