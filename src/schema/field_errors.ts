/** What a schema finds wrong, as replies list it: one entry per path, and no more than a reader reads. */
import { z } from "zod";
import { type FieldError, ServiceError } from "../errors.ts";
import { Faults } from "./faults.ts";
import { sayIssue } from "./plain_words.ts";

/** What became of an input: the value that the schema makes of it, or what is wrong with it. */
export type Checked<T> =
  | { readonly data: T; readonly faults?: undefined }
  | { readonly data?: undefined; readonly faults: Faults };

/**
 * Holds an input against a schema. Of several faults about one member the first is told, since later checks only repeat it
 * in other words; what is not there at all is told as missing, not by the type that it lacks.
 *
 * The library would put every fault into words before any is read; here those are that are told, so that an input of
 * many faults costs little more than a good one.
 *
 * @param before the path of the value
 */
export function checkInput<S extends z.ZodType>(
  schema: S,
  value: unknown,
  ...before: readonly PropertyKey[]
): Checked<z.output<S>> {
  const context = { async: false, reportInput: true, error: sayIssue };
  const result = schema._zod.run({ value, issues: [] }, context);
  if (result instanceof Promise) throw new z.core.$ZodAsyncError();
  if (result.issues.length === 0) return { data: result.value as z.output<S> };
  const faults = new Faults();
  for (const issue of result.issues) addIssue(faults, issue, before, context);
  return { faults };
}

function addIssue(
  faults: Faults,
  issue: z.core.$ZodRawIssue,
  before: readonly PropertyKey[],
  context: z.core.ParseContextInternal,
): void {
  const path = issue.path ?? [];
  const place = (...names: readonly PropertyKey[]) => [...before, ...path, ...names].map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    const keys = issue["keys"] as readonly string[];
    for (let i = 0; i < keys.length; i++) {
      if (faults.isFull) return faults.addMore(keys.length - i);
      faults.add(() => place(keys[i]!), "unknown field");
    }
    return;
  }
  // The faults of a part that a schema has checked by itself.
  const more = (issue["params"] as { more?: unknown } | undefined)?.more;
  if (typeof more === "number") return faults.addMore(more);
  const say = () => z.core.util.finalizeIssue(issue, context, z.core.config()).message;
  faults.add(place, () => isMissing(issue) ? "is required" : say());
}

function isMissing({ code, path = [], input }: z.core.$ZodRawIssue): boolean {
  const isOfType = code === "invalid_type" || code === "invalid_value" || code === "invalid_union";
  return isOfType && path.length > 0 && input === undefined;
}

/** What a message says of faults, in characters: people read the message, programs the list. */
const SAID_CHARS_MAX = 1_000;

/** The refusal that tells what is wrong with an input: all of it, unless that is too long to read. */
export function invalidInput(faults: Faults | FieldError): ServiceError {
  const errors = faults instanceof Faults ? faults.list() : [faults];
  const told = faults instanceof Faults ? faults.told() : errors;
  const size = faults instanceof Faults ? faults.size : 1;
  const said: string[] = [];
  let chars = 0;
  for (const { path, message } of told) {
    const one = `${path || "body"}: ${message}`;
    chars += one.length;
    if (said.length > 0 && chars > SAID_CHARS_MAX) break;
    said.push(one);
  }
  const left = size - said.length;
  const more = left > 0 ? ` (and ${left.toLocaleString("en-US")} more)` : "";
  return new ServiceError("validation_failed", `Cannot accept the request: ${said.join("; ")}${more}`, { errors });
}
