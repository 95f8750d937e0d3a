-- Reasoning distillation: chains of reasoning that were recorded once and are served again while all that they rest on
-- still holds.

create table reasoning_entry (
  workspace_id uuid not null references workspace,
  id uuid not null,
  version integer not null default 1 check (version >= 1),
  -- SHA-256 of the normalised goal and context.
  goal_key text not null,
  goal text not null,
  context_kind text not null check (context_kind in ('none', 'text', 'object')),
  context jsonb,
  -- SHA-256 of the normalised context.
  context_key text not null,
  steps jsonb not null,
  answer text not null,
  outcome text not null check (outcome in ('success', 'partial', 'failure')),
  tokens_spent integer not null check (tokens_spent >= 0),
  agent_id text,
  -- What the votes say.
  standing text not null default 'active' check (standing in ('active', 'demoted', 'retired')),
  helpful integer not null default 0 check (helpful >= 0),
  harmful integer not null default 0 check (harmful >= 0),
  -- A precondition no longer holds. Readers look at the preconditions themselves; this is what lists and the feed know.
  broken boolean not null default false,
  -- How often each outcome was recorded for this goal, and the hash of the last recording.
  attempts jsonb not null,
  attempt_hash text not null,
  use_count integer not null default 0,
  tokens_saved bigint not null default 0,
  last_used_at timestamptz(3),
  expires_at timestamptz(3),
  sensitivity sensitivity not null default 'internal',
  tags text[] not null default '{}',
  content_hash text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by text not null,
  primary key (workspace_id, id)
);
-- One entry for a goal, context and sensitivity: nobody learns from a refusal that a more sensitive one is there.
create unique index reasoning_entry_goal on reasoning_entry (workspace_id, goal_key, sensitivity);
create index reasoning_entry_agent on reasoning_entry (workspace_id, agent_id, id) where agent_id is not null;

-- The stems and numbers of each goal, one row each: the lexical arm of the search.
create table reasoning_term (
  workspace_id uuid not null,
  term text collate "C" not null,
  entry_id uuid not null,
  sensitivity sensitivity not null,
  primary key (workspace_id, term, entry_id),
  foreign key (workspace_id, entry_id) references reasoning_entry (workspace_id, id) on delete cascade
);
create index reasoning_term_entry on reasoning_term (workspace_id, entry_id);

-- The embedding of each goal, as `embedding` has those of units. An empty model and no vector: it waits for the worker.
create table reasoning_vector (
  workspace_id uuid not null references workspace,
  entry_id uuid not null,
  sensitivity sensitivity not null,
  model text not null,
  vector vector,
  primary key (workspace_id, entry_id)
);
create index reasoning_vector_model on reasoning_vector (workspace_id, model);

-- What a chain rests on. A unit may be gone: no foreign key. The hash is that of the content then; null: it was erased.
create table reasoning_precondition (
  workspace_id uuid not null,
  unit_id uuid not null,
  entry_id uuid not null,
  sensitivity sensitivity not null,
  content_hash text,
  primary key (workspace_id, unit_id, entry_id),
  foreign key (workspace_id, entry_id) references reasoning_entry (workspace_id, id) on delete cascade
);
create index reasoning_precondition_entry on reasoning_precondition (workspace_id, entry_id);

-- One vote for each agent and entry.
create table reasoning_vote (
  workspace_id uuid not null,
  entry_id uuid not null,
  agent_id text not null,
  sensitivity sensitivity not null,
  helpful boolean not null,
  note text,
  voted_at timestamptz(3) not null,
  primary key (workspace_id, entry_id, agent_id),
  foreign key (workspace_id, entry_id) references reasoning_entry (workspace_id, id) on delete cascade
);

-- The runs that an entry was served to in the last day: a run that asks again is a retry and saves nothing twice.
create table reasoning_use (
  workspace_id uuid not null,
  entry_id uuid not null,
  run_id text not null,
  sensitivity sensitivity not null,
  used_at timestamptz(3) not null,
  primary key (workspace_id, entry_id, run_id),
  foreign key (workspace_id, entry_id) references reasoning_entry (workspace_id, id) on delete cascade
);

