/** The stream between instances: which operation each of its messages requests, and the form of its answer. */
import type { OperationContext } from "../context.ts";
import { namedBy } from "../domain/federation/protocol/stream_messages.ts";
import type { Scope } from "../schema/scopes.ts";
import { invalidInput } from "../schema/field_errors.ts";
import type { SyncAsked, SyncMessage } from "../schema/federation_stream.ts";
import { parseJson } from "../schema/json_text.ts";
import { federationHandshake } from "./federation_handshake.ts";
import { getFederationDigest, listFederationItems } from "./federation_items.ts";
import { sendFederationMessage } from "./federation_sync.ts";
import { type Given, headOf, type Operation, type OperationHead } from "./operation.ts";

/**
 * Opens a stream. It has no handler: each message is an operation, which is admitted, charged and recorded as such. A
 * caller whom one of these operations admits may open a stream; an invited instance joins over HTTP.
 */
export const syncFederation: OperationHead & { readonly scope: Scope } = {
  ...headOf({
    id: "syncFederation",
    summary: "Exchange with another instance over one connection",
    bearer: "peer",
    admits: ["key_holder", "unverified"],
    scope: "federation",
    changes: false,
  }),
  scope: "federation",
};

type Plain = Readonly<Record<string, unknown>>;

/** One kind of message. */
interface SyncForm {
  /** The operation that runs, as if it had been requested over HTTP. */
  readonly operation: OperationHead;
  /**
   * Answers the message of an admitted caller, in the members that HTTP has.
   * @throws ServiceError as the operation, and `validation_failed` for a message of another kind
   */
  readonly answer: (ctx: OperationContext, said: Plain) => Promise<SyncMessage>;
}

function form<I, O>(
  operation: Operation<I, O>,
  toGiven: (said: Plain) => Given,
  toAnswer: (body: O) => SyncMessage,
): SyncForm {
  return {
    operation,
    async answer(ctx, said) {
      const { body } = await operation.run(ctx, await operation.read(toGiven(said)));
      return toAnswer(body);
    },
  };
}

/** Turns a message into the body that it would have over HTTP, which also names its type. */
function bodyOfType(type: string, ...more: readonly ((said: Plain) => Plain)[]): (said: Plain) => Given {
  return (said) => {
    if (said.type !== type) throw invalidInput({ path: "type", message: `must be ${type}` });
    return { body: more.reduce((body, change) => change(body), said) };
  };
}

const asQuery = (said: Plain): Given => ({ query: said });

/** A message lacks an empty list, so it is added. */
const withCapabilities = (said: Plain): Plain => ({ capabilities: [], ...said });

function withEnvelope(said: Plain): Plain {
  const { envelope } = said;
  return typeof envelope === "string" ? { ...said, envelope: parseJson(Uint8Array.fromBase64(envelope)) } : said;
}

type MessageReply = Awaited<ReturnType<typeof sendFederationMessage.run>>["body"];

function answeredMessage(body: MessageReply): SyncMessage {
  switch (body.type) {
    case "SYNC_ACK":
      return { ack: body };
    case "CLAIM_REPLY":
      return { claimReply: body };
    case "ACCEPTED":
      return { accepted: body };
  }
}

const message = (type: string, ...more: readonly ((said: Plain) => Plain)[]) =>
  form(sendFederationMessage, bodyOfType(type, ...more), answeredMessage);

type HandshakeReply = Awaited<ReturnType<typeof federationHandshake.run>>["body"];

function answeredHandshake(body: HandshakeReply): SyncMessage {
  if (body.type === "challenge") return { challenge: body };
  if (body.type === "welcome") return { welcome: body };
  throw new Error("a stream has no message that joins");
}

const hello = form(federationHandshake, bodyOfType("hello", withCapabilities), answeredHandshake);

/** Each message that a peer sends, by its member. */
export const SYNC_FORMS: Readonly<Record<SyncAsked, SyncForm>> = {
  // The challenge names the hello by its hash.
  hello: { ...hello, answer: (ctx, said) => hello.answer(namedBy(ctx, said), said) },
  answer: form(federationHandshake, bodyOfType("answer"), answeredHandshake),
  pull: form(listFederationItems, asQuery, (body) => ({ page: { envelope: toBase64(JSON.stringify(body)) } })),
  push: message("SYNC_PUSH", withEnvelope),
  erase: message("ERASE_NOTIFY"),
  hint: message("SYNC_HINT"),
  claims: message("CLAIM_REQUEST"),
  digest: form(getFederationDigest, asQuery, (body) => ({ digestReply: body })),
};

function toBase64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}
