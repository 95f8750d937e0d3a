/** What clients ask for by OAuth, and what they were given. */
import type { Scope, Sensitivity } from "../../clients/typescript/mod.ts";
import { callConsole } from "./session.ts";

/** A request of a client, as the service has checked it. */
export interface GrantRequest {
  /** What the client calls itself; empty: nothing. */
  readonly client: string;
  /** The host that publishes the client; null: nobody vouches for it. */
  readonly publisher: string | null;
  /** Where the answer goes: a host, or the scheme of a program on the person's machine. */
  readonly redirectHost: string;
  readonly resource: string;
  /** What it asks for and the person may give. */
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
}

export interface ConsoleGrant {
  readonly id: string;
  readonly name: string;
  readonly redirectHost: string | null;
  readonly resource: string;
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
  readonly givenBy: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

/** @param query of the authorization request, as the client wrote it */
export function readRequest(query: string): Promise<GrantRequest> {
  return callConsole("POST", "/oauth/request", { query });
}

/** Answers a request. @returns the address at which the client waits for the answer */
export async function answerRequest(
  query: string,
  allowed: { readonly scopes: readonly Scope[]; readonly maxSensitivity: Sensitivity } | undefined,
): Promise<string> {
  const path = allowed === undefined ? "/oauth/request/deny" : "/oauth/request/allow";
  return (await callConsole<{ redirect: string }>("POST", path, { query, ...allowed })).redirect;
}

export function listGrants(): Promise<{ readonly data: readonly ConsoleGrant[] }> {
  return callConsole("GET", "/oauth/grants");
}

export function revokeGrant(id: string): Promise<unknown> {
  return callConsole("POST", `/oauth/grants/${id}/revoke`, {});
}
