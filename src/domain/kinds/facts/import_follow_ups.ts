/**
 * Follow-ups for facts that an import file names. They run after the whole file is written, when the state of a fact before
 * the import is not known any more. The facts that it may have contested are therefore found by its earlier versions or,
 * if it was erased, by the reviews that name it.
 */
import { findTriplesReleasedBy, listOutOfContest } from "../../../db/queries/contested_facts.ts";
import type { Tx } from "../../../db/tx.ts";
import type { NamedByFile } from "../../unit/rules.ts";
import type { FactBody } from "./fields.ts";
import { releaseContested, resolveReviews } from "./lock_rivals.ts";

/**
 * Resolves the reviews of facts that are no longer contested, and releases facts that only they or erased facts
 * contested.
 */
export async function settleNamed(tx: Tx, { ids, erasedIds }: NamedByFile): Promise<void> {
  const [settled, tripleKeys] = await Promise.all([
    listOutOfContest<FactBody>(tx, ids),
    findTriplesReleasedBy(tx, ids, erasedIds),
  ]);
  await resolveReviews(tx, settled.map(({ event, reason, ...fact }) => ({ fact, note: { event, reason } })));
  await releaseContested(tx, [
    ...tripleKeys.map((tripleKey) => ({ tripleKey })),
    ...ids.map((id) => ({ id, tripleKey: null })),
  ]);
}
