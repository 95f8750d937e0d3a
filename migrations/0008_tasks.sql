-- Tasks and events.

-- A function may name a table of a later file.
set local check_function_bodies = off;

-- Tasks of agents, what they depend on, and events.
create table task (
  workspace_id uuid not null references workspace,
  id uuid not null,
  version integer not null default 1 check (version >= 1),
  kind text not null check (kind in ('task', 'conflict_review')),
  status text not null default 'pending'
    check (status in ('pending', 'in_progress', 'blocked', 'completed', 'failed', 'cancelled')),
  status_reason text,
  title text not null,
  description text,
  priority smallint not null check (priority between 0 and 3),
  agent_id text,
  -- The agent came by claiming a task that was nobody's: it goes again when the lease runs out.
  is_agent_claimed boolean not null default false,
  lease_expires_at timestamptz(3),
  due_at timestamptz(3),
  result jsonb,
  -- Who handed it to whom, when and why; the oldest first.
  delegations jsonb not null default '[]',
  sensitivity sensitivity not null default 'internal',
  tags text[] not null default '{}',
  metadata jsonb not null default '{}',
  started_at timestamptz(3),
  finished_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by text not null,
  primary key (workspace_id, id),
  check (lease_expires_at is null or status = 'in_progress')
);
create index task_status on task (workspace_id, status, id);
create index task_agent on task (workspace_id, agent_id, id) where agent_id is not null;
create index task_due on task (workspace_id, due_at) where due_at is not null;
create index task_lease on task (workspace_id, lease_expires_at) where lease_expires_at is not null;
create index task_created on task (workspace_id, created_at, id);
alter table task enable row level security;
alter table task force row level security;
create policy task_own on task to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
  with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
grant select, insert, update on task to svc_app;

-- A task is at least as sensitive as what it depends on, so who sees it may see these.
create table task_dependency (
  workspace_id uuid not null,
  task_id uuid not null,
  depends_on uuid not null,
  primary key (workspace_id, task_id, depends_on),
  foreign key (workspace_id, task_id) references task (workspace_id, id) on delete cascade,
  foreign key (workspace_id, depends_on) references task (workspace_id, id) on delete cascade,
  check (task_id <> depends_on)
);
create index task_dependency_on on task_dependency (workspace_id, depends_on);
alter table task_dependency enable row level security;
alter table task_dependency force row level security;
create policy task_dependency_own on task_dependency to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, delete on task_dependency to svc_app;

-- Append-only: requests have no right to change or delete a row.
create table event (
  workspace_id uuid not null references workspace,
  id uuid not null,
  type text not null check (length(type) between 1 and 200),
  agent_id text,
  session_id uuid,
  sensitivity sensitivity not null default 'internal',
  data jsonb not null default '{}',
  occurred_at timestamptz(3) not null,
  recorded_at timestamptz(3) not null,
  created_by text not null,
  primary key (workspace_id, id)
);
create index event_time on event (workspace_id, occurred_at, id);
create index event_type on event (workspace_id, type, occurred_at, id);
create index event_agent on event (workspace_id, agent_id, occurred_at, id) where agent_id is not null;
create index event_session on event (workspace_id, session_id, occurred_at, id) where session_id is not null;
alter table event enable row level security;
alter table event force row level security;
create policy event_own on event to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
  with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
grant select, insert on event to svc_app;

-- Earlier states of tasks and relations, so that an export with `asOf` tells them as they were. Units have
-- `unit_revision`.
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
-- Tasks and events can be erased, up to the clearance of the request. Events are still never changed.
grant delete on task, event to svc_app;

-- An event goes only when it is erased: a deletion that the deletion log does not tell of is refused.
create function refuse_event_deletion() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
  begin
    if exists (select from public.deletion_log d
                where d.workspace_id = old.workspace_id and d.resource_id = old.id and d.resource_type = 'event') then
      return old;
    end if;
    raise exception 'an event is deleted by its erasure alone' using errcode = '42501';
  end
  $$;

create trigger task_history after update on task
  for each row when (old.version <> new.version) execute function keep_row_history();
create trigger event_kept before delete on event for each row execute function refuse_event_deletion();
