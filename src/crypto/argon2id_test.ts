import assert from "node:assert/strict";
import { argon2id } from "hash-wasm";
import { ServiceError } from "../errors.ts";
import { Argon2id } from "./argon2id.ts";

const SECRET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg";
// Made with the reference implementation's program: argon2 somesaltsomesalt -id -k 19456 -t 2 -p 1 -l 32
const PHC = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$cx+ihDQcHumD5M3NHP2q1FFx7P4R4K7k7DDr8COuFtg";

function dataWorker(program: string): Worker {
  return new Worker(`data:text/javascript,${encodeURIComponent(program)}`, { type: "module" });
}

async function refusesUnavailable(run: Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(run, (error) => {
    assert.ok(error instanceof ServiceError, String(error));
    assert.equal(error.code, "unavailable");
    assert.equal(error.headers["retry-after"], "1");
    assert.match(error.message, message);
    return true;
  });
}

Deno.test("a string made by the reference implementation is verified, and nothing else passes for its secret", async () => {
  using pool = new Argon2id();
  assert.equal(await pool.verify(SECRET, PHC), true);
  for (const other of ["0", SECRET.slice(1), `${SECRET}0`, SECRET.toLowerCase()]) {
    assert.equal(await pool.verify(other, PHC), false, other);
  }
  assert.equal(await pool.verify(SECRET, PHC.replace("cx+i", "dx+i")), false);
  assert.equal(await pool.verify(SECRET, PHC.replace("c29t", "d29t")), false);
});

