/** Decisions: their states, and the chains in which they replaced each other. */
import type { OperationContext } from "../../context.ts";
import { findDecisionChain } from "../../db/queries/decision_chain.ts";
import { findStatusBefore, raiseClosedRevisions } from "../../db/queries/revisions.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import { findUnits, lockClosedAbove, lockNames } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import { ServiceError } from "../../errors.ts";
import type {
  CreateDecisionBody,
  Decision,
  DecisionChain,
  DecisionChainQuery,
  DecisionStatus,
  ListDecisionsQuery,
  SupersedeDecisionBody,
  UpdateDecisionBody,
} from "../../schema/decision.ts";
import { decodeCursor, encodeCursor } from "../common/cursor.ts";
import { isRaised, mayChange } from "../unit/flow.ts";
import { insertUnit, prepareUnit } from "../unit/create.ts";
import { labelled, textsOf, toIso, toUnit, type UnitKind } from "../unit/kind.ts";
import type { Succession, UnitChange } from "../unit/rules.ts";
import { requireVerifier } from "../unit/update.ts";
import { openNamesOf } from "./entities/open_names.ts";
import { requireUnit, requireVersion, reviseUnit } from "../unit/store.ts";

/** The typed rest of a decision, as the row keeps it. */
export type DecisionBody = {
  readonly title: string;
  readonly decision: string;
  readonly rationale: string | null;
  readonly alternatives: readonly string[];
  readonly consequences: string | null;
  readonly decidedBy: string | null;
  readonly decidedAt: string | null;
  readonly reviewAt: string | null;
  readonly supersedes: string | null;
  readonly supersededBy: string | null;
  readonly evidenceIds: readonly string[];
};

/** The states in which a decision applies, or may come to apply. */
const OPEN_STATUSES: readonly DecisionStatus[] = ["proposed", "accepted"];

export const DECISIONS: UnitKind<DecisionBody, CreateDecisionBody, UpdateDecisionBody, ListDecisionsQuery> = {
  type: "decision",
  called: ["title"],
  people: ["decidedBy"],
  terms: [],
  content: ["title", "decision", "rationale", "alternatives", "consequences", "decidedBy", "decidedAt"],
  listed: OPEN_STATUSES,
  editable: OPEN_STATUSES,
  transitions: { proposed: ["accepted", "rejected"], accepted: ["rejected"], rejected: ["proposed"] },
  beforeInsert: openNamesOf,
  statusOf: (input) => input.status,
  toBody: (input, now) => ({
    title: input.title,
    decision: input.decision,
    rationale: input.rationale ?? null,
    alternatives: input.alternatives,
    consequences: input.consequences ?? null,
    decidedBy: input.decidedBy ?? null,
    decidedAt: decidedAt(input, null, now),
    reviewAt: input.reviewAt === undefined ? null : toIso(input.reviewAt),
    supersedes: null,
    supersededBy: null,
    evidenceIds: [...new Set(input.evidenceIds)],
  }),
  patchBody: (body, patch, now) => ({
    ...body,
    title: patch.title ?? body.title,
    decision: patch.decision ?? body.decision,
    rationale: patch.rationale === undefined ? body.rationale : patch.rationale,
    alternatives: patch.alternatives ?? body.alternatives,
    consequences: patch.consequences === undefined ? body.consequences : patch.consequences,
    decidedBy: patch.decidedBy === undefined ? body.decidedBy : patch.decidedBy,
    decidedAt: decidedAt(patch, body.decidedAt, now),
    reviewAt: patch.reviewAt == null ? patch.reviewAt === null ? null : body.reviewAt : toIso(patch.reviewAt),
    evidenceIds: patch.evidenceIds === undefined ? body.evidenceIds : [...new Set(patch.evidenceIds)],
  }),
  textOf: (body) =>
    textsOf([
      body.title,
      body.decision,
      labelled("Rationale", body.rationale),
      labelled("Alternatives", body.alternatives.join("; ")),
      labelled("Consequences", body.consequences),
      labelled("Decided by", body.decidedBy),
    ]),
  timesOf(body, status) {
    const at = body.decidedAt === null ? null : new Date(body.decidedAt);
    return { occurredAt: at, validFrom: status === "accepted" ? at : null };
  },
  evidenceOf: (body) => body.evidenceIds,
  reopen: reopenSuperseded,
  onChanged: freeBelow,
  succession: { lock: lockSuccession, supersede: supersedeByRelation, reopen: reopenByRelation },
  filterOf: ({ decidedBy, reviewBefore }) => ({
    ...(decidedBy !== undefined && { bodyContains: { decidedBy } }),
    ...(reviewBefore !== undefined && { bodyUntil: { reviewAt: new Date(reviewBefore) } }),
  }),
};

