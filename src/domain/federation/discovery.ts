/** Finding peers by DNS SRV (RFC 2782): what of an answer is offered to a person for approval. Pure. */
/** One record as the resolver gives it. */
export interface SrvRecord {
  readonly priority: number;
  readonly weight: number;
  readonly port: number;
  /** A name, with or without the dot at its end; `.` alone says that the service is not offered. */
  readonly target: string;
}

/** A peer that DNS names. */
export interface FoundPeer {
  /** `instance:<host>`, with the port unless it is 443. */
  readonly id: string;
  readonly endpoint: string;
  readonly priority: number;
  readonly weight: number;
}

const RECORDS_MAX = 32;
const HTTPS_PORT = 443;
/** A host name of two labels or more, in lower case: no single label, no address, nothing that a URL would read otherwise. */
const HOST = /^(?=.{3,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const THIS_MACHINE = /\.localhost$/;

/**
 * The peers that records name: at most 32, the lowest priority first, the greatest weight first among equals. Weight is no
 * chance here: all of them are offered, nothing is connected to. Left out are the target `.`, addresses, names of one label,
 * names that mean this machine, port 0, and what was named before.
 */
export function choosePeers(records: readonly SrvRecord[]): FoundPeer[] {
  const found = new Map<string, FoundPeer>();
  const inOrder = records
    .flatMap((record) => readRecord(record) ?? [])
    .sort((a, b) => a.priority - b.priority || b.weight - a.weight || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  for (const peer of inOrder) {
    if (found.size === RECORDS_MAX) break;
    if (!found.has(peer.id)) found.set(peer.id, peer);
  }
  return [...found.values()];
}

function readRecord({ priority, weight, port, target }: SrvRecord): FoundPeer | undefined {
  const host = target.replace(/\.$/, "").toLowerCase();
  if (!HOST.test(host) || THIS_MACHINE.test(host)) return undefined;
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined;
  const place = port === HTTPS_PORT ? host : `${host}:${port}`;
  return { id: `instance:${place}`, endpoint: `https://${place}`, priority, weight };
}
