/** Reads arguments of the command line; a refusal says what the argument should be. */
import { InvalidArgumentError } from "commander";
import { isCidr } from "../schema/cidr.ts";
import { Id } from "../schema/common.ts";
import { CertificatePin, InstanceEndpoint, InstanceId } from "../schema/federation_peer.ts";
import { sayIssue } from "../schema/plain_words.ts";
import { type Scope, SCOPES } from "../schema/scopes.ts";
import { TRANSFER_KINDS, type TransferKind } from "../schema/transfer.ts";
import { parseCount } from "./parse_count.ts";

export function parseId(text: string): string {
  const id = Id.safeParse(text);
  if (!id.success) throw new InvalidArgumentError("not an id");
  return id.data;
}

/** Selects an audit log: a workspace's, or the service's own. */
export function parseLog(text: string): string {
  return text === "system" ? text : parseId(text);
}

export function parseScopes(text: string): Scope[] {
  const scopes = text.split(",").map((scope) => scope.trim());
  const unknown = scopes.filter((scope) => !SCOPES.includes(scope as Scope));
  if (unknown.length > 0) throw new InvalidArgumentError(`unknown: ${unknown.join(", ")}. Known: ${SCOPES.join(", ")}`);
  return scopes as Scope[];
}

export function parseCidrs(text: string): string[] {
  if (text === "any") return [];
  const ranges = text.split(",").map((range) => range.trim());
  const wrong = ranges.filter((range) => !isCidr(range));
  if (wrong.length > 0) throw new InvalidArgumentError(`not a range, or with host bits: ${wrong.join(", ")}`);
  return ranges;
}

export function parseHours(text: string): number | "never" {
  return text === "never" ? text : parseCount(1, 720)(text);
}

export function parseDays(text: string): number | "never" {
  return text === "never" ? text : parseCount(1, 3_650)(text);
}

export function parseExpiry(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime()) || date <= new Date()) throw new InvalidArgumentError("not a time in the future");
  return date;
}

export function parseExpiryOrNever(text: string): Date | "never" {
  return text === "never" ? text : parseExpiry(text);
}

export function parsePast(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime()) || date > new Date()) throw new InvalidArgumentError("not a time in the past");
  return date;
}

export function parseKinds(text: string): TransferKind[] {
  const kinds = text.split(",").map((kind) => kind.trim());
  const unknown = kinds.filter((kind) => !TRANSFER_KINDS.includes(kind as TransferKind));
  if (unknown.length > 0) throw new InvalidArgumentError(`unknown: ${unknown.join(", ")}`);
  return kinds as TransferKind[];
}

export function parseEndpoint(text: string): string {
  return parseBy(InstanceEndpoint, text);
}

export function parsePeer(text: string): string {
  return parseBy(InstanceId, text);
}

export function parsePin(text: string): string {
  return parseBy(CertificatePin, text);
}

function parseBy(schema: typeof InstanceId | typeof InstanceEndpoint | typeof CertificatePin, text: string): string {
  const read = schema.safeParse(text, { error: sayIssue });
  if (!read.success) throw new InvalidArgumentError(read.error.issues[0]!.message);
  return read.data;
}
