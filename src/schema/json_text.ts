/**
 * The strict reader of JSON from outside: request bodies, import lines, federation payloads.
 *
 * It accepts exactly RFC 8259 in UTF-8 and refuses what two readers could understand differently, or what the database
 * cannot keep: more than 64 levels or too many values (counted before anything is built), a key given twice, NUL and lone
 * surrogates in strings and keys, numbers beyond the range of a double, whole numbers of which a double loses digits.
 * `__proto__` is a member like any other, never a prototype. A byte order mark before the text is passed over, as
 * RFC 8259 §8.1 allows: editors and shells of Windows write one.
 */
import { type FieldError, ServiceError } from "../errors.ts";
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./json_bytes.ts";
import { Faults } from "./faults.ts";
import { invalidInput } from "./field_errors.ts";

/** Nesting that is accepted anywhere: in requests, and in what is hashed or signed. `[]` has depth 1. */
export const JSON_DEPTH_MAX = 64;

/**
 * How much one text may hold. A reader's work goes by values, not by bytes: a megabyte of small members costs a hundred
 * times what a megabyte of text costs.
 */
export interface JsonLimits {
  /** Members of one object; what is kept of an object, 64 KiB, has fewer. */
  readonly membersOfOneMax: number;
  /** Members of all objects. */
  readonly membersMax: number;
  /** Members, items and containers. */
  readonly valuesMax: number;
  /** A whole number of which a double loses digits is read as a text of its digits; default: it is refused. */
  readonly digitsAsText?: boolean;
}

export const JSON_LIMITS: JsonLimits = { membersOfOneMax: 10_000, membersMax: 25_000, valuesMax: 100_000 };

/** Characters of one key that a path shows. */
const PATH_KEY_MAX = 64;

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
const NUL = /\0/;
// With the flag `u` a pair is one character, and what matches is a surrogate that stands alone.
const LONE_SURROGATE = /[\ud800-\udfff]/u;
const NUL_OR_LONE_SURROGATE = /[\0\ud800-\udfff]/u;

// `parseJsonText` passes over one byte order mark; the decoder would take off another.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads one JSON value. The value is well-formed but not validated: schemas come after.
 * @throws ServiceError `invalid_request` when the bytes are not UTF-8, not JSON, deeper than 64 levels, or give a key twice
 * @throws ServiceError `validation_failed` with one entry per path for NUL, lone surrogates and numbers out of range, and
 *   for more values than `limits` allow
 */
export function parseJson(bytes: Uint8Array, limits: JsonLimits = JSON_LIMITS): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch (cause) {
    throw unreadable("it is not valid UTF-8", cause);
  }
  return parseJsonText(text, limits);
}

/** As `parseJson`, for text that is decoded already. */
export function parseJsonText(marked: string, limits: JsonLimits = JSON_LIMITS): unknown {
  const text = marked.startsWith("\ufeff") ? marked.slice(1) : marked;
  const membersInText = countMembers(text, limits);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unreadable(syntaxReason(text, cause), cause);
  }
  const survey: Survey = { members: 0, faults: 0, hasLarge: false, marks: marksIn(text) };
  take(value, survey);
  // A key given twice is one member of the value and two of the text.
  if (survey.members !== membersInText) throw unreadable(`key ${findRepeatedKey(text)} is given twice`);
  const { kept, lost } = survey.hasLarge ? keepDigits(text, limits) : { kept: value, lost: 0 };
  if (survey.faults + lost > 0) {
    const faults = new Faults();
    faults.addMore(survey.faults + lost - findFaults(kept, [], faults));
    throw invalidInput(faults);
  }
  return kept;
}

/** Stands for a whole number that would come back with other digits. */
const LOST = Symbol("lost digits");

/** Reads the text again, with a text or `LOST` for each whole number that a double cannot give back in the same digits. */
function keepDigits(text: string, { digitsAsText = false }: JsonLimits): { kept: unknown; lost: number } {
  let lost = 0;
  const keep = (_key: string, value: unknown, { source = "" }: { source?: string }) => {
    if (typeof value !== "number" || !/^-?\d+$/.test(source)) return value;
    if (Number.isSafeInteger(value) || !Number.isFinite(value) || String(value) === source) return value;
    if (digitsAsText) return source;
    lost++;
    return LOST;
  };
  return { kept: JSON.parse(text, keep as never), lost };
}

/** Parses JSON that nobody validates; whole numbers of which a double loses digits become texts. @throws SyntaxError */
export function parseKeepingDigits(text: string): unknown {
  return keepDigits(text, { ...JSON_LIMITS, digitsAsText: true }).kept;
}

function unreadable(reason: string, cause?: unknown): ServiceError {
  return new ServiceError("invalid_request", `Cannot read JSON: ${reason}`, { cause });
}

/** Says where, never what: the engine's own message quotes the input, which may be a secret. */
function syntaxReason(text: string, error: unknown): string {
  if (text.trim() === "") return "it is empty";
  const at = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  return at === undefined ? "its syntax is wrong" : `its syntax is wrong at character ${at}`;
}

function tooWide(reason: string): ServiceError {
  const errors: FieldError[] = [{ path: "", message: reason }];
  return new ServiceError("validation_failed", `Cannot accept the JSON: it ${reason}`, { errors });
}

/**
 * One pass over the text outside strings: refuses too deep nesting and too many values, and counts the members of all
 * objects (each has one colon). On text that is not JSON the count means nothing, and the parser refuses it afterwards.
 */
