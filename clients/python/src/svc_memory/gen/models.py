# Made by scripts/gen/sdk.ts from tests/openapi.json. Changes here are lost.
"""What the service takes and answers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from .._model import OPEN, Model

ErrorCode: TypeAlias = Literal[
    "invalid_request",
    "unauthenticated",
    "federation_token_invalid",
    "replay_detected",
    "totp_invalid",
    "insufficient_scope",
    "origin_not_allowed",
    "ip_not_allowed",
    "wrong_region",
    "workspace_suspended",
    "break_glass_required",
    "self_approval",
    "not_found",
    "method_not_allowed",
    "conflict",
    "invalid_transition",
    "gate_closed",
    "RESURRECTION_BLOCKED",
    "VERSION_JUMP_REJECTED",
    "idempotency_in_progress",
    "erased",
    "version_mismatch",
    "payload_too_large",
    "unsupported_media_type",
    "validation_failed",
    "idempotency_key_reused",
    "federation_verify_failed",
    "federation_decrypt_failed",
    "rate_limited",
    "internal",
    "unavailable",
    "deadline_exceeded",
]
"""Why the service refused a call; it is stable."""


class ProblemErrorsItem(Model):
    path: str

    message: str


class Problem(Model):
    type: str
    """`urn:svc:error:<code>`"""

    title: str

    status: int

    code: Annotated[Literal["invalid_request", "unauthenticated", "federation_token_invalid", "replay_detected", "totp_invalid", "insufficient_scope", "origin_not_allowed", "ip_not_allowed", "wrong_region", "workspace_suspended", "break_glass_required", "self_approval", "not_found", "method_not_allowed", "conflict", "invalid_transition", "gate_closed", "RESURRECTION_BLOCKED", "VERSION_JUMP_REJECTED", "idempotency_in_progress", "erased", "version_mismatch", "payload_too_large", "unsupported_media_type", "validation_failed", "idempotency_key_reused", "federation_verify_failed", "federation_decrypt_failed", "rate_limited", "internal", "unavailable", "deadline_exceeded"], OPEN]
    """Stable"""

    message: str
    """For people"""

    request_id: str

    retryable: bool

    help: str
    """Path, at this service, of the page that says what the code means and what to do: `/v1/errors/<code>`"""

    errors: list[ProblemErrorsItem] | None = None


class StreamSubscribe(Model):
    op: Literal["subscribe"]

    channel: StreamChannel
    """`tasks`: changes of tasks. `events`: recorded events. `memory`: every other change of the workspace. `health`: its health snapshot. `tasks` and `events` also need the scope `tasks:read`"""

    since: str | None = None
    """Sends what came after this position first. Default: only new events"""


class StreamUnsubscribe(Model):
    op: Literal["unsubscribe"]

    channel: StreamChannel
    """`tasks`: changes of tasks. `events`: recorded events. `memory`: every other change of the workspace. `health`: its health snapshot. `tasks` and `events` also need the scope `tasks:read`"""


class StreamPing(Model):
    op: Literal["ping"]


class StreamEvent(Model):
    op: Literal["event"]

    channel: StreamChannel
    """`tasks`: changes of tasks. `events`: recorded events. `memory`: every other change of the workspace. `health`: its health snapshot. `tasks` and `events` also need the scope `tasks:read`"""

    cursor: str
    """The position after this event, for `since`"""

    event: Change | HealthSnapshot
    """A health snapshot on the channel `health`, otherwise a change"""


class Change(Model):
    seq: int
    """Position in the workspace's feed, in the order in which changes became visible. A reader with full clearance sees no gaps"""

    kind: str
    """What happened: `<resource type>.<event>`, such as `fact.created`"""

    resource_type: str

    resource_id: Id
    """UUIDv7"""

    version: int
    """The resource's version after the change"""

    sensitivity: Sensitivity

    actor: str
    """Who did it: `key:<id>`, `worker:<name>`, `admin:<id>` or `cli`"""

    recorded_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    payload: JsonSchema
    """Small facts about the change, such as the new `status`; never content. Read the resource for that"""


class HealthSnapshotBacklog(Model):
    embedding: int
    """Texts without an embedding yet"""

    links: int
    """Facts and turns of users from an earlier build whose links to newer ones are still to be made"""

    worth: int
    """Units whose worth has to be computed again"""

    changes: int
    """Changes that the worth of units does not reflect yet"""

    jobs: int
    """Jobs that wait or run"""

    open_reviews: int
    """Reviews that wait for a person"""


class HealthSnapshot(Model):
    """The health of the memory"""

    live_facts: int
    """Facts that are active or contested"""

    pinned: int
    """Pinned units and turns"""

    turns: int

    sessions: int

    embedded_ratio: float
    """Share of indexed texts that have an embedding; 1 without texts"""

    embedding_backlog: int
    """Texts without an embedding yet"""

    recall_hit_rate: float | None
    """Share of recalls in the last 7 days that returned something; null without recalls"""

    recalls: int
    """Recalls in the last 7 days; the last seconds may be missing"""

    backlog: HealthSnapshotBacklog

    last_write_at: Timestamp | None

    change_seq: int
    """Length of the workspace's change feed"""


class StreamSubscribed(Model):
    op: Literal["subscribed"]

    channel: StreamChannel
    """`tasks`: changes of tasks. `events`: recorded events. `memory`: every other change of the workspace. `health`: its health snapshot. `tasks` and `events` also need the scope `tasks:read`"""

    cursor: str
    """The position at which the subscription begins"""


class StreamErrorErrorsItem(Model):
    path: str

    message: str


class StreamError(Model):
    op: Literal["error"]

    code: str
    """The error code, as in other replies"""

    message: str

    retryable: bool

    channel: StreamChannel | None = None
    """The subscription that the error refers to"""

    errors: list[StreamErrorErrorsItem] | None = None


class StreamPong(Model):
    op: Literal["pong"]


class TenantToken(Model):
    """A signed token that opens one workspace for a while. It is stored nowhere"""

    token: str
    """The token, which is sent as a key is: `Authorization: Bearer <token>`"""

    expires_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    scopes: list[Scope]

    max_sensitivity: Sensitivity


class ActorList(Model):
    """The actors with their names"""

    data: list[Actor]
    """In the order of the query"""


class Actor(Model):
    id: str

    name: str | None
    """Null: it is no key of this workspace"""


class IssuedApiKey(Model):
    """The key itself, which is shown only here, and its record"""

    id: Id
    """UUIDv7"""

    version: int

    public_id: str
    """The 12 characters of the key after its prefix; not a secret"""

    workspace_id: Id
    """UUIDv7"""

    name: str

    scopes: list[Scope]

    max_sensitivity: Sensitivity
    """The key's clearance: rows above it do not exist for the key"""

    cidrs: list[Cidr]

    rate_limit: KeyRateLimit | None
    """Null: the limit that the service is configured with"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    expires_at: Timestamp | None

    revoked_at: Timestamp | None

    last_used_at: Timestamp | None
    """When the key was last used, to the minute"""

    former_valid_until: Timestamp | None
    """Until when a replaced secret is still valid; null: none is"""

    key: str
    """The key itself, `svc_live_…`. It is shown only here and stored nowhere"""


class CreateApiKeyBody(Model):
    name: str

    workspace_id: Id | None = None
    """The workspace that the key is for; it never changes. Required"""

    scopes: list[Scope] = Field(default_factory=list)
    """What the key may do. Default: all scopes except `memory:admin`, `memory:admin:cross_tenant` and `federation`. `memory:admin:cross_tenant` has an effect on admins' keys only"""

    max_sensitivity: Sensitivity | None = None

    cidrs: list[Cidr] = Field(default_factory=list)
    """The address ranges from which the key may be used; empty: anywhere"""

    rate_limit: KeyRateLimit = None

    expires_at: EndInput = None
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""


class ApiKey(Model):
    """An API key without its secret"""

    id: Id
    """UUIDv7"""

    version: int

    public_id: str
    """The 12 characters of the key after its prefix; not a secret"""

    workspace_id: Id
    """UUIDv7"""

    name: str

    scopes: list[Scope]

    max_sensitivity: Sensitivity
    """The key's clearance: rows above it do not exist for the key"""

    cidrs: list[Cidr]

    rate_limit: KeyRateLimit | None
    """Null: the limit that the service is configured with"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    expires_at: Timestamp | None

    revoked_at: Timestamp | None

    last_used_at: Timestamp | None
    """When the key was last used, to the minute"""

    former_valid_until: Timestamp | None
    """Until when a replaced secret is still valid; null: none is"""


class ApiKeyPage(Model):
    data: list[ApiKey]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class UpdateApiKeyBody(Model):
    name: str | None = None

    scopes: list[Scope] | None = None

    max_sensitivity: Sensitivity | None = None

    cidrs: list[Cidr] | None = None
    """The address ranges from which the key may be used; empty: anywhere"""

    rate_limit: KeyRateLimit = None

    expires_at: EndInput = None
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""


class AuditPage(Model):
    data: list[AuditRow]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class AuditRow(Model):
    seq: int
    """Place in the workspace's chain, from 1 without gaps"""

    id: Id
    """UUIDv7"""

    workspace_id: Id = Field(validation_alias="workspace_id", serialization_alias="workspace_id")
    """UUIDv7"""

    actor_id: str = Field(validation_alias="actor_id", serialization_alias="actor_id")
    """`key:<id>`, `admin:<id>`, `worker:<name>` or `cli`"""

    actor_type: Annotated[Literal["key", "admin", "broker", "worker", "operator", "system", "peer"], OPEN] = Field(validation_alias="actor_type", serialization_alias="actor_type")

    event_type: str = Field(validation_alias="event_type", serialization_alias="event_type")
    """`read.<operation>`, `write.<operation>`, `refused.<operation>`, or a name such as `api_key.revoked`"""

    outcome: str
    """`ok`, `ignored`, `broken_off` (of an export), or the code of the refusal"""

    request_id: str = Field(validation_alias="request_id", serialization_alias="request_id")

    targets: list[Id]
    """What was written or shown: the first hundred ids"""

    target_count: int = Field(validation_alias="target_count", serialization_alias="target_count")

    detail: Metadata
    """Free members, at most 16 KiB as JSON"""

    created_at: Timestamp = Field(validation_alias="created_at", serialization_alias="created_at")
    """RFC 3339, UTC, milliseconds"""

    ip_address: str | None = Field(validation_alias="ip_address", serialization_alias="ip_address")
    """The caller's address; null: unknown, or deleted since"""

    ip_commitment: str | None = Field(validation_alias="ip_commitment", serialization_alias="ip_commitment")
    """SHA-256 of salt and address; part of the chain"""

    hash: str
    """SHA-256 in hex"""


class AuditVerification(Model):
    """Whether the chain of the audit log is whole"""

    ok: bool

    size: int
    """The last row that was read and is correct"""

    root: str | None
    """The tree head over all rows, if verification began with the first"""

    problem: Annotated[Literal["altered", "missing", "truncated", "rewritten", None], OPEN]

    first_bad_seq: int | None

    checkpoints_checked: int


class BreakGlassRequest(Model):
    """A request of an admin to enter a workspace, and its state"""

    id: Id
    """Send it in the header `x-svc-break-glass` to use the grant"""

    state: BreakGlassState

    workspace_id: Id
    """The workspace to enter"""

    reason: str

    scopes: list[Scope]
    """The grant allows operations that need one of these scopes"""

    max_sensitivity: Sensitivity

    ttl_seconds: int

    requested_by: AdminRef

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    pending_until: Timestamp
    """Until when another admin may approve it"""

    approved_by: AdminRef | None

    approved_at: Timestamp | None

    expires_at: Timestamp | None
    """Never later than 24 hours after `createdAt`"""

    ended_by: AdminRef | None
    """The admin who denied or revoked it"""

    ended_at: Timestamp | None

    uses: int

    last_used_at: Timestamp | None


class AdminRef(Model):
    id: Id
    """UUIDv7"""

    name: str


class ApproveBreakGlassBody(Model):
    totp: str
    """The admin's one-time code. Each code is accepted once"""


class BreakGlassPage(Model):
    data: list[BreakGlassRequest]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class RequestBreakGlassBody(Model):
    totp: str
    """The admin's one-time code. Each code is accepted once"""

    workspace_id: Id
    """UUIDv7"""

    reason: str
    """Why; the workspace reads it in its audit log"""

    scopes: list[Scope] = Field(default_factory=list)

    max_sensitivity: Sensitivity | None = None

    ttl_seconds: int = 3600
    """How long the grant lasts, from its approval. The configuration may allow less (`ADMIN_MAX_TTL_MS`)"""


class IssuedBrokerKey(Model):
    """The key itself, which is shown only here, and its record"""

    id: Id
    """The broker. Its tenants stay its own through every rotation"""

    version: int

    public_id: str
    """The 12 characters of the key after its prefix; not a secret"""

    name: str
    """The name of the app, under which the audit log shows what its broker did; no two brokers share one"""

    region: Region
    """It never changes"""

    scopes: list[Scope]
    """What the credentials of its tenants may do at most"""

    max_sensitivity: Sensitivity
    """The highest clearance that a credential of a tenant may have"""

    cidrs: list[Cidr]

    rate_limit: KeyRateLimit | None
    """The rate limit of the broker's key; null: the limit that the service is configured with"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    expires_at: Timestamp | None

    revoked_at: Timestamp | None

    last_used_at: Timestamp | None
    """When the key was last used, to the minute"""

    former_valid_until: Timestamp | None
    """Until when the replaced secret is still valid; null: it is not"""

    key: str
    """The key itself, `mk_broker_…`. It is shown only here and stored nowhere"""


class CreateBrokerKeyBody(Model):
    name: str
    """The name of the app, under which the audit log shows what its broker did; no two brokers share one"""

    region: Region
    """It never changes"""

    scopes: list[Scope] = Field(default_factory=list)
    """What the credentials of its tenants may do at most. `memory:export` also lets the broker export a tenant. Never `memory:admin:cross_tenant` or `federation`"""

    max_sensitivity: Sensitivity = "confidential"
    """The highest clearance that a credential of a tenant may have"""

    cidrs: list[Cidr] = Field(default_factory=list)
    """The address ranges from which the broker's key may be used; empty: anywhere"""

    rate_limit: KeyRateLimit | None = None
    """The rate limit of the broker's key; null: the limit that the service is configured with"""

    expires_at: EndInput = None
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""


class BrokerKey(Model):
    """The key of a broker without its secret"""

    id: Id
    """The broker. Its tenants stay its own through every rotation"""

    version: int

    public_id: str
    """The 12 characters of the key after its prefix; not a secret"""

    name: str
    """The name of the app, under which the audit log shows what its broker did; no two brokers share one"""

    region: Region
    """It never changes"""

    scopes: list[Scope]
    """What the credentials of its tenants may do at most"""

    max_sensitivity: Sensitivity
    """The highest clearance that a credential of a tenant may have"""

    cidrs: list[Cidr]

    rate_limit: KeyRateLimit | None
    """The rate limit of the broker's key; null: the limit that the service is configured with"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    expires_at: Timestamp | None

    revoked_at: Timestamp | None

    last_used_at: Timestamp | None
    """When the key was last used, to the minute"""

    former_valid_until: Timestamp | None
    """Until when the replaced secret is still valid; null: it is not"""


class BrokerKeyPage(Model):
    data: list[BrokerKey]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class RotateBrokerKeyBody(Model):
    overlap_seconds: int = 86400
    """How long the replaced secret, and earlier ones, stay valid at most, up to 30 days; 0 = they end now"""


class UpdateBrokerKeyBody(Model):
    scopes: list[Scope] | None = None
    """What the credentials of its tenants may do at most. `memory:export` also lets the broker export a tenant. Never `memory:admin:cross_tenant` or `federation`"""

    max_sensitivity: Sensitivity | None = None
    """The highest clearance that a credential of a tenant may have"""

    cidrs: list[Cidr] | None = None
    """The address ranges from which the broker's key may be used; empty: anywhere"""

    rate_limit: KeyRateLimit | None = None
    """The rate limit of the broker's key; null: the limit that the service is configured with"""

    expires_at: EndInput = None
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""


class RotateApiKeyBody(Model):
    overlap_seconds: int = 86400
    """How long the replaced secret, and earlier ones, stay valid at most, up to 30 days; 0 = they end now"""


class Tenant(Model):
    """A user of an app, with a workspace of its own"""

    id: Id
    """The tenant, and its workspace"""

    version: int

    external_id: ExternalId | None
    """The app's own id of its user; null once it is erased"""

    broker_id: Id
    """The broker that made it"""

    region: Region
    """It never changes"""

    state: TenantState
    """`creating`: its workspace may not be there yet; opening it again makes it. `suspended`: every request in its workspace is refused. `erasing`: some of its data may still be there; erasing it again goes on. `erased`: nothing of it is left"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    suspended_at: Timestamp | None

    erased_at: Timestamp | None

    erased_rows: dict[str, int] | None
    """How many rows its workspace had in which tables when its erasure began; null: it was not erased"""


class TenantPage(Model):
    data: list[Tenant]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class OpenedTenant(Model):
    """A tenant, and what opens its workspace"""

    tenant: Tenant
    """A user of an app, with a workspace of its own"""

    created: bool
    """Whether this request made the tenant"""

    token: TenantToken | None
    """The token, if one was asked for"""

    key: IssuedApiKey | None
    """The new key, if one was asked for"""


class OpenTenantBody(Model):
    external_id: str
    """The app's own id of its user, such as an account number. It decides the workspace"""

    credential: Annotated[Literal["token", "key", "none"], OPEN] = "token"
    """What to give for its workspace. `token`: a signed token, which ends by itself. `key`: a new API key each time. `none`: nothing, only the workspace"""

    ttl_seconds: int | None = None
    """For how long the token counts: a minute to a day; default: an hour. A key does not end by itself"""

    scopes: list[Scope] | None = None
    """What the credential may do; default: all that the broker may give"""

    max_sensitivity: Sensitivity | None = None
    """The credential's clearance; default: the highest that the broker may give"""

    broker_id: Id | None = None
    """The broker on whose behalf an admin asks; required for admins. A broker's key needs none"""


class Workspace(Model):
    """A workspace and its settings"""

    id: Id
    """UUIDv7"""

    version: int

    name: str

    region: Region
    """It never changes"""

    settings: WorkspaceSettings
    """Settings that hold for the whole workspace, whatever its keys say"""

    restricted_retention_from: Timestamp | None
    """When erasing begins: a day after the days were set or reduced; null: restricted data is kept"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""


class WorkspaceSettingsPredicatesValue(Model):
    exclusive: bool


class WorkspaceSettings(Model):
    """Settings that hold for the whole workspace, whatever its keys say"""

    max_sensitivity: Sensitivity
    """No key sees rows above this, whatever its own clearance"""

    rate_limit: KeyRateLimit | None
    """The rate limit of keys without one of their own; null: the limit that the service is configured with"""

    audit_address_days: int | None
    """The audit log deletes callers' addresses after this many days; null: it keeps them"""

    consolidate_every_hours: int | None
    """Consolidates when the last consolidation was requested this many hours ago, as soon as the gate is open; null: only on request"""

    restricted_retention_days: int | None
    """Erases restricted units, sessions, tasks, events and chains of reasoning that nobody has changed for this many days, from `restrictedRetentionFrom` on; null: keeps them. Each resource has its own age. Units that were derived from an erased one become stale and stay until they are due themselves. An entity stays while a text in force, a relation or a merged record of it is younger. Imported data is as old as its import. Recommended for restricted data: 90"""

    recall_diary_days: int
    """Keeps each recall for this many days: what was asked, by whom, and which ids it showed with which scores (`GET /v1/memory/recalls`). 0, the default: keeps none, and deletes those that were kept within minutes; they cannot be read any more at once. A change takes effect in all processes within seconds"""

    predicates: dict[str, WorkspaceSettingsPredicatesValue]
    """How many values predicates of facts have at a time, by their names; capitals, spaces, hyphens and underscores do not matter. `exclusive: true`: one, so that a new value replaces the last. `exclusive: false`: several, which stand beside each other. Counts before the defaults of the service, for facts that are stated from then on; a change replaces the whole value"""

    timezone: str | None
    """Where the people of the workspace are. The days that a query names ("yesterday", "June 10") and those that a turn means are days of this zone, unless the request, the session or the time says another; null: of UTC. A change takes effect in all processes within seconds, for turns that are added from then on"""


class CreateWorkspaceBody(Model):
    name: str

    region: Region
    """It never changes"""


class WorkspacePage(Model):
    data: list[Workspace]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class UpdateWorkspaceBodySettingsPredicatesValue(Model):
    exclusive: bool


class UpdateWorkspaceBodySettings(Model):
    """The settings to change; others stay"""

    max_sensitivity: Sensitivity | None = None
    """No key sees rows above this, whatever its own clearance"""

    rate_limit: KeyRateLimit | None = None
    """The rate limit of keys without one of their own; null: the limit that the service is configured with"""

    audit_address_days: int | None = None
    """The audit log deletes callers' addresses after this many days; null: it keeps them"""

    consolidate_every_hours: int | None = None
    """Consolidates when the last consolidation was requested this many hours ago, as soon as the gate is open; null: only on request"""

    restricted_retention_days: int | None = None
    """Erases restricted units, sessions, tasks, events and chains of reasoning that nobody has changed for this many days, from `restrictedRetentionFrom` on; null: keeps them. Each resource has its own age. Units that were derived from an erased one become stale and stay until they are due themselves. An entity stays while a text in force, a relation or a merged record of it is younger. Imported data is as old as its import. Recommended for restricted data: 90"""

    recall_diary_days: int | None = None
    """Keeps each recall for this many days: what was asked, by whom, and which ids it showed with which scores (`GET /v1/memory/recalls`). 0, the default: keeps none, and deletes those that were kept within minutes; they cannot be read any more at once. A change takes effect in all processes within seconds"""

    predicates: dict[str, UpdateWorkspaceBodySettingsPredicatesValue] | None = None
    """How many values predicates of facts have at a time, by their names; capitals, spaces, hyphens and underscores do not matter. `exclusive: true`: one, so that a new value replaces the last. `exclusive: false`: several, which stand beside each other. Counts before the defaults of the service, for facts that are stated from then on; a change replaces the whole value"""

    timezone: str | None = None
    """Where the people of the workspace are. The days that a query names ("yesterday", "June 10") and those that a turn means are days of this zone, unless the request, the session or the time says another; null: of UTC. A change takes effect in all processes within seconds, for turns that are added from then on"""


class UpdateWorkspaceBody(Model):
    name: str | None = None

    settings: UpdateWorkspaceBodySettings | None = None
    """The settings to change; others stay"""


class AuditCheckpoint(Model):
    """The signed head of the audit log"""

    origin: str

    size: int

    root: str
    """SHA-256 in hex"""

    note: str
    """The checkpoint as a signed note (C2SP). Keep it elsewhere: it proves a later rewrite of the log"""

    signed: bool

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""


class AuditConsistency(Model):
    """A proof that the log was only appended to"""

    first: int

    first_root: str
    """SHA-256 in hex"""

    second: int

    second_root: str
    """SHA-256 in hex"""

    path: list[str]


class AuditProof(Model):
    """A proof that the row is in the log"""

    seq: int
    """Place in the workspace's chain, from 1 without gaps"""

    size: int

    leaf_hash: str
    """SHA-256 of a zero byte and the row's hash (RFC 9162)"""

    root: str
    """SHA-256 in hex"""

    path: list[str]


class Decision(Model):
    """A decision, with its reasons and alternatives"""

    id: Id
    """UUIDv7"""

    type: Literal["decision"]

    version: int
    """Increases by one with each revision. Send it as `If-Match`"""

    status: DecisionStatus
    """`contested`: a peer's version of what is known here otherwise, which waits for review. `superseded`: another decision replaced it. `rejected`: it was not accepted, or was withdrawn. `archived`: deleted softly, can be restored"""

    attribution: Attribution
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    trust_score: TrustScore
    """The score of the attribution, but at most that of the least trusted unit it was derived from"""

    confidence: float
    """How certain its author is"""

    sensitivity: Sensitivity

    aliases: list[str]
    """Other names by which recall finds it"""

    tags: list[str]
    """Labels of the caller"""

    metadata: JsonSchema
    """Free members of the caller"""

    worth: Worth
    """How much it is worth keeping: from trust, use, feedback, corroboration and recency"""

    pinned: bool
    """Recall returns it always, apart from the results"""

    content_hash: str
    """SHA-256 of the content, hex"""

    origin: Origin

    derived_from: list[Id]
    """The units that it was made from"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    stale: Stale
    """Something that the unit rests on was superseded, retracted or erased, and nobody has affirmed the unit since. If very many units rest on one, the last of them become stale some seconds later"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str
    """Who created it, such as `key:<id>`"""

    title: str

    decision: str
    """What was decided"""

    rationale: str | None

    alternatives: list[str]
    """The alternatives that were considered"""

    consequences: str | None

    decided_by: str | None

    decided_at: Timestamp | None
    """Null while it is only proposed"""

    review_at: Timestamp | None
    """When the decision should be reviewed"""

    supersedes: Id | None
    """The decision that it replaced"""

    superseded_by: Id | None

    evidence_ids: list[Id]


class Origin(Model):
    instance: str

    id: Id
    """UUIDv7"""


