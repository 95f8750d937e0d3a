import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { Buffer } from "node:buffer";
import postgres from "postgres";
import { startEmbedded } from "./embedded.ts";

const OPTIONS = { embeddingDimension: 384 };
const folder = await Deno.makeTempDir({ prefix: "svc-embedded-" });
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

const embedded = await startEmbedded(`${folder}/shared`, OPTIONS);
const sql = postgres({ onnotice: () => {}, ...embedded.ownerConnection });
await sql`create table sample (id int primary key, body text, raw bytea, doc jsonb)`;

Deno.test("requests run as svc_app, the owner as superuser, and pgvector is there", async () => {
  const requests = postgres({ onnotice: () => {}, ...embedded.connection });
  const [row] = await requests`select current_user as role, '[1,2]'::vector <=> '[2,1]'::vector as distance`;
  equal(row.role, "svc_app");
  ok(row.distance > 0.19 && row.distance < 0.21);
  await rejects(requests`select * from sample`, /permission denied/);
  equal((await sql`select current_user as role`)[0].role, "postgres");
  equal((await requests`select current_user as role`)[0].role, "svc_app");
  await requests.end();
});
