/** Reads the audit log, verifies it and proves what it contains. */
import type { OperationContext } from "../../context.ts";
import type { AuditRecord } from "../../crypto/audit_chain.ts";
import { hashLeaf, headOf, proveConsistency, proveInclusion } from "../../crypto/merkle.ts";
import * as queries from "../../db/queries/audit_log.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type {
  AuditConsistency,
  AuditConsistencyQuery,
  AuditProof,
  AuditProofQuery,
  AuditRow,
  AuditVerification,
  ListAuditQuery,
  VerifyAuditQuery,
} from "../../schema/audit.ts";
import type { Page } from "../../schema/common.ts";
import { decodeCursor, encodeCursor, toPage } from "../common/cursor.ts";
import { treeOf } from "./tree.ts";
import { type ChainCheck, ChainVerifier, type KnownHead } from "./verify.ts";

/** Lists rows of the workspace's chain, the latest first unless the caller asks otherwise. */
export async function listAudit(ctx: OperationContext, query: ListAuditQuery): Promise<Page<AuditRow>> {
  const { limit, order, eventType, actorId, outcome, target, requestId } = query;
  const isSeq = (key: unknown): key is number => Number.isSafeInteger(key) && (key as number) >= 0;
  const after = decodeCursor("audit", order, query.cursor, isSeq);
  const date = (text: string | undefined) => text === undefined ? undefined : new Date(text);
  const filter = { eventTypes: eventType, actorId, outcome, target, requestId, order, after, limit: limit + 1 };
  const rows = await ctx.tx(
    (tx) => queries.listAuditRows(tx, { ...filter, from: date(query.from), to: date(query.to) }),
    { readOnly: true },
  );
  return toPage(rows, limit, toAuditRow, (row) => encodeCursor("audit", order, row.seq));
}

function toAuditRow(row: queries.AuditRowShown): AuditRow {
  return {
    ...toRecord(row),
    actor_type: row.actor_type as AuditRow["actor_type"],
    targets: [...row.targets],
    detail: row.detail as AuditRow["detail"],
    ip_address: row.ip_address,
    hash: row.hash.toHex(),
  };
}

/** Returns the members of a row that the hash chain covers. */
export function toRecord(row: queries.AuditRow): AuditRecord {
  return {
    workspace_id: row.workspace_id,
    seq: row.seq,
    id: row.id,
    actor_id: row.actor_id,
    actor_type: row.actor_type,
    event_type: row.event_type,
    outcome: row.outcome,
    request_id: row.request_id,
    targets: row.targets,
    target_count: row.target_count,
    detail: row.detail,
    created_at: row.created_at.toISOString(),
    ip_commitment: row.ip_commitment,
  };
}

/** Rows that one round trip of the verification reads. */
const VERIFIED_AT_ONCE = 2_000;

/** Rows of the chain, and the checkpoints that were stored over their numbers. */
interface ChainChunk {
  readonly rows: readonly queries.AuditRowKept[];
  readonly checkpoints: readonly KnownHead[];
}

/** Gives the rows from `from` on in chunks, each read in a transaction of its own: a row never changes. */
export async function* readChain(ctx: OperationContext, from: number): AsyncGenerator<ChainChunk> {
  for (let next = from;;) {
    const chunk = await ctx.tx(async (tx) => {
      const rows = await queries.readAuditRows(tx, next, VERIFIED_AT_ONCE);
      const last = rows.at(-1)?.seq;
      return { rows, checkpoints: last === undefined ? [] : await queries.listCheckpoints(tx, next, last) };
    }, { readOnly: true });
    if (chunk.rows.length === 0) return;
    yield chunk;
    next = chunk.rows.at(-1)!.seq + 1;
  }
}

