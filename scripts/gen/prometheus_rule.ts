/** Writes the alerts of `deploy/alerts.yml` as the Prometheus operator takes them: `deno run -A scripts/gen/prometheus_rule.ts`. */
import { parse, stringify } from "yaml";

const ROOT = new URL("../../", import.meta.url);
const HEAD = "# Made by scripts/gen/prometheus_rule.ts from deploy/alerts.yml.\n";

/** The PrometheusRule with these rules, as YAML. `rules`: the text of a rules file of Prometheus. */
export function prometheusRule(rules: string): string {
  return HEAD + stringify({
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name: "svc", namespace: "svc", labels: { "app.kubernetes.io/name": "svc" } },
    spec: parse(rules),
  }, { lineWidth: 0 });
}

if (import.meta.main) {
  const rules = await Deno.readTextFile(new URL("deploy/alerts.yml", ROOT));
  await Deno.writeTextFile(new URL("deploy/kubernetes/monitoring/prometheusrule.yaml", ROOT), prometheusRule(rules));
}
