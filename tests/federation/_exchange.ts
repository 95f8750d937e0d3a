/**
 * Instances that exchange knowledge without a network: services on databases of their own. A test hands what one serves
 * to another, as it was served. Each play gets workspaces of its own; the services stay.
 */
import { createContext, type OperationContext } from "../../src/context.ts";
import { uuidv7 } from "../../src/crypto/ids.ts";
import { putPeer } from "../../src/db/queries/federation_peers.ts";
import { operatorContext } from "../../src/domain/access/authorize.ts";
import type { IncomingItem, ItemResult } from "../../src/domain/federation/applying/incoming.ts";
import { receiveItems } from "../../src/domain/federation/applying/receive.ts";
import { takeMessage } from "../../src/domain/federation/exchange/messages.ts";
import { findPeer } from "../../src/domain/federation/peers/peers.ts";
import { serveItems } from "../../src/domain/federation/exchange/serve.ts";
import { hashItem } from "../../src/domain/federation/register/shared_form.ts";
import { syncWithPeer } from "../../src/domain/federation/exchange/sync.ts";
import type { SyncRunOptions } from "../../src/domain/federation/exchange/sync_run.ts";
import {
  type Envelope,
  type ItemBody,
  type PlainItem,
  readWireType,
  toWireType,
  type WireType,
} from "../../src/schema/federation_item.ts";
import type { AckedItem, SyncAck } from "../../src/schema/federation_ack.ts";
import type { EraseNotify } from "../../src/schema/federation_message.ts";
import type { ConflictResolution } from "../../src/schema/federation_peer.ts";
import { createFact } from "../../src/domain/kinds/facts/create.ts";
import { forgetFact } from "../../src/domain/kinds/facts/lifecycle.ts";
import { getFact } from "../../src/domain/kinds/facts/read.ts";
import { updateFact } from "../../src/domain/kinds/facts/update.ts";
import { recall } from "../../src/domain/recall/recall.ts";
import { ServiceError } from "../../src/errors.ts";
import { CreateFactBody, type Fact, UpdateFactBody } from "../../src/schema/fact.ts";
import { RecallBody, type RecallResult } from "../../src/schema/recall.ts";
import { ForgetBody } from "../../src/schema/unit.ts";
import { GREETED } from "./_peer.ts";
import { createDatabase, type TestDatabase } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { Net } from "./_net.ts";

// deno-lint-ignore no-explicit-any
export type Json = any;

/** An item that a notice of erasure names. */
export type Notice = EraseNotify["items"][number];

/** An instance in one workspace of a play. The operator acts in it and needs no key. */
export class Node {
  readonly id: string;
  readonly ctx: OperationContext;

  readonly #calling: OperationContext;

  /** @param net over which it calls the others */
  constructor(readonly service: TestService, readonly workspaceId: string, readonly net = new Net()) {
    this.id = service.deps.config.instanceId;
    this.ctx = service.operator(workspaceId);
    this.#calling = operatorContext(net.depsOf(service.deps), workspaceId);
    net.join(this);
  }

  /** The context of a peer's requests, and of what is pulled from the peer. */
  as(peer: string, maxSensitivity: "internal" | "restricted" = "internal"): OperationContext {
    return createContext(
      this.service.deps,
      { actor: `peer:${peer}`, workspaceId: this.workspaceId, scopes: new Set(["federation"]), maxSensitivity },
      { requestId: crypto.randomUUID(), operationId: "syncFederation", signal: new AbortController().signal },
    );
  }

  /** Adds another instance as a peer of the workspace. */
  async addPeer(
    id: string,
    more: { strategy?: ConflictResolution; weight?: number; workspaceId?: string } = {},
  ): Promise<void> {
    await this.ctx.tx(async (tx) => {
      await putPeer(tx, {
        id,
        uid: uuidv7(tx.now),
        source: "stored",
        endpoint: `https://${id.slice("instance:".length)}`,
        state: "ACTIVE",
        approvedBy: "cli",
        direction: "bidirectional",
        remoteWorkspaceId: more.workspaceId ?? this.workspaceId,
        region: null,
        maxSensitivity: "internal",
        conflictResolution: more.strategy ?? "manual",
        trustWeight: more.weight ?? null,
        certPin: null,
        certPinNext: null,
        clientCertPin: null,
        signingKey: null,
        signingKeyNext: null,
        secrets: null,
        inboundKeyId: null,
      });
      // The way of an exchange has no handshake: it was done.
      await tx.sql`
        update federation_peer set told = ${tx.sql.json({ ...GREETED, greetedAt: tx.now.toISOString() })}
         where workspace_id = ${tx.workspaceId} and id = ${id}`;
    });
  }

