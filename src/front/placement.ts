/**
 * Assigns requests to workers: all requests of a workspace go to one worker, which alone keeps the workspace in memory.
 */
import { crc32 } from "node:zlib";
import { parseApiKey } from "../crypto/api_key.ts";
import type { RequestHead } from "./head.ts";

/** The most keys whose workspace is cached; beyond it, the least recently used is evicted. */
const KEYS_MAX = 100_000;
/** The most workspaces that are dealt out evenly among the workers; further ones are assigned by a hash of their id. */
const WORKSPACES_MAX = 100_000;

/** Finds the workspace of the key that a request presents; undefined when the key is unknown or the lookup failed. */
export type FindWorkspace = (head: RequestHead, peer: Peer, worker: number) => Promise<string | undefined>;

/** The caller's end of a connection. */
export interface Peer {
  readonly hostname: string;
  readonly port: number;
}

export class Placement {
  readonly #count: number;
  readonly #find: FindWorkspace;
  /** The workspace of each key, by the key's public id. It never changes. */
  readonly #keys = new Map<string, string>();
  readonly #asked = new Map<string, Promise<string | undefined>>();
  readonly #places = new Map<string, number>();
  readonly #dealt: number[];

  constructor(count: number, find: FindWorkspace) {
    this.#count = count;
    this.#find = find;
    this.#dealt = new Array(count).fill(0);
  }

  /**
   * The worker of a request: the one that its key's workspace is assigned to. A request without a workspace's key (of
   * an admin, a peer with a certificate, a probe, a public page, a stream opened by a ticket) goes to the first worker,
   * so that one process counts them all and enforces their limits exactly. A request with an unknown key is assigned by
   * the caller's address.
   */
  async workerOf(head: RequestHead, peer: Peer): Promise<number> {
    const token = /^Bearer (svc_live_[0-9A-Za-z]{61})$/i.exec(head.header("authorization") ?? "")?.[1];
    if (token === undefined) return 0;
    const publicId = token.slice(9, 21);
    let workspaceId = this.#keys.get(publicId);
    if (workspaceId === undefined) {
      const byAddress = crc32(peer.hostname) % this.#count;
      // A token that is not a key at all is refused by every worker.
      if (parseApiKey(token) === null) return byAddress;
      workspaceId = await this.#ask(publicId, head, peer, byAddress);
      if (workspaceId === undefined) return byAddress;
    } else {
      this.#keys.delete(publicId);
    }
    this.#keys.set(publicId, workspaceId);
    if (this.#keys.size > KEYS_MAX) this.#keys.delete(this.#keys.keys().next().value!);
    return this.placeOf(workspaceId);
  }

  /** The worker of a workspace. It stays the same as long as the front runs. */
  placeOf(workspaceId: string): number {
    const known = this.#places.get(workspaceId);
    if (known !== undefined) return known;
    if (this.#places.size >= WORKSPACES_MAX) return crc32(workspaceId) % this.#count;
    const place = this.#dealt.indexOf(Math.min(...this.#dealt));
    this.#dealt[place]!++;
    this.#places.set(workspaceId, place);
    return place;
  }

  #ask(publicId: string, head: RequestHead, peer: Peer, worker: number): Promise<string | undefined> {
    const asked = this.#asked.get(publicId);
    if (asked !== undefined) return asked;
    const answer = this.#find(head, peer, worker).catch(() => undefined)
      .finally(() => this.#asked.delete(publicId));
    this.#asked.set(publicId, answer);
    return answer;
  }
}
