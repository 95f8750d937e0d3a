/** Instances for histories that decide by the product's code, alone or side by side with the model. */
import assert from "node:assert/strict";
import { type ItemState, judgeItem, sayVersion } from "../../src/domain/federation/decision/judge.ts";
import { headsOf, highestVersion, type VersionEntry } from "../../src/domain/federation/decision/order.ts";
import { ANCHORS, countVotes, type Instance, ModelInstance, type Policy, type Version } from "./_model.ts";

type Item = ItemState & {
  readonly origin: string;
  readonly isProtected: boolean;
  readonly contested: readonly string[];
};

const EMPTY = { entries: [], shown: undefined, contested: [], isProtected: false };
const JUMP_MAX = 100;

function toEntry({ writer, version, at, hash, seen, affirms, isTombstone }: Version): VersionEntry {
  const updatedAt = new Date(at);
  return { writer, version, updatedAt, hash, seen, affirms: affirms ?? null, isDeleted: isTombstone === true };
}

function toVersion(item: string, origin: string, entry: VersionEntry): Version {
  const { writer, version, updatedAt, hash, seen, affirms, isDeleted } = entry;
  const said = { item, origin, writer, version, at: updatedAt.getTime(), hash, seen };
  return { ...said, ...(isDeleted && { isTombstone: true }), ...(affirms !== null && { affirms }) };
}

/** An instance that decides by the product's code and keeps its state in memory. */
export class JudgedInstance implements Instance {
  readonly #items = new Map<string, Item>();
  readonly #erased = new Set<string>();
  written = 0;

  constructor(readonly name: string, readonly policy: Policy) {}

  isShown(item: string) {
    return this.#items.get(item)?.shown !== undefined;
  }

  isErased(item: string) {
    return this.#erased.has(item);
  }

  hashOf(item: string) {
    return this.#items.get(item)?.shown?.hash;
  }

  isOwn(item: string) {
    return this.#items.get(item)?.shown?.isOwn === true;
  }

