/** Turns records of other services into lines of this service's format. They enter as imported, recorded now. */
import { TRUST_SCORES } from "../../../schema/common.ts";
import type { FactType } from "../../../language/fact_types.ts";
import { type Verb, VERB_NAMES } from "../../../schema/relation.ts";
import type { RelationLine, SessionLine, TurnLine, UnitLine } from "../../../schema/transfer_lines.ts";
import { sha256Hex } from "../../../crypto/hash.ts";
import { isUuid } from "../../../crypto/ids.ts";
import { ServiceError } from "../../../errors.ts";
import { deriveId } from "../id_map.ts";

/** The source and the time of an import. */
export interface Maker {
  /** The format's name, which origins name as the instance. */
  readonly source: string;
  readonly now: string;
  readonly actor: string;
  /** Tags that every fact and session gets besides its own. */
  readonly tags: readonly string[];
  /** Counts what is left out of a file, by kind; a report shows it. */
  readonly omit: (what: string, count?: number) => void;
  readonly budget: Budget;
}

/** The most lines that the records of one request may become, and the most characters of Markdown that are read. */
const LINES_MAX = 200_000;
const CHARACTERS_MAX = 67_108_864;

/** Bounds the growth of a file: records that share members, such as blocks of many agents, multiply. */
export class Budget {
  #lines = 0;
  #characters = 0;

