/** The requests that the outbound client takes, and its replies. */
import type { TargetRules } from "./addresses.ts";
import type { PeerCertificate } from "./socket.ts";

/** What a call is for; a label of the metric. */
export type OutboundUse = "federation" | "webhook" | "issuer" | "oauth";

/** A request to another server. */
export interface OutboundRequest {
  readonly use: OutboundUse;
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client sends these bytes unchanged. */
  readonly body?: Uint8Array<ArrayBuffer> | undefined;
  /** The client stops reading a reply with a longer body and refuses it. */
  readonly replyBytesMax: number;
  /** Whether the client returns the beginning of a longer body instead; it then closes the connection. Default false. */
  readonly isBeginningEnough?: boolean;
  /** The longest time for the whole call, in milliseconds; default 60,000. */
  readonly deadlineMs?: number;
  /** The longest time in which nothing arrives, in milliseconds; default 15,000. */
  readonly idleMs?: number;
  /** Who is called, such as a peer's id. The client keeps its connections, and opens at most `connectionsMax` (default 2). */
  readonly party: string;
  readonly connectionsMax?: number;
  /** See `connect`. If the pins differ from those of the last request, the client closes the party's connections. */
  readonly pins?: readonly string[];
  /** Whether the client presents the service's certificate, if there is one. Default false. */
  readonly presentsCertificate?: boolean;
  readonly rules?: Omit<TargetRules, "ports">;
  /** Whether the client may send the request again although it may have arrived. Default: only a GET. */
  readonly isRepeatable?: boolean;
  readonly signal?: AbortSignal;
}

/** The reply of another server. */
export interface OutboundReply {
  readonly status: number;
  /** Values of the same name are joined by a comma. */
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly certificate: PeerCertificate | undefined;
  /** Whether the body was longer than `body`. */
  readonly isCut: boolean;
}
