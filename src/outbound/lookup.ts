/** Looks up the addresses of a host, once for each connection, and refuses the host unless the service may call them all. */
import { lookup as lookupHosts } from "node:dns/promises";
import { isIPv6 } from "node:net";
import { canonicalAddress, isInCidrs } from "../schema/cidr.ts";
import { isCallable, type Target } from "./addresses.ts";
import { OutboundError } from "./failure.ts";

const DEADLINE_MS = 3_000;
/** No real service has more addresses than this. */
const ADDRESSES_MAX = 64;

/** A name server that is asked instead of the system's. */
export interface NameServer {
  readonly ipAddr: string;
  readonly port: number;
}

/**
 * Finds the addresses of a target. The service connects to one by its number, so the answer of a second lookup cannot
 * lead it elsewhere. For `http:` the operator must have allowed the addresses.
 * @throws OutboundError `address_refused` when the service may not call one of them, `name_not_found`, `dns_failed`,
 * `timeout`, `aborted`
 */
export async function findAddresses(
  target: Target,
  { allowed, nameServer, signal }: {
    readonly allowed: readonly string[];
    readonly nameServer?: NameServer | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<readonly string[]> {
  const found = target.isAddress ? [target.host] : await resolve(target.host, nameServer, signal);
  requireCallable(target, found, allowed);
  return found;
}

/** @throws OutboundError `address_refused` when the service may not call the target at one of the addresses */
export function requireCallable(target: Target, addresses: readonly string[], allowed: readonly string[]): void {
  const refused = addresses.filter((one) => !(target.isTls ? isCallable(one, allowed) : isInCidrs(allowed, one)));
  if (refused.length === 0) return;
  // The message does not show the address: the caller could learn the addresses of hosts in this network.
  throw new OutboundError(
    "address_refused",
    `Cannot call ${target.host}: its address is neither one of the internet nor in SVC_OUTBOUND_ALLOW_CIDRS`,
    { forOperator: sayHowToAllow(refused) },
  );
}

function sayHowToAllow(refused: readonly string[]): string {
  const ranges = refused.map((address) => `${address}/${isIPv6(address) ? 128 : 32}`).join(",");
  const is = refused.length === 1 ? "The address is" : "The addresses are";
  return `${is} ${refused.join(" and ")}; to allow it, start the service with SVC_OUTBOUND_ALLOW_CIDRS=${ranges}`;
}

async function resolve(host: string, nameServer: NameServer | undefined, signal?: AbortSignal): Promise<string[]> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const ended = signal ? AbortSignal.any([signal, deadline]) : deadline;
  // With a dot at its end, the resolver takes the name as it is and tries no search domains.
  const ask = (type: "A" | "AAAA") =>
    Deno.resolveDns(`${host}.`, type, { signal: ended, ...(nameServer && { nameServer }) });
  const answers = await Promise.allSettled([ask("A"), ask("AAAA")]);
  const records = answers.flatMap((answer) => answer.status === "fulfilled" ? answer.value : []);
  // The hosts file belongs to the system; if a name server is configured, only that one is asked.
  const found = records.length > 0 || nameServer ? records : await readHosts(host, ended);
  const addresses = [...new Set(found.map((address) => canonicalAddress(address) ?? address))];
  if (addresses.length > ADDRESSES_MAX) {
    throw new OutboundError("dns_failed", `Cannot call ${host}: too many addresses`);
  }
  if (addresses.length > 0) return addresses;
  if (signal?.aborted) throw new OutboundError("aborted", `Cannot call ${host}: the call was aborted`);
  if (deadline.aborted) throw new OutboundError("timeout", `Cannot call ${host}: no answer of the name server`);
  const failed = answers.find((answer) => answer.status === "rejected" && !isNotFound(answer.reason));
  if (failed?.status === "rejected") {
    throw new OutboundError("dns_failed", `Cannot call ${host}: the name server failed`, { cause: failed.reason });
  }
  throw new OutboundError("name_not_found", `Cannot call ${host}: the name has no address`);
}

function isNotFound(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound;
}

/** Asks the system for a name that DNS does not know; returns nothing if it does not know it or takes too long. */
async function readHosts(host: string, ended: AbortSignal): Promise<string[]> {
  if (ended.aborted) return [];
  const never = Promise.withResolvers<string[]>();
  const onEnd = () => never.resolve([]);
  ended.addEventListener("abort", onEnd, { once: true });
  const asked = lookupHosts(host, { all: true }).then((all) => all.map(({ address }) => address), () => []);
  try {
    return await Promise.race([asked, never.promise]);
  } finally {
    ended.removeEventListener("abort", onEnd);
  }
}
