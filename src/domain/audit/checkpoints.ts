/**
 * Makes checkpoints: signed and published tree heads of audit chains, so that whoever keeps one notices a rewrite. They
 * go to a table, to the log stream and, if configured, to a file.
 */
import type { OperationContext } from "../../context.ts";
import { headOf } from "../../crypto/merkle.ts";
import { writeCheckpoint } from "../../crypto/signed_note.ts";
import * as queries from "../../db/queries/audit_log.ts";
import { findWorkspace } from "../../db/queries/workspaces.ts";
import { ServiceError } from "../../errors.ts";
import type { AuditCheckpoint } from "../../schema/audit.ts";
import { auditCheckpointMade } from "../../telemetry/events.ts";
import { treeOf } from "./tree.ts";

/** How old the latest checkpoint may be before a reader gets a new one, in milliseconds. */
const FRESH_MS = 60_000;

/** The name of a workspace's log in its checkpoints; the system's own log is that of the workspace of all zeros. */
export function originOf(ctx: Pick<OperationContext, "deps" | "workspaceId">): string {
  return `${signerName(ctx)}/audit/${ctx.workspaceId}`;
}

function signerName({ deps }: Pick<OperationContext, "deps">): string {
  return `svc/${deps.config.instanceId.replace(/^instance:/, "")}`;
}

/** Makes a checkpoint of the whole log; undefined if nothing was added since the last one. */
export async function makeCheckpoint(ctx: OperationContext): Promise<queries.CheckpointRow | undefined> {
  const { signingKey: key } = ctx.deps;
  const made = await ctx.tx(async (tx) => {
    const [head, last] = await Promise.all([queries.readAuditHead(tx), queries.readLastCheckpoint(tx)]);
    if (head === undefined || head.seq <= (last?.size ?? 0)) return undefined;
    const root = await headOf(treeOf(tx, head.seq, { store: true }), 0, head.seq);
    const checkpoint = { origin: originOf(ctx), size: head.seq, root };
    const note = writeCheckpoint(checkpoint, key && { name: signerName(ctx), key });
    const row = { size: head.seq, root, note, createdAt: tx.now };
    return await queries.insertCheckpoint(tx, row) ? row : undefined;
  });
  if (made !== undefined) await publish(ctx, made);
  return made;
}

/** Writes it to the log stream and the file, which cannot be changed by somebody who can change the database. */
async function publish(ctx: OperationContext, { size, root, note }: queries.CheckpointRow): Promise<void> {
  const { config, telemetry } = ctx.deps;
  auditCheckpointMade(telemetry.log, { workspaceId: ctx.workspaceId, size, root: root.toHex(), note });
  if (config.auditCheckpointFile === undefined) return;
  await Deno.writeTextFile(config.auditCheckpointFile, `${JSON.stringify({ origin: originOf(ctx), note })}\n`, {
    append: true,
    mode: 0o600,
  });
}

/**
 * Returns the latest checkpoint, or a new one if it is older than a minute and the log has grown.
 * @throws ServiceError `not_found` while the log is empty
 */
export async function getCheckpoint(ctx: OperationContext): Promise<AuditCheckpoint> {
  const last = await ctx.tx(queries.readLastCheckpoint, { readOnly: true });
  const isFresh = last !== undefined && ctx.deps.clock().getTime() - last.createdAt.getTime() < FRESH_MS;
  const row = isFresh
    ? last
    : await makeCheckpoint(ctx) ?? await ctx.tx(queries.readLastCheckpoint, { readOnly: true });
  if (row === undefined) throw new ServiceError("not_found", "Cannot create a checkpoint: the audit log is empty");
  const { size, note } = row;
  const signed = note.includes("\n\n— ");
  return { origin: originOf(ctx), size, root: row.root.toHex(), note, signed, createdAt: row.createdAt.toISOString() };
}

const DAY_MS = 86_400_000;

/** Forgets a batch of the addresses that the workspace's settings say; returns whether there may be more. */
export async function forgetOldAddresses(ctx: OperationContext): Promise<boolean> {
  return await ctx.tx(async (tx) => {
    const days = (await findWorkspace(tx))?.auditAddressDays ?? null;
    if (days === null) return false;
    const before = new Date(tx.now.getTime() - days * DAY_MS);
    return await queries.deleteAuditAddresses(tx, before, ADDRESSES_AT_ONCE) === ADDRESSES_AT_ONCE;
  });
}

/** When the next address is old enough to be forgotten by the workspace's settings. */
export async function nextForgettingAt(ctx: OperationContext): Promise<Date | undefined> {
  return await ctx.tx(async (tx) => {
    const days = (await findWorkspace(tx))?.auditAddressDays ?? null;
    const oldest = days === null ? undefined : await queries.readOldestAddress(tx);
    return oldest && new Date(oldest.getTime() + days! * DAY_MS);
  }, { readOnly: true });
}

/** Forgets callers' addresses from before a time, in batches, and returns how many. The chain stays valid. */
export async function forgetAddresses(ctx: OperationContext, before: Date): Promise<number> {
  let count = 0;
  for (;;) {
    const deleted = await ctx.tx((tx) => queries.deleteAuditAddresses(tx, before, ADDRESSES_AT_ONCE));
    count += deleted;
    if (deleted < ADDRESSES_AT_ONCE) return count;
  }
}

const ADDRESSES_AT_ONCE = 5_000;
