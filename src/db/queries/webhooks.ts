/** Statements on `webhook_endpoint`. */
import type { Sensitivity } from "../../schema/common.ts";
import type { Scope } from "../../schema/scopes.ts";
import type { WebhookStatus } from "../../schema/webhook.ts";
import type { Sql, Tx } from "../tx.ts";

/** Why an endpoint is disabled; see the schema of `statusReason`. */
export type StatusReason = "manual" | "gone" | "failing" | "backlog" | "key";

/** The scopes that the key of an endpoint needs: to set it up, and to read the changes that the endpoint is sent. */
export const WEBHOOK_SCOPES: readonly Scope[] = ["memory:admin", "memory:read"];
/** The scope that it also needs if the endpoint is sent changes of tasks and events. */
const TASK_SCOPE: Scope = "tasks:read";

/** The columns of an endpoint that callers and the worker change. */
export interface WebhookState {
  readonly url: string;
  readonly description: string | null;
  readonly kinds: readonly string[];
  readonly status: WebhookStatus;
  readonly statusReason: StatusReason | null;
  readonly maxSensitivity: Sensitivity;
  /** Whether the endpoint is sent changes of tasks and events. */
  readonly withTasks: boolean;
  /** The key that answers for the endpoint; null: the command line does. */
  readonly keyId: string | null;
  readonly ratePerMinute: number | null;
  /** Sealed. */
  readonly secrets: string;
  readonly cursorSeq: number;
  readonly verifiedAt: Date | null;
  readonly verifyAttempts: number;
  readonly verifyAt: Date | null;
  readonly lastError: string | null;
  readonly failingSince: Date | null;
  readonly failures: number;
  readonly lastSuccessAt: Date | null;
  readonly throttledUntil: Date | null;
  readonly deadToldAt: Date | null;
}

