/**
 * Writes `src/gen/reply_examples.json`, the replies that the reference shows: `deno run -A scripts/gen/reply_examples.ts`.
 *
 * Asks a service on an embedded database for the example of every operation, as the contract test does. Ids and times are
 * replaced, so that a reply reads the same whenever it was made; a test holds each against its schema.
 *
 * There is no `--check`, because two runs differ: a reply holds hashes and signatures over random ids, names and times, how
 * long a recall took, cursors, and places in a graph. `tests/openapi_test.ts` checks instead that each reply fits its schema.
 */
import { bearerFor, createFixture } from "../../tests/_fixtures.ts";
import { startService } from "../../tests/_service.ts";
import { makePeerKeys } from "../../tests/federation/_peer.ts";
import { pathOf } from "../../src/http/app.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { checkInput } from "../../src/schema/field_errors.ts";

const FILE = new URL("../../src/gen/reply_examples.json", import.meta.url);
const TIME = "2026-03-01T09:30:00.000Z";

const ids = new Map<string, string>();

/** The same id for the same id, in the order in which they are met. */
function idFor(id: string): string {
  if (!ids.has(id)) ids.set(id, `01890000-0000-7000-8000-${String(ids.size + 1).padStart(12, "0")}`);
  return ids.get(id)!;
}

function tidy(text: string): string {
  const year = new Date().getUTCFullYear();
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, idFor)
    .replaceAll(new RegExp(`\\b${year}-\\d\\d-\\d\\dT[\\d:.]+Z`, "g"), TIME)
    .replaceAll(/\bwhsec_[0-9A-Za-z+/=]+/g, "whsec_…")
    .replaceAll(/\b(svc_live|mk_admin|mk_broker)_[0-9A-Za-z]+/g, "$1_…")
    .replaceAll(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "eyJ…")
    .replaceAll(/\bapp [0-9a-f-]{36}/g, "notes app")
    // What fixtures add to names, so that each is another one.
    .replaceAll(/ ?\(\d+-[0-9a-f]{8}\)/g, "");
}

/** Keeps the first of the objects in each list, unless `accepts` refuses the value then: some lists have a fixed length. */
function shorten(value: unknown, accepts: (value: unknown) => boolean): unknown {
  if (typeof value !== "object" || value === null) return value;
  const isLong = Array.isArray(value) && value.length > 1 && value.every((item) => typeof item === "object");
  if (isLong && accepts(value.slice(0, 1))) return shorten(value.slice(0, 1), accepts);
  const short = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  for (const [name, member] of Object.entries(value)) {
    const around = (one: unknown) => Array.isArray(short) ? short.with(Number(name), one) : { ...short, [name]: one };
    short[name] = shorten(member, (one) => accepts(around(one)));
  }
  return short;
}

/** The reply to the example of each operation. */
async function collectReplies(): Promise<Record<string, unknown>> {
  const examples: Record<string, unknown> = {};
  await using service = await startService({
    embedded: true,
    env: { SVC_FEDERATION_PRIVATE_KEY: makePeerKeys().privatePem },
  });
  // What the examples of recall ask for.
  for (const statement of ["Caroline adopted a dog called Pixel last Friday.", "Caroline lives in the Rue Lepic."]) {
    await service.post("/v1/memory/facts", { statement });
  }
  for (const endpoint of ENDPOINTS) {
    const { operation, route } = endpoint;
    if (route.deprecated || operation === undefined || !("reply" in operation)) continue;
    const fixture = await createFixture(service, endpoint);
    const path = pathOf(endpoint).replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => encodeURIComponent(fixture.params[name] ?? ""),
    );
    const takesBody = operation.body !== undefined || operation.file !== undefined;
    const sent = takesBody ? fixture.body ?? operation.example.body ?? operation.file?.example : undefined;
    const { body, status } = await service.call(route.method.toUpperCase(), path + (fixture.query ?? ""), {
      key: bearerFor(service, endpoint, fixture),
      body: sent,
      ...(fixture.prove && { prove: fixture.prove }),
    });
    if (status >= 300 || body === undefined) {
      console.error(`No reply for ${operation.id}: ${status}`);
      continue;
    }
    const reply = JSON.parse(tidy(JSON.stringify(body)));
    examples[operation.id] = shorten(reply, (one) => checkInput(operation.reply, one).faults === undefined);
  }
  return examples;
}

const examples = await collectReplies();
const lines = Object.entries(examples).sort(([a], [b]) => a < b ? -1 : 1)
  .map(([id, reply]) => `${JSON.stringify(id)}: ${JSON.stringify(reply)}`);
await Deno.writeTextFile(FILE, `{\n${lines.join(",\n")}\n}\n`);
console.log(`${lines.length} replies`);
// The thread of the tests' services that hashes keys would hold this process.
Deno.exit();
