/**
 * The log: one JSON object a line, redacted and bounded.
 *
 * A line always has `time`, `level` and `event` (a stable dotted name); everything else is a field. A field cannot
 * take the place of these three. Secrets are removed by shape, by field name and by literal value (`redact.ts`),
 * control and direction characters are escaped, and a line is at most `LINE_CHARS_MAX` long.
 */
import { createRedact, isSecretName, type Redact, REDACT_CHARS_MAX } from "./redact.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFields = Readonly<Record<string, unknown>>;

/** Takes a finished line without its line break. It must not throw. */
export type LogSink = (line: string, level: LogLevel) => void;

export interface Log {
  readonly level: LogLevel;
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
  /** A log that adds these fields to each of its lines. */
  child(fields: LogFields): Log;
  /** Whether lines of this level are written; call it before building costly fields. */
  enabled(level: LogLevel): boolean;
}

export interface LogOptions {
  readonly level?: LogLevel;
  /** Default: standard output. */
  readonly sink?: LogSink;
  /** Configured secrets, which are removed wherever they occur. */
  readonly secrets?: readonly (string | undefined)[];
  readonly now?: () => Date;
}

export const LINE_CHARS_MAX = 16_384;
const TEXT_CHARS_MAX = 2_048;
const STACK_CHARS_MAX = 4_096;
const ITEMS_MAX = 50;
const DEPTH_MAX = 5;

/**
 * Characters that JSON leaves as they are but that change or hide what a reader sees: DEL, C1, zero width, direction, tags.
 */
const INVISIBLE = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/** Creates a log. */
export function createLog(options: LogOptions = {}): Log {
  const line = new LineWriter(
    options.sink ?? writeToStdout,
    createRedact(options.secrets),
    options.now ?? (() => new Date()),
  );
  return new JsonLog(line, options.level ?? "info", {});
}

/** A log that writes nothing. */
export const noopLog: Log = {
  level: "error",
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => noopLog,
  enabled: () => false,
};

class JsonLog implements Log {
  readonly level: LogLevel;
  readonly #line: LineWriter;
  readonly #fields: LogFields;
  readonly #rank: number;

  constructor(line: LineWriter, level: LogLevel, fields: LogFields) {
    this.level = level;
    this.#line = line;
    this.#fields = fields;
    this.#rank = LOG_LEVELS.indexOf(level);
  }

