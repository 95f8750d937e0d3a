/** Checks of the database that must pass before requests may use it. */
import { ServiceError } from "../errors.ts";
import { MIGRATIONS, refuseForeignMigrations } from "./migrations.ts";
import {
  readEmbeddingDimension,
  readMigrations,
  readPrivileges,
  readUnguarded,
  type RolePrivileges,
} from "./queries/privileges.ts";
import { readClusterName } from "./queries/placement.ts";
import type { PostgresOptions } from "./pool.ts";
import type { Database } from "./database.ts";
import { toServiceError } from "./database_fault.ts";
import { lookAtSessions, type Sessions } from "./sessions.ts";

/**
 * Checks whether a pooler shares the sessions, and whether the parts that need a session have a direct way in that
 * case.
 * @param direct the way past the pooler, if there is one
 * @param asksForNames whether the configuration asks for prepared statements even behind a pooler
 * @throws ServiceError `conflict` when the service must not start, `unavailable` while the database cannot be reached.
 */
export async function checkSessions(
  db: Database,
  { direct, asksForNames }: { readonly direct: PostgresOptions | undefined; readonly asksForNames: boolean },
): Promise<Sessions> {
  const sessions = await db.lookAtSessions();
  if (sessions.areShared && asksForNames && !sessions.keepStatements) {
    throw refusal("the pooler of DATABASE_URL does not carry prepared statements; take `prepare=true` out of the URL");
  }
  if (sessions.areShared && direct === undefined) {
    throw refusal(
      "DATABASE_URL leads through a pooler in transaction mode, where notifications get lost; " +
        "set SVC_DATABASE_DIRECT_URL to the same database past the pooler (docs/guides/deployment.md, Poolers)",
    );
  }
  if (direct !== undefined && (await lookAtDirect(direct)).areShared) {
    throw refusal(
      "SVC_DATABASE_DIRECT_URL leads through a pooler in transaction mode, where notifications get lost (docs/guides/deployment.md, Poolers)",
    );
  }
  return sessions;
}

async function lookAtDirect(direct: PostgresOptions): Promise<Sessions> {
  try {
    return await lookAtSessions({ ...direct, prepare: false });
  } catch (error) {
    throw toServiceError(error);
  }
}

/**
 * Checks that the database is the cluster that the configuration says it is.
 * @param expected the cluster's configured name; undefined when the database is the only one
 * @throws ServiceError `conflict` when it is not, `unavailable` while the database cannot be reached.
 */
export async function checkIdentity(db: Database, expected: string | undefined): Promise<void> {
  const name = await db.system(readClusterName, { readOnly: true });
  if (name === expected) return;
  if (expected === undefined) {
    throw refusal(`the database is the cluster ${name} of several; set SVC_CLUSTERS as in the other processes`);
  }
  throw refusal(
    name === undefined
      ? `nobody has made a cluster of the database for ${expected}; run \`svc migrate\` with SVC_CLUSTERS and SVC_OWNER_CLUSTERS`
      : `the database for the cluster ${expected} is the cluster ${name}`,
  );
}

export interface BootExpectations {
  readonly embeddingDimension: number;
}

/**
 * Refuses a role with too much or too little power, a schema of another build, tables that row-level security does not
 * guard, and another embedding dimension.
 * @throws ServiceError `conflict` when the service must not start, `unavailable` while the database cannot be reached.
 */
export async function checkDatabase(db: Database, expected: BootExpectations): Promise<void> {
  refuseRole(await db.system(readPrivileges, { readOnly: true }));
  const applied = await db.system(readMigrations, { readOnly: true });
  refuseForeignMigrations(applied, "start");
  const missing = MIGRATIONS.map(({ name }) => name).filter((name) => !applied.has(name));
  if (missing.length > 0) throw refusal(`the database lacks ${missing.join(", ")}; run \`svc migrate\` first`);
  const unguarded = await db.system(readUnguarded, { readOnly: true });
  if (unguarded.length > 0) throw refusal(`${unguarded.join("; ")}: workspaces would not be kept apart`);
  const dimension = await db.system(readEmbeddingDimension, { readOnly: true });
  if (dimension !== expected.embeddingDimension) {
    throw refusal(
      `the database holds embeddings of ${dimension} dimensions, the configuration says ${expected.embeddingDimension}`,
    );
  }
}

function refuseRole(found: RolePrivileges): void {
  const excess = [
    found.superuser && "is a superuser",
    found.bypassesRls && "bypasses row-level security",
    found.ownedTables > 0 && "owns the service's tables",
    found.definer && "is a member of svc_definer",
  ].filter((text) => text !== false);
  if (excess.length > 0) {
    throw refusal(
      `the database role ${found.role} ${excess.join(" and ")}; ` +
        "requests need a plain role that is a member of svc_app (docs/guides/deployment.md, Postgres)",
    );
  }
  if (found.seesMigrations && found.app) return;
  throw found.app ? refusal("the database is not migrated; run `svc migrate` first") : refusal(
    `the database role ${found.role} is not a member of svc_app; migrate, then grant it (docs/guides/deployment.md, Postgres)`,
  );
}

function refusal(reason: string): ServiceError {
  return new ServiceError("conflict", `Cannot start: ${reason}`);
}
