/**
 * Serves the versions that this instance published: pages in the order of publication, or items by id. The register
 * says which versions there are. Their content is computed again from what is stored, and is served only if it still
 * has the published hash and the reader is cleared for it now.
 */
import { createContext, type OperationContext } from "../../../context.ts";
import { readInstanceSecret } from "../../../db/queries/federation_peers.ts";
import { type PublicationCursor, readCursor } from "../../../db/queries/federation_publication.ts";
import * as queries from "../../../db/queries/federation_versions.ts";
import type { VersionRow } from "../../../db/queries/federation_versions.ts";
import { findRelations } from "../../../db/queries/relations.ts";
import { findRevision } from "../../../db/queries/revisions.ts";
import { findUnits } from "../../../db/queries/units.ts";
import { forgetComparison, noteReached } from "../../../db/queries/federation_sync_runs.ts";
import { findContents } from "../../../db/queries/federation_contents.ts";
import type { Tx } from "../../../db/tx.ts";
import { ServiceError } from "../../../errors.ts";
import { isCleared, type Sensitivity } from "../../../schema/common.ts";
import {
  type Envelope,
  type ItemBody,
  type ListFederationItemsQuery,
  PAGE_BODIES_BYTES_MAX,
  type PlainItem,
  toWireType,
  writeReference,
} from "../../../schema/federation_item.ts";
import { decodeCursor, encodeCursor } from "../../common/cursor.ts";
import { makeProjection } from "../protocol/envelope.ts";
import { formsOf } from "../register/forms.ts";
import { projectFacts } from "../protocol/projection.ts";
import { publish, seeingAll } from "../register/publish.ts";
import type { Peer } from "../peers/peers.ts";
import { findReader, pageHead, type Reader, requirePull } from "../protocol/reader.ts";
import { sealingKeysFor } from "../peers/sealing_keys.ts";
import { sealPage } from "../protocol/sealing.ts";
import { hashItem, type SharedForm } from "../register/shared_form.ts";

/**
 * The most rounds of publication for which one page waits: some thousand items. The reader gets the rest with later
 * pages.
 */
const ROUNDS_MAX = 20;
/** The most items of one push: even with plain bodies every instance accepts such a message. */
const PUSH_ITEMS_MAX = 100;

/** A page of entries, with their bodies. */
interface Served {
  readonly entries: readonly VersionRow[];
  readonly items: readonly PlainItem[];
  /** The place of the last examined entry; null if ids were requested. */
  readonly place: PublishedPosition | null;
  readonly epoch: string;
}

/**
 * Serves a page of what this instance published to a peer or a key holder.
 * @throws ServiceError `not_found` for another workspace; `insufficient_scope` for a peer that only receives;
 * `validation_failed` for a cursor of another epoch; `unavailable` if keys are required and there are none, or if the
 * key has sealed as many items as it may
 */
export async function serveItems(ctx: OperationContext, query: ListFederationItemsQuery): Promise<Envelope> {
  const reader = await ctx.tx((tx) => findReader(ctx, tx, query.workspace), { readOnly: true });
  requirePull(reader);
  const keys = reader.isAbroad ? undefined : sealingKeysFor(ctx, reader.peer, query.form === "plain");
  await publishFor(ctx, query);
  const { maxSensitivity: clearance } = ctx;
  const { served, secret } = await seeingAll(ctx).tx(async (tx) => ({
    served: query.ids === undefined
      ? await readPage(tx, ctx, reader, query)
      : await readIds(tx, ctx, clearance, query.ids, query.atMost),
    secret: reader.isAbroad ? await readInstanceSecret(tx.sql, "projection") : undefined,
  })).catch(async (error) => {
    // The peer may hold more of our versions than we know of: the next run with it compares both sides.
    if (error instanceof PlaceUnknown && reader.peer !== undefined) await doubtRecord(ctx, reader.peer.id);
    throw error;
  });
  const { place, epoch, entries, items } = served;
  const head = pageHead(ctx, reader, place === null ? null : cursorOf(ctx, epoch, place));
  if (secret === undefined) return await sealPage(ctx, head, items, keys);
  const seen = entries.filter((entry) => isCleared(entry.sensitivity, clearance));
  return makeProjection(head, projectFacts(seen, reader.region ?? "", secret), ctx.deps.signingKey);
}

/**
 * Makes a page to push to a peer: entries after a place in the order of publication, or items by id, under a version
 * number of at most `atMost`.
 * @returns undefined if there is nothing to push
 */
