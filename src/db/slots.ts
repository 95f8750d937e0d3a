/**
 * How many transactions go to the server at once. As many as come, until it refuses a connection because it has none left;
 * then as many as have one, and now and then one more, until the pool's own number is reached. The others wait: each that
 * went on to ask for a connection would cost the server more than what it refuses.
 */
export interface Slot {
  /** Resolves when the transaction may begin; undefined when it may at once. */
  readonly admitted: Promise<void> | undefined;
  /** It has a connection. */
  noteBegun(): void;
  /** It has ended, or nobody waits for it any more. */
  leave(): void;
}

/** After this time one more is let through, to see whether there is a connection for it. */
const GROW_MS = 100;

export class Slots {
  readonly #max: number;
  #limit = Infinity;
  #changedAt = -Infinity;
  /** Let through: begun, or on the way to a connection. */
  #taken = 0;
  #begun = 0;
  readonly #waiting = new Set<() => void>();

  constructor(max: number) {
    this.#max = max;
  }

  enter(): Slot {
    let phase: "waiting" | "taken" | "begun" | "left" = "waiting";
    const admitted = Promise.withResolvers<void>();
    const admit = () => {
      phase = "taken";
      this.#taken++;
      admitted.resolve();
    };
    this.#grow();
    if (this.#taken < this.#limit) admit();
    else this.#waiting.add(admit);
    return {
      admitted: this.#waiting.has(admit) ? admitted.promise : undefined,
      noteBegun: () => {
        if (phase !== "taken") return;
        phase = "begun";
        this.#begun++;
      },
      leave: () => {
        if (phase === "left") return;
        this.#waiting.delete(admit);
        if (phase !== "waiting") this.#taken--;
        if (phase === "begun") this.#begun--;
        phase = "left";
        this.#grow();
        this.#admit();
      },
    };
  }

  /** The server had no connection left. */
  noteRefused(): void {
    this.#limit = Math.max(1, this.#begun);
    this.#changedAt = performance.now();
  }

  #grow(): void {
    if (this.#limit === Infinity || performance.now() - this.#changedAt < GROW_MS) return;
    this.#changedAt = performance.now();
    this.#limit = this.#limit + 1 < this.#max ? this.#limit + 1 : Infinity;
  }

  #admit(): void {
    for (const admit of this.#waiting) {
      if (this.#taken >= this.#limit) return;
      this.#waiting.delete(admit);
      admit();
    }
  }
}
