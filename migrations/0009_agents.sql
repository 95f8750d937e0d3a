-- What agents learn by doing: reasoning, playbooks, edits of their own memory.

-- A function may name a table of a later file.
set local check_function_bodies = off;

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

-- Words in lower case with a space on both sides of each, of a text or of JSON.
create function public.words_of(p_text text) returns text
  language sql immutable set search_path = pg_catalog, pg_temp
  as $$
    select ' ' || trim(regexp_replace(lower(regexp_replace(p_text, '\\[nrtbf"\\/]', ' ', 'g')),
                                      '[^[:alnum:]]+', ' ', 'g')) || ' '
  $$;

-- Whether a text has one of the passages (`words_of`). `p_rarest` has a word of each, which is looked for first.
create function public.has_passage(p_text text, p_passages text[], p_rarest text[]) returns boolean
  language sql immutable set search_path = pg_catalog, pg_temp
  as $$
    select exists (
      select from unnest(p_passages, p_rarest) q(passage, word)
       where strpos(lower(p_text), q.word) > 0 and strpos(public.words_of(p_text), q.passage) > 0)
  $$;

-- Whether a rule has a passage, or is itself one of a text.
create function public.quotes(p_rule text, p_whole text[], p_passages text[], p_rarest text[]) returns boolean
  language sql immutable set search_path = pg_catalog, pg_temp
  as $$
    select public.has_passage(p_rule, p_passages, p_rarest)
        or (public.words_of(p_rule) like '% % % %'
            and exists (select from unnest(p_whole) t where strpos(t, public.words_of(p_rule)) > 0))
  $$;

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
create index reasoning_entry_expiry on reasoning_entry (workspace_id, expires_at) where expires_at is not null;
create index reasoning_entry_retired on reasoning_entry (workspace_id, updated_at) where broken or standing = 'retired';
create index reasoning_entry_restricted on reasoning_entry (workspace_id, updated_at) where sensitivity = 'restricted';
create policy reasoning_entry_definer on reasoning_entry to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));
grant select (workspace_id, id, version, sensitivity, broken, updated_at),
      update (version, broken, updated_at) on reasoning_entry to svc_definer;
grant delete on reasoning_entry to svc_definer;

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
create policy reasoning_vector_definer on reasoning_vector to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));
grant select (workspace_id, entry_id), delete on reasoning_vector to svc_definer;

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
-- A chain of reasoning says what the facts it rests on said: when one of them is erased, the chain is, too.
create index reasoning_precondition_erased on reasoning_precondition (workspace_id, entry_id) where content_hash is null;
create policy reasoning_precondition_definer on reasoning_precondition to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));
grant select, update (content_hash) on reasoning_precondition to svc_definer;
grant select (workspace_id, entry_id, unit_id) on reasoning_precondition to svc_definer;

-- One vote for each agent and entry.
create table reasoning_vote (
  workspace_id uuid not null,
  entry_id uuid not null,
  agent_id text not null,
  sensitivity sensitivity not null,
  helpful boolean not null,
  note text,
  voted_at timestamptz(3) not null,
  -- Votes are kept for each agent of a key, and weigh one for the key: whoever has a key can name any number of agents.
  -- Which key gave the vote. Null: given before this was kept; each of these counts as one of its own.
  given_by text,
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
create index reasoning_use_age on reasoning_use (workspace_id, used_at);

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
-- A row is locked by who may update one of its columns.
grant update (last_version, current_version, candidate_version, updated_at) on procedural_playbook to svc_definer;

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
  -- The version of a rule, for changes that must not overwrite one that the caller has not seen. It grows when what a
  -- person
  -- may edit changes, whoever changes it: a person, an evolution of the playbook or an erasure. What runs count leaves
  -- it.
  version integer not null default 1 check (version >= 1),
  primary key (workspace_id, playbook_id, no),
  foreign key (workspace_id, playbook_id) references procedural_playbook (workspace_id, id) on delete cascade
);
grant update (text, lesson, status, retired_reason, pinned, updated_at) on procedural_rule to svc_definer;

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
grant select, insert, update (status, decided_at, reason, rules) on procedural_version to svc_definer;

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
create index procedural_trajectory_age on procedural_trajectory (workspace_id, recorded_at);
grant update (body, content_hash, task_key, trajectory_key) on procedural_trajectory to svc_definer;

