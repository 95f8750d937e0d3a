/** The links between statements that the hot tier holds, as `newer_link` has them. Pure data. */
import type { HotLink } from "../../db/queries/hot.ts";
import { NEWER_MAX } from "../../db/queries/newer_links.ts";

/** Estimated bytes of a link. */
const LINK_BYTES = 400;

interface Known {
  readonly id: string;
  readonly strength: number;
  readonly no: number;
}

export class HotLinks {
  /** The newer statements of each older one. */
  readonly #newer = new Map<string, Map<string, Known>>();
  /** The older statements of each newer one. */
  readonly #older = new Map<string, Set<string>>();
  #size = 0;

  /** Estimated memory in bytes. */
  get bytes(): number {
    return this.#size * LINK_BYTES;
  }

  put(links: readonly HotLink[]): void {
    for (const [older, newer, strength, no] of links) {
      const known = this.#newer.get(older) ?? new Map<string, Known>();
      if (known.size === 0) this.#newer.set(older, known);
      if (!known.has(newer)) this.#size++;
      known.set(newer, { id: newer, strength, no });
      const olders = this.#older.get(newer) ?? new Set<string>();
      if (olders.size === 0) this.#older.set(newer, olders);
      olders.add(older);
    }
  }

  /** The newer statements of one, those told last first, as many as the database gives. */
  of(id: string): readonly { readonly id: string; readonly strength: number }[] {
    const known = this.#newer.get(id);
    return known === undefined ? [] : [...known.values()].sort((a, b) => b.no - a.no).slice(0, NEWER_MAX);
  }

  /** Removes the links on both sides of a statement. */
  remove(id: string): void {
    for (const newer of this.#newer.get(id)?.keys() ?? []) this.#unlink(id, newer);
    for (const older of this.#older.get(id) ?? []) this.#unlink(older, id);
  }

  #unlink(older: string, newer: string): void {
    const known = this.#newer.get(older), olders = this.#older.get(newer);
    if (known?.delete(newer)) this.#size--;
    if (known?.size === 0) this.#newer.delete(older);
    olders?.delete(older);
    if (olders?.size === 0) this.#older.delete(newer);
  }
}
