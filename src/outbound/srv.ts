/** Finds the services that a domain announces by SRV records (RFC 2782). */
import { isIPv4, isIPv6 } from "node:net";
import { isHostName } from "./addresses.ts";
import { OutboundError } from "./failure.ts";
import type { NameServer } from "./lookup.ts";

const DEADLINE_MS = 3_000;
/** More records than this are a mistake or an attack: the whole answer is refused. */
const RECORDS_MAX = 64;

/** A service that a domain announces. */
export interface Announced {
  /** A name in lower case, without the dot at the end. */
  readonly host: string;
  readonly port: number;
  readonly priority: number;
  readonly weight: number;
}

/**
 * Finds what a domain announces under a name such as `_svc-federation._tcp.example.com`, in the order in which to try it:
 * by priority, and within a priority by chance according to the weights. The answer is empty if the name does not exist, or
 * if the record is `.`, which says that the domain does not offer the service. Addresses, `localhost` and names of one
 * label are left out: such a name means something else on each machine.
 * @throws OutboundError `dns_failed`, `timeout`, `aborted`
 */
export async function findAnnounced(
  name: string,
  { nameServer, signal, random = Math.random }: {
    readonly nameServer?: NameServer | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly random?: () => number;
  } = {},
): Promise<readonly Announced[]> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const ended = signal ? AbortSignal.any([signal, deadline]) : deadline;
  let records: Deno.SrvRecord[];
  try {
    const absolute = name.endsWith(".") ? name : `${name}.`;
    records = await Deno.resolveDns(absolute, "SRV", { signal: ended, ...(nameServer && { nameServer }) });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    if (signal?.aborted) throw new OutboundError("aborted", "Cannot look up the service: the call was aborted");
    if (deadline.aborted || error instanceof Deno.errors.TimedOut) {
      throw new OutboundError("timeout", "Cannot look up the service: no answer of the name server");
    }
    throw new OutboundError("dns_failed", "Cannot look up the service: the name server failed", { cause: error });
  }
  if (records.length > RECORDS_MAX) {
    throw new OutboundError("dns_failed", `Cannot look up the service: more than ${RECORDS_MAX} records`);
  }
  const found = records.map(({ target, ...rest }) => ({ ...rest, host: target.replace(/\.$/, "").toLowerCase() }))
    .filter(({ host, port }) => isAnnounceable(host) && port > 0);
  return orderAnnounced(found, random);
}

function isAnnounceable(host: string): boolean {
  return isHostName(host) && !isIPv4(host) && !isIPv6(host) && host.includes(".") && !/(^|\.)localhost$/.test(host);
}

/** Sorts by priority; within a priority it draws one after the other by weight, and rarely a weight of 0 (RFC 2782). */
export function orderAnnounced(found: readonly Announced[], random: () => number): Announced[] {
  const ordered: Announced[] = [];
  const left = found.toSorted((a, b) => a.priority - b.priority || a.weight - b.weight);
  while (left.length > 0) {
    const equals = left.filter(({ priority }) => priority === left[0].priority);
    const total = equals.reduce((sum, { weight }) => sum + weight, 0);
    let drawn = random() * total;
    const at = equals.findIndex(({ weight }) => (drawn -= weight) <= 0);
    ordered.push(...left.splice(at, 1));
  }
  return ordered;
}
