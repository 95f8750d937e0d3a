/**
 * Links texts to the entities that they mention, in the transaction that writes them. A writer of texts calls
 * `findLinks` before it writes their rows, which gives the rows their `entity_ids`, and `storeLinks` afterwards.
 */
import type { Tx } from "../../../db/tx.ts";
import * as queries from "../../../db/queries/mentions.ts";
import { insertSightings, type Sighting } from "../../../db/queries/name_work.ts";
import type { Kind, Sensitivity } from "../../../schema/common.ts";
import { Slices } from "../../../pause.ts";
import { mostSensitive } from "../trust.ts";
import {
  countKeys,
  findMentioned,
  listKeys,
  listUnknown,
  type Mentioned,
  type NameBook,
  type TextWithNames,
  toBook,
  visibleIds,
} from "./read.ts";

/** The links that were found for one text. */
export interface Links {
  readonly mentioned: readonly Mentioned[];
  readonly unknown: readonly Omit<Sighting, "docNo">[];
  /** Those of `mentioned` that the text's own list shows. */
  readonly entityIds: readonly string[];
}

/** Looks up the names of texts, all in one round trip. */
export async function findLinks(tx: Tx, texts: readonly TextWithNames[]): Promise<Links[]> {
  const book = await findNames(tx, texts);
  const slices = new Slices();
  const links: Links[] = [];
  for (const text of texts) {
    await slices.yieldIfDue();
    links.push(linksOf(text, book));
  }
  return links;
}

/** The number of keys in texts, for `askNames`. */
export function countAllKeys(texts: readonly TextWithNames[]): number {
  return texts.reduce((sum, text) => sum + countKeys(text), 0);
}

/** The known names in texts. `asked` is the result of `askNames`, if the caller has started it early. */
export async function findNames(
  tx: Tx,
  texts: readonly TextWithNames[],
  asked?: Promise<queries.NamesThere>,
): Promise<NameBook> {
  const slices = new Slices();
  const rows = await queries.findKnownNamesAmong(tx, countAllKeys(texts), async (names) => {
    const keys = new Set<string>();
    for (const text of texts) {
      await slices.yieldIfDue();
      for (const key of listKeys(text)) if (key !== "" && names?.has(key) !== false) keys.add(key);
    }
    return [...keys];
  }, asked);
  return toBook(rows);
}

export function linksOf(text: TextWithNames, book: NameBook): Links {
  const mentioned = findMentioned(text, book);
  return { mentioned, unknown: listUnknown(text, book), entityIds: visibleIds(text.sensitivity, mentioned) };
}

/** A stored text. */
export interface LinkedText {
  readonly docNo: number;
  readonly subjectId: string;
  readonly type: Kind;
  readonly sensitivity: Sensitivity;
  readonly mentionedAt: Date;
  readonly live: boolean;
  readonly links: Pick<Links, "mentioned" | "unknown">;
  /** Entities that the author named. */
  readonly given: readonly string[];
}

/** Writes the mentions of texts, and the names that no entity has yet. */
export async function storeLinks(tx: Tx, texts: readonly LinkedText[]): Promise<void> {
  const rows = texts.flatMap((text): queries.MentionRow[] => {
    const { docNo, subjectId, sensitivity, mentionedAt, live, links, given } = text;
    const row = { docNo, subjectId, subjectType: text.type, mentionedAt, live };
    const named = new Set(given);
    const found = links.mentioned.map(({ entityId, entitySensitivity }) => ({
      ...row,
      entityId,
      sensitivity: mostSensitive(sensitivity, entitySensitivity),
      given: named.delete(entityId),
    }));
    // Whoever named it may see it. Its name is not in the text, so the entity's own sensitivity is not known here.
    return [...found, ...[...named].map((entityId) => ({ ...row, entityId, sensitivity, given: true }))];
  });
  const sightings = texts.flatMap(({ docNo, links, live }) =>
    live ? links.unknown.map((unknown) => ({ ...unknown, docNo })) : []
  );
  await Promise.all([queries.insertMentions(tx, rows), insertSightings(tx, sightings)]);
}
