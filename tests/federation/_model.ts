/**
 * A model of the register of versions, and of the decision which version is shown. The product's decision is compared
 * with it. It shares no code with the product.
 */
export type Seen = Record<string, number>;
export type Policy = "consensus" | "theirs_wins" | "ours_wins" | "manual";

export interface Version {
  readonly item: string;
  readonly origin: string;
  readonly writer: string;
  readonly version: number;
  readonly at: number;
  readonly hash: string;
  readonly seen: Seen;
  readonly isTombstone?: boolean;
  readonly affirms?: "kept" | "taken";
}

export interface Shown {
  hash: string;
  dot: [writer: string, version: number];
  context: Seen;
  settled: Seen;
  isOwn: boolean;
  isProtected: boolean;
}

/** An instance as histories play it. */
export interface Instance {
  readonly name: string;
  /** How many versions it wrote itself, by policy and for people. */
  readonly written: number;
  isShown(item: string): boolean;
  isErased(item: string): boolean;
  hashOf(item: string): string | undefined;
  isOwn(item: string): boolean;
  hasSettled(item: string): boolean;
  entriesOf(item: string): readonly Version[];
  headsOf(item: string): readonly Version[];
  /** The items about which a person has to decide. */
  contested(): readonly string[];
  /** The latest version that it published of each item. */
  outbox(): readonly Version[];
  write(item: string, origin: string, hash: string, at: number, options?: { isProtected?: boolean }): void;
  erase(item: string, origin: string, at: number): void;
  receive(version: Version, from: string): string;
  /** A person settles on one of the heads. */
  resolve(item: string, at: number, pick: (heads: readonly Version[]) => Version): void;
}

/** The weight of each instance's vote. */
export const WEIGHTS: Readonly<Record<string, number>> = { A: 100, B: 100, C: 100, D: 30 };
/** How far the origin of an item and any other instance are trusted about it. */
export const ANCHORS = { origin: 100, other: 50 } as const;
const JUMP_MAX = 100;

export function compare(a: Version, b: Version): number {
  const byText = (x: string, y: string) => x < y ? -1 : x > y ? 1 : 0;
  return a.version - b.version || a.at - b.at || byText(a.writer, b.writer) || byText(a.hash, b.hash);
}

export function dominates(a: Version, b: Version): boolean {
  return a.writer === b.writer ? a.version > b.version : (a.seen[b.writer] ?? 0) >= b.version;
}

export function merge(...all: readonly Seen[]): Seen {
  const merged: Seen = {};
  for (const seen of all) for (const name in seen) merged[name] = Math.max(merged[name] ?? 0, seen[name]!);
  return merged;
}

/** Returns the hash that got more than 66 percent of the votes. */
export function countVotes(live: readonly { readonly writer: string; readonly hash: string }[]): string | undefined {
  const votes = new Map<string, number>();
  for (const { writer, hash } of live) votes.set(hash, (votes.get(hash) ?? 0) + WEIGHTS[writer]!);
  const total = [...votes.values()].reduce((a, b) => a + b, 0);
  return [...votes].find(([, weight]) => 100 * weight > 66 * total)?.[0];
}

const withItself = (version: Version) => merge(version.seen, { [version.writer]: version.version });

export class ModelInstance implements Instance {
  readonly register = new Map<string, Map<string, Version>>();
  readonly shown = new Map<string, Shown>();
  readonly erased = new Set<string>();
  readonly conflicts = new Map<string, ReadonlySet<string>>();
  written = 0;

  constructor(readonly name: string, readonly policy: Policy) {}

  isShown(item: string) {
    return this.shown.has(item);
  }

  isErased(item: string) {
    return this.erased.has(item);
  }

  hashOf(item: string) {
    return this.shown.get(item)?.hash;
  }

  isOwn(item: string) {
    return this.shown.get(item)?.isOwn === true;
  }

  hasSettled(item: string) {
    return Object.keys(this.shown.get(item)?.settled ?? {}).length > 0;
  }

  entriesOf(item: string) {
    return [...this.register.get(item)?.values() ?? []];
  }

