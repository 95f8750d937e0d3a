/** Reads the names in a stored text: in its content, of its speaker, and in members that name somebody. */
import { type FoundName, readNames, readSpeaker, readTerm, type TextNames } from "../../../language/name_finder.ts";
import { pickKnown } from "../../../language/name_grams.ts";
import type { Kind, Sensitivity } from "../../../schema/common.ts";
import type { UnitType } from "../../../schema/unit.ts";
import type { KnownName } from "../../../db/queries/mentions.ts";
import type { Sighting } from "../../../db/queries/name_work.ts";
import { rulesOf } from "../rules.ts";
import { mostSensitive } from "../trust.ts";

/** A text with its names, before anybody has looked them up. */
export interface TextWithNames {
  readonly type: Kind;
  readonly sensitivity: Sensitivity;
  readonly names: TextNames;
  /** Names in members of their own: a speaker, a subject, a participant. */
  readonly stated: readonly StatedName[];
}

/** A name in a member of its own: surely a person's, or that of anything. */
export interface StatedName extends FoundName {
  readonly of: "person" | "term";
}

/** Reads the names of a text; `names` if they were read before. */
export function readText(
  text: {
    readonly type: Kind;
    readonly sensitivity: Sensitivity;
    readonly text: string;
    readonly speaker?: string | null | undefined;
    readonly body?: Readonly<Record<string, unknown>> | null | undefined;
  },
  names: TextNames = readNames(text.text),
): TextWithNames {
  return { type: text.type, sensitivity: text.sensitivity, names, stated: [...listStated(text)] };
}

/** The members of a unit that are read. */
export interface UnitToRead {
  readonly type: UnitType;
  readonly sensitivity: Sensitivity;
  readonly text: string;
  readonly body: unknown;
}

/** The names of a unit. */
export function readUnit({ type, sensitivity, text, body }: UnitToRead, names: TextNames | undefined): TextWithNames {
  return readText({ type, sensitivity, text, body: body as Record<string, unknown> }, names);
}

function* listStated(text: Parameters<typeof readText>[0]): Generator<StatedName> {
  const speaker = text.speaker == null ? undefined : readSpeaker(text.speaker);
  if (speaker !== undefined) yield { ...speaker, of: "person" };
  if (text.type === "turn") return;
  const { people, terms } = rulesOf(text.type);
  for (const member of people) {
    for (const name of listTexts(text.body?.[member])) {
      const person = readSpeaker(name);
      if (person !== undefined) yield { ...person, of: "person" };
    }
  }
  for (const member of terms) {
    for (const term of listTexts(text.body?.[member])) {
      const name = readTerm(term);
      if (name !== undefined) yield { ...name, of: "term" };
    }
  }
}

function listTexts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === "string");
}

/** Every key under which the text may hold a known name. */
export function listKeys(text: TextWithNames): string[] {
  return [
    ...text.stated.map((name) => name.key),
    ...text.names.names.map((name) => name.key),
    ...text.names.grams.map((gram) => gram.key),
  ];
}

export function countKeys({ stated, names }: TextWithNames): number {
  return stated.length + names.names.length + names.grams.length;
}

/** Known names by key. */
export type NameBook = ReadonlyMap<string, readonly KnownName[]>;

export function toBook(rows: readonly KnownName[]): NameBook {
  return Map.groupBy(rows, (row) => row.key);
}

/** An entity that a text mentions. */
export interface Mentioned {
  readonly entityId: string;
  readonly entitySensitivity: Sensitivity;
}

/** The entities whose names the text holds, each once. */
export function findMentioned(text: TextWithNames, book: NameBook): Mentioned[] {
  const rows = [
    ...text.stated.flatMap((name) => book.get(name.key) ?? []),
    ...text.names.names.flatMap((name) => book.get(name.key) ?? []),
    ...pickKnown(text.names.grams, book).flat(),
  ];
  const found = new Map(rows.map((row) => [row.entityId, row.sensitivity]));
  return [...found].map(([entityId, entitySensitivity]) => ({ entityId, entitySensitivity }));
}

/** The names of the text that no entity has. */
export function listUnknown(text: TextWithNames, book: NameBook): Omit<Sighting, "docNo">[] {
  // One unit is enough for a name to become an entity; turns have to be several.
  const enough = text.type !== "turn";
  const found = new Map<string, Omit<Sighting, "docNo">>();
  const add = ({ key, name }: FoundName, strength: number) => {
    if (key === "" || book.has(key) || (found.get(key)?.strength ?? -1) >= strength) return;
    found.set(key, { key, name, sensitivity: text.sensitivity, strength });
  };
  for (const name of text.stated) add(name, 2);
  for (const name of text.names.names) add(name, name.strong ? (enough ? 2 : 1) : 0);
  return [...found.values()];
}

/**
 * The entities in the text's own list: those that every reader of the text may see. A mention of a more sensitive one
 * is stored with that sensitivity.
 */
export function visibleIds(sensitivity: Sensitivity, mentioned: readonly Mentioned[]): string[] {
  return mentioned.filter(({ entitySensitivity }) => mostSensitive(entitySensitivity, sensitivity) === sensitivity)
    .map(({ entityId }) => entityId);
}
