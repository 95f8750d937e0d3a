/** Carries out a relation `supersedes` between two facts. */
import { lockNames } from "../../../db/queries/units.ts";
import { ServiceError } from "../../../errors.ts";
import type { SuccessionRules } from "../../unit/rules.ts";
import { requireUnit, reviseUnits } from "../../unit/store.ts";
import { worldTime } from "./conflicts.ts";
import { reopening } from "./ending.ts";
import type { FactBody, FactRow } from "./fields.ts";
import { isEndedBy, supersession } from "./judgement.ts";
import { reinstate } from "./lifecycle.ts";
import { requireReplaceable } from "./replaceable.ts";
import { namesOf } from "./settle.ts";

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
    const closing = supersession(old, { by: by.id, closesAt: at ?? worldTime(by) ?? tx.now, now: tx.now, reason });
    const naming = { unit: by, changes: { body: { ...by.body, supersedes: id } }, note: { event: "updated", reason } };
    await reviseUnits(tx, by.body.supersedes === null ? [closing, naming] : [closing]);
  },
  async reopen(tx, { old: { id }, by, reason }) {
    const old = await requireUnit<FactBody>(tx, "fact", id, { lock: "update" });
    if (isEndedBy(old, by.id)) {
      await reviseUnits(tx, [reopening(old, [], tx.now, reason)]);
    } else if (old.status === "superseded" && old.body.supersededBy === by.id) await reinstate(tx, old, reason);
  },
};
