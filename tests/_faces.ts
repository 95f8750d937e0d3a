/** What the contract test needs of a face: for each operation that the face binds, how a caller asks and is answered. */
import type { OperationHead } from "../src/operations/operation.ts";
import type { TestService } from "./_service.ts";

/** An operation, bound by a face. */
export interface Binding {
  readonly name: string;
  readonly operation: OperationHead;
  /** Makes what the operation's example needs to exist. */
  prepare(service: TestService): Promise<Asked>;
  /** For a caller who is refused before anything is looked for. */
  ask(service: TestService): Promise<Asked>;
}

/** One request that can be sent, as it is or changed. */
export interface Asked {
  send(options?: SendOptions): Promise<Told>;
  /** The example; undefined where there is none, or where it is no JSON. */
  readonly body: object | undefined;
  /** A repetition under the same `idempotency-key` is recognised, where the operation changes something. */
  readonly isRepeatable: boolean;
  /** The face alone promises this. */
  readonly checks: readonly Check[];
}

export interface SendOptions {
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Check = readonly [promise: string, check: () => Promise<void>];

/** What a caller was told. */
export interface Told {
  /** The refusal's code; undefined where there was an answer. */
  readonly code: string | undefined;
  readonly message?: string | undefined;
  readonly homeRegion?: string | undefined;
  /** The paths of what is wrong with the input. */
  readonly faults: readonly string[];
  readonly isReplay: boolean;
  /** What was answered. */
  readonly answer: unknown;
}
