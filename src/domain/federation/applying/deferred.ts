/**
 * Stores versions of a peer that cannot be shown yet, and tries them again: a relation whose ends are missing, a
 * version for which there was no room, and a body of a later build that this build cannot read. Their content is kept
 * beside their entries: the digest shows no difference for an existing entry, so it would not be fetched again.
 */
import type { OperationContext } from "../../../context.ts";
import { errorCode } from "../../../db/pool.ts";
import { findVersions } from "../../../db/queries/federation_versions.ts";
import { countConflicts, countEntries, listDeferred, noteTried } from "../../../db/queries/federation_contents.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import type { ItemName } from "../../../schema/federation_item.ts";
import { perService } from "../../common/per_service.ts";
import { readAuthored } from "./incoming.ts";
import { loadItem, saveKnown } from "../register/stored_items.ts";
import { withVerdict } from "../register/known_item.ts";
import { beginPublication } from "../register/publish.ts";
import { settle } from "./apply.ts";
import { beholderIn, type DecisionInputs } from "./decision_inputs.ts";
import { isVeiled } from "./veil.ts";

/** The most deferred versions that are tried again after a page; those that were tried longest ago come first. */
const RETRIES_MAX = 100;
/** The most open conflicts with one peer, and the most entries of one peer. */
const CONFLICTS_MAX = 1_000;
export const ENTRIES_MAX = 1_000_000;
const DEADLINE_MS = 60_000;

/** How many entries and open conflicts of a peer there are here. */
export interface Room {
  readonly entries: number;
  readonly conflicts: number;
}

/** How many entries a peer had at a time (monotonic clock, in milliseconds), plus the versions received since. */
interface Counted {
  readonly at: number;
  entries: number;
}

/** A count is reused for this long, and only up to this many entries. */
const COUNT_MS = 600_000;
const COUNT_HOLDS_TO = 0.9 * ENTRIES_MAX;
const countedOf = perService(() => new Map<string, Counted>());

/**
 * Reads how many entries and open conflicts of a peer there are here. Counting a million entries takes seconds, so the
 * last count is reused: everything received since is added to it as if it were new, until the sum comes near the limit.
 * @param arriving how many more versions the transaction is about to store
 */
export async function readRoom(ctx: OperationContext, tx: Tx, peer: string, arriving: number): Promise<Room> {
  const counts = countedOf(ctx.deps);
  const key = `${tx.workspaceId} ${peer}`;
  const conflicts = await countConflicts(tx, peer);
  let counted = counts.get(key);
  if (
    counted === undefined || performance.now() - counted.at > COUNT_MS || counted.entries + arriving > COUNT_HOLDS_TO
  ) {
    counted = { at: performance.now(), entries: await countEntries(tx, peer) };
    counts.set(key, counted);
  }
  const { entries } = counted;
  counted.entries += arriving;
  return { entries, conflicts };
}

/** Whether another version of the peer can be shown. */
export function hasRoom({ entries, conflicts }: Room): boolean {
  return conflicts < CONFLICTS_MAX && entries < ENTRIES_MAX;
}

/**
 * Tries deferred versions of a peer again, because what they wait for may have arrived.
 * @param open reads what a decision in a transaction needs to know
 */
export async function retryDeferred(
  ctx: OperationContext,
  peer: string,
  open: (tx: Tx) => Promise<DecisionInputs>,
): Promise<void> {
  const names = await ctx.tx((tx) => listDeferred(tx, peer, RETRIES_MAX), { readOnly: true });
  if (names.length === 0) return;
  await beginPublication(ctx);
  const tried: ItemName[] = [];
  for (const name of names) {
    try {
      if (!await ctx.tx((tx) => retry(ctx, tx, open, peer, name), { deadlineMs: DEADLINE_MS })) tried.push(name);
    } catch (error) {
      if (toRefusal(error) === undefined) throw error;
      tried.push(name);
    }
  }
  if (tried.length > 0) await ctx.tx((tx) => noteTried(tx, peer, tried));
}

/** Returns whether the version is shown now, or nothing waits any more. */
async function retry(
  ctx: OperationContext,
  tx: Tx,
  open: (tx: Tx) => Promise<DecisionInputs>,
  peer: string,
  name: ItemName,
): Promise<boolean> {
  const settling = await open(tx);
  const known = (await findVersions(tx, [name])).find(({ writer }) => writer === peer);
  if (known?.verdict !== "deferred") return true;
  if (!hasRoom(await readRoom(ctx, tx, peer, 1))) return false;
  const item = await loadItem(ctx, tx, name, known.type);
  const content = item.contents.get(peer);
  if (item.isErased || content === undefined) return true;
  if (isVeiled(item, ctx.deps.config.instanceId, beholderIn(settling))) return false;
  if ("refusal" in readAuthored({ type: known.type, unit: content })) return false;
  const arrived = { writer: peer, hash: known.hash, content, text: undefined };
  const settled = await settle(settling, withVerdict(item, peer, "covered"), arrived);
  if (settled === undefined) return false;
  await saveKnown(tx, [settled]);
  return true;
}

/** Returns the refusal that an item's own content caused; undefined for an error that another try may avoid. */
export function toRefusal(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error.retryable || error.status >= 500 ? undefined : error;
  // Classes 22 and 23: the database refuses a value, or a constraint fails.
  if (!/^2[23]/.test(errorCode(error) ?? "")) return undefined;
  return new ServiceError("validation_failed", "Cannot store the item: the database refuses its values", {
    cause: error,
  });
}
