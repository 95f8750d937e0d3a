/** What the dashboard and the alerts ask Prometheus for is what the service tells it. */
import { deepEqual, equal, ok, throws } from "node:assert/strict";
import { join } from "node:path";
import { parse } from "yaml";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { pathOf } from "../../src/http/app.ts";
import { createUsedMetrics } from "../../src/telemetry/_used_metrics.ts";
import { type Family, parseMetrics } from "../http/_metrics.ts";
import { ROOT } from "./_manifests.ts";
import { readPromql } from "./_promql.ts";

const read = (path: string) => Deno.readTextFile(join(ROOT, path));
const families = parseMetrics((await createUsedMetrics().render()).body);
/** The labels that Prometheus adds to every series. */
const ADDED = ["job", "instance"];
/** Labels of which a page that nobody used yet shows each value. */
const SHOWN_FROM_THE_START = ["tier", "reason", "how", "result"];

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[];
}

const dashboard = JSON.parse(await read("deploy/grafana.json")) as {
  panels: Panel[];
  templating: { list: { name: string; type: string; query: string }[] };
};
const panels = dashboard.panels.filter(({ type }) => type !== "row");
const targets = panels.flatMap((panel) => panel.targets!.map((target) => ({ ...target, title: panel.title })));

/** With what Grafana puts in the place of its variables. */
const filled = (expr: string) => expr.replaceAll("$__rate_interval", "5m").replaceAll("$job", "svc");

/** The metric of a series, and the labels that it has. */
function familyOf(series: string): { family: Family; labels: readonly string[] } | undefined {
  const plain = families.get(series);
  if (plain !== undefined && plain.type !== "histogram") return { family: plain, labels: labelsOf(plain) };
  const [, name, suffix] = /^(.*)_(bucket|sum|count)$/.exec(series) ?? [];
  const family = name === undefined ? undefined : families.get(name);
  if (family?.type !== "histogram") return undefined;
  return { family, labels: [...labelsOf(family), ...(suffix === "bucket" ? ["le"] : [])] };
}

const labelsOf = ({ samples }: Family) => Object.keys(samples[0]!.labels);

/** What of an expression the service does not have. */
function findFaults(expr: string): string[] {
  return readPromql(expr).flatMap(({ metric, labels, values }) => {
    const found = familyOf(metric);
    if (found === undefined) return [`${metric}: no such metric`];
    const unknown = labels.filter((label) => !found.labels.includes(label) && !ADDED.includes(label));
    const strange = values.filter(([label, value]) =>
      SHOWN_FROM_THE_START.includes(label) && !found.family.samples.some((sample) => sample.labels[label] === value)
    );
    return [
      ...unknown.map((label) => `${metric}: no label ${label}`),
      ...strange.map(([label, value]) => `${metric}: ${label} is never ${value}`),
    ];
  });
}

async function readRules() {
  const { groups } = parse(await read("deploy/alerts.yml")) as {
    groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

Deno.test("an expression is read whole: metrics, filters, and labels that sums keep", () => {
  const [first, second] = readPromql('sum by (a) (rate(m_bucket{b="1", c=~"x|y"}[5m])) / max without (d) (n)');
  deepEqual(first, { metric: "m_bucket", labels: ["a", "b", "c"], values: [["b", "1"]] });
  deepEqual(second, { metric: "n", labels: ["d"], values: [] });
  throws(() => readPromql("sum by (a (m)"), /Cannot read/);
  deepEqual(findFaults("svc_nothing_total"), ["svc_nothing_total: no such metric"]);
  deepEqual(findFaults("svc_request_duration_seconds"), ["svc_request_duration_seconds: no such metric"]);
  deepEqual(findFaults("sum by (le) (svc_request_duration_seconds_count)"), [
    "svc_request_duration_seconds_count: no label le",
  ]);
  deepEqual(findFaults("sum by (peer) (svc_requests_total)"), ["svc_requests_total: no label peer"]);
  deepEqual(findFaults('svc_recall_tier_hits_total{tier="cold"}'), ["svc_recall_tier_hits_total: tier is never cold"]);
});

Deno.test("every metric and label of the dashboard exists", () => {
  deepEqual(targets.flatMap(({ title, expr }) => findFaults(filled(expr)).map((fault) => `${title}: ${fault}`)), []);
});

Deno.test("every metric and label of the alerts exists", async () => {
  deepEqual(
    (await readRules()).flatMap(({ alert, expr }) => findFaults(expr).map((fault) => `${alert}: ${fault}`)),
    [],
  );
});

Deno.test("the dashboard shows every metric that the service has", () => {
  const named = new Set(
    targets.flatMap(({ expr }) => readPromql(filled(expr))).map(({ metric }) => familyOf(metric)!.family.name),
  );
  deepEqual([...families.keys()].filter((name) => !named.has(name)), []);
});

Deno.test("endpoints that the dashboard and the alerts name are endpoints of the service", async () => {
  const paths = ENDPOINTS.map(pathOf);
  const exprs = [...targets.map(({ expr }) => expr), ...(await readRules()).map(({ expr }) => expr)];
  const patterns = exprs.flatMap((expr) =>
    [...expr.matchAll(/endpoint=~"([^"]+)"/g)].flatMap(([, list]) => list!.split("|"))
  );
  ok(patterns.length > 0);
  deepEqual(patterns.filter((pattern) => !paths.some((path) => new RegExp(`^(?:${pattern})$`).test(path))), []);
});

Deno.test("legends name labels that their expressions keep, and all variables are declared", () => {
  for (const { title, expr, legendFormat } of targets) {
    const kept = readPromql(filled(expr)).flatMap(({ labels }) => labels);
    for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) ok(kept.includes(label!), `${title}: ${label}`);
  }
  const variables = dashboard.templating.list.map(({ name }) => name);
  const used = JSON.stringify(dashboard.panels).matchAll(/\$\{?(\w+)/g);
  deepEqual([...new Set([...used].map(([, name]) => name!))].sort(), ["__rate_interval", ...variables].sort());
  const job = dashboard.templating.list.find(({ name }) => name === "job")!;
  ok(families.has(/^label_values\((\w+), job\)$/.exec(job.query)![1]!));
});

Deno.test("panels have an id of their own, say what they show, and do not cover each other", () => {
  equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
  for (const { title, description, targets } of panels) {
    ok(title && description, title);
    equal(new Set(targets!.map(({ refId }) => refId)).size, targets!.length, title);
  }
  for (const { title, gridPos: a } of dashboard.panels) {
    ok(a.x + a.w <= 24, title);
    const covering = dashboard.panels.filter(({ gridPos: b }) =>
      a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
    );
    equal(covering.length, 1, title);
  }
});

Deno.test("every alert has a heading of its own in the documentation of operations, and none is left over", async () => {
  const headings = [...(await read("docs/guides/operations.md")).matchAll(/^## (.+)$/gm)].map(([, heading]) =>
    heading!
  );
  const rules = await readRules();
  deepEqual(headings.toSorted(), rules.map(({ alert }) => alert).toSorted());
  for (const { alert, annotations } of rules) {
    equal(annotations["runbook"], `docs/guides/operations.md#${alert.toLowerCase()}`);
  }
});
