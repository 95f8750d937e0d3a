/**
 * Settles a conflict by a person's decision. This instance publishes a version of its own that was made with knowledge
 * of all others, so it ends the conflict on every instance where nobody decided otherwise.
 */
import type { OperationContext } from "../../../context.ts";
import type { UnitRow } from "../../../db/queries/unit_columns.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { sayVersion } from "../decision/judge.ts";
import { headsOf } from "../decision/order.ts";
import { readForms } from "../register/forms.ts";
import { entriesOf, type KnownItem } from "../register/known_item.ts";
import { apply, requireUnit } from "./apply.ts";
import type { Effect } from "./effects.ts";
import { refuse } from "./refuse.ts";
import type { DecisionInputs } from "./decision_inputs.ts";
import { reviseRelation } from "./write_adopted_relation.ts";
import { keepOurVersion, revise } from "./write_adopted_unit.ts";

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

/** Carries out a choice about an item that the transaction has locked. Returns what is known of the item then. */
export async function settleByPerson(settling: DecisionInputs, item: KnownItem, choice: Choice): Promise<KnownItem> {
  const { ctx, tx } = settling;
  const { writer, rewrite, keeps } = choice;
  const taken = writer === undefined ? item : await takeContent(settling, item, writer);
  const changed = await apply(settling, taken, [
    ...(rewrite === undefined ? [] : [{ do: "rewrite", rewrite } as const]),
    ...(keeps === undefined ? [] : [{ do: "release", writer: keeps } as const]),
  ]);
  const hash = item.versions.get(writer ?? "")?.hash ?? await hashOfShown(ctx, tx, changed);
  return await apply(settling, changed, planChoice(changed, choice, ctx.deps.config.instanceId, hash, tx.now));
}

/**
 * Decides what follows from a choice: this instance publishes a version that knows all others, and all conflicts end.
 * @param hash of the chosen content
 */
function planChoice(item: KnownItem, choice: Choice, instance: string, hash: string, updatedAt: Date): Effect[] {
  const { writer, outcome, reviewItemId, keeps } = choice;
  const entries = entriesOf(item);
  const chosen = writer === undefined ? undefined : item.versions.get(writer);
  const content = writer === undefined ? null : item.contents.get(writer) ?? null;
  const { entry, shown } = sayVersion({ entries, shown: item.shown }, instance, { hash, updatedAt }, headsOf(entries));
  const winner = { instance: writer ?? entry.writer, version: chosen?.version ?? entry.version, hash };
  const decided = reviewItemId === undefined ? {} : { decidedReviewId: reviewItemId };
  return [
    { do: "publish", entry, content },
    { do: "show", shown, role: "unit" },
    ...[...item.conflicts.keys()].map((other): Effect => ({
      do: "endConflict",
      writer: other,
      ending: { state: "resolved", outcome, winner, ...decided, keepsOther: other === keeps },
    })),
    ...[...item.versions.values()].flatMap(({ writer, verdict, hash: other }): Effect[] =>
      verdict === "contested" ? [{ do: "judge", writer, verdict: other === hash ? "equal" : "covered" }] : []
    ),
  ];
}

/**
 * Shows a writer's content.
 * @throws ServiceError `conflict` if it is no longer stored here
 */
async function takeContent(settling: DecisionInputs, item: KnownItem, writer: string): Promise<KnownItem> {
  const { name, type, relation, shown } = item;
  const receiving = { ...settling, peer: writer };
  const content = item.contents.get(writer);
  if (content === undefined) throw refuse(`the version of ${writer} is not here any more`);
  if (type === "relation") {
    if (relation === undefined) throw refuse("the relation is not there");
    return { ...item, relation: await reviseRelation(receiving, { name, content }, relation) };
  }
  const unit = requireUnit(item);
  if (shown?.isOwn === true) await keepOurVersion(receiving, name, unit);
  return { ...item, unit: await revise(receiving, { name, type, content, text: undefined }, unit) };
}

async function hashOfShown({ deps }: OperationContext, tx: Tx, item: KnownItem): Promise<string> {
  const { forms: [form] } = await readForms(tx, deps.config.instanceId, [item.row.unitId]);
  if (form === undefined) throw refuse("the unit or relation is not there");
  return form.hash;
}
