import { deepEqual, ok, throws } from "node:assert/strict";
import { readConfig } from "./config.ts";
import { Environment } from "./environment.ts";

/** Their names look like those of secrets; they hold numbers, the path of a file, and an address without a password. */
const NO_SECRETS = [
  "SVC_DB_SECONDS_PER_KEY",
  "SVC_FEDERATION_CLIENT_KEY_FILE",
  "SVC_PUBLIC_URL",
  "SVC_REQUESTS_PER_KEY_MAX",
  "SVC_STREAMS_PER_KEY_MAX",
];

Deno.test("T13 every variable that can hold a secret is declared so", () => {
  const undeclared = Object.entries(Environment.shape).filter(([name, schema]) =>
    /TOKEN|KEY|PASSWORD|SECRET|HEADERS|URL|ENDPOINT/.test(name) && !NO_SECRETS.includes(name) &&
    schema.meta()?.["secret"] === undefined
  );
  deepEqual(undeclared.map(([name]) => name), []);
});

Deno.test("T13 the configuration knows its secrets: whole values, the passwords in URLs and the values of headers", () => {
  const { secrets } = readConfig({
    DATABASE_URL: "postgres://svc:pass%40word@db/svc",
    SVC_OWNER_DATABASE_URL: "postgres://svc:owner%2Fword@a:5432,[::1]:5433/svc?target_session_attrs=primary",
    SVC_CLUSTERS: "b=postgres://svc:cluster-word@a:1,b:2/svc?target_session_attrs=primary",
    SVC_EMBEDDINGS_URL: "https://models.example/v1",
    SVC_EMBEDDINGS_MODEL: "m",
    SVC_EMBEDDINGS_API_KEY: "key-of-embeddings",
    SVC_METRICS_TOKEN: "token-of-the-metrics",
    OTEL_EXPORTER_OTLP_ENDPOINT: "https://user:collected@collector.example",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic%20abc",
    SVC_PORT: "8787",
  });
  deepEqual(
    [...secrets].sort(),
    [
      "Basic abc",
      "abc",
      "cluster-word",
      "collected",
      "key-of-embeddings",
      "owner/word",
      "pass@word",
      "token-of-the-metrics",
    ],
  );
  ok(Object.isFrozen(secrets));
});

Deno.test("T69 ranges and ports of other servers are read strictly, and a certificate comes with its key", () => {
  const { outbound } = readConfig({
    SVC_OUTBOUND_ALLOW_CIDRS: "10.1.0.0/16, fd00::/8",
    SVC_OUTBOUND_PORTS: "443,9443",
  });
  deepEqual([outbound.allowed, outbound.ports], [["10.1.0.0/16", "fd00::/8"], [443, 9443]]);
  deepEqual([readConfig({}).outbound.allowed, readConfig({}).outbound.ports], [[], [443, 8443]]);
  for (
    const env of [
      { SVC_OUTBOUND_ALLOW_CIDRS: "10.1.0.1/16" },
      { SVC_OUTBOUND_ALLOW_CIDRS: "10.1.0.0" },
      { SVC_OUTBOUND_PORTS: "https" },
      { SVC_OUTBOUND_PORTS: "0" },
      { SVC_OUTBOUND_PORTS: "65536" },
      { SVC_FEDERATION_CLIENT_CERT_FILE: "client.pem" },
      { SVC_FEDERATION_CLIENT_KEY_FILE: "client.key" },
    ]
  ) throws(() => readConfig(env), /SVC_(OUTBOUND|FEDERATION)/, JSON.stringify(env));
});

Deno.test("a variable that an earlier version had is refused with what to do instead", () => {
  for (const value of ["1", "4"]) {
    throws(() => readConfig({ SVC_WORKERS: value }), /SVC_WORKERS is no more: .*one process.*deploy\/haproxy\.cfg/);
  }
});

Deno.test("an unknown variable is refused with the known ones that may be meant", () => {
  const refusal = (name: string) => {
    let message = "";
    throws(() => readConfig({ [name]: "1" }), ({ message: said }: Error) => (message = said) !== "");
    return message.replace("Cannot read the configuration: unknown ", "");
  };
  deepEqual(["SVC_RATE_LIMIT", "SVC_PROT", "SVC_EMBEDDING_URL", "SVC_XYZ"].map(refusal), [
    "SVC_RATE_LIMIT (did you mean SVC_RATE_LIMIT_BURST or SVC_RATE_LIMIT_PER_MINUTE?)",
    "SVC_PROT (did you mean SVC_PORT?)",
    "SVC_EMBEDDING_URL (did you mean SVC_EMBEDDINGS_URL?)",
    "SVC_XYZ",
  ]);
});