-- What agents changed in their own memory: who, why, each operation with its outcome, so that it can be listed and
-- reverted.
create table self_edit (
  workspace_id uuid not null references workspace,
  id uuid not null,
  version integer not null default 1 check (version >= 1),
  mode text not null check (mode in ('atomic', 'per_item')),
  -- What asked for it: a caller, a reflection that was told to apply, the reverting of another edit.
  source text not null check (source in ('edit', 'reflection', 'revert')),
  reason text not null,
  agent_id text,
  -- That of the most sensitive thing that it changed or proposes.
  sensitivity sensitivity not null,
  -- The edit that this one takes back, and the one that took this one back.
  reverts uuid,
  reverted_by uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by text not null,
  primary key (workspace_id, id)
);
create index self_edit_agent on self_edit (workspace_id, agent_id, id) where agent_id is not null;
alter table self_edit enable row level security;
alter table self_edit force row level security;
create policy self_edit_own on self_edit to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
  with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
grant select, insert, update on self_edit to svc_app;
grant update (reason, version, updated_at) on self_edit to svc_definer;

-- References and numbers alone. What an operation says is in a table of its own, which erasing a unit empties.
create table self_edit_operation (
  workspace_id uuid not null,
  edit_id uuid not null,
  position smallint not null check (position between 0 and 99),
  op text not null,
  ref text,
  outcome text not null
    check (outcome in ('pending', 'applied', 'unchanged', 'review', 'declined', 'refused')),
  -- What it is about: a unit or a relation. No foreign key: it may be gone.
  resource_id uuid,
  resource_type text,
  -- 0: there was none before.
  version_before integer,
  version_after integer,
  -- Every version that it made, of whatever unit: [{ id, type, before, after }].
  changes jsonb not null default '[]',
  error jsonb,
  -- The receipt of an erasure, the conflict that was detected.
  result jsonb,
  review_item_id uuid,
  primary key (workspace_id, edit_id, position),
  foreign key (workspace_id, edit_id) references self_edit (workspace_id, id) on delete cascade,
  foreign key (workspace_id, review_item_id) references review_item (workspace_id, id)
    on delete set null (review_item_id)
);
create index self_edit_operation_resource on self_edit_operation (workspace_id, resource_id)
  where resource_id is not null;
create index self_edit_operation_review on self_edit_operation (workspace_id, review_item_id)
  where review_item_id is not null;
-- They are read through the edit alone, whose policy has the clearance.
alter table self_edit_operation enable row level security;
alter table self_edit_operation force row level security;
create policy self_edit_operation_own on self_edit_operation to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update on self_edit_operation to svc_app;
grant select on self_edit_operation to svc_definer;

-- The operation as it was asked for. It goes with the unit that it is about, whoever erases that.
create table self_edit_content (
  workspace_id uuid not null,
  edit_id uuid not null,
  position smallint not null,
  unit_id uuid,
  operation jsonb not null,
  primary key (workspace_id, edit_id, position),
  foreign key (workspace_id, edit_id) references self_edit (workspace_id, id) on delete cascade,
  foreign key (workspace_id, unit_id) references unit (workspace_id, id) on delete cascade
);
create index self_edit_content_unit on self_edit_content (workspace_id, unit_id) where unit_id is not null;
alter table self_edit_content enable row level security;
alter table self_edit_content force row level security;
create policy self_edit_content_own on self_edit_content to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update on self_edit_content to svc_app;
grant update (operation, unit_id) on self_edit_content to svc_definer;

