-- Procedural memory: per agent a playbook of short rules that evolves by small steps, in versions.

-- One playbook for an agent and sensitivity: nobody learns from a refusal that a more sensitive one is there.
create table procedural_playbook (
  workspace_id uuid not null references workspace,
  id uuid not null,
  agent_id text not null,
  sensitivity sensitivity not null,
  last_rule_no integer not null default 0,
  last_version integer not null default 0,
  current_version integer,
  -- On trial against the current one.
  candidate_version integer,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by text not null,
  primary key (workspace_id, id)
);
create unique index procedural_playbook_agent on procedural_playbook (workspace_id, agent_id, sensitivity);

create table procedural_rule (
  workspace_id uuid not null,
  playbook_id uuid not null,
  no integer not null check (no >= 0),
  sensitivity sensitivity not null,
  section text not null,
  -- As the prompt has it, and as it was first told: a model may propose other words, never what is the same.
  text text not null,
  lesson text not null,
  status text not null check (status in ('trial', 'active', 'retired')),
  retired_reason text,
  source text not null check (source in ('lesson', 'derived')),
  helpful integer not null default 0,
  harmful integer not null default 0,
  -- How often it was told.
  support integer not null default 1,
  -- Runs since it was last used.
  unused integer not null default 0,
  pinned boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, playbook_id, no),
  foreign key (workspace_id, playbook_id) references procedural_playbook (workspace_id, id) on delete cascade
);

create table procedural_version (
  workspace_id uuid not null,
  playbook_id uuid not null,
  version integer not null check (version >= 1),
  sensitivity sensitivity not null,
  status text not null check (status in ('candidate', 'current', 'superseded', 'rejected', 'discarded')),
  cause text not null check (cause in ('optimize', 'rollback', 'edit')),
  reason text,
  -- The version that it was made from.
  base_version integer,
  -- The rules in order, as they were then.
  rules jsonb not null,
  -- The runs with this version and the sum of their scores.
  runs integer not null default 0,
  score_sum double precision not null default 0,
  -- What it was decided upon.
  evidence jsonb,
  created_at timestamptz(3) not null,
  created_by text not null,
  decided_at timestamptz(3),
  primary key (workspace_id, playbook_id, version),
  foreign key (workspace_id, playbook_id) references procedural_playbook (workspace_id, id) on delete cascade
);

-- What agents ran, so that nothing is counted twice.
create table procedural_trajectory (
  workspace_id uuid not null,
  playbook_id uuid not null,
  -- The caller's id, or the hash of the content.
  trajectory_key text not null,
  sensitivity sensitivity not null,
  content_hash text not null,
  task_key text not null,
  prompt_version integer,
  outcome text not null,
  score double precision not null check (score between 0 and 1),
  body jsonb not null,
  seq bigint generated always as identity,
  recorded_at timestamptz(3) not null,
  primary key (workspace_id, playbook_id, trajectory_key),
  foreign key (workspace_id, playbook_id) references procedural_playbook (workspace_id, id) on delete cascade
);
create index procedural_trajectory_task on procedural_trajectory (workspace_id, playbook_id, task_key, seq);

do $$
declare
  t text;
begin
  foreach t in array array['procedural_playbook', 'procedural_rule', 'procedural_version', 'procedural_trajectory'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy %I on %I to svc_app
         using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
         with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))',
      t || '_own', t);
    execute format('grant select, insert, update, delete on %I to svc_app', t);
  end loop;
end
$$;
