/** Canonical JSON (RFC 8785): one text for one value, for hashes and signatures. */
import canonicalize from "canonicalize";
import { ServiceError } from "../errors.ts";
import { JSON_DEPTH_MAX } from "../schema/json_text.ts";

/**
 * The canonical text of a JSON value. Members that are `undefined` are left out, as by `JSON.stringify`; a `Date`
 * becomes its ISO text.
 * @throws ServiceError `validation_failed` for values without a canonical form: lone surrogates, NaN and infinities,
 * bigints, `undefined` as a whole, cycles, and more than 64 levels.
 */
export function canonicalJson(value: unknown): string {
  refuseDepth(value, JSON_DEPTH_MAX);
  let text: string | undefined;
  try {
    text = canonicalize(value);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "unknown value";
    throw new ServiceError("validation_failed", `Cannot write canonical JSON: ${reason}`, { cause });
  }
  if (text === undefined) {
    throw new ServiceError("validation_failed", `Cannot write canonical JSON: a ${typeof value} has no JSON form`);
  }
  return text;
}

function refuseDepth(value: unknown, left: number): void {
  if (value === null || typeof value !== "object") return;
  if (left === 0) {
    const reason = `value is deeper than ${JSON_DEPTH_MAX} levels`;
    throw new ServiceError("validation_failed", `Cannot write canonical JSON: ${reason}`);
  }
  for (const child of Array.isArray(value) ? value : Object.values(value)) refuseDepth(child, left - 1);
}
