/**
 * What follows for facts that a file names, whenever its lines were written. What each was before is not known any more
 * then: what it may have kept contested is found by its earlier versions, or by the reviews that name it.
 */
import { findTriplesReleasedBy, listOutOfContest } from "../../../db/queries/contested_facts.ts";
import type { Tx } from "../../../db/tx.ts";
import type { NamedByFile } from "../../unit/rules.ts";
import type { FactBody } from "./fields.ts";
import { releaseContested, resolveReviews } from "./settle.ts";

/** Settles the reviews of facts that are no longer contested, and releases what they or erased ones kept contested. */
export async function settleNamed(tx: Tx, { ids, erasedIds }: NamedByFile): Promise<void> {
  const [settled, tripleKeys] = await Promise.all([
    listOutOfContest<FactBody>(tx, ids),
    findTriplesReleasedBy(tx, ids, erasedIds),
  ]);
  await resolveReviews(tx, settled.map(({ event, reason, ...fact }) => ({ fact, note: { event, reason } })));
  await releaseContested(tx, tripleKeys.map((tripleKey) => ({ tripleKey })));
}
