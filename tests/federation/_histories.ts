/** Seeded histories of several instances over a network that loses, repeats and reorders, and what must hold after them. */
import { compare, type Instance, type Policy, type Version } from "./_model.ts";

/** Which histories are played: how many instances, their policies, and how often a person states the content. */
export interface Setting {
  readonly name: string;
  readonly counts: readonly number[];
  readonly policies: readonly Policy[];
  readonly protects: number;
}

const LEADER: readonly Policy[] = ["ours_wins", "theirs_wins", "theirs_wins", "theirs_wins"];

export const SETTINGS: readonly Setting[] = [
  { name: "manual", counts: [2, 3, 4], policies: ["manual"], protects: 0 },
  { name: "manual with protected items", counts: [2, 3], policies: ["manual"], protects: 0.3 },
  { name: "one leader of two", counts: [2], policies: ["ours_wins", "theirs_wins"], protects: 0 },
  { name: "theirs_wins everywhere", counts: [2, 3, 4], policies: ["theirs_wins"], protects: 0 },
  { name: "ours_wins everywhere", counts: [2, 3, 4], policies: ["ours_wins"], protects: 0 },
  { name: "one leader", counts: [2, 3, 4], policies: LEADER, protects: 0 },
  { name: "consensus", counts: [2, 3, 4], policies: ["consensus"], protects: 0 },
  { name: "mixed", counts: [3, 4], policies: ["manual", "theirs_wins", "ours_wins"], protects: 0.2 },
];

/** Makes a generator of numbers from 0 to below 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6D2B79F5) | 0;
    let t = Math.imul(state ^ state >>> 15, 1 | state);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 4_294_967_296;
  };
}

interface Message {
  readonly version: Version;
  readonly from: string;
  readonly to: string;
}

interface Play {
  readonly random: () => number;
  readonly instances: readonly Instance[];
  readonly items: [item: string, origin: string][];
  clock: number;
}

const STEPS = 120;
const ITEMS_MAX = 6;
const ROUNDS_MAX = 40;

/**
 * Plays one history, heals the network, and lets people settle what is contested.
 * @throws Error that names the promise that does not hold
 */
export function playHistory(
  seed: number,
  count: number,
  { policies, protects }: Setting,
  make: (name: string, policy: Policy) => Instance,
): void {
  const names = ["A", "B", "C", "D"].slice(0, count);
  const instances = names.map((name, i) => make(name, policies[i % policies.length]!));
  const play: Play = { random: randomOf(seed * 7919 + count), instances, items: [], clock: 0 };
  disturb(play, protects);
  exchangeUntilQuiet(play);
  checkRegisters(play);
  const isSettledByPeople = policies.length === 1 && (policies[0] === "manual" || policies[0] === "consensus");
  if (isSettledByPeople) checkHeads(play, policies[0]!);
  const isLed = policies.join() === LEADER.join() || policies.join() === LEADER.slice(0, 2).join();
  if ((isLed || policies.join() === "theirs_wins") && protects === 0) checkShownAlike(play);
  if (!isSettledByPeople) return;
  settle(play);
  if (protects > 0) return;
  for (const instance of instances) require(instance.contested().length === 0, `${instance.name} is still contested`);
  checkShownAlike(play);
}

