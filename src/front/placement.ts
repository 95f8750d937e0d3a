/** Which worker a request belongs to: all requests of a workspace go to the same one, which alone holds it in memory. */
import { crc32 } from "node:zlib";
import { parseApiKey } from "../crypto/api_key.ts";
import type { RequestHead } from "./head.ts";

/** Keys whose workspace is remembered; the one that was unused for longest is forgotten first. */
const KEYS_MAX = 100_000;
/** Workspaces that are dealt out evenly; of further ones the id decides. */
const WORKSPACES_MAX = 100_000;

/** Answers the workspace of the key that a request presents; undefined: it is unknown, or cannot be told now. */
export type FindWorkspace = (head: RequestHead, peer: Peer, worker: number) => Promise<string | undefined>;

/** The caller's end of the connection. */
export interface Peer {
  readonly hostname: string;
  readonly port: number;
}

export class Placement {
  readonly #count: number;
  readonly #find: FindWorkspace;
  /** Public id of a key, and its workspace, which never changes. */
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
   * The worker of a request: that of the key's workspace. What comes with no workspace's key (admins, peers with
   * certificates, probes, public pages, streams that are opened by a ticket) goes to the first, which therefore counts
   * exactly what it limits. Keys that are unknown go by the address that tries them.
   */
  async workerOf(head: RequestHead, peer: Peer): Promise<number> {
    const token = /^Bearer (svc_live_[0-9A-Za-z]{61})$/i.exec(head.header("authorization") ?? "")?.[1];
    if (token === undefined) return 0;
    const publicId = token.slice(9, 21);
    let workspaceId = this.#keys.get(publicId);
    if (workspaceId === undefined) {
      const byAddress = crc32(peer.hostname) % this.#count;
      // What is no key at all is refused wherever it arrives.
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

  /** The worker of a workspace; the same for as long as the front runs. */
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
