/** Pairing as docs/guides/federation.md describes it, command by command, by two operators at their command lines. */
import assert from "node:assert/strict";
import { type CertificateMaker, createCertificateMaker } from "../_certificates.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { type Front, startFront } from "./_pair.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

/** Reads the commands of the page's first listing, in order. */
async function readCommands(): Promise<string[]> {
  const page = await Deno.readTextFile(new URL("../../docs/guides/federation.md", import.meta.url));
  const [, listing] = /```sh[^\n]*\n([^`]*)```/.exec(page)!;
  return listing!.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `svc` with an environment of its own, as in an operator's shell. */
async function svc(command: string, env: Record<string, string>): Promise<Outcome> {
  const [name, ...args] = command.split(" ");
  assert.equal(name, "svc");
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-check", "src/cli/main.ts", ...args],
    cwd: ROOT,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: Deno.env.get("HOME") ?? "",
      DENO_DIR: Deno.env.get("DENO_DIR") ?? "",
      ...env,
    },
  }).output();
  return { code, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
}

function parseLines(text: string): Record<string, string> {
  return Object.fromEntries(
    text.trim().split("\n").map((line) => {
      const [, name, value] = /^(\w+)="(.*)"$/.exec(line)!;
      return [name!, value!];
    }),
  );
}

async function openFront(stack: AsyncDisposableStack, certificates: CertificateMaker): Promise<Front> {
  return stack.use(await startFront(await certificates.make({ names: "IP:127.0.0.1", isSelfSigned: true })));
}

/** What operators do with a pair: exchange now, decide, and at last forget. */
async function exchangeByCommands(a: Side, b: Side): Promise<void> {
  const onB = (command: string) => svc(`svc federation ${command} --workspace ${b.service.workspaceId}`, b.env);
  const { body: fact } = await a.service.post("/v1/memory/facts", { statement: "The ferry leaves at noon." });
  const synced = await onB(`sync ${a.id} --wait`);
  assert.equal(synced.code, 0, synced.err);
  const job = JSON.parse(synced.out);
  assert.deepEqual([job.status, job.received, job.conflicts], ["completed", 1, 0]);
  const path = `/v1/memory/facts/${fact.id}`;
  for (const [side, hour] of [[a, "one"], [b, "two"]] as const) {
    const headers = { "if-match": '"1"' };
    const said = await side.service.patch(path, { statement: `The ferry leaves at ${hour}.` }, { headers });
    assert.equal(said.status, 200, JSON.stringify(said.body));
  }
  const started = await onB(`sync ${a.id}`);
  assert.deepEqual([started.code, JSON.parse(started.out).status], [0, "processing"]);
  const waited = JSON.parse((await onB(`sync ${a.id} --wait`)).out);
  assert.equal(waited.jobId, JSON.parse(started.out).jobId, "the job that waits is the one");
  assert.ok(waited.conflicts > 0, JSON.stringify(waited));
  const [review] = JSON.parse((await onB(`conflicts list --peer ${a.id}`)).out).data;
  const shown = JSON.parse((await onB(`conflicts show ${review.id}`)).out);
  assert.deepEqual([shown.here.text, shown.there.text], ["The ferry leaves at two.", "The ferry leaves at one."]);
  const stranger = await onB(`conflicts resolve ${review.id} --winner instance:c.example`);
  assert.deepEqual([stranger.code, stranger.out], [1, ""]);
  assert.match(stranger.err, /--winner has to be/);
  const resolved = await onB(`conflicts resolve ${review.id} --winner ${a.id}`);
  assert.equal(resolved.code, 0, resolved.err);
  assert.equal((await b.service.get(path)).body.statement, "The ferry leaves at one.");
  assert.deepEqual(JSON.parse((await onB("conflicts list")).out).data, []);
  const early = await onB(`forget ${a.id} --yes`);
  assert.equal(early.code, 1);
  assert.match(early.err, /remove it first/);
}

interface Side {
  readonly id: string;
  readonly env: Record<string, string>;
  readonly service: TestService;
}

Deno.test({
  ...POSTGRES,
  name: "two instances are paired by the commands of the page about federation, word for word",
  async fn() {
    await using stack = new AsyncDisposableStack();
    const certificates = stack.use(await createCertificateMaker());
    const [init, inviting, joining, status, ...rest] = await readCommands();
    assert.deepEqual(rest, []);
    const [one, two] = [await openFront(stack, certificates), await openFront(stack, certificates)];
    // Elsewhere every service has port 443, and no other port has to be allowed.
    const common = {
      SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8",
      SVC_OUTBOUND_PORTS: `${one.port},${two.port}`,
      SVC_LOG_LEVEL: "error",
    };
    const start = async (front: Front): Promise<Side> => {
      const endpoint = `https://127.0.0.1:${front.port}`;
      const command = init!.replace("https://a.example", endpoint).replace(" >> .env", "");
      const printed = await svc(command, {});
      assert.equal(printed.code, 0, printed.err);
      const env: Record<string, string> = { ...parseLines(printed.out), ...common };
      assert.equal((await svc(command, env)).out, "", "what is set stays as it is");
      const service = stack.use(await startService({ env, realHashCost: true }));
      front.service = service;
      return { id: env["SVC_INSTANCE_ID"]!, service, env: { ...env, DATABASE_URL: service.database!.requestUrl } };
    };
    const [a, b] = [await start(one), await start(two)];
    const invited = await svc(inviting!.replace("$W", a.service.workspaceId), a.env);
    assert.equal(invited.code, 0, invited.err);
    const join = joining!.replace("svcfed1.eyJ…", invited.out.trim()).replace("$V", b.service.workspaceId);
    const joined = await svc(join, b.env);
    assert.equal(joined.code, 0, joined.err);
    assert.equal(JSON.parse(joined.out).peer.state, "ACTIVE");
    for (const [side, other] of [[a, b], [b, a]] as const) {
      const doctor = await svc(`svc federation doctor ${other.id} --workspace ${side.service.workspaceId}`, side.env);
      assert.equal(doctor.code, 0, doctor.out + doctor.err);
      assert.match(doctor.out, /ok {6}handshake: it proved its key\n/);
      assert.match(doctor.out, /ok {6}digest: both sides have the same 0 items\n$/);
      assert.ok(!doctor.err.includes(a.env["SVC_SECRETS_KEY"]!));
    }
    for (const [side, other] of [[a, b], [b, a]] as const) {
      const told = await svc(status!, side.env);
      assert.deepEqual([told.code, told.err], [0, ""]);
      assert.match(
        told.out,
        new RegExp(`^${other.id}  ${side.service.workspaceId}=${other.service.workspaceId}, ACTIVE, `),
      );
    }
    for (const outcome of [invited, joined]) assert.ok(!outcome.err.includes(a.env["SVC_SECRETS_KEY"]!));
    await exchangeByCommands(a, b);
    two.service = undefined;
    const away = await svc(`svc federation doctor ${b.id} --workspace ${a.service.workspaceId}`, a.env);
    assert.equal(away.code, 1, away.out);
    assert.match(away.out, /FAILED {2}handshake: broken: /);
    assert.equal((await svc(status!, a.env)).code, 1);
  },
});