export async function makePush(
  ctx: OperationContext,
  peer: Pick<Peer, "id" | "maxSensitivity" | "remoteWorkspaceId">,
  what: ({ readonly after: number } | { readonly ids: readonly string[]; readonly atMost?: number }) & {
    readonly form?: "plain" | undefined;
  },
): Promise<{ readonly envelope: Envelope; readonly seq: number } | undefined> {
  const { id, maxSensitivity, remoteWorkspaceId: workspace } = peer;
  const to = createContext(ctx.deps, { ...ctx, actor: `peer:${id}`, maxSensitivity }, ctx);
  const reader = await to.tx((tx) => findReader(to, tx, undefined), { readOnly: true });
  const keys = reader.isAbroad ? undefined : sealingKeysFor(ctx, reader.peer, what.form === "plain");
  const { entries, items, secret } = await seeingAll(ctx).tx(async (tx) => {
    const entries = "after" in what
      ? await queries.listPublished(tx, maxSensitivity, what.after, PUSH_ITEMS_MAX)
      : (await queries.findPublished(tx, maxSensitivity, what.ids)).map((entry) => ({
        ...entry,
        version: Math.min(entry.version, what.atMost ?? entry.version),
      }));
    const secret = reader.isAbroad ? await readInstanceSecret(tx.sql, "projection") : undefined;
    if (secret !== undefined) return { entries, items: [], secret };
    const { items, read } = await bodiesOf(tx, to, maxSensitivity, entries);
    return { entries: entries.slice(0, read), items, secret };
  });
  if (entries.length === 0) return undefined;
  // The page names the workspace by its id at the peer.
  const head = { ...pageHead(ctx, reader, null), workspace };
  const seq = entries.at(-1)?.seq ?? 0;
  if (secret === undefined) return { envelope: await sealPage(ctx, head, items, keys), seq };
  const seen = entries.filter((entry) => isCleared(entry.sensitivity, maxSensitivity));
  return { envelope: makeProjection(head, projectFacts(seen, reader.region ?? "", secret), ctx.deps.signingKey), seq };
}

/**
 * Publishes what is pending, so that the page is not older than its request, but not more rounds than one page needs.
 */
async function publishFor(ctx: OperationContext, { limit }: ListFederationItemsQuery): Promise<void> {
  const rounds = Math.min(ROUNDS_MAX, Math.ceil(limit / 25));
  // The first round may only begin publication.
  for (let round = 0; round <= rounds && await publish(ctx, { isAsked: true }); round++) ctx.signal.throwIfAborted();
}

function listName({ workspaceId }: OperationContext, epoch: string): string {
  return `federation ${workspaceId} ${epoch}`;
}

/** A place in the order of publication, and the time when its entry was published, in milliseconds. */
interface PublishedPosition {
  readonly seq: number;
  readonly at: number;
}

function cursorOf(ctx: OperationContext, epoch: string, { seq, at }: PublishedPosition): string {
  return encodeCursor(listName(ctx, epoch), "asc", `${seq}@${at}`);
}

function placeOfEntry({ seq, receivedAt }: VersionRow): PublishedPosition {
  return { seq: seq!, at: receivedAt?.getTime() ?? 0 };
}

/** `42@1790000000000` */
const PLACE = /^(\d{1,15})@(\d{1,15})$/;
const isPlace = (key: unknown): key is string => typeof key === "string" && PLACE.test(key);

/** The place belongs to another record than the present one, such as the one before a backup was restored. */
class PlaceUnknown extends ServiceError {
  constructor(cause?: unknown) {
    super("validation_failed", "Cannot read on: the position does not belong to this instance's present record", {
      cause,
      errors: [{
        path: "since",
        message: "is not a position of the present record; compare the digests and begin anew",
      }],
    });
  }
}

/**
 * Reads the place in a cursor. After a restore the same places are given to other entries, which have a later time than the
 * one in the cursor.
 * @throws PlaceUnknown for a place of another record, or beyond the end
 */
async function placeOf(
  tx: Tx,
  ctx: OperationContext,
  since: string | undefined,
  { epoch, nextSeq }: PublicationCursor,
): Promise<PublishedPosition> {
  let key: string | undefined;
  try {
    key = decodeCursor(listName(ctx, epoch), "asc", since, isPlace);
  } catch (cause) {
    throw new PlaceUnknown(cause);
  }
  if (key === undefined) return { seq: 0, at: 0 };
  const [seq, at] = PLACE.exec(key)!.slice(1).map(Number) as [number, number];
  if (seq >= nextSeq) throw new PlaceUnknown();
  const publishedAt = await queries.findPublishedAt(tx, seq);
  if (publishedAt !== undefined && publishedAt.getTime() > at) throw new PlaceUnknown();
  return { seq, at };
}

/** Lets the next run with a peer compare what it holds of this instance. */
async function doubtRecord(ctx: OperationContext, peer: string): Promise<void> {
  await ctx.tx((tx) => forgetComparison(tx, peer));
}

async function readPage(
  tx: Tx,
  ctx: OperationContext,
  { peer, isAbroad }: Reader,
  { since, limit }: ListFederationItemsQuery,
): Promise<Served> {
  const cursor = (await readCursor(tx))!;
  const after = await placeOf(tx, ctx, since, cursor);
  if (peer !== undefined) await noteReached(tx, peer.id, after.seq);
  const entries = await queries.listPublished(tx, ctx.maxSensitivity, after.seq, limit);
  const { epoch } = cursor;
  const placeAfter = (last: VersionRow | undefined) => last === undefined ? after : placeOfEntry(last);
  if (isAbroad) return { entries, items: [], place: placeAfter(entries.at(-1)), epoch };
  const { items, read } = await bodiesOf(tx, ctx, ctx.maxSensitivity, entries);
  return { entries: entries.slice(0, read), items, place: placeAfter(entries[read - 1]), epoch };
}

