/** `unary()` binds an operation to an RPC with one request and one reply. */
import type { DescMessage, DescMethod, DescMethodUnary } from "@bufbuild/protobuf";
import { z } from "zod";
import { readIdempotencyKey } from "../edge/idempotency_key.ts";
import { answer, type Call } from "../operations/answer.ts";
import type { Given, Operation, OperationHead, Replied } from "../operations/operation.ts";
import type { Faults } from "../schema/faults.ts";
import { checkInput } from "../schema/field_errors.ts";
import type { UnaryRpc } from "./spec.ts";

type Plain = Record<string, unknown>;

/**
 * A reply message of its own, for operations whose HTTP status carries information that the message must have as a
 * field.
 */
interface OwnReply<O> {
  readonly reply: z.ZodType;
  readonly toReply: (replied: Replied<O>) => object;
}

/**
 * Binds an operation. The request message has the fields of the body and, beside them, the fields that identify the
 * resource and its expected version, which HTTP takes from the path and from `If-Match`.
 */
export function unary<I, O>(
  method: DescMethodUnary<DescMessage, DescMessage>,
  operation: Operation<I, O>,
  own?: OwnReply<O>,
): UnaryRpc {
  const target = targetOf(operation);
  const toReply = own?.toReply ?? (({ body }: Replied<O>) => body);
  return {
    kind: "unary",
    method,
    operation,
    schemas: { target, body: operation.body ?? z.strictObject({}), reply: own?.reply ?? operation.reply },
    async answer(ctx, input, headers) {
      const { reply, isReplay } = await answer(ctx, operation, {
        ...keptOf(method, headers),
        fingerprint: () => input,
        given: async (faults) => readGiven(target, input, faults),
        present: (replied) => ({ status: 200, headers: {}, body: JSON.stringify(toReply(replied)) }),
      });
      return { text: reply.body, isReplay };
    },
  };
}

/** The caller's `idempotency-key`, and the name under which its replies are stored, separate from those of HTTP. */
export function keptOf({ name }: DescMethod, headers: Headers): Pick<Call<never>, "key" | "keptAs" | "credential"> {
  return {
    keptAs: `rpc.${name}`,
    key: () => readIdempotencyKey(headers),
    credential: headers.get("authorization") ?? "",
  };
}

const ExpectedVersion = z.int().min(1).optional();

/** The fields that identify the resource of a request and its expected version. */
function targetOf({ params, takesVersion }: OperationHead): z.ZodObject | undefined {
  return params && z.strictObject({ ...params.shape, ...(takesVersion && { expectedVersion: ExpectedVersion }) });
}

/** Splits the request's fields into the parts of an operation's input. */
function readGiven(target: z.ZodObject | undefined, input: Plain, faults: Faults): Given {
  const isOfTarget = (name: string) => target !== undefined && Object.hasOwn(target.shape, name);
  const fields = Object.entries(input);
  const body = Object.fromEntries(fields.filter(([name]) => !isOfTarget(name)));
  const { expectedVersion: version, ...params } = Object.fromEntries(fields.filter(([name]) => isOfTarget(name)));
  const { data: expectedVersion, faults: found } = checkInput(ExpectedVersion, version, "expectedVersion");
  if (found) faults.addAll(found);
  return { ...(target && { params }), body, expectedVersion };
}
