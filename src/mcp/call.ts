/** One call of a tool: its operations run as over HTTP, each with its own name, scope, costs and audit row. */
import { createContext, type OperationContext } from "../context.ts";
import type { WaitBudget } from "../domain/access/request_load.ts";
import { requestLoadOf } from "../domain/access/request_load.ts";
import { auditTrailOf } from "../domain/audit/trail.ts";
import { withCost } from "../edge/admit.ts";
import { readIdempotencyKey } from "../edge/idempotency_key.ts";
import type { Observed } from "../edge/observe.ts";
import { ServiceError } from "../errors.ts";
import { answer, audited } from "../operations/answer.ts";
import { findForgetting } from "../operations/forgetting.ts";
import type { Given, KeyAccess, Operation, OperationHead } from "../operations/operation.ts";
import type { Ran, ToolCall } from "./tool.ts";

export class Call implements ToolCall {
  readonly now: Date;
  readonly #budget: WaitBudget;
  /** Tokens that admission has taken for the whole request. */
  #paid = 1;
  /** Whether an operation has begun. From then on the operation records refusals itself. */
  #hasBegun = false;

  /** @param ctx the admitted caller */
  constructor(
    readonly ctx: OperationContext,
    readonly headers: Headers,
    readonly observed: Observed,
    readonly checkReply: boolean,
  ) {
    this.now = ctx.deps.clock();
    this.#budget = requestLoadOf(ctx.deps).budget();
  }

  may(scope: KeyAccess): boolean {
    return scope === "any" || this.ctx.scopes.has(scope);
  }

  /**
   * Refuses a key that lacks an operation's scope, before its arguments are read.
   * @throws ServiceError `insufficient_scope`
   */
  requireScope(operation: OperationHead & { readonly scope: KeyAccess }, what: string): void {
    const { scope } = operation;
    if (this.may(scope)) return;
    const error = new ServiceError("insufficient_scope", `Cannot ${what}: the key lacks the scope ${scope}`, {
      headers: { "www-authenticate": `Bearer error="insufficient_scope", scope="${scope}"` },
    });
    auditTrailOf(this.ctx.deps).noteRefusal(this.#enter(operation), error.code);
    throw error;
  }

  /**
   * Runs a tool. A refusal before the first of its operations begins, such as one of its arguments, is recorded under
   * that operation's name.
   */
  async within<T>(first: OperationHead, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.#hasBegun) throw error;
      return await audited(this.#enter(first), () => Promise.reject(error));
    }
  }

  async run<I, O>(operation: Operation<I, O>, given: Given): Promise<Ran<O>> {
    this.#hasBegun = true;
    await this.#pay(operation);
    return await this.runBeside(operation, given);
  }

  async runBeside<I, O>(operation: Operation<I, O>, given: Given): Promise<Ran<O>> {
    this.#hasBegun = true;
    let ran: Ran<O> | undefined;
    const { reply, isReplay } = await answer(this.#enter(operation), operation, {
      key: () => readIdempotencyKey(this.headers),
      keptAs: `mcp.${operation.id}`,
      fingerprint: () => given,
      credential: this.headers.get("authorization") ?? "",
      given: () => Promise.resolve(given.body === undefined ? given : { ...given, body: withoutAbsent(given.body) }),
      present: ({ body, status }) => {
        ran = { status, body: withoutAbsent(body) };
        if (this.checkReply) operation.reply.parse(ran.body);
        // Only a reply that is kept for repetitions becomes a text.
        return {
          status,
          headers: {},
          get body() {
            return JSON.stringify(body);
          },
        };
      },
    });
    return isReplay || ran === undefined ? { status: reply.status, body: JSON.parse(reply.body) } : ran;
  }

  async tryRun<I, O>(operation: Operation<I, O>, given: Given): Promise<Ran<O> | undefined> {
    if (!this.may(operation.scope)) return undefined;
    try {
      return await this.runBeside(operation, given);
    } catch (error) {
      if (error instanceof ServiceError && error.code !== "internal") return undefined;
      throw error;
    }
  }

  findForgetting(id: string): Promise<Operation> {
    return findForgetting(this.ctx, id);
  }

  /** Charges the cost of the operation over HTTP, less what the request has paid. */
  async #pay({ cost }: OperationHead): Promise<void> {
    const owed = Math.max(0, cost.tokens - this.#paid);
    this.#paid = Math.max(0, this.#paid - cost.tokens);
    await this.ctx.spend?.(owed);
  }

  /** The context in which one operation runs, with its own trail. */
  #enter({ id: operationId, cost }: OperationHead): OperationContext {
    const { ctx } = this;
    const { requestId, address, certificatePin, signal, spend, via, key } = ctx;
    const own = createContext(ctx.deps, ctx, {
      requestId,
      address,
      certificatePin,
      signal,
      spend,
      via,
      key,
      operationId,
    });
    return withCost(own, cost, async () => {
      this.observed.underWay.use(await requestLoadOf(ctx.deps).enterHeavy(ctx, signal, this.#budget));
    });
  }
}

/** A copy without undefined members, as JSON leaves them out. */
function withoutAbsent<Value>(value: Value): Value {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(withoutAbsent) as Value;
  const present = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(present.map(([name, member]) => [name, withoutAbsent(member)])) as Value;
}