class CreateDecisionBody(Model):
    attribution: Attribution = "agent_stated"
    """Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`"""

    confidence: float = 0.8

    sensitivity: Sensitivity | None = None
    """At most the key's clearance. Default: `internal`, or that of its most sensitive source"""

    aliases: UnitAliases | None = None
    """Other names by which recall finds it, as if its text had them. They are not part of the `contentHash`. Two that differ only in case, spacing or unseen characters are one"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: Metadata | None = None
    """Free members, at most 16 KiB as JSON"""

    pinned: bool = False

    derived_from: list[Id] = Field(default_factory=list)
    """Units that it was derived from. Its trust is at most that of the least trusted one"""

    title: str

    decision: str

    rationale: str | None = None

    alternatives: list[str] = Field(default_factory=list)

    consequences: str | None = None

    decided_by: str | None = None

    decided_at: TimestampInput | None = None
    """When it was decided; not in the future. Default for an accepted decision: now"""

    review_at: TimestampInput | None = None
    """RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC"""

    evidence_ids: list[Id] = Field(default_factory=list)
    """Units that support the decision. When one of them is superseded, retracted or erased, the decision becomes `stale`"""

    status: Annotated[Literal["proposed", "accepted"], OPEN] = "accepted"


class ArchivedDecision(Model):
    mode: Literal["archive"]

    decision: Decision
    """A decision, with its reasons and alternatives"""


class ErasedDecision(Model):
    mode: Literal["erase"]

    receipt: ErasureReceipt


class ErasureReceiptRemoved(Model):
    revisions: int

    texts: int
    """Indexed texts with their embeddings"""

    review_items: int

    relations: int


class ErasureReceipt(Model):
    id: Id
    """UUIDv7"""

    resource_type: str

    erased_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    erased_by: str

    reason: str | None

    removed: ErasureReceiptRemoved

    derived: list[Id] | None = None
    """With `cascade`: the units that were erased with it. Each has a receipt of its own in the deletion log"""

    stale_dependants: int
    """Number of units that became stale immediately, as far as the key sees them"""

    more_dependants: bool
    """More units become stale within seconds, in the background"""

    instance: str
    """The instance that erased it"""

    signature: ReceiptSignature
    """Null if the instance has no signing key"""


class ForgetBody(Model):
    mode: Annotated[Literal["archive", "erase"], OPEN]
    """`archive` can be undone. `erase` removes content, revisions, embedding and index for ever"""

    cascade: bool = False
    """With `erase`: also erases the units that were derived from it (`derivedFrom`, transitively), as far as the key sees them; more than 1,000 units are refused. Without `cascade` they become stale"""

    reason: str | None = None


class DecisionChain(Model):
    """All decisions that replaced each other, oldest first"""

    data: list[Decision]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""

    decision_id: Id
    """UUIDv7"""

    current_id: Id | None
    """The last decision of the chain, if it is proposed or accepted; otherwise null: none is in force"""


class DecisionPage(Model):
    data: list[Decision]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class SupersedeDecisionBody(Model):
    attribution: Attribution = "agent_stated"
    """Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`"""

    confidence: float = 0.8

    sensitivity: Sensitivity | None = None
    """At most the key's clearance. Default: `internal`, or that of its most sensitive source"""

    aliases: UnitAliases | None = None
    """Other names by which recall finds it, as if its text had them. They are not part of the `contentHash`. Two that differ only in case, spacing or unseen characters are one"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: Metadata | None = None
    """Free members, at most 16 KiB as JSON"""

    pinned: bool = False

    derived_from: list[Id] = Field(default_factory=list)
    """Units that it was derived from. Its trust is at most that of the least trusted one"""

    title: str

    decision: str

    rationale: str | None = None

    alternatives: list[str] = Field(default_factory=list)

    consequences: str | None = None

    decided_by: str | None = None

    decided_at: TimestampInput | None = None
    """When it was decided; not in the future. Default for an accepted decision: now"""

    review_at: TimestampInput | None = None
    """RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC"""

    evidence_ids: list[Id] = Field(default_factory=list)
    """Units that support the decision. When one of them is superseded, retracted or erased, the decision becomes `stale`"""

    reason: str | None = None
    """Why; kept in the history of the replaced decision"""


class UpdateDecisionBody(Model):
    attribution: Attribution | None = None
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    confidence: float | None = None

    sensitivity: Sensitivity | None = None

    aliases: UnitAliases | None = None
    """Replaces the whole list"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: dict[str, Any] | None = None
    """Replaces the whole value"""

    pinned: bool | None = None

    derived_from: list[Id] | None = None

    stale: Literal[False] | None = None
    """Affirms that the unit holds although something it rests on does not any more"""

    reason: str | None = None
    """Why; kept in the history"""

    title: str | None = None

    decision: str | None = None

    rationale: str | None = None

    alternatives: list[str] | None = None

    consequences: str | None = None

    decided_by: str | None = None

    decided_at: TimestampInput | None = None
    """RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC"""

    review_at: TimestampInput | None = None

    evidence_ids: list[Id] | None = None
    """Units that support the decision. When one of them is superseded, retracted or erased, the decision becomes `stale`"""

    status: Annotated[Literal["proposed", "accepted", "rejected"], OPEN] | None = None
    """From `proposed` to `accepted` or `rejected`, from `accepted` to `rejected`, from `rejected` back to `proposed`"""


class Entity(Model):
    """An entity: a person, a place, a thing"""

    id: Id
    """UUIDv7"""

    type: Literal["entity"]

    version: int
    """Increases by one with each revision. Send it as `If-Match`"""

    status: EntityStatus
    """`merged`: it was merged into the entity `mergedInto`. `archived`: deleted softly, can be restored. Recall returns only `active` entities"""

    attribution: Attribution
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    trust_score: TrustScore
    """The score of the attribution, but at most that of the least trusted unit it was derived from"""

    confidence: float
    """How certain its author is"""

    sensitivity: Sensitivity

    aliases: list[str]

    tags: list[str]
    """Labels of the caller"""

    metadata: JsonSchema
    """Free members of the caller"""

    worth: Worth
    """How much it is worth keeping: from trust, use, feedback, corroboration and recency"""

    pinned: bool
    """Recall returns it always, apart from the results"""

    content_hash: str
    """SHA-256 of the content, hex"""

    origin: Origin

    derived_from: list[Id]
    """The units that it was made from"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    stale: Stale
    """Something that the unit rests on was superseded, retracted or erased, and nobody has affirmed the unit since. If very many units rest on one, the last of them become stale some seconds later"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str
    """Who created it, such as `key:<id>`"""

    canonical_name: str

    entity_type: str

    attributes: JsonSchema
    """A JSON Schema, draft 2020-12 unless `$schema` names draft-07"""

    drawers: list[str]
    """Named groups that the entity is filed under"""

    merged_into: Id | None
    """If merged: the entity that it was merged into"""

    mention_count: int
    """Number of units and turns, visible to the key, that mention it"""

    first_seen_at: Timestamp | None
    """When it was first mentioned; null: never"""

    last_seen_at: Timestamp | None


class EntityBatchReply(Model):
    """The outcome of each entity, in the order of the request"""

    created: int

    found: int

    refused: int

    results: list[EntityBatchResult]


class EntityBatchResult(Model):
    index: int
    """Index of the item in the request"""

    status: int
    """201 created, 200 found, otherwise the status of the error"""

    entity: FoundEntity | None = None
    """The entity, new or found by one of its names"""

    error: ItemError | None = None


class FoundEntity(Model):
    """The entity, new or found by one of its names"""

    id: Id
    """UUIDv7"""

    type: Annotated[Literal["entity"], OPEN]

    version: int
    """Increases by one with each revision. Send it as `If-Match`"""

    status: EntityStatus
    """`merged`: it was merged into the entity `mergedInto`. `archived`: deleted softly, can be restored. Recall returns only `active` entities"""

    attribution: Attribution
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    trust_score: TrustScore
    """The score of the attribution, but at most that of the least trusted unit it was derived from"""

    confidence: float
    """How certain its author is"""

    sensitivity: Sensitivity

    aliases: list[str]

    tags: list[str]
    """Labels of the caller"""

    metadata: JsonSchema
    """Free members of the caller"""

    worth: Worth
    """How much it is worth keeping: from trust, use, feedback, corroboration and recency"""

    pinned: bool
    """Recall returns it always, apart from the results"""

    content_hash: str
    """SHA-256 of the content, hex"""

    origin: Origin

    derived_from: list[Id]
    """The units that it was made from"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    stale: Stale
    """Something that the unit rests on was superseded, retracted or erased, and nobody has affirmed the unit since. If very many units rest on one, the last of them become stale some seconds later"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str
    """Who created it, such as `key:<id>`"""

    canonical_name: str

    entity_type: str

    attributes: JsonSchema
    """A JSON Schema, draft 2020-12 unless `$schema` names draft-07"""

    drawers: list[str]
    """Named groups that the entity is filed under"""

    merged_into: Id | None
    """If merged: the entity that it was merged into"""

    mention_count: int
    """Number of units and turns, visible to the key, that mention it"""

    first_seen_at: Timestamp | None
    """When it was first mentioned; null: never"""

    last_seen_at: Timestamp | None

    created: bool

    restored: bool
    """The entity was archived; this request restored it"""

    matched_by: Annotated[Literal["name", "alias", None], OPEN]
    """What matched; null for a new entity"""

    kept_attributes: list[str]
    """Attributes that were not changed, because the entity is trusted more than this statement"""

    near_duplicates: list[NearEntity]
    """Entities that may be the same. Nothing was merged"""


class NearEntity(Model):
    id: Id
    """UUIDv7"""

    canonical_name: str

    similarity: float

    rule: str
    """Why the names are similar: `same_name`, `spelling`, `initials`, `acronym`, `numeronym`, `contained`, `short_form`, `plural`"""

    review_item_id: Id | None
    """Null: a person has already decided about these two"""


class CreateEntityBatchBody(Model):
    entities: list[CreateEntityBody]


class CreateEntityBody(Model):
    attribution: Attribution = "agent_stated"
    """Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`"""

    confidence: float = 0.8

    sensitivity: Sensitivity | None = None
    """At most the key's clearance. Default: `internal`, or that of its most sensitive source"""

    aliases: list[str] = Field(default_factory=list)
    """Other names of the entity"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: Metadata | None = None
    """Free members, at most 16 KiB as JSON"""

    pinned: bool = False

    derived_from: list[Id] = Field(default_factory=list)
    """Units that it was derived from. Its trust is at most that of the least trusted one"""

    canonical_name: str

    entity_type: str = "other"
    """Common types: person, organization, place, product, project, event, concept, document, technology, other; any other word is allowed. Stored in lower case, words joined by `_`"""

    attributes: JsonSchema = Field(default_factory=dict)
    """Known properties, by name; at most 16 KiB as JSON"""

    drawers: Tags = Field(default_factory=list)
    """Labels of the caller"""


class ArchivedEntity(Model):
    mode: Literal["archive"]

    entity: Entity
    """An entity: a person, a place, a thing"""


class ErasedEntity(Model):
    mode: Literal["erase"]

    receipt: ErasureReceipt


class Graph(Model):
    """Units and the edges between them"""

    nodes: list[PlacedNode]

    edges: list[GraphEdge]

    truncated: bool
    """Part of the result was left out"""

    truncated_by: list[TruncationReason]


class PlacedNode(Model):
    id: Id
    """UUIDv7"""

    type: UnitType

    label: str
    """The first line of the unit's text, at most 200 characters"""

    status: str

    trust_score: int

    sensitivity: Sensitivity

    stale: bool

    degree: int
    """Number of edges of this graph at this node"""

    x: float
    """Where to draw the node. The same graph always gets the same positions"""

    y: float

    depth: int | None
    """Steps from the centre; null: the graph has no centre"""


class GraphEdge(Model):
    implied: bool
    """The edge was derived from the units; there is no relation to change"""

    basis: Annotated[Literal["mention", "derivedFrom", "evidence", "supersededBy", None], OPEN]
    """Null for a relation"""

    relation_id: Id | None
    """Null for a derived edge"""

    verb: RelationVerb
    """Of derived edges: a unit is `about` what it mentions and `derived_from` its sources; its evidence `supports` it; its successor `supersedes` it"""

    weight: float | None
    """Null for a derived edge"""

    trust_score: int | None

    stale: bool

    valid_from: Timestamp | None

    valid_to: Timestamp | None

    source_id: Id | None
    """Null for a hyperedge"""

    target_id: Id | None

    participants: list[Participant] | None
    """For a hyperedge: the participants that are nodes of this graph; otherwise null"""


class Participant(Model):
    role: str
    """The edge leads from `source` to the others and from the others to `target`; any other role has no direction"""

    id: Id
    """UUIDv7"""


class EntityPage(Model):
    data: list[Entity]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class EntityEdgePage(Model):
    data: list[EntityEdge]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class EntityEdge(Model):
    implied: bool
    """The edge was derived from the units; there is no relation to change"""

    basis: Annotated[Literal["mention", "derivedFrom", "evidence", "supersededBy", None], OPEN]
    """Null for a relation"""

    relation_id: Id | None
    """Null for a derived edge"""

    verb: RelationVerb
    """Of derived edges: a unit is `about` what it mentions and `derived_from` its sources; its evidence `supports` it; its successor `supersedes` it"""

    weight: float | None
    """Null for a derived edge"""

    trust_score: int | None

    stale: bool

    valid_from: Timestamp | None

    valid_to: Timestamp | None

    direction: Direction
    """`out`: this entity is the source. `in`: it is the target"""

    unit: GraphNode
    """The unit at the other end"""

    hyper: bool
    """The relation has more participants; each has an edge of its own"""

    role: str | None
    """This entity's role in the relation; null for a derived edge"""

    unit_role: str | None


class MergedEntityMergedItem(Model):
    id: Id
    """UUIDv7"""

    version: int


class MergedEntity(Model):
    """The entity that remains, with what it took over"""

    id: Id
    """UUIDv7"""

    type: Annotated[Literal["entity"], OPEN]

    version: int
    """Increases by one with each revision. Send it as `If-Match`"""

    status: EntityStatus
    """`merged`: it was merged into the entity `mergedInto`. `archived`: deleted softly, can be restored. Recall returns only `active` entities"""

    attribution: Attribution
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    trust_score: TrustScore
    """The score of the attribution, but at most that of the least trusted unit it was derived from"""

    confidence: float
    """How certain its author is"""

    sensitivity: Sensitivity

    aliases: list[str]

    tags: list[str]
    """Labels of the caller"""

    metadata: JsonSchema
    """Free members of the caller"""

    worth: Worth
    """How much it is worth keeping: from trust, use, feedback, corroboration and recency"""

    pinned: bool
    """Recall returns it always, apart from the results"""

    content_hash: str
    """SHA-256 of the content, hex"""

    origin: Origin

    derived_from: list[Id]
    """The units that it was made from"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    stale: Stale
    """Something that the unit rests on was superseded, retracted or erased, and nobody has affirmed the unit since. If very many units rest on one, the last of them become stale some seconds later"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str
    """Who created it, such as `key:<id>`"""

    canonical_name: str

    entity_type: str

    attributes: JsonSchema
    """A JSON Schema, draft 2020-12 unless `$schema` names draft-07"""

    drawers: list[str]
    """Named groups that the entity is filed under"""

    merged_into: Id | None
    """If merged: the entity that it was merged into"""

    mention_count: int
    """Number of units and turns, visible to the key, that mention it"""

    first_seen_at: Timestamp | None
    """When it was first mentioned; null: never"""

    last_seen_at: Timestamp | None

    merged: list[MergedEntityMergedItem]
    """The entities that this call merged; earlier merges are left out"""


class MergeEntityBody(Model):
    source_ids: list[Id]

    reason: str | None = None
    """Why; kept in the history"""


class SeparatedEntity(Model):
    """The entities after their separation"""

    id: Id
    """UUIDv7"""

    type: Annotated[Literal["entity"], OPEN]

    version: int
    """Increases by one with each revision. Send it as `If-Match`"""

    status: EntityStatus
    """`merged`: it was merged into the entity `mergedInto`. `archived`: deleted softly, can be restored. Recall returns only `active` entities"""

    attribution: Attribution
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    trust_score: TrustScore
    """The score of the attribution, but at most that of the least trusted unit it was derived from"""

    confidence: float
    """How certain its author is"""

    sensitivity: Sensitivity

    aliases: list[str]

    tags: list[str]
    """Labels of the caller"""

    metadata: JsonSchema
    """Free members of the caller"""

    worth: Worth
    """How much it is worth keeping: from trust, use, feedback, corroboration and recency"""

    pinned: bool
    """Recall returns it always, apart from the results"""

    content_hash: str
    """SHA-256 of the content, hex"""

    origin: Origin

    derived_from: list[Id]
    """The units that it was made from"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    stale: Stale
    """Something that the unit rests on was superseded, retracted or erased, and nobody has affirmed the unit since. If very many units rest on one, the last of them become stale some seconds later"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str
    """Who created it, such as `key:<id>`"""

    canonical_name: str

    entity_type: str

    attributes: JsonSchema
    """A JSON Schema, draft 2020-12 unless `$schema` names draft-07"""

    drawers: list[str]
    """Named groups that the entity is filed under"""

    merged_into: Id | None
    """If merged: the entity that it was merged into"""

    mention_count: int
    """Number of units and turns, visible to the key, that mention it"""

    first_seen_at: Timestamp | None
    """When it was first mentioned; null: never"""

    last_seen_at: Timestamp | None

    separated: list[Entity]
    """The entities that stand for themselves again"""


class UpdateEntityBody(Model):
    attribution: Attribution | None = None
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    confidence: float | None = None

    sensitivity: Sensitivity | None = None

    aliases: list[str] | None = None
    """Replaces the whole list"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: dict[str, Any] | None = None
    """Replaces the whole value"""

    pinned: bool | None = None

    derived_from: list[Id] | None = None

    stale: Literal[False] | None = None
    """Affirms that the unit holds although something it rests on does not any more"""

    reason: str | None = None
    """Why; kept in the history"""

    canonical_name: str | None = None
    """The previous name stays as an alias, unless `aliases` is given"""

    entity_type: str | None = None
    """Common types: person, organization, place, product, project, event, concept, document, technology, other; any other word is allowed. Stored in lower case, words joined by `_`"""

    attributes: JsonSchema | None = None
    """Replaces all attributes"""

    drawers: Tags | None = None
    """Replaces the whole list"""

    status: Annotated[Literal["active"], OPEN] | None = None
    """`active` restores an archived unit"""


class Episode(Model):
    """An episode: what happened in a span of time"""

    id: Id
    """UUIDv7"""

    type: Literal["episode"]

    version: int
    """Increases by one with each revision. Send it as `If-Match`"""

    status: KeptStatus
    """`contested`: a peer's version of what is known here otherwise, which waits for review. `archived`: deleted softly. It is in neither recall nor lists and can be restored"""

    attribution: Attribution
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    trust_score: TrustScore
    """The score of the attribution, but at most that of the least trusted unit it was derived from"""

    confidence: float
    """How certain its author is"""

    sensitivity: Sensitivity

    aliases: list[str]
    """Other names by which recall finds it"""

    tags: list[str]
    """Labels of the caller"""

    metadata: JsonSchema
    """Free members of the caller"""

    worth: Worth
    """How much it is worth keeping: from trust, use, feedback, corroboration and recency"""

    pinned: bool
    """Recall returns it always, apart from the results"""

    content_hash: str
    """SHA-256 of the content, hex"""

    origin: Origin

    derived_from: list[Id]
    """The units that it was made from"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    stale: Stale
    """Something that the unit rests on was superseded, retracted or erased, and nobody has affirmed the unit since. If very many units rest on one, the last of them become stale some seconds later"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str
    """Who created it, such as `key:<id>`"""

    title: str

    summary: str

    kind: str
    """What sort of episode; `session` if a session was collapsed to it"""

    started_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    ended_at: Timestamp | None
    """Null: the end is not known"""

    participants: list[str]

    fact_ids: list[Id]

    session_id: Id | None

    outcome: str | None


class CreateEpisodeBody(Model):
    attribution: Attribution = "agent_stated"
    """Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`"""

    confidence: float = 0.8

    sensitivity: Sensitivity | None = None
    """At most the key's clearance. Default: `internal`, or that of its most sensitive source"""

    aliases: UnitAliases | None = None
    """Other names by which recall finds it, as if its text had them. They are not part of the `contentHash`. Two that differ only in case, spacing or unseen characters are one"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: Metadata | None = None
    """Free members, at most 16 KiB as JSON"""

    pinned: bool = False

    derived_from: list[Id] = Field(default_factory=list)
    """Units that it was derived from. Its trust is at most that of the least trusted one"""

    title: str

    summary: str | None = None

    kind: str = "event"

    started_at: TimestampInput | None = None
    """Default: now"""

    ended_at: EndInput = None
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""

    participants: list[str] = Field(default_factory=list)

    fact_ids: list[Id] = Field(default_factory=list)
    """Facts that resulted from it or that it is about"""

    session_id: Id | None = None
    """The session in which it happened"""

    outcome: str | None = None


class ArchivedEpisode(Model):
    mode: Literal["archive"]

    episode: Episode
    """An episode: what happened in a span of time"""


class ErasedEpisode(Model):
    mode: Literal["erase"]

    receipt: ErasureReceipt


class LinkFactsBody(Model):
    fact_ids: list[Id]

    reason: str | None = None


class EpisodePage(Model):
    data: list[Episode]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class WrittenFact(Model):
    """The fact as it was written, and the conflicts that were found"""

    id: Id
    """UUIDv7"""

    type: Annotated[Literal["fact"], OPEN]

    version: int
    """Increases by one with each revision. Send it as `If-Match`"""

    status: FactStatus
    """`active`: in force. `contested`: contradicts another fact in force and waits for review. `superseded`: was true until a newer fact replaced it; a fact that another one will replace on a later day is in force until that day. `retracted`: was wrong. `expired`: its `expiresAt` has passed. `archived`: deleted softly, can be restored"""

    attribution: Attribution
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    trust_score: TrustScore
    """The score of the attribution, but at most that of the least trusted unit it was derived from"""

    confidence: float
    """How certain its author is"""

    sensitivity: Sensitivity

    aliases: list[str]
    """Other names by which recall finds it"""

    tags: list[str]
    """Labels of the caller"""

    metadata: JsonSchema
    """Free members of the caller"""

    worth: Worth
    """How much it is worth keeping: from trust, use, feedback, corroboration and recency"""

    pinned: bool
    """Recall returns it always, apart from the results"""

    content_hash: str
    """SHA-256 of the content, hex"""

    origin: Origin

    derived_from: list[Id]
    """The units that it was made from"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    stale: Stale
    """Something that the unit rests on was superseded, retracted or erased, and nobody has affirmed the unit since. If very many units rest on one, the last of them become stale some seconds later"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str
    """Who created it, such as `key:<id>`"""

    external_id: str | None
    """The name that a caller's own system has for it"""

    statement: str
    """The fact as a sentence"""

    subject: str | None
    """Of the triple, as its author gives it; null: not given"""

    predicate: str | None
    """Of the triple"""

    object: str | None
    """Of the triple"""

    exclusive: bool | None
    """Whether its predicate has one value at a time, as its author says; null: as the workspace's settings or the defaults say"""

    claims: list[FactClaim]
    """What the service reads in the statement; empty if the author gives a triple or a part of it. A claim that says that something has changed supersedes what it says has ended"""

    fact_type: FactType

    valid_from: Timestamp | None
    """When it began to be true in the world; null: not known"""

    valid_to: Timestamp | None
    """When it stopped being true, exclusive; null: not known to have ended"""

    recorded_at: Timestamp
    """When this service first knew it"""

    retracted_at: Timestamp | None
    """When it was declared wrong"""

    occurred_at: Timestamp | None
    """When what it tells of happened; null: not known"""

    expires_at: Timestamp | None
    """When it becomes `expired` by itself; null: never"""

    supersedes: Id | None
    """The fact that it replaced"""

    superseded_by: Id | None
    """The fact that replaced it or, if `validTo` lies ahead, will replace it then"""

    entity_ids: list[Id]
    """Entities that it mentions"""

    citations: list[Citation]
    """The messages that it comes from"""

    corroboration_count: int
    """How often somebody stated the same again"""

    duplicate_of: Id | None
    """A fact in force that says nearly the same. Only a suggestion: nothing was changed"""

    conflict: FactConflict

    left_out: list[str] | None = None
    """If the fact was known already: the members of the request that it did not take, such as `expiresAt` or `metadata.source`, because it says otherwise or has no room. Absent: it has taken all"""


class FactClaim(Model):
    subject: str
    """`user`: who speaks, if the statement names nobody"""

    respect: Annotated[Literal["residence", "employment", "role", "tool", "preference", "possession", "relation", "membership", "measure", "time", "status", "permission", "diet", "name", "attribute", "activity"], OPEN]

    predicate: str
    """In its normal form, such as `lives in`"""

    object: str
    """Empty: whatever the value is"""

    polarity: Annotated[Literal["positive", "negative"], OPEN]
    """`negative`: the statement denies it"""

    change: Annotated[Literal["began", "ended", "replaced", "rescheduled", "adjusted", "renamed", "handed_over", "cancelled"], OPEN] | None = None
    """How the statement says that something has changed"""

    from_: str | None = None
    """The value that held before, if the statement names it"""

    confidence: float

    inferred_by: Annotated[Literal["rules"], OPEN]


class Citation(Model):
    message_id: str

    session_id: Id | None = None
    """UUIDv7"""

    quote: str | None = None


class FactConflict(Model):
    outcome: Annotated[Literal["none", "corroborated", "superseded", "contested", "ordered", "interrupts", "outdates"], OPEN]
    """`none`: no conflict. `corroborated`: the fact was known already. `superseded`: it replaces other facts, from its beginning on. `contested`: it contradicts a fact in force and waits for review. `ordered`: it is older than a known fact and holds until that one begins. `interrupts`: it is bounded on both sides and holds within facts that last longer, which hold before and after it. `outdates`: it says something else than older facts in the same respect, and not that anything has changed; all stay, recall marks the older ones, and a review item asks"""

    fact_ids: list[Id]
    """The other facts concerned"""

    review_item_id: Id | None


class CreateFactBody(Model):
    attribution: Attribution = "agent_stated"
    """Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`"""

    confidence: float = 0.8

    sensitivity: Sensitivity | None = None
    """At most the key's clearance. Default: `internal`, or that of its most sensitive source"""

    aliases: UnitAliases | None = None
    """Other names by which recall finds it, as if its text had them. They are not part of the `contentHash`. Two that differ only in case, spacing or unseen characters are one"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: Metadata | None = None
    """Free members, at most 16 KiB as JSON"""

    pinned: bool = False

    derived_from: list[Id] = Field(default_factory=list)
    """Units that it was derived from. Its trust is at most that of the least trusted one"""

    statement: str

    subject: str | None = None

    predicate: str | None = None

    object: str | None = None
    """Facts contradict each other if they have the same subject and predicate, different objects and overlapping validity, and the predicate has one value at a time"""

    exclusive: bool | None = None
    """Whether the predicate has one value at a time. `false`: this fact and others about the same subject and predicate stand beside each other. Default: as the workspace's settings say; otherwise `lives in`, `works at`, `status`, `price` and the like have one value, `speaks`, `visited`, `child` and the like have several. Of any other predicate several values stand beside each other, and recall marks the older ones `outdatedBy`"""

    fact_type: FactType | None = None

    valid_from: TimestampInput | None = None
    """When the statement began to be true, of a state with a known beginning ("lives in Porto", since May): `asOf` before that time does not find it"""

    valid_to: EndInput = None
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""

    occurred_at: TimestampInput | None = None
    """When what it tells of happened or, of a state with no known beginning, was said: dates of a query match it, and of two statements the later one is the newer. It does not bound what is true at a time"""

    expires_at: EndInput = None
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""

    entity_ids: list[Id] = Field(default_factory=list)
    """Entities that it mentions"""

    citations: list[Citation] = Field(default_factory=list)

    external_id: ExternalId | None = None
    """The name that the caller's own system has for it, unique in the workspace. A fact in force that says the same takes it, if it has none. Refused if another fact has it, in whatever state, or if the fact that says the same has another"""

    supersedes: Id | None = None
    """A fact in force that this one replaces. It becomes `superseded`, as if conflict detection had found it, and can be restored. It may be trusted more than this one only if the key has `memory:admin`. Without `sensitivity`, this fact is at least as sensitive"""


class ArchivedFact(Model):
    mode: Literal["archive"]

    fact: Fact
    """A fact: a statement with two time axes"""


