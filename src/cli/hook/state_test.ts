import { deepEqual, equal } from "node:assert/strict";
import { join } from "node:path";
import { States } from "./state.ts";

/** Runs with its own folder for states. */
async function withStates(run: (states: States, folder: string) => Promise<void>): Promise<void> {
  const before = Deno.env.get("XDG_STATE_HOME");
  const folder = await Deno.makeTempDir({ prefix: "svc-states-" });
  Deno.env.set("XDG_STATE_HOME", folder);
  try {
    await run(new States("http://127.0.0.1:1", "svc_live_aaaaaaaaaaaaaaaaaaaa"), join(folder, "svc", "hooks"));
  } finally {
    if (before === undefined) Deno.env.delete("XDG_STATE_HOME");
    else Deno.env.set("XDG_STATE_HOME", before);
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("of many conversations that are behind each is met, and what was sent or is gone is met no more", async () => {
  await withStates(async (states, folder) => {
    const names = Array.from({ length: 8 }, (_, i) => `s${i}`);
    for (const name of names) await states.write({ ...await states.read("codex", name), isBehind: true });
    const own = await states.read("codex", "s0");
    const met = new Set<string>();
    for (let tries = 0; tries < 200; tries++) {
      const some = await states.listBehind(own, 3);
      equal(some.length, 3);
      for (const { session } of some) met.add(session);
    }
    deepEqual([...met].sort(), names.slice(1));
    await states.write({ ...await states.read("codex", "s1"), isBehind: false });
    equal((await states.listBehind(own, 9)).length, 6);
    // A mark that a dying hook left, or whose state is gone.
    const mark = join(folder, "behind", [...Deno.readDirSync(join(folder, "behind"))][0]!.name + "x");
    await Deno.writeTextFile(mark, "");
    equal((await states.listBehind(own, 9)).length, 6);
    equal([...Deno.readDirSync(join(folder, "behind"))].length, 8, "its hook may be about to write the state");
    const old = new Date("2026-01-01T00:00:00Z");
    await Deno.utime(mark, old, old);
    equal((await states.listBehind(own, 9)).length, 6);
    equal([...Deno.readDirSync(join(folder, "behind"))].length, 7);
    deepEqual(await new States("http://127.0.0.1:2", "svc_live_bbbbbbbbbbbbbbbbbbbb").listBehind(own, 9), []);
  });
});

Deno.test("states of conversations that ended long ago are removed once there are many", async () => {
  await withStates(async (states, folder) => {
    await states.write({ ...await states.read("codex", "behind"), isBehind: true });
    const [kept] = [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile);
    for (let i = 0; i < 500; i++) await states.write(await states.read("codex", `s${i}`));
    const files = () => [...Deno.readDirSync(folder)].filter(({ name }) => name.endsWith(".json"));
    const old = new Date("2026-01-01T00:00:00Z");
    const ended = files().filter(({ name }) => name !== kept!.name).slice(0, 3);
    for (const { name } of [kept!, ...ended]) await Deno.utime(join(folder, name), old, old);
    // Two hooks at once.
    await Promise.all([states.prune(new Date()), states.prune(new Date())]);
    equal(files().length, 498);
    equal((await states.listBehind(await states.read("codex", "s0"), 9)).length, 1, "what is behind stays");
    for (const { name } of files().slice(0, 3)) await Deno.utime(join(folder, name), old, old);
    const tomorrow = new Date(Date.now() + 86_400_000);
    await states.prune(tomorrow);
    equal(files().length, 498, "few are kept, however old they are");
    for (let i = 500; i < 510; i++) await states.write(await states.read("codex", `s${i}`));
    await states.prune(tomorrow);
    equal(files().length, 508, "it looks once a day");
    await states.prune(new Date(tomorrow.getTime() + 86_400_000));
    equal(files().length, 505);
  });
});
