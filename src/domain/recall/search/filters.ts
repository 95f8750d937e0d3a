/**
 * Filters over members, in two equivalent forms: a jsonpath predicate for the database, and a function for the hot
 * tier. `filters_test.ts` compares the two.
 *
 * Both follow jsonpath's lax mode: a path goes through lists, and a list satisfies a condition if any of its elements
 * does. The values travel as jsonpath variables; the predicate holds only member names and searched parts of texts, as
 * JSON strings.
 */
import { isPlain } from "../../../language/letters.ts";
import { FILTER_TIME_FIELDS, type FilterCondition, type RecallFilter } from "../../../schema/recall_filter.ts";

type Scalar = string | number | boolean | null;

/** A predicate for `jsonb_path_match(document, path, vars)`. */
interface FilterPredicate {
  readonly path: string;
  readonly vars: Readonly<Record<string, Scalar>>;
  /** Whether the document has to be in the normal form NFC, because the filter names letters that others can spell. */
  readonly isNormal: boolean;
}

/** The document that a filter reads: `FILTER_FIELDS` and `metadata`; times as RFC 3339, UTC, milliseconds. */
export type FilterDocument = Readonly<Record<string, unknown>>;

/** A filter, or a document for it, in the normal form NFC: the same letters are the same, however they were typed. */
export function toNormalForm<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).normalize("NFC"));
}

export function compileFilter(given: RecallFilter): FilterPredicate {
  const isNormal = !isPlain(JSON.stringify(given));
  const filter = isNormal ? toNormalForm(given) : given;
  const vars: Record<string, Scalar> = {};
  const bind = (value: Scalar): string => {
    const name = `v${Object.keys(vars).length}`;
    vars[name] = value;
    return `$${name}`;
  };
  return { path: compileNode(filter, bind), vars, isNormal };
}

type Bind = (value: Scalar) => string;

function compileNode(node: RecallFilter, bind: Bind): string {
  const parts = Object.entries(node).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (name === "AND") return [join((value as RecallFilter[]).map((child) => compileNode(child, bind)), "&&")];
    if (name === "OR") return [join((value as RecallFilter[]).map((child) => compileNode(child, bind)), "||")];
    if (name === "NOT") return [`!(${compileNode(value as RecallFilter, bind)})`];
    return compileCondition(name, value as FilterCondition, bind);
  });
  return parts.length === 0 ? "(1 == 1)" : join(parts, "&&");
}

function join(parts: readonly string[], operator: "&&" | "||"): string {
  return `(${parts.join(` ${operator} `)})`;
}

/** `exists()` is never unknown, so that NOT is true if values cannot be compared. */
function compileCondition(name: string, condition: FilterCondition, bind: Bind): string[] {
  const path = "$" + name.split(".").map((part) => `.${JSON.stringify(part)}`).join("");
  const holds = (comparison: string) => `exists(${path} ? (${comparison}))`;
  const equals = (value: Scalar) => value === null ? `!${holds("@ != null")}` : holds(`@ == ${bind(value)}`);
  const parts: string[] = [];
  for (const [operator, raw] of Object.entries(condition)) {
    if (raw === undefined) continue;
    const operand = toOperand(name, operator, raw);
    if (operator === "eq") parts.push(equals(operand as Scalar));
    else if (operator === "ne") parts.push(`!(${equals(operand as Scalar)})`);
    else if (operator === "in") parts.push(join((operand as Scalar[]).map(equals), "||"));
    else if (operator === "contains") parts.push(compileContains(path, operand as Scalar, bind));
    else parts.push(holds(`@ ${COMPARISONS[operator as keyof typeof COMPARISONS]} ${bind(operand as Scalar)}`));
  }
  return parts;
}

/** Characters of `2026-03-01`. */
const DAY_CHARS = 10;
const COMPARISONS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

