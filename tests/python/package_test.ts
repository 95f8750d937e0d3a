/** The Python package: its wheel alone in an empty environment, its types, its style, and its own tests. */
import assert from "node:assert/strict";
import { basename } from "node:path";
import root from "../../deno.json" with { type: "json" };
import { createBroker } from "../_fixtures.ts";
import { startAnyService } from "../sdk/_client.ts";
import { HAS_PYTHON, makeEnvironment, MYPY_CACHE, PROJECT, run } from "./_python.ts";

/** What the wheel may bring with it, and what that brings. */
const PACKAGES = ["httpx", "pydantic", "websockets"];

Deno.test({
  name:
    "the wheel runs in an empty environment, needs three packages, and has the version of the service and its types",
  ignore: !HAS_PYTHON,
  async fn() {
    await using service = await startAnyService();
    const { url } = service.listen();
    await using environment = await makeEnvironment({ tools: "none" });
    const program = `
import json, sys
from importlib.metadata import metadata, requires, files
from svc_memory import Client, SvcError
with Client() as svc:
    made = svc.create_fact(statement="The wheel runs.")
    try:
        svc.get_fact(id="01890000-0000-7000-8000-000000000000")
    except SvcError as error:
        code = error.code
print(json.dumps({
    "read": svc.__class__.__name__ + " " + made.statement,
    "code": code,
    "version": metadata("svc-memory")["version"],
    "needs": sorted(one for one in requires("svc-memory") if "extra ==" not in one),
    "typed": any(str(file) == "svc_memory/py.typed" for file in files("svc-memory")),
    "asked": sorted({name.split(".")[0] for name in sys.modules} & {"mypy", "pytest", "langgraph", "mem0"}),
}))`;
    const env = { SVC_URL: url, SVC_KEY: service.key };
    const { needs, version, ...seen } = JSON.parse(
      await run(environment.python, ["-I", "-c", program], { cwd: environment.folder, env }),
    );
    assert.deepEqual(seen, { read: "Client The wheel runs.", code: "not_found", typed: true, asked: [] });
    assert.equal(version, root.version);
    assert.deepEqual(needs.map((one: string) => /^[a-z]+/.exec(one)![0]), PACKAGES);
  },
});

Deno.test({
  name: "the Python client has types for strict checkers, keeps its style, and its own tests hold on a live service",
  ignore: !HAS_PYTHON,
  async fn(t) {
    await using types = await makeEnvironment({ tools: "types" });
    await using environment = await makeEnvironment({ tools: "frameworks" });
    await using crewai = await makeEnvironment({ tools: "crewai" });
    await using service = await startAnyService();
    const { url } = service.listen();
    const pytest = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
    const ofCrewai = `${PROJECT}/tests/test_crewai.py`;
    const checks: readonly (readonly [program: string, ...args: readonly string[]])[] = [
      [types.program("ruff"), "check", "--no-cache", "--quiet"],
      [types.program("ruff"), "format", "--check", "--no-cache", "--quiet"],
      [types.program("mypy"), "--python-executable", types.python, "--cache-dir", MYPY_CACHE],
      [types.program("pyright"), "--pythonpath", types.python],
      [environment.python, ...pytest, `${PROJECT}/tests`, "--ignore", ofCrewai],
      [crewai.python, ...pytest, ofCrewai],
    ];
    const env = { SVC_URL: url, SVC_KEY: service.key, SVC_BROKER_KEY: (await createBroker(service)).key };
    // All at once, because each of them waits for another thing.
    await Promise.all(checks.map(([program, ...args]) =>
      t.step({
        name: `${basename(program)} ${args.join(" ")}`,
        fn: async () =>
          void await run(program, args, { env: program === crewai.python ? { ...env, ...crewai.env } : env }),
        ...{ sanitizeOps: false, sanitizeResources: false, sanitizeExit: false },
      })
    ));
  },
});