/**
 * Reads items by id. An entry with a version above `atMost` is served under `atMost`, so that the reader's guard against
 * version jumps accepts it.
 */
async function readIds(
  tx: Tx,
  ctx: OperationContext,
  clearance: Sensitivity,
  ids: readonly string[],
  atMost: number | undefined,
): Promise<Served> {
  const { epoch } = (await readCursor(tx))!;
  const entries = await queries.findPublished(tx, clearance, ids);
  const capped = entries.map((entry) => ({ ...entry, version: Math.min(entry.version, atMost ?? entry.version) }));
  return { entries: capped, items: (await bodiesOf(tx, ctx, clearance, capped)).items, place: null, epoch };
}

/**
 * Makes the bodies of entries up to the bytes of a page, but of at least one item. Also returns how many entries it
 * examined.
 */
async function bodiesOf(tx: Tx, ctx: OperationContext, clearance: Sensitivity, entries: readonly VersionRow[]) {
  const forms = await readPublished(tx, ctx.deps.config.instanceId, clearance, entries);
  const items: PlainItem[] = [];
  let bytes = 0;
  for (const [i, entry] of entries.entries()) {
    const item = toItem(entry, forms.get(entry), clearance);
    if (item === undefined) continue;
    bytes += JSON.stringify(item.body).length;
    if (bytes > PAGE_BODIES_BYTES_MAX && items.length > 0) return { items, read: i };
    items.push(item);
  }
  return { items, read: entries.length };
}

/** Makes an item of an entry; undefined if its content has changed since, because a later version will have that. */
function toItem(entry: VersionRow, form: SharedForm | undefined, clearance: Sensitivity): PlainItem | undefined {
  const { origin, writer, version, type: itemType, updatedAt, seen, affirms, isDeleted } = entry;
  const isWithdrawn = !isDeleted && !isCleared(entry.sensitivity, clearance);
  const type = toWireType(itemType, isDeleted);
  const unit = isDeleted || isWithdrawn ? null : form;
  if (unit === undefined) return undefined;
  const body: ItemBody = {
    ...{ v: 1, origin, writer, version, updatedAt: updatedAt.toISOString(), seen: { ...seen }, affirms },
    unit: unit as ItemBody["unit"],
    ...(isWithdrawn && { withdrawn: true as const }),
  };
  return { id: origin.id, type, version, hash: hashItem(type, origin, unit, isWithdrawn), body };
}

/**
 * Finds the content that entries had when they were published. Entries whose content has changed since, or that the
 * reader may not see, are left out.
 */
async function readPublished(
  tx: Tx,
  instance: string,
  clearance: Sensitivity,
  entries: readonly VersionRow[],
): Promise<ReadonlyMap<VersionRow, SharedForm>> {
  const told = entries.filter((entry) => !entry.isDeleted && isCleared(entry.sensitivity, clearance));
  const ids = told.flatMap(({ unitId }) => unitId ?? []);
  const [units, relations] = await Promise.all([findUnits(tx, ids), findRelations(tx, ids)]);
  const rows = new Map([...units, ...relations].map((row) => [row.id, row]));
  const forms = await formsOf(tx, instance, units, relations);
  const found = new Map<VersionRow, SharedForm>();
  // A version that was taken over from another instance is served as it came, whatever this instance stores of it.
  const contents = await findContents(tx, told.map(({ origin }) => origin));
  const taken = new Map(
    contents.flatMap(({ origin, writer, content }) =>
      writer === instance && content !== null ? [[writeReference(origin), content]] : []
    ),
  );
  for (const entry of told) {
    const { unitId, unitVersion, origin, type, hash } = entry;
    const content = taken.get(writeReference(origin));
    if (content !== undefined && hashItem(type, origin, content) === hash) {
      found.set(entry, content);
      continue;
    }
    const row = rows.get(unitId ?? "");
    if (row === undefined) continue;
    // Items of other origins are stored as at least `internal`. Any other difference means that the sensitivity was
    // raised since.
    const isFloor = row.sensitivity === "internal" && entry.sensitivity === "public" && origin.instance !== instance;
    if (row.sensitivity !== entry.sensitivity && !isFloor) continue;
    const as = (form: SharedForm) => isFloor ? { ...form, sensitivity: entry.sensitivity } : form;
    const isIt = (form: SharedForm) => hashItem(type, origin, as(form)) === hash;
    const now = forms.get(row.id)!;
    if (isIt(now)) found.set(entry, as(now));
    else if (type !== "relation" && unitVersion !== null && unitVersion < row.version) {
      const before = await findRevision(tx, row.id, unitVersion);
      if (before === undefined) continue;
      const form = (await formsOf(tx, instance, [before.unit], [])).get(row.id)!;
      if (isIt(form)) found.set(entry, as(form));
    }
  }
  return found;
}
