/**
 * Exports a workspace as JSONL in constant memory.
 *
 * Each page is read in a transaction of its own, so that no transaction lives as long as its reader. All pages show the
 * point of the change feed that the header names, so they are consistent. A file that breaks off has no end line.
 */
import { createHash } from "node:crypto";
import type { OperationContext } from "../../context.ts";
import { readFeedHead } from "../../db/queries/changes.ts";
import type { ExportView } from "../../db/queries/exports.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import {
  type ExportEnd,
  type ExportHeader,
  TRANSFER_FORMAT,
  TRANSFER_VERSION,
  type TransferKind,
} from "../../schema/transfer.ts";
import { hideAboveIn } from "../common/hidden.ts";
import { findApiKey } from "../../db/queries/api_keys.ts";
import { findWorkspace } from "../../db/queries/workspaces.ts";
import { isExpired, refusedCredentials, refuseSuspended } from "../access/credentials.ts";
import { auditTrailOf, subjectOf } from "../audit/trail.ts";
import type { AnyLineKind } from "./line_kind.ts";
import { LINE_KINDS } from "./registry.ts";
import { pause } from "../../pause.ts";

export interface ExportOptions {
  readonly asOf?: string | undefined;
  readonly types?: readonly TransferKind[] | undefined;
}

/** The text of one page in bytes, from which the number of its rows follows; the first page has few rows. */
const PAGE_BYTES = 1_048_576;
const ROWS_MIN = 10;
const ROWS_FIRST = 50;
const ROWS_MAX = 1_000;

/** For how long a page is retried, in milliseconds: longer than a database takes to restart. */
const PATIENCE_MS = 30_000;
/** The first pause before a retry, in milliseconds. Each pause doubles the one before, up to the longest. */
const PAUSE_MS = 250;
const PAUSE_MS_MAX = 4_000;
/** After this many attempts the page has the fewest rows that a page may have. */
const TRIES_MAX = 7;
/** The codes of errors that pass by themselves: the database is away or busy. */
const PASSING_CODES: readonly string[] = ["unavailable", "deadline_exceeded"];

const encoder = new TextEncoder();

/**
 * Begins an export; refusals happen here. The result gives the file's bytes in chunks of whole lines as the reader asks
 * for them; it throws when the export breaks off.
 * @throws ServiceError `validation_failed` for an `asOf` in the future.
 */
export async function beginExport(
  ctx: OperationContext,
  options: ExportOptions = {},
): Promise<AsyncIterableIterator<Uint8Array<ArrayBuffer>>> {
  const now = ctx.deps.clock();
  const asOf = options.asOf === undefined ? null : new Date(options.asOf);
  if (asOf !== null && asOf > now) {
    throw new ServiceError("validation_failed", "Cannot export: asOf is in the future", {
      errors: [{ path: "asOf", message: "must not be in the future" }],
    });
  }
  const seq = await ctx.tx(readFeedHead, { readOnly: true });
  const header: ExportHeader = {
    kind: "header",
    format: TRANSFER_FORMAT,
    version: TRANSFER_VERSION,
    instance: ctx.deps.config.instanceId,
    workspace: ctx.workspaceId,
    exportedAt: now.toISOString(),
    asOf: asOf?.toISOString() ?? null,
    clearance: ctx.maxSensitivity,
    types: options.types === undefined ? null : [...new Set(options.types)],
    seq,
    embeddingModel: ctx.deps.embeddings.model,
  };
  return writeFile(ctx, header, { seq, asOf });
}

/** Records in the audit log an export that no request asked for; exports by request get their row from the request. */
export async function tellExport(ctx: OperationContext, { asOf, types }: ExportOptions): Promise<void> {
  await ctx.tx(async (tx) =>
    tx.audit({ eventType: "workspace.exported", detail: { asOf: asOf ?? null, types: types ?? null } })
  );
}

