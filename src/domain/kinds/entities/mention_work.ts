/**
 * The worker's part of linking: it opens entities for names that turns mention often enough, and reads texts again
 * whose names an entity has got or lost. Steps are bounded; an interrupted step is repeated.
 */
import { createContext, type OperationContext } from "../../../context.ts";
import type { Tx } from "../../../db/tx.ts";
import * as mentions from "../../../db/queries/mentions.ts";
import * as work from "../../../db/queries/name_work.ts";
import { ServiceError } from "../../../errors.ts";
import {
  analyseText,
  decodePostings,
  ENTRY_WORDS,
  PARTICIPANT_TF,
  participantTerms,
  wordTerms,
} from "../../../retrieval/mod.ts";
import type { Kind } from "../../../schema/common.ts";
import { nameKey } from "../../../language/names.ts";
import type { StepEnd } from "../../common/activity.ts";
import { type LinkedText, linksOf, storeLinks } from "../../unit/mentions/link.ts";
import { type NameToOpen, openNames } from "./open_names.ts";
import { Slices } from "../../../pause.ts";
import { listKeys, readText, type TextWithNames, toBook } from "../../unit/mentions/read.ts";
import { eraseOrphans } from "../../unit/erase.ts";

/** Sightings that one step reads. */
const SIGHTINGS_STEP = 500;
/** Texts that one step reads again. */
const TEXTS_STEP = 250;
/** Rows of postings of a term that one step reads. */
const POSTING_ROWS_MAX = 500;
/** Names for which one step looks up texts. */
const CHANGES_STEP = 16;
/** The worker makes an entity of a name that no fact mentions only if at least this many texts contain it. */
const SEEN_MIN = 2;

/** A step that its deadline ended is repeated at this fraction of its size. */
const SMALLER = 5;

/** Does as much as a slow database manages before the deadline: a step of the usual size or a smaller one. */
async function withinDeadline(sizeMax: number, step: (size: number) => Promise<StepEnd>): Promise<StepEnd> {
  for (let size = sizeMax;; size = Math.ceil(size / SMALLER)) {
    try {
      return await step(size);
    } catch (error) {
      const isLate = error instanceof ServiceError && error.code === "deadline_exceeded";
      if (!isLate || size === 1) throw error;
    }
  }
}

/** Opens entities for names that were seen often enough. */
export function openSeen(ctx: OperationContext): Promise<StepEnd> {
  return withinDeadline(SIGHTINGS_STEP, (size) => openSome(ctx, size));
}

async function openSome(ctx: OperationContext, size: number): Promise<StepEnd> {
  const { keys, ready } = await ctx.tx(async (tx) => {
    const keys = await work.listPendingNames(tx, size);
    const known = new Set((await mentions.readKnownNames(tx, keys)).map((row) => row.key));
    const sightings = Map.groupBy(
      await work.listSightings(tx, keys.filter((key) => !known.has(key))),
      (one) => one.key,
    );
    return { keys, ready: [...sightings.values()].flatMap((list) => judgeSightings(list) ?? []) };
  }, { readOnly: true });
  if (keys.length === 0) return false;
  // Each group has its own clearance, so that a name in a more sensitive text does not show below
  // it.
  for (const [sensitivity, names] of Map.groupBy(ready, (name) => name.sensitivity)) {
    const scoped = createContext(ctx.deps, { ...ctx, maxSensitivity: sensitivity }, ctx);
    await scoped.tx(async (tx) => {
      await openNames(scoped, tx, names);
      await work.deleteSightings(tx, names.map((name) => name.key));
    });
  }
  await ctx.tx(async (tx) => {
    const known = (await mentions.findKnownNames(tx, keys)).map((row) => row.key);
    await work.deleteSightings(tx, known);
    await work.settleSightings(tx, keys);
  });
  // Many rows may name few keys.
  return keys.length >= size / 2 || "later";
}

/**
 * Whether a name was seen often enough, and with which sensitivity: the lowest at which it was. Undefined: not often
 * enough. `sightings` begin with the least sensitive.
 */
export function judgeSightings(sightings: readonly work.Sighting[]): NameToOpen | undefined {
  const docs = new Set<number>();
  let sure: work.Sighting | undefined;
  for (const sighting of sightings) {
    docs.add(sighting.docNo);
    if (sighting.strength > (sure?.strength ?? 0)) sure = sighting;
    const { key, sensitivity } = sighting;
    if (sure?.strength === 2) return { key, name: sure.name, sensitivity, evidence: "named" };
    if (sure !== undefined && docs.size >= SEEN_MIN) return { key, name: sure.name, sensitivity, evidence: "seen" };
  }
  return undefined;
}

