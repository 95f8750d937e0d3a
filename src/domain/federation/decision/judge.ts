/**
 * Decides which version of an item is shown here, from the register and this instance's configuration. Pure.
 *
 * All instances that have exchanged what they published hold the same register, but each decides by itself which
 * version it shows. An instance that settles a contradiction by policy publishes that it did (`affirms`); otherwise two
 * instances could settle the same question in opposite ways for ever.
 */
import type { ConflictResolution } from "../../../schema/federation_peer.ts";
import {
  compareVersions,
  covers,
  headsOf,
  highestVersion,
  mergeSeen,
  type Seen,
  seenOf,
  type VersionEntry,
  withItself,
} from "./order.ts";

/** The version of an item that is shown here. */
export interface ShownVersion {
  readonly hash: string;
  /** The version that is shown. */
  readonly dot: { readonly writer: string; readonly version: number };
  /** The version vector of the shown content: for each writer, the latest version that its author knew. */
  readonly context: Seen;
  /** Versions that were decided against and are not asked about again: for each writer, the latest one. */
  readonly settled: Seen;
  /** Whether somebody here wrote or kept what is shown. Adopting another instance's version ends that. */
  readonly isOwn: boolean;
}

/** The register's entries of an item, at most one per writer, and its shown version. */
export interface ItemState {
  readonly entries: readonly VersionEntry[];
  readonly shown: ShownVersion | undefined;
}

/** What the decision depends on besides the register. */
export interface JudgeRules {
  /** The id of this instance. */
  readonly instance: string;
  /** The id of the instance where the item began. */
  readonly origin: string;
  /** Whether a person stated or verified what is shown. Then no policy replaces it. */
  readonly isProtected: boolean;
  /** Returns how to settle a contradiction with a writer's version if trust does not decide it. */
  strategyOf(writer: string): ConflictResolution;
  /** Returns how far an instance is trusted about others' items, from 0 to 100. */
  weightOf(writer: string): number;
  /** Returns the hash that won the vote about the item, if one did. Called for `consensus` only. */
  findWinner(live: readonly VersionEntry[]): string | undefined;
}

/** The decision, with the register and the shown version after it. */
export interface ItemJudgement extends ItemState {
  /** The version whose content replaces what was shown; undefined if nothing replaces it. */
  readonly adopted: VersionEntry | undefined;
  /** The version by which this instance publishes how it settled the item; it is one of `entries`. */
  readonly affirmed: VersionEntry | undefined;
  /** The writers whose latest version contradicts what is shown, so that a person has to decide. */
  readonly contested: readonly string[];
}

/** If two versions are copies, the one that is trusted more wins if the difference is at least this. */
const CONFIDENT_MIN = 20;
/** How far an item's own instance is trusted about it. */
const ORIGIN_WEIGHT = 100;
/** Each round settles one head, so a decision takes about as many rounds as there are heads. */
const ROUNDS_MAX = 1_000;

/** Decides what is shown of an item: repeats the steps until nothing changes. Throws if that does not end. */
export function judgeItem(state: ItemState, rules: JudgeRules): ItemJudgement {
  const decision = new ItemDecision(state, rules);
  for (let round = 0; round < ROUNDS_MAX; round++) if (!decision.step()) return decision.result();
  throw new Error("judging an item does not end");
}

/**
 * Makes this instance's next version of an item from content that somebody here wrote.
 * @param sees versions that the author knew besides the shown one
 */
export function sayVersion(
  { entries, shown }: ItemState,
  instance: string,
  said: { readonly hash: string; readonly updatedAt: Date },
  sees: readonly VersionEntry[] = [],
): { readonly entry: VersionEntry; readonly shown: ShownVersion } {
  const context = mergeSeen(shown?.context ?? {}, ...sees.map(withItself));
  const entry: VersionEntry = {
    writer: instance,
    version: highestVersion(entries) + 1,
    ...said,
    seen: without(context, instance),
    affirms: null,
    isDeleted: false,
  };
  return {
    entry,
    shown: {
      hash: said.hash,
      dot: { writer: instance, version: entry.version },
      context: mergeSeen(context, { [instance]: entry.version }),
      settled: shown?.settled ?? {},
      isOwn: true,
    },
  };
}

