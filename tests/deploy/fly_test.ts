/** `deploy/fly.toml` has members that Fly knows, and agrees with the service and its image. */
import { equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { readConfig } from "../../src/config.ts";
import { startService } from "../_service.ts";
import { ROOT } from "./_manifests.ts";

const Duration = z.string().regex(/^[1-9]\d*(ms|s|m|h)$/);
const Check = {
  interval: Duration,
  timeout: Duration,
  grace_period: Duration,
  method: z.literal("GET"),
  path: z.string().startsWith("/"),
};

/** Of what Fly's configuration may hold, what this file uses: https://fly.io/docs/reference/configuration. */
const FlyConfig = z.strictObject({
  app: z.string().regex(/^[a-z0-9-]+$/),
  primary_region: z.string().regex(/^[a-z]{3}$/),
  kill_signal: z.enum(["SIGINT", "SIGTERM"]),
  kill_timeout: Duration,
  build: z.strictObject({ dockerfile: z.string() }),
  deploy: z.strictObject({
    strategy: z.enum(["rolling", "immediate", "canary", "bluegreen"]),
    release_command: z.string(),
    release_command_timeout: Duration,
  }),
  env: z.record(z.string(), z.string()),
  http_service: z.strictObject({
    internal_port: z.int(),
    force_https: z.boolean(),
    auto_stop_machines: z.enum(["off", "stop", "suspend"]),
    auto_start_machines: z.boolean(),
    min_machines_running: z.int(),
    concurrency: z.strictObject({
      type: z.enum(["requests", "connections"]),
      soft_limit: z.int(),
      hard_limit: z.int(),
    }),
    http_options: z.strictObject({ h2_backend: z.boolean() }),
    checks: z.array(z.strictObject(Check)).min(1),
  }),
  checks: z.record(z.string(), z.strictObject({ ...Check, type: z.literal("http"), port: z.int() })),
  restart: z.array(z.strictObject({ policy: z.enum(["always", "never", "on-failure"]) })),
  vm: z.array(z.strictObject({ size: z.string(), memory: z.string() })),
});

const fly = FlyConfig.parse(parse(await Deno.readTextFile(join(ROOT, "deploy/fly.toml"))));
const seconds = (duration: string) =>
  parseInt(duration) * ({ s: 1, m: 60, h: 3_600 }[duration.replace(/^\d+/, "")] ?? NaN);

Deno.test("the image of fly.toml is there, with its port, its signal and its commands", async () => {
  const dockerfile = await Deno.readTextFile(join(ROOT, "deploy", fly.build.dockerfile));
  match(dockerfile, new RegExp(`SVC_PORT=${fly.http_service.internal_port}\\b`));
  for (const check of Object.values(fly.checks)) equal(check.port, fly.http_service.internal_port);
  match(dockerfile, new RegExp(`^STOPSIGNAL ${fly.kill_signal}$`, "m"));
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", join(ROOT, "src/cli/main.ts"), fly.deploy.release_command, "--help"],
  }).output();
  ok(success, "the release command is one of the command line");
});

Deno.test("the service accepts the environment of fly.toml, and has the time that it takes to stop", () => {
  const secrets = { DATABASE_URL: "postgres://svc_request:r@db.example.com/svc", SVC_SECRETS_KEY: "k".repeat(64) };
  const config = readConfig({ ...fly.env, ...secrets });
  equal(config.trustedProxyIp, "127.0.0.1", "nobody in front of the service is believed");
  ok(seconds(fly.kill_timeout) >= config.shutdownGraceMs / 1_000 + 2);
});

Deno.test("machines stay, because the hot tier is in their memory", () => {
  equal(fly.http_service.auto_stop_machines, "off");
  ok(fly.http_service.min_machines_running >= 1);
  ok(fly.http_service.concurrency.soft_limit < fly.http_service.concurrency.hard_limit);
});

Deno.test("the checks of fly.toml answer", async () => {
  await using service = await startService({ embedded: true });
  for (const { path } of [...fly.http_service.checks, ...Object.values(fly.checks)]) {
    equal((await service.get(path, { key: null })).status, 200, path);
  }
});
