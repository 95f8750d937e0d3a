/** `svc workspace` and `svc key`: workspaces and their API keys. */
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Deps } from "../context.ts";
import * as access from "../domain/access/authorize.ts";
import { atKey, getApiKey, revokeApiKey, rotateApiKey, updateApiKey } from "../domain/access/admin/api_keys.ts";
import {
  createBrokerKey,
  listBrokerKeys,
  revokeBrokerKey,
  rotateBrokerKey,
} from "../domain/access/admin/broker_keys.ts";
import { getWorkspace, updateWorkspace } from "../domain/access/admin/workspaces.ts";
import type { UpdateApiKeyBody } from "../schema/admin_key.ts";
import { RECALL_DIARY_DAYS_MAX, type WorkspaceSettings } from "../schema/admin_workspace.ts";
import { SENSITIVITIES, type Sensitivity, TimeZone } from "../schema/common.ts";
import { type Region, REGIONS } from "../schema/regions.ts";
import { DEFAULT_SCOPES, type Scope } from "../schema/scopes.ts";
import type { CliParts } from "./parts.ts";
import { parseCount } from "./parse_count.ts";
import { addPlacementCommands } from "./placement.ts";
import { operatorIn, systemContext, WORKSPACE } from "./operator.ts";
import { parseCidrs, parseDays, parseExpiryOrNever, parseHours, parseId, parseScopes } from "./parse.ts";
import { listWorkspaces } from "../domain/access/admin/workspaces.ts";

const SHOWN_ONCE = "Keep the key: it is not stored and not shown again.";
const DAY_SECONDS = 86_400;
const OVERLAP_SECONDS_MAX = 30 * DAY_SECONDS;

export function addWorkspaceCommands(cli: Command, parts: CliParts): void {
  const { withDeps, print } = parts;
  const workspace = cli.command("workspace").description("create, list and change workspaces");
  workspace.command("create").description("create a workspace; its region never changes")
    .requiredOption("--name <name>", "1 to 200 characters")
    .addOption(new Option("--region <region>").choices(REGIONS).default(REGIONS[0]))
    .option("--cluster <name>", "the cluster to place it on; default: SVC_NEW_WORKSPACES_CLUSTER")
    .action((options: { name: string; region: Region; cluster?: string }) =>
      withDeps(async (deps) => print({ workspaceId: await access.createWorkspace(deps, options) }))
    );
  workspace.command("list").description("list all workspaces")
    .action(() => withDeps(async (deps) => print(await listPlaced(deps))));
  addPlacementCommands(workspace, parts);
  workspace.command("show").description("show a workspace with its settings").argument(
    "<workspaceId>",
    "id of the workspace",
    parseId,
  )
    .action((id: string) => withDeps(async (deps) => print(await getWorkspace(systemContext(deps), id))));
  workspace.command("update").description(
    "change settings that hold for all keys of a workspace; takes effect immediately",
  ).argument(
    "<workspaceId>",
    "id of the workspace",
    parseId,
  )
    .addOption(new Option("--max-sensitivity <level>", "no key sees rows above this level").choices(SENSITIVITIES))
    .option("--per-minute <requests>", "rate limit of keys without one of their own; 0 = no limit", parseCount(0))
    .option("--burst <requests>", "how many of these requests may come at once", parseCount(1))
    .addOption(noRateLimit())
    .addOption(defaultRateLimit("return to the configured rate limit"))
    .option(
      "--audit-address-days <days>",
      "delete callers' addresses after this many days; `never`: keep them",
      parseDays,
    )
    .option(
      "--consolidate-every-hours <hours>",
      "consolidate this often, if the gate is open; `never`: only on request",
      parseHours,
    )
    .option(
      "--restricted-retention-days <days>",
      "erase restricted data unchanged for this many days; `never`: keep it",
      parseDays,
    )
    .option(
      "--recall-diary-days <days>",
      "keep what was asked and what was shown for this many days; 0: keep nothing",
      parseCount(0, RECALL_DIARY_DAYS_MAX),
    )
    .option("--timezone <name>", "where its people are, such as Europe/Lisbon; `none`: UTC", parseZone)
    .action((id: string, options: WorkspaceOptions) =>
      withDeps(async (deps) => {
        const settings = toSettings(deps, options);
        if (Object.keys(settings).length === 0) throw new InvalidArgumentError("say what to change");
        print(await updateWorkspace(systemContext(deps), id, { settings }, undefined));
      })
    );
  workspace.command("rename").description("rename a workspace").argument(
    "<workspaceId>",
    "id of the workspace",
    parseId,
  )
    .requiredOption("--name <name>", "1 to 200 characters")
    .action((id: string, options: { name: string }) =>
      withDeps(async (deps) => print(await updateWorkspace(systemContext(deps), id, options, undefined)))
    );
}

