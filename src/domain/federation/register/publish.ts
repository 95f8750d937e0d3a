/**
 * Publication. It follows the change feed, compares the shared form of each changed item with the version that was
 * published of it, and publishes a new version if they differ. So no write path has to know about publication, and a
 * hundred changes between two rounds become one version. In a workspace without peers nothing is read or written.
 */
import { createContext, type OperationContext } from "../../../context.ts";
import { uuidv7 } from "../../../crypto/ids.ts";
import { type ChangeRow, listChanges, readFeedHead } from "../../../db/queries/changes.ts";
import { type ErasureNotice, noteErasures } from "../../../db/queries/federation_erasures.ts";
import { findItemsOfUnits, type ItemRow, saveItems } from "../../../db/queries/federation_ids.ts";
import { hasPeer } from "../../../db/queries/federation_peer_standing.ts";
import * as queries from "../../../db/queries/federation_publication.ts";
import { saveVersions, type VersionRow } from "../../../db/queries/federation_versions.ts";
import { putOffStandIns } from "../../../db/queries/federation_contents.ts";
import { lockNames } from "../../../db/queries/units.ts";
import type { Tx } from "../../../db/tx.ts";
import {
  ITEM_TYPES,
  type ItemName,
  type ItemType,
  toWireType,
  writeReference,
} from "../../../schema/federation_item.ts";
import { closeGone } from "./conflict_task.ts";
import { readForms, type StoredForm } from "./forms.ts";
import { mergeSeen } from "../decision/order.ts";
import { nextOwnVersion, type PublicationPlace, PublicationPlaces } from "./own_version.ts";
import { hashItem } from "./shared_form.ts";

/** The most changes that one round reads, and the most items that one transaction publishes. */
const CHANGES_MAX = 2_000;
export const PUBLISHED_MAX = 250;
const KINDS = ITEM_TYPES.map((type) => `${type}.`);
/** Changes of this instance's own judgement about an item, which peers are not told. */
const LOCAL_EVENTS = /\.(revalued|stale|fresh|trust_capped|disputed|settled)$/;

/** The context of the same caller with full clearance: each reader's page is limited by that reader's own clearance. */
export function seeingAll(ctx: OperationContext): OperationContext {
  return createContext(ctx.deps, { ...ctx, maxSensitivity: "restricted" }, ctx);
}

/** Begins publication in a workspace that has none: walks over existing items, and follows the feed from now on. */
export async function beginPublication(ctx: OperationContext): Promise<void> {
  await seeingAll(ctx).tx(async (tx) => {
    if (await queries.readCursor(tx) !== undefined) return;
    await queries.createCursor(tx, await readFeedHead(tx), uuidv7(tx.now));
  });
}

/**
 * Publishes up to 250 items that changed, or that existed before the first peer. Returns whether there may be more. The
 * rounds of a workspace run one after the other, so that entries become visible in the order of their places.
 * @param isAsked somebody asks for published items, so publication begins even in a workspace without peers
 */
export async function publish(ctx: OperationContext, { isAsked = false } = {}): Promise<boolean> {
  return await seeingAll(ctx).tx(async (tx) => {
    const known = await queries.readCursor(tx);
    if (known === undefined) {
      if (!isAsked && !await hasPeer(tx)) return false;
      await queries.createCursor(tx, await readFeedHead(tx), uuidv7(tx.now));
      return true;
    }
    if (known.walk === null && known.publishedSeq === await readFeedHead(tx)) return false;
    await lockPublication(tx);
    const cursor = (await queries.readCursor(tx))!;
    const places = await PublicationPlaces.open(tx, cursor);
    const { changes, through, hasMore } = await readChanged(tx, cursor.publishedSeq);
    const walked = changes.size > 0 ? undefined : await readWalk(tx, cursor);
    await publishItems(tx, ctx.deps.config.instanceId, places, walked?.ids ?? changes);
    const next = { ...places.after, publishedSeq: through, ...walked?.next };
    await queries.saveCursor(tx, next);
    return hasMore || next.walk !== null;
  });
}

/** Locks the publications of a workspace: rounds, and other takers of places in their order, wait for each other. */
export async function lockPublication(tx: Tx): Promise<void> {
  await lockNames(tx, ["federation publish"]);
}

/**
 * Publishes the present content of some units and relations, so that versions of a peer are compared with it. The
 * caller's transaction holds the lock of publication.
 */
export async function publishPending(ctx: OperationContext, tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const places = await PublicationPlaces.open(tx, (await queries.readCursor(tx))!);
  await publishItems(tx, ctx.deps.config.instanceId, places, new Map(ids.map((id) => [id, []])));
  await queries.saveCursor(tx, places.after);
}

