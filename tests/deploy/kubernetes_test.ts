/** The manifests are what the Kubernetes API takes, agree with each other, and with the service that they start. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { dirname, join, normalize } from "node:path";
import { readConfig } from "../../src/config.ts";
import { Environment } from "../../src/environment.ts";
import { prometheusRule } from "../../scripts/gen/prometheus_rule.ts";
import { startService } from "../_service.ts";
import {
  findFaults,
  findUnknownMembers,
  FOLDER,
  listFiles,
  type Manifest,
  readDocuments,
  readManifests,
  ROOT,
} from "./_manifests.ts";
import { parse } from "yaml";

const manifests = await readManifests();
const { version } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
const dockerfile = await Deno.readTextFile(join(ROOT, "Dockerfile"));
const deployment = find("Deployment", "svc");
const job = find("Job", `svc-migrate-${version.replaceAll(".", "-")}`);
const PODS = [deployment, job];

function find(kind: string, name: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  ok(found, `there is a ${kind} ${name}`);
  return found;
}

const containerOf = (manifest: Manifest) => manifest.spec.template.spec.containers[0];

Deno.test("every manifest is what the schemas of the Kubernetes API and of the Prometheus operator take", async () => {
  deepEqual((await Promise.all(manifests.map(findFaults))).flat(), []);
  const broken = { ...deployment, spec: { ...deployment.spec, replicas: "two" } };
  equal((await findFaults(broken)).length, 1, "a wrong type is found");
});

Deno.test("no manifest has a member that its kind does not have, at any depth", async () => {
  equal(await findUnknownMembers(manifests), "");
  const misspelt = structuredClone({ ...deployment }) as Manifest;
  containerOf(misspelt).livnessProbe = containerOf(misspelt).livenessProbe;
  match(await findUnknownMembers([misspelt]), /livnessProbe/);
});

Deno.test("every file belongs to a kustomization, and each of these names files that are there", async () => {
  const files = await listFiles();
  const named = new Set<string>();
  for (const file of files.filter((path) => path.endsWith("kustomization.yaml"))) {
    const [{ apiVersion, kind, resources, patches = [], ...rest }] = await readDocuments(file);
    const isComponent = kind === "Component";
    equal(apiVersion, `kustomize.config.k8s.io/${isComponent ? "v1alpha1" : "v1beta1"}`, file);
    ok(isComponent || kind === "Kustomization", file);
    deepEqual(Object.keys(rest), [], file);
    for (const { target } of patches) find(target.kind, target.name);
    for (const resource of resources as string[]) {
      const path = normalize(join(dirname(file), resource));
      const isFolder = (await Deno.stat(join(FOLDER, path))).isDirectory;
      named.add(isFolder ? `${path}/kustomization.yaml` : path);
    }
  }
  const entries = ["migrate", "service", "monitoring", "autoscaling"].map((folder) => `${folder}/kustomization.yaml`);
  deepEqual(files.filter((file) => !named.has(file) && !entries.includes(file)), ["secrets.example.yaml"]);
});

Deno.test("the image and the name of the migration have the version of this checkout", () => {
  for (const pod of PODS) match(containerOf(pod).image, new RegExp(`:${version.replaceAll(".", "\\.")}$`));
});

Deno.test("everything is in the namespace of the service", () => {
  for (const { kind, metadata } of manifests) {
    if (kind !== "Namespace") equal(metadata.namespace, "svc", `${kind} ${metadata.name}`);
  }
});

Deno.test("every variable exists, all that a pod needs is required, and the service takes the configuration", async () => {
  const secrets = await readDocuments("secrets.example.yaml");
  const data = find("ConfigMap", "svc").data as Record<string, string>;
  const stored = secrets.flatMap(({ metadata, stringData }) =>
    Object.keys(stringData).map((key) => `${metadata.name} ${key}`)
  );
  const required: Record<string, string[]> = {};
  for (const pod of PODS) {
    const { env, envFrom } = containerOf(pod);
    deepEqual(envFrom, [{ configMapRef: { name: "svc" } }]);
    for (const { name, value, valueFrom } of env) {
      equal(value, undefined, `${name} comes from a secret`);
      equal(valueFrom.secretKeyRef.key, name);
      ok(stored.includes(`${valueFrom.secretKeyRef.name} ${name}`), `${name} is in the example`);
    }
    // deno-lint-ignore no-explicit-any
    required[pod.kind] = env.filter((one: any) => !one.valueFrom.secretKeyRef.optional).map((one: any) => one.name);
  }
  deepEqual({ ...required }, {
    Deployment: ["DATABASE_URL", "SVC_SECRETS_KEY"],
    Job: ["DATABASE_URL", "SVC_OWNER_DATABASE_URL"],
  });
  const names = [...Object.keys(data), ...secrets.flatMap(({ stringData }) => Object.keys(stringData))];
  deepEqual(names.filter((name) => !(name in Environment.shape)), []);
  const values: Record<string, string> = {
    DATABASE_URL: "postgres://svc_request:r@db.example.com/svc",
    SVC_OWNER_DATABASE_URL: "postgres://svc_owner:o@db.example.com/svc",
    SVC_SECRETS_KEY: "k".repeat(64),
  };
  const given = (pod: Manifest) => Object.fromEntries(required[pod.kind].map((name) => [name, values[name]]));
  for (const pod of PODS) {
    const config = readConfig({ ...data, ...given(pod) });
    equal(config.database.ownerUrl === undefined, pod === deployment, "only the migration has the owner's password");
    equal(config.trustedProxyIp, "127.0.0.1", "nobody in a cluster is believed");
  }
});

Deno.test("the example of the secrets has no value, and no kustomization contains a secret", async () => {
  const secrets = await readDocuments("secrets.example.yaml");
  deepEqual(secrets.map(({ kind }) => kind), ["Secret", "Secret"]);
  for (const { stringData } of secrets) deepEqual([...new Set(Object.values(stringData))], [""]);
  const others = manifests.filter(({ file }) => file !== "secrets.example.yaml");
  deepEqual(others.filter(({ kind }) => kind === "Secret"), []);
});

Deno.test("pods have no power that they do not need", () => {
  const restricted = find("Namespace", "svc").metadata.labels!["pod-security.kubernetes.io/enforce"];
  equal(restricted, "restricted");
  equal(find("ServiceAccount", "svc").automountServiceAccountToken, false);
  for (const pod of PODS) {
    const { securityContext, automountServiceAccountToken, enableServiceLinks, containers } = pod.spec.template.spec;
    equal(automountServiceAccountToken, false);
    equal(enableServiceLinks, false, "SVC_PORT of Kubernetes would end the start");
    deepEqual(securityContext, {
      runAsNonRoot: true,
      runAsUser: 1993,
      runAsGroup: 1993,
      seccompProfile: { type: "RuntimeDefault" },
    });
    equal(containers.length, 1);
    deepEqual(containers[0].securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    ok(containers[0].resources.requests.memory && containers[0].resources.limits.memory, pod.kind);
  }
  // The image has the user by name, which Kubernetes cannot tell from root.
  match(dockerfile, /^USER deno$/m);
});

Deno.test("a pod has the time that the service takes to stop", () => {
  const { terminationGracePeriodSeconds, containers } = deployment.spec.template.spec;
  const [command, seconds] = containers[0].lifecycle.preStop.exec.command;
  equal(command, "sleep");
  const stopSeconds = readConfig({}).shutdownGraceMs / 1_000 + 2;
  ok(terminationGracePeriodSeconds >= Number(seconds) + stopSeconds, `${terminationGracePeriodSeconds} s`);
});

Deno.test("the probes and the metrics are where the manifests say", async () => {
  const { ports, args, startupProbe, livenessProbe, readinessProbe } = containerOf(deployment);
  deepEqual(ports, [{ name: "http", containerPort: Number(/SVC_PORT=(\d+)/.exec(dockerfile)![1]) }]);
  deepEqual([args, containerOf(job).args], [["serve"], ["migrate"]]);
  await using service = await startService({ embedded: true });
  const monitor = find("ServiceMonitor", "svc").spec;
  const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => {
    equal(httpGet.port, "http");
    return httpGet.path;
  });
  for (const path of [...paths, ...monitor.endpoints.map(({ path }: { path: string }) => path)]) {
    equal((await service.get(path, { key: null })).status, 200, path);
  }
  const misspelt = await service.get("/health/ready?exclude=database", { key: null });
  equal(misspelt.status, 422, "what the service cannot do without always counts");
});

Deno.test("whoever selects pods or ports finds them", () => {
  const labels: Record<string, string> = deployment.spec.template.metadata.labels;
  const selectors = [
    deployment.spec.selector.matchLabels,
    deployment.spec.template.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
    find("Service", "svc").spec.selector,
    find("PodDisruptionBudget", "svc").spec.selector.matchLabels,
    find("NetworkPolicy", "svc").spec.podSelector.matchLabels,
  ];
  for (const selector of selectors) deepEqual(selector, labels);
  deepEqual(find("NetworkPolicy", "svc-migrate").spec.podSelector.matchLabels, job.spec.template.metadata.labels);
  deepEqual(find("ServiceMonitor", "svc").spec.selector.matchLabels, find("Service", "svc").metadata.labels);
  const [port] = find("Service", "svc").spec.ports;
  deepEqual([port.name, port.targetPort], ["http", "http"]);
  equal(find("ServiceMonitor", "svc").spec.endpoints[0].port, port.name);
  deepEqual(find("Ingress", "svc").spec.rules[0].http.paths[0].backend.service, {
    name: "svc",
    port: { name: port.name },
  });
  const { scaleTargetRef, minReplicas } = find("HorizontalPodAutoscaler", "svc").spec;
  deepEqual([scaleTargetRef.kind, scaleTargetRef.name], ["Deployment", "svc"]);
  ok(Math.min(minReplicas, deployment.spec.replicas) > find("PodDisruptionBudget", "svc").spec.minAvailable);
});

Deno.test("the network policy lets out what the service calls, and keeps clouds' metadata and other pods away", () => {
  const { policyTypes, ingress, egress } = find("NetworkPolicy", "svc").spec;
  deepEqual(policyTypes, ["Ingress", "Egress"]);
  ok(ingress.every(({ from, ports }: { from: unknown[]; ports: unknown[] }) => from.length > 0 && ports.length > 0));
  // deno-lint-ignore no-explicit-any
  const internet = egress.find((rule: any) => rule.to.some((to: any) => to.ipBlock?.cidr === "0.0.0.0/0"));
  deepEqual(internet.ports.map(({ port }: { port: number }) => port), readConfig({}).outbound.ports);
  const [v4, v6] = internet.to.map(({ ipBlock }: { ipBlock: { except: string[] } }) => ipBlock.except);
  for (const block of ["169.254.0.0/16", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"]) ok(v4.includes(block));
  for (const block of ["fc00::/7", "fe80::/10"]) ok(v6.includes(block));
  deepEqual(find("NetworkPolicy", "svc-migrate").spec.ingress, []);
});

Deno.test("the operator's rules are those of deploy/alerts.yml", async () => {
  const [made] = await readDocuments("monitoring/prometheusrule.yaml");
  const alerts = await Deno.readTextFile(join(ROOT, "deploy/alerts.yml"));
  deepEqual({ ...made }, parse(prometheusRule(alerts)), "run deno run -A scripts/gen/prometheus_rule.ts");
});
