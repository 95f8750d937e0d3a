/**
 * A process that a test kills: opens the data folder, then writes rows for ever and prints the id of each stored one.
 */
import postgres from "postgres";
import { startEmbedded } from "./embedded.ts";

const embedded = await startEmbedded(Deno.args[0], { embeddingDimension: 384 });
const sql = postgres({ onnotice: () => {}, ...embedded.ownerConnection });
await sql`create table if not exists written (id bigserial primary key, body text)`;
console.log("open");
for (;;) {
  const [{ id }] = await sql`insert into written (body) values (${crypto.randomUUID().repeat(50)}) returning id`;
  console.log(`${id}`);
}
