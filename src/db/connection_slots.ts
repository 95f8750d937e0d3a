/**
 * Decides whose transaction gets a connection next. There are as many slots as the pool has connections, or fewer when
 * the server has few or has refused one. Each owner (a workspace, or the background loops) waits in a queue of its own,
 * and a free slot goes to the owner who has used the least connection time. So no owner waits behind another's backlog.
 * Within a queue the first comes first, until the queue is longer than can be served in time: then the last and the
 * first come in turns, and under lasting overload the last alone. A workspace may hold `perOwnerMax` slots at the same
 * time, and the background loops a third of them.
 */
export interface Slot {
  /** Resolves when the transaction may begin; undefined if it may begin immediately. */
  readonly admitted: Promise<void> | undefined;
  /** It has a connection. */
  noteBegun(): void;
  /** It has ended, or nobody waits for it any more. Returns the milliseconds for which it had a connection. */
  leave(): number;
}

export interface SlotsOptions {
  /** Connections of the pool. */
  readonly max: number;
  /** How many of these one owner may hold; default: all. */
  readonly perOwnerMax?: number | undefined;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/** After this time one more is let through, to see whether there is a connection for it. */
const GROW_MS = 100;

/**
 * How long the number of slots stays reduced after one was given up, in milliseconds, so that
 * another process can take the connection.
 */
const GIVEN_UP_MS = 2_000;

/** The most credit that an owner can save up: after an hour of little use it still does not get all connections. */
const CREDIT_MS = 2_000;

/**
 * When the first of a queue has waited for this long, in milliseconds, every second slot goes to the last of the queue. A
 * request makes several transactions; if each began to wait behind all others, none of the requests would be done before
 * its deadline. This way some requests get through without a wait. The other slots go to the first of the queue, so that
 * the queue is soon as short as before if the database only halted for a moment.
 */
const STANDING_MS = 500;

/**
 * When the first of a queue has waited for this long, in milliseconds, all slots go to the last of the queue: the load is
 * more than can be served, and a request that has waited for so long would hardly be done before its deadline.
 */
const OVERLOADED_MS = 2_000;

/** The owner of the queue in which transactions of the background loops wait, whichever workspace they are about. */
export const BACKGROUND = "background";

/**
 * The share of the connections that the background loops may hold together. All loops start
 * together after an outage; without a bound they would open all connections of a server that has
 * few, and leave none to another process.
 */
const BACKGROUND_SHARE = 1 / 3;

interface Owner {
  /**
   * Milliseconds of connections used, starting from the use of the others when it came; never further behind than the
   * credit.
   */
  usedMs: number;
  /** Admitted transactions: begun, or about to get a connection. */
  taken: number;
  /** When `usedMs` was brought up to date. */
  countedAt: number;
  /** Waiting transactions in the order of arrival, and since when they wait. */
  readonly waiting: Map<() => void, number>;
  /** The last slot went to the end of the queue. */
  isServedFromEnd: boolean;
}

export class Slots {
  readonly #max: number;
  /** How many of them the server can spare for one process. */
  #capacity: number;
  readonly #perOwnerMax: number;
  readonly #now: () => number;
  /** Owners that have a slot or wait for one. */
  readonly #owners = new Map<string, Owner>();
  #limit: number;
  #growsAt = -Infinity;
  #givenUpUntil = -Infinity;
  #taken = 0;
  #begun = 0;

  constructor({ max, perOwnerMax = max, now = () => performance.now() }: SlotsOptions) {
    this.#max = max;
    this.#capacity = max;
    this.#limit = max;
    this.#perOwnerMax = perOwnerMax;
    this.#now = now;
  }

  /** The server has fewer connections than the pool, so a transaction may wait for those of other owners. */
  get isShort(): boolean {
    return this.#limit < this.#max;
  }

  /** The number of transactions that were admitted: each has a connection or is about to get one. */
  get taken(): number {
    return this.#taken;
  }

