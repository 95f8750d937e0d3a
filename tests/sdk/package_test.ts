/** The npm package: packed, installed from the tarball into an empty folder, and run under Node, Deno and Chromium. */
import assert from "node:assert/strict";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import ts from "typescript";
import { buildSdk } from "../../scripts/build_sdk.ts";
import { LOCKED } from "../../scripts/locked.ts";
import root from "../../deno.json" with { type: "json" };
import sdk from "../../clients/typescript/deno.json" with { type: "json" };
import document from "../openapi.json" with { type: "json" };
import { CHROMIUM, NODE, NPM } from "../_programs.ts";
import { startAnyService } from "./_client.ts";

const ROOT = join(import.meta.dirname!, "../..");
const SIZE_MAX = 8 * 1024;

/** What runs in each runtime; with the options of the client. It returns what it saw. */
const PLAY = `
import { createClient, SvcError } from "@svc/client";
import { withMemory } from "@svc/client/ai-sdk";
import { SvcStore } from "@svc/client/langgraph";
export async function play(options, name, ticket) {
  const svc = createClient(options);
  const { endCursor } = await svc.listChanges({ limit: 1 });
  const { id } = await svc.createFact({ statement: "The package of " + name + " runs." , tags: [name] });
  let seen;
  for await (const { event } of svc.watch("memory", { since: endCursor, ...(ticket && { ticket }) })) {
    seen = event.resourceId === id;
    break;
  }
  const all = [];
  for await (const { statement } of svc.all.listFacts({ tags: [name] })) all.push(statement);
  const error = await svc.getFact({ id: "01890000-0000-7000-8000-000000000000" }).catch((error) => error);
  const file = (await new Response(await svc.exportMemory({})).text()).includes(id);
  await new SvcStore(svc).put(["a"], name, { text: "kept" });
  const said = [];
  const model = withMemory({
    specificationVersion: "v4", provider: "none", modelId: "none", supportedUrls: {},
    doGenerate: async ({ prompt }) => (said.push(JSON.stringify(prompt)), { content: [{ type: "text", text: "yes" }] }),
  }, { svc, session: name });
  await model.doGenerate({ prompt: [{ role: "user", content: [{ type: "text", text: "Does the package of " + name + " run?" }] }] });
  return {
    seen, all, file,
    error: [error instanceof SvcError, error.code],
    kept: (await new SvcStore(svc).get(["a"], name)).value.text,
    recalled: said[0].includes("The package of " + name + " runs."),
  };
}
`;

const expected = (name: string) => ({
  ...{ seen: true, all: [`The package of ${name} runs.`], file: true, error: [true, "not_found"], kept: "kept" },
  recalled: true,
});