  headsOf(item: string) {
    const entries = this.entriesOf(item);
    return entries.filter((a) => !entries.some((b) => b !== a && dominates(b, a)));
  }

  contested() {
    return [...this.conflicts.keys()];
  }

  outbox() {
    return [...this.register.values()].flatMap((entries) => entries.get(this.name) ?? []);
  }

  write(item: string, origin: string, hash: string, at: number, options: { isProtected?: boolean } = {}) {
    this.#say(item, origin, hash, at, options);
  }

  erase(item: string, origin: string, at: number) {
    if (this.erased.has(item)) return;
    const version = this.#highest(item) + 1;
    this.#forget(item);
    this.#put({ item, origin, writer: this.name, version, at, hash: "-", seen: {}, isTombstone: true });
  }

  receive(version: Version, from: string): string {
    const { item, writer } = version;
    if (writer !== from) return "forged";
    const had = this.register.get(item)?.get(writer);
    if (this.erased.has(item)) {
      if (had === undefined || had.version < version.version) this.#put(version);
      return version.isTombstone ? "acknowledged" : "RESURRECTION_BLOCKED";
    }
    if (had !== undefined && had.version >= version.version) {
      return had.version === version.version && had.hash !== version.hash ? "equivocation" : "duplicate";
    }
    if (version.version > this.#highest(item) + JUMP_MAX) return "VERSION_JUMP";
    this.#put(version);
    if (!version.isTombstone) {
      this.#judge(item);
      return "ok";
    }
    if (version.origin === this.name) return "review_opened";
    if (version.origin !== from) return "version_removed";
    this.#forget(item);
    return "erased";
  }

  resolve(item: string, at: number, pick: (heads: readonly Version[]) => Version) {
    const heads = this.headsOf(item).filter(({ isTombstone }) => !isTombstone);
    if (heads.length === 0) return;
    const won = pick(heads);
    this.#say(item, won.origin, won.hash, at, { isProtected: false, sees: heads });
    this.conflicts.delete(item);
  }

  #say(
    item: string,
    origin: string,
    hash: string,
    at: number,
    options: { readonly isProtected?: boolean; readonly sees?: readonly Version[] },
  ) {
    if (this.erased.has(item)) return;
    const shown = this.shown.get(item);
    const context = merge(shown?.context ?? {}, ...(options.sees ?? []).map(withItself));
    const version = this.#highest(item) + 1;
    this.#put({ item, origin, writer: this.name, version, at, hash, seen: this.#others(context) });
    this.written++;
    this.shown.set(item, {
      hash,
      dot: [this.name, version],
      context: merge(context, { [this.name]: version }),
      settled: shown?.settled ?? {},
      isOwn: true,
      isProtected: options.isProtected ?? shown?.isProtected ?? false,
    });
    this.#judge(item);
  }