/**
 * Reads texts again that hold a name which an entity got or lost. This takes two visits: the first notes which
 * transactions may not know of the change; the next waits until they have ended, so that no text is missed.
 */
export function relinkChanged(ctx: OperationContext): Promise<StepEnd> {
  return withinDeadline(TEXTS_STEP, (size) => relinkSome(ctx, size));
}

async function relinkSome(ctx: OperationContext, size: number): Promise<StepEnd> {
  return await ctx.tx(async (tx) => {
    if (!await work.tryLockNameWork(tx)) return "later";
    const changes = await work.listNameChanges(tx, Math.ceil(CHANGES_STEP * size / TEXTS_STEP));
    const texts = await Promise.all(changes.map((change) => findTexts(tx, change)));
    let room = size;
    for (const [i, change] of changes.entries()) {
      const { docs, before, isMentioned } = texts[i]!;
      if (room <= 0) break;
      const read = docs.slice(0, room);
      room -= read.length;
      await relinkTexts(tx, read);
      const upTo = read.length < docs.length ? read.at(-1)! : before === Infinity ? null : before - 1;
      // Awaited immediately: while others are awaited nobody would catch its error, and that would end the process.
      await work.advanceNameChange(tx, change, upTo);
      if (upTo === null && !isMentioned) {
        const holders = await mentions.readKnownNames(tx, [change.key]);
        await eraseOrphans(ctx, tx, holders.map((holder) => holder.entityId));
      }
    }
    const isWaiting = await work.stampNameChanges(tx);
    return changes.length > 0 || (isWaiting ? "later" : false);
  });
}

/**
 * The texts to read for a name, by number, all of them below `before`. `isMentioned`: texts other than entities are
 * left out because they mention the holder already.
 */
async function findTexts(
  tx: Tx,
  change: work.NameChange,
): Promise<{ readonly docs: readonly number[]; readonly before: number; readonly isMentioned: boolean }> {
  const [holding, spoken] = await Promise.all([findHolding(tx, change), findSpoken(tx, change, TEXTS_STEP)]);
  // From `before` on, not every text that holds the name was found.
  const before = Math.min(holding.before, spoken.before);
  const seen = [...new Set([...holding.docs, ...spoken.docs])].filter((doc) => doc < before).sort((a, b) => a - b);
  const knowing = change.lost || seen.length === 0 ? [] : await work.listTextsThatKnow(tx, change.key, seen);
  const docs = new Set(seen);
  for (const { docNo } of knowing) docs.delete(docNo);
  return { docs: [...docs], before, isMentioned: knowing.some((text) => !text.isEntity) };
}

/** Some texts by number; complete below `before`. */
interface Texts {
  readonly docs: ReadonlySet<number>;
  readonly before: number;
}

const NOTHING: Texts = { docs: new Set(), before: Infinity };

/** Texts that hold all words of a name. */
async function findHolding(tx: Tx, { key, afterDoc }: work.NameChange): Promise<Texts> {
  const terms = wordTerms(analyseText(key).terms);
  if (terms.length === 0) return NOTHING;
  const counts = new Map((await work.countTermDocs(tx, terms)).map(({ term, docs }) => [term, docs]));
  if (counts.size < terms.length) return NOTHING;
  // The rarest term gives the candidates.
  const [rarest, ...others] = terms.toSorted((a, b) => counts.get(a)! - counts.get(b)!);
  let texts = await readDocs(tx, rarest!, afterDoc);
  for (const other of others.slice(0, 2)) {
    if (texts.docs.size <= TEXTS_STEP) break;
    const holding = await readDocs(tx, other, afterDoc);
    texts = { docs: texts.docs.intersection(holding.docs), before: Math.min(texts.before, holding.before) };
  }
  return texts;
}

async function readDocs(tx: Tx, term: string, after: number): Promise<Texts> {
  const docs = new Set<number>();
  const rows = await work.readTermEntries(tx, term, after, POSTING_ROWS_MAX);
  for (const { entries } of rows) {
    const words = decodePostings(entries);
    for (let i = 0; i < words.length; i += ENTRY_WORDS) if (words[i]! > after) docs.add(words[i]!);
  }
  // Rows are read in the order of their first text, so that later rows hold none before the last row's first.
  const last = rows.length < POSTING_ROWS_MAX ? Infinity : rows.at(-1)!.firstDoc;
  return { docs, before: last > after + 1 ? last : Infinity };
}

