/** Programs without a browser ask by a code that a person types elsewhere (RFC 8628). */
import { randomInt } from "node:crypto";
import type { Deps, OperationContext, OperationRequest } from "../../../context.ts";
import { sha256Hex } from "../../../crypto/hash.ts";
import * as queries from "../../../db/queries/oauth_devices.ts";
import { networkOf } from "../../../schema/cidr.ts";
import { systemTx } from "../admin/authenticate.ts";
import { findClient } from "./clients.ts";
import { oauthFault } from "./faults.ts";
import { type Allowed, giveGrant, type GiverOptions, requireAllowed } from "./grants.ts";
import { type GrantRequest, readWanted } from "./requests.ts";
import { isSecret, newSecret } from "./secrets.ts";

const SECONDS = 600;
const INTERVAL_SECONDS = 5;
/** No more requests wait for a person at a time; whoever asks then is refused for a while. */
const WAITING_MAX = 1_000;
/** From one address (of IPv6: one network), so that nobody takes all these places from the others. */
const OF_ADDRESS = { perMinute: 5, burst: 20 };
/** Without vowels, so that no code is a word; nobody mistakes one letter for another (RFC 8628 §6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";

/** The reply of RFC 8628, but for the addresses. */
export interface DeviceCodes {
  readonly device_code: string;
  readonly user_code: string;
  readonly expires_in: number;
  readonly interval: number;
}

/** Begins a request. @throws ServiceError with `invalid_client` and the like; `slow_down` when too many wait, or too many came from the address */
export async function askByDevice(
  deps: Deps,
  form: ReadonlyMap<string, string>,
  { issuer, request }: { readonly issuer: string; readonly request: OperationRequest },
): Promise<DeviceCodes> {
  const clientId = form.get("client_id") ?? "";
  // The person who looks at the request makes the service fetch a document; whoever asks does not.
  if (!clientId.startsWith("https://")) await findClient(deps, clientId);
  const wanted = readWanted(deps, form, issuer);
  const { isAllowed } = await deps.rateLimit.take(`device:${networkOf(request.address ?? "unknown")}`, OF_ADDRESS);
  if (!isAllowed) throw tooMany("come from your address");
  const device = newSecret("device"),
    letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  const isTaken = await systemTx(deps, async (tx) => {
    await queries.deleteOldRequests(tx);
    if (await queries.countRequests(tx) >= WAITING_MAX) return false;
    await queries.insertRequest(tx, {
      deviceHash: sha256Hex(device),
      userHash: sha256Hex(letters),
      clientId,
      scopes: wanted.scopes,
      resource: wanted.resource,
      expiresAt: new Date(tx.now.getTime() + SECONDS * 1_000),
      intervalSeconds: INTERVAL_SECONDS,
    });
    return true;
  });
  if (!isTaken) throw tooMany("wait for a person");
  return {
    device_code: device,
    user_code: `${letters.slice(0, 4)}-${letters.slice(4)}`,
    expires_in: SECONDS,
    interval: INTERVAL_SECONDS,
  };
}

function tooMany(what: string) {
  return oauthFault("slow_down", `Cannot take the request: too many ${what}; try again later`);
}

/**
 * Says why a device gets nothing yet. Called when no grant has its code.
 * @throws ServiceError always: with `authorization_pending`, `slow_down`, `access_denied` or `expired_token`
 */
export async function refuseDevice(deps: Deps, device: string, clientId: string): Promise<never> {
  const expired = oauthFault("expired_token", "Cannot give a token: the request of the device has ended");
  if (!isSecret(device, "device")) throw expired;
  const row = await systemTx(deps, (tx) => queries.noteAsked(tx, sha256Hex(device)));
  if (row === undefined || row.clientId !== clientId) throw expired;
  if (row.isDenied) throw oauthFault("access_denied", "Cannot give a token: the person has denied it");
  if (row.isTooSoon) throw oauthFault("slow_down", "Cannot give a token yet: ask less often");
  throw oauthFault("authorization_pending", "Cannot give a token yet: no person has decided");
}

/** A request of a device, as the person who typed its code sees it. */
export interface DeviceRequest extends GrantRequest {
  readonly deviceHash: string;
  readonly expiresAt: Date;
}

/**
 * Finds the request of a code that a person typed.
 * @throws ServiceError with `invalid_request` when there is none; `rate_limited` after too many wrong codes
 */
export async function findDeviceRequest(ctx: OperationContext, typed: string): Promise<DeviceRequest> {
  const { deps } = ctx;
  const letters = typed.toUpperCase().replaceAll(/[^A-Z]/g, "");
  const attempt = await deps.failedAttempts.begin(ctx.address ?? "unknown", `device:${ctx.actor}`);
  let row: queries.DeviceRow | undefined;
  try {
    row = await systemTx(deps, (tx) => queries.findRequest(tx, sha256Hex(letters)), { readOnly: true });
  } catch (error) {
    await attempt.giveBack();
    throw error;
  }
  if (row === undefined) {
    attempt.fail();
    throw unknownCode();
  }
  await attempt.giveBack();
  return { ...row, client: await findClient(deps, row.clientId) };
}

/**
 * Gives a device what it asks for. Of two people at the same time, one decides.
 * @throws ServiceError as `giveGrant`; with `invalid_request` when somebody has decided
 */
export async function allowDevice(
  ctx: OperationContext,
  typed: string,
  allowed: Allowed,
  options: GiverOptions,
): Promise<void> {
  const { deviceHash, expiresAt, ...asked } = await findDeviceRequest(ctx, typed);
  requireAllowed(ctx, asked, allowed);
  if (!await systemTx(ctx.deps, (tx) => queries.takeRequest(tx, deviceHash))) throw unknownCode();
  await giveGrant(ctx, asked, allowed, { kind: "device", deviceHash, expiresAt }, options);
}

/** Denies it. @throws ServiceError with `invalid_request` when somebody has decided */
export async function denyDevice(ctx: OperationContext, typed: string): Promise<void> {
  const { deviceHash } = await findDeviceRequest(ctx, typed);
  if (!await systemTx(ctx.deps, (tx) => queries.denyRequest(tx, deviceHash))) throw unknownCode();
}

function unknownCode() {
  return oauthFault("invalid_request", "Cannot find the request: the code is mistyped, was used or has ended");
}