export interface WebhookRow extends WebhookState {
  readonly id: string;
  readonly version: number;
  /** Whether the endpoint's key may still read what the endpoint is sent; always true for the command line's. */
  readonly isEntitled: boolean;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

function columns({ sql, now }: Tx) {
  return sql`
    id, version, url, description, kinds, status, status_reason as "statusReason", sensitivity as "maxSensitivity",
    with_tasks as "withTasks", key_id as "keyId",
    (key_id is null or exists (
      select from api_key k
       where k.workspace_id = webhook_endpoint.workspace_id and k.key_id = webhook_endpoint.key_id
         and k.revoked_at is null and coalesce(k.expires_at > ${now}, true)
         and k.max_sensitivity >= webhook_endpoint.sensitivity and k.scopes @> ${WEBHOOK_SCOPES as string[]}::text[]
         and (not webhook_endpoint.with_tasks or ${TASK_SCOPE} = any(k.scopes)))) as "isEntitled",
    rate_per_minute as "ratePerMinute", secrets, cursor_seq::float8 as "cursorSeq",
    verified_at as "verifiedAt", verify_attempts as "verifyAttempts", verify_at as "verifyAt",
    last_error as "lastError", failing_since as "failingSince", failures, last_success_at as "lastSuccessAt",
    throttled_until as "throttledUntil", dead_told_at as "deadToldAt", created_by as "createdBy",
    created_at as "createdAt", updated_at as "updatedAt"`;
}

/** The members with which an endpoint is created. */
export type NewWebhook =
  & Pick<WebhookState, "url" | "description" | "kinds" | "maxSensitivity" | "withTasks" | "keyId">
  & Pick<WebhookState, "ratePerMinute" | "secrets" | "cursorSeq">
  & Pick<WebhookRow, "id">;

/** Stores an endpoint as unverified. The worker then sends the challenge to its URL. */
export async function insertWebhook(tx: Tx, webhook: NewWebhook): Promise<WebhookRow> {
  const { sql } = tx;
  const { id, url, description, kinds, maxSensitivity, withTasks, keyId, ratePerMinute, secrets, cursorSeq } = webhook;
  const [row] = await sql<[WebhookRow]>`
    insert into webhook_endpoint (workspace_id, id, url, description, kinds, status, sensitivity, with_tasks,
                                  key_id, rate_per_minute, secrets, cursor_seq, verify_at, created_by, created_at, updated_at)
    values (${tx.workspaceId}, ${id}, ${url}, ${description}, ${kinds as string[]}, 'unverified', ${maxSensitivity},
            ${withTasks}, ${keyId}, ${ratePerMinute}, ${secrets}, ${cursorSeq}, ${tx.now}, ${tx.actor}, ${tx.now}, ${tx.now})
    returning ${columns(tx)}`;
  return row;
}

/** Finds one endpoint; with `lock`, nobody else changes it until the transaction ends. */
export async function findWebhook(tx: Tx, id: string, lock = false): Promise<WebhookRow | undefined> {
  const { sql } = tx;
  const [row] = await sql<WebhookRow[]>`
    select ${columns(tx)} from webhook_endpoint
     where workspace_id = ${tx.workspaceId} and id = ${id} ${lock ? sql`for update` : sql``}`;
  return row;
}

export interface WebhookFilter {
  readonly order: "asc" | "desc";
  /** The last id of the page before. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Lists endpoints in the order in which they were created. */
export async function listWebhooks(tx: Tx, { order, after, limit }: WebhookFilter): Promise<WebhookRow[]> {
  const { sql } = tx;
  return await sql<WebhookRow[]>`
    select ${columns(tx)} from webhook_endpoint
     where workspace_id = ${tx.workspaceId}
       ${after === undefined ? sql`` : order === "asc" ? sql`and id > ${after}` : sql`and id < ${after}`}
     order by id ${order === "asc" ? sql`asc` : sql`desc`} limit ${limit}`;
}

/** Counts the endpoints that the transaction sees in its workspace. */
export async function countWebhooks(tx: Tx): Promise<number> {
  const [row] = await tx.sql<[{ count: number }]>`
    select count(*)::integer as count from webhook_endpoint where workspace_id = ${tx.workspaceId}`;
  return row.count;
}

/**
 * Writes an endpoint that the transaction has locked. A caller's change makes a new version; a note of the worker does not.
 */
export async function updateWebhook(
  tx: Tx,
  id: string,
  state: WebhookState,
  isNewVersion: boolean,
): Promise<WebhookRow> {
  const { sql } = tx;
  const [row] = await sql<[WebhookRow]>`
    update webhook_endpoint
       set url = ${state.url}, description = ${state.description}, kinds = ${state.kinds as string[]},
           status = ${state.status}, status_reason = ${state.statusReason}, sensitivity = ${state.maxSensitivity},
           with_tasks = ${state.withTasks}, key_id = ${state.keyId}, rate_per_minute = ${state.ratePerMinute}, secrets = ${state.secrets}, cursor_seq = ${state.cursorSeq},
           verified_at = ${state.verifiedAt}, verify_attempts = ${state.verifyAttempts}, verify_at = ${state.verifyAt},
           last_error = ${state.lastError}, failing_since = ${state.failingSince}, failures = ${state.failures},
           last_success_at = ${state.lastSuccessAt}, throttled_until = ${state.throttledUntil},
           dead_told_at = ${state.deadToldAt}
           ${isNewVersion ? sql`, version = version + 1, updated_at = ${tx.now}` : sql``}
     where workspace_id = ${tx.workspaceId} and id = ${id} returning ${columns(tx)}`;
  return row;
}

/** Removes an endpoint and its deliveries. */
export async function deleteWebhook(tx: Tx, id: string): Promise<void> {
  await tx.sql`delete from webhook_endpoint where workspace_id = ${tx.workspaceId} and id = ${id}`;
}

/** An endpoint for which the sender has something to do. */
export interface DueWebhook {
  readonly workspaceId: string;
  readonly endpointId: string;
  readonly maxSensitivity: Sensitivity;
  readonly isUnverified: boolean;
  /** The feed has changes that the sender has not examined for this endpoint yet. */
  readonly isBehind: boolean;
  /** Its last attempt was a success. */
  readonly isTrusted: boolean;
}

/** Lists the endpoints for which there is something to do now, in the workspaces of a region or of all, in random order. */
export async function listDueWebhooks(
  sql: Sql,
  { now, region, limit }: { readonly now: Date; readonly region: string | undefined; readonly limit: number },
): Promise<DueWebhook[]> {
  return await sql<DueWebhook[]>`
    select workspace_id as "workspaceId", endpoint_id as "endpointId", max_sensitivity as "maxSensitivity",
           is_unverified as "isUnverified", is_behind as "isBehind", is_trusted as "isTrusted"
      from svc_system.due_webhooks(${now}, ${region ?? null}, ${limit})`;
}

/** Whether any workspace has an endpoint. */
export async function hasWebhooks(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ has: boolean }]>`select svc_system.has_webhooks() as has`;
  return row.has;
}

/** Numbers over all workspaces; deliveries of disabled endpoints are not counted. */
export interface WebhookGauges {
  readonly unverified: number;
  readonly enabled: number;
  readonly disabled: number;
  readonly pending: number;
  readonly oldestPendingAt: Date | null;
}

/** Reads the numbers for the metrics. */
export async function readWebhookGauges(sql: Sql): Promise<WebhookGauges> {
  const [row] = await sql<[WebhookGauges]>`
    select unverified::float8, enabled::float8, disabled::float8, pending::float8,
           oldest_pending_at as "oldestPendingAt"
      from svc_system.webhook_gauges()`;
  return row;
}
