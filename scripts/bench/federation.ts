/**
 * Measures what exchanging items costs, without a network: sealing and opening pages, publishing what is there, the digest.
 *
 *     deno run -A scripts/bench/federation.ts [--items 10000] [--register 1000000] [--json <file>]
 *
 * - seal, open: pages of 500 facts, beside the same bytes through `node:crypto` alone.
 * - publish: `items` facts that were there before anybody asked, in rounds of 250, once the service has embedded them: its
 *   workers would take a share of the processor.
 * - digest: a register of that many entries, from the rows to the root, and the fold alone.
 *
 * It needs installed server programs of Postgres.
 */
import { createCipheriv, createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { parseArgs } from "node:util";
import postgres from "postgres";
import { createDeps } from "../../src/app.ts";
import { readConfig } from "../../src/config.ts";
import { readSigningKey } from "../../src/crypto/ed25519.ts";
import { RangeTree } from "../../src/crypto/range_tree.ts";
import { readBuckets } from "../../src/db/queries/federation_versions.ts";
import { operatorContext } from "../../src/domain/access/authorize.ts";
import { makePage, openPageItem, readEnvelope, verifyPage } from "../../src/domain/federation/protocol/envelope.ts";
import { beginPublication, publish } from "../../src/domain/federation/register/publish.ts";
import { hashItem } from "../../src/domain/federation/register/shared_form.ts";
import type { PlainItem, SealedItem } from "../../src/schema/federation_item.ts";
import { describeMachine, formatTable, note, parseCount, percentile, round, writeJson } from "./_bench.ts";
import { Client } from "./_load.ts";
import { type BenchService, startBenchService } from "./_service.ts";
import { waitForVectors } from "./_vectors.ts";

const PAGE = 500;
const ROUNDS = 20;
const FROM = "instance:b.example";
const TO = "instance:a.example";
const WORKSPACE = "01990000-0000-7000-8000-00000000000a";

function makeItems(): PlainItem[] {
  return Array.from({ length: PAGE }, (_, i): PlainItem => {
    const origin = { instance: FROM, id: crypto.randomUUID().replace(/-4/, "-7") };
    const unit = {
      ...{ state: "active", sensitivity: "internal", confidence: 0.9, tags: ["bench"], metadata: {}, validFrom: null },
      ...{ validTo: null, occurredAt: null, expiresAt: null, derivedFrom: [], entities: [], factType: "fact" },
      statement: `The backup of ship ${i} runs every night after the shop closes. ${
        "It is kept in the cellar. ".repeat(8)
      }`,
      ...{
        subject: `ship ${i}`,
        predicate: "is backed up",
        object: "every night",
        supersedes: null,
        supersededBy: null,
      },
      citations: [],
    };
    const body = {
      ...{ v: 1 as const, origin, writer: FROM, version: 1, updatedAt: "2026-09-21T13:00:00.000Z", seen: {} },
      ...{ affirms: null, unit },
    };
    return { id: origin.id, type: "fact", version: 1, hash: hashItem("fact", origin, unit), body };
  });
}

/** The median of some rounds, in milliseconds. */
function timeOf(work: () => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  });
  return percentile(times, 0.5);
}

function measurePages() {
  const { privateKey } = generateKeyPairSync("ed25519");
  const signingKey = readSigningKey(privateKey.export({ format: "pem", type: "pkcs8" }) as string);
  const sealKey = new Uint8Array(randomBytes(32));
  const head = { from: FROM, to: TO, workspace: WORKSPACE, region: null, issuedAt: new Date(), cursor: null };
  const items = makeItems();
  const texts = items.map(({ body }) => JSON.stringify(body));
  const seal = timeOf(() => makePage(head, items, { signingKey, sealKey }));
  const bare = timeOf(() => {
    const hash = createHash("sha256");
    for (const text of texts) {
      const cipher = createCipheriv("aes-256-gcm", sealKey, randomBytes(12));
      hash.update(cipher.update(text, "utf8")).update(cipher.final()).update(cipher.getAuthTag());
    }
    sign(null, hash.digest(), privateKey);
  });
  const bytes = new TextEncoder().encode(JSON.stringify(makePage(head, items, { signingKey, sealKey })));
  const keys = { signingKeys: [signingKey.publicKey], openKeys: [sealKey] };
  const open = timeOf(() => {
    const page = readEnvelope(bytes);
    verifyPage(page, { from: FROM, to: TO, workspace: WORKSPACE, isAbroad: false }, keys);
    for (const item of page.items) openPageItem(page, item as SealedItem, keys);
  });
  return { bytes: bytes.length, seal, bare, open };
}

