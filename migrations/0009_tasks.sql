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
