/** What is asked of the way out, and what comes of it. */
import type { TargetRules } from "./addresses.ts";
import type { PeerCertificate } from "./socket.ts";

/** What calls are made for: a label of the metric. */
export type OutboundUse = "federation" | "webhook";

export interface OutboundRequest {
  readonly use: OutboundUse;
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is. */
  readonly body?: Uint8Array<ArrayBuffer> | undefined;
  /** A longer reply is refused while it is read. */
  readonly replyBytesMax: number;
  /** Whether of a longer reply the beginning is enough: the connection is closed then. Default false. */
  readonly isBeginningEnough?: boolean;
  /** Longest time for all of it; default 60,000. */
  readonly deadlineMs?: number;
  /** Longest silence; default 15,000. */
  readonly idleMs?: number;
  /** Who is called, such as a peer's id: connections are kept for it, and at most `connectionsMax` are open (default 2). */
  readonly party: string;
  readonly connectionsMax?: number;
  /** See `connect`. Other pins than before close the party's connections. */
  readonly pins?: readonly string[];
  /** Whether the service presents its client certificate, where it has one. Default false. */
  readonly presentsCertificate?: boolean;
  readonly rules?: Omit<TargetRules, "ports">;
  /** Whether it may be sent again where it may have arrived. Default: a GET may. */
  readonly isRepeatable?: boolean;
  readonly signal?: AbortSignal;
}

export interface OutboundReply {
  readonly status: number;
  /** Names in lower case; several of one name joined by a comma. */
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly certificate: PeerCertificate | undefined;
  /** There was more of the body. */
  readonly isCut: boolean;
}
