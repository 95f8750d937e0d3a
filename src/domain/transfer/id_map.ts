/**
 * The ids of imported resources here. Each keeps its own if it is free. If another resource has it, it gets an id that
 * is computed from the source and the old id, so that every import computes the same.
 */
import { sha256Hex } from "../../crypto/hash.ts";
import { insertImportIds, listImportIds } from "../../db/queries/imports.ts";
import type { Tx } from "../../db/tx.ts";

export class IdMap {
  readonly #source: string;
  readonly #ids: Map<string, string>;
  readonly #standIns: Set<string>;
  /** Replacements of ids above the key's clearance here; only this import knows them. */
  readonly #hidden = new Map<string, string>();

  private constructor(source: string, ids: Map<string, string>) {
    this.#source = source;
    this.#ids = ids;
    this.#standIns = new Set(ids.values());
  }

  /** Opens the map of a source: `<instance>/<workspace>`, or the name of a foreign format. */
  static async open(tx: Tx, source: string): Promise<IdMap> {
    const rows = await listImportIds(tx, source);
    return new IdMap(source, new Map(rows.map((row) => [row.sourceId, row.localId])));
  }

  /** The id that is used here for an id of the source. */
  readonly get = (id: string): string => this.#hidden.get(id) ?? this.#ids.get(id) ?? id;

  has(id: string): boolean {
    return this.#ids.has(id) && !this.#hidden.has(id);
  }

  /** Whether a resource here stands for one of the source. */
  isStandIn(localId: string): boolean {
    return this.#standIns.has(localId);
  }

  /** Stores the ids here of resources that cannot keep their own. */
  async add(tx: Tx, entries: readonly { readonly sourceId: string; readonly localId: string }[]): Promise<void> {
    const fresh = entries.filter(({ sourceId }) => !this.#ids.has(sourceId));
    if (fresh.length === 0) return;
    await insertImportIds(tx, this.#source, fresh);
    for (const { sourceId, localId } of fresh) {
      this.#ids.set(sourceId, localId);
      this.#standIns.add(localId);
    }
  }

  /** Gives other ids, the same in every import, to resources that cannot keep their own, without storing that. */
  hide(workspaceId: string, ids: Iterable<string>): void {
    for (const id of ids) this.#hidden.set(id, deriveId(`${workspaceId} ${this.#source}`, id));
  }

  /** Computes another id for one that is taken. */
  derive(tx: Tx, id: string): string {
    return deriveId(`${tx.workspaceId} ${this.#source}`, id);
  }
}

/** A version 7 id with the time of `id`, the same for the same name and id. */
export function deriveId(name: string, id: string): string {
  const hash = sha256Hex(`${name} ${id}`);
  const time = id.slice(0, 13);
  const variant = "89ab"[Number.parseInt(hash[3]!, 16) & 3];
  return `${time}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
}
