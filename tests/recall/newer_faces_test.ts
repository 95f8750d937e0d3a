/** Every face points to what was said later about the same matter, and none to what its reader may not see. */
import assert from "node:assert/strict";
import { Person, serve } from "../cli/_svc.ts";
import { POSTGRES } from "../_postgres.ts";
import { startService, type TestService } from "../_service.ts";
import { type Asker, commandFaces, FACES } from "./_newer_faces.ts";

const OLD = "The go-to editor of the printing team is Sublime Text";
const NEW = "printing team caved, quokka mode is the editor now. Sublime is uninstalled";
const QUESTION = "Which editor is the go-to of the printing team?";

async function tell(service: TestService, statement: string, at: string, more: object = {}): Promise<string> {
  const body = { statement, occurredAt: at, attribution: "user_stated", ...more };
  const reply = await service.post("/v1/memory/facts", body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.id;
}

async function tellPair(service: TestService, more: object = {}): Promise<Asker & { readonly later: string }> {
  const id = await tell(service, OLD, "2026-03-02T09:14:00Z");
  const later = await tell(service, NEW, "2026-05-20T18:40:00Z", more);
  return { service, key: service.key, question: QUESTION, id, later };
}

/** The pointer in what a face shows, as data or as words. */
const POINTER = /(?:"newer":\s?\{|said later)[^]{0,300}quokka/;

Deno.test({
  ...POSTGRES,
  name: "each face shows what was said later about a matter, and that it has ended",
  async fn() {
    await using service = await startService();
    await using served = serve(service);
    await using person = await Person.make();
    const asker = await tellPair(service);
    for (const { name, read } of [...FACES, ...commandFaces(person, served)]) {
      const shown = await read(asker);
      const at = POINTER.exec(shown)?.[0];
      assert.ok(at !== undefined, `${name}: ${shown}`);
      assert.match(shown.slice(shown.indexOf(at)), /it has ended|\\?"ended\\?":\s?true/, `${name}: ${shown}`);
    }
  },
});

/** Asks every face, and says which of them point to the later statement, or show its words at all. */
async function look(asker: Asker, word: RegExp): Promise<string[]> {
  const found: string[] = [];
  for (const { name, read } of FACES) if (word.test(await read(asker))) found.push(name);
  return found;
}

const ALL = FACES.map(({ name }) => name);
/** Its words, wherever they stand. */
const WORDS = /quokka/;

Deno.test({
  ...POSTGRES,
  name: "no face points to what its reader's clearance does not reach, or shows its words or its id",
  async fn() {
    await using service = await startService();
    const asker = await tellPair(service, { sensitivity: "confidential" });
    assert.deepEqual(await look(asker, POINTER), ALL);
    const key = await service.createKey({ maxSensitivity: "internal" });
    assert.deepEqual(await look({ ...asker, key }, new RegExp(`quokka|${asker.later}`)), []);
    await service.patch(`/v1/memory/facts/${asker.later}`, { sensitivity: "internal" });
    assert.deepEqual(await look({ ...asker, key }, POINTER), ALL, "it is seen now");
    await service.patch(`/v1/memory/facts/${asker.later}`, { sensitivity: "restricted" });
    assert.deepEqual(await look({ ...asker, key }, WORDS), [], "it is seen no more");
  },
});

/** What takes a statement out of sight, and what of it no face may show afterwards. */
const ENDS: readonly {
  readonly what: string;
  readonly end: (asker: Asker & { readonly later: string }, clock: { ms: number }) => Promise<unknown>;
  readonly gone: RegExp;
}[] = [
  {
    what: "erased",
    end: ({ service, later }) => service.post(`/v1/facts/${later}/forget`, { mode: "erase" }),
    gone: WORDS,
  },
  {
    what: "archived",
    end: ({ service, later }) => service.post(`/v1/facts/${later}/forget`, { mode: "archive" }),
    gone: POINTER,
  },
  {
    what: "retracted",
    end: ({ service, later }) => service.patch(`/v1/memory/facts/${later}`, { status: "retracted" }),
    gone: POINTER,
  },
  {
    what: "expired",
    end: (_, clock) => Promise.resolve(clock.ms += 2 * 3_600_000),
    gone: POINTER,
  },
  {
    what: "over",
    end: ({ service, later }) =>
      service.patch(`/v1/memory/facts/${later}`, { validTo: new Date(Date.now() - 60_000).toISOString() }),
    gone: POINTER,
  },
  {
    what: "reworded to something else",
    end: ({ service, later }) => service.patch(`/v1/memory/facts/${later}`, { statement: "Buy twelve candles" }),
    gone: POINTER,
  },
];

Deno.test({
  ...POSTGRES,
  name: "no face points to what was erased, archived, retracted or reworded, or has expired or ended, with no restart",
  async fn() {
    const clock = { ms: 0 };
    await using service = await startService({ clock: () => new Date(Date.now() + clock.ms) });
    for (const { what, end, gone } of ENDS) {
      const there = await service.inNewWorkspace();
      const expiresAt = new Date(Date.now() + clock.ms + 3_600_000).toISOString();
      const asker = await tellPair(there, what === "expired" ? { expiresAt } : {});
      assert.deepEqual(await look(asker, POINTER), ALL, `before it is ${what}`);
      await end(asker, clock);
      assert.deepEqual(await look(asker, gone), [], `it is ${what}`);
    }
  },
});

Deno.test({
  ...POSTGRES,
  name: "what was said later in another workspace is not shown in this one",
  async fn() {
    await using service = await startService();
    const id = await tell(service, OLD, "2026-03-02T09:14:00Z");
    const other = await service.inNewWorkspace();
    await tell(other, NEW, "2026-05-20T18:40:00Z");
    assert.deepEqual(await look({ service, key: service.key, question: QUESTION, id }, WORDS), []);
  },
});
