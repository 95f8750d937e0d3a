/** A backup of one workspace, and its restore: every row of it in every table, as it was, past triggers and policies. */
import postgres from "postgres";

export interface Snapshot {
  /** Has the workspace be what it was. */
  restore(): Promise<void>;
}

const COLUMNS = `
  select c.table_name as name, string_agg(quote_ident(c.column_name), ', ' order by c.ordinal_position) as columns
    from information_schema.columns c
    join pg_class t on t.oid = to_regclass('public.' || quote_ident(c.table_name))
   where c.table_schema = 'public' and c.is_generated = 'NEVER' and t.relkind in ('r', 'p') and not t.relispartition
   group by c.table_name having bool_or(c.column_name = 'workspace_id')`;

/** Backups of workspaces of one database, as its superuser. */
export class Backups implements AsyncDisposable {
  readonly #sql: postgres.Sql;
  #count = 0;

  constructor(superuserUrl: string) {
    this.#sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  }

  async take(workspaceId: string): Promise<Snapshot> {
    const schema = `backup_${this.#count++}`;
    const of = `workspace_id = '${workspaceId}'`;
    const tables = await this.#sql.unsafe<{ name: string; columns: string }[]>(COLUMNS);
    const copies = tables.map(({ name, columns }) =>
      `create table ${schema}.${name} as select ${columns} from public.${name} where ${of};`
    );
    await this.#sql.unsafe(`create schema ${schema}; ${copies.join("\n")}`);
    const back = tables.map(({ name, columns }) =>
      `delete from public.${name} where ${of};
       insert into public.${name} (${columns}) overriding system value select ${columns} from ${schema}.${name};`
    );
    return {
      restore: async () => {
        await this.#sql.begin((tx) => tx.unsafe(`set local session_replication_role = replica; ${back.join("\n")}`));
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql.end({ timeout: 5 });
  }
}
