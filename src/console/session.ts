/** Who uses the console: the session behind the cookie, what it may do, and the client that every screen calls. */
import { computed, signal } from "@preact/signals";
import { forgetDrafts } from "./drafts.ts";
import { go, path } from "./router.ts";
import {
  type BreakGlassRequest,
  type Client,
  createClient,
  SvcError,
  type Whoami,
} from "../../clients/typescript/mod.ts";

/** A session as the service tells of it. */
export interface Session {
  /** Until when it may change something; null: it only reads. */
  readonly writesUntil: string | null;
  readonly expiresAt: string;
  readonly idleSeconds: number;
  /** The admin whose session it is; null: a workspace's key opened it. */
  readonly admin: { readonly id: string; readonly name: string } | null;
  /** Whether it may make, rotate and revoke keys: an admin's those of all workspaces, another one its own workspace's. */
  readonly managesKeys: boolean;
}

/** The address of the service: the console lies directly below it. */
export const SERVICE = new URL("..", document.baseURI);
const API = new URL("api", new URL(location.pathname, location.href));
/**
 * What proves to the service that the session's cookie comes from this origin; alone it opens nothing. Other servers of the
 * host get the cookie, too, but not this.
 */
const PROOF = "svc-console-proof";

const NO_COOKIE = "This browser does not keep a secure cookie here. Use https, or another browser.";

/** The session; null: nobody is logged in; undefined: not known yet. */
export const session = signal<Session | null | undefined>(undefined);
/** What is logged in to a workspace: a key, or an admin under a grant. An admin without a grant is in none. */
export const me = signal<Whoami | undefined>(undefined);
/** The request by which an admin has entered a workspace; undefined: none. */
export const grant = signal<BreakGlassRequest | undefined>(undefined);
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

/** The admin who is logged in; null: it is a key. */
export const admin = computed(() => session.value?.admin ?? null);

/** Names who is logged in, among all who may be. */
export function whoIsIn(): string {
  return [admin.peek()?.id, me.peek()?.actor, me.peek()?.workspace.id].join(" ");
}

/** Whether the session may change something now. */
export const isWriting = computed(() => session.value?.writesUntil != null);

/** By how many milliseconds the clock of the service is ahead of that of the browser. */
let ahead = 0;

/**
 * Follows what changes in the workspace, until the signal is aborted.
 * @param tell called when the connection is there, and when it has to be made again
 */
export function watchChanges(signal: AbortSignal, tell: (isThere: boolean) => void) {
  // A ticket is for the key of a workspace.
  if (grant.peek() !== undefined) throw new Error("There is no stream under a grant.");
  return streams.watch("memory", {
    signal,
    async ticket() {
      tell(false);
      const { ticket } = await svc.createStreamTicket({});
      tell(true);
      return ticket;
    },
  });
}

async function send(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("x-svc-console", localStorage.getItem(PROOF) ?? "none");
  if (grant.peek() !== undefined) headers.set("x-svc-break-glass", grant.peek()!.id);
  const response = await fetch(input, { ...init, headers, credentials: "same-origin" });
  const told = Date.parse(response.headers.get("date") ?? "");
  if (!Number.isNaN(told)) ahead = told - Date.now();
  // A one-time code that does not count is refused with the same status.
  if (response.status === 401 && session.value && await codeOf(response) === "unauthenticated") {
    leave("Your session has ended. Log in again.");
  }
  if (response.status === 403 && grant.peek() !== undefined && await codeOf(response) === "break_glass_required") {
    leaveWorkspace();
    throw new Error("Your access to the workspace has ended.");
  }
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

/** The code of a refusal, which stays to be read. */
async function codeOf(response: Response): Promise<string | undefined> {
  return (await response.clone().json().catch(() => undefined))?.code;
}

/**
 * Calls what the console has besides the operations of the service, such as `/keys`.
 * @throws Error with a message for people
 */
export async function callConsole<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await ask(method, body, {}, path);
  if (!response.ok) throw new Error(await readMessage(response));
  return await response.json();
}