class Fact(Model):
    """A fact: a statement with two time axes"""

    id: Id
    """UUIDv7"""

    type: Literal["fact"]

    version: int
    """Increases by one with each revision. Send it as `If-Match`"""

    status: FactStatus
    """`active`: in force. `contested`: contradicts another fact in force and waits for review. `superseded`: was true until a newer fact replaced it; a fact that another one will replace on a later day is in force until that day. `retracted`: was wrong. `expired`: its `expiresAt` has passed. `archived`: deleted softly, can be restored"""

    attribution: Attribution
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    trust_score: TrustScore
    """The score of the attribution, but at most that of the least trusted unit it was derived from"""

    confidence: float
    """How certain its author is"""

    sensitivity: Sensitivity

    aliases: list[str]
    """Other names by which recall finds it"""

    tags: list[str]
    """Labels of the caller"""

    metadata: JsonSchema
    """Free members of the caller"""

    worth: Worth
    """How much it is worth keeping: from trust, use, feedback, corroboration and recency"""

    pinned: bool
    """Recall returns it always, apart from the results"""

    content_hash: str
    """SHA-256 of the content, hex"""

    origin: Origin

    derived_from: list[Id]
    """The units that it was made from"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    stale: Stale
    """Something that the unit rests on was superseded, retracted or erased, and nobody has affirmed the unit since. If very many units rest on one, the last of them become stale some seconds later"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str
    """Who created it, such as `key:<id>`"""

    external_id: str | None
    """The name that a caller's own system has for it"""

    statement: str
    """The fact as a sentence"""

    subject: str | None
    """Of the triple, as its author gives it; null: not given"""

    predicate: str | None
    """Of the triple"""

    object: str | None
    """Of the triple"""

    exclusive: bool | None
    """Whether its predicate has one value at a time, as its author says; null: as the workspace's settings or the defaults say"""

    claims: list[FactClaim]
    """What the service reads in the statement; empty if the author gives a triple or a part of it. A claim that says that something has changed supersedes what it says has ended"""

    fact_type: FactType

    valid_from: Timestamp | None
    """When it began to be true in the world; null: not known"""

    valid_to: Timestamp | None
    """When it stopped being true, exclusive; null: not known to have ended"""

    recorded_at: Timestamp
    """When this service first knew it"""

    retracted_at: Timestamp | None
    """When it was declared wrong"""

    occurred_at: Timestamp | None
    """When what it tells of happened; null: not known"""

    expires_at: Timestamp | None
    """When it becomes `expired` by itself; null: never"""

    supersedes: Id | None
    """The fact that it replaced"""

    superseded_by: Id | None
    """The fact that replaced it or, if `validTo` lies ahead, will replace it then"""

    entity_ids: list[Id]
    """Entities that it mentions"""

    citations: list[Citation]
    """The messages that it comes from"""

    corroboration_count: int
    """How often somebody stated the same again"""


class ErasedFact(Model):
    mode: Literal["erase"]

    receipt: ErasureReceipt


class FactHistoryPage(Model):
    data: list[FactHistoryEntry]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class FactHistoryEntry(Model):
    version: int

    event: str
    """What created this version"""

    recorded_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    replaced_at: Timestamp | None
    """Null for the version in force"""

    changed_by: str

    reason: str | None

    status: FactStatus
    """`active`: in force. `contested`: contradicts another fact in force and waits for review. `superseded`: was true until a newer fact replaced it; a fact that another one will replace on a later day is in force until that day. `retracted`: was wrong. `expired`: its `expiresAt` has passed. `archived`: deleted softly, can be restored"""

    valid_from: Timestamp | None

    valid_to: Timestamp | None

    changed: list[str]
    """Members that differ from the previous version; empty for the first"""


class FactCitations(Model):
    """All citations of a fact: there are at most 100"""

    fact_id: Id
    """UUIDv7"""

    data: list[ResolvedCitation]

    next_cursor: None


class ResolvedCitation(Model):
    message_id: str

    session_id: Id | None

    quote: str | None

    turn: dict[str, Any] | None
    """Null if no turn, or more than one, has this message id"""


class FactPage(Model):
    data: list[Fact]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class UpdateFactBody(Model):
    attribution: Attribution | None = None
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    confidence: float | None = None

    sensitivity: Sensitivity | None = None

    aliases: UnitAliases | None = None
    """Replaces the whole list"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: dict[str, Any] | None = None
    """Replaces the whole value"""

    pinned: bool | None = None

    derived_from: list[Id] | None = None

    stale: Literal[False] | None = None
    """Affirms that the unit holds although something it rests on does not any more"""

    reason: str | None = None
    """Why; kept in the history"""

    statement: str | None = None

    subject: str | None = None

    predicate: str | None = None

    object: str | None = None

    exclusive: bool | None = None
    """Whether the predicate has one value at a time. `false`: this fact and others about the same subject and predicate stand beside each other. Default: as the workspace's settings say; otherwise `lives in`, `works at`, `status`, `price` and the like have one value, `speaks`, `visited`, `child` and the like have several. Of any other predicate several values stand beside each other, and recall marks the older ones `outdatedBy`"""

    claims: list[FactClaim] | None = None
    """Empty: it claims nothing. Null: the service reads the statement again"""

    fact_type: FactType | None = None

    valid_from: TimestampInput | None = None
    """When the statement began to be true, of a state with a known beginning ("lives in Porto", since May): `asOf` before that time does not find it"""

    valid_to: EndInput = None
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""

    occurred_at: TimestampInput | None = None
    """When what it tells of happened or, of a state with no known beginning, was said: dates of a query match it, and of two statements the later one is the newer. It does not bound what is true at a time"""

    expires_at: EndInput = None
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""

    entity_ids: list[Id] | None = None
    """Entities that it mentions"""

    citations: list[Citation] | None = None

    status: Annotated[Literal["retracted"], OPEN] | None = None
    """Declares that the fact was wrong. Other states have operations of their own"""


class Liveness(Model):
    """The process answers"""

    status: Annotated[Literal["ok"], OPEN]


class Readiness(Model):
    """Whether the service can do its work"""

    status: Annotated[Literal["ok", "unavailable"], OPEN]

    checks: dict[str, Annotated[Literal["ok", "unavailable", "starting", "stopping", "deaf", "building", "missing", "behind", "promoted", "foreign"], OPEN]]


class ImportReplyErrorsItem(Model):
    line: int
    """Line number; the header is line 1. In a document of another service: the number of the record"""

    kind: str | None

    id: str | None

    code: str

    message: str


class ImportReply(Model):
    """What was created, changed, left as it was, left out and refused"""

    format: ImportFormat
    """`svc`: an export of this service. `mem0`: memories of Mem0, as JSON or JSONL. `graphiti`: edges of Graphiti or Zep, as JSON or JSONL. `mcp`: the JSONL of the MCP memory server. `openmemory`: `memories.json` or the JSONL of an OpenMemory backup. `letta`: an agent file, or passages of archival memory. `zep`: `{ users, sessions }` with messages and facts. `chatgpt`: `conversations.json`. `claude`: `conversations.json`, `memories.json` or `projects.json` of claude.ai. `claude-code`: lines of transcripts. `markdown`: `{ files: [{ path, text, modifiedAt }] }`. `hindsight`: `{ source_bank_id, documents, observations }` of a bank's archive. Conversations become sessions with their turns, memories become facts"""

    source: dict[str, Any] | None
    """The file's header; null for other formats"""

    complete: bool
    """False: the file was truncated, and `partial` allowed it"""

    lines: int
    """Number of lines, without the first and the last"""

    created: int

    updated: int
    """Newer versions of existing resources"""

    unchanged: int
    """Existed already"""

    failed: int

    mapped: int
    """Resources whose id here differs from their id in the file"""

    kinds: dict[str, ImportCounts]

    withheld: dict[str, int]
    """How many lines were imported without a member, because the key lacks `memory:admin`: `attribution` (above `imported`), `author`, `collapse` (what a session collapsed to), `pinned`, `scratchpad`, `time` (recorded in the future), `trust` (scores and counts since the version was written) and `worth`"""

    omitted: dict[str, int]
    """What of another service's file was left out because it is no memory, such as tool calls and hidden messages, and how often"""

    errors: list[ImportReplyErrorsItem]
    """The first 1000 lines that were refused"""

    errors_omitted: int

    dry_run: Literal[True] | None = None
    """The service tried the import and undid it"""

    samples: list[ImportSample] | None = None
    """With `dryRun`: up to 10 lines that were accepted, the first ones of each kind in turn"""


class ImportCounts(Model):
    created: int

    updated: int
    """Newer versions of existing resources"""

    unchanged: int
    """Existed already"""

    failed: int


class ImportSample(Model):
    line: int
    """Line number; the header is line 1"""

    kind: TransferKind

    id: str | None
    """The id that it would have here"""

    outcome: Annotated[Literal["created", "updated", "unchanged"], OPEN]

    text: str | None
    """The first 200 characters of what it says; null if it has no text"""


class JobProgress(Model):
    phase: str | None

    steps: int


class Job(Model):
    """A job, step by step"""

    id: Id
    """UUIDv7"""

    kind: str

    state: JobState

    sensitivity: Sensitivity
    """The clearance of the caller; the job sees and changes nothing above it"""

    input: JsonSchema
    """A JSON Schema, draft 2020-12 unless `$schema` names draft-07"""

    gate: list[GateCondition] | None
    """The gate at the time of the request"""

    progress: JobProgress

    report: JobReport
    """What a completed job did"""

    failure: str | None

    attempts: int
    """How often a process started the job; more than 1: a process died"""

    requested_by: str

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    started_at: Timestamp | None

    finished_at: Timestamp | None

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    steps: list[JobStep]


class GateCondition(Model):
    """`new_facts`: facts stored since the last consolidation began. `contested`: open reviews of contested facts. `drift`: the drift index of the latest snapshot against the one a day earlier. `quiet_period`: seconds since the last write of knowledge. `manual_hold`: whether somebody holds the gate closed"""

    name: Annotated[Literal["new_facts", "contested", "drift", "quiet_period", "manual_hold"], OPEN]

    passed: bool

    value: float | bool | None
    """Null: not known; the condition then passes"""

    threshold: float | bool

    comparison: Annotated[Literal["at_least", "at_most", "equals"], OPEN]
    """How the value must compare with the threshold"""

    message: str


class SyncReportRejectedItem(Model):
    code: str

    count: int


class SyncReport(Model):
    """What an exchange with a peer came to"""

    peer: InstanceId
    """The name of an instance: `instance:<host>`"""

    received: int

    sent: int

    conflicts: int
    """Items that a person has to settle"""

    rejected: list[SyncReportRejectedItem]
    """How many items were not accepted, by reason"""

    duration_ms: int

    reconciled: SyncReconciled
    """What a comparison of both sides found; null: there was none"""

    error: dict[str, Any] | None
    """Why it stopped early; null when it finished"""


class JobStep(Model):
    step: int

    kind: str

    reason: str

    units: list[JobUnit]

    undo: str | None
    """How to undo the step by hand; null: nothing was changed"""

    done_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    reverted_by: Id | None
    """The job that reverted this one"""


class JobUnit(Model):
    id: Id
    """UUIDv7"""

    type: str

    role: str
    """`kept`, `merged`, `archived`, `expired`, `created`, `restored`"""

    version_before: int | None
    """Null: the step created the unit, or this is a dry run"""

    version_after: int | None
    """Null in a dry run"""

    status_before: str | None

    status_after: str | None


class ConsolidateBody(Model):
    dry_run: bool = False
    """Lists what would be done and changes nothing. It runs even if the gate is closed"""

    force: bool = False
    """Runs although the gate is closed, unless somebody holds it closed"""


class ExportBody(Model):
    as_of: TimestampInput | None = None
    """Exports what this service knew at that time, with the history up to then. Not in the future"""

    types: list[TransferKind] | None = None
    """Kinds of lines. Default: all"""


class UsageStatsUnitsByTypeValue(Model):
    total: int

    in_force: int

    by_status: dict[str, int]


class UsageStatsUnits(Model):
    total: int

    in_force: int
    """Not superseded, retracted, rejected, retired, archived or expired"""

    pinned: int
    """In force"""

    stale: int
    """In force"""

    by_type: dict[str, UsageStatsUnitsByTypeValue]

    by_status: dict[str, int]

    by_attribution: dict[str, int]

    by_sensitivity: dict[str, int]


class UsageStatsSessions(Model):
    total: int

    by_status: dict[str, int]

    turns: int

    tokens: int
    """Tokens of all turns, as counted when they were written"""


class UsageStatsTasks(Model):
    total: int

    by_status: dict[str, int]


class UsageStatsEvents(Model):
    total: int


class UsageStatsReviews(Model):
    open: int

    by_kind: dict[str, int]
    """Open reviews by kind"""


class UsageStatsJobs(Model):
    total: int

    by_state: dict[str, int]


class UsageStatsTagsItem(Model):
    tag: str

    units: int


class UsageStatsDaysItem(Model):
    day: str

    recalls: int

    recall_hits: int
    """Recalls that returned something"""

    units_created: int

    turns_recorded: int


class UsageStatsStorageTablesItem(Model):
    name: str

    rows: int

    bytes: int


class UsageStatsStorage(Model):
    """Rows are counted. Bytes are estimated from up to 500 rows of each table, without indexes"""

    bytes: int

    tables: list[UsageStatsStorageTablesItem]


class UsageStats(Model):
    """Covers what the key's clearance allows. Recalls are counted for the whole workspace"""

    at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    units: UsageStatsUnits

    sessions: UsageStatsSessions

    tasks: UsageStatsTasks

    events: UsageStatsEvents

    reviews: UsageStatsReviews

    jobs: UsageStatsJobs

    tags: list[UsageStatsTagsItem]
    """The 20 most frequent tags of units in force"""

    days: list[UsageStatsDaysItem]
    """The last 30 days including today, oldest first, in UTC"""

    storage: UsageStatsStorage
    """Rows are counted. Bytes are estimated from up to 500 rows of each table, without indexes"""


class JobPage(Model):
    data: list[JobSummary]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class JobSummaryProgress(Model):
    phase: str | None

    steps: int


class JobSummary(Model):
    id: Id
    """UUIDv7"""

    kind: str

    state: JobState

    sensitivity: Sensitivity
    """The clearance of the caller; the job sees and changes nothing above it"""

    input: JsonSchema
    """A JSON Schema, draft 2020-12 unless `$schema` names draft-07"""

    gate: list[GateCondition] | None
    """The gate at the time of the request"""

    progress: JobSummaryProgress

    report: JobReport
    """What a completed job did"""

    failure: str | None

    attempts: int
    """How often a process started the job; more than 1: a process died"""

    requested_by: str

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    started_at: Timestamp | None

    finished_at: Timestamp | None

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""


class AgentPage(Model):
    data: list[Agent]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class Agent(Model):
    agent_id: str

    counts: AgentCounts
    """How many of each name it, as far as the key sees them"""

    first_seen_at: Timestamp
    """When the first of them was made; an event: when it occurred"""

    last_seen_at: Timestamp
    """When the last of them was made or changed"""


class AgentCounts(Model):
    """How many of each name it, as far as the key sees them"""

    sessions: int

    tasks: int
    """Assigned to it or claimed by it"""

    events: int

    reasoning: int
    """Chains of reasoning"""

    playbooks: int

    self_edits: int


class ChangePage(Model):
    data: list[ListedChange]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""

    end_cursor: str
    """The end of the feed when the page was read. When `nextCursor` is null, pass this as `since` to get later changes"""


class ListedChange(Model):
    seq: int
    """Position in the workspace's feed, in the order in which changes became visible. A reader with full clearance sees no gaps"""

    kind: str
    """What happened: `<resource type>.<event>`, such as `fact.created`"""

    resource_type: str

    resource_id: Id
    """UUIDv7"""

    version: int
    """The resource's version after the change"""

    sensitivity: Sensitivity

    actor: str
    """Who did it: `key:<id>`, `worker:<name>`, `admin:<id>` or `cli`"""

    recorded_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    payload: JsonSchema
    """Small facts about the change, such as the new `status`; never content. Read the resource for that"""

    cursor: str
    """The position after this change, for `since`"""


class DecisionBatchReply(Model):
    """The outcome of each item, in the order of the request"""

    created: int

    refused: int

    results: list[DecisionBatchResult]


class DecisionBatchResult(Model):
    index: int
    """Index of the item in the request"""

    status: int
    """201 created, otherwise the status of the error"""

    decision: Decision | None = None
    """A decision, with its reasons and alternatives"""

    error: ItemError | None = None


class ItemErrorErrorsItem(Model):
    path: str

    message: str


class ItemError(Model):
    code: str

    message: str

    errors: list[ItemErrorErrorsItem] | None = None


class CreateDecisionBatchBody(Model):
    decisions: list[CreateDecisionBody]


class DecisionRevisionPage(Model):
    data: list[DecisionRevision]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class DecisionRevision(Model):
    version: int

    event: str
    """What created this version"""

    recorded_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    replaced_at: Timestamp | None
    """Null for the version in force"""

    changed_by: str

    reason: str | None

    decision: Decision
    """A decision, with its reasons and alternatives"""


class EntityRevisionPage(Model):
    data: list[EntityRevision]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class EntityRevision(Model):
    version: int

    event: str
    """What created this version"""

    recorded_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    replaced_at: Timestamp | None
    """Null for the version in force"""

    changed_by: str

    reason: str | None

    entity: EntityThen


class EntityThen(Model):
    id: Id
    """UUIDv7"""

    type: Annotated[Literal["entity"], OPEN]

    version: int
    """Increases by one with each revision. Send it as `If-Match`"""

    status: EntityStatus
    """`merged`: it was merged into the entity `mergedInto`. `archived`: deleted softly, can be restored. Recall returns only `active` entities"""

    attribution: Attribution
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    trust_score: TrustScore
    """The score of the attribution, but at most that of the least trusted unit it was derived from"""

    confidence: float
    """How certain its author is"""

    sensitivity: Sensitivity

    aliases: list[str]

    tags: list[str]
    """Labels of the caller"""

    metadata: JsonSchema
    """Free members of the caller"""

    worth: Worth
    """How much it is worth keeping: from trust, use, feedback, corroboration and recency"""

    pinned: bool
    """Recall returns it always, apart from the results"""

    content_hash: str
    """SHA-256 of the content, hex"""

    origin: Origin

    derived_from: list[Id]
    """The units that it was made from"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    stale: Stale
    """Something that the unit rests on was superseded, retracted or erased, and nobody has affirmed the unit since. If very many units rest on one, the last of them become stale some seconds later"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str
    """Who created it, such as `key:<id>`"""

    canonical_name: str

    entity_type: str

    attributes: JsonSchema
    """A JSON Schema, draft 2020-12 unless `$schema` names draft-07"""

    drawers: list[str]
    """Named groups that the entity is filed under"""

    merged_into: Id | None
    """If merged: the entity that it was merged into"""


class TimelineCounts(Model):
    """How much there is in each span of time"""

    bucket: Annotated[Literal["hour", "day", "week", "month"], OPEN] = "day"
    """Weeks begin on Monday"""

    time_zone: str

    from_: Timestamp | None
    """Null if there is nothing to count"""

    to: Timestamp | None

    total: int

    data: list[TimelineBucket]
    """Every span from `from` to `to`, including empty ones"""


class TimelineBucket(Model):
    start: Timestamp
    """RFC 3339, UTC, milliseconds"""

    end: Timestamp
    """Where the next span starts"""

    total: int

    counts: dict[str, int]
    """Counts by type; types without items are left out"""


class EpisodeBatchReply(Model):
    """The outcome of each item, in the order of the request"""

    created: int

    refused: int

    results: list[EpisodeBatchResult]


class EpisodeBatchResult(Model):
    index: int
    """Index of the item in the request"""

    status: int
    """201 created, otherwise the status of the error"""

    episode: Episode | None = None
    """An episode: what happened in a span of time"""

    error: ItemError | None = None


class CreateEpisodeBatchBody(Model):
    episodes: list[CreateEpisodeBody]


class EpisodeTimeline(Model):
    """The episode and what happened around it"""

    data: list[EpisodeMoment]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""

    episode: Episode
    """An episode: what happened in a span of time"""


class FactMoment(Model):
    type: Literal["fact"]

    at: Timestamp
    """`occurredAt`, else `validFrom`, else `recordedAt`"""

    fact: Fact
    """A fact: a statement with two time axes"""


class TurnMoment(Model):
    type: Literal["turn"]

    at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    turn: Turn
    """A turn of a session, verbatim"""


class Turn(Model):
    """A turn of a session, verbatim"""

    id: Id
    """UUIDv7"""

    session_id: Id
    """UUIDv7"""

    version: int

    position: int
    """Position in the session, from 0"""

    message_id: str

    role: TurnRole

    name: str | None

    content: str

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    sensitivity: Sensitivity

    pinned: bool

    tags: list[str]

    metadata: JsonSchema
    """A JSON Schema, draft 2020-12 unless `$schema` names draft-07"""

    occurred_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    utc_offset: str | None = None
    """Offset of the writer's clock at that time; absent if it is not known"""

    recorded_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    erased_at: Timestamp | None = None
    """When its content was erased; absent: it was not"""


class EpisodeRevisionPage(Model):
    data: list[EpisodeRevision]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class EpisodeRevision(Model):
    version: int

    event: str
    """What created this version"""

    recorded_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    replaced_at: Timestamp | None
    """Null for the version in force"""

    changed_by: str

    reason: str | None

    episode: Episode
    """An episode: what happened in a span of time"""


class ForgetRecordReply(Model):
    """The receipt of the erasure"""

    mode: Annotated[Literal["erase"], OPEN]

    receipt: ErasureReceipt


class ForgetRecordBody(Model):
    mode: Annotated[Literal["erase"], OPEN]
    """Erases it for ever. Tasks and events cannot be archived"""

    reason: str | None = None


class Event(Model):
    """An event of an agent"""

    id: Id
    """UUIDv7"""

    type: str

    agent_id: str | None

    session_id: Id | None

    data: JsonSchema
    """A JSON Schema, draft 2020-12 unless `$schema` names draft-07"""

    sensitivity: Sensitivity

    occurred_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    recorded_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str


class EventPage(Model):
    data: list[Event]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class RecordEventBody(Model):
    type: str
    """The type of event, in the caller's own words"""

    agent_id: str | None = None
    """The agent that the event belongs to"""

    session_id: Id | None = None
    """The session in which it happened. The service does not check that it exists"""

    data: dict[str, Any] | None = None
    """Free members, at most 16 KiB as JSON"""

    sensitivity: Sensitivity = "internal"
    """At most the key's clearance"""

    occurred_at: TimestampInput | None = None
    """Default: now"""


class EventBatchReply(Model):
    """The outcome of each event, in the order of the request"""

    recorded: int

    data: list[Event]
    """In the order of the request"""


class RecordEventBatchBody(Model):
    events: list[RecordEventBody]


class FactBatchReply(Model):
    """The outcome of each fact, in the order of the request"""

    created: int

    corroborated: int

    refused: int

    results: list[FactBatchResult]


class FactBatchResult(Model):
    index: int
    """Index of the item in the request"""

    status: int
    """201 created, 200 known already, otherwise the status of the error"""

    fact: WrittenFact | None = None
    """The fact as it was written, and the conflicts that were found"""

    error: ItemError | None = None


class CreateFactBatchBody(Model):
    facts: list[CreateFactBody]


class FactRevisionPage(Model):
    data: list[FactRevision]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class FactRevision(Model):
    version: int

    event: str
    """What created this version"""

    recorded_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    replaced_at: Timestamp | None
    """Null for the version in force"""

    changed_by: str

    reason: str | None

    fact: Fact
    """A fact: a statement with two time axes"""


class UpsertFactBody(Model):
    """Members that it has replace those of the fact, null clears one, and members that it does not have stay as they are. A new fact gets the defaults of `CreateFactBody`"""

    attribution: Attribution | None = None
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    confidence: float | None = None

    sensitivity: Sensitivity | None = None

    aliases: UnitAliases | None = None
    """Replaces the whole list"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: dict[str, Any] | None = None
    """Replaces the whole value"""

    pinned: bool | None = None

    derived_from: list[Id] | None = None

    statement: str

    subject: str | None = None

    predicate: str | None = None

    object: str | None = None

    exclusive: bool | None = None
    """Whether the predicate has one value at a time. `false`: this fact and others about the same subject and predicate stand beside each other. Default: as the workspace's settings say; otherwise `lives in`, `works at`, `status`, `price` and the like have one value, `speaks`, `visited`, `child` and the like have several. Of any other predicate several values stand beside each other, and recall marks the older ones `outdatedBy`"""

    fact_type: FactType | None = None

    valid_from: TimestampInput | None = None
    """When the statement began to be true, of a state with a known beginning ("lives in Porto", since May): `asOf` before that time does not find it"""

    valid_to: EndInput = None
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""

    occurred_at: TimestampInput | None = None
    """When what it tells of happened or, of a state with no known beginning, was said: dates of a query match it, and of two statements the later one is the newer. It does not bound what is true at a time"""

    expires_at: EndInput = None
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""

    entity_ids: list[Id] | None = None
    """Entities that it mentions"""

    citations: list[Citation] | None = None

    supersedes: Id | None = None
    """A new fact replaces this one, as `supersedes` of `CreateFactBody` says. If the fact exists, it must have replaced this one already; otherwise the request is refused, and nothing changes. `POST /v1/memory/relations` with the verb `supersedes` lets an existing fact replace another"""


class Peer(Model):
    """A peer and its state"""

    id: InstanceId
    """The name of an instance: `instance:<host>`"""

    uid: Id
    """Its id in the change feed and in the audit log"""

    version: int
    """Increases by one with each change of its entry, such as its approval. It stays as it is when the peer's state changes. Send it as `If-Match`"""

    endpoint: str

    state: Annotated[Literal["DISCOVERED", "HANDSHAKE", "ACTIVE", "DEGRADED"], OPEN]

    stale: bool
    """No exchange has succeeded for 24 hours"""

    approved: bool

    source: Annotated[Literal["config", "stored", "srv"], OPEN]
    """Where its entry comes from: the configuration, a person or DNS"""

    direction: PeerDirection
    """`push`: this instance pushes, the peer only receives"""

    workspaces: list[str]
    """The workspace, or `<id here>=<id there>`"""

    region: str | None
    """That of its entry, else the one that it told in a handshake. Null: neither is known"""

    max_sensitivity: Sensitivity

    conflict_resolution: ConflictResolution

    converges: bool | None
    """Whether both sides come to show the same, by their policies, for `manual` and `consensus` once people have settled what is contested. Null: the peer has not told its policy in a handshake"""

    trust_weight: int | None

    signed: bool
    """Whether its entry has a key that verifies what it sends"""

    sealed: bool | None
    """Whether this instance accepts only sealed and signed pages from it. Null: `SVC_SECRETS_KEY` does not open the secrets of its entry"""

    warnings: list[str]
    """What is missing for more trust, such as keys. The exchange goes on without it"""

    key_ids: list[str]
    """Ids of the keys that verify its signatures now"""

    certificate: dict[str, Any] | None

    contact_at: Timestamp | None

    success_at: Timestamp | None

    level_at: Timestamp | None
    """When both sides last had the same items"""

    lag_seconds: float | None

    skew_ms: int | None
    """By how many milliseconds its clock is ahead of this instance's"""

    failures: int

    next_attempt_at: Timestamp | None

    last_error: dict[str, Any] | None

    counts: dict[str, float]

    reconciliation: dict[str, Any] | None

    erasures_pending: int
    """How many notices of erasure it has not acknowledged"""

    found: dict[str, Any] | None
    """What DNS says about a discovered peer; null for any other"""


