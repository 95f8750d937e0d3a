/** What the fuzzer plays in: a service with a workspace that it changes, and another whose every text carries a mark. */
import assert from "node:assert/strict";
import { pathOf } from "../../src/http/app.ts";
import type { Endpoint } from "../../src/http/route.ts";
import { BODY_BYTES_MAX } from "../../src/operations/operation.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { makePeerKeys } from "../federation/_peer.ts";
import { bearerFor, createFixture, type Fixture } from "../_fixtures.ts";
import { type Reply, startService, TestService } from "../_service.ts";
import { exportAll } from "../http/_transfer.ts";
import { writeFile } from "./_import_file.ts";
import { EXAMPLE, EXAMPLE_REQUEST, type FuzzRequest, type Operation } from "./_operations.ts";

/** In every text of the other workspace, and in no request. */
export const MARK = "MARKxB7f3";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const byId = new Map(ENDPOINTS.map((endpoint) => [endpoint.route.operationId, endpoint]));

export class World implements AsyncDisposable {
  /** Ids of the workspace's resources, as they became known. */
  readonly #own: string[] = [];
  readonly #foreign: string[] = [];
  readonly #cursors: string[] = [];
  // deno-lint-ignore no-explicit-any
  #file: { readonly header: any; readonly lines: readonly any[] } = { header: {}, lines: [{}] };
  readonly #fixtures = new Map<string, Fixture>();

  private constructor(readonly service: TestService, readonly log: string[]) {}

  /** A world in which these operations can be played. */
  static async start(operations: readonly Operation[]): Promise<World> {
    const log: string[] = [];
    const service = await startService({
      env: { SVC_FEDERATION_PRIVATE_KEY: makePeerKeys().privatePem },
      logSink: (line) => log.push(line),
    });
    const world = new World(service, log);
    await world.#prepare(operations);
    world.#file = await exportAll(service);
    await world.#fillOther();
    return world;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
  }

