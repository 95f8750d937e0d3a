import assert from "node:assert/strict";
import * as events from "./events.ts";
import { createLog, type Log } from "./log.ts";

Deno.test("every event is one line with its own dotted name, and hides secrets in its error", () => {
  const names = new Set<string>();
  for (const [helper, emit] of Object.entries(events)) {
    const lines: string[] = [];
    const log = createLog({ level: "debug", sink: (line) => lines.push(line) });
    const error = new Error("cannot reach postgres://svc:hunter2@db/svc");
    (emit as unknown as (log: Log, fields: Record<string, unknown>) => void)(log, { error, route: undefined });
    assert.equal(lines.length, 1, helper);
    const line = JSON.parse(lines[0]);
    assert.match(line.event, /^[a-z_]+\.[a-z_]+$/, helper);
    assert.ok(!names.has(line.event), `${helper}: ${line.event} is taken`);
    names.add(line.event);
    assert.ok(!lines[0].includes("hunter2"), helper);
  }
});

Deno.test("a shutdown that did not drain is a warning", () => {
  const levels: string[] = [];
  const log = createLog({ sink: (_line, level) => levels.push(level) });
  events.shutdownFinished(log, { durationMs: 5, drained: true });
  events.shutdownFinished(log, { durationMs: 5, drained: false });
  assert.deepEqual(levels, ["info", "warn"]);
});