class AddPeerBody(Model):
    id: InstanceId
    """The name of an instance: `instance:<host>`"""

    endpoint: str

    cert_pin: str | None = None
    """`sha256/<base64>`: the SHA-256 of a certificate's SPKI"""

    cert_pin_next: str | None = None
    """`sha256/<base64>`: the SHA-256 of a certificate's SPKI"""

    client_cert_pin: str | None = None
    """`sha256/<base64>`: the SHA-256 of a certificate's SPKI"""

    direction: PeerDirection | None = None
    """`push`: this instance pushes, the peer only receives"""

    region: Region | None = None
    """It never changes"""

    max_sensitivity: Sensitivity | None = None

    conflict_resolution: ConflictResolution | None = None

    trust_weight: int | None = None

    signing_public_key: str | None = None

    signing_public_key_next: str | None = None

    symmetric_key: str | None = None

    symmetric_key_next: str | None = None

    seal_key: str | None = None

    api_key: str | None = None

    workspaces: list[str] | None = None
    """The workspace of the key, or `<its id here>=<its id there>`; default: the same id on both sides"""

    inbound_key_id: Id | None = None
    """Id of the API key that was issued to the peer. From now on the key works only together with the peer's token"""


class ApprovePeerBody(Model):
    cert_pin: str | None = None
    """`sha256/<base64>`: the SHA-256 of a certificate's SPKI"""

    signing_public_key: str | None = None

    symmetric_key: str | None = None

    api_key: str | None = None

    direction: PeerDirection | None = None
    """`push`: this instance pushes, the peer only receives"""

    max_sensitivity: Sensitivity | None = None

    conflict_resolution: ConflictResolution | None = None

    trust_weight: int | None = None

    region: Region | None = None
    """It never changes"""

    remote_workspace_id: Id | None = None
    """The id of the workspace at the peer"""


class HandshakeChallengeYouAre(Model):
    """The address and the client certificate that the hello came with"""

    address: str | None

    certificate_pin: str | None


class HandshakeChallenge(Model):
    v: Literal[1]

    from_: InstanceId
    """The name of an instance: `instance:<host>`"""

    to: InstanceId
    """The name of an instance: `instance:<host>`"""

    workspace: Id
    """The workspace's id at the instance that is called"""

    type: Literal["challenge"]

    hello: str
    """SHA-256 of the hello as it was sent"""

    nonce: str

    expires_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    region: str | None

    direction: PeerDirection
    """`push`: this instance pushes, the peer only receives"""

    capabilities: list[str]

    time: Timestamp
    """RFC 3339, UTC, milliseconds"""

    you_are: HandshakeChallengeYouAre
    """The address and the client certificate that the hello came with"""

    key_id: str | None = None
    """Left out, with the signature, by an instance without a key"""

    signature: str | None = None
    """Ed25519, over `svc-fed-handshake-v1`, a line break and the canonical JSON of the other members"""


class HandshakeWelcome(Model):
    v: Literal[1]

    from_: InstanceId
    """The name of an instance: `instance:<host>`"""

    to: InstanceId
    """The name of an instance: `instance:<host>`"""

    workspace: Id
    """The workspace's id at the instance that is called"""

    type: Literal["welcome"]

    state: Annotated[Literal["HANDSHAKE", "ACTIVE", "DEGRADED"], OPEN]

    direction: PeerDirection
    """`push`: this instance pushes, the peer only receives"""


class HandshakeJoined(Model):
    v: Literal[1]

    type: Literal["joined"]

    peer: InstanceId
    """The name of an instance: `instance:<host>`"""

    state: Annotated[Literal["HANDSHAKE"], OPEN]


class HandshakeHello(Model):
    v: Literal[1]

    from_: InstanceId
    """The name of an instance: `instance:<host>`"""

    to: InstanceId
    """The name of an instance: `instance:<host>`"""

    workspace: Id
    """The workspace's id at the instance that is called"""

    type: Literal["hello"]

    nonce: str

    sent_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    region: str | None

    direction: PeerDirection
    """`push`: this instance pushes, the peer only receives"""

    capabilities: list[str]


class HandshakeAnswer(Model):
    v: Literal[1]

    from_: InstanceId
    """The name of an instance: `instance:<host>`"""

    to: InstanceId
    """The name of an instance: `instance:<host>`"""

    workspace: Id
    """The workspace's id at the instance that is called"""

    type: Literal["answer"]

    nonce: str

    expires_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    hello: str

    challenge: str
    """SHA-256 of the challenge as it was received"""

    key_id: str | None = None
    """Left out, with the signature, by an instance without a key"""

    signature: str | None = None
    """Ed25519, over `svc-fed-handshake-v1`, a line break and the canonical JSON of the other members"""


class HandshakeJoin(Model):
    v: Literal[1]

    type: Literal["join"]

    invite: Id
    """UUIDv7"""

    from_: InstanceId
    """The name of an instance: `instance:<host>`"""

    endpoint: str

    workspace: Id
    """The workspace's id at the instance that joins"""

    region: Region | None

    signing_public_key: str

    cert_pin: str
    """`sha256/<base64>`: the SHA-256 of a certificate's SPKI"""

    client_cert_pin: str | None = None
    """`sha256/<base64>`: the SHA-256 of a certificate's SPKI"""

    api_key: str

    proof: str
    """HMAC-SHA-256 with the secret of the invitation over the canonical JSON of the other members"""


class FederationDigestNodesItem1ChildrenItem(Model):
    prefix: str

    count: int

    digest: str


class FederationDigestNodesItem1(Model):
    prefix: str

    count: int

    digest: str

    children: list[FederationDigestNodesItem1ChildrenItem]
    """Empty children are left out"""


class FederationDigestNodesItem2ItemsItem(Model):
    id: Id
    """UUIDv7"""

    instance: InstanceId
    """The name of an instance: `instance:<host>`"""

    type: FederationItemType
    """The type of an item; with `:deleted` at the end the item was erased"""

    version: int

    hash: str


class FederationDigestNodesItem2(Model):
    prefix: str

    items: list[FederationDigestNodesItem2ItemsItem]


class FederationDigest(Model):
    """What this instance holds, as hashes to compare"""

    v: Literal[1]

    from_: InstanceId
    """The name of an instance: `instance:<host>`"""

    to: FederationAddressee

    workspace: Id
    """UUIDv7"""

    side: Annotated[Literal["served", "held"], OPEN]

    epoch: Id
    """Names this record of publications; a position of another epoch is not valid"""

    seq: int

    total: int

    nodes: list[FederationDigestNodesItem1 | FederationDigestNodesItem2]
    """In the order of the request"""


class SyncJobRejectedItem(Model):
    code: str

    count: int


class SyncJob(Model):
    """The exchange with a peer, and how far it is"""

    job_id: Id
    """UUIDv7"""

    status: Annotated[Literal["processing", "completed", "failed", "partial"], OPEN]
    """`partial`: some items were not accepted, or the time was not enough. `failed`: it stopped early; what it had done stays"""

    peer: InstanceId
    """The name of an instance: `instance:<host>`"""

    received: int

    sent: int

    conflicts: int
    """Items that a person has to settle"""

    rejected: list[SyncJobRejectedItem]
    """How many items were not accepted, by reason"""

    duration_ms: int

    reconciled: SyncReconciled
    """What a comparison of both sides found; null: there was none"""

    error: dict[str, Any] | None
    """Why it stopped early; null when it finished"""

    items_synced: int
    """The sum of `received` and `sent`"""


class FederationConflictPage(Model):
    data: list[FederationConflict]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class FederationConflictOrigin(Model):
    """Where the item began, and its id there"""

    instance: InstanceId
    """The name of an instance: `instance:<host>`"""

    id: Id
    """UUIDv7"""


class FederationConflict(Model):
    id: Id
    """UUIDv7"""

    type: Annotated[Literal["fact", "decision", "strategy", "workflow", "skill", "episode", "entity", "relation"], OPEN]

    origin: FederationConflictOrigin
    """Where the item began, and its id there"""

    writer: InstanceId
    """The instance whose version contradicts what is shown here"""

    state: Annotated[Literal["contested", "resolved", "dismissed"], OPEN]

    unit_id: Id
    """The unit or relation that is shown here"""

    other_unit_id: Id | None
    """The unit that holds the other version; null for entities and relations"""

    strategy: ConflictResolution

    review_item_id: Id | None

    task_id: Id | None

    sensitivity: Sensitivity

    outcome: str | None

    opened_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    resolved_at: Timestamp | None

    resolved_by: str | None


class FederationEnvelope(Model):
    """Items for the peer, sealed for it"""

    v: Literal[1]

    from_: InstanceId
    """The name of an instance: `instance:<host>`"""

    to: FederationAddressee

    workspace: Id
    """The workspace's id at the instance that serves"""

    region: str | None

    issued_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    key_id: str | None = None
    """The key that signed"""

    alg: Annotated[Literal["Ed25519+A256GCM"], OPEN] | None = None

    cursor: str | None
    """The `since` of the next request. At the end it equals the `since` of this one. Null when `ids` were asked for"""

    items: list[FederationSealedItem] | list[FederationPlainItem] | list[FederationProjectedItem]

    signature: str | None = None
    """Ed25519 over the SHA-256 of the canonical JSON of `items`"""


class FederationSealedItem(Model):
    id: Id
    """UUIDv7"""

    type: FederationItemType
    """The type of an item; with `:deleted` at the end the item was erased"""

    version: int

    hash: str

    nonce: str
    """12 bytes"""

    sealed: str
    """AES-256-GCM of the body: ciphertext and tag"""


class FederationPlainItem(Model):
    id: Id
    """UUIDv7"""

    type: FederationItemType
    """The type of an item; with `:deleted` at the end the item was erased"""

    version: int

    hash: str

    body: FederationItemBody


class FederationItemBodyOrigin(Model):
    """Where the item began, and its id there"""

    instance: InstanceId
    """The name of an instance: `instance:<host>`"""

    id: Id
    """UUIDv7"""


class FederationItemBody(Model):
    v: Literal[1]

    origin: FederationItemBodyOrigin
    """Where the item began, and its id there"""

    writer: InstanceId
    """The instance that published this version"""

    version: int

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    seen: dict[str, int]
    """For each other writer: its latest version that this version's writer knew"""

    affirms: Annotated[Literal["kept", "taken", None], OPEN]
    """`kept` or `taken`: by policy the writer kept its own content, or took another's. Null: somebody wrote it"""

    unit: dict[str, Any]
    """The content, in the members of the item's type. Null: the item was erased or withdrawn"""

    withdrawn: Literal[True] | None = None
    """The writer no longer offers the item to this peer"""


class FederationProjectedItem(Model):
    fact_id: Id
    """UUIDv7"""

    hash: str
    """A keyed hash: it shows that the fact changed, and nothing of its content"""

    region: str


class PeerList(Model):
    data: list[Peer]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class RemoteFactPage(Model):
    data: list[RemoteFact]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class RemoteFact(Model):
    """A fact that another region holds. Its id and a keyed hash are known here, nothing else"""

    peer: InstanceId
    """The name of an instance: `instance:<host>`"""

    fact_id: Id
    """UUIDv7"""

    hash: str

    region: str

    seen_at: Timestamp
    """RFC 3339, UTC, milliseconds"""


class RemovedPeer(Model):
    """The peer that was removed"""

    id: InstanceId
    """The name of an instance: `instance:<host>`"""

    removed: Literal[True]


class ResolveFederationReplyVotesItem(Model):
    instance: InstanceId
    """The name of an instance: `instance:<host>`"""

    hash: str

    weight: int
    """In millionths of a point of weight"""


class ResolveFederationReplyIgnoredItem(Model):
    instance: InstanceId
    """The name of an instance: `instance:<host>`"""

    reason: Annotated[Literal["unknown_peer", "repeated", "not_its_word"], OPEN]


class ResolveFederationReply(Model):
    """The conflict as it was settled"""

    conflict_id: Id
    """UUIDv7"""

    status: Annotated[Literal["resolved", "contested"], OPEN]

    rule: Annotated[Literal["last_write_wins", "weighted_consensus"], OPEN]

    winner: dict[str, Any] | None

    votes: list[ResolveFederationReplyVotesItem]

    ignored: list[ResolveFederationReplyIgnoredItem]
    """Claims that did not count, and why"""

    unit_id: Id
    """UUIDv7"""

    review_item_id: Id | None


class ResolveFederationBody1(Model):
    item_a: FederationVersionRef

    item_b: FederationVersionRef


class ResolveFederationBody2(Model):
    items: list[FederationClaim]


class FederationVersionRef(Model):
    id: Id
    """The id that the item has where it began"""

    instance: InstanceId
    """The instance that wrote the version"""

    version: int | None = None

    hash: str | None = None


class FederationClaim(Model):
    instance: InstanceId
    """The instance that is said to hold this version"""

    id: Id
    """The id that the item has where it began"""

    version: int

    hash: str

    updated_at: Timestamp | None = None
    """RFC 3339, UTC, milliseconds"""


class FederationSyncAckResultsItem(Model):
    id: Id
    """UUIDv7"""

    instance: InstanceId
    """Where the item began"""

    version: int

    outcome: FederationItemOutcome
    """`applied`: the receiver shows this version now. `duplicate`, `unchanged`: the receiver had it already. `kept_ours`: the receiver shows another version. `contested`: a person has to decide. `deferred`: the receiver keeps it and cannot use it yet. `version_removed`: the receiver removed the sender's version of an item that began elsewhere. `conflict`: the sender published the same version number before, with another hash"""

    base: int | None = None
    """With `VERSION_JUMP_REJECTED`: the highest version known here"""


class FederationSyncAck(Model):
    v: Literal[1]

    type: Literal["SYNC_ACK"]

    for_: Id
    """`messageId` of the message that this answers"""

    from_: InstanceId
    """The name of an instance: `instance:<host>`"""

    to: InstanceId
    """The name of an instance: `instance:<host>`"""

    workspace: Id
    """The id at the instance that answers"""

    at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    results: list[FederationSyncAckResultsItem]

    key_id: str | None = None

    signature: str | None = None
    """Ed25519 over `svc-fed-ack-v1`, a line feed and the canonical JSON of the rest"""


class FederationClaimReplyClaimsItem(Model):
    id: Id
    """UUIDv7"""

    instance: InstanceId
    """The name of an instance: `instance:<host>`"""

    version: int

    hash: str

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""


class FederationClaimReply(Model):
    v: Literal[1]

    type: Literal["CLAIM_REPLY"]

    for_: Id
    """UUIDv7"""

    from_: InstanceId
    """The name of an instance: `instance:<host>`"""

    to: InstanceId
    """The name of an instance: `instance:<host>`"""

    workspace: Id
    """UUIDv7"""

    at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    claims: list[FederationClaimReplyClaimsItem]

    key_id: str | None = None

    signature: str | None = None


class FederationAccepted(Model):
    v: Literal[1]

    type: Literal["ACCEPTED"]

    for_: Id
    """UUIDv7"""


class FederationSyncPush(Model):
    v: Literal[1]

    message_id: Id
    """UUIDv7"""

    from_: InstanceId
    """The name of an instance: `instance:<host>`"""

    to: InstanceId
    """The name of an instance: `instance:<host>`"""

    workspace: Id
    """The workspace's id at the instance that receives"""

    type: Literal["SYNC_PUSH"]

    requires_ack: bool = True
    """Whether the sender wants a signed answer"""

    envelope: dict[str, Any]
    """A page of items as `GET items` serves it, without a cursor"""


class FederationEraseNotifyItemsItem(Model):
    id: Id
    """UUIDv7"""

    instance: InstanceId
    """Where the item began"""

    type: FederationItemType
    """The type of an item; with `:deleted` at the end the item was erased"""

    version: int

    erased_at: Timestamp
    """RFC 3339, UTC, milliseconds"""


class FederationEraseNotify(Model):
    v: Literal[1]

    message_id: Id
    """UUIDv7"""

    from_: InstanceId
    """The name of an instance: `instance:<host>`"""

    to: InstanceId
    """The name of an instance: `instance:<host>`"""

    workspace: Id
    """The workspace's id at the instance that receives"""

    type: Literal["ERASE_NOTIFY"]

    requires_ack: bool = True
    """Whether the sender wants a signed answer"""

    items: list[FederationEraseNotifyItemsItem]


class FederationSyncHint(Model):
    v: Literal[1]

    message_id: Id
    """UUIDv7"""

    from_: InstanceId
    """The name of an instance: `instance:<host>`"""

    to: InstanceId
    """The name of an instance: `instance:<host>`"""

    workspace: Id
    """The workspace's id at the instance that receives"""

    type: Literal["SYNC_HINT"]

    cursor: str | None = None
    """How far the sender has published"""


class FederationClaimRequestItemsItem(Model):
    id: Id
    """UUIDv7"""

    instance: InstanceId
    """The name of an instance: `instance:<host>`"""


class FederationClaimRequest(Model):
    v: Literal[1]

    message_id: Id
    """UUIDv7"""

    from_: InstanceId
    """The name of an instance: `instance:<host>`"""

    to: InstanceId
    """The name of an instance: `instance:<host>`"""

    workspace: Id
    """The workspace's id at the instance that receives"""

    type: Literal["CLAIM_REQUEST"]

    items: list[FederationClaimRequestItemsItem]


class SyncStarted(Model):
    """The job that exchanges items with the peer"""

    job_id: Id
    """UUIDv7"""

    status: Annotated[Literal["processing"], OPEN]


class SyncBody(Model):
    peer: InstanceId
    """The name of an instance: `instance:<host>`"""

    conflict_resolution: ConflictResolution | None = None
    """How contradictions in the items that this job pulls are settled. Default: the strategy of the peer's entry; any other one needs the scope `memory:admin`"""

    mode: Annotated[Literal["pull", "push", "both"], OPEN] = "both"

    reconcile: bool = False
    """Whether the job compares both sides item by item and repairs what differs"""


class ForgottenUnits(Model):
    """What one call found and forgot"""

    mode: Annotated[Literal["archive", "erase"], OPEN]

    dry_run: bool

    forgotten: int
    """How many of them are archived or erased now"""

    data: list[ForgottenUnit]
    """The newest first"""

    next_cursor: str | None
    """For the next call; null: there are no more"""


class ForgottenUnit(Model):
    id: Id
    """UUIDv7"""

    type: UnitType

    outcome: Annotated[Literal["archived", "erased", "found", "refused"], OPEN]
    """`found`: it would be forgotten. `refused`: a part of its history is above the key's clearance"""


class ForgetUnitsBody(Model):
    mode: Annotated[Literal["archive", "erase"], OPEN]
    """`archive` can be undone. `erase` removes content, revisions, embedding and index for ever"""

    types: list[UnitType] | None = None

    tags: list[str] | None = None
    """Labels of the caller"""

    created_by: str | None = None
    """Who created it, such as `key:<id>`"""

    agent_id: str | None = None
    """Facts that cite a session of this agent, and episodes of it"""

    session_id: Id | None = None
    """Facts that cite this session, and episodes of it"""

    entity_id: Id | None = None
    """Units that mention this entity"""

    attribution: list[Attribution] | None = None
    """The source: who said so"""

    metadata: dict[str, Any] | None = None
    """Units whose metadata has these members with these values"""

    sensitivity: list[Sensitivity] | None = None

    created_from: TimestampInput | None = None
    """Created at this time or later"""

    created_to: EndInput = None
    """Created before this time"""

    tags_match: Annotated[Literal["any", "all"], OPEN] = "any"

    status: list[UnitState] | None = None
    """Default: all states, with `archive` all but `archived`"""

    dry_run: bool = False
    """Only lists what would be forgotten"""

    limit: int = 100

    cursor: str | None = None
    """`nextCursor` of the previous call"""

    reason: str | None = None


class DriftReportMeasuresItem(Model):
    name: Annotated[Literal["type", "status", "attribution", "worth", "vocabulary", "embedding"], OPEN]

    value: float | None
    """Null: too little data"""

    verdict: DriftVerdict
    """`unknown`: there is too little data, or no snapshot to compare with"""

    shifting_from: float

    drifted_from: float


class DriftReport(Model):
    """How the memory has moved from the baseline"""

    verdict: DriftVerdict
    """The state of the measure that changed most; `unknown`: nothing was measured"""

    index: float | None
    """The largest ratio of a measure to its `driftedFrom`, times 0.25. The gate closes when it is too high. Null: nothing was measured"""

    new_term_rate: float | None
    """Share of the terms of the latest units that the baseline's units did not have"""

    baseline: dict[str, Any] | None
    """The snapshot used for comparison; null: there was none"""

    measures: list[DriftReportMeasuresItem]
    """Population stability index of types, states, attributions and worth (less what chance makes of so few units); Jensen-Shannon divergence of the terms of the latest 1,000 units in force; cosine distance of the centroids of the embeddings of the latest 1,000 texts that were in force then and are now, without what was erased since"""

    reasons: list[str]

    at: Timestamp
    """RFC 3339, UTC, milliseconds"""


class Gate(Model):
    """The gate of consolidation and its conditions"""

    state: Annotated[Literal["open", "closed"], OPEN]
    """`open` when every condition passes"""

    conditions: list[GateCondition]

    last_run: dict[str, Any] | None
    """The last completed consolidation that the key's clearance allows it to see"""

    history: list[GateAction]
    """The last holds and releases, newest first, at most 20"""


class GateAction(Model):
    id: Id
    """UUIDv7"""

    action: Annotated[Literal["hold", "release"], OPEN]

    reason: str

    by: str

    at: Timestamp
    """RFC 3339, UTC, milliseconds"""


class WorthFeedbackReplyDataItem(Model):
    unit_id: Id
    """UUIDv7"""

    worth: float

    worth_before: float

    parts: WorthParts

    helpful: float
    """Total weight of the votes; all agents of one key weigh at most 1 together"""

    harmful: float


class WorthFeedbackReply(Model):
    """The worth of the unit after the feedback"""

    agent_id: str

    data: list[WorthFeedbackReplyDataItem]


class WorthParts(Model):
    trust: float
    """`trustScore` / 100"""

    use: float
    """uses / (uses + 5). Being returned by recall counts 1, the signal `used` counts 3, at most once a day per key"""

    feedback: float
    """(1 + helpful) / (2 + helpful + harmful), over the weights of votes. All agents of a key together weigh at most 1, and so do the successes and failures of a skill or strategy"""

    corroboration: float
    """n / (n + 2), where n is how often the same was stated again"""

    recency: float
    """2^(−days / half-life), in days since it was last written or used"""

    contestedness: float
    """1 while contested, 0.5 while stale"""


class WorthFeedbackBody(Model):
    agent_id: str | None = None
    """The agent that votes. Default: the key itself"""

    signals: list[WorthSignal]


class WorthSignal(Model):
    unit_id: Id
    """UUIDv7"""

    signal: Annotated[Literal["helpful", "harmful", "used"], OPEN]
    """`helpful` and `harmful` are the agent's vote about the unit, of which it has one; `used` counts as three uses"""

    weight: float | None = None
    """Weight of a vote; default 1"""


class WorthPage(Model):
    data: list[WorthItem]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""

    distribution: WorthDistribution
    """Over all units in force of the requested types; only on the first page, null on others"""


class WorthItem(Model):
    id: Id
    """UUIDv7"""

    type: UnitType

    status: str

    pinned: bool

    worth: float

    parts: WorthParts

    computed_at: Timestamp
    """RFC 3339, UTC, milliseconds"""


class SetGateBody(Model):
    action: Annotated[Literal["hold", "release"], OPEN]

    reason: str


class HealthHistoryPage(Model):
    data: list[HealthMoment]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class HealthMoment(Model):
    snapshot_id: Id
    """UUIDv7"""

    taken_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    live_facts: int

    units: int
    """Units of all types in force"""

    pinned: int

    turns: int

    sessions: int

    embedded_ratio: float

    embedding_backlog: int

    open_reviews: int

    recalls: int
    """In the seven days before the snapshot"""

    recall_hit_rate: float | None

    last_write_at: Timestamp | None

    drift: HealthMomentDrift
    """The drift from the snapshot that was then a day old"""


class HealthMomentDriftMeasuresItem(Model):
    name: Annotated[Literal["type", "status", "attribution", "worth", "vocabulary", "embedding"], OPEN]

    value: float | None
    """Null: too little data"""

    verdict: DriftVerdict
    """`unknown`: there is too little data, or no snapshot to compare with"""


class HealthMomentDrift(Model):
    """The drift from the snapshot that was then a day old"""

    verdict: DriftVerdict
    """The state of the measure that changed most; `unknown`: nothing was measured"""

    index: float | None
    """The largest ratio of a measure to its `driftedFrom`, times 0.25. The gate closes when it is too high. Null: nothing was measured"""

    new_term_rate: float | None
    """Share of the terms of the latest units that the baseline's units did not have"""

    baseline: dict[str, Any] | None
    """The snapshot used for comparison; null: there was none"""

    measures: list[HealthMomentDriftMeasuresItem]


class PromptDiffChangedItem(Model):
    before: PromptRule

    after: PromptRule


class PromptDiff(Model):
    """What differs between two versions of the prompt"""

    added: list[PromptRule]

    removed: list[PromptRule]

    changed: list[PromptDiffChangedItem]


class PromptRule(Model):
    id: RuleId
    """Id of a rule within its playbook, as the prompt shows it"""

    section: RuleSection

    text: str

    pinned: bool


class Prompt(Model):
    """The prompt in force"""

    agent_id: str

    sensitivity: Sensitivity

    version: int

    status: PromptVersionStatus

    prompt: str
    """Markdown; each rule with its id"""

    tokens: int

    omitted: list[RuleId]
    """Rules that did not fit into `maxTokens`"""

    rules: list[PromptRule]

    current_version: int | None

    candidate_version: int | None

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""


class PlaybookRulePage(Model):
    data: list[PlaybookRule]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class PlaybookRule(Model):
    """A rule of the playbook"""

    id: RuleId
    """Id of a rule within its playbook, as the prompt shows it"""

    section: RuleSection

    text: str

    pinned: bool

    version: int
    """Increases by one when the rule's text, section, status or pin changes, not when runs are counted. Send it as `If-Match`"""

    status: RuleStatus
    """A new rule is on `trial`. It becomes `active` with two helpful runs, if there are more helpful than harmful ones"""

    retired_reason: RuleRetiredReason
    """`harmful`: three more harmful runs than helpful ones. `unused`: not used in 20 runs. `displaced`: better rules took the limited space. `rejected`: rejected together with its candidate version. `erased`: its source was erased; its text is then `[erased]` in every version"""

    lesson: str
    """The lesson as it was first submitted"""

    source: Annotated[Literal["lesson", "derived"], OPEN]
    """`lesson`: submitted with a run. `derived`: found in the steps by which good and bad runs differ"""

    helpful: int

    harmful: int

    support: int
    """How often the lesson was submitted"""

    unused_runs: int

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""


