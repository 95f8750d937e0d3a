/** Takes in streamed facts and turns: in batches, each item with its own outcome. */
import type { OperationContext } from "../../context.ts";
import { ServiceError } from "../../errors.ts";
import type { CreateFactBody } from "../../schema/fact.ts";
import { INGEST_REFUSALS_MAX, type IngestItem, type IngestSummary, type IngestTurn } from "../../schema/rpc.ts";
import type { ItemError } from "../../schema/unit.ts";
import { createFacts } from "../kinds/facts/create.ts";
import { toItemError } from "../unit/create.ts";
import { appendTurns } from "./append_turns.ts";

/** Items of one batch. */
const BATCH_ITEMS = 200;

/** An item, or the refusal of an invalid one. */
export type Incoming = IngestItem | ServiceError;

type IngestOutcome = "created" | "known" | ItemError;

/**
 * Takes items until they end, and returns their outcomes; also when reading fails, because the sender stalls or sends
 * too much.
 * @param inTurn runs the work of the next batch in its turn. @throws ServiceError when the key may no longer write
 */
export async function ingest(
  items: AsyncIterable<Incoming>,
  inTurn: (work: (ctx: OperationContext) => Promise<void>) => Promise<void>,
): Promise<IngestSummary> {
  const tally = new Tally();
  let batch: Incoming[] = [];
  const flush = async () => {
    const taken = batch;
    batch = [];
    if (taken.length > 0) await inTurn((ctx) => settle(ctx, taken, tally));
  };
  let ended: ServiceError | undefined;
  try {
    for await (const item of items) {
      tally.received++;
      if (batch.push(item) === BATCH_ITEMS) await flush();
    }
  } catch (error) {
    ended = requireRefusal(error);
  }
  try {
    // Items before a failed read are committed. After a failed batch nothing more is, because the order would break.
    await flush();
  } catch (error) {
    ended ??= requireRefusal(error);
  }
  return tally.done(ended);
}

function requireRefusal(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  throw error;
}

/** Writes successive items of the same kind together. */
async function settle(ctx: OperationContext, items: readonly Incoming[], tally: Tally): Promise<void> {
  for (let from = 0, to: number; from < items.length; from = to) {
    const first = items[from]!;
    for (to = from + 1; to < items.length && targetOf(items[to]!) === targetOf(first);) to++;
    const run = items.slice(from, to);
    if (first instanceof ServiceError) tally.add([toItemError(first)]);
    else if (first.fact) tally.add(await writeFacts(ctx, run.map((item) => (item as IngestItem).fact!)));
    else await writeTurns(ctx, run.map((item) => (item as IngestItem).turn!), tally);
  }
}

/** Items with the same value are written together; a refusal stands alone. */
function targetOf(item: Incoming): unknown {
  return item instanceof ServiceError ? item : item.turn?.sessionId ?? "facts";
}

async function writeFacts(ctx: OperationContext, bodies: readonly CreateFactBody[]): Promise<IngestOutcome[]> {
  const { results } = await createFacts(ctx, bodies);
  return results.map(({ status, error }) => error ?? (status === 201 ? "created" : "known"));
}

/** Adds turns of one session, all or none; if one is refused, adds each by itself. */
async function writeTurns(ctx: OperationContext, turns: readonly IngestTurn[], tally: Tally): Promise<void> {
  const { sessionId } = turns[0]!;
  try {
    if (!ctx.scopes.has("session:write")) {
      throw new ServiceError("insufficient_scope", "Cannot add the turn: the key lacks the scope session:write");
    }
    const added = await appendTurns(ctx, sessionId, turns.map(({ sessionId: _, ...turn }) => turn));
    tally.add(added.map(({ duplicate }) => duplicate ? "known" : "created"));
  } catch (error) {
    if (!(error instanceof ServiceError) || error.retryable || error.status >= 500) throw error;
    if (turns.length === 1) return tally.add([toItemError(error)]);
    for (const turn of turns) await writeTurns(ctx, [turn], tally);
  }
}

class Tally {
  received = 0;
  #created = 0;
  #known = 0;
  #refused = 0;
  readonly #refusals: IngestSummary["refusals"] = [];

  /** Counts outcomes in the order of the items. */
  add(outcomes: readonly IngestOutcome[]): void {
    for (const outcome of outcomes) {
      const index = this.#settled();
      if (outcome === "created") this.#created++;
      else if (outcome === "known") this.#known++;
      else {
        this.#refused++;
        if (this.#refusals.length < INGEST_REFUSALS_MAX) this.#refusals.push({ index, error: outcome });
      }
    }
  }

  done(ended: ServiceError | undefined): IngestSummary {
    return {
      received: this.received,
      settled: this.#settled(),
      created: this.#created,
      known: this.#known,
      refused: this.#refused,
      refusals: this.#refusals,
      refusalsOmitted: this.#refused - this.#refusals.length,
      ...(ended && { ended: toItemError(ended) }),
    };
  }

  #settled(): number {
    return this.#created + this.#known + this.#refused;
  }
}
