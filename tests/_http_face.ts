/** Endpoints as bindings of operations: the requests of callers over HTTP, and the promises that only HTTP makes. */
import assert from "node:assert/strict";
import type { z } from "zod";
import { pathOf } from "../src/http/app.ts";
import { ENDPOINTS } from "../src/http/endpoints.ts";
import { ERROR_CODES, type ErrorCode } from "../src/errors.ts";
import type { Endpoint } from "../src/http/route.ts";
import type { Asked, Binding, Check, SendOptions, Told } from "./_faces.ts";
import { bearerFor, createFixture, type Fixture } from "./_fixtures.ts";
import type { Reply, TestService } from "./_service.ts";

/** Bodies whose fields are the caller's own. */
const MERGE_PATCHES = new Set(["patchScratchpad"]);
const UNKNOWN_ID = "01890000-0000-7000-8000-000000000000";

export const HTTP_BINDINGS: readonly Binding[] = ENDPOINTS.filter(({ scope }) => scope !== "public").map((
  endpoint,
) => ({
  name: `${endpoint.route.method.toUpperCase()} ${pathOf(endpoint)}`,
  operation: endpoint,
  prepare: async (service) => new HttpAsk(service, endpoint, await createFixture(service, endpoint)),
  ask: async (service) => new HttpAsk(service, endpoint, { params: {} }),
}));

class HttpAsk implements Asked {
  readonly isRepeatable = true;
  readonly body: object | undefined;
  readonly checks: readonly Check[] = [
    ["a key of another workspace sees 404", () => this.#expectInvisible()],
    ["a bad body is refused", () => this.#expectBadBodies()],
    ["an unknown query parameter is refused", () => this.#expectUnknownQuery()],
    ["If-Match is honoured or refused", () => this.#expectIfMatch()],
  ];
  readonly #sent: unknown;

  constructor(readonly service: TestService, readonly endpoint: Endpoint, readonly fixture: Fixture) {
    this.#sent = fixture.body ?? exampleOf(endpoint);
    this.body = typeof this.#sent === "object" ? this.#sent as object : undefined;
  }

  async send(options: SendOptions = {}): Promise<Told> {
    const { status, body, headers } = await this.#reply(options);
    const declared = Object.keys(this.endpoint.route.responses).map(Number);
    // A plain request cannot get the declared reply: a WebSocket.
    const isUpgrade = status === 400 && declared.includes(101) && headers.get("upgrade") === "websocket";
    if (status < 400) assert.ok(declared.includes(status), `${status} is not declared`);
    else if (!isUpgrade) {
      assert.equal(status, ERROR_CODES[body.code as ErrorCode]?.status, JSON.stringify(body));
    }
    if (status === 401) {
      // With an address that the service knows as its own, it says where its metadata is.
      assert.match(headers.get("www-authenticate") ?? "", /^Bearer(?: resource_metadata="[^"]+")?$/);
      assert.equal(headers.get("content-type"), "application/problem+json");
      assert.equal(headers.get("x-request-id"), body.requestId);
    }
    return {
      code: status < 400 || isUpgrade ? undefined : body.code,
      message: body?.message,
      homeRegion: body?.homeRegion,
      faults: (body?.errors ?? []).map(({ path }: { path: string }) => path),
      isReplay: headers.get("idempotency-replayed") === "true",
      answer: [status, body],
    };
  }

  #reply({ key, headers, ...options }: SendOptions, params = this.fixture.params, query = ""): Promise<Reply> {
    const asked = [this.fixture.query, query].filter(Boolean).join("&");
    const path = fill(pathOf(this.endpoint), params) + (asked && asked.replace(/^\??/, "?"));
    const bearer = key === undefined ? bearerFor(this.service, this.endpoint, this.fixture) : key;
    const body = "body" in options ? options.body : this.#sent;
    const method = this.endpoint.route.method.toUpperCase();
    const proof = this.fixture.prove?.(method, path, typeof body === "string" ? body : JSON.stringify(body) ?? "");
    return this.service.call(method, path, { key: bearer, body, headers: { ...proof, ...headers } });
  }

  async #expectInvisible(): Promise<void> {
    const { service, endpoint, fixture: { params } } = this;
    // A resource under a name of the caller's own is created if it does not exist; see `external_ids_test.ts`.
    if (!/\{(id|.*Id)\}/.test(endpoint.route.path) || endpoint.id === "upsertFact") return;
    if (endpoint.bearer === "admin") {
      const never = await this.#reply({}, replaceIds(params));
      assert.equal(never.status, 404, JSON.stringify(never.body));
      return;
    }
    const key = await strangerOf(service);
    const foreign = await this.#reply({ key });
    const never = await this.#reply({ key }, replaceIds(params));
    assert.equal(foreign.status, 404, JSON.stringify(foreign.body));
    assert.deepEqual({ ...foreign.body, requestId: "" }, { ...never.body, requestId: "" });
  }

  async #expectBadBodies(): Promise<void> {
    const { endpoint } = this;
    if (!endpoint.route.request?.body) return;
    const attempt = (body: unknown, headers: Record<string, string> = {}) => this.#reply({ body, headers });
    assert.equal((await attempt("{", { "content-type": "text/plain" })).status, 415);
    assert.equal((await attempt("{")).status, 400, "malformed");
    assert.equal((await attempt("")).status, 400, "an empty body");
    assert.equal((await attempt(`${"[".repeat(100)}${"]".repeat(100)}`)).status, 400, "too deep");
    // A file's lines have rules of their own.
    if (this.body === undefined) return;
    const nul = await attempt(JSON.stringify(this.body).replace("{", '{"noSuchField":"\\u0000",'));
    assert.equal(nul.status, 422, "NUL in a string");
  }

  async #expectUnknownQuery(): Promise<void> {
    const reply = await this.#reply({}, this.fixture.params, "noSuchParameter=1");
    assert.equal(reply.status, 422);
    assert.equal(reply.body.errors[0].path, "noSuchParameter");
  }

  /**
   * If the operation takes `If-Match`, a wrong version is refused; if it does not, the header is refused, not ignored.
   */
  async #expectIfMatch(): Promise<void> {
    const { method, request } = this.endpoint.route;
    if (method === "get") return;
    const reply = await this.#reply({ headers: { "if-match": '"987654"' } });
    const isTaken = Object.hasOwn((request?.headers as z.ZodObject | undefined)?.shape ?? {}, "if-match");
    const wanted = isTaken ? [412, "version_mismatch"] : [400, "invalid_request"];
    assert.deepEqual([reply.status, reply.body?.code], wanted, JSON.stringify(reply.body));
  }
}

/** Whether the operation accepts any fields in its body. */
export function takesAnyField({ id }: { readonly id: string }): boolean {
  return MERGE_PATCHES.has(id);
}

const strangers = new WeakMap<TestService, Promise<string>>();

/** A key of another workspace of the service. */
function strangerOf(service: TestService): Promise<string> {
  const make = async () => await service.createKey({ workspaceId: await service.createWorkspace("stranger") });
  const key = strangers.get(service) ?? make();
  strangers.set(service, key);
  return key;
}

function fill(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? UNKNOWN_ID));
}

function replaceIds(params: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, /[0-9a-f-]{36}/.test(value) ? UNKNOWN_ID : value]),
  );
}

/** The body that the document shows. */
export function exampleOf(endpoint: Endpoint): unknown {
  const content = endpoint.route.request?.body?.content as Record<string, { example?: unknown }> | undefined;
  const example = content?.["application/json"]?.example;
  return example ?? Object.values(content ?? {}).find((type) => type.example !== undefined)?.example;
}
