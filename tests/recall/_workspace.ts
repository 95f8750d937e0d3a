/**
 * A workspace without a service: transactions on a database of its own, and no loops that change it in the meantime.
 */
import { createDatabase } from "../_postgres.ts";
import { connectionOf } from "../../scripts/gate/native_postgres.ts";
import { createContext, type Deps, type OperationContext } from "../../src/context.ts";
import { uuidv7 } from "../../src/crypto/ids.ts";
import { Database } from "../../src/db/database.ts";
import { createWorkspace } from "../../src/db/queries/workspaces.ts";
import type { Tx } from "../../src/db/tx.ts";
import { RULES } from "../../src/domain/kinds/registry.ts";
import { allocateDocNos, analyseOnly, indexTexts } from "../../src/domain/unit/indexing.ts";
import { useRules } from "../../src/domain/unit/rules.ts";
import type { IndexedText } from "../../src/domain/unit/unindexing.ts";
import { SentenceEncoder } from "../../src/providers/sentence_encoder/sentence_encoder.ts";
import type { Sensitivity } from "../../src/schema/common.ts";
import { noopTelemetry } from "../../src/telemetry/telemetry.ts";

// The composition of a service does the same.
useRules(RULES);

/** @param onCommitting runs in each transaction with changes, right before its commit */
export async function openWorkspace(onCommitting?: (tx: Tx) => Promise<undefined>) {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createDatabase());
  const db = stack.use(
    new Database({
      connection: connectionOf(database.requestUrl),
      deadlineMs: 10_000,
      clock: () => new Date(),
      ...onCommitting && { onCommitting },
    }),
  );
  const deps = {
    db,
    embeddings: new SentenceEncoder({ dimension: 384, mode: "table" }),
    clock: () => new Date(),
    telemetry: noopTelemetry(),
  };
  const workspaceId = uuidv7(new Date());
  await db.system((sql) => createWorkspace(sql, { workspaceId, name: "test", region: "us-east-1" }));
  /** The context of a caller with a clearance. */
  const as = (maxSensitivity: Sensitivity): OperationContext =>
    createContext(
      deps as unknown as Deps,
      { actor: "cli", workspaceId, scopes: new Set<never>(), maxSensitivity },
      { requestId: "test", operationId: "test", signal: new AbortController().signal },
    );
  const kept = stack.move();
  return { as, ctx: as("restricted"), database, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Indexes texts of facts that all have the same word; each term gets one row of postings for all. */
export async function writeWord(
  { deps }: OperationContext,
  tx: Tx,
  word: string,
  count: number,
): Promise<IndexedText[]> {
  const text = { kind: "fact", sensitivity: "internal", text: word } as const;
  const prepared = analyseOnly(text, deps.embeddings.model);
  const docNos = await allocateDocNos(tx, count);
  await indexTexts(tx, docNos.map((docNo) => ({ docNo, groupNo: 0, position: 0, prepared })));
  return docNos.map((docNo) => ({ docNo, ...text }));
}
