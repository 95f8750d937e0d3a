-- Worth, the gate, jobs, snapshots, the diary of recalls.

-- A function may name a table of a later file.
set local check_function_bodies = off;

-- Governance: the worth of units, the consolidation gate, jobs and what they did.
-- What agents say about units; the last word of an agent about a unit is its vote.
create table worth_signal (
  workspace_id uuid not null,
  unit_id uuid not null,
  agent_id text not null,
  is_helpful boolean not null,
  weight real not null check (weight > 0 and weight <= 1),
  given_at timestamptz(3) not null,
  given_by text not null,
  primary key (workspace_id, unit_id, agent_id),
  foreign key (workspace_id, unit_id) references unit (workspace_id, id) on delete cascade,
  constraint worth_signal_agent_id_check check (length(agent_id) between 1 and 400)
);
grant delete on worth_signal to svc_app;

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
grant select, insert on gate_action to svc_app;

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
create index job_finished on job (workspace_id, finished_at) where finished_at is not null;
-- A workspace has one open job of exchange with the same peer and the same wishes.
create unique index job_sync_alone on job (workspace_id, (input ->> 'same'))
  where state in ('queued', 'running') and kind = 'federation_sync';
create index job_sync_open on job (workspace_id) where state in ('queued', 'running') and kind = 'federation_sync';
-- What is to be done with peers now: the system's loop asks once for all workspaces, and enters those alone that it
-- names.
create policy job_definer on job for select to svc_definer using (true);
grant select on job to svc_definer;

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

-- The make-up and health of a workspace at a time, for history and drift. One row for each sensitivity, which holds what
-- is exactly that sensitive: a reader adds up the rows that its clearance sees. No row holds content: terms are hashes.
create table snapshot (
  workspace_id uuid not null references workspace,
  id uuid not null,
  period_start timestamptz(3) not null,
  taken_at timestamptz(3) not null,
  sensitivity sensitivity not null,
  data jsonb not null,
  -- In how many of the latest units each word stood, by its token.
  words jsonb not null default '{}',
  -- One snapshot a period, whichever process takes it.
  primary key (workspace_id, period_start, sensitivity)
);
create index snapshot_id on snapshot (workspace_id, id);
alter table snapshot enable row level security;
alter table snapshot force row level security;
create policy snapshot_own on snapshot to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
  with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
grant select, insert, delete on snapshot to svc_app;

create table recall_entry (
  workspace_id uuid not null references workspace,
  id uuid not null,
  -- The clearance of who asked: the query may tell whatever he may see.
  sensitivity sensitivity not null,
  recalled_at timestamptz(3) not null,
  path text not null check (path in ('hot', 'full')),
  operation text not null check (length(operation) between 1 and 100),
  -- Null: erased.
  query text,
  -- Of its words; erasures find it by this.
  query_hash bigint generated always as (hashtextextended(public.words_of(query), 0)) stored,
  -- What else was asked, in the API's names. Null: erased, or too large to be kept.
  filters jsonb,
  -- The ids that query and filters name.
  named_ids uuid[] not null default '{}',
  session_id uuid,
  agent_id text,
  caller text not null,
  request_id text not null,
  trace_id text not null,
  evidence_confidence double precision not null,
  result_count integer not null check (result_count >= 0),
  duration_ms double precision not null,
  primary key (workspace_id, id)
);
create index recall_entry_time on recall_entry (workspace_id, recalled_at, id);
create index recall_entry_session on recall_entry (workspace_id, session_id) where session_id is not null;
create index recall_entry_named on recall_entry using gin (named_ids) where named_ids <> '{}';
create index recall_entry_words on recall_entry (workspace_id, query_hash) where query_hash is not null;
grant select, update, delete on recall_entry to svc_definer;

