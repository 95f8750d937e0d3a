/** Items of a LangGraph store as facts: their names, their words, and the filters that match them. */

/** What is stored: an object of JSON. */
// deno-lint-ignore no-explicit-any
export type Value = Record<string, any>;

/** Conditions on members of the value. */
// deno-lint-ignore no-explicit-any
export type StoreFilter = Record<string, any>;

const NAME_MAX = 200;
/** The most characters of an item's searchable text, within the bytes of a statement. */
const TEXT_MAX = 5_000;
/** The most labels: an item has a tag for its namespace and each one above it. */
const DEPTH_MAX = 48;
/** Names of members that tell nothing about their content. */
const PLAIN = /^(text|content|memory|data|value|fact|statement)$/i;

/** @throws TypeError for labels that LangGraph does not allow, or too many of them for an item's tags */
export function checkNamespace(namespace: readonly string[]): void {
  if (namespace.length > DEPTH_MAX) throw new TypeError(`Cannot use a namespace of more than ${DEPTH_MAX} labels`);
  for (const label of namespace) {
    if (typeof label !== "string" || label === "" || /[.\0]/.test(label)) {
      throw new TypeError(
        `Cannot use the namespace label ${JSON.stringify(label)}: it is empty, or has a full stop or NUL`,
      );
    }
  }
}

/** The external id of an item: its path, or a digest of it if it is too long. */
export async function nameOf(namespace: readonly string[], key: string): Promise<string> {
  if (typeof key !== "string" || key === "") throw new TypeError("Cannot use an empty key");
  const name = `langgraph/${labelOf(namespace, key)}`;
  return name.length <= NAME_MAX ? name : `langgraph/sha256/${await digestOf(name)}`;
}

/** `users/ada/home`; labels and the key cannot be confused. */
export function labelOf(namespace: readonly string[], key: string): string {
  return [...namespace, key].map((part) => encodeURIComponent(part)).join("/");
}

/** The tags of an item: one for its namespace and for each above it. */
export function tagsOf(namespace: readonly string[]): Promise<string[]> {
  return Promise.all(namespace.map((_, i) => tagOf(namespace.slice(0, i + 1))));
}

/** The tag that all items below a namespace have. */
export async function tagOf(namespace: readonly string[]): Promise<string> {
  return `lg:${(await digestOf(JSON.stringify(namespace))).slice(0, 32)}`;
}

async function digestOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The searchable words of a value, one line for each of its texts. Empty if it has none. */
export function describeValue(value: Value, index?: false | string[]): string {
  if (index === false) return "";
  const found = index === undefined ? listTexts(value, []) : index.flatMap((path) => listTexts(at(value, path), []));
  return found.join("\n").trim().slice(0, TEXT_MAX).toWellFormed();
}

function listTexts(value: unknown, path: readonly string[]): string[] {
  if (value === null || value === undefined || value === "") return [];
  if (typeof value !== "object") {
    const name = path.filter((part) => !PLAIN.test(part) && !/^\d+$/.test(part)).join(" ");
    return [name === "" ? String(value) : `${name}: ${value}`];
  }
  return Object.entries(value).flatMap(([name, one]) => listTexts(one, [...path, name]));
}

/** The values at `a.b`, `a[0]`, `a[-1]`, `a[*].b`, or at `$`, which is everything. */
function at(value: unknown, path: string): unknown {
  if (path === "$") return value;
  if (!/^[^[\]{}]+(\[(\*|-?\d+)\][^[\]{}]*)*$/.test(path)) throw new TypeError(`Cannot index ${path}: it is no path`);
  const parts = path.replaceAll(/\[(\*|-?\d+)\]/g, ".$1").split(".").filter((part) => part !== "");
  return parts.reduce<unknown[]>((found, part) => found.flatMap((one) => step(one, part)), [value]);
}

function step(value: unknown, part: string): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  if (part === "*") return Object.values(value);
  if (Array.isArray(value)) return [value.at(Number(part))];
  return Object.hasOwn(value, part) ? [(value as Value)[part]] : [];
}

/** Whether a value meets all conditions. @throws TypeError for an unknown operator */
export function fits(value: Value, filter: StoreFilter): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    if (!isOperators(wanted)) return isSame(value[name], wanted);
    return Object.entries(wanted).every(([operator, to]) => compare(value[name], operator, to));
  });
}

function isOperators(wanted: unknown): wanted is Record<string, unknown> {
  return typeof wanted === "object" && wanted !== null && Object.keys(wanted).some((name) => name.startsWith("$"));
}

function compare(value: unknown, operator: string, to: unknown): boolean {
  if (operator === "$eq") return isSame(value, to);
  if (operator === "$ne") return !isSame(value, to);
  if (operator === "$gt") return Number(value) > Number(to);
  if (operator === "$gte") return Number(value) >= Number(to);
  if (operator === "$lt") return Number(value) < Number(to);
  if (operator === "$lte") return Number(value) <= Number(to);
  if (operator === "$in" && Array.isArray(to)) return to.some((one) => isSame(value, one));
  if (operator === "$nin" && Array.isArray(to)) return !to.some((one) => isSame(value, one));
  throw new TypeError(`Cannot filter by ${operator}: it is no operator of the store, or has no list`);
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === "object" && JSON.stringify(a) === JSON.stringify(b));
}

/** The part of a filter that the service can check itself, so that it searches among matching items. */
export function toRecallFilter(filter: StoreFilter): Record<string, { eq: string | number | boolean }> {
  const found: Record<string, { eq: string | number | boolean }> = {};
  for (const [name, wanted] of Object.entries(filter)) {
    const value = isOperators(wanted) && Object.keys(wanted).join() === "$eq" ? wanted["$eq"] : wanted;
    const isPlain = typeof value === "number" || typeof value === "boolean" ||
      (typeof value === "string" && value.length <= 1_000);
    if (isPlain && /^[A-Za-z_]\w*$/.test(name)) found[`metadata.langgraph.value.${name}`] = { eq: value };
  }
  return found;
}

/** Whether a namespace begins or ends with a path; `*` stands for any one label. */
export function matches(
  namespace: readonly string[],
  { matchType, path }: { readonly matchType: "prefix" | "suffix"; readonly path: readonly string[] },
): boolean {
  const from = matchType === "prefix" ? 0 : namespace.length - path.length;
  return path.length <= namespace.length && path.every((label, i) => label === "*" || label === namespace[from + i]);
}
