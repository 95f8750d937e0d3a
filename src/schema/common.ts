/** What every resource shares: ids, times, sensitivity, trust, tags, metadata, lists. */
import { z } from "zod";
import { isZoneName } from "../language/local_time.ts";

export const SENSITIVITIES = ["public", "internal", "confidential", "restricted"] as const;
export const Sensitivity = z.enum(SENSITIVITIES).meta({ id: "Sensitivity" });
export type Sensitivity = z.infer<typeof Sensitivity>;

/** Whether a row of sensitivity `row` may be seen with clearance `clearance`. The database decides; this mirrors it. */
export function isCleared(row: Sensitivity, clearance: Sensitivity): boolean {
  return SENSITIVITIES.indexOf(row) <= SENSITIVITIES.indexOf(clearance);
}

/** The nine trust tiers and their scores. */
export const TRUST_SCORES = {
  verified: 100,
  user_stated: 90,
  tool_observed: 80,
  document_cited: 70,
  agent_stated: 60,
  agent_inferred: 45,
  imported: 35,
  federation_received: 20,
  unverified: 10,
} as const;
export type Attribution = keyof typeof TRUST_SCORES;
export const Attribution = z.enum(Object.keys(TRUST_SCORES) as [Attribution, ...Attribution[]]).meta({
  id: "Attribution",
  description: "The trust tier. Scores: " + Object.entries(TRUST_SCORES).map(([k, v]) => `${k} ${v}`).join(", "),
});

/**
 * The types of knowledge units, with the number that postings and embeddings store for their texts. This is the one list
 * of them: what the service knows of each stands in `domain/kinds/registry.ts`.
 */
export const UNIT_KINDS = { fact: 2, decision: 3, strategy: 4, workflow: 5, skill: 6, episode: 7, entity: 8 } as const;

/** The kinds of text that recall knows, with the number that postings and embeddings store. */
export const KINDS = { turn: 1, ...UNIT_KINDS } as const;
export type Kind = keyof typeof KINDS;
export const Kind = z.enum(Object.keys(KINDS) as [Kind, ...Kind[]]).meta({ id: "RecallType" });

export const Id = z.uuid().regex(/^[0-9a-f-]+$/, "must be lower case").meta({ id: "Id", description: "UUIDv7" });
export const Timestamp = z.iso.datetime({ precision: 3 }).meta({
  id: "Timestamp",
  description: "RFC 3339, UTC, milliseconds",
  examples: ["2026-03-01T09:30:00.000Z"],
});

const TIME_MIN_MS = Date.parse("0001-01-01T00:00:00.000Z");
const TIME_MAX_MS = Date.parse("9999-12-31T23:59:59.999Z");

/** RFC 3339 writes years with four digits; an offset must not carry a time beyond them. */
function isInYears(text: string): boolean {
  const ms = Date.parse(text);
  return ms >= TIME_MIN_MS && ms <= TIME_MAX_MS;
}

/** The nearest time that a timestamp can say, in milliseconds: for what is reckoned from a time at the edge. */
export function clampTime(ms: number): number {
  return Math.min(Math.max(ms, TIME_MIN_MS), TIME_MAX_MS);
}

const DAY_MS = 86_400_000;
const Instant = z.iso.datetime({ offset: true });
const Day = z.iso.date();

const TO_THE_MINUTE = /^(.{10}T\d\d:\d\d)(Z|[+-]\d\d:\d\d)$/;

/** A day alone is the whole day in UTC: a time begins with it, an end comes after it. Seconds may be left out. */
function timeInput(ofDay: (beginMs: number) => number) {
  const toTime = (text: string) =>
    text.length === 10 && Day.safeParse(text).success
      // The offset says that the day is one of UTC, wherever the zone of the workspace is.
      ? new Date(ofDay(Date.parse(text))).toISOString().replace("Z", "+00:00")
      : text.replace(TO_THE_MINUTE, "$1:00$2");
  return z.string().overwrite(toTime).refine(
    (text) => Instant.safeParse(text).success && !Number.isNaN(Date.parse(text)) && isInYears(text),
    "must be a real date, or a real time with an offset or Z",
  );
}
const FORMS = [{ format: "date-time" }, { format: "date" }];

