/** What a schema found wrong, as callers are told it: one entry per path. Decisions §1 "Bad input". */
import type { z } from "zod";
import type { FieldError } from "../errors.ts";

/**
 * The faults of an input. Of several about one member the first is told, since later checks only repeat it in other words;
 * what is not there at all is told as missing, not by the type that it lacks.
 *
 * @param error of a parse with `reportInput`, without which nothing is known to be missing
 * @param before the path of the value that was parsed
 */
export function toFieldErrors(error: z.ZodError, ...before: readonly PropertyKey[]): FieldError[] {
  const errors = new Map<string, string>();
  const tell = (path: readonly PropertyKey[], message: string) => {
    const place = [...before, ...path].map(String).join(".");
    if (!errors.has(place)) errors.set(place, message);
  };
  for (const issue of error.issues) {
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) tell([...issue.path, key], "unknown field");
    } else tell(issue.path, isMissing(issue) ? "is required" : issue.message);
  }
  return [...errors].map(([path, message]) => ({ path, message }));
}

function isMissing(issue: z.core.$ZodIssue): boolean {
  const isOfType = issue.code === "invalid_type" || issue.code === "invalid_value" || issue.code === "invalid_union";
  return isOfType && issue.path.length > 0 && "input" in issue && issue.input === undefined;
}