/** Takes a place in the order of publication. The caller's transaction holds the lock of publication. */
export async function takePlace(tx: Tx): Promise<PublicationPlace> {
  const places = await PublicationPlaces.open(tx, (await queries.readCursor(tx))!);
  const place = places.take();
  await queries.saveCursor(tx, places.after);
  return place;
}

/** The changes of an item in a stretch of the feed. */
type Happened = readonly Pick<ChangeRow, "kind" | "actor">[];
export type ItemChanges = ReadonlyMap<string, Happened>;

/** Reads what changed after a place in the feed, up to as many items as one transaction publishes. */
async function readChanged(tx: Tx, after: number) {
  const head = await readFeedHead(tx);
  const filter = { after, through: head, kinds: KINDS, withoutTypes: [], resourceId: undefined } as const;
  const rows = head === after ? [] : await listChanges(tx, { ...filter, order: "asc", limit: CHANGES_MAX });
  const changes = new Map<string, Happened>();
  let through = rows.length < CHANGES_MAX ? head : rows.at(-1)!.seq;
  let hasMore = rows.length === CHANGES_MAX;
  for (const { seq, kind, actor, resourceId } of rows) {
    if (LOCAL_EVENTS.test(kind)) continue;
    const happened = changes.get(resourceId);
    if (happened === undefined && changes.size === PUBLISHED_MAX) {
      [through, hasMore] = [seq - 1, true];
      break;
    }
    changes.set(resourceId, [...happened ?? [], { kind, actor }]);
  }
  return { changes, through, hasMore };
}

/** Reads the next items of the walk over those that existed before publication began: units, then relations. */
async function readWalk(tx: Tx, { walk, walkAfter }: queries.PublicationCursor) {
  if (walk === null) return undefined;
  const ids = await queries.listAll(tx, walk, walkAfter, PUBLISHED_MAX);
  const isOver = ids.length < PUBLISHED_MAX;
  const next = isOver
    ? { walk: walk === "unit" ? "relation" as const : null, walkAfter: null }
    : { walkAfter: ids.at(-1)! };
  return { ids: new Map(ids.map((id) => [id, []])) as ItemChanges, next };
}

/**
 * Publishes the units and relations among some whose content differs from the published version, or that are gone. The
 * caller holds the lock of publication and saves the taken places.
 */
async function publishItems(tx: Tx, instance: string, places: PublicationPlaces, changed: ItemChanges): Promise<void> {
  if (changed.size === 0) return;
  const candidates = await withoutReceived(tx, instance, changed);
  const { forms, gone } = await readForms(tx, instance, [...candidates.keys()]);
  const bare = await queries.findBare(tx, forms.filter(({ type }) => type === "entity").map(({ unitId }) => unitId));
  const told = await withSaid(tx, instance, forms, changed);
  const words = told.flatMap((form): VersionRow[] => {
    if (bare.has(form.unitId)) return [];
    const { origin, type, updatedAt, hash, sensitivity, unitId, unitVersion, entries, item } = form;
    const said = { writer: instance, origin, type, updatedAt, hash, sensitivity, unitId, unitVersion };
    const word = { ...said, seen: item?.context ?? {}, affirms: null, isDeleted: false };
    return [nextOwnVersion(word, entries, places.take())];
  });
  const tombstones = await buryGone(tx, instance, places, gone, changed);
  await saveVersions(tx, [...words, ...tombstones]);
  const items = new Map(told.flatMap(({ origin, item }) => item === undefined ? [] : [[writeReference(origin), item]]));
  await saveItems(tx, words.flatMap((word) => showOwn(items.get(writeReference(word.origin)), word)));
  await putOffStandIns(tx, moved(changed));
}

/**
 * Leaves out items that only a peer changed in this stretch of the feed and that show a peer's version: this instance
 * publishes nothing about them, so it need not read them. A later change by a local caller has its own entry.
 */
async function withoutReceived(tx: Tx, instance: string, changed: ItemChanges): Promise<ItemChanges> {
  const received = [...changed].flatMap(([id, happened]) =>
    happened.length > 0 && happened.every(({ kind }) => kind.endsWith(".received")) ? [id] : []
  );
  if (received.length === 0) return changed;
  const items = await findItemsOfUnits(tx, received);
  const theirs = new Set(
    items.flatMap(({ unitId, role, shownWriter }) =>
      role === "unit" && shownWriter !== null && shownWriter !== instance ? [unitId] : []
    ),
  );
  return new Map([...changed].filter(([id]) => !theirs.has(id)));
}

