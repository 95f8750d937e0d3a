/** The types of RPC declarations. */
import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import type { z } from "zod";
import type { OperationContext } from "../context.ts";
import type { KeyAccess, OperationHead } from "../operations/operation.ts";

/** The properties of an operation that an RPC uses. */
export type BoundOperation = OperationHead & { readonly scope: KeyAccess };

export interface CommonRpc {
  /** The operation that gives the RPC its scope, its cost and its name in the audit log. */
  readonly operation: BoundOperation;
  /**
   * It writes while it still reads input, so no stored reply could answer a repetition; it refuses an
   * `idempotency-key`.
   */
  readonly writesAsItReads?: boolean;
}

/** The schemas of the messages, for a test that compares them with the protobuf definitions. */
export interface RpcSchemas {
  readonly target?: z.ZodObject | undefined;
  readonly body: z.ZodType;
  readonly reply: z.ZodType;
}

export interface UnaryRpc extends CommonRpc {
  readonly kind: "unary";
  readonly method: DescMethodUnary<DescMessage, DescMessage>;
  /** Used by the test that compares messages with schemas. */
  readonly schemas: RpcSchemas;
  /** Answers a request, given as a plain object, with the reply's JSON text. */
  readonly answer: (ctx: OperationContext, input: Record<string, unknown>, headers: Headers) => Promise<UnaryAnswer>;
}

export interface UnaryAnswer {
  readonly text: string;
  readonly isReplay: boolean;
}