  /** Counts a line. @throws ServiceError `payload_too_large` */
  made(): void {
    if (++this.#lines > LINES_MAX) throw tooMuch();
  }

  /** Counts the characters of a text. @throws ServiceError `payload_too_large` */
  reads(characters: number): void {
    this.#characters += characters;
    if (this.#characters > CHARACTERS_MAX) throw tooMuch();
  }
}

function tooMuch(): ServiceError {
  const message = "Cannot import: the file says too much for one request; send it in parts";
  return new ServiceError("payload_too_large", message);
}

/** Numbers equal keys of one file, so that their ids differ: nothing at first, then `-2`, `-3`. */
export class Repeats {
  readonly #counts = new Map<string, number>();

  /** The key, with its number if it was used before. */
  next(key: string): string {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count === 1 ? key : `${key}-${count}`;
  }
}

/** The lines that a record becomes. */
export type MadeLine = UnitLine | RelationLine | SessionLine | TurnLine;

/** The record's own id if it is a UUID, otherwise one that follows from its content. */
export function idOf(maker: Maker, id: unknown, ...parts: readonly unknown[]): string {
  const known = typeof id === "string" ? id.toLowerCase() : "";
  if (isUuid(known)) return known;
  return deriveId(`${maker.source} ${JSON.stringify([id ?? null, ...parts])}`, "00000000-0000");
}

/**
 * A key of at most 200 characters: `<source>:<id>`. The end of a longer one becomes its hash, so that two keys with the
 * same beginning stay different.
 */
export function externalKey(source: string, id: string): string {
  const key = `${source}:${id}`;
  return key.length <= EXTERNAL_ID_MAX
    ? key
    : `${key.slice(0, EXTERNAL_ID_MAX - 41).toWellFormed()}#${sha256Hex(key).slice(0, 40)}`;
}

const EXTERNAL_ID_MAX = 200;

/** A key that many lines share: its hash if it is longer than 500 characters, so that no line has to read it. */
export function shortKey(key: string): string {
  return key.length <= 500 ? key : `sha256:${sha256Hex(key)}`;
}

/** A name that many lines share, cut to the length that is shown. */
export function shortName(name: string): string {
  return name.slice(0, 200).toWellFormed();
}

interface Said {
  readonly id: string;
  readonly body: object;
  readonly tags?: readonly string[];
  readonly metadata?: object;
  readonly status?: string;
  readonly validFrom?: string | null;
  readonly validTo?: string | null;
  readonly occurredAt?: string | null;
  readonly expiresAt?: string | null;
  readonly entityIds?: readonly string[];
  readonly derivedFrom?: readonly string[];
}

const TAGS_MAX = 50;
const TAG_MAX = 64;

/** Makes tags of texts: those that are not blank, cut to the longest tag, each once. */
export function tagsOf(maker: Maker, ...texts: readonly unknown[]): string[] {
  const known = [...maker.tags, ...texts].flatMap((text) => typeof text === "string" ? [text.trim()] : []);
  const cut = known.filter((text) => text !== "").map((text) => text.slice(0, TAG_MAX).toWellFormed());
  return [...new Set(cut)].slice(0, TAGS_MAX);
}

export function unitLine(maker: Maker, kind: "fact" | "entity", said: Said): UnitLine {
  maker.budget.made();
  const { now, actor } = maker;
  return {
    kind,
    id: said.id,
    version: 1,
    revision: {
      event: "imported",
      reason: `from ${maker.source}`,
      recordedAt: now,
      replacedAt: null,
      changedBy: actor,
    },
    status: said.status ?? "active",
    attribution: "imported",
    trustScore: TRUST_SCORES.imported,
    trustCap: 100,
    confidence: 0.8,
    sensitivity: "internal",
    tags: tagsOf(maker, ...said.tags ?? []),
    metadata: said.metadata ?? {},
    worth: 0.5,
    pinned: false,
    origin: { instance: maker.source, id: said.id },
    derivedFrom: [...said.derivedFrom ?? []],
    stale: false,
    validFrom: said.validFrom ?? null,
    validTo: said.validTo ?? null,
    recordedAt: now,
    retractedAt: null,
    occurredAt: said.occurredAt ?? null,
    expiresAt: said.expiresAt ?? null,
    entityIds: [...said.entityIds ?? []],
    corroborationCount: 0,
    live: null,
    createdAt: now,
    updatedAt: now,
    createdBy: actor,
    body: said.body,
  } as UnitLine;
}

export function factLine(
  maker: Maker,
  said: Omit<Said, "body"> & {
    readonly statement: unknown;
    readonly subject?: string | null;
    readonly predicate?: string | null;
    readonly object?: string | null;
    readonly factType?: FactType;
    /** The record's own name in its service, if it has one. */
    readonly externalId?: string | undefined;
  },
): UnitLine {
  const { statement, subject = null, predicate = null, object = null, factType = "fact", externalId, ...rest } = said;
  return unitLine(maker, "fact", {
    ...rest,
    body: {
      ...{ statement, subject, predicate, object, factType },
      ...{ supersedes: null, supersededBy: null, citations: [] },
      ...(externalId !== undefined && { externalId: externalKey(maker.source, externalId) }),
    },
  });
}

export function entityLine(
  maker: Maker,
  said: Omit<Said, "body"> & { readonly name: unknown; readonly entityType: string; readonly attributes?: object },
): UnitLine {
  const { name, entityType, attributes = {}, ...rest } = said;
  return unitLine(maker, "entity", {
    ...rest,
    body: { canonicalName: name, entityType, aliases: [], attributes, drawers: [], mergedInto: null },
  });
}

export function relationLine(
  maker: Maker,
  said: {
    readonly id: string;
    readonly word: string;
    readonly sourceId: string;
    readonly targetId: string;
    readonly evidenceIds?: readonly string[];
    readonly validFrom?: string | null;
    readonly validTo?: string | null;
  },
): RelationLine {
  maker.budget.made();
  const { verb, isTurned } = toVerb(said.word);
  const [source, target] = isTurned ? [said.targetId, said.sourceId] : [said.sourceId, said.targetId];
  return {
    kind: "relation",
    id: said.id,
    version: 1,
    status: "active",
    verb,
    isHyper: false,
    ends: [{ role: "source", id: source }, { role: "target", id: target }],
    weight: 1,
    confidence: 0.8,
    attribution: "imported",
    trustScore: TRUST_SCORES.imported,
    sensitivity: "internal",
    stale: false,
    validFrom: said.validFrom ?? null,
    validTo: said.validTo ?? null,
    evidenceIds: [...said.evidenceIds ?? []],
    tags: [],
    // The source's word; the nine verbs are wider.
    metadata: { [maker.source]: { relationType: said.word } },
    createdAt: maker.now,
    updatedAt: maker.now,
    createdBy: maker.actor,
  };
}

/** Words for the verbs, from the source to the target. */
const WORDS: Readonly<Record<string, Verb>> = {
  affirms: "supports",
  confirms: "supports",
  backs: "supports",
  conflicts_with: "contradicts",
  disagrees_with: "contradicts",
  opposes: "contradicts",
  replaces: "supersedes",
  succeeds: "supersedes",
  based_on: "derived_from",
  inherits_from: "derived_from",
  comes_from: "derived_from",
  leads_to: "causes",
  triggers: "causes",
  results_in: "causes",
  before: "precedes",
  followed_by: "precedes",
  belongs_to: "part_of",
  member_of: "part_of",
  is_part_of: "part_of",
  contained_in: "part_of",
  describes: "about",
  documents: "about",
  mentions: "about",
  concerns: "about",
};
/** Words for the verbs from the target to the source. */
const TURNED: Readonly<Record<string, Verb>> = {
  supported_by: "supports",
  confirmed_by: "supports",
  superseded_by: "supersedes",
  replaced_by: "supersedes",
  source_of: "derived_from",
  caused_by: "causes",
  triggered_by: "causes",
  follows: "precedes",
  after: "precedes",
  contains: "part_of",
  includes: "part_of",
  has_part: "part_of",
  has_member: "part_of",
  described_by: "about",
  documented_by: "about",
  mentioned_in: "about",
};

/** The verb nearest to a word of another service; `related_to` if none is near. */
export function toVerb(word: string): { readonly verb: Verb; readonly isTurned: boolean } {
  const key = word.normalize("NFKC").trim().toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "_").replaceAll(/^_|_$/g, "");
  if (VERB_NAMES.includes(key as Verb)) return { verb: key as Verb, isTurned: false };
  if (Object.hasOwn(TURNED, key)) return { verb: TURNED[key]!, isTurned: true };
  return { verb: Object.hasOwn(WORDS, key) ? WORDS[key]! : "related_to", isTurned: false };
}

const METADATA_BYTES_MAX = 12_288;

/** The metadata of a record, as far as there is room; members larger than 12 KiB as JSON are left out and counted. */
export function metadataOf(maker: Maker, value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  const metadata = Object.fromEntries(
    Object.entries(value).filter(([name, one]) =>
      name !== "" && name.length <= 200 && one !== null && one !== undefined && one !== ""
    ),
  );
  if (new TextEncoder().encode(JSON.stringify(metadata)).byteLength <= METADATA_BYTES_MAX) return metadata;
  maker.omit("metadata above 12 KiB");
  return {};
}
