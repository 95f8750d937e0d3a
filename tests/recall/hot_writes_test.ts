/** What is written reaches the memory of the process as the database has it. */
import assert from "node:assert/strict";
import type { HotRow } from "../../src/db/queries/hot.ts";
import type { EmbeddingProvider } from "../../src/providers/embeddings.ts";
import { HotIndex } from "../../src/domain/recall/hot/index.ts";
import { putNow } from "../../src/domain/recall/hot/rows.ts";
import { RULES } from "../../src/domain/kinds/registry.ts";
import { useRules } from "../../src/domain/unit/rules.ts";

// The composition of a service does the same.
useRules(RULES);

const NO_EMBEDDINGS = { inProcess: false } as unknown as EmbeddingProvider;

function fact(docNo: number, status: string, links: HotRow["links"]): HotRow {
  const texts = { id: `fact ${docNo}`, type: "fact", text: `Delivery ${docNo}`, status, sensitivity: "internal" };
  const lists = { tags: [], entityIds: [], metadata: {}, body: {}, links };
  const none = { bits: null, occurredAt: null, validFrom: null, validTo: null, expiresAt: null, tripleKey: null };
  const session = { sessionId: null, messageId: null, role: null, name: null, groupNo: 0, position: 0 };
  return {
    docNo,
    ...texts,
    ...lists,
    ...none,
    ...session,
    recordedAt: new Date(0),
    pinned: false,
  } as unknown as HotRow;
}

function write(index: HotIndex, ids: readonly string[], rows: readonly HotRow[], units: readonly HotRow[]): void {
  const rest = { units, former: [], keys: [] };
  putNow(index, { ids, rows, names: [], roots: [], rest, vectors: [] }, NO_EMBEDDINGS);
}

Deno.test("a link to a unit that is no longer in force counts as one in the database does, until the unit is gone", () => {
  const index = new HotIndex();
  index.isComplete = true;
  const link = ["fact 1", "fact 2", 0.8, 7, 1] as const;
  const linked = () => index.links.of("fact 1").map(({ id }) => id);
  write(index, ["fact 1", "fact 2"], [fact(1, "active", [link]), fact(2, "active", [link])], []);
  assert.deepEqual(linked(), ["fact 2"]);
  write(index, ["fact 2"], [], [fact(2, "superseded", [link])]);
  assert.deepEqual(linked(), ["fact 2"]);
  write(index, ["fact 2"], [], []);
  assert.deepEqual(linked(), []);
});
