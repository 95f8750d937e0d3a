/** Settles conflicts with versions of other instances, as an admin of the workspace decides. */
import type { OperationContext } from "../../../context.ts";
import { type ConflictRow, findOpenConflictsOf } from "../../../db/queries/federation_conflicts.ts";
import { closeReviewItem, findReviewItem } from "../../../db/queries/review_items.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import type { ResolveFederationBody, ResolveFederationReply } from "../../../schema/federation_conflict.ts";
import { countVotes, type Electorate, readElectorate } from "./voting_instances.ts";
import { loadItem, saveKnown } from "../register/stored_items.ts";
import { entriesOf, type KnownItem, toEntry } from "../register/known_item.ts";
import { compareVersions } from "../decision/order.ts";
import { lockPublication } from "../register/publish.ts";
import { requireSettler, settleByPerson } from "./settle_by_person.ts";
import { readSettling } from "./decision_inputs.ts";
import type { CountedVote } from "../decision/vote.ts";

type Winner = NonNullable<ResolveFederationReply["winner"]>;
type Ignored = ResolveFederationReply["ignored"][number];

/**
 * Settles a conflict. Of versions the later one wins; of claims, the one that wins the vote by the configured weights
 * (`tally`). If none wins it, the conflict stays open. Only versions on record here count.
 * @throws ServiceError `insufficient_scope` without `memory:admin`; `not_found` if there is no open conflict about
 * them; `conflict` if a named version is not the one on record
 */
export async function resolveFederationConflict(
  ctx: OperationContext,
  body: ResolveFederationBody,
): Promise<ResolveFederationReply> {
  requireSettler(ctx);
  return await ctx.tx(async (tx) => {
    await lockPublication(tx);
    const named = "items" in body ? body.items : [body.itemA, body.itemB];
    const conflict = await findConflict(tx, named);
    const { origin: name, type } = conflict;
    const item = await loadItem(ctx, tx, name, type);
    const rule = "items" in body ? "weighted_consensus" : "last_write_wins";
    const { winner, votes, ignored } = "items" in body
      ? vote(await readElectorate(ctx, tx), item, body.items, tx.now)
      : { winner: pickLast(ctx, item, [body.itemA, body.itemB]), votes: [], ignored: [] };
    const { reviewItemId } = conflict;
    const reply: Omit<ResolveFederationReply, "status"> = {
      ...{ conflictId: conflict.id, rule, winner, votes: [...votes], ignored },
      ...{ unitId: item.row.unitId, reviewItemId },
    };
    if (winner === null) return { ...reply, status: "contested" };
    const isShown = winner.hash === item.shown?.hash;
    const outcome = `settled as ${rule === "last_write_wins" ? "the last write" : "a vote"}: ${winner.instance}`;
    const settled = await settleByPerson(await readSettling(ctx, tx, winner.instance), item, {
      writer: isShown ? undefined : winner.instance,
      outcome,
      ...(reviewItemId !== null && { reviewItemId }),
    });
    if (reviewItemId !== null) await closeDecided(tx, reviewItemId, outcome);
    await saveKnown(tx, [settled]);
    return { ...reply, status: "resolved" };
  });
}

/** Finds the open conflict to which some named versions belong. */
async function findConflict(
  tx: Tx,
  named: readonly { readonly id: string; readonly instance: string }[],
): Promise<ConflictRow> {
  const [id, ...others] = new Set(named.map((one) => one.id));
  const open = others.length > 0 ? [] : await findOpenConflictsOf(tx, id!);
  const writers = new Set(named.map(({ instance }) => instance));
  const conflict = open.find(({ writer }) => writers.has(writer));
  if (conflict === undefined) throw new ServiceError("not_found", "Cannot find an open conflict about these versions");
  return conflict;
}

type Ref = { readonly instance: string; readonly version?: number | undefined; readonly hash?: string | undefined };

/** Returns the later of two versions that are on record here. */
function pickLast({ deps }: OperationContext, item: KnownItem, refs: readonly Ref[]): Winner {
  const entries = refs.map((ref) => {
    const row = item.versions.get(ref.instance);
    const isIt = row !== undefined && (ref.version ?? row.version) === row.version &&
      (ref.hash ?? row.hash) === row.hash;
    if (isIt) return toEntry(row);
    const whose = ref.instance === deps.config.instanceId ? "this instance" : ref.instance;
    throw new ServiceError(
      "conflict",
      `Cannot settle the conflict: that is not the version of ${whose} on record here`,
    );
  });
  const last = entries.sort(compareVersions).at(-1)!;
  return { instance: last.writer, version: last.version, hash: last.hash };
}

/**
 * Counts the votes on record. A claim cannot change its instance's vote: it is only reported if it differs from the
 * record.
 */
function vote(
  electorate: Electorate,
  item: KnownItem,
  claims: readonly { readonly instance: string; readonly version: number; readonly hash: string }[],
  now: Date,
): { winner: Winner | null; votes: readonly CountedVote[]; ignored: Ignored[] } {
  const known = new Set(electorate.voters.map(({ instance }) => instance));
  const seen = new Set<string>();
  const ignored = claims.flatMap(({ instance, version, hash }): Ignored[] => {
    if (!known.has(instance)) return [{ instance, reason: "unknown_peer" }];
    if (seen.has(instance)) return [{ instance, reason: "repeated" }];
    seen.add(instance);
    const row = item.versions.get(instance);
    const isShown = instance === electorate.instance && row === undefined && hash === item.shown?.hash;
    const isAnswered = row === undefined &&
      [...item.conflicts.values()].some(({ claims: { [instance]: answer } }) =>
        answer?.word?.version === version && answer.word.hash === hash
      );
    return isShown || isAnswered || (row?.version === version && row.hash === hash)
      ? []
      : [{ instance, reason: "not_its_word" }];
  });
  const live = entriesOf(item).filter(({ isDeleted }) => !isDeleted);
  const { winner: hash, votes } = countVotes(electorate, item, live, now);
  const last = live.filter((entry) => entry.hash === hash).sort(compareVersions).at(-1);
  const winner = last === undefined ? null : { instance: last.writer, version: last.version, hash: last.hash };
  return { winner, votes, ignored };
}

/** Closes the review of a conflict that an admin has settled. */
async function closeDecided(tx: Tx, id: string, outcome: string): Promise<void> {
  const item = await findReviewItem(tx, id, { lock: true });
  if (item?.status !== "open") return;
  const resolution = { action: null, outcome, reason: null, units: [] };
  const { version, sensitivity, kind, subjectId } = await closeReviewItem(tx, id, "resolved", resolution);
  const payload = { kind, subjectId, action: null };
  tx.record({ kind: "review.resolved", resourceType: "review", resourceId: id, version, sensitivity, payload });
}
