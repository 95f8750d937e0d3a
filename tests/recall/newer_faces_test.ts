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