async function* writeFile(
  ctx: OperationContext,
  header: ExportHeader,
  view: ExportView,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  const hash = createHash("sha256");
  const omitted: Record<string, number> = {};
  let count = 0;
  let end: ExportEnd | undefined;
  try {
    const first = encoder.encode(toText([header]));
    hash.update(first);
    yield first;
    for (const kind of LINE_KINDS.values()) {
      if (header.types !== null && !header.types.includes(kind.kind)) continue;
      for await (const page of readPages(ctx, kind, view)) {
        count += page.lines;
        hash.update(page.bytes);
        yield page.bytes;
      }
      const left = view.asOf === null ? undefined : await countOmitted(ctx, kind, view.asOf);
      if (left) omitted[kind.kind] = left;
    }
    const seq = await read(ctx, readFeedHead);
    end = { kind: "end", count, sha256: hash.digest("hex"), seq, omitted };
    yield encoder.encode(toText([end]));
  } finally {
    // This also records an export that breaks off, or whose reader disconnects, up to that point.
    auditTrailOf(ctx.deps).note(ctx.workspaceId, subjectOf(ctx), {
      eventType: "export.ended",
      outcome: end === undefined ? "broken_off" : "ok",
      targetCount: count,
      detail: { sha256: end?.sha256 ?? hash.digest("hex"), asOf: header.asOf, types: header.types },
    });
  }
}

function toText(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

interface Page {
  readonly lines: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Reads all pages of a kind. Each page has as many rows as will make `PAGE_BYTES`, by the size of the last one. */
async function* readPages(ctx: OperationContext, kind: AnyLineKind, view: ExportView): AsyncGenerator<Page, void> {
  let after: unknown;
  let limit = ROWS_FIRST;
  for (;;) {
    const page = await read(ctx, async (tx, tries) => {
      const found = await kind.page(tx, view, after, Math.max(ROWS_MIN, limit >> tries));
      return { ...found, lines: await hideAboveIn(tx, found.lines) };
    });
    const bytes = encoder.encode(toText(page.lines));
    if (page.lines.length > 0) yield { lines: page.lines.length, bytes };
    if (page.isLast) return;
    after = page.next;
    const fitting = Math.floor(limit * PAGE_BYTES / Math.max(1, bytes.byteLength));
    limit = Math.min(ROWS_MAX, 4 * limit, Math.max(ROWS_MIN, fitting));
  }
}

async function countOmitted(ctx: OperationContext, kind: AnyLineKind, asOf: Date): Promise<number | undefined> {
  const count = kind.countOmitted;
  return count && await read(ctx, (tx) => count(tx, asOf));
}

/**
 * Reads a page, independent of the request's signal: the server may consider the request done as soon as the reply has
 * begun. If the caller disconnects, the reader ends and no further page is read. If the database is away or busy for a
 * moment, the page is retried; `work` gets the number of failed attempts.
 */
async function read<T>(ctx: OperationContext, work: (tx: Tx, tries: number) => Promise<T>): Promise<T> {
  const { stopping } = ctx.deps;
  const until = performance.now() + PATIENCE_MS;
  for (let tries = 0;; tries = Math.min(tries + 1, TRIES_MAX)) {
    stopping.throwIfAborted();
    try {
      return await ctx.tx(async (tx) => (await requireServed(ctx, tx), await work(tx, tries)), {
        readOnly: true,
        fromReplica: true,
        signal: stopping,
      });
    } catch (error) {
      const isPassing = error instanceof ServiceError && PASSING_CODES.includes(error.code);
      if (!isPassing || tries === TRIES_MAX && performance.now() >= until) throw error;
      await pause(Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** tries));
    }
  }
}

/**
 * Breaks an export off whose workspace is suspended or erased, or whose key has ended, since it began; the operator's goes on.
 * @throws ServiceError `workspace_suspended`, `unauthenticated`
 */
async function requireServed({ key, actor, credential, deps }: OperationContext, tx: Tx): Promise<void> {
  if (key === undefined) return;
  const workspace = await findWorkspace(tx);
  refuseSuspended({ isSuspended: workspace === undefined || workspace.suspendedAt !== null });
  if (credential === undefined || !actor.startsWith("key:")) return;
  const row = await findApiKey(tx.sql, credential);
  if (row === undefined || row.revokedAt !== null || isExpired(row, deps.clock())) throw refusedCredentials();
}
