/**
 * What the background loops of this process have to do now: for each loop, the workspaces in which it steps next. It holds
 * only workspaces in which something happens.
 */
import type { StepEnd } from "../domain/common/activity.ts";
import type { Ended, EndedRound, EndedTimer, Taken } from "../domain/upkeep/loop_rounds.ts";

/** What the queue must know of a loop. */
export interface QueuedLoop {
  readonly name: string;
  /** How long it rests between two rounds, in milliseconds. */
  readonly restMs: number;
  /** Whether it has work after reads, too, which do not move the feed. */
  readonly onUse?: true;
}

/** Loops that rest no longer than this hurry: a change counts as followed when they are through, in milliseconds. */
const HURRY_MS = 5_000;
/**
 * No timer is set further ahead, in milliseconds: visits come more often, and renew it. Postgres has later years than dates
 * in JSON can say.
 */
const AHEAD_MAX_MS = 30 * 86_400_000;

/** A workspace that moved, or that is visited as a whole. */
interface Open {
  /** The place in the feed up to which the visit goes. */
  seq: number;
  /** The place that was told as followed by the loops that hurry. */
  told: number;
  /** The places up to which loops are through, by their names. */
  readonly through: Map<string, number>;
  /** Of a visit that this process has taken: loops that have not stepped there since. */
  untried: Set<string>;
}

interface Queue extends QueuedLoop {
  /** Workspaces by the time before which the loop does not step there, in milliseconds. */
  readonly waiting: Map<string, number>;
  /** Timers of the loop that this process has taken, and until when. */
  readonly held: Map<string, Date>;
}

export class WorkQueue {
  readonly #queues: ReadonlyMap<string, Queue>;
  readonly #clock: () => Date;
  readonly #now: () => number;
  readonly #open = new Map<string, Open>();
  #rounds = new Map<string, EndedRound>();
  #timers = new Map<string, EndedTimer>();

  /**
   * @param clock the time of day, by which steps say when they are due
   * @param now a clock in milliseconds
   */
  constructor(loops: readonly QueuedLoop[], clock: () => Date, now: () => number = () => performance.now()) {
    this.#queues = new Map(loops.map((loop) => [loop.name, { ...loop, waiting: new Map(), held: new Map() }]));
    this.#clock = clock;
    this.#now = now;
  }

