/** Progress of long work is for people at a terminal. */
import { deepEqual, equal } from "node:assert/strict";
import { openProgress } from "./progress.ts";

function terminal(isTerminal: boolean) {
  const written: string[] = [];
  return {
    written,
    isTerminal: () => isTerminal,
    writeSync: (bytes: Uint8Array) => written.push(new TextDecoder().decode(bytes)),
  };
}

Deno.test("on a terminal there is one line, which goes at the end; elsewhere there is nothing", () => {
  const screen = terminal(true);
  const progress = openProgress("read", screen);
  for (let i = 0; i < 1_000; i++) progress.count(1, "lines");
  progress.end();
  equal(screen.written[0], "\r\x1b[Kread 1 lines");
  equal(screen.written.at(-1), "\r\x1b[K");
  equal(screen.written.some((text) => text.includes("\n")), false);
  const pipe = terminal(false);
  const silent = openProgress("read", pipe);
  silent.count(1, "lines");
  silent.show("all");
  silent.end();
  deepEqual(pipe.written, []);
});
