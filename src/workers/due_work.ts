/**
 * Finds out for the background loops of a process where they have work. To a change that this process commits each of them
 * goes after its rest. Of the changes of other processes it takes up those that these have not followed after a while,
 * because they died or run no loops. What becomes due by time, and the visit that a quiet workspace gets ever more seldom, it takes from the
 * database, where each is taken by one process.
 */
import type { Deps } from "../context.ts";
import { type ActivityFollower, activityOf } from "../domain/common/activity.ts";
import { SYSTEM_WORKSPACE } from "../domain/common/system.ts";
import { beginRounds, markBehind, settleDue, takeDue } from "../domain/upkeep/loop_rounds.ts";
import { workerFailed } from "../telemetry/events.ts";
import { pause } from "../pause.ts";
import { Overheard } from "./overheard.ts";
import { type QueuedLoop, WorkQueue } from "./work_queue.ts";

/** How often it looks for what has become due, in milliseconds. */
const LOOK_MS = 2_000;
/** The time that another process has for its own changes, in milliseconds: the loops that hurry are through by then. */
const OTHERS_MS = 8_000;
/** How often it looks at all workspaces while it hears nothing of other processes, in milliseconds. */
const GAP_MS = 20_000;
/** How often new workspaces get a round that have none, in milliseconds. */
const BEGIN_MS = 3_600_000;
/** By then the processes of the build before have ended; what they visited meanwhile is visited again, in milliseconds. */
const AGAIN_MS = 600_000;
/** The most visits and timers that the process has at a time. */
const ROUNDS_MAX = 100;
const TIMERS_MAX = 500;

export class DueWork implements ActivityFollower {
  readonly queue: WorkQueue;
  readonly #deps: Deps;
  /** Loops that are woken from their rest when work is taken. */
  readonly #resting = new Map<string, AbortController>();
  /** Loops that have got work since they last rested. */
  readonly #woken = new Set<string>();
  readonly #overheard = new Overheard(OTHERS_MS);
  #gapAt = -Infinity;
  #isBehind = true;
  #begunAt = -Infinity;
  #beginnings = 0;

  constructor(deps: Deps, loops: readonly QueuedLoop[]) {
    this.#deps = deps;
    this.queue = new WorkQueue(loops, deps.clock);
    activityOf(deps).follow(this);
  }

  noteMove(workspaceId: string, seq: number, isOwn: boolean): void {
    if (isOwn) this.queue.move(workspaceId, seq);
    // A process also hears of its own changes.
    else if (this.queue.followed(workspaceId) < seq) this.#overheard.note(workspaceId, seq, performance.now());
  }

  noteUse(workspaceId: string, isServed: boolean): void {
    if (workspaceId === SYSTEM_WORKSPACE) return;
    // An admin may write in a workspace of another region, which only the processes there enter.
    if (isServed || this.#deps.config.region === undefined) this.queue.use(workspaceId);
    else this.#overheard.note(workspaceId, Number.MAX_SAFE_INTEGER, -Infinity);
  }

  noteGap(): void {
    this.#isBehind = true;
  }

  /** Looks again and again until the service stops. */
  async run(): Promise<void> {
    const { stopping } = this.#deps;
    while (!stopping.aborted) {
      await this.look();
      await pause(LOOK_MS, stopping);
    }
  }

  /**
   * Takes what has become due, writes what the loops have ended, and makes due what nobody has followed: the next look takes
   * it. What fails keeps the rest from nothing, and is tried again at the next look.
   */
  async look(): Promise<void> {
    const { stopping, telemetry: { log } } = this.#deps;
    const parts: Record<string, () => Promise<void>> = {
      due_take: () => this.#take(),
      due_settle: () => this.settle(),
      due_begin: () => this.#begin(),
      due_behind: () => this.#markBehind(),
    };
    for (const [worker, part] of Object.entries(parts)) {
      try {
        await part();
      } catch (error) {
        if (!stopping.aborted) workerFailed(log, { worker, error, retryMs: LOOK_MS });
      }
    }
  }

  async #take(): Promise<void> {
    const { rounds, timers } = this.queue.taken;
    const limits = { rounds: ROUNDS_MAX - rounds, timers: TIMERS_MAX - timers };
    const woken = this.queue.take(await takeDue(this.#deps, this.queue.loops, limits));
    for (const loop of woken) {
      this.#woken.add(loop);
      this.#resting.get(loop)?.abort();
    }
  }

  /** Writes what the loops have ended. What cannot be written is kept. */
  async settle(): Promise<void> {
    await settleDue(this.#deps, this.queue.takeEnded(), (left) => this.queue.keepEnded(left));
  }

  /** Waits until a loop's rest is over, or until work was taken for it. */
  async rest({ name, restMs }: QueuedLoop): Promise<void> {
    if (!this.#woken.delete(name)) {
      const resting = new AbortController();
      this.#resting.set(name, resting);
      await pause(restMs, AbortSignal.any([this.#deps.stopping, resting.signal]));
      this.#resting.delete(name);
      this.#woken.delete(name);
    }
  }

  async #begin(): Promise<void> {
    const now = performance.now();
    if (now - this.#begunAt < (this.#beginnings === 1 ? AGAIN_MS : BEGIN_MS)) return;
    await beginRounds(this.#deps, { all: this.#beginnings < 2 });
    this.#begunAt = now;
    this.#beginnings++;
  }

  async #markBehind(): Promise<void> {
    const now = performance.now();
    if (this.#isBehind && now - this.#gapAt >= GAP_MS) {
      this.#isBehind = false;
      this.#overheard.clear();
      this.#gapAt = now;
      try {
        await markBehind(this.#deps);
      } catch (error) {
        this.#isBehind = true;
        throw error;
      }
    }
    const due = this.#overheard.due(now);
    await markBehind(this.#deps, due.filter(({ workspaceId, seq }) => this.queue.followed(workspaceId) < seq));
    this.#overheard.asked(due, now);
  }
}
