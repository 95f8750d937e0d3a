/**
 * The differences between types of knowledge units. Everything else about decisions, strategies, workflows, skills and
 * episodes is the same code: creating, reading, revising, archiving, truth maintenance, recall.
 */
import type { OperationContext } from "../../context.ts";
import { contentHash } from "../../crypto/hash.ts";
import type { Tx } from "../../db/tx.ts";
import { flagInvisible } from "../../schema/invisible_text.ts";
import type { UnitInput, UnitListQuery, UnitPatch, UnitType } from "../../schema/unit.ts";
import { aliasesOf, withAliases } from "./aliases.ts";
import type { LedgerRules } from "./rules.ts";
import type { UnitFilter } from "../../db/queries/unit_lists.ts";
import type { UnitRow } from "../../db/queries/unit_columns.ts";
import type { UnitChanges, UnitToInsert } from "./store.ts";

/** A patch. Its `status`, if it has one, is a state that the type allows callers to set. */
export type KindPatch = UnitPatch & { readonly status?: string | undefined };

/** Columns that follow from a unit's content and its state. */
export interface UnitTimes {
  readonly occurredAt?: Date | null;
  readonly validFrom?: Date | null;
}

/**
 * A type of unit. `Body` is the typed rest of the resource as the row keeps it and as the API shows it; times in it are
 * texts, as in the API.
 */
export interface UnitKind<
  Body extends object,
  Create extends UnitInput = UnitInput,
  Update extends KindPatch = KindPatch,
  Query extends UnitListQuery = UnitListQuery,
> extends LedgerRules<Body> {
  readonly type: UnitType;
  /** The members of the body that are its content, which the content hash covers. */
  readonly content: readonly (keyof Body)[];
  /** The states that lists show by default. */
  readonly listed: readonly string[];
  /** The states in which it may be changed; in any other, the patch has to bring it into one of them. */
  readonly editable: readonly string[];
  /** The states to which a patch may bring it, by its present state. */
  readonly transitions: Readonly<Record<string, readonly string[]>>;
  statusOf(input: Create): string;
  /** @throws ServiceError `validation_failed` for rules that the schema cannot express. */
  toBody(input: Create, now: Date): Body;
  /** The body after a patch. @throws ServiceError `validation_failed` */
  patchBody(body: Body, patch: Update, now: Date): Body;
  /** The text that recall indexes and shows. */
  textOf(body: Body): string;
  timesOf?(body: Body, status: string): UnitTimes;
  /** Units that support it without bounding its trust. */
  evidenceOf?(body: Body): readonly string[];
  /** Checks a new body against stored rows. @throws ServiceError `validation_failed` */
  checkBody?(tx: Tx, body: Body): Promise<void>;
  /** Creates what has to exist before new units are inserted: the entities that they name. */
  beforeInsert?(ctx: OperationContext, tx: Tx, units: readonly UnitToInsert<Body>[]): Promise<void>;
  /** The changes by which restoring leaves a state other than `archived`; undefined if it cannot. */
  reopen?(tx: Tx, unit: UnitRow<Body>): Promise<UnitChanges<Body> | undefined>;
  /** The names of the locks that writers of such a unit take, before they lock its row. */
  namesOf?(body: Body): readonly string[];
  /** The id of the unit that stands for another one, like an entity for those merged into it; else the id itself. */
  resolveId?(tx: Tx, id: string): Promise<string>;
  /** Follow-ups of a revision, in its transaction. */
  onRevised?(tx: Tx, before: UnitRow<Body>, after: UnitRow<Body>): Promise<void>;
  /** Filters that only this kind has. */
  filterOf?(query: Query): Pick<UnitFilter, "bodyIn" | "bodyContains" | "bodyFrom" | "bodyUntil" | "nameKey">;
}

/** A kind of any body, for code that does not read the body. */
// deno-lint-ignore no-explicit-any
export type AnyKind = UnitKind<any, any, any, any>;

/**
 * The body of a new unit.
 * @throws ServiceError `validation_failed`
 */
export function bodyOf<Body extends object, Create extends UnitInput>(
  kind: UnitKind<Body, Create>,
  input: Create,
  now: Date,
): Body {
  const body = kind.toBody(input, now);
  return kind.isNamed ? body : withAliases(body, input.aliases ?? []);
}

/**
 * The body after a patch.
 * @throws ServiceError `validation_failed`
 */
export function patchedBody<Body extends object>(kind: AnyKind, body: Body, patch: KindPatch, now: Date): Body {
  const next = kind.patchBody(body, patch, now) as Body;
  return kind.isNamed ? next : withAliases(next, patch.aliases ?? aliasesOf(body));
}

/** The columns that follow from a unit's content. */
export function saidColumns<Body extends object>(kind: AnyKind, body: Body, status: string) {
  const said = Object.fromEntries(kind.content.map((name) => [name, body[name as keyof Body]]));
  return {
    text: kind.textOf(body) as string,
    contentHash: contentHash({ type: kind.type, ...said }),
    body,
    ...(kind.timesOf?.(body, status) as UnitTimes | undefined),
  };
}

/** The members that all units show. */
export function commonMembers(row: UnitRow<unknown>) {
  return {
    id: row.id,
    version: row.version,
    attribution: row.attribution,
    trustScore: row.trustScore,
    confidence: row.confidence,
    sensitivity: row.sensitivity,
    aliases: [...aliasesOf(row.body)],
    tags: [...row.tags],
    metadata: row.metadata,
    worth: row.worth,
    pinned: row.pinned,
    contentHash: row.contentHash,
    origin: { instance: row.originInstance, id: row.originId },
    derivedFrom: [...row.derivedFrom],
    ...flagInvisible(stringsOf(row.body)),
    stale: row.stale,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    createdBy: row.createdBy,
  };
}

/** All strings of a body, one after another. */
function stringsOf(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? Object.values(value).map(stringsOf).join("\n") : "";
}

/** The resource. The schema of the reply checks the members of its body against the type. */
export function toUnit<Unit>(row: UnitRow<object>): Unit {
  return { ...commonMembers(row), type: row.type, status: row.status, ...row.body } as Unit;
}

/** Joins lines of a text for recall; missing parts are left out. */
export function textsOf(parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => part != null && part !== "").join("\n");
}

/** `label: text`; null if there is no text. */
export function labelled(label: string, text: string | null): string | null {
  return text === null || text === "" ? null : `${label}: ${text}`;
}

/** Converts a time to the API's form. */
export function toIso(text: string): string {
  return new Date(text).toISOString();
}