async function measurePublishing(service: BenchService, items: number): Promise<number> {
  using client = await Client.open(service.url, service.access.key);
  for (let stored = 0; stored < items; stored += PAGE) {
    const facts = Array.from({ length: Math.min(PAGE, items - stored) }, (_, i) => ({
      statement: `Ship ${stored + i} is backed up every night, and the copy is kept in the cellar of house ${
        stored + i
      }.`,
    }));
    await client.post("/v1/memory/facts/batch", { facts });
    note(`stored ${stored + facts.length} facts`);
  }
  await untilEmbedded(service.superuserUrl!);
  await using deps = await createDeps(readConfig({ ...service.env, SVC_DB_DEADLINE_MS: "600000" }));
  const ctx = operatorContext(deps, service.access.workspaceId);
  await beginPublication(ctx);
  const started = performance.now();
  while (await publish(ctx));
  return performance.now() - started;
}

/** Waits until no text waits for its embedding. */
async function untilEmbedded(superuserUrl: string): Promise<void> {
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  try {
    await waitForVectors(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function measureDigest(service: BenchService, entries: number) {
  const sql = postgres(service.superuserUrl!, { max: 1, onnotice: () => {} });
  try {
    await sql`
      insert into federation_version (
        workspace_id, origin_instance, origin_id, writer, type, version, updated_at, hash, sensitivity, least_sensitivity,
        key, leaf, withdrawn_leaf, verdict)
      select ${service.access.workspaceId}, ${FROM}, id, ${FROM}, 'fact', 1, now(), sha256(id::text::bytea), 'internal',
             'internal', substr(sha256(id::text::bytea), 1, 8), sha256(id::text::bytea), sha256(id::text::bytea), 'shown'
        from (select gen_random_uuid() as id from generate_series(1, ${entries}::int)) as made`;
    await sql`vacuum analyze federation_version`;
  } finally {
    await sql.end({ timeout: 5 });
  }
  await using deps = await createDeps(readConfig({ ...service.env, SVC_DB_DEADLINE_MS: "600000" }));
  const ctx = operatorContext(deps, service.access.workspaceId);
  const started = performance.now();
  const buckets = await ctx.tx((tx) => readBuckets(tx, { writer: FROM, clearance: "restricted" }), {
    deadlineMs: 600_000,
  });
  const read = performance.now() - started;
  return { read, fold: timeOf(() => new RangeTree(buckets)) };
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: { items: { type: "string" }, register: { type: "string" }, json: { type: "string" } },
  });
  const items = parseCount("items", options.items, 10_000);
  const register = parseCount("register", options.register, 1_000_000);
  const machine = describeMachine();
  const pages = measurePages();
  await using service = await startBenchService({ database: "postgres" });
  const publishMs = await measurePublishing(service, items);
  const digest = await measureDigest(service, register);
  const perSecond = (count: number, ms: number) => Math.round(1_000 * count / ms);
  const rows = [
    ["seal a page of 500", round(pages.seal, 1), perSecond(PAGE, pages.seal)],
    ["the same by node:crypto alone", round(pages.bare, 1), perSecond(PAGE, pages.bare)],
    [`open a page of 500 (${pages.bytes} bytes)`, round(pages.open, 1), perSecond(PAGE, pages.open)],
    [`publish ${items} facts`, round(publishMs, 0), perSecond(items, publishMs)],
    [`digest of ${register} entries, read`, round(digest.read, 0), perSecond(register, digest.read)],
    ["digest, fold", round(digest.fold, 1), ""],
  ];
  note(`database: ${service.database}; load before: ${machine.loadBefore.join(" ")}`);
  console.log(formatTable(["", "ms", "a second"], rows));
  await writeJson(options.json, {
    program: "bench_federation",
    machine,
    database: service.database,
    pages,
    publishMs,
    digest,
  });
}

if (import.meta.main) await main();
