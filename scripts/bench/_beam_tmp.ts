// deno-lint-ignore-file
import { proposeCollapse } from "../../src/providers/collapse.ts";
const data = JSON.parse(await Deno.readTextFile(Deno.args[0]!));
const flat: any[] = [];
const walk = (x: any) => {
  if (Array.isArray(x)) x.forEach(walk);
  else if (x && typeof x === "object") {
    if (typeof x.role === "string" && typeof x.content === "string") flat.push(x);
    else Object.values(x).forEach(walk);
  }
};
walk(data);
const from = Number(Deno.args[1]);
const turns = flat.slice(from, from + 24).map((t: any, i: number) => ({
  messageId: String(i),
  role: t.role,
  content: t.content,
  occurredAt: "2024-03-08T10:00:00Z",
}));
const r = await proposeCollapse(null, turns as any);
for (const s of r.statements) console.log("  >> " + s.statement.slice(0, 420));
