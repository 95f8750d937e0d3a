/** The operator's commands on the embedded database, while the service runs on it and while it does not. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { join } from "node:path";
import { createCertificateMaker } from "../_certificates.ts";
import { findFreePort, type StartedProcess, startProcess } from "../_process.ts";
import { waitFor } from "../_wait.ts";
import { Person, type Ran } from "./_svc.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** A data folder, its operator, and how its service is started. */
class Desk implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();
  private constructor(readonly person: Person, readonly env: Readonly<Record<string, string>>) {
    this.#stack.use(person);
  }

  static async make(env: Readonly<Record<string, string>> = {}): Promise<Desk> {
    const person = await Person.make();
    // What a client exports in the same shell means nothing to the service and to its operator.
    const client = { SVC_URL: "http://127.0.0.1:1", SVC_KEY: "svc_live_of_a_client", SVC_MEMORY: "off" };
    return new Desk(person, { ...client, ...env, SVC_DATA_DIR: join(person.home, "data") });
  }

  async start(program?: [string, ...string[]]): Promise<StartedProcess> {
    const started = this.#stack.use(await startProcess(this.env, program));
    await started.listening();
    return started;
  }

  svc(...args: string[]): Promise<Ran> {
    return this.person.svc(args, { env: this.env });
  }

  // deno-lint-ignore no-explicit-any
  async ask(...args: string[]): Promise<any> {
    const { code, stdout, stderr } = await this.svc(...args);
    equal(code, 0, stderr);
    return JSON.parse(stdout);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

async function statusOf(url: string, key: string): Promise<number> {
  const reply = await fetch(`${url}/v1/whoami`, { headers: { authorization: `Bearer ${key}` } });
  await reply.body?.cancel();
  return reply.status;
}

const firstKeyOf = (started: StartedProcess) =>
  waitFor("the first key", () => /First API key\s+(svc_live_\S+)/.exec(started.output())?.[1]);

/** An endpoint that takes connections and never answers. */
function startSilent(): Disposable & { readonly port: number; count(): number } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections: Deno.Conn[] = [];
  (async () => {
    for await (const connection of listener) connections.push(connection);
  })();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    count: () => connections.length,
    [Symbol.dispose]() {
      listener.close();
      for (const connection of connections) connection.close();
    },
  };
}

