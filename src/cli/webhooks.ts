/** `svc webhook`: looking at a workspace's webhooks, trying them out, sending again. */
import type { Command } from "commander";
import { getWebhook, listWebhooks } from "../domain/webhooks/endpoints.ts";
import { listDeliveries, replayDeliveries, testWebhook } from "../domain/webhooks/log.ts";
import { DELIVERY_STATES, ListWebhookDeliveriesQuery } from "../schema/webhook.ts";
import { ListQuery } from "../schema/common.ts";
import type { CliParts } from "./audit.ts";
import { operatorIn } from "./operator.ts";
import { parseId } from "./parse.ts";

/** A workspace has at most 20. */
const ALL = ListQuery.parse({ limit: 200, order: "asc" });
/** What `show` shows of the log. */
const LATEST = ListWebhookDeliveriesQuery.parse({ limit: 20 });

interface Place {
  readonly workspace: string;
}

export function addWebhookCommands(cli: Command, { withDeps, print }: CliParts): void {
  const webhook = cli.command("webhook").description("look at webhooks, try them out, send again");
  const withWorkspace = (command: Command) =>
    command.requiredOption("--workspace <id>", "id of the workspace", parseId);

  withWorkspace(webhook.command("list").description("list the webhooks of a workspace, without secrets"))
    .action(({ workspace }: Place) =>
      withDeps(async (deps) => print((await listWebhooks(await operatorIn(deps, workspace), ALL)).data))
    );

  withWorkspace(webhook.command("show <id>").description("show a webhook and its latest deliveries"))
    .action((id: string, { workspace }: Place) =>
      withDeps(async (deps) => {
        const ctx = await operatorIn(deps, workspace);
        print({ ...await getWebhook(ctx, id), deliveries: (await listDeliveries(ctx, id, LATEST)).data });
      })
    );

  withWorkspace(webhook.command("test <id>").description("send a test message now, or ask the URL for its consent"))
    .action((id: string, { workspace }: Place) =>
      withDeps(async (deps) => print(await testWebhook(await operatorIn(deps, workspace), id)))
    );

  withWorkspace(webhook.command("replay <id>").description("send a part of the feed again, with the same ids"))
    .requiredOption("--since <cursor>", "a place in the change feed")
    .option("--until <cursor>", "up to this place; default: as far as the webhook has come")
    .option("--dead", "only what was given up")
    .action((id: string, { workspace, since, until, dead }: Place & { since: string; until?: string; dead?: true }) =>
      withDeps(async (deps) => {
        const states = dead ? DELIVERY_STATES.filter((state) => state === "dead") : undefined;
        print(await replayDeliveries(await operatorIn(deps, workspace), id, { since, until, states }));
      })
    );
}