async function ask(
  method: string,
  body?: object,
  headers: Record<string, string> = {},
  path = "/session",
): Promise<Response> {
  return await send(`${API}${path}`, {
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

/** The query with which an issuer sent the browser back; undefined: none did. */
function answerOf(search: string): string | undefined {
  const query = new URLSearchParams(search);
  return query.has("state") && (query.has("code") || query.has("error")) ? search.slice(1) : undefined;
}

/** Where the page was when its user left it to sign in. */
const PLACE = "svc-console-place";

/** Leaves the page for an issuer, which sends the browser back. */
export function leaveTo(address: string): void {
  if (!/^https?:$/.test(new URL(address).protocol)) throw new Error("The issuer has no address to go to.");
  sessionStorage.setItem(PLACE, location.hash);
  location.assign(address);
}

/** Takes the issuer's answer out of the address, and goes to where the page was before. */
function comeBack(): void {
  history.replaceState(null, "", location.pathname);
  const [, path = "", query = ""] = /^#?([^?]*)\??(.*)$/s.exec(sessionStorage.getItem(PLACE) ?? "")!;
  sessionStorage.removeItem(PLACE);
  go(path === "" ? "/" : path, Object.fromEntries(new URLSearchParams(query)), { replace: true });
}

/** Finds out whether somebody is logged in; a ticket in the address, or the answer of an issuer, logs in once. */
export async function begin(): Promise<void> {
  const signedIn = answerOf(location.search);
  if (signedIn !== undefined) {
    comeBack();
    return await login({ signedIn }).catch((error) => leave(sayFault(error)));
  }
  const ticket = ticketOf(location.hash);
  if (ticket !== undefined) {
    go("/", {}, { replace: true });
    return await login({ ticket }).catch((error) => leave(sayFault(error)));
  }
  const response = await ask("GET").catch(() => undefined);
  if (response?.ok) await enter(await response.json());
  else leave(response === undefined ? "The service does not answer. Reload the page when it does." : "");
}

/** What logs in: a key, an admin's key and a one-time code, a ticket, or the answer of an issuer. */
interface Shown {
  readonly key?: string;
  readonly totp?: string;
  readonly ticket?: string;
  readonly signedIn?: string;
}

/** Logs in. @throws Error with a message for people */
export async function login({ key, ...shown }: Shown): Promise<void> {
  const response = await ask(
    "POST",
    shown,
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
    if (opened.admin === null) me.value = await svc.whoami();
    else if (!(await ask("GET")).ok) throw new Error(NO_COOKIE);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== "unauthenticated") throw error;
    throw new Error(NO_COOKIE);
  }
  if (opened.admin !== null && path.peek() === "/") go("/admin/workspaces", {}, { replace: true });
  session.value = opened;
  farewell.value = "";
  forgetDrafts(whoIsIn());
}

/** Ends the session. */
export async function logout(): Promise<void> {
  await ask("DELETE").catch(() => undefined);
  localStorage.removeItem(PROOF);
  leave("You have logged out.");
  forgetDrafts();
}

/** Enters a workspace as an admin, under a grant. @throws Error when the grant does not count */
export async function enterWorkspace(by: BreakGlassRequest): Promise<void> {
  grant.value = by;
  try {
    me.value = await svc.whoami();
  } catch (error) {
    leaveWorkspace();
    throw error;
  }
  go(can("memory:read") ? "/" : "/connect");
}

/** Leaves the workspace; the grant stays until it ends. */
export function leaveWorkspace(): void {
  grant.value = undefined;
  me.value = undefined;
  go("/admin/access");
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
  grant.value = undefined;
  farewell.value = why;
}

async function readMessage(response: Response): Promise<string> {
  const problem = await response.json().catch(() => undefined);
  return problem?.message ?? `The service answered with status ${response.status}`;
}

/** What went wrong, in words for people. */
export function sayFault(error: unknown): string {
  if (error instanceof SvcError && (error.code === "connection_failed" || error.code === "timeout")) {
    return "The service does not answer.";
  }
  return error instanceof Error ? error.message : String(error);
}
