/** The composition root: configuration → parts → service. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Config } from "./config.ts";
import type { Deps, VerifiedAdmin, VerifiedKey } from "./context.ts";
import { Argon2id } from "./crypto/argon2id.ts";
import { readSigningKey, type SigningKey } from "./crypto/ed25519.ts";
import { ProvenSecrets } from "./crypto/proven_secrets.ts";
import { VerifiedKeys } from "./crypto/verified_keys.ts";
import { CHANGE_CHANNEL } from "./db/changes.ts";
import { type Embedded, startEmbedded } from "./db/embedded.ts";
import { migrate, nameCluster } from "./db/migrations.ts";
import { buildNearestIndex } from "./db/nearest_index.ts";
import { beat } from "./db/queries/notifications.ts";
import { checkDatabase, checkIdentity, checkSessions } from "./db/boot.ts";
import { Clusters } from "./db/clusters.ts";
import { OtherClusters } from "./db/other_clusters.ts";
import { PLACEMENT_CHANNEL } from "./db/queries/placement.ts";
import type { Sessions } from "./db/sessions.ts";
import { ownerWaysOf, type Way, waysOf } from "./db/ways.ts";
import { KEY_CHANNEL } from "./db/queries/api_keys.ts";
import { PEER_CHANNEL } from "./db/queries/federation_peers.ts";
import { HOME } from "./db/database.ts";
import { ReplicatedDatabase, type ReplicatedOptions } from "./db/replicated_database.ts";
import { requestLoadOf } from "./domain/access/request_load.ts";
import { auditTrailOf } from "./domain/audit/trail.ts";
import { writeLoadOf } from "./domain/common/write_load.ts";
import { peerSignalsOf } from "./domain/federation/peer_signals.ts";
import { peerGauges } from "./domain/federation/show_peers.ts";
import { streamsOf } from "./domain/feed/streams.ts";
import { webhookSenderOf } from "./domain/webhooks/sender.ts";
import { hotTierOf } from "./domain/recall/hot.ts";
import { nearestIndexOf } from "./domain/recall/nearest_index.ts";
import { storeGauges } from "./domain/upkeep/health.ts";
import { RULES } from "./domain/kinds/registry.ts";
import { useRules } from "./domain/unit/rules.ts";
import { ServiceError } from "./errors.ts";
import { SymmetricKey } from "./schema/federation_peer.ts";
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
  embeddedUpkeepFailed,
  migrationApplied,
  notificationsHeard,
  replicaUnused,
  replicaUsed,
  serveCryptoInitFailed,
} from "./telemetry/events.ts";
import type { Log, LogSink } from "./telemetry/log.ts";
import { createTelemetry } from "./telemetry/telemetry.ts";

export interface DepsOptions {
  readonly clock?: () => Date;
  /** Where log lines go; default: standard output. */
  readonly logSink?: LogSink;
  /** Asked for the names of other servers instead of the system's name servers. */
  readonly nameServer?: NameServer;
  /** Hashes secrets instead of threads of the service's own; the service does not dispose it. */
  readonly argon2id?: Argon2id;
}

