/** What a schema finds wrong, in words for people: what the value must be, never the validator's own terms. */
import type { z } from "zod";

type Issue = z.core.$ZodRawIssue;

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  bigint: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  map: "an object",
  date: "a time",
  null: "null",
};

const FORMATS: Readonly<Record<string, string>> = {
  uuid: "a UUID, such as 01890000-0000-7000-8000-000000000000",
  guid: "a UUID, such as 01890000-0000-7000-8000-000000000000",
  datetime: "a time such as 2026-03-01T09:30:00Z",
  date: "a date such as 2026-03-01",
  time: "a time of day such as 09:30:00",
  email: "an e-mail address",
  url: "a URL",
  ipv4: "an IP address",
  ipv6: "an IP address",
  base64: "base64",
  base64url: "base64url",
};

/** Names that a message lists at most. */
const LISTED_MAX = 40;

/** Says what the value must be. It is given to the validator as its map of errors: a schema's own message goes first. */
export function sayIssue(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${sayType(issue)}`;
    case "invalid_value":
      return sayOneOf(issue["values"] as readonly unknown[]);
    case "too_small":
      return saySize(issue, "minimum");
    case "too_big":
      return saySize(issue, "maximum");
    case "invalid_format":
      return sayFormat(issue);
    case "not_multiple_of":
      return `must be a multiple of ${issue["divisor"]}`;
    case "unrecognized_keys":
      return `has unknown fields: ${listOf(issue["keys"] as readonly string[])}`;
    case "invalid_union":
      return sayUnion(issue);
    case "invalid_key":
    case "invalid_element":
      return sayNearest([issue["issues"] as unknown as readonly Issue[]]);
    default:
      return "cannot be accepted";
  }
}

function sayType({ inst, ...issue }: Issue): string {
  const isInteger = /int/.test((inst?._zod.def as { format?: string } | undefined)?.format ?? "");
  return TYPES[isInteger ? "int" : String(issue["expected"])] ?? "of another type";
}

function sayOneOf(values: readonly unknown[]): string {
  return `must be ${values.length > 1 ? "one of " : ""}${listOf(values.map(String))}`;
}

function listOf(names: readonly string[]): string {
  const more = names.length > LISTED_MAX ? [`and ${names.length - LISTED_MAX} more`] : [];
  return [...names.slice(0, LISTED_MAX), ...more].join(", ");
}

function saySize(issue: Issue, side: "minimum" | "maximum"): string {
  const bound = issue[side] as number | bigint;
  const [atBound, beyond] = side === "minimum" ? ["at least", "more than"] : ["at most", "less than"];
  const how = issue["exact"] === true ? "exactly" : issue["inclusive"] === false ? beyond : atBound;
  const count = bound.toString();
  const one = count === "1";
  switch (issue["origin"]) {
    case "string":
      return how === "at least" && one
        ? "must not be empty"
        : `must have ${how} ${count} ${one ? "character" : "characters"}`;
    case "array":
    case "set":
    case "map":
    case "object":
      return how === "at least" && one ? "must not be empty" : `must have ${how} ${count} ${one ? "item" : "items"}`;
    default:
      return `must be ${how} ${count}`;
  }
}

function sayFormat(issue: Issue): string {
  const format = String(issue["format"]);
  if (format === "starts_with") return `must begin with ${issue["prefix"]}`;
  if (format === "ends_with") return `must end with ${issue["suffix"]}`;
  if (format === "includes") return `must contain ${issue["includes"]}`;
  const named = FORMATS[format];
  return named === undefined ? "does not have the right form" : `must be ${named}`;
}

/** What a value of several forms must be: all forms in one sentence, or what the nearest form lacks. */
function sayUnion(issue: Issue): string {
  const options = issue["options"];
  if (Array.isArray(options)) return sayOneOf(options);
  const forms = (issue["errors"] ?? []) as readonly (readonly Issue[])[];
  const whole = forms.map(([first]) => first === undefined || first.path?.length ? undefined : messageOf(first));
  const musts = [...new Set(whole)].map((text) =>
    text?.startsWith("must be ") ? text.slice("must be ".length) : undefined
  );
  if (musts.length > 0 && musts.every((text) => text !== undefined)) return `must be ${musts.join(" or ")}`;
  return sayNearest(
    forms.filter(([first]) => first !== undefined && first.code !== "invalid_type" || first?.path?.length),
  );
}

/** The first fault of the form that has the fewest. */
function sayNearest(forms: readonly (readonly Issue[])[]): string {
  const [nearest] = forms.toSorted((a, b) => a.length - b.length);
  const first = nearest?.[0];
  if (first === undefined) return "cannot be accepted";
  const place = (first.path ?? []).map(String).join(".");
  const missing = first.code === "invalid_type" && place !== "" && first.input === undefined;
  return `${place === "" ? "" : `${place} `}${missing ? "is required" : messageOf(first)}`;
}

/** A part of a union has been put into words already. */
function messageOf(issue: Issue): string {
  return issue.message ?? sayIssue(issue);
}