  get loops(): string[] {
    return [...this.#queues.keys()];
  }

  /**
   * How many visits and timers that this process has taken it has not tried to do. Those where it must wait do not count:
   * others may become due meanwhile.
   */
  get taken(): { readonly rounds: number; readonly timers: number } {
    return {
      rounds: this.#open.values().filter(({ untried }) => untried.size > 0).reduce((n) => n + 1, 0),
      timers: this.#queues.values().reduce((n, { held }) => n + held.size, 0),
    };
  }

  /** A workspace's feed has moved: every loop steps there. */
  move(workspaceId: string, seq: number): void {
    const open = this.#open.get(workspaceId);
    if (open === undefined) this.#open.set(workspaceId, { seq, told: -1, through: new Map(), untried: new Set() });
    else open.seq = Math.max(seq, open.seq);
    for (const { waiting } of this.#queues.values()) waiting.set(workspaceId, 0);
  }

  /** A workspace was used. */
  use(workspaceId: string): void {
    for (const { waiting, onUse } of this.#queues.values()) if (onUse) waiting.set(workspaceId, 0);
  }

  /** The place in a workspace's feed that this process follows already; -1 if it does not. */
  followed(workspaceId: string): number {
    return this.#open.get(workspaceId)?.seq ?? -1;
  }

  /** Adds what this process has taken. @returns the loops that have something to do now */
  take({ rounds, timers, heldUntil }: Taken): ReadonlySet<string> {
    for (const { workspaceId, seq } of rounds) {
      this.move(workspaceId, seq);
      const open = this.#open.get(workspaceId)!;
      // A step that runs does not count for the visit.
      this.#open.set(workspaceId, {
        seq: open.seq,
        told: -1,
        through: new Map(),
        untried: new Set(this.#queues.keys()),
      });
    }
    for (const { workspaceId, loop } of timers) {
      const { waiting, held } = this.#queues.get(loop)!;
      held.set(workspaceId, heldUntil);
      waiting.set(workspaceId, 0);
    }
    return new Set(rounds.length > 0 ? this.#queues.keys() : timers.map(({ loop }) => loop));
  }

  /** The workspaces in which a loop steps now or later. */
  waiting(loop: string): string[] {
    return [...this.#queues.get(loop)!.waiting.keys()];
  }

  /** The workspaces in which a loop steps now. */
  due(loop: string): string[] {
    const now = this.#now();
    return [...this.#queues.get(loop)!.waiting].flatMap(([id, at]) => at <= now ? [id] : []);
  }

  /**
   * Call this before a step in a workspace.
   * @returns a function to call with the outcome after the step
   */
  begin(loop: string, workspaceId: string): (end: StepEnd | "failed") => void {
    const queue = this.#queues.get(loop)!;
    queue.waiting.delete(workspaceId);
    const open = this.#open.get(workspaceId), seq = open?.seq ?? -1;
    return (end) => {
      this.#open.get(workspaceId)?.untried.delete(loop);
      const hasMoved = queue.waiting.has(workspaceId);
      // A time that is over is that of work which somebody else holds.
      const isPast = end instanceof Date && end <= this.#clock();
      if (end === true) queue.waiting.set(workspaceId, 0);
      else if (end === "failed" || end === "later" || isPast) {
        if (!hasMoved) queue.waiting.set(workspaceId, this.#now() + queue.restMs);
        // The timer becomes due for others, too.
        queue.held.delete(workspaceId);
      } else {
        this.#endTimer(queue, workspaceId, end === false ? undefined : end);
        if (open !== undefined && open === this.#open.get(workspaceId)) {
          open.through.set(loop, seq);
          this.#tellRound(workspaceId, open);
        }
      }
    };
  }

  /** What is to be written since the last call. */
  takeEnded(): Ended {
    const ended = { rounds: [...this.#rounds.values()], timers: [...this.#timers.values()] };
    [this.#rounds, this.#timers] = [new Map(), new Map()];
    return ended;
  }

  /** Keeps what could not be written, unless there is something newer. */
  keepEnded({ rounds, timers }: Ended): void {
    this.#rounds = new Map([...rounds.map((one) => [one.workspaceId, one] as const), ...this.#rounds]);
    this.#timers = new Map([...timers.map((one) => [nameOf(one), one] as const), ...this.#timers]);
  }

  /** Gives up the timers that it has taken, so that they are due again at once. */
  giveUp(): void {
    for (const { name: loop, held } of this.#queues.values()) {
      for (const [workspaceId, heldUntil] of held) this.#tell({ workspaceId, loop, heldUntil, dueAt: this.#clock() });
      held.clear();
    }
  }

  #endTimer({ name: loop, held }: Queue, workspaceId: string, dueAt: Date | undefined): void {
    const heldUntil = held.get(workspaceId);
    held.delete(workspaceId);
    if (heldUntil === undefined && dueAt === undefined) return;
    const last = new Date(this.#clock().getTime() + AHEAD_MAX_MS);
    // A date that JavaScript cannot hold is not smaller.
    this.#tell({ workspaceId, loop, heldUntil, dueAt: dueAt === undefined || dueAt < last ? dueAt : last });
  }

  #tell(timer: EndedTimer): void {
    const before = this.#timers.get(nameOf(timer));
    this.#timers.set(nameOf(timer), { ...timer, heldUntil: timer.heldUntil ?? before?.heldUntil });
  }

  /** Tells how far a visit has come since it was last told. Changes meanwhile do not hold it back. */
  #tellRound(workspaceId: string, open: Open): void {
    const loops = [...this.#queues.values()];
    const reached = (some: readonly QueuedLoop[]) => Math.min(...some.map(({ name }) => open.through.get(name) ?? -1));
    const isWhole = reached(loops) === open.seq;
    const seq = isWhole ? open.seq : reached(loops.filter(({ restMs }) => restMs <= HURRY_MS));
    if (!isWhole && seq <= open.told) return;
    open.told = seq;
    this.#rounds.set(workspaceId, { workspaceId, seq, isWhole });
    if (isWhole) this.#open.delete(workspaceId);
  }
}

function nameOf({ workspaceId, loop }: { readonly workspaceId: string; readonly loop: string }): string {
  return `${workspaceId} ${loop}`;
}
