/** Rows of every table that has a `workspace_id`, for the matrix of row-level security. */
import type postgres from "postgres";
import { SENSITIVITIES, type Sensitivity } from "../../src/schema/common.ts";

type Sql = postgres.TransactionSql;

export interface RowPlace {
  readonly workspaceId: string;
  /** Distinguishes rows; 0 to 3 are seeded, each with the sensitivity of that rank. */
  readonly n: number;
  readonly sensitivity: Sensitivity;
}

type RowMaker = (place: RowPlace) => Record<string, unknown>;

const NOW = "2026-01-01T00:00:00Z";

/** A UUID that is the same for the same workspace, kind and number. */
function idOf(workspaceId: string, kind: number, n: number): string {
  return `${workspaceId.slice(0, 24)}${kind.toString(16).padStart(4, "0")}${n.toString(16).padStart(8, "0")}`;
}

/** The seeded row that a child hangs on. */
function parentOf(n: number): number {
  return n % SENSITIVITIES.length;
}

/** How a row of each table is made. Parents before children; a table that is missing here fails the test. */
export const ROW_MAKERS: Readonly<Record<string, RowMaker>> = {
  workspace: ({ workspaceId, n }) => ({ workspace_id: workspaceId, name: `workspace ${n}`, region: "us-east-1" }),
  api_key: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    key_id: idOf(workspaceId, 1, n),
    public_id: `${workspaceId.slice(0, 8)}${n.toString().padStart(4, "0")}`,
    name: `key ${n}`,
    secret_hash: "$argon2id$",
    scopes: "{}",
  }),
  api_key_former_secret: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    public_id: `${workspaceId.slice(0, 8)}f${n.toString().padStart(3, "0")}`,
    key_id: idOf(workspaceId, 1, parentOf(n)),
    secret_hash: "$argon2id$",
    expires_at: NOW,
  }),
  stream_ticket: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    ticket_hash: `${workspaceId.replaceAll("-", "")}${n.toString(16).padStart(32, "0")}`,
    key_id: idOf(workspaceId, 1, parentOf(n)),
    public_id: `${workspaceId.slice(0, 8)}${n.toString().padStart(4, "0")}`,
    max_sensitivity: sensitivity,
    expires_at: NOW,
  }),
  svc_admin: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    admin_id: idOf(workspaceId, 30, n),
    name: `admin ${n}`,
    created_at: NOW,
  }),
  svc_admin_key: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    key_id: idOf(workspaceId, 31, n),
    admin_id: idOf(workspaceId, 30, parentOf(n)),
    public_id: `${workspaceId.slice(0, 8)}a${n.toString().padStart(3, "0")}`,
    name: `key ${n}`,
    secret_hash: "$argon2id$",
    created_at: NOW,
  }),
  svc_break_glass_request: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 32, n),
    target_workspace_id: workspaceId,
    requested_by: idOf(workspaceId, 30, parentOf(n)),
    reason: "a ticket",
    scopes: "{memory:read}",
    max_sensitivity: "public",
    ttl_seconds: 60,
  }),
  federation_peer: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    id: `instance:peer-${n}.example`,
    uid: idOf(workspaceId, 40, n),
    source: "stored",
    endpoint: `https://peer-${n}.example`,
    state: "DISCOVERED",
    remote_workspace_id: workspaceId,
    created_at: NOW,
    updated_at: NOW,
  }),
  federation_invite: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 41, n),
    key_id: idOf(workspaceId, 1, parentOf(n)),
    sealed: "sealed",
    expires_at: NOW,
    created_by: "test",
    created_at: NOW,
  }),
  feed_head: ({ workspaceId }) => ({ workspace_id: workspaceId, seq: 1 }),
  change: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    seq: n,
    kind: "fact.created",
    resource_type: "fact",
    resource_id: idOf(workspaceId, 2, n),
    version: 1,
    sensitivity,
    actor: "test",
    recorded_at: NOW,
  }),
  unit: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 2, n),
    type: "fact",
    status: "active",
    attribution: "agent_stated",
    trust_score: 50,
    confidence: 0.5,
    sensitivity,
    content_hash: `hash ${n}`,
    origin_instance: "instance:test",
    origin_id: idOf(workspaceId, 2, n),
    text: `text ${n}`,
    doc_no: 1_000 + n,
    body: "{}",
    recorded_at: NOW,
    created_at: NOW,
    updated_at: NOW,
    created_by: "test",
  }),
  unit_revision: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 2, parentOf(n)),
    version: 1 + n,
    doc_no: 2_000 + n,
    sensitivity,
    recorded_at: NOW,
    changed_by: "test",
    event: "created",
    snapshot: "{}",
  }),
  unit_source: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    source_id: idOf(workspaceId, 3, n),
    unit_id: idOf(workspaceId, 2, parentOf(n)),
    kind: "evidence",
  }),
  dependant_pass: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    source_id: idOf(workspaceId, 2, n),
    what: "standing",
    after_id: idOf(workspaceId, 2, 0),
    queued_at: NOW,
  }),
  session: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 4, n),
    sensitivity,
    group_no: n,
    started_at: NOW,
    created_at: NOW,
    updated_at: NOW,
    created_by: "test",
  }),
  turn: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 5, n),
    session_id: idOf(workspaceId, 4, parentOf(n)),
    group_no: parentOf(n),
    position: n,
    doc_no: 3_000 + n,
    message_id: `message ${n}`,
    role: "user",
    content: `content ${n}`,
    sensitivity,
    occurred_at: NOW,
    recorded_at: NOW,
  }),
  review_item: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 6, n),
    kind: "contested_fact",
    sensitivity,
    subject_id: idOf(workspaceId, 2, n),
    created_at: NOW,
  }),
  self_edit: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 16, n),
    mode: "atomic",
    source: "edit",
    reason: `reason ${n}`,
    sensitivity,
    created_at: NOW,
    updated_at: NOW,
    created_by: "test",
  }),
  self_edit_operation: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    edit_id: idOf(workspaceId, 16, parentOf(n)),
    position: n % 97,
    op: "pin",
    outcome: "applied",
  }),
  self_edit_content: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    edit_id: idOf(workspaceId, 16, parentOf(n)),
    position: n % 97,
    operation: "{}",
  }),
  deletion_log: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    // Of the events below: what the log does not tell of is not deleted.
    resource_id: idOf(workspaceId, 9, n),
    resource_type: "event",
    origin_instance: "instance:test",
    sensitivity,
    erased_at: NOW,
    erased_by: "test",
  }),
  mention: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    entity_id: idOf(workspaceId, 2, parentOf(n)),
    doc_no: 1_000 + n,
    subject_id: idOf(workspaceId, 2, n),
    subject_type: "fact",
    sensitivity,
    mentioned_at: NOW,
  }),
  name_change: ({ workspaceId, n, sensitivity }) => ({ workspace_id: workspaceId, name_key: `name ${n}`, sensitivity }),
  name_sighting: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    name_key: `name ${n}`,
    doc_no: 1_000 + n,
    sensitivity,
    name: `Name ${n}`,
    strength: 1,
  }),
  posting: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    term: `term${n}`,
    kind: 1,
    sensitivity,
    first_doc: n,
    last_doc: n,
    n: 1,
    entries: new Uint8Array(12),
  }),
  vocabulary: ({ workspaceId, n, sensitivity }) => ({ workspace_id: workspaceId, sensitivity, term: `term${n}` }),
  corpus_size: ({ workspaceId, sensitivity }) => ({
    workspace_id: workspaceId,
    kind: 1,
    sensitivity,
    docs: 1,
    tokens: 1,
    groups: 1,
  }),
  embedding: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    doc_no: n,
    kind: 1,
    sensitivity,
    model: "test",
    vector: `[${Array(384).fill(0.05).join(",")}]`,
  }),
  embedding_pending: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    doc_no: n,
    kind: 1,
    sensitivity,
  }),
  relation: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 17, n),
    verb: "supports",
    is_hyper: false,
    identity: `identity ${n}`,
    weight: 1,
    confidence: 0.5,
    attribution: "agent_stated",
    trust_score: 60,
    own_sensitivity: "public",
    sensitivity,
    created_at: NOW,
    updated_at: NOW,
    created_by: "test",
  }),
  relation_participant: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    relation_id: idOf(workspaceId, 17, parentOf(n)),
    place: n,
    role: "source",
    unit_id: idOf(workspaceId, 2, parentOf(n)),
    node_id: idOf(workspaceId, 2, parentOf(n)),
    verb: "supports",
    weight: 1,
    is_active: true,
    sensitivity,
  }),
  relation_source: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    source_id: idOf(workspaceId, 3, n),
    relation_id: idOf(workspaceId, 17, parentOf(n)),
  }),
  relation_revision: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 17, parentOf(n)),
    version: 1 + n,
    written_at: NOW,
    replaced_at: NOW,
    sensitivity,
    row: "{}",
  }),
  federation_version: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    origin_instance: "instance:test",
    origin_id: idOf(workspaceId, 2, n),
    writer: "instance:test",
    type: "fact",
    version: 1,
    updated_at: NOW,
    hash: new Uint8Array(32),
    sensitivity,
    least_sensitivity: "public",
    seq: 1 + n,
    key: new Uint8Array(8),
    leaf: new Uint8Array(32),
    verdict: "own",
  }),
  federation_item: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    origin_instance: "instance:test",
    origin_id: idOf(workspaceId, 2, n),
    unit_id: idOf(workspaceId, 2, n),
    role: "unit",
  }),
  federation_conflict: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 40, n),
    origin_instance: "instance:test",
    origin_id: idOf(workspaceId, 2, n),
    writer: "instance:peer",
    type: "fact",
    unit_id: idOf(workspaceId, 2, n),
    strategy: "manual",
    sensitivity,
    opened_at: NOW,
  }),
  federation_erasure: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    peer_id: "instance:peer",
    origin_instance: "instance:test",
    origin_id: idOf(workspaceId, 2, n),
    type: "fact",
    version: 2,
    erased_at: NOW,
    next_attempt_at: NOW,
  }),
  federation_remote_fact: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    peer_id: "instance:peer",
    fact_id: idOf(workspaceId, 41, n),
    hash: "00",
    region: "eu-west-1",
    seen_at: NOW,
  }),
  federation_cursor: ({ workspaceId }) => ({ workspace_id: workspaceId, epoch: idOf(workspaceId, 42, 0) }),
  import_id: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    source: "instance:test/0",
    source_id: idOf(workspaceId, 10, n),
    local_id: idOf(workspaceId, 11, n),
  }),
  usage_counter: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    day: "2026-01-01",
    name: `counter ${n}`,
    value: 1,
  }),
  task: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 8, n),
    kind: "task",
    title: `task ${n}`,
    priority: 1,
    sensitivity,
    created_at: NOW,
    updated_at: NOW,
    created_by: "test",
  }),
  task_dependency: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    task_id: idOf(workspaceId, 8, parentOf(n)),
    // Each number another pair of tasks.
    depends_on: idOf(workspaceId, 8, parentOf(n + (n < SENSITIVITIES.length ? 1 : 2))),
  }),
  task_revision: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 8, parentOf(n)),
    version: 1 + n,
    written_at: NOW,
    replaced_at: NOW,
    sensitivity,
    row: "{}",
  }),
  event: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 9, n),
    type: `type ${n}`,
    sensitivity,
    occurred_at: NOW,
    recorded_at: NOW,
    created_by: "test",
  }),
  idempotent_reply: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    operation_id: "createFact",
    key_hash: `key ${n}`,
    fingerprint: "same",
    sensitivity,
    status: 201,
    headers: "{}",
    body: "{}",
  }),
  worth_signal: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    unit_id: idOf(workspaceId, 2, parentOf(n)),
    agent_id: `agent ${n}`,
    is_helpful: true,
    weight: 1,
    given_at: NOW,
    given_by: "test",
  }),
  use_signal: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    unit_id: idOf(workspaceId, 2, parentOf(n)),
    given_by: `key:${n}`,
    given_at: NOW,
  }),
  unit_worth: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    unit_id: idOf(workspaceId, 2, parentOf(n)),
    due_at: NOW,
  }),
  worth_cursor: ({ workspaceId }) => ({ workspace_id: workspaceId, seq: 1 }),
  gate_action: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 10, n),
    action: "hold",
    reason: `reason ${n}`,
    acted_at: NOW,
    acted_by: "test",
  }),
  job: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 11, n),
    kind: `kind ${n}`,
    sensitivity,
    requested_by: "test",
    created_at: NOW,
    updated_at: NOW,
  }),
  snapshot: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 12, n),
    period_start: new Date(Date.parse(NOW) + n * 1_000).toISOString(),
    taken_at: NOW,
    sensitivity,
    data: "{}",
  }),
  job_step: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    job_id: idOf(workspaceId, 11, parentOf(n)),
    step_no: n,
    sensitivity,
    kind: "archive",
    unit_ids: "{}",
    detail: "{}",
    done_at: NOW,
  }),
  procedural_playbook: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 15, n),
    agent_id: `agent ${n}`,
    sensitivity,
    created_at: NOW,
    updated_at: NOW,
    created_by: "test",
  }),
  procedural_rule: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    playbook_id: idOf(workspaceId, 15, parentOf(n)),
    no: n,
    sensitivity,
    section: "other",
    text: `rule ${n}`,
    lesson: `rule ${n}`,
    status: "trial",
    source: "lesson",
    created_at: NOW,
    updated_at: NOW,
  }),
  procedural_source: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    source_id: idOf(workspaceId, 2, parentOf(n)),
    playbook_id: idOf(workspaceId, 15, parentOf(n)),
    no: n,
    sensitivity,
  }),
  procedural_version: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    playbook_id: idOf(workspaceId, 15, parentOf(n)),
    version: 1 + n,
    sensitivity,
    status: "superseded",
    cause: "optimize",
    rules: "[]",
    created_at: NOW,
    created_by: "test",
  }),
  procedural_trajectory: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    playbook_id: idOf(workspaceId, 15, parentOf(n)),
    trajectory_key: `run ${n}`,
    sensitivity,
    content_hash: "hash",
    task_key: "task",
    outcome: "success",
    score: 1,
    body: "{}",
    recorded_at: NOW,
  }),
  reasoning_entry: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    id: idOf(workspaceId, 14, n),
    goal_key: `goal ${n}`,
    goal: `goal ${n}`,
    context_kind: "none",
    context_key: "none",
    steps: "[]",
    answer: `answer ${n}`,
    outcome: "success",
    tokens_spent: 1,
    attempts: "{}",
    attempt_hash: "hash",
    sensitivity,
    content_hash: "hash",
    created_at: NOW,
    updated_at: NOW,
    created_by: "test",
  }),
  reasoning_term: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    term: `term ${n}`,
    entry_id: idOf(workspaceId, 14, parentOf(n)),
    sensitivity,
  }),
  reasoning_vector: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    entry_id: idOf(workspaceId, 14, n),
    sensitivity,
    model: "test",
    vector: `[${Array(384).fill(0.05).join(",")}]`,
  }),
  reasoning_precondition: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    unit_id: idOf(workspaceId, 2, n),
    entry_id: idOf(workspaceId, 14, parentOf(n)),
    sensitivity,
    content_hash: "hash",
  }),
  reasoning_vote: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    entry_id: idOf(workspaceId, 14, parentOf(n)),
    agent_id: `agent ${n}`,
    sensitivity,
    helpful: true,
    voted_at: NOW,
  }),
  reasoning_use: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    entry_id: idOf(workspaceId, 14, parentOf(n)),
    run_id: `run ${n}`,
    sensitivity,
    used_at: NOW,
  }),
  entity_name: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    name_key: `name ${n}`,
    entity_id: idOf(workspaceId, 2, parentOf(n)),
    kind: "name",
    entity_type: "person",
    status: "active",
    sensitivity,
  }),
  entity_block: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    block: n,
    entity_id: idOf(workspaceId, 2, parentOf(n)),
    sensitivity,
  }),
  entity_merge: ({ workspaceId, n, sensitivity }) => ({
    workspace_id: workspaceId,
    source_id: idOf(workspaceId, 2, n),
    survivor_id: idOf(workspaceId, 3, n),
    root_id: idOf(workspaceId, 3, n),
    sensitivity,
    merged_at: NOW,
    merged_by: "test",
  }),
  svc_audit_log: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    seq: n + 1,
    id: idOf(workspaceId, 3, n),
    actor_id: "key:test",
    actor_type: "key",
    event_type: "read.getFact",
    outcome: "ok",
    request_id: "test",
    targets: "{}",
    target_count: 0,
    detail: "{}",
    created_at: NOW,
    hash: new Uint8Array(32),
  }),
  svc_audit_address: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    seq: n + 1,
    ip_address: "192.0.2.1",
    salt: new Uint8Array(16),
    created_at: NOW,
  }),
  svc_audit_checkpoint: ({ workspaceId, n }) => ({
    workspace_id: workspaceId,
    size: n + 1,
    root: new Uint8Array(32),
    note: `note ${n}`,
    created_at: NOW,
  }),
  svc_audit_node: ({ workspaceId, n }) => ({ workspace_id: workspaceId, block: n, hash: new Uint8Array(32) }),
  svc_audit_head: ({ workspaceId }) => ({ workspace_id: workspaceId, seq: 0, hash: new Uint8Array(32) }),
};