function without(seen: Seen, writer: string): Seen {
  return Object.fromEntries(Object.entries(seen).filter(([name]) => name !== writer));
}

class ItemDecision {
  readonly #entries: Map<string, VersionEntry>;
  readonly #rules: JudgeRules;
  #shown: ShownVersion | undefined;
  #adopted: VersionEntry | undefined;
  #affirmed: VersionEntry | undefined;
  #contested: string[] = [];

  constructor({ entries, shown }: ItemState, rules: JudgeRules) {
    this.#entries = new Map(entries.map((entry) => [entry.writer, entry]));
    this.#shown = shown;
    this.#rules = rules;
  }

  result(): ItemJudgement {
    return {
      entries: [...this.#entries.values()],
      shown: this.#shown,
      adopted: this.#adopted,
      affirmed: this.#affirmed,
      contested: this.#contested,
    };
  }

  /** Examines each head in order. True: something was settled, so that all heads must be examined again. */
  step(): boolean {
    const heads = headsOf(this.#live());
    const shown = this.#shown;
    if (shown === undefined) {
      const greatest = heads.at(-1);
      if (greatest !== undefined) this.#adopt(greatest, { over: false });
      return greatest !== undefined;
    }
    this.#contested = [];
    for (const head of heads) {
      const outcome = this.#isKnown(head) ? "next" : this.#judgeHead(head, heads);
      if (outcome === "again") return true;
      if (outcome === "contested") this.#contested.push(head.writer);
    }
    return false;
  }

  #judgeHead(head: VersionEntry, heads: readonly VersionEntry[]): "next" | "again" | "contested" {
    const { strategyOf, isProtected } = this.#rules;
    const shown = this.#shown!;
    const strategy = strategyOf(head.writer);
    const isOnTop = covers(head, shown.dot);
    if (head.hash === shown.hash) {
      const dot = !shown.isOwn && isOnTop ? { writer: head.writer, version: head.version } : shown.dot;
      this.#shown = { ...shown, dot, context: mergeSeen(shown.context, withItself(head)) };
      return "next";
    }
    if (isProtected) return strategy === "ours_wins" ? "next" : "contested";
    if (isOnTop && !shown.isOwn) return this.#adopt(head, { over: false });
    const current = this.#current(heads);
    const byTrust = strategy === "consensus" ? undefined : this.#compareTrust(head, current);
    if (byTrust !== undefined) return byTrust > 0 ? this.#adopt(head, { over: true }) : this.#settle(head);
    switch (strategy) {
      case "manual":
        return "contested";
      case "consensus":
        return this.#judgeByVote(head, isOnTop);
      case "theirs_wins":
        // Our content gives way to theirs, and we publish that. In every other case the order of versions decides.
        if (!this.#isOurWord() || head.affirms === "taken") return this.#judgeByOrder(head, current);
        this.#adopt(head, { over: true });
        return this.#affirm(head, "taken");
      case "ours_wins":
        if (!shown.isOwn) return this.#judgeByOrder(head, current);
        if (head.affirms !== "kept") return this.#affirm(head, "kept");
        this.#settle(head);
        return "next";
    }
  }

  #judgeByOrder(head: VersionEntry, current: VersionEntry | undefined): "again" {
    const isGreater = current === undefined || compareVersions(head, current) > 0;
    return isGreater ? this.#adopt(head, { over: true }) : this.#settle(head);
  }

  #judgeByVote(head: VersionEntry, isOnTop: boolean): "next" | "again" | "contested" {
    const live = this.#live();
    const winner = this.#rules.findWinner(live);
    if (winner === undefined) return "contested";
    if (winner === this.#shown!.hash) {
      // We publish to whoever replaced our version that the vote was for it.
      if (this.#isOurWord() && isOnTop && head.affirms !== "kept") return this.#affirm(head, "kept");
      this.#settle(head);
      return "next";
    }
    const greatest = live.filter(({ hash }) => hash === winner).sort(compareVersions).at(-1);
    return greatest === undefined ? "contested" : this.#adopt(greatest, { over: true });
  }

  /**
   * Returns how much more a version is trusted than what is shown, if both are copies and the difference is at least
   * 20. The item's own instance is trusted most. Undefined if trust does not decide.
   */
  #compareTrust(head: VersionEntry, current: VersionEntry | undefined): number | undefined {
    const { instance, origin, weightOf } = this.#rules;
    if (this.#shown!.isOwn || current === undefined || this.#live().some(({ writer }) => writer === instance)) {
      return undefined;
    }
    if (current.affirms !== null || head.affirms !== null) return undefined;
    const anchorOf = ({ writer }: VersionEntry) => writer === origin ? ORIGIN_WEIGHT : weightOf(writer);
    const difference = anchorOf(head) - anchorOf(current);
    return Math.abs(difference) < CONFIDENT_MIN ? undefined : difference;
  }