/** A webhook at an address, made with a key that the operator made for it. */
async function createWebhook(desk: Desk, { url }: StartedProcess, target: string): Promise<string> {
  const { key } = await desk.ask("key", "create", "--scopes", "memory:read,memory:admin");
  const reply = await fetch(`${url}/v1/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ url: target }),
  });
  const body = await reply.json();
  equal(reply.status, 201, JSON.stringify(body));
  return body.id;
}

Deno.test("the operator works beside the running service on the embedded database, and it feels every change at once", async (t) => {
  await using certificates = await createCertificateMaker();
  const { cert } = await certificates.make({ names: "DNS:a.example", isSelfSigned: true });
  await using desk = await Desk.make({
    SVC_FEDERATION_ENDPOINT: "https://a.example",
    SVC_INSTANCE_ID: "instance:a.example",
    SVC_FEDERATION_PRIVATE_KEY: (await new Deno.Command("openssl", { args: ["genpkey", "-algorithm", "ed25519"] })
      .output().then(({ stdout }) => new TextDecoder().decode(stdout))).trim().replaceAll("\n", "\\n"),
    SVC_FEDERATION_SYMMETRIC_KEY: new Uint8Array(32).fill(7).toBase64(),
  });
  const service = await desk.start();
  const { url } = service;
  const first = await firstKeyOf(service);

  await t.step(
    "the start says where the reference is, and the command that makes another key works as it is printed",
    async () => {
      match(service.output(), new RegExp(`${url}/v1/docs`));
      const command = await waitFor("the command", () => /^.*: (.* key create)$/m.exec(service.output())?.[1]);
      const { stdout, success } = await new Deno.Command("bash", { args: ["-c", command], cwd: ROOT, env: desk.env })
        .output();
      ok(success);
      equal(await statusOf(url, JSON.parse(new TextDecoder().decode(stdout)).key), 200);
    },
  );
  await t.step("a key is made, shown, listed, rotated and revoked", async () => {
    const { keyId, key } = await desk.ask("key", "create", "--name", "helper");
    equal(await statusOf(url, key), 200);
    equal((await desk.ask("key", "show", keyId)).name, "helper");
    ok((await desk.ask("key", "list")).some((one: { keyId: string }) => one.keyId === keyId));
    const rotated = await desk.ask("key", "rotate", keyId, "--overlap", "0");
    deepEqual([await statusOf(url, key), await statusOf(url, rotated.key)], [401, 200]);
    await desk.ask("key", "revoke", keyId);
    equal(await statusOf(url, rotated.key), 401);
    equal(await statusOf(url, first), 200);
  });
  await t.step("doctor, webhooks, an invitation, an export and the audit log", async () => {
    equal((await desk.ask("doctor")).ok, true);
    const webhook = await createWebhook(desk, service, "https://hooks.example.com/svc");
    deepEqual((await desk.ask("webhook", "list")).map((one: { id: string }) => one.id), [webhook]);
    // A file is named as the person sees it, not as the service does.
    await Deno.writeTextFile(join(desk.person.home, "own.pem"), cert);
    const invited = await desk.svc("federation", "invite", "--cert", "own.pem");
    equal(invited.code, 0, invited.stderr);
    match(invited.stderr, /Works once/);
    ok(invited.stdout.trim().length > 100);
    const exported = await desk.svc("export");
    equal(exported.code, 0, exported.stderr);
    match(exported.stdout, /^\{.*\}\n/);
    const dumped = await desk.svc("audit", "dump", "--workspace", "system");
    match(dumped.stdout, /"actor_id":"cli".*"event_type":"api_key.created"/);
  });
  await t.step("with several workspaces, one has to be named", async () => {
    const { workspaceId } = await desk.ask("workspace", "create", "--name", "second");
    equal((await desk.ask("workspace", "list")).length, 2);
    const { code, stderr } = await desk.svc("key", "create");
    equal(code, 1);
    match(stderr, new RegExp(`there are 2\\. Add --workspace and one of .*${workspaceId} \\(second\\)`));
    const { key } = await desk.ask("key", "create", "--workspace", workspaceId);
    equal(await statusOf(url, key), 200);
  });
  await t.step("what is refused ends with the sentence and the exit code of the command line", async () => {
    const { code, stderr } = await desk.svc("key", "show", crypto.randomUUID());
    deepEqual([code, stderr.trim().split("\n").length], [1, 1]);
    match(stderr, /Cannot find/);
    const piped = await desk.svc(
      "import",
      "/dev/stdin",
      "--workspace",
      (await desk.ask("workspace", "list"))[0].workspaceId,
    );
    equal(piped.code, 1);
    match(piped.stderr, /Name a file/);
  });
  await t.step("nobody but the folder's owner can reach the socket", async () => {
    const { mode, uid } = await Deno.stat(join(desk.env["SVC_DATA_DIR"]!, "operator"));
    deepEqual([mode! & 0o777, uid], [0o700, Deno.uid()]);
  });
});

Deno.test("several commands at once all succeed, beside the running service and without it", async () => {
  await using desk = await Desk.make();
  const service = await desk.start();
  const makeThree = () => Promise.all(["a", "b", "c"].map((name) => desk.ask("key", "create", "--name", name)));
  const beside = await makeThree();
  deepEqual(await Promise.all(beside.map(({ key }) => statusOf(service.url, key))), [200, 200, 200]);
  service.kill("SIGTERM");
  equal(await service.exitCode, 0);
  const alone = await makeThree();
  const ids = (await desk.ask("key", "list")).map(({ keyId }: { keyId: string }) => keyId);
  for (const { keyId } of [...beside, ...alone]) ok(ids.includes(keyId));
});

Deno.test("a command whose service is killed says so, a killed command does the service no harm, and what a killed service leaves behind is in nobody's way", async () => {
  using silent = startSilent();
  await using desk = await Desk.make({
    SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8",
    SVC_OUTBOUND_PORTS: String(silent.port),
  });
  // Without the program that starts it: what is killed is the service itself.
  const service = await desk.start(["src/cli/main.ts", "serve"]);
  const webhook = await createWebhook(desk, service, `http://127.0.0.1:${silent.port}/silent`);
  await waitFor("the challenge", () => silent.count() === 1);
  const hang = async () => {
    const before = silent.count();
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--no-check", join(ROOT, "src/cli/main.ts"), "webhook", "test", webhook],
      env: desk.env,
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    await waitFor("the command at its work", () => silent.count() > before);
    return child;
  };

  const killed = await hang();
  killed.kill("SIGKILL");
  await killed.output();
  equal((await desk.ask("doctor")).ok, true);

  const left = await hang();
  service.kill("SIGKILL");
  const { code, stderr } = await left.output();
  equal(code, 1);
  match(new TextDecoder().decode(stderr), /the service ended before it did/);
  await service.exitCode;
  const { key } = await desk.ask("key", "create");
  equal(await statusOf((await desk.start()).url, key), 200);
});

