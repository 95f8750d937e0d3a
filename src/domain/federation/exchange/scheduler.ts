/** Finds due work with peers in all workspaces, and runs it in this process. */
import type { Deps, OperationContext } from "../../../context.ts";
import * as queries from "../../../db/queries/federation_sync_runs.ts";
import type { SyncRunRow } from "../../../db/queries/federation_sync_runs.ts";
import { eventOfFault } from "../peers/peer_fault.ts";
import { turnFailed } from "../../../telemetry/federation_events.ts";
import { pause } from "../../../pause.ts";
import { perService } from "../../common/per_service.ts";
import { peerSignalsOf } from "../peers/peer_signals.ts";
import { findPeer } from "../peers/peers.ts";
import { publish } from "../register/publish.ts";
import { syncWithPeer } from "./sync.ts";
import { runSyncJobs } from "./sync_jobs.ts";
import { sendHint } from "./tell_peer.ts";

/** The most runs that a process runs at once. A peer that hangs holds one of them. */
const SYNC_RUNS_MAX = 4;
/** How long a step waits for what it has started; usual runs end within that time. */
const STEP_MS = 1_000;
/** With peers the loop looks for changes this often. */
const LOOK_MS = 250;
/** Without peers the loop rests this long. A new peer wakes it, unless the notification is lost. */
const IDLE_MS = 60_000;

/** Makes the context of a workspace. */
export type Enter = (workspaceId: string) => OperationContext;

export const syncSchedulerOf = perService((deps) => new SyncScheduler(deps));

class SyncScheduler implements AsyncDisposable {
  readonly #deps: Deps;
  /** The running work by name: a run, a job or a hint. */
  readonly #running = new Map<string, Promise<void>>();
  /** For each peer, the place up to which it was sent hints. */
  readonly #hinted = new Map<string, number>();
  #hasPeers = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Starts due work and waits for it a moment; longer work goes on. */
  async step(enter: Enter): Promise<void> {
    const { db, clock, config } = this.#deps;
    const now = clock();
    const everywhere = { readOnly: true, partial: true };
    const found = await db.each(async (sql) => [
      ...(await queries.listSyncRuns(sql, now)).map((run) => ({ workspaceId: run.workspaceId, run, job: undefined })),
      ...(await queries.listSyncJobs(sql, now)).map((job) => ({ workspaceId: job.workspaceId, job, run: undefined })),
    ], everywhere);
    const rows = found.flatMap(({ run }) => run ?? []);
    const jobs = found.flatMap(({ job }) => job ?? []);
    const isServed = ({ region }: { readonly region: string }) =>
      config.region === undefined || region === config.region;
    const peers = rows.filter(isServed);
    this.#hasPeers = rows.length > 0;
    const news = new Set(peers.filter(({ hasNews }) => hasNews).map(({ workspaceId }) => workspaceId));
    await Promise.all([...news].map((id) => publishNews(enter(id))));
    const told = news.size === 0 ? peers : (await db.each((sql) => queries.listSyncRuns(sql, now), everywhere))
      .filter(isServed);
    const started = [
      ...told.filter((row) => this.#isToTell(row)).map((row) => this.#tell(enter, row)),
      ...told.filter(({ isDue }) => isDue).map((row) => this.#runSync(enter, row)),
      ...jobs.filter(isServed).map(({ workspaceId }) =>
        this.#start(`job ${workspaceId}`, async () => void await runSyncJobs(enter(workspaceId)))
      ),
    ];
    await Promise.race([Promise.all(started), pause(STEP_MS, this.#deps.stopping)]);
  }

  /** Waits until there may be something due. */
  async rest(signal: AbortSignal): Promise<void> {
    await peerSignalsOf(this.#deps).rest(this.#hasPeers ? LOOK_MS : IDLE_MS, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** Whether to send a peer a hint: it is ACTIVE, has not read everything published, and has got no hint of it. */
  #isToTell({ workspaceId, peer, state, lastSeq, ackedSeq, hasErasures }: SyncRunRow): boolean {
    const isNews = lastSeq > Math.max(ackedSeq, this.#hinted.get(`${workspaceId} ${peer}`) ?? 0);
    return state === "ACTIVE" && (isNews || hasErasures);
  }

  /** Sends a hint. For a peer that only receives, and for erasures, it makes a run due instead. */
  #tell(enter: Enter, row: SyncRunRow): Promise<void> {
    const { workspaceId, peer: id, lastSeq, hasErasures } = row;
    const name = `${workspaceId} ${id}`;
    return this.#start(`hint ${name}`, async () => {
      const ctx = enter(workspaceId);
      const peer = await ctx.tx((tx) => findPeer(ctx.deps, tx, id), { readOnly: true });
      if (peer === undefined || peer.state !== "ACTIVE") return;
      this.#hinted.set(name, lastSeq);
      if (peer.direction === "push" || hasErasures) return await ctx.tx((tx) => queries.hurrySyncRun(tx, id));
      if (peer.told.direction === "push") return;
      try {
        await sendHint(ctx, peer);
      } catch (error) {
        // A failed hint does no harm: the peer reads within its interval, and a run will note the fault.
        if (eventOfFault(error) === undefined) throw error;
      }
    });
  }

  #runSync(enter: Enter, { workspaceId, peer }: SyncRunRow): Promise<void> {
    const name = `run ${workspaceId} ${peer}`;
    const runs = [...this.#running.keys()].filter((one) => one.startsWith("run ")).length;
    if (runs >= SYNC_RUNS_MAX) return Promise.resolve();
    return this.#start(name, async () => void await syncWithPeer(enter(workspaceId), peer));
  }

  #start(name: string, work: () => Promise<void>): Promise<void> {
    if (this.#running.has(name)) return Promise.resolve();
    const [, workspaceId = "", peer = ""] = name.split(" ");
    const running = work().catch((error) => {
      if (!this.#deps.stopping.aborted) turnFailed(this.#deps.telemetry.log, { workspaceId, peer, error });
    }).finally(() => this.#running.delete(name));
    this.#running.set(name, running);
    return running;
  }
}

/** Publishes the changes since the last time. */
async function publishNews(ctx: OperationContext): Promise<void> {
  while (!ctx.signal.aborted && await publish(ctx));
}
