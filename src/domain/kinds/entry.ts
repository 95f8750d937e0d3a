/** What the service has to know of a kind of knowledge unit beside its rules: the shape of an entry in `registry.ts`. */
import type { z } from "zod";
import type { UnitRow } from "../../db/queries/units.ts";
import type { Tx } from "../../db/tx.ts";
import type { KnowledgeUnit } from "../../schema/knowledge_unit.ts";
import type { UnitLine } from "../../schema/transfer_lines.ts";
import type { TransferKind } from "../../schema/transfer.ts";
import type { UnitType } from "../../schema/unit.ts";
import type { AnyKind } from "../unit/kind.ts";
import type { AnyRules } from "../unit/rules.ts";
import type { ReviewResolver } from "../unit/review_resolver.ts";
import type { KindWriting } from "./writing.ts";

/** A unit of one type as the service shows it; a type that `KnowledgeUnit` lacks has none, and does not compile. */
export type Resource<T extends UnitType> = Extract<KnowledgeUnit, { readonly type: T }>;

export interface KindEntry<T extends UnitType> {
  /** The name of its lines in an export; `TRANSFER_KINDS` says in which order they stand. */
  readonly type: T & TransferKind;
  readonly resource: z.ZodObject & z.ZodType<Resource<T>>;
  /** The body that creates one. */
  readonly create: z.ZodType;
  /** The body that revises one; null: what it says is never revised. */
  readonly update: z.ZodType | null;
  /** Its rules; null for facts, which are written by rules of their own. */
  readonly kind: AnyKind | null;
  /** What the ledger does for it. */
  readonly rules: AnyRules;
  /** Rows as resources, in their order. `time` decides what has expired. */
  show(tx: Tx, rows: readonly UnitRow[], time: Date): Promise<readonly Resource<T>[]>;
  /** Its body names the session in which it happened as `sessionId`. */
  readonly hasSession: boolean;
  /** The member of its body that names what the memory speaks of, as the profile counts it; null: none does. */
  readonly subject: string | null;
  readonly worth: WorthRules;
  readonly writing: KindWriting;
  /** The endpoint that restores one, as `POST /path/{id}`, where an archiving job names it instead of its own revert. */
  readonly restoredBy: string | null;
  /** Those in force contradict each other: one closes or contests others. */
  readonly isContestable: boolean;
  readonly transfer: TransferRules;
  /** Decides about two that may be the same; null: nothing asks a person about them. */
  readonly nearDuplicates: ReviewResolver | null;
}

/** The entry of whichever type. */
export type AnyKindEntry = { readonly [T in UnitType]: KindEntry<T> }[UnitType];

/** What is made of the worth of units. */
export interface WorthRules {
  /** Its body counts `successCount` and `failureCount`, which weigh as one vote together. */
  readonly hasOutcomes: boolean;
  /** A reflection names those that are worth least. */
  readonly isReflectedOn: boolean;
  /** Consolidation archives those that are worth nothing. */
  readonly isArchived: boolean;
}

/** The columns that follow from what a unit says. */
export interface DerivedColumns {
  readonly text: string;
  readonly contentHash: string;
  readonly body: object;
  readonly tripleKey?: string | null;
}

/** How units travel: in a file, and to peers. */
export interface TransferRules {
  readonly statuses: readonly string[];
  /** The body as a line holds it; strict. */
  readonly body: z.ZodObject;
  /** Members of the stored body that are computed anew. */
  readonly computed?: readonly string[];
  /** Members of the stored body that no peer is told, with what a unit of a peer has instead; undefined: nothing. */
  readonly unshared?: Readonly<Record<string, unknown>>;
  /** Members that are lists in whose order there is no meaning, beside those of ids. */
  readonly unordered?: readonly string[];
  /** @throws ServiceError `validation_failed` for a body that cannot be stored. */
  derive(body: object): DerivedColumns;
  evidenceOf?(body: object): readonly string[];
  /** Names under which writers of such a unit wait for each other. */
  namesOf?(body: object): readonly string[];
  /** What stands here for units that are not: an entity that has the name already. */
  findStandIns?(tx: Tx, lines: readonly UnitLine[]): Promise<ReadonlyMap<string, string>>;
}
