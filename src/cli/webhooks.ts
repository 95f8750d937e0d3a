/** `svc webhook`: lists and shows the webhooks of a workspace, tests them, and sends parts of the feed again. */
import type { Command } from "commander";
import { getWebhook, listWebhooks } from "../domain/webhooks/endpoints.ts";
import { listDeliveries, replayDeliveries, testWebhook } from "../domain/webhooks/log.ts";
import { DELIVERY_STATES, ListWebhookDeliveriesQuery } from "../schema/webhook.ts";
import { ListQuery } from "../schema/common.ts";
import type { CliParts } from "./parts.ts";
import { operatorIn, WORKSPACE } from "./operator.ts";

/** A workspace has at most 20. */
const ALL = ListQuery.parse({ limit: 200, order: "asc" });
/** The deliveries that `show` shows. */
const LATEST = ListWebhookDeliveriesQuery.parse({ limit: 20 });

interface WorkspaceOption {
  readonly workspace?: string;
}

/** Adds `svc webhook` and its subcommands. */
export function addWebhookCommands(cli: Command, { withDeps, print }: CliParts): void {
  const webhook = cli.command("webhook").description("list, show and test webhooks, and send changes again");
  const withWorkspace = (command: Command) => command.option(...WORKSPACE);

  withWorkspace(webhook.command("list").description("list the webhooks of a workspace, without secrets"))
    .action(({ workspace }: WorkspaceOption) =>
      withDeps(async (deps) => print((await listWebhooks(await operatorIn(deps, workspace), ALL)).data))
    );

  withWorkspace(webhook.command("show <id>").description("show a webhook and its latest deliveries"))
    .action((id: string, { workspace }: WorkspaceOption) =>
      withDeps(async (deps) => {
        const ctx = await operatorIn(deps, workspace);
        print({ ...await getWebhook(ctx, id), deliveries: (await listDeliveries(ctx, id, LATEST)).data });
      })
    );

  withWorkspace(
    webhook.command("test <id>").description(
      "send a test message now, or the challenge if the URL has not given its consent",
    ),
  )
    .action((id: string, { workspace }: WorkspaceOption) =>
      withDeps(async (deps) => print(await testWebhook(await operatorIn(deps, workspace), id)))
    );

  withWorkspace(webhook.command("replay <id>").description("send a part of the change feed again, with the same ids"))
    .requiredOption("--since <cursor>", "send the changes after this place in the feed")
    .option("--until <cursor>", "send the changes up to this place; default: as far as the webhook has come")
    .option("--dead", "send only dead deliveries")
    .action((
      id: string,
      { workspace, since, until, dead }: WorkspaceOption & { since: string; until?: string; dead?: true },
    ) =>
      withDeps(async (deps) => {
        const states = dead ? DELIVERY_STATES.filter((state) => state === "dead") : undefined;
        print(await replayDeliveries(await operatorIn(deps, workspace), id, { since, until, states }));
      })
    );
}
