/** The alerts for Prometheus: they say what to do, and fire when they should. */
import { deepEqual, ok } from "node:assert/strict";
import { parse } from "yaml";
import { PROMTOOL } from "./_programs.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const RULES = "deploy/alerts.yml";

interface Rule {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

async function readRules(): Promise<Rule[]> {
  const file = parse(await Deno.readTextFile(`${ROOT}${RULES}`)) as { groups: { rules: Rule[] }[] };
  return file.groups.flatMap(({ rules }) => rules);
}

Deno.test("every alert has a severity, and says what to do and where more about it is written", async () => {
  for (const { alert, labels, annotations } of await readRules()) {
    ok(["warning", "critical"].includes(labels.severity), alert);
    deepEqual(Object.keys(annotations).sort(), ["description", "runbook", "summary"], alert);
  }
});

Deno.test({
  name: "Prometheus takes the alerts, and each fires when it should",
  ignore: PROMTOOL === undefined,
  async fn() {
    for (const args of [["check", "rules", RULES], ["test", "rules", "tests/_alerts.yml"]]) {
      const { code, stdout, stderr } = await new Deno.Command(PROMTOOL!, { args, cwd: ROOT }).output();
      const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      deepEqual([code, code === 0 ? "" : decode(stdout) + decode(stderr)], [0, ""], args.join(" "));
    }
  },
});

Deno.test("every alert has a test of when it fires and when not", async () => {
  const { tests } = parse(await Deno.readTextFile(`${ROOT}tests/_alerts.yml`)) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
  };
  const cases = tests.flatMap((one) => one.alert_rule_test);
  const tested = (isFiring: boolean) =>
    new Set(cases.filter((one) => one.exp_alerts.length > 0 === isFiring).map(({ alertname }) => alertname));
  const names = (await readRules()).map(({ alert }) => alert);
  deepEqual(names.filter((name) => !tested(true).has(name) || !tested(false).has(name)), []);
});
