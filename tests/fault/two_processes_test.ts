/** Two processes of the service, of which one after the other is killed. */
import { POSTGRES } from "../_postgres.ts";
import { REDIS } from "../_redis.ts";
import { Clients } from "./_ledger.ts";
import { Stage } from "./_stage.ts";

Deno.test({
  ignore: POSTGRES.ignore || REDIS.ignore,
  name:
    "F14 two processes are killed in turn under load: the other one serves, nothing acknowledged is lost or doubled",
  async fn() {
    await using stage = await Stage.open({ redis: true });
    const { tenants } = stage;
    let next = 0;
    const clients = new Clients(tenants, 4, { url: () => stage.nodes[next++ % 2].url });
    for (let round = 0; round < 4; round++) {
      await clients.progress(30);
      await stage.nodes[round % 2].kill();
      await clients.progress(10);
      await stage.restart(round % 2);
    }
    await clients.progress(30);
    await clients.stop();
    await stage.check();
    await stage.stop();
  },
});