-- The units and turns that a recall showed, in their order.
create table recall_shown (
  workspace_id uuid not null,
  recall_id uuid not null,
  position smallint not null,
  unit_id uuid not null,
  type text not null,
  sensitivity sensitivity not null,
  score double precision not null,
  -- Shown because it is pinned, beside the results.
  from_pins boolean not null,
  primary key (workspace_id, recall_id, position),
  foreign key (workspace_id, recall_id) references recall_entry (workspace_id, id) on delete cascade
);
create index recall_shown_unit on recall_shown (workspace_id, unit_id, recall_id);
grant select, delete on recall_shown to svc_definer;

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
-- What the sweeper removes once its time is over, and how it finds it. Knowledge is never among it.
grant delete on job, svc_break_glass_request to svc_app;
do $$
  declare t text;
  begin
    foreach t in array array['recall_entry', 'recall_shown'] loop
      execute format('alter table %I enable row level security', t);
      execute format('alter table %I force row level security', t);
      execute format(
        'create policy %I on %I to svc_app
         using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
         with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))',
        t || '_own', t);
      execute format(
        'create policy %I on %I to svc_definer
         using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()))',
        t || '_definer', t);
    end loop;
  end
$$;
grant select, insert, delete on recall_entry, recall_shown to svc_app;

-- Facts by workspace, type and status.
create function svc_system.count_facts()
  returns table (workspace_id uuid, fact_type text, status text, facts bigint)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select u.workspace_id, u.body ->> 'factType', u.status, count(*)
      from public.unit u
     where u.type = 'fact'
     group by 1, 2, 3
  $$;

-- Knowledge units by worth, in tenths: 0 stands for 0 up to 0.1, 9 for 0.9 up to and with 1.
create function svc_system.count_worth()
  returns table (tenth integer, units bigint)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select least(9, floor(u.worth::numeric * 10))::integer, count(*)
      from public.unit u
     group by 1
  $$;

-- Which workspaces keep a diary.
create function svc_system.list_recall_diaries() returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select w.workspace_id from public.workspace w where w.recall_diary_days > 0 $$;

-- Takes what is erased out of the diary, whatever the eraser's clearance. `p_texts` are the texts of `p_ids`, one by one.
-- The entries that showed one of them lose its id and score, their query and their filters: what was asked may come
-- from what
-- was erased. So do entries whose query is the text or a sentence of it, or that name one of the ids. The entries of a
-- session
-- are deleted.
create function svc_system.erase_recalls(p_ids uuid[], p_texts text[], p_session uuid) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  declare
    v_workspace uuid := public.current_workspace();
  begin
    -- What writes entries takes it exclusively, and then looks which units are still there.
    perform pg_advisory_xact_lock_shared(hashtextextended(v_workspace::text, 7305414));
    if not exists (select from public.recall_entry where workspace_id = v_workspace) then
      return;
    end if;
    delete from public.recall_entry where workspace_id = v_workspace and session_id = p_session;
    update public.recall_entry set query = null, filters = null, named_ids = '{}'
     where workspace_id = v_workspace and named_ids <> '{}' and named_ids && (p_ids || p_session);
    with erased as materialized (
      select distinct e.text from unnest(p_texts) as e(text) where e.text is not null
    ), passage as materialized (
      select public.words_of(text) as passage from erased
      union
      select w.words from erased e, regexp_split_to_table(e.text, '[.!?;]\s+|\n+') as s(sentence),
             lateral (select public.words_of(s.sentence) as words offset 0) w
       where w.words like '% % % %' or length(w.words) >= 14
    ), quoting as (
      select r.id from passage p
        join public.recall_entry r
          on r.workspace_id = v_workspace and r.query_hash = hashtextextended(p.passage, 0)
      union
      select s.recall_id from public.recall_shown s where s.workspace_id = v_workspace and s.unit_id = any(p_ids)
    )
    update public.recall_entry r set query = null, filters = null, named_ids = '{}'
      from quoting q where r.workspace_id = v_workspace and r.id = q.id;
    delete from public.recall_shown where workspace_id = v_workspace and unit_id = any(p_ids);
  end
  $$;

grant create on schema svc_system to svc_definer;
alter function svc_system.count_facts() owner to svc_definer;
alter function svc_system.count_worth() owner to svc_definer;
revoke all on function svc_system.count_facts(), svc_system.count_worth() from public;
grant execute on function svc_system.count_facts(), svc_system.count_worth() to svc_app;
alter function svc_system.list_recall_diaries() owner to svc_definer;
alter function svc_system.erase_recalls(uuid[], text[], uuid) owner to svc_definer;
revoke all on function svc_system.list_recall_diaries(), svc_system.erase_recalls(uuid[], text[], uuid) from public;
grant execute on function svc_system.list_recall_diaries(), svc_system.erase_recalls(uuid[], text[], uuid) to svc_app;
revoke create on schema svc_system from svc_definer;
