/**
 * Decides, step by step, what becomes of one item that a peer sent, in a transaction that holds the lock of publication and
 * the item. Each step ends the item or leads to the next.
 */
import type { VersionRow, VersionVerdict } from "../../../db/queries/federation_versions.ts";
import { SENSITIVITIES, type Sensitivity } from "../../../schema/common.ts";
import type { ItemOutcome } from "../../../schema/federation_ack.ts";
import { VERSION_JUMP_MAX } from "../../../schema/federation_item.ts";
import { type KnownItem, receivedVersion, withVersion } from "../register/known_item.ts";
import type { SharedForm } from "../register/shared_form.ts";
import { ENTRIES_MAX, hasRoom, type Room } from "./deferred.ts";
import type { Effect } from "./effects.ts";
import type { ItemResult, PreparedItem } from "./incoming.ts";
import { isShownProtected } from "./settlement.ts";
import { beholderIn, type DecisionInputs } from "./decision_inputs.ts";
import { planTombstone } from "./tombstones.ts";
import { isVeiled, veil } from "./veil.ts";

/** A peer's time that is further ahead than this is replaced by the time of receipt. */
const AHEAD_MAX_MS = 30_000;

/** The outcome for an item, and the version from which the peer may go on. */
export type ItemAnswer = Pick<ItemResult, "outcome" | "base" | "told">;

/** What becomes of an item. */
export interface ItemPlan {
  readonly effects: readonly Effect[];
  /** @param after the item after the effects */
  readonly answer: (after: KnownItem) => ItemAnswer;
}

/** Decides what becomes of one item. */
export function planItem(settling: DecisionInputs, item: PreparedItem, known: KnownItem, room: Room): ItemPlan {
  const { ctx, tx } = settling;
  const { instanceId } = ctx.deps.config;
  const { body, hash, isDeleted } = item;
  const before = known.versions.get(body.writer);
  const origin = known.versions.get(known.name.instance);
  const enter = (verdict: VersionVerdict, content: SharedForm | null) =>
    entering(known, item, verdict, content, tx.now);
  if (known.isErased || (origin?.isDeleted === true && known.name.instance !== instanceId)) {
    const isNew = before === undefined || before.version < body.version;
    const outcome = isDeleted ? "acknowledged" : "RESURRECTION_BLOCKED";
    return ending({ outcome }, isNew ? [enter(isDeleted ? "erased" : "blocked", null)] : []);
  }
  const beholder = beholderIn(settling);
  const isHidden = isVeiled(known, instanceId, beholder);
  const seen = isHidden ? veil(known, beholder) : known;
  const step = checkRegister(settling, item, seen);
  if (step !== undefined) return step;
  const base = Math.max(0, ...[...seen.versions.values()].map(({ version }) => version));
  if (body.version - base > VERSION_JUMP_MAX) {
    // Nobody can raise an item's version number by repeating what is shown.
    return ending(hash === seen.shown?.hash ? { outcome: "duplicate" } : { outcome: "VERSION_JUMP_REJECTED", base });
  }
  const isKept = room.entries < ENTRIES_MAX;
  if (item.refusal !== undefined) {
    // A later build may read it, so the peer's version is kept until then, if the database can store it.
    const content = isKept && item.isUnstorable !== true ? body.unit : null;
    return ending({ outcome: "validation_failed" }, [enter("deferred", content)]);
  }
  // A peer's version of an item that is veiled from it is kept until it may know of the item.
  if (isHidden) {
    const verdict = isDeleted ? "erased" : body.unit === null ? "covered" : "deferred";
    return ending({ outcome: isDeleted ? "not_found" : "deferred" }, [enter(verdict, isKept ? body.unit : null)]);
  }
  if (isDeleted) {
    const entered = enter("erased", null);
    const { outcome, effects } = planTombstone(afterEntering(known, entered), body.writer, instanceId);
    return ending({ outcome }, [entered, ...effects]);
  }
  if (body.unit === null) return planWithdrawal(item, known, enter("covered", null));
  if (!hasRoom(room)) return ending({ outcome: "deferred" }, [enter("deferred", body.unit)]);
  return planVersion(item, known, enter("covered", body.unit));
}

function ending(answer: ItemAnswer, effects: readonly Effect[] = []): ItemPlan {
  return { effects, answer: () => answer };
}

