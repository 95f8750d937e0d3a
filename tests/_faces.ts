/**
 * The interface by which the contract test calls a face: for each bound operation, how to send requests and read
 * replies.
 */
import type { OperationHead } from "../src/operations/operation.ts";
import type { TestService } from "./_service.ts";

/** An operation, bound by a face. */
export interface Binding {
  readonly name: string;
  readonly operation: OperationHead;
  /** Creates the resources that the operation's example refers to, and returns a request for it. */
  prepare(service: TestService): Promise<Asked>;
  /** Returns a request without creating resources, for tests in which the caller is refused before any look-up. */
  ask(service: TestService): Promise<Asked>;
}

/** A request that can be sent unchanged or with changes. */
export interface Asked {
  send(options?: SendOptions): Promise<Told>;
  /** The example body; undefined if there is none, or if it is not JSON. */
  readonly body: object | undefined;
  /** Whether the face recognises a repetition with the same `idempotency-key`, if the operation changes something. */
  readonly isRepeatable: boolean;
  /** Further checks of promises that only this face makes. */
  readonly checks: readonly Check[];
}

export interface SendOptions {
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Check = readonly [promise: string, check: () => Promise<void>];

/** The reply to a request. */
export interface Told {
  /** The error code; undefined if the request succeeded. */
  readonly code: string | undefined;
  readonly message?: string | undefined;
  readonly homeRegion?: string | undefined;
  /** The paths of the faults in the input. */
  readonly faults: readonly string[];
  readonly isReplay: boolean;
  /** The body of the reply. */
  readonly answer: unknown;
}
