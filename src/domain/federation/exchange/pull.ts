/** Pulls items from a peer: page after page to the end, and items by id. */
import { countReceived } from "../../../db/queries/federation_forgetting.ts";
import { ServiceError } from "../../../errors.ts";
import { type Envelope, PAGE_ITEMS_MAX, VERSION_JUMP_MAX } from "../../../schema/federation_item.ts";
import { askPage, PlaceLost } from "../protocol/ask_peer.ts";
import type { ItemResult } from "../applying/incoming.ts";
import { PeerFault } from "../peers/peer_fault.ts";
import { type PreparedPage, preparePage, type StoreOptions, storePage } from "./take_page.ts";
import { type SyncRun, SyncRunLost } from "./sync_run.ts";

/** The most steps in which one run approaches the version of an item that was published thousands of times. */
const STEPS_MAX = 100;
/**
 * The most items that one request asks for by id, fewer than it may, because the token, which has at most 4,096
 * characters, repeats the address.
 */
const IDS_ASKED = 60;
/** The most empty pages in a row. A peer serves some if its items have changed since it published them. */
const EMPTY_PAGES_MAX = 100;
/**
 * The most items without news, beyond those that we hold of the peer: a peer that lists everything again, such as after
 * a restore, repeats each of these once.
 */
const FRUITLESS_ITEMS_MAX = 5_000;
/** The least weight of a page, and the number of items without news that one item with news offsets. */
const PAGE_WEIGHT = 250;
/** Outcomes that change what is stored here. If the same item is sent again, it has another outcome. */
const FRUITFUL: ReadonlySet<ItemResult["outcome"]> = new Set([
  "applied",
  "kept_ours",
  "contested",
  "erased",
  "version_removed",
  "review_opened",
]);

/**
 * Whether we may pull from the peer. We only push to a peer that only receives, and a peer that only pushes serves
 * nothing.
 */
export function isReadable({ direction, told }: SyncRun["peer"]): boolean {
  return direction !== "push" && told.direction !== "push";
}

/**
 * Pulls all items that the peer has published since the last time. The position is stored in the transaction of each
 * page's last items. While a page is stored, the next one is asked for and prepared.
 * @returns whether the peer's record began anew, so that both sides must be compared
 */
export async function pull(run: SyncRun): Promise<boolean> {
  const { ctx, state } = run;
  using pages = new Pages(run);
  const seen = new Set<string>();
  let cursor = state.pullCursor;
  let isAnew = false;
  let empty = 0;
  const isFruitful = watchProgress(run);
  while (true) {
    let page: AskedPage;
    try {
      page = await pages.after(cursor);
    } catch (error) {
      if (!(error instanceof PlaceLost)) throw error;
      if (isAnew) {
        const message = "The peer does not know the place that it has just named: ask its operator";
        throw new PeerFault("place_lost", message, { cause: error });
      }
      [cursor, isAnew] = [null, true];
      await ctx.tx((tx) => run.savePulled(tx, null));
      continue;
    }
    const { cursor: next, count } = page;
    if (next !== null && next === cursor && count === 0) {
      // An empty page is a statement, too, so its sender is verified.
      await take(run, page, {});
      return isAnew;
    }
    if (next === null || next === cursor || seen.has(next)) {
      throw new PeerFault("page_repeated", "The peer's pages lead in a circle: ask its operator");
    }
    seen.add(next);
    empty = count === 0 ? empty + 1 : 0;
    if (empty > EMPTY_PAGES_MAX) {
      throw new PeerFault("pages_empty", "The peer's pages hold nothing and do not end: ask its operator");
    }
    // The service requests nothing more of a peer whose page it refuses. An empty page is usually the last one.
    if (count > 0 && await page.prepared.then(() => true, () => false)) {
      await run.hold();
      pages.askAhead(next);
    }
    const results = await take(run, page, { atEnd: (tx) => run.savePulled(tx, next) });
    cursor = next;
    const final = await stepUp(run, results);
    run.note("received", final);
    if (!await isFruitful(final)) {
      throw new PeerFault("pages_fruitless", "The peer's pages repeat what it said and do not end: ask its operator");
    }
  }
}

/** What is kept of a page that was asked for, until it is stored. */
interface AskedPage {
  /** The place of its last item. */
  readonly cursor: string | null;
  /** The number of its items. */
  readonly count: number;
  /** Rejected if the page is refused. */
  readonly prepared: Promise<PreparedPage>;
}

function prepare({ ctx, peer }: SyncRun, envelope: Envelope): AskedPage {
  const prepared = preparePage(ctx, peer, envelope, peer.remoteWorkspaceId);
  // Whoever takes the page gets its error.
  prepared.catch(() => {});
  return { cursor: envelope.cursor, count: envelope.items.length, prepared };
}