  enter(name: string): Slot {
    const owner = this.#ownerOf(name);
    let phase: "waiting" | "taken" | "begun" | "left" = "waiting";
    let begunAt = 0;
    const admitted = Promise.withResolvers<void>();
    const admit = () => {
      phase = "taken";
      owner.waiting.delete(admit);
      this.#count(owner);
      owner.taken++;
      this.#taken++;
      admitted.resolve();
    };
    owner.waiting.set(admit, this.#now());
    this.#grow();
    this.#admit();
    return {
      admitted: owner.waiting.has(admit) ? admitted.promise : undefined,
      noteBegun: () => {
        if (phase !== "taken") return;
        phase = "begun";
        begunAt = this.#now();
        this.#begun++;
      },
      leave: () => {
        if (phase === "left") return 0;
        owner.waiting.delete(admit);
        if (phase !== "waiting") {
          this.#count(owner);
          owner.taken--;
          this.#taken--;
        }
        const usedMs = phase === "begun" ? this.#now() - begunAt : 0;
        if (phase === "begun") this.#begun--;
        phase = "left";
        if (owner.taken === 0 && owner.waiting.size === 0) this.#owners.delete(name);
        this.#grow();
        this.#admit();
        return usedMs;
      },
    };
  }

  /** The number of transactions that may hold a connection at the same time. It follows what the server can spare. */
  get limit(): number {
    return this.#limit;
  }

  /** How many connections the server can spare for this process: by default as many as the pool has. */
  get capacity(): number {
    return this.#capacity;
  }

  /** Sets how many connections this process may use: at least 1, and at most the size of the pool. */
  setCapacity(capacity: number): void {
    const before = this.#capacity;
    this.#capacity = Math.max(1, Math.min(this.#max, capacity));
    // If nothing but the earlier capacity bounded the limit, the limit becomes the new capacity.
    this.#limit = this.#limit === before ? this.#capacity : Math.min(this.#limit, this.#capacity);
    this.#admit();
  }

  /** The server had no connection left. */
  noteRefused(): void {
    this.#limit = Math.min(this.#capacity, Math.max(1, this.#begun));
    this.#growsAt = this.#now() + GROW_MS;
  }

  /**
   * Gives up one connection, but never the last one, for the listener. It gives up no further one until the listener
   * had time to take it.
   */
  giveUp(): void {
    if (this.#now() < this.#givenUpUntil) return;
    this.#givenUpUntil = this.#now() + GIVEN_UP_MS;
    this.#limit = Math.max(1, Math.min(this.#limit, this.#begun) - 1);
    this.#growsAt = this.#givenUpUntil;
  }

  /**
   * Finds or adds an owner. A new owner starts with the least use of any owner: its earlier use
   * does not count, and the time before it came gives it no advantage.
   */
  #ownerOf(name: string): Owner {
    const known = this.#owners.get(name);
    if (known !== undefined) return known;
    this.#level();
    let usedMs = Infinity;
    for (const owner of this.#owners.values()) usedMs = Math.min(usedMs, owner.usedMs);
    const owner: Owner = {
      usedMs: usedMs === Infinity ? 0 : usedMs,
      taken: 0,
      countedAt: this.#now(),
      waiting: new Map(),
      isServedFromEnd: false,
    };
    this.#owners.set(name, owner);
    return owner;
  }

  /** Adds the use of transactions while they run, and not only when they end. */
  #count(owner: Owner): number {
    const now = this.#now();
    owner.usedMs += owner.taken * (now - owner.countedAt);
    owner.countedAt = now;
    return owner.usedMs;
  }

  /** Counts the use of all owners, and raises those that are further behind than the credit. */
  #level(): void {
    let mostMs = -Infinity;
    for (const owner of this.#owners.values()) mostMs = Math.max(mostMs, this.#count(owner));
    for (const owner of this.#owners.values()) owner.usedMs = Math.max(owner.usedMs, mostMs - CREDIT_MS);
  }

  #grow(): void {
    if (this.#limit >= this.#capacity || this.#now() < this.#growsAt) return;
    this.#growsAt = this.#now() + GROW_MS;
    this.#limit++;
  }

  #admit(): void {
    while (this.#taken < this.#limit) {
      const next = this.#next();
      if (next === undefined) return;
      const [first] = next.waiting;
      const [admit, since] = first!;
      const waitedMs = this.#now() - since;
      next.isServedFromEnd = waitedMs >= OVERLOADED_MS || (waitedMs >= STANDING_MS && !next.isServedFromEnd);
      if (next.isServedFromEnd) [...next.waiting.keys()].at(-1)!();
      else admit();
    }
  }

  #next(): Owner | undefined {
    this.#level();
    const backgroundMax = Math.ceil(this.#capacity * BACKGROUND_SHARE);
    // If there are fewer connections, an owner may hold the same share of them.
    const perOwnerMax = Math.max(1, Math.ceil(this.#capacity * this.#perOwnerMax / this.#max));
    let next: Owner | undefined;
    for (const [name, owner] of this.#owners) {
      if (owner.waiting.size === 0 || owner.taken >= perOwnerMax) continue;
      if (name === BACKGROUND && owner.taken >= backgroundMax) continue;
      if (next === undefined || owner.usedMs < next.usedMs) next = owner;
    }
    return next;
  }
}
