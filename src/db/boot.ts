/** What must hold before requests may use the database. Decisions §2 "Roles in Postgres". */
import { ServiceError } from "../errors.ts";
import { readPrivileges } from "./queries/privileges.ts";
import type { Database } from "./scope.ts";

export interface BootExpectations {
  readonly embeddingDimension: number;
}

/**
 * Refuses a role with too much power and a deployment of another embedding dimension.
 * @throws ServiceError `conflict` when the service must not start, `unavailable` while the database cannot be reached.
 */
export async function checkDatabase(db: Database, expected: BootExpectations): Promise<void> {
  const found = await db.system(readPrivileges, { readOnly: true });
  const excess = [
    found.superuser && "is a superuser",
    found.bypassesRls && "bypasses row-level security",
    found.ownedTables > 0 && "owns the service's tables",
  ].filter((text) => text !== false);
  if (excess.length > 0) {
    throw new ServiceError(
      "conflict",
      `Cannot start: the database role ${found.role} ${excess.join(" and ")}; ` +
        "requests need a plain role that is a member of svc_app (README, Deployment)",
    );
  }
  if (found.embeddingDimension !== expected.embeddingDimension) {
    throw new ServiceError(
      "conflict",
      `Cannot start: the database holds embeddings of ${found.embeddingDimension} dimensions, ` +
        `the configuration says ${expected.embeddingDimension}`,
    );
  }
}