/** Lists all workspaces; when there are several clusters, with the cluster of each. */
async function listPlaced(deps: Deps) {
  const rows = await listWorkspaces(deps);
  if (deps.db.clusters.size === 1) return rows;
  return await Promise.all(rows.map(async (row) => ({ ...row, cluster: await deps.db.clusterOf(row.workspaceId) })));
}

function parseZone(name: string): string {
  if (name === "none" || TimeZone.safeParse(name).success) return name;
  throw new InvalidArgumentError("it must be the name of a time zone, such as Europe/Lisbon");
}

interface RateLimitOptions {
  readonly perMinute?: number;
  readonly burst?: number;
  /** False by `--no-rate-limit`. */
  readonly rateLimit: boolean;
  readonly defaultRateLimit?: true;
}

interface WorkspaceOptions extends RateLimitOptions {
  readonly maxSensitivity?: Sensitivity;
  readonly auditAddressDays?: number | "never";
  readonly consolidateEveryHours?: number | "never";
  readonly restrictedRetentionDays?: number | "never";
  readonly recallDiaryDays?: number;
  readonly timezone?: string;
}

function toSettings(deps: Deps, options: WorkspaceOptions): Partial<WorkspaceSettings> {
  const rateLimit = rateLimitOf(deps, options);
  const { auditAddressDays, consolidateEveryHours, restrictedRetentionDays, recallDiaryDays, timezone } = options;
  const orNull = (value: number | "never") => value === "never" ? null : value;
  return {
    ...(options.maxSensitivity && { maxSensitivity: options.maxSensitivity }),
    ...(rateLimit !== undefined && { rateLimit }),
    ...(auditAddressDays !== undefined && { auditAddressDays: orNull(auditAddressDays) }),
    ...(consolidateEveryHours !== undefined && { consolidateEveryHours: orNull(consolidateEveryHours) }),
    ...(restrictedRetentionDays !== undefined && { restrictedRetentionDays: orNull(restrictedRetentionDays) }),
    ...(recallDiaryDays !== undefined && { recallDiaryDays }),
    ...(timezone !== undefined && { timezone: timezone === "none" ? null : timezone }),
  };
}

interface KeyOptions extends RateLimitOptions {
  readonly name?: string;
  readonly scopes?: Scope[];
  readonly maxSensitivity?: Sensitivity;
  readonly expires?: Date | "never";
  readonly cidrs?: string[];
}

/** The options that limit a key, of the commands that create and change one. */
function addRights(command: Command): Command {
  return command
    .option("--scopes <list>", "what the key may do, comma-separated", parseScopes)
    .addOption(
      new Option("--max-sensitivity <level>", "the key's clearance: it sees no rows above it").choices(SENSITIVITIES),
    )
    .option("--expires <time>", "when the key expires: RFC 3339, or `never`", parseExpiryOrNever)
    .option("--cidrs <list>", "comma-separated address ranges from which the key may be used, or `any`", parseCidrs)
    .option("--per-minute <requests>", "own rate limit; 0 = no limit", parseCount(0))
    .option("--burst <requests>", "how many of these requests may come at once", parseCount(1))
    .addOption(noRateLimit());
}

function noRateLimit(): Option {
  return new Option("--no-rate-limit", "no limit at all").conflicts(["perMinute", "burst", "defaultRateLimit"]);
}

function defaultRateLimit(description: string): Option {
  return new Option("--default-rate-limit", description).conflicts(["perMinute", "burst"]);
}