class PromptVersionPage(Model):
    data: list[PromptVersion]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class PromptVersion(Model):
    version: int

    status: PromptVersionStatus

    cause: Annotated[Literal["optimize", "rollback", "edit"], OPEN]

    reason: str | None

    base_version: int | None

    diff: PromptDiff
    """Difference to `baseVersion`"""

    rule_count: int

    evidence: VersionEvidence

    decision: PromptDecision | None
    """For a candidate that was decided"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str

    decided_at: Timestamp | None


class VersionEvidence(Model):
    version: int

    runs: int

    mean: float
    """Mean of Beta(1 + sum of scores, 1 + runs − sum of scores)"""

    lower_bound: float
    """The mean minus one standard deviation"""

    upper_bound: float


class OptimizeReplyTrajectoriesItem(Model):
    trajectory_id: str

    status: Annotated[Literal["counted", "known"], OPEN]
    """`known`: the run was counted before"""


class OptimizeReplyChanges(Model):
    added: list[RuleId]

    joined: list[RuleId]
    """Existing rules that the lessons repeat in the same or similar words"""

    activated: list[RuleId]

    retired: list[RuleId]

    refused: list[RuleId]
    """Rules that lessons repeat although they were retired as harmful or by a person; they stay retired"""


class OptimizeReply(Model):
    """What changed in the playbook"""

    agent_id: str

    sensitivity: Sensitivity

    trajectories: list[OptimizeReplyTrajectoriesItem]

    changes: OptimizeReplyChanges

    decision: PromptDecision
    """Whether the candidate replaced the current version, and why"""

    current_version: int | None

    candidate_version: int | None

    pending_changes: bool
    """Rules have changed since the candidate was made. They wait until the candidate is decided"""


class PromptDecision(Model):
    """Whether the candidate replaced the current version, and why"""

    outcome: Annotated[Literal["promoted", "rejected", "waiting", "first", "none"], OPEN]

    reason: str

    candidate: VersionEvidence | None

    current: VersionEvidence | None


class OptimizeBody(Model):
    agent_id: str
    """An agent, as the caller names it"""

    sensitivity: Sensitivity = "internal"
    """The sensitivity of the playbook, at most the key's clearance. An agent has one playbook per sensitivity"""

    trajectories: list[Trajectory]


class Trajectory(Model):
    trajectory_id: str | None = None
    """A run with the same id counts once. Default: the hash of the trajectory's content"""

    task: str

    steps: list[str | dict[str, Any]] = Field(default_factory=list)
    """What was done: sentences, or objects, of which the service reads the member `action`"""

    outcome: ReasoningOutcome
    """How the chain ended; only a `success` is served"""

    score: float | None = None
    """Default: 1, 0.5 or 0 by the outcome"""

    lessons: list[Lesson] = Field(default_factory=list)

    used_rule_ids: list[RuleId] = Field(default_factory=list)
    """Rules that the run used. A score of 0.7 or more counts as helpful, 0.3 or less as harmful"""

    helpful_rule_ids: list[RuleId] = Field(default_factory=list)

    harmful_rule_ids: list[RuleId] = Field(default_factory=list)

    prompt_version: int | None = None
    """The version of the prompt that the run had"""


class Lesson2(Model):
    text: str

    section: RuleSection | None = None


class RollbackBody(Model):
    version: int
    """The version whose rules become current again"""

    reason: str | None = None

    sensitivity: Sensitivity | None = None
    """Which of the agent's playbooks. Default: the most sensitive one that the key sees"""


class UpdateRuleBody(Model):
    pinned: bool | None = None
    """A pinned rule comes first and is never retired automatically"""

    status: Annotated[Literal["active", "retired"], OPEN] | None = None

    text: str | None = None

    section: RuleSection | None = None

    reason: str | None = None

    sensitivity: Sensitivity | None = None
    """Which of the agent's playbooks. Default: the most sensitive one that the key sees"""


class ReasoningEntryAttempts(Model):
    """How often each outcome was recorded for this goal and context"""

    success: int

    partial: int

    failure: int


class ReasoningEntry(Model):
    """A chain of reasoning"""

    id: Id
    """UUIDv7"""

    version: int

    status: ReasoningStatus
    """`demoted`: served only for the same goal and context. `retired`: not served"""

    retired_reason: ReasoningRetiredReason

    goal: str

    context: JsonValue = None
    """Any JSON value"""

    steps: list[ReasoningStep]

    answer: str

    outcome: ReasoningOutcome
    """How the chain ended; only a `success` is served"""

    preconditions: list[CheckedPrecondition]

    reliability: Reliability

    tokens_spent: int

    attempts: ReasoningEntryAttempts
    """How often each outcome was recorded for this goal and context"""

    use_count: int

    tokens_saved: int
    """By all hits together"""

    last_used_at: Timestamp | None

    expires_at: Timestamp | None

    agent_id: str | None

    tags: list[str]

    sensitivity: Sensitivity

    content_hash: str

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str


class CheckedPrecondition(Model):
    fact_id: Id
    """UUIDv7"""

    content_hash: str | None
    """Hash of its content when the chain was recorded; null: it was erased"""

    holds: bool
    """Whether it exists, is in force, is not stale, and says the same"""


class Reliability(Model):
    mean: float
    """Mean of Beta(a + helpful, b + harmful); a, b are 2, 1 for a success, 1, 1 for a partial one, 1, 2 for a failure"""

    lower_bound: float
    """The mean minus 1.645 standard deviations"""

    helpful: int
    """Number of keys whose agents agree more than they disagree"""

    harmful: int


class ReasoningFeedbackReplyVote(Model):
    agent_id: str

    helpful: bool

    note: str | None


class ReasoningFeedbackReply(Model):
    """The votes and the score after them"""

    entry: ReasoningEntry
    """A chain of reasoning"""

    vote: ReasoningFeedbackReplyVote

    replaced: bool
    """Whether the agent had voted before"""


class ReasoningFeedbackBody(Model):
    entry_id: Id
    """UUIDv7"""

    outcome: Annotated[Literal["helpful", "harmful", "success", "failure"], OPEN]
    """`success` counts as helpful, `failure` as harmful"""

    agent_id: str | None = None
    """The agent that votes. Default: the key itself"""

    note: str | None = None


class ReasoningPage(Model):
    data: list[ReasoningEntry]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class RecordReasoningBodyPreconditionsItem(Model):
    fact_id: Id
    """A fact, or a unit of any other kind"""

    content_hash: str | None = None
    """Hash of the content that the chain rests on. Default: the current one"""


class RecordReasoningBody(Model):
    goal: str
    """The goal, in words"""

    context: ReasoningContext | None = None
    """The context of the goal: a text, or an object (the order of its members does not matter)"""

    steps: list[ReasoningStep] = Field(default_factory=list)

    answer: str

    outcome: ReasoningOutcome | None = None
    """How the chain ended; only a `success` is served"""

    preconditions: list[RecordReasoningBodyPreconditionsItem] = Field(default_factory=list)

    tokens_spent: int = 0
    """What reaching the answer cost"""

    agent_id: str | None = None
    """An agent, as the caller names it"""

    tags: Tags | None = None
    """Labels of the caller"""

    sensitivity: Sensitivity | None = None
    """At most the key's clearance, at least that of its preconditions. Default: `internal`, or that of its most sensitive precondition"""

    ttl_seconds: int | None = None
    """How long the chain may be served, from now"""

    expires_at: EndInput = None
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""


class ResolveReasoningReply(Model):
    """The chain of reasoning that fits, or why none is served"""

    hit: bool

    reason: ResolveReason
    """A hit: `exact` (same goal and context) or `similar`. A miss: `no_match`; or why the best candidate is not served: `precondition_changed`, `unreliable` (demoted, or below `minReliability`), `retired` (by votes), `expired`, `not_successful` (a failure or partial one is all that is known)"""

    entry: ReasoningEntry | None
    """Of a hit"""

    candidate_id: Id | None
    """The entry that the reason refers to; null: there is none"""

    similarity: float
    """Similarity of the candidate's goal; without a candidate, of the nearest goal"""

    reliability: Reliability | None

    tokens_saved: int
    """For a hit: what the chain cost minus the tokens of the served answer; 0 for a retry"""

    preconditions: list[CheckedPrecondition]
    """The candidate's preconditions, checked now"""


class ResolveReasoningBody(Model):
    goal: str
    """The goal, in words"""

    context: ReasoningContext | None = None
    """The context of the goal: a text, or an object (the order of its members does not matter)"""

    threshold: float = 0.85
    """How similar another goal must be; 1: only the same goal"""

    min_reliability: float = 0
    """The least mean reliability"""

    max_sensitivity: Sensitivity | None = None
    """Only chains up to this sensitivity. Default: the key's clearance"""

    run_id: str | None = None
    """The id of the run that asks. If the same run asks again within a day, that is a retry and counts as no second use"""


class ExplainRecallReply(Model):
    """What was found, where each score comes from, and why other units were not found"""

    results: list[ExplainedRecallResult]

    pinned: list[RecallResult]

    why_not: list[RecallWhyNot]

    tiers: list[RecallTierReport]
    """The tiers that searched, and how long they took"""

    usage: RecallUsage

    evidence_confidence: float
    """How likely it is that the answer is among the results; when low, "I don't know" is the honest answer"""

    trace_id: str
    """For the logs of the service"""

    trace: RecallTrace | None = None


class ExplainedRecallResultNewer(Model):
    """What was likely said later about the same matter, as far as the reader may see it and the filters let it through, whether or not the query found it. Read both: an earlier statement may be the true one"""

    id: Id
    """The fact or turn"""

    session_id: Id | None = None
    """The session of a turn; absent: it is a fact"""

    text: str
    """What it says; of a long turn, the part about the matter"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    occurred_at: Timestamp
    """When it began to be true or was said, as far as that is known, else recorded"""

    ended: Literal[True] | None = None
    """It says that what the result tells of has ended; absent: that is not known"""


class ExplainedRecallResult(Model):
    id: Id
    """UUIDv7"""

    type: RecallType

    text: str
    """What a turn says; of a unit, the text by which it is found"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    score: float
    """The probability that the result is relevant; comparable across types and queries"""

    tier: RecallTier
    """The tier that found it"""

    status: str
    """The state of the unit; of a turn: `active`"""

    contested: bool
    """It contradicts another fact in force, and waits for review"""

    stale: Stale
    """Something that the unit rests on was superseded, retracted or erased, and nobody has affirmed the unit since. If very many units rest on one, the last of them become stale some seconds later"""

    attribution: Attribution
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    trust_score: TrustScore
    """The score of the attribution, but at most that of the least trusted unit it was derived from"""

    sensitivity: Sensitivity

    pinned: bool

    occurred_at: Timestamp | None
    """When it happened or was said; null: not known"""

    valid_from: Timestamp | None
    """Of facts: when it began to be true; null: not known"""

    valid_to: Timestamp | None
    """Of facts: when it stopped being true, exclusive; null: not known to have ended"""

    citations: list[Citation]
    """The messages that it comes from"""

    entity_ids: list[Id]
    """Entities that it mentions"""

    session_id: Id | None = None
    """Of turns: the session"""

    message_id: str | None = None
    """Turns only: the id that the caller gave the message"""

    role: str | None = None
    """Of turns"""

    name: str | None = None
    """Of turns: who spoke"""

    tags: list[str]
    """Labels of the caller"""

    outdated_by: Id | None = None
    """The fact that is true instead of this one at the time asked about: it replaced it, it is bounded and interrupts it or, where nobody says how many values the predicate has, it is newer and says something else. `validTo` says when this one ended"""

    newer: ExplainedRecallResultNewer | None = None
    """What was likely said later about the same matter, as far as the reader may see it and the filters let it through, whether or not the query found it. Read both: an earlier statement may be the true one"""

    neighbours: list[RecallNeighbour] | None = None
    """With `include: ["neighbours"]`, for turns"""

    score_details: RecallScoreDetails

    why: str


class RecallNeighbour(Model):
    id: Id
    """UUIDv7"""

    message_id: str

    offset: int
    """-1: the turn before, 1: the turn after"""

    role: str

    name: str | None

    text: str

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    occurred_at: Timestamp
    """RFC 3339, UTC, milliseconds"""


class RecallScoreDetails(Model):
    arms: list[RecallArmScore]
    """Rank and score in each tier that found it"""

    fusion: float
    """The score by which results are ordered: the ranker's, plus what other tiers add"""

    boosts: RecallBoosts
    """What each sign adds to `fusion` or takes from it. Their sum is `fusion`"""

    path: list[RecallGraphStep] | None = None
    """The strongest path by which the graph tier found it"""


class RecallArmScore(Model):
    arm: RecallTier

    rank: int

    score: float


class RecallBoosts(Model):
    """What each sign adds to `fusion` or takes from it. Their sum is `fusion`"""

    close_words: float | None = None
    """the query's words occur close together in it or in the turns around it"""

    own_words: float | None = None
    """it contains much of what the query says"""

    surroundings: float | None = None
    """it and the text around it are about the query"""

    neighbours: float | None = None
    """what was said just before or after it is about the query"""

    names: float | None = None
    """names in the query occur in it, near it or in its session"""

    session: float | None = None
    """its conversation is about the query"""

    participants: float | None = None
    """somebody whom the query names takes part in its session"""

    speaker: float | None = None
    """somebody whom the query names said it"""

    after_question: float | None = None
    """it follows a question"""

    question: float | None = None
    """it ends in a question itself"""

    substance: float | None = None
    """how much it says, what it names and counts, and how much of that is new in its session"""

    first_person: float | None = None
    """the speaker speaks of themselves"""

    opening: float | None = None
    """it opens its session"""

    time_told: float | None = None
    """the query asks when, and it says when or does not"""

    title: float | None = None
    """the query asks for a title, and it quotes or names something"""

    place: float | None = None
    """the query asks where, and it names something that may be a place"""

    number: float | None = None
    """the query asks how many, and it has a number"""

    date: float | None = None
    """it dates from a day, week or month that the query names"""

    meaning: float | None = None
    """its meaning is similar to the query's"""

    graph: float | None = None
    """relations and mentions lead to it from names in the query"""

    current: float | None = None
    """of facts about the same, what holds at the time asked about comes first; of units with the same words, the newer"""


class RecallGraphStep(Model):
    from_: Id
    """The entity or other unit at which the step starts"""

    via: str
    """A relation's verb; `mention`: a text mentions both; `evidence`: the unit supports the relation"""

    to: Id | None
    """The unit at which the step ends; null: the result itself"""


class RecallResultNewer(Model):
    """What was likely said later about the same matter, as far as the reader may see it and the filters let it through, whether or not the query found it. Read both: an earlier statement may be the true one"""

    id: Id
    """The fact or turn"""

    session_id: Id | None = None
    """The session of a turn; absent: it is a fact"""

    text: str
    """What it says; of a long turn, the part about the matter"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    occurred_at: Timestamp
    """When it began to be true or was said, as far as that is known, else recorded"""

    ended: Literal[True] | None = None
    """It says that what the result tells of has ended; absent: that is not known"""


class RecallResult(Model):
    id: Id
    """UUIDv7"""

    type: RecallType

    text: str
    """What a turn says; of a unit, the text by which it is found"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    score: float
    """The probability that the result is relevant; comparable across types and queries"""

    tier: RecallTier
    """The tier that found it"""

    status: str
    """The state of the unit; of a turn: `active`"""

    contested: bool
    """It contradicts another fact in force, and waits for review"""

    stale: Stale
    """Something that the unit rests on was superseded, retracted or erased, and nobody has affirmed the unit since. If very many units rest on one, the last of them become stale some seconds later"""

    attribution: Attribution
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    trust_score: TrustScore
    """The score of the attribution, but at most that of the least trusted unit it was derived from"""

    sensitivity: Sensitivity

    pinned: bool

    occurred_at: Timestamp | None
    """When it happened or was said; null: not known"""

    valid_from: Timestamp | None
    """Of facts: when it began to be true; null: not known"""

    valid_to: Timestamp | None
    """Of facts: when it stopped being true, exclusive; null: not known to have ended"""

    citations: list[Citation]
    """The messages that it comes from"""

    entity_ids: list[Id]
    """Entities that it mentions"""

    session_id: Id | None = None
    """Of turns: the session"""

    message_id: str | None = None
    """Turns only: the id that the caller gave the message"""

    role: str | None = None
    """Of turns"""

    name: str | None = None
    """Of turns: who spoke"""

    tags: list[str]
    """Labels of the caller"""

    outdated_by: Id | None = None
    """The fact that is true instead of this one at the time asked about: it replaced it, it is bounded and interrupts it or, where nobody says how many values the predicate has, it is newer and says something else. `validTo` says when this one ended"""

    newer: RecallResultNewer | None = None
    """What was likely said later about the same matter, as far as the reader may see it and the filters let it through, whether or not the query found it. Read both: an earlier statement may be the true one"""

    neighbours: list[RecallNeighbour] | None = None
    """With `include: ["neighbours"]`, for turns"""


class RecallWhyNot(Model):
    id: Id
    """UUIDv7"""

    reason: Annotated[Literal["returned", "pinned", "not_found", "filtered", "not_matched", "cut", "beyond_limit", "no_room", "not_named"], OPEN]

    explanation: str

    rank: int | None = None


class RecallTierReport(Model):
    tier: RecallTier

    candidates: int

    duration_ms: float


class RecallUsage(Model):
    tokens: int

    duration_ms: float


class RecallTraceWindowsItem(Model):
    from_: Timestamp
    """RFC 3339, UTC, milliseconds"""

    to: Timestamp
    """RFC 3339, UTC, milliseconds"""


class RecallTrace(Model):
    terms: list[str]
    """Terms that were looked up, in the form of the index"""

    unknown_terms: list[str]
    """Terms that no text contains"""

    substitutes: dict[str, list[str]]
    """Similar spellings that were used instead of them"""

    people: list[str]
    """Speakers named in the query"""

    names: list[str] | None = None
    """With `match: "named"`: the names in the query"""

    windows: list[RecallTraceWindowsItem]
    """Dates named in the query"""

    candidates: int

    eligible: int
    """Candidates that passed the filters"""

    relevant: int
    """Results above the relevance cut"""

    round_trips: int


class ExplainRecallBodyWindow(Model):
    """Only what occurred from `from` (inclusive) to `to` (exclusive), or holds at some time in between: a unit without `validFrom` or `validTo` has no end on that side, and one without either and without `occurredAt` counts by when it was recorded. It is a filter. To find what has ended by now, send `asOf` as well"""

    from_: TimestampInput
    """RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC"""

    to: EndInput
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""


class ExplainRecallBody(Model):
    query: str

    limit: int = 10
    """The most results; fewer if fewer are relevant"""

    min_score: float | None = None
    """The least score. Default: results likelier relevant than not or near the best, and the best ten turns of sessions; nothing if even the best is unlikely. 0: up to `limit` of all that have any sign"""

    types: list[RecallType] | None = None
    """Default: all"""

    session_id: Id | None = None
    """Only turns of this session and units that were made from it"""

    tags: list[str] | None = None
    """Labels of the caller"""

    tags_match: Annotated[Literal["any", "all"], OPEN] = "any"
    """`any`: one of the `tags` is enough. `all`: every tag is required"""

    filters: RecallFilter | None = None
    """Conditions on members, joined by AND, OR and NOT. A member is one of `type`, `status`, `attribution`, `trustScore`, `confidence`, `sensitivity`, `worth`, `pinned`, `stale`, `tags`, `occurredAt`, `validFrom`, `validTo`, `createdAt`, `updatedAt`, `createdBy`, `entityIds`, `sessionId`, `messageId`, `role`, `name`, `factType`, `subject`, `predicate`, `object` or `metadata.<path>`. Of a list, any element may satisfy a condition."""

    reference_date: TimestampInput | None = None
    """The time from which "yesterday" and "last week" in the query are counted; default: now. If it states an offset, such as `+09:00`, the days of the query are those of that offset; with `Z` they are those of `timezone`"""

    timezone: str | None = None
    """Where the asker is: days that the query names begin and end by the clocks of this zone. Default: the offset of `referenceDate`, the workspace's setting, or UTC"""

    window: ExplainRecallBodyWindow | None = None
    """Only what occurred from `from` (inclusive) to `to` (exclusive), or holds at some time in between: a unit without `validFrom` or `validTo` has no end on that side, and one without either and without `occurredAt` counts by when it was recorded. It is a filter. To find what has ended by now, send `asOf` as well"""

    min_trust: int | None = None
    """The least trust score"""

    max_sensitivity: Sensitivity | None = None
    """Results up to this sensitivity, even if the key may see more"""

    match: Annotated[Literal["relevant", "named"], OPEN] = "relevant"
    """`relevant`: what answers the query. `named`: only what the query names, all of it that fits: units whose name, alias or tag stands in the query, and units and turns that mention an entity whose name does. Word forms do not matter, nor does one mistake in a word of four letters or more, unless it is the first letter"""

    max_tokens: int | None = None
    """Token budget for all texts of the reply. A result that does not fit is left out; later, shorter ones may still fit"""

    as_of: TimestampInput | None = None
    """What was true in the world at that time. Default: `knownAt`, otherwise now"""

    known_at: TimestampInput | None = None
    """What this service knew at that time. Default: now"""

    include: list[Annotated[Literal["superseded", "neighbours", "trace"], OPEN]] = Field(default_factory=list)

    explain_ids: list[Id] = Field(default_factory=list)
    """Asks why these units or turns are not among the results"""


class RecallFilter(Model):
    """Conditions on members, joined by AND, OR and NOT. A member is one of `type`, `status`, `attribution`, `trustScore`, `confidence`, `sensitivity`, `worth`, `pinned`, `stale`, `tags`, `occurredAt`, `validFrom`, `validTo`, `createdAt`, `updatedAt`, `createdBy`, `entityIds`, `sessionId`, `messageId`, `role`, `name`, `factType`, `subject`, `predicate`, `object` or `metadata.<path>`. Of a list, any element may satisfy a condition."""

    AND: list[RecallFilter] | None = None

    OR: list[RecallFilter] | None = None

    NOT: RecallFilter | None = None
    """Conditions on members, joined by AND, OR and NOT. A member is one of `type`, `status`, `attribution`, `trustScore`, `confidence`, `sensitivity`, `worth`, `pinned`, `stale`, `tags`, `occurredAt`, `validFrom`, `validTo`, `createdAt`, `updatedAt`, `createdBy`, `entityIds`, `sessionId`, `messageId`, `role`, `name`, `factType`, `subject`, `predicate`, `object` or `metadata.<path>`. Of a list, any element may satisfy a condition."""

    __pydantic_extra__: dict[str, RecallFilterCondition] = Field(init=False)  # pyright: ignore[reportIncompatibleVariableOverride]


class RecallFilterCondition(Model):
    eq: str | float | bool | None = None
    """Equal; with null: absent or null"""

    ne: str | float | bool | None = None
    """Not equal, or absent"""

    gt: str | float | None = None

    gte: str | float | None = None

    lt: str | float | None = None

    lte: str | float | None = None

    in_: list[str | float | bool | None] | None = None
    """Equal to one of these"""

    contains: str | float | bool | None = None
    """A text that contains this, or a list with this element"""


class RecallReply(Model):
    """What was found, best first, and how likely it answers the query"""

    results: list[RecallResult]
    """The most relevant first"""

    pinned: list[RecallResult]
    """Pinned units that passed the filters. Always returned, apart from the results"""

    tiers: list[RecallTierReport]
    """The tiers that searched, and how long they took"""

    usage: RecallUsage

    evidence_confidence: float
    """How likely it is that the answer is among the results; when low, "I don't know" is the honest answer"""

    trace_id: str
    """For the logs of the service"""

    trace: RecallTrace | None = None


class RecallBodyWindow(Model):
    """Only what occurred from `from` (inclusive) to `to` (exclusive), or holds at some time in between: a unit without `validFrom` or `validTo` has no end on that side, and one without either and without `occurredAt` counts by when it was recorded. It is a filter. To find what has ended by now, send `asOf` as well"""

    from_: TimestampInput
    """RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC"""

    to: EndInput
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""


class RecallBody(Model):
    query: str

    limit: int = 10
    """The most results; fewer if fewer are relevant"""

    min_score: float | None = None
    """The least score. Default: results likelier relevant than not or near the best, and the best ten turns of sessions; nothing if even the best is unlikely. 0: up to `limit` of all that have any sign"""

    types: list[RecallType] | None = None
    """Default: all"""

    session_id: Id | None = None
    """Only turns of this session and units that were made from it"""

    tags: list[str] | None = None
    """Labels of the caller"""

    tags_match: Annotated[Literal["any", "all"], OPEN] = "any"
    """`any`: one of the `tags` is enough. `all`: every tag is required"""

    filters: RecallFilter | None = None
    """Conditions on members, joined by AND, OR and NOT. A member is one of `type`, `status`, `attribution`, `trustScore`, `confidence`, `sensitivity`, `worth`, `pinned`, `stale`, `tags`, `occurredAt`, `validFrom`, `validTo`, `createdAt`, `updatedAt`, `createdBy`, `entityIds`, `sessionId`, `messageId`, `role`, `name`, `factType`, `subject`, `predicate`, `object` or `metadata.<path>`. Of a list, any element may satisfy a condition."""

    reference_date: TimestampInput | None = None
    """The time from which "yesterday" and "last week" in the query are counted; default: now. If it states an offset, such as `+09:00`, the days of the query are those of that offset; with `Z` they are those of `timezone`"""

    timezone: str | None = None
    """Where the asker is: days that the query names begin and end by the clocks of this zone. Default: the offset of `referenceDate`, the workspace's setting, or UTC"""

    window: RecallBodyWindow | None = None
    """Only what occurred from `from` (inclusive) to `to` (exclusive), or holds at some time in between: a unit without `validFrom` or `validTo` has no end on that side, and one without either and without `occurredAt` counts by when it was recorded. It is a filter. To find what has ended by now, send `asOf` as well"""

    min_trust: int | None = None
    """The least trust score"""

    max_sensitivity: Sensitivity | None = None
    """Results up to this sensitivity, even if the key may see more"""

    match: Annotated[Literal["relevant", "named"], OPEN] = "relevant"
    """`relevant`: what answers the query. `named`: only what the query names, all of it that fits: units whose name, alias or tag stands in the query, and units and turns that mention an entity whose name does. Word forms do not matter, nor does one mistake in a word of four letters or more, unless it is the first letter"""

    max_tokens: int | None = None
    """Token budget for all texts of the reply. A result that does not fit is left out; later, shorter ones may still fit"""

    as_of: TimestampInput | None = None
    """What was true in the world at that time. Default: `knownAt`, otherwise now"""

    known_at: TimestampInput | None = None
    """What this service knew at that time. Default: now"""

    include: list[Annotated[Literal["superseded", "neighbours", "trace"], OPEN]] = Field(default_factory=list)