/**
 * Finds turns whose speaker has the name. The index holds only the first turn of each speaker of a session, so the
 * others are looked up by session and speaker.
 */
async function findSpoken(tx: Tx, { key, afterDoc }: work.NameChange, room: number): Promise<Texts> {
  const firsts = new Set<number>();
  const terms = participantTerms(key).filter(({ tf }) => tf === PARTICIPANT_TF.full);
  for (const rows of await Promise.all(terms.map(({ term }) => work.readTermEntries(tx, term, 0, POSTING_ROWS_MAX)))) {
    for (const { entries } of rows) {
      const words = decodePostings(entries);
      for (let i = 0; i < words.length; i += ENTRY_WORDS) firsts.add(words[i]!);
    }
  }
  if (firsts.size === 0) return NOTHING;
  const speakers = (await work.listSpeakersOf(tx, [...firsts])).filter(({ name }) => nameKey(name) === key);
  if (speakers.length === 0) return NOTHING;
  const limit = 8 * room;
  const docs = await work.listSpokenDocs(tx, speakers, afterDoc, limit);
  return { docs: new Set(docs), before: docs.length < limit ? Infinity : docs.at(-1)! };
}

/** Finds the mentions of texts anew, and writes the differences. */
async function relinkTexts(tx: Tx, docNos: readonly number[]): Promise<void> {
  if (docNos.length === 0) return;
  const rows = await work.lockTexts(tx, docNos);
  const slices = new Slices();
  const texts: TextWithNames[] = [];
  const keys = new Set<string>();
  for (const row of rows) {
    await slices.yieldIfDue();
    const text = readText({ ...row, type: row.type as Kind });
    texts.push(text);
    for (const key of listKeys(text)) keys.add(key);
  }
  keys.delete("");
  const book = toBook(await mentions.findKnownNames(tx, [...keys]));
  const known = Map.groupBy(
    await mentions.listMentionsOf(tx, rows.map((row) => row.docNo)),
    (mention) => mention.docNo,
  );
  const there = await mentions.keepEntities(tx, [...new Set(rows.flatMap((row) => row.entityIds))]);
  const gone: { docNo: number; entityId: string }[] = [];
  const added: LinkedText[] = [];
  const changed: { id: string; type: string; entityIds: string[] }[] = [];
  for (const [i, row] of rows.entries()) {
    await slices.yieldIfDue();
    const { mentioned, entityIds } = linksOf(texts[i]!, book);
    const before = known.get(row.docNo) ?? [];
    const had = new Set(before.map((mention) => mention.entityId));
    const has = new Set(mentioned.map((mention) => mention.entityId));
    // An entity that the text lists without a mention was named by its author before the entity existed.
    const named = row.entityIds.filter((id) => !had.has(id) && there.has(id));
    const given = [...before.filter((mention) => mention.given).map((mention) => mention.entityId), ...named];
    for (const { entityId, given } of before) {
      if (!given && !has.has(entityId)) gone.push({ docNo: row.docNo, entityId });
    }
    const fresh = mentioned.filter(({ entityId }) => !had.has(entityId));
    if (fresh.length + named.length > 0) added.push({ ...toLinked(row, fresh), given: named });
    const ids = [...new Set([...given, ...entityIds])];
    if (!isSameSet(ids, row.entityIds)) changed.push({ id: row.id, type: row.type, entityIds: ids });
  }
  await Promise.all([mentions.deleteFound(tx, gone), storeLinks(tx, added), work.setEntityIds(tx, changed)]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { id } of changed) recordLinked(tx, byId.get(id)!);
}

function toLinked(row: work.TextRow, mentioned: LinkedText["links"]["mentioned"]): LinkedText {
  const { docNo, id: subjectId, sensitivity, mentionedAt } = row;
  const type = row.type as Kind;
  return {
    docNo,
    subjectId,
    type,
    sensitivity,
    mentionedAt,
    live: row.status !== "archived",
    links: { mentioned, unknown: [] },
    given: [],
  };
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && new Set([...a, ...b]).size === a.length;
}

/** Tells those who keep the text's row in memory to read it again. */
function recordLinked(tx: Tx, row: work.TextRow): void {
  const { id: resourceId, type: resourceType, version, sensitivity, docNo } = row;
  tx.record({ kind: `${resourceType}.linked`, resourceType, resourceId, version, sensitivity, payload: { docNo } });
}
