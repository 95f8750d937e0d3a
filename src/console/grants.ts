/** What clients ask for by OAuth, and what they were given. */
import type { Scope, Sensitivity } from "../../clients/typescript/mod.ts";
import { callConsole } from "./session.ts";

/** A request of a client, as the service has checked it. */
export interface GrantRequest {
  /** What the client calls itself; empty: nothing. */
  readonly client: string;
  /** The host that publishes the client; null: nobody vouches for it. */
  readonly publisher: string | null;
  /** Where the answer goes: a host, or the scheme of a program on the person's machine; null: to a device that waits. */
  readonly redirectHost: string | null;
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

/** What the person decides about, as the service knows it again. */
export type Asked =
  /** The query of the authorization request, as the client wrote it. */
  | { readonly query: string }
  /** The code that the person typed, as a device shows it. */
  | { readonly code: string };

interface Rights {
  readonly scopes: readonly Scope[];
  readonly maxSensitivity: Sensitivity;
}

const pathOf = (asked: Asked) => "query" in asked ? "/oauth/request" : "/oauth/device";

export function readRequest(asked: Asked): Promise<GrantRequest> {
  return callConsole("POST", pathOf(asked), asked);
}

/**
 * Answers a request.
 * @param allowed undefined: the person denies it
 * @returns the address at which the client waits for the answer; undefined for a device, which asks for it itself
 */
export async function answerRequest(asked: Asked, allowed: Rights | undefined): Promise<string | undefined> {
  const path = `${pathOf(asked)}/${allowed === undefined ? "deny" : "allow"}`;
  return (await callConsole<{ redirect?: string }>("POST", path, { ...asked, ...allowed })).redirect;
}

export function listGrants(): Promise<{ readonly data: readonly ConsoleGrant[] }> {
  return callConsole("GET", "/oauth/grants");
}

export function revokeGrant(id: string): Promise<unknown> {
  return callConsole("POST", `/oauth/grants/${id}/revoke`, {});
}
