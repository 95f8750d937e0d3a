/**
 * Histories as lists of steps, drawn from a seed. Each step brings its own seed for all that happens in it, so that a list
 * with some steps left out is a history, too: a failure is told with the shortest one that still fails.
 */
import type { ConflictResolution } from "../../src/schema/federation_peer.ts";
import { randomOf } from "./_histories.ts";

export interface Setting {
  readonly name: string;
  readonly count: number;
  readonly strategies: readonly ConflictResolution[];
  /** How often what is created is a person's word. */
  readonly protects: number;
  /** Whether all show the same in the end, once people have settled what is contested. */
  readonly isAlike: boolean;
}

const LEADER = ["ours_wins", "theirs_wins", "theirs_wins"] as const;

export const SETTINGS: readonly Setting[] = [
  { name: "two, manual", count: 2, strategies: ["manual"], protects: 0, isAlike: true },
  { name: "three, theirs_wins", count: 3, strategies: ["theirs_wins"], protects: 0, isAlike: true },
  { name: "two, one leads", count: 2, strategies: LEADER, protects: 0, isAlike: true },
  { name: "three, manual", count: 3, strategies: ["manual"], protects: 0, isAlike: true },
  { name: "three, one leads", count: 3, strategies: LEADER, protects: 0, isAlike: true },
  { name: "three, consensus", count: 3, strategies: ["consensus"], protects: 0, isAlike: true },
  {
    name: "three, mixed, with people's words",
    count: 3,
    strategies: ["manual", "theirs_wins", "ours_wins"],
    protects: 0.3,
    isAlike: false,
  },
];

/** What may happen, and how often. */
const WEIGHTS = {
  create: 18,
  change: 24,
  relate: 6,
  erase: 5,
  /** Some of what one published reaches another one in time, late, twice or never. */
  send: 22,
  /** What one published reaches another one, where a batch breaks off at one of its statements. */
  crash: 8,
  /** A whole turn of one with another, over a way that loses requests and replies and repeats them. */
  turn: 10,
  /** A row of what is held of another one goes, or is of another version, and both sides are compared. */
  repair: 4,
} as const;
export type StepKind = keyof typeof WEIGHTS | "back up" | "restore";

export interface Step {
  readonly kind: StepKind;
  readonly seed: number;
  /** Which instance acts. */
  readonly node: number;
}

export interface History {
  readonly seed: number;
  readonly setting: Setting;
  readonly steps: readonly Step[];
}

const STEPS = 22;
/** How many histories restore a backup on the way. */
const RESTORES = 0.25;

/** The history of a seed, from 1; the settings take turns. */
export function planHistory(seed: number): History {
  const setting = SETTINGS[(seed - 1) % SETTINGS.length]!;
  const random = randomOf(seed * 104_729 + setting.count);
  const node = () => Math.floor(random() * setting.count);
  const draw = (kind: StepKind): Step => ({ kind, seed: Math.floor(random() * 2 ** 31), node: node() });
  const steps: Step[] = Array.from({ length: STEPS }, () => draw(drawKind(random())));
  // What is told to be alike holds where nobody's record goes back: what a restore forgets can be a person's decision.
  if (random() < RESTORES) {
    const restored = node();
    const at = Math.floor(random() * STEPS / 2);
    steps.splice(at + 4 + Math.floor(random() * (STEPS / 2 - 4)), 0, { ...draw("restore"), node: restored });
    steps.splice(at, 0, { ...draw("back up"), node: restored });
  }
  return { seed, setting, steps };
}

function drawKind(dice: number): StepKind {
  const all = Object.entries(WEIGHTS);
  let left = dice * all.reduce((sum, [, weight]) => sum + weight, 0);
  return (all.find(([, weight]) => (left -= weight) < 0) ?? all[0]!)[0] as StepKind;
}

/**
 * The shortest history that still fails, by leaving out halves, quarters, and at last single steps.
 * @param fails plays a history
 */
export async function shrink(history: History, fails: (shorter: History) => Promise<boolean>): Promise<History> {
  let { steps } = history;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < steps.length;) {
      const shorter = [...steps.slice(0, at), ...steps.slice(at + size)];
      if (await fails({ ...history, steps: shorter })) steps = shorter;
      else at += size;
    }
  }
  return { ...history, steps };
}

/** As it is told to who looks for the fault. */
export function writeSteps({ steps }: History): string {
  return steps.map(({ kind, node, seed }, i) => `${i + 1}. ${"ABCD"[node]} ${kind} (${seed})`).join("\n");
}