-- When a key last said that it used a unit: it counts once a day.
create table use_signal (
  workspace_id uuid not null,
  unit_id uuid not null,
  given_by text not null,
  given_at timestamptz(3) not null,
  primary key (workspace_id, unit_id, given_by),
  foreign key (workspace_id, unit_id) references unit (workspace_id, id) on delete cascade
);
alter table use_signal enable row level security;
alter table use_signal force row level security;
create policy use_signal_own on use_signal to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update, delete on use_signal to svc_app;

-- What quotes a unit or a session, or was learnt from it, is erased with it: runs, rules and versions of playbooks,
-- reasons and contents of self edits.
-- What the runs that told a rule named: units and sessions. No foreign keys: both may be gone.
create table procedural_source (
  workspace_id uuid not null,
  source_id uuid not null,
  playbook_id uuid not null,
  no integer not null,
  sensitivity sensitivity not null,
  primary key (workspace_id, source_id, playbook_id, no),
  foreign key (workspace_id, playbook_id) references procedural_playbook (workspace_id, id) on delete cascade
);
create index procedural_source_playbook on procedural_source (workspace_id, playbook_id);
alter table procedural_source enable row level security;
alter table procedural_source force row level security;
create policy procedural_source_own on procedural_source to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
  with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
grant select, insert, update, delete on procedural_source to svc_app;
grant select, delete on procedural_source to svc_definer;

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
-- Erasing reaches what is above the clearance, too.
do $$
declare
  t text;
begin
  foreach t in array array['procedural_playbook', 'procedural_rule', 'procedural_version', 'procedural_trajectory',
                           'procedural_source', 'self_edit', 'self_edit_operation', 'self_edit_content'] loop
    execute format(
      'create policy %I on %I to svc_definer
         using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()))',
      t || '_definer', t);
  end loop;
end
$$;
grant select on procedural_playbook, procedural_rule, procedural_trajectory, self_edit, self_edit_content to svc_definer;

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

-- Deletes chains, at most p_limit, one of whose preconditions was erased, whoever may see them. Answers references.
create function svc_system.erase_reasoning(p_limit integer)
  returns table (id uuid, version integer, sensitivity public.sensitivity)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  #variable_conflict use_column
  declare
    v_ids uuid[];
  begin
    select array_agg(e.id) into v_ids from (
      select id from public.reasoning_entry
       where workspace_id = public.current_workspace() and id in (
         select entry_id from public.reasoning_precondition
          where workspace_id = public.current_workspace() and content_hash is null order by entry_id limit p_limit)
       order by id for update) e;
    delete from public.reasoning_vector
     where workspace_id = public.current_workspace() and entry_id = any(v_ids);
    return query
      delete from public.reasoning_entry e
       where e.workspace_id = public.current_workspace() and e.id = any(v_ids)
      returning e.id, e.version, e.sensitivity;
  end
  $$;

-- A run whose id was a part of what was erased is known by the hash of the id: it does not come back by an import.
create function refuse_erased_run() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
  begin
    if exists (select from public.procedural_trajectory t
                where t.workspace_id = new.workspace_id and t.playbook_id = new.playbook_id
                  and t.trajectory_key = 'erased ' || encode(sha256(convert_to(new.trajectory_key, 'UTF8')), 'hex')) then
      return null;
    end if;
    return new;
  end
  $$;

