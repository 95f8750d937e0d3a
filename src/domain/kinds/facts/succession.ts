/** Carries out a relation `supersedes` between two facts. */
import { lockNames } from "../../../db/queries/units.ts";
import { ServiceError } from "../../../errors.ts";
import { mayChange } from "../../unit/flow.ts";
import type { SuccessionRules } from "../../unit/rules.ts";
import { requireUnit, reviseUnits } from "../../unit/store.ts";
import { worldTime } from "./conflicts.ts";
import { reopening } from "./ending.ts";
import type { FactBody, FactRow } from "./fields.ts";
import { isEndedBy, supersession } from "./judgement.ts";
import { reinstate } from "./lifecycle.ts";
import { requireReplaceable } from "./replaceable.ts";
import { namesOf } from "./lock_rivals.ts";

/** A fact in these states supersedes none. */
const WITHDRAWN: readonly string[] = ["retracted", "archived"];

export const FACT_SUCCESSION: SuccessionRules<FactBody> = {
  lock: (tx, facts) => lockNames(tx, namesOf(facts as readonly FactRow[])),
  async supersede(ctx, tx, { old: { id }, by: { id: byId }, at, reason }) {
    const old = await requireUnit<FactBody>(tx, "fact", id, { lock: "update" });
    const by = await requireUnit<FactBody>(tx, "fact", byId, { lock: "update" });
    if (isEndedBy(old, by.id) || (old.status === "superseded" && old.body.supersededBy === by.id)) return;
    if (WITHDRAWN.includes(by.status)) {
      const message = `is ${by.status}: it takes the place of nothing`;
      throw new ServiceError("validation_failed", `Cannot supersede the fact: sourceId ${message}`, {
        errors: [{ path: "sourceId", message }],
      });
    }
    if (by.body.supersededBy === old.id) {
      const message = "is superseded by the target: neither would be in force";
      throw new ServiceError("validation_failed", `Cannot supersede the fact: sourceId ${message}`, {
        errors: [{ path: "sourceId", message }],
      });
    }
    requireReplaceable(ctx, tx, old, by, "targetId");
    const closesAt = at ?? worldTime(by) ?? tx.now;
    const closing = mayChange(by, old) ? [supersession(old, { by: by.id, closesAt, now: tx.now, reason })] : [];
    const named = mayChange(old, by) && by.body.supersedes === null ? { ...by.body, supersedes: id } : by.body;
    // What is less sensitive stays in force; those who may see both are told that it is outdated.
    const body = closing.length > 0 ? named : { ...named, outdates: [...new Set([...by.body.outdates ?? [], id])] };
    const naming = body === by.body ? [] : [{ unit: by, changes: { body }, note: { event: "updated", reason } }];
    await reviseUnits(tx, [...closing, ...naming]);
  },
  async reopen(tx, { old: { id }, by, reason }) {
    const old = await requireUnit<FactBody>(tx, "fact", id, { lock: "update" });
    if (isEndedBy(old, by.id)) {
      await reviseUnits(tx, [reopening(old, [], tx.now, reason)]);
    } else if (old.status === "superseded" && old.body.supersededBy === by.id) {
      await reinstate(tx, old, reason);
    } else if (!mayChange(by, old)) {
      const successor = await requireUnit<FactBody>(tx, "fact", by.id, { lock: "update" });
      const { supersedes, outdates = [] } = successor.body;
      const body = {
        ...successor.body,
        supersedes: supersedes === id ? null : supersedes,
        outdates: outdates.filter((one) => one !== id),
      };
      await reviseUnits(tx, [{ unit: successor, changes: { body }, note: { event: "updated", reason } }]);
    }
  },
};