function countMembers(text: string, { membersOfOneMax, membersMax, valuesMax }: JsonLimits): number {
  let depth = 0;
  let colons = 0;
  let values = 1;
  // Of the open containers, by depth.
  const members = [0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      i = endOfString(text, i);
      if (i === -1) break;
    } else if (code === COLON) {
      if (++colons > membersMax) throw tooWide(`has more than ${membersMax} members`);
      if (++members[depth]! > membersOfOneMax) throw tooWide(`has an object with more than ${membersOfOneMax} members`);
    } else if (code === COMMA) {
      if (++values > valuesMax) throw tooWide(`has more than ${valuesMax} values`);
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      if (++depth > JSON_DEPTH_MAX) throw unreadable(`it is deeper than ${JSON_DEPTH_MAX} levels`);
      if (++values > valuesMax) throw tooWide(`has more than ${valuesMax} values`);
      members[depth] = 0;
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      depth--;
    }
  }
  return colons;
}

/** The index of the quote that ends the string starting at `start`, or -1. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return i;
    // What a backslash escapes ends nothing.
    if (code === BACKSLASH) i++;
  }
  return -1;
}

/**
 * What strings of this text have to be looked at for: a NUL or a lone surrogate can only come from an escape, since UTF-8
 * decoding and JSON refuse them as raw characters; text that came decoded may have raw surrogates.
 */
function marksIn(text: string): RegExp | undefined {
  const hasNul = text.includes("\\u0000");
  const hasSurrogate = SURROGATE_ESCAPE.test(text) || !text.isWellFormed();
  if (hasSurrogate) return hasNul ? NUL_OR_LONE_SURROGATE : LONE_SURROGATE;
  return hasNul ? NUL : undefined;
}

/** What one walk over a value counts, so that only a refusal needs a second walk, and only as far as it lists faults. */
interface Survey {
  members: number;
  faults: number;
  /** Some number is too large for a double to hold every whole number of its size. */
  hasLarge: boolean;
  readonly marks: RegExp | undefined;
}

/** Scalars are looked at where they stand: a call for each of them would be most of the work. */
function take(value: unknown, survey: Survey): void {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (typeof item === "object") take(item, survey);
      else if (isFaulty(item, survey)) survey.faults++;
    }
  } else if (value !== null && typeof value === "object") {
    for (const key in value) {
      survey.members++;
      if (survey.marks?.test(key)) survey.faults++;
      const member = (value as Record<string, unknown>)[key];
      if (typeof member === "object") take(member, survey);
      else if (isFaulty(member, survey)) survey.faults++;
    }
  } else if (isFaulty(value, survey)) survey.faults++;
}

function isFaulty(value: unknown, survey: Survey): boolean {
  if (typeof value === "number") {
    if (value <= Number.MAX_SAFE_INTEGER && value >= -Number.MAX_SAFE_INTEGER) return false;
    survey.hasLarge = true;
    return !Number.isFinite(value);
  }
  return typeof value === "string" && survey.marks?.test(value) === true;
}

function faultOf(value: string | number | typeof LOST): string | undefined {
  if (value === LOST) return "is a whole number of more digits than a JSON number keeps here; send it as a text";
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "is a number out of range";
  if (value.includes("\u0000")) return "holds a NUL character";
  return value.isWellFormed() ? undefined : "holds a lone surrogate";
}

/**
 * Adds faults until the list is full. Returns how many it has found; faults with the same displayed path share an
 * entry.
 */
function findFaults(value: unknown, path: (string | number)[], faults: Faults): number {
  if (typeof value === "string" || typeof value === "number" || value === LOST) {
    const fault = faultOf(value);
    if (fault === undefined) return 0;
    faults.add(() => showPath(path), fault);
    return 1;
  }
  if (value === null || typeof value !== "object") return 0;
  let seen = 0;
  const inArray = Array.isArray(value);
  const keys = inArray ? value : Object.keys(value);
  for (let i = 0; i < keys.length && !faults.isFull; i++) {
    const key: string | number = inArray ? i : keys[i];
    path.push(key);
    const fault = faultOf(key);
    if (fault !== undefined) {
      faults.add(() => showPath(path), `its key ${fault}`);
      seen++;
    }
    if (!faults.isFull) seen += findFaults((value as Record<string | number, unknown>)[key], path, faults);
    path.pop();
  }
  return seen;
}

/** A dotted path that is itself well-formed and of bounded length. */
function showPath(path: readonly (string | number)[]): string {
  return path.map((key) => String(key).slice(0, PATH_KEY_MAX).toWellFormed().replaceAll("\u0000", "\ufffd")).join(".");
}

/** The path of the first key that is given twice, for a text that is known to be JSON. Only reached on refusal. */
function findRepeatedKey(text: string): string {
  // One entry per open container: the keys seen in an object, `null` for an array; beside it the key or index in work.
  const open: (Set<string> | null)[] = [];
  const path: (string | number)[] = [];
  let expectsKey = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      const end = endOfString(text, i);
      if (expectsKey) {
        const raw = text.slice(i + 1, end);
        const key: string = raw.includes("\\") ? JSON.parse(`"${raw}"`) : raw;
        path[path.length - 1] = key;
        const seen = open.at(-1);
        if (seen?.has(key)) return JSON.stringify(showPath(path));
        seen?.add(key);
        expectsKey = false;
      }
      i = end;
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      expectsKey = code === OPEN_OBJECT;
      open.push(expectsKey ? new Set() : null);
      path.push(0);
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      open.pop();
      path.pop();
      expectsKey = false;
    } else if (code === COMMA) {
      expectsKey = open.at(-1) !== null;
      if (!expectsKey) path[path.length - 1] = Number(path.at(-1)) + 1;
    }
  }
  return '""';
}