class BatchRecallReply(Model):
    """The replies, in the order of the queries"""

    recalls: list[RecallReply]
    """One for each query, in the order of the queries"""


class BatchRecallBody(Model):
    queries: list[RecallBody]


class HotRecallBodyWindow(Model):
    """Only what occurred from `from` (inclusive) to `to` (exclusive), or holds at some time in between: a unit without `validFrom` or `validTo` has no end on that side, and one without either and without `occurredAt` counts by when it was recorded. It is a filter. To find what has ended by now, send `asOf` as well"""

    from_: TimestampInput
    """RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC"""

    to: EndInput
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""


class HotRecallBody(Model):
    """The hot tier holds the current state and no history"""

    query: str

    limit: int = 10
    """The most results; fewer if fewer are relevant"""

    min_score: float | None = None
    """The least score. Default: results likelier relevant than not or near the best, and the best ten turns of sessions; nothing if even the best is unlikely. 0: up to `limit` of all that have any sign"""

    types: list[RecallType] | None = None
    """Default: all"""

    session_id: Id | None = None
    """Only turns of this session and units that were made from it"""

    tags: list[str] | None = None
    """Labels of the caller"""

    tags_match: Annotated[Literal["any", "all"], OPEN] = "any"
    """`any`: one of the `tags` is enough. `all`: every tag is required"""

    filters: RecallFilter | None = None
    """Conditions on members, joined by AND, OR and NOT. A member is one of `type`, `status`, `attribution`, `trustScore`, `confidence`, `sensitivity`, `worth`, `pinned`, `stale`, `tags`, `occurredAt`, `validFrom`, `validTo`, `createdAt`, `updatedAt`, `createdBy`, `entityIds`, `sessionId`, `messageId`, `role`, `name`, `factType`, `subject`, `predicate`, `object` or `metadata.<path>`. Of a list, any element may satisfy a condition."""

    reference_date: TimestampInput | None = None
    """The time from which "yesterday" and "last week" in the query are counted; default: now. If it states an offset, such as `+09:00`, the days of the query are those of that offset; with `Z` they are those of `timezone`"""

    timezone: str | None = None
    """Where the asker is: days that the query names begin and end by the clocks of this zone. Default: the offset of `referenceDate`, the workspace's setting, or UTC"""

    window: HotRecallBodyWindow | None = None
    """Only what occurred from `from` (inclusive) to `to` (exclusive), or holds at some time in between: a unit without `validFrom` or `validTo` has no end on that side, and one without either and without `occurredAt` counts by when it was recorded. It is a filter. To find what has ended by now, send `asOf` as well"""

    min_trust: int | None = None
    """The least trust score"""

    max_sensitivity: Sensitivity | None = None
    """Results up to this sensitivity, even if the key may see more"""

    match: Annotated[Literal["relevant", "named"], OPEN] = "relevant"
    """`relevant`: what answers the query. `named`: only what the query names, all of it that fits: units whose name, alias or tag stands in the query, and units and turns that mention an entity whose name does. Word forms do not matter, nor does one mistake in a word of four letters or more, unless it is the first letter"""

    max_tokens: int | None = None
    """Token budget for all texts of the reply. A result that does not fit is left out; later, shorter ones may still fit"""

    include: list[Annotated[Literal["trace"], OPEN]] = Field(default_factory=list)


class RecallEntry(Model):
    """One recall: what was asked, by whom, and what was shown"""

    id: Id
    """UUIDv7"""

    recalled_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    path: Annotated[Literal["hot", "full"], OPEN]
    """`hot`: from the memory of the process alone. `full`: the full search"""

    operation: str
    """What was called, such as `recall`, `recallHot`, `explainRecall` or `getSessionContext`"""

    query: str | None
    """Null: it was erased with what it spoke of"""

    filters: dict[str, Any] | None
    """The other members of the request. Null: they were erased with the query, or had more than 16 KiB"""

    results: list[RecallShown]
    """In the order of the reply, without what was erased since or is above the key's clearance"""

    result_count: int
    """Number of results and pinned ones in the reply"""

    evidence_confidence: float

    duration_ms: float

    caller: str
    """`key:<id>` of the key that asked"""

    agent_id: str | None
    """The agent of the session that the request named"""

    session_id: Id | None
    """The session that the request named"""

    request_id: str

    trace_id: str


class RecallShown(Model):
    id: Id
    """UUIDv7"""

    type: RecallType

    score: float

    pinned: bool
    """It was among the `pinned` of the reply, not among its `results`"""


class RecallEntryPage(Model):
    data: list[RecallEntry]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class Relation(Model):
    """A relation between two units"""

    id: Id
    """UUIDv7"""

    version: int

    status: RelationStatus

    verb: RelationVerb

    source_id: Id | None
    """Null for a hyperedge. For a merged entity: the entity that it was merged into"""

    target_id: Id | None
    """Null for a hyperedge"""

    participants: list[Participant] | None
    """For a hyperedge; null if there are two ends"""

    weight: float
    """How strong the relation is"""

    confidence: float

    attribution: Attribution
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    trust_score: int

    sensitivity: Sensitivity
    """At least that of each end"""

    stale: bool
    """Something in `evidenceIds` was superseded, retracted or erased"""

    valid_from: Timestamp | None

    valid_to: Timestamp | None

    evidence_ids: list[Id]

    tags: list[str]

    metadata: JsonSchema
    """A JSON Schema, draft 2020-12 unless `$schema` names draft-07"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str


class CreateRelationBody(Model):
    verb: RelationVerb

    source_id: Id | None = None
    """A unit of any type; with `targetId`, instead of `participants`"""

    target_id: Id | None = None
    """UUIDv7"""

    participants: list[Participant] | None = None
    """A hyperedge: three to sixteen different units, instead of `sourceId` and `targetId`"""

    weight: float = 1

    confidence: float = 0.8

    attribution: Attribution = "agent_stated"
    """Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`"""

    sensitivity: Sensitivity | None = None
    """At most the key's clearance; raised to that of the most sensitive end. Default: `internal`"""

    valid_from: TimestampInput | None = None
    """When it begins to be true in the world"""

    valid_to: EndInput = None
    """When it stops being true in the world, exclusive"""

    evidence_ids: list[Id] = Field(default_factory=list)
    """Units that support the relation"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: Metadata | None = None
    """Free members, at most 16 KiB as JSON"""


class RelationBatchReply(Model):
    """The outcome of each relation, in the order of the request"""

    created: int

    found: int

    refused: int

    results: list[RelationBatchResult]
    """In the order of the request"""


class RelationBatchResult(Model):
    index: int

    status: int
    """201 created, 200 it existed already, otherwise the status of the error"""

    relation: Relation | None = None
    """A relation between two units"""

    error: ItemError | None = None


class CreateRelationBatchBody(Model):
    relations: list[CreateRelationBody]


class RelationVerbList(Model):
    """The verbs of relations"""

    data: list[RelationVerbInfo]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class RelationVerbInfo(Model):
    verb: RelationVerb

    description: str

    reading: str
    """From the source to the target"""

    inverse: str
    """From the target to the source"""

    symmetric: bool
    """It means the same in both directions"""

    transitive: bool
    """Transitive: from A to B and B to C follows A to C"""

    acyclic: bool
    """A relation that would close a cycle is refused"""


class RelationPage(Model):
    data: list[Relation]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class TraverseReply(Model):
    """The units that are reached, and the relations on the way"""

    results: list[TraverseResult]
    """Nearest first, then strongest. For each unit the shortest path; among equally short ones the strongest"""

    visited: int
    """Number of units that the walk reached, without the starts"""

    truncated: bool
    """Part of the result was left out"""

    truncated_by: list[TruncationReason]


class TraverseResult(Model):
    node: GraphNode

    depth: int

    weight: float
    """The product of the weights on the path"""

    path: list[PathStep]


class GraphNode(Model):
    id: Id
    """UUIDv7"""

    type: UnitType

    label: str
    """The first line of the unit's text, at most 200 characters"""

    status: str

    trust_score: int

    sensitivity: Sensitivity

    stale: bool


class PathStep(Model):
    relation_id: Id
    """UUIDv7"""

    verb: RelationVerb

    from_: Id
    """UUIDv7"""

    to: Id
    """UUIDv7"""

    direction: Direction
    """`both`: the relation has no direction between the two"""


class TraverseBody(Model):
    start_ids: list[Id]
    """Units of any types"""

    verbs: list[RelationVerb] | None = None
    """Default: all nine"""

    direction: Direction | None = None
    """`out`: from source to target. `in`: from target to source. `both`: either way"""

    depth: int = 2
    """The most steps from a start"""

    types: list[UnitType] | None = None
    """Types of units in the results; the walk may pass through other types. Default: all"""

    as_of: TimestampInput | None = None
    """Follows relations that are true in the world at this time. Default: now"""

    min_weight: float | None = None
    """Least weight of each relation on the way"""

    min_trust: int | None = None
    """Least trust score of each relation and unit on the way"""

    limit: int = 100
    """The most results"""


class UpdateRelationBody(Model):
    status: Annotated[Literal["active"], OPEN] | None = None
    """Restores an archived relation"""

    weight: float | None = None

    confidence: float | None = None

    attribution: Attribution | None = None
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    sensitivity: Sensitivity | None = None

    valid_from: TimestampInput | None = None

    valid_to: EndInput = None
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""

    evidence_ids: list[Id] | None = None
    """Replaces the whole value"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: dict[str, Any] | None = None
    """Replaces the whole value"""

    stale: Literal[False] | None = None
    """Affirms that the relation holds although its evidence does not any more"""


class Skill(Model):
    """A skill, with its outcomes"""

    id: Id
    """UUIDv7"""

    type: Literal["skill"]

    version: int
    """Increases by one with each revision. Send it as `If-Match`"""

    status: SkillStatus
    """`probationary` is on trial and becomes `active` after 5 outcomes with a reliability of 0.75 or more; with 0.35 or less it is `retired`, as an active one is. `contested` is a peer's version of what is known here otherwise, which waits for review. `archived` is deleted softly. `retired` and `archived` ones are not recalled"""

    attribution: Attribution
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    trust_score: TrustScore
    """The score of the attribution, but at most that of the least trusted unit it was derived from"""

    confidence: float
    """How certain its author is"""

    sensitivity: Sensitivity

    aliases: list[str]
    """Other names by which recall finds it"""

    tags: list[str]
    """Labels of the caller"""

    metadata: JsonSchema
    """Free members of the caller"""

    worth: Worth
    """How much it is worth keeping: from trust, use, feedback, corroboration and recency"""

    pinned: bool
    """Recall returns it always, apart from the results"""

    content_hash: str
    """SHA-256 of the content, hex"""

    origin: Origin

    derived_from: list[Id]
    """The units that it was made from"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    stale: Stale
    """Something that the unit rests on was superseded, retracted or erased, and nobody has affirmed the unit since. If very many units rest on one, the last of them become stale some seconds later"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str
    """Who created it, such as `key:<id>`"""

    name: str

    description: str

    instructions: str

    parameters: JsonSchema
    """JSON Schema of its arguments"""

    examples: list[SkillExample]

    reliability: float
    """(successes + 1) / (outcomes + 2): the mean of a Beta distribution with a uniform prior"""

    success_count: int

    failure_count: int


class SkillExample(Model):
    description: str

    arguments: JsonSchema | None = None
    """A JSON Schema, draft 2020-12 unless `$schema` names draft-07"""

    result: JsonValue = None
    """Any JSON value"""


class CreateSkillBody(Model):
    attribution: Attribution = "agent_stated"
    """Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`"""

    confidence: float = 0.8

    sensitivity: Sensitivity | None = None
    """At most the key's clearance. Default: `internal`, or that of its most sensitive source"""

    aliases: UnitAliases | None = None
    """Other names by which recall finds it, as if its text had them. They are not part of the `contentHash`. Two that differ only in case, spacing or unseen characters are one"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: Metadata | None = None
    """Free members, at most 16 KiB as JSON"""

    pinned: bool = False

    derived_from: list[Id] = Field(default_factory=list)
    """Units that it was derived from. Its trust is at most that of the least trusted one"""

    name: str

    description: str

    instructions: str

    parameters: JsonSchema | None = None
    """JSON Schema of its arguments. Default: `{}`, which allows anything"""

    examples: list[SkillExample] = Field(default_factory=list)


class SkillBatchReply(Model):
    """The outcome of each item, in the order of the request"""

    created: int

    refused: int

    results: list[SkillBatchResult]


class SkillBatchResult(Model):
    index: int
    """Index of the item in the request"""

    status: int
    """201 created, otherwise the status of the error"""

    skill: Skill | None = None
    """A skill, with its outcomes"""

    error: ItemError | None = None


class CreateSkillBatchBody(Model):
    skills: list[CreateSkillBody]


class ArchivedSkill(Model):
    mode: Literal["archive"]

    skill: Skill
    """A skill, with its outcomes"""


class ErasedSkill(Model):
    mode: Literal["erase"]

    receipt: ErasureReceipt


class SkillRevisionPage(Model):
    data: list[SkillRevision]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class SkillRevision(Model):
    version: int

    event: str
    """What created this version"""

    recorded_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    replaced_at: Timestamp | None
    """Null for the version in force"""

    changed_by: str

    reason: str | None

    skill: Skill
    """A skill, with its outcomes"""


class SkillPage(Model):
    data: list[Skill]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class SkillOutcomeBody(Model):
    outcome: Annotated[Literal["success", "failure"], OPEN]

    reason: str | None = None
    """What happened; kept in the history"""


class UpdateSkillBody(Model):
    attribution: Attribution | None = None
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    confidence: float | None = None

    sensitivity: Sensitivity | None = None

    aliases: UnitAliases | None = None
    """Replaces the whole list"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: dict[str, Any] | None = None
    """Replaces the whole value"""

    pinned: bool | None = None

    derived_from: list[Id] | None = None

    stale: Literal[False] | None = None
    """Affirms that the unit holds although something it rests on does not any more"""

    reason: str | None = None
    """Why; kept in the history"""

    name: str | None = None

    description: str | None = None

    instructions: str | None = None

    parameters: JsonSchema | None = None
    """A JSON Schema, draft 2020-12 unless `$schema` names draft-07"""

    examples: list[SkillExample] | None = None

    status: Annotated[Literal["probationary", "retired"], OPEN] | None = None
    """`retired` takes the skill out of use. `probationary` puts a retired or archived skill on trial again; a retired one starts with no outcomes. `active` is reached only by outcomes"""


class Strategy(Model):
    """A strategy, and when to use it"""

    id: Id
    """UUIDv7"""

    type: Literal["strategy"]

    version: int
    """Increases by one with each revision. Send it as `If-Match`"""

    status: KeptStatus
    """`contested`: a peer's version of what is known here otherwise, which waits for review. `archived`: deleted softly. It is in neither recall nor lists and can be restored"""

    attribution: Attribution
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    trust_score: TrustScore
    """The score of the attribution, but at most that of the least trusted unit it was derived from"""

    confidence: float
    """How certain its author is"""

    sensitivity: Sensitivity

    aliases: list[str]
    """Other names by which recall finds it"""

    tags: list[str]
    """Labels of the caller"""

    metadata: JsonSchema
    """Free members of the caller"""

    worth: Worth
    """How much it is worth keeping: from trust, use, feedback, corroboration and recency"""

    pinned: bool
    """Recall returns it always, apart from the results"""

    content_hash: str
    """SHA-256 of the content, hex"""

    origin: Origin

    derived_from: list[Id]
    """The units that it was made from"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    stale: Stale
    """Something that the unit rests on was superseded, retracted or erased, and nobody has affirmed the unit since. If very many units rest on one, the last of them become stale some seconds later"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str
    """Who created it, such as `key:<id>`"""

    name: str

    situation: str
    """When it applies"""

    pattern: str
    """What to do then"""

    outcome: str | None
    """What the result was"""

    success_count: int

    failure_count: int


class StrategyBatchReply(Model):
    """The outcome of each item, in the order of the request"""

    created: int

    refused: int

    results: list[StrategyBatchResult]


class StrategyBatchResult(Model):
    index: int
    """Index of the item in the request"""

    status: int
    """201 created, otherwise the status of the error"""

    strategy: Strategy | None = None
    """A strategy, and when to use it"""

    error: ItemError | None = None


class CreateStrategyBatchBody(Model):
    strategies: list[CreateStrategyBody]


class CreateStrategyBody(Model):
    attribution: Attribution = "agent_stated"
    """Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`"""

    confidence: float = 0.8

    sensitivity: Sensitivity | None = None
    """At most the key's clearance. Default: `internal`, or that of its most sensitive source"""

    aliases: UnitAliases | None = None
    """Other names by which recall finds it, as if its text had them. They are not part of the `contentHash`. Two that differ only in case, spacing or unseen characters are one"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: Metadata | None = None
    """Free members, at most 16 KiB as JSON"""

    pinned: bool = False

    derived_from: list[Id] = Field(default_factory=list)
    """Units that it was derived from. Its trust is at most that of the least trusted one"""

    name: str

    situation: str

    pattern: str

    outcome: str | None = None

    success_count: int = 0

    failure_count: int = 0


class ArchivedStrategy(Model):
    mode: Literal["archive"]

    strategy: Strategy
    """A strategy, and when to use it"""


class ErasedStrategy(Model):
    mode: Literal["erase"]

    receipt: ErasureReceipt


class StrategyPage(Model):
    data: list[Strategy]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class StrategyRevisionPage(Model):
    data: list[StrategyRevision]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class StrategyRevision(Model):
    version: int

    event: str
    """What created this version"""

    recorded_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    replaced_at: Timestamp | None
    """Null for the version in force"""

    changed_by: str

    reason: str | None

    strategy: Strategy
    """A strategy, and when to use it"""


class UpdateStrategyBody(Model):
    attribution: Attribution | None = None
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    confidence: float | None = None

    sensitivity: Sensitivity | None = None

    aliases: UnitAliases | None = None
    """Replaces the whole list"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: dict[str, Any] | None = None
    """Replaces the whole value"""

    pinned: bool | None = None

    derived_from: list[Id] | None = None

    stale: Literal[False] | None = None
    """Affirms that the unit holds although something it rests on does not any more"""

    reason: str | None = None
    """Why; kept in the history"""

    name: str | None = None

    situation: str | None = None

    pattern: str | None = None

    outcome: str | None = None

    success_count: int | None = None

    failure_count: int | None = None

    status: Annotated[Literal["active"], OPEN] | None = None
    """`active` restores an archived unit"""


class Task(Model):
    """A task of an agent"""

    id: Id
    """UUIDv7"""

    version: int
    """Increases with every change. The version that a claim returns is a fencing token"""

    kind: TaskKind

    status: TaskStatus
    """`completed`, `failed` and `cancelled` are final"""

    status_reason: str | None
    """The reason for the state, if one was given"""

    title: str

    description: str | None

    priority: int
    """3 is the most urgent"""

    agent_id: str | None
    """The agent that the task is assigned to; null: any agent may claim it"""

    depends_on: list[Id]
    """Tasks that must be completed before this one can start"""

    lease_expires_at: Timestamp | None
    """When the claim expires and the task is `pending` again"""

    due_at: Timestamp | None
    """By when it should be done; nothing happens by itself then"""

    result: Any = None
    """What came of it: any JSON value"""

    delegations: list[Delegation]
    """All delegations, oldest first"""

    sensitivity: Sensitivity

    tags: list[str]
    """Labels of the caller"""

    metadata: JsonSchema
    """Free members of the caller"""

    started_at: Timestamp | None
    """When the task was first started"""

    finished_at: Timestamp | None
    """When it was completed, failed or cancelled"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str
    """Who created it, such as `key:<id>`"""


class Delegation(Model):
    from_: str | None
    """Null: it was unassigned"""

    to: str

    at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    by: str
    """Who requested the delegation"""

    reason: str | None


class ClaimTaskBody(Model):
    agent_id: str
    """The agent that claims the task"""

    ttl_seconds: int = 300
    """How long the lease lasts"""


class CreateTaskBody(Model):
    title: str

    description: str | None = None

    kind: TaskKind | None = None

    priority: int = 1
    """3 is the most urgent"""

    agent_id: str | None = None
    """The agent to assign it to. Default: any agent may claim it"""

    depends_on: list[Id] = Field(default_factory=list)
    """Tasks that must be `completed` before this one can start. None may be more sensitive than this one"""

    due_at: EndInput = None
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""

    sensitivity: Sensitivity | None = None
    """At most the key's clearance. Default: `internal`, or that of its most sensitive dependency"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: Metadata | None = None
    """Free members, at most 16 KiB as JSON"""


class DelegateTaskBody(Model):
    agent_id: str
    """The agent that gets the task"""

    reason: str | None = None


class TaskPage(Model):
    data: list[Task]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class UpdateTaskBody(Model):
    status: TaskStatus | None = None
    """`completed`, `failed` and `cancelled` are final"""

    reason: str | None = None
    """Why the state changes; needs `status`"""

    title: str | None = None

    description: str | None = None

    priority: int | None = None
    """3 is the most urgent"""

    depends_on: list[Id] | None = None
    """Replaces the whole list; only while the task is `pending` or `blocked`"""

    due_at: EndInput = None
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""

    result: TaskResult = None
    """The result: any JSON value of at most 64 KiB"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: dict[str, Any] | None = None
    """Replaces the whole value"""


class TimelinePage(Model):
    data: list[TimelineItem]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class TimelineItem(Model):
    type: TimelineType

    id: Id
    """UUIDv7"""

    at: Timestamp
    """When it occurred. For a unit without such a time: when it became valid or known. For a task: when it was created"""

    text: str
    """The text, at most 1,000 characters; for an event its type"""

    status: str | None
    """Null for events and turns, which have no status"""

    trust_score: int | None
    """Null for items that are not units"""

    sensitivity: Sensitivity

    stale: bool

    tags: list[str]

    entity_ids: list[Id]

    session_id: Id | None

    agent_id: str | None

    message_id: str | None
    """For turns"""

    data: JsonSchema | None
    """For events"""


class Workflow(Model):
    """A workflow, step by step"""

    id: Id
    """UUIDv7"""

    type: Literal["workflow"]

    version: int
    """Increases by one with each revision. Send it as `If-Match`"""

    status: KeptStatus
    """`contested`: a peer's version of what is known here otherwise, which waits for review. `archived`: deleted softly. It is in neither recall nor lists and can be restored"""

    attribution: Attribution
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    trust_score: TrustScore
    """The score of the attribution, but at most that of the least trusted unit it was derived from"""

    confidence: float
    """How certain its author is"""

    sensitivity: Sensitivity

    aliases: list[str]
    """Other names by which recall finds it"""

    tags: list[str]
    """Labels of the caller"""

    metadata: JsonSchema
    """Free members of the caller"""

    worth: Worth
    """How much it is worth keeping: from trust, use, feedback, corroboration and recency"""

    pinned: bool
    """Recall returns it always, apart from the results"""

    content_hash: str
    """SHA-256 of the content, hex"""

    origin: Origin

    derived_from: list[Id]
    """The units that it was made from"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    stale: Stale
    """Something that the unit rests on was superseded, retracted or erased, and nobody has affirmed the unit since. If very many units rest on one, the last of them become stale some seconds later"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str
    """Who created it, such as `key:<id>`"""

    name: str

    goal: str | None

    steps: list[str]

    preconditions: list[str]


class SoughtUnits(Model):
    data: list[SoughtUnit]
    """In the order of the list, or of the ids in the request"""

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class SoughtUnitNewer(Model):
    """With `id`, without `knownAt`: what was said later about the matter of a unit in force, as far as the key may see it; no verdict"""

    id: Id
    """The fact or turn"""

    session_id: Id | None = None
    """The session of a turn; absent: it is a fact"""

    text: str
    """What it says; of a long turn, the part about the matter"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    occurred_at: Timestamp
    """When it began to be true or was said, as far as that is known, else recorded"""

    ended: Literal[True] | None = None
    """It says that what the result tells of has ended; absent: that is not known"""


class SoughtUnit(Model):
    id: Id
    """UUIDv7"""

    type: UnitType | None
    """Null if there is no `unit`"""

    unit: Fact | Decision | Strategy | Workflow | Skill | Episode | Entity | None
    """Never null in a list. Null for an `id`: it does not exist, was erased, is above the key's clearance, or was not known at that time"""

    newer: SoughtUnitNewer | None = None
    """With `id`, without `knownAt`: what was said later about the matter of a unit in force, as far as the key may see it; no verdict"""


class CreateWorkflowBody(Model):
    attribution: Attribution = "agent_stated"
    """Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`"""

    confidence: float = 0.8

    sensitivity: Sensitivity | None = None
    """At most the key's clearance. Default: `internal`, or that of its most sensitive source"""

    aliases: UnitAliases | None = None
    """Other names by which recall finds it, as if its text had them. They are not part of the `contentHash`. Two that differ only in case, spacing or unseen characters are one"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: Metadata | None = None
    """Free members, at most 16 KiB as JSON"""

    pinned: bool = False

    derived_from: list[Id] = Field(default_factory=list)
    """Units that it was derived from. Its trust is at most that of the least trusted one"""

    name: str

    goal: str | None = None

    steps: list[str]
    """What to do, in this order"""

    preconditions: list[str] = Field(default_factory=list)
    """Conditions that must hold before the first step"""


class WorkflowBatchReply(Model):
    """The outcome of each item, in the order of the request"""

    created: int

    refused: int

    results: list[WorkflowBatchResult]


class WorkflowBatchResult(Model):
    index: int
    """Index of the item in the request"""

    status: int
    """201 created, otherwise the status of the error"""

    workflow: Workflow | None = None
    """A workflow, step by step"""

    error: ItemError | None = None


class CreateWorkflowBatchBody(Model):
    workflows: list[CreateWorkflowBody]


class ArchivedWorkflow(Model):
    mode: Literal["archive"]

    workflow: Workflow
    """A workflow, step by step"""


class ErasedWorkflow(Model):
    mode: Literal["erase"]

    receipt: ErasureReceipt


class WorkflowRevisionPage(Model):
    data: list[WorkflowRevision]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class WorkflowRevision(Model):
    version: int

    event: str
    """What created this version"""

    recorded_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    replaced_at: Timestamp | None
    """Null for the version in force"""

    changed_by: str

    reason: str | None

    workflow: Workflow
    """A workflow, step by step"""


class WorkflowPage(Model):
    data: list[Workflow]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class UpdateWorkflowBody(Model):
    attribution: Attribution | None = None
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    confidence: float | None = None

    sensitivity: Sensitivity | None = None

    aliases: UnitAliases | None = None
    """Replaces the whole list"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: dict[str, Any] | None = None
    """Replaces the whole value"""

    pinned: bool | None = None

    derived_from: list[Id] | None = None

    stale: Literal[False] | None = None
    """Affirms that the unit holds although something it rests on does not any more"""

    reason: str | None = None
    """Why; kept in the history"""

    name: str | None = None

    goal: str | None = None

    steps: list[str] | None = None
    """What to do, in this order"""

    preconditions: list[str] | None = None
    """Conditions that must hold before the first step"""

    status: Annotated[Literal["active"], OPEN] | None = None
    """`active` restores an archived unit"""


