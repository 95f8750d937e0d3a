/** The composition root: configuration → parts → service. */
import type { Config } from "./config.ts";
import type { Deps, VerifiedAdmin, VerifiedKey } from "./context.ts";
import { Argon2id } from "./crypto/argon2id.ts";
import { ProvenSecrets } from "./crypto/proven_secrets.ts";
import { VerifiedKeys } from "./crypto/verified_keys.ts";
import { CHANGE_CHANNEL } from "./db/changes.ts";
import { type Embedded, startEmbedded } from "./db/embedded.ts";
import { nearestIndexFor } from "./db/nearest_index.ts";
import { beat } from "./db/queries/notifications.ts";
import { checkDatabase, checkIdentity, checkSessions } from "./db/boot.ts";
import { Clusters } from "./db/clusters.ts";
import { OtherClusters } from "./db/other_clusters.ts";
import { PLACEMENT_CHANNEL } from "./db/queries/placement.ts";
import type { Sessions } from "./db/sessions.ts";
import { type ConnectionOptions, connectionsOf } from "./db/connections.ts";
import { ALL_KEYS, KEY_CHANNEL } from "./db/queries/api_keys.ts";
import { PEER_CHANNEL } from "./db/queries/federation_peers.ts";
import { HOME } from "./db/database.ts";
import { ReplicatedDatabase, type ReplicatedOptions } from "./db/replicated_database.ts";
import { requestLoadOf } from "./domain/access/request_load.ts";
import { auditTrailOf } from "./domain/audit/trail.ts";
import { writeLoadOf } from "./domain/common/write_load.ts";
import { peerSignalsOf } from "./domain/federation/peers/peer_signals.ts";
import { peerGauges } from "./domain/federation/peers/show_peers.ts";
import { streamsOf } from "./domain/feed/streams.ts";
import { webhookSenderOf } from "./domain/webhooks/sender.ts";
import { activityOf } from "./domain/common/activity.ts";
import { hotTierOf } from "./domain/recall/hot/tier.ts";
import { nearestIndexOf } from "./domain/recall/database/nearest_index.ts";
import { storeGauges } from "./domain/upkeep/health.ts";
import { RULES } from "./domain/kinds/registry.ts";
import { useRules } from "./domain/unit/rules.ts";
import { ServiceError } from "./errors.ts";
import { loadSealKey, loadSecretsKeys, loadSigningKey } from "./instance_keys.ts";
import { migrateCluster, type OnApplied } from "./migrate.ts";
import { createEmbeddings, createGenerator } from "./providers/factory.ts";
import { AttemptLimit } from "./kv/attempt_limit.ts";
import { createKeyValue } from "./kv/create.ts";
import { RateLimit } from "./kv/rate_limit.ts";
import { Notifications } from "./db/notifications.ts";
import { createOutbound } from "./outbound/create.ts";
import type { NameServer } from "./outbound/lookup.ts";
import {
  cacheDown,
  cacheRecovered,
  clusterAway,
  clusterBack,
  databasePoolReplaced,
  migrationApplied,
  notificationsHeard,
  replicaUnused,
  replicaUsed,
} from "./telemetry/database_events.ts";
import { embeddedUpkeepFailed, sentenceEncoderFailed } from "./telemetry/events.ts";
import type { Log, LogSink } from "./telemetry/log.ts";
import { createTelemetry } from "./telemetry/telemetry.ts";

export interface DepsOptions {
  readonly clock?: () => Date;
  /** Where log lines go; default: standard output. */
  readonly logSink?: LogSink;
  /** Replaces the system's name servers for the names of other servers. */
  readonly nameServer?: NameServer;
  /** Replaces the service's own hashing threads; the service does not dispose it. */
  readonly argon2id?: Argon2id;
}

/** The parts, and the functions that start and stop them. */
export interface OwnedDeps extends Deps, AsyncDisposable {
  /**
   * Checks whether the database connection is as the configuration says, before any other use.
   * @throws ServiceError `conflict` when it must not be used in this way, `unavailable` while it cannot be reached.
   */
  checkSessions(): Promise<Sessions>;
  /** Begins to listen to other processes; resolves when the connection stands, or after a limited time. */
  listen(): Promise<void>;
  /**
   * Checks that the database is the cluster that the configuration says it is, and admits the further clusters. Those
   * that cannot be reached are admitted later.
   * @throws ServiceError `conflict` when a cluster must not be used; `unavailable` while the home cluster cannot be
   *   reached
   */
  admitClusters(): Promise<void>;
  /** Notes that the boot is done. */
  notePrepared(): void;
  /** Aborts `stopping`: the service is no longer ready, streams and loops end. Disposing does so, too. */
  beginStop(): void;
}

