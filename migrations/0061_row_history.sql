-- Earlier states of tasks and relations, so that an export with `asOf` tells them as they were. Units have `unit_revision`.
--
-- A row is written with every new version, by whoever changes the task or relation, and tells what the version before
-- said until then. What changes without a version (where a relation's ends stand, whether its evidence fell) has none.

do $$
declare
  t text;
begin
  foreach t in array array['task', 'relation'] loop
    execute format(
      'create table %1$I (
         workspace_id uuid not null,
         id uuid not null,
         version integer not null,
         -- From when until when it was so, by the clock of the service that changed it.
         written_at timestamptz(3) not null,
         replaced_at timestamptz(3) not null,
         sensitivity sensitivity not null,
         -- By column names; of a task also `depends_on`.
         row jsonb not null,
         primary key (workspace_id, id, replaced_at, version),
         -- What is deleted or erased has no past.
         foreign key (workspace_id, id) references %2$I (workspace_id, id) on delete cascade
       )', t || '_revision', t);
    execute format('alter table %I enable row level security', t || '_revision');
    execute format('alter table %I force row level security', t || '_revision');
    -- Whoever may not see what it became may not see what it was.
    execute format(
      'create policy %1$I on %2$I to svc_app
         using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance())
                and exists (select from %3$I now where now.workspace_id = %2$I.workspace_id and now.id = %2$I.id))
         with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))',
      t || '_revision_own', t || '_revision', t);
    execute format('grant select, insert, delete on %I to svc_app', t || '_revision');
  end loop;
end
$$;

-- Keeps what a row said until now, and of one that changes without end the last 1000 to 1100 versions.
create function keep_row_history() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
  declare
    v_row jsonb := to_jsonb(old) - 'workspace_id';
  begin
    if tg_table_name = 'task' then
      v_row := v_row || jsonb_build_object('depends_on', to_jsonb(array(
        select d.depends_on from public.task_dependency d
         where d.workspace_id = old.workspace_id and d.task_id = old.id order by d.depends_on)));
    end if;
    execute format(
      'insert into public.%I (workspace_id, id, version, written_at, replaced_at, sensitivity, row)
       values ($1, $2, $3, $4, $5, $6, $7)', tg_table_name || '_revision')
      using old.workspace_id, old.id, old.version, old.updated_at, new.updated_at, old.sensitivity, v_row;
    if new.version % 100 = 0 then
      execute format(
        'delete from public.%1$I r
          where r.workspace_id = $1 and r.id = $2
            and r.replaced_at < (select k.replaced_at from public.%1$I k
                                  where k.workspace_id = $1 and k.id = $2
                                  order by k.replaced_at desc, k.version desc offset 999 limit 1)',
        tg_table_name || '_revision')
        using old.workspace_id, old.id;
    end if;
    return null;
  end
  $$;
create trigger task_history after update on task
  for each row when (old.version <> new.version) execute function keep_row_history();
create trigger relation_history after update on relation
  for each row when (old.version <> new.version) execute function keep_row_history();
