/** The links between statements that the hot tier holds, as `newer_link` has them. */
import type { OperationContext } from "../../../context.ts";
import type { HotLink } from "../../../db/queries/hot.ts";
import { NEWER_MAX } from "../../../db/queries/newer_links.ts";
import { readStoredLinks } from "../../../db/queries/newer_work.ts";

/** Estimated bytes of a link. */
const LINK_BYTES = 400;

interface Known {
  readonly id: string;
  readonly strength: number;
  readonly words: number;
  readonly no: number;
}

/** Links that one look reads, and how long the tier waits before the next one, in milliseconds. */
const READ_MAX = 2_000, LOOK_AGAIN_MS = 1_000;

export class HotLinks {
  /** Links below this number are still to come: a worker makes those of earlier texts. Undefined: none are. */
  awaitedBelow: number | undefined;

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
    for (const [older, newer, strength, no, words] of links) {
      const known = this.#newer.get(older) ?? new Map<string, Known>();
      if (known.size === 0) this.#newer.set(older, known);
      if (!known.has(newer)) this.#size++;
      known.set(newer, { id: newer, strength, words, no });
      const olders = this.#older.get(newer) ?? new Set<string>();
      if (olders.size === 0) this.#older.set(newer, olders);
      olders.add(older);
    }
  }

  /** The newer statements of one, those told last first, as many as the database gives. */
  of(id: string): readonly Known[] {
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

/** Looks for the links that an index still awaits, now and then, without anybody waiting for it. */
export class LinkLooks {
  #after = 0;

  /** @param ctx not bound to a request */
  lookIfDue(ctx: () => OperationContext, links: HotLinks): void {
    const { awaitedBelow } = links;
    if (awaitedBelow === undefined || performance.now() < this.#after) return;
    this.#after = Infinity;
    ctx().tx((tx) => readStoredLinks(tx, awaitedBelow, READ_MAX), { readOnly: true }).then((found) => {
      links.put(found.links);
      const last = found.links.at(-1)?.[3] ?? awaitedBelow;
      links.awaitedBelow = found.place === 0 && found.links.length < READ_MAX ? undefined : last;
    }).catch(() => {}).finally(() => this.#after = performance.now() + LOOK_AGAIN_MS);
  }
}