/**
 * When it was decided: as stated, or else the moment of acceptance; a proposal that returns is no longer decided.
 * @throws ServiceError `validation_failed` for a time in the future, and for any time if the decision is only proposed.
 */
function decidedAt(
  said: { readonly decidedAt?: string | undefined; readonly status?: string | undefined },
  known: string | null,
  now: Date,
): string | null {
  if (said.decidedAt === undefined) {
    if (said.status === "accepted") return known ?? now.toISOString();
    return said.status === "proposed" ? null : known;
  }
  const isOpen = said.status === "proposed" || (said.status === undefined && known === null);
  if (!isOpen && new Date(said.decidedAt) <= now) return toIso(said.decidedAt);
  const message = isOpen ? "is not known while the decision is proposed" : "must not be in the future";
  throw new ServiceError("validation_failed", `Cannot store the decision: decidedAt ${message}`, {
    errors: [{ path: "decidedAt", message }],
  });
}

/**
 * Records a decision that replaces another. The old one was in force until the new one was decided; units that rest on
 * it become stale.
 * @throws ServiceError `not_found`, `erased`, `version_mismatch`, `validation_failed`, `insufficient_scope`;
 * `invalid_transition` when the old one is superseded or rejected.
 */
export async function supersedeDecision(
  ctx: OperationContext,
  id: string,
  body: SupersedeDecisionBody,
  ifMatch: number | undefined,
): Promise<Decision> {
  const { reason, ...said } = body;
  const prepared = await prepareUnit(ctx, DECISIONS, { ...said, status: "accepted" });
  return await ctx.tx(async (tx) => {
    const old = await requireUnit<DecisionBody>(tx, "decision", id, { lock: "update" });
    requireVersion(old, ifMatch);
    if (!OPEN_STATUSES.includes(old.status as DecisionStatus)) {
      const by = old.body.supersededBy === null ? "" : ` by ${old.body.supersededBy}`;
      throw new ServiceError(
        "invalid_transition",
        `Cannot supersede the decision: it is ${old.status}${by}; only a proposed or accepted one can be superseded`,
      );
    }
    requireVerifier(ctx, old);
    const isTold = said.sensitivity === undefined || mayChange(old, { sensitivity: said.sensitivity });
    const next = await insertUnit(ctx, tx, DECISIONS, {
      ...prepared,
      body: { ...prepared.body, supersedes: isTold ? id : null },
      sensitivityFloor: old.sensitivity,
    });
    if (!mayChange(next, old)) return toUnit<Decision>(await requireUnit(tx, "decision", next.id));
    const closesAt = next.validFrom ?? tx.now;
    await reviseUnit(tx, old, {
      status: "superseded" satisfies DecisionStatus,
      validTo: old.validFrom !== null && old.validFrom > closesAt ? old.validFrom : closesAt,
      body: { ...old.body, supersededBy: next.id },
    }, { event: "superseded", reason: reason ?? `superseded by ${next.id}` });
    // It may rest on the decision that it replaces.
    return toUnit<Decision>(await requireUnit(tx, "decision", next.id));
  });
}

/** If two relations between the same decisions race, they wait for each other here, before either locks rows. */
async function lockSuccession(tx: Tx, decisions: readonly UnitRow<DecisionBody>[]): Promise<void> {
  await lockNames(tx, decisions.map(({ id }) => `succession:${id}`));
}

/** Carries out a relation by which one decision replaced another. @throws ServiceError `validation_failed` */
async function supersedeByRelation(
  ctx: OperationContext,
  tx: Tx,
  { old: { id }, by: { id: byId }, at, reason }: Succession<DecisionBody>,
): Promise<void> {
  const old = await requireUnit<DecisionBody>(tx, "decision", id, { lock: "update" });
  const by = await requireUnit<DecisionBody>(tx, "decision", byId, { lock: "update" });
  if (old.status === "superseded" && old.body.supersededBy === by.id) return;
  if (!OPEN_STATUSES.includes(old.status as DecisionStatus)) throw refuseEnd("targetId", `is ${old.status}`);
  if (by.status !== "accepted" && by.status !== "superseded") {
    throw refuseEnd("sourceId", `is ${by.status}: only what was accepted takes the place of another decision`);
  }
  if (by.body.supersededBy === old.id) {
    throw refuseEnd("sourceId", "is superseded by the target: neither would be in force");
  }
  if (old.trustScore > by.trustScore && !ctx.scopes.has("memory:admin")) {
    throw refuseEnd("targetId", "is trusted more than what takes its place, and the key lacks the scope memory:admin");
  }
  const closesAt = at ?? by.validFrom ?? tx.now;
  if (mayChange(by, old)) {
    await reviseUnit(tx, old, {
      status: "superseded" satisfies DecisionStatus,
      validTo: old.validFrom !== null && old.validFrom > closesAt ? old.validFrom : closesAt,
      body: { ...old.body, supersededBy: by.id },
    }, { event: "superseded", reason });
  }
  if (by.body.supersedes !== null || !mayChange(old, by)) return;
  await reviseUnit(tx, by, { body: { ...by.body, supersedes: id } }, { event: "updated", reason });
}

