// Made by scripts/gen/sdk.ts from tests/openapi.json. Changes here are lost.

/** A message on a stream, either way */
export type StreamMessage = StreamClientMessage | StreamServerMessage;

export interface Problem {
  /** `urn:svc:error:<code>` */
  type: string;
  title: string;
  status: number;
  /** Stable */
  code: "invalid_request" | "unauthenticated" | "federation_token_invalid" | "replay_detected" | "totp_invalid" | "insufficient_scope" | "origin_not_allowed" | "ip_not_allowed" | "wrong_region" | "workspace_suspended" | "break_glass_required" | "self_approval" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "gate_closed" | "RESURRECTION_BLOCKED" | "VERSION_JUMP_REJECTED" | "idempotency_in_progress" | "erased" | "version_mismatch" | "payload_too_large" | "unsupported_media_type" | "validation_failed" | "idempotency_key_reused" | "federation_verify_failed" | "federation_decrypt_failed" | "rate_limited" | "internal" | "unavailable" | "deadline_exceeded";
  /** For people */
  message: string;
  requestId: string;
  retryable: boolean;
  /** Path, at this service, of the page that says what the code means and what to do: `/v1/errors/<code>` */
  help: string;
  errors?: {
    path: string;
    message: string;
  }[];
  [member: string]: unknown;
}

/** What a client sends */
export type StreamClientMessage = StreamSubscribe | StreamUnsubscribe | StreamPing;

export interface StreamSubscribe {
  op: "subscribe";
  channel: StreamChannel;
  /** Sends what came after this position first. Default: only new events */
  since?: string;
}

/** `tasks`: changes of tasks. `events`: recorded events. `memory`: every other change of the workspace. `health`: its health snapshot. `tasks` and `events` also need the scope `tasks:read` */
export type StreamChannel = "memory" | "tasks" | "events" | "health";

export interface StreamUnsubscribe {
  op: "unsubscribe";
  channel: StreamChannel;
}

export interface StreamPing {
  op: "ping";
}

/** What the service sends */
export type StreamServerMessage = StreamEvent | StreamSubscribed | StreamError | StreamPong;

export interface StreamEvent {
  op: "event";
  channel: StreamChannel;
  /** The position after this event, for `since` */
  cursor: string;
  /** A health snapshot on the channel `health`, otherwise a change */
  event: Change | HealthSnapshot;
}

export interface Change {
  /** Position in the workspace's feed, in the order in which changes became visible. A reader with full clearance sees no gaps */
  seq: number;
  /** What happened: `<resource type>.<event>`, such as `fact.created` */
  kind: string;
  resourceType: string;
  resourceId: Id;
  /** The resource's version after the change */
  version: number;
  sensitivity: Sensitivity;
  /** Who did it: `key:<id>`, `worker:<name>`, `admin:<id>` or `cli` */
  actor: string;
  recordedAt: Timestamp;
  /** Small facts about the change, such as the new `status`; never content. Read the resource for that */
  payload: JsonSchema;
}

/** UUIDv7 */
export type Id = string;

export type Sensitivity = "public" | "internal" | "confidential" | "restricted";

/** RFC 3339, UTC, milliseconds */
export type Timestamp = string;

/** Any JSON value */
export type JsonValue = unknown;

/** The health of the memory */
export interface HealthSnapshot {
  /** Facts that are active or contested */
  liveFacts: number;
  /** Pinned units and turns */
  pinned: number;
  turns: number;
  sessions: number;
  /** Share of indexed texts that have an embedding; 1 without texts */
  embeddedRatio: number;
  /** Texts without an embedding yet */
  embeddingBacklog: number;
  /** Share of recalls in the last 7 days that returned something; null without recalls */
  recallHitRate: number | null;
  /** Recalls in the last 7 days; the last seconds may be missing */
  recalls: number;
  backlog: {
    /** Texts without an embedding yet */
    embedding: number;
    /** Facts and turns of users from an earlier build whose links to newer ones are still to be made */
    links: number;
    /** Units whose worth has to be computed again */
    worth: number;
    /** Changes that the worth of units does not reflect yet */
    changes: number;
    /** Jobs that wait or run */
    jobs: number;
    /** Reviews that wait for a person */
    openReviews: number;
  };
  lastWriteAt: Timestamp | null;
  /** Length of the workspace's change feed */
  changeSeq: number;
}

export interface StreamSubscribed {
  op: "subscribed";
  channel: StreamChannel;
  /** The position at which the subscription begins */
  cursor: string;
}

export interface StreamError {
  op: "error";
  /** The error code, as in other replies */
  code: string;
  message: string;
  retryable: boolean;
  /** The subscription that the error refers to */
  channel?: StreamChannel;
  errors?: {
    path: string;
    message: string;
  }[];
}

export interface StreamPong {
  op: "pong";
}

/** A signed token that opens one workspace for a while. It is stored nowhere */
export interface TenantToken {
  /** The token, which is sent as a key is: `Authorization: Bearer <token>` */
  token: string;
  expiresAt: Timestamp;
  scopes: Scope[];
  maxSensitivity: Sensitivity;
}

export type Scope = "memory:read" | "memory:write" | "memory:delete" | "memory:export" | "memory:import" | "memory:admin" | "memory:admin:cross_tenant" | "session:write" | "tasks:read" | "tasks:write" | "reasoning:write" | "self:write" | "governance:write" | "audit:read" | "federation";

/** The actors with their names */
export interface ActorList {
  /** In the order of the query */
  data: Actor[];
}

export interface Actor {
  id: string;
  /** Null: it is no key of this workspace */
  name: string | null;
}

/** The key itself, which is shown only here, and its record */
export interface IssuedApiKey {
  id: Id;
  version: number;
  /** The 12 characters of the key after its prefix; not a secret */
  publicId: string;
  workspaceId: Id;
  name: string;
  scopes: Scope[];
  /** The key's clearance: rows above it do not exist for the key */
  maxSensitivity: Sensitivity;
  cidrs: Cidr[];
  /** Null: the limit that the service is configured with */
  rateLimit: KeyRateLimit | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  expiresAt: Timestamp | null;
  revokedAt: Timestamp | null;
  /** When the key was last used, to the minute */
  lastUsedAt: Timestamp | null;
  /** Until when a replaced secret is still valid; null: none is */
  formerValidUntil: Timestamp | null;
  /** The key itself, `svc_live_…`. It is shown only here and stored nowhere */
  key: string;
}

/** A range of addresses, such as `10.0.0.0/8` or `2001:db8::/32` */
export type Cidr = string;

export interface CreateApiKeyBody {
  name: string;
  /** The workspace that the key is for; it never changes. Required */
  workspaceId?: Id;
  /** Another name for `workspaceId` */
  workspace_id?: Id;
  /**
   * What the key may do. Default: all scopes except `memory:admin`, `memory:admin:cross_tenant` and `federation`. `memory:admin:cross_tenant` has an effect on admins' keys only
   *
   * @default ["memory:read","memory:write","memory:delete","memory:export","memory:import","session:write","tasks:read","tasks:write","reasoning:write","self:write","governance:write","audit:read"]
   */
  scopes?: Scope[];
  maxSensitivity?: Sensitivity;
  /**
   * The address ranges from which the key may be used; empty: anywhere
   *
   * @default []
   */
  cidrs?: Cidr[];
  rateLimit?: KeyRateLimit;
  expiresAt?: EndInput;
}

export type KeyRateLimit = {
  /** Requests per minute on average; 0 = no limit */
  perMinute: number;
  /** Requests that may come at once */
  burst: number;
} | null;

/** RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC */
export type EndInput = unknown;

/** An API key without its secret */
export interface ApiKey {
  id: Id;
  version: number;
  /** The 12 characters of the key after its prefix; not a secret */
  publicId: string;
  workspaceId: Id;
  name: string;
  scopes: Scope[];
  /** The key's clearance: rows above it do not exist for the key */
  maxSensitivity: Sensitivity;
  cidrs: Cidr[];
  /** Null: the limit that the service is configured with */
  rateLimit: KeyRateLimit | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  expiresAt: Timestamp | null;
  revokedAt: Timestamp | null;
  /** When the key was last used, to the minute */
  lastUsedAt: Timestamp | null;
  /** Until when a replaced secret is still valid; null: none is */
  formerValidUntil: Timestamp | null;
}

export interface ApiKeyPage {
  data: ApiKey[];
  nextCursor: NextCursor;
}

/** Pass it as `cursor` to get the next page; null on the last page */
export type NextCursor = string | null;

export interface UpdateApiKeyBody {
  name?: string;
  scopes?: Scope[];
  maxSensitivity?: Sensitivity;
  /** The address ranges from which the key may be used; empty: anywhere */
  cidrs?: Cidr[];
  rateLimit?: KeyRateLimit;
  expiresAt?: EndInput;
}

export interface AuditPage {
  data: AuditRow[];
  nextCursor: NextCursor;
}

export interface AuditRow {
  /** Place in the workspace's chain, from 1 without gaps */
  seq: number;
  id: Id;
  workspace_id: Id;
  /** `key:<id>`, `admin:<id>`, `worker:<name>` or `cli` */
  actor_id: string;
  actor_type: "key" | "admin" | "broker" | "worker" | "operator" | "system" | "peer";
  /** `read.<operation>`, `write.<operation>`, `refused.<operation>`, or a name such as `api_key.revoked` */
  event_type: string;
  /** `ok`, `ignored`, `broken_off` (of an export), or the code of the refusal */
  outcome: string;
  request_id: string;
  /** What was written or shown: the first hundred ids */
  targets: Id[];
  target_count: number;
  detail: Metadata;
  created_at: Timestamp;
  /** The caller's address; null: unknown, or deleted since */
  ip_address: string | null;
  /** SHA-256 of salt and address; part of the chain */
  ip_commitment: string | null;
  /** SHA-256 in hex */
  hash: string;
}

/** Free members, at most 16 KiB as JSON */
export interface Metadata {
  [member: string]: unknown;
}

/** RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC */
export type TimestampInput = unknown;

/** Whether the chain of the audit log is whole */
export interface AuditVerification {
  ok: boolean;
  /** The last row that was read and is correct */
  size: number;
  /** The tree head over all rows, if verification began with the first */
  root: string | null;
  problem: "altered" | "missing" | "truncated" | "rewritten" | null;
  firstBadSeq: number | null;
  checkpointsChecked: number;
}

/** A request of an admin to enter a workspace, and its state */
export interface BreakGlassRequest {
  /** Send it in the header `x-svc-break-glass` to use the grant */
  id: Id;
  state: BreakGlassState;
  /** The workspace to enter */
  workspaceId: Id;
  reason: string;
  /** The grant allows operations that need one of these scopes */
  scopes: Scope[];
  maxSensitivity: Sensitivity;
  ttlSeconds: number;
  requestedBy: AdminRef;
  createdAt: Timestamp;
  /** Until when another admin may approve it */
  pendingUntil: Timestamp;
  approvedBy: AdminRef | null;
  approvedAt: Timestamp | null;
  /** Never later than 24 hours after `createdAt` */
  expiresAt: Timestamp | null;
  /** The admin who denied or revoked it */
  endedBy: AdminRef | null;
  endedAt: Timestamp | null;
  uses: number;
  lastUsedAt: Timestamp | null;
}

export type BreakGlassState = "pending" | "approved" | "denied" | "revoked" | "expired";

export interface AdminRef {
  id: Id;
  name: string;
}

export interface ApproveBreakGlassBody {
  /** The admin's one-time code. Each code is accepted once */
  totp: string;
}

export interface BreakGlassPage {
  data: BreakGlassRequest[];
  nextCursor: NextCursor;
}

export interface RequestBreakGlassBody {
  /** The admin's one-time code. Each code is accepted once */
  totp: string;
  workspaceId: Id;
  /** Why; the workspace reads it in its audit log */
  reason: string;
  /** @default ["memory:read"] */
  scopes?: Scope[];
  maxSensitivity?: Sensitivity;
  /**
   * How long the grant lasts, from its approval. The configuration may allow less (`ADMIN_MAX_TTL_MS`)
   *
   * @default 3600
   */
  ttlSeconds?: number;
}

/** The key itself, which is shown only here, and its record */
export interface IssuedBrokerKey {
  /** The broker. Its tenants stay its own through every rotation */
  id: Id;
  version: number;
  /** The 12 characters of the key after its prefix; not a secret */
  publicId: string;
  /** The name of the app, under which the audit log shows what its broker did; no two brokers share one */
  name: string;
  region: Region;
  /** What the credentials of its tenants may do at most */
  scopes: Scope[];
  /** The highest clearance that a credential of a tenant may have */
  maxSensitivity: Sensitivity;
  cidrs: Cidr[];
  /** The rate limit of the broker's key; null: the limit that the service is configured with */
  rateLimit: KeyRateLimit | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  expiresAt: Timestamp | null;
  revokedAt: Timestamp | null;
  /** When the key was last used, to the minute */
  lastUsedAt: Timestamp | null;
  /** Until when the replaced secret is still valid; null: it is not */
  formerValidUntil: Timestamp | null;
  /** The key itself, `mk_broker_…`. It is shown only here and stored nowhere */
  key: string;
}

/** It never changes */
export type Region = "us-east-1" | "eu-west-1" | "ap-southeast-1";

export interface CreateBrokerKeyBody {
  /** The name of the app, under which the audit log shows what its broker did; no two brokers share one */
  name: string;
  region: Region;
  /**
   * What the credentials of its tenants may do at most. `memory:export` also lets the broker export a tenant. Never `memory:admin:cross_tenant` or `federation`
   *
   * @default ["memory:read","memory:write","memory:delete","memory:export","memory:import","session:write","tasks:read","tasks:write","reasoning:write","self:write","governance:write","audit:read"]
   */
  scopes?: Scope[];
  /**
   * The highest clearance that a credential of a tenant may have
   *
   * @default "confidential"
   */
  maxSensitivity?: Sensitivity;
  /**
   * The address ranges from which the broker's key may be used; empty: anywhere
   *
   * @default []
   */
  cidrs?: Cidr[];
  /**
   * The rate limit of the broker's key; null: the limit that the service is configured with
   *
   * @default null
   */
  rateLimit?: KeyRateLimit | null;
  expiresAt?: EndInput;
}

/** The key of a broker without its secret */
export interface BrokerKey {
  /** The broker. Its tenants stay its own through every rotation */
  id: Id;
  version: number;
  /** The 12 characters of the key after its prefix; not a secret */
  publicId: string;
  /** The name of the app, under which the audit log shows what its broker did; no two brokers share one */
  name: string;
  region: Region;
  /** What the credentials of its tenants may do at most */
  scopes: Scope[];
  /** The highest clearance that a credential of a tenant may have */
  maxSensitivity: Sensitivity;
  cidrs: Cidr[];
  /** The rate limit of the broker's key; null: the limit that the service is configured with */
  rateLimit: KeyRateLimit | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  expiresAt: Timestamp | null;
  revokedAt: Timestamp | null;
  /** When the key was last used, to the minute */
  lastUsedAt: Timestamp | null;
  /** Until when the replaced secret is still valid; null: it is not */
  formerValidUntil: Timestamp | null;
}

export interface BrokerKeyPage {
  data: BrokerKey[];
  nextCursor: NextCursor;
}

export interface RotateBrokerKeyBody {
  /**
   * How long the replaced secret, and earlier ones, stay valid at most, up to 30 days; 0 = they end now
   *
   * @default 86400
   */
  overlapSeconds?: number;
}

export interface UpdateBrokerKeyBody {
  /** What the credentials of its tenants may do at most. `memory:export` also lets the broker export a tenant. Never `memory:admin:cross_tenant` or `federation` */
  scopes?: Scope[];
  /** The highest clearance that a credential of a tenant may have */
  maxSensitivity?: Sensitivity;
  /** The address ranges from which the broker's key may be used; empty: anywhere */
  cidrs?: Cidr[];
  /** The rate limit of the broker's key; null: the limit that the service is configured with */
  rateLimit?: KeyRateLimit | null;
  expiresAt?: EndInput;
}

export interface RotateApiKeyBody {
  /**
   * How long the replaced secret, and earlier ones, stay valid at most, up to 30 days; 0 = they end now
   *
   * @default 86400
   */
  overlapSeconds?: number;
}

/** A user of an app, with a workspace of its own */
export interface Tenant {
  /** The tenant, and its workspace */
  id: Id;
  version: number;
  /** The app's own id of its user; null once it is erased */
  externalId: ExternalId | null;
  /** The broker that made it */
  brokerId: Id;
  region: Region;
  state: TenantState;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  suspendedAt: Timestamp | null;
  erasedAt: Timestamp | null;
  /** How many rows its workspace had in which tables when its erasure began; null: it was not erased */
  erasedRows: {
    [member: string]: number;
  } | null;
}

/** `creating`: its workspace may not be there yet; opening it again makes it. `suspended`: every request in its workspace is refused. `erasing`: some of its data may still be there; erasing it again goes on. `erased`: nothing of it is left */
export type TenantState = "creating" | "active" | "suspended" | "erasing" | "erased";

export interface TenantPage {
  data: Tenant[];
  nextCursor: NextCursor;
}

/** A tenant, and what opens its workspace */
export interface OpenedTenant {
  tenant: Tenant;
  /** Whether this request made the tenant */
  created: boolean;
  /** The token, if one was asked for */
  token: TenantToken | null;
  /** The new key, if one was asked for */
  key: IssuedApiKey | null;
}

export interface OpenTenantBody {
  /** The app's own id of its user, such as an account number. It decides the workspace */
  externalId: string;
  /**
   * What to give for its workspace. `token`: a signed token, which ends by itself. `key`: a new API key each time. `none`: nothing, only the workspace
   *
   * @default "token"
   */
  credential?: "token" | "key" | "none";
  /** For how long the token counts: a minute to a day; default: an hour. A key does not end by itself */
  ttlSeconds?: number;
  /** What the credential may do; default: all that the broker may give */
  scopes?: Scope[];
  /** The credential's clearance; default: the highest that the broker may give */
  maxSensitivity?: Sensitivity;
  /** The broker on whose behalf an admin asks; required for admins. A broker's key needs none */
  brokerId?: Id;
}

