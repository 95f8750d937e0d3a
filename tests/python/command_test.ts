/** `svc-memory`, the command of the Python package, from its wheel alone: it does what `svc` does for agents. */
import { match } from "node:assert/strict";
import { POSTGRES } from "../_postgres.ts";
import { AGENT_CASES } from "../cli/_agent_cases.ts";
import { Person } from "../cli/_svc.ts";
import { HAS_PYTHON, makeEnvironment } from "./_python.ts";

Deno.test({
  name: "the command of the Python package has the names, options, answers and exit codes of `svc` for agents",
  ignore: POSTGRES.ignore || !HAS_PYTHON,
  async fn(t) {
    await using environment = await makeEnvironment({ tools: "none" });
    // All at once, because each of them waits for processes.
    await Promise.all(AGENT_CASES.map(({ name, run }) =>
      t.step({
        name,
        async fn() {
          await using person = await Person.make([environment.program("svc-memory")]);
          await run(person);
        },
        ...{ sanitizeOps: false, sanitizeResources: false, sanitizeExit: false },
      })
    ));
    await using person = await Person.make([environment.python, "-m", "svc_memory"]);
    match((await person.svc(["--version"])).stdout, /^\d+\.\d+\.\d+/);
  },
});
