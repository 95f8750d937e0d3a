/** `unary()`: one RPC with one request and one reply in one value: messages, schema, scope and handler together. */
import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import type { z } from "zod";
import type { OperationContext } from "../context.ts";
import { answerOnce } from "../domain/access/idempotency.ts";
import { audited } from "../edge/admit.ts";
import { checkInput, invalidInput, readIdempotencyKey } from "../edge/input.ts";
import { noteShown } from "../edge/shown.ts";
import { Faults } from "../schema/faults.ts";
import type { CommonRpc, RpcSchemas } from "./rpc.ts";

type Input<S> = S extends z.ZodType ? z.output<S> : undefined;

interface UnarySpec<P, B, R> extends CommonRpc {
  readonly method: DescMethodUnary<DescMessage, DescMessage>;
  /** The fields that say which resource it is about; on HTTP they stand in the path and in `If-Match`. */
  readonly target?: P;
  /** The other fields: the schema of the body on HTTP. */
  readonly body: B;
  /** The reply in the form of HTTP. */
  readonly reply: R;
  /** It changes something: a repetition with the same `idempotency-key` gets the first reply. */
  readonly mutates: boolean;
}

export interface UnaryRpc extends CommonRpc {
  readonly kind: "unary";
  readonly method: DescMethodUnary<DescMessage, DescMessage>;
  readonly mutates: boolean;
  /** For the test that holds messages against schemas. */
  readonly schemas: RpcSchemas;
  /** A request in plain form → the reply's JSON text. */
  readonly answer: (ctx: OperationContext, input: Record<string, unknown>, headers: Headers) => Promise<UnaryAnswer>;
}

export interface UnaryAnswer {
  readonly text: string;
  readonly isReplay: boolean;
}

export function unary<B extends z.ZodType, R extends z.ZodType, P extends z.ZodObject | undefined = undefined>(
  spec: UnarySpec<P, B, R>,
  run: (ctx: OperationContext, input: { target: Input<P>; body: z.output<B> }) => Promise<z.input<R>>,
): UnaryRpc {
  const { method, operation, scope, mutates, target, body, reply } = spec;
  const execute = async (ctx: OperationContext, input: Record<string, unknown>) => {
    const read = readInput(target, body, input) as { target: Input<P>; body: z.output<B> };
    await ctx.begin?.();
    const result = await run(ctx, read);
    noteShown(ctx, result);
    return JSON.stringify(result);
  };
  return {
    kind: "unary",
    method,
    operation,
    scope,
    mutates,
    schemas: { target, body, reply },
    answer: (ctx, input, headers) =>
      audited(ctx, async () => {
        const key = readIdempotencyKey(headers);
        if (key === undefined || !mutates) return { text: await execute(ctx, input), isReplay: false };
        const once = { operationId: `rpc.${method.name}`, key, fingerprint: JSON.stringify(input) };
        const { reply, isReplay } = await answerOnce(
          ctx,
          once,
          async (held) => ({ status: 200, headers: {}, body: await execute(held, input) }),
        );
        return { text: reply.body, isReplay };
      }),
  };
}

/** Holds the fields against their schemas; the faults of both are told together. */
function readInput(target: z.ZodObject | undefined, body: z.ZodType, input: Record<string, unknown>) {
  const faults = new Faults();
  const check = (schema: z.ZodType, value: unknown) => {
    const checked = checkInput(schema, value);
    if (checked.faults) faults.addAll(checked.faults);
    return checked.data;
  };
  const isTarget = (name: string) => target !== undefined && Object.hasOwn(target.shape, name);
  const fields = Object.entries(input);
  const named = target && check(target, Object.fromEntries(fields.filter(([name]) => isTarget(name))));
  const rest = check(body, Object.fromEntries(fields.filter(([name]) => !isTarget(name))));
  if (faults.size > 0) throw invalidInput(faults);
  return { target: named, body: rest };
}