/** Requests the pages of a peer, one of them ahead of its use. Disposing aborts the request for a page that nobody used. */
class Pages implements Disposable {
  readonly #run: SyncRun;
  readonly #over = new AbortController();
  #ahead: { readonly cursor: string | null; readonly page: Promise<AskedPage> } | undefined;

  constructor(run: SyncRun) {
    this.#run = run;
  }

  /** Requests the page after a cursor, for the next call of `after`. The caller has just extended the run's lease. */
  askAhead(cursor: string | null): void {
    const page = this.#ask(cursor);
    // Whoever waits for the page gets its error.
    page.catch(() => {});
    this.#ahead = { cursor, page };
  }

  /**
   * Returns the page after a cursor: the one that was requested ahead, or else one that it requests now.
   * @throws PlaceLost, PeerFault, OutboundError, SyncRunLost
   */
  async after(cursor: string | null): Promise<AskedPage> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    if (ahead?.cursor === cursor) return await ahead.page;
    await this.#run.hold();
    return await this.#ask(cursor);
  }

  async #ask(cursor: string | null): Promise<AskedPage> {
    const query = { ...(cursor !== null && { since: cursor }), limit: String(PAGE_ITEMS_MAX) };
    const { ctx, peer, readable } = this.#run;
    return prepare(this.#run, await askPage(ctx, peer, query, readable.ours, this.#over.signal));
  }

  [Symbol.dispose](): void {
    this.#over.abort(new SyncRunLost());
  }
}

/** Returns a function that tells after each page whether to go on: a peer may repeat some more than we hold of it. */
function watchProgress({ ctx, peer }: SyncRun): (results: readonly ItemResult[]) => Promise<boolean> {
  let fruitless = 0;
  let held: number | undefined;
  return async (results) => {
    if (results.length === 0) return true;
    const fruitful = results.filter(({ outcome }) => FRUITFUL.has(outcome)).length;
    fruitless = Math.max(0, fruitless + Math.max(results.length, PAGE_WEIGHT) - PAGE_WEIGHT * fruitful);
    if (fruitless <= FRUITLESS_ITEMS_MAX) return true;
    held ??= (await ctx.tx((tx) => countReceived(tx, peer.id), { readOnly: true })).items;
    return fruitless <= FRUITLESS_ITEMS_MAX + held;
  };
}

/** Pulls the items with some ids, whatever their origins, in the peer's present versions. */
export async function pullItems(run: SyncRun, ids: readonly string[]): Promise<void> {
  for (let i = 0; i < ids.length; i += IDS_ASKED) {
    await run.hold();
    const page = prepare(
      run,
      await askPage(run.ctx, run.peer, { ids: ids.slice(i, i + IDS_ASKED) }, run.readable.ours),
    );
    run.note("received", await stepUp(run, await take(run, page, {})));
  }
}

/**
 * Takes a page. A page that is refused is a fault of the peer, and nothing of it was stored.
 * @throws PeerFault
 */
async function take(
  run: SyncRun,
  { prepared }: AskedPage,
  { atEnd }: Pick<StoreOptions, "atEnd">,
): Promise<ItemResult[]> {
  const { ctx, peer, options } = run;
  try {
    return await storePage(ctx, peer, await prepared, {
      strategy: options.strategy,
      ...(atEnd !== undefined && { atEnd }),
    });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 422 && error.code !== "wrong_region") throw error;
    const { code } = error;
    await ctx.tx(async (tx) =>
      tx.audit({ eventType: "federation.page_rejected", outcome: code, targets: [peer.uid], detail: { peer: peer.id } })
    );
    throw new PeerFault(code, `${error.message}: compare the keys of both entries, then ask the peer's operator`, {
      cause: error,
    });
  }
}

/**
 * Asks again for items whose version was too far ahead, each time at the highest version that is accepted, until their
 * own version is reached. The peer signs each step. Returns the final result of each item.
 */
async function stepUp(run: SyncRun, results: readonly ItemResult[]): Promise<ItemResult[]> {
  const last: ItemResult[] = [];
  for (const result of results) {
    let now: ItemResult | undefined = result;
    for (let step = 0; step < STEPS_MAX && now?.outcome === "VERSION_JUMP_REJECTED"; step++) {
      const base: number = now.base ?? 0;
      await run.hold();
      const page = prepare(
        run,
        await askPage(
          run.ctx,
          run.peer,
          { ids: [now.id], atMost: String(base + VERSION_JUMP_MAX) },
          run.readable.ours,
        ),
      );
      const found: ItemResult | undefined = (await take(run, page, {})).find(({ id, instance }) =>
        id === result.id && instance === result.instance
      );
      const isFurther: boolean = found !== undefined && found.outcome === "applied" && found.version < result.version;
      if (found === undefined || found.outcome === "VERSION_JUMP_REJECTED" && found.base === base) break;
      // One step was accepted; the next one starts from its version.
      now = isFurther ? { ...result, base: found.version } : found;
    }
    last.push(now ?? result);
  }
  return last;
}