Deno.test("a command for a data folder without a database says that there is none, and makes none", async () => {
  await using desk = await Desk.make();
  const folders = [desk.env["SVC_DATA_DIR"]!, join(desk.person.home, "there")];
  await Deno.mkdir(folders[1]!);
  for (const folder of folders) {
    for (const args of [["key", "create"], ["workspace", "create", "--name", "x"], ["export"], ["doctor"]]) {
      const { code, stdout, stderr } = await desk.person.svc(args, { env: { ...desk.env, SVC_DATA_DIR: folder } });
      deepEqual([code, stdout], [1, ""], args.join(" "));
      match(stderr, /^Cannot find a database in .*: the service makes one when it first starts\. Set SVC_DATA_DIR/);
      equal(stderr.trim().split("\n").length, 1);
    }
  }
  await rejects(Deno.stat(folders[0]!), Deno.errors.NotFound);
  deepEqual(await Array.fromAsync(Deno.readDir(folders[1]!)), []);
});

Deno.test("svc migrate says in one sentence that no database answers, and at which variable", async () => {
  await using person = await Person.make();
  for (const host of [`127.0.0.1:${findFreePort()}`, "no-such-host.invalid"]) {
    const url = `postgres://owner:a-password@${host}/svc`;
    const { code, stdout, stderr } = await person.svc(["migrate"], {
      env: { DATABASE_URL: url, SVC_OWNER_DATABASE_URL: url },
    });
    deepEqual([code, stdout], [1, ""], stderr);
    match(stderr, /^Cannot migrate: no database answers at SVC_OWNER_DATABASE_URL \([^()]*\)\n$/);
    ok(!stderr.includes("a-password"));
  }
});

Deno.test("a start that cannot be says in one sentence what to do, and ends", async (t) => {
  await using desk = await Desk.make();
  const service = await desk.start();
  const home = desk.person.home;
  await Deno.writeTextFile(join(home, "file"), "");
  const busy = new URL(service.url).port;
  const cases: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    [
      "the port is taken",
      { SVC_PORT: busy },
      /^Cannot listen on 127\.0\.0\.1:\d+: another program uses the port\. Stop it, or set SVC_PORT/,
    ],
    [
      "the address is another machine's",
      { SVC_HOST: "192.0.2.1", SVC_DATA_DIR: join(home, "new") },
      /^Cannot listen on 192\.0\.2\.1:\d+: .*Set SVC_HOST/,
    ],
    [
      "the folder is in use",
      {},
      /^Cannot open the data folder .*: process \d+ is using it\. Stop that process, or set SVC_DATA_DIR/,
    ],
    ["the folder is a file", { SVC_DATA_DIR: join(home, "file") }, /^Cannot open the data folder .*set SVC_DATA_DIR/],
    [
      "a variable is unknown",
      { SVC_PROT: "1" },
      /^Cannot read the configuration: unknown SVC_PROT \(did you mean SVC_PORT\?\)$/m,
    ],
  ];
  for (const program of [["scripts/start.ts"], ["src/cli/main.ts", "serve"]] as const) {
    for (const [name, env, expected] of cases) {
      await t.step(`${name}: ${program.join(" ")}`, async () => {
        await using started = await startProcess({ ...desk.env, SVC_PORT: String(findFreePort()), ...env }, [
          ...program,
        ]);
        equal(await started.exitCode, 1);
        match(started.output(), expected);
        equal(started.output().trim().split("\n").length, 1, started.output());
      });
    }
  }
});
