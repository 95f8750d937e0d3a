# Made by scripts/gen/sdk.ts from tests/openapi.json. Changes here are lost.
"""A method for each operation, for asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Literal

from .._base import AsyncCaller
from .._request import UNSET, File, Unset, nullable
from .._streams import AsyncByteStream
from . import models


class AsyncMethods(AsyncCaller):
    """All operations."""

    async def list_sessions(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: models.SessionStatus | None = None,
        agent_id: str | None = None,
        external_id: models.ExternalId | None = None,
        q: str | None = None,
        participant: str | None = None,
    ) -> models.SessionPage:
        """List sessions

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            agent_id: The agent that the session belongs to, as the caller names it.
            external_id: The session that has this name.
            q: The title or one of the turns contains this; case does not matter. It reads turns until the page is full.
            participant: One of the session's `participants` has this name; case does not matter. A session lists the first 1,000.

        Returns:
            A page of a list of `SessionSummary`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listSessions", {"limit": limit, "cursor": cursor, "order": order, "status": status, "agentId": agent_id, "externalId": external_id, "q": q, "participant": participant}, {}, models.SessionPage)

    async def start_session(
        self,
        *,
        title: str | None = None,
        agent_id: str | None = None,
        sensitivity: models.Sensitivity | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        scratchpad: Mapping[str, Any] | None = None,
        started_at: models.TimestampInput | None = None,
        timezone: str | None = None,
        external_id: models.ExternalId | None = None,
        idempotency_key: str | None = None,
    ) -> models.Session:
        """Start a session

        With `externalId`, the caller's own name of a conversation, it finds the session that has this name, or starts it: of two requests at once, one starts it and the other finds it. A session that is found may be collapsed or discarded; its `status` says so.

        Scope: `session:write`.

        Args:
            agent_id: The agent that the session belongs to, as the caller names it.
            sensitivity: Holds for all its turns and for what it collapses to; at most the key's clearance. Default: "internal".
            tags: Labels of the caller. Default: [].
            metadata: Free members, at most 16 KiB as JSON.
            scratchpad: Free members, at most 64 KiB as JSON.
            started_at: Default: now.
            timezone: Where its speakers are, for turns whose time states no offset. Default: the workspace's setting, or UTC.
            external_id: The caller's own name of the session, unique in the workspace. If a session has it already, that session is returned with 200, in whatever state it is. Other members that are given must then be as the session has them, or the request is refused; empty ones and the default sensitivity count as not given.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The session that has the externalId already

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("startSession", {"title": title, "agentId": agent_id, "sensitivity": sensitivity, "tags": tags, "metadata": metadata, "scratchpad": scratchpad, "startedAt": started_at, "timezone": timezone, "externalId": external_id}, {"idempotency-key": idempotency_key}, models.Session)

    async def get_session(
        self,
        *,
        id: models.Id,
    ) -> models.Session:
        """Read a session

        Scope: `memory:read`.

        Args:
            id: UUIDv7.

        Returns:
            A session, with its scratchpad

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getSession", {"id": id}, {}, models.Session)

    async def discard_session(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Session:
        """Discard a session

        Deletes the turns, also from recall, and empties the scratchpad; the session stays as a record without content. A session that is already discarded stays as it is. A collapsed session cannot be discarded, because its turns are the sources of its facts.

        Scope: `session:write`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A session, with its scratchpad

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("discardSession", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Session)

    async def collapse_session(
        self,
        *,
        id: models.Id,
        idempotency_key: str | None = None,
    ) -> models.CollapsedSession:
        """Collapse a session into knowledge

        Pinned turns and statements worth keeping become facts that cite their turns, and decisions; an episode with a summary links the facts. Each says by itself whom, what and which day it means: names stand for pronouns, dates for `yesterday` and the like. What the session itself takes back later is not kept (`rejected.outdated`). The turns stay and can still be recalled. It is one transaction and safe to repeat: a session that is already collapsed gives the same reply. At most 500 facts and 100 decisions: those of pinned turns first, then the most certain ones.

        Scope: `session:write`. It costs 5 of the key's rate, and is heavy.

        Args:
            id: UUIDv7.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            What the session collapsed to, and what was left out

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("collapseSession", {"id": id}, {"idempotency-key": idempotency_key}, models.CollapsedSession)

    async def get_session_context(
        self,
        *,
        id: models.Id,
        max_tokens: int | None = None,
        query: str | None = None,
        min_score: float | None = None,
    ) -> models.SessionContext:
        """Read the context of a session within a token budget

        The scratchpad (complete, up to half of the budget), the most recent turns (complete, without a gap), an extractive summary of the turns before them, and knowledge recalled from elsewhere. Tokens are approximate: a quarter of a token per ASCII character, half a token for other alphabets, one for scripts without spaces.

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            max_tokens: Default: 4000.
            query: What to recall; default: the last turn of a user.
            min_score: The least score of recalled knowledge; default as in recall.

        Returns:
            What an agent needs to go on, within the budget

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getSessionContext", {"id": id, "maxTokens": max_tokens, "query": query, "minScore": min_score}, {}, models.SessionContext)

    async def pin_turn(
        self,
        *,
        id: models.Id,
        turn_id: models.Id | None = None,
        message_id: str | None = None,
        pinned: bool | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Turn:
        """Pin a turn

        A pinned turn always becomes a fact when the session collapses. `If-Match` takes the turn's version.

        Scope: `session:write`.

        Args:
            id: UUIDv7.
            turn_id: UUIDv7.
            pinned: Default: true.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A turn of a session, verbatim

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("pinTurn", {"id": id, "turnId": turn_id, "messageId": message_id, "pinned": pinned}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Turn)

    async def purge_session(
        self,
        *,
        id: models.Id,
        idempotency_key: str | None = None,
    ) -> models.PurgedSession:
        """Erase a session and everything made from it

        Erases for ever, in any state: the turns, the episode, the facts and the decisions that the session collapsed to, what was derived from these, and the chains of reasoning that rest on them. Facts that were known before and that the session only repeated stay, with their quotes. The session stays as a record without content. More than 1,000 units are refused.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            What was erased with the session

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("purgeSession", {"id": id}, {"idempotency-key": idempotency_key}, models.PurgedSession)

    async def patch_scratchpad(
        self,
        *,
        id: models.Id,
        body: Mapping[str, Any],
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Scratchpad:
        """Update the scratchpad

        The body is a JSON merge patch (RFC 7386), also accepted as `application/merge-patch+json`. `If-Match` takes the scratchpad's version, not the session's.

        Scope: `session:write`.

        Args:
            id: UUIDv7.
            body: A JSON merge patch (RFC 7386): members replace those of the scratchpad, null removes a member.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The scratchpad of the session

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("patchScratchpad", {"id": id, "body": body}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Scratchpad)

    async def list_turns(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        pinned: bool | None = None,
    ) -> models.TurnPage:
        """List the turns of a session

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: Default: "asc".

        Returns:
            A page of a list of `Turn`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listTurns", {"id": id, "limit": limit, "cursor": cursor, "order": order, "pinned": pinned}, {}, models.TurnPage)

    async def add_turns(
        self,
        *,
        id: models.Id,
        turns: Sequence[models.AddTurnBody | Mapping[str, Any] | models.ChatMessage] | None = None,
        role: models.TurnRole | None = None,
        name: str | None = None,
        content: str | None = None,
        message_id: str | None = None,
        occurred_at: models.TimestampInput | None = None,
        pinned: bool | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> models.AddTurnsReply:
        """Add a turn, or a batch of turns

        Turns are kept verbatim and can be recalled as soon as the reply arrives. A batch is added as a whole or not at all. A repeated `messageId` with the same role, name and content is the same turn (`duplicate`; 200 if nothing was new); with other content it is refused with `conflict`. A session holds at most 262,144 turns and about a million tokens.

        Scope: `session:write`. It costs 1 of the key's rate for each 100 turns, and is heavy beyond them.

        Args:
            id: UUIDv7.
            turns: In order. All of them are added, or none.
            name: Who speaks.
            content: What was said, verbatim. Empty: the turn has no text; recall does not find it. Default: "".
            message_id: The caller's own id, unique in the session. Sent again with the same role, name and content, it is the same turn; with other content it is refused. Default: the turn's id.
            occurred_at: Default: now. If it states an offset, such as `-07:00`, that is the writer's clock: "yesterday" in the content is the day before by it. With `Z` the clock is that of the session's or the workspace's zone, or UTC.
            pinned: Default: false.
            tags: Labels of the caller. Default: [].
            metadata: Free members, at most 16 KiB as JSON.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            Nothing was new

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("addTurns", {"id": id, "turns": turns, "role": role, "name": name, "content": content, "messageId": message_id, "occurredAt": occurred_at, "pinned": pinned, "tags": tags, "metadata": metadata}, {"idempotency-key": idempotency_key}, models.AddTurnsReply)

    async def erase_turn(
        self,
        *,
        id: models.Id,
        message_id: str,
        cascade: bool | None = None,
        idempotency_key: str | None = None,
    ) -> models.ErasedTurn:
        """Erase a turn

        Erases the content of a turn of a session in any state for ever: text, tags, metadata, index and embedding. The turn stays as a place without text (`erasedAt`); sent again, it is a duplicate and brings nothing back. Facts that cite it, and the episode of the session, become stale and lose their quotes; with `cascade`, the facts that cite nothing else and the episode are erased, with all that was derived from them.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            message_id: The turn's `messageId` or its id.
            cascade: `true`: also erases the facts that cite this turn alone, the episode of the session, and what was derived from these.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The turn without its content, and what became of the units that cite it

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("eraseTurn", {"id": id, "messageId": message_id, "cascade": cascade}, {"idempotency-key": idempotency_key}, models.ErasedTurn)

    async def recall(
        self,
        *,
        query: str,
        limit: int | None = None,
        min_score: float | None = None,
        types: Sequence[models.RecallType] | None = None,
        session_id: models.Id | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        filters: models.RecallFilter | Mapping[str, Any] | None = None,
        reference_date: models.TimestampInput | None = None,
        timezone: str | None = None,
        window: Mapping[str, Any] | None = None,
        min_trust: int | None = None,
        max_sensitivity: models.Sensitivity | None = None,
        match: Literal["relevant", "named"] | None = None,
        max_tokens: int | None = None,
        as_of: models.TimestampInput | None = None,
        known_at: models.TimestampInput | None = None,
        include: Sequence[Literal["superseded", "neighbours", "trace"]] | None = None,
    ) -> models.RecallReply:
        """Ask the memory (recommended)

        Searches by words, meaning, names, relations and times at once: start with this one. Returns what is relevant and no more: an empty list means that the memory knows nothing about it. Pinned units are returned separately.

        Scope: `memory:read`.

        Args:
            limit: The most results; fewer if fewer are relevant. Default: 10.
            min_score: The least score. Default: results likelier relevant than not or near the best, and the best ten turns of sessions; nothing if even the best is unlikely. 0: up to `limit` of all that have any sign.
            types: Default: all.
            session_id: Only turns of this session and units that were made from it.
            tags: Labels of the caller.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            filters: Conditions on members, joined by AND, OR and NOT. A member is one of `type`, `status`, `attribution`, `trustScore`, `confidence`, `sensitivity`, `worth`, `pinned`, `stale`, `tags`, `occurredAt`, `validFrom`, `validTo`, `createdAt`, `updatedAt`, `createdBy`, `entityIds`, `sessionId`, `messageId`, `role`, `name`, `factType`, `subject`, `predicate`, `object` or `metadata.<path>`. Of a list, any element may satisfy a condition.
            reference_date: The time from which "yesterday" and "last week" in the query are counted; default: now. If it states an offset, such as `+09:00`, the days of the query are those of that offset; with `Z` they are those of `timezone`.
            timezone: Where the asker is: days that the query names begin and end by the clocks of this zone. Default: the offset of `referenceDate`, the workspace's setting, or UTC.
            window: Only what occurred from `from` (inclusive) to `to` (exclusive), or holds at some time in between: a unit without `validFrom` or `validTo` has no end on that side, and one without either and without `occurredAt` counts by when it was recorded. It is a filter. To find what has ended by now, send `asOf` as well.
            min_trust: The least trust score.
            max_sensitivity: Results up to this sensitivity, even if the key may see more.
            match: `relevant`: what answers the query. `named`: only what the query names, all of it that fits: units whose name, alias or tag stands in the query, and units and turns that mention an entity whose name does. Word forms do not matter, nor does one mistake in a word of four letters or more, unless it is the first letter. Default: "relevant".
            max_tokens: Token budget for all texts of the reply. A result that does not fit is left out; later, shorter ones may still fit.
            as_of: What was true in the world at that time. Default: `knownAt`, otherwise now.
            known_at: What this service knew at that time. Default: now.
            include: Default: [].

        Returns:
            What was found, best first, and how likely it answers the query

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("recall", {"query": query, "limit": limit, "minScore": min_score, "types": types, "sessionId": session_id, "tags": tags, "tagsMatch": tags_match, "filters": filters, "referenceDate": reference_date, "timezone": timezone, "window": window, "minTrust": min_trust, "maxSensitivity": max_sensitivity, "match": match, "maxTokens": max_tokens, "asOf": as_of, "knownAt": known_at, "include": include}, {}, models.RecallReply)

    async def recall_batch(
        self,
        *,
        queries: Sequence[models.RecallBody | Mapping[str, Any]],
    ) -> models.BatchRecallReply:
        """Search up to 50 times in one request

        Each query is answered as by `recall`.

        Scope: `memory:read`. It costs 1 of the key's rate for each query, and is heavy.

        Returns:
            The replies, in the order of the queries

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("recallBatch", {"queries": queries}, {}, models.BatchRecallReply)

    async def explain_recall(
        self,
        *,
        query: str,
        limit: int | None = None,
        min_score: float | None = None,
        types: Sequence[models.RecallType] | None = None,
        session_id: models.Id | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        filters: models.RecallFilter | Mapping[str, Any] | None = None,
        reference_date: models.TimestampInput | None = None,
        timezone: str | None = None,
        window: Mapping[str, Any] | None = None,
        min_trust: int | None = None,
        max_sensitivity: models.Sensitivity | None = None,
        match: Literal["relevant", "named"] | None = None,
        max_tokens: int | None = None,
        as_of: models.TimestampInput | None = None,
        known_at: models.TimestampInput | None = None,
        include: Sequence[Literal["superseded", "neighbours", "trace"]] | None = None,
        explain_ids: Sequence[models.Id] | None = None,
    ) -> models.ExplainRecallReply:
        """Search, and explain why each result is there and others are not

        Like `recall`, for people who look into a result: it costs more time.

        Scope: `memory:read`.

        Args:
            limit: The most results; fewer if fewer are relevant. Default: 10.
            min_score: The least score. Default: results likelier relevant than not or near the best, and the best ten turns of sessions; nothing if even the best is unlikely. 0: up to `limit` of all that have any sign.
            types: Default: all.
            session_id: Only turns of this session and units that were made from it.
            tags: Labels of the caller.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            filters: Conditions on members, joined by AND, OR and NOT. A member is one of `type`, `status`, `attribution`, `trustScore`, `confidence`, `sensitivity`, `worth`, `pinned`, `stale`, `tags`, `occurredAt`, `validFrom`, `validTo`, `createdAt`, `updatedAt`, `createdBy`, `entityIds`, `sessionId`, `messageId`, `role`, `name`, `factType`, `subject`, `predicate`, `object` or `metadata.<path>`. Of a list, any element may satisfy a condition.
            reference_date: The time from which "yesterday" and "last week" in the query are counted; default: now. If it states an offset, such as `+09:00`, the days of the query are those of that offset; with `Z` they are those of `timezone`.
            timezone: Where the asker is: days that the query names begin and end by the clocks of this zone. Default: the offset of `referenceDate`, the workspace's setting, or UTC.
            window: Only what occurred from `from` (inclusive) to `to` (exclusive), or holds at some time in between: a unit without `validFrom` or `validTo` has no end on that side, and one without either and without `occurredAt` counts by when it was recorded. It is a filter. To find what has ended by now, send `asOf` as well.
            min_trust: The least trust score.
            max_sensitivity: Results up to this sensitivity, even if the key may see more.
            match: `relevant`: what answers the query. `named`: only what the query names, all of it that fits: units whose name, alias or tag stands in the query, and units and turns that mention an entity whose name does. Word forms do not matter, nor does one mistake in a word of four letters or more, unless it is the first letter. Default: "relevant".
            max_tokens: Token budget for all texts of the reply. A result that does not fit is left out; later, shorter ones may still fit.
            as_of: What was true in the world at that time. Default: `knownAt`, otherwise now.
            known_at: What this service knew at that time. Default: now.
            include: Default: [].
            explain_ids: Asks why these units or turns are not among the results. Default: [].

        Returns:
            What was found, where each score comes from, and why other units were not found

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("explainRecall", {"query": query, "limit": limit, "minScore": min_score, "types": types, "sessionId": session_id, "tags": tags, "tagsMatch": tags_match, "filters": filters, "referenceDate": reference_date, "timezone": timezone, "window": window, "minTrust": min_trust, "maxSensitivity": max_sensitivity, "match": match, "maxTokens": max_tokens, "asOf": as_of, "knownAt": known_at, "include": include, "explainIds": explain_ids}, {}, models.ExplainRecallReply)

    async def recall_hot(
        self,
        *,
        query: str,
        limit: int | None = None,
        min_score: float | None = None,
        types: Sequence[models.RecallType] | None = None,
        session_id: models.Id | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        filters: models.RecallFilter | Mapping[str, Any] | None = None,
        reference_date: models.TimestampInput | None = None,
        timezone: str | None = None,
        window: Mapping[str, Any] | None = None,
        min_trust: int | None = None,
        max_sensitivity: models.Sensitivity | None = None,
        match: Literal["relevant", "named"] | None = None,
        max_tokens: int | None = None,
        include: Sequence[Literal["trace"]] | None = None,
    ) -> models.RecallReply:
        """Search the hot tier alone, for the shortest time

        For prompts that cannot wait. Answers from the memory of this process, usually within a few milliseconds: pinned, often used and recent knowledge and the latest turns, in their current state. What another process has just written may be missing for some milliseconds. Of a workspace that this memory does not hold, or not yet, the database answers by the full search: a workspace comes in with its second request.

        Scope: `memory:read`.

        Args:
            limit: The most results; fewer if fewer are relevant. Default: 10.
            min_score: The least score. Default: results likelier relevant than not or near the best, and the best ten turns of sessions; nothing if even the best is unlikely. 0: up to `limit` of all that have any sign.
            types: Default: all.
            session_id: Only turns of this session and units that were made from it.
            tags: Labels of the caller.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            filters: Conditions on members, joined by AND, OR and NOT. A member is one of `type`, `status`, `attribution`, `trustScore`, `confidence`, `sensitivity`, `worth`, `pinned`, `stale`, `tags`, `occurredAt`, `validFrom`, `validTo`, `createdAt`, `updatedAt`, `createdBy`, `entityIds`, `sessionId`, `messageId`, `role`, `name`, `factType`, `subject`, `predicate`, `object` or `metadata.<path>`. Of a list, any element may satisfy a condition.
            reference_date: The time from which "yesterday" and "last week" in the query are counted; default: now. If it states an offset, such as `+09:00`, the days of the query are those of that offset; with `Z` they are those of `timezone`.
            timezone: Where the asker is: days that the query names begin and end by the clocks of this zone. Default: the offset of `referenceDate`, the workspace's setting, or UTC.
            window: Only what occurred from `from` (inclusive) to `to` (exclusive), or holds at some time in between: a unit without `validFrom` or `validTo` has no end on that side, and one without either and without `occurredAt` counts by when it was recorded. It is a filter. To find what has ended by now, send `asOf` as well.
            min_trust: The least trust score.
            max_sensitivity: Results up to this sensitivity, even if the key may see more.
            match: `relevant`: what answers the query. `named`: only what the query names, all of it that fits: units whose name, alias or tag stands in the query, and units and turns that mention an entity whose name does. Word forms do not matter, nor does one mistake in a word of four letters or more, unless it is the first letter. Default: "relevant".
            max_tokens: Token budget for all texts of the reply. A result that does not fit is left out; later, shorter ones may still fit.
            include: Default: [].

        Returns:
            What was found, best first, and how likely it answers the query

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("recallHot", {"query": query, "limit": limit, "minScore": min_score, "types": types, "sessionId": session_id, "tags": tags, "tagsMatch": tags_match, "filters": filters, "referenceDate": reference_date, "timezone": timezone, "window": window, "minTrust": min_trust, "maxSensitivity": max_sensitivity, "match": match, "maxTokens": max_tokens, "include": include}, {}, models.RecallReply)

    async def recall_unified(
        self,
        *,
        query: str,
        limit: int | None = None,
        min_score: float | None = None,
        types: Sequence[models.RecallType] | None = None,
        session_id: models.Id | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        filters: models.RecallFilter | Mapping[str, Any] | None = None,
        reference_date: models.TimestampInput | None = None,
        timezone: str | None = None,
        window: Mapping[str, Any] | None = None,
        min_trust: int | None = None,
        max_sensitivity: models.Sensitivity | None = None,
        match: Literal["relevant", "named"] | None = None,
        max_tokens: int | None = None,
        as_of: models.TimestampInput | None = None,
        known_at: models.TimestampInput | None = None,
        include: Sequence[Literal["superseded", "neighbours", "trace"]] | None = None,
    ) -> models.RecallReply:
        """Search knowledge and conversations in equal parts

        Like `recall`, for long conversations beside little knowledge: turns and knowledge units each get up to half of the results.

        Scope: `memory:read`.

        Args:
            limit: The most results; fewer if fewer are relevant. Default: 10.
            min_score: The least score. Default: results likelier relevant than not or near the best, and the best ten turns of sessions; nothing if even the best is unlikely. 0: up to `limit` of all that have any sign.
            types: Default: all.
            session_id: Only turns of this session and units that were made from it.
            tags: Labels of the caller.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            filters: Conditions on members, joined by AND, OR and NOT. A member is one of `type`, `status`, `attribution`, `trustScore`, `confidence`, `sensitivity`, `worth`, `pinned`, `stale`, `tags`, `occurredAt`, `validFrom`, `validTo`, `createdAt`, `updatedAt`, `createdBy`, `entityIds`, `sessionId`, `messageId`, `role`, `name`, `factType`, `subject`, `predicate`, `object` or `metadata.<path>`. Of a list, any element may satisfy a condition.
            reference_date: The time from which "yesterday" and "last week" in the query are counted; default: now. If it states an offset, such as `+09:00`, the days of the query are those of that offset; with `Z` they are those of `timezone`.
            timezone: Where the asker is: days that the query names begin and end by the clocks of this zone. Default: the offset of `referenceDate`, the workspace's setting, or UTC.
            window: Only what occurred from `from` (inclusive) to `to` (exclusive), or holds at some time in between: a unit without `validFrom` or `validTo` has no end on that side, and one without either and without `occurredAt` counts by when it was recorded. It is a filter. To find what has ended by now, send `asOf` as well.
            min_trust: The least trust score.
            max_sensitivity: Results up to this sensitivity, even if the key may see more.
            match: `relevant`: what answers the query. `named`: only what the query names, all of it that fits: units whose name, alias or tag stands in the query, and units and turns that mention an entity whose name does. Word forms do not matter, nor does one mistake in a word of four letters or more, unless it is the first letter. Default: "relevant".
            max_tokens: Token budget for all texts of the reply. A result that does not fit is left out; later, shorter ones may still fit.
            as_of: What was true in the world at that time. Default: `knownAt`, otherwise now.
            known_at: What this service knew at that time. Default: now.
            include: Default: [].

        Returns:
            What was found, best first, and how likely it answers the query

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("recallUnified", {"query": query, "limit": limit, "minScore": min_score, "types": types, "sessionId": session_id, "tags": tags, "tagsMatch": tags_match, "filters": filters, "referenceDate": reference_date, "timezone": timezone, "window": window, "minTrust": min_trust, "maxSensitivity": max_sensitivity, "match": match, "maxTokens": max_tokens, "asOf": as_of, "knownAt": known_at, "include": include}, {}, models.RecallReply)

    async def list_facts(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Sequence[models.FactStatus] | None = None,
        fact_type: Sequence[models.FactType] | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        subject: str | None = None,
        predicate: str | None = None,
        attribution: Sequence[models.Attribution] | None = None,
        sensitivity: Sequence[models.Sensitivity] | None = None,
        min_trust: int | None = None,
        pinned: bool | None = None,
        stale: bool | None = None,
        entity_id: models.Id | None = None,
        session_id: models.Id | None = None,
        message_id: str | None = None,
        external_id: models.ExternalId | None = None,
        as_of: models.TimestampInput | None = None,
        known_at: models.TimestampInput | None = None,
    ) -> models.FactPage:
        """List facts

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            status: May be repeated. Default: `active` and `contested`, with `asOf` also `superseded` and `expired`.
            fact_type: May be repeated.
            tags: May be repeated.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            subject: Compared as names of entities are: case, spacing, the form of an apostrophe and unseen characters do not matter.
            predicate: Compared like `subject`.
            attribution: May be repeated.
            sensitivity: May be repeated.
            min_trust: The least trust score.
            pinned: `true`: only pinned ones. `false`: only others.
            stale: `true`: only stale ones. `false`: only others.
            entity_id: Facts whose text mentions this entity, or whose `entityIds` contain it.
            session_id: Facts that cite this session.
            message_id: Facts that cite this message.
            external_id: The fact that has this name.
            as_of: Facts that were true in the world then, including those that have ended since.
            known_at: The facts as this service knew them at that time.

        Returns:
            A page of a list of `Fact`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listFacts", {"limit": limit, "cursor": cursor, "order": order, "status": status, "factType": fact_type, "tags": tags, "tagsMatch": tags_match, "subject": subject, "predicate": predicate, "attribution": attribution, "sensitivity": sensitivity, "minTrust": min_trust, "pinned": pinned, "stale": stale, "entityId": entity_id, "sessionId": session_id, "messageId": message_id, "externalId": external_id, "asOf": as_of, "knownAt": known_at}, {}, models.FactPage)

    async def create_fact(
        self,
        *,
        statement: str,
        attribution: models.Attribution | None = None,
        confidence: float | None = None,
        sensitivity: models.Sensitivity | None = None,
        aliases: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
        derived_from: Sequence[models.Id] | None = None,
        subject: str | None = None,
        predicate: str | None = None,
        object: str | None = None,
        exclusive: bool | None = None,
        fact_type: models.FactType | None = None,
        valid_from: models.TimestampInput | None = None,
        valid_to: models.EndInput | Unset = UNSET,
        occurred_at: models.TimestampInput | None = None,
        expires_at: models.EndInput | Unset = UNSET,
        entity_ids: Sequence[models.Id] | None = None,
        citations: Sequence[models.Citation | Mapping[str, Any]] | None = None,
        external_id: models.ExternalId | None = None,
        supersedes: models.Id | None = None,
        idempotency_key: str | None = None,
    ) -> models.WrittenFact:
        """Create a fact

        If a fact in force already says the same, capitals, kinds of quotes and the full stop apart, no second one is stored: that fact is returned with 200, and its `corroborationCount` increases. It takes the further members of the request; `leftOut` names those that it cannot take. A statement that is more sensitive than the fact becomes a fact of its own. A fact with a triple (subject, predicate, object) contradicts facts in force with the same subject and predicate, another object and overlapping validity, if the predicate has one value at a time (`exclusive`). If the new fact is newer and at least as trusted, it supersedes them from its beginning on; until then they stay in force. If it is trusted less, it is stored as `contested` and a review opens. A fact that is bounded on both sides interrupts longer ones and ends none, and one that is older than a known fact ends where that one begins. A fact without a triple is read by rules: `claims` has what they found. If it says that something has changed, it supersedes the facts that say what was before; if it only says something else, all stay, recall marks the older ones (`outdatedBy`), and a review opens. `duplicateOf` names a fact in force that says nearly the same and does not contradict it.

        Scope: `memory:write`.

        Args:
            attribution: Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`. Default: "agent_stated".
            confidence: Default: 0.8.
            sensitivity: At most the key's clearance. Default: `internal`, or that of its most sensitive source.
            aliases: Other names by which recall finds it, as if its text had them. They are not part of the `contentHash`. Two that differ only in case, spacing or unseen characters are one.
            tags: Labels of the caller. Default: [].
            metadata: Free members, at most 16 KiB as JSON.
            pinned: Default: false.
            derived_from: Units that it was derived from. Its trust is at most that of the least trusted one. Default: [].
            object: Facts contradict each other if they have the same subject and predicate, different objects and overlapping validity, and the predicate has one value at a time.
            exclusive: Whether the predicate has one value at a time. `false`: this fact and others about the same subject and predicate stand beside each other. Default: as the workspace's settings say; otherwise `lives in`, `works at`, `status`, `price` and the like have one value, `speaks`, `visited`, `child` and the like have several. Of any other predicate several values stand beside each other, and recall marks the older ones `outdatedBy`.
            valid_from: When the statement began to be true, of a state with a known beginning ("lives in Porto", since May): `asOf` before that time does not find it.
            valid_to: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.
            occurred_at: When what it tells of happened or, of a state with no known beginning, was said: dates of a query match it, and of two statements the later one is the newer. It does not bound what is true at a time.
            expires_at: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.
            entity_ids: Entities that it mentions. Default: [].
            citations: Default: [].
            external_id: The name that the caller's own system has for it, unique in the workspace. A fact in force that says the same takes it, if it has none. Refused if another fact has it, in whatever state, or if the fact that says the same has another.
            supersedes: A fact in force that this one replaces. It becomes `superseded`, as if conflict detection had found it, and can be restored. It may be trusted more than this one only if the key has `memory:admin`. Without `sensitivity`, this fact is at least as sensitive.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            An existing fact that says the same, corroborated

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createFact", {"statement": statement, "attribution": attribution, "confidence": confidence, "sensitivity": sensitivity, "aliases": aliases, "tags": tags, "metadata": metadata, "pinned": pinned, "derivedFrom": derived_from, "subject": subject, "predicate": predicate, "object": object, "exclusive": exclusive, "factType": fact_type, "validFrom": valid_from, "validTo": nullable(valid_to), "occurredAt": occurred_at, "expiresAt": nullable(expires_at), "entityIds": entity_ids, "citations": citations, "externalId": external_id, "supersedes": supersedes}, {"idempotency-key": idempotency_key}, models.WrittenFact)

    async def create_facts(
        self,
        *,
        facts: Sequence[models.CreateFactBody | Mapping[str, Any]],
        idempotency_key: str | None = None,
    ) -> models.FactBatchReply:
        """Create up to 500 facts

        One transaction, in order: each fact is also compared with those before it in the batch. Each item has its own result. If one is refused, for example because of an unknown source, the others are still stored. An invalid body is refused as a whole, with the path of each fault.

        Scope: `memory:write`. It costs 5 of the key's rate, and is heavy.

        Args:
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The outcome of each fact, in the order of the request

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createFacts", {"facts": facts}, {"idempotency-key": idempotency_key}, models.FactBatchReply)

    async def get_fact_by_external_id(
        self,
        *,
        external_id: models.ExternalId,
    ) -> models.Fact:
        """Read a fact by its external id

        Scope: `memory:read`.

        Returns:
            A fact: a statement with two time axes

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getFactByExternalId", {"externalId": external_id}, {}, models.Fact)

    async def upsert_fact(
        self,
        *,
        external_id: models.ExternalId,
        statement: str,
        attribution: models.Attribution | None = None,
        confidence: float | None = None,
        sensitivity: models.Sensitivity | None = None,
        aliases: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
        derived_from: Sequence[models.Id] | None = None,
        subject: str | Unset | None = UNSET,
        predicate: str | Unset | None = UNSET,
        object: str | Unset | None = UNSET,
        exclusive: bool | Unset | None = UNSET,
        fact_type: models.FactType | None = None,
        valid_from: models.TimestampInput | Unset | None = UNSET,
        valid_to: models.EndInput | Unset = UNSET,
        occurred_at: models.TimestampInput | Unset | None = UNSET,
        expires_at: models.EndInput | Unset = UNSET,
        entity_ids: Sequence[models.Id] | None = None,
        citations: Sequence[models.Citation | Mapping[str, Any]] | None = None,
        supersedes: models.Id | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.WrittenFact:
        """Create or revise a fact by its external id

        The external id is the name that the caller's own system has for the fact, percent-encoded in the path. Without such a fact it is created, as by `POST /v1/memory/facts`; a fact in force that says the same and has no external id takes it. Otherwise the fact is revised, and its conflicts are looked for as in any revision; a body that changes nothing makes no revision. `supersedes` counts when the fact is created; for an existing fact it may only name what that has replaced. A fact that is not in force must be restored before it can be changed. A fact that was erased has no name any more, so the id is free. Two requests at once about the same id wait for each other.

        Scope: `memory:write`.

        Args:
            attribution: The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10.
            aliases: Replaces the whole list.
            tags: Labels of the caller. Default: [].
            metadata: Replaces the whole value.
            exclusive: Whether the predicate has one value at a time. `false`: this fact and others about the same subject and predicate stand beside each other. Default: as the workspace's settings say; otherwise `lives in`, `works at`, `status`, `price` and the like have one value, `speaks`, `visited`, `child` and the like have several. Of any other predicate several values stand beside each other, and recall marks the older ones `outdatedBy`.
            valid_from: When the statement began to be true, of a state with a known beginning ("lives in Porto", since May): `asOf` before that time does not find it.
            valid_to: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.
            occurred_at: When what it tells of happened or, of a state with no known beginning, was said: dates of a query match it, and of two statements the later one is the newer. It does not bound what is true at a time.
            expires_at: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.
            entity_ids: Entities that it mentions.
            supersedes: A new fact replaces this one, as `supersedes` of `CreateFactBody` says. If the fact exists, it must have replaced this one already; otherwise the request is refused, and nothing changes. `POST /v1/memory/relations` with the verb `supersedes` lets an existing fact replace another.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The fact as it was written, and the conflicts that were found

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("upsertFact", {"externalId": external_id, "statement": statement, "attribution": attribution, "confidence": confidence, "sensitivity": sensitivity, "aliases": aliases, "tags": tags, "metadata": metadata, "pinned": pinned, "derivedFrom": derived_from, "subject": nullable(subject), "predicate": nullable(predicate), "object": nullable(object), "exclusive": nullable(exclusive), "factType": fact_type, "validFrom": nullable(valid_from), "validTo": nullable(valid_to), "occurredAt": nullable(occurred_at), "expiresAt": nullable(expires_at), "entityIds": entity_ids, "citations": citations, "supersedes": supersedes}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.WrittenFact)

    async def get_fact(
        self,
        *,
        id: models.Id,
        known_at: models.TimestampInput | None = None,
    ) -> models.Fact:
        """Read a fact

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            known_at: The version that this service knew at that time.

        Returns:
            A fact: a statement with two time axes

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getFact", {"id": id, "knownAt": known_at}, {}, models.Fact)

    async def archive_fact(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Fact:
        """Archive a fact

        The fact disappears from recall and lists and can be restored. A fact that is already archived stays as it is.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A fact: a statement with two time axes

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("archiveFact", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Fact)

    async def update_fact(
        self,
        *,
        id: models.Id,
        attribution: models.Attribution | None = None,
        confidence: float | None = None,
        sensitivity: models.Sensitivity | None = None,
        aliases: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
        derived_from: Sequence[models.Id] | None = None,
        stale: Literal[False] | None = None,
        reason: str | None = None,
        statement: str | None = None,
        subject: str | Unset | None = UNSET,
        predicate: str | Unset | None = UNSET,
        object: str | Unset | None = UNSET,
        exclusive: bool | Unset | None = UNSET,
        claims: Sequence[models.FactClaim | Mapping[str, Any]] | Unset | None = UNSET,
        fact_type: models.FactType | None = None,
        valid_from: models.TimestampInput | Unset | None = UNSET,
        valid_to: models.EndInput | Unset = UNSET,
        occurred_at: models.TimestampInput | Unset | None = UNSET,
        expires_at: models.EndInput | Unset = UNSET,
        entity_ids: Sequence[models.Id] | None = None,
        citations: Sequence[models.Citation | Mapping[str, Any]] | None = None,
        status: Literal["retracted"] | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.WrittenFact:
        """Revise a fact

        Each change creates a revision; a patch that changes nothing creates none. Null clears a member. A fact that is not in force must be restored before it can be changed. `status: retracted` declares that it was wrong. A changed statement goes through conflict detection again, as if it were stated now.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            attribution: The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10.
            aliases: Replaces the whole list.
            tags: Labels of the caller. Default: [].
            metadata: Replaces the whole value.
            stale: Affirms that the unit holds although something it rests on does not any more.
            reason: Why; kept in the history.
            exclusive: Whether the predicate has one value at a time. `false`: this fact and others about the same subject and predicate stand beside each other. Default: as the workspace's settings say; otherwise `lives in`, `works at`, `status`, `price` and the like have one value, `speaks`, `visited`, `child` and the like have several. Of any other predicate several values stand beside each other, and recall marks the older ones `outdatedBy`.
            claims: Empty: it claims nothing. Null: the service reads the statement again.
            valid_from: When the statement began to be true, of a state with a known beginning ("lives in Porto", since May): `asOf` before that time does not find it.
            valid_to: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.
            occurred_at: When what it tells of happened or, of a state with no known beginning, was said: dates of a query match it, and of two statements the later one is the newer. It does not bound what is true at a time.
            expires_at: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.
            entity_ids: Entities that it mentions.
            status: Declares that the fact was wrong. Other states have operations of their own.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The fact as it was written, and the conflicts that were found

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("updateFact", {"id": id, "attribution": attribution, "confidence": confidence, "sensitivity": sensitivity, "aliases": aliases, "tags": tags, "metadata": metadata, "pinned": pinned, "derivedFrom": derived_from, "stale": stale, "reason": reason, "statement": statement, "subject": nullable(subject), "predicate": nullable(predicate), "object": nullable(object), "exclusive": nullable(exclusive), "claims": nullable(claims), "factType": fact_type, "validFrom": nullable(valid_from), "validTo": nullable(valid_to), "occurredAt": nullable(occurred_at), "expiresAt": nullable(expires_at), "entityIds": entity_ids, "citations": citations, "status": status}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.WrittenFact)

    async def list_fact_revisions(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> models.FactRevisionPage:
        """List the versions of a fact

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            A page of a list of `FactRevision`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listFactRevisions", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.FactRevisionPage)

    async def list_fact_citations(
        self,
        *,
        id: models.Id,
    ) -> models.FactCitations:
        """List the citations of a fact

        Scope: `memory:read`.

        Args:
            id: UUIDv7.

        Returns:
            All citations of a fact: there are at most 100

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listFactCitations", {"id": id}, {}, models.FactCitations)

    async def forget_fact(
        self,
        *,
        id: models.Id,
        mode: Literal["archive", "erase"],
        cascade: bool | None = None,
        reason: str | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ForgetFactReply:
        """Forget a fact

        `archive` can be undone. `erase` removes content, revisions, index and embedding for ever and answers with a receipt; the id then answers 410 and cannot be used again. Chains of reasoning that rest on the unit are erased with it. Units that rest on it become stale; with `cascade`, those derived from it are erased, too.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            mode: `archive` can be undone. `erase` removes content, revisions, embedding and index for ever.
            cascade: With `erase`: also erases the units that were derived from it (`derivedFrom`, transitively), as far as the key sees them; more than 1,000 units are refused. Without `cascade` they become stale. Default: false.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The archived fact, or the receipt of the erasure

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("forgetFact", {"id": id, "mode": mode, "cascade": cascade, "reason": reason}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.ForgetFactReply)

    async def get_fact_history(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> models.FactHistoryPage:
        """Read the history of a fact

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: Default: "asc".

        Returns:
            A page of a list of `FactHistoryEntry`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getFactHistory", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.FactHistoryPage)

    async def pin_fact(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Fact:
        """Pin a fact

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A fact: a statement with two time axes

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("pinFact", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Fact)

    async def unpin_fact(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Fact:
        """Unpin a fact

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A fact: a statement with two time axes

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("unpinFact", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Fact)

    async def restore_fact(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Fact:
        """Restore a fact

        An archived fact returns to its previous state, a superseded one gets its validity back, an expiry that has passed is removed. If a fact in force contradicts it now, it becomes `contested` and a review opens.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A fact: a statement with two time axes

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("restoreFact", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Fact)

    async def whoami(self) -> models.Whoami:
        """Read who is asking

        The key that was presented, the workspace that it opens, what it may do there, and what the service is configured to do. Every valid key may ask, whatever its scopes; so may an admin under a break-glass grant. Nothing in the reply is a secret.

        Any scope.

        Returns:
            Who the key is, what it may do, and within which limits

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("whoami", {}, {}, models.Whoami)

    async def list_decisions(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Sequence[models.DecisionStatus] | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        attribution: Sequence[models.Attribution] | None = None,
        sensitivity: Sequence[models.Sensitivity] | None = None,
        min_trust: int | None = None,
        pinned: bool | None = None,
        stale: bool | None = None,
        known_at: models.TimestampInput | None = None,
        decided_by: str | None = None,
        review_before: models.TimestampInput | None = None,
    ) -> models.DecisionPage:
        """List decisions

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            status: May be repeated. Default: `proposed` and `accepted`.
            tags: May be repeated.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            attribution: May be repeated.
            sensitivity: May be repeated.
            min_trust: The least trust score.
            pinned: `true`: only pinned ones. `false`: only others.
            stale: `true`: only stale ones. `false`: only others.
            known_at: The units as this service knew them at that time.
            decided_by: Equal to this text, exactly.
            review_before: Decisions whose review date is before this.

        Returns:
            A page of a list of `Decision`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listDecisions", {"limit": limit, "cursor": cursor, "order": order, "status": status, "tags": tags, "tagsMatch": tags_match, "attribution": attribution, "sensitivity": sensitivity, "minTrust": min_trust, "pinned": pinned, "stale": stale, "knownAt": known_at, "decidedBy": decided_by, "reviewBefore": review_before}, {}, models.DecisionPage)

    async def create_decision(
        self,
        *,
        title: str,
        decision: str,
        attribution: models.Attribution | None = None,
        confidence: float | None = None,
        sensitivity: models.Sensitivity | None = None,
        aliases: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
        derived_from: Sequence[models.Id] | None = None,
        rationale: str | None = None,
        alternatives: Sequence[str] | None = None,
        consequences: str | None = None,
        decided_by: str | None = None,
        decided_at: models.TimestampInput | None = None,
        review_at: models.TimestampInput | None = None,
        evidence_ids: Sequence[models.Id] | None = None,
        status: Literal["proposed", "accepted"] | None = None,
        idempotency_key: str | None = None,
    ) -> models.Decision:
        """Create a decision

        It is `accepted` unless it is stated to be `proposed`. It becomes `stale` when something that it was derived from, or a piece of its evidence, is superseded, retracted, rejected or erased.

        Scope: `memory:write`.

        Args:
            attribution: Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`. Default: "agent_stated".
            confidence: Default: 0.8.
            sensitivity: At most the key's clearance. Default: `internal`, or that of its most sensitive source.
            aliases: Other names by which recall finds it, as if its text had them. They are not part of the `contentHash`. Two that differ only in case, spacing or unseen characters are one.
            tags: Labels of the caller. Default: [].
            metadata: Free members, at most 16 KiB as JSON.
            pinned: Default: false.
            derived_from: Units that it was derived from. Its trust is at most that of the least trusted one. Default: [].
            alternatives: Default: [].
            decided_at: When it was decided; not in the future. Default for an accepted decision: now.
            review_at: RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC.
            evidence_ids: Units that support the decision. When one of them is superseded, retracted or erased, the decision becomes `stale`. Default: [].
            status: Default: "accepted".
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A decision, with its reasons and alternatives

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createDecision", {"title": title, "decision": decision, "attribution": attribution, "confidence": confidence, "sensitivity": sensitivity, "aliases": aliases, "tags": tags, "metadata": metadata, "pinned": pinned, "derivedFrom": derived_from, "rationale": rationale, "alternatives": alternatives, "consequences": consequences, "decidedBy": decided_by, "decidedAt": decided_at, "reviewAt": review_at, "evidenceIds": evidence_ids, "status": status}, {"idempotency-key": idempotency_key}, models.Decision)

    async def create_decisions(
        self,
        *,
        decisions: Sequence[models.CreateDecisionBody | Mapping[str, Any]],
        idempotency_key: str | None = None,
    ) -> models.DecisionBatchReply:
        """Create up to 500 decisions

        One transaction, in order. Each item has its own result. If one is refused, for example because of an unknown source, the others are still stored. An invalid body is refused as a whole, with the path of each fault.

        Scope: `memory:write`. It costs 5 of the key's rate, and is heavy.

        Args:
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The outcome of each item, in the order of the request

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createDecisions", {"decisions": decisions}, {"idempotency-key": idempotency_key}, models.DecisionBatchReply)

    async def get_decision(
        self,
        *,
        id: models.Id,
        known_at: models.TimestampInput | None = None,
    ) -> models.Decision:
        """Read a decision

        Reads the unit in any state, or as it was known at a time.

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            known_at: The version that this service knew at that time.

        Returns:
            A decision, with its reasons and alternatives

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getDecision", {"id": id, "knownAt": known_at}, {}, models.Decision)

    async def archive_decision(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Decision:
        """Archive a decision

        The unit disappears from recall and lists and can be restored. A unit that is already archived stays as it is.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A decision, with its reasons and alternatives

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("archiveDecision", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Decision)

    async def update_decision(
        self,
        *,
        id: models.Id,
        attribution: models.Attribution | None = None,
        confidence: float | None = None,
        sensitivity: models.Sensitivity | None = None,
        aliases: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
        derived_from: Sequence[models.Id] | None = None,
        stale: Literal[False] | None = None,
        reason: str | None = None,
        title: str | None = None,
        decision: str | None = None,
        rationale: str | Unset | None = UNSET,
        alternatives: Sequence[str] | None = None,
        consequences: str | Unset | None = UNSET,
        decided_by: str | Unset | None = UNSET,
        decided_at: models.TimestampInput | None = None,
        review_at: models.TimestampInput | Unset | None = UNSET,
        evidence_ids: Sequence[models.Id] | None = None,
        status: Literal["proposed", "accepted", "rejected"] | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Decision:
        """Revise a decision

        Each change creates a revision; a patch that changes nothing creates none. A proposed decision is accepted or rejected by its `status`, a rejected one proposed again. A superseded one stays as it is; to replace a decision, supersede it. Null clears a member.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            attribution: The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10.
            aliases: Replaces the whole list.
            tags: Labels of the caller. Default: [].
            metadata: Replaces the whole value.
            stale: Affirms that the unit holds although something it rests on does not any more.
            reason: Why; kept in the history.
            decided_at: RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC.
            evidence_ids: Units that support the decision. When one of them is superseded, retracted or erased, the decision becomes `stale`.
            status: From `proposed` to `accepted` or `rejected`, from `accepted` to `rejected`, from `rejected` back to `proposed`.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A decision, with its reasons and alternatives

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("updateDecision", {"id": id, "attribution": attribution, "confidence": confidence, "sensitivity": sensitivity, "aliases": aliases, "tags": tags, "metadata": metadata, "pinned": pinned, "derivedFrom": derived_from, "stale": stale, "reason": reason, "title": title, "decision": decision, "rationale": nullable(rationale), "alternatives": alternatives, "consequences": nullable(consequences), "decidedBy": nullable(decided_by), "decidedAt": decided_at, "reviewAt": nullable(review_at), "evidenceIds": evidence_ids, "status": status}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Decision)

    async def get_decision_chain(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> models.DecisionChain:
        """Read the chain of a decision

        All decisions that replaced each other, oldest first, up to 1,000 before and after this one. The chain ends at a decision above the key's clearance.

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: Default: "asc".

        Returns:
            All decisions that replaced each other, oldest first

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getDecisionChain", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.DecisionChain)

    async def forget_decision(
        self,
        *,
        id: models.Id,
        mode: Literal["archive", "erase"],
        cascade: bool | None = None,
        reason: str | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ForgetDecisionReply:
        """Forget a decision

        `archive` can be undone. `erase` removes content, revisions, index and embedding for ever and answers with a receipt; the id then answers 410 and cannot be used again. Chains of reasoning that rest on the unit are erased with it. Units that rest on it become stale; with `cascade`, those derived from it are erased, too.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            mode: `archive` can be undone. `erase` removes content, revisions, embedding and index for ever.
            cascade: With `erase`: also erases the units that were derived from it (`derivedFrom`, transitively), as far as the key sees them; more than 1,000 units are refused. Without `cascade` they become stale. Default: false.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The archived unit, or the receipt of the erasure

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("forgetDecision", {"id": id, "mode": mode, "cascade": cascade, "reason": reason}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.ForgetDecisionReply)

    async def restore_decision(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Decision:
        """Restore a decision

        An archived one returns to the state that it had before. A superseded one is in force again; the one that took its place stands beside it until it is rejected or superseded.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A decision, with its reasons and alternatives

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("restoreDecision", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Decision)

    async def list_decision_revisions(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> models.DecisionRevisionPage:
        """List the versions of a decision

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            A page of a list of `DecisionRevision`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listDecisionRevisions", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.DecisionRevisionPage)

    async def supersede_decision(
        self,
        *,
        id: models.Id,
        title: str,
        decision: str,
        attribution: models.Attribution | None = None,
        confidence: float | None = None,
        sensitivity: models.Sensitivity | None = None,
        aliases: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
        derived_from: Sequence[models.Id] | None = None,
        rationale: str | None = None,
        alternatives: Sequence[str] | None = None,
        consequences: str | None = None,
        decided_by: str | None = None,
        decided_at: models.TimestampInput | None = None,
        review_at: models.TimestampInput | None = None,
        evidence_ids: Sequence[models.Id] | None = None,
        reason: str | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Decision:
        """Supersede a decision

        Records an accepted decision that replaces this one from its `decidedAt` on. What rests on the replaced one becomes stale. The reply is the new decision.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            attribution: Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`. Default: "agent_stated".
            confidence: Default: 0.8.
            sensitivity: At most the key's clearance. Default: `internal`, or that of its most sensitive source.
            aliases: Other names by which recall finds it, as if its text had them. They are not part of the `contentHash`. Two that differ only in case, spacing or unseen characters are one.
            tags: Labels of the caller. Default: [].
            metadata: Free members, at most 16 KiB as JSON.
            pinned: Default: false.
            derived_from: Units that it was derived from. Its trust is at most that of the least trusted one. Default: [].
            alternatives: Default: [].
            decided_at: When it was decided; not in the future. Default for an accepted decision: now.
            review_at: RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC.
            evidence_ids: Units that support the decision. When one of them is superseded, retracted or erased, the decision becomes `stale`. Default: [].
            reason: Why; kept in the history of the replaced decision.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A decision, with its reasons and alternatives

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("supersedeDecision", {"id": id, "title": title, "decision": decision, "attribution": attribution, "confidence": confidence, "sensitivity": sensitivity, "aliases": aliases, "tags": tags, "metadata": metadata, "pinned": pinned, "derivedFrom": derived_from, "rationale": rationale, "alternatives": alternatives, "consequences": consequences, "decidedBy": decided_by, "decidedAt": decided_at, "reviewAt": review_at, "evidenceIds": evidence_ids, "reason": reason}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Decision)

    async def list_entities(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Sequence[models.EntityStatus] | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        attribution: Sequence[models.Attribution] | None = None,
        sensitivity: Sequence[models.Sensitivity] | None = None,
        min_trust: int | None = None,
        pinned: bool | None = None,
        stale: bool | None = None,
        known_at: models.TimestampInput | None = None,
        name: str | None = None,
        q: str | None = None,
        entity_type: Sequence[str] | None = None,
        drawer: str | None = None,
    ) -> models.EntityPage:
        """List entities

        Newest first by default.

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            status: May be repeated. Default: `active`.
            tags: May be repeated.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            attribution: May be repeated.
            sensitivity: May be repeated.
            min_trust: The least trust score.
            pinned: `true`: only pinned ones. `false`: only others.
            stale: `true`: only stale ones. `false`: only others.
            known_at: The units as this service knew them at that time.
            name: Entities with this name or alias, after normalisation.
            q: Entities with a name or alias that begins with this or is similar.
            entity_type: May be repeated.
            drawer: Entities in this drawer.

        Returns:
            A page of a list of `Entity`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listEntities", {"limit": limit, "cursor": cursor, "order": order, "status": status, "tags": tags, "tagsMatch": tags_match, "attribution": attribution, "sensitivity": sensitivity, "minTrust": min_trust, "pinned": pinned, "stale": stale, "knownAt": known_at, "name": name, "q": q, "entityType": entity_type, "drawer": drawer}, {}, models.EntityPage)

    async def create_entity(
        self,
        *,
        canonical_name: str,
        attribution: models.Attribution | None = None,
        confidence: float | None = None,
        sensitivity: models.Sensitivity | None = None,
        aliases: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
        derived_from: Sequence[models.Id] | None = None,
        entity_type: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        drawers: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> models.FoundEntity:
        """Find or create an entity

        Finds an entity by its name, then by its aliases, after normalisation: Unicode NFKC, case folding, single spaces, invisible characters removed. Accents and a possessive `'s` make a difference. If nobody has the name, the only entity with one of the given `aliases` is found. An entity of the type `other` takes the more precise type of the request; two different precise types are two entities. The name of a merged entity finds the one that it was merged into. An archived entity is restored.

        The given aliases, attributes, drawers and tags are added to the entity that is found, as a revision if something changes. An attribute with another value is replaced, unless the entity is trusted more (`keptAttributes`). Adding more than drawers or tags also raises its sensitivity to that of the request and makes it rest on `derivedFrom`. The other members apply to a new entity only. Entities above the key's clearance are not found: a new one is created within the clearance.

        Scope: `memory:write`.

        Args:
            attribution: Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`. Default: "agent_stated".
            confidence: Default: 0.8.
            sensitivity: At most the key's clearance. Default: `internal`, or that of its most sensitive source.
            aliases: Other names of the entity. Default: [].
            tags: Labels of the caller. Default: [].
            metadata: Free members, at most 16 KiB as JSON.
            pinned: Default: false.
            derived_from: Units that it was derived from. Its trust is at most that of the least trusted one. Default: [].
            entity_type: Common types: person, organization, place, product, project, event, concept, document, technology, other; any other word is allowed. Stored in lower case, words joined by `_`. Default: "other".
            attributes: Known properties, by name; at most 16 KiB as JSON. Default: {}.
            drawers: Labels of the caller. Default: [].
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The existing entity

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createEntity", {"canonicalName": canonical_name, "attribution": attribution, "confidence": confidence, "sensitivity": sensitivity, "aliases": aliases, "tags": tags, "metadata": metadata, "pinned": pinned, "derivedFrom": derived_from, "entityType": entity_type, "attributes": attributes, "drawers": drawers}, {"idempotency-key": idempotency_key}, models.FoundEntity)

    async def create_entities(
        self,
        *,
        entities: Sequence[models.CreateEntityBody | Mapping[str, Any]],
        idempotency_key: str | None = None,
    ) -> models.EntityBatchReply:
        """Find or create up to 500 entities

        One transaction, in order: each entity is also compared with those before it in the batch. Each item has its own result. If one is refused, for example because of an unknown source, the others are still stored. An invalid body is refused as a whole, with the path of each fault.

        Scope: `memory:write`. It costs 5 of the key's rate, and is heavy.

        Args:
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The outcome of each entity, in the order of the request

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createEntities", {"entities": entities}, {"idempotency-key": idempotency_key}, models.EntityBatchReply)

    async def get_entity(
        self,
        *,
        id: models.Id,
        known_at: models.TimestampInput | None = None,
        follow: bool | None = None,
    ) -> models.Entity:
        """Read an entity

        Reads the entity in any state, or as it was known at a time. The id of a merged entity returns the one that it was merged into; with `follow=false` or `knownAt` it returns the merged record itself.

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            known_at: The version that this service knew at that time.
            follow: For a merged entity: `true` (default) returns the entity that it was merged into, `false` the merged record itself.

        Returns:
            An entity: a person, a place, a thing

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getEntity", {"id": id, "knownAt": known_at, "follow": follow}, {}, models.Entity)

    async def archive_entity(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Entity:
        """Archive an entity

        The entity disappears from recall and lists and keeps its names. `PATCH` with `status: active` restores it, and so does a `POST` that finds it. An entity that is already archived stays as it is.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            An entity: a person, a place, a thing

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("archiveEntity", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Entity)

    async def update_entity(
        self,
        *,
        id: models.Id,
        attribution: models.Attribution | None = None,
        confidence: float | None = None,
        sensitivity: models.Sensitivity | None = None,
        aliases: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
        derived_from: Sequence[models.Id] | None = None,
        stale: Literal[False] | None = None,
        reason: str | None = None,
        canonical_name: str | None = None,
        entity_type: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        drawers: Sequence[str] | None = None,
        status: Literal["active"] | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Entity:
        """Revise an entity

        Each change creates a revision; a patch that changes nothing creates none. With the id of a merged entity, the one that it was merged into changes. If another entity of the same type and sensitivity already has the name, the request is refused (409): merge the two instead.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            attribution: The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10.
            aliases: Replaces the whole list.
            tags: Labels of the caller. Default: [].
            metadata: Replaces the whole value.
            stale: Affirms that the unit holds although something it rests on does not any more.
            reason: Why; kept in the history.
            canonical_name: The previous name stays as an alias, unless `aliases` is given.
            entity_type: Common types: person, organization, place, product, project, event, concept, document, technology, other; any other word is allowed. Stored in lower case, words joined by `_`.
            attributes: Replaces all attributes.
            drawers: Replaces the whole list. Default: [].
            status: `active` restores an archived unit.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            An entity: a person, a place, a thing

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("updateEntity", {"id": id, "attribution": attribution, "confidence": confidence, "sensitivity": sensitivity, "aliases": aliases, "tags": tags, "metadata": metadata, "pinned": pinned, "derivedFrom": derived_from, "stale": stale, "reason": reason, "canonicalName": canonical_name, "entityType": entity_type, "attributes": attributes, "drawers": drawers, "status": status}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Entity)

    async def file_entity(
        self,
        *,
        id: models.Id,
        drawer: str,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Entity:
        """File an entity under a drawer

        If the entity is in the drawer already, nothing changes.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            An entity: a person, a place, a thing

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("fileEntity", {"id": id, "drawer": drawer}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Entity)

    async def unfile_entity(
        self,
        *,
        id: models.Id,
        drawer: str,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Entity:
        """Take an entity out of a drawer

        If the entity is not in the drawer, nothing changes.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            An entity: a person, a place, a thing

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("unfileEntity", {"id": id, "drawer": drawer}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Entity)

    async def list_entity_edges(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        verbs: Sequence[models.RelationVerb] | None = None,
        direction: models.Direction | None = None,
        as_of: models.TimestampInput | None = None,
        implied: bool | None = None,
    ) -> models.EntityEdgePage:
        """List the edges of an entity

        The entity's active relations by the time of their creation, then the edges derived from units (`implied`): mentions of it, its sources, what was derived from it, what supports it. For a merged entity: the edges of the one that it was merged into.

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: the newest relation first. Derived edges have no time: they follow the relations in either order. Default: "desc".
            verbs: May be repeated. Default: all nine.
            direction: `out`: from source to target. `in`: from target to source. `both`: either way. Default: "both".
            as_of: Relations that were true in the world at this time. Default: all.
            implied: Whether to include edges derived from mentions, sources, evidence and supersession. Default: "true".

        Returns:
            A page of a list of `EntityEdge`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listEntityEdges", {"id": id, "limit": limit, "cursor": cursor, "order": order, "verbs": verbs, "direction": direction, "asOf": as_of, "implied": implied}, {}, models.EntityEdgePage)

    async def forget_entity(
        self,
        *,
        id: models.Id,
        mode: Literal["archive", "erase"],
        cascade: bool | None = None,
        reason: str | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ForgetEntityReply:
        """Forget an entity

        `archive` can be undone. `erase` removes content, revisions, index and embedding for ever and answers with a receipt; the id then answers 410 and cannot be used again. Chains of reasoning that rest on the unit are erased with it. Units that rest on it become stale; with `cascade`, those derived from it are erased, too.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            mode: `archive` can be undone. `erase` removes content, revisions, embedding and index for ever.
            cascade: With `erase`: also erases the units that were derived from it (`derivedFrom`, transitively), as far as the key sees them; more than 1,000 units are refused. Without `cascade` they become stale. Default: false.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The archived unit, or the receipt of the erasure

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("forgetEntity", {"id": id, "mode": mode, "cascade": cascade, "reason": reason}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.ForgetEntityReply)

    async def get_entity_graph(
        self,
        *,
        id: models.Id,
        depth: int | None = None,
        types: Sequence[models.UnitType] | None = None,
        verbs: Sequence[models.RelationVerb] | None = None,
        as_of: models.TimestampInput | None = None,
        min_trust: int | None = None,
        implied: bool | None = None,
        limit: int | None = None,
        edge_limit: int | None = None,
    ) -> models.Graph:
        """Read the graph around an entity

        Of a merged one, around the entity that stands for it. Archived and merged units are left out. Only the 200 strongest relations of a unit count; `truncated` says if something was left out, and why. Positions (`x`, `y`) depend on the graph alone, and one more node moves the others only a little.

        Scope: `memory:read`. It costs 5 of the key's rate, and is heavy.

        Args:
            id: UUIDv7.
            depth: The most steps from the centre. Default: 1.
            types: May be repeated. Default: all.
            verbs: May be repeated. Default: all nine.
            as_of: Relations that were true in the world at this time. Default: all.
            min_trust: Least trust score of units and relations.
            implied: Whether to include edges derived from mentions, sources, evidence and supersession. Default: "true".
            limit: The most nodes. Default: 200.
            edge_limit: The most edges. Default: 1000.

        Returns:
            Units and the edges between them

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getEntityGraph", {"id": id, "depth": depth, "types": types, "verbs": verbs, "asOf": as_of, "minTrust": min_trust, "implied": implied, "limit": limit, "edgeLimit": edge_limit}, {}, models.Graph)

    async def merge_entities(
        self,
        *,
        id: models.Id,
        source_ids: Sequence[models.Id],
        reason: str | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.MergedEntity:
        """Merge up to 50 entities into one

        The entity of the path survives. It gets the others' names as aliases, their drawers and tags, and attributes that it lacks. It becomes as sensitive as the most sensitive of them, and never more trusted. The others keep their records with the status `merged`; their ids lead to the survivor wherever they are used, even when the survivor is merged in turn. Repeating a merge changes nothing. If two merges contradict each other, the later one is refused (409).

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            reason: Why; kept in the history.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The entity that remains, with what it took over

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("mergeEntities", {"id": id, "sourceIds": source_ids, "reason": reason}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.MergedEntity)

    async def restore_entity(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Entity:
        """Restore an entity

        An archived one is active again, under its names. A merged one is brought back by undoing the merge.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            An entity: a person, a place, a thing

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("restoreEntity", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Entity)

    async def list_entity_revisions(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> models.EntityRevisionPage:
        """List the versions of an entity

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            A page of a list of `EntityRevision`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listEntityRevisions", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.EntityRevisionPage)

    async def unmerge_entities(
        self,
        *,
        id: models.Id,
        source_ids: Sequence[models.Id],
        reason: str | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.SeparatedEntity:
        """Undo merges into an entity

        The entities of `sourceIds` become entities of their own again, with their names, as they were. If nothing has changed the survivor since, it returns to its state before the merge. Otherwise it loses what they brought, unless that was changed or another merged entity has it too, and keeps its sensitivity. In a chain of merges, undo the last one first.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            reason: Why; kept in the history.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The entities after their separation

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("unmergeEntities", {"id": id, "sourceIds": source_ids, "reason": reason}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.SeparatedEntity)

    async def list_episodes(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Sequence[models.KeptStatus] | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        attribution: Sequence[models.Attribution] | None = None,
        sensitivity: Sequence[models.Sensitivity] | None = None,
        min_trust: int | None = None,
        pinned: bool | None = None,
        stale: bool | None = None,
        known_at: models.TimestampInput | None = None,
        kind: str | None = None,
        session_id: models.Id | None = None,
        participant: str | None = None,
        fact_id: models.Id | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
    ) -> models.EpisodePage:
        """List episodes

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            status: May be repeated. Default: `active`.
            tags: May be repeated.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            attribution: May be repeated.
            sensitivity: May be repeated.
            min_trust: The least trust score.
            pinned: `true`: only pinned ones. `false`: only others.
            stale: `true`: only stale ones. `false`: only others.
            known_at: The units as this service knew them at that time.
            session_id: UUIDv7.
            participant: Equal to this name, exactly.
            fact_id: Episodes that link this fact.
            from_: Episodes that started then or later.
            to: Episodes that started before then. Default: null.

        Returns:
            A page of a list of `Episode`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listEpisodes", {"limit": limit, "cursor": cursor, "order": order, "status": status, "tags": tags, "tagsMatch": tags_match, "attribution": attribution, "sensitivity": sensitivity, "minTrust": min_trust, "pinned": pinned, "stale": stale, "knownAt": known_at, "kind": kind, "sessionId": session_id, "participant": participant, "factId": fact_id, "from": from_, "to": nullable(to)}, {}, models.EpisodePage)

    async def create_episode(
        self,
        *,
        title: str,
        attribution: models.Attribution | None = None,
        confidence: float | None = None,
        sensitivity: models.Sensitivity | None = None,
        aliases: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
        derived_from: Sequence[models.Id] | None = None,
        summary: str | None = None,
        kind: str | None = None,
        started_at: models.TimestampInput | None = None,
        ended_at: models.EndInput | Unset = UNSET,
        participants: Sequence[str] | None = None,
        fact_ids: Sequence[models.Id] | None = None,
        session_id: models.Id | None = None,
        outcome: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Episode:
        """Create an episode

        Facts and session that it names have to be known. Sessions make their episode when they collapse.

        Scope: `memory:write`.

        Args:
            attribution: Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`. Default: "agent_stated".
            confidence: Default: 0.8.
            sensitivity: At most the key's clearance. Default: `internal`, or that of its most sensitive source.
            aliases: Other names by which recall finds it, as if its text had them. They are not part of the `contentHash`. Two that differ only in case, spacing or unseen characters are one.
            tags: Labels of the caller. Default: [].
            metadata: Free members, at most 16 KiB as JSON.
            pinned: Default: false.
            derived_from: Units that it was derived from. Its trust is at most that of the least trusted one. Default: [].
            kind: Default: "event".
            started_at: Default: now.
            ended_at: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.
            participants: Default: [].
            fact_ids: Facts that resulted from it or that it is about. Default: [].
            session_id: The session in which it happened.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            An episode: what happened in a span of time

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createEpisode", {"title": title, "attribution": attribution, "confidence": confidence, "sensitivity": sensitivity, "aliases": aliases, "tags": tags, "metadata": metadata, "pinned": pinned, "derivedFrom": derived_from, "summary": summary, "kind": kind, "startedAt": started_at, "endedAt": nullable(ended_at), "participants": participants, "factIds": fact_ids, "sessionId": session_id, "outcome": outcome}, {"idempotency-key": idempotency_key}, models.Episode)

    async def create_episodes(
        self,
        *,
        episodes: Sequence[models.CreateEpisodeBody | Mapping[str, Any]],
        idempotency_key: str | None = None,
    ) -> models.EpisodeBatchReply:
        """Create up to 500 episodes

        One transaction, in order. Each item has its own result. If one is refused, for example because of an unknown source, the others are still stored. An invalid body is refused as a whole, with the path of each fault.

        Scope: `memory:write`. It costs 5 of the key's rate, and is heavy.

        Args:
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The outcome of each item, in the order of the request

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createEpisodes", {"episodes": episodes}, {"idempotency-key": idempotency_key}, models.EpisodeBatchReply)

    async def get_episode(
        self,
        *,
        id: models.Id,
        known_at: models.TimestampInput | None = None,
    ) -> models.Episode:
        """Read an episode

        Reads the unit in any state, or as it was known at a time.

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            known_at: The version that this service knew at that time.

        Returns:
            An episode: what happened in a span of time

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getEpisode", {"id": id, "knownAt": known_at}, {}, models.Episode)

    async def archive_episode(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Episode:
        """Archive an episode

        The unit disappears from recall and lists and can be restored. A unit that is already archived stays as it is.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            An episode: what happened in a span of time

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("archiveEpisode", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Episode)

    async def link_episode_facts(
        self,
        *,
        id: models.Id,
        fact_ids: Sequence[models.Id],
        reason: str | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Episode:
        """Link facts to an episode

        Facts that are linked already stay linked; linking again creates no version.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            An episode: what happened in a span of time

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("linkEpisodeFacts", {"id": id, "factIds": fact_ids, "reason": reason}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Episode)

    async def forget_episode(
        self,
        *,
        id: models.Id,
        mode: Literal["archive", "erase"],
        cascade: bool | None = None,
        reason: str | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ForgetEpisodeReply:
        """Forget an episode

        `archive` can be undone. `erase` removes content, revisions, index and embedding for ever and answers with a receipt; the id then answers 410 and cannot be used again. Chains of reasoning that rest on the unit are erased with it. Units that rest on it become stale; with `cascade`, those derived from it are erased, too.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            mode: `archive` can be undone. `erase` removes content, revisions, embedding and index for ever.
            cascade: With `erase`: also erases the units that were derived from it (`derivedFrom`, transitively), as far as the key sees them; more than 1,000 units are refused. Without `cascade` they become stale. Default: false.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The archived unit, or the receipt of the erasure

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("forgetEpisode", {"id": id, "mode": mode, "cascade": cascade, "reason": reason}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.ForgetEpisodeReply)

    async def restore_episode(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Episode:
        """Restore an episode

        An archived unit returns to its previous state.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            An episode: what happened in a span of time

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("restoreEpisode", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Episode)

    async def list_episode_revisions(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> models.EpisodeRevisionPage:
        """List the versions of an episode

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            A page of a list of `EpisodeRevision`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listEpisodeRevisions", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.EpisodeRevisionPage)

    async def get_episode_timeline(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
        after: models.TimestampInput | models.Id | None = None,
        before: models.TimestampInput | models.Id | None = None,
    ) -> models.EpisodeTimeline:
        """Read the timeline of an episode

        The episode's facts, and the turns of its session from its start to its end, in order of time. `after` and `before` take a time or the id of an entry. Erased items and those above the key's clearance are left out.

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: Default: "asc".
            from_: At this time or later.
            to: Before this time. Default: null.
            after: Strictly after this time, or after the item with this id.
            before: Strictly before this time, or before the item with this id.

        Returns:
            The episode and what happened around it

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getEpisodeTimeline", {"id": id, "limit": limit, "cursor": cursor, "order": order, "from": from_, "to": nullable(to), "after": after, "before": before}, {}, models.EpisodeTimeline)

    async def count_episode_timeline(
        self,
        *,
        id: models.Id,
        bucket: Literal["hour", "day", "week", "month"] | None = None,
        time_zone: str | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
    ) -> models.TimelineCounts:
        """Count the timeline of an episode over time

        Counts the episode's facts and turns per hour, day, week or month of a time zone. At most 1,000 spans.

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            bucket: Weeks begin on Monday. Default: "day".
            time_zone: Time zone of hours and days: an IANA name or an offset. Default: "UTC".
            from_: Default: the first entry.
            to: Default: right after the last entry. Default: null.

        Returns:
            How much there is in each span of time

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("countEpisodeTimeline", {"id": id, "bucket": bucket, "timeZone": time_zone, "from": from_, "to": nullable(to)}, {}, models.TimelineCounts)

    async def forget_units(
        self,
        *,
        mode: Literal["archive", "erase"],
        types: Sequence[models.UnitType] | None = None,
        tags: Sequence[str] | None = None,
        created_by: str | None = None,
        agent_id: str | None = None,
        session_id: models.Id | None = None,
        entity_id: models.Id | None = None,
        attribution: Sequence[models.Attribution] | None = None,
        metadata: Mapping[str, Any] | None = None,
        sensitivity: Sequence[models.Sensitivity] | None = None,
        created_from: models.TimestampInput | None = None,
        created_to: models.EndInput | Unset = UNSET,
        tags_match: Literal["any", "all"] | None = None,
        status: Sequence[models.UnitState] | None = None,
        dry_run: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ForgottenUnits:
        """Forget the units that a filter selects

        Archives or erases, in one transaction, up to `limit` units that meet all conditions, the newest first; at least one condition is required. Call it again with `nextCursor` until it is null; a call that is broken off has forgotten all of its units or none, and starting again without a cursor does no harm. `dryRun` lists what would be forgotten. A unit of which a part of the history is above the key's clearance is refused and stays. Turns of sessions are not units: `POST /v1/session/{id}/purge` and `DELETE /v1/session/{id}/turns/{messageId}` erase them.

        Scope: `memory:delete`. It costs 5 of the key's rate, and is heavy.

        Args:
            mode: `archive` can be undone. `erase` removes content, revisions, embedding and index for ever.
            tags: Labels of the caller.
            created_by: Who created it, such as `key:<id>`.
            agent_id: Facts that cite a session of this agent, and episodes of it.
            session_id: Facts that cite this session, and episodes of it.
            entity_id: Units that mention this entity.
            attribution: The source: who said so.
            metadata: Units whose metadata has these members with these values.
            created_from: Created at this time or later.
            created_to: Created before this time. Default: null.
            tags_match: Default: "any".
            status: Default: all states, with `archive` all but `archived`.
            dry_run: Only lists what would be forgotten. Default: false.
            limit: Default: 100.
            cursor: `nextCursor` of the previous call.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            What one call found and forgot

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("forgetUnits", {"mode": mode, "types": types, "tags": tags, "createdBy": created_by, "agentId": agent_id, "sessionId": session_id, "entityId": entity_id, "attribution": attribution, "metadata": metadata, "sensitivity": sensitivity, "createdFrom": created_from, "createdTo": nullable(created_to), "tagsMatch": tags_match, "status": status, "dryRun": dry_run, "limit": limit, "cursor": cursor, "reason": reason}, {"idempotency-key": idempotency_key}, models.ForgottenUnits)

    async def list_relations(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        id: models.Id | None = None,
        source_id: models.Id | None = None,
        target_id: models.Id | None = None,
        verb: Sequence[models.RelationVerb] | None = None,
        status: Sequence[models.RelationStatus] | None = None,
        as_of: models.TimestampInput | None = None,
        stale: bool | None = None,
        min_trust: int | None = None,
        min_weight: float | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
    ) -> models.RelationPage:
        """List relations

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            id: Relations with this unit at any end.
            source_id: Relations with this unit as the source, or in the role `source`.
            target_id: Relations with this unit as the target, or in the role `target`.
            verb: May be repeated. Default: all nine.
            status: May be repeated. Default: `active`. Default: ["active"].
            as_of: Relations that are true in the world at this time.
            stale: `true`: only stale ones. `false`: only others.
            min_trust: The least trust score.
            min_weight: The least weight.
            tags: May be repeated.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".

        Returns:
            A page of a list of `Relation`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listRelations", {"limit": limit, "cursor": cursor, "order": order, "id": id, "sourceId": source_id, "targetId": target_id, "verb": verb, "status": status, "asOf": as_of, "stale": stale, "minTrust": min_trust, "minWeight": min_weight, "tags": tags, "tagsMatch": tags_match}, {}, models.RelationPage)

    async def create_relation(
        self,
        *,
        verb: models.RelationVerb,
        source_id: models.Id | None = None,
        target_id: models.Id | None = None,
        participants: Sequence[models.Participant | Mapping[str, Any]] | None = None,
        weight: float | None = None,
        confidence: float | None = None,
        attribution: models.Attribution | None = None,
        sensitivity: models.Sensitivity | None = None,
        valid_from: models.TimestampInput | None = None,
        valid_to: models.EndInput | Unset = UNSET,
        evidence_ids: Sequence[models.Id] | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> models.Relation:
        """Create a relation between two or more units

        Relates units of any types that the key may see. A merged entity is replaced by the one that it was merged into. If a relation with the same verb, the same ends and overlapping validity exists, it is not stored again: the reply is 200 with the existing one, which gets the greater weight and confidence, the more trusted attribution, and the evidence and tags of both. A unit cannot be related to itself. `supersedes`, `derived_from`, `precedes` and `part_of` may form no cycle at any one time; `causes` may. In a hyperedge, edges lead from the role `source` to the others and from the others to `target`; other roles have no direction. `supersedes` between two facts, or two decisions, supersedes the target, reversibly: archiving the relation brings it back into force. The target must be in force, and may be trusted more than the source only if the key has `memory:admin`; otherwise the reply is 422. Between other units it changes neither.

        Scope: `memory:write`.

        Args:
            source_id: A unit of any type; with `targetId`, instead of `participants`.
            target_id: UUIDv7.
            participants: A hyperedge: three to sixteen different units, instead of `sourceId` and `targetId`.
            weight: Default: 1.
            confidence: Default: 0.8.
            attribution: Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`. Default: "agent_stated".
            sensitivity: At most the key's clearance; raised to that of the most sensitive end. Default: `internal`.
            valid_from: When it begins to be true in the world.
            valid_to: When it stops being true in the world, exclusive. Default: null.
            evidence_ids: Units that support the relation. Default: [].
            tags: Labels of the caller. Default: [].
            metadata: Free members, at most 16 KiB as JSON.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            An existing relation that says the same

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createRelation", {"verb": verb, "sourceId": source_id, "targetId": target_id, "participants": participants, "weight": weight, "confidence": confidence, "attribution": attribution, "sensitivity": sensitivity, "validFrom": valid_from, "validTo": nullable(valid_to), "evidenceIds": evidence_ids, "tags": tags, "metadata": metadata}, {"idempotency-key": idempotency_key}, models.Relation)

    async def create_relations(
        self,
        *,
        relations: Sequence[models.CreateRelationBody | Mapping[str, Any]],
        idempotency_key: str | None = None,
    ) -> models.RelationBatchReply:
        """Create up to 500 relations

        One transaction, in order. Each item has its own result. If one is refused, for example because of an unknown unit or a cycle, the others are still stored. An invalid body is refused as a whole.

        Scope: `memory:write`. It costs 5 of the key's rate, and is heavy.

        Args:
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The outcome of each relation, in the order of the request

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createRelations", {"relations": relations}, {"idempotency-key": idempotency_key}, models.RelationBatchReply)

    async def traverse_relations(
        self,
        *,
        start_ids: Sequence[models.Id],
        verbs: Sequence[models.RelationVerb] | None = None,
        direction: models.Direction | None = None,
        depth: int | None = None,
        types: Sequence[models.UnitType] | None = None,
        as_of: models.TimestampInput | None = None,
        min_weight: float | None = None,
        min_trust: int | None = None,
        limit: int | None = None,
    ) -> models.TraverseReply:
        """Traverse relations from some units

        Walks level by level over active relations to units that are not archived. Each unit is returned once, with the shortest path to it; among equally short paths, with the strongest. A hyperedge leads from each participant to the others, depending on their roles; symmetric verbs are followed in both directions. One walk visits at most 10,000 units and 20,000 edges and follows the 200 strongest relations of a unit; `truncated` says if something was left out.

        Scope: `memory:read`. It costs 5 of the key's rate, and is heavy.

        Args:
            start_ids: Units of any types.
            verbs: Default: all nine.
            direction: `out`: from source to target. `in`: from target to source. `both`: either way. Default: "both".
            depth: The most steps from a start. Default: 2.
            types: Types of units in the results; the walk may pass through other types. Default: all.
            as_of: Follows relations that are true in the world at this time. Default: now.
            min_weight: Least weight of each relation on the way.
            min_trust: Least trust score of each relation and unit on the way.
            limit: The most results. Default: 100.

        Returns:
            The units that are reached, and the relations on the way

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("traverseRelations", {"startIds": start_ids, "verbs": verbs, "direction": direction, "depth": depth, "types": types, "asOf": as_of, "minWeight": min_weight, "minTrust": min_trust, "limit": limit}, {}, models.TraverseReply)

    async def list_relation_verbs(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> models.RelationVerbList:
        """List the nine verbs and what they mean

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `asc`: as the enumeration of verbs has them. Default: "asc".

        Returns:
            The verbs of relations

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listRelationVerbs", {"limit": limit, "cursor": cursor, "order": order}, {}, models.RelationVerbList)

    async def get_relation(
        self,
        *,
        id: models.Id,
    ) -> models.Relation:
        """Read a relation

        Reads the relation in any state. When a unit that it relates is erased, the relation is erased, too.

        Scope: `memory:read`.

        Args:
            id: UUIDv7.

        Returns:
            A relation between two units

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getRelation", {"id": id}, {}, models.Relation)

    async def archive_relation(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Relation:
        """Archive a relation

        The relation disappears from lists, graphs and traversals. `PATCH` with `status: active` restores it. A relation that is already archived stays as it is. What a relation `supersedes` has superseded comes back into force, unless something else has superseded it since.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A relation between two units

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("archiveRelation", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Relation)

    async def update_relation(
        self,
        *,
        id: models.Id,
        status: Literal["active"] | None = None,
        weight: float | None = None,
        confidence: float | None = None,
        attribution: models.Attribution | None = None,
        sensitivity: models.Sensitivity | None = None,
        valid_from: models.TimestampInput | Unset | None = UNSET,
        valid_to: models.EndInput | Unset = UNSET,
        evidence_ids: Sequence[models.Id] | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        stale: Literal[False] | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Relation:
        """Change or restore a relation

        Ends and verb cannot change: create another relation instead. `status: active` restores an archived relation. Null removes a bound of the validity. A patch that changes nothing creates no version.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            status: Restores an archived relation.
            attribution: The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10.
            valid_to: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.
            evidence_ids: Replaces the whole value.
            tags: Labels of the caller. Default: [].
            metadata: Replaces the whole value.
            stale: Affirms that the relation holds although its evidence does not any more.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A relation between two units

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("updateRelation", {"id": id, "status": status, "weight": weight, "confidence": confidence, "attribution": attribution, "sensitivity": sensitivity, "validFrom": nullable(valid_from), "validTo": nullable(valid_to), "evidenceIds": evidence_ids, "tags": tags, "metadata": metadata, "stale": stale}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Relation)

    async def list_skills(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Sequence[models.SkillStatus] | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        attribution: Sequence[models.Attribution] | None = None,
        sensitivity: Sequence[models.Sensitivity] | None = None,
        min_trust: int | None = None,
        pinned: bool | None = None,
        stale: bool | None = None,
        known_at: models.TimestampInput | None = None,
        name: str | None = None,
    ) -> models.SkillPage:
        """List skills

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            status: May be repeated. Default: `probationary` and `active`.
            tags: May be repeated.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            attribution: May be repeated.
            sensitivity: May be repeated.
            min_trust: The least trust score.
            pinned: `true`: only pinned ones. `false`: only others.
            stale: `true`: only stale ones. `false`: only others.
            known_at: The units as this service knew them at that time.
            name: Equal to this name, exactly.

        Returns:
            A page of a list of `Skill`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listSkills", {"limit": limit, "cursor": cursor, "order": order, "status": status, "tags": tags, "tagsMatch": tags_match, "attribution": attribution, "sensitivity": sensitivity, "minTrust": min_trust, "pinned": pinned, "stale": stale, "knownAt": known_at, "name": name}, {}, models.SkillPage)

    async def create_skill(
        self,
        *,
        name: str,
        description: str,
        instructions: str,
        attribution: models.Attribution | None = None,
        confidence: float | None = None,
        sensitivity: models.Sensitivity | None = None,
        aliases: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
        derived_from: Sequence[models.Id] | None = None,
        parameters: Mapping[str, Any] | None = None,
        examples: Sequence[models.SkillExample | Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
    ) -> models.Skill:
        """Create a skill

        It begins `probationary`. `parameters` has to be a JSON Schema.

        Scope: `memory:write`.

        Args:
            attribution: Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`. Default: "agent_stated".
            confidence: Default: 0.8.
            sensitivity: At most the key's clearance. Default: `internal`, or that of its most sensitive source.
            aliases: Other names by which recall finds it, as if its text had them. They are not part of the `contentHash`. Two that differ only in case, spacing or unseen characters are one.
            tags: Labels of the caller. Default: [].
            metadata: Free members, at most 16 KiB as JSON.
            pinned: Default: false.
            derived_from: Units that it was derived from. Its trust is at most that of the least trusted one. Default: [].
            parameters: JSON Schema of its arguments. Default: `{}`, which allows anything.
            examples: Default: [].
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A skill, with its outcomes

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createSkill", {"name": name, "description": description, "instructions": instructions, "attribution": attribution, "confidence": confidence, "sensitivity": sensitivity, "aliases": aliases, "tags": tags, "metadata": metadata, "pinned": pinned, "derivedFrom": derived_from, "parameters": parameters, "examples": examples}, {"idempotency-key": idempotency_key}, models.Skill)

    async def create_skills(
        self,
        *,
        skills: Sequence[models.CreateSkillBody | Mapping[str, Any]],
        idempotency_key: str | None = None,
    ) -> models.SkillBatchReply:
        """Create up to 500 skills

        One transaction, in order. Each item has its own result. If one is refused, for example because of an unknown source, the others are still stored. An invalid body is refused as a whole, with the path of each fault.

        Scope: `memory:write`. It costs 5 of the key's rate, and is heavy.

        Args:
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The outcome of each item, in the order of the request

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createSkills", {"skills": skills}, {"idempotency-key": idempotency_key}, models.SkillBatchReply)

    async def get_skill(
        self,
        *,
        id: models.Id,
        known_at: models.TimestampInput | None = None,
    ) -> models.Skill:
        """Read a skill

        Reads the unit in any state, or as it was known at a time.

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            known_at: The version that this service knew at that time.

        Returns:
            A skill, with its outcomes

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getSkill", {"id": id, "knownAt": known_at}, {}, models.Skill)

    async def archive_skill(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Skill:
        """Archive a skill

        The unit disappears from recall and lists and can be restored. A unit that is already archived stays as it is.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A skill, with its outcomes

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("archiveSkill", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Skill)

    async def update_skill(
        self,
        *,
        id: models.Id,
        attribution: models.Attribution | None = None,
        confidence: float | None = None,
        sensitivity: models.Sensitivity | None = None,
        aliases: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
        derived_from: Sequence[models.Id] | None = None,
        stale: Literal[False] | None = None,
        reason: str | None = None,
        name: str | None = None,
        description: str | None = None,
        instructions: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        examples: Sequence[models.SkillExample | Mapping[str, Any]] | None = None,
        status: Literal["probationary", "retired"] | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Skill:
        """Revise a skill

        Each change creates a revision; a patch that changes nothing creates none. `status: retired` takes it out of use; a retired or archived one is put on trial again by `status: probationary`. `active` is earned by outcomes and cannot be set.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            attribution: The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10.
            aliases: Replaces the whole list.
            tags: Labels of the caller. Default: [].
            metadata: Replaces the whole value.
            stale: Affirms that the unit holds although something it rests on does not any more.
            reason: Why; kept in the history.
            parameters: A JSON Schema, draft 2020-12 unless `$schema` names draft-07.
            status: `retired` takes the skill out of use. `probationary` puts a retired or archived skill on trial again; a retired one starts with no outcomes. `active` is reached only by outcomes.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A skill, with its outcomes

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("updateSkill", {"id": id, "attribution": attribution, "confidence": confidence, "sensitivity": sensitivity, "aliases": aliases, "tags": tags, "metadata": metadata, "pinned": pinned, "derivedFrom": derived_from, "stale": stale, "reason": reason, "name": name, "description": description, "instructions": instructions, "parameters": parameters, "examples": examples, "status": status}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Skill)

    async def forget_skill(
        self,
        *,
        id: models.Id,
        mode: Literal["archive", "erase"],
        cascade: bool | None = None,
        reason: str | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ForgetSkillReply:
        """Forget a skill

        `archive` can be undone. `erase` removes content, revisions, index and embedding for ever and answers with a receipt; the id then answers 410 and cannot be used again. Chains of reasoning that rest on the unit are erased with it. Units that rest on it become stale; with `cascade`, those derived from it are erased, too.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            mode: `archive` can be undone. `erase` removes content, revisions, embedding and index for ever.
            cascade: With `erase`: also erases the units that were derived from it (`derivedFrom`, transitively), as far as the key sees them; more than 1,000 units are refused. Without `cascade` they become stale. Default: false.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The archived unit, or the receipt of the erasure

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("forgetSkill", {"id": id, "mode": mode, "cascade": cascade, "reason": reason}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.ForgetSkillReply)

    async def record_skill_outcome(
        self,
        *,
        id: models.Id,
        outcome: Literal["success", "failure"],
        reason: str | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Skill:
        """Record an outcome of a skill

        After at least 5 outcomes, a skill on trial becomes `active` at a reliability of 0.75 or more, and a skill on trial or active is `retired` at 0.35 or less. Each outcome creates a version. A skill that is retired or archived accepts none (409).

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            reason: What happened; kept in the history.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A skill, with its outcomes

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("recordSkillOutcome", {"id": id, "outcome": outcome, "reason": reason}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Skill)

    async def restore_skill(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Skill:
        """Restore a skill

        An archived unit returns to its previous state.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A skill, with its outcomes

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("restoreSkill", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Skill)

    async def list_skill_revisions(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> models.SkillRevisionPage:
        """List the versions of a skill

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            A page of a list of `SkillRevision`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listSkillRevisions", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.SkillRevisionPage)

    async def list_strategies(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Sequence[models.KeptStatus] | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        attribution: Sequence[models.Attribution] | None = None,
        sensitivity: Sequence[models.Sensitivity] | None = None,
        min_trust: int | None = None,
        pinned: bool | None = None,
        stale: bool | None = None,
        known_at: models.TimestampInput | None = None,
        name: str | None = None,
    ) -> models.StrategyPage:
        """List strategies

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            status: May be repeated. Default: `active`.
            tags: May be repeated.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            attribution: May be repeated.
            sensitivity: May be repeated.
            min_trust: The least trust score.
            pinned: `true`: only pinned ones. `false`: only others.
            stale: `true`: only stale ones. `false`: only others.
            known_at: The units as this service knew them at that time.
            name: Equal to this name, exactly.

        Returns:
            A page of a list of `Strategy`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listStrategies", {"limit": limit, "cursor": cursor, "order": order, "status": status, "tags": tags, "tagsMatch": tags_match, "attribution": attribution, "sensitivity": sensitivity, "minTrust": min_trust, "pinned": pinned, "stale": stale, "knownAt": known_at, "name": name}, {}, models.StrategyPage)

    async def create_strategy(
        self,
        *,
        name: str,
        situation: str,
        pattern: str,
        attribution: models.Attribution | None = None,
        confidence: float | None = None,
        sensitivity: models.Sensitivity | None = None,
        aliases: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
        derived_from: Sequence[models.Id] | None = None,
        outcome: str | None = None,
        success_count: int | None = None,
        failure_count: int | None = None,
        idempotency_key: str | None = None,
    ) -> models.Strategy:
        """Create a strategy

        Scope: `memory:write`.

        Args:
            attribution: Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`. Default: "agent_stated".
            confidence: Default: 0.8.
            sensitivity: At most the key's clearance. Default: `internal`, or that of its most sensitive source.
            aliases: Other names by which recall finds it, as if its text had them. They are not part of the `contentHash`. Two that differ only in case, spacing or unseen characters are one.
            tags: Labels of the caller. Default: [].
            metadata: Free members, at most 16 KiB as JSON.
            pinned: Default: false.
            derived_from: Units that it was derived from. Its trust is at most that of the least trusted one. Default: [].
            success_count: Default: 0.
            failure_count: Default: 0.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A strategy, and when to use it

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createStrategy", {"name": name, "situation": situation, "pattern": pattern, "attribution": attribution, "confidence": confidence, "sensitivity": sensitivity, "aliases": aliases, "tags": tags, "metadata": metadata, "pinned": pinned, "derivedFrom": derived_from, "outcome": outcome, "successCount": success_count, "failureCount": failure_count}, {"idempotency-key": idempotency_key}, models.Strategy)

    async def create_strategies(
        self,
        *,
        strategies: Sequence[models.CreateStrategyBody | Mapping[str, Any]],
        idempotency_key: str | None = None,
    ) -> models.StrategyBatchReply:
        """Create up to 500 strategies

        One transaction, in order. Each item has its own result. If one is refused, for example because of an unknown source, the others are still stored. An invalid body is refused as a whole, with the path of each fault.

        Scope: `memory:write`. It costs 5 of the key's rate, and is heavy.

        Args:
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The outcome of each item, in the order of the request

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createStrategies", {"strategies": strategies}, {"idempotency-key": idempotency_key}, models.StrategyBatchReply)

    async def get_strategy(
        self,
        *,
        id: models.Id,
        known_at: models.TimestampInput | None = None,
    ) -> models.Strategy:
        """Read a strategy

        Reads the unit in any state, or as it was known at a time.

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            known_at: The version that this service knew at that time.

        Returns:
            A strategy, and when to use it

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getStrategy", {"id": id, "knownAt": known_at}, {}, models.Strategy)

    async def archive_strategy(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Strategy:
        """Archive a strategy

        The unit disappears from recall and lists and can be restored. A unit that is already archived stays as it is.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A strategy, and when to use it

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("archiveStrategy", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Strategy)

    async def update_strategy(
        self,
        *,
        id: models.Id,
        attribution: models.Attribution | None = None,
        confidence: float | None = None,
        sensitivity: models.Sensitivity | None = None,
        aliases: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
        derived_from: Sequence[models.Id] | None = None,
        stale: Literal[False] | None = None,
        reason: str | None = None,
        name: str | None = None,
        situation: str | None = None,
        pattern: str | None = None,
        outcome: str | Unset | None = UNSET,
        success_count: int | None = None,
        failure_count: int | None = None,
        status: Literal["active"] | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Strategy:
        """Revise a strategy

        Each change creates a revision; a patch that changes nothing creates none. An archived one is restored by `status: active`, alone or with other changes.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            attribution: The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10.
            aliases: Replaces the whole list.
            tags: Labels of the caller. Default: [].
            metadata: Replaces the whole value.
            stale: Affirms that the unit holds although something it rests on does not any more.
            reason: Why; kept in the history.
            status: `active` restores an archived unit.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A strategy, and when to use it

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("updateStrategy", {"id": id, "attribution": attribution, "confidence": confidence, "sensitivity": sensitivity, "aliases": aliases, "tags": tags, "metadata": metadata, "pinned": pinned, "derivedFrom": derived_from, "stale": stale, "reason": reason, "name": name, "situation": situation, "pattern": pattern, "outcome": nullable(outcome), "successCount": success_count, "failureCount": failure_count, "status": status}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Strategy)

    async def forget_strategy(
        self,
        *,
        id: models.Id,
        mode: Literal["archive", "erase"],
        cascade: bool | None = None,
        reason: str | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ForgetStrategyReply:
        """Forget a strategy

        `archive` can be undone. `erase` removes content, revisions, index and embedding for ever and answers with a receipt; the id then answers 410 and cannot be used again. Chains of reasoning that rest on the unit are erased with it. Units that rest on it become stale; with `cascade`, those derived from it are erased, too.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            mode: `archive` can be undone. `erase` removes content, revisions, embedding and index for ever.
            cascade: With `erase`: also erases the units that were derived from it (`derivedFrom`, transitively), as far as the key sees them; more than 1,000 units are refused. Without `cascade` they become stale. Default: false.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The archived unit, or the receipt of the erasure

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("forgetStrategy", {"id": id, "mode": mode, "cascade": cascade, "reason": reason}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.ForgetStrategyReply)

    async def restore_strategy(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Strategy:
        """Restore a strategy

        An archived unit returns to its previous state.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A strategy, and when to use it

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("restoreStrategy", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Strategy)

    async def list_strategy_revisions(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> models.StrategyRevisionPage:
        """List the versions of a strategy

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            A page of a list of `StrategyRevision`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listStrategyRevisions", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.StrategyRevisionPage)

    async def get_units(
        self,
        *,
        id: Sequence[models.Id] | None = None,
        known_at: models.TimestampInput | None = None,
        type: Sequence[models.UnitType] | None = None,
        status: Sequence[models.UnitState] | None = None,
        q: str | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        attribution: Sequence[models.Attribution] | None = None,
        min_trust: int | None = None,
        max_trust: int | None = None,
        sensitivity: Sequence[models.Sensitivity] | None = None,
        pinned: bool | None = None,
        stale: bool | None = None,
        entity_id: models.Id | None = None,
        session_id: models.Id | None = None,
        agent_id: str | None = None,
        created_from: models.TimestampInput | None = None,
        created_to: models.EndInput | Unset = UNSET,
        updated_from: models.TimestampInput | None = None,
        updated_to: models.EndInput | Unset = UNSET,
        sort: Literal["updatedAt", "createdAt", "worth"] | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> models.SoughtUnits:
        """List units of all types, or read some by their ids

        Without `id`: a list of the units of all types, filtered and sorted. With `id`: those units in any state, as they are or as they were known at a time; an unknown one has no `unit`.

        Scope: `memory:read`.

        Args:
            id: Reads these units, in any state, instead of a list; may be repeated, up to 100 times. Goes with `knownAt` alone.
            known_at: With `id`: the versions that this service knew at that time.
            type: May be repeated. Default: all.
            status: May be repeated. Default: those in force (`active`, `contested`, `proposed`, `accepted`, `probationary`).
            q: The text contains this; case does not matter. It reads texts until the page is full.
            tags: May be repeated.
            tags_match: `any`, the default: one of the `tags` is enough. `all`: every tag is required.
            attribution: May be repeated.
            min_trust: The least trust score.
            max_trust: The greatest trust score.
            sensitivity: May be repeated.
            pinned: `true`: only pinned ones. `false`: only others.
            stale: `true`: only stale ones. `false`: only others.
            entity_id: Units that mention this entity.
            session_id: Facts that cite this session, and episodes of it.
            agent_id: The same, of any session of this agent.
            created_from: Created at this time or later.
            created_to: Created before this time. Default: null.
            updated_from: Last changed at this time or later.
            updated_to: Last changed before this time. Default: null.
            sort: Default: `updatedAt`. While pages are read, a unit that somebody changes goes to where it belongs now. By `createdAt` no unit is missed or met twice. By `updatedAt` with `order=asc` none is missed, and a changed one is met again at the end; with `order=desc` none is met twice, and a changed one stands before the first page. By `worth`, which the service computes anew from time to time, a unit may be missed or met twice.
            order: `desc`, the default: newest or worthiest first.
            limit: Page size; default: 50.
            cursor: `nextCursor` of the previous page.

        Returns:
            A page of a list of `SoughtUnit`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getUnits", {"id": id, "knownAt": known_at, "type": type, "status": status, "q": q, "tags": tags, "tagsMatch": tags_match, "attribution": attribution, "minTrust": min_trust, "maxTrust": max_trust, "sensitivity": sensitivity, "pinned": pinned, "stale": stale, "entityId": entity_id, "sessionId": session_id, "agentId": agent_id, "createdFrom": created_from, "createdTo": nullable(created_to), "updatedFrom": updated_from, "updatedTo": nullable(updated_to), "sort": sort, "order": order, "limit": limit, "cursor": cursor}, {}, models.SoughtUnits)

    async def get_unit(
        self,
        *,
        id: models.Id,
        known_at: models.TimestampInput | None = None,
    ) -> models.KnowledgeUnit:
        """Read a unit of any type

        Reads the unit in any state, or as it was known at a time. For a merged entity: the merged record itself.

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            known_at: The version that this service knew at that time.

        Returns:
            A unit of any type; `type` says which

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getUnit", {"id": id, "knownAt": known_at}, {}, models.KnowledgeUnit)

    async def list_workflows(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Sequence[models.KeptStatus] | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        attribution: Sequence[models.Attribution] | None = None,
        sensitivity: Sequence[models.Sensitivity] | None = None,
        min_trust: int | None = None,
        pinned: bool | None = None,
        stale: bool | None = None,
        known_at: models.TimestampInput | None = None,
        name: str | None = None,
    ) -> models.WorkflowPage:
        """List workflows

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            status: May be repeated. Default: `active`.
            tags: May be repeated.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            attribution: May be repeated.
            sensitivity: May be repeated.
            min_trust: The least trust score.
            pinned: `true`: only pinned ones. `false`: only others.
            stale: `true`: only stale ones. `false`: only others.
            known_at: The units as this service knew them at that time.
            name: Equal to this name, exactly.

        Returns:
            A page of a list of `Workflow`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listWorkflows", {"limit": limit, "cursor": cursor, "order": order, "status": status, "tags": tags, "tagsMatch": tags_match, "attribution": attribution, "sensitivity": sensitivity, "minTrust": min_trust, "pinned": pinned, "stale": stale, "knownAt": known_at, "name": name}, {}, models.WorkflowPage)

    async def create_workflow(
        self,
        *,
        name: str,
        steps: Sequence[str],
        attribution: models.Attribution | None = None,
        confidence: float | None = None,
        sensitivity: models.Sensitivity | None = None,
        aliases: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
        derived_from: Sequence[models.Id] | None = None,
        goal: str | None = None,
        preconditions: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> models.Workflow:
        """Create a workflow

        Scope: `memory:write`.

        Args:
            steps: What to do, in this order.
            attribution: Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`. Default: "agent_stated".
            confidence: Default: 0.8.
            sensitivity: At most the key's clearance. Default: `internal`, or that of its most sensitive source.
            aliases: Other names by which recall finds it, as if its text had them. They are not part of the `contentHash`. Two that differ only in case, spacing or unseen characters are one.
            tags: Labels of the caller. Default: [].
            metadata: Free members, at most 16 KiB as JSON.
            pinned: Default: false.
            derived_from: Units that it was derived from. Its trust is at most that of the least trusted one. Default: [].
            preconditions: Conditions that must hold before the first step. Default: [].
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A workflow, step by step

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createWorkflow", {"name": name, "steps": steps, "attribution": attribution, "confidence": confidence, "sensitivity": sensitivity, "aliases": aliases, "tags": tags, "metadata": metadata, "pinned": pinned, "derivedFrom": derived_from, "goal": goal, "preconditions": preconditions}, {"idempotency-key": idempotency_key}, models.Workflow)

    async def create_workflows(
        self,
        *,
        workflows: Sequence[models.CreateWorkflowBody | Mapping[str, Any]],
        idempotency_key: str | None = None,
    ) -> models.WorkflowBatchReply:
        """Create up to 500 workflows

        One transaction, in order. Each item has its own result. If one is refused, for example because of an unknown source, the others are still stored. An invalid body is refused as a whole, with the path of each fault.

        Scope: `memory:write`. It costs 5 of the key's rate, and is heavy.

        Args:
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The outcome of each item, in the order of the request

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createWorkflows", {"workflows": workflows}, {"idempotency-key": idempotency_key}, models.WorkflowBatchReply)

    async def get_workflow(
        self,
        *,
        id: models.Id,
        known_at: models.TimestampInput | None = None,
    ) -> models.Workflow:
        """Read a workflow

        Reads the unit in any state, or as it was known at a time.

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            known_at: The version that this service knew at that time.

        Returns:
            A workflow, step by step

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getWorkflow", {"id": id, "knownAt": known_at}, {}, models.Workflow)

    async def archive_workflow(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Workflow:
        """Archive a workflow

        The unit disappears from recall and lists and can be restored. A unit that is already archived stays as it is.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A workflow, step by step

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("archiveWorkflow", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Workflow)

    async def update_workflow(
        self,
        *,
        id: models.Id,
        attribution: models.Attribution | None = None,
        confidence: float | None = None,
        sensitivity: models.Sensitivity | None = None,
        aliases: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        pinned: bool | None = None,
        derived_from: Sequence[models.Id] | None = None,
        stale: Literal[False] | None = None,
        reason: str | None = None,
        name: str | None = None,
        goal: str | Unset | None = UNSET,
        steps: Sequence[str] | None = None,
        preconditions: Sequence[str] | None = None,
        status: Literal["active"] | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Workflow:
        """Revise a workflow

        Each change creates a revision; a patch that changes nothing creates none. An archived one is restored by `status: active`, alone or with other changes.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            attribution: The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10.
            aliases: Replaces the whole list.
            tags: Labels of the caller. Default: [].
            metadata: Replaces the whole value.
            stale: Affirms that the unit holds although something it rests on does not any more.
            reason: Why; kept in the history.
            steps: What to do, in this order.
            preconditions: Conditions that must hold before the first step.
            status: `active` restores an archived unit.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A workflow, step by step

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("updateWorkflow", {"id": id, "attribution": attribution, "confidence": confidence, "sensitivity": sensitivity, "aliases": aliases, "tags": tags, "metadata": metadata, "pinned": pinned, "derivedFrom": derived_from, "stale": stale, "reason": reason, "name": name, "goal": nullable(goal), "steps": steps, "preconditions": preconditions, "status": status}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Workflow)

    async def forget_workflow(
        self,
        *,
        id: models.Id,
        mode: Literal["archive", "erase"],
        cascade: bool | None = None,
        reason: str | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ForgetWorkflowReply:
        """Forget a workflow

        `archive` can be undone. `erase` removes content, revisions, index and embedding for ever and answers with a receipt; the id then answers 410 and cannot be used again. Chains of reasoning that rest on the unit are erased with it. Units that rest on it become stale; with `cascade`, those derived from it are erased, too.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            mode: `archive` can be undone. `erase` removes content, revisions, embedding and index for ever.
            cascade: With `erase`: also erases the units that were derived from it (`derivedFrom`, transitively), as far as the key sees them; more than 1,000 units are refused. Without `cascade` they become stale. Default: false.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The archived unit, or the receipt of the erasure

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("forgetWorkflow", {"id": id, "mode": mode, "cascade": cascade, "reason": reason}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.ForgetWorkflowReply)

    async def restore_workflow(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Workflow:
        """Restore a workflow

        An archived unit returns to its previous state.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A workflow, step by step

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("restoreWorkflow", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Workflow)

    async def list_workflow_revisions(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> models.WorkflowRevisionPage:
        """List the versions of a workflow

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            A page of a list of `WorkflowRevision`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listWorkflowRevisions", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.WorkflowRevisionPage)

    async def list_changes(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        since: str | None = None,
        kind: Sequence[str] | None = None,
        resource_id: models.Id | None = None,
    ) -> models.ChangePage:
        """List the changes, in order

        Lists every change of a resource once, in the order in which changes became visible, oldest first by default. An entry says what happened to which resource and which version; it holds no content. Changes above the key's clearance are not shown; changes of tasks and events need the scope `tasks:read`, too.

        To follow the feed, read until `nextCursor` is null, then start again with `since` = `endCursor`; `GET /stream` sends the same as it happens. One page scans 10,000 entries of the feed: with a filter it may hold fewer than `limit`, or none, and still have a next page.

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: Default: "asc".
            since: Changes after this position: the `cursor` of a change or of a stream's message, or an `endCursor`.
            kind: May be repeated. A name that ends with `.` matches every name that begins so, such as `fact.`.
            resource_id: Changes of this resource.

        Returns:
            A page of a list of `ListedChange`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listChanges", {"limit": limit, "cursor": cursor, "order": order, "since": since, "kind": kind, "resourceId": resource_id}, {}, models.ChangePage)

    async def get_graph(
        self,
        *,
        around: models.Id | None = None,
        depth: int | None = None,
        types: Sequence[models.UnitType] | None = None,
        verbs: Sequence[models.RelationVerb] | None = None,
        as_of: models.TimestampInput | None = None,
        min_trust: int | None = None,
        implied: bool | None = None,
        limit: int | None = None,
        edge_limit: int | None = None,
        tags: Sequence[str] | None = None,
        drawer: str | None = None,
    ) -> models.Graph:
        """Read a part of the graph, for drawing

        With `around`, the units within `depth` steps of one, over units that the filters show. Without, the ends of the newest relations; with `types`, `tags` or `drawer` also the newest such units that have none. Archived and merged units are left out. Only the 200 strongest relations of a unit count; `truncated` says if something was left out, and why. Positions (`x`, `y`) depend on the graph alone, and one more node moves the others only a little.

        Scope: `memory:read`. It costs 5 of the key's rate, and is heavy.

        Args:
            around: The unit, of any type, at the centre of the graph.
            depth: The most steps from the centre. Default: 1.
            types: May be repeated. Default: all.
            verbs: May be repeated. Default: all nine.
            as_of: Relations that were true in the world at this time. Default: all.
            min_trust: Least trust score of units and relations.
            implied: Whether to include edges derived from mentions, sources, evidence and supersession. Default: "true".
            limit: The most nodes. Default: 200.
            edge_limit: The most edges. Default: 1000.
            tags: Units with any of these tags.
            drawer: Entities filed under this drawer.

        Returns:
            Units and the edges between them

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getGraph", {"around": around, "depth": depth, "types": types, "verbs": verbs, "asOf": as_of, "minTrust": min_trust, "implied": implied, "limit": limit, "edgeLimit": edge_limit, "tags": tags, "drawer": drawer}, {}, models.Graph)

    async def create_stream_ticket(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> models.StreamTicket:
        """Create a ticket that opens a stream

        For browsers, which cannot send an Authorization header with a WebSocket. The page asks its own server, which holds the key, for a ticket and opens `GET /stream?ticket=…` with it. A ticket opens one stream within 30 seconds, with the rights of the key that created it; a repeated `Idempotency-Key` gives the same ticket again, used or expired as it may be.

        Scope: `memory:read`.

        Args:
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A ticket that opens one stream

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createStreamTicket", {}, {"idempotency-key": idempotency_key}, models.StreamTicket)

    async def list_timeline(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
        after: models.TimestampInput | models.Id | None = None,
        before: models.TimestampInput | models.Id | None = None,
        types: Sequence[models.TimelineType] | None = None,
        q: str | None = None,
        entity_id: models.Id | None = None,
        agent_id: str | None = None,
        session_id: models.Id | None = None,
        tags: Sequence[str] | None = None,
        min_trust: int | None = None,
    ) -> models.TimelinePage:
        """List units, events, turns and tasks in order of time

        Latest first by default. `order=asc&limit=1` gives the first item, `order=desc&limit=1` the last. `after` and `before` take a time or the id of an item; both together give what lies between. Archived and retracted units and merged entities are left out; superseded ones are included. A key without `tasks:read` is shown no tasks and events.

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            from_: At this time or later.
            to: Before this time. Default: null.
            after: Strictly after this time, or after the item with this id.
            before: Strictly before this time, or before the item with this id.
            types: May be repeated.
            q: The text contains this; case does not matter.
            entity_id: Units and turns that mention this entity.
            agent_id: Events, tasks and turns of this agent.
            session_id: Events, turns and episodes of this session.
            tags: May be repeated; one of them is enough.
            min_trust: Least trust score of units; items that are not units are left out.

        Returns:
            A page of a list of `TimelineItem`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listTimeline", {"limit": limit, "cursor": cursor, "order": order, "from": from_, "to": nullable(to), "after": after, "before": before, "types": types, "q": q, "entityId": entity_id, "agentId": agent_id, "sessionId": session_id, "tags": tags, "minTrust": min_trust}, {}, models.TimelinePage)

    async def count_timeline(
        self,
        *,
        bucket: Literal["hour", "day", "week", "month"] | None = None,
        time_zone: str | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
        types: Sequence[models.TimelineType] | None = None,
        q: str | None = None,
        entity_id: models.Id | None = None,
        agent_id: str | None = None,
        session_id: models.Id | None = None,
        tags: Sequence[str] | None = None,
        min_trust: int | None = None,
    ) -> models.TimelineCounts:
        """Count units, events, turns and tasks over time

        Counts items of each type per hour, day, week or month of a time zone, whose days may have 23 or 25 hours. At most 1,000 spans. For a key without `tasks:read`, tasks and events do not count.

        Scope: `memory:read`.

        Args:
            bucket: Weeks begin on Monday. Default: "day".
            time_zone: Time zone of hours and days: an IANA name or an offset. Default: "UTC".
            from_: Default: 30 spans before `to`.
            to: Default: now. Default: null.
            types: May be repeated.
            q: The text contains this; case does not matter.
            entity_id: Units and turns that mention this entity.
            agent_id: Events, tasks and turns of this agent.
            session_id: Events, turns and episodes of this session.
            tags: May be repeated; one of them is enough.
            min_trust: Least trust score of units; items that are not units are left out.

        Returns:
            How much there is in each span of time

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("countTimeline", {"bucket": bucket, "timeZone": time_zone, "from": from_, "to": nullable(to), "types": types, "q": q, "entityId": entity_id, "agentId": agent_id, "sessionId": session_id, "tags": tags, "minTrust": min_trust}, {}, models.TimelineCounts)

    async def list_webhooks(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> models.WebhookPage:
        """List webhooks

        Lists the webhooks without their secrets, the newest first by default. A key does not see webhooks whose `maxSensitivity` is above its own.

        Scope: `memory:admin`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            A page of a list of `Webhook`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listWebhooks", {"limit": limit, "cursor": cursor, "order": order}, {}, models.WebhookPage)

    async def create_webhook(
        self,
        *,
        url: str,
        kinds: Sequence[str] | None = None,
        description: str | Unset | None = UNSET,
        max_sensitivity: models.Sensitivity | None = None,
        rate_per_minute: int | Unset | None = UNSET,
        since: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.IssuedWebhook:
        """Create a webhook

        Sends the changes of the workspace to a URL as they happen, signed as the [Standard Webhooks](https://www.standardwebhooks.com) specification says. First the service sends the URL `webhook.verification` with `data.challenge`, and nothing else until the URL answers 2xx and repeats the challenge, as text or as `{"challenge": …}`. The service asks five times within an hour; `POST /webhooks/{id}/test` asks again.

        A message says which resource changed, never its content. Each change arrives at least once, always with the same `webhook-id`; the changes of one resource arrive in the order of the feed.

        The key that creates a webhook answers for it, and after it each key that changes `url`, `kinds` or `maxSensitivity` or enables it. It needs `memory:read`, and `tasks:read` for changes of tasks and events. If it is revoked, expires or loses one of these rights, the service disables the webhook. Only this reply shows the secret.

        Scope: `memory:admin`.

        Args:
            url: An `https://` URL of a host on the internet, at a port that the operator allows. The service calls private addresses, and `http://` URLs, only within the ranges of `SVC_OUTBOUND_ALLOW_CIDRS`.
            kinds: Kinds of changes to send, such as `fact.created`; a name that ends with `.`, such as `fact.`, stands for all kinds that begin with it. Empty: all. Default: [].
            description: Default: null.
            max_sensitivity: At most the key's clearance. Default: "internal".
            rate_per_minute: The service sends at most this many messages in a minute; null: no limit. Default: null.
            since: The service sends the changes after this place in the feed. Default: the changes from now on.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The webhook and its secret, which is shown only here

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createWebhook", {"url": url, "kinds": kinds, "description": nullable(description), "maxSensitivity": max_sensitivity, "ratePerMinute": nullable(rate_per_minute), "since": since}, {"idempotency-key": idempotency_key}, models.IssuedWebhook)

    async def get_webhook(
        self,
        *,
        id: models.Id,
    ) -> models.Webhook:
        """Read a webhook, without its secret

        Scope: `memory:admin`.

        Args:
            id: The endpoint.

        Returns:
            A webhook and its state

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getWebhook", {"id": id}, {}, models.Webhook)

    async def delete_webhook(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Webhook:
        """Delete a webhook, with the log of its deliveries

        The service sends it nothing more. The reply shows the webhook as it was.

        Scope: `memory:admin`.

        Args:
            id: The endpoint.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A webhook and its state

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("deleteWebhook", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Webhook)

    async def update_webhook(
        self,
        *,
        id: models.Id,
        url: str | None = None,
        kinds: Sequence[str] | None = None,
        description: str | Unset | None = UNSET,
        status: Literal["enabled", "disabled"] | None = None,
        skip_to: Literal["now"] | None = None,
        max_sensitivity: models.Sensitivity | None = None,
        rate_per_minute: int | Unset | None = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Webhook:
        """Change a webhook

        A new URL gets nothing but the challenge until it has given its consent. A disabled webhook keeps what is waiting, and sends it once it is enabled; `skipTo: now` skips it instead. New `kinds` hold for changes that are still to come.

        Scope: `memory:admin`.

        Args:
            id: The endpoint.
            url: A new URL gets nothing but the challenge until it has given its consent.
            kinds: Kinds of changes to send, such as `fact.created`; a name that ends with `.`, such as `fact.`, stands for all kinds that begin with it. Empty: all.
            skip_to: With `status: enabled`: skips everything that is waiting. Default: the webhook goes on where it stopped.
            rate_per_minute: The service sends at most this many messages in a minute; null: no limit.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A webhook and its state

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("updateWebhook", {"id": id, "url": url, "kinds": kinds, "description": nullable(description), "status": status, "skipTo": skip_to, "maxSensitivity": max_sensitivity, "ratePerMinute": nullable(rate_per_minute)}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Webhook)

    async def list_webhook_deliveries(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        state: Sequence[models.WebhookDeliveryState] | None = None,
        kind: Sequence[str] | None = None,
        resource_id: models.Id | None = None,
    ) -> models.WebhookDeliveryPage:
        """List what a webhook was sent

        Lists every change that the webhook was sent or is about to be sent, the newest first by default: how many attempts there were, how the last one ended, when the next one is. Deliveries stay for `SVC_WEBHOOK_KEPT_DAYS` after they ended, dead ones three times as long. Deliveries of tasks and events are shown to keys with `tasks:read`.

        Scope: `memory:admin`.

        Args:
            id: The endpoint.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            resource_id: UUIDv7.

        Returns:
            A page of a list of `WebhookDelivery`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listWebhookDeliveries", {"id": id, "limit": limit, "cursor": cursor, "order": order, "state": state, "kind": kind, "resourceId": resource_id}, {}, models.WebhookDeliveryPage)

    async def retry_webhook_delivery(
        self,
        *,
        id: models.Id,
        delivery_id: str,
        idempotency_key: str | None = None,
    ) -> models.WebhookDelivery:
        """Send a delivery now

        A pending delivery is tried at once, but after earlier ones of the same resource; a dead one gets one further attempt.

        Scope: `memory:admin`.

        Args:
            id: The endpoint.
            delivery_id: The delivery.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A message to a webhook and its attempts

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("retryWebhookDelivery", {"id": id, "deliveryId": delivery_id}, {"idempotency-key": idempotency_key}, models.WebhookDelivery)

    async def replay_webhook(
        self,
        *,
        id: models.Id,
        since: str,
        until: str | None = None,
        states: Sequence[models.WebhookDeliveryState] | None = None,
        idempotency_key: str | None = None,
    ) -> models.WebhookReplayed:
        """Send a webhook a part of the feed again

        With `states`, sends the deliveries in these states; without, every change of this part of the feed, also changes that the webhook was not sent before. Either way only what the webhook is sent today, with the same ids as before. At most 100,000 places of the feed at once.

        Scope: `memory:admin`.

        Args:
            id: The endpoint.
            since: Changes after this place in the feed.
            until: Changes up to this place, included. Default: as far as the webhook has come.
            states: Only deliveries in these states. Default: every change that the webhook is sent.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            How many changes will be sent again

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("replayWebhook", {"id": id, "since": since, "until": until, "states": states}, {"idempotency-key": idempotency_key}, models.WebhookReplayed)

    async def rotate_webhook_secret(
        self,
        *,
        id: models.Id,
        overlap_seconds: int | None = None,
        idempotency_key: str | None = None,
    ) -> models.IssuedWebhook:
        """Give a webhook a new secret

        Until `overlapSeconds` are over, both secrets sign every message, the new one first. Another rotation in this time is refused with `conflict`.

        Scope: `memory:admin`.

        Args:
            id: The endpoint.
            overlap_seconds: How long the former secret signs as well, up to 7 days; 0: it stops now. Default: 86400.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The webhook and its secret, which is shown only here

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("rotateWebhookSecret", {"id": id, "overlapSeconds": overlap_seconds}, {"idempotency-key": idempotency_key}, models.IssuedWebhook)

    async def test_webhook(
        self,
        *,
        id: models.Id,
        idempotency_key: str | None = None,
    ) -> models.WebhookTested:
        """Send a webhook a test message now

        Sends `webhook.test` once and shows the answer. A URL that has not given its consent gets the challenge instead, and its answer is not shown. At most six times a minute.

        Scope: `memory:admin`.

        Args:
            id: The endpoint.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            What the receiver answered

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("testWebhook", {"id": id}, {"idempotency-key": idempotency_key}, models.WebhookTested)

    async def list_agents(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> models.AgentPage:
        """List the agents

        Every `agentId` that sessions, tasks, events, chains of reasoning, playbooks or self-edits name, with how many of each and when the first and the last was. For a key without `tasks:read`, tasks and events do not count.

        Scope: `memory:read`. It costs 5 of the key's rate, and is heavy.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: By `agentId`. Default: "asc".

        Returns:
            A page of a list of `Agent`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listAgents", {"limit": limit, "cursor": cursor, "order": order}, {}, models.AgentPage)

    async def list_events(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
        agent_id: str | None = None,
        type: Sequence[str] | None = None,
        session_id: models.Id | None = None,
    ) -> models.EventPage:
        """List events by time

        In the order in which they occurred, latest first by default.

        Scope: `tasks:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            from_: Events that occurred then or later.
            to: Events that occurred before then. Default: null.
            agent_id: An agent, as the caller names it.
            type: May be repeated.
            session_id: UUIDv7.

        Returns:
            A page of a list of `Event`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listEvents", {"limit": limit, "cursor": cursor, "order": order, "from": from_, "to": nullable(to), "agentId": agent_id, "type": type, "sessionId": session_id}, {}, models.EventPage)

    async def record_event(
        self,
        *,
        type: str,
        agent_id: str | None = None,
        session_id: models.Id | None = None,
        data: Mapping[str, Any] | None = None,
        sensitivity: models.Sensitivity | None = None,
        occurred_at: models.TimestampInput | None = None,
        idempotency_key: str | None = None,
    ) -> models.Event:
        """Record an event

        An event never changes. It can only be erased.

        Scope: `tasks:write`.

        Args:
            type: The type of event, in the caller's own words.
            agent_id: The agent that the event belongs to.
            session_id: The session in which it happened. The service does not check that it exists.
            data: Free members, at most 16 KiB as JSON.
            sensitivity: At most the key's clearance. Default: "internal".
            occurred_at: Default: now.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            An event of an agent

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("recordEvent", {"type": type, "agentId": agent_id, "sessionId": session_id, "data": data, "sensitivity": sensitivity, "occurredAt": occurred_at}, {"idempotency-key": idempotency_key}, models.Event)

    async def record_events(
        self,
        *,
        events: Sequence[models.RecordEventBody | Mapping[str, Any]],
        idempotency_key: str | None = None,
    ) -> models.EventBatchReply:
        """Record a batch of events

        Up to 500 events, all or none.

        Scope: `tasks:write`. It costs 1 of the key's rate for each 100 events, and is heavy beyond them.

        Args:
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The outcome of each event, in the order of the request

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("recordEvents", {"events": events}, {"idempotency-key": idempotency_key}, models.EventBatchReply)

    async def get_event(
        self,
        *,
        id: models.Id,
    ) -> models.Event:
        """Read an event

        Scope: `tasks:read`.

        Args:
            id: UUIDv7.

        Returns:
            An event of an agent

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getEvent", {"id": id}, {}, models.Event)

    async def forget_event(
        self,
        *,
        id: models.Id,
        mode: Literal["erase"],
        reason: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ForgetRecordReply:
        """Erase an event

        Erases the event for ever. Its id then answers 410 `erased` and cannot be used again.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            mode: Erases it for ever. Tasks and events cannot be archived.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The receipt of the erasure

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("forgetEvent", {"id": id, "mode": mode, "reason": reason}, {"idempotency-key": idempotency_key}, models.ForgetRecordReply)

    async def edit_self(
        self,
        *,
        reason: str,
        mode: models.SelfEditMode,
        operations: Sequence[models.SelfEditAdd | Mapping[str, Any] | models.SelfEditUpdate | models.SelfEditRetract | models.SelfEditPin | models.SelfEditUnpin | models.SelfEditRelate | models.SelfEditForget],
        agent_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.SelfEdit:
        """Edit the agent's own memory

        Up to 100 operations with one reason. `atomic`: all or nothing. The first operation that cannot be applied refuses the whole edit with its own code, and `operationIndex` names it. `per_item`: each operation has its own transaction and outcome; the reply is 201 even if some are refused. With an `Idempotency-Key` all of them commit together with the reply, with the same outcomes. An operation may refer to what an earlier one adds: `$1` by position, `$name` by the `ref` of an `add`.

        An agent cannot overwrite knowledge that is `user_stated` or `verified`: an operation that would update, retract, forget or supersede it becomes a review item of the kind `self_edit`. An atomic edit then waits as a whole, and nothing is applied before the decision. A fact that contradicts a more trusted one is stored as contested, as always. Every edit is recorded and can be reverted, except for `erase`, which also needs the scope `memory:delete`.

        Scope: `self:write`. It costs 1 of the key's rate for each 10 operations, and is heavy beyond them.

        Args:
            reason: Why; kept with the edit and in the history of each unit.
            mode: `atomic`: all operations or none. `per_item`: each on its own, with its own outcome.
            agent_id: The agent that edits, if several agents share a key.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            An edit of the agent's own memory, and the outcome of each operation

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("editSelf", {"reason": reason, "mode": mode, "operations": operations, "agentId": agent_id}, {"idempotency-key": idempotency_key}, models.SelfEdit)

    async def list_self_edits(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        agent_id: str | None = None,
        unit_id: models.Id | None = None,
        source: Sequence[Literal["edit", "reflection", "revert"]] | None = None,
        outcome: Sequence[Literal["pending", "applied", "unchanged", "review", "declined", "refused"]] | None = None,
        reverted: bool | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
    ) -> models.SelfEditPage:
        """List edits of the memory

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            agent_id: An agent, as the caller names it.
            unit_id: Edits with an operation about this unit.
            source: May be repeated.
            outcome: Edits with an operation of this outcome; may be repeated.
            from_: Edits made then or later.
            to: Edits made before then. Default: null.

        Returns:
            A page of a list of `SelfEdit`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listSelfEdits", {"limit": limit, "cursor": cursor, "order": order, "agentId": agent_id, "unitId": unit_id, "source": source, "outcome": outcome, "reverted": reverted, "from": from_, "to": nullable(to)}, {}, models.SelfEditPage)

    async def get_self_edit(
        self,
        *,
        id: models.Id,
    ) -> models.SelfEdit:
        """Read an edit of the memory

        Scope: `memory:read`.

        Args:
            id: UUIDv7.

        Returns:
            An edit of the agent's own memory, and the outcome of each operation

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getSelfEdit", {"id": id}, {}, models.SelfEdit)

    async def revert_self_edit(
        self,
        *,
        id: models.Id,
        reason: str | None = None,
        agent_id: str | None = None,
        force: bool | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.SelfEdit:
        """Revert an edit of the memory

        Every changed unit gets its previous content back, as a new version. Units that the edit added are archived, and facts that it superseded are reinstated. Erased units cannot come back: such an operation is `refused` with `erased`, the others are reverted. If units were changed since, the request is refused with `conflict`, and `changedSince` names them, unless `force` is set. The reply is the edit that reverts this one; it can be reverted in turn. If the revert would overwrite `user_stated` or `verified` knowledge that was changed since, or a person's decision, a person has to decide again.

        Scope: `self:write`.

        Args:
            id: UUIDv7.
            agent_id: An agent, as the caller names it.
            force: Reverts even if a unit was changed since; the later changes are reverted, too. Default: false.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            An edit of the agent's own memory, and the outcome of each operation

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("revertSelfEdit", {"id": id, "reason": reason, "agentId": agent_id, "force": force}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.SelfEdit)

    async def get_self_profile(
        self,
        *,
        max_tokens: int | None = None,
        agent_id: str | None = None,
        entity_id: models.Id | None = None,
        subject: str | None = None,
    ) -> models.SelfProfile:
        """Read the profile of the memory

        Who and what the memory is about: preferences and instructions, key facts, decisions, open tasks and the latest changes, as members and as Markdown for a system prompt, within a token budget. It reflects the change feed at least up to `asOfSeq`: the next read sees a write.

        Scope: `memory:read`.

        Args:
            max_tokens: Token budget of the rendered text. Default: 1000.
            agent_id: Only tasks of this agent.
            entity_id: Only facts that mention this entity.
            subject: Only facts about this subject; case and spacing do not matter.

        Returns:
            What the agent knows about itself

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getSelfProfile", {"maxTokens": max_tokens, "agentId": agent_id, "entityId": entity_id, "subject": subject}, {}, models.SelfProfile)

    async def reflect_self(
        self,
        *,
        window: Mapping[str, Any] | None = None,
        last_hours: int | None = None,
        focus: Sequence[models.ReflectionKind] | None = None,
        limit: int | None = None,
        apply: bool | None = None,
        min_confidence: float | None = None,
        agent_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Reflection:
        """Reflect on the memory

        Examines the facts and turns of a window, and units that are stale, of little worth, about to expire or due for review. It uses rules only and proposes operations with evidence and confidence. The number of examined items is bounded; `truncated` says that there were more. Nothing changes unless `apply` is set: then findings with at least `minConfidence` become an edit in the mode `per_item`, with the rights of any edit; proposals beyond these rights go to review.

        Scope: `self:write`. It costs 5 of the key's rate, and is heavy.

        Args:
            window: Units written and turns added in this time; `to` defaults to now.
            last_hours: Used instead of a window. Default: 168, a week.
            focus: Default: all.
            limit: The most findings. Default: 20.
            apply: Applies the proposed operations as an edit in the mode `per_item`, with the rights of an edit. Default: false.
            min_confidence: Findings with less confidence are proposed but not applied. Default: 0.5.
            agent_id: Kept with the edit, if one is applied.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            What a reflection found

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("reflectSelf", {"window": window, "lastHours": last_hours, "focus": focus, "limit": limit, "apply": apply, "minConfidence": min_confidence, "agentId": agent_id}, {"idempotency-key": idempotency_key}, models.Reflection)

    async def optimize_playbook(
        self,
        *,
        agent_id: str,
        trajectories: Sequence[models.Trajectory | Mapping[str, Any]],
        sensitivity: models.Sensitivity | None = None,
        idempotency_key: str | None = None,
    ) -> models.OptimizeReply:
        """Submit runs, from which an agent's playbook evolves

        Each lesson becomes a rule on trial, or joins an existing rule that says nearly the same. Runs credit the rules that they used; harmful and unused rules are retired. If the runs of a task come without lessons, rules are derived from steps that all its good runs have and no bad run has, and vice versa.

        A change of the rules creates a candidate version; the very first version becomes current immediately. A candidate becomes current after three runs with it (their `promptVersion`) if the lower bound of its mean score is not below the mean of the current version. It is rejected if its upper bound is below that, or after 20 runs; rules that only it has go with it, unless they proved helpful. While a candidate is on trial, further changes wait.

        A run counts once, by its id or content. No language model is needed. If one is configured, it may shorten the wording of a lesson, but it decides neither what counts nor what is joined.

        Scope: `self:write`. It costs 5 of the key's rate, and is heavy.

        Args:
            agent_id: An agent, as the caller names it.
            sensitivity: The sensitivity of the playbook, at most the key's clearance. An agent has one playbook per sensitivity. Default: "internal".
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            What changed in the playbook

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("optimizePlaybook", {"agentId": agent_id, "trajectories": trajectories, "sensitivity": sensitivity}, {"idempotency-key": idempotency_key}, models.OptimizeReply)

    async def get_prompt(
        self,
        *,
        agent: str,
        sensitivity: models.Sensitivity | None = None,
        version: Literal["candidate"] | int | None = None,
        max_tokens: int | None = None,
    ) -> models.Prompt:
        """Read an agent's current prompt

        Send its `version` as `promptVersion` of the runs that use it: versions are judged by their runs.

        Scope: `memory:read`.

        Args:
            agent: An agent, as the caller names it.
            sensitivity: Which of the agent's playbooks. Default: the most sensitive one that the key sees.
            version: A version's number, or `candidate`. Default: the current one.
            max_tokens: Token budget of the rendered prompt. Default: 2000.

        Returns:
            The prompt in force

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getPrompt", {"agent": agent, "sensitivity": sensitivity, "version": version, "maxTokens": max_tokens}, {}, models.Prompt)

    async def diff_prompts(
        self,
        *,
        agent: str,
        sensitivity: models.Sensitivity | None = None,
        from_: int | None = None,
        to: int | None = None,
    ) -> models.PromptDiff:
        """Compare two versions of an agent's prompt

        Scope: `memory:read`.

        Args:
            agent: An agent, as the caller names it.
            sensitivity: Which of the agent's playbooks. Default: the most sensitive one that the key sees.
            from_: Default: the version from which `to` was made.
            to: Default: the newest version.

        Returns:
            What differs between two versions of the prompt

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("diffPrompts", {"agent": agent, "sensitivity": sensitivity, "from": from_, "to": to}, {}, models.PromptDiff)

    async def list_prompt_history(
        self,
        *,
        agent: str,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        sensitivity: models.Sensitivity | None = None,
    ) -> models.PromptVersionPage:
        """List the versions of an agent's prompt

        Each version with its changes, its runs and the decision about it.

        Scope: `memory:read`.

        Args:
            agent: An agent, as the caller names it.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            sensitivity: Which of the agent's playbooks. Default: the most sensitive one that the key sees.

        Returns:
            A page of a list of `PromptVersion`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listPromptHistory", {"agent": agent, "limit": limit, "cursor": cursor, "order": order, "sensitivity": sensitivity}, {}, models.PromptVersionPage)

    async def rollback_prompt(
        self,
        *,
        agent: str,
        version: int,
        reason: str | None = None,
        sensitivity: models.Sensitivity | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Prompt:
        """Roll back to the rules of another version

        Creates a new version with the rules and runs of that version, so a rollback can be rolled back, too. A candidate is discarded; rules that the version does not have are retired. `If-Match` takes the current version.

        Scope: `self:write`.

        Args:
            agent: An agent, as the caller names it.
            version: The version whose rules become current again.
            sensitivity: Which of the agent's playbooks. Default: the most sensitive one that the key sees.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The prompt in force

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("rollbackPrompt", {"agent": agent, "version": version, "reason": reason, "sensitivity": sensitivity}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Prompt)

    async def list_playbook_rules(
        self,
        *,
        agent: str,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        sensitivity: models.Sensitivity | None = None,
        status: Sequence[models.RuleStatus] | None = None,
    ) -> models.PlaybookRulePage:
        """List the rules of an agent's playbook

        Rules in any state, with their counts.

        Scope: `memory:read`.

        Args:
            agent: An agent, as the caller names it.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            sensitivity: Which of the agent's playbooks. Default: the most sensitive one that the key sees.
            status: May be repeated.

        Returns:
            A page of a list of `PlaybookRule`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listPlaybookRules", {"agent": agent, "limit": limit, "cursor": cursor, "order": order, "sensitivity": sensitivity, "status": status}, {}, models.PlaybookRulePage)

    async def update_playbook_rule(
        self,
        *,
        agent: str,
        rule: models.RuleId,
        pinned: bool | None = None,
        status: Literal["active", "retired"] | None = None,
        text: str | None = None,
        section: models.RuleSection | None = None,
        reason: str | None = None,
        sensitivity: models.Sensitivity | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.PlaybookRule:
        """Pin, retire, restore or reword a rule

        Takes effect immediately, as a new current version. A manual edit needs no evidence. `If-Match` takes the rule's version, not the prompt's.

        Scope: `self:write`.

        Args:
            agent: An agent, as the caller names it.
            rule: Id of a rule within its playbook, as the prompt shows it.
            pinned: A pinned rule comes first and is never retired automatically.
            sensitivity: Which of the agent's playbooks. Default: the most sensitive one that the key sees.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A rule of the playbook

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("updatePlaybookRule", {"agent": agent, "rule": rule, "pinned": pinned, "status": status, "text": text, "section": section, "reason": reason, "sensitivity": sensitivity}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.PlaybookRule)

    async def list_reasoning(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        q: str | None = None,
        status: Sequence[models.ReasoningStatus] | None = None,
        outcome: Sequence[models.ReasoningOutcome] | None = None,
        agent_id: str | None = None,
        fact_id: models.Id | None = None,
    ) -> models.ReasoningPage:
        """List recorded chains

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            q: Entries whose goal has all these words.
            status: May be repeated.
            outcome: May be repeated.
            agent_id: An agent, as the caller names it.
            fact_id: Entries that rest on this unit.

        Returns:
            A page of a list of `ReasoningEntry`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listReasoning", {"limit": limit, "cursor": cursor, "order": order, "q": q, "status": status, "outcome": outcome, "agentId": agent_id, "factId": fact_id}, {}, models.ReasoningPage)

    async def give_reasoning_feedback(
        self,
        *,
        entry_id: models.Id,
        outcome: Literal["helpful", "harmful", "success", "failure"],
        agent_id: str | None = None,
        note: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ReasoningFeedbackReply:
        """Report whether a served chain helped

        Each agent has one vote per entry; a second one replaces the first. All agents of one key count as one vote, by their majority. At a mean reliability of 0.5 or less the entry is `demoted`; below 0.3, with votes of at least four keys, it is `retired`. Helpful votes reverse both.

        Scope: `reasoning:write`.

        Args:
            entry_id: UUIDv7.
            outcome: `success` counts as helpful, `failure` as harmful.
            agent_id: The agent that votes. Default: the key itself.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The votes and the score after them

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("giveReasoningFeedback", {"entryId": entry_id, "outcome": outcome, "agentId": agent_id, "note": note}, {"idempotency-key": idempotency_key}, models.ReasoningFeedbackReply)

    async def record_reasoning(
        self,
        *,
        goal: str,
        answer: str,
        context: str | Mapping[str, Any] | None = None,
        steps: Sequence[str | Mapping[str, Any]] | None = None,
        outcome: models.ReasoningOutcome | None = None,
        preconditions: Sequence[Mapping[str, Any]] | None = None,
        tokens_spent: int | None = None,
        agent_id: str | None = None,
        tags: Sequence[str] | None = None,
        sensitivity: models.Sensitivity | None = None,
        ttl_seconds: int | None = None,
        expires_at: models.EndInput | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> models.ReasoningEntry:
        """Record a chain of reasoning

        Goal, context and sensitivity identify an entry. If a chain is recorded again and ended at least as well (`success` before `partial` before `failure`), it replaces the stored one as its next version; one that ended worse is only counted in `attempts`. Recording the same again changes nothing. When steps or answer change, votes start again.

        A precondition whose hash is not the current one, or that is no longer in force, is refused with `conflict`; the member `preconditions` holds the current hashes. If a precondition changes later, the chain is not served until the precondition has the same content again.

        Scope: `reasoning:write`.

        Args:
            goal: The goal, in words.
            context: The context of the goal: a text, or an object (the order of its members does not matter).
            steps: Default: [].
            outcome: How the chain ended; only a `success` is served.
            preconditions: Default: [].
            tokens_spent: What reaching the answer cost. Default: 0.
            agent_id: An agent, as the caller names it.
            tags: Labels of the caller. Default: [].
            sensitivity: At most the key's clearance, at least that of its preconditions. Default: `internal`, or that of its most sensitive precondition.
            ttl_seconds: How long the chain may be served, from now.
            expires_at: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            An entry for this goal and context existed

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("recordReasoning", {"goal": goal, "answer": answer, "context": context, "steps": steps, "outcome": outcome, "preconditions": preconditions, "tokensSpent": tokens_spent, "agentId": agent_id, "tags": tags, "sensitivity": sensitivity, "ttlSeconds": ttl_seconds, "expiresAt": nullable(expires_at)}, {"idempotency-key": idempotency_key}, models.ReasoningEntry)

    async def resolve_reasoning(
        self,
        *,
        goal: str,
        context: str | Mapping[str, Any] | None = None,
        threshold: float | None = None,
        min_reliability: float | None = None,
        max_sensitivity: models.Sensitivity | None = None,
        run_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ResolveReasoningReply:
        """Ask for a recorded chain before reasoning anew

        Looks for a chain with exactly this goal and context (case, spaces, final punctuation and the order of an object's members do not matter), otherwise for the most similar one with a similarity of at least `threshold`. Similarity is the share of common words in the same order (a replaced word counts twice), or its mean with the cosine of a model's embeddings if that is higher. Different numbers, a negation or another context object make it 0.

        Only a `success` is served, and only if all its preconditions hold at the time of the request. A demoted chain is served only for its own goal and context, a retired one never. A hit counts as saved what the chain cost minus the tokens of its answer; the same `runId` counts once in 24 hours.

        Scope: `memory:read`.

        Args:
            goal: The goal, in words.
            context: The context of the goal: a text, or an object (the order of its members does not matter).
            threshold: How similar another goal must be; 1: only the same goal. Default: 0.85.
            min_reliability: The least mean reliability. Default: 0.
            max_sensitivity: Only chains up to this sensitivity. Default: the key's clearance.
            run_id: The id of the run that asks. If the same run asks again within a day, that is a retry and counts as no second use.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The chain of reasoning that fits, or why none is served

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("resolveReasoning", {"goal": goal, "context": context, "threshold": threshold, "minReliability": min_reliability, "maxSensitivity": max_sensitivity, "runId": run_id}, {"idempotency-key": idempotency_key}, models.ResolveReasoningReply)

    async def get_reasoning(
        self,
        *,
        id: models.Id,
    ) -> models.ReasoningEntry:
        """Read a recorded chain

        Reads the entry in any state, with the current state of its preconditions. Reading does not count as a use.

        Scope: `memory:read`.

        Args:
            id: UUIDv7.

        Returns:
            A chain of reasoning

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getReasoning", {"id": id}, {}, models.ReasoningEntry)

    async def delete_reasoning(
        self,
        *,
        id: models.Id,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ReasoningEntry:
        """Delete a recorded chain

        Deletes the entry and its votes for good. The reply is the entry as it was.

        Scope: `reasoning:write`.

        Args:
            id: UUIDv7.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A chain of reasoning

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("deleteReasoning", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.ReasoningEntry)

    async def list_tasks(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        agent_id: str | None = None,
        status: Sequence[models.TaskStatus] | None = None,
        kind: models.TaskKind | None = None,
        priority: Sequence[int] | None = None,
        due_before: models.TimestampInput | None = None,
    ) -> models.TaskPage:
        """List tasks

        A task whose lease has expired counts as `pending`; if the claim had assigned it to an agent, it counts as unassigned.

        Scope: `tasks:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            agent_id: An agent, as the caller names it.
            status: May be repeated. Default: all states.
            priority: May be repeated.
            due_before: Tasks that are due before this time.

        Returns:
            A page of a list of `Task`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listTasks", {"limit": limit, "cursor": cursor, "order": order, "agentId": agent_id, "status": status, "kind": kind, "priority": priority, "dueBefore": due_before}, {}, models.TaskPage)

    async def create_task(
        self,
        *,
        title: str,
        description: str | None = None,
        kind: models.TaskKind | None = None,
        priority: int | None = None,
        agent_id: str | None = None,
        depends_on: Sequence[models.Id] | None = None,
        due_at: models.EndInput | Unset = UNSET,
        sensitivity: models.Sensitivity | None = None,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> models.Task:
        """Create a task

        Scope: `tasks:write`.

        Args:
            priority: 3 is the most urgent. Default: 1.
            agent_id: The agent to assign it to. Default: any agent may claim it.
            depends_on: Tasks that must be `completed` before this one can start. None may be more sensitive than this one. Default: [].
            due_at: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.
            sensitivity: At most the key's clearance. Default: `internal`, or that of its most sensitive dependency.
            tags: Labels of the caller. Default: [].
            metadata: Free members, at most 16 KiB as JSON.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A task of an agent

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createTask", {"title": title, "description": description, "kind": kind, "priority": priority, "agentId": agent_id, "dependsOn": depends_on, "dueAt": nullable(due_at), "sensitivity": sensitivity, "tags": tags, "metadata": metadata}, {"idempotency-key": idempotency_key}, models.Task)

    async def get_task(
        self,
        *,
        id: models.Id,
    ) -> models.Task:
        """Read a task

        Scope: `tasks:read`.

        Args:
            id: UUIDv7.

        Returns:
            A task of an agent

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getTask", {"id": id}, {}, models.Task)

    async def update_task(
        self,
        *,
        id: models.Id,
        status: models.TaskStatus | None = None,
        reason: str | None = None,
        title: str | None = None,
        description: str | Unset | None = UNSET,
        priority: int | None = None,
        depends_on: Sequence[models.Id] | None = None,
        due_at: models.EndInput | Unset = UNSET,
        result: models.TaskResult | Unset = UNSET,
        tags: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Task:
        """Change a task or its state

        States: `pending` → `in_progress` → `completed`, `failed` or `cancelled`; `in_progress` ⇄ `blocked`; also `pending` → `cancelled` and `blocked` → `failed` or `cancelled`. Any other change is refused with `invalid_transition`, whose member `legal` lists the possible states. A task can start, or continue after `blocked`, only when all tasks in `dependsOn` are `completed`; `waitingFor` lists those that are not. A finished task does not change. Going to `blocked` ends the lease. If other agents may have claimed the task in the meantime, send the version of your claim as `If-Match`.

        Scope: `tasks:write`.

        Args:
            id: UUIDv7.
            status: `completed`, `failed` and `cancelled` are final.
            reason: Why the state changes; needs `status`.
            priority: 3 is the most urgent.
            depends_on: Replaces the whole list; only while the task is `pending` or `blocked`.
            due_at: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.
            result: The result: any JSON value of at most 64 KiB.
            tags: Labels of the caller. Default: [].
            metadata: Replaces the whole value.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A task of an agent

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("updateTask", {"id": id, "status": status, "reason": reason, "title": title, "description": nullable(description), "priority": priority, "dependsOn": depends_on, "dueAt": nullable(due_at), "result": nullable(result), "tags": tags, "metadata": metadata}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Task)

    async def claim_task(
        self,
        *,
        id: models.Id,
        agent_id: str,
        ttl_seconds: int | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Task:
        """Claim a task with a lease

        The task is `in_progress` for the agent until `leaseExpiresAt`; then it is `pending` again, assigned as before. The agent that holds a task renews its lease, or resumes it after `blocked`, with the same request. A task of another agent is refused with `conflict`.

        Scope: `tasks:write`.

        Args:
            id: UUIDv7.
            agent_id: The agent that claims the task.
            ttl_seconds: How long the lease lasts. Default: 300.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A task of an agent

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("claimTask", {"id": id, "agentId": agent_id, "ttlSeconds": ttl_seconds}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Task)

    async def delegate_task(
        self,
        *,
        id: models.Id,
        agent_id: str,
        reason: str | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Task:
        """Delegate a task to another agent

        `delegations` records it. The state stays the same and a lease ends: the other agent has to claim the task.

        Scope: `tasks:write`.

        Args:
            id: UUIDv7.
            agent_id: The agent that gets the task.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A task of an agent

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("delegateTask", {"id": id, "agentId": agent_id, "reason": reason}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Task)

    async def forget_task(
        self,
        *,
        id: models.Id,
        mode: Literal["erase"],
        reason: str | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ForgetRecordReply:
        """Erase a task

        Erases the task and its history for ever. Its id then answers 410 `erased` and cannot be used again. Tasks that depend on it no longer wait for it. To give a task up, cancel it instead.

        Scope: `memory:delete`.

        Args:
            id: UUIDv7.
            mode: Erases it for ever. Tasks and events cannot be archived.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The receipt of the erasure

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("forgetTask", {"id": id, "mode": mode, "reason": reason}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.ForgetRecordReply)

    async def list_federation_conflicts(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        state: Sequence[Literal["contested", "resolved", "dismissed"]] | None = None,
        peer: models.InstanceId | None = None,
    ) -> models.FederationConflictPage:
        """List contradictions with other instances

        Conflicts: versions of other instances that contradict the version shown here. Recall shows both versions as contested; for each conflict one review and one task ask a person to decide.

        Scope: `federation`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            state: May be repeated. Default: `contested`.
            peer: Only conflicts with versions of this instance.

        Returns:
            A page of a list of `FederationConflict`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listFederationConflicts", {"limit": limit, "cursor": cursor, "order": order, "state": state, "peer": peer}, {}, models.FederationConflictPage)

    async def get_federation_digest(
        self,
        *,
        workspace: models.Id | None = None,
        side: Literal["served", "held"] | None = None,
        prefix: Sequence[str] | None = None,
        depth: int | None = None,
        federation_token: str | None = None,
    ) -> models.FederationDigest:
        """Compare the items that two instances have of each other

        Hashes over ranges of items: equal roots prove that both sides have the same versions; if they differ, the children show in which ranges. There are 65,536 buckets, by the first four hex digits of the SHA-256 of `<instance>/<id>`.

        Between instances: a key or a client certificate, and a token. Scope: `federation`.

        Args:
            workspace: Default: the workspace of the key. Any other id answers 404.
            side: `served`: the items that this instance offers you. `held`: your items that it holds; for peers only. Default: "served".
            prefix: The nodes to return, by the first hex digits of the items' keys, separated by commas; four digits list the entries themselves. Up to 500. Default: the root. Default: [""].
            depth: How many levels below its node the children are. Default: 1.
            federation_token: The proof of a peer.

        Returns:
            What this instance holds, as hashes to compare

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getFederationDigest", {"workspace": workspace, "side": side, "prefix": prefix, "depth": depth}, {"x-svc-federation-token": federation_token}, models.FederationDigest)

    async def federation_handshake(
        self,
        *,
        body: models.HandshakeHello | Mapping[str, Any] | models.HandshakeAnswer | models.HandshakeJoin,
        workspace: models.Id | None = None,
        federation_token: str | None = None,
    ) -> models.HandshakeReply:
        """Answer another instance's handshake

        For other instances. To a `hello` this instance replies with a `challenge` that it signs. To the peer's signed `answer` it replies with a `welcome`; from then on it serves the peer. `join` accepts an invitation (`svc federation invite`). Each message needs the peer's API key or client certificate, and its token.

        Between instances: a key or a client certificate, and a token. Scope: `federation`.

        Args:
            workspace: UUIDv7.
            federation_token: The proof of a peer.

        Returns:
            The next message of the handshake

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("federationHandshake", {"body": body, "workspace": workspace}, {"x-svc-federation-token": federation_token}, models.HandshakeReply)

    async def list_federation_items(
        self,
        *,
        workspace: models.Id | None = None,
        since: str | None = None,
        limit: int | None = None,
        ids: Sequence[models.Id] | None = None,
        at_most: int | None = None,
        form: Literal["plain"] | None = None,
        federation_token: str | None = None,
    ) -> models.FederationEnvelope:
        """List the items that this instance published

        Items up to the caller's clearance, in the order of publication, signed and sealed if there are keys. For an erased item the page has a tombstone. Send `cursor` as the next `since`; the last page has no items, and its `cursor` equals the `since` that you sent. A peer in another region gets only the ids and keyed hashes of facts.

        Between instances: a key or a client certificate, and a token. Scope: `federation`.

        Args:
            workspace: Default: the workspace of the key. Any other id answers 404.
            since: `cursor` of the page before; default: from the start.
            limit: Default: 200.
            ids: Instead of `since`: the items with these ids, whatever their origin, separated by commas; up to 200.
            at_most: With `ids`: the highest version number under which they are served; a reader reaches a higher one in steps.
            form: Sent by a peer that has no keys to open sealed items. It has no effect if both keys of the peer, or a key for sealing what it gets, are configured here.
            federation_token: The proof of a peer.

        Returns:
            Items for the peer, sealed for it

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listFederationItems", {"workspace": workspace, "since": since, "limit": limit, "ids": ids, "atMost": at_most, "form": form}, {"x-svc-federation-token": federation_token}, models.FederationEnvelope)

    async def list_remote_facts(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        peer: models.InstanceId | None = None,
    ) -> models.RemoteFactPage:
        """List the facts of other regions that peers have announced

        Peers in other regions send only the ids and keyed hashes of their facts. Nothing more is known of them here.

        Scope: `federation`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: By `peer` and `factId`. Default: "asc".
            peer: Only facts that this peer sent.

        Returns:
            A page of a list of `RemoteFact`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listRemoteFacts", {"limit": limit, "cursor": cursor, "order": order, "peer": peer}, {}, models.RemoteFactPage)

    async def send_federation_message(
        self,
        *,
        body: models.FederationSyncPush | Mapping[str, Any] | models.FederationEraseNotify | models.FederationSyncHint | models.FederationClaimRequest | models.FederationSyncAck,
        workspace: models.Id | None = None,
        federation_token: str | None = None,
    ) -> models.FederationMessageReply:
        """Accept a peer's message

        For other instances. `SYNC_PUSH` brings items and `ERASE_NOTIFY` names erased items; both get a signed `SYNC_ACK`. `SYNC_HINT` announces new items. `CLAIM_REQUEST` asks which versions of items are shown here. `SYNC_ACK` acknowledges an earlier message. Messages that come twice, late or in another order lead to the same result.

        Between instances: a key or a client certificate, and a token. Scope: `federation`. It costs 1 of the key's rate for each 100 items, and is heavy beyond them.

        Args:
            workspace: UUIDv7.
            federation_token: The proof of a peer.

        Returns:
            The answer to the message

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("sendFederationMessage", {"body": body, "workspace": workspace}, {"x-svc-federation-token": federation_token}, models.FederationMessageReply)

    async def list_peers(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> models.PeerList:
        """List approved peers and their states

        The approved peers of the workspace. `DISCOVERED` → `HANDSHAKE` → `ACTIVE` ⇄ `DEGRADED`; `lastError.message` says what to do.

        Scope: `federation`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: By `id`. Default: "asc".

        Returns:
            A page of a list of `Peer`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listPeers", {"limit": limit, "cursor": cursor, "order": order}, {}, models.PeerList)

    async def add_peer(
        self,
        *,
        id: models.InstanceId,
        endpoint: str,
        cert_pin: str | None = None,
        cert_pin_next: str | None = None,
        client_cert_pin: str | None = None,
        direction: models.PeerDirection | None = None,
        region: models.Region | None = None,
        max_sensitivity: models.Sensitivity | None = None,
        conflict_resolution: models.ConflictResolution | None = None,
        trust_weight: int | None = None,
        signing_public_key: str | None = None,
        signing_public_key_next: str | None = None,
        symmetric_key: str | None = None,
        symmetric_key_next: str | None = None,
        seal_key: str | None = None,
        api_key: str | None = None,
        workspaces: Sequence[str] | None = None,
        inbound_key_id: models.Id | None = None,
        idempotency_key: str | None = None,
    ) -> models.Peer:
        """Add a peer

        Stores a peer's entry, with its secrets sealed. The peer waits for approval. Also needs the scope `memory:admin`. With `svc federation invite` and `join` neither side has to write an entry.

        Scope: `federation`.

        Args:
            id: The name of an instance: `instance:<host>`.
            cert_pin: `sha256/<base64>`: the SHA-256 of a certificate's SPKI.
            cert_pin_next: `sha256/<base64>`: the SHA-256 of a certificate's SPKI.
            client_cert_pin: `sha256/<base64>`: the SHA-256 of a certificate's SPKI.
            direction: `push`: this instance pushes, the peer only receives.
            region: It never changes.
            workspaces: The workspace of the key, or `<its id here>=<its id there>`; default: the same id on both sides.
            inbound_key_id: Id of the API key that was issued to the peer. From now on the key works only together with the peer's token.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A peer and its state

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("addPeer", {"id": id, "endpoint": endpoint, "certPin": cert_pin, "certPinNext": cert_pin_next, "clientCertPin": client_cert_pin, "direction": direction, "region": region, "maxSensitivity": max_sensitivity, "conflictResolution": conflict_resolution, "trustWeight": trust_weight, "signingPublicKey": signing_public_key, "signingPublicKeyNext": signing_public_key_next, "symmetricKey": symmetric_key, "symmetricKeyNext": symmetric_key_next, "sealKey": seal_key, "apiKey": api_key, "workspaces": workspaces, "inboundKeyId": inbound_key_id}, {"idempotency-key": idempotency_key}, models.Peer)

    async def list_pending_peers(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> models.PeerList:
        """List peers that wait for approval

        Peers that DNS names and peers that somebody added. This instance neither calls them nor serves them.

        Scope: `federation`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: By `id`. Default: "asc".

        Returns:
            A page of a list of `Peer`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listPendingPeers", {"limit": limit, "cursor": cursor, "order": order}, {}, models.PeerList)

    async def get_peer(
        self,
        *,
        id: models.InstanceId,
    ) -> models.Peer:
        """Read a peer

        Scope: `federation`.

        Args:
            id: The name of an instance: `instance:<host>`.

        Returns:
            A peer and its state

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getPeer", {"id": id}, {}, models.Peer)

    async def remove_peer(
        self,
        *,
        id: models.InstanceId,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.RemovedPeer:
        """Remove a peer

        Every process refuses the peer within a second, ends its calls and turns with it, and forgets its keys. The API key that the peer was given is revoked. The items that were received from it stay. Discovery does not offer it again until somebody adds it. Also needs the scope `memory:admin`.

        Scope: `federation`.

        Args:
            id: The name of an instance: `instance:<host>`.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The peer that was removed

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("removePeer", {"id": id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.RemovedPeer)

    async def approve_peer(
        self,
        *,
        id: models.InstanceId,
        cert_pin: str | None = None,
        signing_public_key: str | None = None,
        symmetric_key: str | None = None,
        api_key: str | None = None,
        direction: models.PeerDirection | None = None,
        max_sensitivity: models.Sensitivity | None = None,
        conflict_resolution: models.ConflictResolution | None = None,
        trust_weight: int | None = None,
        region: models.Region | None = None,
        remote_workspace_id: models.Id | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Peer:
        """Approve a peer

        This instance begins a handshake with the peer at once; when both sides have proved their identities, the peer is `ACTIVE`. To approve a peer that DNS named, give its `certPin` and `signingPublicKey`: compare them with what its operator tells you (`svc federation peers probe` shows the certificate of its server). Also needs the scope `memory:admin`.

        Scope: `federation`.

        Args:
            id: The name of an instance: `instance:<host>`.
            cert_pin: `sha256/<base64>`: the SHA-256 of a certificate's SPKI.
            direction: `push`: this instance pushes, the peer only receives.
            region: It never changes.
            remote_workspace_id: The id of the workspace at the peer.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A peer and its state

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("approvePeer", {"id": id, "certPin": cert_pin, "signingPublicKey": signing_public_key, "symmetricKey": symmetric_key, "apiKey": api_key, "direction": direction, "maxSensitivity": max_sensitivity, "conflictResolution": conflict_resolution, "trustWeight": trust_weight, "region": region, "remoteWorkspaceId": remote_workspace_id}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Peer)

    async def resolve_federation_conflict(
        self,
        *,
        item_a: models.FederationVersionRef | Mapping[str, Any] | None = None,
        item_b: models.FederationVersionRef | Mapping[str, Any] | None = None,
        items: Sequence[models.FederationClaim | Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
    ) -> models.ResolveFederationReply:
        """Settle a contradiction with other instances

        The body names either two versions (`itemA`, `itemB`), of which the later one wins, or claims (`items`), on which the instances vote with the weights that are configured here. Only versions on record here count; claims that differ from the record are listed as ignored. The decision is published and ends the contradiction on the other instances too. Also needs the scope `memory:admin`.

        Scope: `federation`.

        Args:
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The conflict as it was settled

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("resolveFederationConflict", {"itemA": item_a, "itemB": item_b, "items": items}, {"idempotency-key": idempotency_key}, models.ResolveFederationReply)

    async def start_federation_sync(
        self,
        *,
        peer: models.InstanceId,
        conflict_resolution: models.ConflictResolution | None = None,
        mode: Literal["pull", "push", "both"] | None = None,
        reconcile: bool | None = None,
        idempotency_key: str | None = None,
    ) -> models.SyncStarted:
        """Exchange with a peer now

        Starts a sync job; if a job with the same options is open, returns that one. Exchange goes on without jobs, too: this instance reads a peer when the peer announces something new, and every minute.

        Scope: `federation`.

        Args:
            peer: The name of an instance: `instance:<host>`.
            conflict_resolution: How contradictions in the items that this job pulls are settled. Default: the strategy of the peer's entry; any other one needs the scope `memory:admin`.
            mode: Default: "both".
            reconcile: Whether the job compares both sides item by item and repairs what differs. Default: false.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The job that exchanges items with the peer

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("startFederationSync", {"peer": peer, "conflictResolution": conflict_resolution, "mode": mode, "reconcile": reconcile}, {"idempotency-key": idempotency_key}, models.SyncStarted)

    async def get_federation_sync(
        self,
        *,
        job_id: models.Id,
    ) -> models.SyncJob:
        """Read a sync job and its result

        Scope: `federation`.

        Args:
            job_id: UUIDv7.

        Returns:
            The exchange with a peer, and how far it is

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getFederationSync", {"jobId": job_id}, {}, models.SyncJob)

    async def get_memory_health(self) -> models.HealthSnapshot:
        """Live vitals of the workspace

        Scope: `memory:read`.

        Returns:
            The health of the memory

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getMemoryHealth", {}, {}, models.HealthSnapshot)

    async def list_health_history(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
    ) -> models.HealthHistoryPage:
        """List health snapshots over time

        A worker takes a snapshot every `SVC_SNAPSHOT_INTERVAL_SECONDS` and keeps `SVC_SNAPSHOTS_KEPT` of them. Each counts what the key's clearance sees. Newest first by default.

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            from_: Snapshots taken then or later.
            to: Snapshots taken before then. Default: null.

        Returns:
            A page of a list of `HealthMoment`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listHealthHistory", {"limit": limit, "cursor": cursor, "order": order, "from": from_, "to": nullable(to)}, {}, models.HealthHistoryPage)

    async def list_review_items(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        kind: Sequence[models.ReviewKind] | None = None,
        status: Sequence[models.ReviewStatus] | None = None,
        unit_id: models.Id | None = None,
    ) -> models.ReviewItemPage:
        """List review items

        Open items by default.

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            kind: May be repeated.
            status: May be repeated. Default: `open`.
            unit_id: Items about this unit, as subject or as other.

        Returns:
            A page of a list of `ReviewItem`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listReviewItems", {"limit": limit, "cursor": cursor, "order": order, "kind": kind, "status": status, "unitId": unit_id}, {}, models.ReviewItemPage)

    async def get_review_item(
        self,
        *,
        id: models.Id,
    ) -> models.ReviewItem:
        """Read a review item

        Scope: `memory:read`.

        Args:
            id: UUIDv7.

        Returns:
            Something that waits for a person, or was settled

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getReviewItem", {"id": id}, {}, models.ReviewItem)

    async def dismiss_review_item(
        self,
        *,
        id: models.Id,
        reason: str | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ReviewItem:
        """Dismiss a review item

        Closes the item without a decision: the units stay as they are. A contested fact stays contested until it is changed or nothing contradicts it any more. Dismissing a contradiction between instances ends it until the peer says something else; the key needs `memory:admin`, too.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            reason: Why; kept in the item and in the units' history.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            Something that waits for a person, or was settled

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("dismissReviewItem", {"id": id, "reason": reason}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.ReviewItem)

    async def resolve_review_item(
        self,
        *,
        id: models.Id,
        action: models.ReviewAction,
        reason: str | None = None,
        merged: models.MergedFact | Mapping[str, Any] | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ReviewItem:
        """Resolve a review item

        **A contested fact:** `keep_local` supersedes it. `accept_incoming` makes it active and supersedes the active facts that it contradicts. `keep_both` makes it active beside them. `merge` gives the existing fact a new text (`merged`), trusted like the less trusted of both, and supersedes the contested one.

        **Near-duplicates:** `keep_local` archives the incoming fact, `accept_incoming` the existing one, `keep_both` changes nothing. `merge` joins citations, tags, entities and trust in the existing fact and archives the other.

        **A self-edit:** `accept_incoming` applies what the agent proposed (`GET /v1/self/edits/{subjectId}` shows it), `keep_local` declines it.

        **A contradiction between instances** (`federation_conflict`): the key needs `memory:admin`, too, as for `POST /v1/memory/federation/resolve`.

        **A peer asks to erase an item that began here** (`federation_conflict` with `erase_request`): `keep_local` keeps the item. `accept_incoming` erases it for ever; the key needs `memory:delete`, too.

        A fact that loses can be restored with `POST /v1/facts/{id}/restore`; the histories record who decided and why. If two decisions race, the first wins and the second is refused with `invalid_transition`. `conflict` means that the facts have changed so much that the decision no longer applies.

        Scope: `memory:write`.

        Args:
            id: UUIDv7.
            action: `keep_local`: the existing unit stays. `accept_incoming`: the item's subject replaces it. `keep_both`: both stay. `merge`: both become one. For a stale unit, `keep_local` affirms it and `accept_incoming` archives it.
            reason: Why; kept in the item and in the units' history.
            merged: With `merge`: what the merged fact says. Required for contested facts, because they contradict each other. Members of the triple that are left out keep the value of the existing fact.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            Something that waits for a person, or was settled

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("resolveReviewItem", {"id": id, "action": action, "reason": reason, "merged": merged}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.ReviewItem)

    async def get_drift(
        self,
        *,
        baseline: models.Id | models.TimestampInput | None = None,
    ) -> models.DriftReport:
        """Compare the memory with a snapshot

        Compares the current composition of the memory with a snapshot, as far as the key's clearance sees, and says in plain words what changed.

        Scope: `memory:read`.

        Args:
            baseline: The snapshot to compare with: its id, or a time, which selects the newest one at that time. Default: the newest that is a day old, otherwise the oldest.

        Returns:
            How the memory has moved from the baseline

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getDrift", {"baseline": baseline}, {}, models.DriftReport)

    async def get_gate(self) -> models.Gate:
        """Read the consolidation gate

        Every condition with its value and threshold, counted over what the key's clearance sees.

        Scope: `memory:read`.

        Returns:
            The gate of consolidation and its conditions

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getGate", {}, {}, models.Gate)

    async def set_gate(
        self,
        *,
        action: Literal["hold", "release"],
        reason: str,
        idempotency_key: str | None = None,
    ) -> models.Gate:
        """Hold or release the consolidation gate

        While the gate is held, no consolidation starts, not even a forced one, and a running one pauses at its next step until the release. Every hold and release is recorded with its author and reason.

        Scope: `governance:write`.

        Args:
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The gate of consolidation and its conditions

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("setGate", {"action": action, "reason": reason}, {"idempotency-key": idempotency_key}, models.Gate)

    async def list_worth(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        type: Sequence[models.UnitType] | None = None,
        min: float | None = None,
        max: float | None = None,
    ) -> models.WorthPage:
        """List units by worth

        worth = (0.30 trust + 0.20 use + 0.25 feedback + 0.10 corroboration + 0.15 recency) × (1 − 0.5 contestedness), each part between 0 and 1. The half-life of recency is `SVC_WORTH_HALF_LIFE_DAYS`. A new unit has its worth immediately. A worker computes it again after changes, within about an hour after uses, and as time passes. Units that are not in force are left out.

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: Order by worth. Default: "desc".
            type: May be repeated. Default: all.
            min: At least this worth.
            max: At most this worth.

        Returns:
            A page of a list of `WorthItem`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listWorth", {"limit": limit, "cursor": cursor, "order": order, "type": type, "min": min, "max": max}, {}, models.WorthPage)

    async def give_worth_feedback(
        self,
        *,
        signals: Sequence[models.WorthSignal | Mapping[str, Any]],
        agent_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.WorthFeedbackReply:
        """Give feedback about units

        Each agent has one vote about a unit: its last `helpful` or `harmful`. All agents of one key together weigh at most 1, by the mean of their votes. `used` counts once a day per key and unit. Either all signals are stored or none.

        Scope: `governance:write`.

        Args:
            agent_id: The agent that votes. Default: the key itself.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The worth of the unit after the feedback

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("giveWorthFeedback", {"signals": signals, "agentId": agent_id}, {"idempotency-key": idempotency_key}, models.WorthFeedbackReply)

    async def list_api_keys(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        workspace_id: models.Id | None = None,
    ) -> models.ApiKeyPage:
        """List API keys

        Keys of all workspaces or of one, without secrets, including revoked and expired ones.

        An admin's bearer. Scope: `memory:admin`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            workspace_id: Only keys of this workspace.

        Returns:
            A page of a list of `ApiKey`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listApiKeys", {"limit": limit, "cursor": cursor, "order": order, "workspaceId": workspace_id}, {}, models.ApiKeyPage)

    async def create_api_key(
        self,
        *,
        name: str,
        workspace_id: models.Id | None = None,
        scopes: Sequence[models.Scope] | None = None,
        max_sensitivity: models.Sensitivity | None = None,
        cidrs: Sequence[models.Cidr] | None = None,
        rate_limit: models.KeyRateLimit | Unset = UNSET,
        expires_at: models.EndInput | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> models.IssuedApiKey:
        """Create an API key of a workspace

        Only this reply shows the key: the service stores nothing but its Argon2id hash.

        An admin's bearer. Scope: `memory:admin`.

        Args:
            workspace_id: The workspace that the key is for; it never changes. Required.
            scopes: What the key may do. Default: all scopes except `memory:admin`, `memory:admin:cross_tenant` and `federation`. `memory:admin:cross_tenant` has an effect on admins' keys only. Default: ["memory:read","memory:write","memory:delete","memory:export","memory:import","session:write","tasks:read","tasks:write","reasoning:write","self:write","governance:write","audit:read"].
            cidrs: The address ranges from which the key may be used; empty: anywhere. Default: [].
            rate_limit: Default: null.
            expires_at: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The key itself, which is shown only here, and its record

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createApiKey", {"name": name, "workspaceId": workspace_id, "scopes": scopes, "maxSensitivity": max_sensitivity, "cidrs": cidrs, "rateLimit": nullable(rate_limit), "expiresAt": nullable(expires_at)}, {"idempotency-key": idempotency_key}, models.IssuedApiKey)

    async def get_api_key(
        self,
        *,
        id: models.Id,
    ) -> models.ApiKey:
        """Read an API key, without its secret

        An admin's bearer. Scope: `memory:admin`.

        Args:
            id: The key.

        Returns:
            An API key without its secret

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getApiKey", {"id": id}, {}, models.ApiKey)

    async def update_api_key(
        self,
        *,
        id: models.Id,
        name: str | None = None,
        scopes: Sequence[models.Scope] | None = None,
        max_sensitivity: models.Sensitivity | None = None,
        cidrs: Sequence[models.Cidr] | None = None,
        rate_limit: models.KeyRateLimit | Unset = UNSET,
        expires_at: models.EndInput | Unset = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ApiKey:
        """Change what an API key may do

        The change takes effect immediately, in every process. `rateLimit: null` returns to the configured limit, `expiresAt: null` removes the expiry. A revoked key cannot be changed.

        An admin's bearer. Scope: `memory:admin`.

        Args:
            id: The key.
            cidrs: The address ranges from which the key may be used; empty: anywhere.
            rate_limit: Default: null.
            expires_at: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            An API key without its secret

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("updateApiKey", {"id": id, "name": name, "scopes": scopes, "maxSensitivity": max_sensitivity, "cidrs": cidrs, "rateLimit": nullable(rate_limit), "expiresAt": nullable(expires_at)}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.ApiKey)

    async def revoke_api_key(
        self,
        *,
        id: models.Id,
        idempotency_key: str | None = None,
    ) -> models.ApiKey:
        """Revoke an API key

        The key and all its replaced secrets end for good. Every process refuses them within a second.

        An admin's bearer. Scope: `memory:admin`.

        Args:
            id: The key.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            An API key without its secret

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("revokeApiKey", {"id": id}, {"idempotency-key": idempotency_key}, models.ApiKey)

    async def rotate_api_key(
        self,
        *,
        id: models.Id,
        overlap_seconds: int | None = None,
        idempotency_key: str | None = None,
    ) -> models.IssuedApiKey:
        """Give an API key a new secret

        The previous key stays valid for `overlapSeconds` with the same rights, so that callers can switch; then only the new one is valid. Keys replaced by earlier rotations end at that time, too. With `overlapSeconds: 0` only the new key is valid from now on, in every process. Id, name and rights stay the same.

        An admin's bearer. Scope: `memory:admin`.

        Args:
            id: The key.
            overlap_seconds: How long the replaced secret, and earlier ones, stay valid at most, up to 30 days; 0 = they end now. Default: 86400.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The key itself, which is shown only here, and its record

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("rotateApiKey", {"id": id, "overlapSeconds": overlap_seconds}, {"idempotency-key": idempotency_key}, models.IssuedApiKey)

    async def list_actors(
        self,
        *,
        id: Sequence[str],
    ) -> models.ActorList:
        """Read the names of actors

        The names of the keys behind `createdBy`, `changedBy` and the actors of the audit log, revoked keys included. Other actors, such as admins, workers and keys of other workspaces, have no name here.

        Scope: `memory:read`.

        Args:
            id: Actors such as `key:<id>`; may be repeated, up to 100 times.

        Returns:
            The actors with their names

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listActors", {"id": id}, {}, models.ActorList)

    async def list_admin_audit(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        event_type: Sequence[str] | None = None,
        actor_id: str | None = None,
        outcome: str | None = None,
        target: models.Id | None = None,
        request_id: str | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
    ) -> models.AuditPage:
        """List what admins did

        The chain of the service itself: each act of an admin, with the admin's name in `detail.admin`, what the command line did, and what was refused. What concerns a workspace is in that workspace's own chain, too.

        An admin's bearer. Scope: `memory:admin`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            event_type: May be repeated. A name that ends with `.` matches every name that begins so, such as `write.`.
            target: Rows that name this resource.
            from_: RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC.
            to: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.

        Returns:
            A page of a list of `AuditRow`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listAdminAudit", {"limit": limit, "cursor": cursor, "order": order, "eventType": event_type, "actorId": actor_id, "outcome": outcome, "target": target, "requestId": request_id, "from": from_, "to": nullable(to)}, {}, models.AuditPage)

    async def verify_admin_audit(
        self,
        *,
        from_: int | None = None,
        to: int | None = None,
    ) -> models.AuditVerification:
        """Verify the log of what admins did

        Like `GET /v1/audit/verify`, for the chain of the service itself.

        An admin's bearer. Scope: `memory:admin`. It costs 20 of the key's rate, and is heavy.

        Args:
            from_: First row to verify; default 1. Checkpoints are compared only when it is 1.
            to: Last row to verify; default: the last one.

        Returns:
            Whether the chain of the audit log is whole

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("verifyAdminAudit", {"from": from_, "to": to}, {}, models.AuditVerification)

    async def list_audit(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        event_type: Sequence[str] | None = None,
        actor_id: str | None = None,
        outcome: str | None = None,
        target: models.Id | None = None,
        request_id: str | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
    ) -> models.AuditPage:
        """List the audit log

        One row for every request, in the workspace's own chain. The row of a write is there immediately, that of a read or refusal a moment later.

        Scope: `audit:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            event_type: May be repeated. A name that ends with `.` matches every name that begins so, such as `write.`.
            target: Rows that name this resource.
            from_: RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC.
            to: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.

        Returns:
            A page of a list of `AuditRow`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listAudit", {"limit": limit, "cursor": cursor, "order": order, "eventType": event_type, "actorId": actor_id, "outcome": outcome, "target": target, "requestId": request_id, "from": from_, "to": nullable(to)}, {}, models.AuditPage)

    async def get_audit_checkpoint(self) -> models.AuditCheckpoint:
        """Get a signed checkpoint of the audit log

        Makes a new checkpoint if the latest is older than a minute. It is signed if the instance has a signing key.

        Scope: `audit:read`.

        Returns:
            The signed head of the audit log

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getAuditCheckpoint", {}, {}, models.AuditCheckpoint)

    async def prove_audit_consistency(
        self,
        *,
        first: int,
        second: int | None = None,
    ) -> models.AuditConsistency:
        """Prove that an earlier audit log is the beginning of a later one

        A consistency proof as in RFC 9162, section 2.1.4.

        Scope: `audit:read`.

        Args:
            first: Number of rows in the smaller tree.
            second: Number of rows in the larger tree; default: all.

        Returns:
            A proof that the log was only appended to

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("proveAuditConsistency", {"first": first, "second": second}, {}, models.AuditConsistency)

    async def verify_audit(
        self,
        *,
        from_: int | None = None,
        to: int | None = None,
    ) -> models.AuditVerification:
        """Verify the audit log

        Walks the chain, compares it with the stored checkpoints and names the first wrong row. If somebody rewrote the whole log together with its checkpoints, only a checkpoint that was kept elsewhere shows it.

        Scope: `audit:read`. It costs 20 of the key's rate, and is heavy.

        Args:
            from_: First row to verify; default 1. Checkpoints are compared only when it is 1.
            to: Last row to verify; default: the last one.

        Returns:
            Whether the chain of the audit log is whole

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("verifyAudit", {"from": from_, "to": to}, {}, models.AuditVerification)

    async def prove_audit_row(
        self,
        *,
        seq: int,
        size: int | None = None,
    ) -> models.AuditProof:
        """Prove that a row is in the audit log

        An inclusion proof as in RFC 9162, section 2.1.3.

        Scope: `audit:read`.

        Args:
            size: Number of rows in the tree; default: all.

        Returns:
            A proof that the row is in the log

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("proveAuditRow", {"seq": seq, "size": size}, {}, models.AuditProof)

    async def list_break_glass(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        workspace_id: models.Id | None = None,
        state: models.BreakGlassState | None = None,
    ) -> models.BreakGlassPage:
        """List requests for access to workspaces

        An admin's bearer. Scope: `memory:admin:cross_tenant`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            workspace_id: UUIDv7.

        Returns:
            A page of a list of `BreakGlassRequest`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listBreakGlass", {"limit": limit, "cursor": cursor, "order": order, "workspaceId": workspace_id, "state": state}, {}, models.BreakGlassPage)

    async def request_break_glass(
        self,
        *,
        totp: str,
        workspace_id: models.Id,
        reason: str,
        scopes: Sequence[models.Scope] | None = None,
        max_sensitivity: models.Sensitivity | None = None,
        ttl_seconds: int | None = None,
        idempotency_key: str | None = None,
    ) -> models.BreakGlassRequest:
        """Ask for access to a workspace

        The request stays `pending` for up to an hour, until another admin approves it. Then the admin who asked calls the workspace's operations with their own `mk_admin_` key and the header `x-svc-break-glass: <id>`, within `scopes` and `maxSensitivity`. Request, approval and every use are in the audit logs of the workspace and of the service.

        An admin's bearer. Scope: `memory:admin:cross_tenant`.

        Args:
            totp: The admin's one-time code. Each code is accepted once.
            workspace_id: UUIDv7.
            reason: Why; the workspace reads it in its audit log.
            scopes: Default: ["memory:read"].
            ttl_seconds: How long the grant lasts, from its approval. The configuration may allow less (`ADMIN_MAX_TTL_MS`). Default: 3600.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A request of an admin to enter a workspace, and its state

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("requestBreakGlass", {"totp": totp, "workspaceId": workspace_id, "reason": reason, "scopes": scopes, "maxSensitivity": max_sensitivity, "ttlSeconds": ttl_seconds}, {"idempotency-key": idempotency_key}, models.BreakGlassRequest)

    async def get_break_glass(
        self,
        *,
        id: models.Id,
    ) -> models.BreakGlassRequest:
        """Read a request for access to a workspace

        An admin's bearer. Scope: `memory:admin:cross_tenant`.

        Args:
            id: The request.

        Returns:
            A request of an admin to enter a workspace, and its state

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getBreakGlass", {"id": id}, {}, models.BreakGlassRequest)

    async def approve_break_glass(
        self,
        *,
        id: models.Id,
        totp: str,
        idempotency_key: str | None = None,
    ) -> models.BreakGlassRequest:
        """Approve another admin's request

        Needs a one-time code of the approving admin. The grant lasts `ttlSeconds` from now, and ends a day after the request at the latest.

        An admin's bearer. Scope: `memory:admin:cross_tenant`.

        Args:
            id: The request.
            totp: The admin's one-time code. Each code is accepted once.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A request of an admin to enter a workspace, and its state

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("approveBreakGlass", {"id": id, "totp": totp}, {"idempotency-key": idempotency_key}, models.BreakGlassRequest)

    async def deny_break_glass(
        self,
        *,
        id: models.Id,
        idempotency_key: str | None = None,
    ) -> models.BreakGlassRequest:
        """Deny a pending request

        An admin's bearer. Scope: `memory:admin:cross_tenant`.

        Args:
            id: The request.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A request of an admin to enter a workspace, and its state

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("denyBreakGlass", {"id": id}, {"idempotency-key": idempotency_key}, models.BreakGlassRequest)

    async def revoke_break_glass(
        self,
        *,
        id: models.Id,
        idempotency_key: str | None = None,
    ) -> models.BreakGlassRequest:
        """Withdraw a request, or revoke a grant

        Takes effect immediately. An admin may also revoke their own.

        An admin's bearer. Scope: `memory:admin:cross_tenant`.

        Args:
            id: The request.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A request of an admin to enter a workspace, and its state

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("revokeBreakGlass", {"id": id}, {"idempotency-key": idempotency_key}, models.BreakGlassRequest)

    async def consolidate(
        self,
        *,
        dry_run: bool | None = None,
        force: bool | None = None,
        idempotency_key: str | None = None,
    ) -> models.Job:
        """Consolidate the memory

        Checks the gate and starts a job. The job closes expired facts; merges facts that say the same (the less trusted one is archived, its citations move to the other); archives units of little worth that nobody has touched for long (never pinned, `user_stated` or `verified` ones, nor those under review); and creates strategies from three or more similar episodes. Nothing gains trust. The job lists every step, and each can be reverted. It sees and changes only what the key's clearance sees. It is refused with `gate_closed` while the gate is closed (`errors` and `conditions` name what fails) and with `conflict` while another consolidation waits or runs (`jobId`).

        Scope: `memory:admin`. It costs 20 of the key's rate, and is heavy.

        Args:
            dry_run: Lists what would be done and changes nothing. It runs even if the gate is closed. Default: false.
            force: Runs although the gate is closed, unless somebody holds it closed. Default: false.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A job, step by step

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("consolidate", {"dryRun": dry_run, "force": force}, {"idempotency-key": idempotency_key}, models.Job)

    async def export_memory(
        self,
        *,
        as_of: models.TimestampInput | None = None,
        types: Sequence[models.TransferKind] | None = None,
    ) -> AsyncByteStream:
        """Export the whole memory as JSONL

        The file is JSONL: a header (`format`, `version`, `workspace`, `exportedAt`, `asOf`, `clearance`); a line for each resource, sources before what rests on them (for units, one line per version); and an end with the count and the SHA-256 of all bytes before it. A file without that last line is truncated. The file holds what the key may see. Embeddings and the recall index are not in it; an import makes them again.

        Units are shown at one point of the change feed, the header's `seq`. Resources without history (sessions, tasks, counts) are shown as they were when their page was read: if the end's `seq` equals the header's, nothing changed in the meantime.

        With `asOf` the file holds what this service knew then: units with their history up to then, turns and events recorded by then, review items open at that time, and tasks and relations as they were. The last 1,000 versions of a task or relation are kept; if the right one is missing or above the key's clearance, the resource is left out and counted in the end's `omitted`, as are chains of reasoning, edits and playbooks that were changed since. What was erased since is not in the file.

        The audit log records the start of an export and, as `export.ended`, how many lines were sent, with the hash of the end, or of what was sent if the export broke off.

        Scope: `memory:export`. It costs 20 of the key's rate, and is heavy.

        Args:
            as_of: Exports what this service knew at that time, with the history up to then. Not in the future.
            types: Kinds of lines. Default: all.

        Returns:
            The file, streamed

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._stream("exportMemory", {"asOf": as_of, "types": types}, {})

    async def import_memory(
        self,
        *,
        file: File,
        format: models.ImportFormat | None = None,
        partial: bool | None = None,
        dry_run: bool | None = None,
        tag: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> models.ImportReply:
        """Import a file into the memory

        The service checks the file first: without its last line, or with another hash, it imports nothing (422). With `?partial=true` it imports a file whose end is missing as far as it goes. Then it applies the lines in order, many in one transaction; a refused line is listed in `errors` and does not stop the others. Ids are kept if they are free and mapped otherwise; references follow. Versions keep their times, so that `asOf` and `knownAt` answer as at the source. Repeating an import changes nothing: to finish one that was interrupted, send it again. With `?dryRun=true` the service only tries the import: the report has the counts and refusals that the import would have, and samples.

        With an `Idempotency-Key`, the key belongs to the first file from its first line on. The report is stored after the last line; a repetition gets it without reading the file again.

        Without the scope `memory:admin`: attributions above `imported` become `imported`; the key is the author; resources that are trusted more here are not replaced, nor are sessions, tasks and relations that somebody else created; review items are not settled; and pins, scratchpads, worth, scores that were changed since, recording times in the future and what a session collapsed to are not imported (`withheld` counts them). Playbooks, self-edits, chains of reasoning, votes and snapshots need `memory:admin`. Erasures need `memory:delete`. At most 32 MiB; the command line imports files of any size.

        Files of other products are read as far as they are memories: `omitted` counts what is left out. A conversation is known by its `externalId`, such as `chatgpt:<conversation>`, and a turn by its message id, so that of a conversation that has grown only the new turns are added.

        Scope: `memory:import`. It costs 20 of the key's rate, and is heavy.

        Args:
            file: The file, in UTF-8: JSONL, or one JSON document of another product.
            format: `svc`: an export of this service. `mem0`: memories of Mem0, as JSON or JSONL. `graphiti`: edges of Graphiti or Zep, as JSON or JSONL. `mcp`: the JSONL of the MCP memory server. `openmemory`: `memories.json` or the JSONL of an OpenMemory backup. `letta`: an agent file, or passages of archival memory. `zep`: `{ users, sessions }` with messages and facts. `chatgpt`: `conversations.json`. `claude`: `conversations.json`, `memories.json` or `projects.json` of claude.ai. `claude-code`: lines of transcripts. `markdown`: `{ files: [{ path, text, modifiedAt }] }`. `hindsight`: `{ source_bank_id, documents, observations }` of a bank's archive. Conversations become sessions with their turns, memories become facts.
            partial: Imports the part that exists of a truncated export. Otherwise such a file is refused. Default: "false".
            dry_run: Tries the import and undoes it: the report says what the import would do. Nothing is written but one row of the audit log. Meanwhile writers of the workspace may have to wait, on the embedded database all requests; a trial of more than 20 seconds ends with `deadline_exceeded`, and while there is one in the workspace, another is refused with `rate_limited`. Default: "false".
            tag: A tag for every fact and session of another service's file; may be repeated.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            What was created, changed, left as it was, left out and refused

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("importMemory", {"file": file, "format": format, "partial": partial, "dryRun": dry_run, "tag": tag}, {"idempotency-key": idempotency_key}, models.ImportReply)

    async def list_jobs(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        kind: Sequence[Literal["consolidate", "revert", "federation_sync"]] | None = None,
        state: Sequence[models.JobState] | None = None,
    ) -> models.JobPage:
        """List jobs

        Jobs that were requested with a higher clearance than the key's are left out.

        Scope: `memory:admin`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            state: May be repeated. Default: all.

        Returns:
            A page of a list of `JobSummary`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listJobs", {"limit": limit, "cursor": cursor, "order": order, "kind": kind, "state": state}, {}, models.JobPage)

    async def get_job(
        self,
        *,
        id: models.Id,
    ) -> models.Job:
        """Read a job with its steps

        Scope: `memory:admin`.

        Args:
            id: UUIDv7.

        Returns:
            A job, step by step

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getJob", {"id": id}, {}, models.Job)

    async def revert_job(
        self,
        *,
        id: models.Id,
        idempotency_key: str | None = None,
    ) -> models.Job:
        """Revert a consolidation

        Starts a job that reverts each step, last step first. A step whose units were changed since is kept and listed as `skip`. Later consolidations do not repeat what was reverted.

        Scope: `memory:admin`.

        Args:
            id: UUIDv7.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A job, step by step

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("revertJob", {"id": id}, {"idempotency-key": idempotency_key}, models.Job)

    async def get_usage_stats(self) -> models.UsageStats:
        """Read usage statistics

        Counts what the key's clearance sees. It counts everything, so do not poll it.

        Scope: `memory:admin`.

        Returns:
            Covers what the key's clearance allows. Recalls are counted for the whole workspace

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getUsageStats", {}, {}, models.UsageStats)

    async def list_recalls(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        since: models.TimestampInput | None = None,
        until: models.EndInput | Unset = UNSET,
        caller: str | None = None,
        agent_id: str | None = None,
        unit_id: models.Id | None = None,
        q: str | None = None,
    ) -> models.RecallEntryPage:
        """List the recalls that the diary keeps

        If the workspace keeps a diary (its setting `recallDiaryDays`): every recall, from whatever face and path, with what was asked, by whom, and which ids it showed with which scores. A recall is there about a second after its reply. A key sees the recalls of keys whose clearance is not above its own, because a query may tell whatever its author may see; of the results it sees those that it may see now. If a unit, turn or session is erased, the diary loses its ids and scores, and the queries that came from its text, name it or were asked in the session. Texts of results are never kept.

        Scope: `audit:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            since: Asked at this time or later.
            until: Asked before this time. Default: null.
            caller: `key:<id>`, as entries have it.
            agent_id: An agent, as the caller names it.
            unit_id: Recalls that showed this unit or turn.
            q: The query contains this; case does not matter.

        Returns:
            A page of a list of `RecallEntry`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listRecalls", {"limit": limit, "cursor": cursor, "order": order, "since": since, "until": nullable(until), "caller": caller, "agentId": agent_id, "unitId": unit_id, "q": q}, {}, models.RecallEntryPage)

    async def get_recall(
        self,
        *,
        id: models.Id,
    ) -> models.RecallEntry:
        """Read a recall from the diary

        Scope: `audit:read`.

        Args:
            id: UUIDv7.

        Returns:
            One recall: what was asked, by whom, and what was shown

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getRecall", {"id": id}, {}, models.RecallEntry)

    async def list_broker_keys(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> models.BrokerKeyPage:
        """List the keys of brokers

        Without secrets, including revoked and expired ones.

        An admin's bearer. Scope: `memory:admin`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            A page of a list of `BrokerKey`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listBrokerKeys", {"limit": limit, "cursor": cursor, "order": order}, {}, models.BrokerKeyPage)

    async def create_broker_key(
        self,
        *,
        name: str,
        region: models.Region,
        scopes: Sequence[models.Scope] | None = None,
        max_sensitivity: models.Sensitivity | None = None,
        cidrs: Sequence[models.Cidr] | None = None,
        rate_limit: models.KeyRateLimit | Unset | None = UNSET,
        expires_at: models.EndInput | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> models.IssuedBrokerKey:
        """Create the key of a broker

        A broker stands for an app. Its key makes a workspace for each user of the app (`POST /v1/admin/tenants`) and gives credentials for these workspaces, of its region, and within its scopes and clearance. It opens nothing else: it neither reads nor writes memory itself. Only this reply shows the key.

        An admin's bearer. Scope: `memory:admin`.

        Args:
            name: The name of the app, under which the audit log shows what its broker did; no two brokers share one.
            region: It never changes.
            scopes: What the credentials of its tenants may do at most. `memory:export` also lets the broker export a tenant. Never `memory:admin:cross_tenant` or `federation`. Default: ["memory:read","memory:write","memory:delete","memory:export","memory:import","session:write","tasks:read","tasks:write","reasoning:write","self:write","governance:write","audit:read"].
            max_sensitivity: The highest clearance that a credential of a tenant may have. Default: "confidential".
            cidrs: The address ranges from which the broker's key may be used; empty: anywhere. Default: [].
            rate_limit: The rate limit of the broker's key; null: the limit that the service is configured with. Default: null.
            expires_at: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The key itself, which is shown only here, and its record

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createBrokerKey", {"name": name, "region": region, "scopes": scopes, "maxSensitivity": max_sensitivity, "cidrs": cidrs, "rateLimit": nullable(rate_limit), "expiresAt": nullable(expires_at)}, {"idempotency-key": idempotency_key}, models.IssuedBrokerKey)

    async def get_broker_key(
        self,
        *,
        id: models.Id,
    ) -> models.BrokerKey:
        """Read the key of a broker, without its secret

        An admin's bearer. Scope: `memory:admin`.

        Args:
            id: The broker.

        Returns:
            The key of a broker without its secret

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getBrokerKey", {"id": id}, {}, models.BrokerKey)

    async def update_broker_key(
        self,
        *,
        id: models.Id,
        scopes: Sequence[models.Scope] | None = None,
        max_sensitivity: models.Sensitivity | None = None,
        cidrs: Sequence[models.Cidr] | None = None,
        rate_limit: models.KeyRateLimit | Unset | None = UNSET,
        expires_at: models.EndInput | Unset = UNSET,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.BrokerKey:
        """Change what a broker may give to its tenants

        The change takes effect immediately, in every process. Tokens that the broker gave lose what it may no longer give; keys that it gave stay as they are.

        An admin's bearer. Scope: `memory:admin`.

        Args:
            id: The broker.
            scopes: What the credentials of its tenants may do at most. `memory:export` also lets the broker export a tenant. Never `memory:admin:cross_tenant` or `federation`.
            max_sensitivity: The highest clearance that a credential of a tenant may have.
            cidrs: The address ranges from which the broker's key may be used; empty: anywhere.
            rate_limit: The rate limit of the broker's key; null: the limit that the service is configured with.
            expires_at: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The key of a broker without its secret

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("updateBrokerKey", {"id": id, "scopes": scopes, "maxSensitivity": max_sensitivity, "cidrs": cidrs, "rateLimit": nullable(rate_limit), "expiresAt": nullable(expires_at)}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.BrokerKey)

    async def revoke_broker_key(
        self,
        *,
        id: models.Id,
        idempotency_key: str | None = None,
    ) -> models.BrokerKey:
        """Revoke the key of a broker

        The key ends for good; every process refuses it, and the tokens that it gave, within a second. Its tenants and their keys stay, and admins manage them.

        An admin's bearer. Scope: `memory:admin`.

        Args:
            id: The broker.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The key of a broker without its secret

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("revokeBrokerKey", {"id": id}, {"idempotency-key": idempotency_key}, models.BrokerKey)

    async def rotate_broker_key(
        self,
        *,
        id: models.Id,
        overlap_seconds: int | None = None,
        idempotency_key: str | None = None,
    ) -> models.IssuedBrokerKey:
        """Give a broker a new secret

        The previous key stays valid for `overlapSeconds`, so that the app can switch; one that was replaced before ends now. The broker keeps its tenants.

        An admin's bearer. Scope: `memory:admin`.

        Args:
            id: The broker.
            overlap_seconds: How long the replaced secret, and earlier ones, stay valid at most, up to 30 days; 0 = they end now. Default: 86400.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The key itself, which is shown only here, and its record

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("rotateBrokerKey", {"id": id, "overlapSeconds": overlap_seconds}, {"idempotency-key": idempotency_key}, models.IssuedBrokerKey)

    async def list_tenants(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        external_id: models.ExternalId | None = None,
        q: str | None = None,
        state: models.TenantState | None = None,
        broker_id: models.Id | None = None,
    ) -> models.TenantPage:
        """List the tenants of a broker

        Including erased ones, of which only the receipt is left.

        An admin's bearer or a broker's key. Scope: `memory:admin`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            external_id: Only the user with this id.
            q: Only users whose id begins with this text.
            state: `creating`: its workspace may not be there yet; opening it again makes it. `suspended`: every request in its workspace is refused. `erasing`: some of its data may still be there; erasing it again goes on. `erased`: nothing of it is left.
            broker_id: The broker whose tenants an admin asks for; required for admins.

        Returns:
            A page of a list of `Tenant`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listTenants", {"limit": limit, "cursor": cursor, "order": order, "externalId": external_id, "q": q, "state": state, "brokerId": broker_id}, {}, models.TenantPage)

    async def open_tenant(
        self,
        *,
        external_id: str,
        credential: Literal["token", "key", "none"] | None = None,
        ttl_seconds: int | None = None,
        scopes: Sequence[models.Scope] | None = None,
        max_sensitivity: models.Sensitivity | None = None,
        broker_id: models.Id | None = None,
        idempotency_key: str | None = None,
    ) -> models.OpenedTenant:
        """Find or create the workspace of an app's user

        The app's own id of the user decides the workspace: the same id always gets the same one, also of callers at the same time (201 if this request made it). The reply holds what opens the workspace, if `credential` asks for it.

        An admin's bearer or a broker's key. Scope: `memory:admin`.

        Args:
            external_id: The app's own id of its user, such as an account number. It decides the workspace.
            credential: What to give for its workspace. `token`: a signed token, which ends by itself. `key`: a new API key each time. `none`: nothing, only the workspace. Default: "token".
            ttl_seconds: For how long the token counts: a minute to a day; default: an hour. A key does not end by itself.
            scopes: What the credential may do; default: all that the broker may give.
            max_sensitivity: The credential's clearance; default: the highest that the broker may give.
            broker_id: The broker on whose behalf an admin asks; required for admins. A broker's key needs none.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            The tenant was there already

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("openTenant", {"externalId": external_id, "credential": credential, "ttlSeconds": ttl_seconds, "scopes": scopes, "maxSensitivity": max_sensitivity, "brokerId": broker_id}, {"idempotency-key": idempotency_key}, models.OpenedTenant)

    async def get_tenant(
        self,
        *,
        id: models.Id,
    ) -> models.Tenant:
        """Read a tenant

        An admin's bearer or a broker's key. Scope: `memory:admin`.

        Args:
            id: The tenant.

        Returns:
            A user of an app, with a workspace of its own

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getTenant", {"id": id}, {}, models.Tenant)

    async def erase_tenant(
        self,
        *,
        id: models.Id,
        idempotency_key: str | None = None,
    ) -> models.Tenant:
        """Erase everything of a tenant

        Suspends its workspace and deletes all of its rows, of every sensitivity, with its keys and the app's id of the user. The reply is the receipt, which stays readable; a repetition returns it. If the call breaks off, send it again: it goes on. The audit chain stays, whose rows hold ids and no content. A workspace that has peers is refused (`conflict`): forget its memory first, so that they are told, then remove them.

        An admin's bearer or a broker's key. Scope: `memory:admin`. It costs 20 of the key's rate, and is heavy.

        Args:
            id: The tenant.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A user of an app, with a workspace of its own

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("eraseTenant", {"id": id}, {"idempotency-key": idempotency_key}, models.Tenant)

    async def export_tenant(
        self,
        *,
        id: models.Id,
    ) -> AsyncByteStream:
        """Export everything of a tenant as JSONL

        The same file as `POST /v1/memory/admin/export`, up to the broker's clearance. The broker needs `memory:export` among its scopes; an admin needs a break-glass grant in the workspace, and exports there. Both audit chains, that of the service and that of the workspace, record it.

        An admin's bearer or a broker's key. Scope: `memory:admin`. It costs 20 of the key's rate, and is heavy.

        Args:
            id: The tenant.

        Returns:
            The file, streamed

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._stream("exportTenant", {"id": id}, {})

    async def resume_tenant(
        self,
        *,
        id: models.Id,
        idempotency_key: str | None = None,
    ) -> models.Tenant:
        """Resume a suspended tenant

        An admin's bearer or a broker's key. Scope: `memory:admin`.

        Args:
            id: The tenant.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A user of an app, with a workspace of its own

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("resumeTenant", {"id": id}, {"idempotency-key": idempotency_key}, models.Tenant)

    async def revoke_tenant_tokens(
        self,
        *,
        id: models.Id,
        idempotency_key: str | None = None,
    ) -> models.Tenant:
        """Revoke all tokens of a tenant

        Every process refuses them within a second. Tokens that are issued from now on count, and so do the tenant's keys.

        An admin's bearer or a broker's key. Scope: `memory:admin`.

        Args:
            id: The tenant.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A user of an app, with a workspace of its own

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("revokeTenantTokens", {"id": id}, {"idempotency-key": idempotency_key}, models.Tenant)

    async def suspend_tenant(
        self,
        *,
        id: models.Id,
        idempotency_key: str | None = None,
    ) -> models.Tenant:
        """Suspend a tenant

        Every process refuses every request in its workspace within a second, with `workspace_suspended`, until it is resumed. Nothing in it is changed.

        An admin's bearer or a broker's key. Scope: `memory:admin`.

        Args:
            id: The tenant.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A user of an app, with a workspace of its own

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("suspendTenant", {"id": id}, {"idempotency-key": idempotency_key}, models.Tenant)

    async def list_workspaces(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> models.WorkspacePage:
        """List workspaces

        An admin's bearer. Scope: `memory:admin`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            A page of a list of `Workspace`

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listWorkspaces", {"limit": limit, "cursor": cursor, "order": order}, {}, models.WorkspacePage)

    async def create_workspace(
        self,
        *,
        name: str,
        region: models.Region,
        idempotency_key: str | None = None,
    ) -> models.Workspace:
        """Create a workspace

        The region of a workspace never changes.

        An admin's bearer. Scope: `memory:admin`.

        Args:
            region: It never changes.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A workspace and its settings

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("createWorkspace", {"name": name, "region": region}, {"idempotency-key": idempotency_key}, models.Workspace)

    async def get_workspace(
        self,
        *,
        id: models.Id,
    ) -> models.Workspace:
        """Read a workspace

        An admin's bearer. Scope: `memory:admin`.

        Args:
            id: The workspace.

        Returns:
            A workspace and its settings

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getWorkspace", {"id": id}, {}, models.Workspace)

    async def update_workspace(
        self,
        *,
        id: models.Id,
        name: str | None = None,
        settings: Mapping[str, Any] | None = None,
        if_match: int | str | None = None,
        idempotency_key: str | None = None,
    ) -> models.Workspace:
        """Rename a workspace, or change its settings

        Settings that restrict keys take effect immediately, in every process. They do not restrict a break-glass grant, whose clearance two admins have set.

        An admin's bearer. Scope: `memory:admin`.

        Args:
            id: The workspace.
            settings: The settings to change; others stay.
            if_match: The version that the resource must still have; otherwise the call fails with `version_mismatch`.
            idempotency_key: A name for the change; the same call with the same name happens once. Default: a random one.

        Returns:
            A workspace and its settings

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("updateWorkspace", {"id": id, "name": name, "settings": settings}, {"if-match": if_match, "idempotency-key": idempotency_key}, models.Workspace)

    async def get_docs(self) -> str:
        """The interactive API reference

        A page that shows this document and sends requests. It loads nothing from another host.

        Returns:
            A page

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getDocs", {}, {}, str)

    async def get_docs_script(self) -> str:
        """The script of the interactive API reference

        What `/docs` runs. The program carries it.

        Returns:
            JavaScript

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getDocsScript", {}, {}, str)

    async def list_errors(self) -> str:
        """All error codes

        A page for people: every error code with its status and a link to its help.

        Returns:
            A page

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("listErrors", {}, {}, str)

    async def get_error_help(
        self,
        *,
        code: str,
    ) -> str:
        """What an error code means and what to do

        The page that a refusal names in `help`.

        Returns:
            A page

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getErrorHelp", {"code": code}, {}, str)

    async def get_open_api_document(self) -> models.OpenApiDocument:
        """The OpenAPI 3.1 document

        What generators of clients and the reference read. It describes the running version.

        Returns:
            OpenAPI 3.1.0

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getOpenApiDocument", {}, {}, models.OpenApiDocument)

    async def get_health_live(self) -> models.Liveness:
        """Liveness

        Answers as long as the process does, without the database.

        Returns:
            The process is up

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getHealthLive", {}, {}, models.Liveness)

    async def get_health_ready(
        self,
        *,
        exclude: Sequence[Literal["cache", "notifications"]] | None = None,
    ) -> models.Readiness:
        """Readiness

        Asks the database, the key-value store where one is configured, and whether changes of other processes are heard. `writes` stands there while the database takes none, because its disk is full or it is a standby. `vectorIndex` stands there, and does not count, while the nearest-neighbour index over a model's embeddings is being built or is missing; so do `embeddings: behind` while texts wait for a vector of the present model, `newerLinks: behind` while texts of an earlier build wait for links to newer ones, and `sentenceEncoder: degraded` while the table works without the encoder.

        Args:
            exclude: Checks that are shown and do not count, for a load balancer: the service works without its cache, and when it does not hear other processes. Any of `cache` and `notifications`.

        Returns:
            Ready

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getHealthReady", {"exclude": exclude}, {}, models.Readiness)

    async def get_healthz(self) -> models.Liveness:
        """Liveness

        The same as `/health/live`.

        Returns:
            The process is up

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getHealthz", {}, {}, models.Liveness)

    async def get_metrics(self) -> str:
        """Metrics

        Metrics in the Prometheus text format; behind `SVC_METRICS_TOKEN` where the operator sets one.

        Returns:
            Text exposition

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return await self._call("getMetrics", {}, {}, str)


class AsyncLists:
    """Each list, page by page: it yields the items of all pages, and asks for a page when the one before is used up."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list_sessions(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: models.SessionStatus | None = None,
        agent_id: str | None = None,
        external_id: models.ExternalId | None = None,
        q: str | None = None,
        participant: str | None = None,
    ) -> AsyncIterator[models.SessionSummary]:
        """List sessions

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            agent_id: The agent that the session belongs to, as the caller names it.
            external_id: The session that has this name.
            q: The title or one of the turns contains this; case does not matter. It reads turns until the page is full.
            participant: One of the session's `participants` has this name; case does not matter. A session lists the first 1,000.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listSessions", {"limit": limit, "cursor": cursor, "order": order, "status": status, "agentId": agent_id, "externalId": external_id, "q": q, "participant": participant}, {}, models.SessionPage)

    def list_turns(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        pinned: bool | None = None,
    ) -> AsyncIterator[models.Turn]:
        """List the turns of a session

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: Default: "asc".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listTurns", {"id": id, "limit": limit, "cursor": cursor, "order": order, "pinned": pinned}, {}, models.TurnPage)

    def list_facts(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Sequence[models.FactStatus] | None = None,
        fact_type: Sequence[models.FactType] | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        subject: str | None = None,
        predicate: str | None = None,
        attribution: Sequence[models.Attribution] | None = None,
        sensitivity: Sequence[models.Sensitivity] | None = None,
        min_trust: int | None = None,
        pinned: bool | None = None,
        stale: bool | None = None,
        entity_id: models.Id | None = None,
        session_id: models.Id | None = None,
        message_id: str | None = None,
        external_id: models.ExternalId | None = None,
        as_of: models.TimestampInput | None = None,
        known_at: models.TimestampInput | None = None,
    ) -> AsyncIterator[models.Fact]:
        """List facts

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            status: May be repeated. Default: `active` and `contested`, with `asOf` also `superseded` and `expired`.
            fact_type: May be repeated.
            tags: May be repeated.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            subject: Compared as names of entities are: case, spacing, the form of an apostrophe and unseen characters do not matter.
            predicate: Compared like `subject`.
            attribution: May be repeated.
            sensitivity: May be repeated.
            min_trust: The least trust score.
            pinned: `true`: only pinned ones. `false`: only others.
            stale: `true`: only stale ones. `false`: only others.
            entity_id: Facts whose text mentions this entity, or whose `entityIds` contain it.
            session_id: Facts that cite this session.
            message_id: Facts that cite this message.
            external_id: The fact that has this name.
            as_of: Facts that were true in the world then, including those that have ended since.
            known_at: The facts as this service knew them at that time.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listFacts", {"limit": limit, "cursor": cursor, "order": order, "status": status, "factType": fact_type, "tags": tags, "tagsMatch": tags_match, "subject": subject, "predicate": predicate, "attribution": attribution, "sensitivity": sensitivity, "minTrust": min_trust, "pinned": pinned, "stale": stale, "entityId": entity_id, "sessionId": session_id, "messageId": message_id, "externalId": external_id, "asOf": as_of, "knownAt": known_at}, {}, models.FactPage)

    def list_fact_revisions(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> AsyncIterator[models.FactRevision]:
        """List the versions of a fact

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listFactRevisions", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.FactRevisionPage)

    def get_fact_history(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> AsyncIterator[models.FactHistoryEntry]:
        """Read the history of a fact

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: Default: "asc".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("getFactHistory", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.FactHistoryPage)

    def list_decisions(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Sequence[models.DecisionStatus] | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        attribution: Sequence[models.Attribution] | None = None,
        sensitivity: Sequence[models.Sensitivity] | None = None,
        min_trust: int | None = None,
        pinned: bool | None = None,
        stale: bool | None = None,
        known_at: models.TimestampInput | None = None,
        decided_by: str | None = None,
        review_before: models.TimestampInput | None = None,
    ) -> AsyncIterator[models.Decision]:
        """List decisions

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            status: May be repeated. Default: `proposed` and `accepted`.
            tags: May be repeated.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            attribution: May be repeated.
            sensitivity: May be repeated.
            min_trust: The least trust score.
            pinned: `true`: only pinned ones. `false`: only others.
            stale: `true`: only stale ones. `false`: only others.
            known_at: The units as this service knew them at that time.
            decided_by: Equal to this text, exactly.
            review_before: Decisions whose review date is before this.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listDecisions", {"limit": limit, "cursor": cursor, "order": order, "status": status, "tags": tags, "tagsMatch": tags_match, "attribution": attribution, "sensitivity": sensitivity, "minTrust": min_trust, "pinned": pinned, "stale": stale, "knownAt": known_at, "decidedBy": decided_by, "reviewBefore": review_before}, {}, models.DecisionPage)

    def get_decision_chain(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> AsyncIterator[models.Decision]:
        """Read the chain of a decision

        All decisions that replaced each other, oldest first, up to 1,000 before and after this one. The chain ends at a decision above the key's clearance.

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: Default: "asc".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("getDecisionChain", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.DecisionChain)

    def list_decision_revisions(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> AsyncIterator[models.DecisionRevision]:
        """List the versions of a decision

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listDecisionRevisions", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.DecisionRevisionPage)

    def list_entities(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Sequence[models.EntityStatus] | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        attribution: Sequence[models.Attribution] | None = None,
        sensitivity: Sequence[models.Sensitivity] | None = None,
        min_trust: int | None = None,
        pinned: bool | None = None,
        stale: bool | None = None,
        known_at: models.TimestampInput | None = None,
        name: str | None = None,
        q: str | None = None,
        entity_type: Sequence[str] | None = None,
        drawer: str | None = None,
    ) -> AsyncIterator[models.Entity]:
        """List entities

        Newest first by default.

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            status: May be repeated. Default: `active`.
            tags: May be repeated.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            attribution: May be repeated.
            sensitivity: May be repeated.
            min_trust: The least trust score.
            pinned: `true`: only pinned ones. `false`: only others.
            stale: `true`: only stale ones. `false`: only others.
            known_at: The units as this service knew them at that time.
            name: Entities with this name or alias, after normalisation.
            q: Entities with a name or alias that begins with this or is similar.
            entity_type: May be repeated.
            drawer: Entities in this drawer.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listEntities", {"limit": limit, "cursor": cursor, "order": order, "status": status, "tags": tags, "tagsMatch": tags_match, "attribution": attribution, "sensitivity": sensitivity, "minTrust": min_trust, "pinned": pinned, "stale": stale, "knownAt": known_at, "name": name, "q": q, "entityType": entity_type, "drawer": drawer}, {}, models.EntityPage)

    def list_entity_edges(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        verbs: Sequence[models.RelationVerb] | None = None,
        direction: models.Direction | None = None,
        as_of: models.TimestampInput | None = None,
        implied: bool | None = None,
    ) -> AsyncIterator[models.EntityEdge]:
        """List the edges of an entity

        The entity's active relations by the time of their creation, then the edges derived from units (`implied`): mentions of it, its sources, what was derived from it, what supports it. For a merged entity: the edges of the one that it was merged into.

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: the newest relation first. Derived edges have no time: they follow the relations in either order. Default: "desc".
            verbs: May be repeated. Default: all nine.
            direction: `out`: from source to target. `in`: from target to source. `both`: either way. Default: "both".
            as_of: Relations that were true in the world at this time. Default: all.
            implied: Whether to include edges derived from mentions, sources, evidence and supersession. Default: "true".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listEntityEdges", {"id": id, "limit": limit, "cursor": cursor, "order": order, "verbs": verbs, "direction": direction, "asOf": as_of, "implied": implied}, {}, models.EntityEdgePage)

    def list_entity_revisions(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> AsyncIterator[models.EntityRevision]:
        """List the versions of an entity

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listEntityRevisions", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.EntityRevisionPage)

    def list_episodes(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Sequence[models.KeptStatus] | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        attribution: Sequence[models.Attribution] | None = None,
        sensitivity: Sequence[models.Sensitivity] | None = None,
        min_trust: int | None = None,
        pinned: bool | None = None,
        stale: bool | None = None,
        known_at: models.TimestampInput | None = None,
        kind: str | None = None,
        session_id: models.Id | None = None,
        participant: str | None = None,
        fact_id: models.Id | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
    ) -> AsyncIterator[models.Episode]:
        """List episodes

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            status: May be repeated. Default: `active`.
            tags: May be repeated.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            attribution: May be repeated.
            sensitivity: May be repeated.
            min_trust: The least trust score.
            pinned: `true`: only pinned ones. `false`: only others.
            stale: `true`: only stale ones. `false`: only others.
            known_at: The units as this service knew them at that time.
            session_id: UUIDv7.
            participant: Equal to this name, exactly.
            fact_id: Episodes that link this fact.
            from_: Episodes that started then or later.
            to: Episodes that started before then. Default: null.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listEpisodes", {"limit": limit, "cursor": cursor, "order": order, "status": status, "tags": tags, "tagsMatch": tags_match, "attribution": attribution, "sensitivity": sensitivity, "minTrust": min_trust, "pinned": pinned, "stale": stale, "knownAt": known_at, "kind": kind, "sessionId": session_id, "participant": participant, "factId": fact_id, "from": from_, "to": nullable(to)}, {}, models.EpisodePage)

    def list_episode_revisions(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> AsyncIterator[models.EpisodeRevision]:
        """List the versions of an episode

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listEpisodeRevisions", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.EpisodeRevisionPage)

    def get_episode_timeline(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
        after: models.TimestampInput | models.Id | None = None,
        before: models.TimestampInput | models.Id | None = None,
    ) -> AsyncIterator[models.EpisodeMoment]:
        """Read the timeline of an episode

        The episode's facts, and the turns of its session from its start to its end, in order of time. `after` and `before` take a time or the id of an entry. Erased items and those above the key's clearance are left out.

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: Default: "asc".
            from_: At this time or later.
            to: Before this time. Default: null.
            after: Strictly after this time, or after the item with this id.
            before: Strictly before this time, or before the item with this id.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("getEpisodeTimeline", {"id": id, "limit": limit, "cursor": cursor, "order": order, "from": from_, "to": nullable(to), "after": after, "before": before}, {}, models.EpisodeTimeline)

    def list_relations(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        id: models.Id | None = None,
        source_id: models.Id | None = None,
        target_id: models.Id | None = None,
        verb: Sequence[models.RelationVerb] | None = None,
        status: Sequence[models.RelationStatus] | None = None,
        as_of: models.TimestampInput | None = None,
        stale: bool | None = None,
        min_trust: int | None = None,
        min_weight: float | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
    ) -> AsyncIterator[models.Relation]:
        """List relations

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            id: Relations with this unit at any end.
            source_id: Relations with this unit as the source, or in the role `source`.
            target_id: Relations with this unit as the target, or in the role `target`.
            verb: May be repeated. Default: all nine.
            status: May be repeated. Default: `active`. Default: ["active"].
            as_of: Relations that are true in the world at this time.
            stale: `true`: only stale ones. `false`: only others.
            min_trust: The least trust score.
            min_weight: The least weight.
            tags: May be repeated.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listRelations", {"limit": limit, "cursor": cursor, "order": order, "id": id, "sourceId": source_id, "targetId": target_id, "verb": verb, "status": status, "asOf": as_of, "stale": stale, "minTrust": min_trust, "minWeight": min_weight, "tags": tags, "tagsMatch": tags_match}, {}, models.RelationPage)

    def list_relation_verbs(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> AsyncIterator[models.RelationVerbInfo]:
        """List the nine verbs and what they mean

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `asc`: as the enumeration of verbs has them. Default: "asc".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listRelationVerbs", {"limit": limit, "cursor": cursor, "order": order}, {}, models.RelationVerbList)

    def list_skills(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Sequence[models.SkillStatus] | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        attribution: Sequence[models.Attribution] | None = None,
        sensitivity: Sequence[models.Sensitivity] | None = None,
        min_trust: int | None = None,
        pinned: bool | None = None,
        stale: bool | None = None,
        known_at: models.TimestampInput | None = None,
        name: str | None = None,
    ) -> AsyncIterator[models.Skill]:
        """List skills

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            status: May be repeated. Default: `probationary` and `active`.
            tags: May be repeated.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            attribution: May be repeated.
            sensitivity: May be repeated.
            min_trust: The least trust score.
            pinned: `true`: only pinned ones. `false`: only others.
            stale: `true`: only stale ones. `false`: only others.
            known_at: The units as this service knew them at that time.
            name: Equal to this name, exactly.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listSkills", {"limit": limit, "cursor": cursor, "order": order, "status": status, "tags": tags, "tagsMatch": tags_match, "attribution": attribution, "sensitivity": sensitivity, "minTrust": min_trust, "pinned": pinned, "stale": stale, "knownAt": known_at, "name": name}, {}, models.SkillPage)

    def list_skill_revisions(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> AsyncIterator[models.SkillRevision]:
        """List the versions of a skill

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listSkillRevisions", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.SkillRevisionPage)

    def list_strategies(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Sequence[models.KeptStatus] | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        attribution: Sequence[models.Attribution] | None = None,
        sensitivity: Sequence[models.Sensitivity] | None = None,
        min_trust: int | None = None,
        pinned: bool | None = None,
        stale: bool | None = None,
        known_at: models.TimestampInput | None = None,
        name: str | None = None,
    ) -> AsyncIterator[models.Strategy]:
        """List strategies

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            status: May be repeated. Default: `active`.
            tags: May be repeated.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            attribution: May be repeated.
            sensitivity: May be repeated.
            min_trust: The least trust score.
            pinned: `true`: only pinned ones. `false`: only others.
            stale: `true`: only stale ones. `false`: only others.
            known_at: The units as this service knew them at that time.
            name: Equal to this name, exactly.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listStrategies", {"limit": limit, "cursor": cursor, "order": order, "status": status, "tags": tags, "tagsMatch": tags_match, "attribution": attribution, "sensitivity": sensitivity, "minTrust": min_trust, "pinned": pinned, "stale": stale, "knownAt": known_at, "name": name}, {}, models.StrategyPage)

    def list_strategy_revisions(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> AsyncIterator[models.StrategyRevision]:
        """List the versions of a strategy

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listStrategyRevisions", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.StrategyRevisionPage)

    def get_units(
        self,
        *,
        id: Sequence[models.Id] | None = None,
        known_at: models.TimestampInput | None = None,
        type: Sequence[models.UnitType] | None = None,
        status: Sequence[models.UnitState] | None = None,
        q: str | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        attribution: Sequence[models.Attribution] | None = None,
        min_trust: int | None = None,
        max_trust: int | None = None,
        sensitivity: Sequence[models.Sensitivity] | None = None,
        pinned: bool | None = None,
        stale: bool | None = None,
        entity_id: models.Id | None = None,
        session_id: models.Id | None = None,
        agent_id: str | None = None,
        created_from: models.TimestampInput | None = None,
        created_to: models.EndInput | Unset = UNSET,
        updated_from: models.TimestampInput | None = None,
        updated_to: models.EndInput | Unset = UNSET,
        sort: Literal["updatedAt", "createdAt", "worth"] | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> AsyncIterator[models.SoughtUnit]:
        """List units of all types, or read some by their ids

        Without `id`: a list of the units of all types, filtered and sorted. With `id`: those units in any state, as they are or as they were known at a time; an unknown one has no `unit`.

        Scope: `memory:read`.

        Args:
            id: Reads these units, in any state, instead of a list; may be repeated, up to 100 times. Goes with `knownAt` alone.
            known_at: With `id`: the versions that this service knew at that time.
            type: May be repeated. Default: all.
            status: May be repeated. Default: those in force (`active`, `contested`, `proposed`, `accepted`, `probationary`).
            q: The text contains this; case does not matter. It reads texts until the page is full.
            tags: May be repeated.
            tags_match: `any`, the default: one of the `tags` is enough. `all`: every tag is required.
            attribution: May be repeated.
            min_trust: The least trust score.
            max_trust: The greatest trust score.
            sensitivity: May be repeated.
            pinned: `true`: only pinned ones. `false`: only others.
            stale: `true`: only stale ones. `false`: only others.
            entity_id: Units that mention this entity.
            session_id: Facts that cite this session, and episodes of it.
            agent_id: The same, of any session of this agent.
            created_from: Created at this time or later.
            created_to: Created before this time. Default: null.
            updated_from: Last changed at this time or later.
            updated_to: Last changed before this time. Default: null.
            sort: Default: `updatedAt`. While pages are read, a unit that somebody changes goes to where it belongs now. By `createdAt` no unit is missed or met twice. By `updatedAt` with `order=asc` none is missed, and a changed one is met again at the end; with `order=desc` none is met twice, and a changed one stands before the first page. By `worth`, which the service computes anew from time to time, a unit may be missed or met twice.
            order: `desc`, the default: newest or worthiest first.
            limit: Page size; default: 50.
            cursor: `nextCursor` of the previous page.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("getUnits", {"id": id, "knownAt": known_at, "type": type, "status": status, "q": q, "tags": tags, "tagsMatch": tags_match, "attribution": attribution, "minTrust": min_trust, "maxTrust": max_trust, "sensitivity": sensitivity, "pinned": pinned, "stale": stale, "entityId": entity_id, "sessionId": session_id, "agentId": agent_id, "createdFrom": created_from, "createdTo": nullable(created_to), "updatedFrom": updated_from, "updatedTo": nullable(updated_to), "sort": sort, "order": order, "limit": limit, "cursor": cursor}, {}, models.SoughtUnits)

    def list_workflows(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        status: Sequence[models.KeptStatus] | None = None,
        tags: Sequence[str] | None = None,
        tags_match: Literal["any", "all"] | None = None,
        attribution: Sequence[models.Attribution] | None = None,
        sensitivity: Sequence[models.Sensitivity] | None = None,
        min_trust: int | None = None,
        pinned: bool | None = None,
        stale: bool | None = None,
        known_at: models.TimestampInput | None = None,
        name: str | None = None,
    ) -> AsyncIterator[models.Workflow]:
        """List workflows

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            status: May be repeated. Default: `active`.
            tags: May be repeated.
            tags_match: `any`: one of the `tags` is enough. `all`: every tag is required. Default: "any".
            attribution: May be repeated.
            sensitivity: May be repeated.
            min_trust: The least trust score.
            pinned: `true`: only pinned ones. `false`: only others.
            stale: `true`: only stale ones. `false`: only others.
            known_at: The units as this service knew them at that time.
            name: Equal to this name, exactly.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listWorkflows", {"limit": limit, "cursor": cursor, "order": order, "status": status, "tags": tags, "tagsMatch": tags_match, "attribution": attribution, "sensitivity": sensitivity, "minTrust": min_trust, "pinned": pinned, "stale": stale, "knownAt": known_at, "name": name}, {}, models.WorkflowPage)

    def list_workflow_revisions(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> AsyncIterator[models.WorkflowRevision]:
        """List the versions of a workflow

        Scope: `memory:read`.

        Args:
            id: UUIDv7.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listWorkflowRevisions", {"id": id, "limit": limit, "cursor": cursor, "order": order}, {}, models.WorkflowRevisionPage)

    def list_changes(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        since: str | None = None,
        kind: Sequence[str] | None = None,
        resource_id: models.Id | None = None,
    ) -> AsyncIterator[models.ListedChange]:
        """List the changes, in order

        Lists every change of a resource once, in the order in which changes became visible, oldest first by default. An entry says what happened to which resource and which version; it holds no content. Changes above the key's clearance are not shown; changes of tasks and events need the scope `tasks:read`, too.

        To follow the feed, read until `nextCursor` is null, then start again with `since` = `endCursor`; `GET /stream` sends the same as it happens. One page scans 10,000 entries of the feed: with a filter it may hold fewer than `limit`, or none, and still have a next page.

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: Default: "asc".
            since: Changes after this position: the `cursor` of a change or of a stream's message, or an `endCursor`.
            kind: May be repeated. A name that ends with `.` matches every name that begins so, such as `fact.`.
            resource_id: Changes of this resource.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listChanges", {"limit": limit, "cursor": cursor, "order": order, "since": since, "kind": kind, "resourceId": resource_id}, {}, models.ChangePage)

    def list_timeline(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
        after: models.TimestampInput | models.Id | None = None,
        before: models.TimestampInput | models.Id | None = None,
        types: Sequence[models.TimelineType] | None = None,
        q: str | None = None,
        entity_id: models.Id | None = None,
        agent_id: str | None = None,
        session_id: models.Id | None = None,
        tags: Sequence[str] | None = None,
        min_trust: int | None = None,
    ) -> AsyncIterator[models.TimelineItem]:
        """List units, events, turns and tasks in order of time

        Latest first by default. `order=asc&limit=1` gives the first item, `order=desc&limit=1` the last. `after` and `before` take a time or the id of an item; both together give what lies between. Archived and retracted units and merged entities are left out; superseded ones are included. A key without `tasks:read` is shown no tasks and events.

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            from_: At this time or later.
            to: Before this time. Default: null.
            after: Strictly after this time, or after the item with this id.
            before: Strictly before this time, or before the item with this id.
            types: May be repeated.
            q: The text contains this; case does not matter.
            entity_id: Units and turns that mention this entity.
            agent_id: Events, tasks and turns of this agent.
            session_id: Events, turns and episodes of this session.
            tags: May be repeated; one of them is enough.
            min_trust: Least trust score of units; items that are not units are left out.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listTimeline", {"limit": limit, "cursor": cursor, "order": order, "from": from_, "to": nullable(to), "after": after, "before": before, "types": types, "q": q, "entityId": entity_id, "agentId": agent_id, "sessionId": session_id, "tags": tags, "minTrust": min_trust}, {}, models.TimelinePage)

    def list_webhooks(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> AsyncIterator[models.Webhook]:
        """List webhooks

        Lists the webhooks without their secrets, the newest first by default. A key does not see webhooks whose `maxSensitivity` is above its own.

        Scope: `memory:admin`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listWebhooks", {"limit": limit, "cursor": cursor, "order": order}, {}, models.WebhookPage)

    def list_webhook_deliveries(
        self,
        *,
        id: models.Id,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        state: Sequence[models.WebhookDeliveryState] | None = None,
        kind: Sequence[str] | None = None,
        resource_id: models.Id | None = None,
    ) -> AsyncIterator[models.WebhookDelivery]:
        """List what a webhook was sent

        Lists every change that the webhook was sent or is about to be sent, the newest first by default: how many attempts there were, how the last one ended, when the next one is. Deliveries stay for `SVC_WEBHOOK_KEPT_DAYS` after they ended, dead ones three times as long. Deliveries of tasks and events are shown to keys with `tasks:read`.

        Scope: `memory:admin`.

        Args:
            id: The endpoint.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            resource_id: UUIDv7.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listWebhookDeliveries", {"id": id, "limit": limit, "cursor": cursor, "order": order, "state": state, "kind": kind, "resourceId": resource_id}, {}, models.WebhookDeliveryPage)

    def list_agents(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> AsyncIterator[models.Agent]:
        """List the agents

        Every `agentId` that sessions, tasks, events, chains of reasoning, playbooks or self-edits name, with how many of each and when the first and the last was. For a key without `tasks:read`, tasks and events do not count.

        Scope: `memory:read`. It costs 5 of the key's rate, and is heavy.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: By `agentId`. Default: "asc".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listAgents", {"limit": limit, "cursor": cursor, "order": order}, {}, models.AgentPage)

    def list_events(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
        agent_id: str | None = None,
        type: Sequence[str] | None = None,
        session_id: models.Id | None = None,
    ) -> AsyncIterator[models.Event]:
        """List events by time

        In the order in which they occurred, latest first by default.

        Scope: `tasks:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            from_: Events that occurred then or later.
            to: Events that occurred before then. Default: null.
            agent_id: An agent, as the caller names it.
            type: May be repeated.
            session_id: UUIDv7.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listEvents", {"limit": limit, "cursor": cursor, "order": order, "from": from_, "to": nullable(to), "agentId": agent_id, "type": type, "sessionId": session_id}, {}, models.EventPage)

    def list_self_edits(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        agent_id: str | None = None,
        unit_id: models.Id | None = None,
        source: Sequence[Literal["edit", "reflection", "revert"]] | None = None,
        outcome: Sequence[Literal["pending", "applied", "unchanged", "review", "declined", "refused"]] | None = None,
        reverted: bool | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
    ) -> AsyncIterator[models.SelfEdit]:
        """List edits of the memory

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            agent_id: An agent, as the caller names it.
            unit_id: Edits with an operation about this unit.
            source: May be repeated.
            outcome: Edits with an operation of this outcome; may be repeated.
            from_: Edits made then or later.
            to: Edits made before then. Default: null.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listSelfEdits", {"limit": limit, "cursor": cursor, "order": order, "agentId": agent_id, "unitId": unit_id, "source": source, "outcome": outcome, "reverted": reverted, "from": from_, "to": nullable(to)}, {}, models.SelfEditPage)

    def list_prompt_history(
        self,
        *,
        agent: str,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        sensitivity: models.Sensitivity | None = None,
    ) -> AsyncIterator[models.PromptVersion]:
        """List the versions of an agent's prompt

        Each version with its changes, its runs and the decision about it.

        Scope: `memory:read`.

        Args:
            agent: An agent, as the caller names it.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            sensitivity: Which of the agent's playbooks. Default: the most sensitive one that the key sees.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listPromptHistory", {"agent": agent, "limit": limit, "cursor": cursor, "order": order, "sensitivity": sensitivity}, {}, models.PromptVersionPage)

    def list_playbook_rules(
        self,
        *,
        agent: str,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        sensitivity: models.Sensitivity | None = None,
        status: Sequence[models.RuleStatus] | None = None,
    ) -> AsyncIterator[models.PlaybookRule]:
        """List the rules of an agent's playbook

        Rules in any state, with their counts.

        Scope: `memory:read`.

        Args:
            agent: An agent, as the caller names it.
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            sensitivity: Which of the agent's playbooks. Default: the most sensitive one that the key sees.
            status: May be repeated.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listPlaybookRules", {"agent": agent, "limit": limit, "cursor": cursor, "order": order, "sensitivity": sensitivity, "status": status}, {}, models.PlaybookRulePage)

    def list_reasoning(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        q: str | None = None,
        status: Sequence[models.ReasoningStatus] | None = None,
        outcome: Sequence[models.ReasoningOutcome] | None = None,
        agent_id: str | None = None,
        fact_id: models.Id | None = None,
    ) -> AsyncIterator[models.ReasoningEntry]:
        """List recorded chains

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            q: Entries whose goal has all these words.
            status: May be repeated.
            outcome: May be repeated.
            agent_id: An agent, as the caller names it.
            fact_id: Entries that rest on this unit.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listReasoning", {"limit": limit, "cursor": cursor, "order": order, "q": q, "status": status, "outcome": outcome, "agentId": agent_id, "factId": fact_id}, {}, models.ReasoningPage)

    def list_tasks(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        agent_id: str | None = None,
        status: Sequence[models.TaskStatus] | None = None,
        kind: models.TaskKind | None = None,
        priority: Sequence[int] | None = None,
        due_before: models.TimestampInput | None = None,
    ) -> AsyncIterator[models.Task]:
        """List tasks

        A task whose lease has expired counts as `pending`; if the claim had assigned it to an agent, it counts as unassigned.

        Scope: `tasks:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            agent_id: An agent, as the caller names it.
            status: May be repeated. Default: all states.
            priority: May be repeated.
            due_before: Tasks that are due before this time.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listTasks", {"limit": limit, "cursor": cursor, "order": order, "agentId": agent_id, "status": status, "kind": kind, "priority": priority, "dueBefore": due_before}, {}, models.TaskPage)

    def list_federation_conflicts(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        state: Sequence[Literal["contested", "resolved", "dismissed"]] | None = None,
        peer: models.InstanceId | None = None,
    ) -> AsyncIterator[models.FederationConflict]:
        """List contradictions with other instances

        Conflicts: versions of other instances that contradict the version shown here. Recall shows both versions as contested; for each conflict one review and one task ask a person to decide.

        Scope: `federation`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            state: May be repeated. Default: `contested`.
            peer: Only conflicts with versions of this instance.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listFederationConflicts", {"limit": limit, "cursor": cursor, "order": order, "state": state, "peer": peer}, {}, models.FederationConflictPage)

    def list_remote_facts(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        peer: models.InstanceId | None = None,
    ) -> AsyncIterator[models.RemoteFact]:
        """List the facts of other regions that peers have announced

        Peers in other regions send only the ids and keyed hashes of their facts. Nothing more is known of them here.

        Scope: `federation`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: By `peer` and `factId`. Default: "asc".
            peer: Only facts that this peer sent.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listRemoteFacts", {"limit": limit, "cursor": cursor, "order": order, "peer": peer}, {}, models.RemoteFactPage)

    def list_peers(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> AsyncIterator[models.Peer]:
        """List approved peers and their states

        The approved peers of the workspace. `DISCOVERED` → `HANDSHAKE` → `ACTIVE` ⇄ `DEGRADED`; `lastError.message` says what to do.

        Scope: `federation`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: By `id`. Default: "asc".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listPeers", {"limit": limit, "cursor": cursor, "order": order}, {}, models.PeerList)

    def list_pending_peers(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> AsyncIterator[models.Peer]:
        """List peers that wait for approval

        Peers that DNS names and peers that somebody added. This instance neither calls them nor serves them.

        Scope: `federation`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: By `id`. Default: "asc".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listPendingPeers", {"limit": limit, "cursor": cursor, "order": order}, {}, models.PeerList)

    def list_health_history(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
    ) -> AsyncIterator[models.HealthMoment]:
        """List health snapshots over time

        A worker takes a snapshot every `SVC_SNAPSHOT_INTERVAL_SECONDS` and keeps `SVC_SNAPSHOTS_KEPT` of them. Each counts what the key's clearance sees. Newest first by default.

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            from_: Snapshots taken then or later.
            to: Snapshots taken before then. Default: null.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listHealthHistory", {"limit": limit, "cursor": cursor, "order": order, "from": from_, "to": nullable(to)}, {}, models.HealthHistoryPage)

    def list_review_items(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        kind: Sequence[models.ReviewKind] | None = None,
        status: Sequence[models.ReviewStatus] | None = None,
        unit_id: models.Id | None = None,
    ) -> AsyncIterator[models.ReviewItem]:
        """List review items

        Open items by default.

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            kind: May be repeated.
            status: May be repeated. Default: `open`.
            unit_id: Items about this unit, as subject or as other.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listReviewItems", {"limit": limit, "cursor": cursor, "order": order, "kind": kind, "status": status, "unitId": unit_id}, {}, models.ReviewItemPage)

    def list_worth(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        type: Sequence[models.UnitType] | None = None,
        min: float | None = None,
        max: float | None = None,
    ) -> AsyncIterator[models.WorthItem]:
        """List units by worth

        worth = (0.30 trust + 0.20 use + 0.25 feedback + 0.10 corroboration + 0.15 recency) × (1 − 0.5 contestedness), each part between 0 and 1. The half-life of recency is `SVC_WORTH_HALF_LIFE_DAYS`. A new unit has its worth immediately. A worker computes it again after changes, within about an hour after uses, and as time passes. Units that are not in force are left out.

        Scope: `memory:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: Order by worth. Default: "desc".
            type: May be repeated. Default: all.
            min: At least this worth.
            max: At most this worth.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listWorth", {"limit": limit, "cursor": cursor, "order": order, "type": type, "min": min, "max": max}, {}, models.WorthPage)

    def list_api_keys(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        workspace_id: models.Id | None = None,
    ) -> AsyncIterator[models.ApiKey]:
        """List API keys

        Keys of all workspaces or of one, without secrets, including revoked and expired ones.

        An admin's bearer. Scope: `memory:admin`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            workspace_id: Only keys of this workspace.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listApiKeys", {"limit": limit, "cursor": cursor, "order": order, "workspaceId": workspace_id}, {}, models.ApiKeyPage)

    def list_admin_audit(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        event_type: Sequence[str] | None = None,
        actor_id: str | None = None,
        outcome: str | None = None,
        target: models.Id | None = None,
        request_id: str | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
    ) -> AsyncIterator[models.AuditRow]:
        """List what admins did

        The chain of the service itself: each act of an admin, with the admin's name in `detail.admin`, what the command line did, and what was refused. What concerns a workspace is in that workspace's own chain, too.

        An admin's bearer. Scope: `memory:admin`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            event_type: May be repeated. A name that ends with `.` matches every name that begins so, such as `write.`.
            target: Rows that name this resource.
            from_: RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC.
            to: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listAdminAudit", {"limit": limit, "cursor": cursor, "order": order, "eventType": event_type, "actorId": actor_id, "outcome": outcome, "target": target, "requestId": request_id, "from": from_, "to": nullable(to)}, {}, models.AuditPage)

    def list_audit(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        event_type: Sequence[str] | None = None,
        actor_id: str | None = None,
        outcome: str | None = None,
        target: models.Id | None = None,
        request_id: str | None = None,
        from_: models.TimestampInput | None = None,
        to: models.EndInput | Unset = UNSET,
    ) -> AsyncIterator[models.AuditRow]:
        """List the audit log

        One row for every request, in the workspace's own chain. The row of a write is there immediately, that of a read or refusal a moment later.

        Scope: `audit:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            event_type: May be repeated. A name that ends with `.` matches every name that begins so, such as `write.`.
            target: Rows that name this resource.
            from_: RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC.
            to: RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC. Default: null.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listAudit", {"limit": limit, "cursor": cursor, "order": order, "eventType": event_type, "actorId": actor_id, "outcome": outcome, "target": target, "requestId": request_id, "from": from_, "to": nullable(to)}, {}, models.AuditPage)

    def list_break_glass(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        workspace_id: models.Id | None = None,
        state: models.BreakGlassState | None = None,
    ) -> AsyncIterator[models.BreakGlassRequest]:
        """List requests for access to workspaces

        An admin's bearer. Scope: `memory:admin:cross_tenant`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            workspace_id: UUIDv7.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listBreakGlass", {"limit": limit, "cursor": cursor, "order": order, "workspaceId": workspace_id, "state": state}, {}, models.BreakGlassPage)

    def list_jobs(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        kind: Sequence[Literal["consolidate", "revert", "federation_sync"]] | None = None,
        state: Sequence[models.JobState] | None = None,
    ) -> AsyncIterator[models.JobSummary]:
        """List jobs

        Jobs that were requested with a higher clearance than the key's are left out.

        Scope: `memory:admin`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            state: May be repeated. Default: all.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listJobs", {"limit": limit, "cursor": cursor, "order": order, "kind": kind, "state": state}, {}, models.JobPage)

    def list_recalls(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        since: models.TimestampInput | None = None,
        until: models.EndInput | Unset = UNSET,
        caller: str | None = None,
        agent_id: str | None = None,
        unit_id: models.Id | None = None,
        q: str | None = None,
    ) -> AsyncIterator[models.RecallEntry]:
        """List the recalls that the diary keeps

        If the workspace keeps a diary (its setting `recallDiaryDays`): every recall, from whatever face and path, with what was asked, by whom, and which ids it showed with which scores. A recall is there about a second after its reply. A key sees the recalls of keys whose clearance is not above its own, because a query may tell whatever its author may see; of the results it sees those that it may see now. If a unit, turn or session is erased, the diary loses its ids and scores, and the queries that came from its text, name it or were asked in the session. Texts of results are never kept.

        Scope: `audit:read`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            since: Asked at this time or later.
            until: Asked before this time. Default: null.
            caller: `key:<id>`, as entries have it.
            agent_id: An agent, as the caller names it.
            unit_id: Recalls that showed this unit or turn.
            q: The query contains this; case does not matter.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listRecalls", {"limit": limit, "cursor": cursor, "order": order, "since": since, "until": nullable(until), "caller": caller, "agentId": agent_id, "unitId": unit_id, "q": q}, {}, models.RecallEntryPage)

    def list_broker_keys(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> AsyncIterator[models.BrokerKey]:
        """List the keys of brokers

        Without secrets, including revoked and expired ones.

        An admin's bearer. Scope: `memory:admin`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listBrokerKeys", {"limit": limit, "cursor": cursor, "order": order}, {}, models.BrokerKeyPage)

    def list_tenants(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
        external_id: models.ExternalId | None = None,
        q: str | None = None,
        state: models.TenantState | None = None,
        broker_id: models.Id | None = None,
    ) -> AsyncIterator[models.Tenant]:
        """List the tenants of a broker

        Including erased ones, of which only the receipt is left.

        An admin's bearer or a broker's key. Scope: `memory:admin`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".
            external_id: Only the user with this id.
            q: Only users whose id begins with this text.
            state: `creating`: its workspace may not be there yet; opening it again makes it. `suspended`: every request in its workspace is refused. `erasing`: some of its data may still be there; erasing it again goes on. `erased`: nothing of it is left.
            broker_id: The broker whose tenants an admin asks for; required for admins.

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listTenants", {"limit": limit, "cursor": cursor, "order": order, "externalId": external_id, "q": q, "state": state, "brokerId": broker_id}, {}, models.TenantPage)

    def list_workspaces(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        order: Literal["asc", "desc"] | None = None,
    ) -> AsyncIterator[models.Workspace]:
        """List workspaces

        An admin's bearer. Scope: `memory:admin`.

        Args:
            limit: Page size. Default: 50.
            cursor: `nextCursor` of the previous page.
            order: `desc`: newest first. Default: "desc".

        Returns:
            The items of all pages, in order.

        Raises:
            SvcError: The service refuses, or cannot be reached.
        """
        return self._caller._pages("listWorkspaces", {"limit": limit, "cursor": cursor, "order": order}, {}, models.WorkspacePage)
