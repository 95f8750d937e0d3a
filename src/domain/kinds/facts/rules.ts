/** What the ledger does for facts beyond its work for all units. */
import type { LedgerRules } from "../../unit/rules.ts";
import { reopenEnding } from "./ending.ts";
import { type FactBody, isLive, statusAt } from "./fields.ts";
import { settleNamed } from "./named.ts";
import { FACT_SUCCESSION } from "./succession.ts";
import { leavesForce, releaseContested, settleOutdating, settleReviews } from "./settle.ts";

export const FACT_RULES: LedgerRules<FactBody> = {
  isStatement: true,
  called: ["subject"],
  people: [],
  terms: ["subject", "object"],
  // Restoring gives the fact back its state at the time of archiving, which may be `expired`.
  whenArchived: (fact, now) => ({ body: { ...fact.body, archivedFrom: statusAt(fact, now) } }),
  async onChanged(tx, changes) {
    await settleReviews(tx, changes);
    await settleOutdating(tx, changes);
    const left = changes.filter(leavesForce);
    const gone = left.filter(({ after }) => after === undefined || !isLive(after, tx.now));
    const reopened = await reopenEnding(tx, gone.map(({ before }) => before));
    return [...reopened, ...await releaseContested(tx, left.map(({ before }) => before))];
  },
  onNamed: settleNamed,
  succession: FACT_SUCCESSION,
};