  /** Makes what each operation's path and example name, before anything is played that could stand in the way. */
  async #prepare(operations: readonly Operation[]): Promise<void> {
    for (const operation of operations) {
      if (!operation.path.startsWith("/v1/")) continue;
      const fixture = await createFixture(this.service, endpointOf(operation));
      this.#fixtures.set(operation.id, fixture);
      this.#own.push(...Object.values(fixture.params).filter((id) => UUID.test(id)));
    }
  }

  /** Fills the places of a request and sends it. */
  async send(operation: Operation, request: FuzzRequest): Promise<Reply & { readonly sent: string }> {
    const fixture = this.#fixtures.get(operation.id) ?? { params: {} };
    const fill = (value: unknown) => String(this.#fill(value, fixture));
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = request.params[name] ?? "";
      return encode(value === "@made" ? fixture.params[name] ?? value : fill(value));
    });
    const query = request.query.map(([name, value]) => `${encode(name)}=${encode(fill(value))}`);
    const body = request.body === undefined ? undefined : this.#body(operation, fixture, request.body);
    const url = path + (query.length > 0 ? `?${query.join("&")}` : "");
    const headers = new Headers(request.headers);
    if (operation.path.endsWith("/import")) headers.set("content-type", "application/x-ndjson");
    const proof = fixture.prove?.(operation.method, url, body ?? "") ?? {};
    for (const [name, value] of Object.entries(proof)) headers.set(name, value);
    const reply = await this.service.call(operation.method, url, {
      headers,
      key: operation.path.startsWith("/v1/")
        ? bearerFor(this.service, endpointOf(operation), fixture)
        : this.service.key,
      ...(body !== undefined && { body }),
    });
    // An admin's list has what is played with: keys and workspaces, which must not be taken away.
    if (endpointOf(operation).bearer === "key") this.#harvest(reply);
    return { ...reply, sent: `${operation.method} ${url} ${body?.slice(0, 2_000) ?? ""}` };
  }

  /** Sends an operation's example for something that is made anew. */
  async sendExample(operation: Operation): Promise<Reply & { readonly sent: string }> {
    const endpoint = endpointOf(operation);
    const fixture = operation.path.startsWith("/v1/") ? await createFixture(this.service, endpoint) : { params: {} };
    this.#fixtures.set(operation.id, fixture);
    const isImport = operation.path.endsWith("/import");
    return await this.send(operation, {
      params: Object.fromEntries(Object.keys(fixture.params).map((name) => [name, "@made"])),
      query: [...new URLSearchParams(fixture.query ?? "")],
      headers: {},
      ...(isImport && { body: JSON.stringify({ "@file": [] }) }),
      ...(!isImport && (fixture.body ?? exampleOf(endpoint)) !== undefined && { body: EXAMPLE_REQUEST.body! }),
    });
  }

  #body(operation: Operation, fixture: Fixture, text: string): string {
    if (operation.path.endsWith("/import")) return writeFile(text, this.#file.header, this.#file.lines);
    // Without a place for an id it goes as it is.
    if (!text.includes('"@')) return text.slice(0, BODY_BYTES_MAX);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return text;
    }
    const members = (value as Record<string, unknown> | null)?.[EXAMPLE];
    if (members !== undefined) {
      const example = fixture.body ?? exampleOf(endpointOf(operation));
      value = isObject(members) && isObject(example) ? { ...example, ...members } : members;
    }
    const filled = JSON.stringify(this.#fill(value, fixture));
    return filled.length > BODY_BYTES_MAX ? filled.slice(0, BODY_BYTES_MAX) : filled;
  }

  /** Puts ids in their places in a message for another face. */
  place(value: unknown): unknown {
    return this.#fill(value, { params: {} });
  }

  /** Notes ids of the workspace that another face has returned. */
  learn(ids: readonly string[]): void {
    this.#own.push(...ids);
  }

  /** Ids for their places, wherever they stand. */
  #fill(value: unknown, fixture: Fixture): unknown {
    if (typeof value === "string") {
      const [, kind, number] = /^@(own|foreign|cursor):(\d+)$/.exec(value) ?? [];
      if (value === "@made") return Object.values(fixture.params)[0] ?? this.#own.at(-1);
      if (kind === undefined) return value;
      const pool = kind === "own" ? this.#own : kind === "foreign" ? this.#foreign : this.#cursors;
      // From the end: what came last is the most likely to be there still.
      return pool.at(-1 - Number(number) % Math.max(pool.length, 1)) ?? value;
    }
    if (Array.isArray(value)) return value.map((item) => this.#fill(item, fixture));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.#fill(item, fixture)]));
  }

  #harvest({ status, body }: Reply): void {
    if (status >= 300 || !isObject(body)) return;
    const { id, data, nextCursor } = body;
    const shown = [id, ...(Array.isArray(data) ? data.slice(0, 3).map((row) => row?.id) : [])];
    this.#own.push(...shown.filter((one): one is string => typeof one === "string" && UUID.test(one)));
    if (typeof nextCursor === "string") this.#cursors.push(nextCursor);
  }

  /** The other workspace: all that every operation's example makes, with the mark in every text that takes one. */
  async #fillOther(): Promise<void> {
    const { service } = this;
    const workspaceId = await service.createWorkspace("other");
    const key = await service.createKey({ workspaceId });
    const other = new TestService(service.service, workspaceId, key, service.database, service.stack);
    for (const endpoint of ENDPOINTS.filter((one) => one.route.method === "post" && one.scope === "memory:write")) {
      const fixture = await createFixture(other, endpoint);
      const path = pathOf(endpoint).replaceAll(/\{(\w+)\}/g, (_, name: string) => encode(fixture.params[name]!));
      const example = fixture.body ?? exampleOf(endpoint);
      if (!isObject(example)) continue;
      let refused: string[] = [];
      let reply: Reply;
      do {
        reply = await other.post(path, marked(example, refused));
        const more: string[] = reply.status === 422
          ? reply.body.errors?.map((one: { path: string }) => one.path) ?? []
          : [];
        if (more.every((one) => refused.includes(one))) break;
        refused = [...refused, ...more];
      } while (reply.status === 422);
      if (typeof reply.body.id === "string") this.#foreign.push(reply.body.id);
    }
    const { text } = await exportAll(other, key);
    assert.ok(text.split(MARK).length > 50 && this.#foreign.length > 10, "the other workspace is marked");
  }
}

function endpointOf(operation: Operation): Endpoint {
  return byId.get(operation.id)!;
}

/** Percent-encoded as UTF-8; a lone surrogate cannot be, and goes as the replacement character. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("%3A", ":");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function exampleOf(endpoint: Endpoint): unknown {
  const content = endpoint.route.request?.body?.content as Record<string, { example?: unknown }> | undefined;
  return content?.["application/json"]?.example;
}

/** A copy with the mark in every text but ids, times and what was refused with it. */
function marked(value: unknown, refused: readonly string[], path = ""): unknown {
  if (typeof value === "string") {
    if (UUID.test(value) || /^\d{4}-\d\d-\d\dT/.test(value) || refused.includes(path)) return value;
    return `${value} ${MARK}`;
  }
  if (Array.isArray(value)) return value.map((item, i) => marked(item, refused, join(path, i)));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, marked(item, refused, join(path, name))]),
  );
}

function join(path: string, name: string | number): string {
  return path === "" ? String(name) : `${path}.${name}`;
}