/** One row a workspace, whatever `n` is. */
export const SINGLE_ROW = new Set(["workspace", "federation_cursor", "feed_head", "svc_audit_head", "worth_cursor"]);

/** Tables whose seeded rows stand in the way of a further one: it is written over one of them. */
export const WRITTEN_AGAIN: Readonly<Record<string, string>> = {
  federation_cursor: "on conflict (workspace_id) do update set next_seq = excluded.next_seq",
  feed_head: "on conflict (workspace_id) do update set seq = excluded.seq",
  svc_audit_head: "on conflict (workspace_id) do update set seq = excluded.seq",
  unit_worth: "on conflict (workspace_id, unit_id) do update set due_at = excluded.due_at",
  worth_cursor: "on conflict (workspace_id) do update set seq = excluded.seq",
};

export interface Workspaces {
  readonly own: string;
  readonly other: string;
  /** Another one that has nothing but its own row, for tables of which a workspace has one row. */
  readonly bare: string;
}

/** What is wrong with the list of row-makers, as a sentence for whoever added or removed a table; `undefined` if nothing. */
export function findUncovered(tables: readonly { readonly name: string }[]): string | undefined {
  const missing = tables.filter(({ name }) => !(name in ROW_MAKERS)).map(({ name }) => name);
  if (missing.length > 0) {
    return `Cannot check ${missing.join(", ")}: a table with a workspace_id needs a row-maker in tests/db/_rows.ts`;
  }
  const gone = Object.keys(ROW_MAKERS).filter((name) => !tables.some((table) => table.name === name));
  if (gone.length > 0) {
    return `Cannot use the row-makers of ${gone.join(", ")}: there is no such table with a workspace_id`;
  }
}

/** Writes a row of each sensitivity into every table of two workspaces, past row-level security. */
export async function seed(sql: Sql): Promise<Workspaces> {
  const workspaces = { own: crypto.randomUUID(), other: crypto.randomUUID(), bare: crypto.randomUUID() };
  for (const workspaceId of [workspaces.own, workspaces.other]) {
    for (const [name, make] of Object.entries(ROW_MAKERS)) {
      for (const [n, sensitivity] of SENSITIVITIES.entries()) {
        if (n > 0 && SINGLE_ROW.has(name)) continue;
        await sql`insert into ${sql(name)} ${sql(make({ workspaceId, n, sensitivity }) as never)}`;
      }
    }
  }
  const bare = ROW_MAKERS["workspace"]!({ workspaceId: workspaces.bare, n: 0, sensitivity: "public" });
  await sql`insert into workspace ${sql(bare as never)}`;
  return workspaces;
}