export function addKeyCommands(cli: Command, { withDeps, print }: CliParts): void {
  const key = cli.command("key").description("create, list, change and revoke API keys");
  const create = key.command("create").description("create a key; it is shown only once")
    .option(...WORKSPACE)
    .option("--name <name>", "what the key is for: 1 to 200 characters", "key")
    .addOption(broker("a key with which an app makes a workspace for each of its users; --name is the app's"))
    .addOption(new Option("--region <region>", "where the users of the app live; with --broker").choices(REGIONS));
  addRights(create).action((options: CreateOptions) =>
    withDeps(async (deps) =>
      print({
        ...await (options.broker ? createBroker(deps, options) : createKey(deps, requireNoRegion(options))),
        note: SHOWN_ONCE,
      })
    )
  );
  key.command("list").description("list a workspace's keys, without secrets")
    .option(...WORKSPACE)
    .addOption(broker("those of apps"))
    .action((options: { workspace?: string; broker?: true }) =>
      withDeps(async (deps) =>
        print(
          options.broker
            ? await listBrokerKeys(systemContext(deps))
            : await access.listApiKeys(await operatorIn(deps, options.workspace)),
        )
      )
    );
  key.command("show").description("show a key, without its secret").argument("<keyId>", "id of the key", parseId)
    .action((keyId: string) =>
      withDeps(async (deps) => print(await getApiKey(await atKey(systemContext(deps), keyId), keyId)))
    );
  const update = key.command("update").description("change what a key may do; takes effect immediately").argument(
    "<keyId>",
    "id of the key",
    parseId,
  )
    .option("--name <name>", "1 to 200 characters");
  addRights(update)
    .addOption(defaultRateLimit("no own rate limit: use the workspace's or the configured one"));
  update.action((keyId: string, options: KeyOptions) =>
    withDeps(async (deps) => {
      const ctx = await atKey(systemContext(deps), keyId);
      print(await updateApiKey(ctx, keyId, toUpdate(deps, options), undefined));
    })
  );
  key.command("rotate").description("give a key a new secret; the old one stays valid during the overlap").argument(
    "<keyId>",
    "id of the key",
    parseId,
  )
    .option(
      "--overlap <seconds>",
      "how long the old secret stays valid, 0 to 2592000",
      parseCount(0, OVERLAP_SECONDS_MAX),
      DAY_SECONDS,
    )
    .addOption(broker("the key is that of an app"))
    .action((keyId: string, options: { overlap: number; broker?: true }) =>
      withDeps(async (deps) => {
        const body = { overlapSeconds: options.overlap };
        const rotated = options.broker
          ? await rotateBrokerKey(systemContext(deps), keyId, body)
          : await rotateApiKey(await atKey(systemContext(deps), keyId), keyId, body);
        print({ ...rotated, note: SHOWN_ONCE });
      })
    );
  key.command("revoke").description("revoke a key; every process refuses it within a second").argument(
    "<keyId>",
    "id of the key",
    parseId,
  )
    .option(...WORKSPACE)
    .addOption(broker("the key is that of an app; the memory of its users stays"))
    .action((keyId: string, options: { workspace?: string; broker?: true }) =>
      withDeps(async (deps) => {
        if (options.broker) {
          await revokeBrokerKey(systemContext(deps), keyId);
          return print({ revoked: keyId });
        }
        const ctx = options.workspace === undefined
          ? await atKey(systemContext(deps), keyId)
          : await operatorIn(deps, options.workspace);
        await revokeApiKey(ctx, keyId);
        print({ revoked: keyId });
      })
    );
}

function broker(description: string): Option {
  return new Option("--broker", description).conflicts("workspace");
}

interface CreateOptions extends KeyOptions {
  readonly workspace?: string;
  readonly name: string;
  readonly broker?: true;
  readonly region?: Region;
}

function requireNoRegion(options: CreateOptions): CreateOptions {
  if (options.region === undefined) return options;
  throw new InvalidArgumentError("--region is for --broker: a key has the region of its workspace");
}

function createBroker(deps: Deps, options: CreateOptions) {
  return createBrokerKey(systemContext(deps), {
    name: options.name,
    region: options.region ?? deps.config.region ?? REGIONS[0],
    scopes: [...options.scopes ?? DEFAULT_SCOPES],
    maxSensitivity: options.maxSensitivity ?? "confidential",
    cidrs: [...options.cidrs ?? []],
    rateLimit: rateLimitOf(deps, options) ?? null,
    expiresAt: options.expires instanceof Date ? options.expires.toISOString() : null,
  });
}

async function createKey(deps: Deps, options: KeyOptions & { readonly workspace?: string; readonly name: string }) {
  const rateLimit = rateLimitOf(deps, options);
  return await access.createApiKey(await operatorIn(deps, options.workspace), {
    name: options.name,
    scopes: options.scopes ?? DEFAULT_SCOPES,
    maxSensitivity: options.maxSensitivity ?? "confidential",
    ...(options.expires instanceof Date && { expiresAt: options.expires }),
    ...(options.cidrs && { cidrs: options.cidrs }),
    ...(rateLimit && { rateLimit }),
  });
}

function toUpdate(deps: Deps, options: KeyOptions): UpdateApiKeyBody {
  const rateLimit = rateLimitOf(deps, options);
  return {
    ...(options.name !== undefined && { name: options.name }),
    ...(options.scopes && { scopes: options.scopes }),
    ...(options.maxSensitivity && { maxSensitivity: options.maxSensitivity }),
    ...(options.expires && { expiresAt: options.expires === "never" ? null : options.expires.toISOString() }),
    ...(options.cidrs && { cidrs: options.cidrs }),
    ...(rateLimit !== undefined && { rateLimit }),
  };
}

/** What the options say of the rate limit; null: the workspace's or the configured one holds. */
function rateLimitOf({ config }: Deps, { perMinute, burst, rateLimit, defaultRateLimit }: RateLimitOptions) {
  if (defaultRateLimit) return null;
  if (!rateLimit) return { perMinute: 0, burst: config.rateLimit.burst };
  if (perMinute === undefined && burst === undefined) return undefined;
  return { perMinute: perMinute ?? config.rateLimit.perMinute, burst: burst ?? config.rateLimit.burst };
}