type Entering = Extract<Effect, { readonly do: "enter" }>;

/** The effect that puts an item's version into the register. */
export function entering(
  known: KnownItem,
  { body, hash, isDeleted }: PreparedItem,
  verdict: VersionVerdict,
  content: SharedForm | null,
  now: Date,
): Entering {
  const written = new Date(body.updatedAt);
  const isAhead = written.getTime() > now.getTime() + AHEAD_MAX_MS;
  const before: VersionRow | undefined = known.versions.get(body.writer);
  const sensitivity = (body.unit?.["sensitivity"] ?? before?.sensitivity ?? "internal") as Sensitivity;
  const { writer, version, seen, affirms } = body;
  const sent = {
    ...{ writer, version, seen, affirms, hash, isDeleted, verdict },
    updatedAt: isAhead ? now : written,
    isWithdrawn: body.withdrawn === true,
    sensitivity: SENSITIVITIES.includes(sensitivity) ? sensitivity : "internal",
  };
  return { do: "enter", entry: receivedVersion(known, sent, now), content };
}

function afterEntering(known: KnownItem, { entry, content }: Entering): KnownItem {
  return withVersion(known, entry, content);
}

/** Compares an item with the register. Returns its plan if it goes no further. */
function checkRegister(
  { ctx, peer }: DecisionInputs,
  { type, body, hash }: PreparedItem,
  known: KnownItem,
): ItemPlan | undefined {
  const before = known.versions.get(body.writer);
  const { instanceId } = ctx.deps.config;
  const others = [...known.versions.values()];
  const isOtherType = others.some((row) => row.type !== type) || (known.unit?.type ?? type) !== type ||
    (known.relation !== undefined) !== (type === "relation") && (known.unit ?? known.relation) !== undefined;
  // After a restore of an older backup here, an unknown item may name versions of ours, which are lost.
  const seenOfOurs = body.seen[instanceId] ?? 0;
  const isLost = others.length === 0 && seenOfOurs < body.version;
  const isUnpublished = seenOfOurs > (known.versions.get(instanceId)?.version ?? 0) && !isLost;
  if (isOtherType || isUnpublished) return ending({ outcome: "validation_failed" });
  if (before === undefined || before.version < body.version) return undefined;
  if (before.version > body.version) return ending({ outcome: "unchanged" });
  if (before.hash === hash) return before.verdict === "deferred" ? undefined : ending({ outcome: "duplicate" });
  const detail = { peer, version: body.version };
  const event = { eventType: "federation.equivocation", targets: [known.row.unitId], detail };
  return ending({ outcome: "conflict" }, [{ do: "audit", event }]);
}

/** The register decides which version is shown now. */
function planVersion({ body, hash, text, authored }: PreparedItem, { shown }: KnownItem, entered: Entering): ItemPlan {
  const { writer } = body;
  const arrived = { writer, hash, content: body.unit!, text, authored };
  const otherwise: Effect[] = [{ do: "judge", writer, verdict: "deferred" }];
  const outcomeOf = (after: KnownItem): ItemOutcome => {
    if (after.versions.get(writer)!.verdict === "deferred") return "deferred";
    if (hash === shown?.hash) return "duplicate";
    if (after.conflicts.has(writer)) return "contested";
    return after.shown?.hash === hash ? "applied" : "kept_ours";
  };
  return {
    effects: [entered, { do: "settle", arrived, otherwise }],
    answer: (after) => ({ outcome: outcomeOf(after) }),
  };
}

/** The peer no longer offers an item: a copy that nobody else vouches for is archived. */
function planWithdrawal({ body, hash }: PreparedItem, known: KnownItem, entered: Entering): ItemPlan {
  const { shown, unit, row } = known;
  const { writer, version, seen } = body;
  if (shown === undefined || shown.isOwn || shown.dot.writer !== writer || isShownProtected(known)) {
    return ending({ outcome: "kept_ours" }, [entered, { do: "settle" }]);
  }
  const archive: Effect = { do: "archive", reason: `no longer offered by ${writer}` };
  const context = { ...shown.context, ...seen, [writer]: version };
  return ending({ outcome: "applied" }, [
    entered,
    ...(unit !== undefined && row.role === "unit" ? [archive] : []),
    { do: "show", shown: { ...shown, hash, dot: { writer, version }, context } },
  ]);
}
