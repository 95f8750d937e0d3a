/** The live facts with which a batch is compared, found by content and by subject. */
import { type FactRow, statementKey } from "./fields.ts";
import { keysOf } from "./inferred.ts";

type Rows = Map<string, FactRow>;

/** Returns rows in the order in which they were put. */
export class LiveFacts {
  readonly #bySaying = new Map<string, Rows>();
  readonly #byTriple = new Map<string, Rows>();

  constructor(rows: readonly FactRow[]) {
    for (const row of rows) this.put(row);
  }

  put(row: FactRow): void {
    putInto(this.#bySaying, statementKey(row.body), row);
    if (row.tripleKey !== null) putInto(this.#byTriple, row.tripleKey, row);
  }

  /** Replaces a row by a newer version, if the fact is here. */
  renew(row: FactRow): void {
    if (this.#bySaying.get(statementKey(row.body))?.has(row.id)) this.put(row);
  }

  remove({ id, tripleKey, body }: FactRow): void {
    this.#bySaying.get(statementKey(body))?.delete(id);
    if (tripleKey !== null) this.#byTriple.get(tripleKey)?.delete(id);
  }

  /** Facts that say the same. */
  sameAs({ body }: FactRow): FactRow[] {
    return [...this.#bySaying.get(statementKey(body))?.values() ?? []];
  }

  /** Facts about the same subject and predicate, and facts that this one's claims may bear on. */
  about(fact: FactRow): FactRow[] {
    const rows = keysOf(fact).flatMap((key) => [...this.#byTriple.get(key)?.values() ?? []]);
    return [...new Set(rows)];
  }
}

function putInto(lists: Map<string, Rows>, key: string, row: FactRow): void {
  const rows = lists.get(key);
  if (rows === undefined) lists.set(key, new Map([[row.id, row]]));
  else rows.set(row.id, row);
}