function compileContains(path: string, operand: Scalar, bind: Bind): string {
  const element = `exists(${path}[*] ? (@ == ${operand === null ? "null" : bind(operand)}))`;
  if (typeof operand !== "string") return element;
  const part = `(${path}.type() == "string" && exists(${path} ? (@ like_regex ${JSON.stringify(operand)} flag "q")))`;
  return join([element, part], "||");
}

/** Times are compared as texts in the same format; what is after a day, or not after it, is so by its last moment. */
function toOperand(name: string, operator: string, operand: unknown): Scalar | Scalar[] {
  if (!FILTER_TIME_FIELDS.has(name)) return operand as Scalar | Scalar[];
  const ofDay = operator === "gt" || operator === "lte" ? "T23:59:59.999Z" : "";
  const format = (one: unknown) =>
    typeof one === "string" ? new Date(one.length === DAY_CHARS ? one + ofDay : one).toISOString() : one as Scalar;
  return Array.isArray(operand) ? operand.map(format) : format(operand);
}

/** Whether a document satisfies a filter, exactly as the database would decide. */
export function matchesFilter(filter: RecallFilter, document: FilterDocument): boolean {
  return Object.entries(filter).every(([name, value]) => {
    if (value === undefined) return true;
    if (name === "AND") return (value as RecallFilter[]).every((child) => matchesFilter(child, document));
    if (name === "OR") return (value as RecallFilter[]).some((child) => matchesFilter(child, document));
    if (name === "NOT") return !matchesFilter(value as RecallFilter, document);
    return matchesCondition(name, value as FilterCondition, document);
  });
}

function matchesCondition(name: string, condition: FilterCondition, document: FilterDocument): boolean {
  const raw = resolve(name, document);
  const values = raw.flatMap((value) => Array.isArray(value) ? value : [value]);
  const some = (test: (value: unknown) => boolean) =>
    values.some((value) => Array.isArray(value) ? value.some(test) : test(value));
  const equals = (operand: Scalar) =>
    operand === null ? !some((value) => value !== null) : some((value) => value === operand);
  return Object.entries(condition).every(([operator, given]) => {
    if (given === undefined) return true;
    const operand = toOperand(name, operator, given);
    if (operator === "eq") return equals(operand as Scalar);
    if (operator === "ne") return !equals(operand as Scalar);
    if (operator === "in") return (operand as Scalar[]).some(equals);
    if (operator === "contains") return contains(raw, values, operand as Scalar);
    return some((value) => {
      const order = compare(value, operand as Scalar);
      return order !== undefined && ORDERS[operator as keyof typeof ORDERS](order);
    });
  });
}

const ORDERS = {
  gt: (order: number) => order > 0,
  gte: (order: number) => order >= 0,
  lt: (order: number) => order < 0,
  lte: (order: number) => order <= 0,
} as const;

function contains(raw: readonly unknown[], values: readonly unknown[], operand: Scalar): boolean {
  if (values.some((value) => value === operand || Array.isArray(value) && value.includes(operand))) return true;
  return typeof operand === "string" && raw.some((value) => typeof value === "string" && value.includes(operand));
}

/** The values at a member's path; for lists on the way, those of their elements. */
function resolve(name: string, document: FilterDocument): unknown[] {
  let found: unknown[] = [document];
  for (const part of name.split(".")) {
    found = found.flatMap((value) => Array.isArray(value) ? value : [value]).flatMap((value) =>
      typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, part)
        ? [(value as Record<string, unknown>)[part]]
        : []
    );
  }
  return found;
}

/** Compares numbers by value, texts by code point; undefined if the two cannot be compared. */
function compare(value: unknown, operand: Scalar): number | undefined {
  if (typeof value === "number" && typeof operand === "number") return value - operand;
  if (typeof value !== "string" || typeof operand !== "string") return undefined;
  return compareCodePoints(value, operand);
}

function compareCodePoints(a: string, b: string): number {
  const left = [...a], right = [...b];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] !== right[i]) return left[i].codePointAt(0)! - right[i].codePointAt(0)!;
  }
  return left.length - right.length;
}
