// deno-lint-ignore-file
import { proposeCollapse } from "../../src/providers/collapse.ts";
const data = JSON.parse(await Deno.readTextFile(Deno.args[0]!));
const conv = data[Number(Deno.args[1])].conversation;
const k = Deno.args[2]!;
const turns = conv[`session_${k}`].map((t: any, i: number) => ({
  messageId: String(i),
  role: "user",
  name: t.speaker,
  content: t.text,
  occurredAt: "2023-05-08T10:00:00Z",
}));
const r = await proposeCollapse(null, turns);
for (const t of turns) {
  console.log(`${t.messageId} ${t.name}: ${t.content}`);
  for (const s of r.statements.filter((x) => x.messageId === t.messageId)) console.log("      >> " + s.statement);
}
