/** `svc federation sync | conflicts | forget`: exchanges with a peer now, settles conflicts, and forgets a peer. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { OperationContext } from "../context.ts";
import { showContested } from "../domain/federation/applying/compare_conflict.ts";
import { countReceived, forgetPeer } from "../domain/federation/applying/forget_peer.ts";
import { followSync, startSync } from "../domain/federation/exchange/sync_jobs.ts";
import { dismissReviewItem, getReviewItem, listReviewItems, resolveReviewItem } from "../domain/review/queue.ts";
import { CONFLICT_RESOLUTIONS } from "../schema/federation_peer.ts";
import { SyncBody, type SyncJob } from "../schema/federation_sync.ts";
import { checkInput, invalidInput } from "../schema/field_errors.ts";
import { DismissReviewBody, ListReviewQuery, ResolveReviewBody, type ReviewItem } from "../schema/review.ts";
import type { CliParts } from "./parts.ts";
import { operatorIn, WORKSPACE } from "./operator.ts";
import { parseId, parsePeer } from "./parse.ts";

interface In {
  readonly workspace?: string;
}

export function addExchangeCommands(federation: Command, parts: CliParts): void {
  addSync(federation, parts);
  addConflicts(
    federation.command("conflicts").description("list, show and resolve what people have to decide about peers' words"),
    parts,
  );
  addForget(federation, parts);
}

/** Depends on how the exchange ended. */
const EXIT_CODES: Readonly<Record<SyncJob["status"], number>> = { processing: 0, completed: 0, failed: 1, partial: 2 };

interface SyncOptions extends In {
  readonly policy?: string;
  readonly mode: string;
  readonly reconcile?: true;
  readonly wait?: true;
}

function addSync(federation: Command, { withDeps, print, endWith }: CliParts): void {
  federation.command("sync").argument("<peer>", "id of the peer", parsePeer)
    .description("start an exchange with a peer; with --wait exit with 1 if it failed, with 2 if items were not taken")
    .option(...WORKSPACE)
    .addOption(
      new Option(
        "--policy <policy>",
        "what becomes of contradictions in what it pulls; default: as the peer's entry says",
      )
        .choices(CONFLICT_RESOLUTIONS),
    )
    .addOption(new Option("--mode <mode>").choices(["pull", "push", "both"]).default("both"))
    .option("--reconcile", "compare both sides item by item and repair what differs")
    .option("--wait", "wait for its end and print what it came to; it runs here unless the service has taken it up")
    .action((peer: string, { workspace, policy: conflictResolution, mode, reconcile, wait }: SyncOptions) =>
      withDeps(async (deps) => {
        const ctx = await operatorIn(deps, workspace);
        const started = await startSync(ctx, SyncBody.parse({ peer, conflictResolution, mode, reconcile }));
        if (wait === undefined) return print(started);
        const job = await followSync(ctx, started.jobId);
        print(job);
        endWith(EXIT_CODES[job.status]);
      })
    );
}

interface ConflictChoice extends In {
  readonly winner?: string;
  readonly both?: true;
  readonly merged?: string;
  readonly reason?: string;
}

function addConflicts(conflicts: Command, { withDeps, print }: CliParts): void {
  const inWorkspace = (work: (ctx: OperationContext) => Promise<unknown>, workspace: string | undefined) =>
    withDeps(async (deps) => print(await work(await operatorIn(deps, workspace))));
  const command = (name: string, description: string) =>
    conflicts.command(name).description(description).option(...WORKSPACE);
  const ofReview = (name: string, description: string) =>
    command(name, description).argument("<review>", "id of the review", parseId);

  command("list", "list the open reviews about words of peers, the oldest first")
    .option("--peer <peer>", "those about this peer alone", parsePeer)
    .action(({ workspace, peer }: In & { peer?: string }) =>
      inWorkspace(async (ctx) => ({ data: await listOpen(ctx, peer) }), workspace)
    );
  ofReview("show", "show both versions of what is contested")
    .action((id: string, { workspace }: In) =>
      inWorkspace(async (ctx) => ({ ...await showContested(ctx, id), review: await getReviewItem(ctx, id) }), workspace)
    );
  ofReview("resolve", "decide which version counts")
    .option("--winner <instance>", "the instance whose version counts: this one or the peer", parsePeer)
    .option("--both", "both stand, as facts or other units of their own")
    .option("--merged <statement>", "both become one fact, which says this")
    .option("--reason <text>", "why; the history keeps it")
    .action((id: string, { workspace, ...decision }: ConflictChoice) =>
      inWorkspace(async (ctx) => resolveReviewItem(ctx, id, await toBody(ctx, id, decision), undefined), workspace)
    );
  ofReview("dismiss", "decide nothing: what is shown stays, until the peer says something else")
    .option("--reason <text>", "why; the review keeps it")
    .action((id: string, { workspace, reason }: In & { reason?: string }) =>
      inWorkspace(async (ctx) => {
        await showContested(ctx, id);
        return await dismissReviewItem(ctx, id, DismissReviewBody.parse({ reason }), undefined);
      }, workspace)
    );
}

async function listOpen(ctx: OperationContext, peer: string | undefined): Promise<ReviewItem[]> {
  const found: ReviewItem[] = [];
  let cursor: string | undefined;
  do {
    const query = ListReviewQuery.parse({ kind: "federation_conflict", order: "asc", limit: 200, cursor });
    const page = await listReviewItems(ctx, query);
    found.push(...page.data.filter(({ detail }) => peer === undefined || detail["writer"] === peer));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

/** The decision in the form of the review queue. */
async function toBody(ctx: OperationContext, id: string, decision: Omit<ConflictChoice, "workspace">) {
  const { winner, both, merged, reason } = decision;
  const given = [winner, both, merged].filter((one) => one !== undefined).length;
  if (given !== 1) throw new InvalidArgumentError("give one of --winner, --both and --merged");
  const { peer } = await showContested(ctx, id);
  const { instanceId } = ctx.deps.config;
  if (winner !== undefined && winner !== instanceId && winner !== peer) {
    throw new InvalidArgumentError(`--winner has to be ${instanceId} or ${peer}: it is between these two`);
  }
  const { data, faults } = checkInput(ResolveReviewBody, {
    action: both ? "keep_both" : merged !== undefined ? "merge" : winner === peer ? "accept_incoming" : "keep_local",
    ...(merged !== undefined && { merged: { statement: merged } }),
    ...(reason !== undefined && { reason }),
  });
  if (faults) throw invalidInput(faults);
  return data;
}

function addForget(federation: Command, { withDeps, print, remark, endWith }: CliParts): void {
  federation.command("forget").argument("<peer>", "id of the peer", parsePeer)
    .description("erase for good what was received from a peer that was removed; others' words on it stay")
    .option(...WORKSPACE)
    .option("--yes", "erase it; without this say how much there is, and exit with 1")
    .action((peer: string, { workspace, yes }: In & { yes?: true }) =>
      withDeps(async (deps) => {
        const ctx = await operatorIn(deps, workspace);
        if (yes) return print(await forgetPeer(ctx, peer));
        const { items, remoteFacts } = await countReceived(ctx, peer);
        const facts = remoteFacts === 0 ? "" : ` and ${remoteFacts} facts of another region`;
        remark(`${items} items of ${peer}${facts} would be erased for good. Say --yes to do it.`);
        endWith(1);
      })
    );
}