class OpenApiDocument(Model):
    """This document"""


class ReviewItem(Model):
    """Something that waits for a person, or was settled"""

    id: Id
    """UUIDv7"""

    version: int

    kind: ReviewKind

    status: ReviewStatus

    actions: list[ReviewAction]
    """The actions that are possible now"""

    sensitivity: Sensitivity
    """The sensitivity of the most sensitive unit concerned"""

    subject_id: Id
    """The incoming unit, or the stale one"""

    other_id: Id | None
    """The existing unit with which it conflicts, or the source that is no longer in force"""

    detail: JsonSchema
    """Ids and numbers, never content"""

    resolution: ReviewResolution

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    resolved_at: Timestamp | None

    resolved_by: str | None


class ReviewedUnit(Model):
    id: Id
    """UUIDv7"""

    version: int

    status: str


class DismissReviewBody(Model):
    reason: str | None = None
    """Why; kept in the item and in the units' history"""


class ReviewItemPage(Model):
    data: list[ReviewItem]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class ResolveReviewBody(Model):
    action: ReviewAction
    """`keep_local`: the existing unit stays. `accept_incoming`: the item's subject replaces it. `keep_both`: both stay. `merge`: both become one. For a stale unit, `keep_local` affirms it and `accept_incoming` archives it"""

    reason: str | None = None
    """Why; kept in the item and in the units' history"""

    merged: MergedFact | None = None
    """With `merge`: what the merged fact says. Required for contested facts, because they contradict each other. Members of the triple that are left out keep the value of the existing fact"""


class MergedFact(Model):
    """With `merge`: what the merged fact says. Required for contested facts, because they contradict each other. Members of the triple that are left out keep the value of the existing fact"""

    statement: str

    subject: str | None = None

    predicate: str | None = None

    object: str | None = None


class SelfEdit(Model):
    """An edit of the agent's own memory, and the outcome of each operation"""

    id: Id
    """UUIDv7"""

    version: int

    status: Annotated[Literal["applied", "partial", "in_review", "refused", "incomplete"], OPEN]
    """`partial`: some operations were applied, others not. `in_review`: some wait for a person. `refused`: nothing was applied. `incomplete`: some are not processed yet, because the edit is running or was interrupted"""

    mode: SelfEditMode
    """`atomic`: all operations or none. `per_item`: each on its own, with its own outcome"""

    source: Annotated[Literal["edit", "reflection", "revert"], OPEN]

    reason: str

    agent_id: str | None

    sensitivity: Sensitivity
    """The sensitivity of the most sensitive unit that it changed or proposes to change"""

    reverts: Id | None
    """The edit that this one reverts"""

    reverted_by: Id | None
    """The edit that reverted this one"""

    operations: list[AppliedSelfEditOperation]

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str


class AppliedSelfEditOperation(Model):
    index: int

    op: str

    ref: str | None

    operation: JsonSchema | None
    """The operation as requested; null if its unit was erased or is above the key's clearance"""

    outcome: SelfEditOutcome
    """`unchanged`: nothing had to change. `review`: the agent may not do this alone; a person decides. `declined`: the person declined. `withdrawn`: the unit was erased before the decision. `refused`: see `error`. `pending`: not processed yet"""

    resource_id: Id | None

    resource_type: str | None

    version_before: int | None

    version_after: int | None

    changes: list[SelfEditChange]
    """Every version that the operation created, including those of other units, such as superseded facts"""

    conflict: FactConflict | None

    receipt: ErasureReceipt | None
    """Of an erasure"""

    error: ItemError | None

    review_item_id: Id | None


class SelfEditChange(Model):
    id: Id
    """UUIDv7"""

    type: str

    version_before: int
    """0: it did not exist"""

    version_after: int | None
    """Null: it was erased"""


class SelfEditBody(Model):
    reason: str
    """Why; kept with the edit and in the history of each unit"""

    mode: SelfEditMode
    """`atomic`: all operations or none. `per_item`: each on its own, with its own outcome"""

    agent_id: str | None = None
    """The agent that edits, if several agents share a key"""

    operations: list[SelfEditOperation]


class SelfEditAdd(Model):
    op: Literal["add"]

    type: UnitType

    ref: str | None = None
    """A name by which later operations refer to it, as `$name`"""

    body: dict[str, Any]
    """The create body of the type (`CreateFactBody`, `CreateDecisionBody`, …); an id in `derivedFrom`, `evidenceIds`, `factIds` and `entityIds` may be a reference to an earlier operation. An `entity` is found by its names, or made"""


class SelfEditUpdate(Model):
    op: Literal["update"]

    id: SelfEditTarget
    """The id of a unit, or a reference to what an earlier operation of this edit adds: `$2` is the second operation, `$home` the `add` with the `ref` `home`"""

    patch: dict[str, Any]
    """The update body of the unit's type (`UpdateFactBody`, …); episodes are not revised"""

    expected_version: int | None = None
    """The version that the caller has seen. If the unit has another one, the operation is refused with `version_mismatch`"""


class SelfEditRetract(Model):
    """Declares that a fact was wrong"""

    op: Literal["retract"]

    id: SelfEditTarget
    """The id of a unit, or a reference to what an earlier operation of this edit adds: `$2` is the second operation, `$home` the `add` with the `ref` `home`"""

    expected_version: int | None = None
    """The version that the caller has seen. If the unit has another one, the operation is refused with `version_mismatch`"""


class SelfEditPin(Model):
    op: Literal["pin"]

    id: SelfEditTarget
    """The id of a unit, or a reference to what an earlier operation of this edit adds: `$2` is the second operation, `$home` the `add` with the `ref` `home`"""

    expected_version: int | None = None
    """The version that the caller has seen. If the unit has another one, the operation is refused with `version_mismatch`"""


class SelfEditUnpin(Model):
    op: Literal["unpin"]

    id: SelfEditTarget
    """The id of a unit, or a reference to what an earlier operation of this edit adds: `$2` is the second operation, `$home` the `add` with the `ref` `home`"""

    expected_version: int | None = None
    """The version that the caller has seen. If the unit has another one, the operation is refused with `version_mismatch`"""


class SelfEditRelate(Model):
    """A relation between two units. If it exists already, it is used"""

    op: Literal["relate"]

    verb: RelationVerb

    source_id: SelfEditTarget
    """The id of a unit, or a reference to what an earlier operation of this edit adds: `$2` is the second operation, `$home` the `add` with the `ref` `home`"""

    target_id: SelfEditTarget
    """The id of a unit, or a reference to what an earlier operation of this edit adds: `$2` is the second operation, `$home` the `add` with the `ref` `home`"""

    weight: float | None = None

    confidence: float | None = None

    attribution: Attribution | None = None
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    sensitivity: Sensitivity | None = None

    valid_from: TimestampInput | None = None
    """RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC"""

    valid_to: EndInput = None
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""

    evidence_ids: list[SelfEditTarget] | None = None


class SelfEditForget(Model):
    op: Literal["forget"]

    id: SelfEditTarget
    """The id of a unit, or a reference to what an earlier operation of this edit adds: `$2` is the second operation, `$home` the `add` with the `ref` `home`"""

    mode: Annotated[Literal["archive", "erase"], OPEN]
    """`archive` can be reverted. `erase` is for ever and needs the scope `memory:delete`"""

    expected_version: int | None = None
    """The version that the caller has seen. If the unit has another one, the operation is refused with `version_mismatch`"""


class SelfProfileSubjectsItem(Model):
    name: str

    id: Id | None
    """The entity's id; null: only a name"""

    mentions: int
    """Number of the latest units that mention it"""


class SelfProfileDecisionsItem(Model):
    id: Id
    """UUIDv7"""

    title: str

    decision: str

    status: Annotated[Literal["proposed", "accepted"], OPEN]

    decided_at: Timestamp | None

    review_at: Timestamp | None

    stale: bool


class SelfProfileRecentChangesItem(Model):
    seq: int

    kind: str

    id: Id
    """UUIDv7"""

    text: str | None
    """Null: it was erased"""

    at: Timestamp
    """RFC 3339, UTC, milliseconds"""


class SelfProfile(Model):
    """What the agent knows about itself"""

    as_of_seq: int
    """The profile is current at least up to this position in the change feed"""

    text: str
    """Markdown for a system prompt, each line with its id"""

    tokens: int

    truncated: bool
    """Something did not fit into the budget"""

    subjects: list[SelfProfileSubjectsItem]
    """What the latest units are about, most mentioned first"""

    preferences: list[ProfileFact]
    """Preferences and instructions, pinned ones first"""

    facts: list[ProfileFact]
    """Ordered by pin, worth, trust and use"""

    decisions: list[SelfProfileDecisionsItem]
    """In force or proposed, newest first"""

    open_tasks: int
    """0 for a key without `tasks:read`"""

    recent_changes: list[SelfProfileRecentChangesItem]


class ProfileFactNewer(Model):
    """What was said later about the same matter; no verdict"""

    id: Id
    """The fact or turn"""

    session_id: Id | None = None
    """The session of a turn; absent: it is a fact"""

    text: str
    """What it says; of a long turn, the part about the matter"""

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    occurred_at: Timestamp
    """When it began to be true or was said, as far as that is known, else recorded"""

    ended: Literal[True] | None = None
    """It says that what the result tells of has ended; absent: that is not known"""


class ProfileFact(Model):
    id: Id
    """UUIDv7"""

    text: str
    """Shortened if it is long"""

    fact_type: FactType

    attribution: Attribution
    """The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""

    trust_score: int

    worth: float

    pinned: bool

    contested: bool

    stale: bool

    sensitivity: Sensitivity

    newer: ProfileFactNewer | None = None
    """What was said later about the same matter; no verdict"""


class SelfEditPage(Model):
    data: list[SelfEdit]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class ReflectionWindow(Model):
    from_: str

    to: str


class ReflectionLookedAt(Model):
    facts: int

    turns: int

    others: int
    """Units that are stale, of low worth, expiring or due, regardless of the window"""


class ReflectionFound(Model):
    """Number of findings before the limit"""

    contradiction: int | None = None

    near_duplicate: int | None = Field(default=None, validation_alias="near_duplicate", serialization_alias="near_duplicate")

    stale: int | None = None

    low_worth: int | None = Field(default=None, validation_alias="low_worth", serialization_alias="low_worth")

    expiring: int | None = None

    unanswered_question: int | None = Field(default=None, validation_alias="unanswered_question", serialization_alias="unanswered_question")

    review_due: int | None = Field(default=None, validation_alias="review_due", serialization_alias="review_due")


class Reflection(Model):
    """What a reflection found"""

    window: ReflectionWindow

    looked_at: ReflectionLookedAt

    found: ReflectionFound
    """Number of findings before the limit"""

    truncated: bool
    """There was more to examine, or more was found than is shown"""

    findings: list[ReflectionFinding]
    """Most confident first"""

    edit: SelfEdit | None


class ReflectionFinding(Model):
    kind: ReflectionKind
    """`contradiction`: facts in force that cannot both be true. `near_duplicate`: facts that say nearly the same. `stale`: a unit that rests on something no longer in force. `low_worth`: worth at most 0.2. `expiring`: a fact that expires within 72 hours. `unanswered_question`: a question in a session that nobody answered. `review_due`: a decision whose `reviewAt` has passed"""

    confidence: float

    summary: str

    evidence_ids: list[Id]
    """The units or turns concerned"""

    operations: list[SelfEditOperation]
    """Ready for `POST /v1/self/edit`"""

    applied: list[int]
    """Indexes of these operations in `edit`; empty: not applied"""


class ReflectBodyWindow(Model):
    """Units written and turns added in this time; `to` defaults to now"""

    from_: TimestampInput
    """RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC"""

    to: EndInput = None
    """RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""


class ReflectBody(Model):
    window: ReflectBodyWindow | None = None
    """Units written and turns added in this time; `to` defaults to now"""

    last_hours: int | None = None
    """Used instead of a window. Default: 168, a week"""

    focus: list[ReflectionKind] | None = None
    """Default: all"""

    limit: int = 20
    """The most findings"""

    apply: bool = False
    """Applies the proposed operations as an edit in the mode `per_item`, with the rights of an edit"""

    min_confidence: float = 0.5
    """Findings with less confidence are proposed but not applied"""

    agent_id: str | None = None
    """Kept with the edit, if one is applied"""


class RevertSelfEditBody(Model):
    reason: str | None = None

    agent_id: str | None = None
    """An agent, as the caller names it"""

    force: bool = False
    """Reverts even if a unit was changed since; the later changes are reverted, too"""


class AddedTurn(Model):
    id: Id
    """UUIDv7"""

    session_id: Id
    """UUIDv7"""

    version: int

    position: int
    """Position in the session, from 0"""

    message_id: str

    role: TurnRole

    name: str | None

    content: str

    invisible_text: InvisibleText | None = None
    """Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""

    sensitivity: Sensitivity

    pinned: bool

    tags: list[str]

    metadata: JsonSchema
    """A JSON Schema, draft 2020-12 unless `$schema` names draft-07"""

    occurred_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    utc_offset: str | None = None
    """Offset of the writer's clock at that time; absent if it is not known"""

    recorded_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    erased_at: Timestamp | None = None
    """When its content was erased; absent: it was not"""

    duplicate: bool
    """The turn existed already; nothing was added"""


class AddedTurnBatch(Model):
    session_id: Id
    """UUIDv7"""

    created: int

    duplicates: int

    turns: list[TurnReceipt]
    """One for each turn of the request, in its order"""


class TurnReceipt(Model):
    id: Id
    """UUIDv7"""

    message_id: str

    position: int

    duplicate: bool


class AddTurnBatchBody(Model):
    turns: list[AddTurnBody | ChatMessage]
    """In order. All of them are added, or none"""


class AddTurnBody(Model):
    role: TurnRole

    name: str | None = None
    """Who speaks"""

    content: str = ""
    """What was said, verbatim. Empty: the turn has no text; recall does not find it"""

    message_id: str | None = None
    """The caller's own id, unique in the session. Sent again with the same role, name and content, it is the same turn; with other content it is refused. Default: the turn's id"""

    occurred_at: TimestampInput | None = None
    """Default: now. If it states an offset, such as `-07:00`, that is the writer's clock: "yesterday" in the content is the day before by it. With `Z` the clock is that of the session's or the workspace's zone, or UTC"""

    pinned: bool = False

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: Metadata | None = None
    """Free members, at most 16 KiB as JSON"""


class ChatMessage(Model):
    """A message in the form of OpenAI, Anthropic, Gemini, LangChain or the AI SDK. What a turn has no member for is kept in `metadata.chatMessage`; long texts in it are cut if it has more than 16 KiB"""

    role: str | None = None
    """`developer`, `human`, `ai`, `model`, `function`, …"""

    type: str | None = None
    """The kind of message, if it has no `role`"""

    content: str | list[JsonValue] | None = None
    """A text, parts of which those with text count, or null"""

    parts: list[JsonValue] | None = None
    """As `content`"""

    name: str | None = None

    id: Any = None
    """A text counts as `messageId`"""

    message_id: str | None = None

    occurred_at: JsonValue = None
    """Any JSON value"""

    created_at: Any = None
    """An RFC 3339 time counts as `occurredAt`"""

    pinned: bool | None = None

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: Metadata | None = None
    """Free members, at most 16 KiB as JSON"""

    data: Any = None
    """The message itself, as LangChain stores it"""

    lc: JsonValue = None
    """Any JSON value"""

    kwargs: JsonValue = None
    """Any JSON value"""

    tool_calls: JsonValue = Field(default=None, validation_alias="tool_calls", serialization_alias="tool_calls")
    """Any JSON value"""

    tool_call_id: JsonValue = Field(default=None, validation_alias="tool_call_id", serialization_alias="tool_call_id")
    """Any JSON value"""

    function_call: JsonValue = Field(default=None, validation_alias="function_call", serialization_alias="function_call")
    """Any JSON value"""

    refusal: JsonValue = None
    """Any JSON value"""

    audio: JsonValue = None
    """Any JSON value"""

    annotations: JsonValue = None
    """Any JSON value"""

    reasoning: JsonValue = None
    """Any JSON value"""

    reasoning_content: JsonValue = Field(default=None, validation_alias="reasoning_content", serialization_alias="reasoning_content")
    """Any JSON value"""

    reasoning_details: JsonValue = Field(default=None, validation_alias="reasoning_details", serialization_alias="reasoning_details")
    """Any JSON value"""

    call_id: JsonValue = Field(default=None, validation_alias="call_id", serialization_alias="call_id")
    """Any JSON value"""

    arguments: JsonValue = None
    """Any JSON value"""

    output: JsonValue = None
    """Any JSON value"""

    summary: JsonValue = None
    """Any JSON value"""

    encrypted_content: JsonValue = Field(default=None, validation_alias="encrypted_content", serialization_alias="encrypted_content")
    """Any JSON value"""

    status: JsonValue = None
    """Any JSON value"""

    model: JsonValue = None
    """Any JSON value"""

    stop_reason: JsonValue = Field(default=None, validation_alias="stop_reason", serialization_alias="stop_reason")
    """Any JSON value"""

    stop_sequence: JsonValue = Field(default=None, validation_alias="stop_sequence", serialization_alias="stop_sequence")
    """Any JSON value"""

    stop_details: JsonValue = Field(default=None, validation_alias="stop_details", serialization_alias="stop_details")
    """Any JSON value"""

    usage: JsonValue = None
    """Any JSON value"""

    container: JsonValue = None
    """Any JSON value"""

    additional_kwargs: JsonValue = Field(default=None, validation_alias="additional_kwargs", serialization_alias="additional_kwargs")
    """Any JSON value"""

    response_metadata: JsonValue = Field(default=None, validation_alias="response_metadata", serialization_alias="response_metadata")
    """Any JSON value"""

    usage_metadata: JsonValue = Field(default=None, validation_alias="usage_metadata", serialization_alias="usage_metadata")
    """Any JSON value"""

    invalid_tool_calls: JsonValue = Field(default=None, validation_alias="invalid_tool_calls", serialization_alias="invalid_tool_calls")
    """Any JSON value"""

    tool_call_chunks: JsonValue = Field(default=None, validation_alias="tool_call_chunks", serialization_alias="tool_call_chunks")
    """Any JSON value"""

    example: JsonValue = None
    """Any JSON value"""

    artifact: JsonValue = None
    """Any JSON value"""

    attachments: JsonValue = None
    """Any JSON value"""

    experimental_attachments: JsonValue = Field(default=None, validation_alias="experimental_attachments", serialization_alias="experimental_attachments")
    """Any JSON value"""

    tool_invocations: JsonValue = None
    """Any JSON value"""

    provider_metadata: JsonValue = None
    """Any JSON value"""

    provider_options: JsonValue = None
    """Any JSON value"""

    revision_id: JsonValue = None
    """Any JSON value"""


class CollapsedSession(Model):
    """What the session collapsed to, and what was left out"""

    session_id: Id
    """UUIDv7"""

    status: Annotated[Literal["collapsed"], OPEN]

    version: int

    collapsed_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    turns: int

    source: Annotated[Literal["rules", "model", "mixed"], OPEN]
    """Who proposed the statements. `mixed`: the language model failed for a part"""

    model_failure: str | None
    """Why rules were used although a language model is configured"""

    episode: dict[str, Any] | None
    """Null for a session without turns. Title and summary are null if the episode was erased"""

    facts: list[ExtractedFact]
    """In the order of the turns"""

    decisions: list[ExtractedDecision]
    """In the order of the turns"""

    rejected: dict[str, int]
    """Number of rejected proposals by reason: `duplicate`, `unsupported`, `outdated` (the session takes it back later), …"""


class ExtractedFact(Model):
    fact_id: Id
    """UUIDv7"""

    statement: str | None
    """The fact's current text; null if it was erased or is not visible"""

    fact_type: str | None

    attribution: Attribution | None

    message_id: str
    """The turn that it cites"""

    why: Annotated[Literal["pinned", "stated", "inferred"], OPEN]
    """`pinned`: its turn is pinned. `stated`: the turn says so in these words. `inferred`: a language model worded it, or a rule took a name or a question from another turn, which the fact cites, too"""

    outcome: Annotated[Literal["created", "corroborated", "superseded", "contested", "ordered", "interrupts", "outdates"], OPEN]
    """`corroborated`: the fact was known already and now cites this session, too. `superseded`: it was created and replaces older facts. `contested`: it was created, contradicts a fact in force and waits for review. `ordered`: it was created and holds until a known, newer fact begins. `interrupts`: it was created and holds within facts that last longer. `outdates`: it was created and says something else than older facts, which stay"""

    related_fact_ids: list[Id]
    """The other facts that the outcome refers to"""


class ExtractedDecision(Model):
    decision_id: Id
    """UUIDv7"""

    title: str | None
    """What was decided, in few words; null if the decision was erased or is not visible"""

    decision: str | None

    attribution: Attribution | None

    message_id: str
    """The turn that says so"""


class Session(Model):
    """A session, with its scratchpad"""

    id: Id
    """UUIDv7"""

    version: int
    """Increases with every change of the session, its turns or its scratchpad"""

    status: SessionStatus

    title: str | None

    agent_id: str | None
    """The agent that the session belongs to"""

    external_id: str | None
    """The caller's own name of the session"""

    sensitivity: Sensitivity

    tags: list[str]
    """Labels of the caller"""

    metadata: JsonSchema
    """Free members of the caller"""

    turn_count: int
    """How many turns it has"""

    token_count: int
    """Tokens of all turns, approximately"""

    participants: list[str]
    """Names of the speakers, in the order in which they first spoke"""

    scratchpad_version: int
    """For `If-Match` when the scratchpad is changed"""

    timezone: str | None = None
    """Where its speakers are, as the caller says"""

    started_at: Timestamp
    """When the conversation began, as the caller says"""

    ended_at: Timestamp | None
    """When it was collapsed or discarded"""

    episode_id: Id | None
    """The episode that it collapsed to"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str
    """Who created it, such as `key:<id>`"""

    scratchpad: dict[str, Any]
    """What the agent notes for itself while it works"""


class ErasedTurnErasedItem(Model):
    id: Id
    """UUIDv7"""

    type: str


class ErasedTurnStaleItem(Model):
    id: Id
    """UUIDv7"""

    type: str


class ErasedTurn(Model):
    """The turn without its content, and what became of the units that cite it"""

    turn: Turn
    """A turn of a session, verbatim"""

    receipt: ErasureReceipt | None
    """Null if its content was erased before"""

    erased: list[ErasedTurnErasedItem]
    """Units that were erased with it"""

    stale: list[ErasedTurnStaleItem]
    """Units that rest on it and became stale; they lose their quotes of it"""


class SessionContextSummary(Model):
    text: str

    turns: int
    """Number of turns that it summarises"""


class SessionContextUsage(Model):
    tokens: int

    max_tokens: int

    summary_tokens: int

    scratchpad_tokens: int

    turn_tokens: int

    knowledge_tokens: int


class SessionContext(Model):
    """What an agent needs to go on, within the budget"""

    session_id: Id
    """UUIDv7"""

    status: SessionStatus

    summary: SessionContextSummary | None = None

    scratchpad: dict[str, Any] | None = None
    """Absent if it is empty or does not fit"""

    turns: list[Turn]
    """The most recent turns, complete, in order"""

    knowledge: list[RecallResult]
    """Recalled from outside these turns: pinned ones first, then by relevance"""

    evidence_confidence: float
    """Confidence in the recalled knowledge; 0 without a query"""

    omitted: list[Annotated[Literal["summary", "scratchpad", "turns", "knowledge"], OPEN]]
    """Parts that do not fit into the budget completely"""

    usage: SessionContextUsage


class SessionPage(Model):
    data: list[SessionSummary]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class SessionSummary(Model):
    id: Id
    """UUIDv7"""

    version: int
    """Increases with every change of the session, its turns or its scratchpad"""

    status: SessionStatus

    title: str | None

    agent_id: str | None
    """The agent that the session belongs to"""

    external_id: str | None
    """The caller's own name of the session"""

    sensitivity: Sensitivity

    tags: list[str]
    """Labels of the caller"""

    metadata: JsonSchema
    """Free members of the caller"""

    turn_count: int
    """How many turns it has"""

    token_count: int
    """Tokens of all turns, approximately"""

    participants: list[str]
    """Names of the speakers, in the order in which they first spoke"""

    scratchpad_version: int
    """For `If-Match` when the scratchpad is changed"""

    timezone: str | None = None
    """Where its speakers are, as the caller says"""

    started_at: Timestamp
    """When the conversation began, as the caller says"""

    ended_at: Timestamp | None
    """When it was collapsed or discarded"""

    episode_id: Id | None
    """The episode that it collapsed to"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    created_by: str
    """Who created it, such as `key:<id>`"""


class TurnPage(Model):
    data: list[Turn]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class Scratchpad(Model):
    """The scratchpad of the session"""

    session_id: Id
    """UUIDv7"""

    version: int
    """The version of the scratchpad, for `If-Match`"""

    content: dict[str, Any]


class PinTurnBody(Model):
    turn_id: Id | None = None
    """UUIDv7"""

    message_id: str | None = None

    pinned: bool = True


class PurgedSessionErasedItem(Model):
    id: Id
    """UUIDv7"""

    type: UnitType


class PurgedSession(Model):
    """What was erased with the session"""

    session: Session
    """A session, with its scratchpad"""

    turns: int
    """Number of turns deleted with their texts"""

    erased: list[PurgedSessionErasedItem]
    """Units that were erased. Each has a receipt in the deletion log, and its id answers 410 from now on"""


class StartSessionBody(Model):
    title: str | None = None

    agent_id: str | None = None
    """The agent that the session belongs to, as the caller names it"""

    sensitivity: Sensitivity = "internal"
    """Holds for all its turns and for what it collapses to; at most the key's clearance"""

    tags: Tags | None = None
    """Labels of the caller"""

    metadata: Metadata | None = None
    """Free members, at most 16 KiB as JSON"""

    scratchpad: ScratchpadContent | None = None
    """Free members, at most 64 KiB as JSON"""

    started_at: TimestampInput | None = None
    """Default: now"""

    timezone: str | None = None
    """Where its speakers are, for turns whose time states no offset. Default: the workspace's setting, or UTC"""

    external_id: ExternalId | None = None
    """The caller's own name of the session, unique in the workspace. If a session has it already, that session is returned with 200, in whatever state it is. Other members that are given must then be as the session has them, or the request is refused; empty ones and the default sensitivity count as not given"""


class StreamTicket(Model):
    """A ticket that opens one stream"""

    ticket: str
    """For `GET /stream?ticket=`. It opens one stream and is shown only here"""

    expires_at: Timestamp
    """RFC 3339, UTC, milliseconds"""


