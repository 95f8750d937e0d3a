/**
 * Measures the console in Chromium, whose rendering is by software: how long it takes to draw a large graph, and the longest
 * task of the page while a person browses a large memory.
 *
 *     deno run -A scripts/bench/console.ts [--units 100000] [--pages 40] [--json <file>]
 *
 * Units and relations are written past the service, by one statement each, on native PostgreSQL.
 */
import { parseArgs } from "node:util";
import { chromium, type Page } from "playwright-core";
import postgres from "postgres";
import { CHROMIUM } from "../../tests/_programs.ts";
import { describeMachine, formatTable, note, parseCount, round, summarise, writeJson } from "./_bench.ts";
import { type BenchService, startBenchService } from "./_service.ts";

const { values } = parseArgs({
  options: { units: { type: "string" }, pages: { type: "string" }, json: { type: "string" } },
});
const units = parseCount("units", values.units, 100_000, 1_000);
const pages = parseCount("pages", values.pages, 40);
const NODES = 1_000, EDGES = 5_000, DRAWINGS = 20;
const ID = "0195c1a0-0001-7000-8000-";

/** Stores facts like the one that the service made, and relations between the first thousand of them. */
async function load({ url, superuserUrl, access: { workspaceId, key } }: BenchService): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ statement: "The pattern of all others.", tags: ["bench"] });
  const reply = await fetch(`${url}/v1/memory/facts`, { method: "POST", headers, body });
  const { id: pattern } = await reply.json();
  const sql = postgres(superuserUrl!, { max: 1, onnotice: () => {} });
  const id = (n: string) => sql.unsafe(`('${ID}' || lpad(to_hex(${n}), 12, '0'))::uuid`);
  try {
    await sql`create temporary table pattern as select * from unit where id = ${pattern}`;
    await sql`
      insert into unit (workspace_id, id, type, status, attribution, trust_score, confidence, content_hash,
                        origin_instance, origin_id, text, doc_no, body, recorded_at, created_at, updated_at, created_by, tags)
      select p.workspace_id, ${id("n")}, 'fact', 'active', p.attribution, p.trust_score, p.confidence, 'hash ' || n,
             p.origin_instance, ${
      id("n")
    }, t.text, nextval('doc_no'), jsonb_set(p.body, '{statement}', to_jsonb(t.text)),
             at.at, at.at, at.at, p.created_by, p.tags
        from pattern p cross join generate_series(1, ${units}::int) n
             cross join lateral (select 'Note ' || n || ': the ' || (array['pump', 'valve', 'gauge', 'filter'])[1 + n % 4]
               || ' of hall ' || n % 97 || ' was looked at by shift ' || n % 5 || ' and needs nothing before spring.' as text) t
             cross join lateral (select now() - n * interval '3 minutes' as at) at`;
    await sql`
      create temporary table made as
      select n, 1 + n % ${NODES}::int as a, 1 + (n % ${NODES}::int + 1 + abs(hashint4(n)) % (${NODES}::int - 1)) % ${NODES}::int as b
        from generate_series(1, ${EDGES}::int) n`;
    await sql`
      insert into relation (workspace_id, id, verb, is_hyper, identity, weight, confidence, attribution, trust_score,
                            own_sensitivity, sensitivity, created_at, updated_at, created_by)
      select ${workspaceId}, ${id("n + 1000000")}, 'related_to', false, 'bench ' || n, 0.5, 0.8, 'agent_stated', 60,
             'internal', 'internal', now(), now(), 'bench' from made`;
    await sql`
      insert into relation_participant (workspace_id, relation_id, place, role, unit_id, node_id, verb, weight,
                                        is_active, sensitivity)
      select ${workspaceId}, ${id("n + 1000000")}, e.place, e.role, ${id("e.end")}, ${id("e.end")}, 'related_to', 0.5,
             true, 'internal'
        from made cross join lateral (values (0, 'source', a), (1, 'target', b)) as e(place, role, "end")`;
    await sql`analyze unit, relation, relation_participant`;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Keeps the lengths of tasks above 50 ms, as the browser tells them, and of all frames while something is measured. */
const WATCH = `globalThis.tasks = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask" });`;

/** The longest task of the page since the last time, in ms; 0: none was above 50 ms. */
async function longestTask(page: Page): Promise<number> {
  // The observer hears of a task a moment after its end.
  await page.evaluate("new Promise((done) => setTimeout(done, 200))");
  return await page.evaluate<number>("Math.max(0, ...globalThis.tasks.splice(0))");
}

async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    // deno-lint-ignore no-explicit-any
    const { document } = globalThis as any;
    return document.querySelector("h1") !== null && document.querySelector(".loading, [aria-busy=true]") === null;
  });
}

