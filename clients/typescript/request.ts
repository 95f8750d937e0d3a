/** Builds a request from the one flat argument of an operation. */
import { SvcError } from "./error.ts";
import type { Route, Target } from "./route.ts";

/** The members of an operation's argument. */
export type Input = Readonly<Record<string, unknown>>;

/** The options of a call; besides those named here, one for each header that the operation takes. */
export interface Options {
  readonly signal?: AbortSignal;
  readonly [option: string]: unknown;
}

const IDEMPOTENCY_KEY = "idempotency-key";
const CALL_OPTIONS = ["signal", "timeoutMs", "retries"];

/** The name of the option for a header: `if-match` → `ifMatch`, without the service's own prefix. */
export function optionOf(header: string): string {
  return header.replace(/^x-svc-/, "").replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * @throws SvcError `validation_failed` for input that cannot be sent: a path member that is empty or leads elsewhere
 * @throws TypeError for options that the operation does not take
 */
export function buildRequest(
  target: Pick<Target, "origin" | "headers">,
  id: string,
  route: Route,
  input: Input,
  options: Options,
): { url: string; init: RequestInit } {
  const rest: Record<string, unknown> = { ...input };
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodePart(id, name, value);
  });
  const headers: Record<string, string> = { ...target.headers, ...readHeaders(id, route, options) };
  const query = new URLSearchParams();
  const inQuery = route.body === undefined ? Object.keys(rest) : route.query ?? [];
  for (const name of inQuery) {
    addToQuery(id, query, name, rest[name]);
    delete rest[name];
  }
  let body: BodyInit | undefined;
  if (route.body === "flat") body = JSON.stringify(rest);
  else if (route.body !== undefined) body = takeBody(id, route.body, rest);
  if (body !== undefined) headers["content-type"] = /\//.test(route.body!) ? route.body! : "application/json";
  const search = query.size > 0 ? `?${query}` : "";
  return {
    url: `${target.origin}${path}${search}`,
    // A redirect could send the key, or a change, to an unintended place.
    init: { method: route.method, headers, redirect: "manual", ...(body !== undefined && { body }) },
  };
}

/** Takes the one member that is the body. */
function takeBody(id: string, kind: string, rest: Record<string, unknown>): BodyInit {
  const name = kind === "json" ? "body" : "file";
  const { [name]: body, ...others } = rest;
  const [other] = Object.keys(others);
  if (other !== undefined) throw refuse(id, other, "is not a member of its argument");
  if (body === undefined) throw refuse(id, name, "is missing");
  return kind === "json" ? JSON.stringify(body) : body as BodyInit;
}

function readHeaders(id: string, { headers = [] }: Route, options: Options): Record<string, string> {
  const found: Record<string, string> = {};
  const known = [...CALL_OPTIONS];
  for (const header of headers) {
    const option = optionOf(header);
    known.push(option);
    const value = options[option];
    if (typeof value === "number") found[header] = `"${value}"`;
    else if (value !== undefined) found[header] = String(value);
    else if (header === IDEMPOTENCY_KEY) found[header] = makeKey();
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`Cannot call ${id}: it takes no option ${unknown}`);
  return found;
}

/** 128 random bits. `crypto.randomUUID` is absent from pages without TLS. */
function makeKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Refuses dots and empty texts, which would lead to another operation. */
function encodePart(id: string, name: string, value: unknown): string {
  if (value === undefined || value === null || value === "") throw refuse(id, name, "is missing");
  const text = String(value);
  if (/^\.{1,2}$/.test(text) || !text.isWellFormed()) throw refuse(id, name, "cannot be part of an address");
  return encodeURIComponent(text);
}

/** A list is repeated; an empty one would disappear from the query. */
function addToQuery(id: string, query: URLSearchParams, name: string, value: unknown): void {
  if (value === undefined) return;
  if (Array.isArray(value) && value.length === 0) throw refuse(id, name, "is empty");
  for (const one of [value].flat()) query.append(name, String(one));
}

function refuse(id: string, path: string, message: string): SvcError {
  return new SvcError("validation_failed", `Cannot call ${id}: ${path} ${message}`, { errors: [{ path, message }] });
}
