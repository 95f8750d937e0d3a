/** `svc webhook` as a person runs it. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { cursorAt } from "../../src/domain/feed/changes.ts";
import { createDatabase, POSTGRES } from "../_postgres.ts";
import { startService } from "../_service.ts";
import { createEnabled, sendDue, startReceiver } from "./_receiver.ts";
import { createFact, logOf } from "./_world.ts";

const ROOT = new URL("../..", import.meta.url).pathname;

Deno.test({
  ...POSTGRES,
  name: "svc webhook lists, shows and tests webhooks, and sends a part of the feed again",
  async fn(t) {
    await using receiver = startReceiver();
    await using database = await createDatabase();
    await using service = await startService({ database, env: receiver.env });
    receiver.answer("/quiet", () => new Response("no"));
    const { id, secret } = await createEnabled(service, receiver.url("/a"), { kinds: ["fact."] });
    const { body: other } = await service.post("/v1/webhooks", { url: receiver.url("/quiet"), kinds: ["task."] });
    const env = {
      DATABASE_URL: database.requestUrl,
      SVC_SECRETS_KEY: "test-secrets-key-of-more-than-32-characters",
      SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.0/8",
      SVC_LOG_LEVEL: "error",
      ...receiver.env,
    };
    const svc = async (...args: string[]) => {
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--quiet", "--no-check", "src/cli/main.ts", "webhook", ...args],
        cwd: ROOT,
        env,
      }).output();
      return { code, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
    };
    const ask = async (...args: string[]) => {
      const { code, out, err } = await svc(...args, "--workspace", service.workspaceId);
      equal(code, 0, err);
      ok(!`${out}${err}`.includes("whsec_") && !`${out}${err}`.includes(secret.slice(6)), "no secret is shown");
      return JSON.parse(out);
    };
    const abort = { status: 500, headers: { "webhook-delivery": "abort-message" } };
    await createFact(service);
    await sendDue(service);
    receiver.answer("/a", () => new Response("", abort));
    const dead = await createFact(service);
    await sendDue(service);
    receiver.answer("/a", undefined);

    await t.step("list", async () => {
      const listed: { id: string; status: string }[] = await ask("list");
      deepEqual(listed.map((one) => one.id), [id, other.id]);
      equal(listed[0]!.status, "enabled");
    });
    await t.step("show", async () => {
      const shown = await ask("show", id);
      deepEqual([shown.id, shown.url], [id, receiver.url("/a")]);
      deepEqual(shown.deliveries.map(({ state }: { state: string }) => state), ["dead", "delivered"]);
    });
    await t.step("test", async () => {
      const tested = await ask("test", id);
      deepEqual([tested.status, tested.error, tested.response, tested.verified], [200, null, "thanks", true]);
      equal(receiver.at("/a").at(-1)!.message.type, "webhook.test");
      const asked = await ask("test", other.id);
      deepEqual([asked.verified, asked.error], [false, "the answer is not the challenge"]);
    });
    await t.step("replay", async () => {
      const since = cursorAt(service.workspaceId, 0);
      const start = cursorAt(service.workspaceId, 1);
      deepEqual(await ask("replay", id, "--since", since, "--until", since), { events: 0 });
      deepEqual(await ask("replay", id, "--since", since, "--dead"), { events: 1 });
      await sendDue(service);
      equal(receiver.at("/a").at(-1)!.message.data.resource.id, dead);
      const all = (await logOf(service, id)).length;
      deepEqual(await ask("replay", id, "--since", since), { events: all });
      ok((await ask("replay", id, "--since", start)).events <= all);
      const { code, err } = await svc("replay", id, "--workspace", service.workspaceId, "--since", "nonsense");
      equal(code, 1);
      match(err, /since must be a cursor of this workspace's change feed/);
    });
    await t.step("what is missing or unknown is refused", async () => {
      const nobody = crypto.randomUUID();
      for (
        const [args, expected] of [
          [["list", "--workspace", "no-id"], /not an id/],
          [["list", "--workspace", nobody], /Cannot find the workspace/],
          [["show", nobody, "--workspace", service.workspaceId], /Cannot find the webhook/],
          [["test", nobody, "--workspace", service.workspaceId], /Cannot find the webhook/],
          [["replay", id, "--workspace", service.workspaceId], /--since/],
          [["replay", other.id, "--workspace", service.workspaceId, "--since", "x"], /the webhook is unverified/],
        ] as const
      ) {
        const { code, err } = await svc(...args);
        ok(code !== 0, args.join(" "));
        match(err, expected);
      }
    });
  },
});
