/** What RPCs declare: types alone. */
import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import type { z } from "zod";
import type { OperationContext } from "../context.ts";
import type { Operation } from "../operations/operation.ts";

export interface CommonRpc {
  /** Whose scope it has and what it costs, and under whose name the audit log tells of it. */
  readonly operation: Operation;
  /** It writes while it reads, so no one reply answers a repetition: an `idempotency-key` is refused. */
  readonly writesAsItReads?: boolean;
}

/** The members of the messages in the form of HTTP, for the test that holds them against each other. */
export interface RpcSchemas {
  readonly target?: z.ZodObject | undefined;
  readonly body: z.ZodType;
  readonly reply: z.ZodType;
}

export interface UnaryRpc extends CommonRpc {
  readonly kind: "unary";
  readonly method: DescMethodUnary<DescMessage, DescMessage>;
  /** For the test that holds messages against schemas. */
  readonly schemas: RpcSchemas;
  /** A request in plain form → the reply's JSON text. */
  readonly answer: (ctx: OperationContext, input: Record<string, unknown>, headers: Headers) => Promise<UnaryAnswer>;
}

export interface UnaryAnswer {
  readonly text: string;
  readonly isReplay: boolean;
}
