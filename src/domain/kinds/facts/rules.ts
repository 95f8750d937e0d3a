/** What the ledger does for facts beyond its work for all units. */
import { isRaised } from "../../unit/flow.ts";
import type { LedgerRules } from "../../unit/rules.ts";
import { reopenEnding } from "./ending.ts";
import { type FactBody, isLive, statusAt } from "./fields.ts";
import { settleNamed } from "./import_follow_ups.ts";
import { freeBelow } from "./reclassified.ts";
import { FACT_SUCCESSION } from "./succession.ts";
import { leavesForce, releaseContested, settleOutdating, settleReviews } from "./lock_rivals.ts";

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
    const raised = changes.flatMap(({ before, after }) => isRaised(before, after) ? [{ before, after }] : []);
    const freed = await freeBelow(tx, raised.map(({ after }) => after.id));
    const gone = left.filter(({ after }) => after === undefined || !isLive(after, tx.now));
    const reopened = await reopenEnding(tx, gone.map(({ before }) => before));
    const released = await releaseContested(tx, [...left, ...raised].map(({ before }) => before));
    return [...freed, ...reopened, ...released];
  },
  onNamed: settleNamed,
  succession: FACT_SUCCESSION,
};