function refuseEnd(path: string, message: string): ServiceError {
  return new ServiceError("validation_failed", `Cannot supersede the decision: ${path} ${message}`, {
    errors: [{ path, message }],
  });
}

/** Undoes the supersession by a relation after the relation was archived. */
async function reopenByRelation(
  tx: Tx,
  { old: { id }, by, reason }: Omit<Succession<DecisionBody>, "at">,
): Promise<void> {
  const old = await requireUnit<DecisionBody>(tx, "decision", id, { lock: "update" });
  if (old.body.supersededBy !== by.id && !mayChange(by, old)) await forgetReplaced(tx, by.id, id, reason);
  if (old.body.supersededBy !== by.id) return;
  const changes = await reopenSuperseded(tx, old);
  if (changes !== undefined) await reviseUnit(tx, old, changes, { event: "restored", reason });
}

/** Puts a superseded decision back in force as before; the one that replaced it stays in force beside it. */
async function reopenSuperseded(tx: Tx, decision: UnitRow<DecisionBody>) {
  if (decision.status !== "superseded") return undefined;
  const { supersededBy } = decision.body;
  if (supersededBy !== null) {
    await forgetReplaced(tx, supersededBy, decision.id, `${decision.id}, which it superseded, was restored`);
  }
  return {
    status: await findStatusBefore(tx, decision.id, ["archived", "superseded"]) ?? "accepted",
    validTo: null,
    body: { ...decision.body, supersededBy: null },
  };
}

/**
 * Puts decisions back in force that are less sensitive than what replaced them, because that has become more sensitive. To
 * who sees them alone, the versions that name it are as if they had not been.
 */
async function freeBelow(tx: Tx, changes: readonly UnitChange<DecisionBody>[]): Promise<UnitRow<DecisionBody>[]> {
  const raised = changes.flatMap(({ before, after }) => isRaised(before, after) ? [after] : []);
  const freed: UnitRow<DecisionBody>[] = [];
  for (const old of await lockClosedAbove<DecisionBody>(tx, "decision", raised.map(({ id }) => id))) {
    const by = raised.find(({ id }) => id === old.body.supersededBy)!;
    await raiseClosedRevisions(tx, old.id, by.id, by.sensitivity);
    const reopened = await reopenSuperseded(tx, old);
    const reason = `${by.id}, which took its place, is more sensitive now`;
    if (reopened !== undefined) freed.push(await reviseUnit(tx, old, reopened, { event: "updated", reason }));
  }
  return freed;
}

/** Clears `supersedes` of a decision if it names the given one. */
async function forgetReplaced(tx: Tx, id: string, replacedId: string, reason: string): Promise<void> {
  const [successor] = await findUnits<DecisionBody>(tx, [id], { type: "decision", lock: "update" });
  if (successor?.body.supersedes !== replacedId) return;
  await reviseUnit(tx, successor, { body: { ...successor.body, supersedes: null } }, { event: "updated", reason });
}

/**
 * The decisions before and after one, in the order in which they replaced each other.
 * @throws ServiceError `not_found`, `erased`
 */
export async function getDecisionChain(
  ctx: OperationContext,
  id: string,
  query: DecisionChainQuery,
): Promise<DecisionChain> {
  const { limit, order } = query;
  const list = `chain:${id}`;
  const isPlace = (key: unknown): key is number => Number.isInteger(key);
  const after = decodeCursor(list, order, query.cursor, isPlace);
  return await ctx.tx(async (tx) => {
    await requireUnit(tx, "decision", id);
    const chain = await findDecisionChain(tx, id);
    const last = chain.at(-1)!;
    if (order === "desc") chain.reverse();
    const rest = chain.filter(({ place }) => after === undefined || (order === "asc" ? place > after : place < after));
    const shown = rest.slice(0, limit);
    const units = await findUnits<DecisionBody>(tx, shown.map((link) => link.id));
    const rows = new Map(units.map((row) => [row.id, row]));
    return {
      decisionId: id,
      currentId: OPEN_STATUSES.includes(last.status as DecisionStatus) ? last.id : null,
      data: shown.map((link) => toUnit<Decision>(rows.get(link.id)!)),
      nextCursor: rest.length > limit ? encodeCursor(list, order, shown.at(-1)!.place) : null,
    };
  }, { readOnly: true, fromReplica: true });
}
