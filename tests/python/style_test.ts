/** The Python package: its style, and its types as mypy sees them. */
import { HAS_PYTHON, makeEnvironment, MYPY_CACHE, run } from "./_python.ts";

Deno.test({
  name: "the Python client keeps its style, and has types for mypy where it is strict, with every framework",
  ignore: !HAS_PYTHON,
  async fn() {
    await using environment = await makeEnvironment({ tools: "types" });
    const { python } = environment;
    await run(environment.program("ruff"), ["check", "--no-cache", "--quiet"]);
    await run(environment.program("ruff"), ["format", "--check", "--no-cache", "--quiet"]);
    await run(environment.program("mypy"), ["--python-executable", python, "--cache-dir", MYPY_CACHE]);
  },
});
