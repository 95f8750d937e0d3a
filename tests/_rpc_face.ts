/** RPCs as bindings of operations: the calls of an RPC's callers. */
import assert from "node:assert/strict";
import { ERROR_CODES, type ErrorCode } from "../src/errors.ts";
import { RPCS } from "../src/rpc/methods/mod.ts";
import type { Rpc } from "../src/rpc/rpc.ts";
import type { Asked, Binding, SendOptions, Told } from "./_faces.ts";
import type { TestService } from "./_service.ts";
import { callRpc, clientOf, detailOf, errorOf, invoke } from "./rpc/_client.ts";
import { REQUESTS } from "./rpc/_requests.ts";

export const RPC_BINDINGS: readonly Binding[] = RPCS.map((rpc) => {
  const prepare = async (service: TestService) => new RpcAsk(service, rpc, await REQUESTS[rpc.method.name]!(service));
  return { name: `RPC ${rpc.method.name}`, operation: rpc.operation, prepare, ask: prepare };
});

class RpcAsk implements Asked {
  /** Undefined for a stream, which has no single body. */
  readonly body: object | undefined;
  readonly isRepeatable: boolean;
  readonly checks = [];

  constructor(readonly service: TestService, readonly rpc: Rpc, readonly request: object) {
    this.body = rpc.kind === "unary" ? request : undefined;
    this.isRepeatable = rpc.kind === "unary";
  }

  async send({ key = this.service.key, headers = {}, ...options }: SendOptions = {}): Promise<Told> {
    const { service, request, rpc: { kind, method } } = this;
    if (kind !== "unary") {
      const answers: unknown[] = [];
      const call = invoke(clientOf(service, { key, headers }), method, request).then((reply) => answers.push(reply));
      const { code, message, detail } = await errorOf(call);
      if (code !== "ok") expectConnectCode(code, detail?.code);
      const { homeRegion } = detail ?? {};
      return {
        code: code === "ok" ? undefined : detail!.code,
        message,
        homeRegion,
        faults: [],
        isReplay: false,
        answer: answers[0],
      };
    }
    const body = "body" in options ? options.body : request;
    const reply = await callRpc(service, method.name, body, { key, headers });
    if (reply.status === 200) {
      const isReplay = reply.headers.get("idempotency-replayed") === "true";
      return { code: undefined, faults: [], isReplay, answer: reply.body };
    }
    const { code, homeRegion, errors = [] } = detailOf(reply.body);
    expectConnectCode(reply.body.code, code);
    const faults = errors.map(({ path }: { path: string }) => path);
    return { code, message: reply.body.message, homeRegion, faults, isReplay: false, answer: undefined };
  }
}

/**
 * Checks that a reply has the Connect code that belongs to the service's error code. Connect's client library spells it
 * `NotFound`.
 */
function expectConnectCode(connectCode: string, code: string | undefined): void {
  const spelt = connectCode.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  assert.equal(spelt, ERROR_CODES[code as ErrorCode]?.connect, `${connectCode} for ${code}`);
}
