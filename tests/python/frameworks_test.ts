/** The tests of the Python client in frameworks, which run with scripted models. */
import { HAS_PYTHON, runPytest } from "./_pytest.ts";

Deno.test({
  name: "Python's frameworks and applications of Mem0 remember by the client, on a live service",
  ignore: !HAS_PYTHON,
  fn: () => runPytest("frameworks", ["tests/frameworks", "--ignore", "tests/frameworks/test_crewai.py"]),
});