/** Installs the packed tarball into an empty folder, without a network. */
async function install(): Promise<{ readonly folder: string } & AsyncDisposable> {
  const folder = await Deno.makeTempDir({ prefix: "svc-sdk-" });
  const npm = (args: readonly string[], cwd: string) =>
    run(NPM!, [...args, "--offline", "--cache", join(folder, "cache")], cwd);
  await buildSdk(join(folder, "built"));
  await npm(["pack", "--pack-destination", folder], join(folder, "built"));
  const tarball = Array.from(Deno.readDirSync(folder)).find(({ name }) => name.endsWith(".tgz"))!.name;
  const empty = join(folder, "empty");
  await Deno.mkdir(empty);
  await Deno.writeTextFile(join(empty, "package.json"), '{"type":"module"}');
  await npm(["install", "--no-audit", "--no-fund", "--ignore-scripts", join(folder, tarball)], empty);
  await Deno.writeTextFile(join(empty, "play.js"), PLAY);
  return { folder: empty, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const signal = AbortSignal.timeout(120_000);
  const { success, stdout, stderr } = await new Deno.Command(program, { args: [...args], cwd, signal }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.ok(success, `${program} ${args.join(" ")}: ${out}${err}`);
  return out!;
}

Deno.test("the client is no larger than 8 KB, and has the version of the service", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-sdk-" });
  try {
    const file = join(folder, "client.js");
    await run(
      Deno.execPath(),
      ["bundle", ...LOCKED, "--quiet", "--platform", "browser", "--minify", "-o", file, "clients/typescript/mod.ts"],
      ROOT,
    );
    const size = gzipSync(await Deno.readFile(file), { level: 9 }).length;
    assert.ok(size <= SIZE_MAX, `${size} bytes`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  assert.deepEqual([sdk.version, document.info.version], [root.version, root.version]);
});

Deno.test({
  name: "the packed package needs no other, and runs in an empty folder under Node and Deno",
  ignore: NODE === undefined || NPM === undefined,
  async fn() {
    await using service = await startAnyService();
    const { url } = service.listen();
    await using installed = await install();
    const { dependencies, peerDependencies, version } = JSON.parse(
      await Deno.readTextFile(join(installed.folder, "node_modules/@svc/client/package.json")),
    );
    assert.deepEqual([dependencies, peerDependencies, version], [undefined, undefined, root.version]);
    for (
      const [name, program, args] of [
        ["node", NODE!, ["--experimental-websocket"]],
        ["deno", Deno.execPath(), ["run", "-A", "--no-config", "--node-modules-dir=manual", "--cached-only"]],
      ] as const
    ) {
      const options = JSON.stringify({ url, key: service.key });
      const main = `import { play } from "./play.js";
        console.log(JSON.stringify(await play(${options}, "${name}")));`;
      await Deno.writeTextFile(join(installed.folder, "main.js"), main);
      const out = await run(program, [...args, "main.js"], installed.folder);
      assert.deepEqual(JSON.parse(out), expected(name), name);
    }
    // Node 20 without its flag has no WebSocket: the rest works, and a watch says what is missing.
    const main = `import { createClient } from "@svc/client";
      const svc = createClient(${JSON.stringify({ url, key: service.key })});
      delete globalThis.WebSocket;
      console.log((await svc.watch("memory").next().catch((error) => error)).message);`;
    await Deno.writeTextFile(join(installed.folder, "main.js"), main);
    assert.match(await run(NODE!, ["main.js"], installed.folder), /this runtime has no WebSocket/);
  },
});

Deno.test({
  name: "the package runs in Chromium, on a page that has no key",
  ignore: NPM === undefined || CHROMIUM === undefined,
  async fn() {
    await using service = await startAnyService();
    const api = service.listen().url;
    await using installed = await install();
    const map = {
      "@svc/client": "/package/mod.js",
      "@svc/client/ai-sdk": "/package/ai_sdk.js",
      "@svc/client/langgraph": "/package/langgraph.js",
    };
    const html = `<!doctype html><script type="importmap">${JSON.stringify({ imports: map })}</script>`;
    // The page's own server has the key: it hands requests on, and gets the tickets.
    await using page = servePage(html, installed.folder, api, service.key);
    const browser = await chromium.launch({
      ...{ executablePath: CHROMIUM!, headless: true },
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
    });
    try {
      const tab = await browser.newPage();
      await tab.goto(page.url);
      const seen = await tab.evaluate(`(async () => {
        const { play } = await import("/play.js");
        const options = { url: location.origin, key: null, webSocket: (url) => new WebSocket(url.replace(/^ws:..[^/]+/, "${
        api.replace("http", "ws")
      }")) };
        const ticket = async () => (await (await fetch("/v1/stream/ticket", { method: "POST" })).json()).ticket;
        return await play(options, "chromium", ticket);
      })()`);
      assert.deepEqual(seen, expected("chromium"));
    } finally {
      await browser.close();
    }
  },
});

function servePage(html: string, folder: string, api: string, key: string): { readonly url: string } & AsyncDisposable {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/") return new Response(html, { headers: { "content-type": "text/html" } });
    if (pathname.startsWith("/v1/")) {
      const headers = new Headers(request.headers);
      headers.set("authorization", `Bearer ${key}`);
      const body = request.body === null ? null : await request.arrayBuffer();
      return await fetch(`${api}${pathname}${search}`, { method: request.method, headers, body });
    }
    const path = pathname.replace("/package/", "/node_modules/@svc/client/");
    if (extname(path) !== ".js") return new Response(null, { status: 404 });
    return new Response(await Deno.readFile(join(folder, path)), { headers: { "content-type": "text/javascript" } });
  });
  return { url: `http://127.0.0.1:${server.addr.port}/`, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test({
  name: "the package's types hold for a strict program in TypeScript that has nothing else",
  ignore: NPM === undefined,
  async fn() {
    await using installed = await install();
    const file = join(installed.folder, "program.ts");
    await Deno.writeTextFile(
      file,
      `
      import { createClient, SvcError, type Fact } from "@svc/client";
      import { withMemory } from "@svc/client/ai-sdk";
      import { SvcStore } from "@svc/client/langgraph";
      const svc = createClient({ url: "http://127.0.0.1:8787", key: "k" });
      const fact: Fact = await svc.createFact({ statement: "a" });
      for await (const { statement } of svc.all.listFacts()) statement.length;
      // @ts-expect-error there is no such member
      await svc.recall({ query: "a", limitt: 1 });
      export const used = [fact, SvcError, withMemory, new SvcStore(svc)];
    `,
    );
    const options: ts.CompilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true, types: [] },
      ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
      ...{ target: ts.ScriptTarget.ES2022, lib: ["lib.es2022.d.ts", "lib.dom.d.ts"], skipLibCheck: false },
    };
    const program = ts.createProgram([file], options);
    const faults = ts.getPreEmitDiagnostics(program).map(({ messageText, file }) =>
      `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`
    );
    assert.deepEqual(faults, []);
  },
});