/** A time as callers may write it: any RFC 3339 offset and precision, or a day, which begins at midnight UTC. */
export const TimestampInput = timeInput((begin) => begin).meta({
  id: "TimestampInput",
  anyOf: FORMS,
  description: "RFC 3339 with an offset or Z, or a day alone, which stands for its first moment in UTC",
  examples: ["2026-03-01T09:30:00Z", "2026-03-01"],
});

/** The end of something, as callers may write it: a day alone is still within. */
export const EndInput = timeInput((begin) => Math.min(begin + DAY_MS, TIME_MAX_MS)).meta({
  id: "EndInput",
  anyOf: FORMS,
  description: "RFC 3339 with an offset or Z, or a day alone, which ends with its last moment in UTC",
  examples: ["2026-03-31T18:00:00Z", "2026-03-31"],
});

/** How far a clock is ahead of UTC. */
export const UtcOffset = z.string().regex(/^[+-](?:[01]\d|2[0-3]):[0-5]\d$/, "must be an offset, such as +09:00")
  .meta({ id: "UtcOffset", description: "How far a clock is ahead of UTC", examples: ["+09:00"] });

/** A time zone by its name in the database of IANA. */
export const TimeZone = z.string().max(64).refine(isZoneName, "must be the name of a time zone, such as Europe/Lisbon")
  .meta({ id: "TimeZone", description: "Name of a time zone in the IANA database", examples: ["Europe/Lisbon"] });

/** Whether a path segment, whatever a client makes of it, and a log line show the name as it is. */
function isPlainName(name: string): boolean {
  return name.trim() === name && name !== "." && name !== ".." && !/[\p{Cc}\u2028\u2029]/u.test(name);
}
/** A name that a caller's own system has for something; this service compares it exactly. */
export const ExternalId = z.string().min(1).max(200).refine(
  isPlainName,
  "must not begin or end with a space, hold control characters, or be `.` or `..`",
).meta({ id: "ExternalId", examples: ["crm/contact/4711"] });
export const MessageId = z.string().min(1).max(200);
/**
 * A text by which a caller sorts or names things. Two texts that look alike are one, whichever of Unicode's normal forms a
 * keyboard or a file system gave them.
 */
const Label = z.string().normalize("NFC");
export const Tag = Label.min(1).max(64);
export const Tags = z.array(Tag).max(50).meta({ id: "Tags", description: "Labels of the caller" });
/** The tags of an item whose form its hash covers, as they came. */
export const SealedTags = z.array(z.string().min(1).max(64)).max(50);
export const METADATA_BYTES_MAX = 16_384;
const encoder = new TextEncoder();
/** A string of at most `bytesMax` bytes in UTF-8 that is not blank. */
export function textOf(bytesMax: number) {
  const tooLong = `must be at most ${bytesMax} bytes in UTF-8`;
  // No text has more characters than bytes, so documents can name a bound that they can express.
  return z.string().min(1).max(bytesMax, { error: tooLong, abort: true })
    .refine((text) => text.trim().length > 0, "must not be blank")
    .refine((text) => encoder.encode(text).byteLength <= bytesMax, tooLong);
}
/**
 * Any JSON value. Bodies have passed the strict reader, so there is nothing left to check; a recursive schema would only
 * cost time, and its document would never end.
 */
export const JsonValue = z.unknown().meta({ id: "JsonValue", description: "Any JSON value" }) as unknown as z.ZodType<
  z.core.util.JSONType,
  z.core.util.JSONType
