/** The OpenAPI document under two independent linters, with the rules that each recommends. */
import assert from "node:assert/strict";
import spectral from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";
import { LOCKED } from "../scripts/locked.ts";

const FILE = new URL("./openapi.json", import.meta.url);

/** What neither knows: an operation that becomes a WebSocket succeeds with 101. */
const WEBSOCKET = "/paths/~1stream/get/responses";

Deno.test("the document is clean under Redocly, but for the WebSocket, which succeeds with 101", async () => {
  const config = await Deno.makeTempFile({ suffix: ".yaml" });
  try {
    await Deno.writeTextFile(config, "extends: [recommended]\n");
    const lint = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        ...LOCKED,
        "-A",
        "--quiet",
        "@redocly/cli",
        "lint",
        "--config",
        config,
        "--format",
        "json",
        FILE.pathname,
      ],
      cwd: new URL("..", import.meta.url),
      env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    }).output();
    const { problems } = JSON.parse(new TextDecoder().decode(lint.stdout));
    assert.deepEqual(
      // deno-lint-ignore no-explicit-any
      problems.map((problem: any) => `${problem.ruleId}: ${problem.message} ${problem.location?.[0]?.pointer}`),
      [
        // An id is a UUID, so `by-external-id` is none.
        "no-ambiguous-paths: Paths should resolve unambiguously. Found two ambiguous paths: `/memory/facts/by-external-id/{externalId}` and `/memory/facts/{id}/revisions`. #/paths/~1memory~1facts~1{id}~1revisions",
        `operation-2xx-response: Operation must have at least one \`2XX\` response. #${WEBSOCKET}`,
      ],
    );
  } finally {
    await Deno.remove(config);
  }
});

Deno.test("the document is clean under Spectral, but for the WebSocket, which succeeds with 101", async () => {
  const linter = new spectral.Spectral();
  linter.setRuleset(new spectral.Ruleset({ extends: [[rulesets.oas, "recommended"]] }));
  const findings = await linter.run(JSON.parse(await Deno.readTextFile(FILE)));
  assert.deepEqual(
    findings.map(({ code, message, path }) => `${code}: ${message} ${toPointer(path)}`),
    [`operation-success-response: Operation must have at least one "2xx" or "3xx" response. ${WEBSOCKET}`],
  );
});

function toPointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
