/** The Python package: its wheel alone in an empty environment. */
import assert from "node:assert/strict";
import root from "../../deno.json" with { type: "json" };
import { startAnyService } from "../sdk/_client.ts";
import { HAS_PYTHON, makeEnvironment, run } from "./_python.ts";

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
