/**
 * The way between instances of an exchange, without sockets: a request of one is answered by what the other does for a peer,
 * and a test says what becomes of each request on its way.
 */
import type { Deps } from "../../src/context.ts";
import { createContext } from "../../src/context.ts";
import { serveDigest } from "../../src/domain/federation/exchange/digest.ts";
import { takeMessage } from "../../src/domain/federation/exchange/messages.ts";
import { findPeer } from "../../src/domain/federation/peers/peers.ts";
import { serveItems } from "../../src/domain/federation/exchange/serve.ts";
import { ServiceError } from "../../src/errors.ts";
import type { Outbound } from "../../src/outbound/client.ts";
import { OutboundError } from "../../src/outbound/failure.ts";
import type { OutboundReply, OutboundRequest } from "../../src/outbound/request.ts";
import { FederationDigestQuery, ListFederationItemsQuery } from "../../src/schema/federation_item.ts";
import { FederationMessage } from "../../src/schema/federation_message.ts";
import { checkInput, invalidInput } from "../../src/schema/field_errors.ts";
import type { z } from "zod";
import type { Node } from "./_exchange.ts";

/** What becomes of a request: it arrives; it is lost; its reply is lost; it arrives twice, and one reply comes back. */
export type Fate = "arrives" | "is lost" | "reply is lost" | "arrives twice";

/** One way in all directions; nodes join it. */
export class Net {
  readonly #nodes = new Map<string, Node>();
  readonly #deps = new Map<Deps, Deps>();
  /** Asked of each request. */
  fateOf: () => Fate = () => "arrives";

  join(node: Node): void {
    this.#nodes.set(node.workspaceId, node);
  }

  leave(node: Node): void {
    this.#nodes.delete(node.workspaceId);
  }

  /** The same service, which calls out over this way. */
  depsOf(deps: Deps): Deps {
    const from = deps.config.instanceId;
    const request = (sent: OutboundRequest) => this.#request(from, sent);
    const calling = this.#deps.get(deps) ?? { ...deps, outbound: { request } as unknown as Outbound };
    this.#deps.set(deps, calling);
    return calling;
  }

  async #request(from: string, { method, url, body }: OutboundRequest): Promise<OutboundReply> {
    const fate = this.fateOf();
    if (fate === "is lost") throw new OutboundError("broken", "lost on its way");
    const { pathname, searchParams } = new URL(url);
    const to = this.#nodes.get(searchParams.get("workspace")!)!;
    const answer = () => answerOf(to, from, `${method} ${pathname.split("/").at(-1)}`, searchParams, body);
    const reply = await answer();
    if (fate === "arrives twice") await answer();
    if (fate === "reply is lost") throw new OutboundError("broken", "its reply was lost on its way");
    return reply;
  }
}

async function answerOf(
  to: Node,
  from: string,
  what: string,
  params: URLSearchParams,
  body: Uint8Array<ArrayBuffer> | undefined,
): Promise<OutboundReply> {
  try {
    return replyOf(200, await act(to, from, what, params, body));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return replyOf(error.status, { code: error.code, message: error.message });
  }
}

async function act(
  to: Node,
  from: string,
  what: string,
  params: URLSearchParams,
  body: Uint8Array<ArrayBuffer> | undefined,
): Promise<unknown> {
  const lists = ["ids", "prefix"];
  const query = Object.fromEntries(
    [...new Set(params.keys())].map((name) => [name, lists.includes(name) ? params.getAll(name) : params.get(name)]),
  );
  switch (what) {
    case "GET items":
      return await serveItems(to.as(from), read(ListFederationItemsQuery, query));
    case "GET digest":
      return await serveDigest(to.as(from), read(FederationDigestQuery, query));
    case "POST messages":
      return await takeMessage(
        await peerContext(to, from),
        read(FederationMessage, JSON.parse(new TextDecoder().decode(body))),
      );
  }
  throw new Error(`nobody answers ${what}`);
}

/** On behalf of a peer whose message came, with its entry. */
async function peerContext(to: Node, from: string) {
  const ctx = to.as(from);
  const peer = await ctx.tx((tx) => findPeer(ctx.deps, tx, from), { readOnly: true });
  const federation = { kind: "peer", peer: peer!, isSigned: false, payloadHash: undefined } as const;
  return createContext(ctx.deps, ctx, { ...ctx, federation });
}

function read<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { data, faults } = checkInput(schema, value);
  if (faults) throw invalidInput(faults);
  return data as z.output<S>;
}

function replyOf(status: number, value: unknown): OutboundReply {
  const body = new TextEncoder().encode(JSON.stringify(value));
  return { status, headers: new Headers(), body, certificate: undefined, isCut: false };
}
