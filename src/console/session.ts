/** Who uses the console: the session behind the cookie, what it may do, and the client that every screen calls. */
import { computed, signal } from "@preact/signals";
import { go } from "./router.ts";
import { type Client, createClient, SvcError, type Whoami } from "../../clients/typescript/mod.ts";

/** A session as the service tells of it. */
export interface Session {
  /** Until when it may change something; null: it only reads. */
  readonly writesUntil: string | null;
  readonly expiresAt: string;
  readonly idleSeconds: number;
}

/** The address of the service: the console lies directly below it. */
export const SERVICE = new URL("..", document.baseURI);
const API = new URL("api", new URL(location.pathname, location.href));
/**
 * What proves to the service that the session's cookie comes from this origin; alone it opens nothing. Other servers of the
 * host get the cookie, too, but not this.
 */
const PROOF = "svc-console-proof";

/** The session; null: nobody is logged in; undefined: not known yet. */
export const session = signal<Session | null | undefined>(undefined);
/** Who is logged in. */
export const me = signal<Whoami | undefined>(undefined);
/** Why nobody is logged in any more, in words. */
export const farewell = signal("");

/** The service as the session may use it: a method for each operation. */
export const svc: Client = createClient({ url: API, key: null, fetch: send });
/** Streams go by tickets, which the session creates. */
const streams: Client = createClient({ url: SERVICE, key: null });

/** Whether the key behind the session has a scope. Screens hide what it may not do. */
export function can(scope: string): boolean {
  return me.value?.scopes.some((one) => one === scope) ?? false;
}

/** Whether the session may change something now. */
export const isWriting = computed(() => session.value?.writesUntil != null);

/** By how many milliseconds the clock of the service is ahead of that of the browser. */
let ahead = 0;

/** Follows what changes in the workspace, until the signal is aborted. */
export function watchChanges(signal: AbortSignal) {
  return streams.watch("memory", { signal, ticket: async () => (await svc.createStreamTicket({})).ticket });
}

async function send(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("x-svc-console", localStorage.getItem(PROOF) ?? "none");
  const response = await fetch(input, { ...init, headers, credentials: "same-origin" });
  const told = Date.parse(response.headers.get("date") ?? "");
  if (!Number.isNaN(told)) ahead = told - Date.now();
  if (response.status === 401 && session.value) leave("Your session has ended. Log in again.");
  // Another tab, or the clock of the service, may have ended the time for changes.
  if (response.status === 403 && isWriting.peek()) await renew();
  return response;
}

/**
 * The time of the service's clock: that of the browser may be wrong. A reply tells it in whole seconds only, so it is late
 * by at most one, never early.
 */
export function serviceTime(): Date {
  return new Date(Date.now() + (Math.abs(ahead) > 2_000 ? ahead + 1_000 : 0));
}

async function renew(): Promise<void> {
  const response = await ask("GET").catch(() => undefined);
  if (response?.ok && session.peek()) session.value = await response.json();
}

async function ask(method: string, body?: object, headers: Record<string, string> = {}): Promise<Response> {
  return await send(`${API}/session`, {
    method,
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** Follows what happens outside this page: a link with a ticket in an open page, and a login or logout in another tab. */
export function followLogins(): void {
  addEventListener("hashchange", () => ticketOf(location.hash) !== undefined && begin());
  // The tabs share one cookie: what this one shows may be of another workspace now.
  addEventListener("storage", ({ key }) => (key === PROOF || key === null) && location.reload());
}

function ticketOf(hash: string): string | undefined {
  return /^#ticket=([\w-]+)$/.exec(hash)?.[1];
}

/** Finds out whether somebody is logged in; a ticket in the address logs in once. */
export async function begin(): Promise<void> {
  const ticket = ticketOf(location.hash);
  if (ticket !== undefined) {
    go("/", {}, { replace: true });
    return await login({ ticket }).catch((error) => leave(sayFault(error)));
  }
  const response = await ask("GET").catch(() => undefined);
  if (response?.ok) await enter(await response.json());
  else leave(response === undefined ? "The service does not answer. Reload the page when it does." : "");
}

/** Logs in by a key or a ticket. @throws Error with a message for people */
export async function login({ key, ticket }: { readonly key?: string; readonly ticket?: string }): Promise<void> {
  const response = await ask(
    "POST",
    ticket === undefined ? {} : { ticket },
    key === undefined ? {} : { authorization: `Bearer ${key}` },
  );
  if (!response.ok) throw new Error(await readMessage(response));
  const { proof, ...opened } = await response.json();
  localStorage.setItem(PROOF, proof);
  await enter(opened);
}

async function enter(opened: Session): Promise<void> {
  // Asked before the session shows, because a browser that keeps no such cookie has none.
  try {
    me.value = await svc.whoami();
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== "unauthenticated") throw error;
    throw new Error("This browser does not keep a secure cookie here. Use https, or another browser.");
  }
  session.value = opened;
  farewell.value = "";
}

/** Ends the session. */
export async function logout(): Promise<void> {
  await ask("DELETE").catch(() => undefined);
  localStorage.removeItem(PROOF);
  leave("You have logged out.");
}

/** Allows changes for a while, or ends that. */
export async function setWriting(writing: boolean): Promise<void> {
  const response = await ask("PATCH", { writing });
  if (!response.ok) throw new Error(await readMessage(response));
  session.value = await response.json();
}

function leave(why: string): void {
  session.value = null;
  me.value = undefined;
  farewell.value = why;
}

async function readMessage(response: Response): Promise<string> {
  const problem = await response.json().catch(() => undefined);
  return problem?.message ?? `The service answered with status ${response.status}`;
}

/** What went wrong, in words for people. */
export function sayFault(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