/** Draws the graph again and again; until the pixels are there, which reading one of them waits for. */
async function drawGraph(page: Page): Promise<{ readonly nodes: string; readonly drawingMs: readonly number[] }> {
  const label = await page.locator("canvas").getAttribute("aria-label");
  const drawingMs = await page.evaluate<number[]>(`(async () => {
    const canvas = document.querySelector("canvas"), times = [];
    for (let i = 0; i < ${DRAWINGS}; i++) {
      await new Promise(requestAnimationFrame);
      const start = performance.now();
      dispatchEvent(new Event("resize"));
      canvas.getContext("2d").getImageData(0, 0, 1, 1);
      times.push(performance.now() - start);
    }
    return times;
  })()`);
  return { nodes: label ?? "", drawingMs };
}

await using service = await startBenchService({ database: "postgres" });
note(`Loading ${units} facts and ${EDGES} relations …`);
await load(service);
const browser = await chromium.launch({ executablePath: CHROMIUM!, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.addInitScript(WATCH);
  await page.goto(`${service.url}/console/`);
  await page.getByLabel("Key").fill(service.access.key);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("navigation", { name: "Screens" }).waitFor();
  await settled(page);

  const rows: (readonly [string, string])[] = [];
  /** Does a step, and notes how long it took and the longest task meanwhile. */
  const measure = async (name: string, step: () => Promise<unknown>) => {
    await longestTask(page);
    const start = performance.now();
    await step();
    const tookMs = performance.now() - start, longest = await longestTask(page);
    rows.push([name, `${round(tookMs, 0)} ms; longest task ${longest === 0 ? "below 50" : round(longest, 0)} ms`]);
  };
  const goTo = (path: string) => async () => {
    await page.goto(`${service.url}/console/#${path}`);
    await settled(page);
  };
  await measure("open the graph, 1,000 nodes", goTo(`/graph?limit=${NODES}`));
  const { nodes, drawingMs } = await drawGraph(page);
  const { p50Ms, p95Ms } = summarise(drawingMs);
  rows.push([`draw it again (${nodes.split(";")[0]})`, `p50 ${round(p50Ms, 1)} ms, p95 ${round(p95Ms, 1)} ms`]);
  await measure("open the memory", goTo("/memory"));
  await measure(`turn ${pages} pages, scrolling each to its end`, async () => {
    for (let n = 1; n <= pages; n++) {
      await page.mouse.wheel(0, 4_000);
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByText(`${(50 * n + 1).toLocaleString("en")} to `).waitFor();
    }
  });
  await measure("the oldest first, by another order", goTo("/memory?sort=createdAt"));
  await measure("by a tag that all have", goTo("/memory?tag=bench"));
  await measure("by words that one in 97 has", goTo("/memory?q=hall 42"));
  await measure("the timeline", goTo("/timeline"));
  await measure("the playground, a question", goTo("/playground?q=What does the pump of hall 42 need?"));
  console.log(formatTable(["step", `${units.toLocaleString("en")} units`], rows));
  await writeJson(values.json, { machine: describeMachine(), units, rows: Object.fromEntries(rows) });
} finally {
  await browser.close();
}
