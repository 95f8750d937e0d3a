/** How busy the machine is: how many tests run at once follows it, and so do the bounds of their time. */
import { availableParallelism, cpus, loadavg } from "node:os";

/** How often a running bound looks at the load, in milliseconds. */
const TICK_MS = 1_000;
/** A bound is never longer than this many times its length, so that what hangs ends on any machine. */
const SLOWDOWN_MAX = 12;
/** Shorter stretches say nothing about how busy the cores are. */
const STRETCH_MS = 1_500;

/** How much longer work takes here than on a machine that does nothing else, at most `SLOWDOWN_MAX`. */
export function slowdown(load = loadavg()[0]!, cores = availableParallelism()): number {
  return Math.min(SLOWDOWN_MAX, Math.max(1, load / cores));
}

/** A bound in seconds of an idle machine: on a busy one its time passes more slowly. */
export class Bound implements Disposable {
  readonly #timer: ReturnType<typeof setInterval>;
  #leftMs: number;

  /** @param onOver called once, when the time is over */
  constructor(seconds: number, onOver?: () => void) {
    this.#leftMs = seconds * 1_000;
    let before = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.#leftMs -= (now - before) / slowdown();
      before = now;
      if (!this.isOver) return;
      clearInterval(this.#timer);
      onOver?.();
    }, TICK_MS);
  }

  get isOver(): boolean {
    return this.#leftMs <= 0;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** Says how many cores had nothing to do, on average, since the last time that they were looked at. */
export class IdleCores {
  readonly #now: () => number;
  #before = timesOf();
  #at: number;

  /** @param now a clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#at = now();
  }

  /** Undefined: the last look was too short a time ago. */
  look(): number | undefined {
    if (this.#now() - this.#at < STRETCH_MS) return undefined;
    const now = timesOf(), { idle, all } = this.#before;
    const share = now.all === all ? 0 : (now.idle - idle) / (now.all - all);
    this.#before = now;
    this.#at = this.#now();
    return share * availableParallelism();
  }
}

function timesOf(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((core) => core.times);
  const sum = (of: (one: (typeof times)[number]) => number) => times.reduce((total, one) => total + of(one), 0);
  return {
    idle: sum(({ idle }) => idle),
    all: sum(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq),
  };
}
