/** The operation by which two instances prove their identities to each other. */
import { answerHandshake } from "../domain/federation/peers/handshake.ts";
import { HandshakeBody, HandshakeReply } from "../schema/federation_handshake.ts";
import { PeerQuery } from "../schema/federation_peer.ts";
import { operation } from "./operation.ts";

/** Answers a message of another instance's handshake. */
export const federationHandshake = operation({
  id: "federationHandshake",
  summary: "Answer another instance's handshake",
  description:
    "For other instances. To a `hello` this instance replies with a `challenge` that it signs. To the peer's signed `answer` it replies with a `welcome`; from then on it serves the peer. `join` accepts an invitation (`svc federation invite`). Each message needs the peer's API key or client certificate, and its token.",
  bearer: "peer",
  admits: ["unverified", "stranger"],
  scope: "federation",
  changes: false,
  query: PeerQuery,
  body: HandshakeBody,
  bodyBytesMax: 65_536,
  reply: HandshakeReply,
  errors: [
    "federation_token_invalid",
    "federation_verify_failed",
    "replay_detected",
    "wrong_region",
    "conflict",
    "not_found",
    "unavailable",
  ],
  example: {
    body: {
      v: 1,
      type: "hello",
      from: "instance:a.example",
      to: "instance:b.example",
      workspace: "01890000-0000-7000-8000-000000000001",
      nonce: "AQEBAQEBAQEBAQEBAQEBAQ",
      sentAt: "2026-09-21T14:13:20.000Z",
      region: null,
      direction: "bidirectional",
      capabilities: ["digest-1", "push-1", "reply-token"],
    },
  },
}, (ctx, { body }) => answerHandshake(ctx, body));