  hasSettled(item: string) {
    return Object.keys(this.#items.get(item)?.shown?.settled ?? {}).length > 0;
  }

  entriesOf(item: string) {
    const { entries = [], origin = "" } = this.#items.get(item) ?? {};
    return entries.map((entry) => toVersion(item, origin, entry));
  }

  headsOf(item: string) {
    const { entries = [], origin = "" } = this.#items.get(item) ?? {};
    return headsOf(entries).map((entry) => toVersion(item, origin, entry));
  }

  contested() {
    return [...this.#items].flatMap(([name, { contested }]) => contested.length > 0 ? [name] : []);
  }

  /** Returns the state of an item, for comparing. */
  stateOf(item: string): Item | undefined {
    return this.#items.get(item);
  }

  outbox() {
    return [...this.#items.keys()].flatMap((item) => this.entriesOf(item).filter(({ writer }) => writer === this.name));
  }

  write(item: string, origin: string, hash: string, at: number, options: { isProtected?: boolean } = {}) {
    this.#say(item, origin, hash, at, options);
  }

  resolve(item: string, at: number, pick: (heads: readonly Version[]) => Version) {
    const heads = headsOf(this.#items.get(item)?.entries ?? []);
    if (heads.length === 0) return;
    const won = pick(this.headsOf(item));
    this.#say(item, won.origin, won.hash, at, { isProtected: false, sees: heads });
    this.#items.set(item, { ...this.#items.get(item)!, contested: [] });
  }

  erase(item: string, origin: string, at: number) {
    if (this.#erased.has(item)) return;
    const version = highestVersion(this.#items.get(item)?.entries ?? []) + 1;
    this.#forget(item, origin);
    this.#put({ item, origin, writer: this.name, version, at, hash: "-", seen: {}, isTombstone: true });
  }

  receive(version: Version, from: string): string {
    const { item, origin, writer } = version;
    if (writer !== from) return "forged";
    const { entries } = this.#items.get(item) ?? EMPTY;
    const had = entries.find((entry) => entry.writer === writer);
    if (this.#erased.has(item)) {
      if (had === undefined || had.version < version.version) this.#put(version);
      return version.isTombstone ? "acknowledged" : "RESURRECTION_BLOCKED";
    }
    if (had !== undefined && had.version >= version.version) {
      return had.version === version.version && had.hash !== version.hash ? "equivocation" : "duplicate";
    }
    if (version.version > highestVersion(entries) + JUMP_MAX) return "VERSION_JUMP";
    this.#put(version);
    if (!version.isTombstone) {
      this.#judge(item);
      return "ok";
    }
    if (origin === this.name) return "review_opened";
    if (origin !== from) return "version_removed";
    this.#forget(item, origin);
    return "erased";
  }

  #say(
    item: string,
    origin: string,
    hash: string,
    at: number,
    { isProtected, sees }: { readonly isProtected?: boolean; readonly sees?: readonly VersionEntry[] },
  ) {
    if (this.#erased.has(item)) return;
    const state: Item = this.#items.get(item) ?? { ...EMPTY, origin };
    const { entry, shown } = sayVersion(state, this.name, { hash, updatedAt: new Date(at) }, sees);
    this.written++;
    const entries = [...state.entries.filter(({ writer }) => writer !== this.name), entry];
    this.#items.set(item, { ...state, entries, shown, isProtected: isProtected ?? state.isProtected });
    this.#judge(item);
  }

  #judge(item: string) {
    const state = this.#items.get(item)!;
    const judged = judgeItem(state, {
      instance: this.name,
      origin: state.origin,
      isProtected: state.isProtected,
      strategyOf: () => this.policy,
      weightOf: () => ANCHORS.other,
      findWinner: countVotes,
    });
    this.written += countAffirmed(state, judged, this.name);
    this.#items.set(item, { ...state, ...judged });
  }

  #forget(item: string, origin: string) {
    this.#erased.add(item);
    const { entries } = this.#items.get(item) ?? EMPTY;
    this.#items.set(item, { ...EMPTY, entries, origin });
  }

  #put(version: Version) {
    const { item, origin, writer } = version;
    const state: Item = this.#items.get(item) ?? { ...EMPTY, origin };
    const entries = [...state.entries.filter((entry) => entry.writer !== writer), toEntry(version)];
    this.#items.set(item, { ...state, entries });
  }
}

/** Counts the versions that a decision published. The network is quiet when nothing is published any more. */
function countAffirmed(before: ItemState, after: ItemState, instance: string): number {
  const ownOf = ({ entries }: ItemState) => entries.find(({ writer }) => writer === instance)?.version;
  return ownOf(before) === ownOf(after) ? 0 : 1;
}

/** Does everything in the product and in the model, and fails if they decide differently. */
export class ComparedInstance implements Instance {
  readonly #model: ModelInstance;
  readonly #judged: JudgedInstance;

  constructor(readonly name: string, policy: Policy) {
    this.#model = new ModelInstance(name, policy);
    this.#judged = new JudgedInstance(name, policy);
  }

  get written() {
    return this.#judged.written;
  }

  isShown = (item: string) => this.#judged.isShown(item);
  isErased = (item: string) => this.#judged.isErased(item);
  hashOf = (item: string) => this.#judged.hashOf(item);
  isOwn = (item: string) => this.#judged.isOwn(item);
  hasSettled = (item: string) => this.#judged.hasSettled(item);
  entriesOf = (item: string) => this.#judged.entriesOf(item);
  headsOf = (item: string) => this.#judged.headsOf(item);
  contested = () => this.#judged.contested();
  outbox = () => this.#judged.outbox();

  write(...[item, ...said]: Parameters<Instance["write"]>) {
    for (const one of [this.#model, this.#judged]) one.write(item, ...said);
    this.#compare(item);
  }

  erase(...[item, ...said]: Parameters<Instance["erase"]>) {
    for (const one of [this.#model, this.#judged]) one.erase(item, ...said);
    this.#compare(item);
  }

  resolve(...[item, ...said]: Parameters<Instance["resolve"]>) {
    for (const one of [this.#model, this.#judged]) one.resolve(item, ...said);
    this.#compare(item);
  }

  receive(version: Version, from: string): string {
    const [expected, outcome] = [this.#model, this.#judged].map((one) => one.receive(version, from));
    assert.equal(outcome, expected);
    // A repeated version changes nothing; what it found was compared before.
    if (outcome !== "duplicate") this.#compare(version.item);
    return outcome!;
  }

  #compare(item: string) {
    const state = this.#judged.stateOf(item);
    const expected = this.#model.shown.get(item);
    const shown = state?.shown;
    if (shown === undefined || expected === undefined) {
      assert.equal(shown, expected);
    } else {
      const { hash, dot, context, settled, isOwn } = expected;
      const [writer, version] = dot;
      assert.deepEqual(shown, { hash, dot: { writer, version }, context, settled, isOwn });
    }
    assert.deepEqual(new Set(state?.contested), new Set(this.#model.conflicts.get(item)));
    const entriesOf = (one: Instance) => one.entriesOf(item).toSorted((a, b) => a.writer < b.writer ? -1 : 1);
    assert.deepEqual(entriesOf(this.#judged), entriesOf(this.#model));
  }
}