/** A workspace and its settings */
export interface Workspace {
  id: Id;
  version: number;
  name: string;
  region: Region;
  settings: WorkspaceSettings;
  /** When erasing begins: a day after the days were set or reduced; null: restricted data is kept */
  restrictedRetentionFrom: Timestamp | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** Settings that hold for the whole workspace, whatever its keys say */
export interface WorkspaceSettings {
  /** No key sees rows above this, whatever its own clearance */
  maxSensitivity: Sensitivity;
  /** The rate limit of keys without one of their own; null: the limit that the service is configured with */
  rateLimit: KeyRateLimit | null;
  /** The audit log deletes callers' addresses after this many days; null: it keeps them */
  auditAddressDays: number | null;
  /** Consolidates when the last consolidation was requested this many hours ago, as soon as the gate is open; null: only on request */
  consolidateEveryHours: number | null;
  /** Erases restricted units, sessions, tasks, events and chains of reasoning that nobody has changed for this many days, from `restrictedRetentionFrom` on; null: keeps them. Each resource has its own age. Units that were derived from an erased one become stale and stay until they are due themselves. An entity stays while a text in force, a relation or a merged record of it is younger. Imported data is as old as its import. Recommended for restricted data: 90 */
  restrictedRetentionDays: number | null;
  /** Keeps each recall for this many days: what was asked, by whom, and which ids it showed with which scores (`GET /v1/memory/recalls`). 0, the default: keeps none, and deletes those that were kept within minutes; they cannot be read any more at once. A change takes effect in all processes within seconds */
  recallDiaryDays: number;
  /** How many values predicates of facts have at a time, by their names; capitals, spaces, hyphens and underscores do not matter. `exclusive: true`: one, so that a new value replaces the last. `exclusive: false`: several, which stand beside each other. Counts before the defaults of the service, for facts that are stated from then on; a change replaces the whole value */
  predicates: {
    [member: string]: {
      exclusive: boolean;
    };
  };
  /** Where the people of the workspace are. The days that a query names ("yesterday", "June 10") and those that a turn means are days of this zone, unless the request, the session or the time says another; null: of UTC. A change takes effect in all processes within seconds, for turns that are added from then on */
  timezone: string | null;
}

export interface CreateWorkspaceBody {
  name: string;
  region: Region;
}

export interface WorkspacePage {
  data: Workspace[];
  nextCursor: NextCursor;
}

export interface UpdateWorkspaceBody {
  name?: string;
  /** The settings to change; others stay */
  settings?: {
    /** No key sees rows above this, whatever its own clearance */
    maxSensitivity?: Sensitivity;
    /** The rate limit of keys without one of their own; null: the limit that the service is configured with */
    rateLimit?: KeyRateLimit | null;
    /** The audit log deletes callers' addresses after this many days; null: it keeps them */
    auditAddressDays?: number | null;
    /** Consolidates when the last consolidation was requested this many hours ago, as soon as the gate is open; null: only on request */
    consolidateEveryHours?: number | null;
    /** Erases restricted units, sessions, tasks, events and chains of reasoning that nobody has changed for this many days, from `restrictedRetentionFrom` on; null: keeps them. Each resource has its own age. Units that were derived from an erased one become stale and stay until they are due themselves. An entity stays while a text in force, a relation or a merged record of it is younger. Imported data is as old as its import. Recommended for restricted data: 90 */
    restrictedRetentionDays?: number | null;
    /** Keeps each recall for this many days: what was asked, by whom, and which ids it showed with which scores (`GET /v1/memory/recalls`). 0, the default: keeps none, and deletes those that were kept within minutes; they cannot be read any more at once. A change takes effect in all processes within seconds */
    recallDiaryDays?: number;
    /** How many values predicates of facts have at a time, by their names; capitals, spaces, hyphens and underscores do not matter. `exclusive: true`: one, so that a new value replaces the last. `exclusive: false`: several, which stand beside each other. Counts before the defaults of the service, for facts that are stated from then on; a change replaces the whole value */
    predicates?: {
      [member: string]: {
        exclusive: boolean;
      };
    };
    /** Where the people of the workspace are. The days that a query names ("yesterday", "June 10") and those that a turn means are days of this zone, unless the request, the session or the time says another; null: of UTC. A change takes effect in all processes within seconds, for turns that are added from then on */
    timezone?: string | null;
  };
}

/** The signed head of the audit log */
export interface AuditCheckpoint {
  origin: string;
  size: number;
  /** SHA-256 in hex */
  root: string;
  /** The checkpoint as a signed note (C2SP). Keep it elsewhere: it proves a later rewrite of the log */
  note: string;
  signed: boolean;
  createdAt: Timestamp;
}

/** A proof that the log was only appended to */
export interface AuditConsistency {
  first: number;
  /** SHA-256 in hex */
  firstRoot: string;
  second: number;
  /** SHA-256 in hex */
  secondRoot: string;
  path: string[];
}

/** A proof that the row is in the log */
export interface AuditProof {
  /** Place in the workspace's chain, from 1 without gaps */
  seq: number;
  size: number;
  /** SHA-256 of a zero byte and the row's hash (RFC 9162) */
  leafHash: string;
  /** SHA-256 in hex */
  root: string;
  path: string[];
}

/** A decision, with its reasons and alternatives */
export interface Decision {
  id: Id;
  type: "decision";
  /** Increases by one with each revision. Send it as `If-Match` */
  version: number;
  status: DecisionStatus;
  attribution: Attribution;
  trustScore: TrustScore;
  /** How certain its author is */
  confidence: number;
  sensitivity: Sensitivity;
  /** Other names by which recall finds it */
  aliases: string[];
  /** Labels of the caller */
  tags: string[];
  /** Free members of the caller */
  metadata: JsonSchema;
  worth: Worth;
  /** Recall returns it always, apart from the results */
  pinned: boolean;
  /** SHA-256 of the content, hex */
  contentHash: string;
  origin: Origin;
  /** The units that it was made from */
  derivedFrom: Id[];
  invisibleText?: InvisibleText;
  stale: Stale;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** Who created it, such as `key:<id>` */
  createdBy: string;
  title: string;
  /** What was decided */
  decision: string;
  rationale: string | null;
  /** The alternatives that were considered */
  alternatives: string[];
  consequences: string | null;
  decidedBy: string | null;
  /** Null while it is only proposed */
  decidedAt: Timestamp | null;
  /** When the decision should be reviewed */
  reviewAt: Timestamp | null;
  /** The decision that it replaced */
  supersedes: Id | null;
  supersededBy: Id | null;
  evidenceIds: Id[];
}

/** `contested`: a peer's version of what is known here otherwise, which waits for review. `superseded`: another decision replaced it. `rejected`: it was not accepted, or was withdrawn. `archived`: deleted softly, can be restored */
export type DecisionStatus = "proposed" | "accepted" | "contested" | "superseded" | "rejected" | "archived";

/** The trust tier. Scores: verified 100, user_stated 90, tool_observed 80, document_cited 70, agent_stated 60, agent_inferred 45, imported 35, federation_received 20, unverified 10 */
export type Attribution = "verified" | "user_stated" | "tool_observed" | "document_cited" | "agent_stated" | "agent_inferred" | "imported" | "federation_received" | "unverified";

/** The score of the attribution, but at most that of the least trusted unit it was derived from */
export type TrustScore = number;

/** How much it is worth keeping: from trust, use, feedback, corroboration and recency */
export type Worth = number;

export interface Origin {
  instance: string;
  id: Id;
}

/** Present if the text contains characters that people do not see (tags, direction marks, zero-width characters, control characters): the text may differ from what people see */
export type InvisibleText = true;

/** Something that the unit rests on was superseded, retracted or erased, and nobody has affirmed the unit since. If very many units rest on one, the last of them become stale some seconds later */
export type Stale = boolean;

export interface CreateDecisionBody {
  /**
   * Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`
   *
   * @default "agent_stated"
   */
  attribution?: Attribution;
  /** @default 0.8 */
  confidence?: number;
  /** At most the key's clearance. Default: `internal`, or that of its most sensitive source */
  sensitivity?: Sensitivity;
  aliases?: UnitAliases;
  tags?: Tags;
  metadata?: Metadata;
  /** @default false */
  pinned?: boolean;
  /**
   * Units that it was derived from. Its trust is at most that of the least trusted one
   *
   * @default []
   */
  derivedFrom?: Id[];
  title: string;
  decision: string;
  rationale?: string;
  /** @default [] */
  alternatives?: string[];
  consequences?: string;
  decidedBy?: string;
  /** When it was decided; not in the future. Default for an accepted decision: now */
  decidedAt?: TimestampInput;
  reviewAt?: TimestampInput;
  /**
   * Units that support the decision. When one of them is superseded, retracted or erased, the decision becomes `stale`
   *
   * @default []
   */
  evidenceIds?: Id[];
  /** @default "accepted" */
  status?: "proposed" | "accepted";
}

/** Other names by which recall finds it, as if its text had them. They are not part of the `contentHash`. Two that differ only in case, spacing or unseen characters are one */
export type UnitAliases = string[];

/** Labels of the caller */
export type Tags = string[];

/** The archived unit, or the receipt of the erasure */
export type ForgetDecisionReply = ArchivedDecision | ErasedDecision;

export interface ArchivedDecision {
  mode: "archive";
  decision: Decision;
}

export interface ErasedDecision {
  mode: "erase";
  receipt: ErasureReceipt;
}

export interface ErasureReceipt {
  id: Id;
  resourceType: string;
  erasedAt: Timestamp;
  erasedBy: string;
  reason: string | null;
  removed: {
    revisions: number;
    /** Indexed texts with their embeddings */
    texts: number;
    reviewItems: number;
    relations: number;
  };
  /** With `cascade`: the units that were erased with it. Each has a receipt of its own in the deletion log */
  derived?: Id[];
  /** Number of units that became stale immediately, as far as the key sees them */
  staleDependants: number;
  /** More units become stale within seconds, in the background */
  moreDependants: boolean;
  /** The instance that erased it */
  instance: string;
  signature: ReceiptSignature;
}

/** Null if the instance has no signing key */
export type ReceiptSignature = {
  alg: "Ed25519";
  /** The first 16 hex characters of the SHA-256 of the public key's SPKI */
  keyId: string;
  /** Signature over the canonical JSON (RFC 8785) of the receipt without `signature`, in base64url */
  value: string;
} | null;

export interface ForgetBody {
  /** `archive` can be undone. `erase` removes content, revisions, embedding and index for ever */
  mode: "archive" | "erase";
  /**
   * With `erase`: also erases the units that were derived from it (`derivedFrom`, transitively), as far as the key sees them; more than 1,000 units are refused. Without `cascade` they become stale
   *
   * @default false
   */
  cascade?: boolean;
  reason?: string;
}

/** All decisions that replaced each other, oldest first */
export interface DecisionChain {
  data: Decision[];
  nextCursor: NextCursor;
  decisionId: Id;
  /** The last decision of the chain, if it is proposed or accepted; otherwise null: none is in force */
  currentId: Id | null;
}

export interface DecisionPage {
  data: Decision[];
  nextCursor: NextCursor;
}

export interface SupersedeDecisionBody {
  /**
   * Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`
   *
   * @default "agent_stated"
   */
  attribution?: Attribution;
  /** @default 0.8 */
  confidence?: number;
  /** At most the key's clearance. Default: `internal`, or that of its most sensitive source */
  sensitivity?: Sensitivity;
  aliases?: UnitAliases;
  tags?: Tags;
  metadata?: Metadata;
  /** @default false */
  pinned?: boolean;
  /**
   * Units that it was derived from. Its trust is at most that of the least trusted one
   *
   * @default []
   */
  derivedFrom?: Id[];
  title: string;
  decision: string;
  rationale?: string;
  /** @default [] */
  alternatives?: string[];
  consequences?: string;
  decidedBy?: string;
  /** When it was decided; not in the future. Default for an accepted decision: now */
  decidedAt?: TimestampInput;
  reviewAt?: TimestampInput;
  /**
   * Units that support the decision. When one of them is superseded, retracted or erased, the decision becomes `stale`
   *
   * @default []
   */
  evidenceIds?: Id[];
  /** Why; kept in the history of the replaced decision */
  reason?: string;
}

export interface UpdateDecisionBody {
  attribution?: Attribution;
  confidence?: number;
  sensitivity?: Sensitivity;
  /** Replaces the whole list */
  aliases?: UnitAliases;
  tags?: Tags;
  /** Replaces the whole value */
  metadata?: {
    [member: string]: unknown;
  };
  pinned?: boolean;
  derivedFrom?: Id[];
  /** Affirms that the unit holds although something it rests on does not any more */
  stale?: false;
  /** Why; kept in the history */
  reason?: string;
  title?: string;
  decision?: string;
  rationale?: string | null;
  alternatives?: string[];
  consequences?: string | null;
  decidedBy?: string | null;
  decidedAt?: TimestampInput;
  reviewAt?: TimestampInput | null;
  /** Units that support the decision. When one of them is superseded, retracted or erased, the decision becomes `stale` */
  evidenceIds?: Id[];
  /** From `proposed` to `accepted` or `rejected`, from `accepted` to `rejected`, from `rejected` back to `proposed` */
  status?: "proposed" | "accepted" | "rejected";
}

/** An entity: a person, a place, a thing */
export interface Entity {
  id: Id;
  type: "entity";
  /** Increases by one with each revision. Send it as `If-Match` */
  version: number;
  status: EntityStatus;
  attribution: Attribution;
  trustScore: TrustScore;
  /** How certain its author is */
  confidence: number;
  sensitivity: Sensitivity;
  aliases: string[];
  /** Labels of the caller */
  tags: string[];
  /** Free members of the caller */
  metadata: JsonSchema;
  worth: Worth;
  /** Recall returns it always, apart from the results */
  pinned: boolean;
  /** SHA-256 of the content, hex */
  contentHash: string;
  origin: Origin;
  /** The units that it was made from */
  derivedFrom: Id[];
  invisibleText?: InvisibleText;
  stale: Stale;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** Who created it, such as `key:<id>` */
  createdBy: string;
  canonicalName: string;
  entityType: string;
  attributes: JsonSchema;
  /** Named groups that the entity is filed under */
  drawers: string[];
  /** If merged: the entity that it was merged into */
  mergedInto: Id | null;
  /** Number of units and turns, visible to the key, that mention it */
  mentionCount: number;
  /** When it was first mentioned; null: never */
  firstSeenAt: Timestamp | null;
  lastSeenAt: Timestamp | null;
}

/** `merged`: it was merged into the entity `mergedInto`. `archived`: deleted softly, can be restored. Recall returns only `active` entities */
export type EntityStatus = "active" | "merged" | "archived";

/** The outcome of each entity, in the order of the request */
export interface EntityBatchReply {
  created: number;
  found: number;
  refused: number;
  results: EntityBatchResult[];
}

export interface EntityBatchResult {
  /** Index of the item in the request */
  index: number;
  /** 201 created, 200 found, otherwise the status of the error */
  status: number;
  entity?: FoundEntity;
  error?: ItemError;
}

/** The entity, new or found by one of its names */
export interface FoundEntity {
  id: Id;
  type: "entity";
  /** Increases by one with each revision. Send it as `If-Match` */
  version: number;
  status: EntityStatus;
  attribution: Attribution;
  trustScore: TrustScore;
  /** How certain its author is */
  confidence: number;
  sensitivity: Sensitivity;
  aliases: string[];
  /** Labels of the caller */
  tags: string[];
  /** Free members of the caller */
  metadata: JsonSchema;
  worth: Worth;
  /** Recall returns it always, apart from the results */
  pinned: boolean;
  /** SHA-256 of the content, hex */
  contentHash: string;
  origin: Origin;
  /** The units that it was made from */
  derivedFrom: Id[];
  invisibleText?: InvisibleText;
  stale: Stale;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** Who created it, such as `key:<id>` */
  createdBy: string;
  canonicalName: string;
  entityType: string;
  attributes: JsonSchema;
  /** Named groups that the entity is filed under */
  drawers: string[];
  /** If merged: the entity that it was merged into */
  mergedInto: Id | null;
  /** Number of units and turns, visible to the key, that mention it */
  mentionCount: number;
  /** When it was first mentioned; null: never */
  firstSeenAt: Timestamp | null;
  lastSeenAt: Timestamp | null;
  created: boolean;
  /** The entity was archived; this request restored it */
  restored: boolean;
  /** What matched; null for a new entity */
  matchedBy: "name" | "alias" | null;
  /** Attributes that were not changed, because the entity is trusted more than this statement */
  keptAttributes: string[];
  /** Entities that may be the same. Nothing was merged */
  nearDuplicates: NearEntity[];
}

export interface NearEntity {
  id: Id;
  canonicalName: string;
  similarity: number;
  /** Why the names are similar: `same_name`, `spelling`, `initials`, `acronym`, `numeronym`, `contained`, `short_form`, `plural` */
  rule: string;
  /** Null: a person has already decided about these two */
  reviewItemId: Id | null;
}

export interface CreateEntityBatchBody {
  entities: CreateEntityBody[];
}

export interface CreateEntityBody {
  /**
   * Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`
   *
   * @default "agent_stated"
   */
  attribution?: Attribution;
  /** @default 0.8 */
  confidence?: number;
  /** At most the key's clearance. Default: `internal`, or that of its most sensitive source */
  sensitivity?: Sensitivity;
  /**
   * Other names of the entity
   *
   * @default []
   */
  aliases?: string[];
  tags?: Tags;
  metadata?: Metadata;
  /** @default false */
  pinned?: boolean;
  /**
   * Units that it was derived from. Its trust is at most that of the least trusted one
   *
   * @default []
   */
  derivedFrom?: Id[];
  canonicalName: string;
  /**
   * Common types: person, organization, place, product, project, event, concept, document, technology, other; any other word is allowed. Stored in lower case, words joined by `_`
   *
   * @default "other"
   */
  entityType?: string;
  /**
   * Known properties, by name; at most 16 KiB as JSON
   *
   * @default {}
   */
  attributes?: JsonSchema;
  /** @default [] */
  drawers?: Tags;
}

/** The archived unit, or the receipt of the erasure */
export type ForgetEntityReply = ArchivedEntity | ErasedEntity;

export interface ArchivedEntity {
  mode: "archive";
  entity: Entity;
}

export interface ErasedEntity {
  mode: "erase";
  receipt: ErasureReceipt;
}

/** Units and the edges between them */
export interface Graph {
  nodes: PlacedNode[];
  edges: GraphEdge[];
  /** Part of the result was left out */
  truncated: boolean;
  truncatedBy: TruncationReason[];
}

export interface PlacedNode {
  id: Id;
  type: UnitType;
  /** The first line of the unit's text, at most 200 characters */
  label: string;
  status: string;
  trustScore: number;
  sensitivity: Sensitivity;
  stale: boolean;
  /** Number of edges of this graph at this node */
  degree: number;
  /** Where to draw the node. The same graph always gets the same positions */
  x: number;
  y: number;
  /** Steps from the centre; null: the graph has no centre */
  depth: number | null;
}

export type UnitType = "fact" | "decision" | "strategy" | "workflow" | "skill" | "episode" | "entity";

export interface GraphEdge {
  /** The edge was derived from the units; there is no relation to change */
  implied: boolean;
  /** Null for a relation */
  basis: "mention" | "derivedFrom" | "evidence" | "supersededBy" | null;
  /** Null for a derived edge */
  relationId: Id | null;
  /** Of derived edges: a unit is `about` what it mentions and `derived_from` its sources; its evidence `supports` it; its successor `supersedes` it */
  verb: RelationVerb;
  /** Null for a derived edge */
  weight: number | null;
  trustScore: number | null;
  stale: boolean;
  validFrom: Timestamp | null;
  validTo: Timestamp | null;
  /** Null for a hyperedge */
  sourceId: Id | null;
  targetId: Id | null;
  /** For a hyperedge: the participants that are nodes of this graph; otherwise null */
  participants: Participant[] | null;
}

export interface Participant {
  /** The edge leads from `source` to the others and from the others to `target`; any other role has no direction */
  role: string;
  id: Id;
}

/** `limit`: more results were found than requested. `fan_out`: a unit has more relations than the walk follows from one unit; it followed the strongest. `nodes`, `edges`: the request reached the number that one request may visit. `scan`: only the newest relations were read */
export type TruncationReason = "limit" | "fan_out" | "nodes" | "edges" | "scan";

export type RelationVerb = "supports" | "contradicts" | "supersedes" | "derived_from" | "causes" | "precedes" | "part_of" | "about" | "related_to";

export interface EntityPage {
  data: Entity[];
  nextCursor: NextCursor;
}

export interface EntityEdgePage {
  data: EntityEdge[];
  nextCursor: NextCursor;
}

export interface EntityEdge {
  /** The edge was derived from the units; there is no relation to change */
  implied: boolean;
  /** Null for a relation */
  basis: "mention" | "derivedFrom" | "evidence" | "supersededBy" | null;
  /** Null for a derived edge */
  relationId: Id | null;
  /** Of derived edges: a unit is `about` what it mentions and `derived_from` its sources; its evidence `supports` it; its successor `supersedes` it */
  verb: RelationVerb;
  /** Null for a derived edge */
  weight: number | null;
  trustScore: number | null;
  stale: boolean;
  validFrom: Timestamp | null;
  validTo: Timestamp | null;
  /** `out`: this entity is the source. `in`: it is the target */
  direction: Direction;
  /** The unit at the other end */
  unit: GraphNode;
  /** The relation has more participants; each has an edge of its own */
  hyper: boolean;
  /** This entity's role in the relation; null for a derived edge */
  role: string | null;
  unitRole: string | null;
}

/** `out`: from source to target. `in`: from target to source. `both`: either way */
export type Direction = "out" | "in" | "both";

/** The entity that remains, with what it took over */
export interface MergedEntity {
  id: Id;
  type: "entity";
  /** Increases by one with each revision. Send it as `If-Match` */
  version: number;
  status: EntityStatus;
  attribution: Attribution;
  trustScore: TrustScore;
  /** How certain its author is */
  confidence: number;
  sensitivity: Sensitivity;
  aliases: string[];
  /** Labels of the caller */
  tags: string[];
  /** Free members of the caller */
  metadata: JsonSchema;
  worth: Worth;
  /** Recall returns it always, apart from the results */
  pinned: boolean;
  /** SHA-256 of the content, hex */
  contentHash: string;
  origin: Origin;
  /** The units that it was made from */
  derivedFrom: Id[];
  invisibleText?: InvisibleText;
  stale: Stale;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** Who created it, such as `key:<id>` */
  createdBy: string;
  canonicalName: string;
  entityType: string;
  attributes: JsonSchema;
  /** Named groups that the entity is filed under */
  drawers: string[];
  /** If merged: the entity that it was merged into */
  mergedInto: Id | null;
  /** Number of units and turns, visible to the key, that mention it */
  mentionCount: number;
  /** When it was first mentioned; null: never */
  firstSeenAt: Timestamp | null;
  lastSeenAt: Timestamp | null;
  /** The entities that this call merged; earlier merges are left out */
  merged: {
    id: Id;
    version: number;
  }[];
}

export interface MergeEntityBody {
  sourceIds: Id[];
  /** Why; kept in the history */
  reason?: string;
}

/** The entities after their separation */
export interface SeparatedEntity {
  id: Id;
  type: "entity";
  /** Increases by one with each revision. Send it as `If-Match` */
  version: number;
  status: EntityStatus;
  attribution: Attribution;
  trustScore: TrustScore;
  /** How certain its author is */
  confidence: number;
  sensitivity: Sensitivity;
  aliases: string[];
  /** Labels of the caller */
  tags: string[];
  /** Free members of the caller */
  metadata: JsonSchema;
  worth: Worth;
  /** Recall returns it always, apart from the results */
  pinned: boolean;
  /** SHA-256 of the content, hex */
  contentHash: string;
  origin: Origin;
  /** The units that it was made from */
  derivedFrom: Id[];
  invisibleText?: InvisibleText;
  stale: Stale;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** Who created it, such as `key:<id>` */
  createdBy: string;
  canonicalName: string;
  entityType: string;
  attributes: JsonSchema;
  /** Named groups that the entity is filed under */
  drawers: string[];
  /** If merged: the entity that it was merged into */
  mergedInto: Id | null;
  /** Number of units and turns, visible to the key, that mention it */
  mentionCount: number;
  /** When it was first mentioned; null: never */
  firstSeenAt: Timestamp | null;
  lastSeenAt: Timestamp | null;
  /** The entities that stand for themselves again */
  separated: Entity[];
}

export interface UpdateEntityBody {
  attribution?: Attribution;
  confidence?: number;
  sensitivity?: Sensitivity;
  /** Replaces the whole list */
  aliases?: string[];
  tags?: Tags;
  /** Replaces the whole value */
  metadata?: {
    [member: string]: unknown;
  };
  pinned?: boolean;
  derivedFrom?: Id[];
  /** Affirms that the unit holds although something it rests on does not any more */
  stale?: false;
  /** Why; kept in the history */
  reason?: string;
  /** The previous name stays as an alias, unless `aliases` is given */
  canonicalName?: string;
  /** Common types: person, organization, place, product, project, event, concept, document, technology, other; any other word is allowed. Stored in lower case, words joined by `_` */
  entityType?: string;
  /** Replaces all attributes */
  attributes?: JsonSchema;
  /** Replaces the whole list */
  drawers?: Tags;
  /** `active` restores an archived unit */
  status?: "active";
}

/** An episode: what happened in a span of time */
export interface Episode {
  id: Id;
  type: "episode";
  /** Increases by one with each revision. Send it as `If-Match` */
  version: number;
  status: KeptStatus;
  attribution: Attribution;
  trustScore: TrustScore;
  /** How certain its author is */
  confidence: number;
  sensitivity: Sensitivity;
  /** Other names by which recall finds it */
  aliases: string[];
  /** Labels of the caller */
  tags: string[];
  /** Free members of the caller */
  metadata: JsonSchema;
  worth: Worth;
  /** Recall returns it always, apart from the results */
  pinned: boolean;
  /** SHA-256 of the content, hex */
  contentHash: string;
  origin: Origin;
  /** The units that it was made from */
  derivedFrom: Id[];
  invisibleText?: InvisibleText;
  stale: Stale;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** Who created it, such as `key:<id>` */
  createdBy: string;
  title: string;
  summary: string;
  /** What sort of episode; `session` if a session was collapsed to it */
  kind: string;
  startedAt: Timestamp;
  /** Null: the end is not known */
  endedAt: Timestamp | null;
  participants: string[];
  factIds: Id[];
  sessionId: Id | null;
  outcome: string | null;
}

/** `contested`: a peer's version of what is known here otherwise, which waits for review. `archived`: deleted softly. It is in neither recall nor lists and can be restored */
export type KeptStatus = "active" | "contested" | "archived";

export interface CreateEpisodeBody {
  /**
   * Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`
   *
   * @default "agent_stated"
   */
  attribution?: Attribution;
  /** @default 0.8 */
  confidence?: number;
  /** At most the key's clearance. Default: `internal`, or that of its most sensitive source */
  sensitivity?: Sensitivity;
  aliases?: UnitAliases;
  tags?: Tags;
  metadata?: Metadata;
  /** @default false */
  pinned?: boolean;
  /**
   * Units that it was derived from. Its trust is at most that of the least trusted one
   *
   * @default []
   */
  derivedFrom?: Id[];
  title: string;
  summary?: string;
  /** @default "event" */
  kind?: string;
  /** Default: now */
  startedAt?: TimestampInput;
  endedAt?: EndInput;
  /** @default [] */
  participants?: string[];
  /**
   * Facts that resulted from it or that it is about
   *
   * @default []
   */
  factIds?: Id[];
  /** The session in which it happened */
  sessionId?: Id;
  outcome?: string;
}

/** The archived unit, or the receipt of the erasure */
export type ForgetEpisodeReply = ArchivedEpisode | ErasedEpisode;

export interface ArchivedEpisode {
  mode: "archive";
  episode: Episode;
}

export interface ErasedEpisode {
  mode: "erase";
  receipt: ErasureReceipt;
}

export interface LinkFactsBody {
  factIds: Id[];
  reason?: string;
}

export interface EpisodePage {
  data: Episode[];
  nextCursor: NextCursor;
}

export type TransferKind = "deletion" | "session" | "turn" | "entity" | "fact" | "episode" | "decision" | "strategy" | "workflow" | "skill" | "relation" | "task" | "task_dependency" | "event" | "review_item" | "gate_action" | "worth_signal" | "reasoning_entry" | "reasoning_precondition" | "reasoning_vote" | "self_edit" | "self_edit_operation" | "self_edit_content" | "procedural_playbook" | "procedural_rule" | "procedural_version" | "procedural_trajectory" | "snapshot";

/** The fact as it was written, and the conflicts that were found */
export interface WrittenFact {
  id: Id;
  type: "fact";
  /** Increases by one with each revision. Send it as `If-Match` */
  version: number;
  status: FactStatus;
  attribution: Attribution;
  trustScore: TrustScore;
  /** How certain its author is */
  confidence: number;
  sensitivity: Sensitivity;
  /** Other names by which recall finds it */
  aliases: string[];
  /** Labels of the caller */
  tags: string[];
  /** Free members of the caller */
  metadata: JsonSchema;
  worth: Worth;
  /** Recall returns it always, apart from the results */
  pinned: boolean;
  /** SHA-256 of the content, hex */
  contentHash: string;
  origin: Origin;
  /** The units that it was made from */
  derivedFrom: Id[];
  invisibleText?: InvisibleText;
  stale: Stale;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** Who created it, such as `key:<id>` */
  createdBy: string;
  /** The name that a caller's own system has for it */
  externalId: string | null;
  /** The fact as a sentence */
  statement: string;
  /** Of the triple, as its author gives it; null: not given */
  subject: string | null;
  /** Of the triple */
  predicate: string | null;
  /** Of the triple */
  object: string | null;
  /** Whether its predicate has one value at a time, as its author says; null: as the workspace's settings or the defaults say */
  exclusive: boolean | null;
  /** What the service reads in the statement; empty if the author gives a triple or a part of it. A claim that says that something has changed supersedes what it says has ended */
  claims: FactClaim[];
  factType: FactType;
  /** When it began to be true in the world; null: not known */
  validFrom: Timestamp | null;
  /** When it stopped being true, exclusive; null: not known to have ended */
  validTo: Timestamp | null;
  /** When this service first knew it */
  recordedAt: Timestamp;
  /** When it was declared wrong */
  retractedAt: Timestamp | null;
  /** When what it tells of happened; null: not known */
  occurredAt: Timestamp | null;
  /** When it becomes `expired` by itself; null: never */
  expiresAt: Timestamp | null;
  /** The fact that it replaced */
  supersedes: Id | null;
  /** The fact that replaced it or, if `validTo` lies ahead, will replace it then */
  supersededBy: Id | null;
  /** Entities that it mentions */
  entityIds: Id[];
  /** The messages that it comes from */
  citations: Citation[];
  /** How often somebody stated the same again */
  corroborationCount: number;
  /** A fact in force that says nearly the same. Only a suggestion: nothing was changed */
  duplicateOf: Id | null;
  conflict: FactConflict;
  /** If the fact was known already: the members of the request that it did not take, such as `expiresAt` or `metadata.source`, because it says otherwise or has no room. Absent: it has taken all */
  leftOut?: string[];
}

/** `active`: in force. `contested`: contradicts another fact in force and waits for review. `superseded`: was true until a newer fact replaced it; a fact that another one will replace on a later day is in force until that day. `retracted`: was wrong. `expired`: its `expiresAt` has passed. `archived`: deleted softly, can be restored */
export type FactStatus = "active" | "superseded" | "retracted" | "contested" | "archived" | "expired";

export interface FactClaim {
  /** `user`: who speaks, if the statement names nobody */
  subject: string;
  respect: "residence" | "employment" | "role" | "tool" | "preference" | "possession" | "relation" | "membership" | "measure" | "time" | "status" | "permission" | "diet" | "name" | "attribute" | "activity";
  /** In its normal form, such as `lives in` */
  predicate: string;
  /** Empty: whatever the value is */
  object: string;
  /** `negative`: the statement denies it */
  polarity: "positive" | "negative";
  /** How the statement says that something has changed */
  change?: "began" | "ended" | "replaced" | "rescheduled" | "adjusted" | "renamed" | "handed_over" | "cancelled";
  /** The value that held before, if the statement names it */
  from?: string;
  confidence: number;
  inferredBy: "rules";
}

export type FactType = "fact" | "preference" | "observation" | "instruction";

export interface Citation {
  messageId: string;
  sessionId?: Id;
  quote?: string;
}

export interface FactConflict {
  /** `none`: no conflict. `corroborated`: the fact was known already. `superseded`: it replaces other facts, from its beginning on. `contested`: it contradicts a fact in force and waits for review. `ordered`: it is older than a known fact and holds until that one begins. `interrupts`: it is bounded on both sides and holds within facts that last longer, which hold before and after it. `outdates`: it says something else than older facts in the same respect, and not that anything has changed; all stay, recall marks the older ones, and a review item asks */
  outcome: "none" | "corroborated" | "superseded" | "contested" | "ordered" | "interrupts" | "outdates";
  /** The other facts concerned */
  factIds: Id[];
  reviewItemId: Id | null;
}

export interface CreateFactBody {
  /**
   * Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`
   *
   * @default "agent_stated"
   */
  attribution?: Attribution;
  /** @default 0.8 */
  confidence?: number;
  /** At most the key's clearance. Default: `internal`, or that of its most sensitive source */
  sensitivity?: Sensitivity;
  aliases?: UnitAliases;
  tags?: Tags;
  metadata?: Metadata;
  /** @default false */
  pinned?: boolean;
  /**
   * Units that it was derived from. Its trust is at most that of the least trusted one
   *
   * @default []
   */
  derivedFrom?: Id[];
  statement: string;
  subject?: string;
  predicate?: string;
  /** Facts contradict each other if they have the same subject and predicate, different objects and overlapping validity, and the predicate has one value at a time */
  object?: string;
  /** Whether the predicate has one value at a time. `false`: this fact and others about the same subject and predicate stand beside each other. Default: as the workspace's settings say; otherwise `lives in`, `works at`, `status`, `price` and the like have one value, `speaks`, `visited`, `child` and the like have several. Of any other predicate several values stand beside each other, and recall marks the older ones `outdatedBy` */
  exclusive?: boolean;
  factType?: FactType;
  /** When the statement began to be true, of a state with a known beginning ("lives in Porto", since May): `asOf` before that time does not find it */
  validFrom?: TimestampInput;
  validTo?: EndInput;
  /** When what it tells of happened or, of a state with no known beginning, was said: dates of a query match it, and of two statements the later one is the newer. It does not bound what is true at a time */
  occurredAt?: TimestampInput;
  expiresAt?: EndInput;
  /**
   * Entities that it mentions
   *
   * @default []
   */
  entityIds?: Id[];
  /** @default [] */
  citations?: Citation[];
  /** The name that the caller's own system has for it, unique in the workspace. A fact in force that says the same takes it, if it has none. Refused if another fact has it, in whatever state, or if the fact that says the same has another */
  externalId?: ExternalId;
  /** A fact in force that this one replaces. It becomes `superseded`, as if conflict detection had found it, and can be restored. It may be trusted more than this one only if the key has `memory:admin`. Without `sensitivity`, this fact is at least as sensitive */
  supersedes?: Id;
}

/** The archived fact, or the receipt of the erasure */
export type ForgetFactReply = ArchivedFact | ErasedFact;

export interface ArchivedFact {
  mode: "archive";
  fact: Fact;
}

/** A fact: a statement with two time axes */
export interface Fact {
  id: Id;
  type: "fact";
  /** Increases by one with each revision. Send it as `If-Match` */
  version: number;
  status: FactStatus;
  attribution: Attribution;
  trustScore: TrustScore;
  /** How certain its author is */
  confidence: number;
  sensitivity: Sensitivity;
  /** Other names by which recall finds it */
  aliases: string[];
  /** Labels of the caller */
  tags: string[];
  /** Free members of the caller */
  metadata: JsonSchema;
  worth: Worth;
  /** Recall returns it always, apart from the results */
  pinned: boolean;
  /** SHA-256 of the content, hex */
  contentHash: string;
  origin: Origin;
  /** The units that it was made from */
  derivedFrom: Id[];
  invisibleText?: InvisibleText;
  stale: Stale;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** Who created it, such as `key:<id>` */
  createdBy: string;
  /** The name that a caller's own system has for it */
  externalId: string | null;
  /** The fact as a sentence */
  statement: string;
  /** Of the triple, as its author gives it; null: not given */
  subject: string | null;
  /** Of the triple */
  predicate: string | null;
  /** Of the triple */
  object: string | null;
  /** Whether its predicate has one value at a time, as its author says; null: as the workspace's settings or the defaults say */
  exclusive: boolean | null;
  /** What the service reads in the statement; empty if the author gives a triple or a part of it. A claim that says that something has changed supersedes what it says has ended */
  claims: FactClaim[];
  factType: FactType;
  /** When it began to be true in the world; null: not known */
  validFrom: Timestamp | null;
  /** When it stopped being true, exclusive; null: not known to have ended */
  validTo: Timestamp | null;
  /** When this service first knew it */
  recordedAt: Timestamp;
  /** When it was declared wrong */
  retractedAt: Timestamp | null;
  /** When what it tells of happened; null: not known */
  occurredAt: Timestamp | null;
  /** When it becomes `expired` by itself; null: never */
  expiresAt: Timestamp | null;
  /** The fact that it replaced */
  supersedes: Id | null;
  /** The fact that replaced it or, if `validTo` lies ahead, will replace it then */
  supersededBy: Id | null;
  /** Entities that it mentions */
  entityIds: Id[];
  /** The messages that it comes from */
  citations: Citation[];
  /** How often somebody stated the same again */
  corroborationCount: number;
}

export interface ErasedFact {
  mode: "erase";
  receipt: ErasureReceipt;
}

export interface FactHistoryPage {
  data: FactHistoryEntry[];
  nextCursor: NextCursor;
}

export interface FactHistoryEntry {
  version: number;
  /** What created this version */
  event: string;
  recordedAt: Timestamp;
  /** Null for the version in force */
  replacedAt: Timestamp | null;
  changedBy: string;
  reason: string | null;
  status: FactStatus;
  validFrom: Timestamp | null;
  validTo: Timestamp | null;
  /** Members that differ from the previous version; empty for the first */
  changed: string[];
}

/** All citations of a fact: there are at most 100 */
export interface FactCitations {
  factId: Id;
  data: ResolvedCitation[];
  nextCursor: null;
}

export interface ResolvedCitation {
  messageId: string;
  sessionId: Id | null;
  quote: string | null;
  /** Null if no turn, or more than one, has this message id */
  turn: {
    id: Id;
    sessionId: Id;
    role: string;
    name: string | null;
    content: string;
    occurredAt: Timestamp;
  } | null;
}

export interface FactPage {
  data: Fact[];
  nextCursor: NextCursor;
}

export interface UpdateFactBody {
  attribution?: Attribution;
  confidence?: number;
  sensitivity?: Sensitivity;
  /** Replaces the whole list */
  aliases?: UnitAliases;
  tags?: Tags;
  /** Replaces the whole value */
  metadata?: {
    [member: string]: unknown;
  };
  pinned?: boolean;
  derivedFrom?: Id[];
  /** Affirms that the unit holds although something it rests on does not any more */
  stale?: false;
  /** Why; kept in the history */
  reason?: string;
  statement?: string;
  subject?: string | null;
  predicate?: string | null;
  object?: string | null;
  /** Whether the predicate has one value at a time. `false`: this fact and others about the same subject and predicate stand beside each other. Default: as the workspace's settings say; otherwise `lives in`, `works at`, `status`, `price` and the like have one value, `speaks`, `visited`, `child` and the like have several. Of any other predicate several values stand beside each other, and recall marks the older ones `outdatedBy` */
  exclusive?: boolean | null;
  /** Empty: it claims nothing. Null: the service reads the statement again */
  claims?: FactClaim[] | null;
  factType?: FactType;
  /** When the statement began to be true, of a state with a known beginning ("lives in Porto", since May): `asOf` before that time does not find it */
  validFrom?: TimestampInput | null;
  validTo?: EndInput;
  /** When what it tells of happened or, of a state with no known beginning, was said: dates of a query match it, and of two statements the later one is the newer. It does not bound what is true at a time */
  occurredAt?: TimestampInput | null;
  expiresAt?: EndInput;
  /** Entities that it mentions */
  entityIds?: Id[];
  citations?: Citation[];
  /** Declares that the fact was wrong. Other states have operations of their own */
  status?: "retracted";
}

/** The process answers */
export interface Liveness {
  status: "ok";
}

/** Whether the service can do its work */
export interface Readiness {
  status: "ok" | "unavailable";
  checks: {
    [member: string]: "ok" | "unavailable" | "starting" | "stopping" | "deaf" | "building" | "missing" | "behind" | "promoted" | "foreign";
  };
}

/** What was created, changed, left as it was, left out and refused */
export interface ImportReply {
  format: ImportFormat;
  /** The file's header; null for other formats */
  source: {
    instance: string;
    workspace: Id;
    exportedAt: Timestamp;
    asOf: Timestamp | null;
    clearance: Sensitivity;
  } | null;
  /** False: the file was truncated, and `partial` allowed it */
  complete: boolean;
  /** Number of lines, without the first and the last */
  lines: number;
  created: number;
  /** Newer versions of existing resources */
  updated: number;
  /** Existed already */
  unchanged: number;
  failed: number;
  /** Resources whose id here differs from their id in the file */
  mapped: number;
  kinds: {
    [member: string]: ImportCounts;
  };
  /** How many lines were imported without a member, because the key lacks `memory:admin`: `attribution` (above `imported`), `author`, `collapse` (what a session collapsed to), `pinned`, `scratchpad`, `time` (recorded in the future), `trust` (scores and counts since the version was written) and `worth` */
  withheld: {
    [member: string]: number;
  };
  /** What of another service's file was left out because it is no memory, such as tool calls and hidden messages, and how often */
  omitted: {
    [member: string]: number;
  };
  /** The first 1000 lines that were refused */
  errors: {
    /** Line number; the header is line 1. In a document of another service: the number of the record */
    line: number;
    kind: string | null;
    id: string | null;
    code: string;
    message: string;
  }[];
  errorsOmitted: number;
  /** The service tried the import and undid it */
  dryRun?: true;
  /** With `dryRun`: up to 10 lines that were accepted, the first ones of each kind in turn */
  samples?: ImportSample[];
}

/** `svc`: an export of this service. `mem0`: memories of Mem0, as JSON or JSONL. `graphiti`: edges of Graphiti or Zep, as JSON or JSONL. `mcp`: the JSONL of the MCP memory server. `openmemory`: `memories.json` or the JSONL of an OpenMemory backup. `letta`: an agent file, or passages of archival memory. `zep`: `{ users, sessions }` with messages and facts. `chatgpt`: `conversations.json`. `claude`: `conversations.json`, `memories.json` or `projects.json` of claude.ai. `claude-code`: lines of transcripts. `markdown`: `{ files: [{ path, text, modifiedAt }] }`. `hindsight`: `{ source_bank_id, documents, observations }` of a bank's archive. Conversations become sessions with their turns, memories become facts */
export type ImportFormat = "svc" | "mem0" | "graphiti" | "mcp" | "openmemory" | "letta" | "zep" | "chatgpt" | "claude" | "claude-code" | "markdown" | "hindsight";

export interface ImportCounts {
  created: number;
  /** Newer versions of existing resources */
  updated: number;
  /** Existed already */
  unchanged: number;
  failed: number;
}

export interface ImportSample {
  /** Line number; the header is line 1 */
  line: number;
  kind: TransferKind;
  /** The id that it would have here */
  id: string | null;
  outcome: "created" | "updated" | "unchanged";
  /** The first 200 characters of what it says; null if it has no text */
  text: string | null;
}

/** A job, step by step */
export interface Job {
  id: Id;
  kind: string;
  state: JobState;
  /** The clearance of the caller; the job sees and changes nothing above it */
  sensitivity: Sensitivity;
  input: JsonSchema;
  /** The gate at the time of the request */
  gate: GateCondition[] | null;
  progress: {
    phase: string | null;
    steps: number;
  };
  report: JobReport;
  failure: string | null;
  /** How often a process started the job; more than 1: a process died */
  attempts: number;
  requestedBy: string;
  createdAt: Timestamp;
  startedAt: Timestamp | null;
  finishedAt: Timestamp | null;
  updatedAt: Timestamp;
  steps: JobStep[];
}

export type JobState = "queued" | "running" | "completed" | "failed";

/** `new_facts`: facts stored since the last consolidation began. `contested`: open reviews of contested facts. `drift`: the drift index of the latest snapshot against the one a day earlier. `quiet_period`: seconds since the last write of knowledge. `manual_hold`: whether somebody holds the gate closed */
export interface GateCondition {
  name: "new_facts" | "contested" | "drift" | "quiet_period" | "manual_hold";
  passed: boolean;
  /** Null: not known; the condition then passes */
  value: number | boolean | null;
  threshold: number | boolean;
  /** How the value must compare with the threshold */
  comparison: "at_least" | "at_most" | "equals";
  message: string;
}

/** What a completed job did */
export type JobReport = {
  /** How many steps of each kind */
  steps: {
    [member: string]: number;
  };
  /** Similar facts that a person may want to merge; at most 100 */
  suggestions?: {
    factId: Id;
    otherId: Id;
    score: number;
  }[];
  /** Kinds of steps that reached their limit. Run the job again to continue */
  limited?: string[];
  sync?: SyncReport;
  /** How many facts were compared with others */
  throughDocNo?: number;
} | null;

/** What an exchange with a peer came to */
export interface SyncReport {
  peer: InstanceId;
  received: number;
  sent: number;
  /** Items that a person has to settle */
  conflicts: number;
  /** How many items were not accepted, by reason */
  rejected: {
    code: string;
    count: number;
  }[];
  durationMs: number;
  reconciled: SyncReconciled;
  /** Why it stopped early; null when it finished */
  error: {
    code: string;
    message: string;
  } | null;
}

/** The name of an instance: `instance:<host>` */
export type InstanceId = string;

/** What a comparison of both sides found; null: there was none */
export type SyncReconciled = {
  equal: boolean;
  /** Items that differed before the repair */
  differences: number;
  /** Some of the items that still differ */
  left: string[];
} | null;

export interface JobStep {
  step: number;
  kind: string;
  reason: string;
  units: JobUnit[];
  /** How to undo the step by hand; null: nothing was changed */
  undo: string | null;
  doneAt: Timestamp;
  /** The job that reverted this one */
  revertedBy: Id | null;
}

export interface JobUnit {
  id: Id;
  type: string;
  /** `kept`, `merged`, `archived`, `expired`, `created`, `restored` */
  role: string;
  /** Null: the step created the unit, or this is a dry run */
  versionBefore: number | null;
  /** Null in a dry run */
  versionAfter: number | null;
  statusBefore: string | null;
  statusAfter: string | null;
}

export interface ConsolidateBody {
  /**
   * Lists what would be done and changes nothing. It runs even if the gate is closed
   *
   * @default false
   */
  dryRun?: boolean;
  /**
   * Runs although the gate is closed, unless somebody holds it closed
   *
   * @default false
   */
  force?: boolean;
}

export interface ExportBody {
  /** Exports what this service knew at that time, with the history up to then. Not in the future */
  asOf?: TimestampInput;
  /** Kinds of lines. Default: all */
  types?: TransferKind[];
}

/** Covers what the key's clearance allows. Recalls are counted for the whole workspace */
export interface UsageStats {
  at: Timestamp;
  units: {
    total: number;
    /** Not superseded, retracted, rejected, retired, archived or expired */
    inForce: number;
    /** In force */
    pinned: number;
    /** In force */
    stale: number;
    byType: {
      [member: string]: {
        total: number;
        inForce: number;
        byStatus: {
          [member: string]: number;
        };
      };
    };
    byStatus: {
      [member: string]: number;
    };
    byAttribution: {
      [member: string]: number;
    };
    bySensitivity: {
      [member: string]: number;
    };
  };
  sessions: {
    total: number;
    byStatus: {
      [member: string]: number;
    };
    turns: number;
    /** Tokens of all turns, as counted when they were written */
    tokens: number;
  };
  tasks: {
    total: number;
    byStatus: {
      [member: string]: number;
    };
  };
  events: {
    total: number;
  };
  reviews: {
    open: number;
    /** Open reviews by kind */
    byKind: {
      [member: string]: number;
    };
  };
  jobs: {
    total: number;
    byState: {
      [member: string]: number;
    };
  };
  /** The 20 most frequent tags of units in force */
  tags: {
    tag: string;
    units: number;
  }[];
  /** The last 30 days including today, oldest first, in UTC */
  days: {
    day: string;
    recalls: number;
    /** Recalls that returned something */
    recallHits: number;
    unitsCreated: number;
    turnsRecorded: number;
  }[];
  /** Rows are counted. Bytes are estimated from up to 500 rows of each table, without indexes */
  storage: {
    bytes: number;
    tables: {
      name: string;
      rows: number;
      bytes: number;
    }[];
  };
}

export interface JobPage {
  data: JobSummary[];
  nextCursor: NextCursor;
}

export interface JobSummary {
  id: Id;
  kind: string;
  state: JobState;
  /** The clearance of the caller; the job sees and changes nothing above it */
  sensitivity: Sensitivity;
  input: JsonSchema;
  /** The gate at the time of the request */
  gate: GateCondition[] | null;
  progress: {
    phase: string | null;
    steps: number;
  };
  report: JobReport;
  failure: string | null;
  /** How often a process started the job; more than 1: a process died */
  attempts: number;
  requestedBy: string;
  createdAt: Timestamp;
  startedAt: Timestamp | null;
  finishedAt: Timestamp | null;
  updatedAt: Timestamp;
}

export interface AgentPage {
  data: Agent[];
  nextCursor: NextCursor;
}

export interface Agent {
  agentId: string;
  counts: AgentCounts;
  /** When the first of them was made; an event: when it occurred */
  firstSeenAt: Timestamp;
  /** When the last of them was made or changed */
  lastSeenAt: Timestamp;
}

/** How many of each name it, as far as the key sees them */
export interface AgentCounts {
  sessions: number;
  /** Assigned to it or claimed by it */
  tasks: number;
  events: number;
  /** Chains of reasoning */
  reasoning: number;
  playbooks: number;
  selfEdits: number;
}

export interface ChangePage {
  data: ListedChange[];
  nextCursor: NextCursor;
  /** The end of the feed when the page was read. When `nextCursor` is null, pass this as `since` to get later changes */
  endCursor: string;
}

export interface ListedChange {
  /** Position in the workspace's feed, in the order in which changes became visible. A reader with full clearance sees no gaps */
  seq: number;
  /** What happened: `<resource type>.<event>`, such as `fact.created` */
  kind: string;
  resourceType: string;
  resourceId: Id;
  /** The resource's version after the change */
  version: number;
  sensitivity: Sensitivity;
  /** Who did it: `key:<id>`, `worker:<name>`, `admin:<id>` or `cli` */
  actor: string;
  recordedAt: Timestamp;
  /** Small facts about the change, such as the new `status`; never content. Read the resource for that */
  payload: JsonSchema;
  /** The position after this change, for `since` */
  cursor: string;
}

/** The outcome of each item, in the order of the request */
export interface DecisionBatchReply {
  created: number;
  refused: number;
  results: DecisionBatchResult[];
}

export interface DecisionBatchResult {
  /** Index of the item in the request */
  index: number;
  /** 201 created, otherwise the status of the error */
  status: number;
  decision?: Decision;
  error?: ItemError;
}

export interface ItemError {
  code: string;
  message: string;
  errors?: {
    path: string;
    message: string;
  }[];
}

export interface CreateDecisionBatchBody {
  decisions: CreateDecisionBody[];
}

export interface DecisionRevisionPage {
  data: DecisionRevision[];
  nextCursor: NextCursor;
}

export interface DecisionRevision {
  version: number;
  /** What created this version */
  event: string;
  recordedAt: Timestamp;
  /** Null for the version in force */
  replacedAt: Timestamp | null;
  changedBy: string;
  reason: string | null;
  decision: Decision;
}

export interface EntityRevisionPage {
  data: EntityRevision[];
  nextCursor: NextCursor;
}

export interface EntityRevision {
  version: number;
  /** What created this version */
  event: string;
  recordedAt: Timestamp;
  /** Null for the version in force */
  replacedAt: Timestamp | null;
  changedBy: string;
  reason: string | null;
  entity: EntityThen;
}

export interface EntityThen {
  id: Id;
  type: "entity";
  /** Increases by one with each revision. Send it as `If-Match` */
  version: number;
  status: EntityStatus;
  attribution: Attribution;
  trustScore: TrustScore;
  /** How certain its author is */
  confidence: number;
  sensitivity: Sensitivity;
  aliases: string[];
  /** Labels of the caller */
  tags: string[];
  /** Free members of the caller */
  metadata: JsonSchema;
  worth: Worth;
  /** Recall returns it always, apart from the results */
  pinned: boolean;
  /** SHA-256 of the content, hex */
  contentHash: string;
  origin: Origin;
  /** The units that it was made from */
  derivedFrom: Id[];
  invisibleText?: InvisibleText;
  stale: Stale;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** Who created it, such as `key:<id>` */
  createdBy: string;
  canonicalName: string;
  entityType: string;
  attributes: JsonSchema;
  /** Named groups that the entity is filed under */
  drawers: string[];
  /** If merged: the entity that it was merged into */
  mergedInto: Id | null;
}

/** How much there is in each span of time */
export interface TimelineCounts {
  /**
   * Weeks begin on Monday
   *
   * @default "day"
   */
  bucket?: "hour" | "day" | "week" | "month";
  timeZone: string;
  /** Null if there is nothing to count */
  from: Timestamp | null;
  to: Timestamp | null;
  total: number;
  /** Every span from `from` to `to`, including empty ones */
  data: TimelineBucket[];
}

export interface TimelineBucket {
  start: Timestamp;
  /** Where the next span starts */
  end: Timestamp;
  total: number;
  /** Counts by type; types without items are left out */
  counts: {
    [member: string]: number;
  };
}

/** The outcome of each item, in the order of the request */
export interface EpisodeBatchReply {
  created: number;
  refused: number;
  results: EpisodeBatchResult[];
}

export interface EpisodeBatchResult {
  /** Index of the item in the request */
  index: number;
  /** 201 created, otherwise the status of the error */
  status: number;
  episode?: Episode;
  error?: ItemError;
}

export interface CreateEpisodeBatchBody {
  episodes: CreateEpisodeBody[];
}

/** The episode and what happened around it */
export interface EpisodeTimeline {
  data: EpisodeMoment[];
  nextCursor: NextCursor;
  episode: Episode;
}

export type EpisodeMoment = FactMoment | TurnMoment;

export interface FactMoment {
  type: "fact";
  /** `occurredAt`, else `validFrom`, else `recordedAt` */
  at: Timestamp;
  fact: Fact;
}

export interface TurnMoment {
  type: "turn";
  at: Timestamp;
  turn: Turn;
}

/** A turn of a session, verbatim */
export interface Turn {
  id: Id;
  sessionId: Id;
  version: number;
  /** Position in the session, from 0 */
  position: number;
  messageId: string;
  role: TurnRole;
  name: string | null;
  content: string;
  invisibleText?: InvisibleText;
  sensitivity: Sensitivity;
  pinned: boolean;
  tags: string[];
  metadata: JsonSchema;
  occurredAt: Timestamp;
  /** Offset of the writer's clock at that time; absent if it is not known */
  utcOffset?: string;
  recordedAt: Timestamp;
  /** When its content was erased; absent: it was not */
  erasedAt?: Timestamp;
}

export type TurnRole = "user" | "assistant" | "system" | "tool";

export interface EpisodeRevisionPage {
  data: EpisodeRevision[];
  nextCursor: NextCursor;
}

export interface EpisodeRevision {
  version: number;
  /** What created this version */
  event: string;
  recordedAt: Timestamp;
  /** Null for the version in force */
  replacedAt: Timestamp | null;
  changedBy: string;
  reason: string | null;
  episode: Episode;
}

/** The receipt of the erasure */
export interface ForgetRecordReply {
  mode: "erase";
  receipt: ErasureReceipt;
}

export interface ForgetRecordBody {
  /** Erases it for ever. Tasks and events cannot be archived */
  mode: "erase";
  reason?: string;
}

/** An event of an agent */
export interface Event {
  id: Id;
  type: string;
  agentId: string | null;
  sessionId: Id | null;
  data: JsonSchema;
  sensitivity: Sensitivity;
  occurredAt: Timestamp;
  recordedAt: Timestamp;
  createdBy: string;
}

export interface EventPage {
  data: Event[];
  nextCursor: NextCursor;
}

export interface RecordEventBody {
  /** The type of event, in the caller's own words */
  type: string;
  /** The agent that the event belongs to */
  agentId?: string;
  /** The session in which it happened. The service does not check that it exists */
  sessionId?: Id;
  /** Free members, at most 16 KiB as JSON */
  data?: {
    [member: string]: unknown;
  };
  /**
   * At most the key's clearance
   *
   * @default "internal"
   */
  sensitivity?: Sensitivity;
  /** Default: now */
  occurredAt?: TimestampInput;
}

/** The outcome of each event, in the order of the request */
export interface EventBatchReply {
  recorded: number;
  /** In the order of the request */
  data: Event[];
}

export interface RecordEventBatchBody {
  events: RecordEventBody[];
}

/** The outcome of each fact, in the order of the request */
export interface FactBatchReply {
  created: number;
  corroborated: number;
  refused: number;
  results: FactBatchResult[];
}

export interface FactBatchResult {
  /** Index of the item in the request */
  index: number;
  /** 201 created, 200 known already, otherwise the status of the error */
  status: number;
  fact?: WrittenFact;
  error?: ItemError;
}

export interface CreateFactBatchBody {
  facts: CreateFactBody[];
}

export type ExternalId = string;

export interface FactRevisionPage {
  data: FactRevision[];
  nextCursor: NextCursor;
}

export interface FactRevision {
  version: number;
  /** What created this version */
  event: string;
  recordedAt: Timestamp;
  /** Null for the version in force */
  replacedAt: Timestamp | null;
  changedBy: string;
  reason: string | null;
  fact: Fact;
}

/** Members that it has replace those of the fact, null clears one, and members that it does not have stay as they are. A new fact gets the defaults of `CreateFactBody` */
export interface UpsertFactBody {
  attribution?: Attribution;
  confidence?: number;
  sensitivity?: Sensitivity;
  /** Replaces the whole list */
  aliases?: UnitAliases;
  tags?: Tags;
  /** Replaces the whole value */
  metadata?: {
    [member: string]: unknown;
  };
  pinned?: boolean;
  derivedFrom?: Id[];
  statement: string;
  subject?: string | null;
  predicate?: string | null;
  object?: string | null;
  /** Whether the predicate has one value at a time. `false`: this fact and others about the same subject and predicate stand beside each other. Default: as the workspace's settings say; otherwise `lives in`, `works at`, `status`, `price` and the like have one value, `speaks`, `visited`, `child` and the like have several. Of any other predicate several values stand beside each other, and recall marks the older ones `outdatedBy` */
  exclusive?: boolean | null;
  factType?: FactType;
  /** When the statement began to be true, of a state with a known beginning ("lives in Porto", since May): `asOf` before that time does not find it */
  validFrom?: TimestampInput | null;
  validTo?: EndInput;
  /** When what it tells of happened or, of a state with no known beginning, was said: dates of a query match it, and of two statements the later one is the newer. It does not bound what is true at a time */
  occurredAt?: TimestampInput | null;
  expiresAt?: EndInput;
  /** Entities that it mentions */
  entityIds?: Id[];
  citations?: Citation[];
  /** A new fact replaces this one, as `supersedes` of `CreateFactBody` says. If the fact exists, it must have replaced this one already; otherwise the request is refused, and nothing changes. `POST /v1/memory/relations` with the verb `supersedes` lets an existing fact replace another */
  supersedes?: Id;
}

/** A peer and its state */
export interface Peer {
  id: InstanceId;
  /** Its id in the change feed and in the audit log */
  uid: Id;
  /** Increases by one with each change of its entry, such as its approval. It stays as it is when the peer's state changes. Send it as `If-Match` */
  version: number;
  endpoint: string;
  state: "DISCOVERED" | "HANDSHAKE" | "ACTIVE" | "DEGRADED";
  /** No exchange has succeeded for 24 hours */
  stale: boolean;
  approved: boolean;
  /** Where its entry comes from: the configuration, a person or DNS */
  source: "config" | "stored" | "srv";
  direction: PeerDirection;
  /** The workspace, or `<id here>=<id there>` */
  workspaces: string[];
  /** That of its entry, else the one that it told in a handshake. Null: neither is known */
  region: string | null;
  maxSensitivity: Sensitivity;
  conflictResolution: ConflictResolution;
  /** Whether both sides come to show the same, by their policies, for `manual` and `consensus` once people have settled what is contested. Null: the peer has not told its policy in a handshake */
  converges: boolean | null;
  trustWeight: number | null;
  /** Whether its entry has a key that verifies what it sends */
  signed: boolean;
  /** Whether this instance accepts only sealed and signed pages from it. Null: `SVC_SECRETS_KEY` does not open the secrets of its entry */
  sealed: boolean | null;
  /** What is missing for more trust, such as keys. The exchange goes on without it */
  warnings: string[];
  /** Ids of the keys that verify its signatures now */
  keyIds: string[];
  certificate: {
    pin: string;
    /** Whether its key is a pinned one; null: no key is pinned */
    matches: boolean | null;
    expiresAt: Timestamp;
    seenAt: Timestamp;
  } | null;
  contactAt: Timestamp | null;
  successAt: Timestamp | null;
  /** When both sides last had the same items */
  levelAt: Timestamp | null;
  lagSeconds: number | null;
  /** By how many milliseconds its clock is ahead of this instance's */
  skewMs: number | null;
  failures: number;
  nextAttemptAt: Timestamp | null;
  lastError: {
    code: string;
    message: string;
    at: Timestamp;
  } | null;
  counts: {
    [member: string]: number;
  };
  reconciliation: {
    at: Timestamp;
    equal: boolean;
    differences: number;
  } | null;
  /** How many notices of erasure it has not acknowledged */
  erasuresPending: number;
  /** What DNS says about a discovered peer; null for any other */
  found: {
    seen: Timestamp;
    priority: number;
    weight: number;
  } | null;
}

/** `push`: this instance pushes, the peer only receives */
export type PeerDirection = "bidirectional" | "push";

export type ConflictResolution = "theirs_wins" | "ours_wins" | "consensus" | "manual";

export interface AddPeerBody {
  id: InstanceId;
  endpoint: string;
  /** `sha256/<base64>`: the SHA-256 of a certificate's SPKI */
  certPin?: string;
  /** `sha256/<base64>`: the SHA-256 of a certificate's SPKI */
  certPinNext?: string;
  /** `sha256/<base64>`: the SHA-256 of a certificate's SPKI */
  clientCertPin?: string;
  direction?: PeerDirection;
  region?: Region;
  maxSensitivity?: Sensitivity;
  conflictResolution?: ConflictResolution;
  trustWeight?: number;
  signingPublicKey?: string;
  signingPublicKeyNext?: string;
  symmetricKey?: string;
  symmetricKeyNext?: string;
  sealKey?: string;
  apiKey?: string;
  /** The workspace of the key, or `<its id here>=<its id there>`; default: the same id on both sides */
  workspaces?: string[];
  /** Id of the API key that was issued to the peer. From now on the key works only together with the peer's token */
  inboundKeyId?: Id;
}

export interface ApprovePeerBody {
  /** `sha256/<base64>`: the SHA-256 of a certificate's SPKI */
  certPin?: string;
  signingPublicKey?: string;
  symmetricKey?: string;
  apiKey?: string;
  direction?: PeerDirection;
  maxSensitivity?: Sensitivity;
  conflictResolution?: ConflictResolution;
  trustWeight?: number;
  region?: Region;
  /** The id of the workspace at the peer */
  remoteWorkspaceId?: Id;
}

/** The next message of the handshake */
export type HandshakeReply = HandshakeChallenge | HandshakeWelcome | HandshakeJoined;

export interface HandshakeChallenge {
  v: 1;
  from: InstanceId;
  to: InstanceId;
  /** The workspace's id at the instance that is called */
  workspace: Id;
  type: "challenge";
  /** SHA-256 of the hello as it was sent */
  hello: string;
  nonce: string;
  expiresAt: Timestamp;
  region: string | null;
  direction: PeerDirection;
  capabilities: string[];
  time: Timestamp;
  /** The address and the client certificate that the hello came with */
  youAre: {
    address: string | null;
    certificatePin: string | null;
  };
  /** Left out, with the signature, by an instance without a key */
  keyId?: string;
  /** Ed25519, over `svc-fed-handshake-v1`, a line break and the canonical JSON of the other members */
  signature?: string;
}

export interface HandshakeWelcome {
  v: 1;
  from: InstanceId;
  to: InstanceId;
  /** The workspace's id at the instance that is called */
  workspace: Id;
  type: "welcome";
  state: "HANDSHAKE" | "ACTIVE" | "DEGRADED";
  direction: PeerDirection;
}

export interface HandshakeJoined {
  v: 1;
  type: "joined";
  peer: InstanceId;
  state: "HANDSHAKE";
}

export type HandshakeBody = HandshakeHello | HandshakeAnswer | HandshakeJoin;

export interface HandshakeHello {
  v: 1;
  from: InstanceId;
  to: InstanceId;
  /** The workspace's id at the instance that is called */
  workspace: Id;
  type: "hello";
  nonce: string;
  sentAt: Timestamp;
  region: string | null;
  direction: PeerDirection;
  capabilities: string[];
}

export interface HandshakeAnswer {
  v: 1;
  from: InstanceId;
  to: InstanceId;
  /** The workspace's id at the instance that is called */
  workspace: Id;
  type: "answer";
  nonce: string;
  expiresAt: Timestamp;
  hello: string;
  /** SHA-256 of the challenge as it was received */
  challenge: string;
  /** Left out, with the signature, by an instance without a key */
  keyId?: string;
  /** Ed25519, over `svc-fed-handshake-v1`, a line break and the canonical JSON of the other members */
  signature?: string;
}

export interface HandshakeJoin {
  v: 1;
  type: "join";
  invite: Id;
  from: InstanceId;
  endpoint: string;
  /** The workspace's id at the instance that joins */
  workspace: Id;
  region: Region | null;
  signingPublicKey: string;
  /** `sha256/<base64>`: the SHA-256 of a certificate's SPKI */
  certPin: string;
  /** `sha256/<base64>`: the SHA-256 of a certificate's SPKI */
  clientCertPin?: string;
  apiKey: string;
  /** HMAC-SHA-256 with the secret of the invitation over the canonical JSON of the other members */
  proof: string;
}

/** What this instance holds, as hashes to compare */
export interface FederationDigest {
  v: 1;
  from: InstanceId;
  to: FederationAddressee;
  workspace: Id;
  side: "served" | "held";
  /** Names this record of publications; a position of another epoch is not valid */
  epoch: Id;
  seq: number;
  total: number;
  /** In the order of the request */
  nodes: {
    prefix: string;
    count: number;
    digest: string;
    /** Empty children are left out */
    children: {
      prefix: string;
      count: number;
      digest: string;
    }[];
  } | {
    prefix: string;
    items: {
      id: Id;
      instance: InstanceId;
      type: FederationItemType;
      version: number;
      hash: string;
    }[];
  }[];
}

export type FederationAddressee = InstanceId | string;

/** The type of an item; with `:deleted` at the end the item was erased */
export type FederationItemType = "fact" | "decision" | "strategy" | "workflow" | "skill" | "episode" | "entity" | "relation" | "fact:deleted" | "decision:deleted" | "strategy:deleted" | "workflow:deleted" | "skill:deleted" | "episode:deleted" | "entity:deleted" | "relation:deleted";

/** The exchange with a peer, and how far it is */
export interface SyncJob {
  jobId: Id;
  /** `partial`: some items were not accepted, or the time was not enough. `failed`: it stopped early; what it had done stays */
  status: "processing" | "completed" | "failed" | "partial";
  peer: InstanceId;
  received: number;
  sent: number;
  /** Items that a person has to settle */
  conflicts: number;
  /** How many items were not accepted, by reason */
  rejected: {
    code: string;
    count: number;
  }[];
  durationMs: number;
  reconciled: SyncReconciled;
  /** Why it stopped early; null when it finished */
  error: {
    code: string;
    message: string;
  } | null;
  /** The sum of `received` and `sent` */
  itemsSynced: number;
}

export interface FederationConflictPage {
  data: FederationConflict[];
  nextCursor: NextCursor;
}

export interface FederationConflict {
  id: Id;
  type: "fact" | "decision" | "strategy" | "workflow" | "skill" | "episode" | "entity" | "relation";
  /** Where the item began, and its id there */
  origin: {
    instance: InstanceId;
    id: Id;
  };
  /** The instance whose version contradicts what is shown here */
  writer: InstanceId;
  state: "contested" | "resolved" | "dismissed";
  /** The unit or relation that is shown here */
  unitId: Id;
  /** The unit that holds the other version; null for entities and relations */
  otherUnitId: Id | null;
  strategy: ConflictResolution;
  reviewItemId: Id | null;
  taskId: Id | null;
  sensitivity: Sensitivity;
  outcome: string | null;
  openedAt: Timestamp;
  resolvedAt: Timestamp | null;
  resolvedBy: string | null;
}

/** Items for the peer, sealed for it */
export interface FederationEnvelope {
  v: 1;
  from: InstanceId;
  to: FederationAddressee;
  /** The workspace's id at the instance that serves */
  workspace: Id;
  region: string | null;
  issuedAt: Timestamp;
  /** The key that signed */
  keyId?: string;
  alg?: "Ed25519+A256GCM";
  /** The `since` of the next request. At the end it equals the `since` of this one. Null when `ids` were asked for */
  cursor: string | null;
  items: FederationSealedItem[] | FederationPlainItem[] | FederationProjectedItem[];
  /** Ed25519 over the SHA-256 of the canonical JSON of `items` */
  signature?: string;
}

export interface FederationSealedItem {
  id: Id;
  type: FederationItemType;
  version: number;
  hash: string;
  /** 12 bytes */
  nonce: string;
  /** AES-256-GCM of the body: ciphertext and tag */
  sealed: string;
}

export interface FederationPlainItem {
  id: Id;
  type: FederationItemType;
  version: number;
  hash: string;
  body: FederationItemBody;
}

export interface FederationItemBody {
  v: 1;
  /** Where the item began, and its id there */
  origin: {
    instance: InstanceId;
    id: Id;
  };
  /** The instance that published this version */
  writer: InstanceId;
  version: number;
  updatedAt: Timestamp;
  /** For each other writer: its latest version that this version's writer knew */
  seen: {
    [member: string]: number;
  };
  /** `kept` or `taken`: by policy the writer kept its own content, or took another's. Null: somebody wrote it */
  affirms: "kept" | "taken" | null;
  /** The content, in the members of the item's type. Null: the item was erased or withdrawn */
  unit: {
    [member: string]: unknown;
  };
  /** The writer no longer offers the item to this peer */
  withdrawn?: true;
}

export interface FederationProjectedItem {
  factId: Id;
  /** A keyed hash: it shows that the fact changed, and nothing of its content */
  hash: string;
  region: string;
}

export interface PeerList {
  data: Peer[];
  nextCursor: NextCursor;
}

export interface RemoteFactPage {
  data: RemoteFact[];
  nextCursor: NextCursor;
}

/** A fact that another region holds. Its id and a keyed hash are known here, nothing else */
export interface RemoteFact {
  peer: InstanceId;
  factId: Id;
  hash: string;
  region: string;
  seenAt: Timestamp;
}

/** The peer that was removed */
export interface RemovedPeer {
  id: InstanceId;
  removed: true;
}

/** The conflict as it was settled */
export interface ResolveFederationReply {
  conflictId: Id;
  status: "resolved" | "contested";
  rule: "last_write_wins" | "weighted_consensus";
  winner: {
    instance: InstanceId;
    version: number;
    hash: string;
  } | null;
  votes: {
    instance: InstanceId;
    hash: string;
    /** In millionths of a point of weight */
    weight: number;
  }[];
  /** Claims that did not count, and why */
  ignored: {
    instance: InstanceId;
    reason: "unknown_peer" | "repeated" | "not_its_word";
  }[];
  unitId: Id;
  reviewItemId: Id | null;
}

export type ResolveFederationBody = {
  itemA: FederationVersionRef;
  itemB: FederationVersionRef;
} | {
  items: FederationClaim[];
};

export interface FederationVersionRef {
  /** The id that the item has where it began */
  id: Id;
  /** The instance that wrote the version */
  instance: InstanceId;
  version?: number;
  hash?: string;
}

export interface FederationClaim {
  /** The instance that is said to hold this version */
  instance: InstanceId;
  /** The id that the item has where it began */
  id: Id;
  version: number;
  hash: string;
  updatedAt?: Timestamp;
}

/** The answer to the message */
export type FederationMessageReply = FederationSyncAck | FederationClaimReply | FederationAccepted;

export interface FederationSyncAck {
  v: 1;
  type: "SYNC_ACK";
  /** `messageId` of the message that this answers */
  for: Id;
  from: InstanceId;
  to: InstanceId;
  /** The id at the instance that answers */
  workspace: Id;
  at: Timestamp;
  results: {
    id: Id;
    /** Where the item began */
    instance: InstanceId;
    version: number;
    outcome: FederationItemOutcome;
    /** With `VERSION_JUMP_REJECTED`: the highest version known here */
    base?: number;
  }[];
  keyId?: string;
  /** Ed25519 over `svc-fed-ack-v1`, a line feed and the canonical JSON of the rest */
  signature?: string;
}

/** `applied`: the receiver shows this version now. `duplicate`, `unchanged`: the receiver had it already. `kept_ours`: the receiver shows another version. `contested`: a person has to decide. `deferred`: the receiver keeps it and cannot use it yet. `version_removed`: the receiver removed the sender's version of an item that began elsewhere. `conflict`: the sender published the same version number before, with another hash */
export type FederationItemOutcome = "applied" | "duplicate" | "unchanged" | "kept_ours" | "contested" | "deferred" | "erased" | "acknowledged" | "version_removed" | "review_opened" | "not_found" | "RESURRECTION_BLOCKED" | "VERSION_JUMP_REJECTED" | "validation_failed" | "conflict";

export interface FederationClaimReply {
  v: 1;
  type: "CLAIM_REPLY";
  for: Id;
  from: InstanceId;
  to: InstanceId;
  workspace: Id;
  at: Timestamp;
  claims: {
    id: Id;
    instance: InstanceId;
    version: number;
    hash: string;
    updatedAt: Timestamp;
  }[];
  keyId?: string;
  signature?: string;
}

export interface FederationAccepted {
  v: 1;
  type: "ACCEPTED";
  for: Id;
}

export type FederationMessage = FederationSyncPush | FederationEraseNotify | FederationSyncHint | FederationClaimRequest | FederationSyncAck;

export interface FederationSyncPush {
  v: 1;
  messageId: Id;
  from: InstanceId;
  to: InstanceId;
  /** The workspace's id at the instance that receives */
  workspace: Id;
  type: "SYNC_PUSH";
  /**
   * Whether the sender wants a signed answer
   *
   * @default true
   */
  requiresAck?: boolean;
  /** A page of items as `GET items` serves it, without a cursor */
  envelope: {
    [member: string]: unknown;
  };
}

export interface FederationEraseNotify {
  v: 1;
  messageId: Id;
  from: InstanceId;
  to: InstanceId;
  /** The workspace's id at the instance that receives */
  workspace: Id;
  type: "ERASE_NOTIFY";
  /**
   * Whether the sender wants a signed answer
   *
   * @default true
   */
  requiresAck?: boolean;
  items: {
    id: Id;
    /** Where the item began */
    instance: InstanceId;
    type: FederationItemType;
    version: number;
    erasedAt: Timestamp;
  }[];
}

export interface FederationSyncHint {
  v: 1;
  messageId: Id;
  from: InstanceId;
  to: InstanceId;
  /** The workspace's id at the instance that receives */
  workspace: Id;
  type: "SYNC_HINT";
  /** How far the sender has published */
  cursor?: string | null;
}

export interface FederationClaimRequest {
  v: 1;
  messageId: Id;
  from: InstanceId;
  to: InstanceId;
  /** The workspace's id at the instance that receives */
  workspace: Id;
  type: "CLAIM_REQUEST";
  items: {
    id: Id;
    instance: InstanceId;
  }[];
}

/** The job that exchanges items with the peer */
export interface SyncStarted {
  jobId: Id;
  status: "processing";
}

export interface SyncBody {
  peer: InstanceId;
  /** How contradictions in the items that this job pulls are settled. Default: the strategy of the peer's entry; any other one needs the scope `memory:admin` */
  conflictResolution?: ConflictResolution;
  /** @default "both" */
  mode?: "pull" | "push" | "both";
  /**
   * Whether the job compares both sides item by item and repairs what differs
   *
   * @default false
   */
  reconcile?: boolean;
}

/** What one call found and forgot */
export interface ForgottenUnits {
  mode: "archive" | "erase";
  dryRun: boolean;
  /** How many of them are archived or erased now */
  forgotten: number;
  /** The newest first */
  data: ForgottenUnit[];
  /** For the next call; null: there are no more */
  nextCursor: string | null;
}

export interface ForgottenUnit {
  id: Id;
  type: UnitType;
  /** `found`: it would be forgotten. `refused`: a part of its history is above the key's clearance */
  outcome: "archived" | "erased" | "found" | "refused";
}

export interface ForgetUnitsBody {
  /** `archive` can be undone. `erase` removes content, revisions, embedding and index for ever */
  mode: "archive" | "erase";
  types?: UnitType[];
  /** Labels of the caller */
  tags?: string[];
  /** Who created it, such as `key:<id>` */
  createdBy?: string;
  /** Facts that cite a session of this agent, and episodes of it */
  agentId?: string;
  /** Facts that cite this session, and episodes of it */
  sessionId?: Id;
  /** Units that mention this entity */
  entityId?: Id;
  /** The source: who said so */
  attribution?: Attribution[];
  /** Units whose metadata has these members with these values */
  metadata?: {
    [member: string]: unknown;
  };
  sensitivity?: Sensitivity[];
  /** Created at this time or later */
  createdFrom?: TimestampInput;
  /** Created before this time */
  createdTo?: EndInput;
  /** @default "any" */
  tagsMatch?: "any" | "all";
  /** Default: all states, with `archive` all but `archived` */
  status?: UnitState[];
  /**
   * Only lists what would be forgotten
   *
   * @default false
   */
  dryRun?: boolean;
  /** @default 100 */
  limit?: number;
  /** `nextCursor` of the previous call */
  cursor?: string;
  reason?: string;
}

/** How the memory has moved from the baseline */
export interface DriftReport {
  /** The state of the measure that changed most; `unknown`: nothing was measured */
  verdict: DriftVerdict;
  /** The largest ratio of a measure to its `driftedFrom`, times 0.25. The gate closes when it is too high. Null: nothing was measured */
  index: number | null;
  /** Share of the terms of the latest units that the baseline's units did not have */
  newTermRate: number | null;
  /** The snapshot used for comparison; null: there was none */
  baseline: {
    snapshotId: Id;
    takenAt: Timestamp;
  } | null;
  /** Population stability index of types, states, attributions and worth (less what chance makes of so few units); Jensen-Shannon divergence of the terms of the latest 1,000 units in force; cosine distance of the centroids of the embeddings of the latest 1,000 texts that were in force then and are now, without what was erased since */
  measures: {
    name: "type" | "status" | "attribution" | "worth" | "vocabulary" | "embedding";
    /** Null: too little data */
    value: number | null;
    verdict: DriftVerdict;
    shiftingFrom: number;
    driftedFrom: number;
  }[];
  reasons: string[];
  at: Timestamp;
}

/** `unknown`: there is too little data, or no snapshot to compare with */
export type DriftVerdict = "stable" | "shifting" | "drifted" | "unknown";

/** The gate of consolidation and its conditions */
export interface Gate {
  /** `open` when every condition passes */
  state: "open" | "closed";
  conditions: GateCondition[];
  /** The last completed consolidation that the key's clearance allows it to see */
  lastRun: {
    jobId: Id;
    startedAt: Timestamp;
    finishedAt: Timestamp;
  } | null;
  /** The last holds and releases, newest first, at most 20 */
  history: GateAction[];
}

export interface GateAction {
  id: Id;
  action: "hold" | "release";
  reason: string;
  by: string;
  at: Timestamp;
}

/** The worth of the unit after the feedback */
export interface WorthFeedbackReply {
  agentId: string;
  data: {
    unitId: Id;
    worth: number;
    worthBefore: number;
    parts: WorthParts;
    /** Total weight of the votes; all agents of one key weigh at most 1 together */
    helpful: number;
    harmful: number;
  }[];
}

export interface WorthParts {
  /** `trustScore` / 100 */
  trust: number;
  /** uses / (uses + 5). Being returned by recall counts 1, the signal `used` counts 3, at most once a day per key */
  use: number;
  /** (1 + helpful) / (2 + helpful + harmful), over the weights of votes. All agents of a key together weigh at most 1, and so do the successes and failures of a skill or strategy */
  feedback: number;
  /** n / (n + 2), where n is how often the same was stated again */
  corroboration: number;
  /** 2^(−days / half-life), in days since it was last written or used */
  recency: number;
  /** 1 while contested, 0.5 while stale */
  contestedness: number;
}

export interface WorthFeedbackBody {
  /** The agent that votes. Default: the key itself */
  agentId?: string;
  signals: WorthSignal[];
}

export interface WorthSignal {
  unitId: Id;
  /** `helpful` and `harmful` are the agent's vote about the unit, of which it has one; `used` counts as three uses */
  signal: "helpful" | "harmful" | "used";
  /** Weight of a vote; default 1 */
  weight?: number;
}

export interface WorthPage {
  data: WorthItem[];
  nextCursor: NextCursor;
  distribution: WorthDistribution;
}

export interface WorthItem {
  id: Id;
  type: UnitType;
  status: string;
  pinned: boolean;
  worth: number;
  parts: WorthParts;
  computedAt: Timestamp;
}

/** Over all units in force of the requested types; only on the first page, null on others */
export type WorthDistribution = {
  units: number;
  mean: number | null;
  /** The 10 %, 20 %, … 90 % quantiles; null without units */
  deciles: number[] | null;
  /** Buckets of one tenth; the last one includes 1 */
  histogram: {
    from: number;
    to: number;
    units: number;
  }[];
} | null;

export interface SetGateBody {
  action: "hold" | "release";
  reason: string;
}

export interface HealthHistoryPage {
  data: HealthMoment[];
  nextCursor: NextCursor;
}

export interface HealthMoment {
  snapshotId: Id;
  takenAt: Timestamp;
  liveFacts: number;
  /** Units of all types in force */
  units: number;
  pinned: number;
  turns: number;
  sessions: number;
  embeddedRatio: number;
  embeddingBacklog: number;
  openReviews: number;
  /** In the seven days before the snapshot */
  recalls: number;
  recallHitRate: number | null;
  lastWriteAt: Timestamp | null;
  drift: HealthMomentDrift;
}

/** The drift from the snapshot that was then a day old */
export interface HealthMomentDrift {
  /** The state of the measure that changed most; `unknown`: nothing was measured */
  verdict: DriftVerdict;
  /** The largest ratio of a measure to its `driftedFrom`, times 0.25. The gate closes when it is too high. Null: nothing was measured */
  index: number | null;
  /** Share of the terms of the latest units that the baseline's units did not have */
  newTermRate: number | null;
  /** The snapshot used for comparison; null: there was none */
  baseline: {
    snapshotId: Id;
    takenAt: Timestamp;
  } | null;
  measures: {
    name: "type" | "status" | "attribution" | "worth" | "vocabulary" | "embedding";
    /** Null: too little data */
    value: number | null;
    verdict: DriftVerdict;
  }[];
}

/** What differs between two versions of the prompt */
export interface PromptDiff {
  added: PromptRule[];
  removed: PromptRule[];
  changed: {
    before: PromptRule;
    after: PromptRule;
  }[];
}

export interface PromptRule {
  id: RuleId;
  section: RuleSection;
  text: string;
  pinned: boolean;
}

/** Id of a rule within its playbook, as the prompt shows it */
export type RuleId = string;

export type RuleSection = "strategies" | "pitfalls" | "tools" | "formats" | "other";

/** The prompt in force */
export interface Prompt {
  agentId: string;
  sensitivity: Sensitivity;
  version: number;
  status: PromptVersionStatus;
  /** Markdown; each rule with its id */
  prompt: string;
  tokens: number;
  /** Rules that did not fit into `maxTokens` */
  omitted: RuleId[];
  rules: PromptRule[];
  currentVersion: number | null;
  candidateVersion: number | null;
  createdAt: Timestamp;
}

export type PromptVersionStatus = "candidate" | "current" | "superseded" | "rejected" | "discarded";

export interface PlaybookRulePage {
  data: PlaybookRule[];
  nextCursor: NextCursor;
}

/** A rule of the playbook */
export interface PlaybookRule {
  id: RuleId;
  section: RuleSection;
  text: string;
  pinned: boolean;
  /** Increases by one when the rule's text, section, status or pin changes, not when runs are counted. Send it as `If-Match` */
  version: number;
  status: RuleStatus;
  retiredReason: RuleRetiredReason;
  /** The lesson as it was first submitted */
  lesson: string;
  /** `lesson`: submitted with a run. `derived`: found in the steps by which good and bad runs differ */
  source: "lesson" | "derived";
  helpful: number;
  harmful: number;
  /** How often the lesson was submitted */
  support: number;
  unusedRuns: number;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

/** A new rule is on `trial`. It becomes `active` with two helpful runs, if there are more helpful than harmful ones */
export type RuleStatus = "trial" | "active" | "retired";

/** `harmful`: three more harmful runs than helpful ones. `unused`: not used in 20 runs. `displaced`: better rules took the limited space. `rejected`: rejected together with its candidate version. `erased`: its source was erased; its text is then `[erased]` in every version */
export type RuleRetiredReason = "harmful" | "unused" | "displaced" | "rejected" | "rolled_back" | "edited" | "erased" | null;

export interface PromptVersionPage {
  data: PromptVersion[];
  nextCursor: NextCursor;
}

export interface PromptVersion {
  version: number;
  status: PromptVersionStatus;
  cause: "optimize" | "rollback" | "edit";
  reason: string | null;
  baseVersion: number | null;
  /** Difference to `baseVersion` */
  diff: PromptDiff;
  ruleCount: number;
  evidence: VersionEvidence;
  /** For a candidate that was decided */
  decision: PromptDecision | null;
  createdAt: Timestamp;
  createdBy: string;
  decidedAt: Timestamp | null;
}

export interface VersionEvidence {
  version: number;
  runs: number;
  /** Mean of Beta(1 + sum of scores, 1 + runs − sum of scores) */
  mean: number;
  /** The mean minus one standard deviation */
  lowerBound: number;
  upperBound: number;
}

/** What changed in the playbook */
export interface OptimizeReply {
  agentId: string;
  sensitivity: Sensitivity;
  trajectories: {
    trajectoryId: string;
    /** `known`: the run was counted before */
    status: "counted" | "known";
  }[];
  changes: {
    added: RuleId[];
    /** Existing rules that the lessons repeat in the same or similar words */
    joined: RuleId[];
    activated: RuleId[];
    retired: RuleId[];
    /** Rules that lessons repeat although they were retired as harmful or by a person; they stay retired */
    refused: RuleId[];
  };
  decision: PromptDecision;
  currentVersion: number | null;
  candidateVersion: number | null;
  /** Rules have changed since the candidate was made. They wait until the candidate is decided */
  pendingChanges: boolean;
}

/** Whether the candidate replaced the current version, and why */
export interface PromptDecision {
  outcome: "promoted" | "rejected" | "waiting" | "first" | "none";
  reason: string;
  candidate: VersionEvidence | null;
  current: VersionEvidence | null;
}

export interface OptimizeBody {
  /** An agent, as the caller names it */
  agentId: string;
  /**
   * The sensitivity of the playbook, at most the key's clearance. An agent has one playbook per sensitivity
   *
   * @default "internal"
   */
  sensitivity?: Sensitivity;
  trajectories: Trajectory[];
}

export interface Trajectory {
  /** A run with the same id counts once. Default: the hash of the trajectory's content */
  trajectoryId?: string;
  task: string;
  /**
   * What was done: sentences, or objects, of which the service reads the member `action`
   *
   * @default []
   */
  steps?: (string | {
    [member: string]: unknown;
  })[];
  outcome: ReasoningOutcome;
  /** Default: 1, 0.5 or 0 by the outcome */
  score?: number;
  /** @default [] */
  lessons?: Lesson[];
  /**
   * Rules that the run used. A score of 0.7 or more counts as helpful, 0.3 or less as harmful
   *
   * @default []
   */
  usedRuleIds?: RuleId[];
  /** @default [] */
  helpfulRuleIds?: RuleId[];
  /** @default [] */
  harmfulRuleIds?: RuleId[];
  /** The version of the prompt that the run had */
  promptVersion?: number;
}

/** A short rule that the run taught. A plain text goes to the section `strategies` */
export type Lesson = string | {
  text: string;
  section?: RuleSection;
};

export interface RollbackBody {
  /** The version whose rules become current again */
  version: number;
  reason?: string;
  /** Which of the agent's playbooks. Default: the most sensitive one that the key sees */
  sensitivity?: Sensitivity;
}

export interface UpdateRuleBody {
  /** A pinned rule comes first and is never retired automatically */
  pinned?: boolean;
  status?: "active" | "retired";
  text?: string;
  section?: RuleSection;
  reason?: string;
  /** Which of the agent's playbooks. Default: the most sensitive one that the key sees */
  sensitivity?: Sensitivity;
}

/** A chain of reasoning */
export interface ReasoningEntry {
  id: Id;
  version: number;
  status: ReasoningStatus;
  retiredReason: ReasoningRetiredReason;
  goal: string;
  context?: JsonValue;
  steps: ReasoningStep[];
  answer: string;
  outcome: ReasoningOutcome;
  preconditions: CheckedPrecondition[];
  reliability: Reliability;
  tokensSpent: number;
  /** How often each outcome was recorded for this goal and context */
  attempts: {
    success: number;
    partial: number;
    failure: number;
  };
  useCount: number;
  /** By all hits together */
  tokensSaved: number;
  lastUsedAt: Timestamp | null;
  expiresAt: Timestamp | null;
  agentId: string | null;
  tags: string[];
  sensitivity: Sensitivity;
  contentHash: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  createdBy: string;
}

/** `demoted`: served only for the same goal and context. `retired`: not served */
export type ReasoningStatus = "active" | "demoted" | "retired";

export type ReasoningRetiredReason = "precondition_changed" | "unreliable" | "expired" | null;

/** A sentence, or an object of the caller's own form (thought, action, observation, …) */
export type ReasoningStep = string | {
  [member: string]: unknown;
};

/** How the chain ended; only a `success` is served */
export type ReasoningOutcome = "success" | "partial" | "failure";

export interface CheckedPrecondition {
  factId: Id;
  /** Hash of its content when the chain was recorded; null: it was erased */
  contentHash: string | null;
  /** Whether it exists, is in force, is not stale, and says the same */
  holds: boolean;
}

export interface Reliability {
  /** Mean of Beta(a + helpful, b + harmful); a, b are 2, 1 for a success, 1, 1 for a partial one, 1, 2 for a failure */
  mean: number;
  /** The mean minus 1.645 standard deviations */
  lowerBound: number;
  /** Number of keys whose agents agree more than they disagree */
  helpful: number;
  harmful: number;
}

/** The votes and the score after them */
export interface ReasoningFeedbackReply {
  entry: ReasoningEntry;
  vote: {
    agentId: string;
    helpful: boolean;
    note: string | null;
  };
  /** Whether the agent had voted before */
  replaced: boolean;
}

export interface ReasoningFeedbackBody {
  entryId: Id;
  /** `success` counts as helpful, `failure` as harmful */
  outcome: "helpful" | "harmful" | "success" | "failure";
  /** The agent that votes. Default: the key itself */
  agentId?: string;
  note?: string;
}

export interface ReasoningPage {
  data: ReasoningEntry[];
  nextCursor: NextCursor;
}

export interface RecordReasoningBody {
  /** The goal, in words */
  goal: string;
  context?: ReasoningContext;
  /** @default [] */
  steps?: ReasoningStep[];
  answer: string;
  outcome?: ReasoningOutcome;
  /** @default [] */
  preconditions?: {
    /** A fact, or a unit of any other kind */
    factId: Id;
    /** Hash of the content that the chain rests on. Default: the current one */
    contentHash?: string;
  }[];
  /**
   * What reaching the answer cost
   *
   * @default 0
   */
  tokensSpent?: number;
  /** An agent, as the caller names it */
  agentId?: string;
  tags?: Tags;
  /** At most the key's clearance, at least that of its preconditions. Default: `internal`, or that of its most sensitive precondition */
  sensitivity?: Sensitivity;
  /** How long the chain may be served, from now */
  ttlSeconds?: number;
  expiresAt?: EndInput;
}

/** The context of the goal: a text, or an object (the order of its members does not matter) */
export type ReasoningContext = string | {
  [member: string]: unknown;
};

/** The chain of reasoning that fits, or why none is served */
export interface ResolveReasoningReply {
  hit: boolean;
  reason: ResolveReason;
  /** Of a hit */
  entry: ReasoningEntry | null;
  /** The entry that the reason refers to; null: there is none */
  candidateId: Id | null;
  /** Similarity of the candidate's goal; without a candidate, of the nearest goal */
  similarity: number;
  reliability: Reliability | null;
  /** For a hit: what the chain cost minus the tokens of the served answer; 0 for a retry */
  tokensSaved: number;
  /** The candidate's preconditions, checked now */
  preconditions: CheckedPrecondition[];
}

/** A hit: `exact` (same goal and context) or `similar`. A miss: `no_match`; or why the best candidate is not served: `precondition_changed`, `unreliable` (demoted, or below `minReliability`), `retired` (by votes), `expired`, `not_successful` (a failure or partial one is all that is known) */
export type ResolveReason = "exact" | "similar" | "no_match" | "precondition_changed" | "unreliable" | "retired" | "expired" | "not_successful";

export interface ResolveReasoningBody {
  /** The goal, in words */
  goal: string;
  context?: ReasoningContext;
  /**
   * How similar another goal must be; 1: only the same goal
   *
   * @default 0.85
   */
  threshold?: number;
  /**
   * The least mean reliability
   *
   * @default 0
   */
  minReliability?: number;
  /** Only chains up to this sensitivity. Default: the key's clearance */
  maxSensitivity?: Sensitivity;
  /** The id of the run that asks. If the same run asks again within a day, that is a retry and counts as no second use */
  runId?: string;
}

/** What was found, where each score comes from, and why other units were not found */
export interface ExplainRecallReply {
  results: ExplainedRecallResult[];
  pinned: RecallResult[];
  whyNot: RecallWhyNot[];
  /** The tiers that searched, and how long they took */
  tiers: RecallTierReport[];
  usage: RecallUsage;
  /** How likely it is that the answer is among the results; when low, "I don't know" is the honest answer */
  evidenceConfidence: number;
  /** For the logs of the service */
  traceId: string;
  trace?: RecallTrace;
}

export interface ExplainedRecallResult {
  id: Id;
  type: RecallType;
  /** What a turn says; of a unit, the text by which it is found */
  text: string;
  invisibleText?: InvisibleText;
  /** The probability that the result is relevant; comparable across types and queries */
  score: number;
  /** The tier that found it */
  tier: RecallTier;
  /** The state of the unit; of a turn: `active` */
  status: string;
  /** It contradicts another fact in force, and waits for review */
  contested: boolean;
  stale: Stale;
  attribution: Attribution;
  trustScore: TrustScore;
  sensitivity: Sensitivity;
  pinned: boolean;
  /** When it happened or was said; null: not known */
  occurredAt: Timestamp | null;
  /** Of facts: when it began to be true; null: not known */
  validFrom: Timestamp | null;
  /** Of facts: when it stopped being true, exclusive; null: not known to have ended */
  validTo: Timestamp | null;
  /** The messages that it comes from */
  citations: Citation[];
  /** Entities that it mentions */
  entityIds: Id[];
  /** Of turns: the session */
  sessionId?: Id;
  /** Turns only: the id that the caller gave the message */
  messageId?: string;
  /** Of turns */
  role?: string;
  /** Of turns: who spoke */
  name?: string;
  /** Labels of the caller */
  tags: string[];
  /** The fact that is true instead of this one at the time asked about: it replaced it, it is bounded and interrupts it or, where nobody says how many values the predicate has, it is newer and says something else. `validTo` says when this one ended */
  outdatedBy?: Id;
  /** What was likely said later about the same matter, as far as the reader may see it and the filters let it through, whether or not the query found it. Read both: an earlier statement may be the true one */
  newer?: {
    /** The fact or turn */
    id: Id;
    /** The session of a turn; absent: it is a fact */
    sessionId?: Id;
    /** What it says; of a long turn, the part about the matter */
    text: string;
    invisibleText?: InvisibleText;
    /** When it began to be true or was said, as far as that is known, else recorded */
    occurredAt: Timestamp;
    /** It says that what the result tells of has ended; absent: that is not known */
    ended?: true;
  };
  /** With `include: ["neighbours"]`, for turns */
  neighbours?: RecallNeighbour[];
  scoreDetails: RecallScoreDetails;
  why: string;
}

export type RecallType = "turn" | "fact" | "decision" | "strategy" | "workflow" | "skill" | "episode" | "entity";

export interface RecallNeighbour {
  id: Id;
  messageId: string;
  /** -1: the turn before, 1: the turn after */
  offset: number;
  role: string;
  name: string | null;
  text: string;
  invisibleText?: InvisibleText;
  occurredAt: Timestamp;
}

export interface RecallScoreDetails {
  /** Rank and score in each tier that found it */
  arms: RecallArmScore[];
  /** The score by which results are ordered: the ranker's, plus what other tiers add */
  fusion: number;
  boosts: RecallBoosts;
  /** The strongest path by which the graph tier found it */
  path?: RecallGraphStep[];
}

export interface RecallArmScore {
  arm: RecallTier;
  rank: number;
  score: number;
}

export type RecallTier = "hot" | "lexical" | "semantic" | "graph" | "temporal";

/** What each sign adds to `fusion` or takes from it. Their sum is `fusion` */
export interface RecallBoosts {
  /** the query's words occur close together in it or in the turns around it */
  closeWords?: number;
  /** it contains much of what the query says */
  ownWords?: number;
  /** it and the text around it are about the query */
  surroundings?: number;
  /** what was said just before or after it is about the query */
  neighbours?: number;
  /** names in the query occur in it, near it or in its session */
  names?: number;
  /** its conversation is about the query */
  session?: number;
  /** somebody whom the query names takes part in its session */
  participants?: number;
  /** somebody whom the query names said it */
  speaker?: number;
  /** it follows a question */
  afterQuestion?: number;
  /** it ends in a question itself */
  question?: number;
  /** how much it says, what it names and counts, and how much of that is new in its session */
  substance?: number;
  /** the speaker speaks of themselves */
  firstPerson?: number;
  /** it opens its session */
  opening?: number;
  /** the query asks when, and it says when or does not */
  timeTold?: number;
  /** the query asks for a title, and it quotes or names something */
  title?: number;
  /** the query asks where, and it names something that may be a place */
  place?: number;
  /** the query asks how many, and it has a number */
  number?: number;
  /** it dates from a day, week or month that the query names */
  date?: number;
  /** its meaning is similar to the query's */
  meaning?: number;
  /** relations and mentions lead to it from names in the query */
  graph?: number;
  /** of facts about the same, what holds at the time asked about comes first; of units with the same words, the newer */
  current?: number;
}

export interface RecallGraphStep {
  /** The entity or other unit at which the step starts */
  from: Id;
  /** A relation's verb; `mention`: a text mentions both; `evidence`: the unit supports the relation */
  via: string;
  /** The unit at which the step ends; null: the result itself */
  to: Id | null;
}

export interface RecallResult {
  id: Id;
  type: RecallType;
  /** What a turn says; of a unit, the text by which it is found */
  text: string;
  invisibleText?: InvisibleText;
  /** The probability that the result is relevant; comparable across types and queries */
  score: number;
  /** The tier that found it */
  tier: RecallTier;
  /** The state of the unit; of a turn: `active` */
  status: string;
  /** It contradicts another fact in force, and waits for review */
  contested: boolean;
  stale: Stale;
  attribution: Attribution;
  trustScore: TrustScore;
  sensitivity: Sensitivity;
  pinned: boolean;
  /** When it happened or was said; null: not known */
  occurredAt: Timestamp | null;
  /** Of facts: when it began to be true; null: not known */
  validFrom: Timestamp | null;
  /** Of facts: when it stopped being true, exclusive; null: not known to have ended */
  validTo: Timestamp | null;
  /** The messages that it comes from */
  citations: Citation[];
  /** Entities that it mentions */
  entityIds: Id[];
  /** Of turns: the session */
  sessionId?: Id;
  /** Turns only: the id that the caller gave the message */
  messageId?: string;
  /** Of turns */
  role?: string;
  /** Of turns: who spoke */
  name?: string;
  /** Labels of the caller */
  tags: string[];
  /** The fact that is true instead of this one at the time asked about: it replaced it, it is bounded and interrupts it or, where nobody says how many values the predicate has, it is newer and says something else. `validTo` says when this one ended */
  outdatedBy?: Id;
  /** What was likely said later about the same matter, as far as the reader may see it and the filters let it through, whether or not the query found it. Read both: an earlier statement may be the true one */
  newer?: {
    /** The fact or turn */
    id: Id;
    /** The session of a turn; absent: it is a fact */
    sessionId?: Id;
    /** What it says; of a long turn, the part about the matter */
    text: string;
    invisibleText?: InvisibleText;
    /** When it began to be true or was said, as far as that is known, else recorded */
    occurredAt: Timestamp;
    /** It says that what the result tells of has ended; absent: that is not known */
    ended?: true;
  };
  /** With `include: ["neighbours"]`, for turns */
  neighbours?: RecallNeighbour[];
}

export interface RecallWhyNot {
  id: Id;
  reason: "returned" | "pinned" | "not_found" | "filtered" | "not_matched" | "cut" | "beyond_limit" | "no_room" | "not_named";
  explanation: string;
  rank?: number;
}

export interface RecallTierReport {
  tier: RecallTier;
  candidates: number;
  durationMs: number;
}

export interface RecallUsage {
  tokens: number;
  durationMs: number;
}

export interface RecallTrace {
  /** Terms that were looked up, in the form of the index */
  terms: string[];
  /** Terms that no text contains */
  unknownTerms: string[];
  /** Similar spellings that were used instead of them */
  substitutes: {
    [member: string]: string[];
  };
  /** Speakers named in the query */
  people: string[];
  /** With `match: "named"`: the names in the query */
  names?: string[];
  /** Dates named in the query */
  windows: {
    from: Timestamp;
    to: Timestamp;
  }[];
  candidates: number;
  /** Candidates that passed the filters */
  eligible: number;
  /** Results above the relevance cut */
  relevant: number;
  roundTrips: number;
}

export interface ExplainRecallBody {
  query: string;
  /**
   * The most results; fewer if fewer are relevant
   *
   * @default 10
   */
  limit?: number;
  /** The least score. Default: results likelier relevant than not or near the best, and the best ten turns of sessions; nothing if even the best is unlikely. 0: up to `limit` of all that have any sign */
  minScore?: number;
  /** Default: all */
  types?: RecallType[];
  /** Only turns of this session and units that were made from it */
  sessionId?: Id;
  /** Labels of the caller */
  tags?: string[];
  /**
   * `any`: one of the `tags` is enough. `all`: every tag is required
   *
   * @default "any"
   */
  tagsMatch?: "any" | "all";
  filters?: RecallFilter;
  /** The time from which "yesterday" and "last week" in the query are counted; default: now. If it states an offset, such as `+09:00`, the days of the query are those of that offset; with `Z` they are those of `timezone` */
  referenceDate?: TimestampInput;
  /** Where the asker is: days that the query names begin and end by the clocks of this zone. Default: the offset of `referenceDate`, the workspace's setting, or UTC */
  timezone?: string;
  /** Only what occurred from `from` (inclusive) to `to` (exclusive), or holds at some time in between: a unit without `validFrom` or `validTo` has no end on that side, and one without either and without `occurredAt` counts by when it was recorded. It is a filter. To find what has ended by now, send `asOf` as well */
  window?: {
    from: TimestampInput;
    to: EndInput;
  };
  /** The least trust score */
  minTrust?: number;
  /** Results up to this sensitivity, even if the key may see more */
  maxSensitivity?: Sensitivity;
  /**
   * `relevant`: what answers the query. `named`: only what the query names, all of it that fits: units whose name, alias or tag stands in the query, and units and turns that mention an entity whose name does. Word forms do not matter, nor does one mistake in a word of four letters or more, unless it is the first letter
   *
   * @default "relevant"
   */
  match?: "relevant" | "named";
  /** Token budget for all texts of the reply. A result that does not fit is left out; later, shorter ones may still fit */
  maxTokens?: number;
  /** What was true in the world at that time. Default: `knownAt`, otherwise now */
  asOf?: TimestampInput;
  /** What this service knew at that time. Default: now */
  knownAt?: TimestampInput;
  /** @default [] */
  include?: ("superseded" | "neighbours" | "trace")[];
  /**
   * Asks why these units or turns are not among the results
   *
   * @default []
   */
  explainIds?: Id[];
}

/** Conditions on members, joined by AND, OR and NOT. A member is one of `type`, `status`, `attribution`, `trustScore`, `confidence`, `sensitivity`, `worth`, `pinned`, `stale`, `tags`, `occurredAt`, `validFrom`, `validTo`, `createdAt`, `updatedAt`, `createdBy`, `entityIds`, `sessionId`, `messageId`, `role`, `name`, `factType`, `subject`, `predicate`, `object` or `metadata.<path>`. Of a list, any element may satisfy a condition. */
export interface RecallFilter {
  AND?: RecallFilter[];
  OR?: RecallFilter[];
  NOT?: RecallFilter;
  [member: string]: RecallFilterCondition | RecallFilter[] | RecallFilter | undefined;
}

export interface RecallFilterCondition {
  /** Equal; with null: absent or null */
  eq?: string | number | boolean | null;
  /** Not equal, or absent */
  ne?: string | number | boolean | null;
  gt?: string | number;
  gte?: string | number;
  lt?: string | number;
  lte?: string | number;
  /** Equal to one of these */
  in?: (string | number | boolean | null)[];
  /** A text that contains this, or a list with this element */
  contains?: string | number | boolean | null;
}

/** What was found, best first, and how likely it answers the query */
export interface RecallReply {
  /** The most relevant first */
  results: RecallResult[];
  /** Pinned units that passed the filters. Always returned, apart from the results */
  pinned: RecallResult[];
  /** The tiers that searched, and how long they took */
  tiers: RecallTierReport[];
  usage: RecallUsage;
  /** How likely it is that the answer is among the results; when low, "I don't know" is the honest answer */
  evidenceConfidence: number;
  /** For the logs of the service */
  traceId: string;
  trace?: RecallTrace;
}

export interface RecallBody {
  query: string;
  /**
   * The most results; fewer if fewer are relevant
   *
   * @default 10
   */
  limit?: number;
  /** The least score. Default: results likelier relevant than not or near the best, and the best ten turns of sessions; nothing if even the best is unlikely. 0: up to `limit` of all that have any sign */
  minScore?: number;
  /** Default: all */
  types?: RecallType[];
  /** Only turns of this session and units that were made from it */
  sessionId?: Id;
  /** Labels of the caller */
  tags?: string[];
  /**
   * `any`: one of the `tags` is enough. `all`: every tag is required
   *
   * @default "any"
   */
  tagsMatch?: "any" | "all";
  filters?: RecallFilter;
  /** The time from which "yesterday" and "last week" in the query are counted; default: now. If it states an offset, such as `+09:00`, the days of the query are those of that offset; with `Z` they are those of `timezone` */
  referenceDate?: TimestampInput;
  /** Where the asker is: days that the query names begin and end by the clocks of this zone. Default: the offset of `referenceDate`, the workspace's setting, or UTC */
  timezone?: string;
  /** Only what occurred from `from` (inclusive) to `to` (exclusive), or holds at some time in between: a unit without `validFrom` or `validTo` has no end on that side, and one without either and without `occurredAt` counts by when it was recorded. It is a filter. To find what has ended by now, send `asOf` as well */
  window?: {
    from: TimestampInput;
    to: EndInput;
  };
  /** The least trust score */
  minTrust?: number;
  /** Results up to this sensitivity, even if the key may see more */
  maxSensitivity?: Sensitivity;
  /**
   * `relevant`: what answers the query. `named`: only what the query names, all of it that fits: units whose name, alias or tag stands in the query, and units and turns that mention an entity whose name does. Word forms do not matter, nor does one mistake in a word of four letters or more, unless it is the first letter
   *
   * @default "relevant"
   */
  match?: "relevant" | "named";
  /** Token budget for all texts of the reply. A result that does not fit is left out; later, shorter ones may still fit */
  maxTokens?: number;
  /** What was true in the world at that time. Default: `knownAt`, otherwise now */
  asOf?: TimestampInput;
  /** What this service knew at that time. Default: now */
  knownAt?: TimestampInput;
  /** @default [] */
  include?: ("superseded" | "neighbours" | "trace")[];
}

/** The replies, in the order of the queries */
export interface BatchRecallReply {
  /** One for each query, in the order of the queries */
  recalls: RecallReply[];
}

export interface BatchRecallBody {
  queries: RecallBody[];
}

/** The hot tier holds the current state and no history */
export interface HotRecallBody {
  query: string;
  /**
   * The most results; fewer if fewer are relevant
   *
   * @default 10
   */
  limit?: number;
  /** The least score. Default: results likelier relevant than not or near the best, and the best ten turns of sessions; nothing if even the best is unlikely. 0: up to `limit` of all that have any sign */
  minScore?: number;
  /** Default: all */
  types?: RecallType[];
  /** Only turns of this session and units that were made from it */
  sessionId?: Id;
  /** Labels of the caller */
  tags?: string[];
  /**
   * `any`: one of the `tags` is enough. `all`: every tag is required
   *
   * @default "any"
   */
  tagsMatch?: "any" | "all";
  filters?: RecallFilter;
  /** The time from which "yesterday" and "last week" in the query are counted; default: now. If it states an offset, such as `+09:00`, the days of the query are those of that offset; with `Z` they are those of `timezone` */
  referenceDate?: TimestampInput;
  /** Where the asker is: days that the query names begin and end by the clocks of this zone. Default: the offset of `referenceDate`, the workspace's setting, or UTC */
  timezone?: string;
  /** Only what occurred from `from` (inclusive) to `to` (exclusive), or holds at some time in between: a unit without `validFrom` or `validTo` has no end on that side, and one without either and without `occurredAt` counts by when it was recorded. It is a filter. To find what has ended by now, send `asOf` as well */
  window?: {
    from: TimestampInput;
    to: EndInput;
  };
  /** The least trust score */
  minTrust?: number;
  /** Results up to this sensitivity, even if the key may see more */
  maxSensitivity?: Sensitivity;
  /**
   * `relevant`: what answers the query. `named`: only what the query names, all of it that fits: units whose name, alias or tag stands in the query, and units and turns that mention an entity whose name does. Word forms do not matter, nor does one mistake in a word of four letters or more, unless it is the first letter
   *
   * @default "relevant"
   */
  match?: "relevant" | "named";
  /** Token budget for all texts of the reply. A result that does not fit is left out; later, shorter ones may still fit */
  maxTokens?: number;
  /** @default [] */
  include?: "trace"[];
}

/** One recall: what was asked, by whom, and what was shown */
export interface RecallEntry {
  id: Id;
  recalledAt: Timestamp;
  /** `hot`: from the memory of the process alone. `full`: the full search */
  path: "hot" | "full";
  /** What was called, such as `recall`, `recallHot`, `explainRecall` or `getSessionContext` */
  operation: string;
  /** Null: it was erased with what it spoke of */
  query: string | null;
  /** The other members of the request. Null: they were erased with the query, or had more than 16 KiB */
  filters: {
    [member: string]: unknown;
  } | null;
  /** In the order of the reply, without what was erased since or is above the key's clearance */
  results: RecallShown[];
  /** Number of results and pinned ones in the reply */
  resultCount: number;
  evidenceConfidence: number;
  durationMs: number;
  /** `key:<id>` of the key that asked */
  caller: string;
  /** The agent of the session that the request named */
  agentId: string | null;
  /** The session that the request named */
  sessionId: Id | null;
  requestId: string;
  traceId: string;
}

export interface RecallShown {
  id: Id;
  type: RecallType;
  score: number;
  /** It was among the `pinned` of the reply, not among its `results` */
  pinned: boolean;
}

export interface RecallEntryPage {
  data: RecallEntry[];
  nextCursor: NextCursor;
}

/** A relation between two units */
export interface Relation {
  id: Id;
  version: number;
  status: RelationStatus;
  verb: RelationVerb;
  /** Null for a hyperedge. For a merged entity: the entity that it was merged into */
  sourceId: Id | null;
  /** Null for a hyperedge */
  targetId: Id | null;
  /** For a hyperedge; null if there are two ends */
  participants: Participant[] | null;
  /** How strong the relation is */
  weight: number;
  confidence: number;
  attribution: Attribution;
  trustScore: number;
  /** At least that of each end */
  sensitivity: Sensitivity;
  /** Something in `evidenceIds` was superseded, retracted or erased */
  stale: boolean;
  validFrom: Timestamp | null;
  validTo: Timestamp | null;
  evidenceIds: Id[];
  tags: string[];
  metadata: JsonSchema;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  createdBy: string;
}

export type RelationStatus = "active" | "archived";

export interface CreateRelationBody {
  verb: RelationVerb;
  /** A unit of any type; with `targetId`, instead of `participants` */
  sourceId?: Id;
  targetId?: Id;
  /** A hyperedge: three to sixteen different units, instead of `sourceId` and `targetId` */
  participants?: Participant[];
  /** @default 1 */
  weight?: number;
  /** @default 0.8 */
  confidence?: number;
  /**
   * Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`
   *
   * @default "agent_stated"
   */
  attribution?: Attribution;
  /** At most the key's clearance; raised to that of the most sensitive end. Default: `internal` */
  sensitivity?: Sensitivity;
  /** When it begins to be true in the world */
  validFrom?: TimestampInput;
  /** When it stops being true in the world, exclusive */
  validTo?: EndInput;
  /**
   * Units that support the relation
   *
   * @default []
   */
  evidenceIds?: Id[];
  tags?: Tags;
  metadata?: Metadata;
}

/** The outcome of each relation, in the order of the request */
export interface RelationBatchReply {
  created: number;
  found: number;
  refused: number;
  /** In the order of the request */
  results: RelationBatchResult[];
}

export interface RelationBatchResult {
  index: number;
  /** 201 created, 200 it existed already, otherwise the status of the error */
  status: number;
  relation?: Relation;
  error?: ItemError;
}

export interface CreateRelationBatchBody {
  relations: CreateRelationBody[];
}

/** The verbs of relations */
export interface RelationVerbList {
  data: RelationVerbInfo[];
  nextCursor: NextCursor;
}

export interface RelationVerbInfo {
  verb: RelationVerb;
  description: string;
  /** From the source to the target */
  reading: string;
  /** From the target to the source */
  inverse: string;
  /** It means the same in both directions */
  symmetric: boolean;
  /** Transitive: from A to B and B to C follows A to C */
  transitive: boolean;
  /** A relation that would close a cycle is refused */
  acyclic: boolean;
}

export interface RelationPage {
  data: Relation[];
  nextCursor: NextCursor;
}

/** The units that are reached, and the relations on the way */
export interface TraverseReply {
  /** Nearest first, then strongest. For each unit the shortest path; among equally short ones the strongest */
  results: TraverseResult[];
  /** Number of units that the walk reached, without the starts */
  visited: number;
  /** Part of the result was left out */
  truncated: boolean;
  truncatedBy: TruncationReason[];
}

export interface TraverseResult {
  node: GraphNode;
  depth: number;
  /** The product of the weights on the path */
  weight: number;
  path: PathStep[];
}

export interface GraphNode {
  id: Id;
  type: UnitType;
  /** The first line of the unit's text, at most 200 characters */
  label: string;
  status: string;
  trustScore: number;
  sensitivity: Sensitivity;
  stale: boolean;
}

export interface PathStep {
  relationId: Id;
  verb: RelationVerb;
  from: Id;
  to: Id;
  /** `both`: the relation has no direction between the two */
  direction: Direction;
}

export interface TraverseBody {
  /** Units of any types */
  startIds: Id[];
  /** Default: all nine */
  verbs?: RelationVerb[];
  direction?: Direction;
  /**
   * The most steps from a start
   *
   * @default 2
   */
  depth?: number;
  /** Types of units in the results; the walk may pass through other types. Default: all */
  types?: UnitType[];
  /** Follows relations that are true in the world at this time. Default: now */
  asOf?: TimestampInput;
  /** Least weight of each relation on the way */
  minWeight?: number;
  /** Least trust score of each relation and unit on the way */
  minTrust?: number;
  /**
   * The most results
   *
   * @default 100
   */
  limit?: number;
}

export interface UpdateRelationBody {
  /** Restores an archived relation */
  status?: "active";
  weight?: number;
  confidence?: number;
  attribution?: Attribution;
  sensitivity?: Sensitivity;
  validFrom?: TimestampInput | null;
  validTo?: EndInput;
  /** Replaces the whole value */
  evidenceIds?: Id[];
  tags?: Tags;
  /** Replaces the whole value */
  metadata?: {
    [member: string]: unknown;
  };
  /** Affirms that the relation holds although its evidence does not any more */
  stale?: false;
}

/** A skill, with its outcomes */
export interface Skill {
  id: Id;
  type: "skill";
  /** Increases by one with each revision. Send it as `If-Match` */
  version: number;
  status: SkillStatus;
  attribution: Attribution;
  trustScore: TrustScore;
  /** How certain its author is */
  confidence: number;
  sensitivity: Sensitivity;
  /** Other names by which recall finds it */
  aliases: string[];
  /** Labels of the caller */
  tags: string[];
  /** Free members of the caller */
  metadata: JsonSchema;
  worth: Worth;
  /** Recall returns it always, apart from the results */
  pinned: boolean;
  /** SHA-256 of the content, hex */
  contentHash: string;
  origin: Origin;
  /** The units that it was made from */
  derivedFrom: Id[];
  invisibleText?: InvisibleText;
  stale: Stale;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** Who created it, such as `key:<id>` */
  createdBy: string;
  name: string;
  description: string;
  instructions: string;
  /** JSON Schema of its arguments */
  parameters: JsonSchema;
  examples: SkillExample[];
  /** (successes + 1) / (outcomes + 2): the mean of a Beta distribution with a uniform prior */
  reliability: number;
  successCount: number;
  failureCount: number;
}

/** `probationary` is on trial and becomes `active` after 5 outcomes with a reliability of 0.75 or more; with 0.35 or less it is `retired`, as an active one is. `contested` is a peer's version of what is known here otherwise, which waits for review. `archived` is deleted softly. `retired` and `archived` ones are not recalled */
export type SkillStatus = "probationary" | "active" | "contested" | "retired" | "archived";

export interface SkillExample {
  description: string;
  arguments?: JsonSchema;
  result?: JsonValue;
}

export interface CreateSkillBody {
  /**
   * Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`
   *
   * @default "agent_stated"
   */
  attribution?: Attribution;
  /** @default 0.8 */
  confidence?: number;
  /** At most the key's clearance. Default: `internal`, or that of its most sensitive source */
  sensitivity?: Sensitivity;
  aliases?: UnitAliases;
  tags?: Tags;
  metadata?: Metadata;
  /** @default false */
  pinned?: boolean;
  /**
   * Units that it was derived from. Its trust is at most that of the least trusted one
   *
   * @default []
   */
  derivedFrom?: Id[];
  name: string;
  description: string;
  instructions: string;
  /** JSON Schema of its arguments. Default: `{}`, which allows anything */
  parameters?: JsonSchema;
  /** @default [] */
  examples?: SkillExample[];
}

/** The outcome of each item, in the order of the request */
export interface SkillBatchReply {
  created: number;
  refused: number;
  results: SkillBatchResult[];
}

export interface SkillBatchResult {
  /** Index of the item in the request */
  index: number;
  /** 201 created, otherwise the status of the error */
  status: number;
  skill?: Skill;
  error?: ItemError;
}

export interface CreateSkillBatchBody {
  skills: CreateSkillBody[];
}

/** The archived unit, or the receipt of the erasure */
export type ForgetSkillReply = ArchivedSkill | ErasedSkill;

export interface ArchivedSkill {
  mode: "archive";
  skill: Skill;
}

export interface ErasedSkill {
  mode: "erase";
  receipt: ErasureReceipt;
}

export interface SkillRevisionPage {
  data: SkillRevision[];
  nextCursor: NextCursor;
}

export interface SkillRevision {
  version: number;
  /** What created this version */
  event: string;
  recordedAt: Timestamp;
  /** Null for the version in force */
  replacedAt: Timestamp | null;
  changedBy: string;
  reason: string | null;
  skill: Skill;
}

export interface SkillPage {
  data: Skill[];
  nextCursor: NextCursor;
}

export interface SkillOutcomeBody {
  outcome: "success" | "failure";
  /** What happened; kept in the history */
  reason?: string;
}

export interface UpdateSkillBody {
  attribution?: Attribution;
  confidence?: number;
  sensitivity?: Sensitivity;
  /** Replaces the whole list */
  aliases?: UnitAliases;
  tags?: Tags;
  /** Replaces the whole value */
  metadata?: {
    [member: string]: unknown;
  };
  pinned?: boolean;
  derivedFrom?: Id[];
  /** Affirms that the unit holds although something it rests on does not any more */
  stale?: false;
  /** Why; kept in the history */
  reason?: string;
  name?: string;
  description?: string;
  instructions?: string;
  parameters?: JsonSchema;
  examples?: SkillExample[];
  /** `retired` takes the skill out of use. `probationary` puts a retired or archived skill on trial again; a retired one starts with no outcomes. `active` is reached only by outcomes */
  status?: "probationary" | "retired";
}

/** A JSON Schema, draft 2020-12 unless `$schema` names draft-07 */
export interface JsonSchema {
  [member: string]: JsonValue;
}

/** A strategy, and when to use it */
export interface Strategy {
  id: Id;
  type: "strategy";
  /** Increases by one with each revision. Send it as `If-Match` */
  version: number;
  status: KeptStatus;
  attribution: Attribution;
  trustScore: TrustScore;
  /** How certain its author is */
  confidence: number;
  sensitivity: Sensitivity;
  /** Other names by which recall finds it */
  aliases: string[];
  /** Labels of the caller */
  tags: string[];
  /** Free members of the caller */
  metadata: JsonSchema;
  worth: Worth;
  /** Recall returns it always, apart from the results */
  pinned: boolean;
  /** SHA-256 of the content, hex */
  contentHash: string;
  origin: Origin;
  /** The units that it was made from */
  derivedFrom: Id[];
  invisibleText?: InvisibleText;
  stale: Stale;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** Who created it, such as `key:<id>` */
  createdBy: string;
  name: string;
  /** When it applies */
  situation: string;
  /** What to do then */
  pattern: string;
  /** What the result was */
  outcome: string | null;
  successCount: number;
  failureCount: number;
}

/** The outcome of each item, in the order of the request */
export interface StrategyBatchReply {
  created: number;
  refused: number;
  results: StrategyBatchResult[];
}

export interface StrategyBatchResult {
  /** Index of the item in the request */
  index: number;
  /** 201 created, otherwise the status of the error */
  status: number;
  strategy?: Strategy;
  error?: ItemError;
}

export interface CreateStrategyBatchBody {
  strategies: CreateStrategyBody[];
}

export interface CreateStrategyBody {
  /**
   * Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`
   *
   * @default "agent_stated"
   */
  attribution?: Attribution;
  /** @default 0.8 */
  confidence?: number;
  /** At most the key's clearance. Default: `internal`, or that of its most sensitive source */
  sensitivity?: Sensitivity;
  aliases?: UnitAliases;
  tags?: Tags;
  metadata?: Metadata;
  /** @default false */
  pinned?: boolean;
  /**
   * Units that it was derived from. Its trust is at most that of the least trusted one
   *
   * @default []
   */
  derivedFrom?: Id[];
  name: string;
  situation: string;
  pattern: string;
  outcome?: string;
  /** @default 0 */
  successCount?: number;
  /** @default 0 */
  failureCount?: number;
}

/** The archived unit, or the receipt of the erasure */
export type ForgetStrategyReply = ArchivedStrategy | ErasedStrategy;

export interface ArchivedStrategy {
  mode: "archive";
  strategy: Strategy;
}

export interface ErasedStrategy {
  mode: "erase";
  receipt: ErasureReceipt;
}

export interface StrategyPage {
  data: Strategy[];
  nextCursor: NextCursor;
}

export interface StrategyRevisionPage {
  data: StrategyRevision[];
  nextCursor: NextCursor;
}

export interface StrategyRevision {
  version: number;
  /** What created this version */
  event: string;
  recordedAt: Timestamp;
  /** Null for the version in force */
  replacedAt: Timestamp | null;
  changedBy: string;
  reason: string | null;
  strategy: Strategy;
}

export interface UpdateStrategyBody {
  attribution?: Attribution;
  confidence?: number;
  sensitivity?: Sensitivity;
  /** Replaces the whole list */
  aliases?: UnitAliases;
  tags?: Tags;
  /** Replaces the whole value */
  metadata?: {
    [member: string]: unknown;
  };
  pinned?: boolean;
  derivedFrom?: Id[];
  /** Affirms that the unit holds although something it rests on does not any more */
  stale?: false;
  /** Why; kept in the history */
  reason?: string;
  name?: string;
  situation?: string;
  pattern?: string;
  outcome?: string | null;
  successCount?: number;
  failureCount?: number;
  /** `active` restores an archived unit */
  status?: "active";
}

/** A task of an agent */
export interface Task {
  id: Id;
  /** Increases with every change. The version that a claim returns is a fencing token */
  version: number;
  kind: TaskKind;
  status: TaskStatus;
  /** The reason for the state, if one was given */
  statusReason: string | null;
  title: string;
  description: string | null;
  /** 3 is the most urgent */
  priority: number;
  /** The agent that the task is assigned to; null: any agent may claim it */
  agentId: string | null;
  /** Tasks that must be completed before this one can start */
  dependsOn: Id[];
  /** When the claim expires and the task is `pending` again */
  leaseExpiresAt: Timestamp | null;
  /** By when it should be done; nothing happens by itself then */
  dueAt: Timestamp | null;
  /** What came of it: any JSON value */
  result?: unknown;
  /** All delegations, oldest first */
  delegations: Delegation[];
  sensitivity: Sensitivity;
  /** Labels of the caller */
  tags: string[];
  /** Free members of the caller */
  metadata: JsonSchema;
  /** When the task was first started */
  startedAt: Timestamp | null;
  /** When it was completed, failed or cancelled */
  finishedAt: Timestamp | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** Who created it, such as `key:<id>` */
  createdBy: string;
}

export type TaskKind = "task" | "conflict_review";

/** `completed`, `failed` and `cancelled` are final */
export type TaskStatus = "pending" | "in_progress" | "blocked" | "completed" | "failed" | "cancelled";

export interface Delegation {
  /** Null: it was unassigned */
  from: string | null;
  to: string;
  at: Timestamp;
  /** Who requested the delegation */
  by: string;
  reason: string | null;
}

export interface ClaimTaskBody {
  /** The agent that claims the task */
  agentId: string;
  /**
   * How long the lease lasts
   *
   * @default 300
   */
  ttlSeconds?: number;
}

export interface CreateTaskBody {
  title: string;
  description?: string;
  kind?: TaskKind;
  /**
   * 3 is the most urgent
   *
   * @default 1
   */
  priority?: number;
  /** The agent to assign it to. Default: any agent may claim it */
  agentId?: string;
  /**
   * Tasks that must be `completed` before this one can start. None may be more sensitive than this one
   *
   * @default []
   */
  dependsOn?: Id[];
  dueAt?: EndInput;
  /** At most the key's clearance. Default: `internal`, or that of its most sensitive dependency */
  sensitivity?: Sensitivity;
  tags?: Tags;
  metadata?: Metadata;
}

export interface DelegateTaskBody {
  /** The agent that gets the task */
  agentId: string;
  reason?: string;
}

export interface TaskPage {
  data: Task[];
  nextCursor: NextCursor;
}

export interface UpdateTaskBody {
  status?: TaskStatus;
  /** Why the state changes; needs `status` */
  reason?: string;
  title?: string;
  description?: string | null;
  /** 3 is the most urgent */
  priority?: number;
  /** Replaces the whole list; only while the task is `pending` or `blocked` */
  dependsOn?: Id[];
  dueAt?: EndInput;
  result?: TaskResult;
  tags?: Tags;
  /** Replaces the whole value */
  metadata?: {
    [member: string]: unknown;
  };
}

/** The result: any JSON value of at most 64 KiB */
export type TaskResult = unknown;

export type TimelineType = "fact" | "decision" | "strategy" | "workflow" | "skill" | "episode" | "entity" | "event" | "turn" | "task";

export interface TimelinePage {
  data: TimelineItem[];
  nextCursor: NextCursor;
}

export interface TimelineItem {
  type: TimelineType;
  id: Id;
  /** When it occurred. For a unit without such a time: when it became valid or known. For a task: when it was created */
  at: Timestamp;
  /** The text, at most 1,000 characters; for an event its type */
  text: string;
  /** Null for events and turns, which have no status */
  status: string | null;
  /** Null for items that are not units */
  trustScore: number | null;
  sensitivity: Sensitivity;
  stale: boolean;
  tags: string[];
  entityIds: Id[];
  sessionId: Id | null;
  agentId: string | null;
  /** For turns */
  messageId: string | null;
  /** For events */
  data: JsonSchema | null;
}

/** A unit of any type; `type` says which */
export type KnowledgeUnit = Fact | Decision | Strategy | Workflow | Skill | Episode | Entity;

/** A workflow, step by step */
export interface Workflow {
  id: Id;
  type: "workflow";
  /** Increases by one with each revision. Send it as `If-Match` */
  version: number;
  status: KeptStatus;
  attribution: Attribution;
  trustScore: TrustScore;
  /** How certain its author is */
  confidence: number;
  sensitivity: Sensitivity;
  /** Other names by which recall finds it */
  aliases: string[];
  /** Labels of the caller */
  tags: string[];
  /** Free members of the caller */
  metadata: JsonSchema;
  worth: Worth;
  /** Recall returns it always, apart from the results */
  pinned: boolean;
  /** SHA-256 of the content, hex */
  contentHash: string;
  origin: Origin;
  /** The units that it was made from */
  derivedFrom: Id[];
  invisibleText?: InvisibleText;
  stale: Stale;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** Who created it, such as `key:<id>` */
  createdBy: string;
  name: string;
  goal: string | null;
  steps: string[];
  preconditions: string[];
}

export interface SoughtUnits {
  /** In the order of the list, or of the ids in the request */
  data: SoughtUnit[];
  nextCursor: NextCursor;
}

export interface SoughtUnit {
  id: Id;
  /** Null if there is no `unit` */
  type: UnitType | null;
  /** Never null in a list. Null for an `id`: it does not exist, was erased, is above the key's clearance, or was not known at that time */
  unit: Fact | Decision | Strategy | Workflow | Skill | Episode | Entity | null;
  /** With `id`, without `knownAt`: what was said later about the matter of a unit in force, as far as the key may see it; no verdict */
  newer?: {
    /** The fact or turn */
    id: Id;
    /** The session of a turn; absent: it is a fact */
    sessionId?: Id;
    /** What it says; of a long turn, the part about the matter */
    text: string;
    invisibleText?: InvisibleText;
    /** When it began to be true or was said, as far as that is known, else recorded */
    occurredAt: Timestamp;
    /** It says that what the result tells of has ended; absent: that is not known */
    ended?: true;
  };
}

export type UnitState = "active" | "contested" | "proposed" | "accepted" | "probationary" | "superseded" | "expired" | "retracted" | "rejected" | "retired" | "merged" | "archived";

export interface CreateWorkflowBody {
  /**
   * Who says so. `verified` needs the scope `memory:admin`; nobody can claim `federation_received`
   *
   * @default "agent_stated"
   */
  attribution?: Attribution;
  /** @default 0.8 */
  confidence?: number;
  /** At most the key's clearance. Default: `internal`, or that of its most sensitive source */
  sensitivity?: Sensitivity;
  aliases?: UnitAliases;
  tags?: Tags;
  metadata?: Metadata;
  /** @default false */
  pinned?: boolean;
  /**
   * Units that it was derived from. Its trust is at most that of the least trusted one
   *
   * @default []
   */
  derivedFrom?: Id[];
  name: string;
  goal?: string;
  /** What to do, in this order */
  steps: string[];
  /**
   * Conditions that must hold before the first step
   *
   * @default []
   */
  preconditions?: string[];
}

/** The outcome of each item, in the order of the request */
export interface WorkflowBatchReply {
  created: number;
  refused: number;
  results: WorkflowBatchResult[];
}

export interface WorkflowBatchResult {
  /** Index of the item in the request */
  index: number;
  /** 201 created, otherwise the status of the error */
  status: number;
  workflow?: Workflow;
  error?: ItemError;
}

export interface CreateWorkflowBatchBody {
  workflows: CreateWorkflowBody[];
}

/** The archived unit, or the receipt of the erasure */
export type ForgetWorkflowReply = ArchivedWorkflow | ErasedWorkflow;

export interface ArchivedWorkflow {
  mode: "archive";
  workflow: Workflow;
}

export interface ErasedWorkflow {
  mode: "erase";
  receipt: ErasureReceipt;
}

export interface WorkflowRevisionPage {
  data: WorkflowRevision[];
  nextCursor: NextCursor;
}

export interface WorkflowRevision {
  version: number;
  /** What created this version */
  event: string;
  recordedAt: Timestamp;
  /** Null for the version in force */
  replacedAt: Timestamp | null;
  changedBy: string;
  reason: string | null;
  workflow: Workflow;
}

export interface WorkflowPage {
  data: Workflow[];
  nextCursor: NextCursor;
}

export interface UpdateWorkflowBody {
  attribution?: Attribution;
  confidence?: number;
  sensitivity?: Sensitivity;
  /** Replaces the whole list */
  aliases?: UnitAliases;
  tags?: Tags;
  /** Replaces the whole value */
  metadata?: {
    [member: string]: unknown;
  };
  pinned?: boolean;
  derivedFrom?: Id[];
  /** Affirms that the unit holds although something it rests on does not any more */
  stale?: false;
  /** Why; kept in the history */
  reason?: string;
  name?: string;
  goal?: string | null;
  /** What to do, in this order */
  steps?: string[];
  /** Conditions that must hold before the first step */
  preconditions?: string[];
  /** `active` restores an archived unit */
  status?: "active";
}

/** This document */
export interface OpenApiDocument {
  [member: string]: unknown;
}

/** Something that waits for a person, or was settled */
export interface ReviewItem {
  id: Id;
  version: number;
  kind: ReviewKind;
  status: ReviewStatus;
  /** The actions that are possible now */
  actions: ReviewAction[];
  /** The sensitivity of the most sensitive unit concerned */
  sensitivity: Sensitivity;
  /** The incoming unit, or the stale one */
  subjectId: Id;
  /** The existing unit with which it conflicts, or the source that is no longer in force */
  otherId: Id | null;
  /** Ids and numbers, never content */
  detail: JsonSchema;
  resolution: ReviewResolution;
  createdAt: Timestamp;
  resolvedAt: Timestamp | null;
  resolvedBy: string | null;
}

export type ReviewKind = "contested_fact" | "outdated_fact" | "near_duplicate" | "stale_dependant" | "self_edit" | "federation_conflict";

export type ReviewStatus = "open" | "resolved" | "dismissed";

/** `keep_local`: the existing unit stays. `accept_incoming`: the item's subject replaces it. `keep_both`: both stay. `merge`: both become one. For a stale unit, `keep_local` affirms it and `accept_incoming` archives it */
export type ReviewAction = "keep_local" | "accept_incoming" | "keep_both" | "merge";

export type ReviewResolution = {
  /** Null: dismissed, or settled by another change */
  action: ReviewAction | null;
  /** The outcome, in words */
  outcome: string;
  reason: string | null;
  /** The units that the decision changed, with their new versions */
  units: ReviewedUnit[];
} | null;

export interface ReviewedUnit {
  id: Id;
  version: number;
  status: string;
}

export interface DismissReviewBody {
  /** Why; kept in the item and in the units' history */
  reason?: string;
}

export interface ReviewItemPage {
  data: ReviewItem[];
  nextCursor: NextCursor;
}

export interface ResolveReviewBody {
  action: ReviewAction;
  /** Why; kept in the item and in the units' history */
  reason?: string;
  merged?: MergedFact;
}

/** With `merge`: what the merged fact says. Required for contested facts, because they contradict each other. Members of the triple that are left out keep the value of the existing fact */
export interface MergedFact {
  statement: string;
  subject?: string | null;
  predicate?: string | null;
  object?: string | null;
}

/** An edit of the agent's own memory, and the outcome of each operation */
export interface SelfEdit {
  id: Id;
  version: number;
  /** `partial`: some operations were applied, others not. `in_review`: some wait for a person. `refused`: nothing was applied. `incomplete`: some are not processed yet, because the edit is running or was interrupted */
  status: "applied" | "partial" | "in_review" | "refused" | "incomplete";
  mode: SelfEditMode;
  source: "edit" | "reflection" | "revert";
  reason: string;
  agentId: string | null;
  /** The sensitivity of the most sensitive unit that it changed or proposes to change */
  sensitivity: Sensitivity;
  /** The edit that this one reverts */
  reverts: Id | null;
  /** The edit that reverted this one */
  revertedBy: Id | null;
  operations: AppliedSelfEditOperation[];
  createdAt: Timestamp;
  updatedAt: Timestamp;
  createdBy: string;
}

/** `atomic`: all operations or none. `per_item`: each on its own, with its own outcome */
export type SelfEditMode = "atomic" | "per_item";

export interface AppliedSelfEditOperation {
  index: number;
  op: string;
  ref: string | null;
  /** The operation as requested; null if its unit was erased or is above the key's clearance */
  operation: JsonSchema | null;
  outcome: SelfEditOutcome;
  resourceId: Id | null;
  resourceType: string | null;
  versionBefore: number | null;
  versionAfter: number | null;
  /** Every version that the operation created, including those of other units, such as superseded facts */
  changes: SelfEditChange[];
  conflict: FactConflict | null;
  /** Of an erasure */
  receipt: ErasureReceipt | null;
  error: ItemError | null;
  reviewItemId: Id | null;
}

/** `unchanged`: nothing had to change. `review`: the agent may not do this alone; a person decides. `declined`: the person declined. `withdrawn`: the unit was erased before the decision. `refused`: see `error`. `pending`: not processed yet */
export type SelfEditOutcome = "pending" | "applied" | "unchanged" | "review" | "declined" | "withdrawn" | "refused";

export interface SelfEditChange {
  id: Id;
  type: string;
  /** 0: it did not exist */
  versionBefore: number;
  /** Null: it was erased */
  versionAfter: number | null;
}

export interface SelfEditBody {
  /** Why; kept with the edit and in the history of each unit */
  reason: string;
  mode: SelfEditMode;
  /** The agent that edits, if several agents share a key */
  agentId?: string;
  operations: SelfEditOperation[];
}

export type SelfEditOperation = SelfEditAdd | SelfEditUpdate | SelfEditRetract | SelfEditPin | SelfEditUnpin | SelfEditRelate | SelfEditForget;

export interface SelfEditAdd {
  op: "add";
  type: UnitType;
  /** A name by which later operations refer to it, as `$name` */
  ref?: string;
  /** The create body of the type (`CreateFactBody`, `CreateDecisionBody`, …); an id in `derivedFrom`, `evidenceIds`, `factIds` and `entityIds` may be a reference to an earlier operation. An `entity` is found by its names, or made */
  body: {
    [member: string]: unknown;
  };
}

export interface SelfEditUpdate {
  op: "update";
  id: SelfEditTarget;
  /** The update body of the unit's type (`UpdateFactBody`, …); episodes are not revised */
  patch: {
    [member: string]: unknown;
  };
  /** The version that the caller has seen. If the unit has another one, the operation is refused with `version_mismatch` */
  expectedVersion?: number;
}

/** The id of a unit, or a reference to what an earlier operation of this edit adds: `$2` is the second operation, `$home` the `add` with the `ref` `home` */
export type SelfEditTarget = string;

/** Declares that a fact was wrong */
export interface SelfEditRetract {
  op: "retract";
  id: SelfEditTarget;
  /** The version that the caller has seen. If the unit has another one, the operation is refused with `version_mismatch` */
  expectedVersion?: number;
}

export interface SelfEditPin {
  op: "pin";
  id: SelfEditTarget;
  /** The version that the caller has seen. If the unit has another one, the operation is refused with `version_mismatch` */
  expectedVersion?: number;
}

export interface SelfEditUnpin {
  op: "unpin";
  id: SelfEditTarget;
  /** The version that the caller has seen. If the unit has another one, the operation is refused with `version_mismatch` */
  expectedVersion?: number;
}

/** A relation between two units. If it exists already, it is used */
export interface SelfEditRelate {
  op: "relate";
  verb: RelationVerb;
  sourceId: SelfEditTarget;
  targetId: SelfEditTarget;
  weight?: number;
  confidence?: number;
  attribution?: Attribution;
  sensitivity?: Sensitivity;
  validFrom?: TimestampInput;
  validTo?: EndInput;
  evidenceIds?: SelfEditTarget[];
}

export interface SelfEditForget {
  op: "forget";
  id: SelfEditTarget;
  /** `archive` can be reverted. `erase` is for ever and needs the scope `memory:delete` */
  mode: "archive" | "erase";
  /** The version that the caller has seen. If the unit has another one, the operation is refused with `version_mismatch` */
  expectedVersion?: number;
}

/** What the agent knows about itself */
export interface SelfProfile {
  /** The profile is current at least up to this position in the change feed */
  asOfSeq: number;
  /** Markdown for a system prompt, each line with its id */
  text: string;
  tokens: number;
  /** Something did not fit into the budget */
  truncated: boolean;
  /** What the latest units are about, most mentioned first */
  subjects: {
    name: string;
    /** The entity's id; null: only a name */
    id: Id | null;
    /** Number of the latest units that mention it */
    mentions: number;
  }[];
  /** Preferences and instructions, pinned ones first */
  preferences: ProfileFact[];
  /** Ordered by pin, worth, trust and use */
  facts: ProfileFact[];
  /** In force or proposed, newest first */
  decisions: {
    id: Id;
    title: string;
    decision: string;
    status: "proposed" | "accepted";
    decidedAt: Timestamp | null;
    reviewAt: Timestamp | null;
    stale: boolean;
  }[];
  /** 0 for a key without `tasks:read` */
  openTasks: number;
  recentChanges: {
    seq: number;
    kind: string;
    id: Id;
    /** Null: it was erased */
    text: string | null;
    at: Timestamp;
  }[];
}

export interface ProfileFact {
  id: Id;
  /** Shortened if it is long */
  text: string;
  factType: FactType;
  attribution: Attribution;
  trustScore: number;
  worth: number;
  pinned: boolean;
  contested: boolean;
  stale: boolean;
  sensitivity: Sensitivity;
  /** What was said later about the same matter; no verdict */
  newer?: {
    /** The fact or turn */
    id: Id;
    /** The session of a turn; absent: it is a fact */
    sessionId?: Id;
    /** What it says; of a long turn, the part about the matter */
    text: string;
    invisibleText?: InvisibleText;
    /** When it began to be true or was said, as far as that is known, else recorded */
    occurredAt: Timestamp;
    /** It says that what the result tells of has ended; absent: that is not known */
    ended?: true;
  };
}

export interface SelfEditPage {
  data: SelfEdit[];
  nextCursor: NextCursor;
}

/** What a reflection found */
export interface Reflection {
  window: {
    from: string;
    to: string;
  };
  lookedAt: {
    facts: number;
    turns: number;
    /** Units that are stale, of low worth, expiring or due, regardless of the window */
    others: number;
  };
  /** Number of findings before the limit */
  found: {
    contradiction?: number;
    near_duplicate?: number;
    stale?: number;
    low_worth?: number;
    expiring?: number;
    unanswered_question?: number;
    review_due?: number;
  };
  /** There was more to examine, or more was found than is shown */
  truncated: boolean;
  /** Most confident first */
  findings: ReflectionFinding[];
  edit: SelfEdit | null;
}

export interface ReflectionFinding {
  kind: ReflectionKind;
  confidence: number;
  summary: string;
  /** The units or turns concerned */
  evidenceIds: Id[];
  /** Ready for `POST /v1/self/edit` */
  operations: SelfEditOperation[];
  /** Indexes of these operations in `edit`; empty: not applied */
  applied: number[];
}

/** `contradiction`: facts in force that cannot both be true. `near_duplicate`: facts that say nearly the same. `stale`: a unit that rests on something no longer in force. `low_worth`: worth at most 0.2. `expiring`: a fact that expires within 72 hours. `unanswered_question`: a question in a session that nobody answered. `review_due`: a decision whose `reviewAt` has passed */
export type ReflectionKind = "contradiction" | "near_duplicate" | "stale" | "low_worth" | "expiring" | "unanswered_question" | "review_due";

export interface ReflectBody {
  /** Units written and turns added in this time; `to` defaults to now */
  window?: {
    from: TimestampInput;
    to?: EndInput;
  };
  /** Used instead of a window. Default: 168, a week */
  lastHours?: number;
  /** Default: all */
  focus?: ReflectionKind[];
  /**
   * The most findings
   *
   * @default 20
   */
  limit?: number;
  /**
   * Applies the proposed operations as an edit in the mode `per_item`, with the rights of an edit
   *
   * @default false
   */
  apply?: boolean;
  /**
   * Findings with less confidence are proposed but not applied
   *
   * @default 0.5
   */
  minConfidence?: number;
  /** Kept with the edit, if one is applied */
  agentId?: string;
}

export interface RevertSelfEditBody {
  reason?: string;
  /** An agent, as the caller names it */
  agentId?: string;
  /**
   * Reverts even if a unit was changed since; the later changes are reverted, too
   *
   * @default false
   */
  force?: boolean;
}

/** What was added: the turn, or a receipt for each turn of a batch */
export type AddTurnsReply = AddedTurn | AddedTurnBatch;

export interface AddedTurn {
  id: Id;
  sessionId: Id;
  version: number;
  /** Position in the session, from 0 */
  position: number;
  messageId: string;
  role: TurnRole;
  name: string | null;
  content: string;
  invisibleText?: InvisibleText;
  sensitivity: Sensitivity;
  pinned: boolean;
  tags: string[];
  metadata: JsonSchema;
  occurredAt: Timestamp;
  /** Offset of the writer's clock at that time; absent if it is not known */
  utcOffset?: string;
  recordedAt: Timestamp;
  /** When its content was erased; absent: it was not */
  erasedAt?: Timestamp;
  /** The turn existed already; nothing was added */
  duplicate: boolean;
}

export interface AddedTurnBatch {
  sessionId: Id;
  created: number;
  duplicates: number;
  /** One for each turn of the request, in its order */
  turns: TurnReceipt[];
}

export interface TurnReceipt {
  id: Id;
  messageId: string;
  position: number;
  duplicate: boolean;
}

/** One turn, or a batch of turns. A `ChatMessage`, alone or in a batch, counts as a turn */
export type AddTurnsBody = AddTurnBatchBody | AddTurnBody;

export interface AddTurnBatchBody {
  /** In order. All of them are added, or none */
  turns: (AddTurnBody | ChatMessage)[];
}

export interface AddTurnBody {
  role: TurnRole;
  /** Who speaks */
  name?: string;
  /**
   * What was said, verbatim. Empty: the turn has no text; recall does not find it
   *
   * @default ""
   */
  content?: string;
  /** The caller's own id, unique in the session. Sent again with the same role, name and content, it is the same turn; with other content it is refused. Default: the turn's id */
  messageId?: string;
  /** Default: now. If it states an offset, such as `-07:00`, that is the writer's clock: "yesterday" in the content is the day before by it. With `Z` the clock is that of the session's or the workspace's zone, or UTC */
  occurredAt?: TimestampInput;
  /** @default false */
  pinned?: boolean;
  tags?: Tags;
  metadata?: Metadata;
}

/** A message in the form of OpenAI, Anthropic, Gemini, LangChain or the AI SDK. What a turn has no member for is kept in `metadata.chatMessage`; long texts in it are cut if it has more than 16 KiB */
export interface ChatMessage {
  /** `developer`, `human`, `ai`, `model`, `function`, … */
  role?: string;
  /** The kind of message, if it has no `role` */
  type?: string;
  /** A text, parts of which those with text count, or null */
  content?: string | JsonValue[] | null;
  /** As `content` */
  parts?: JsonValue[];
  name?: string | null;
  /** A text counts as `messageId` */
  id?: unknown;
  messageId?: string;
  occurredAt?: JsonValue;
  /** An RFC 3339 time counts as `occurredAt` */
  createdAt?: unknown;
  created_at?: JsonValue;
  pinned?: boolean;
  tags?: Tags;
  metadata?: Metadata;
  /** The message itself, as LangChain stores it */
  data?: unknown;
  lc?: JsonValue;
  kwargs?: JsonValue;
  tool_calls?: JsonValue;
  tool_call_id?: JsonValue;
  function_call?: JsonValue;
  refusal?: JsonValue;
  audio?: JsonValue;
  annotations?: JsonValue;
  reasoning?: JsonValue;
  reasoning_content?: JsonValue;
  reasoning_details?: JsonValue;
  call_id?: JsonValue;
  arguments?: JsonValue;
  output?: JsonValue;
  summary?: JsonValue;
  encrypted_content?: JsonValue;
  status?: JsonValue;
  model?: JsonValue;
  stop_reason?: JsonValue;
  stop_sequence?: JsonValue;
  stop_details?: JsonValue;
  usage?: JsonValue;
  container?: JsonValue;
  additional_kwargs?: JsonValue;
  response_metadata?: JsonValue;
  usage_metadata?: JsonValue;
  invalid_tool_calls?: JsonValue;
  tool_call_chunks?: JsonValue;
  example?: JsonValue;
  artifact?: JsonValue;
  attachments?: JsonValue;
  experimental_attachments?: JsonValue;
  toolInvocations?: JsonValue;
  providerMetadata?: JsonValue;
  providerOptions?: JsonValue;
  revisionId?: JsonValue;
}

/** What the session collapsed to, and what was left out */
export interface CollapsedSession {
  sessionId: Id;
  status: "collapsed";
  version: number;
  collapsedAt: Timestamp;
  turns: number;
  /** Who proposed the statements. `mixed`: the language model failed for a part */
  source: "rules" | "model" | "mixed";
  /** Why rules were used although a language model is configured */
  modelFailure: string | null;
  /** Null for a session without turns. Title and summary are null if the episode was erased */
  episode: {
    id: Id;
    title: string | null;
    summary: string | null;
    startedAt: Timestamp;
    endedAt: Timestamp;
    participants: string[];
  } | null;
  /** In the order of the turns */
  facts: ExtractedFact[];
  /** In the order of the turns */
  decisions: ExtractedDecision[];
  /** Number of rejected proposals by reason: `duplicate`, `unsupported`, `outdated` (the session takes it back later), … */
  rejected: {
    [member: string]: number;
  };
}

export interface ExtractedFact {
  factId: Id;
  /** The fact's current text; null if it was erased or is not visible */
  statement: string | null;
  factType: string | null;
  attribution: Attribution | null;
  /** The turn that it cites */
  messageId: string;
  /** `pinned`: its turn is pinned. `stated`: the turn says so in these words. `inferred`: a language model worded it, or a rule took a name or a question from another turn, which the fact cites, too */
  why: "pinned" | "stated" | "inferred";
  /** `corroborated`: the fact was known already and now cites this session, too. `superseded`: it was created and replaces older facts. `contested`: it was created, contradicts a fact in force and waits for review. `ordered`: it was created and holds until a known, newer fact begins. `interrupts`: it was created and holds within facts that last longer. `outdates`: it was created and says something else than older facts, which stay */
  outcome: "created" | "corroborated" | "superseded" | "contested" | "ordered" | "interrupts" | "outdates";
  /** The other facts that the outcome refers to */
  relatedFactIds: Id[];
}

export interface ExtractedDecision {
  decisionId: Id;
  /** What was decided, in few words; null if the decision was erased or is not visible */
  title: string | null;
  decision: string | null;
  attribution: Attribution | null;
  /** The turn that says so */
  messageId: string;
}

/** A session, with its scratchpad */
export interface Session {
  id: Id;
  /** Increases with every change of the session, its turns or its scratchpad */
  version: number;
  status: SessionStatus;
  title: string | null;
  /** The agent that the session belongs to */
  agentId: string | null;
  /** The caller's own name of the session */
  externalId: string | null;
  sensitivity: Sensitivity;
  /** Labels of the caller */
  tags: string[];
  /** Free members of the caller */
  metadata: JsonSchema;
  /** How many turns it has */
  turnCount: number;
  /** Tokens of all turns, approximately */
  tokenCount: number;
  /** Names of the speakers, in the order in which they first spoke */
  participants: string[];
  /** For `If-Match` when the scratchpad is changed */
  scratchpadVersion: number;
  /** Where its speakers are, as the caller says */
  timezone?: string;
  /** When the conversation began, as the caller says */
  startedAt: Timestamp;
  /** When it was collapsed or discarded */
  endedAt: Timestamp | null;
  /** The episode that it collapsed to */
  episodeId: Id | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** Who created it, such as `key:<id>` */
  createdBy: string;
  /** What the agent notes for itself while it works */
  scratchpad: {
    [member: string]: unknown;
  };
}

export type SessionStatus = "open" | "collapsed" | "discarded";

/** The turn without its content, and what became of the units that cite it */
export interface ErasedTurn {
  turn: Turn;
  /** Null if its content was erased before */
  receipt: ErasureReceipt | null;
  /** Units that were erased with it */
  erased: {
    id: Id;
    type: string;
  }[];
  /** Units that rest on it and became stale; they lose their quotes of it */
  stale: {
    id: Id;
    type: string;
  }[];
}

/** What an agent needs to go on, within the budget */
export interface SessionContext {
  sessionId: Id;
  status: SessionStatus;
  summary?: {
    text: string;
    /** Number of turns that it summarises */
    turns: number;
  };
  /** Absent if it is empty or does not fit */
  scratchpad?: {
    [member: string]: unknown;
  };
  /** The most recent turns, complete, in order */
  turns: Turn[];
  /** Recalled from outside these turns: pinned ones first, then by relevance */
  knowledge: RecallResult[];
  /** Confidence in the recalled knowledge; 0 without a query */
  evidenceConfidence: number;
  /** Parts that do not fit into the budget completely */
  omitted: ("summary" | "scratchpad" | "turns" | "knowledge")[];
  usage: {
    tokens: number;
    maxTokens: number;
    summaryTokens: number;
    scratchpadTokens: number;
    turnTokens: number;
    knowledgeTokens: number;
  };
}

export interface SessionPage {
  data: SessionSummary[];
  nextCursor: NextCursor;
}

export interface SessionSummary {
  id: Id;
  /** Increases with every change of the session, its turns or its scratchpad */
  version: number;
  status: SessionStatus;
  title: string | null;
  /** The agent that the session belongs to */
  agentId: string | null;
  /** The caller's own name of the session */
  externalId: string | null;
  sensitivity: Sensitivity;
  /** Labels of the caller */
  tags: string[];
  /** Free members of the caller */
  metadata: JsonSchema;
  /** How many turns it has */
  turnCount: number;
  /** Tokens of all turns, approximately */
  tokenCount: number;
  /** Names of the speakers, in the order in which they first spoke */
  participants: string[];
  /** For `If-Match` when the scratchpad is changed */
  scratchpadVersion: number;
  /** Where its speakers are, as the caller says */
  timezone?: string;
  /** When the conversation began, as the caller says */
  startedAt: Timestamp;
  /** When it was collapsed or discarded */
  endedAt: Timestamp | null;
  /** The episode that it collapsed to */
  episodeId: Id | null;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** Who created it, such as `key:<id>` */
  createdBy: string;
}

export interface TurnPage {
  data: Turn[];
  nextCursor: NextCursor;
}

/** The scratchpad of the session */
export interface Scratchpad {
  sessionId: Id;
  /** The version of the scratchpad, for `If-Match` */
  version: number;
  content: {
    [member: string]: unknown;
  };
}

/** A JSON merge patch (RFC 7386): members replace those of the scratchpad, null removes a member */
export interface PatchScratchpadBody {
  [member: string]: unknown;
}

export interface PinTurnBody {
  turnId?: Id;
  messageId?: string;
  /** @default true */
  pinned?: boolean;
}

/** What was erased with the session */
export interface PurgedSession {
  session: Session;
  /** Number of turns deleted with their texts */
  turns: number;
  /** Units that were erased. Each has a receipt in the deletion log, and its id answers 410 from now on */
  erased: {
    id: Id;
    type: UnitType;
  }[];
}

export interface StartSessionBody {
  title?: string;
  /** The agent that the session belongs to, as the caller names it */
  agentId?: string;
  /**
   * Holds for all its turns and for what it collapses to; at most the key's clearance
   *
   * @default "internal"
   */
  sensitivity?: Sensitivity;
  tags?: Tags;
  metadata?: Metadata;
  scratchpad?: ScratchpadContent;
  /** Default: now */
  startedAt?: TimestampInput;
  /** Where its speakers are, for turns whose time states no offset. Default: the workspace's setting, or UTC */
  timezone?: string;
  /** The caller's own name of the session, unique in the workspace. If a session has it already, that session is returned with 200, in whatever state it is. Other members that are given must then be as the session has them, or the request is refused; empty ones and the default sensitivity count as not given */
  externalId?: ExternalId;
}

/** Free members, at most 64 KiB as JSON */
export interface ScratchpadContent {
  [member: string]: unknown;
}

/** A ticket that opens one stream */
export interface StreamTicket {
  /** For `GET /stream?ticket=`. It opens one stream and is shown only here */
  ticket: string;
  expiresAt: Timestamp;
}

/** The webhook and its secret, which is shown only here */
export interface IssuedWebhook {
  id: Id;
  version: number;
  url: string;
  description: string | null;
  kinds: string[];
  status: WebhookStatus;
  /** Why the webhook is disabled. `manual`: a caller disabled it. `gone`: the URL answered 410. `failing`: every attempt failed for five days. `backlog`: too much was waiting. `key`: the key that answers for it was revoked, has expired or has lost a right that the webhook needs */
  statusReason: "manual" | "gone" | "failing" | "backlog" | "key" | null;
  /** The service does not send changes above this sensitivity */
  maxSensitivity: Sensitivity;
  /** Whether the service sends changes of tasks and events: the key that created the webhook, and each key that took it over, had the scope `tasks:read` */
  withTasks: boolean;
  /** The service sends at most this many messages in a minute; null: no limit */
  ratePerMinute: number | null;
  /** `whpk_…`: the key that verifies the `v1a` signatures; null: the service has no signing key */
  publicKey: string | null;
  /** The place in the change feed up to which the service has made deliveries */
  cursor: string;
  verifiedAt: Timestamp | null;
  /** Since when every attempt has failed */
  failingSince: Timestamp | null;
  lastSuccessAt: Timestamp | null;
  /** Why the last attempt failed. `host_refused`: the host has no address, or one that the service may not call; only the operator's log says which */
  lastError: string | null;
  /** The service sends nothing until then: the receiver asked for a rest, or `ratePerMinute` is used up */
  throttledUntil: Timestamp | null;
  createdBy: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  /** `whsec_…`: the secret that verifies the `v1` signatures. No other reply shows it */
  secret: string;
}

/** `unverified`: the URL has not repeated its challenge yet, and the service sends it nothing else */
export type WebhookStatus = "unverified" | "enabled" | "disabled";

export interface CreateWebhookBody {
  /** An `https://` URL of a host on the internet, at a port that the operator allows. The service calls private addresses, and `http://` URLs, only within the ranges of `SVC_OUTBOUND_ALLOW_CIDRS` */
  url: string;
  /**
   * Kinds of changes to send, such as `fact.created`; a name that ends with `.`, such as `fact.`, stands for all kinds that begin with it. Empty: all
   *
   * @default []
   */
  kinds?: string[];
  /** @default null */
  description?: string | null;
  /**
   * At most the key's clearance
   *
   * @default "internal"
   */
  maxSensitivity?: Sensitivity;
  /**
   * The service sends at most this many messages in a minute; null: no limit
   *
   * @default null
   */
  ratePerMinute?: number | null;
  /** The service sends the changes after this place in the feed. Default: the changes from now on */
  since?: string;
}

/** A webhook and its state */
export interface Webhook {
  id: Id;
  version: number;
  url: string;
  description: string | null;
  kinds: string[];
  status: WebhookStatus;
  /** Why the webhook is disabled. `manual`: a caller disabled it. `gone`: the URL answered 410. `failing`: every attempt failed for five days. `backlog`: too much was waiting. `key`: the key that answers for it was revoked, has expired or has lost a right that the webhook needs */
  statusReason: "manual" | "gone" | "failing" | "backlog" | "key" | null;
  /** The service does not send changes above this sensitivity */
  maxSensitivity: Sensitivity;
  /** Whether the service sends changes of tasks and events: the key that created the webhook, and each key that took it over, had the scope `tasks:read` */
  withTasks: boolean;
  /** The service sends at most this many messages in a minute; null: no limit */
  ratePerMinute: number | null;
  /** `whpk_…`: the key that verifies the `v1a` signatures; null: the service has no signing key */
  publicKey: string | null;
  /** The place in the change feed up to which the service has made deliveries */
  cursor: string;
  verifiedAt: Timestamp | null;
  /** Since when every attempt has failed */
  failingSince: Timestamp | null;
  lastSuccessAt: Timestamp | null;
  /** Why the last attempt failed. `host_refused`: the host has no address, or one that the service may not call; only the operator's log says which */
  lastError: string | null;
  /** The service sends nothing until then: the receiver asked for a rest, or `ratePerMinute` is used up */
  throttledUntil: Timestamp | null;
  createdBy: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
}

export interface WebhookDeliveryPage {
  data: WebhookDelivery[];
  nextCursor: NextCursor;
}

/** A message to a webhook and its attempts */
export interface WebhookDelivery {
  /** `msg_…`: the `webhook-id` of every attempt */
  id: string;
  seq: number;
  kind: string;
  resourceType: string;
  resourceId: Id;
  state: WebhookDeliveryState;
  attempts: number;
  nextAttemptAt: Timestamp | null;
  lastAttemptAt: Timestamp | null;
  lastStatus: number | null;
  lastError: string | null;
  /** How long the last attempt took */
  durationMs: number | null;
  createdAt: Timestamp;
  finishedAt: Timestamp | null;
}

/** `pending`: not delivered yet. `dead`: the last attempt failed. `skipped`: not sent, because the endpoint was enabled with `skipTo` or may not be sent this change any more */
export type WebhookDeliveryState = "pending" | "delivered" | "dead" | "skipped";

export interface WebhookPage {
  data: Webhook[];
  nextCursor: NextCursor;
}

/** How many changes will be sent again */
export interface WebhookReplayed {
  events: number;
}

export interface ReplayWebhookBody {
  /** Changes after this place in the feed */
  since: string;
  /** Changes up to this place, included. Default: as far as the webhook has come */
  until?: string;
  /** Only deliveries in these states. Default: every change that the webhook is sent */
  states?: WebhookDeliveryState[];
}

export interface RotateWebhookBody {
  /**
   * How long the former secret signs as well, up to 7 days; 0: it stops now
   *
   * @default 86400
   */
  overlapSeconds?: number;
}

/** What the receiver answered */
export interface WebhookTested {
  /** The status of the receiver's reply; null: it did not reply */
  status: number | null;
  /** Why the attempt failed; null: it succeeded */
  error: string | null;
  durationMs: number;
  /** The beginning of the reply, up to 512 bytes, without control characters; empty as long as the URL has not given its consent */
  response: string;
  /** Whether the URL has repeated its challenge, now or before */
  verified: boolean;
}

export interface UpdateWebhookBody {
  /** A new URL gets nothing but the challenge until it has given its consent */
  url?: string;
  /** Kinds of changes to send, such as `fact.created`; a name that ends with `.`, such as `fact.`, stands for all kinds that begin with it. Empty: all */
  kinds?: string[];
  description?: string | null;
  status?: "enabled" | "disabled";
  /** With `status: enabled`: skips everything that is waiting. Default: the webhook goes on where it stopped */
  skipTo?: "now";
  maxSensitivity?: Sensitivity;
  /** The service sends at most this many messages in a minute; null: no limit */
  ratePerMinute?: number | null;
}

/** Who the key is, what it may do, and within which limits */
export interface Whoami {
  /** The caller's name in `createdBy`, in the change feed and in the audit log */
  actor: string;
  /** The workspace's key that was presented; null under a break-glass grant */
  key: {
    id: Id;
    /** The 12 characters of the key after its prefix; not a secret */
    publicId: string;
    name: string;
  } | null;
  /** The grant by which an admin is in the workspace; null for a key of the workspace */
  breakGlass: {
    id: Id;
    admin: AdminRef;
  } | null;
  workspace: {
    id: Id;
    name: string;
    /** Its home region */
    region: Region;
  };
  /** What the caller may do */
  scopes: Scope[];
  /** The caller's clearance: rows above it do not exist for it. The workspace's limit is counted in */
  maxSensitivity: Sensitivity;
  /** The rate limit that holds for the caller, wherever it is set; null: none does */
  rateLimit: KeyRateLimit | null;
  /** When the presented secret or the grant ends; null: it does not end by itself */
  expiresAt: Timestamp | null;
  server: {
    version: string;
    /** The region that this service serves; null: all */
    region: Region | null;
  };
  features: Features;
}

/** What this service is configured to do */
export interface Features {
  /** Questions are also answered by meaning: by an embedding endpoint or the built-in sentence encoder */
  embeddings: boolean;
  /** A language model is configured; without one, rules do its work */
  llm: boolean;
  /** The service answers MCP clients */
  mcp: boolean;
  /** The instance has a signing key, so it can exchange with peers */
  federation: boolean;
  /** The service has a key for stored secrets, so it can sign deliveries */
  webhooks: boolean;
}

export type ErrorCode = "invalid_request" | "unauthenticated" | "federation_token_invalid" | "replay_detected" | "totp_invalid" | "insufficient_scope" | "origin_not_allowed" | "ip_not_allowed" | "wrong_region" | "workspace_suspended" | "break_glass_required" | "self_approval" | "not_found" | "method_not_allowed" | "conflict" | "invalid_transition" | "gate_closed" | "RESURRECTION_BLOCKED" | "VERSION_JUMP_REJECTED" | "idempotency_in_progress" | "erased" | "version_mismatch" | "payload_too_large" | "unsupported_media_type" | "validation_failed" | "idempotency_key_reused" | "federation_verify_failed" | "federation_decrypt_failed" | "rate_limited" | "internal" | "unavailable" | "deadline_exceeded";

/** What each operation takes and answers, and the headers that it takes as options. */
export interface Operations {
  /**
   * List sessions
   *
   * Scope: `memory:read`.
   */
  listSessions: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      status?: SessionStatus;
      /** The agent that the session belongs to, as the caller names it */
      agentId?: string;
      /** The session that has this name */
      externalId?: ExternalId;
      /** The title or one of the turns contains this; case does not matter. It reads turns until the page is full */
      q?: string;
      /** One of the session's `participants` has this name; case does not matter. A session lists the first 1,000 */
      participant?: string;
    };
    output: SessionPage;
    headers: never;
  };
  /**
   * Start a session
   *
   * With `externalId`, the caller's own name of a conversation, it finds the session that has this name, or starts it: of two requests at once, one starts it and the other finds it. A session that is found may be collapsed or discarded; its `status` says so.
   *
   * Scope: `session:write`.
   */
  startSession: {
    input: StartSessionBody;
    output: Session;
    headers: "idempotencyKey";
  };
  /**
   * Read a session
   *
   * Scope: `memory:read`.
   */
  getSession: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Session;
    headers: never;
  };
  /**
   * Discard a session
   *
   * Deletes the turns, also from recall, and empties the scratchpad; the session stays as a record without content. A session that is already discarded stays as it is. A collapsed session cannot be discarded, because its turns are the sources of its facts.
   *
   * Scope: `session:write`.
   */
  discardSession: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Session;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Collapse a session into knowledge
   *
   * Pinned turns and statements worth keeping become facts that cite their turns, and decisions; an episode with a summary links the facts. Each says by itself whom, what and which day it means: names stand for pronouns, dates for `yesterday` and the like. What the session itself takes back later is not kept (`rejected.outdated`). The turns stay and can still be recalled. It is one transaction and safe to repeat: a session that is already collapsed gives the same reply. At most 500 facts and 100 decisions: those of pinned turns first, then the most certain ones.
   *
   * Scope: `session:write`. It costs 5 of the key's rate, and is heavy.
   */
  collapseSession: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: CollapsedSession;
    headers: "idempotencyKey";
  };
  /**
   * Read the context of a session within a token budget
   *
   * The scratchpad (complete, up to half of the budget), the most recent turns (complete, without a gap), an extractive summary of the turns before them, and knowledge recalled from elsewhere. Tokens are approximate: a quarter of a token per ASCII character, half a token for other alphabets, one for scripts without spaces.
   *
   * Scope: `memory:read`.
   */
  getSessionContext: {
    input: {
      /** UUIDv7 */
      id: Id;
      /** @default 4000 */
      maxTokens?: number;
      /** What to recall; default: the last turn of a user */
      query?: string;
      /** The least score of recalled knowledge; default as in recall */
      minScore?: number;
    };
    output: SessionContext;
    headers: never;
  };
  /**
   * Pin a turn
   *
   * A pinned turn always becomes a fact when the session collapses. `If-Match` takes the turn's version.
   *
   * Scope: `session:write`.
   */
  pinTurn: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & PinTurnBody;
    output: Turn;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Erase a session and everything made from it
   *
   * Erases for ever, in any state: the turns, the episode, the facts and the decisions that the session collapsed to, what was derived from these, and the chains of reasoning that rest on them. Facts that were known before and that the session only repeated stay, with their quotes. The session stays as a record without content. More than 1,000 units are refused.
   *
   * Scope: `memory:delete`.
   */
  purgeSession: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: PurgedSession;
    headers: "idempotencyKey";
  };
  /**
   * Update the scratchpad
   *
   * The body is a JSON merge patch (RFC 7386), also accepted as `application/merge-patch+json`. `If-Match` takes the scratchpad's version, not the session's.
   *
   * Scope: `session:write`.
   */
  patchScratchpad: {
    input: {
      /** UUIDv7 */
      id: Id;
      body: PatchScratchpadBody;
    };
    output: Scratchpad;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * List the turns of a session
   *
   * Scope: `memory:read`.
   */
  listTurns: {
    input: {
      /** UUIDv7 */
      id: Id;
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /** @default "asc" */
      order?: "asc" | "desc";
      pinned?: boolean;
    };
    output: TurnPage;
    headers: never;
  };
  /**
   * Add a turn, or a batch of turns
   *
   * Turns are kept verbatim and can be recalled as soon as the reply arrives. A batch is added as a whole or not at all. A repeated `messageId` with the same role, name and content is the same turn (`duplicate`; 200 if nothing was new); with other content it is refused with `conflict`. A session holds at most 262,144 turns and about a million tokens.
   *
   * Scope: `session:write`. It costs 1 of the key's rate for each 100 turns, and is heavy beyond them.
   */
  addTurns: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & AddTurnsBody;
    output: AddTurnsReply;
    headers: "idempotencyKey";
  };
  /**
   * Erase a turn
   *
   * Erases the content of a turn of a session in any state for ever: text, tags, metadata, index and embedding. The turn stays as a place without text (`erasedAt`); sent again, it is a duplicate and brings nothing back. Facts that cite it, and the episode of the session, become stale and lose their quotes; with `cascade`, the facts that cite nothing else and the episode are erased, with all that was derived from them.
   *
   * Scope: `memory:delete`.
   */
  eraseTurn: {
    input: {
      /** UUIDv7 */
      id: Id;
      /** The turn's `messageId` or its id */
      messageId: string;
      /** `true`: also erases the facts that cite this turn alone, the episode of the session, and what was derived from these */
      cascade?: boolean;
    };
    output: ErasedTurn;
    headers: "idempotencyKey";
  };
  /**
   * Ask the memory (recommended)
   *
   * Searches by words, meaning, names, relations and times at once: start with this one. Returns what is relevant and no more: an empty list means that the memory knows nothing about it. Pinned units are returned separately.
   *
   * Scope: `memory:read`.
   */
  recall: {
    input: RecallBody;
    output: RecallReply;
    headers: never;
  };
  /**
   * Search up to 50 times in one request
   *
   * Each query is answered as by `recall`.
   *
   * Scope: `memory:read`. It costs 1 of the key's rate for each query, and is heavy.
   */
  recallBatch: {
    input: BatchRecallBody;
    output: BatchRecallReply;
    headers: never;
  };
  /**
   * Search, and explain why each result is there and others are not
   *
   * Like `recall`, for people who look into a result: it costs more time.
   *
   * Scope: `memory:read`.
   */
  explainRecall: {
    input: ExplainRecallBody;
    output: ExplainRecallReply;
    headers: never;
  };
  /**
   * Search the hot tier alone, for the shortest time
   *
   * For prompts that cannot wait. Answers from the memory of this process, usually within a few milliseconds: pinned, often used and recent knowledge and the latest turns, in their current state. What another process has just written may be missing for some milliseconds. Of a workspace that this memory does not hold, or not yet, the database answers by the full search: a workspace comes in with its second request.
   *
   * Scope: `memory:read`.
   */
  recallHot: {
    input: HotRecallBody;
    output: RecallReply;
    headers: never;
  };
  /**
   * Search knowledge and conversations in equal parts
   *
   * Like `recall`, for long conversations beside little knowledge: turns and knowledge units each get up to half of the results.
   *
   * Scope: `memory:read`.
   */
  recallUnified: {
    input: RecallBody;
    output: RecallReply;
    headers: never;
  };
  /**
   * List facts
   *
   * Scope: `memory:read`.
   */
  listFacts: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** May be repeated. Default: `active` and `contested`, with `asOf` also `superseded` and `expired` */
      status?: FactStatus[];
      /** May be repeated */
      factType?: FactType[];
      /** May be repeated */
      tags?: string[];
      /**
       * `any`: one of the `tags` is enough. `all`: every tag is required
       *
       * @default "any"
       */
      tagsMatch?: "any" | "all";
      /** Compared as names of entities are: case, spacing, the form of an apostrophe and unseen characters do not matter */
      subject?: string;
      /** Compared like `subject` */
      predicate?: string;
      /** May be repeated */
      attribution?: Attribution[];
      /** May be repeated */
      sensitivity?: Sensitivity[];
      /** The least trust score */
      minTrust?: number;
      /** `true`: only pinned ones. `false`: only others */
      pinned?: boolean;
      /** `true`: only stale ones. `false`: only others */
      stale?: boolean;
      /** Facts whose text mentions this entity, or whose `entityIds` contain it */
      entityId?: Id;
      /** Facts that cite this session */
      sessionId?: Id;
      /** Facts that cite this message */
      messageId?: string;
      /** The fact that has this name */
      externalId?: ExternalId;
      /** Facts that were true in the world then, including those that have ended since */
      asOf?: TimestampInput;
      /** The facts as this service knew them at that time */
      knownAt?: TimestampInput;
    };
    output: FactPage;
    headers: never;
  };
  /**
   * Create a fact
   *
   * If a fact in force already says the same, capitals, kinds of quotes and the full stop apart, no second one is stored: that fact is returned with 200, and its `corroborationCount` increases. It takes the further members of the request; `leftOut` names those that it cannot take. A statement that is more sensitive than the fact becomes a fact of its own. A fact with a triple (subject, predicate, object) contradicts facts in force with the same subject and predicate, another object and overlapping validity, if the predicate has one value at a time (`exclusive`). If the new fact is newer and at least as trusted, it supersedes them from its beginning on; until then they stay in force. If it is trusted less, it is stored as `contested` and a review opens. A fact that is bounded on both sides interrupts longer ones and ends none, and one that is older than a known fact ends where that one begins. A fact without a triple is read by rules: `claims` has what they found. If it says that something has changed, it supersedes the facts that say what was before; if it only says something else, all stay, recall marks the older ones (`outdatedBy`), and a review opens. `duplicateOf` names a fact in force that says nearly the same and does not contradict it.
   *
   * Scope: `memory:write`.
   */
  createFact: {
    input: CreateFactBody;
    output: WrittenFact;
    headers: "idempotencyKey";
  };
  /**
   * Create up to 500 facts
   *
   * One transaction, in order: each fact is also compared with those before it in the batch. Each item has its own result. If one is refused, for example because of an unknown source, the others are still stored. An invalid body is refused as a whole, with the path of each fault.
   *
   * Scope: `memory:write`. It costs 5 of the key's rate, and is heavy.
   */
  createFacts: {
    input: CreateFactBatchBody;
    output: FactBatchReply;
    headers: "idempotencyKey";
  };
  /**
   * Read a fact by its external id
   *
   * Scope: `memory:read`.
   */
  getFactByExternalId: {
    input: {
      externalId: ExternalId;
    };
    output: Fact;
    headers: never;
  };
  /**
   * Create or revise a fact by its external id
   *
   * The external id is the name that the caller's own system has for the fact, percent-encoded in the path. Without such a fact it is created, as by `POST /v1/memory/facts`; a fact in force that says the same and has no external id takes it. Otherwise the fact is revised, and its conflicts are looked for as in any revision; a body that changes nothing makes no revision. `supersedes` counts when the fact is created; for an existing fact it may only name what that has replaced. A fact that is not in force must be restored before it can be changed. A fact that was erased has no name any more, so the id is free. Two requests at once about the same id wait for each other.
   *
   * Scope: `memory:write`.
   */
  upsertFact: {
    input: {
      externalId: ExternalId;
    } & UpsertFactBody;
    output: WrittenFact;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Read a fact
   *
   * Scope: `memory:read`.
   */
  getFact: {
    input: {
      /** UUIDv7 */
      id: Id;
      /** The version that this service knew at that time */
      knownAt?: TimestampInput;
    };
    output: Fact;
    headers: never;
  };
  /**
   * Archive a fact
   *
   * The fact disappears from recall and lists and can be restored. A fact that is already archived stays as it is.
   *
   * Scope: `memory:delete`.
   */
  archiveFact: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Fact;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Revise a fact
   *
   * Each change creates a revision; a patch that changes nothing creates none. Null clears a member. A fact that is not in force must be restored before it can be changed. `status: retracted` declares that it was wrong. A changed statement goes through conflict detection again, as if it were stated now.
   *
   * Scope: `memory:write`.
   */
  updateFact: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & UpdateFactBody;
    output: WrittenFact;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * List the versions of a fact
   *
   * Scope: `memory:read`.
   */
  listFactRevisions: {
    input: {
      /** UUIDv7 */
      id: Id;
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
    };
    output: FactRevisionPage;
    headers: never;
  };
  /**
   * List the citations of a fact
   *
   * Scope: `memory:read`.
   */
  listFactCitations: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: FactCitations;
    headers: never;
  };
  /**
   * Forget a fact
   *
   * `archive` can be undone. `erase` removes content, revisions, index and embedding for ever and answers with a receipt; the id then answers 410 and cannot be used again. Chains of reasoning that rest on the unit are erased with it. Units that rest on it become stale; with `cascade`, those derived from it are erased, too.
   *
   * Scope: `memory:delete`.
   */
  forgetFact: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & ForgetBody;
    output: ForgetFactReply;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Read the history of a fact
   *
   * Scope: `memory:read`.
   */
  getFactHistory: {
    input: {
      /** UUIDv7 */
      id: Id;
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /** @default "asc" */
      order?: "asc" | "desc";
    };
    output: FactHistoryPage;
    headers: never;
  };
  /**
   * Pin a fact
   *
   * Scope: `memory:write`.
   */
  pinFact: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Fact;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Unpin a fact
   *
   * Scope: `memory:write`.
   */
  unpinFact: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Fact;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Restore a fact
   *
   * An archived fact returns to its previous state, a superseded one gets its validity back, an expiry that has passed is removed. If a fact in force contradicts it now, it becomes `contested` and a review opens.
   *
   * Scope: `memory:write`.
   */
  restoreFact: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Fact;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Read who is asking
   *
   * The key that was presented, the workspace that it opens, what it may do there, and what the service is configured to do. Every valid key may ask, whatever its scopes; so may an admin under a break-glass grant. Nothing in the reply is a secret.
   *
   * Any scope.
   */
  whoami: {
    input: {};
    output: Whoami;
    headers: never;
  };
  /**
   * List decisions
   *
   * Scope: `memory:read`.
   */
  listDecisions: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** May be repeated. Default: `proposed` and `accepted` */
      status?: DecisionStatus[];
      /** May be repeated */
      tags?: string[];
      /**
       * `any`: one of the `tags` is enough. `all`: every tag is required
       *
       * @default "any"
       */
      tagsMatch?: "any" | "all";
      /** May be repeated */
      attribution?: Attribution[];
      /** May be repeated */
      sensitivity?: Sensitivity[];
      /** The least trust score */
      minTrust?: number;
      /** `true`: only pinned ones. `false`: only others */
      pinned?: boolean;
      /** `true`: only stale ones. `false`: only others */
      stale?: boolean;
      /** The units as this service knew them at that time */
      knownAt?: TimestampInput;
      /** Equal to this text, exactly */
      decidedBy?: string;
      /** Decisions whose review date is before this */
      reviewBefore?: TimestampInput;
    };
    output: DecisionPage;
    headers: never;
  };
  /**
   * Create a decision
   *
   * It is `accepted` unless it is stated to be `proposed`. It becomes `stale` when something that it was derived from, or a piece of its evidence, is superseded, retracted, rejected or erased.
   *
   * Scope: `memory:write`.
   */
  createDecision: {
    input: CreateDecisionBody;
    output: Decision;
    headers: "idempotencyKey";
  };
  /**
   * Create up to 500 decisions
   *
   * One transaction, in order. Each item has its own result. If one is refused, for example because of an unknown source, the others are still stored. An invalid body is refused as a whole, with the path of each fault.
   *
   * Scope: `memory:write`. It costs 5 of the key's rate, and is heavy.
   */
  createDecisions: {
    input: CreateDecisionBatchBody;
    output: DecisionBatchReply;
    headers: "idempotencyKey";
  };
  /**
   * Read a decision
   *
   * Reads the unit in any state, or as it was known at a time.
   *
   * Scope: `memory:read`.
   */
  getDecision: {
    input: {
      /** UUIDv7 */
      id: Id;
      /** The version that this service knew at that time */
      knownAt?: TimestampInput;
    };
    output: Decision;
    headers: never;
  };
  /**
   * Archive a decision
   *
   * The unit disappears from recall and lists and can be restored. A unit that is already archived stays as it is.
   *
   * Scope: `memory:delete`.
   */
  archiveDecision: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Decision;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Revise a decision
   *
   * Each change creates a revision; a patch that changes nothing creates none. A proposed decision is accepted or rejected by its `status`, a rejected one proposed again. A superseded one stays as it is; to replace a decision, supersede it. Null clears a member.
   *
   * Scope: `memory:write`.
   */
  updateDecision: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & UpdateDecisionBody;
    output: Decision;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Read the chain of a decision
   *
   * All decisions that replaced each other, oldest first, up to 1,000 before and after this one. The chain ends at a decision above the key's clearance.
   *
   * Scope: `memory:read`.
   */
  getDecisionChain: {
    input: {
      /** UUIDv7 */
      id: Id;
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /** @default "asc" */
      order?: "asc" | "desc";
    };
    output: DecisionChain;
    headers: never;
  };
  /**
   * Forget a decision
   *
   * `archive` can be undone. `erase` removes content, revisions, index and embedding for ever and answers with a receipt; the id then answers 410 and cannot be used again. Chains of reasoning that rest on the unit are erased with it. Units that rest on it become stale; with `cascade`, those derived from it are erased, too.
   *
   * Scope: `memory:delete`.
   */
  forgetDecision: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & ForgetBody;
    output: ForgetDecisionReply;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Restore a decision
   *
   * An archived one returns to the state that it had before. A superseded one is in force again; the one that took its place stands beside it until it is rejected or superseded.
   *
   * Scope: `memory:write`.
   */
  restoreDecision: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Decision;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * List the versions of a decision
   *
   * Scope: `memory:read`.
   */
  listDecisionRevisions: {
    input: {
      /** UUIDv7 */
      id: Id;
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
    };
    output: DecisionRevisionPage;
    headers: never;
  };
  /**
   * Supersede a decision
   *
   * Records an accepted decision that replaces this one from its `decidedAt` on. What rests on the replaced one becomes stale. The reply is the new decision.
   *
   * Scope: `memory:write`.
   */
  supersedeDecision: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & SupersedeDecisionBody;
    output: Decision;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * List entities
   *
   * Newest first by default.
   *
   * Scope: `memory:read`.
   */
  listEntities: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** May be repeated. Default: `active` */
      status?: EntityStatus[];
      /** May be repeated */
      tags?: string[];
      /**
       * `any`: one of the `tags` is enough. `all`: every tag is required
       *
       * @default "any"
       */
      tagsMatch?: "any" | "all";
      /** May be repeated */
      attribution?: Attribution[];
      /** May be repeated */
      sensitivity?: Sensitivity[];
      /** The least trust score */
      minTrust?: number;
      /** `true`: only pinned ones. `false`: only others */
      pinned?: boolean;
      /** `true`: only stale ones. `false`: only others */
      stale?: boolean;
      /** The units as this service knew them at that time */
      knownAt?: TimestampInput;
      /** Entities with this name or alias, after normalisation */
      name?: string;
      /** Entities with a name or alias that begins with this or is similar */
      q?: string;
      /** May be repeated */
      entityType?: string[];
      /** Entities in this drawer */
      drawer?: string;
    };
    output: EntityPage;
    headers: never;
  };
  /**
   * Find or create an entity
   *
   * Finds an entity by its name, then by its aliases, after normalisation: Unicode NFKC, case folding, single spaces, invisible characters removed. Accents and a possessive `'s` make a difference. If nobody has the name, the only entity with one of the given `aliases` is found. An entity of the type `other` takes the more precise type of the request; two different precise types are two entities. The name of a merged entity finds the one that it was merged into. An archived entity is restored.
   *
   * The given aliases, attributes, drawers and tags are added to the entity that is found, as a revision if something changes. An attribute with another value is replaced, unless the entity is trusted more (`keptAttributes`). Adding more than drawers or tags also raises its sensitivity to that of the request and makes it rest on `derivedFrom`. The other members apply to a new entity only. Entities above the key's clearance are not found: a new one is created within the clearance.
   *
   * Scope: `memory:write`.
   */
  createEntity: {
    input: CreateEntityBody;
    output: FoundEntity;
    headers: "idempotencyKey";
  };
  /**
   * Find or create up to 500 entities
   *
   * One transaction, in order: each entity is also compared with those before it in the batch. Each item has its own result. If one is refused, for example because of an unknown source, the others are still stored. An invalid body is refused as a whole, with the path of each fault.
   *
   * Scope: `memory:write`. It costs 5 of the key's rate, and is heavy.
   */
  createEntities: {
    input: CreateEntityBatchBody;
    output: EntityBatchReply;
    headers: "idempotencyKey";
  };
  /**
   * Read an entity
   *
   * Reads the entity in any state, or as it was known at a time. The id of a merged entity returns the one that it was merged into; with `follow=false` or `knownAt` it returns the merged record itself.
   *
   * Scope: `memory:read`.
   */
  getEntity: {
    input: {
      /** UUIDv7 */
      id: Id;
      /** The version that this service knew at that time */
      knownAt?: TimestampInput;
      /** For a merged entity: `true` (default) returns the entity that it was merged into, `false` the merged record itself */
      follow?: boolean;
    };
    output: Entity;
    headers: never;
  };
  /**
   * Archive an entity
   *
   * The entity disappears from recall and lists and keeps its names. `PATCH` with `status: active` restores it, and so does a `POST` that finds it. An entity that is already archived stays as it is.
   *
   * Scope: `memory:delete`.
   */
  archiveEntity: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Entity;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Revise an entity
   *
   * Each change creates a revision; a patch that changes nothing creates none. With the id of a merged entity, the one that it was merged into changes. If another entity of the same type and sensitivity already has the name, the request is refused (409): merge the two instead.
   *
   * Scope: `memory:write`.
   */
  updateEntity: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & UpdateEntityBody;
    output: Entity;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * File an entity under a drawer
   *
   * If the entity is in the drawer already, nothing changes.
   *
   * Scope: `memory:write`.
   */
  fileEntity: {
    input: {
      /** UUIDv7 */
      id: Id;
      drawer: string;
    };
    output: Entity;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Take an entity out of a drawer
   *
   * If the entity is not in the drawer, nothing changes.
   *
   * Scope: `memory:write`.
   */
  unfileEntity: {
    input: {
      /** UUIDv7 */
      id: Id;
      drawer: string;
    };
    output: Entity;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * List the edges of an entity
   *
   * The entity's active relations by the time of their creation, then the edges derived from units (`implied`): mentions of it, its sources, what was derived from it, what supports it. For a merged entity: the edges of the one that it was merged into.
   *
   * Scope: `memory:read`.
   */
  listEntityEdges: {
    input: {
      /** UUIDv7 */
      id: Id;
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: the newest relation first. Derived edges have no time: they follow the relations in either order
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** May be repeated. Default: all nine */
      verbs?: RelationVerb[];
      /** `out`: from source to target. `in`: from target to source. `both`: either way */
      direction?: Direction;
      /** Relations that were true in the world at this time. Default: all */
      asOf?: TimestampInput;
      /**
       * Whether to include edges derived from mentions, sources, evidence and supersession
       *
       * @default "true"
       */
      implied?: boolean;
    };
    output: EntityEdgePage;
    headers: never;
  };
  /**
   * Forget an entity
   *
   * `archive` can be undone. `erase` removes content, revisions, index and embedding for ever and answers with a receipt; the id then answers 410 and cannot be used again. Chains of reasoning that rest on the unit are erased with it. Units that rest on it become stale; with `cascade`, those derived from it are erased, too.
   *
   * Scope: `memory:delete`.
   */
  forgetEntity: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & ForgetBody;
    output: ForgetEntityReply;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Read the graph around an entity
   *
   * Of a merged one, around the entity that stands for it. Archived and merged units are left out. Only the 200 strongest relations of a unit count; `truncated` says if something was left out, and why. Positions (`x`, `y`) depend on the graph alone, and one more node moves the others only a little.
   *
   * Scope: `memory:read`. It costs 5 of the key's rate, and is heavy.
   */
  getEntityGraph: {
    input: {
      /** UUIDv7 */
      id: Id;
      /**
       * The most steps from the centre
       *
       * @default 1
       */
      depth?: number;
      /** May be repeated. Default: all */
      types?: UnitType[];
      /** May be repeated. Default: all nine */
      verbs?: RelationVerb[];
      /** Relations that were true in the world at this time. Default: all */
      asOf?: TimestampInput;
      /** Least trust score of units and relations */
      minTrust?: number;
      /**
       * Whether to include edges derived from mentions, sources, evidence and supersession
       *
       * @default "true"
       */
      implied?: boolean;
      /**
       * The most nodes
       *
       * @default 200
       */
      limit?: number;
      /**
       * The most edges
       *
       * @default 1000
       */
      edgeLimit?: number;
    };
    output: Graph;
    headers: never;
  };
  /**
   * Merge up to 50 entities into one
   *
   * The entity of the path survives. It gets the others' names as aliases, their drawers and tags, and attributes that it lacks. It becomes as sensitive as the most sensitive of them, and never more trusted. The others keep their records with the status `merged`; their ids lead to the survivor wherever they are used, even when the survivor is merged in turn. Repeating a merge changes nothing. If two merges contradict each other, the later one is refused (409).
   *
   * Scope: `memory:write`.
   */
  mergeEntities: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & MergeEntityBody;
    output: MergedEntity;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Restore an entity
   *
   * An archived one is active again, under its names. A merged one is brought back by undoing the merge.
   *
   * Scope: `memory:write`.
   */
  restoreEntity: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Entity;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * List the versions of an entity
   *
   * Scope: `memory:read`.
   */
  listEntityRevisions: {
    input: {
      /** UUIDv7 */
      id: Id;
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
    };
    output: EntityRevisionPage;
    headers: never;
  };
  /**
   * Undo merges into an entity
   *
   * The entities of `sourceIds` become entities of their own again, with their names, as they were. If nothing has changed the survivor since, it returns to its state before the merge. Otherwise it loses what they brought, unless that was changed or another merged entity has it too, and keeps its sensitivity. In a chain of merges, undo the last one first.
   *
   * Scope: `memory:write`.
   */
  unmergeEntities: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & MergeEntityBody;
    output: SeparatedEntity;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * List episodes
   *
   * Scope: `memory:read`.
   */
  listEpisodes: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** May be repeated. Default: `active` */
      status?: KeptStatus[];
      /** May be repeated */
      tags?: string[];
      /**
       * `any`: one of the `tags` is enough. `all`: every tag is required
       *
       * @default "any"
       */
      tagsMatch?: "any" | "all";
      /** May be repeated */
      attribution?: Attribution[];
      /** May be repeated */
      sensitivity?: Sensitivity[];
      /** The least trust score */
      minTrust?: number;
      /** `true`: only pinned ones. `false`: only others */
      pinned?: boolean;
      /** `true`: only stale ones. `false`: only others */
      stale?: boolean;
      /** The units as this service knew them at that time */
      knownAt?: TimestampInput;
      kind?: string;
      /** UUIDv7 */
      sessionId?: Id;
      /** Equal to this name, exactly */
      participant?: string;
      /** Episodes that link this fact */
      factId?: Id;
      /** Episodes that started then or later */
      from?: TimestampInput;
      /** Episodes that started before then */
      to?: EndInput;
    };
    output: EpisodePage;
    headers: never;
  };
  /**
   * Create an episode
   *
   * Facts and session that it names have to be known. Sessions make their episode when they collapse.
   *
   * Scope: `memory:write`.
   */
  createEpisode: {
    input: CreateEpisodeBody;
    output: Episode;
    headers: "idempotencyKey";
  };
  /**
   * Create up to 500 episodes
   *
   * One transaction, in order. Each item has its own result. If one is refused, for example because of an unknown source, the others are still stored. An invalid body is refused as a whole, with the path of each fault.
   *
   * Scope: `memory:write`. It costs 5 of the key's rate, and is heavy.
   */
  createEpisodes: {
    input: CreateEpisodeBatchBody;
    output: EpisodeBatchReply;
    headers: "idempotencyKey";
  };
  /**
   * Read an episode
   *
   * Reads the unit in any state, or as it was known at a time.
   *
   * Scope: `memory:read`.
   */
  getEpisode: {
    input: {
      /** UUIDv7 */
      id: Id;
      /** The version that this service knew at that time */
      knownAt?: TimestampInput;
    };
    output: Episode;
    headers: never;
  };
  /**
   * Archive an episode
   *
   * The unit disappears from recall and lists and can be restored. A unit that is already archived stays as it is.
   *
   * Scope: `memory:delete`.
   */
  archiveEpisode: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Episode;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Link facts to an episode
   *
   * Facts that are linked already stay linked; linking again creates no version.
   *
   * Scope: `memory:write`.
   */
  linkEpisodeFacts: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & LinkFactsBody;
    output: Episode;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Forget an episode
   *
   * `archive` can be undone. `erase` removes content, revisions, index and embedding for ever and answers with a receipt; the id then answers 410 and cannot be used again. Chains of reasoning that rest on the unit are erased with it. Units that rest on it become stale; with `cascade`, those derived from it are erased, too.
   *
   * Scope: `memory:delete`.
   */
  forgetEpisode: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & ForgetBody;
    output: ForgetEpisodeReply;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Restore an episode
   *
   * An archived unit returns to its previous state.
   *
   * Scope: `memory:write`.
   */
  restoreEpisode: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Episode;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * List the versions of an episode
   *
   * Scope: `memory:read`.
   */
  listEpisodeRevisions: {
    input: {
      /** UUIDv7 */
      id: Id;
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
    };
    output: EpisodeRevisionPage;
    headers: never;
  };
  /**
   * Read the timeline of an episode
   *
   * The episode's facts, and the turns of its session from its start to its end, in order of time. `after` and `before` take a time or the id of an entry. Erased items and those above the key's clearance are left out.
   *
   * Scope: `memory:read`.
   */
  getEpisodeTimeline: {
    input: {
      /** UUIDv7 */
      id: Id;
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /** @default "asc" */
      order?: "asc" | "desc";
      /** At this time or later */
      from?: TimestampInput;
      /** Before this time */
      to?: EndInput;
      /** Strictly after this time, or after the item with this id */
      after?: TimestampInput | Id;
      /** Strictly before this time, or before the item with this id */
      before?: TimestampInput | Id;
    };
    output: EpisodeTimeline;
    headers: never;
  };
  /**
   * Count the timeline of an episode over time
   *
   * Counts the episode's facts and turns per hour, day, week or month of a time zone. At most 1,000 spans.
   *
   * Scope: `memory:read`.
   */
  countEpisodeTimeline: {
    input: {
      /** UUIDv7 */
      id: Id;
      /**
       * Weeks begin on Monday
       *
       * @default "day"
       */
      bucket?: "hour" | "day" | "week" | "month";
      /**
       * Time zone of hours and days: an IANA name or an offset
       *
       * @default "UTC"
       */
      timeZone?: string;
      /** Default: the first entry */
      from?: TimestampInput;
      /** Default: right after the last entry */
      to?: EndInput;
    };
    output: TimelineCounts;
    headers: never;
  };
  /**
   * Forget the units that a filter selects
   *
   * Archives or erases, in one transaction, up to `limit` units that meet all conditions, the newest first; at least one condition is required. Call it again with `nextCursor` until it is null; a call that is broken off has forgotten all of its units or none, and starting again without a cursor does no harm. `dryRun` lists what would be forgotten. A unit of which a part of the history is above the key's clearance is refused and stays. Turns of sessions are not units: `POST /v1/session/{id}/purge` and `DELETE /v1/session/{id}/turns/{messageId}` erase them.
   *
   * Scope: `memory:delete`. It costs 5 of the key's rate, and is heavy.
   */
  forgetUnits: {
    input: ForgetUnitsBody;
    output: ForgottenUnits;
    headers: "idempotencyKey";
  };
  /**
   * List relations
   *
   * Scope: `memory:read`.
   */
  listRelations: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** Relations with this unit at any end */
      id?: Id;
      /** Relations with this unit as the source, or in the role `source` */
      sourceId?: Id;
      /** Relations with this unit as the target, or in the role `target` */
      targetId?: Id;
      /** May be repeated. Default: all nine */
      verb?: RelationVerb[];
      /**
       * May be repeated. Default: `active`
       *
       * @default ["active"]
       */
      status?: RelationStatus[];
      /** Relations that are true in the world at this time */
      asOf?: TimestampInput;
      /** `true`: only stale ones. `false`: only others */
      stale?: boolean;
      /** The least trust score */
      minTrust?: number;
      /** The least weight */
      minWeight?: number;
      /** May be repeated */
      tags?: string[];
      /**
       * `any`: one of the `tags` is enough. `all`: every tag is required
       *
       * @default "any"
       */
      tagsMatch?: "any" | "all";
    };
    output: RelationPage;
    headers: never;
  };
  /**
   * Create a relation between two or more units
   *
   * Relates units of any types that the key may see. A merged entity is replaced by the one that it was merged into. If a relation with the same verb, the same ends and overlapping validity exists, it is not stored again: the reply is 200 with the existing one, which gets the greater weight and confidence, the more trusted attribution, and the evidence and tags of both. A unit cannot be related to itself. `supersedes`, `derived_from`, `precedes` and `part_of` may form no cycle at any one time; `causes` may. In a hyperedge, edges lead from the role `source` to the others and from the others to `target`; other roles have no direction. `supersedes` between two facts, or two decisions, supersedes the target, reversibly: archiving the relation brings it back into force. The target must be in force, and may be trusted more than the source only if the key has `memory:admin`; otherwise the reply is 422. Between other units it changes neither.
   *
   * Scope: `memory:write`.
   */
  createRelation: {
    input: CreateRelationBody;
    output: Relation;
    headers: "idempotencyKey";
  };
  /**
   * Create up to 500 relations
   *
   * One transaction, in order. Each item has its own result. If one is refused, for example because of an unknown unit or a cycle, the others are still stored. An invalid body is refused as a whole.
   *
   * Scope: `memory:write`. It costs 5 of the key's rate, and is heavy.
   */
  createRelations: {
    input: CreateRelationBatchBody;
    output: RelationBatchReply;
    headers: "idempotencyKey";
  };
  /**
   * Traverse relations from some units
   *
   * Walks level by level over active relations to units that are not archived. Each unit is returned once, with the shortest path to it; among equally short paths, with the strongest. A hyperedge leads from each participant to the others, depending on their roles; symmetric verbs are followed in both directions. One walk visits at most 10,000 units and 20,000 edges and follows the 200 strongest relations of a unit; `truncated` says if something was left out.
   *
   * Scope: `memory:read`. It costs 5 of the key's rate, and is heavy.
   */
  traverseRelations: {
    input: TraverseBody;
    output: TraverseReply;
    headers: never;
  };
  /**
   * List the nine verbs and what they mean
   *
   * Scope: `memory:read`.
   */
  listRelationVerbs: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `asc`: as the enumeration of verbs has them
       *
       * @default "asc"
       */
      order?: "asc" | "desc";
    };
    output: RelationVerbList;
    headers: never;
  };
  /**
   * Read a relation
   *
   * Reads the relation in any state. When a unit that it relates is erased, the relation is erased, too.
   *
   * Scope: `memory:read`.
   */
  getRelation: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Relation;
    headers: never;
  };
  /**
   * Archive a relation
   *
   * The relation disappears from lists, graphs and traversals. `PATCH` with `status: active` restores it. A relation that is already archived stays as it is. What a relation `supersedes` has superseded comes back into force, unless something else has superseded it since.
   *
   * Scope: `memory:delete`.
   */
  archiveRelation: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Relation;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Change or restore a relation
   *
   * Ends and verb cannot change: create another relation instead. `status: active` restores an archived relation. Null removes a bound of the validity. A patch that changes nothing creates no version.
   *
   * Scope: `memory:write`.
   */
  updateRelation: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & UpdateRelationBody;
    output: Relation;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * List skills
   *
   * Scope: `memory:read`.
   */
  listSkills: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** May be repeated. Default: `probationary` and `active` */
      status?: SkillStatus[];
      /** May be repeated */
      tags?: string[];
      /**
       * `any`: one of the `tags` is enough. `all`: every tag is required
       *
       * @default "any"
       */
      tagsMatch?: "any" | "all";
      /** May be repeated */
      attribution?: Attribution[];
      /** May be repeated */
      sensitivity?: Sensitivity[];
      /** The least trust score */
      minTrust?: number;
      /** `true`: only pinned ones. `false`: only others */
      pinned?: boolean;
      /** `true`: only stale ones. `false`: only others */
      stale?: boolean;
      /** The units as this service knew them at that time */
      knownAt?: TimestampInput;
      /** Equal to this name, exactly */
      name?: string;
    };
    output: SkillPage;
    headers: never;
  };
  /**
   * Create a skill
   *
   * It begins `probationary`. `parameters` has to be a JSON Schema.
   *
   * Scope: `memory:write`.
   */
  createSkill: {
    input: CreateSkillBody;
    output: Skill;
    headers: "idempotencyKey";
  };
  /**
   * Create up to 500 skills
   *
   * One transaction, in order. Each item has its own result. If one is refused, for example because of an unknown source, the others are still stored. An invalid body is refused as a whole, with the path of each fault.
   *
   * Scope: `memory:write`. It costs 5 of the key's rate, and is heavy.
   */
  createSkills: {
    input: CreateSkillBatchBody;
    output: SkillBatchReply;
    headers: "idempotencyKey";
  };
  /**
   * Read a skill
   *
   * Reads the unit in any state, or as it was known at a time.
   *
   * Scope: `memory:read`.
   */
  getSkill: {
    input: {
      /** UUIDv7 */
      id: Id;
      /** The version that this service knew at that time */
      knownAt?: TimestampInput;
    };
    output: Skill;
    headers: never;
  };
  /**
   * Archive a skill
   *
   * The unit disappears from recall and lists and can be restored. A unit that is already archived stays as it is.
   *
   * Scope: `memory:delete`.
   */
  archiveSkill: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Skill;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Revise a skill
   *
   * Each change creates a revision; a patch that changes nothing creates none. `status: retired` takes it out of use; a retired or archived one is put on trial again by `status: probationary`. `active` is earned by outcomes and cannot be set.
   *
   * Scope: `memory:write`.
   */
  updateSkill: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & UpdateSkillBody;
    output: Skill;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Forget a skill
   *
   * `archive` can be undone. `erase` removes content, revisions, index and embedding for ever and answers with a receipt; the id then answers 410 and cannot be used again. Chains of reasoning that rest on the unit are erased with it. Units that rest on it become stale; with `cascade`, those derived from it are erased, too.
   *
   * Scope: `memory:delete`.
   */
  forgetSkill: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & ForgetBody;
    output: ForgetSkillReply;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Record an outcome of a skill
   *
   * After at least 5 outcomes, a skill on trial becomes `active` at a reliability of 0.75 or more, and a skill on trial or active is `retired` at 0.35 or less. Each outcome creates a version. A skill that is retired or archived accepts none (409).
   *
   * Scope: `memory:write`.
   */
  recordSkillOutcome: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & SkillOutcomeBody;
    output: Skill;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Restore a skill
   *
   * An archived unit returns to its previous state.
   *
   * Scope: `memory:write`.
   */
  restoreSkill: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Skill;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * List the versions of a skill
   *
   * Scope: `memory:read`.
   */
  listSkillRevisions: {
    input: {
      /** UUIDv7 */
      id: Id;
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
    };
    output: SkillRevisionPage;
    headers: never;
  };
  /**
   * List strategies
   *
   * Scope: `memory:read`.
   */
  listStrategies: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** May be repeated. Default: `active` */
      status?: KeptStatus[];
      /** May be repeated */
      tags?: string[];
      /**
       * `any`: one of the `tags` is enough. `all`: every tag is required
       *
       * @default "any"
       */
      tagsMatch?: "any" | "all";
      /** May be repeated */
      attribution?: Attribution[];
      /** May be repeated */
      sensitivity?: Sensitivity[];
      /** The least trust score */
      minTrust?: number;
      /** `true`: only pinned ones. `false`: only others */
      pinned?: boolean;
      /** `true`: only stale ones. `false`: only others */
      stale?: boolean;
      /** The units as this service knew them at that time */
      knownAt?: TimestampInput;
      /** Equal to this name, exactly */
      name?: string;
    };
    output: StrategyPage;
    headers: never;
  };
  /**
   * Create a strategy
   *
   * Scope: `memory:write`.
   */
  createStrategy: {
    input: CreateStrategyBody;
    output: Strategy;
    headers: "idempotencyKey";
  };
  /**
   * Create up to 500 strategies
   *
   * One transaction, in order. Each item has its own result. If one is refused, for example because of an unknown source, the others are still stored. An invalid body is refused as a whole, with the path of each fault.
   *
   * Scope: `memory:write`. It costs 5 of the key's rate, and is heavy.
   */
  createStrategies: {
    input: CreateStrategyBatchBody;
    output: StrategyBatchReply;
    headers: "idempotencyKey";
  };
  /**
   * Read a strategy
   *
   * Reads the unit in any state, or as it was known at a time.
   *
   * Scope: `memory:read`.
   */
  getStrategy: {
    input: {
      /** UUIDv7 */
      id: Id;
      /** The version that this service knew at that time */
      knownAt?: TimestampInput;
    };
    output: Strategy;
    headers: never;
  };
  /**
   * Archive a strategy
   *
   * The unit disappears from recall and lists and can be restored. A unit that is already archived stays as it is.
   *
   * Scope: `memory:delete`.
   */
  archiveStrategy: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Strategy;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Revise a strategy
   *
   * Each change creates a revision; a patch that changes nothing creates none. An archived one is restored by `status: active`, alone or with other changes.
   *
   * Scope: `memory:write`.
   */
  updateStrategy: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & UpdateStrategyBody;
    output: Strategy;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Forget a strategy
   *
   * `archive` can be undone. `erase` removes content, revisions, index and embedding for ever and answers with a receipt; the id then answers 410 and cannot be used again. Chains of reasoning that rest on the unit are erased with it. Units that rest on it become stale; with `cascade`, those derived from it are erased, too.
   *
   * Scope: `memory:delete`.
   */
  forgetStrategy: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & ForgetBody;
    output: ForgetStrategyReply;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Restore a strategy
   *
   * An archived unit returns to its previous state.
   *
   * Scope: `memory:write`.
   */
  restoreStrategy: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Strategy;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * List the versions of a strategy
   *
   * Scope: `memory:read`.
   */
  listStrategyRevisions: {
    input: {
      /** UUIDv7 */
      id: Id;
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
    };
    output: StrategyRevisionPage;
    headers: never;
  };
  /**
   * List units of all types, or read some by their ids
   *
   * Without `id`: a list of the units of all types, filtered and sorted. With `id`: those units in any state, as they are or as they were known at a time; an unknown one has no `unit`.
   *
   * Scope: `memory:read`.
   */
  getUnits: {
    input: {
      /** Reads these units, in any state, instead of a list; may be repeated, up to 100 times. Goes with `knownAt` alone */
      id?: Id[];
      /** With `id`: the versions that this service knew at that time */
      knownAt?: TimestampInput;
      /** May be repeated. Default: all */
      type?: UnitType[];
      /** May be repeated. Default: those in force (`active`, `contested`, `proposed`, `accepted`, `probationary`) */
      status?: UnitState[];
      /** The text contains this; case does not matter. It reads texts until the page is full */
      q?: string;
      /** May be repeated */
      tags?: string[];
      /** `any`, the default: one of the `tags` is enough. `all`: every tag is required */
      tagsMatch?: "any" | "all";
      /** May be repeated */
      attribution?: Attribution[];
      /** The least trust score */
      minTrust?: number;
      /** The greatest trust score */
      maxTrust?: number;
      /** May be repeated */
      sensitivity?: Sensitivity[];
      /** `true`: only pinned ones. `false`: only others */
      pinned?: boolean;
      /** `true`: only stale ones. `false`: only others */
      stale?: boolean;
      /** Units that mention this entity */
      entityId?: Id;
      /** Facts that cite this session, and episodes of it */
      sessionId?: Id;
      /** The same, of any session of this agent */
      agentId?: string;
      /** Created at this time or later */
      createdFrom?: TimestampInput;
      /** Created before this time */
      createdTo?: EndInput;
      /** Last changed at this time or later */
      updatedFrom?: TimestampInput;
      /** Last changed before this time */
      updatedTo?: EndInput;
      /** Default: `updatedAt`. While pages are read, a unit that somebody changes goes to where it belongs now. By `createdAt` no unit is missed or met twice. By `updatedAt` with `order=asc` none is missed, and a changed one is met again at the end; with `order=desc` none is met twice, and a changed one stands before the first page. By `worth`, which the service computes anew from time to time, a unit may be missed or met twice */
      sort?: "updatedAt" | "createdAt" | "worth";
      /** `desc`, the default: newest or worthiest first */
      order?: "asc" | "desc";
      /** Page size; default: 50 */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
    };
    output: SoughtUnits;
    headers: never;
  };
  /**
   * Read a unit of any type
   *
   * Reads the unit in any state, or as it was known at a time. For a merged entity: the merged record itself.
   *
   * Scope: `memory:read`.
   */
  getUnit: {
    input: {
      /** UUIDv7 */
      id: Id;
      /** The version that this service knew at that time */
      knownAt?: TimestampInput;
    };
    output: KnowledgeUnit;
    headers: never;
  };
  /**
   * List workflows
   *
   * Scope: `memory:read`.
   */
  listWorkflows: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** May be repeated. Default: `active` */
      status?: KeptStatus[];
      /** May be repeated */
      tags?: string[];
      /**
       * `any`: one of the `tags` is enough. `all`: every tag is required
       *
       * @default "any"
       */
      tagsMatch?: "any" | "all";
      /** May be repeated */
      attribution?: Attribution[];
      /** May be repeated */
      sensitivity?: Sensitivity[];
      /** The least trust score */
      minTrust?: number;
      /** `true`: only pinned ones. `false`: only others */
      pinned?: boolean;
      /** `true`: only stale ones. `false`: only others */
      stale?: boolean;
      /** The units as this service knew them at that time */
      knownAt?: TimestampInput;
      /** Equal to this name, exactly */
      name?: string;
    };
    output: WorkflowPage;
    headers: never;
  };
  /**
   * Create a workflow
   *
   * Scope: `memory:write`.
   */
  createWorkflow: {
    input: CreateWorkflowBody;
    output: Workflow;
    headers: "idempotencyKey";
  };
  /**
   * Create up to 500 workflows
   *
   * One transaction, in order. Each item has its own result. If one is refused, for example because of an unknown source, the others are still stored. An invalid body is refused as a whole, with the path of each fault.
   *
   * Scope: `memory:write`. It costs 5 of the key's rate, and is heavy.
   */
  createWorkflows: {
    input: CreateWorkflowBatchBody;
    output: WorkflowBatchReply;
    headers: "idempotencyKey";
  };
  /**
   * Read a workflow
   *
   * Reads the unit in any state, or as it was known at a time.
   *
   * Scope: `memory:read`.
   */
  getWorkflow: {
    input: {
      /** UUIDv7 */
      id: Id;
      /** The version that this service knew at that time */
      knownAt?: TimestampInput;
    };
    output: Workflow;
    headers: never;
  };
  /**
   * Archive a workflow
   *
   * The unit disappears from recall and lists and can be restored. A unit that is already archived stays as it is.
   *
   * Scope: `memory:delete`.
   */
  archiveWorkflow: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Workflow;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Revise a workflow
   *
   * Each change creates a revision; a patch that changes nothing creates none. An archived one is restored by `status: active`, alone or with other changes.
   *
   * Scope: `memory:write`.
   */
  updateWorkflow: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & UpdateWorkflowBody;
    output: Workflow;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Forget a workflow
   *
   * `archive` can be undone. `erase` removes content, revisions, index and embedding for ever and answers with a receipt; the id then answers 410 and cannot be used again. Chains of reasoning that rest on the unit are erased with it. Units that rest on it become stale; with `cascade`, those derived from it are erased, too.
   *
   * Scope: `memory:delete`.
   */
  forgetWorkflow: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & ForgetBody;
    output: ForgetWorkflowReply;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Restore a workflow
   *
   * An archived unit returns to its previous state.
   *
   * Scope: `memory:write`.
   */
  restoreWorkflow: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Workflow;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * List the versions of a workflow
   *
   * Scope: `memory:read`.
   */
  listWorkflowRevisions: {
    input: {
      /** UUIDv7 */
      id: Id;
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
    };
    output: WorkflowRevisionPage;
    headers: never;
  };
  /**
   * List the changes, in order
   *
   * Lists every change of a resource once, in the order in which changes became visible, oldest first by default. An entry says what happened to which resource and which version; it holds no content. Changes above the key's clearance are not shown; changes of tasks and events need the scope `tasks:read`, too.
   *
   * To follow the feed, read until `nextCursor` is null, then start again with `since` = `endCursor`; `GET /stream` sends the same as it happens. One page scans 10,000 entries of the feed: with a filter it may hold fewer than `limit`, or none, and still have a next page.
   *
   * Scope: `memory:read`.
   */
  listChanges: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /** @default "asc" */
      order?: "asc" | "desc";
      /** Changes after this position: the `cursor` of a change or of a stream's message, or an `endCursor` */
      since?: string;
      /** May be repeated. A name that ends with `.` matches every name that begins so, such as `fact.` */
      kind?: string[];
      /** Changes of this resource */
      resourceId?: Id;
    };
    output: ChangePage;
    headers: never;
  };
  /**
   * Read a part of the graph, for drawing
   *
   * With `around`, the units within `depth` steps of one, over units that the filters show. Without, the ends of the newest relations; with `types`, `tags` or `drawer` also the newest such units that have none. Archived and merged units are left out. Only the 200 strongest relations of a unit count; `truncated` says if something was left out, and why. Positions (`x`, `y`) depend on the graph alone, and one more node moves the others only a little.
   *
   * Scope: `memory:read`. It costs 5 of the key's rate, and is heavy.
   */
  getGraph: {
    input: {
      /** The unit, of any type, at the centre of the graph */
      around?: Id;
      /**
       * The most steps from the centre
       *
       * @default 1
       */
      depth?: number;
      /** May be repeated. Default: all */
      types?: UnitType[];
      /** May be repeated. Default: all nine */
      verbs?: RelationVerb[];
      /** Relations that were true in the world at this time. Default: all */
      asOf?: TimestampInput;
      /** Least trust score of units and relations */
      minTrust?: number;
      /**
       * Whether to include edges derived from mentions, sources, evidence and supersession
       *
       * @default "true"
       */
      implied?: boolean;
      /**
       * The most nodes
       *
       * @default 200
       */
      limit?: number;
      /**
       * The most edges
       *
       * @default 1000
       */
      edgeLimit?: number;
      /** Units with any of these tags */
      tags?: string[];
      /** Entities filed under this drawer */
      drawer?: string;
    };
    output: Graph;
    headers: never;
  };
  /**
   * Create a ticket that opens a stream
   *
   * For browsers, which cannot send an Authorization header with a WebSocket. The page asks its own server, which holds the key, for a ticket and opens `GET /stream?ticket=…` with it. A ticket opens one stream within 30 seconds, with the rights of the key that created it; a repeated `Idempotency-Key` gives the same ticket again, used or expired as it may be.
   *
   * Scope: `memory:read`.
   */
  createStreamTicket: {
    input: {};
    output: StreamTicket;
    headers: "idempotencyKey";
  };
  /**
   * List units, events, turns and tasks in order of time
   *
   * Latest first by default. `order=asc&limit=1` gives the first item, `order=desc&limit=1` the last. `after` and `before` take a time or the id of an item; both together give what lies between. Archived and retracted units and merged entities are left out; superseded ones are included. A key without `tasks:read` is shown no tasks and events.
   *
   * Scope: `memory:read`.
   */
  listTimeline: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** At this time or later */
      from?: TimestampInput;
      /** Before this time */
      to?: EndInput;
      /** Strictly after this time, or after the item with this id */
      after?: TimestampInput | Id;
      /** Strictly before this time, or before the item with this id */
      before?: TimestampInput | Id;
      /** May be repeated */
      types?: TimelineType[];
      /** The text contains this; case does not matter */
      q?: string;
      /** Units and turns that mention this entity */
      entityId?: Id;
      /** Events, tasks and turns of this agent */
      agentId?: string;
      /** Events, turns and episodes of this session */
      sessionId?: Id;
      /** May be repeated; one of them is enough */
      tags?: string[];
      /** Least trust score of units; items that are not units are left out */
      minTrust?: number;
    };
    output: TimelinePage;
    headers: never;
  };
  /**
   * Count units, events, turns and tasks over time
   *
   * Counts items of each type per hour, day, week or month of a time zone, whose days may have 23 or 25 hours. At most 1,000 spans. For a key without `tasks:read`, tasks and events do not count.
   *
   * Scope: `memory:read`.
   */
  countTimeline: {
    input: {
      /**
       * Weeks begin on Monday
       *
       * @default "day"
       */
      bucket?: "hour" | "day" | "week" | "month";
      /**
       * Time zone of hours and days: an IANA name or an offset
       *
       * @default "UTC"
       */
      timeZone?: string;
      /** Default: 30 spans before `to` */
      from?: TimestampInput;
      /** Default: now */
      to?: EndInput;
      /** May be repeated */
      types?: TimelineType[];
      /** The text contains this; case does not matter */
      q?: string;
      /** Units and turns that mention this entity */
      entityId?: Id;
      /** Events, tasks and turns of this agent */
      agentId?: string;
      /** Events, turns and episodes of this session */
      sessionId?: Id;
      /** May be repeated; one of them is enough */
      tags?: string[];
      /** Least trust score of units; items that are not units are left out */
      minTrust?: number;
    };
    output: TimelineCounts;
    headers: never;
  };
  /**
   * List webhooks
   *
   * Lists the webhooks without their secrets, the newest first by default. A key does not see webhooks whose `maxSensitivity` is above its own.
   *
   * Scope: `memory:admin`.
   */
  listWebhooks: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
    };
    output: WebhookPage;
    headers: never;
  };
  /**
   * Create a webhook
   *
   * Sends the changes of the workspace to a URL as they happen, signed as the [Standard Webhooks](https://www.standardwebhooks.com) specification says. First the service sends the URL `webhook.verification` with `data.challenge`, and nothing else until the URL answers 2xx and repeats the challenge, as text or as `{"challenge": …}`. The service asks five times within an hour; `POST /webhooks/{id}/test` asks again.
   *
   * A message says which resource changed, never its content. Each change arrives at least once, always with the same `webhook-id`; the changes of one resource arrive in the order of the feed.
   *
   * The key that creates a webhook answers for it, and after it each key that changes `url`, `kinds` or `maxSensitivity` or enables it. It needs `memory:read`, and `tasks:read` for changes of tasks and events. If it is revoked, expires or loses one of these rights, the service disables the webhook. Only this reply shows the secret.
   *
   * Scope: `memory:admin`.
   */
  createWebhook: {
    input: CreateWebhookBody;
    output: IssuedWebhook;
    headers: "idempotencyKey";
  };
  /**
   * Read a webhook, without its secret
   *
   * Scope: `memory:admin`.
   */
  getWebhook: {
    input: {
      /** The endpoint */
      id: Id;
    };
    output: Webhook;
    headers: never;
  };
  /**
   * Delete a webhook, with the log of its deliveries
   *
   * The service sends it nothing more. The reply shows the webhook as it was.
   *
   * Scope: `memory:admin`.
   */
  deleteWebhook: {
    input: {
      /** The endpoint */
      id: Id;
    };
    output: Webhook;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Change a webhook
   *
   * A new URL gets nothing but the challenge until it has given its consent. A disabled webhook keeps what is waiting, and sends it once it is enabled; `skipTo: now` skips it instead. New `kinds` hold for changes that are still to come.
   *
   * Scope: `memory:admin`.
   */
  updateWebhook: {
    input: {
      /** The endpoint */
      id: Id;
    } & UpdateWebhookBody;
    output: Webhook;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * List what a webhook was sent
   *
   * Lists every change that the webhook was sent or is about to be sent, the newest first by default: how many attempts there were, how the last one ended, when the next one is. Deliveries stay for `SVC_WEBHOOK_KEPT_DAYS` after they ended, dead ones three times as long. Deliveries of tasks and events are shown to keys with `tasks:read`.
   *
   * Scope: `memory:admin`.
   */
  listWebhookDeliveries: {
    input: {
      /** The endpoint */
      id: Id;
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      state?: WebhookDeliveryState[];
      kind?: string[];
      /** UUIDv7 */
      resourceId?: Id;
    };
    output: WebhookDeliveryPage;
    headers: never;
  };
  /**
   * Send a delivery now
   *
   * A pending delivery is tried at once, but after earlier ones of the same resource; a dead one gets one further attempt.
   *
   * Scope: `memory:admin`.
   */
  retryWebhookDelivery: {
    input: {
      /** The endpoint */
      id: Id;
      /** The delivery */
      deliveryId: string;
    };
    output: WebhookDelivery;
    headers: "idempotencyKey";
  };
  /**
   * Send a webhook a part of the feed again
   *
   * With `states`, sends the deliveries in these states; without, every change of this part of the feed, also changes that the webhook was not sent before. Either way only what the webhook is sent today, with the same ids as before. At most 100,000 places of the feed at once.
   *
   * Scope: `memory:admin`.
   */
  replayWebhook: {
    input: {
      /** The endpoint */
      id: Id;
    } & ReplayWebhookBody;
    output: WebhookReplayed;
    headers: "idempotencyKey";
  };
  /**
   * Give a webhook a new secret
   *
   * Until `overlapSeconds` are over, both secrets sign every message, the new one first. Another rotation in this time is refused with `conflict`.
   *
   * Scope: `memory:admin`.
   */
  rotateWebhookSecret: {
    input: {
      /** The endpoint */
      id: Id;
    } & RotateWebhookBody;
    output: IssuedWebhook;
    headers: "idempotencyKey";
  };
  /**
   * Send a webhook a test message now
   *
   * Sends `webhook.test` once and shows the answer. A URL that has not given its consent gets the challenge instead, and its answer is not shown. At most six times a minute.
   *
   * Scope: `memory:admin`.
   */
  testWebhook: {
    input: {
      /** The endpoint */
      id: Id;
    };
    output: WebhookTested;
    headers: "idempotencyKey";
  };
  /**
   * List the agents
   *
   * Every `agentId` that sessions, tasks, events, chains of reasoning, playbooks or self-edits name, with how many of each and when the first and the last was. For a key without `tasks:read`, tasks and events do not count.
   *
   * Scope: `memory:read`. It costs 5 of the key's rate, and is heavy.
   */
  listAgents: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * By `agentId`
       *
       * @default "asc"
       */
      order?: "asc" | "desc";
    };
    output: AgentPage;
    headers: never;
  };
  /**
   * List events by time
   *
   * In the order in which they occurred, latest first by default.
   *
   * Scope: `tasks:read`.
   */
  listEvents: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** Events that occurred then or later */
      from?: TimestampInput;
      /** Events that occurred before then */
      to?: EndInput;
      /** An agent, as the caller names it */
      agentId?: string;
      /** May be repeated */
      type?: string[];
      /** UUIDv7 */
      sessionId?: Id;
    };
    output: EventPage;
    headers: never;
  };
  /**
   * Record an event
   *
   * An event never changes. It can only be erased.
   *
   * Scope: `tasks:write`.
   */
  recordEvent: {
    input: RecordEventBody;
    output: Event;
    headers: "idempotencyKey";
  };
  /**
   * Record a batch of events
   *
   * Up to 500 events, all or none.
   *
   * Scope: `tasks:write`. It costs 1 of the key's rate for each 100 events, and is heavy beyond them.
   */
  recordEvents: {
    input: RecordEventBatchBody;
    output: EventBatchReply;
    headers: "idempotencyKey";
  };
  /**
   * Read an event
   *
   * Scope: `tasks:read`.
   */
  getEvent: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Event;
    headers: never;
  };
  /**
   * Erase an event
   *
   * Erases the event for ever. Its id then answers 410 `erased` and cannot be used again.
   *
   * Scope: `memory:delete`.
   */
  forgetEvent: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & ForgetRecordBody;
    output: ForgetRecordReply;
    headers: "idempotencyKey";
  };
  /**
   * Edit the agent's own memory
   *
   * Up to 100 operations with one reason. `atomic`: all or nothing. The first operation that cannot be applied refuses the whole edit with its own code, and `operationIndex` names it. `per_item`: each operation has its own transaction and outcome; the reply is 201 even if some are refused. With an `Idempotency-Key` all of them commit together with the reply, with the same outcomes. An operation may refer to what an earlier one adds: `$1` by position, `$name` by the `ref` of an `add`.
   *
   * An agent cannot overwrite knowledge that is `user_stated` or `verified`: an operation that would update, retract, forget or supersede it becomes a review item of the kind `self_edit`. An atomic edit then waits as a whole, and nothing is applied before the decision. A fact that contradicts a more trusted one is stored as contested, as always. Every edit is recorded and can be reverted, except for `erase`, which also needs the scope `memory:delete`.
   *
   * Scope: `self:write`. It costs 1 of the key's rate for each 10 operations, and is heavy beyond them.
   */
  editSelf: {
    input: SelfEditBody;
    output: SelfEdit;
    headers: "idempotencyKey";
  };
  /**
   * List edits of the memory
   *
   * Scope: `memory:read`.
   */
  listSelfEdits: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** An agent, as the caller names it */
      agentId?: string;
      /** Edits with an operation about this unit */
      unitId?: Id;
      /** May be repeated */
      source?: ("edit" | "reflection" | "revert")[];
      /** Edits with an operation of this outcome; may be repeated */
      outcome?: ("pending" | "applied" | "unchanged" | "review" | "declined" | "refused")[];
      reverted?: boolean;
      /** Edits made then or later */
      from?: TimestampInput;
      /** Edits made before then */
      to?: EndInput;
    };
    output: SelfEditPage;
    headers: never;
  };
  /**
   * Read an edit of the memory
   *
   * Scope: `memory:read`.
   */
  getSelfEdit: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: SelfEdit;
    headers: never;
  };
  /**
   * Revert an edit of the memory
   *
   * Every changed unit gets its previous content back, as a new version. Units that the edit added are archived, and facts that it superseded are reinstated. Erased units cannot come back: such an operation is `refused` with `erased`, the others are reverted. If units were changed since, the request is refused with `conflict`, and `changedSince` names them, unless `force` is set. The reply is the edit that reverts this one; it can be reverted in turn. If the revert would overwrite `user_stated` or `verified` knowledge that was changed since, or a person's decision, a person has to decide again.
   *
   * Scope: `self:write`.
   */
  revertSelfEdit: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & RevertSelfEditBody;
    output: SelfEdit;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Read the profile of the memory
   *
   * Who and what the memory is about: preferences and instructions, key facts, decisions, open tasks and the latest changes, as members and as Markdown for a system prompt, within a token budget. It reflects the change feed at least up to `asOfSeq`: the next read sees a write.
   *
   * Scope: `memory:read`.
   */
  getSelfProfile: {
    input: {
      /**
       * Token budget of the rendered text
       *
       * @default 1000
       */
      maxTokens?: number;
      /** Only tasks of this agent */
      agentId?: string;
      /** Only facts that mention this entity */
      entityId?: Id;
      /** Only facts about this subject; case and spacing do not matter */
      subject?: string;
    };
    output: SelfProfile;
    headers: never;
  };
  /**
   * Reflect on the memory
   *
   * Examines the facts and turns of a window, and units that are stale, of little worth, about to expire or due for review. It uses rules only and proposes operations with evidence and confidence. The number of examined items is bounded; `truncated` says that there were more. Nothing changes unless `apply` is set: then findings with at least `minConfidence` become an edit in the mode `per_item`, with the rights of any edit; proposals beyond these rights go to review.
   *
   * Scope: `self:write`. It costs 5 of the key's rate, and is heavy.
   */
  reflectSelf: {
    input: ReflectBody;
    output: Reflection;
    headers: "idempotencyKey";
  };
  /**
   * Submit runs, from which an agent's playbook evolves
   *
   * Each lesson becomes a rule on trial, or joins an existing rule that says nearly the same. Runs credit the rules that they used; harmful and unused rules are retired. If the runs of a task come without lessons, rules are derived from steps that all its good runs have and no bad run has, and vice versa.
   *
   * A change of the rules creates a candidate version; the very first version becomes current immediately. A candidate becomes current after three runs with it (their `promptVersion`) if the lower bound of its mean score is not below the mean of the current version. It is rejected if its upper bound is below that, or after 20 runs; rules that only it has go with it, unless they proved helpful. While a candidate is on trial, further changes wait.
   *
   * A run counts once, by its id or content. No language model is needed. If one is configured, it may shorten the wording of a lesson, but it decides neither what counts nor what is joined.
   *
   * Scope: `self:write`. It costs 5 of the key's rate, and is heavy.
   */
  optimizePlaybook: {
    input: OptimizeBody;
    output: OptimizeReply;
    headers: "idempotencyKey";
  };
  /**
   * Read an agent's current prompt
   *
   * Send its `version` as `promptVersion` of the runs that use it: versions are judged by their runs.
   *
   * Scope: `memory:read`.
   */
  getPrompt: {
    input: {
      /** An agent, as the caller names it */
      agent: string;
      /** Which of the agent's playbooks. Default: the most sensitive one that the key sees */
      sensitivity?: Sensitivity;
      /** A version's number, or `candidate`. Default: the current one */
      version?: "candidate" | number;
      /**
       * Token budget of the rendered prompt
       *
       * @default 2000
       */
      maxTokens?: number;
    };
    output: Prompt;
    headers: never;
  };
  /**
   * Compare two versions of an agent's prompt
   *
   * Scope: `memory:read`.
   */
  diffPrompts: {
    input: {
      /** An agent, as the caller names it */
      agent: string;
      /** Which of the agent's playbooks. Default: the most sensitive one that the key sees */
      sensitivity?: Sensitivity;
      /** Default: the version from which `to` was made */
      from?: number;
      /** Default: the newest version */
      to?: number;
    };
    output: PromptDiff;
    headers: never;
  };
  /**
   * List the versions of an agent's prompt
   *
   * Each version with its changes, its runs and the decision about it.
   *
   * Scope: `memory:read`.
   */
  listPromptHistory: {
    input: {
      /** An agent, as the caller names it */
      agent: string;
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** Which of the agent's playbooks. Default: the most sensitive one that the key sees */
      sensitivity?: Sensitivity;
    };
    output: PromptVersionPage;
    headers: never;
  };
  /**
   * Roll back to the rules of another version
   *
   * Creates a new version with the rules and runs of that version, so a rollback can be rolled back, too. A candidate is discarded; rules that the version does not have are retired. `If-Match` takes the current version.
   *
   * Scope: `self:write`.
   */
  rollbackPrompt: {
    input: {
      /** An agent, as the caller names it */
      agent: string;
    } & RollbackBody;
    output: Prompt;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * List the rules of an agent's playbook
   *
   * Rules in any state, with their counts.
   *
   * Scope: `memory:read`.
   */
  listPlaybookRules: {
    input: {
      /** An agent, as the caller names it */
      agent: string;
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** Which of the agent's playbooks. Default: the most sensitive one that the key sees */
      sensitivity?: Sensitivity;
      /** May be repeated */
      status?: RuleStatus[];
    };
    output: PlaybookRulePage;
    headers: never;
  };
  /**
   * Pin, retire, restore or reword a rule
   *
   * Takes effect immediately, as a new current version. A manual edit needs no evidence. `If-Match` takes the rule's version, not the prompt's.
   *
   * Scope: `self:write`.
   */
  updatePlaybookRule: {
    input: {
      /** An agent, as the caller names it */
      agent: string;
      /** Id of a rule within its playbook, as the prompt shows it */
      rule: RuleId;
    } & UpdateRuleBody;
    output: PlaybookRule;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * List recorded chains
   *
   * Scope: `memory:read`.
   */
  listReasoning: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** Entries whose goal has all these words */
      q?: string;
      /** May be repeated */
      status?: ReasoningStatus[];
      /** May be repeated */
      outcome?: ReasoningOutcome[];
      /** An agent, as the caller names it */
      agentId?: string;
      /** Entries that rest on this unit */
      factId?: Id;
    };
    output: ReasoningPage;
    headers: never;
  };
  /**
   * Report whether a served chain helped
   *
   * Each agent has one vote per entry; a second one replaces the first. All agents of one key count as one vote, by their majority. At a mean reliability of 0.5 or less the entry is `demoted`; below 0.3, with votes of at least four keys, it is `retired`. Helpful votes reverse both.
   *
   * Scope: `reasoning:write`.
   */
  giveReasoningFeedback: {
    input: ReasoningFeedbackBody;
    output: ReasoningFeedbackReply;
    headers: "idempotencyKey";
  };
  /**
   * Record a chain of reasoning
   *
   * Goal, context and sensitivity identify an entry. If a chain is recorded again and ended at least as well (`success` before `partial` before `failure`), it replaces the stored one as its next version; one that ended worse is only counted in `attempts`. Recording the same again changes nothing. When steps or answer change, votes start again.
   *
   * A precondition whose hash is not the current one, or that is no longer in force, is refused with `conflict`; the member `preconditions` holds the current hashes. If a precondition changes later, the chain is not served until the precondition has the same content again.
   *
   * Scope: `reasoning:write`.
   */
  recordReasoning: {
    input: RecordReasoningBody;
    output: ReasoningEntry;
    headers: "idempotencyKey";
  };
  /**
   * Ask for a recorded chain before reasoning anew
   *
   * Looks for a chain with exactly this goal and context (case, spaces, final punctuation and the order of an object's members do not matter), otherwise for the most similar one with a similarity of at least `threshold`. Similarity is the share of common words in the same order (a replaced word counts twice), or its mean with the cosine of a model's embeddings if that is higher. Different numbers, a negation or another context object make it 0.
   *
   * Only a `success` is served, and only if all its preconditions hold at the time of the request. A demoted chain is served only for its own goal and context, a retired one never. A hit counts as saved what the chain cost minus the tokens of its answer; the same `runId` counts once in 24 hours.
   *
   * Scope: `memory:read`.
   */
  resolveReasoning: {
    input: ResolveReasoningBody;
    output: ResolveReasoningReply;
    headers: "idempotencyKey";
  };
  /**
   * Read a recorded chain
   *
   * Reads the entry in any state, with the current state of its preconditions. Reading does not count as a use.
   *
   * Scope: `memory:read`.
   */
  getReasoning: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: ReasoningEntry;
    headers: never;
  };
  /**
   * Delete a recorded chain
   *
   * Deletes the entry and its votes for good. The reply is the entry as it was.
   *
   * Scope: `reasoning:write`.
   */
  deleteReasoning: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: ReasoningEntry;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * List tasks
   *
   * A task whose lease has expired counts as `pending`; if the claim had assigned it to an agent, it counts as unassigned.
   *
   * Scope: `tasks:read`.
   */
  listTasks: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** An agent, as the caller names it */
      agentId?: string;
      /** May be repeated. Default: all states */
      status?: TaskStatus[];
      kind?: TaskKind;
      /** May be repeated */
      priority?: number[];
      /** Tasks that are due before this time */
      dueBefore?: TimestampInput;
    };
    output: TaskPage;
    headers: never;
  };
  /**
   * Create a task
   *
   * Scope: `tasks:write`.
   */
  createTask: {
    input: CreateTaskBody;
    output: Task;
    headers: "idempotencyKey";
  };
  /**
   * Read a task
   *
   * Scope: `tasks:read`.
   */
  getTask: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Task;
    headers: never;
  };
  /**
   * Change a task or its state
   *
   * States: `pending` → `in_progress` → `completed`, `failed` or `cancelled`; `in_progress` ⇄ `blocked`; also `pending` → `cancelled` and `blocked` → `failed` or `cancelled`. Any other change is refused with `invalid_transition`, whose member `legal` lists the possible states. A task can start, or continue after `blocked`, only when all tasks in `dependsOn` are `completed`; `waitingFor` lists those that are not. A finished task does not change. Going to `blocked` ends the lease. If other agents may have claimed the task in the meantime, send the version of your claim as `If-Match`.
   *
   * Scope: `tasks:write`.
   */
  updateTask: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & UpdateTaskBody;
    output: Task;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Claim a task with a lease
   *
   * The task is `in_progress` for the agent until `leaseExpiresAt`; then it is `pending` again, assigned as before. The agent that holds a task renews its lease, or resumes it after `blocked`, with the same request. A task of another agent is refused with `conflict`.
   *
   * Scope: `tasks:write`.
   */
  claimTask: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & ClaimTaskBody;
    output: Task;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Delegate a task to another agent
   *
   * `delegations` records it. The state stays the same and a lease ends: the other agent has to claim the task.
   *
   * Scope: `tasks:write`.
   */
  delegateTask: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & DelegateTaskBody;
    output: Task;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Erase a task
   *
   * Erases the task and its history for ever. Its id then answers 410 `erased` and cannot be used again. Tasks that depend on it no longer wait for it. To give a task up, cancel it instead.
   *
   * Scope: `memory:delete`.
   */
  forgetTask: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & ForgetRecordBody;
    output: ForgetRecordReply;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * List contradictions with other instances
   *
   * Conflicts: versions of other instances that contradict the version shown here. Recall shows both versions as contested; for each conflict one review and one task ask a person to decide.
   *
   * Scope: `federation`.
   */
  listFederationConflicts: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** May be repeated. Default: `contested` */
      state?: ("contested" | "resolved" | "dismissed")[];
      /** Only conflicts with versions of this instance */
      peer?: InstanceId;
    };
    output: FederationConflictPage;
    headers: never;
  };
  /**
   * Compare the items that two instances have of each other
   *
   * Hashes over ranges of items: equal roots prove that both sides have the same versions; if they differ, the children show in which ranges. There are 65,536 buckets, by the first four hex digits of the SHA-256 of `<instance>/<id>`.
   *
   * Between instances: a key or a client certificate, and a token. Scope: `federation`.
   */
  getFederationDigest: {
    input: {
      /** Default: the workspace of the key. Any other id answers 404 */
      workspace?: Id;
      /**
       * `served`: the items that this instance offers you. `held`: your items that it holds; for peers only
       *
       * @default "served"
       */
      side?: "served" | "held";
      /**
       * The nodes to return, by the first hex digits of the items' keys, separated by commas; four digits list the entries themselves. Up to 500. Default: the root
       *
       * @default [""]
       */
      prefix?: string[];
      /**
       * How many levels below its node the children are
       *
       * @default 1
       */
      depth?: number;
    };
    output: FederationDigest;
    headers: "federationToken";
  };
  /**
   * Answer another instance's handshake
   *
   * For other instances. To a `hello` this instance replies with a `challenge` that it signs. To the peer's signed `answer` it replies with a `welcome`; from then on it serves the peer. `join` accepts an invitation (`svc federation invite`). Each message needs the peer's API key or client certificate, and its token.
   *
   * Between instances: a key or a client certificate, and a token. Scope: `federation`.
   */
  federationHandshake: {
    input: {
      /** UUIDv7 */
      workspace?: Id;
      body: HandshakeBody;
    };
    output: HandshakeReply;
    headers: "federationToken";
  };
  /**
   * List the items that this instance published
   *
   * Items up to the caller's clearance, in the order of publication, signed and sealed if there are keys. For an erased item the page has a tombstone. Send `cursor` as the next `since`; the last page has no items, and its `cursor` equals the `since` that you sent. A peer in another region gets only the ids and keyed hashes of facts.
   *
   * Between instances: a key or a client certificate, and a token. Scope: `federation`.
   */
  listFederationItems: {
    input: {
      /** Default: the workspace of the key. Any other id answers 404 */
      workspace?: Id;
      /** `cursor` of the page before; default: from the start */
      since?: string;
      /** @default 200 */
      limit?: number;
      /** Instead of `since`: the items with these ids, whatever their origin, separated by commas; up to 200 */
      ids?: Id[];
      /** With `ids`: the highest version number under which they are served; a reader reaches a higher one in steps */
      atMost?: number;
      /** Sent by a peer that has no keys to open sealed items. It has no effect if both keys of the peer, or a key for sealing what it gets, are configured here */
      form?: "plain";
    };
    output: FederationEnvelope;
    headers: "federationToken";
  };
  /**
   * List the facts of other regions that peers have announced
   *
   * Peers in other regions send only the ids and keyed hashes of their facts. Nothing more is known of them here.
   *
   * Scope: `federation`.
   */
  listRemoteFacts: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * By `peer` and `factId`
       *
       * @default "asc"
       */
      order?: "asc" | "desc";
      /** Only facts that this peer sent */
      peer?: InstanceId;
    };
    output: RemoteFactPage;
    headers: never;
  };
  /**
   * Accept a peer's message
   *
   * For other instances. `SYNC_PUSH` brings items and `ERASE_NOTIFY` names erased items; both get a signed `SYNC_ACK`. `SYNC_HINT` announces new items. `CLAIM_REQUEST` asks which versions of items are shown here. `SYNC_ACK` acknowledges an earlier message. Messages that come twice, late or in another order lead to the same result.
   *
   * Between instances: a key or a client certificate, and a token. Scope: `federation`. It costs 1 of the key's rate for each 100 items, and is heavy beyond them.
   */
  sendFederationMessage: {
    input: {
      /** UUIDv7 */
      workspace?: Id;
      body: FederationMessage;
    };
    output: FederationMessageReply;
    headers: "federationToken";
  };
  /**
   * List approved peers and their states
   *
   * The approved peers of the workspace. `DISCOVERED` → `HANDSHAKE` → `ACTIVE` ⇄ `DEGRADED`; `lastError.message` says what to do.
   *
   * Scope: `federation`.
   */
  listPeers: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * By `id`
       *
       * @default "asc"
       */
      order?: "asc" | "desc";
    };
    output: PeerList;
    headers: never;
  };
  /**
   * Add a peer
   *
   * Stores a peer's entry, with its secrets sealed. The peer waits for approval. Also needs the scope `memory:admin`. With `svc federation invite` and `join` neither side has to write an entry.
   *
   * Scope: `federation`.
   */
  addPeer: {
    input: AddPeerBody;
    output: Peer;
    headers: "idempotencyKey";
  };
  /**
   * List peers that wait for approval
   *
   * Peers that DNS names and peers that somebody added. This instance neither calls them nor serves them.
   *
   * Scope: `federation`.
   */
  listPendingPeers: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * By `id`
       *
       * @default "asc"
       */
      order?: "asc" | "desc";
    };
    output: PeerList;
    headers: never;
  };
  /**
   * Read a peer
   *
   * Scope: `federation`.
   */
  getPeer: {
    input: {
      /** The name of an instance: `instance:<host>` */
      id: InstanceId;
    };
    output: Peer;
    headers: never;
  };
  /**
   * Remove a peer
   *
   * Every process refuses the peer within a second, ends its calls and turns with it, and forgets its keys. The API key that the peer was given is revoked. The items that were received from it stay. Discovery does not offer it again until somebody adds it. Also needs the scope `memory:admin`.
   *
   * Scope: `federation`.
   */
  removePeer: {
    input: {
      /** The name of an instance: `instance:<host>` */
      id: InstanceId;
    };
    output: RemovedPeer;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Approve a peer
   *
   * This instance begins a handshake with the peer at once; when both sides have proved their identities, the peer is `ACTIVE`. To approve a peer that DNS named, give its `certPin` and `signingPublicKey`: compare them with what its operator tells you (`svc federation peers probe` shows the certificate of its server). Also needs the scope `memory:admin`.
   *
   * Scope: `federation`.
   */
  approvePeer: {
    input: {
      /** The name of an instance: `instance:<host>` */
      id: InstanceId;
    } & ApprovePeerBody;
    output: Peer;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Settle a contradiction with other instances
   *
   * The body names either two versions (`itemA`, `itemB`), of which the later one wins, or claims (`items`), on which the instances vote with the weights that are configured here. Only versions on record here count; claims that differ from the record are listed as ignored. The decision is published and ends the contradiction on the other instances too. Also needs the scope `memory:admin`.
   *
   * Scope: `federation`.
   */
  resolveFederationConflict: {
    input: ResolveFederationBody;
    output: ResolveFederationReply;
    headers: "idempotencyKey";
  };
  /**
   * Exchange with a peer now
   *
   * Starts a sync job; if a job with the same options is open, returns that one. Exchange goes on without jobs, too: this instance reads a peer when the peer announces something new, and every minute.
   *
   * Scope: `federation`.
   */
  startFederationSync: {
    input: SyncBody;
    output: SyncStarted;
    headers: "idempotencyKey";
  };
  /**
   * Read a sync job and its result
   *
   * Scope: `federation`.
   */
  getFederationSync: {
    input: {
      /** UUIDv7 */
      jobId: Id;
    };
    output: SyncJob;
    headers: never;
  };
  /**
   * Live vitals of the workspace
   *
   * Scope: `memory:read`.
   */
  getMemoryHealth: {
    input: {};
    output: HealthSnapshot;
    headers: never;
  };
  /**
   * List health snapshots over time
   *
   * A worker takes a snapshot every `SVC_SNAPSHOT_INTERVAL_SECONDS` and keeps `SVC_SNAPSHOTS_KEPT` of them. Each counts what the key's clearance sees. Newest first by default.
   *
   * Scope: `memory:read`.
   */
  listHealthHistory: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** Snapshots taken then or later */
      from?: TimestampInput;
      /** Snapshots taken before then */
      to?: EndInput;
    };
    output: HealthHistoryPage;
    headers: never;
  };
  /**
   * List review items
   *
   * Open items by default.
   *
   * Scope: `memory:read`.
   */
  listReviewItems: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** May be repeated */
      kind?: ReviewKind[];
      /** May be repeated. Default: `open` */
      status?: ReviewStatus[];
      /** Items about this unit, as subject or as other */
      unitId?: Id;
    };
    output: ReviewItemPage;
    headers: never;
  };
  /**
   * Read a review item
   *
   * Scope: `memory:read`.
   */
  getReviewItem: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: ReviewItem;
    headers: never;
  };
  /**
   * Dismiss a review item
   *
   * Closes the item without a decision: the units stay as they are. A contested fact stays contested until it is changed or nothing contradicts it any more. Dismissing a contradiction between instances ends it until the peer says something else; the key needs `memory:admin`, too.
   *
   * Scope: `memory:write`.
   */
  dismissReviewItem: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & DismissReviewBody;
    output: ReviewItem;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Resolve a review item
   *
   * **A contested fact:** `keep_local` supersedes it. `accept_incoming` makes it active and supersedes the active facts that it contradicts. `keep_both` makes it active beside them. `merge` gives the existing fact a new text (`merged`), trusted like the less trusted of both, and supersedes the contested one.
   *
   * **Near-duplicates:** `keep_local` archives the incoming fact, `accept_incoming` the existing one, `keep_both` changes nothing. `merge` joins citations, tags, entities and trust in the existing fact and archives the other.
   *
   * **A self-edit:** `accept_incoming` applies what the agent proposed (`GET /v1/self/edits/{subjectId}` shows it), `keep_local` declines it.
   *
   * **A contradiction between instances** (`federation_conflict`): the key needs `memory:admin`, too, as for `POST /v1/memory/federation/resolve`.
   *
   * **A peer asks to erase an item that began here** (`federation_conflict` with `erase_request`): `keep_local` keeps the item. `accept_incoming` erases it for ever; the key needs `memory:delete`, too.
   *
   * A fact that loses can be restored with `POST /v1/facts/{id}/restore`; the histories record who decided and why. If two decisions race, the first wins and the second is refused with `invalid_transition`. `conflict` means that the facts have changed so much that the decision no longer applies.
   *
   * Scope: `memory:write`.
   */
  resolveReviewItem: {
    input: {
      /** UUIDv7 */
      id: Id;
    } & ResolveReviewBody;
    output: ReviewItem;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Compare the memory with a snapshot
   *
   * Compares the current composition of the memory with a snapshot, as far as the key's clearance sees, and says in plain words what changed.
   *
   * Scope: `memory:read`.
   */
  getDrift: {
    input: {
      /** The snapshot to compare with: its id, or a time, which selects the newest one at that time. Default: the newest that is a day old, otherwise the oldest */
      baseline?: Id | TimestampInput;
    };
    output: DriftReport;
    headers: never;
  };
  /**
   * Read the consolidation gate
   *
   * Every condition with its value and threshold, counted over what the key's clearance sees.
   *
   * Scope: `memory:read`.
   */
  getGate: {
    input: {};
    output: Gate;
    headers: never;
  };
  /**
   * Hold or release the consolidation gate
   *
   * While the gate is held, no consolidation starts, not even a forced one, and a running one pauses at its next step until the release. Every hold and release is recorded with its author and reason.
   *
   * Scope: `governance:write`.
   */
  setGate: {
    input: SetGateBody;
    output: Gate;
    headers: "idempotencyKey";
  };
  /**
   * List units by worth
   *
   * worth = (0.30 trust + 0.20 use + 0.25 feedback + 0.10 corroboration + 0.15 recency) × (1 − 0.5 contestedness), each part between 0 and 1. The half-life of recency is `SVC_WORTH_HALF_LIFE_DAYS`. A new unit has its worth immediately. A worker computes it again after changes, within about an hour after uses, and as time passes. Units that are not in force are left out.
   *
   * Scope: `memory:read`.
   */
  listWorth: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * Order by worth
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** May be repeated. Default: all */
      type?: UnitType[];
      /** At least this worth */
      min?: number;
      /** At most this worth */
      max?: number;
    };
    output: WorthPage;
    headers: never;
  };
  /**
   * Give feedback about units
   *
   * Each agent has one vote about a unit: its last `helpful` or `harmful`. All agents of one key together weigh at most 1, by the mean of their votes. `used` counts once a day per key and unit. Either all signals are stored or none.
   *
   * Scope: `governance:write`.
   */
  giveWorthFeedback: {
    input: WorthFeedbackBody;
    output: WorthFeedbackReply;
    headers: "idempotencyKey";
  };
  /**
   * List API keys
   *
   * Keys of all workspaces or of one, without secrets, including revoked and expired ones.
   *
   * An admin's bearer. Scope: `memory:admin`.
   */
  listApiKeys: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** Only keys of this workspace */
      workspaceId?: Id;
      /** Another name for `workspaceId` */
      workspace_id?: Id;
    };
    output: ApiKeyPage;
    headers: never;
  };
  /**
   * Create an API key of a workspace
   *
   * Only this reply shows the key: the service stores nothing but its Argon2id hash.
   *
   * An admin's bearer. Scope: `memory:admin`.
   */
  createApiKey: {
    input: CreateApiKeyBody;
    output: IssuedApiKey;
    headers: "idempotencyKey";
  };
  /**
   * Read an API key, without its secret
   *
   * An admin's bearer. Scope: `memory:admin`.
   */
  getApiKey: {
    input: {
      /** The key */
      id: Id;
    };
    output: ApiKey;
    headers: never;
  };
  /**
   * Change what an API key may do
   *
   * The change takes effect immediately, in every process. `rateLimit: null` returns to the configured limit, `expiresAt: null` removes the expiry. A revoked key cannot be changed.
   *
   * An admin's bearer. Scope: `memory:admin`.
   */
  updateApiKey: {
    input: {
      /** The key */
      id: Id;
    } & UpdateApiKeyBody;
    output: ApiKey;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Revoke an API key
   *
   * The key and all its replaced secrets end for good. Every process refuses them within a second.
   *
   * An admin's bearer. Scope: `memory:admin`.
   */
  revokeApiKey: {
    input: {
      /** The key */
      id: Id;
    };
    output: ApiKey;
    headers: "idempotencyKey";
  };
  /**
   * Give an API key a new secret
   *
   * The previous key stays valid for `overlapSeconds` with the same rights, so that callers can switch; then only the new one is valid. Keys replaced by earlier rotations end at that time, too. With `overlapSeconds: 0` only the new key is valid from now on, in every process. Id, name and rights stay the same.
   *
   * An admin's bearer. Scope: `memory:admin`.
   */
  rotateApiKey: {
    input: {
      /** The key */
      id: Id;
    } & RotateApiKeyBody;
    output: IssuedApiKey;
    headers: "idempotencyKey";
  };
  /**
   * Read the names of actors
   *
   * The names of the keys behind `createdBy`, `changedBy` and the actors of the audit log, revoked keys included. Other actors, such as admins, workers and keys of other workspaces, have no name here.
   *
   * Scope: `memory:read`.
   */
  listActors: {
    input: {
      /** Actors such as `key:<id>`; may be repeated, up to 100 times */
      id: string[];
    };
    output: ActorList;
    headers: never;
  };
  /**
   * List what admins did
   *
   * The chain of the service itself: each act of an admin, with the admin's name in `detail.admin`, what the command line did, and what was refused. What concerns a workspace is in that workspace's own chain, too.
   *
   * An admin's bearer. Scope: `memory:admin`.
   */
  listAdminAudit: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** May be repeated. A name that ends with `.` matches every name that begins so, such as `write.` */
      eventType?: string[];
      actorId?: string;
      outcome?: string;
      /** Rows that name this resource */
      target?: Id;
      requestId?: string;
      /** RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC */
      from?: TimestampInput;
      /** RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC */
      to?: EndInput;
    };
    output: AuditPage;
    headers: never;
  };
  /**
   * Verify the log of what admins did
   *
   * Like `GET /v1/audit/verify`, for the chain of the service itself.
   *
   * An admin's bearer. Scope: `memory:admin`. It costs 20 of the key's rate, and is heavy.
   */
  verifyAdminAudit: {
    input: {
      /** First row to verify; default 1. Checkpoints are compared only when it is 1 */
      from?: number;
      /** Last row to verify; default: the last one */
      to?: number;
    };
    output: AuditVerification;
    headers: never;
  };
  /**
   * List the audit log
   *
   * One row for every request, in the workspace's own chain. The row of a write is there immediately, that of a read or refusal a moment later.
   *
   * Scope: `audit:read`.
   */
  listAudit: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** May be repeated. A name that ends with `.` matches every name that begins so, such as `write.` */
      eventType?: string[];
      actorId?: string;
      outcome?: string;
      /** Rows that name this resource */
      target?: Id;
      requestId?: string;
      /** RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC */
      from?: TimestampInput;
      /** RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC */
      to?: EndInput;
    };
    output: AuditPage;
    headers: never;
  };
  /**
   * Get a signed checkpoint of the audit log
   *
   * Makes a new checkpoint if the latest is older than a minute. It is signed if the instance has a signing key.
   *
   * Scope: `audit:read`.
   */
  getAuditCheckpoint: {
    input: {};
    output: AuditCheckpoint;
    headers: never;
  };
  /**
   * Prove that an earlier audit log is the beginning of a later one
   *
   * A consistency proof as in RFC 9162, section 2.1.4.
   *
   * Scope: `audit:read`.
   */
  proveAuditConsistency: {
    input: {
      /** Number of rows in the smaller tree */
      first: number;
      /** Number of rows in the larger tree; default: all */
      second?: number;
    };
    output: AuditConsistency;
    headers: never;
  };
  /**
   * Verify the audit log
   *
   * Walks the chain, compares it with the stored checkpoints and names the first wrong row. If somebody rewrote the whole log together with its checkpoints, only a checkpoint that was kept elsewhere shows it.
   *
   * Scope: `audit:read`. It costs 20 of the key's rate, and is heavy.
   */
  verifyAudit: {
    input: {
      /** First row to verify; default 1. Checkpoints are compared only when it is 1 */
      from?: number;
      /** Last row to verify; default: the last one */
      to?: number;
    };
    output: AuditVerification;
    headers: never;
  };
  /**
   * Prove that a row is in the audit log
   *
   * An inclusion proof as in RFC 9162, section 2.1.3.
   *
   * Scope: `audit:read`.
   */
  proveAuditRow: {
    input: {
      seq: number;
      /** Number of rows in the tree; default: all */
      size?: number;
    };
    output: AuditProof;
    headers: never;
  };
  /**
   * List requests for access to workspaces
   *
   * An admin's bearer. Scope: `memory:admin:cross_tenant`.
   */
  listBreakGlass: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** UUIDv7 */
      workspaceId?: Id;
      state?: BreakGlassState;
    };
    output: BreakGlassPage;
    headers: never;
  };
  /**
   * Ask for access to a workspace
   *
   * The request stays `pending` for up to an hour, until another admin approves it. Then the admin who asked calls the workspace's operations with their own `mk_admin_` key and the header `x-svc-break-glass: <id>`, within `scopes` and `maxSensitivity`. Request, approval and every use are in the audit logs of the workspace and of the service.
   *
   * An admin's bearer. Scope: `memory:admin:cross_tenant`.
   */
  requestBreakGlass: {
    input: RequestBreakGlassBody;
    output: BreakGlassRequest;
    headers: "idempotencyKey";
  };
  /**
   * Read a request for access to a workspace
   *
   * An admin's bearer. Scope: `memory:admin:cross_tenant`.
   */
  getBreakGlass: {
    input: {
      /** The request */
      id: Id;
    };
    output: BreakGlassRequest;
    headers: never;
  };
  /**
   * Approve another admin's request
   *
   * Needs a one-time code of the approving admin. The grant lasts `ttlSeconds` from now, and ends a day after the request at the latest.
   *
   * An admin's bearer. Scope: `memory:admin:cross_tenant`.
   */
  approveBreakGlass: {
    input: {
      /** The request */
      id: Id;
    } & ApproveBreakGlassBody;
    output: BreakGlassRequest;
    headers: "idempotencyKey";
  };
  /**
   * Deny a pending request
   *
   * An admin's bearer. Scope: `memory:admin:cross_tenant`.
   */
  denyBreakGlass: {
    input: {
      /** The request */
      id: Id;
    };
    output: BreakGlassRequest;
    headers: "idempotencyKey";
  };
  /**
   * Withdraw a request, or revoke a grant
   *
   * Takes effect immediately. An admin may also revoke their own.
   *
   * An admin's bearer. Scope: `memory:admin:cross_tenant`.
   */
  revokeBreakGlass: {
    input: {
      /** The request */
      id: Id;
    };
    output: BreakGlassRequest;
    headers: "idempotencyKey";
  };
  /**
   * Consolidate the memory
   *
   * Checks the gate and starts a job. The job closes expired facts; merges facts that say the same (the less trusted one is archived, its citations move to the other); archives units of little worth that nobody has touched for long (never pinned, `user_stated` or `verified` ones, nor those under review); and creates strategies from three or more similar episodes. Nothing gains trust. The job lists every step, and each can be reverted. It sees and changes only what the key's clearance sees. It is refused with `gate_closed` while the gate is closed (`errors` and `conditions` name what fails) and with `conflict` while another consolidation waits or runs (`jobId`).
   *
   * Scope: `memory:admin`. It costs 20 of the key's rate, and is heavy.
   */
  consolidate: {
    input: ConsolidateBody;
    output: Job;
    headers: "idempotencyKey";
  };
  /**
   * Export the whole memory as JSONL
   *
   * The file is JSONL: a header (`format`, `version`, `workspace`, `exportedAt`, `asOf`, `clearance`); a line for each resource, sources before what rests on them (for units, one line per version); and an end with the count and the SHA-256 of all bytes before it. A file without that last line is truncated. The file holds what the key may see. Embeddings and the recall index are not in it; an import makes them again.
   *
   * Units are shown at one point of the change feed, the header's `seq`. Resources without history (sessions, tasks, counts) are shown as they were when their page was read: if the end's `seq` equals the header's, nothing changed in the meantime.
   *
   * With `asOf` the file holds what this service knew then: units with their history up to then, turns and events recorded by then, review items open at that time, and tasks and relations as they were. The last 1,000 versions of a task or relation are kept; if the right one is missing or above the key's clearance, the resource is left out and counted in the end's `omitted`, as are chains of reasoning, edits and playbooks that were changed since. What was erased since is not in the file.
   *
   * The audit log records the start of an export and, as `export.ended`, how many lines were sent, with the hash of the end, or of what was sent if the export broke off.
   *
   * Scope: `memory:export`. It costs 20 of the key's rate, and is heavy.
   */
  exportMemory: {
    input: ExportBody;
    output: ReadableStream<Uint8Array<ArrayBuffer>>;
    headers: never;
  };
  /**
   * Import a file into the memory
   *
   * The service checks the file first: without its last line, or with another hash, it imports nothing (422). With `?partial=true` it imports a file whose end is missing as far as it goes. Then it applies the lines in order, many in one transaction; a refused line is listed in `errors` and does not stop the others. Ids are kept if they are free and mapped otherwise; references follow. Versions keep their times, so that `asOf` and `knownAt` answer as at the source. Repeating an import changes nothing: to finish one that was interrupted, send it again. With `?dryRun=true` the service only tries the import: the report has the counts and refusals that the import would have, and samples.
   *
   * With an `Idempotency-Key`, the key belongs to the first file from its first line on. The report is stored after the last line; a repetition gets it without reading the file again.
   *
   * Without the scope `memory:admin`: attributions above `imported` become `imported`; the key is the author; resources that are trusted more here are not replaced, nor are sessions, tasks and relations that somebody else created; review items are not settled; and pins, scratchpads, worth, scores that were changed since, recording times in the future and what a session collapsed to are not imported (`withheld` counts them). Playbooks, self-edits, chains of reasoning, votes and snapshots need `memory:admin`. Erasures need `memory:delete`. At most 32 MiB; the command line imports files of any size.
   *
   * Files of other products are read as far as they are memories: `omitted` counts what is left out. A conversation is known by its `externalId`, such as `chatgpt:<conversation>`, and a turn by its message id, so that of a conversation that has grown only the new turns are added.
   *
   * Scope: `memory:import`. It costs 20 of the key's rate, and is heavy.
   */
  importMemory: {
    input: {
      /** `svc`: an export of this service. `mem0`: memories of Mem0, as JSON or JSONL. `graphiti`: edges of Graphiti or Zep, as JSON or JSONL. `mcp`: the JSONL of the MCP memory server. `openmemory`: `memories.json` or the JSONL of an OpenMemory backup. `letta`: an agent file, or passages of archival memory. `zep`: `{ users, sessions }` with messages and facts. `chatgpt`: `conversations.json`. `claude`: `conversations.json`, `memories.json` or `projects.json` of claude.ai. `claude-code`: lines of transcripts. `markdown`: `{ files: [{ path, text, modifiedAt }] }`. `hindsight`: `{ source_bank_id, documents, observations }` of a bank's archive. Conversations become sessions with their turns, memories become facts */
      format?: ImportFormat;
      /**
       * Imports the part that exists of a truncated export. Otherwise such a file is refused
       *
       * @default "false"
       */
      partial?: boolean;
      /**
       * Tries the import and undoes it: the report says what the import would do. Nothing is written but one row of the audit log. Meanwhile writers of the workspace may have to wait, on the embedded database all requests; a trial of more than 20 seconds ends with `deadline_exceeded`, and while there is one in the workspace, another is refused with `rate_limited`
       *
       * @default "false"
       */
      dryRun?: boolean;
      /** A tag for every fact and session of another service's file; may be repeated */
      tag?: string[];
      /** The file, in UTF-8: JSONL, or one JSON document of another product */
      file: string | Uint8Array<ArrayBuffer> | Blob;
    };
    output: ImportReply;
    headers: "idempotencyKey";
  };
  /**
   * List jobs
   *
   * Jobs that were requested with a higher clearance than the key's are left out.
   *
   * Scope: `memory:admin`.
   */
  listJobs: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      kind?: ("consolidate" | "revert" | "federation_sync")[];
      /** May be repeated. Default: all */
      state?: JobState[];
    };
    output: JobPage;
    headers: never;
  };
  /**
   * Read a job with its steps
   *
   * Scope: `memory:admin`.
   */
  getJob: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Job;
    headers: never;
  };
  /**
   * Revert a consolidation
   *
   * Starts a job that reverts each step, last step first. A step whose units were changed since is kept and listed as `skip`. Later consolidations do not repeat what was reverted.
   *
   * Scope: `memory:admin`.
   */
  revertJob: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: Job;
    headers: "idempotencyKey";
  };
  /**
   * Read usage statistics
   *
   * Counts what the key's clearance sees. It counts everything, so do not poll it.
   *
   * Scope: `memory:admin`.
   */
  getUsageStats: {
    input: {};
    output: UsageStats;
    headers: never;
  };
  /**
   * List the recalls that the diary keeps
   *
   * If the workspace keeps a diary (its setting `recallDiaryDays`): every recall, from whatever face and path, with what was asked, by whom, and which ids it showed with which scores. A recall is there about a second after its reply. A key sees the recalls of keys whose clearance is not above its own, because a query may tell whatever its author may see; of the results it sees those that it may see now. If a unit, turn or session is erased, the diary loses its ids and scores, and the queries that came from its text, name it or were asked in the session. Texts of results are never kept.
   *
   * Scope: `audit:read`.
   */
  listRecalls: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** Asked at this time or later */
      since?: TimestampInput;
      /** Asked before this time */
      until?: EndInput;
      /** `key:<id>`, as entries have it */
      caller?: string;
      /** An agent, as the caller names it */
      agentId?: string;
      /** Recalls that showed this unit or turn */
      unitId?: Id;
      /** The query contains this; case does not matter */
      q?: string;
    };
    output: RecallEntryPage;
    headers: never;
  };
  /**
   * Read a recall from the diary
   *
   * Scope: `audit:read`.
   */
  getRecall: {
    input: {
      /** UUIDv7 */
      id: Id;
    };
    output: RecallEntry;
    headers: never;
  };
  /**
   * List the keys of brokers
   *
   * Without secrets, including revoked and expired ones.
   *
   * An admin's bearer. Scope: `memory:admin`.
   */
  listBrokerKeys: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
    };
    output: BrokerKeyPage;
    headers: never;
  };
  /**
   * Create the key of a broker
   *
   * A broker stands for an app. Its key makes a workspace for each user of the app (`POST /v1/admin/tenants`) and gives credentials for these workspaces, of its region, and within its scopes and clearance. It opens nothing else: it neither reads nor writes memory itself. Only this reply shows the key.
   *
   * An admin's bearer. Scope: `memory:admin`.
   */
  createBrokerKey: {
    input: CreateBrokerKeyBody;
    output: IssuedBrokerKey;
    headers: "idempotencyKey";
  };
  /**
   * Read the key of a broker, without its secret
   *
   * An admin's bearer. Scope: `memory:admin`.
   */
  getBrokerKey: {
    input: {
      /** The broker */
      id: Id;
    };
    output: BrokerKey;
    headers: never;
  };
  /**
   * Change what a broker may give to its tenants
   *
   * The change takes effect immediately, in every process. Tokens that the broker gave lose what it may no longer give; keys that it gave stay as they are.
   *
   * An admin's bearer. Scope: `memory:admin`.
   */
  updateBrokerKey: {
    input: {
      /** The broker */
      id: Id;
    } & UpdateBrokerKeyBody;
    output: BrokerKey;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * Revoke the key of a broker
   *
   * The key ends for good; every process refuses it, and the tokens that it gave, within a second. Its tenants and their keys stay, and admins manage them.
   *
   * An admin's bearer. Scope: `memory:admin`.
   */
  revokeBrokerKey: {
    input: {
      /** The broker */
      id: Id;
    };
    output: BrokerKey;
    headers: "idempotencyKey";
  };
  /**
   * Give a broker a new secret
   *
   * The previous key stays valid for `overlapSeconds`, so that the app can switch; one that was replaced before ends now. The broker keeps its tenants.
   *
   * An admin's bearer. Scope: `memory:admin`.
   */
  rotateBrokerKey: {
    input: {
      /** The broker */
      id: Id;
    } & RotateBrokerKeyBody;
    output: IssuedBrokerKey;
    headers: "idempotencyKey";
  };
  /**
   * List the tenants of a broker
   *
   * Including erased ones, of which only the receipt is left.
   *
   * An admin's bearer or a broker's key. Scope: `memory:admin`.
   */
  listTenants: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
      /** Only the user with this id */
      externalId?: ExternalId;
      /** Only users whose id begins with this text */
      q?: string;
      /** `creating`: its workspace may not be there yet; opening it again makes it. `suspended`: every request in its workspace is refused. `erasing`: some of its data may still be there; erasing it again goes on. `erased`: nothing of it is left */
      state?: TenantState;
      /** The broker whose tenants an admin asks for; required for admins */
      brokerId?: Id;
    };
    output: TenantPage;
    headers: never;
  };
  /**
   * Find or create the workspace of an app's user
   *
   * The app's own id of the user decides the workspace: the same id always gets the same one, also of callers at the same time (201 if this request made it). The reply holds what opens the workspace, if `credential` asks for it.
   *
   * An admin's bearer or a broker's key. Scope: `memory:admin`.
   */
  openTenant: {
    input: OpenTenantBody;
    output: OpenedTenant;
    headers: "idempotencyKey";
  };
  /**
   * Read a tenant
   *
   * An admin's bearer or a broker's key. Scope: `memory:admin`.
   */
  getTenant: {
    input: {
      /** The tenant */
      id: Id;
    };
    output: Tenant;
    headers: never;
  };
  /**
   * Erase everything of a tenant
   *
   * Suspends its workspace and deletes all of its rows, of every sensitivity, with its keys and the app's id of the user. The reply is the receipt, which stays readable; a repetition returns it. If the call breaks off, send it again: it goes on. The audit chain stays, whose rows hold ids and no content. A workspace that has peers is refused (`conflict`): forget its memory first, so that they are told, then remove them.
   *
   * An admin's bearer or a broker's key. Scope: `memory:admin`. It costs 20 of the key's rate, and is heavy.
   */
  eraseTenant: {
    input: {
      /** The tenant */
      id: Id;
    };
    output: Tenant;
    headers: "idempotencyKey";
  };
  /**
   * Export everything of a tenant as JSONL
   *
   * The same file as `POST /v1/memory/admin/export`, up to the broker's clearance. The broker needs `memory:export` among its scopes; an admin needs a break-glass grant in the workspace, and exports there. Both audit chains, that of the service and that of the workspace, record it.
   *
   * An admin's bearer or a broker's key. Scope: `memory:admin`. It costs 20 of the key's rate, and is heavy.
   */
  exportTenant: {
    input: {
      /** The tenant */
      id: Id;
    };
    output: ReadableStream<Uint8Array<ArrayBuffer>>;
    headers: never;
  };
  /**
   * Resume a suspended tenant
   *
   * An admin's bearer or a broker's key. Scope: `memory:admin`.
   */
  resumeTenant: {
    input: {
      /** The tenant */
      id: Id;
    };
    output: Tenant;
    headers: "idempotencyKey";
  };
  /**
   * Revoke all tokens of a tenant
   *
   * Every process refuses them within a second. Tokens that are issued from now on count, and so do the tenant's keys.
   *
   * An admin's bearer or a broker's key. Scope: `memory:admin`.
   */
  revokeTenantTokens: {
    input: {
      /** The tenant */
      id: Id;
    };
    output: Tenant;
    headers: "idempotencyKey";
  };
  /**
   * Suspend a tenant
   *
   * Every process refuses every request in its workspace within a second, with `workspace_suspended`, until it is resumed. Nothing in it is changed.
   *
   * An admin's bearer or a broker's key. Scope: `memory:admin`.
   */
  suspendTenant: {
    input: {
      /** The tenant */
      id: Id;
    };
    output: Tenant;
    headers: "idempotencyKey";
  };
  /**
   * List workspaces
   *
   * An admin's bearer. Scope: `memory:admin`.
   */
  listWorkspaces: {
    input: {
      /**
       * Page size
       *
       * @default 50
       */
      limit?: number;
      /** `nextCursor` of the previous page */
      cursor?: string;
      /**
       * `desc`: newest first
       *
       * @default "desc"
       */
      order?: "asc" | "desc";
    };
    output: WorkspacePage;
    headers: never;
  };
  /**
   * Create a workspace
   *
   * The region of a workspace never changes.
   *
   * An admin's bearer. Scope: `memory:admin`.
   */
  createWorkspace: {
    input: CreateWorkspaceBody;
    output: Workspace;
    headers: "idempotencyKey";
  };
  /**
   * Read a workspace
   *
   * An admin's bearer. Scope: `memory:admin`.
   */
  getWorkspace: {
    input: {
      /** The workspace */
      id: Id;
    };
    output: Workspace;
    headers: never;
  };
  /**
   * Rename a workspace, or change its settings
   *
   * Settings that restrict keys take effect immediately, in every process. They do not restrict a break-glass grant, whose clearance two admins have set.
   *
   * An admin's bearer. Scope: `memory:admin`.
   */
  updateWorkspace: {
    input: {
      /** The workspace */
      id: Id;
    } & UpdateWorkspaceBody;
    output: Workspace;
    headers: "ifMatch" | "idempotencyKey";
  };
  /**
   * The interactive API reference
   *
   * A page that shows this document and sends requests. It loads nothing from another host.
   */
  getDocs: {
    input: {};
    output: string;
    headers: never;
  };
  /**
   * The script of the interactive API reference
   *
   * What `/docs` runs. The program carries it.
   */
  getDocsScript: {
    input: {};
    output: string;
    headers: never;
  };
  /**
   * All error codes
   *
   * A page for people: every error code with its status and a link to its help.
   */
  listErrors: {
    input: {};
    output: string;
    headers: never;
  };
  /**
   * What an error code means and what to do
   *
   * The page that a refusal names in `help`.
   */
  getErrorHelp: {
    input: {
      code: string;
    };
    output: string;
    headers: never;
  };
  /**
   * The OpenAPI 3.1 document
   *
   * What generators of clients and the reference read. It describes the running version.
   */
  getOpenApiDocument: {
    input: {};
    output: OpenApiDocument;
    headers: never;
  };
  /**
   * Liveness
   *
   * Answers as long as the process does, without the database.
   */
  getHealthLive: {
    input: {};
    output: Liveness;
    headers: never;
  };
  /**
   * Readiness
   *
   * Asks the database, the key-value store where one is configured, and whether changes of other processes are heard. `writes` stands there while the database takes none, because its disk is full or it is a standby. `vectorIndex` stands there, and does not count, while the nearest-neighbour index over a model's embeddings is being built or is missing; so do `embeddings: behind` while texts wait for a vector of the present model, `newerLinks: behind` while texts of an earlier build wait for links to newer ones, and `sentenceEncoder: degraded` while the table works without the encoder.
   */
  getHealthReady: {
    input: {
      /** Checks that are shown and do not count, for a load balancer: the service works without its cache, and when it does not hear other processes. Any of `cache` and `notifications` */
      exclude?: ("cache" | "notifications")[];
    };
    output: Readiness;
    headers: never;
  };
  /**
   * Liveness
   *
   * The same as `/health/live`.
   */
  getHealthz: {
    input: {};
    output: Liveness;
    headers: never;
  };
  /**
   * Metrics
   *
   * Metrics in the Prometheus text format; behind `SVC_METRICS_TOKEN` where the operator sets one.
   */
  getMetrics: {
    input: {};
    output: string;
    headers: never;
  };
}
