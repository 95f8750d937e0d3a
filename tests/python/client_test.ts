/** The tests of the Python client itself. */
import { HAS_PYTHON, runPytest } from "./_pytest.ts";

Deno.test({
  name: "the Python client calls, repeats, watches and adds turns as it says, on a live service",
  ignore: !HAS_PYTHON,
  fn: () => runPytest("frameworks", ["tests", "--ignore", "tests/frameworks"]),
});