  #others(seen: Seen): Seen {
    const { [this.name]: _own, ...others } = seen;
    return others;
  }

  #forget(item: string) {
    this.erased.add(item);
    this.shown.delete(item);
    this.conflicts.delete(item);
  }

  #highest(item: string): number {
    return Math.max(0, ...this.entriesOf(item).map(({ version }) => version));
  }

  #put(version: Version) {
    const entries = this.register.get(version.item);
    if (entries === undefined) this.register.set(version.item, new Map([[version.writer, version]]));
    else entries.set(version.writer, version);
  }

  #judge(item: string) {
    if (this.erased.has(item)) return;
    for (let turn = 0; turn < 20; turn++) if (!this.#judgeOnce(item)) return;
    throw new Error("judging does not end");
  }

  /** Makes one step of the decision. True: something changed, so that the decision continues. */
  #judgeOnce(item: string): boolean {
    const live = this.entriesOf(item).filter(({ isTombstone }) => !isTombstone);
    const heads = live.filter((a) => !live.some((b) => b !== a && dominates(b, a))).sort(compare);
    const shown = this.shown.get(item);
    if (shown === undefined) {
      if (heads.length === 0) return false;
      this.#adopt(heads.at(-1)!, false);
      return true;
    }
    const conflicts = new Set<string>();
    for (const head of heads) {
      const known = Math.max(shown.context[head.writer] ?? 0, shown.settled[head.writer] ?? 0);
      if (known >= head.version) continue;
      const outcome = this.#judgeHead(head, shown, heads, live);
      if (outcome === "again") return true;
      if (outcome === "contested") conflicts.add(head.writer);
    }
    if (conflicts.size > 0) this.conflicts.set(item, conflicts);
    else this.conflicts.delete(item);
    return false;
  }

  #judgeHead(
    head: Version,
    shown: Shown,
    heads: readonly Version[],
    live: readonly Version[],
  ): "again" | "contested" | "next" {
    const [dotWriter, dotVersion] = shown.dot;
    const isSuccessor = head.writer === dotWriter
      ? head.version > dotVersion
      : (head.seen[dotWriter] ?? 0) >= dotVersion;
    if (head.hash === shown.hash) {
      shown.context = merge(shown.context, withItself(head));
      if (!shown.isOwn && isSuccessor) shown.dot = [head.writer, head.version];
      return "next";
    }
    if (shown.isProtected) return this.policy === "ours_wins" ? "next" : "contested";
    if (isSuccessor && !shown.isOwn) return this.#adopt(head, false);
    const current = heads.filter(({ hash }) => hash === shown.hash).at(-1) ??
      live.find(({ writer, version }) => writer === dotWriter && version === dotVersion);
    const hasOwn = live.some(({ writer }) => writer === this.name);
    if (!shown.isOwn && this.policy !== "consensus" && current !== undefined && !hasOwn) {
      const anchorOf = ({ writer, origin }: Version) => writer === origin ? ANCHORS.origin : ANCHORS.other;
      const difference = anchorOf(head) - anchorOf(current);
      if (!current.affirms && !head.affirms && Math.abs(difference) >= 20) {
        return difference > 0 ? this.#adopt(head, true) : this.#settle(head, shown);
      }
    }
    const isOurWord = live.some(({ writer, hash }) => writer === this.name && hash === shown.hash);
    const byOrder = () =>
      current === undefined || compare(head, current) > 0 ? this.#adopt(head, true) : this.#settle(head, shown);
    switch (this.policy) {
      case "manual":
        return "contested";
      case "consensus": {
        const won = countVotes(live);
        if (won === undefined) return "contested";
        if (won === shown.hash) {
          if (isOurWord && isSuccessor && head.affirms !== "kept") return this.#affirm(head, "kept");
          this.#settle(head, shown);
          return "next";
        }
        return this.#adopt(live.filter(({ hash }) => hash === won).sort(compare).at(-1)!, true);
      }
      case "theirs_wins":
        if (!isOurWord || head.affirms === "taken") return byOrder();
        this.#adopt(head, true);
        return this.#affirm(head, "taken");
      case "ours_wins":
        if (!shown.isOwn) return byOrder();
        if (head.affirms !== "kept") return this.#affirm(head, "kept");
        this.#settle(head, shown);
        return "next";
    }
  }

  #adopt(version: Version, isOver: boolean): "again" {
    const { item, hash, writer } = version;
    const shown = this.shown.get(item);
    this.shown.set(item, {
      hash,
      dot: [writer, version.version],
      context: withItself(version),
      settled: merge(shown?.settled ?? {}, isOver ? shown?.context ?? {} : {}),
      isOwn: false,
      isProtected: shown?.isProtected ?? false,
    });
    return "again";
  }

  #settle({ writer, version }: Version, shown: Shown): "again" {
    shown.settled = merge(shown.settled, { [writer]: version });
    return "again";
  }

  /** Publishes a version that says what this instance settled on, with knowledge of `head`. */
  #affirm(head: Version, affirms: "kept" | "taken"): "again" {
    const { item, origin, at } = head;
    const shown = this.shown.get(item)!;
    const context = merge(shown.context, shown.settled, withItself(head));
    const version = this.#highest(item) + 1;
    const { hash } = shown;
    this.#put({ item, origin, writer: this.name, version, at, hash, seen: this.#others(context), affirms });
    this.written++;
    this.shown.set(item, {
      ...shown,
      dot: [this.name, version],
      context: merge(context, { [this.name]: version }),
    });
    return "again";
  }
}
