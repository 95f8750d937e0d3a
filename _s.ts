import { proposeByRules } from "./src/language/extraction.ts";
import { validateProposals } from "./src/language/proposals.ts";
import { settleChanges } from "./src/language/session_changes.ts";
const outd: string[] = [];
import { dangles } from "./scripts/bench/_collapse_score.ts";
const data = JSON.parse(await Deno.readTextFile("/work/shared/data/locomo/conversations.json"));
let n=0, turnsN=0, d=0, ms=0; const all: string[] = []; const dropped: Record<string,number> = {};
for (const { conversation: c } of data) {
  for (let s=1; c[`session_${s}`]; s++) {
    const m = /(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)/.exec(c[`session_${s}_date_time`])!;
    const at = new Date(`${m[4]} ${m[5]} ${m[6]} ${m[1]}:${m[2]} ${m[3]} UTC`);
    const turns = c[`session_${s}`].map((t: any, i: number) => ({ messageId: t.dia_id, role: "user" as const, name: t.speaker, content: t.text, occurredAt: new Date(at.getTime()+i*30000).toISOString() }));
    const t0=performance.now(); const v0 = validateProposals(turns, proposeByRules(turns)); const st = settleChanges(v0.statements, turns); for (const x of st.outdated) outd.push(x.statement); const v = { statements: st.kept, dropped: v0.dropped }; ms+=performance.now()-t0;
    turnsN+=turns.length; n+=v.statements.length;
    for (const x of v.dropped) dropped[x.reason]=(dropped[x.reason]??0)+1;
    for (const x of v.statements) { if (dangles(x.statement)) { d++; console.log("DANGLE", x.statement); } all.push(`${x.confidence} ${x.statement}\n        <- ${x.quote}`); }
  }
}
console.log({ turnsN, n, d, ms, dropped });
const seed = Number(Deno.args[0] ?? 1); const step = Math.floor(all.length/60);
for (let i=seed;i<all.length;i+=step) console.log(all[i]);
console.log("OUTDATED"); console.log(outd.join("\n"));
