import assert from "node:assert/strict";
import { createLog } from "../telemetry/log.ts";
import { waitFor } from "../../tests/_wait.ts";
import { WorkerProcess } from "./worker_process.ts";

/** A process that listens on its socket and ends with its standard input, as a worker does. */
function startListener(socket: string): Deno.ChildProcess {
  const program = `
    const listener = Deno.listen({ transport: "unix", path: Deno.args[0] });
    (async () => { for await (const connection of listener) connection.close(); })();
    for await (const _ of Deno.stdin.readable);
    Deno.exit();
  `;
  const args = ["eval", "--no-config", program, socket];
  return new Deno.Command(Deno.execPath(), { args, stdin: "piped" }).spawn();
}

/** Throws the machine's error for a process that it cannot start. @throws Error always */
function failToStart(): Deno.ChildProcess {
  return new Deno.Command("/nowhere/at/all").spawn();
}

Deno.test("a worker that cannot be started again is tried until it can; one that was never up is given up at once", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-test-" });
  try {
    const lines: string[] = [];
    const log = createLog({ level: "error", secrets: [], sink: (line) => lines.push(line) });
    const starts: ("fails" | "works")[] = ["works", "fails", "fails", "works"];
    const worker = new WorkerProcess(0, {
      ...{ log, folder },
      spawn: (_, socket) => starts.shift() === "works" ? startListener(socket) : failToStart(),
      onRefused: (code) => assert.fail(`it was refused with ${code}`),
    });
    const running = worker.run();
    await worker.up;
    const first = worker.pid!;
    Deno.kill(first, "SIGKILL");
    // If a worker gives up, this shows the reason.
    await Promise.race([running, waitFor("another process is up", () => worker.isUp && worker.pid !== first)]);
    assert.deepEqual([worker.isUp, worker.restarts, starts], [true, 1, []]);
    const events = lines.map((line) => JSON.parse(line).event);
    assert.deepEqual(events, ["server.worker_ended", "server.worker_not_started", "server.worker_not_started"]);
    worker.stop();
    await running;
    worker.client.close();

    const never = new WorkerProcess(1, { log, folder, spawn: failToStart, onRefused: () => {} });
    await assert.rejects(never.run(), Deno.errors.NotFound);
    never.client.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