/** Builds the parts without waiting for a database server; the embedded database is started and migrated here. */
export async function createDeps(config: Config, options: DepsOptions = {}): Promise<OwnedDeps> {
  await using stack = new AsyncDisposableStack();
  useRules(RULES);
  const clock = options.clock ?? (() => new Date());
  const stopping = new AbortController();
  let prepared = false;
  const telemetry = stack.use(createTelemetry({
    log: { level: config.logLevel, ...(options.logSink && { sink: options.logSink }) },
    secrets: config.secrets,
    tracing: config.otel,
  }));
  const { embedded, ways } = await connect(config, telemetry.log);
  if (embedded) stack.use(embedded);
  const verifiedKeys = new VerifiedKeys<VerifiedKey>({
    clock,
    onEvict: (publicId) => streamsOf(deps).noteKey(publicId),
    publicIdOf: (key) => key.credential,
  });
  const verifiedAdmins = new VerifiedKeys<VerifiedAdmin>({ clock });
  const verifiedBrokers = new VerifiedKeys<VerifiedKey>({ clock });
  const databaseOf = (name: string): ReplicatedOptions => {
    const { replica, ...way } = ways.get(name)!;
    return {
      ...way,
      ...replica && {
        replica: {
          connection: replica,
          onRead: (outcome) => telemetry.metrics.countReplicaRead(outcome),
          onUnused: (state, error) => replicaUnused(telemetry.log, { state, error }),
          onUsed: (unusedMs) => replicaUsed(telemetry.log, { unusedMs: Math.round(unusedMs) }),
        },
      },
      perWorkspaceMax: perWorkspaceMaxOf(way.connection.max ?? 1, config.database.perWorkspaceMax),
      // Work of the service itself is charged to nobody.
      onUsed: (scope, usedMs) => {
        if (/^(key|admin|broker|peer):/.test(scope.actor)) requestLoadOf(deps).noteDatabaseTime(scope, usedMs);
      },
      onWriting: () => writeLoadOf(deps).begin(),
      clock,
      deadlineMs: config.database.deadlineMs,
      onCommitting: (tx, changes) => hotTierOf(deps).readWritten(tx, changes),
      onCommitted: (workspaceId, changes) => noteSeq(workspaceId, changes.at(-1)!.seq, true),
      onAudited: (chain, { workspaceId }) => activityOf(deps).noteUse(chain, chain === workspaceId),
      onReplaced: (error, generation) => databasePoolReplaced(telemetry.log, { error, generation }),
    };
  };
  const onMigrated: OnApplied = (migration, durationMs) => migrationApplied(telemetry.log, { migration, durationMs });
  const clusters = ways.size > 1
    ? new Clusters([...ways.keys()].filter((name) => name !== HOME), databaseOf)
    : undefined;
  const db = stack.use(clusters ?? new ReplicatedDatabase(databaseOf(HOME)));
  const noteSeq = (workspaceId: string, seq: number, isOwn: boolean) => {
    hotTierOf(deps).noteSeq(workspaceId, seq);
    streamsOf(deps).signals.noteSeq(workspaceId, seq);
    webhookSenderOf(deps).noteChange();
    activityOf(deps).noteMove(workspaceId, seq, isOwn);
  };
  const hear = (name: string, way: ConnectionOptions) =>
    stack.use(
      new Notifications({
        connection: way.direct ?? way.connection,
        channels: {
          [CHANGE_CHANNEL]: (payload) => {
            const [workspaceId = "", seq = ""] = payload.split(" ");
            noteSeq(workspaceId, Number(seq), false);
          },
          [KEY_CHANNEL]: (publicId) => {
            if (publicId === ALL_KEYS) return verifiedKeys.clear();
            verifiedKeys.evict(publicId);
            verifiedAdmins.evict(publicId);
            verifiedBrokers.evict(publicId);
          },
          [PEER_CHANNEL]: (payload) => {
            const [workspaceId = "", id = "", sender] = payload.split(" ");
            peerSignalsOf(deps).hearChanged(workspaceId, id, sender);
          },
          ...(clusters && { [PLACEMENT_CHANNEL]: (workspaceId: string) => clusters.forget(workspaceId) }),
        },
        send: async (channel, payload) => {
          const cluster = db.clusters.get(name)!;
          cluster.noteRoom(await cluster.system((sql) => beat(sql, channel, payload)));
        },
        onRefused: () => db.clusters.get(name)!.makeRoom(),
        onGap: () => {
          hotTierOf(deps).noteGap();
          streamsOf(deps).signals.noteGap();
          peerSignalsOf(deps).noteGap();
          webhookSenderOf(deps).noteChange();
          activityOf(deps).noteGap();
          verifiedKeys.clear();
          verifiedAdmins.clear();
          verifiedBrokers.clear();
          clusters?.forget();
          telemetry.metrics.countNotificationGap();
        },
        onHearing: (isHearing, error) => notificationsHeard(telemetry.log, { isHearing, error }),
      }),
    );
  // The embedded database has one session and one process, so nobody else sends notifications.
  const notifications = new Map(embedded ? [] : [...ways].map(([name, way]) => [name, hear(name, way)] as const));
  const heard = new Set<string>(embedded ? [] : [HOME]);
  const isHearing = () => [...heard].every((name) => notifications.get(name)!.isHearing);
  const listen = async (name: string) => {
    await notifications.get(name)?.start();
    if (notifications.has(name)) heard.add(name);
  };
  const others = clusters && stack.use(
    new OtherClusters({
      db: clusters,
      prepare: async (name) => {
        const { direct, connection } = ways.get(name)!;
        const other = clusters.clusters.get(name)!;
        await migrateCluster(config, name, onMigrated);
        await checkSessions(other, { direct, asksForNames: connection.prepare === true });
        await checkDatabase(other, { embeddingDimension: deps.embeddings.dimension });
        await checkIdentity(other, name);
      },
      onAdmitted: listen,
      onAway: (cluster, error) => clusterAway(telemetry.log, { cluster, error }),
      onBack: (cluster, awayMs) => clusterBack(telemetry.log, { cluster, awayMs: Math.round(awayMs) }),
      stopping: stopping.signal,
    }),
  );
  const kv = stack.use(
    createKeyValue(config.redis, {
      clock,
      onDown: (error) => {
        telemetry.metrics.countCacheOutage();
        cacheDown(telemetry.log, { error });
      },
      onUp: (downMs) => cacheRecovered(telemetry.log, { downMs }),
    }),
  );
  const tokens = (model: string, operation: string, n: number) => telemetry.metrics.countTokens(model, operation, n);
  const span = telemetry.tracer.span.bind(telemetry.tracer);
  const ofCapabilities = new AsyncDisposableStack();
  const beginStop = () => stopping.abort(new ServiceError("unavailable", "Cannot continue: the service is stopping"));
  const deps: OwnedDeps = {
    config,
    db,
    clock,
    telemetry,
    kv,
    verifiedKeys,
    verifiedAdmins,
    verifiedBrokers,
    provenSecrets: new ProvenSecrets(),
    isPrepared: () => prepared,
    isHearing,
    stopping: stopping.signal,
    disposeAtStop: (part) => void ofCapabilities.use(part),
    argon2id: options.argon2id ?? stack.use(new Argon2id({ workers: config.argon2Workers })),
    failedAttempts: new AttemptLimit(kv, clock),
    rateLimit: new RateLimit(kv, clock),
    signingKey: loadSigningKey(config, telemetry.log),
    secretsKeys: loadSecretsKeys(config),
    sealKey: loadSealKey(config, telemetry.log),
    outbound: stack.use(
      await createOutbound(config, { clock, nameServer: options.nameServer, metrics: telemetry.metrics }),
    ),
    embeddings: createEmbeddings({
      ...config.embeddings,
      onTokens: tokens,
      watch: { span, onEmbedded: telemetry.metrics.observeEmbedding.bind(telemetry.metrics) },
      onEncoderFault: (error) => sentenceEncoderFailed(telemetry.log, { error }),
    }),
    generator: createGenerator({ ...config.llm, onTokens: tokens }) ?? undefined,
    checkSessions: () => {
      const { direct, connection } = ways.get(HOME)!;
      return checkSessions(db, { direct, asksForNames: connection.prepare === true });
    },
    listen: () => listen(HOME),
    admitClusters: async () => {
      await checkIdentity(db, clusters && HOME);
      await others?.admit();
    },
    notePrepared: () => void (prepared = true),
    beginStop,
    async [Symbol.asyncDispose]() {
      beginStop();
      await owned.disposeAsync();
    },
  };
  stack.use(ofCapabilities);
  // Created now, the audit trail first, so that it is disposed last and also writes entries of the other parts' disposal.
  auditTrailOf(deps);
  streamsOf(deps);
  telemetry.metrics.attach({
    ...storeGauges(deps),
    ...peerGauges({ db, clock }),
    hotTier: () => hotTierOf(deps).sizes(),
    streams: () => streamsOf(deps).sizes(),
    isHearing,
    isVectorIndexReady: () => nearestIndexOf(deps).isReady,
  });
  const owned = stack.move();
  return deps;
}

/** The number of the pool's connections that one workspace may have. */
function perWorkspaceMaxOf(poolMax: number, wanted: number | undefined): number {
  if (wanted === 0) return poolMax;
  return Math.min(poolMax, wanted ?? Math.ceil(poolMax / 2));
}

async function connect(
  config: Config,
  log: Log,
): Promise<{ ways: ReadonlyMap<string, ConnectionOptions>; embedded?: Embedded }> {
  if (config.database.url !== undefined) return { ways: connectionsOf(config) };
  const embedded = await startEmbedded(config.database.dataDir, {
    embeddingDimension: config.embeddings.dimension,
    nearestIndex: nearestIndexFor(config.embeddings),
    onUpkeepFailed: (error) => embeddedUpkeepFailed(log, { error }),
  });
  return { ways: new Map([[HOME, { connection: embedded.connection }]]), embedded };
}
