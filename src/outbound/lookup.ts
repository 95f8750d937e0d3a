/** From a name to the one address that is connected to: it is asked once, and every answer has to be callable. */
import { lookup as lookupHosts } from "node:dns/promises";
import { canonicalAddress, isInCidrs } from "../schema/cidr.ts";
import { isCallable, type Target } from "./addresses.ts";
import { OutboundError } from "./failure.ts";

const DEADLINE_MS = 3_000;
/** More addresses of one name are no service's. */
const ADDRESSES_MAX = 64;

/** A name server to ask instead of the system's. */
export interface NameServer {
  readonly ipAddr: string;
  readonly port: number;
}

/**
 * The addresses that may be connected to for a target, in the order in which to try them: one when the target is an
 * address. To call by `http:`, the operator has to have allowed the address.
 * @throws OutboundError `address_refused` when one of them may not be called, `name_not_found`, `dns_failed`, `timeout`, `aborted`
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
  for (const address of found) requireCallable(target, address, allowed);
  return found;
}

/** @throws OutboundError `address_refused` when the target may not be called at an address */
export function requireCallable(target: Target, address: string, allowed: readonly string[]): void {
  if (target.isTls ? isCallable(address, allowed) : isInCidrs(allowed, address)) return;
  // Which address it is would tell the caller what a name inside of this network is.
  throw new OutboundError("address_refused", `Cannot call ${target.host}: it is not an address of the internet`);
}

async function resolve(host: string, nameServer: NameServer | undefined, signal?: AbortSignal): Promise<string[]> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const ended = signal ? AbortSignal.any([signal, deadline]) : deadline;
  // With the dot at its end no domain is searched: the name means the same to everyone.
  const ask = (type: "A" | "AAAA") =>
    Deno.resolveDns(`${host}.`, type, { signal: ended, ...(nameServer && { nameServer }) });
  const answers = await Promise.allSettled([ask("A"), ask("AAAA")]);
  const records = answers.flatMap((answer) => answer.status === "fulfilled" ? answer.value : []);
  // The hosts file is the system's; who named a server asks nobody else.
  const found = records.length > 0 || nameServer ? records : await readHosts(host, ended);
  const addresses = [...new Set(found.map((address) => canonicalAddress(address) ?? address))];
  if (addresses.length > ADDRESSES_MAX) {
    throw new OutboundError("dns_failed", `Cannot call ${host}: too many addresses`);
  }
  if (addresses.length > 0) return addresses;
  if (signal?.aborted) throw new OutboundError("aborted", `Cannot call ${host}: the call was given up`);
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

/** What the system says of a name that DNS does not know; nothing where it knows none either or takes too long. */
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
