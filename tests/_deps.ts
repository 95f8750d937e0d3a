/** Dependencies of the service in the test's own process, straight to a database. */
import { createDeps, type OwnedDeps } from "../src/app.ts";
import { readConfig } from "../src/config.ts";
import type { TestDatabase } from "./_postgres.ts";

/** Makes dependencies that wait longer for a connection than a service does, because the machine may be busy. */
export function createTestDeps(
  { requestUrl }: Pick<TestDatabase, "requestUrl">,
  env: Readonly<Record<string, string>> = {},
): Promise<OwnedDeps> {
  return createDeps(
    readConfig({
      DATABASE_URL: requestUrl,
      SVC_LOG_LEVEL: "error",
      SVC_SENTENCE_ENCODER: "off",
      SVC_DB_CONNECT_TIMEOUT_SECONDS: "30",
      ...env,
    }),
  );
}
