/** The tests of the Python client in CrewAI, which has packages of its own. */
import { HAS_PYTHON, runPytest } from "./_pytest.ts";

Deno.test({
  name: "CrewAI remembers by the client, on a live service",
  ignore: !HAS_PYTHON,
  fn: () => runPytest("crewai", ["tests/frameworks/test_crewai.py"]),
});