do $$
declare
  t text;
begin
  foreach t in array array['reasoning_entry', 'reasoning_term', 'reasoning_vector', 'reasoning_precondition',
                           'reasoning_vote', 'reasoning_use'] loop
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

-- Whether a unit is what a chain rests on: the same content, in force, not stale.
create function precondition_holds(
  p_wanted text, p_hash text, p_status text, p_stale boolean, p_expires_at timestamptz, p_valid_to timestamptz,
  p_now timestamptz
) returns boolean
  language sql immutable parallel safe
  as $$
    select coalesce(
      p_wanted = p_hash and not p_stale
      and p_status not in ('superseded', 'retracted', 'rejected', 'archived', 'expired', 'contested', 'merged', 'retired')
      and (p_expires_at is null or p_expires_at > p_now) and (p_valid_to is null or p_valid_to > p_now), false)
  $$;

-- A precondition that changes retires the chain, also where the one who changes it is not cleared to see the chain.
grant select (content_hash, expires_at, valid_to) on unit to svc_definer;
grant select (workspace_id, id, version, sensitivity, broken, updated_at),
      update (version, broken, updated_at) on reasoning_entry to svc_definer;
grant select, update (content_hash) on reasoning_precondition to svc_definer;
create policy reasoning_entry_definer on reasoning_entry to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));
create policy reasoning_precondition_definer on reasoning_precondition to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));
grant create on schema svc_system to svc_definer;

-- Looks at the entries that rest on the units, at most `p_limit`, and at those named: notes whether all that they rest
-- on holds. Gives back references to those where that has changed.
create function svc_system.settle_reasoning(p_units uuid[], p_entries uuid[], p_now timestamptz, p_limit integer)
  returns table (id uuid, version integer, sensitivity public.sensitivity, broken boolean)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  #variable_conflict use_column
  declare
    v_ids uuid[];
  begin
    select array_agg(id) into v_ids from (
      (select p.entry_id as id from public.reasoning_precondition p
        where p.workspace_id = public.current_workspace() and p.unit_id = any(p_units)
        order by p.entry_id limit p_limit)
      union select unnest(p_entries)) named;
    if v_ids is null then
      return;
    end if;
    -- Locked first and judged by a statement of its own: it sees what those who had the lock before have written.
    perform 1 from public.reasoning_entry e
      where e.workspace_id = public.current_workspace() and e.id = any(v_ids) order by e.id for update;
    return query
      update public.reasoning_entry e
         set broken = j.is_broken, version = e.version + 1, updated_at = greatest(e.updated_at, p_now)
        from (select named.id, exists (
                select from public.reasoning_precondition p
                  left join public.unit u on u.workspace_id = public.current_workspace() and u.id = p.unit_id
                 where p.workspace_id = public.current_workspace() and p.entry_id = named.id
                   and not public.precondition_holds(
                     p.content_hash, u.content_hash, u.status, u.stale, u.expires_at, u.valid_to, p_now)) as is_broken
                from unnest(v_ids) as named(id)) j
       where e.workspace_id = public.current_workspace() and e.id = j.id and e.broken <> j.is_broken
      returning e.id, e.version, e.sensitivity, e.broken;
  end
  $$;

-- Of an erased unit nothing is kept, its hash neither.
create function svc_system.forget_precondition(p_unit uuid) returns void
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    update public.reasoning_precondition set content_hash = null
     where workspace_id = public.current_workspace() and unit_id = p_unit
  $$;

alter function svc_system.settle_reasoning(uuid[], uuid[], timestamptz, integer) owner to svc_definer;
alter function svc_system.forget_precondition(uuid) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function precondition_holds(text, text, text, boolean, timestamptz, timestamptz, timestamptz),
  svc_system.settle_reasoning(uuid[], uuid[], timestamptz, integer), svc_system.forget_precondition(uuid) from public;
grant execute on function precondition_holds(text, text, text, boolean, timestamptz, timestamptz, timestamptz)
  to svc_app, svc_definer;
grant execute on function svc_system.settle_reasoning(uuid[], uuid[], timestamptz, integer),
  svc_system.forget_precondition(uuid) to svc_app;
