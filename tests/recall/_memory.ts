/** A memory to recall from: sessions over HTTP, units straight through the write path that all units share. */
import { type OperationContext } from "../../src/context.ts";
import { insertRevisions, insertUnits } from "../../src/db/queries/unit_writes.ts";
import type { UnitRow } from "../../src/db/queries/unit_columns.ts";
import { uuidv7 } from "../../src/crypto/ids.ts";
import { allocateDocNos, indexTexts, prepareTexts } from "../../src/domain/unit/indexing.ts";
import type { TestService } from "../_service.ts";

export async function addSession(
  service: TestService,
  turns: readonly Record<string, unknown>[],
  options: { key?: string; session?: Record<string, unknown> } = {},
): Promise<{ sessionId: string; turnIds: string[] }> {
  const session = await service.post("/v1/session", options.session ?? {}, { ...options });
  if (session.status !== 201) throw new Error(JSON.stringify(session.body));
  const added = await service.post(`/v1/session/${session.body.id}/turns`, { turns }, { ...options });
  if (added.status !== 201) throw new Error(JSON.stringify(added.body));
  // deno-lint-ignore no-explicit-any
  return { sessionId: session.body.id, turnIds: added.body.turns.map((turn: any) => turn.id) };
}

export function turn(name: string, content: string, more: Record<string, unknown> = {}) {
  return { role: "user", name, content, occurredAt: "2023-05-08T13:56:00Z", ...more };
}

/** Writes units as every unit is written: the row, its first revision and its text's index, in one transaction. */
export async function addUnits(
  ctx: OperationContext,
  units: readonly (Partial<UnitRow> & { readonly text: string })[],
): Promise<UnitRow[]> {
  const prepared = await prepareTexts(
    ctx,
    units.map(({ text, type = "fact", sensitivity = "internal" }) => ({ text, kind: type, sensitivity })),
  );
  return await ctx.tx(async (tx) => {
    const docNos = await allocateDocNos(tx, units.length);
    const rows = units.map((unit, i): UnitRow => {
      const id = uuidv7(tx.now);
      return {
        id,
        type: "fact",
        version: 1,
        status: "active",
        attribution: "user_stated",
        trustScore: 90,
        trustCap: 100,
        confidence: 0.8,
        sensitivity: "internal",
        tags: [],
        metadata: {},
        worth: 0.5,
        pinned: false,
        contentHash: id,
        originInstance: "instance:test",
        originId: id,
        derivedFrom: [],
        stale: false,
        docNo: docNos[i],
        body: {},
        tripleKey: null,
        validFrom: null,
        validTo: null,
        recordedAt: tx.now,
        retractedAt: null,
        occurredAt: null,
        expiresAt: null,
        entityIds: [],
        corroborationCount: 0,
        createdAt: tx.now,
        updatedAt: tx.now,
        createdBy: tx.actor,
        ...unit,
      };
    });
    await insertUnits(tx, rows);
    const version = { event: "created", reason: null, recordedAt: tx.now, replacedAt: null, changedBy: tx.actor };
    await insertRevisions(tx, rows.map((unit) => ({ unit, ...version })));
    await indexTexts(tx, rows.map(({ docNo }, i) => ({ docNo, groupNo: 0, position: 0, prepared: prepared[i] })));
    for (const { id, type, sensitivity } of rows) {
      tx.record({ kind: `${type}.created`, resourceType: type, resourceId: id, version: 1, sensitivity });
    }
    return rows;
  });
}
