/** The commands by which people and agents at a terminal use the memory over HTTP. */
import { POSTGRES } from "../_postgres.ts";
import { AGENT_CASES } from "./_agent_cases.ts";
import { Person } from "./_svc.ts";

for (const { name, run } of AGENT_CASES) {
  Deno.test({
    ...POSTGRES,
    name,
    async fn() {
      await using person = await Person.make();
      await run(person);
    },
  });
}