function require(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

function disturb(play: Play, protects: number): void {
  const { random, instances, items } = play;
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!;
  const net: Message[] = [];
  const deliver = ({ version, from, to }: Message) => instances.find(({ name }) => name === to)!.receive(version, from);
  let made = 0;
  for (let step = 0; step < STEPS; step++) {
    const instance = pick(instances);
    play.clock++;
    const dice = random();
    if (dice < 0.15 && items.length < ITEMS_MAX) {
      const item = `x${items.length}`;
      items.push([item, instance.name]);
      instance.write(item, instance.name, `h${made++}`, play.clock, { isProtected: random() < protects });
    } else if (dice < 0.45 && items.length > 0) {
      const [item, origin] = pick(items);
      if (instance.isShown(item)) {
        const hash = random() < 0.1 ? "same" : `h${made++}`;
        instance.write(item, origin, hash, play.clock + Math.floor(random() * 20 - 10));
      }
    } else if (dice < 0.48 && items.length > 0) {
      const [item, origin] = pick(items);
      if (origin === instance.name && instance.isShown(item)) instance.erase(item, origin, play.clock);
    } else {
      const other = pick(instances);
      if (other !== instance) pull(play, net, instance, other);
    }
    while (net.length > 0 && random() < 0.7) {
      const [message] = net.splice(Math.floor(random() * net.length), 1);
      if (random() >= 0.2) deliver(message!);
    }
  }
  // The remaining messages come late and in another order.
  for (const message of net.sort(() => random() - 0.5)) deliver(message);
}

function pull({ random }: Play, net: Message[], to: Instance, from: Instance): void {
  for (const version of from.outbox()) {
    if (random() < 0.3) continue;
    const message = { version, from: from.name, to: to.name };
    net.push(message);
    if (random() < 0.2) net.push(message);
  }
}

function exchange({ instances }: Play): void {
  for (const to of instances) {
    for (const from of instances) {
      if (to !== from) { for (const version of from.outbox()) to.receive(version, from.name); }
    }
  }
}

function exchangeUntilQuiet(play: Play): void {
  const writtenBy = () => play.instances.map(({ written }) => written).join();
  let quiet = 0;
  for (let round = 0; quiet < 2; round++) {
    require(round < ROUNDS_MAX, `still writing after ${ROUNDS_MAX} rounds`);
    const before = writtenBy();
    exchange(play);
    quiet = writtenBy() === before ? quiet + 1 : 0;
  }
}

function checkRegisters({ instances, items }: Play): void {
  for (const [item] of items) {
    const registers = new Set(instances.map((instance) => describe(instance, item)));
    require(registers.size === 1, `registers differ for ${item}: ${[...registers].join(" | ")}`);
    const erased = new Set(instances.map((instance) => instance.isErased(item)));
    require(erased.size === 1, `${item} is erased on one instance and not on another`);
    require(!erased.has(true) || instances.every((one) => !one.isShown(item)), `${item} came back`);
  }
}

function describe(instance: Instance, item: string): string {
  return instance.entriesOf(item).toSorted((a, b) => a.writer < b.writer ? -1 : 1)
    .map(({ writer, version, hash, isTombstone }) => `${writer}:${version}:${hash}${isTombstone ? "T" : ""}`).join(" ");
}

function liveItems({ instances, items }: Play): string[] {
  return items.flatMap(([item]) => instances[0]!.isErased(item) ? [] : [item]);
}

/**
 * Checks the heads of each item. If there is one, every instance that published nothing else shows it. If there are
 * two, every instance that published one of them sees a contradiction.
 */
function checkHeads(play: Play, policy: Policy): void {
  for (const item of liveItems(play)) {
    const hashes = new Set(play.instances[0]!.headsOf(item).map(({ hash }) => hash));
    for (const instance of play.instances) {
      const isContested = instance.contested().includes(item);
      if (hashes.size === 1 && !instance.isOwn(item)) {
        require(
          hashes.has(instance.hashOf(item)!) && !isContested,
          `${instance.name} does not show the head of ${item}`,
        );
      }
      const mustSee = policy === "manual" && hashes.size > 1 && instance.isOwn(item) && !instance.hasSettled(item);
      require(!mustSee || isContested, `${instance.name} does not see the contradiction about ${item}`);
    }
  }
}

function checkShownAlike(play: Play): void {
  for (const item of liveItems(play)) {
    const shown = new Set(play.instances.map((instance) => instance.hashOf(item)));
    require(shown.size === 1, `${item} is shown differently: ${[...shown].join()}`);
  }
}

/** People settle each contradiction at an instance that has it, and the instances exchange. */
function settle(play: Play): void {
  for (let round = 0; round < 300; round++) {
    const instance = play.instances.find((one) => one.contested().length > 0);
    if (instance === undefined) return;
    instance.resolve(instance.contested()[0]!, ++play.clock, (heads) => heads.toSorted(compare).at(-1)!);
    exchange(play);
    exchange(play);
  }
}
