/** Runs tests of the Python client on a live service. */
import { createBroker } from "../_fixtures.ts";
import { startAnyService } from "../sdk/_client.ts";
import { HAS_PYTHON, makeEnvironment, run } from "./_python.ts";

export { HAS_PYTHON };

/** @throws Error with what pytest says if a test fails */
export async function runPytest(tools: "frameworks" | "crewai", args: readonly string[]): Promise<void> {
  await using environment = await makeEnvironment({ tools });
  await using service = await startAnyService();
  const { url } = service.listen();
  const { key } = await createBroker(service);
  const env = { SVC_URL: url, SVC_KEY: service.key, SVC_BROKER_KEY: key, ...environment.env };
  await run(environment.python, ["-m", "pytest", "-q", "-W", "ignore", "-p", "no:cacheprovider", ...args], { env });
}
