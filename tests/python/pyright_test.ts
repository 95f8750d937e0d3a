/** The Python package: its types as pyright sees them. */
import { HAS_PYTHON, makeEnvironment, run } from "./_python.ts";

Deno.test({
  name: "the Python client has types for pyright, with every framework",
  ignore: !HAS_PYTHON,
  async fn() {
    await using environment = await makeEnvironment({ tools: "types" });
    await run(environment.program("pyright"), ["--pythonpath", environment.python]);
  },
});