class IssuedWebhook(Model):
    """The webhook and its secret, which is shown only here"""

    id: Id
    """UUIDv7"""

    version: int

    url: str

    description: str | None

    kinds: list[str]

    status: WebhookStatus
    """`unverified`: the URL has not repeated its challenge yet, and the service sends it nothing else"""

    status_reason: Annotated[Literal["manual", "gone", "failing", "backlog", "key", None], OPEN]
    """Why the webhook is disabled. `manual`: a caller disabled it. `gone`: the URL answered 410. `failing`: every attempt failed for five days. `backlog`: too much was waiting. `key`: the key that answers for it was revoked, has expired or has lost a right that the webhook needs"""

    max_sensitivity: Sensitivity
    """The service does not send changes above this sensitivity"""

    with_tasks: bool
    """Whether the service sends changes of tasks and events: the key that created the webhook, and each key that took it over, had the scope `tasks:read`"""

    rate_per_minute: int | None
    """The service sends at most this many messages in a minute; null: no limit"""

    public_key: str | None
    """`whpk_…`: the key that verifies the `v1a` signatures; null: the service has no signing key"""

    cursor: str
    """The place in the change feed up to which the service has made deliveries"""

    verified_at: Timestamp | None

    failing_since: Timestamp | None
    """Since when every attempt has failed"""

    last_success_at: Timestamp | None

    last_error: str | None
    """Why the last attempt failed. `host_refused`: the host has no address, or one that the service may not call; only the operator's log says which"""

    throttled_until: Timestamp | None
    """The service sends nothing until then: the receiver asked for a rest, or `ratePerMinute` is used up"""

    created_by: str

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    secret: str
    """`whsec_…`: the secret that verifies the `v1` signatures. No other reply shows it"""


class CreateWebhookBody(Model):
    url: str
    """An `https://` URL of a host on the internet, at a port that the operator allows. The service calls private addresses, and `http://` URLs, only within the ranges of `SVC_OUTBOUND_ALLOW_CIDRS`"""

    kinds: list[str] = Field(default_factory=list)
    """Kinds of changes to send, such as `fact.created`; a name that ends with `.`, such as `fact.`, stands for all kinds that begin with it. Empty: all"""

    description: str | None = None

    max_sensitivity: Sensitivity = "internal"
    """At most the key's clearance"""

    rate_per_minute: int | None = None
    """The service sends at most this many messages in a minute; null: no limit"""

    since: str | None = None
    """The service sends the changes after this place in the feed. Default: the changes from now on"""


class Webhook(Model):
    """A webhook and its state"""

    id: Id
    """UUIDv7"""

    version: int

    url: str

    description: str | None

    kinds: list[str]

    status: WebhookStatus
    """`unverified`: the URL has not repeated its challenge yet, and the service sends it nothing else"""

    status_reason: Annotated[Literal["manual", "gone", "failing", "backlog", "key", None], OPEN]
    """Why the webhook is disabled. `manual`: a caller disabled it. `gone`: the URL answered 410. `failing`: every attempt failed for five days. `backlog`: too much was waiting. `key`: the key that answers for it was revoked, has expired or has lost a right that the webhook needs"""

    max_sensitivity: Sensitivity
    """The service does not send changes above this sensitivity"""

    with_tasks: bool
    """Whether the service sends changes of tasks and events: the key that created the webhook, and each key that took it over, had the scope `tasks:read`"""

    rate_per_minute: int | None
    """The service sends at most this many messages in a minute; null: no limit"""

    public_key: str | None
    """`whpk_…`: the key that verifies the `v1a` signatures; null: the service has no signing key"""

    cursor: str
    """The place in the change feed up to which the service has made deliveries"""

    verified_at: Timestamp | None

    failing_since: Timestamp | None
    """Since when every attempt has failed"""

    last_success_at: Timestamp | None

    last_error: str | None
    """Why the last attempt failed. `host_refused`: the host has no address, or one that the service may not call; only the operator's log says which"""

    throttled_until: Timestamp | None
    """The service sends nothing until then: the receiver asked for a rest, or `ratePerMinute` is used up"""

    created_by: str

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    updated_at: Timestamp
    """RFC 3339, UTC, milliseconds"""


class WebhookDeliveryPage(Model):
    data: list[WebhookDelivery]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class WebhookDelivery(Model):
    """A message to a webhook and its attempts"""

    id: str
    """`msg_…`: the `webhook-id` of every attempt"""

    seq: int

    kind: str

    resource_type: str

    resource_id: Id
    """UUIDv7"""

    state: WebhookDeliveryState
    """`pending`: not delivered yet. `dead`: the last attempt failed. `skipped`: not sent, because the endpoint was enabled with `skipTo` or may not be sent this change any more"""

    attempts: int

    next_attempt_at: Timestamp | None

    last_attempt_at: Timestamp | None

    last_status: int | None

    last_error: str | None

    duration_ms: int | None
    """How long the last attempt took"""

    created_at: Timestamp
    """RFC 3339, UTC, milliseconds"""

    finished_at: Timestamp | None


class WebhookPage(Model):
    data: list[Webhook]

    next_cursor: NextCursor
    """Pass it as `cursor` to get the next page; null on the last page"""


class WebhookReplayed(Model):
    """How many changes will be sent again"""

    events: int


class ReplayWebhookBody(Model):
    since: str
    """Changes after this place in the feed"""

    until: str | None = None
    """Changes up to this place, included. Default: as far as the webhook has come"""

    states: list[WebhookDeliveryState] | None = None
    """Only deliveries in these states. Default: every change that the webhook is sent"""


class RotateWebhookBody(Model):
    overlap_seconds: int = 86400
    """How long the former secret signs as well, up to 7 days; 0: it stops now"""


class WebhookTested(Model):
    """What the receiver answered"""

    status: int | None
    """The status of the receiver's reply; null: it did not reply"""

    error: str | None
    """Why the attempt failed; null: it succeeded"""

    duration_ms: int

    response: str
    """The beginning of the reply, up to 512 bytes, without control characters; empty as long as the URL has not given its consent"""

    verified: bool
    """Whether the URL has repeated its challenge, now or before"""


class UpdateWebhookBody(Model):
    url: str | None = None
    """A new URL gets nothing but the challenge until it has given its consent"""

    kinds: list[str] | None = None
    """Kinds of changes to send, such as `fact.created`; a name that ends with `.`, such as `fact.`, stands for all kinds that begin with it. Empty: all"""

    description: str | None = None

    status: Annotated[Literal["enabled", "disabled"], OPEN] | None = None

    skip_to: Annotated[Literal["now"], OPEN] | None = None
    """With `status: enabled`: skips everything that is waiting. Default: the webhook goes on where it stopped"""

    max_sensitivity: Sensitivity | None = None

    rate_per_minute: int | None = None
    """The service sends at most this many messages in a minute; null: no limit"""


class WhoamiWorkspace(Model):
    id: Id
    """UUIDv7"""

    name: str

    region: Region
    """Its home region"""


class WhoamiServer(Model):
    version: str

    region: Region | None
    """The region that this service serves; null: all"""


class Whoami(Model):
    """Who the key is, what it may do, and within which limits"""

    actor: str
    """The caller's name in `createdBy`, in the change feed and in the audit log"""

    key: dict[str, Any] | None
    """The workspace's key that was presented; null under a break-glass grant"""

    break_glass: dict[str, Any] | None
    """The grant by which an admin is in the workspace; null for a key of the workspace"""

    workspace: WhoamiWorkspace

    scopes: list[Scope]
    """What the caller may do"""

    max_sensitivity: Sensitivity
    """The caller's clearance: rows above it do not exist for it. The workspace's limit is counted in"""

    rate_limit: KeyRateLimit | None
    """The rate limit that holds for the caller, wherever it is set; null: none does"""

    expires_at: Timestamp | None
    """When the presented secret or the grant ends; null: it does not end by itself"""

    server: WhoamiServer

    features: Features
    """What this service is configured to do"""


class Features(Model):
    """What this service is configured to do"""

    embeddings: bool
    """Questions are also answered by meaning: by an embedding endpoint or the built-in sentence encoder"""

    llm: bool
    """A language model is configured; without one, rules do its work"""

    mcp: bool
    """The service answers MCP clients"""

    federation: bool
    """The instance has a signing key, so it can exchange with peers"""

    webhooks: bool
    """The service has a key for stored secrets, so it can sign deliveries"""


StreamClientMessage: TypeAlias = Annotated[StreamSubscribe | StreamUnsubscribe | StreamPing, Field(discriminator="op")]
"""What a client sends"""


StreamServerMessage: TypeAlias = Annotated[StreamEvent | StreamSubscribed | StreamError | StreamPong, Field(discriminator="op")]
"""What the service sends"""


StreamMessage: TypeAlias = StreamClientMessage | StreamServerMessage
"""A message on a stream, either way"""


StreamChannel: TypeAlias = Annotated[Literal["memory", "tasks", "events", "health"], OPEN]
"""`tasks`: changes of tasks. `events`: recorded events. `memory`: every other change of the workspace. `health`: its health snapshot. `tasks` and `events` also need the scope `tasks:read`"""


Id: TypeAlias = str
"""UUIDv7"""


Sensitivity: TypeAlias = Annotated[Literal["public", "internal", "confidential", "restricted"], OPEN]


Timestamp: TypeAlias = datetime
"""RFC 3339, UTC, milliseconds"""


JsonValue: TypeAlias = Any
"""Any JSON value"""


Scope: TypeAlias = Annotated[Literal["memory:read", "memory:write", "memory:delete", "memory:export", "memory:import", "memory:admin", "memory:admin:cross_tenant", "session:write", "tasks:read", "tasks:write", "reasoning:write", "self:write", "governance:write", "audit:read", "federation"], OPEN]


Cidr: TypeAlias = str
"""A range of addresses, such as `10.0.0.0/8` or `2001:db8::/32`"""


KeyRateLimit: TypeAlias = dict[str, Any] | None


EndInput: TypeAlias = datetime | str | None
"""RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC"""


NextCursor: TypeAlias = str | None
"""Pass it as `cursor` to get the next page; null on the last page"""


Metadata: TypeAlias = dict[str, Any]
"""Free members, at most 16 KiB as JSON"""


TimestampInput: TypeAlias = datetime | str
"""RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC"""


BreakGlassState: TypeAlias = Annotated[Literal["pending", "approved", "denied", "revoked", "expired"], OPEN]


Region: TypeAlias = Annotated[Literal["us-east-1", "eu-west-1", "ap-southeast-1"], OPEN]
"""It never changes"""


TenantState: TypeAlias = Annotated[Literal["creating", "active", "suspended", "erasing", "erased"], OPEN]
"""`creating`: its workspace may not be there yet; opening it again makes it. `suspended`: every request in its workspace is refused. `erasing`: some of its data may still be there; erasing it again goes on. `erased`: nothing of it is left"""


DecisionStatus: TypeAlias = Annotated[Literal["proposed", "accepted", "contested", "superseded", "rejected", "archived"], OPEN]
"""`contested`: a peer's version of what is known here otherwise, which waits for review. `superseded`: another decision replaced it. `rejected`: it was not accepted, or was withdrawn. `archived`: deleted softly, can be restored"""


Attribution: TypeAlias = Annotated[Literal["verified", "user_stated", "tool_observed", "document_cited", "agent_stated", "agent_inferred", "imported", "federation_received", "unverified"], OPEN]
"""The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10"""


TrustScore: TypeAlias = int
"""The score of the attribution, but at most that of the least trusted unit it was derived from"""


Worth: TypeAlias = float
"""How much it is worth keeping: from trust, use, feedback, corroboration and recency"""


InvisibleText: TypeAlias = Literal[True]
"""Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see"""


Stale: TypeAlias = bool
"""Something that the unit rests on was superseded, retracted or erased, and nobody has affirmed the unit since. If very many units rest on one, the last of them become stale some seconds later"""


UnitAliases: TypeAlias = list[str]
"""Other names by which recall finds it, as if its text had them. They are not part of the `contentHash`. Two that differ only in case, spacing or unseen characters are one"""


Tags: TypeAlias = list[str]
"""Labels of the caller"""


ForgetDecisionReply: TypeAlias = Annotated[ArchivedDecision | ErasedDecision, Field(discriminator="mode")]
"""The archived unit, or the receipt of the erasure"""


ReceiptSignature: TypeAlias = dict[str, Any] | None
"""Null if the instance has no signing key"""


EntityStatus: TypeAlias = Annotated[Literal["active", "merged", "archived"], OPEN]
"""`merged`: it was merged into the entity `mergedInto`. `archived`: deleted softly, can be restored. Recall returns only `active` entities"""


ForgetEntityReply: TypeAlias = Annotated[ArchivedEntity | ErasedEntity, Field(discriminator="mode")]
"""The archived unit, or the receipt of the erasure"""


UnitType: TypeAlias = Annotated[Literal["fact", "decision", "strategy", "workflow", "skill", "episode", "entity"], OPEN]


TruncationReason: TypeAlias = Annotated[Literal["limit", "fan_out", "nodes", "edges", "scan"], OPEN]
"""`limit`: more results were found than requested. `fan_out`: a unit has more relations than the walk follows from one unit; it followed the strongest. `nodes`, `edges`: the request reached the number that one request may visit. `scan`: only the newest relations were read"""


RelationVerb: TypeAlias = Annotated[Literal["supports", "contradicts", "supersedes", "derived_from", "causes", "precedes", "part_of", "about", "related_to"], OPEN]


Direction: TypeAlias = Annotated[Literal["out", "in", "both"], OPEN]
"""`out`: from source to target. `in`: from target to source. `both`: either way"""


KeptStatus: TypeAlias = Annotated[Literal["active", "contested", "archived"], OPEN]
"""`contested`: a peer's version of what is known here otherwise, which waits for review. `archived`: deleted softly. It is in neither recall nor lists and can be restored"""


ForgetEpisodeReply: TypeAlias = Annotated[ArchivedEpisode | ErasedEpisode, Field(discriminator="mode")]
"""The archived unit, or the receipt of the erasure"""


TransferKind: TypeAlias = Annotated[Literal["deletion", "session", "turn", "entity", "fact", "episode", "decision", "strategy", "workflow", "skill", "relation", "task", "task_dependency", "event", "review_item", "gate_action", "worth_signal", "reasoning_entry", "reasoning_precondition", "reasoning_vote", "self_edit", "self_edit_operation", "self_edit_content", "procedural_playbook", "procedural_rule", "procedural_version", "procedural_trajectory", "snapshot"], OPEN]


FactStatus: TypeAlias = Annotated[Literal["active", "superseded", "retracted", "contested", "archived", "expired"], OPEN]
"""`active`: in force. `contested`: contradicts another fact in force and waits for review. `superseded`: was true until a newer fact replaced it; a fact that another one will replace on a later day is in force until that day. `retracted`: was wrong. `expired`: its `expiresAt` has passed. `archived`: deleted softly, can be restored"""


FactType: TypeAlias = Annotated[Literal["fact", "preference", "observation", "instruction"], OPEN]


ForgetFactReply: TypeAlias = Annotated[ArchivedFact | ErasedFact, Field(discriminator="mode")]
"""The archived fact, or the receipt of the erasure"""


ImportFormat: TypeAlias = Annotated[Literal["svc", "mem0", "graphiti", "mcp", "openmemory", "letta", "zep", "chatgpt", "claude", "claude-code", "markdown", "hindsight"], OPEN]
"""`svc`: an export of this service. `mem0`: memories of Mem0, as JSON or JSONL. `graphiti`: edges of Graphiti or Zep, as JSON or JSONL. `mcp`: the JSONL of the MCP memory server. `openmemory`: `memories.json` or the JSONL of an OpenMemory backup. `letta`: an agent file, or passages of archival memory. `zep`: `{ users, sessions }` with messages and facts. `chatgpt`: `conversations.json`. `claude`: `conversations.json`, `memories.json` or `projects.json` of claude.ai. `claude-code`: lines of transcripts. `markdown`: `{ files: [{ path, text, modifiedAt }] }`. `hindsight`: `{ source_bank_id, documents, observations }` of a bank's archive. Conversations become sessions with their turns, memories become facts"""


JobState: TypeAlias = Annotated[Literal["queued", "running", "completed", "failed"], OPEN]


JobReport: TypeAlias = dict[str, Any] | None
"""What a completed job did"""


InstanceId: TypeAlias = str
"""The name of an instance: `instance:<host>`"""


SyncReconciled: TypeAlias = dict[str, Any] | None
"""What a comparison of both sides found; null: there was none"""


EpisodeMoment: TypeAlias = Annotated[FactMoment | TurnMoment, Field(discriminator="type")]


TurnRole: TypeAlias = Annotated[Literal["user", "assistant", "system", "tool"], OPEN]


ExternalId: TypeAlias = str


PeerDirection: TypeAlias = Annotated[Literal["bidirectional", "push"], OPEN]
"""`push`: this instance pushes, the peer only receives"""


ConflictResolution: TypeAlias = Annotated[Literal["theirs_wins", "ours_wins", "consensus", "manual"], OPEN]


HandshakeReply: TypeAlias = Annotated[HandshakeChallenge | HandshakeWelcome | HandshakeJoined, Field(discriminator="type")]
"""The next message of the handshake"""


HandshakeBody: TypeAlias = Annotated[HandshakeHello | HandshakeAnswer | HandshakeJoin, Field(discriminator="type")]


FederationAddressee: TypeAlias = InstanceId | str


FederationItemType: TypeAlias = Annotated[Literal["fact", "decision", "strategy", "workflow", "skill", "episode", "entity", "relation", "fact:deleted", "decision:deleted", "strategy:deleted", "workflow:deleted", "skill:deleted", "episode:deleted", "entity:deleted", "relation:deleted"], OPEN]
"""The type of an item; with `:deleted` at the end the item was erased"""


ResolveFederationBody: TypeAlias = ResolveFederationBody1 | ResolveFederationBody2


FederationMessageReply: TypeAlias = Annotated[FederationSyncAck | FederationClaimReply | FederationAccepted, Field(discriminator="type")]
"""The answer to the message"""


FederationItemOutcome: TypeAlias = Annotated[Literal["applied", "duplicate", "unchanged", "kept_ours", "contested", "deferred", "erased", "acknowledged", "version_removed", "review_opened", "not_found", "RESURRECTION_BLOCKED", "VERSION_JUMP_REJECTED", "validation_failed", "conflict"], OPEN]
"""`applied`: the receiver shows this version now. `duplicate`, `unchanged`: the receiver had it already. `kept_ours`: the receiver shows another version. `contested`: a person has to decide. `deferred`: the receiver keeps it and cannot use it yet. `version_removed`: the receiver removed the sender's version of an item that began elsewhere. `conflict`: the sender published the same version number before, with another hash"""


FederationMessage: TypeAlias = Annotated[FederationSyncPush | FederationEraseNotify | FederationSyncHint | FederationClaimRequest | FederationSyncAck, Field(discriminator="type")]


DriftVerdict: TypeAlias = Annotated[Literal["stable", "shifting", "drifted", "unknown"], OPEN]
"""`unknown`: there is too little data, or no snapshot to compare with"""


WorthDistribution: TypeAlias = dict[str, Any] | None
"""Over all units in force of the requested types; only on the first page, null on others"""


RuleId: TypeAlias = str
"""Id of a rule within its playbook, as the prompt shows it"""


RuleSection: TypeAlias = Annotated[Literal["strategies", "pitfalls", "tools", "formats", "other"], OPEN]


PromptVersionStatus: TypeAlias = Annotated[Literal["candidate", "current", "superseded", "rejected", "discarded"], OPEN]


RuleStatus: TypeAlias = Annotated[Literal["trial", "active", "retired"], OPEN]
"""A new rule is on `trial`. It becomes `active` with two helpful runs, if there are more helpful than harmful ones"""


RuleRetiredReason: TypeAlias = Annotated[Literal["harmful", "unused", "displaced", "rejected", "rolled_back", "edited", "erased", None], OPEN]
"""`harmful`: three more harmful runs than helpful ones. `unused`: not used in 20 runs. `displaced`: better rules took the limited space. `rejected`: rejected together with its candidate version. `erased`: its source was erased; its text is then `[erased]` in every version"""


Lesson: TypeAlias = str | Lesson2
"""A short rule that the run taught. A plain text goes to the section `strategies`"""


ReasoningStatus: TypeAlias = Annotated[Literal["active", "demoted", "retired"], OPEN]
"""`demoted`: served only for the same goal and context. `retired`: not served"""


ReasoningRetiredReason: TypeAlias = Annotated[Literal["precondition_changed", "unreliable", "expired", None], OPEN]


ReasoningStep: TypeAlias = str | dict[str, Any]
"""A sentence, or an object of the caller's own form (thought, action, observation, …)"""


ReasoningOutcome: TypeAlias = Annotated[Literal["success", "partial", "failure"], OPEN]
"""How the chain ended; only a `success` is served"""


ReasoningContext: TypeAlias = str | dict[str, Any]
"""The context of the goal: a text, or an object (the order of its members does not matter)"""


ResolveReason: TypeAlias = Annotated[Literal["exact", "similar", "no_match", "precondition_changed", "unreliable", "retired", "expired", "not_successful"], OPEN]
"""A hit: `exact` (same goal and context) or `similar`. A miss: `no_match`; or why the best candidate is not served: `precondition_changed`, `unreliable` (demoted, or below `minReliability`), `retired` (by votes), `expired`, `not_successful` (a failure or partial one is all that is known)"""


RecallType: TypeAlias = Annotated[Literal["turn", "fact", "decision", "strategy", "workflow", "skill", "episode", "entity"], OPEN]


RecallTier: TypeAlias = Annotated[Literal["hot", "lexical", "semantic", "graph", "temporal"], OPEN]


RelationStatus: TypeAlias = Annotated[Literal["active", "archived"], OPEN]


SkillStatus: TypeAlias = Annotated[Literal["probationary", "active", "contested", "retired", "archived"], OPEN]
"""`probationary` is on trial and becomes `active` after 5 outcomes with a reliability of 0.75 or more; with 0.35 or less it is `retired`, as an active one is. `contested` is a peer's version of what is known here otherwise, which waits for review. `archived` is deleted softly. `retired` and `archived` ones are not recalled"""


ForgetSkillReply: TypeAlias = Annotated[ArchivedSkill | ErasedSkill, Field(discriminator="mode")]
"""The archived unit, or the receipt of the erasure"""


JsonSchema: TypeAlias = dict[str, JsonValue]
"""A JSON Schema, draft 2020-12 unless `$schema` names draft-07"""


ForgetStrategyReply: TypeAlias = Annotated[ArchivedStrategy | ErasedStrategy, Field(discriminator="mode")]
"""The archived unit, or the receipt of the erasure"""


TaskKind: TypeAlias = Annotated[Literal["task", "conflict_review"], OPEN]


TaskStatus: TypeAlias = Annotated[Literal["pending", "in_progress", "blocked", "completed", "failed", "cancelled"], OPEN]
"""`completed`, `failed` and `cancelled` are final"""


TaskResult: TypeAlias = Any
"""The result: any JSON value of at most 64 KiB"""


TimelineType: TypeAlias = Annotated[Literal["fact", "decision", "strategy", "workflow", "skill", "episode", "entity", "event", "turn", "task"], OPEN]


KnowledgeUnit: TypeAlias = Annotated[Fact | Decision | Strategy | Workflow | Skill | Episode | Entity, Field(discriminator="type")]
"""A unit of any type; `type` says which"""


UnitState: TypeAlias = Annotated[Literal["active", "contested", "proposed", "accepted", "probationary", "superseded", "expired", "retracted", "rejected", "retired", "merged", "archived"], OPEN]


ForgetWorkflowReply: TypeAlias = Annotated[ArchivedWorkflow | ErasedWorkflow, Field(discriminator="mode")]
"""The archived unit, or the receipt of the erasure"""


ReviewKind: TypeAlias = Annotated[Literal["contested_fact", "outdated_fact", "near_duplicate", "stale_dependant", "self_edit", "federation_conflict"], OPEN]


ReviewStatus: TypeAlias = Annotated[Literal["open", "resolved", "dismissed"], OPEN]


ReviewAction: TypeAlias = Annotated[Literal["keep_local", "accept_incoming", "keep_both", "merge"], OPEN]
"""`keep_local`: the existing unit stays. `accept_incoming`: the item's subject replaces it. `keep_both`: both stay. `merge`: both become one. For a stale unit, `keep_local` affirms it and `accept_incoming` archives it"""


ReviewResolution: TypeAlias = dict[str, Any] | None


SelfEditMode: TypeAlias = Annotated[Literal["atomic", "per_item"], OPEN]
"""`atomic`: all operations or none. `per_item`: each on its own, with its own outcome"""


SelfEditOutcome: TypeAlias = Annotated[Literal["pending", "applied", "unchanged", "review", "declined", "withdrawn", "refused"], OPEN]
"""`unchanged`: nothing had to change. `review`: the agent may not do this alone; a person decides. `declined`: the person declined. `withdrawn`: the unit was erased before the decision. `refused`: see `error`. `pending`: not processed yet"""


SelfEditOperation: TypeAlias = Annotated[SelfEditAdd | SelfEditUpdate | SelfEditRetract | SelfEditPin | SelfEditUnpin | SelfEditRelate | SelfEditForget, Field(discriminator="op")]


SelfEditTarget: TypeAlias = str
"""The id of a unit, or a reference to what an earlier operation of this edit adds: `$2` is the second operation, `$home` the `add` with the `ref` `home`"""


ReflectionKind: TypeAlias = Annotated[Literal["contradiction", "near_duplicate", "stale", "low_worth", "expiring", "unanswered_question", "review_due"], OPEN]
"""`contradiction`: facts in force that cannot both be true. `near_duplicate`: facts that say nearly the same. `stale`: a unit that rests on something no longer in force. `low_worth`: worth at most 0.2. `expiring`: a fact that expires within 72 hours. `unanswered_question`: a question in a session that nobody answered. `review_due`: a decision whose `reviewAt` has passed"""


AddTurnsReply: TypeAlias = AddedTurn | AddedTurnBatch
"""What was added: the turn, or a receipt for each turn of a batch"""


AddTurnsBody: TypeAlias = AddTurnBatchBody | AddTurnBody
"""One turn, or a batch of turns. A `ChatMessage`, alone or in a batch, counts as a turn"""


SessionStatus: TypeAlias = Annotated[Literal["open", "collapsed", "discarded"], OPEN]


PatchScratchpadBody: TypeAlias = dict[str, Any]
"""A JSON merge patch (RFC 7386): members replace those of the scratchpad, null removes a member"""


ScratchpadContent: TypeAlias = dict[str, Any]
"""Free members, at most 64 KiB as JSON"""


WebhookStatus: TypeAlias = Annotated[Literal["unverified", "enabled", "disabled"], OPEN]
"""`unverified`: the URL has not repeated its challenge yet, and the service sends it nothing else"""


WebhookDeliveryState: TypeAlias = Annotated[Literal["pending", "delivered", "dead", "skipped"], OPEN]
"""`pending`: not delivered yet. `dead`: the last attempt failed. `skipped`: not sent, because the endpoint was enabled with `skipTo` or may not be sent this change any more"""