Deno.test("a new hash is salted, carries the cost, and verifies", async () => {
  using pool = new Argon2id();
  const [first, second] = await Promise.all([pool.hash(SECRET), pool.hash(SECRET)]);
  assert.notEqual(first, second);
  for (const phc of [first, second]) {
    assert.match(phc, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    assert.ok(!phc.includes(SECRET));
    assert.equal(await pool.verify(SECRET, phc), true);
  }
});

Deno.test("a thread's memory carries nothing from one hash into the next", async () => {
  using pool = new Argon2id();
  for (const secret of ["a", SECRET, "b".repeat(1_000), "a"]) {
    const phc = await pool.hash(secret);
    const [, salt] = /p=1\$([^$]+)/.exec(phc)!;
    // The same function in its plain form: a new instance for every hash.
    const cost = { memorySize: 19_456, iterations: 2, parallelism: 1, hashLength: 32 };
    const plain = await argon2id({
      password: secret,
      salt: Uint8Array.fromBase64(salt),
      ...cost,
      outputType: "encoded",
    });
    assert.equal(phc, plain);
  }
  assert.equal(await pool.verify(SECRET, PHC), true);
});

Deno.test("a stored string of another kind, cost or length is refused before anything is computed", async () => {
  using pool = new Argon2id({ spawn: () => assert.fail("a thread was started") });
  const wrong = [
    "",
    PHC.replace("argon2id", "argon2i"),
    PHC.replace("v=19", "v=16"),
    PHC.replace("19456", "4194304"),
    PHC.replace("19456", "8"),
    PHC.replace("t=2", "t=1"),
    PHC.replace("t=2", "t=2000"),
    PHC.replace("p=1", "p=4"),
    PHC.replace("$m=", "$keyid=x,m="),
    `${PHC}=`,
    `${PHC}\n`,
    ` ${PHC}`,
    PHC.replace("c29t", "c29*"),
  ];
  for (let length = 0; length < PHC.length; length++) wrong.push(PHC.slice(0, length));
  for (const phc of wrong) {
    await assert.rejects(pool.verify(SECRET, phc), (error) => {
      assert.ok(error instanceof ServiceError);
      assert.equal(error.code, "internal");
      assert.doesNotMatch(error.message, /argon2i\b|c29t|cx\+i/);
      return true;
    }, phc);
  }
});

Deno.test("the event loop turns while a hash is computed", async () => {
  using pool = new Argon2id();
  await pool.hash("warm");
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await Promise.all(Array.from({ length: 4 }, () => pool.hash(SECRET)));
  clearInterval(timer);
  assert.ok(turns >= 4, `${turns} turns`);
});

Deno.test("beyond the threads and the queue a request is refused at once, and accepted again afterwards", async () => {
  using pool = new Argon2id({ workers: 1, queueMax: 2 });
  const accepted = [1, 2, 3].map(() => pool.hash(SECRET));
  assert.equal(pool.waiting, 2);
  await refusesUnavailable(pool.hash(SECRET), /2 others are waiting/);
  for (const phc of await Promise.all(accepted)) assert.match(phc, /^\$argon2id/);
  assert.equal(pool.waiting, 0);
  assert.equal(await pool.verify(SECRET, PHC), true);
});

Deno.test("two threads work at the same time and no more", async () => {
  let started = 0;
  const reply = "onmessage = () => setTimeout(() => postMessage({ digest: new Uint8Array(32) }), 20)";
  const spawn = () => {
    started++;
    return dataWorker(reply);
  };
  using pool = new Argon2id({ workers: 2, queueMax: 0, spawn });
  const both = [pool.hash("a"), pool.hash("b")];
  await refusesUnavailable(pool.hash("c"), /waiting/);
  await Promise.all(both);
  await pool.hash("d");
  assert.equal(started, 2);
});

Deno.test("a thread that is killed from outside: its request is refused, the next one is answered", async () => {
  const { workers, spawn } = recorded();
  using pool = new Argon2id({ jobTimeoutMs: 6_000, spawn });
  assert.equal(await pool.verify(SECRET, PHC), true);
  const cut = pool.verify(SECRET, PHC);
  workers[0].terminate();
  await refusesUnavailable(cut, /did not answer/);
  assert.equal(await pool.verify(SECRET, PHC), true);
  assert.equal(workers.length, 2);
});

Deno.test("a thread that throws is replaced, and the process lives on", async () => {
  const programs = ["onmessage = () => { throw new Error('boom') }", "throw new Error('at start')"];
  const { workers, spawn } = recorded();
  using pool = new Argon2id({
    spawn: () => {
      const program = programs.shift();
      return program === undefined ? spawn() : dataWorker(program);
    },
  });
  await refusesUnavailable(pool.hash(SECRET), /a worker thread died/);
  await refusesUnavailable(pool.hash(SECRET), /a worker thread died/);
  assert.equal(await pool.verify(SECRET, PHC), true);
  assert.equal(workers.length, 1);
});

Deno.test("the death of one thread refuses one request, those that wait are answered", async () => {
  const programs = ["onmessage = () => { throw new Error('boom') }"];
  const { spawn } = recorded();
  using pool = new Argon2id({
    spawn: () => {
      const program = programs.shift();
      return program === undefined ? spawn() : dataWorker(program);
    },
  });
  const [first, second, third] = await Promise.allSettled([1, 2, 3].map(() => pool.verify(SECRET, PHC)));
  assert.equal(first.status, "rejected");
  assert.deepEqual([second, third].map((result) => result.status === "fulfilled" && result.value), [true, true]);
});

Deno.test("a thread that cannot be started or cannot compute refuses its request", async () => {
  using broken = new Argon2id({
    spawn: () => {
      throw new Error("no threads");
    },
  });
  await refusesUnavailable(broken.hash(SECRET), /could not be started/);
  using failing = new Argon2id({ spawn: () => dataWorker("onmessage = () => postMessage({ error: 'no memory' })") });
  await refusesUnavailable(failing.hash(SECRET), /could not compute it/);
});

Deno.test("an aborted request ends at once, waiting or running, and leaves the others alone", async () => {
  using pool = new Argon2id({ workers: 1, queueMax: 4 });
  const running = new AbortController();
  const waiting = new AbortController();
  const first = pool.verify(SECRET, PHC, running.signal);
  const second = pool.verify(SECRET, PHC, waiting.signal);
  const third = pool.verify(SECRET, PHC);
  const reason = new Error("client went away");
  waiting.abort(reason);
  assert.equal(pool.waiting, 1);
  running.abort(reason);
  await assert.rejects(first, reason);
  await assert.rejects(second, reason);
  assert.equal(await third, true);
  await assert.rejects(pool.verify(SECRET, PHC, AbortSignal.abort(reason)), reason);
});

Deno.test("after disposal everything is refused and no thread is left", async () => {
  const pool = new Argon2id();
  const cut = [pool.hash(SECRET), pool.hash(SECRET)].map((run) => refusesUnavailable(run, /stopping/));
  pool[Symbol.dispose]();
  await Promise.all(cut);
  await refusesUnavailable(pool.hash(SECRET), /stopping/);
});

Deno.test("the threads start from a bundle in an empty folder, without the source tree", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const entry = new URL("./argon2id.ts", import.meta.url).href;
    const program = `import { Argon2id } from ${JSON.stringify(entry)};
      using pool = new Argon2id();
      console.log(await pool.verify(${JSON.stringify(SECRET)}, ${JSON.stringify(PHC)}));`;
    await Deno.writeTextFile(`${dir}/main.ts`, program);
    const config = new URL("../deno.json", import.meta.url).pathname;
    await runDeno(["bundle", "--quiet", "--config", config, "-o", `${dir}/bundle.js`, `${dir}/main.ts`]);
    await Deno.mkdir(`${dir}/empty`);
    await Deno.rename(`${dir}/bundle.js`, `${dir}/empty/bundle.js`);
    // No permission at all: nothing is read from disk or fetched to start a thread.
    const output = await runDeno(
      ["run", "--no-config", "--no-remote", "--no-npm", "--no-prompt", "bundle.js"],
      `${dir}/empty`,
    );
    assert.equal(output, "true\n");
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

async function runDeno(args: string[], cwd?: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** Starts the real threads and keeps them, so that a test can kill them. */
function recorded(): { workers: Worker[]; spawn: () => Worker } {
  const program = Deno.readTextFileSync(new URL("../gen/argon2id_worker.js.txt", import.meta.url));
  const workers: Worker[] = [];
  const spawn = () => {
    const worker = new Worker(`data:text/javascript;base64,${new TextEncoder().encode(program).toBase64()}`, {
      type: "module",
    });
    workers.push(worker);
    return worker;
  };
  return { workers, spawn };
}
