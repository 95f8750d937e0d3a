/** What leaves in logs, metrics and headers. */
import type { Mutation } from "./mutation.ts";

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "bearers in texts",
    file: "src/telemetry/redact.ts",
    defence: "  [/\\b(bearer|basic)(\\s+|%20)[\\w.~+/=-]{8,}/gi, `$1 ${MARK}`],\n",
    instead: "",
    test: "src/telemetry/log_test.ts",
    filter: "secrets are removed by their shape",
  },
  {
    name: "passwords in URLs",
    file: "src/telemetry/redact.ts",
    defence: "  [/\\b(?!file:|npm:)([a-z][a-z0-9+.-]{0,30}:\\/\\/)[^\\s\"'<>]{0,1024}@/gi, `$1${MARK}@`],\n",
    instead: "",
    test: "src/telemetry/log_test.ts",
    filter: "secrets are removed by their shape",
  },
  {
    name: "configured secrets",
    file: "src/telemetry/redact.ts",
    defence: "    for (const secret of known) shown = shown.replaceAll(secret, MARK);\n",
    instead: "",
    test: "src/telemetry/log_test.ts",
    filter: "configured secrets",
  },
  {
    name: "fields with a secret's name",
    file: "src/telemetry/log.ts",
    defence: `shown[field.shown] = secret ? "[redacted]" : this.#value(value, depth);`,
    instead: "shown[field.shown] = this.#value(secret ? String(value) : value, depth);",
    test: "src/telemetry/log_test.ts",
    filter: "fields with a secret's name",
  },
  {
    name: "characters that change a line's look",
    file: "src/telemetry/log.ts",
    defence: "    const line = escapeInvisible(JSON.stringify({ ...head, ...this.#object(fields, 0), ...head }));",
    instead: "    const line = JSON.stringify({ ...head, ...this.#object(fields, 0), ...head });",
    test: "src/telemetry/log_test.ts",
    filter: "control, direction",
  },
  {
    name: "replies that no cache keeps",
    file: "src/edge/reply_headers.ts",
    defence: '  "cache-control": "no-store",\n',
    instead: "",
    test: "tests/http/operation_test.ts",
    filter: "every reply has a request id",
  },
  {
    name: "caller's request id",
    file: "src/edge/observe.ts",
    defence: "asked !== null && CALLERS_REQUEST_ID.test(asked) ? asked",
    instead: "asked !== null ? asked",
    test: "tests/http/operation_test.ts",
    filter: "every reply has a request id",
  },
  {
    name: "token of the metrics page",
    file: "src/domain/upkeep/health.ts",
    defence: '  if (token === undefined || equalSecrets(authorization ?? "", `Bearer ${token}`)) return;\n',
    instead: '  if (token === undefined || authorization !== "") return;\n',
    test: "tests/http/operation_test.ts",
    filter: "with SVC_METRICS_TOKEN",
  },
];