/** Selects the units that were erased or changed. One of them may be the stand-in of a peer's item, which is decided again. */
function moved(changed: ItemChanges): string[] {
  return [...changed].flatMap(([id, happened]) =>
    happened.some(({ kind }) => !kind.endsWith(".corroborated")) ? [id] : []
  );
}

/**
 * Returns the item's row after this instance has published its own version, which is now shown. Items that no other
 * instance has published have no row.
 */
function showOwn(item: ItemRow | undefined, { writer, version, hash }: VersionRow): ItemRow[] {
  if (item === undefined) return [];
  const context = mergeSeen(item.context, { [writer]: version });
  return [{ ...item, shownWriter: writer, shownVersion: version, shownHash: hash, context, isOwn: true }];
}

/**
 * Selects the forms to publish. An item that shows this instance's version is published if its content differs from the
 * published one; any other item only if a caller of this instance changed it.
 */
async function withSaid(
  tx: Tx,
  instance: string,
  forms: readonly StoredForm[],
  changed: ItemChanges,
): Promise<StoredForm[]> {
  const ownOf = ({ entries }: StoredForm) => entries.find(({ writer }) => writer === instance);
  const isOurs = ({ origin, item }: StoredForm) =>
    origin.instance === instance && (item?.shownWriter ?? instance) === instance;
  const differs = forms.filter((form) => {
    const own = ownOf(form);
    const shown = form.entries.find(({ writer, version }) =>
      writer === form.item?.shownWriter && version === form.item.shownVersion
    );
    const hash = isOurs(form) ? own?.hash : shown?.hash ?? own?.hash;
    return hash !== form.hash || own?.isDeleted === true;
  });
  const others = differs.filter((form) => !isOurs(form));
  const said = await queries.findSaid(
    tx,
    others.filter(({ type }) => type !== "relation").map((form) => ({
      id: form.unitId,
      after: ownOf(form)?.unitVersion ?? 0,
    })),
  );
  return differs.filter((form) => {
    if (isOurs(form)) return true;
    return form.type === "relation" ? isSaid(changed.get(form.unitId) ?? []) : said.has(form.unitId);
  });
}

/** Whether a caller of this instance changed a relation. */
function isSaid(happened: Happened): boolean {
  return happened.some(({ kind, actor }) =>
    /^relation\.(created|updated|archived|restored)$/.test(kind) && /^(key:|admin:|cli$)/.test(actor)
  );
}

/** Makes tombstones of items that are gone, and notices of their erasure for every peer. */
async function buryGone(
  tx: Tx,
  instance: string,
  places: PublicationPlaces,
  gone: readonly { readonly unitId: string; readonly entries: readonly VersionRow[] }[],
  changed: ItemChanges,
): Promise<VersionRow[]> {
  const tombstones: VersionRow[] = [];
  const notices: ErasureNotice[] = [];
  for (const { unitId, entries } of gone) {
    const own = entries.find(({ writer }) => writer === instance);
    const erasedBy = changed.get(unitId)?.find(({ kind }) => kind.endsWith(".erased"))?.actor ?? "";
    const peer = erasedBy.startsWith("peer:") ? erasedBy.slice("peer:".length) : null;
    // The peer that erased an item knows it. An item that this instance never published needs no tombstone of it.
    if (own?.isDeleted || (own === undefined && peer !== null) || entries.length === 0) continue;
    const { origin, type } = entries[0]!;
    const word = tombstoneOf(instance, origin, type, unitId, tx.now, entries);
    const tombstone = nextOwnVersion(word, entries, places.take());
    tombstones.push(tombstone);
    const { version } = tombstone;
    notices.push({
      origin,
      type,
      version,
      erasedAt: tx.now,
      exceptPeer: peer,
    });
  }
  await noteErasures(tx, notices);
  for (const { unitId } of gone) await closeGone(tx, unitId);
  return tombstones;
}

/** Makes the entry by which this instance publishes that it erased an item. */
export function tombstoneOf(
  writer: string,
  origin: ItemName,
  type: ItemType,
  unitId: string,
  updatedAt: Date,
  entries: readonly VersionRow[],
) {
  const seen = Object.fromEntries(entries.map((entry) => [entry.writer, entry.version]));
  const hash = hashItem(toWireType(type, true), origin, null);
  // A tombstone holds only the item's name, which everybody may see.
  const sensitivity = "public" as const;
  return {
    writer,
    origin,
    type,
    updatedAt,
    hash,
    seen,
    affirms: null,
    isDeleted: true,
    sensitivity,
    unitId,
    unitVersion: null,
  };
}
