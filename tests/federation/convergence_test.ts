/**
 * Instances on real databases write, edit, relate, erase and exchange over a network that loses, repeats, delays and
 * reorders; batches break off, rows are lost, backups are restored. After the network heals they have the same register,
 * show the same versions where that is promised, and have nothing that was erased.
 */
import type { Deps } from "../../src/context.ts";
import { ServiceError } from "../../src/errors.ts";
import { POSTGRES } from "../_postgres.ts";
import { checkAll } from "./_checks.ts";
import { Exchange, type Node, takeTurnsUntilQuiet } from "./_exchange.ts";
import { type History, planHistory, SETTINGS, shrink, writeSteps } from "./_plan.ts";
import { Play } from "./_play.ts";
import { Backups } from "./_snapshot.ts";

/** `deno task soak --seeds N` plays N histories; `--first` says which seed comes first. */
const SEEDS = Number(Deno.env.get("SVC_TEST_HISTORIES") ?? 50);
const FIRST = Number(Deno.env.get("SVC_TEST_FIRST_SEED") ?? 1);
/** Seeds between two lines of progress, where more than the gate's are played. */
const TOLD_EVERY = 25;
const OFFSETS_MS = [-20_000, 0, 20_000];

/** A history plays minutes in a second, and would use up the roots of a digest that a peer may ask for in a minute. */
function serveAllRoots(limit: Deps["rateLimit"]): void {
  const take = limit.take.bind(limit);
  limit.take = async (name, rate, cost) =>
    await take(name, name.startsWith("digest roots") ? { perMinute: 6_000, burst: 6_000 } : rate, cost);
}

async function openExchange(stack: AsyncDisposableStack): Promise<Stage> {
  let offset = 0;
  const exchange = stack.use(
    await Exchange.open(["a", "b", "c"], {
      clockOf: () => {
        const ms = OFFSETS_MS[offset++]!;
        return () => new Date(Date.now() + ms);
      },
    }),
  );
  for (const { deps } of exchange.services) serveAllRoots(deps.rateLimit);
  const backups = new Map(
    exchange.services.map((service) => [service, stack.use(new Backups(service.database!.superuserUrl))]),
  );
  return { exchange, backupsOf: ({ service }) => backups.get(service)! };
}

interface Stage {
  readonly exchange: Exchange;
  readonly backupsOf: (node: Node) => Backups;
}

async function playHistory({ exchange, backupsOf }: Stage, history: History): Promise<void> {
  const { strategies, count } = history.setting;
  const nodes = await exchange.play(count, (i) => ({
    strategy: strategies[i % strategies.length]!,
    weights: [100, 100, 100],
  }));
  const play = new Play(nodes, history, exchange.net, backupsOf);
  try {
    await play.run();
    await takeTurnsUntilQuiet(nodes);
    await checkAll(play);
  } finally {
    exchange.net.fateOf = () => "arrives";
    for (const node of nodes) exchange.net.leave(node);
  }
}

/** The machine was too slow, which says nothing about a history. */
function isStarved(error: unknown): boolean {
  return error instanceof ServiceError && ["unavailable", "deadline_exceeded"].includes(error.code);
}

/** The failure of a seed, with the shortest history that fails. */
async function explain(stage: Stage, history: History, cause: unknown): Promise<Error> {
  if (isStarved(cause)) return new Error(`seed ${history.seed} was not played to its end`, { cause });
  let last = cause;
  const shortest = await shrink(history, async (shorter) => {
    try {
      await playHistory(stage, shorter);
      return false;
    } catch (error) {
      if (isStarved(error)) return false;
      last = error;
      return true;
    }
  });
  const { seed, setting: { name } } = history;
  const why = last instanceof Error ? last.stack : String(last);
  return new Error(`seed ${seed} (${name}) fails; so do these steps alone:\n${writeSteps(shortest)}\n${why}`, {
    cause,
  });
}

Deno.test({
  ...POSTGRES,
  name:
    "F21 lost, doubled, late and reordered messages, crashes and restored backups lead all instances to the same result",
  async fn(t) {
    await using stack = new AsyncDisposableStack();
    const stage = await openExchange(stack);
    const began = performance.now();
    const seeds = Array.from({ length: SEEDS }, (_, i) => FIRST + i).map(planHistory);
    if (SEEDS > TOLD_EVERY * 2) {
      for (const [i, history] of seeds.entries()) {
        await playSeed(stage, history);
        if ((i + 1) % TOLD_EVERY !== 0) continue;
        console.log(`# ${i + 1} of ${SEEDS} histories, ${Math.round((performance.now() - began) / 1_000)} s`);
      }
      return;
    }
    for (const setting of SETTINGS) {
      await t.step(setting.name, async () => {
        for (const history of seeds) if (history.setting === setting) await playSeed(stage, history);
      });
    }
  },
});

async function playSeed(stage: Stage, history: History): Promise<void> {
  try {
    await playHistory(stage, history);
  } catch (cause) {
    throw await explain(stage, history, cause);
  }
}