/** Walks the chain and compares it with the stored heads and with those that the caller kept. */
export async function checkChain(
  ctx: OperationContext,
  { from = 1, to, heads = [] }: { from?: number; to?: number; heads?: readonly KnownHead[] },
): Promise<ChainCheck> {
  const { end, start, latest } = await ctx.tx(async (tx) => ({
    // The end is read first, because rows that are appended meanwhile do no harm.
    end: await queries.readAuditHead(tx),
    start: from === 1 ? undefined : (await queries.readAuditRows(tx, from - 1, 1))[0],
    latest: await queries.readLastCheckpoint(tx),
  }), { readOnly: true });
  if (from > 1 && start?.seq !== from - 1) {
    return { ok: false, rows: 0, size: 0, root: undefined, problem: "missing", firstBadSeq: from - 1, headsChecked: 0 };
  }
  const last = Math.min(to ?? Infinity, end?.seq ?? 0);
  // A checkpoint over more rows than the log has shows that the log was cut off.
  const beyond = latest !== undefined && latest.size > (end?.seq ?? 0) ? [latest] : [];
  const within = (head: KnownHead) => to === undefined || head.size <= to;
  const verifier = new ChainVerifier([...beyond, ...heads].filter(within), start);
  for await (const { rows, checkpoints } of readChain(ctx, from)) {
    if (from === 1) verifier.expect(checkpoints.filter((head) => head.size <= last));
    for (const row of rows) if (row.seq <= last) verifier.add(toRecord(row), row.hash, row);
    if (verifier.isBroken || rows.at(-1)!.seq >= last) break;
  }
  return verifier.finish(last === end?.seq ? end : undefined);
}

/** Verifies the workspace's chain. If the log was rewritten as a whole, only a checkpoint kept elsewhere shows it. */
export async function verifyAudit(ctx: OperationContext, query: VerifyAuditQuery): Promise<AuditVerification> {
  const check = await checkChain(ctx, { from: query.from ?? 1, ...(query.to !== undefined && { to: query.to }) });
  return {
    ok: check.ok,
    size: check.size,
    root: check.root?.toHex() ?? null,
    problem: check.problem ?? null,
    firstBadSeq: check.firstBadSeq ?? null,
    checkpointsChecked: check.headsChecked,
  };
}

/** The number of rows of the requested tree. @throws ServiceError `not_found` when the log has fewer. */
async function requireSize(tx: Tx, asked: number | undefined): Promise<number> {
  const size = (await queries.readAuditHead(tx))?.seq ?? 0;
  if (size === 0 || (asked ?? 0) > size) {
    throw new ServiceError("not_found", `Cannot prove: the audit log has only ${size} rows`);
  }
  return asked ?? size;
}

/** Proves that a row is in the log. @throws ServiceError `not_found` */
export async function proveAuditRow(ctx: OperationContext, seq: number, query: AuditProofQuery): Promise<AuditProof> {
  return await ctx.tx(async (tx) => {
    const size = await requireSize(tx, query.size);
    const [row] = seq > size ? [] : await queries.readAuditRows(tx, seq, 1);
    if (row?.seq !== seq) {
      throw new ServiceError("not_found", "Cannot prove: a tree of this size has no such row");
    }
    const tree = treeOf(tx, size);
    const path = await proveInclusion(tree, seq - 1, size);
    return {
      seq,
      size,
      leafHash: hashLeaf(row.hash).toHex(),
      root: (await headOf(tree, 0, size)).toHex(),
      path: path.map((hash) => hash.toHex()),
    };
  }, { readOnly: true });
}

/** Proves that an earlier state of the log is the beginning of a later one. @throws ServiceError `not_found` */
export async function proveAuditConsistency(
  ctx: OperationContext,
  { first, second: asked }: AuditConsistencyQuery,
): Promise<AuditConsistency> {
  return await ctx.tx(async (tx) => {
    const second = await requireSize(tx, asked);
    if (first > second) throw new ServiceError("not_found", `Cannot prove: the audit log has only ${second} rows`);
    const tree = treeOf(tx, second);
    return {
      first,
      firstRoot: (await headOf(tree, 0, first)).toHex(),
      second,
      secondRoot: (await headOf(tree, 0, second)).toHex(),
      path: (await proveConsistency(tree, first, second)).map((hash) => hash.toHex()),
    };
  }, { readOnly: true });
}