  debug(event: string, fields?: LogFields): void {
    if (this.#rank <= 0) this.#line.write("debug", event, this.#fields, fields);
  }

  info(event: string, fields?: LogFields): void {
    if (this.#rank <= 1) this.#line.write("info", event, this.#fields, fields);
  }

  warn(event: string, fields?: LogFields): void {
    if (this.#rank <= 2) this.#line.write("warn", event, this.#fields, fields);
  }

  error(event: string, fields?: LogFields): void {
    this.#line.write("error", event, this.#fields, fields);
  }

  child(fields: LogFields): Log {
    return new JsonLog(this.#line, this.level, { ...this.#fields, ...fields });
  }

  enabled(level: LogLevel): boolean {
    return LOG_LEVELS.indexOf(level) >= this.#rank;
  }
}

/** The most names of fields that are remembered. */
const FIELDS_MAX = 1_000;

interface Field {
  readonly shown: string;
  readonly isSecret: boolean;
}

class LineWriter {
  readonly #fields = new Map<string, Field>();
  readonly #sink: LogSink;
  readonly #redact: Redact;
  readonly #now: () => Date;

  constructor(sink: LogSink, redact: Redact, now: () => Date) {
    this.#sink = sink;
    this.#redact = redact;
    this.#now = now;
  }

  /** Writes one line. It never throws, because an unreadable field must not end the request that logs it. */
  write(level: LogLevel, event: string, bound: LogFields, fields: LogFields | undefined): void {
    let line: string;
    try {
      line = this.#line(level, event, { ...bound, ...fields });
    } catch {
      line = JSON.stringify({ time: this.#now().toISOString(), level, event: "log.failed" });
    }
    this.#sink(line, level);
  }

  #line(level: LogLevel, event: string, fields: LogFields): string {
    const head = { time: this.#now().toISOString(), level, event: this.#text(event, 200) };
    // The head comes first for the reader, and again last so that no field replaces it.
    const line = escapeInvisible(JSON.stringify({ ...head, ...this.#object(fields, 0), ...head }));
    if (line.length <= LINE_CHARS_MAX) return line;
    const small = Object.entries(fields).filter(([, value]) =>
      typeof value !== "object" && String(value).length <= 128
    );
    const kept = this.#object(Object.fromEntries(small.slice(0, 20)), 0);
    return escapeInvisible(JSON.stringify({ ...head, ...kept, ...head, truncated: true, originalChars: line.length }));
  }

  #text(text: string, charsMax: number): string {
    const cut = text.length > REDACT_CHARS_MAX;
    const shown = this.#redact(text);
    if (!cut && shown.length <= charsMax) return shown;
    return `${shown.slice(0, charsMax)}… (${text.length} characters)`;
  }

  #value(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case "string":
        return this.#text(value, TEXT_CHARS_MAX);
      case "number":
        return Number.isFinite(value) ? value : String(value);
      case "boolean":
      case "undefined":
        return value;
      case "object":
        return value === null ? null : this.#thing(value, depth);
      case "bigint":
        return value.toString();
      default:
        return undefined;
    }
  }

  #thing(value: object, depth: number): unknown {
    if (value instanceof Error) return this.#error(value, depth);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "invalid date" : value.toISOString();
    if (value instanceof URL) return this.#text(value.href, TEXT_CHARS_MAX);
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (depth >= DEPTH_MAX) return Array.isArray(value) ? "[array]" : "[object]";
    if (Array.isArray(value)) {
      const items = value.slice(0, ITEMS_MAX).map((item) => this.#value(item, depth + 1));
      return value.length > ITEMS_MAX ? [...items, `… ${value.length - ITEMS_MAX} more`] : items;
    }
    const proto = Object.getPrototypeOf(value);
    // A class instance may hold connections or keys, so only its name is shown.
    if (proto !== null && proto !== Object.prototype) return `[${proto.constructor?.name ?? "object"}]`;
    return this.#object(value as Record<string, unknown>, depth + 1);
  }

  #object(fields: Record<string, unknown>, depth: number): Record<string, unknown> {
    const shown: Record<string, unknown> = Object.create(null);
    for (const name of Object.keys(fields).slice(0, ITEMS_MAX)) {
      const value = fields[name];
      const field = this.#field(name);
      const secret = field.isSecret && value !== undefined && value !== null && typeof value !== "number" &&
        typeof value !== "boolean";
      shown[field.shown] = secret ? "[redacted]" : this.#value(value, depth);
    }
    return shown;
  }

  /** The displayed form of a field's name, computed once, because most lines have the same few. */
  #field(name: string): Field {
    let field = this.#fields.get(name);
    if (field === undefined) {
      field = { shown: this.#text(name, 100), isSecret: isSecretName(name) };
      if (this.#fields.size >= FIELDS_MAX) this.#fields.clear();
      if (name.length <= 100) this.#fields.set(name, field);
    }
    return field;
  }

  /** An error with its code, stack and causes. Only the log sees this; a reply never does. */
  #error(error: Error, depth: number): Record<string, unknown> {
    const { code } = error as { code?: unknown };
    return {
      name: this.#text(error.name, 100),
      ...(typeof code === "string" || typeof code === "number" ? { code: this.#value(code, depth) } : {}),
      message: this.#text(messageOf(error.message, code), TEXT_CHARS_MAX),
      ...(error.stack === undefined ? {} : { stack: this.#text(stackFrames(error), STACK_CHARS_MAX) }),
      ...(error.cause === undefined || depth >= DEPTH_MAX ? {} : { cause: this.#value(error.cause, depth + 1) }),
    };
  }
}

/** Postgres quotes the value that it could not read (SQLSTATE class 22), which may be anything that is stored. */
function messageOf(message: string, code: unknown): string {
  if (typeof code !== "string" || !/^22[0-9A-Z]{3}$/.test(code)) return message;
  const quoted = message.search(/[:"]/);
  return quoted === -1 ? message : `${message.slice(0, quoted).trimEnd()} […]`;
}

/** The frames alone: a line of the message may look like one, and the message is logged already. */
function stackFrames({ stack = "", message }: Error): string {
  const frames = stack.slice(Math.max(0, stack.indexOf(message)) + message.length);
  return frames.split("\n").filter((line) => /^\s+at /.test(line)).slice(0, 20).map((line) => line.trim()).join("\n");
}

/** JSON escapes control characters and lone surrogates itself; the rest of the invisible ones are escaped here. */
function escapeInvisible(json: string): string {
  return json.replace(INVISIBLE, (found) => {
    let escaped = "";
    for (let i = 0; i < found.length; i++) escaped += `\\u${found.charCodeAt(i).toString(16).padStart(4, "0")}`;
    return escaped;
  });
}

const encoder = new TextEncoder();

/**
 * Writes a line to standard output immediately, so that the last lines before a crash are there. If the reader is gone,
 * the line is lost and the service goes on.
 */
export function writeToStdout(line: string): void {
  let bytes = encoder.encode(`${line}\n`);
  try {
    while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
  } catch {
    // Nobody reads the log any more.
  }
}

/** The logged data of a request. The path is its route template, because real paths and queries may hold secrets. */
export interface RequestLine {
  readonly requestId: string;
  readonly method: string;
  /** Route template, such as `/v1/facts/{id}`; undefined when no route matched. */
  readonly route: string | undefined;
  readonly status: number;
  readonly durationMs: number;
  readonly workspaceId?: string | undefined;
  readonly keyId?: string | undefined;
  /** Pin of the client certificate that the trusted proxy verified. */
  readonly certificatePin?: string | undefined;
  readonly errorCode?: string | undefined;
  readonly traceId?: string | undefined;
  readonly responseBytes?: number | undefined;
}

/** Writes the one line of a request: `info`, and `error` for a reply of 500 or above that is not its caller's fault. */
export function logRequest(log: Log, request: RequestLine, isCallersFault = false): void {
  const fields = { ...request, route: request.route ?? "unmatched", durationMs: roundMs(request.durationMs) };
  if (request.status >= 500 && !isCallersFault) log.error("http.request", fields);
  else log.info("http.request", fields);
}

function roundMs(durationMs: number): number {
  return Math.round(durationMs * 1_000) / 1_000;
}