  /** A turn with another instance, over the net. After one that failed the peer counts as reachable again. */
  async turn(other: Node, options: SyncRunOptions = {}) {
    const report = await syncWithPeer(this.#calling, other.id, options);
    if (report === undefined) throw new Error(`nobody else has a turn with ${other.id}`);
    if (report.error !== null) {
      await this.rows(`
        update federation_peer set state = 'ACTIVE', failures = 0, degraded_at = null, last_error = null
         where workspace_id = :ws and id = '${other.id}'`);
    }
    return report;
  }

  /** Returns everything that this instance published, as a peer that starts from the beginning reads it. */
  async serve(reader: string): Promise<IncomingItem[]> {
    const items: IncomingItem[] = [];
    let since: string | undefined;
    do {
      const page: Envelope = await serveItems(this.as(reader), {
        limit: 500,
        since,
        ids: undefined,
        atMost: undefined,
        workspace: undefined,
      });
      if (page.items.length === 0) return items;
      items.push(...page.items.map((item) => toIncoming(item as PlainItem)));
      since = page.cursor!;
    } while (true);
  }

  /** Receives items that a peer sent. */
  receive(peer: string, items: readonly IncomingItem[], strategy?: ConflictResolution): Promise<ItemResult[]> {
    return receiveItems(this.as(peer), peer, items, strategy === undefined ? {} : { strategy });
  }

  /** Takes a peer's notice that it erased items; returns what the peer is told. */
  async notify(peer: string, items: readonly Notice[]): Promise<readonly AckedItem[]> {
    return await this.#acknowledged(peer, { type: "ERASE_NOTIFY", items: [...items] });
  }

  /** Takes a page that a peer pushes; returns what the peer is told. */
  async takePush(peer: string, items: readonly IncomingItem[]): Promise<readonly AckedItem[]> {
    const parties = { from: peer, to: this.id, workspace: this.workspaceId };
    const head = { v: 1, region: null, issuedAt: "2026-05-01T10:00:00.000Z", cursor: null } as const;
    const plain = items.map(({ type, isDeleted, hash, body }): PlainItem => ({
      id: body.origin.id,
      type: toWireType(type, isDeleted),
      version: body.version,
      hash,
      body,
    }));
    return await this.#acknowledged(peer, { type: "SYNC_PUSH", envelope: { ...head, ...parties, items: plain } });
  }

  async #acknowledged(id: string, said: Json): Promise<readonly AckedItem[]> {
    const peer = await this.ctx.tx((tx) => findPeer(this.service.deps, tx, id), { readOnly: true });
    const ctx = { ...this.as(id), federation: { kind: "peer", peer: peer!, isSigned: false, payloadHash: undefined } };
    const parties = { from: id, to: this.id, workspace: this.workspaceId };
    const message = { v: 1, messageId: uuidv7(new Date()), requiresAck: true, ...parties, ...said };
    const ack = await takeMessage(ctx as OperationContext, message);
    return (ack as SyncAck).results;
  }

  /** Pulls everything that another instance published. */
  async pull(from: Node): Promise<ItemResult[]> {
    return await this.receive(from.id, await from.serve(this.id));
  }

  /** Returns rows of this play's workspace. */
  async rows(query: string): Promise<Json[]> {
    return await this.ctx.tx(async (tx) => [
      ...await tx.sql.unsafe(query.replaceAll(":ws", `'${this.workspaceId}'`)),
    ]);
  }

  fact(id: string): Promise<Fact> {
    return getFact(this.ctx, id);
  }

  async createFact(body: Json): Promise<Fact> {
    return (await createFact(this.ctx, CreateFactBody.parse(body))).fact;
  }

  patchFact(id: string, body: Json): Promise<Fact> {
    return updateFact(this.ctx, id, UpdateFactBody.parse(body), undefined);
  }

  async erase(id: string): Promise<void> {
    await forgetFact(this.ctx, id, ForgetBody.parse({ mode: "erase" }));
  }

  /** Returns what recall finds, by id. */
  async recall(query: string): Promise<Map<string, RecallResult>> {
    const { results } = await recall(this.ctx, RecallBody.parse({ query, limit: 50 }));
    return new Map(results.map((result) => [result.id, result]));
  }
}

export function toIncoming({ type, hash, body }: PlainItem): IncomingItem {
  const { type: itemType, isDeleted } = readWireType(type);
  return { type: itemType, isDeleted, hash, body };
}

