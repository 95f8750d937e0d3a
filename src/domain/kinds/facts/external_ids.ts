/** The names that callers' own systems give to facts: each belongs to one fact, whatever its state. */
import * as queries from "../../../db/queries/external_ids.ts";
import { findUnits } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { mayChange } from "../../unit/flow.ts";
import { restates } from "./conflicts.ts";
import { type FactBody, type FactRow, isLive, LIVE_STATUSES, sayingsOf, statementKey } from "./fields.ts";

/** The fact that has a name. */
export interface Holder {
  readonly id: string;
  /** Undefined: it is above the caller's clearance. */
  readonly row: FactRow | undefined;
}

/** Locks names until the transaction ends, and finds the facts that hold them. */
export async function holdExternalIds(tx: Tx, externalIds: readonly string[]): Promise<ReadonlyMap<string, Holder>> {
  await queries.lockExternalIds(tx, "fact", externalIds);
  return await findHolders(tx, externalIds);
}

/** Finds the facts that have one of these external ids. */
export async function findHolders(tx: Tx, externalIds: readonly string[]): Promise<ReadonlyMap<string, Holder>> {
  const ids = await queries.findExternalIds(tx, "fact", externalIds);
  const rows = ids.size === 0 ? [] : await findUnits<FactBody>(tx, [...ids.values()], { type: "fact" });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return new Map([...ids].map(([externalId, id]) => [externalId, { id, row: byId.get(id) }]));
}

/** Decides for the facts of a batch, in their order, whether each may have the name that its author gives it. */
export class ExternalIds {
  readonly #tx: Tx;
  readonly #holders: ReadonlyMap<string, Holder>;
  /** What earlier facts in the batch say, by their names, and the reverse. */
  readonly #said = new Map<string, string>();
  readonly #names = new Map<string, string>();

  private constructor(tx: Tx, holders: ReadonlyMap<string, Holder>) {
    this.#tx = tx;
    this.#holders = holders;
  }

  static async read(tx: Tx, externalIds: readonly (string | undefined)[]): Promise<ExternalIds> {
    return new ExternalIds(tx, await holdExternalIds(tx, externalIds.filter((id) => id !== undefined)));
  }

  /**
   * Lets a fact have its name; or lets it state again the fact in force that has the name and says the same.
   * @throws ServiceError `conflict`
   */
  require(claim: FactRow): void {
    const { externalId } = claim.body;
    if (externalId === undefined) return;
    const holder = this.#holders.get(externalId);
    if (holder !== undefined && !this.#isSame(claim, holder.row)) throw taken(holder);
    const own = statementKey(claim.body);
    const said = this.#said.get(externalId) ?? own;
    const name = this.#names.get(own) ?? externalId;
    if (said !== own || name !== externalId) {
      throw conflict("an earlier item of the batch has its externalId, or says the same under another");
    }
    this.#said.set(externalId, own);
    this.#names.set(own, externalId);
  }

  #isSame(claim: FactRow, row: FactRow | undefined): boolean {
    return row !== undefined && mayChange(claim, row) && isLive(row, this.#tx.now) &&
      restates(claim, row, this.#tx.now);
  }
}

/** The named facts in force that say the same as some new ones. */
export async function findSaying(tx: Tx, claims: readonly FactRow[]): Promise<readonly FactRow[]> {
  const named = claims.filter(({ body }) => body.externalId !== undefined);
  return await queries.findNamedSaying<FactBody>(tx, sayingsOf(named), LIVE_STATUSES);
}

/** @throws ServiceError `conflict` if a fact in force says the same under another name */
export function requireUnnamed(tx: Tx, claim: FactRow, saying: readonly FactRow[]): void {
  const { externalId } = claim.body;
  if (externalId === undefined) return;
  const known = saying.find((row) =>
    row.body.externalId !== externalId && mayChange(claim, row) && restates(claim, row, tx.now)
  );
  if (known !== undefined) throw conflict(`${known.id} says the same and has another externalId`, known.id);
}

/**
 * Checks that a stored fact has its author's name: another request may have named it, or it may be out of force.
 * @throws ServiceError `conflict`
 */
export function requireNameKept(claim: FactRow, { id, body }: FactRow): void {
  if (claim.body.externalId === undefined || claim.body.externalId === body.externalId) return;
  throw conflict(`${id} says the same and cannot take its externalId`, id);
}

/** The refusal for a name that another fact has; a fact above the caller's clearance is not named. */
export function taken({ id, row }: Holder): ServiceError {
  return row === undefined
    ? conflict("its externalId is taken")
    : conflict(`its externalId is taken by ${id}, which says something else, is less sensitive or is not in force`, id);
}

function conflict(reason: string, factId?: string): ServiceError {
  return new ServiceError("conflict", `Cannot store the fact: ${reason}`, {
    errors: [{ path: "externalId", message: "is not free" }],
    ...(factId !== undefined && { extra: { factId } }),
  });
}
