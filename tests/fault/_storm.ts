/** One fault after another in an order that a seed decides, under load, with the whole check after each round. */
import { Clients } from "./_ledger.ts";
import type { Stage } from "./_stage.ts";
import { until } from "./_process.ts";

interface Fault {
  readonly name: string;
  /** Breaks something, and mends it before it resolves, or leaves that to the service; answers what is worth telling. */
  readonly run: (stage: Stage, clients: Clients, random: () => number) => Promise<string | void>;
}

/** So many writes are acknowledged between a fault and its end, where anything can be served meanwhile. */
const MEANWHILE = 5;

export const FAULTS: readonly Fault[] = [
  {
    name: "F1 backends are killed",
    run: async (stage, clients) => {
      for (let i = 0; i < 5; i++) {
        await stage.killBackend();
        await clients.progress(2);
      }
    },
  },
  {
    name: "F2 Postgres is killed",
    run: async ({ server, nodes }, _, random) => {
      await (random() < 0.5 ? server.kill() : server.stop("immediate"));
      await until("it is noticed", async () => await nodes[0].status("/health/ready") === 503, nodes[0]);
      await server.start();
    },
  },
  {
    name: "F4 the way to Postgres is silent",
    run: async ({ way, nodes }, _, random) => {
      way.freeze(random() < 0.5 ? "down" : undefined);
      await until("it is noticed", async () => await nodes[0].status("/health/ready") === 503, nodes[0]);
      way.heal();
      // As after a network's own time limits: what was held back never arrives.
      way.cut();
    },
  },
  {
    name: "F6 the way to Postgres is slow",
    run: async ({ way }, clients, random) => {
      if (random() < 0.5) way.delay(20);
      else way.limitRate(50_000);
      await clients.progress(MEANWHILE);
      way.heal();
    },
  },
  {
    name: "F4 the way to Postgres is cut off and talks noise",
    run: async ({ way, nodes }) => {
      way.garble();
      way.cut();
      await until("it is noticed", async () => await nodes[0].status("/health/ready") === 503, nodes[0]);
      way.heal();
      way.cut();
    },
  },
  {
    name: "F9 Redis is away or empty",
    run: async ({ redis, redisWay }, clients, random) => {
      if (random() < 0.3) await redis!.command("FLUSHALL");
      else redisWay!.freeze();
      redisWay!.cut();
      await clients.progress(MEANWHILE);
      redisWay!.heal();
      redisWay!.cut();
    },
  },
  {
    name: "F13 a process is stopped",
    run: async (stage, clients, random) => {
      const at = Math.floor(random() * stage.nodes.length);
      const code = await stage.nodes[at].stop();
      if (code !== 0) throw new Error(`SIGTERM ended with ${code}\n${stage.nodes[at].output}`);
      await clients.progress(MEANWHILE);
      await stage.restart(at);
    },
  },
  {
    name: "F14 a process is killed",
    run: async (stage, clients, random) => {
      const at = Math.floor(random() * stage.nodes.length);
      await stage.nodes[at].kill();
      await clients.progress(MEANWHILE);
      const begun = performance.now();
      await stage.restart(at);
      await until("it is ready", async () => await stage.nodes[at].status("/health/ready") === 200, stage.nodes[at]);
      return `ready again after ${Math.round(performance.now() - begun)} ms`;
    },
  },
];

export interface StormOptions {
  readonly seed: number;
  /** Asked before each round. */
  readonly goOn: (round: number) => boolean;
  /** All of them unless told. */
  readonly faults?: readonly Fault[];
  readonly tell?: (line: string) => void;
}

/** Runs rounds of faults; after each the clients rest and everything is checked. Answers the names of what was run. */
export async function runStorm(stage: Stage, options: StormOptions): Promise<string[]> {
  const { seed, goOn, faults = FAULTS, tell = () => {} } = options;
  const random = randomFrom(seed);
  const done: string[] = [];
  for (let round = 1; goOn(round); round++) {
    let next = 0;
    const url = () => stage.nodes[next++ % stage.nodes.length].url;
    const clients = new Clients(stage.tenants, 2, { url, random });
    for (const fault of roundOf(faults, random)) {
      tell(`round ${round}: ${fault.name}`);
      const said = await fault.run(stage, clients, random);
      if (said !== undefined) tell(`round ${round}: ${said}`);
      await clients.progress(MEANWHILE);
      done.push(fault.name);
    }
    await clients.stop();
    await stage.check();
    const writes = stage.tenants.flatMap((tenant) => tenant.writes);
    const acknowledged = writes.filter(({ id }) => id !== undefined).length;
    const refused = JSON.stringify(Object.fromEntries(clients.refused));
    tell(
      `round ${round}: whole; ${acknowledged} writes acknowledged, ${writes.length - acknowledged} not, ` +
        `${clients.replays} replays, refusals ${refused}, slowest ${Math.round(clients.slowestMs)} ms`,
    );
  }
  return done;
}

/** Mulberry32: the same numbers for the same seed, from 0 up to but not 1. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Each fault once in any order; of a few, each again and again until a round is as long as it is of all. */
function roundOf(faults: readonly Fault[], random: () => number): Fault[] {
  const times = Math.ceil(FAULTS.length / faults.length);
  return shuffled(Array.from({ length: times }, () => faults).flat(), random);
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items.map((item) => ({ item, at: random() })).sort((a, b) => a.at - b.at).map(({ item }) => item);
}