>;
/** A JSON object with members of any name, kept as it came: a record schema would drop a member named `__proto__`. */
export const JsonObject = z.custom<Record<string, z.core.util.JSONType>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "must be an object",
);
const METADATA_KEY_MAX = 200;
export const Metadata = JsonObject.refine(
  (value) => Object.keys(value).every((key) => key.length >= 1 && key.length <= METADATA_KEY_MAX),
  `must have names of 1 to ${METADATA_KEY_MAX} characters`,
).refine(
  (value) => encoder.encode(JSON.stringify(value)).byteLength <= METADATA_BYTES_MAX,
  `must be at most ${METADATA_BYTES_MAX} bytes as JSON`,
).meta({
  id: "Metadata",
  type: "object",
  additionalProperties: true,
  description: "Free members, at most 16 KiB as JSON",
});

/** A whole number in a query parameter, in digits; coercion would also take an empty text, `0x10` and ` 7`. */
export function wholeNumber(min: number, max: number) {
  return z.preprocess(
    (value) => typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value,
    z.int(`must be a whole number from ${min} to ${max}`).min(min).max(max),
  );
}

/** The database keeps shares in single precision and refuses what is too small for that; below this, it is nothing. */
export const SHARE_LEAST = 1e-30;
/** A share from 0 to 1. */
export const Share = z.number().min(0).max(1).overwrite((share) => share < SHARE_LEAST ? 0 : share);
/** A share in a query parameter, written as a decimal number; coercion would also take an empty text and `0x1`. */
export const ShareParameter = z.preprocess(
  (value) => typeof value === "string" && /^\d(\.\d{1,20})?$/.test(value) ? Number(value) : value,
  Share,
);

/** A query parameter that may be repeated. */
export function repeated<T extends z.ZodType>(item: T, max: number) {
  return z.preprocess((value) => typeof value === "string" ? [value] : value, z.array(item).min(1).max(max));
}

/**
 * A query parameter that holds a list: its items have commas between them. It may be repeated as well, though a request may
 * have no more than 100 parameters in all.
 */
export function commaList<T extends z.ZodType>(item: T, max: number) {
  const split = (value: unknown) =>
    [value].flat().flatMap((part: unknown) => typeof part === "string" ? part.split(",") : [part]);
  return z.preprocess((value) => value === undefined ? undefined : split(value), z.array(item).min(1).max(max));
}

/** A query parameter that is `true` or `false`. */
export const Flag = z.enum(["true", "false"]).transform((value) => value === "true");

/** How a filter by several tags is meant. */
export const TagsMatch = z.enum(["any", "all"]).default("any").meta({
  description: "`any`: one of the `tags` is enough. `all`: every tag is required",
});

/** Bounds of a span that are given the wrong way round hold nothing: they are refused. */
export function isSpan({ from, to }: { readonly from?: string | undefined; readonly to?: string | undefined }) {
  return from === undefined || to === undefined || Date.parse(from) <= Date.parse(to);
}
export const NO_SPAN = { message: "must not be before from", path: ["to"] };

/** Query parameters that every list takes. */
export const ListQuery = z.strictObject({
  limit: wholeNumber(1, 200).default(50).meta({ description: "Page size" }),
  cursor: z.string().min(1).max(1_000).optional().meta({ description: "`nextCursor` of the previous page" }),
  order: z.enum(["asc", "desc"]).default("desc").meta({ description: "`desc`: newest first" }),
});
export type ListQuery = z.infer<typeof ListQuery>;

/** A page of a list. */
export interface Page<T> {
  readonly data: T[];
  readonly nextCursor: string | null;
}

const NextCursor = z.string().nullable().meta({
  id: "NextCursor",
  description: "Pass it as `cursor` to get the next page; null on the last page",
});

/** The reply schema of a list. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.strictObject({
    data: z.array(item),
    nextCursor: NextCursor,
  });
}

/** An agent, as the caller names it: an opaque text. */
export const AgentId = Label.min(1).max(200).meta({ description: "An agent, as the caller names it" });