-- Redacts what quotes texts that are erased, or names an id that is, or came from what does. Answers what has changed, as
-- references: playbooks with their newest version, and self edits.
create function svc_system.erase_quotes(p_id uuid, p_texts text[], p_now timestamptz, p_actor text)
  returns table (id uuid, resource_type text, version integer, sensitivity public.sensitivity)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  #variable_conflict use_column
  declare
    v_workspace uuid := public.current_workspace();
    v_whole text[];
    v_passages text[];
    v_rarest text[];
    v_lessons text[];
    v_books uuid[];
    v_book public.procedural_playbook;
    v_nos integer[];
    v_touched boolean;
    v_current public.procedural_version;
    v_edits uuid[];
    v_notes text[];
  begin
    select coalesce(array_agg(public.words_of(t)), '{}') into v_whole from unnest(p_texts) t;
    -- Whole texts and their sentences, as far as they say something that others would not say by chance.
    select coalesce(array_agg(p), '{}'), coalesce(array_agg(w), '{}') into v_passages, v_rarest from (
      select distinct p, (select word from regexp_split_to_table(trim(p), ' ') word order by length(word) desc limit 1) w
        from (select unnest(v_whole) p
              union select public.words_of(s)
                from unnest(p_texts) t, regexp_split_to_table(t, '[.!?;]\s+|\n+') s) all_passages
       where p like '% % % %' or length(p) >= 14) passages;

    -- Runs. The row stays, so that the run is known when it is sent or imported again.
    with gone as (
      select playbook_id, trajectory_key, body from public.procedural_trajectory t
       where t.workspace_id = v_workspace and task_key <> 'erased'
         and (strpos(lower(t.body::text), p_id::text) > 0 or strpos(lower(trajectory_key), p_id::text) > 0
              or public.has_passage(t.body::text, v_passages, v_rarest)
              or public.has_passage(trajectory_key, v_passages, v_rarest))
         for update
    ), redacted as (
      update public.procedural_trajectory t
         set body = '{"task": "[erased]", "steps": [], "lessons": []}', content_hash = 'erased', task_key = 'erased',
             trajectory_key = case when public.has_passage(t.trajectory_key, v_passages, v_rarest)
                                   then 'erased ' || encode(sha256(convert_to(t.trajectory_key, 'UTF8')), 'hex')
                                   else t.trajectory_key end
        from gone g
       where t.workspace_id = v_workspace and t.playbook_id = g.playbook_id and t.trajectory_key = g.trajectory_key
    )
    select coalesce(array_agg(public.words_of(coalesce(lesson ->> 'text', lesson #>> '{}'))), '{}') into v_lessons
      from gone, jsonb_array_elements(gone.body -> 'lessons') lesson;

    -- Playbooks that have such a rule, in force, retired or in a version.
    select array_agg(b.id order by b.id) into v_books from public.procedural_playbook b
     where b.workspace_id = v_workspace and (
       exists (select from public.procedural_source s
                where s.workspace_id = v_workspace and s.source_id = p_id and s.playbook_id = b.id)
       or exists (select from public.procedural_rule r
                   where r.workspace_id = v_workspace and r.playbook_id = b.id
                     and (public.quotes(r.text, v_whole, v_passages, v_rarest)
                          or public.quotes(r.lesson, v_whole, v_passages, v_rarest)
                          or public.words_of(r.lesson) = any(v_lessons)))
       or exists (select from public.procedural_version v
                   where v.workspace_id = v_workspace and v.playbook_id = b.id
                     and (public.has_passage(v.reason, v_passages, v_rarest)
                          or exists (select from jsonb_array_elements(v.rules) e
                                      where public.quotes(e ->> 'text', v_whole, v_passages, v_rarest)))));
    for v_book in select * from public.procedural_playbook b
                   where b.workspace_id = v_workspace and b.id = any(v_books) order by b.id for update loop
      select coalesce(array_agg(distinct no), '{}') into v_nos from (
        select s.no from public.procedural_source s
         where s.workspace_id = v_workspace and s.source_id = p_id and s.playbook_id = v_book.id
        union
        select r.no from public.procedural_rule r
         where r.workspace_id = v_workspace and r.playbook_id = v_book.id
           and (public.quotes(r.text, v_whole, v_passages, v_rarest)
                or public.quotes(r.lesson, v_whole, v_passages, v_rarest)
                or public.words_of(r.lesson) = any(v_lessons))
        union
        select substr(e ->> 'id', 2)::integer
          from public.procedural_version v, jsonb_array_elements(v.rules) e
         where v.workspace_id = v_workspace and v.playbook_id = v_book.id
           and public.quotes(e ->> 'text', v_whole, v_passages, v_rarest)) nos;
      update public.procedural_rule r
         set text = '[erased]', lesson = '[erased]', status = 'retired', retired_reason = 'erased', pinned = false,
             updated_at = p_now
       where r.workspace_id = v_workspace and r.playbook_id = v_book.id and r.no = any(v_nos);
      -- The current version without the rules becomes the next one; a candidate is tried anew without them.
      select * into v_current from public.procedural_version v
       where v.workspace_id = v_workspace and v.playbook_id = v_book.id and v.version = v_book.current_version;
      v_touched := exists (
        select from public.procedural_version v, jsonb_array_elements(v.rules) e
         where v.workspace_id = v_workspace and v.playbook_id = v_book.id and v.version = v_book.candidate_version
           and substr(e ->> 'id', 2)::integer = any(v_nos));
      if v_touched then
        update public.procedural_version v set status = 'discarded', decided_at = p_now
         where v.workspace_id = v_workspace and v.playbook_id = v_book.id and v.version = v_book.candidate_version;
        v_book.candidate_version := null;
      end if;
      if exists (select from jsonb_array_elements(v_current.rules) e where substr(e ->> 'id', 2)::integer = any(v_nos))
      then
        update public.procedural_version v set status = 'superseded', decided_at = p_now
         where v.workspace_id = v_workspace and v.playbook_id = v_book.id and v.version = v_book.current_version;
        v_book.last_version := v_book.last_version + 1;
        insert into public.procedural_version (
          workspace_id, playbook_id, version, sensitivity, status, cause, reason, base_version, rules, created_at,
          created_by)
        values (v_workspace, v_book.id, v_book.last_version, v_book.sensitivity, 'current', 'edit',
                'without what was erased', v_book.current_version,
                (select coalesce(jsonb_agg(e order by place), '[]')
                   from jsonb_array_elements(v_current.rules) with ordinality rule(e, place)
                  where substr(e ->> 'id', 2)::integer <> all(v_nos)), p_now, p_actor);
        v_book.current_version := v_book.last_version;
      end if;
      update public.procedural_version v
         set reason = case when public.has_passage(v.reason, v_passages, v_rarest) then '[erased]' else v.reason end,
             rules = (select coalesce(jsonb_agg(
                          case when substr(e ->> 'id', 2)::integer = any(v_nos)
                               then e || '{"text": "[erased]", "pinned": false}' else e end order by place), '[]')
                        from jsonb_array_elements(v.rules) with ordinality rule(e, place))
       where v.workspace_id = v_workspace and v.playbook_id = v_book.id
         and (public.has_passage(v.reason, v_passages, v_rarest)
              or exists (select from jsonb_array_elements(v.rules) e where substr(e ->> 'id', 2)::integer = any(v_nos)));
      update public.procedural_playbook b
         set last_version = v_book.last_version, current_version = v_book.current_version,
             candidate_version = v_book.candidate_version, updated_at = p_now
       where b.workspace_id = v_workspace and b.id = v_book.id;
      return query select v_book.id, 'playbook', greatest(v_book.last_version, 1), v_book.sensitivity;
    end loop;
    delete from public.procedural_source s where s.workspace_id = v_workspace and s.source_id = p_id;

    -- Self edits about it, those that quote it, and those that took such a one back. What was asked for stays as a mark.
    with quoting as (
      update public.self_edit_content c set operation = '{"erased": true}', unit_id = null
       where c.workspace_id = v_workspace
         and (c.unit_id = p_id or strpos(c.operation::text, p_id::text) > 0
              or public.has_passage(c.operation::text, v_passages, v_rarest))
      returning c.edit_id
    ), own as (
      select edit_id from quoting
      union
      select o.edit_id from public.self_edit_operation o
       where o.workspace_id = v_workspace
         and (o.resource_id = p_id or o.changes @> jsonb_build_array(jsonb_build_object('id', p_id::text)))
      union
      select e.id from public.self_edit e
       where e.workspace_id = v_workspace and public.has_passage(e.reason, v_passages, v_rarest)
    )
    select array_agg(e.id order by e.id), array_agg('self-edit ' || e.id || ':%') into v_edits, v_notes
      from public.self_edit e
     where e.workspace_id = v_workspace and e.reason <> '[erased]'
       and (e.id in (select edit_id from own)
            or e.reverts in (select edit_id from own) and e.reason like 'reverts %');
    if v_edits is not null then
      update public.unit_revision r set reason = '[erased]'
       where r.workspace_id = v_workspace and r.reason like any(v_notes)
         and r.id in (select (change ->> 'id')::uuid
                        from public.self_edit_operation o, jsonb_array_elements(o.changes) change
                       where o.workspace_id = v_workspace and o.edit_id = any(v_edits));
      return query
        update public.self_edit e set reason = '[erased]', version = e.version + 1, updated_at = p_now
         where e.workspace_id = v_workspace and e.id = any(v_edits)
        returning e.id, 'self_edit', e.version, e.sensitivity;
    end if;
    -- Kept replies of playbooks name no id of theirs.
    update public.idempotent_reply i set body = null
     where i.workspace_id = v_workspace and i.body is not null
       and public.has_passage(i.body, v_passages, v_rarest);
  end
  $$;

create function count_rule_version() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
  begin
    new.version := old.version + 1;
    return new;
  end
  $$;

create trigger procedural_trajectory_erased before insert on procedural_trajectory
  for each row execute function refuse_erased_run();
create trigger procedural_rule_version before update on procedural_rule for each row
  when ((old.section, old.text, old.status, old.retired_reason, old.pinned)
        is distinct from (new.section, new.text, new.status, new.retired_reason, new.pinned))
  execute function count_rule_version();

grant create on schema svc_system to svc_definer;
alter function svc_system.settle_reasoning(uuid[], uuid[], timestamptz, integer) owner to svc_definer;
alter function svc_system.forget_precondition(uuid) owner to svc_definer;
revoke all on function precondition_holds(text, text, text, boolean, timestamptz, timestamptz, timestamptz),
  svc_system.settle_reasoning(uuid[], uuid[], timestamptz, integer), svc_system.forget_precondition(uuid) from public;
grant execute on function precondition_holds(text, text, text, boolean, timestamptz, timestamptz, timestamptz)
  to svc_app, svc_definer;
grant execute on function svc_system.settle_reasoning(uuid[], uuid[], timestamptz, integer),
  svc_system.forget_precondition(uuid) to svc_app;
alter function svc_system.erase_reasoning(integer) owner to svc_definer;
revoke all on function svc_system.erase_reasoning(integer) from public;
grant execute on function svc_system.erase_reasoning(integer) to svc_app;
alter function svc_system.erase_quotes(uuid, text[], timestamptz, text) owner to svc_definer;
revoke all on function public.words_of(text), public.has_passage(text, text[], text[]),
  public.quotes(text, text[], text[], text[]), svc_system.erase_quotes(uuid, text[], timestamptz, text) from public;
grant execute on function public.words_of(text), public.has_passage(text, text[], text[]),
  public.quotes(text, text[], text[], text[]) to svc_definer;
grant execute on function svc_system.erase_quotes(uuid, text[], timestamptz, text) to svc_app;
-- Writing an entry computes `query_hash`.
grant execute on function public.words_of(text) to svc_app;
revoke create on schema svc_system from svc_definer;