  #live(): VersionEntry[] {
    return [...this.#entries.values()].filter(({ isDeleted }) => !isDeleted);
  }

  /** Whether the author of what is shown knew a version, or it was decided against. */
  #isKnown({ writer, version }: VersionEntry): boolean {
    const { context, settled } = this.#shown!;
    return Math.max(seenOf(context, writer), seenOf(settled, writer)) >= version;
  }

  /** The version in the register that represents what is shown. */
  #current(heads: readonly VersionEntry[]): VersionEntry | undefined {
    const { hash, dot } = this.#shown!;
    const head = heads.filter((entry) => entry.hash === hash).at(-1);
    if (head !== undefined) return head;
    const entry = this.#entries.get(dot.writer);
    return entry?.version === dot.version && !entry.isDeleted ? entry : undefined;
  }

  /** Whether this instance published what is shown. */
  #isOurWord(): boolean {
    const own = this.#entries.get(this.#rules.instance);
    return own !== undefined && !own.isDeleted && own.hash === this.#shown!.hash;
  }

  #adopt(entry: VersionEntry, { over }: { readonly over: boolean }): "again" {
    const { settled = {}, context = {} } = this.#shown ?? {};
    const { writer, version, hash } = entry;
    this.#shown = {
      hash,
      dot: { writer, version },
      context: withItself(entry),
      settled: over ? mergeSeen(settled, context) : settled,
      isOwn: false,
    };
    this.#adopted = entry;
    return "again";
  }

  #settle({ writer, version }: VersionEntry): "again" {
    const shown = this.#shown!;
    this.#shown = { ...shown, settled: mergeSeen(shown.settled, { [writer]: version }) };
    return "again";
  }

  /**
   * Makes a version of our own that says how we settled a contradiction, with `head` among the versions that it knows.
   */
  #affirm(head: VersionEntry, affirms: "kept" | "taken"): "again" {
    const { instance } = this.#rules;
    const shown = this.#shown!;
    const context = mergeSeen(shown.context, shown.settled, withItself(head));
    const entry: VersionEntry = {
      writer: instance,
      version: highestVersion([...this.#entries.values()]) + 1,
      updatedAt: head.updatedAt,
      hash: shown.hash,
      seen: without(context, instance),
      affirms,
      isDeleted: false,
    };
    this.#entries.set(instance, entry);
    this.#affirmed = entry;
    this.#shown = {
      ...shown,
      dot: { writer: instance, version: entry.version },
      context: mergeSeen(context, { [instance]: entry.version }),
    };
    return "again";
  }
}
