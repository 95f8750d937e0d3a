/** Changes of other processes, to which these have a while to send their loops before this process asks whether they did. */
import type { Taken } from "../domain/upkeep/loop_rounds.ts";

type LoopRound = Taken["rounds"][number];

interface Heard {
  /** The place in the feed that was heard first. */
  readonly seq: number;
  /** The last one: a workspace that never rests is always behind it. */
  latest: number;
  /** When `seq` was heard, in milliseconds. */
  readonly at: number;
}

export class Overheard {
  #heard = new Map<string, Heard>();

  /** @param graceMs the time that other processes have, in milliseconds */
  constructor(readonly graceMs: number) {}

  /** @param at in milliseconds; `-Infinity`: others have no time */
  note(workspaceId: string, seq: number, at: number): void {
    const heard = this.#heard.get(workspaceId);
    if (heard === undefined || at === -Infinity) this.#heard.set(workspaceId, { seq, latest: seq, at });
    else heard.latest = Math.max(heard.latest, seq);
  }

  clear(): void {
    this.#heard.clear();
  }

  /** The places that others must have reached by now. What they have heard since stays. */
  due(now: number): LoopRound[] {
    return [...this.#heard].flatMap(([workspaceId, { seq, at }]) =>
      now - at >= this.graceMs ? [{ workspaceId, seq }] : []
    );
  }

  /** Forgets places that were asked for. For those that were heard since, the time of others begins now. */
  asked(rounds: readonly LoopRound[], now: number): void {
    for (const { workspaceId, seq } of rounds) {
      const heard = this.#heard.get(workspaceId);
      if (heard?.seq !== seq) continue;
      if (heard.latest > seq) this.#heard.set(workspaceId, { seq: heard.latest, latest: heard.latest, at: now });
      else this.#heard.delete(workspaceId);
    }
  }
}
