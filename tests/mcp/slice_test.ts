import assert from "node:assert/strict";
import { startService } from "../_service.ts";
import { connectV2, send, sendLegacy } from "./_client.ts";

Deno.test("the slice", async () => {
  await using service = await startService();
  const discover = await send(service, "server/discover");
  console.log(JSON.stringify(discover));
  console.log(JSON.stringify(await send(service, "tools/list")));
  console.log(JSON.stringify((await send(service, "subscriptions/listen", { notifications: {} })).body));
  console.log(JSON.stringify(await sendLegacy(service, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } })));
  console.log(JSON.stringify(await sendLegacy(service, "tools/list")));
  const { url } = service.listen();
  for (const mode of ["auto", "legacy"] as const) {
    const client = await connectV2(`${url}/mcp`, service.key, mode);
    const tools = await client.listTools();
    assert.deepEqual(tools.tools.map(({ name }) => name).slice(0, 2), ["recall", "remember"]);
    console.log(JSON.stringify(await client.callTool({ name: "remember", arguments: { statement: "Caroline lives in Rome.", subject: "Caroline", predicate: "lives in", object: "Rome" } })));
    console.log(JSON.stringify(await client.callTool({ name: "recall", arguments: { query: "Where does Caroline live?" } })));
    await client.close();
  }
});
