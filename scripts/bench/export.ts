/**
 * Measures an export of many units over HTTP: its rate, and the memory of the service while it runs.
 *
 *     deno run -A scripts/bench/export.ts [--units 1000000] [--json <file>]
 *
 * The rows of `unit` and `unit_revision` are made by SQL; what an export does not read (the index) is left out. The file is
 * read as it comes, hashed and held against its last line. Memory is the resident set of the service's process, sampled
 * five times a second; that it is constant shows in the middle and the end of the export being alike.
 */
import { parseArgs } from "node:util";
import postgres from "postgres";
import { describeMachine, formatTable, note, parseCount, round, writeJson } from "./_bench.ts";
import { readExport } from "./_export.ts";
import { readRss } from "./_http.ts";
import { startBenchService } from "./_service.ts";

const SAMPLE_MS = 200;
const CHUNK_UNITS = 50_000;

/** Makes facts of one version, of some 200 bytes of text. */
async function loadUnits(url: string, workspaceId: string, units: number): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  for (let from = 0; from < units; from += CHUNK_UNITS) {
    const to = Math.min(units, from + CHUNK_UNITS);
    await sql`
      with made as (
        insert into unit (workspace_id, id, type, status, attribution, trust_score, confidence, content_hash,
                          origin_instance, origin_id, text, doc_no, body, recorded_at, created_at, updated_at, created_by)
        select ${workspaceId}, i.id, 'fact', 'active', 'agent_stated', 60, 0.8, md5(n::text), 'instance:bench', i.id,
               t.text, n + 1,
               jsonb_build_object('statement', t.text, 'subject', null, 'predicate', null, 'object', null,
                                  'factType', 'fact', 'supersedes', null, 'supersededBy', null, 'citations', '[]'::jsonb,
                                  'folded', '{"subject":null,"predicate":null,"object":null}'::jsonb),
               now(), now(), now(), 'bench'
          from generate_series(${from}::int, ${to - 1}::int) as n
         cross join lateral (
           select ('01890000-' || lpad(to_hex(n >> 16), 4, '0') || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id) i
         cross join lateral (select 'Thing ' || n || ' lies in drawer ' || n % 97 || repeat(' of the house', 12) as text) t
        returning *
      )
      insert into unit_revision (workspace_id, id, version, doc_no, sensitivity, recorded_at, changed_by, event, snapshot)
      select workspace_id, id, version, doc_no, sensitivity, recorded_at, created_by, 'created',
             to_jsonb(made) - '{use_count,last_used_at}'::text[]
        from made`;
    note(`${to} units made`);
  }
  await sql.unsafe("vacuum (analyze) unit, unit_revision");
  await sql.end({ timeout: 5 });
}

const { values } = parseArgs({ args: Deno.args, options: { units: { type: "string" }, json: { type: "string" } } });
const units = parseCount("units", values.units, 1_000_000);

await using service = await startBenchService({ database: "postgres" });
await loadUnits(service.superuserUrl!, service.access.workspaceId, units);

const before = readRss(service.pid);
const samples: number[] = [];
const timer = setInterval(() => samples.push(readRss(service.pid)), SAMPLE_MS);
const { seconds, bytes } = await readExport(service.url, service.access.key, { types: ["fact"], lines: units });
clearInterval(timer);

const third = Math.floor(samples.length / 3);
const peak = (part: readonly number[]) => round(Math.max(...part), 0);
const report = {
  machine: describeMachine(),
  database: service.database,
  units,
  seconds: round(seconds, 1),
  unitsPerSecond: Math.round(units / seconds),
  mebibytes: round(bytes / 1_048_576, 1),
  rssMiB: {
    before: round(before, 0),
    firstThird: peak(samples.slice(0, third)),
    middleThird: peak(samples.slice(third, 2 * third)),
    lastThird: peak(samples.slice(2 * third)),
  },
};
console.log(formatTable(
  ["units", "seconds", "units/s", "MiB", "RSS before", "peak 1st third", "2nd", "3rd"],
  [[
    units,
    report.seconds,
    report.unitsPerSecond,
    report.mebibytes,
    ...[report.rssMiB.before, report.rssMiB.firstThird, report.rssMiB.middleThird, report.rssMiB.lastThird],
  ]],
));
await writeJson(values.json, report);
