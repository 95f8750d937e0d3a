/** What the ledger does for facts: their triples name entities, and a fact that leaves force releases those that it contradicted. */
import type { LedgerRules } from "../../unit/rules.ts";
import type { FactBody } from "./fields.ts";
import { releaseContested } from "./settle.ts";

export const FACT_RULES: LedgerRules<FactBody> = {
  people: [],
  terms: ["subject", "object"],
  async onChanged(tx, changes) {
    await releaseContested(tx, changes.map(({ before }) => before));
  },
};
