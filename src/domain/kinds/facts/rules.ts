/** What the ledger does for facts beyond what it does for all units. */
import type { LedgerRules } from "../../unit/rules.ts";
import { type FactBody, statusAt } from "./fields.ts";
import { settleNamed } from "./named.ts";
import { FACT_SUCCESSION } from "./succession.ts";
import { leavesForce, releaseContested, settleReviews } from "./settle.ts";

export const FACT_RULES: LedgerRules<FactBody> = {
  called: ["subject"],
  people: [],
  terms: ["subject", "object"],
  // Restoring gives it the state back that it had, by then perhaps that of one which had expired.
  whenArchived: (fact, now) => ({ body: { ...fact.body, archivedFrom: statusAt(fact, now) } }),
  async onChanged(tx, changes) {
    await settleReviews(tx, changes);
    return await releaseContested(tx, changes.filter(leavesForce).map(({ before }) => before));
  },
  onNamed: settleNamed,
  succession: FACT_SUCCESSION,
};
