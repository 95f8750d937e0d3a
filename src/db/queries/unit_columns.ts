/**
 * The columns of the table `unit` that make the row of a unit: the type `UnitRow`, the lists of columns in statements and
 * the JSON that statements write all follow from this table. A column is named like its member, in snake_case.
 */
import type { Attribution, Sensitivity } from "../../schema/common.ts";
import type { UnitType } from "../../schema/unit.ts";
import type { Sql } from "../tx.ts";

interface Column<Value> {
  /** The Postgres type as which it is read; default: its own. */
  readonly readAs: "float8" | undefined;
  /** Never set: it carries the type of the column's values. */
  readonly value?: Value;
}

function column<Value>(readAs?: "float8"): Column<Value> {
  return { readAs };
}

const COLUMNS = {
  id: column<string>(),
  type: column<UnitType>(),
  version: column<number>(),
  status: column<string>(),
  attribution: column<Attribution>(),
  trustScore: column<number>(),
  /** The least trust score of its sources; it only falls. */
  trustCap: column<number>(),
  confidence: column<number>(),
  sensitivity: column<Sensitivity>(),
  tags: column<readonly string[]>(),
  metadata: column<Readonly<Record<string, unknown>>>(),
  worth: column<number>(),
  pinned: column<boolean>(),
  contentHash: column<string>(),
  originInstance: column<string>(),
  originId: column<string>(),
  derivedFrom: column<readonly string[]>(),
  stale: column<boolean>(),
  /** The text that recall indexes and shows. */
  text: column<string>(),
  docNo: column<number>("float8"),
  /** The typed rest of the resource, in the API's names. */
  body: column<unknown>(),
  tripleKey: column<string | null>(),
  validFrom: column<Date | null>(),
  validTo: column<Date | null>(),
  recordedAt: column<Date>(),
  retractedAt: column<Date | null>(),
  occurredAt: column<Date | null>(),
  expiresAt: column<Date | null>(),
  entityIds: column<readonly string[]>(),
  corroborationCount: column<number>(),
  createdAt: column<Date>(),
  updatedAt: column<Date>(),
  createdBy: column<string>(),
};

type Members = {
  readonly [Name in keyof typeof COLUMNS]: (typeof COLUMNS)[Name] extends Column<infer Value> ? Value : never;
};

/** A row of `unit`. `Body` is the typed rest of the resource, in the API's names. */
export interface UnitRow<Body = Readonly<Record<string, unknown>>> extends Omit<Members, "body"> {
  readonly body: Body;
}

/** The columns by member, with their names in the table. */
const NAMED = Object.entries(COLUMNS).map(([member, { readAs }]) => ({
  member: member as keyof typeof COLUMNS,
  name: member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  readAs,
}));

const SELECTED = NAMED.map(({ member, name, readAs }) =>
  `u.${name}${readAs === undefined ? "" : `::${readAs}`} as "${member}"`
).join(", ");

/** The columns of `unit` (or of a row of its type under the alias `u`) as a `UnitRow`. */
export function unitColumns(sql: Sql) {
  return sql.unsafe(SELECTED);
}

/** The names of the columns, for an insert: bare, or of a row of the table's type under an alias. */
export function unitNames(sql: Sql, alias?: "n") {
  return sql.unsafe(NAMED.map(({ name }) => alias === undefined ? name : `${alias}.${name}`).join(", "));
}

/**
 * The assignments of an update from a row of the table's type under the alias `n`.
 * @param besides columns that the statement assigns itself
 */
export function unitAssignments(sql: Sql, besides: readonly (keyof typeof COLUMNS)[]) {
  const assigned = NAMED.filter(({ member }) => !besides.includes(member));
  return sql.unsafe(assigned.map(({ name }) => `${name} = n.${name}`).join(", "));
}

/** A unit as JSON with the column names. */
export function unitToColumns(unit: UnitRow<unknown>, workspaceId: string): Readonly<Record<string, unknown>> {
  return { workspace_id: workspaceId, ...Object.fromEntries(NAMED.map(({ member, name }) => [name, unit[member]])) };
}
