import { deepEqual, ok } from "node:assert/strict";
import { readConfig } from "./config.ts";
import { Environment } from "./environment.ts";

/** Their names end as those of secrets do; they are numbers. */
const NUMBERS = ["SVC_DB_SECONDS_PER_KEY", "SVC_REQUESTS_PER_KEY_MAX", "SVC_STREAMS_PER_KEY_MAX"];

Deno.test("T13 every variable that can hold a secret is declared so", () => {
  const undeclared = Object.entries(Environment.shape).filter(([name, schema]) =>
    /TOKEN|KEY|PASSWORD|SECRET|HEADERS|URL|ENDPOINT/.test(name) && !NUMBERS.includes(name) &&
    schema.meta()?.["secret"] === undefined
  );
  deepEqual(undeclared.map(([name]) => name), []);
});

Deno.test("T13 the configuration knows its secrets: whole values, the passwords in URLs and the values of headers", () => {
  const { secrets } = readConfig({
    DATABASE_URL: "postgres://svc:pass%40word@db/svc",
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
    ["Basic abc", "abc", "collected", "key-of-embeddings", "pass@word", "token-of-the-metrics"],
  );
  ok(Object.isFrozen(secrets));
});