/** The parts, and how to take them down. */
export interface OwnedDeps extends Deps, AsyncDisposable {
  /**
   * Looks whether the database is reached as the configuration says; before anything is asked of it.
   * @throws ServiceError `conflict` when it must not be used so, `unavailable` while it cannot be reached.
   */
  checkSessions(): Promise<Sessions>;
  /** Begins to listen to other processes; resolves when they are heard, or after the time in which they should have been. */
  listen(): Promise<void>;
  /**
   * Checks that the database is the cluster that the configuration says it is, and admits the further clusters. Those
   * that cannot be reached are admitted later.
   * @throws ServiceError `conflict` when a cluster must not be used; `unavailable` while the home cluster cannot be
   *   reached
   */
  admitClusters(): Promise<void>;
  /** The boot is done. */
  notePrepared(): void;
  /** Aborts `stopping`: not ready, streams end, loops end. Disposing does so too. */
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
  });
  const verifiedAdmins = new VerifiedKeys<VerifiedAdmin>({ clock });
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
      // What the service does by itself is in nobody's account.
      onUsed: (scope, usedMs) => {
        if (/^(key|admin|peer):/.test(scope.actor)) requestLoadOf(deps).noteDatabaseTime(scope, usedMs);
      },
      onWriting: () => writeLoadOf(deps).begin(),
      clock,
      deadlineMs: config.database.deadlineMs,
      onCommitting: (tx, changes) => hotTierOf(deps).readWritten(tx, changes),
      onCommitted: (workspaceId, changes) => noteSeq(workspaceId, changes.at(-1)!.seq),
      onReplaced: (error, generation) => databasePoolReplaced(telemetry.log, { error, generation }),
    };
  };
  const onMigrated: OnApplied = (migration, durationMs) => migrationApplied(telemetry.log, { migration, durationMs });
  const clusters = ways.size > 1
    ? new Clusters([...ways.keys()].filter((name) => name !== HOME), databaseOf)
    : undefined;
  const db = stack.use(clusters ?? new ReplicatedDatabase(databaseOf(HOME)));
  const noteSeq = (workspaceId: string, seq: number) => {
    hotTierOf(deps).noteSeq(workspaceId, seq);
    streamsOf(deps).signals.noteSeq(workspaceId, seq);
    webhookSenderOf(deps).noteChange();
  };
  const hear = (name: string, way: Way) =>
    stack.use(
      new Notifications({
        connection: way.direct ?? way.connection,
        channels: {
          [CHANGE_CHANNEL]: (payload) => {
            const [workspaceId = "", seq = ""] = payload.split(" ");
            noteSeq(workspaceId, Number(seq));
          },
          [KEY_CHANNEL]: (publicId) => {
            verifiedKeys.evict(publicId);
            verifiedAdmins.evict(publicId);
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
          verifiedKeys.clear();
          verifiedAdmins.clear();
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
    embeddings: createEmbeddings({ ...config.embeddings, onTokens: tokens, span }),
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
    ...storeGauges({ db, clock }),
    ...peerGauges({ db, clock }),
    hotTier: () => hotTierOf(deps).sizes(),
    streams: () => streamsOf(deps).sizes(),
    isHearing,
    isVectorIndexReady: () => nearestIndexOf(deps).isReady,
  });
  const owned = stack.move();
  return deps;
}

/**
 * A key that cannot be read does not keep the service from starting: it signs nothing.
 * @throws ServiceError `validation_failed` when the configuration requires one
 */
function loadSigningKey({ signingKeyPem: pem, federation }: Config, log: Log): SigningKey | undefined {
  return loadKey("SVC_FEDERATION_PRIVATE_KEY", pem, federation.requireCrypto, log, (text) =>
    // Environments cannot always hold line breaks.
    readSigningKey(text.replaceAll("\\n", "\n")));
}

/** The same of the key that seals. */
function loadSealKey({ federation }: Config, log: Log): Uint8Array | undefined {
  const { symmetricKey, requireCrypto } = federation;
  return loadKey("SVC_FEDERATION_SYMMETRIC_KEY", symmetricKey, requireCrypto, log, (text) => {
    const checked = SymmetricKey.safeParse(text);
    if (checked.success) return Uint8Array.fromBase64(checked.data);
    throw new ServiceError("validation_failed", "Cannot read the key: it is not base64 of 32 bytes");
  });
}

/**
 * What seals stored secrets: what is configured; of the embedded database, whose folder nobody else reads, also what stands
 * in a file of that folder, which is made where nothing is configured.
 */
function loadSecretsKeys({ secretsKey, secretsKeyPrevious, database }: Config): string[] {
  const configured = [secretsKey, secretsKeyPrevious].filter((key) => key !== undefined);
  if (database.url !== undefined) return configured;
  const file = join(database.dataDir, "secrets.key");
  try {
    return [...configured, Deno.readTextFileSync(file).trim()];
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  if (configured.length > 0) return configured;
  const made = randomBytes(32).toString("base64url");
  // Renamed when it is whole: a process that is killed leaves no half of a key.
  Deno.writeTextFileSync(`${file}.new`, `${made}\n`, { mode: 0o600 });
  Deno.renameSync(`${file}.new`, file);
  return [made];
}

function loadKey<K>(
  name: string,
  text: string | undefined,
  isRequired: boolean,
  log: Log,
  read: (text: string) => K,
): K | undefined {
  const refuse = (reason: string, cause?: unknown) =>
    new ServiceError("validation_failed", `Cannot start: ${name} ${reason}, and SVC_FEDERATION_REQUIRE_CRYPTO is on`, {
      cause,
    });
  if (text === undefined) {
    if (isRequired) throw refuse("is not set");
    return undefined;
  }
  try {
    return read(text);
  } catch (error) {
    if (isRequired) throw refuse("cannot be read", error);
    serveCryptoInitFailed(log, { error });
    return undefined;
  }
}

/** Called for each migration that was applied. */
type OnApplied = (name: string, durationMs: number) => void;

/** Runs all migrations as the owner, on every cluster. @returns the names of those that it applied */
export async function migrateDatabase(config: Config, onApplied?: OnApplied): Promise<string[]> {
  if (config.database.ownerUrl === undefined) {
    throw new ServiceError("validation_failed", "Cannot migrate: SVC_OWNER_DATABASE_URL is not set");
  }
  const done = [];
  for (const name of ownerWaysOf(config).keys()) done.push(...await migrateCluster(config, name, onApplied));
  return done;
}

/**
 * Runs the migrations on one cluster, if its owner's connection is configured. When there are several clusters, it also
 * stores the cluster's name.
 */
export async function migrateCluster(config: Config, name: string, onApplied?: OnApplied): Promise<string[]> {
  const connection = ownerWaysOf(config).get(name);
  if (connection === undefined) return [];
  const called = (migration: string) => name === HOME ? migration : `${name}: ${migration}`;
  const applied = await migrate(connection, {
    embeddingDimension: config.embeddings.dimension,
    onApplied: (migration, durationMs) => onApplied?.(called(migration), durationMs),
  });
  if (config.database.clusters.length > 0) await nameCluster(connection, name);
  return applied.map(called);
}

/**
 * Builds the nearest-neighbour index on every cluster, if an embedding model makes the vectors. Services may run
 * meanwhile.
 */
export async function buildVectorIndex(config: Config): Promise<void> {
  if (config.embeddings.url === undefined) return;
  const { signal } = new AbortController();
  for (const connection of ownerWaysOf(config).values()) {
    while (!await buildNearestIndex(connection, config.embeddings.dimension, signal));
  }
}

/** How many of the pool's connections one workspace may have. */
function perWorkspaceMaxOf(poolMax: number, wanted: number | undefined): number {
  if (wanted === 0) return poolMax;
  return Math.min(poolMax, wanted ?? Math.ceil(poolMax / 2));
}

async function connect(config: Config, log: Log): Promise<{ ways: ReadonlyMap<string, Way>; embedded?: Embedded }> {
  if (config.database.url !== undefined) return { ways: waysOf(config) };
  const embedded = await startEmbedded(config.database.dataDir, {
    embeddingDimension: config.embeddings.dimension,
    withNearestIndex: config.embeddings.url !== undefined,
    onUpkeepFailed: (error) => embeddedUpkeepFailed(log, { error }),
  });
  return { ways: new Map([[HOME, { connection: embedded.connection }]]), embedded };
}