/** Makes a version of an item, as a peer could invent it. */
export function itemOf(
  writer: string,
  said: Partial<ItemBody> & { readonly origin: ItemBody["origin"] },
  type: WireType = "fact",
): IncomingItem {
  const body: ItemBody = {
    v: 1,
    writer,
    version: 1,
    updatedAt: "2026-05-01T10:00:00.000Z",
    seen: {},
    affirms: null,
    unit: null,
    ...said,
  };
  const { type: itemType, isDeleted } = readWireType(type);
  return { type: itemType, isDeleted, body, hash: hashItem(type, body.origin, body.unit, body.withdrawn === true) };
}

/** Makes the shared form of a fact. */
export function factForm(statement: string, more: Json = {}): Json {
  return {
    statement,
    subject: null,
    predicate: null,
    object: null,
    factType: "fact",
    supersedes: null,
    supersededBy: null,
    citations: [],
    state: "active",
    sensitivity: "internal",
    confidence: 1,
    tags: [],
    metadata: {},
    validFrom: null,
    validTo: null,
    occurredAt: null,
    expiresAt: null,
    derivedFrom: [],
    entities: [],
    ...more,
  };
}

export const nameOfInstance = (letter: string) => `instance:${letter.toLowerCase()}.example`;

/** Services that last for all plays of a test. */
export class Exchange implements AsyncDisposable {
  readonly net = new Net();
  readonly #stack: AsyncDisposableStack;

  private constructor(readonly services: readonly TestService[], stack: AsyncDisposableStack) {
    this.#stack = stack;
  }

  static async open(
    letters: readonly string[],
    options: { clockOf?: () => () => Date; env?: Readonly<Record<string, string>> } = {},
  ) {
    await using stack = new AsyncDisposableStack();
    const services: TestService[] = [];
    for (const letter of letters) {
      const database: TestDatabase = stack.use(await createDatabase());
      const env = { ...options.env, SVC_INSTANCE_ID: nameOfInstance(letter) };
      const clock = options.clockOf?.();
      services.push(stack.use(await startService({ database, env, ...(clock && { clock }) })));
    }
    return new Exchange(services, stack.move());
  }

  /** Makes new workspaces in the first `count` instances, and adds each instance as a peer of every other. */
  async play(
    count: number,
    of: (letter: number) => { strategy?: ConflictResolution; weights?: readonly number[] } = () => ({}),
  ): Promise<Node[]> {
    const nodes: Node[] = [];
    for (const service of this.services.slice(0, count)) {
      nodes.push(new Node(service, await service.createWorkspace(crypto.randomUUID()), this.net));
    }
    for (const [i, node] of nodes.entries()) {
      const { strategy, weights } = of(i);
      for (const [j, other] of nodes.entries()) {
        if (node === other) continue;
        await node.addPeer(other.id, {
          workspaceId: other.workspaceId,
          ...(strategy !== undefined && { strategy }),
          ...(weights !== undefined && { weight: weights[j]! }),
        });
      }
    }
    return nodes;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

/** Lets every instance take turns with every other, until a round in which nobody receives anything new. */
export async function takeTurnsUntilQuiet(nodes: readonly Node[], roundsMax = 12): Promise<void> {
  for (let round = 0; round < roundsMax; round++) {
    let heard = 0;
    for (const to of nodes) {
      for (const from of nodes) {
        if (to === from) continue;
        const { received, sent, rejected, error } = await to.turn(from);
        if (error !== null) {
          const code = error.code === "unavailable" ? "unavailable" : "internal";
          throw new ServiceError(code, `a turn of ${to.id} with ${from.id} fails: ${JSON.stringify(error)}`);
        }
        heard += received + sent +
          rejected.reduce((sum, { code, count }) => code === "deferred" ? sum : sum + count, 0);
      }
    }
    if (heard === 0) return;
  }
  throw new Error(`something is still said after ${roundsMax} rounds`);
}

/** Every instance pulls from every other, until nothing is written any more. */
export async function exchangeAll(nodes: readonly Node[], roundsMax = 12): Promise<void> {
  let before = "";
  for (let round = 0; round < roundsMax; round++) {
    for (const to of nodes) for (const from of nodes) if (to !== from) await to.pull(from);
    const now = JSON.stringify(await Promise.all(nodes.map((node) => registerOf(node))));
    if (now === before) return;
    before = now;
  }
  throw new Error(`the register still changes after ${roundsMax} rounds`);
}

/** Returns the register, without the columns that are each instance's own. */
export async function registerOf(node: Node): Promise<Json[]> {
  return await node.rows(
    `select origin_instance || '/' || origin_id as item, writer, version, encode(hash, 'hex') as hash, is_deleted
       from federation_version where workspace_id = :ws order by 1, 2`,
  );
}
