/** The contents of the tables, read by a superuser: to show that a request left nothing and changed nothing. */
import postgres from "postgres";
import type { TestService } from "../_service.ts";

/**
 * Tables in which a request leaves its own trace: uses, counters, the audit log, kept replies, the diary of recalls.
 */
const TRACES = [
  ...["svc_audit_", "usage_counter", "api_key", "idempotent_reply", "reasoning_use", "procedural_use"],
  ...["recall_entry", "recall_shown"],
];

export class Tables implements AsyncDisposable {
  readonly #sql: postgres.Sql;

  constructor(service: TestService) {
    this.#sql = postgres(service.database!.superuserUrl, { max: 1, onnotice: () => {} });
  }

  /** A digest of each table's rows of one workspace, without the traces of requests. */
  async digest(workspaceId: string): Promise<Record<string, string>> {
    const digests: Record<string, string> = {};
    for (const table of await this.#tables()) {
      if (TRACES.some((trace) => table.startsWith(trace))) continue;
      const [row] = await this.#sql`
        select count(*) || ' ' || md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest
          from ${this.#sql(table)} t where workspace_id = ${workspaceId}`;
      digests[table] = row!["digest"];
    }
    return digests;
  }

  /** Tables in which a row of a workspace names any of some texts. */
  async naming(workspaceId: string, texts: readonly string[]): Promise<string[]> {
    const patterns = texts.map((text) => `%${text}%`);
    const found: string[] = [];
    for (const table of await this.#tables()) {
      const rows = await this.#sql`
        select t::text from ${this.#sql(table)} t
         where workspace_id = ${workspaceId} and t::text like any (${patterns}) limit 1`;
      if (rows.length > 0) found.push(`${table}: ${rows[0]!["t"]}`);
    }
    return found;
  }

  /** The tables that have a row of a workspace. */
  async holding(workspaceId: string): Promise<string[]> {
    const found: string[] = [];
    for (const table of await this.#tables()) {
      const rows = await this.#sql`select from ${this.#sql(table)} where workspace_id = ${workspaceId} limit 1`;
      if (rows.length > 0) found.push(table);
    }
    return found;
  }

  /** Rows, of any workspace or none, that name any of some texts, each with its table. */
  async namingAnywhere(texts: readonly string[]): Promise<string[]> {
    const patterns = texts.map((text) => `%${text}%`);
    const tables = await this.#sql<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = 'public' order by 1`;
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await this.#sql`
        select t::text from ${this.#sql(name)} t where t::text ilike any (${patterns}) limit 1`;
      if (rows.length > 0) found.push(`${name}: ${rows[0]!["t"]}`);
    }
    return found;
  }

  /** Disables the policies, so that only the statements' own predicates keep workspaces apart. */
  async switchPoliciesOff(): Promise<void> {
    for (const table of await this.#tables()) {
      await this.#sql`alter table ${this.#sql(table)} disable row level security`;
    }
  }

  async #tables(): Promise<string[]> {
    const rows = await this.#sql`
      select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'workspace_id' order by 1`;
    return rows.map((row) => row["name"]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql.end({ timeout: 5 });
  }
}
