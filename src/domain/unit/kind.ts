/**
 * What distinguishes one type of knowledge unit from another. Everything else about decisions, strategies, workflows, skills
 * and episodes is the same code: creating, reading, revising, archiving, truth maintenance, recall.
 */
import type { OperationContext } from "../../context.ts";
import { contentHash } from "../../crypto/hash.ts";
import type { Tx } from "../../db/tx.ts";
import { flagInvisible } from "../../schema/invisible_text.ts";
import type { UnitInput, UnitListQuery, UnitPatch, UnitType } from "../../schema/unit.ts";
import { aliasesOf, withAliases } from "./aliases.ts";
import type { LedgerRules } from "./rules.ts";
import type { UnitFilter } from "../../db/queries/unit_lists.ts";
import type { UnitRow } from "../../db/queries/units.ts";
import type { UnitChanges, UnitToInsert } from "./store.ts";

/** A patch whose `status`, where it has one, is a state that the type allows to be set. */
export type KindPatch = UnitPatch & { readonly status?: string | undefined };

/** Columns that follow from what a unit says and from its state. */
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
  /** Members of the body that are what it says: the content hash covers them. */
  readonly content: readonly (keyof Body)[];
  /** The states that lists show unless asked. */
  readonly listed: readonly string[];
  /** The states in which it may be changed; in any other, the patch has to bring it into one of these. */
  readonly editable: readonly string[];
  /** The states that a patch may bring it to, from each. */
  readonly transitions: Readonly<Record<string, readonly string[]>>;
  statusOf(input: Create): string;
  /** @throws ServiceError `validation_failed` for what the schema cannot say. */
  toBody(input: Create, now: Date): Body;
  /** The body with a patch in it. @throws ServiceError `validation_failed` */
  patchBody(body: Body, patch: Update, now: Date): Body;
  /** What recall indexes and shows. */
  textOf(body: Body): string;
  timesOf?(body: Body, status: string): UnitTimes;
  /** Units that support it without bounding its trust. */
  evidenceOf?(body: Body): readonly string[];
  /** Holds a new body against what is stored. @throws ServiceError `validation_failed` */
  checkBody?(tx: Tx, body: Body): Promise<void>;
  /** What has to be there before new units are: the entities that they name. */
  beforeInsert?(ctx: OperationContext, tx: Tx, units: readonly UnitToInsert<Body>[]): Promise<void>;
  /** What restoring changes in a state other than `archived`; undefined where it cannot be taken back. */
  reopen?(tx: Tx, unit: UnitRow<Body>): Promise<UnitChanges<Body> | undefined>;
  /** Names under which writers of such a unit wait for each other, before its row is locked. */
  namesOf?(body: Body): readonly string[];
  /** The unit that stands for another one, as an entity does for those merged into it; else the id itself. */
  resolveId?(tx: Tx, id: string): Promise<string>;
  /** What a revision brings with it, in its transaction. */
  onRevised?(tx: Tx, before: UnitRow<Body>, after: UnitRow<Body>): Promise<void>;
  /** Filters of its own. */
  filterOf?(query: Query): Pick<UnitFilter, "bodyIn" | "bodyContains" | "bodyFrom" | "bodyUntil" | "nameKey">;
}

/** A kind of any body, for code that does not look into it. */
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
 * The body with a patch in it.
 * @throws ServiceError `validation_failed`
 */
export function patchedBody<Body extends object>(kind: AnyKind, body: Body, patch: KindPatch, now: Date): Body {
  const next = kind.patchBody(body, patch, now) as Body;
  return kind.isNamed ? next : withAliases(next, patch.aliases ?? aliasesOf(body));
}

/** The columns that follow from what a unit says. */
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

/** The resource. The reply's schema holds its body's members against the type. */
export function toUnit<Unit>(row: UnitRow<object>): Unit {
  return { ...commonMembers(row), type: row.type, status: row.status, ...row.body } as Unit;
}

/** Lines of a text for recall; what is not known is left out. */
export function textsOf(parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => part != null && part !== "").join("\n");
}

/** `label: text`, or nothing where there is no text. */
export function labelled(label: string, text: string | null): string | null {
  return text === null || text === "" ? null : `${label}: ${text}`;
}

/** A time as the API writes it. */
export function toIso(text: string): string {
  return new Date(text).toISOString();
}
