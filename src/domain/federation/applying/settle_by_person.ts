/**
 * Settles a conflict by a person's decision. This instance publishes a version of its own that was made with knowledge
 * of all others, so it ends the conflict on every instance where nobody decided otherwise.
 */
import type { OperationContext } from "../../../context.ts";
import { findUnits, type UnitRow } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import type { FactRow } from "../../kinds/facts/fields.ts";
import { contestIfRivalled } from "../../kinds/facts/judgement.ts";
import { reviseUnit } from "../../unit/store.ts";
import { closeConflict } from "./open_conflict.ts";
import { readForms } from "../register/forms.ts";
import { type KnownItem, putShown, putVersion, setVerdict, toEntry } from "../register/item_states.ts";
import { sayVersion } from "../decision/judge.ts";
import { headsOf } from "../decision/order.ts";
import { ownVersion } from "./own_entry.ts";
import { keepOurVersion, type Receiving, revise } from "./write_adopted_unit.ts";
import { reviseRelation } from "./write_adopted_relation.ts";

/** Which version the person chose: the one that is shown, or a writer's. */
export interface Choice {
  /** The writer of the chosen version; undefined: the one that is shown. */
  readonly writer?: string | undefined;
  /** How the conflict ended, in words. */
  readonly outcome: string;
  /** The review that the person decides by this, and closes. */
  readonly reviewItemId?: string | undefined;
  /** The writer whose other version stays, as an item of this instance. */
  readonly keeps?: string | undefined;
  /** Changes the shown unit before this instance publishes it. */
  readonly rewrite?: (unit: UnitRow) => Promise<UnitRow>;
}

/**
 * Requires of a caller the right to settle conflicts between instances, by whichever operation.
 * @throws ServiceError `insufficient_scope` without `memory:admin`
 */
export function requireSettler({ scopes }: OperationContext): void {
  if (scopes.has("memory:admin")) return;
  throw new ServiceError("insufficient_scope", "Cannot settle a conflict: the key lacks the scope memory:admin");
}

/** Carries out a choice about an item that the transaction has locked. */
export async function settleByPerson(receiving: Receiving, state: KnownItem, choice: Choice): Promise<void> {
  const { ctx, tx } = receiving;
  const { writer } = choice;
  if (writer !== undefined) await takeWord({ ...receiving, peer: writer }, state, writer);
  if (choice.rewrite !== undefined) state.unit = await choice.rewrite(requireUnit(state));
  if (choice.keeps !== undefined) await keepOther(ctx, tx, state, choice.keeps);
  const heads = headsOf([...state.versions.values()].map(toEntry));
  const chosen = writer === undefined ? undefined : state.versions.get(writer);
  const word = writer === undefined ? null : state.words.get(writer) ?? null;
  const hash = chosen?.hash ?? await hashOfShown(ctx, tx, state);
  const entries = [...state.versions.values()].map(toEntry);
  const said = sayVersion(
    { entries, shown: state.shown },
    ctx.deps.config.instanceId,
    { hash, updatedAt: tx.now },
    heads,
  );
  putVersion(state, await ownVersion(receiving, state, said.entry), word);
  putShown(state, said.shown, "unit");
  for (const other of [...state.conflicts.keys()]) {
    await closeConflict(tx, state, other, {
      state: "resolved",
      outcome: choice.outcome,
      winner: { instance: writer ?? said.entry.writer, version: chosen?.version ?? said.entry.version, hash },
      ...(choice.reviewItemId !== undefined && { decidedReviewId: choice.reviewItemId }),
      keepsOther: other === choice.keeps,
    });
  }
  for (const row of state.versions.values()) {
    if (row.verdict === "contested") setVerdict(state, row.writer, row.hash === hash ? "equal" : "covered");
  }
}

function requireUnit({ unit }: KnownItem): UnitRow {
  if (unit === undefined) throw refuse("the unit is not there");
  return unit;
}

/**
 * Shows a writer's version.
 * @throws ServiceError `conflict` if its content is no longer stored here
 */
async function takeWord(receiving: Receiving, state: KnownItem, writer: string): Promise<void> {
  const { name, type } = state;
  const word = state.words.get(writer);
  if (word === undefined) throw refuse(`the version of ${writer} is not here any more`);
  if (type === "relation") {
    if (state.relation === undefined) throw refuse("the relation is not there");
    state.relation = await reviseRelation(receiving, { name, word }, state.relation);
    return;
  }
  const unit = requireUnit(state);
  if (state.shown?.isOwn === true) await keepOurVersion(receiving, name, unit);
  state.unit = await revise(receiving, { name, type, word, text: undefined }, unit);
}

/** Makes the other version an item of this instance. */
async function keepOther({ deps }: OperationContext, tx: Tx, state: KnownItem, writer: string): Promise<void> {
  const id = state.conflicts.get(writer)?.otherUnitId ?? undefined;
  const [other] = id === undefined ? [] : await findUnits(tx, [id], { lock: "update" });
  if (other === undefined) throw refuse("the other version is not stored as a unit");
  const own = { ...other, originInstance: deps.config.instanceId, originId: other.id };
  const note = { event: "released", reason: `kept beside ${state.row.unitId}` };
  if (other.type === "fact") {
    const next = { ...own, status: "active" } as unknown as FactRow;
    await contestIfRivalled(tx, other as unknown as FactRow, next, note);
  } else await reviseUnit(tx, other, { ...own, status: "active" }, note);
}

async function hashOfShown({ deps }: OperationContext, tx: Tx, state: KnownItem): Promise<string> {
  const { forms: [form] } = await readForms(tx, deps.config.instanceId, [state.row.unitId]);
  if (form === undefined) throw refuse("the unit or relation is not there");
  return form.hash;
}

/** Makes the error for a choice that cannot be carried out. */
export function refuse(why: string): ServiceError {
  return new ServiceError("conflict", `Cannot settle the conflict: ${why}`);
}
