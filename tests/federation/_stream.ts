/** A peer that opens `FederationSync`: its tokens are made by hand, and those of the answers are verified by `node:crypto`. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createPublicKey, verify } from "node:crypto";
import { fromJson, type JsonValue, toJson } from "@bufbuild/protobuf";
import { type SyncMessage, SyncMessageSchema } from "../../src/gen/svc/v1/svc_pb.ts";
import { clientOf, type ClientOptions, errorOf } from "../rpc/_client.ts";
import type { TestService } from "../_service.ts";
import { within } from "../_wait.ts";
import { jcs, type Json } from "./_pages.ts";
import { hashOf, makeToken, type PeerKeys, type TokenParts } from "./_peer.ts";

export const SYNC_PATH = "/svc.v1.SvcService/FederationSync";

/** Who sends to whom, by which clock, at which address. */
export interface Sender {
  readonly keys: PeerKeys;
  readonly from: string;
  readonly to: string;
  readonly url: string;
  readonly now: () => Date;
}

export function tokenOf({ now, ...sender }: Sender, body = "", parts: TokenParts = {}): string {
  return makeToken({ ...sender, now: now(), method: "POST", body }, parts);
}

/** A message with the token that proves it. */
export function proven(sender: Sender, said: Json, parts: TokenParts = {}): Json {
  return { ...said, token: tokenOf(sender, jcs(said), parts) };
}

/** What a token says, whether it holds or not. */
export function claimsOf(token: string): Json {
  return JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString());
}

/** That an answer is proven: by that key, to that message, with that status, over what it says. */
export function assertProven({ token, ...said }: Json, publicPem: string, asked: Json, status = 200): void {
  assert.ok(token, `there is a token with ${JSON.stringify(said)}`);
  const [header, claims, signature] = token.split(".");
  const text = Buffer.from(`${header}.${claims}`);
  assert.ok(verify(null, text, createPublicKey(publicPem), Buffer.from(signature, "base64url")), "the signature holds");
  assert.equal(JSON.parse(Buffer.from(header, "base64url").toString()).typ, "svc-fed-reply+jwt");
  const { req, status: shown, payload_hash } = claimsOf(token);
  assert.deepEqual([req, shown, payload_hash], [claimsOf(asked.token).jti, status, hashOf(jcs(said))]);
}

/** An open stream, whose next message is sent when the last was answered, unless a test sends several. */
export class PeerStream {
  readonly #queue: PromiseWithResolvers<Json | undefined>[] = [Promise.withResolvers()];
  readonly #replies: AsyncIterator<SyncMessage>;

  constructor(service: Pick<TestService, "key"> & Partial<TestService>, options: ClientOptions, signal?: AbortSignal) {
    const queue = this.#queue;
    const requests = async function* () {
      for (let i = 0;; i++) {
        const message = await queue[i]!.promise;
        if (message === undefined) return;
        yield fromJson(SyncMessageSchema, message as JsonValue);
      }
    };
    const client = clientOf(service as TestService, options);
    this.#replies = client.federationSync(requests(), signal === undefined ? {} : { signal })[Symbol.asyncIterator]();
  }

  /** Sends a message and answers what it is answered with, in the form that is sent in JSON. */
  async ask(message: Json): Promise<Json> {
    this.send(message);
    return await this.reply();
  }

  send(message: Json | undefined): void {
    const place = this.#queue.at(-1)!;
    this.#queue.push(Promise.withResolvers());
    place.resolve(message);
  }

  async reply(): Promise<Json> {
    const { done, value } = await within("a reply", this.#replies.next());
    assert.ok(!done, "the stream has ended");
    return toJson(SyncMessageSchema, value as SyncMessage, { alwaysEmitImplicit: true });
  }

  /** Sends nothing more; whether the service ends it, too. */
  async end(): Promise<boolean> {
    this.send(undefined);
    return (await within("the end", this.#replies.next())).done === true;
  }

  /** The code with which the stream ends, where no reply comes any more. */
  async endedBy(): Promise<string | undefined> {
    return (await errorOf(this.#replies.next())).detail?.code;
  }
}
