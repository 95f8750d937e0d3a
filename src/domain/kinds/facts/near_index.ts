/** Finds near-duplicates in one batch. It counts common stems, so that facts without any are not compared. */
import { differsInValue, type Gist, isNearByWords, isSubstituted } from "./similarity.ts";

/** Facts with the same numbers and the same polarity; others are never alike. */
interface Group {
  readonly ids: string[];
  readonly gists: Gist[];
  /** For each stem, the places of the facts that have it. */
  readonly places: Map<string, number[]>;
}

export interface Near {
  readonly id: string;
  readonly score: number;
}

export class NearIndex {
  readonly #groups = new Map<string, Group>();

  add(id: string, gist: Gist): void {
    const key = keyOf(gist);
    const group: Group = this.#groups.get(key) ?? { ids: [], gists: [], places: new Map() };
    this.#groups.set(key, group);
    const place = group.ids.push(id) - 1;
    group.gists.push(gist);
    for (const stem of gist.stems) {
      const list = group.places.get(stem);
      if (list === undefined) group.places.set(stem, [place]);
      else list.push(place);
    }
  }

  /** The fact that is most alike by its words, the first of several; undefined if none is a near-duplicate. */
  findBest(gist: Gist, accepts: (id: string) => boolean): Near | undefined {
    const group = this.#groups.get(keyOf(gist));
    if (group === undefined || gist.stems.size + gist.numbers.size === 0) return undefined;
    const counts = new Uint32Array(group.ids.length);
    for (const stem of gist.stems) for (const place of group.places.get(stem) ?? []) counts[place]!++;
    let best: Near | undefined;
    for (const [place, common] of counts.entries()) {
      const total = gist.stems.size + group.gists[place]!.stems.size;
      const score = total === 0 ? 1 : 2 * common / total;
      if (!isNearByWords(score) || (best !== undefined && score <= best.score)) continue;
      const other = group.gists[place]!;
      if (isSubstituted(gist, other)) continue;
      const id = group.ids[place]!;
      if (accepts(id) && !differsInValue(gist, other)) best = { id, score };
    }
    return best;
  }
}

function keyOf({ numbers, isDenial }: Gist): string {
  return JSON.stringify([isDenial, ...[...numbers].sort()]);
}
