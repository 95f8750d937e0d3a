-- Governance: the worth of units, the consolidation gate, jobs and what they did.

-- What agents say about units; the last word of an agent about a unit is its vote.
create table worth_signal (
  workspace_id uuid not null,
  unit_id uuid not null,
  agent_id text not null check (length(agent_id) between 1 and 200),
  is_helpful boolean not null,
  weight real not null check (weight > 0 and weight <= 1),
  given_at timestamptz(3) not null,
  given_by text not null,
  primary key (workspace_id, unit_id, agent_id),
  foreign key (workspace_id, unit_id) references unit (workspace_id, id) on delete cascade
);

-- The parts of a unit's worth as they were computed, and when they are to be computed again.
create table unit_worth (
  workspace_id uuid not null,
  unit_id uuid not null,
  due_at timestamptz(3) not null,
  -- Null: not computed yet.
  computed_at timestamptz(3),
  parts jsonb not null default '{}',
  primary key (workspace_id, unit_id),
  foreign key (workspace_id, unit_id) references unit (workspace_id, id) on delete cascade
);
create index unit_worth_due on unit_worth (workspace_id, due_at);
create index unit_by_worth on unit (workspace_id, worth, id);

-- How far the worker has followed the change feed.
create table worth_cursor (
  workspace_id uuid primary key references workspace,
  seq bigint not null
);

-- Who held or released the consolidation gate, and why. The last one counts. Append-only.
create table gate_action (
  workspace_id uuid not null references workspace,
  id uuid not null,
  action text not null check (action in ('hold', 'release')),
  reason text not null check (length(reason) between 1 and 1000),
  acted_at timestamptz(3) not null,
  acted_by text not null,
  primary key (workspace_id, id)
);

-- Work that outlasts its request. It runs with the clearance of whoever asked for it, which is its sensitivity.
create table job (
  workspace_id uuid not null references workspace,
  id uuid not null,
  kind text not null check (length(kind) between 1 and 64),
  state text not null default 'queued' check (state in ('queued', 'running', 'completed', 'failed')),
  sensitivity sensitivity not null,
  input jsonb not null default '{}',
  progress jsonb not null default '{}',
  report jsonb,
  failure text,
  -- How often a process took it up.
  attempts integer not null default 0,
  -- The process that has it; another one takes it up when the lease runs out.
  lease_id uuid,
  lease_expires_at timestamptz(3),
  requested_by text not null,
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  check ((lease_id is null) = (lease_expires_at is null)),
  check ((finished_at is not null) = (state in ('completed', 'failed')))
);
-- A workspace has one consolidation at a time, waiting or running.
create unique index job_alone on job (workspace_id) where state in ('queued', 'running') and kind = 'consolidate';
create index job_open on job (workspace_id, id) where state in ('queued', 'running');

-- What a job did, one row a step, written in the step's own transaction: a job that is taken up again knows it.
create table job_step (
  workspace_id uuid not null,
  job_id uuid not null,
  step_no integer not null,
  sensitivity sensitivity not null,
  kind text not null,
  unit_ids uuid[] not null,
  detail jsonb not null,
  done_at timestamptz(3) not null,
  -- The job that took it back.
  reverted_by uuid,
  primary key (workspace_id, job_id, step_no),
  foreign key (workspace_id, job_id) references job (workspace_id, id) on delete cascade
);
create index job_step_reverted on job_step (workspace_id, job_id) where reverted_by is not null;

do $$
declare
  t text;
begin
  foreach t in array array['worth_signal', 'unit_worth', 'worth_cursor', 'gate_action'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy %I on %I to svc_app
         using (workspace_id = (select current_workspace()))
         with check (workspace_id = (select current_workspace()))',
      t || '_own', t);
  end loop;
  foreach t in array array['job', 'job_step'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy %I on %I to svc_app
         using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
         with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))',
      t || '_own', t);
    execute format('grant select, insert, update on %I to svc_app', t);
  end loop;
end
$$;
grant select, insert, update on worth_signal, unit_worth, worth_cursor to svc_app;
grant select, insert on gate_action to svc_app;
