/** The shape of an entry in `registry.ts`: all that the service needs to know about a kind of knowledge unit. */
import type { z } from "zod";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import type { Tx } from "../../db/tx.ts";
import type { KnowledgeUnit } from "../../schema/knowledge_unit.ts";
import type { UnitLine } from "../../schema/transfer_lines.ts";
import type { TransferKind } from "../../schema/transfer.ts";
import type { UnitType } from "../../schema/unit.ts";
import type { AnyKind } from "../unit/kind.ts";
import type { AnyRules } from "../unit/rules.ts";
import type { ReviewResolver } from "../unit/review_resolver.ts";
import type { KindWriting } from "./kind_writing.ts";

/** A unit of one type as replies show it. Code for a type that `KnowledgeUnit` lacks does not compile. */
export type Resource<T extends UnitType> = Extract<KnowledgeUnit, { readonly type: T }>;

export interface KindEntry<T extends UnitType> {
  /** The name of its lines in an export; `TRANSFER_KINDS` has the order of the lines. */
  readonly type: T & TransferKind;
  readonly resource: z.ZodObject & z.ZodType<Resource<T>>;
  /** The schema of the body that creates a unit. */
  readonly create: z.ZodType;
  /** The schema of the body that revises a unit; null: its content is never revised. */
  readonly update: z.ZodType | null;
  /** How its units are created and revised; null for facts, which have their own code for this. */
  readonly kind: AnyKind | null;
  /** The rules by which the ledger treats its units. */
  readonly rules: AnyRules;
  /** Converts rows to resources, in the same order. `time` decides which have expired. */
  show(tx: Tx, rows: readonly UnitRow[], time: Date): Promise<readonly Resource<T>[]>;
  /** Whether its body names, as `sessionId`, the session in which the unit arose. */
  readonly hasSession: boolean;
  /** The member of its body with the names of its subjects, which the profile counts; null: it has no such member. */
  readonly subject: string | null;
  readonly worth: WorthRules;
  readonly writing: KindWriting;
  /**
   * The endpoint that restores a unit, such as `POST /path/{id}`, to which a job that archives units refers instead of to
   * its own revert; null: the job's revert restores the unit.
   */
  readonly restoredBy: string | null;
  /** Whether current units of the type can contradict each other, so that a new one may supersede or contest others. */
  readonly isContestable: boolean;
  readonly transfer: TransferRules;
  /** Resolves reviews of two units that may be the same; null: no such reviews are opened. */
  readonly nearDuplicates: ReviewResolver | null;
}

export type AnyKindEntry = { readonly [T in UnitType]: KindEntry<T> }[UnitType];

/** How the worth of units is computed and used. */
export interface WorthRules {
  /** Whether its body has `successCount` and `failureCount`, which together weigh as one vote. */
  readonly hasOutcomes: boolean;
  /** Whether a reflection lists the units with the lowest worth. */
  readonly isReflectedOn: boolean;
  /** Whether consolidation archives units whose worth is too low. */
  readonly isArchived: boolean;
}

/** The columns that are computed from a unit's content. */
export interface DerivedColumns {
  readonly text: string;
  readonly contentHash: string;
  readonly body: object;
  readonly tripleKey?: string | null;
}

/** How units are exported, imported and sent to peers. */
export interface TransferRules {
  readonly statuses: readonly string[];
  /** The schema of the body in a line; strict. */
  readonly body: z.ZodObject;
  /** Members of the stored body that an import computes again. */
  readonly computed?: readonly string[];
  /**
   * Members of the stored body that peers do not get, each with the value that a unit from a peer has; undefined: none.
   */
  readonly unshared?: Readonly<Record<string, unknown>>;
  /** The state in which peers get a unit, before what is the same for all types; absent: its own. */
  sharedState?(row: UnitRow): string;
  /** Members that are lists whose order has no meaning, besides lists of ids. */
  readonly unordered?: readonly string[];
  /** @throws ServiceError `validation_failed` for a body that cannot be stored. */
  derive(body: object): DerivedColumns;
  evidenceOf?(body: object): readonly string[];
  /** The names of the locks that writers of such a unit take. */
  namesOf?(body: object): readonly string[];
  /** Maps ids in the lines to stored units that stand in for them, such as an entity that has the name already. */
  findStandIns?(tx: Tx, lines: readonly UnitLine[]): Promise<ReadonlyMap<string, string>>;
}
