-- Units of knowledge, their revisions and sources; sessions and turns; reviews; what was erased.

-- A function may name a table of a later file.
set local check_function_bodies = off;

-- Knowledge units, their history, sessions and turns, the review queue and the deletion log.
-- Every indexed text has a number that the packed postings use. It stays below 2^32.
create sequence doc_no as bigint maxvalue 4294967295 cycle;

-- Sessions have numbers too; 0 stands for "no session".
create sequence group_no as bigint maxvalue 4294967295 cycle;

grant usage on sequence doc_no, group_no to svc_app;

create table unit (
  workspace_id uuid not null references workspace,
  id uuid not null,
  type text not null check (type in ('fact', 'decision', 'strategy', 'workflow', 'skill', 'episode', 'entity')),
  version integer not null default 1 check (version >= 1),
  status text not null,
  attribution text not null,
  trust_score smallint not null check (trust_score between 0 and 100),
  -- The least trust among what it was derived from: its own score never exceeds it, also when a source is erased.
  trust_cap smallint not null default 100 check (trust_cap between 0 and 100),
  confidence real not null check (confidence between 0 and 1),
  sensitivity sensitivity not null default 'internal',
  tags text[] not null default '{}',
  metadata jsonb not null default '{}',
  worth real not null default 0.5 check (worth between 0 and 1),
  pinned boolean not null default false,
  content_hash text not null,
  origin_instance text not null,
  origin_id uuid not null,
  derived_from uuid[] not null default '{}',
  stale boolean not null default false,
  -- What recall shows and indexes; built from the body by the type's rule.
  text text not null,
  doc_no bigint not null,
  -- The typed rest of the resource, in the API's own names.
  body jsonb not null,
  -- Facts with a triple: the normalised subject and predicate, for conflict detection.
  triple_key text,
  -- True in the world.
  valid_from timestamptz(3),
  valid_to timestamptz(3),
  -- Known here.
  recorded_at timestamptz(3) not null,
  retracted_at timestamptz(3),
  occurred_at timestamptz(3),
  expires_at timestamptz(3),
  -- The entities that it mentions.
  entity_ids uuid[] not null default '{}',
  corroboration_count integer not null default 0,
  use_count integer not null default 0,
  last_used_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by text not null,
  -- Another instance holds something else of it, and nobody has decided. A flag without a version, as `stale` is.
  disputed boolean not null default false,
  -- Whose names an earlier build did not store: a worker does. Stems are made by the program, which this file cannot ask.
  names_rule smallint not null default 0,
  -- A fact's is a member of its body, so that each version of it has the one that it had. It is a column, too: `->>` is
  -- not
  -- leakproof, so under row-level security an index on it would never be used.
  external_id text generated always as (body ->> 'externalId') stored,
  -- What says the same in another dress is one fact: `said_key` leaves out capitals, kinds of quotes and the full stop.
  -- Facts of earlier builds have none until a worker has read them; until then they are found by their content alone.
  said_key text collate "C",
  primary key (workspace_id, id),
  check (valid_to is null or valid_from is null or valid_to >= valid_from)
);
create index unit_list on unit (workspace_id, type, id);
create index unit_content_hash on unit (workspace_id, type, content_hash);
create unique index unit_doc on unit (workspace_id, doc_no);
create index unit_pinned on unit (workspace_id, id) where pinned;
create index unit_expiry on unit (workspace_id, expires_at) where expires_at is not null and status = 'active';
-- Timelines: units of a type and tasks by time, as events and turns are. CASE as in `unit_time`.
create index unit_moment on unit (workspace_id, type, (case when occurred_at is not null then occurred_at
                                                            when valid_from is not null then valid_from
                                                            else recorded_at end), id);
-- The profile's preferences and instructions, the pinned first: a few among very many facts.
create index unit_preference on unit (workspace_id, pinned, worth, id)
  where type = 'fact' and status in ('active', 'contested') and body ->> 'factType' in ('preference', 'instruction');
-- Reflection looks for what is stale, of which there is little.
create index unit_stale on unit (workspace_id, id) where stale;
create index unit_by_worth on unit (workspace_id, worth, id);
create index unit_restricted on unit (workspace_id, updated_at) where sensitivity = 'restricted';
-- Facts compare subject, predicate and object as everything else compares names: by `nameKey` (src/language/names.ts),
-- whose
-- number stands beside what it gave (`body.folded.rule`). An earlier rule kept typographic apostrophes, `ß` and
-- characters
-- that are not seen, and dropped a possessive. Both rules give the same for printable ASCII without "'s"; any other
-- fact of
-- the earlier rule waits in these indexes until the service has compared its names anew. They are empty once it has.
create index unit_old_names on unit (workspace_id, id)
 where type = 'fact' and (body -> 'folded' ->> 'rule') is distinct from '2'
   and (coalesce(body ->> 'subject', '') || ' ' || coalesce(body ->> 'predicate', '') || ' ' || coalesce(body ->> 'object', ''))
       collate "C" ~ '[^ -~]|''[sS]';
-- Items of instances are found by where they began.
create index unit_origin on unit (workspace_id, origin_instance, origin_id);
create index unit_occurred on unit (workspace_id, occurred_at) where occurred_at is not null;
create index unit_begins on unit (workspace_id, valid_from) where valid_from is not null;
create index unit_ends on unit (workspace_id, valid_to) where valid_to is not null;
create index unit_recorded on unit (workspace_id, recorded_at);
-- Facts in force that another fact replaces from a known day on.
create index unit_ending on unit (workspace_id, valid_to)
  where type = 'fact' and status in ('active', 'contested') and body ->> 'supersededBy' is not null;
create unique index unit_external on unit (workspace_id, type, external_id) where external_id is not null;
-- Units of all types are listed by the time of their last change and by that of their creation, in both directions.
create index unit_by_update on unit (workspace_id, updated_at, id);
create index unit_by_creation on unit (workspace_id, created_at, id);
-- Of facts that speak about the same subject in the same respect the latest are read, without those before them.
create index unit_triple_latest on unit (workspace_id, triple_key, recorded_at) where triple_key is not null;
create index unit_unnamed on unit (workspace_id, id) where names_rule < 2;
create index unit_said on unit (workspace_id, type, said_key) where said_key is not null;
create index unit_unsaid on unit (workspace_id, id) where type = 'fact' and said_key is null;
create policy unit_definer on unit to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));
create policy unit_gauges on unit for select to svc_definer using ((select current_workspace()) is null);
-- Truth maintenance: what rests on knowledge that fell becomes stale, also where the one who made it fall is not
-- cleared to see it. The functions see a few columns of all units of the transaction's workspace and change the flags
-- alone; they give back references, never content.
grant select (workspace_id, id, type, version, sensitivity, status, stale, trust_score, trust_cap),
      update (stale, trust_score, trust_cap) on unit to svc_definer;
-- Numbers for the metrics page, over all workspaces: counts alone, never content.
--
-- The functions see the units of all workspaces only outside of any: a request's transaction has a workspace, and there
-- they see that one, as the other functions of svc_definer do.
grant select (body, worth) on unit to svc_definer;
grant select (metadata, pinned) on unit to svc_definer;
-- A precondition that changes retires the chain, also where the one who changes it is not cleared to see the chain.
grant select (content_hash, expires_at, valid_to) on unit to svc_definer;
grant select (external_id) on unit to svc_definer;

-- Every version of every unit, whole, with the interval in which this service held it for true.
create table unit_revision (
  workspace_id uuid not null,
  id uuid not null,
  version integer not null,
  doc_no bigint not null,
  sensitivity sensitivity not null,
  recorded_at timestamptz(3) not null,
  replaced_at timestamptz(3),
  changed_by text not null,
  -- What made this version (`created`, `superseded`, …) and why.
  event text not null,
  reason text,
  -- The whole row of `unit` by its column names: `jsonb_populate_record(null::unit, snapshot)` gives it back.
  snapshot jsonb not null,
  primary key (workspace_id, id, version),
  foreign key (workspace_id, id) references unit (workspace_id, id) on delete cascade
);
create index unit_revision_doc on unit_revision (workspace_id, doc_no, version);
create index unit_revision_old_names on unit_revision (workspace_id, id, version)
 where snapshot ->> 'type' = 'fact' and (snapshot -> 'body' -> 'folded' ->> 'rule') is distinct from '2'
   and (coalesce(snapshot -> 'body' ->> 'subject', '') || ' ' || coalesce(snapshot -> 'body' ->> 'predicate', '') || ' ' ||
        coalesce(snapshot -> 'body' ->> 'object', '')) collate "C" ~ '[^ -~]|''[sS]';
create policy unit_revision_definer on unit_revision for select to svc_definer
  using (workspace_id = (select current_workspace()));
create policy unit_revision_definer_reason on unit_revision for update to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));
-- How many versions of a unit there are, whatever the clearance: an import may lack some of those that its source had, so
-- the version's number does not tell.
grant select (workspace_id, id) on unit_revision to svc_definer;
grant select (reason), update (reason) on unit_revision to svc_definer;

-- What a unit rests on, one row for each id in `derivedFrom` or `evidenceIds`. Truth maintenance walks it; a table of
-- its own because the row-level policy keeps array indexes from being used. A source may be gone: no foreign key.
create table unit_source (
  workspace_id uuid not null,
  source_id uuid not null,
  unit_id uuid not null,
  kind text not null check (kind in ('derived_from', 'evidence')),
  primary key (workspace_id, source_id, unit_id, kind),
  foreign key (workspace_id, unit_id) references unit (workspace_id, id) on delete cascade
);
create index unit_source_unit on unit_source (workspace_id, unit_id);
alter table unit_source enable row level security;
alter table unit_source force row level security;
create policy unit_source_own on unit_source to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
create policy unit_source_definer on unit_source to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));
grant select, insert, delete on unit_source to svc_app;
grant select on unit_source to svc_definer;

create table session (
  workspace_id uuid not null references workspace,
  id uuid not null,
  version integer not null default 1,
  status text not null default 'open' check (status in ('open', 'collapsed', 'discarded')),
  title text,
  agent_id text,
  sensitivity sensitivity not null default 'internal',
  tags text[] not null default '{}',
  metadata jsonb not null default '{}',
  scratchpad jsonb not null default '{}',
  -- The scratchpad's own version: turns that arrive meanwhile do not stand in the way of its If-Match.
  scratchpad_version integer not null default 1,
  group_no bigint not null,
  turn_count integer not null default 0,
  token_count bigint not null default 0,
  participants text[] not null default '{}',
  started_at timestamptz(3) not null,
  ended_at timestamptz(3),
  -- The episode that it collapsed to, and the reply to the collapse by reference (ids and reasons, no statements).
  episode_id uuid,
  collapse jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by text not null,
  -- Names that callers' own systems have for sessions and facts: unique in a workspace, for each of the two.
  external_id text check (char_length(external_id) between 1 and 200),
  timezone text check (octet_length(timezone) between 1 and 64),
  primary key (workspace_id, id)
);
create unique index session_group on session (workspace_id, group_no);
create index session_status on session (workspace_id, status, id);
create index session_agent on session (workspace_id, agent_id, id) where agent_id is not null;
create index session_restricted on session (workspace_id, updated_at) where sensitivity = 'restricted';
create unique index session_external on session (workspace_id, external_id) where external_id is not null;
create policy session_names_definer on session for select to svc_definer
  using (workspace_id = (select current_workspace()));
-- Who has some of these names. A name that something above the caller's clearance has is taken, too, so this looks at
-- all of
-- the workspace that the transaction is bound to; it tells ids, and nothing else.
grant select (workspace_id, id, external_id) on session to svc_definer;

create table turn (
  workspace_id uuid not null,
  id uuid not null,
  version integer not null default 1,
  session_id uuid not null,
  group_no bigint not null,
  position integer not null check (position between 0 and 262143),
  doc_no bigint not null,
  message_id text not null check (length(message_id) between 1 and 200),
  role text not null check (role in ('user', 'assistant', 'system', 'tool')),
  name text,
  content text not null,
  sensitivity sensitivity not null,
  pinned boolean not null default false,
  occurred_at timestamptz(3) not null,
  recorded_at timestamptz(3) not null,
  -- Numbers that the ranker stores at write time (retrieval's document statistics).
  features jsonb not null default '{}',
  tags text[] not null default '{}',
  metadata jsonb not null default '{}',
  -- The entities that a turn mentions, as on units.
  entity_ids uuid[] not null default '{}',
  utc_offset text check (utc_offset ~ '^[+-][0-9]{2}:[0-9]{2}$'),
  -- A turn whose content was erased stays as a place in its session, so that a client that sends it again brings
  -- nothing back.
  erased_at timestamptz(3),
  primary key (workspace_id, id),
  unique (workspace_id, session_id, position),
  unique (workspace_id, session_id, message_id),
  foreign key (workspace_id, session_id) references session (workspace_id, id) on delete cascade
);
create unique index turn_doc on turn (workspace_id, doc_no);
create index turn_message on turn (workspace_id, message_id);
create index turn_pinned on turn (workspace_id, session_id, position) where pinned;
create index turn_occurred on turn (workspace_id, occurred_at);
-- The turns of a speaker in a session: whoever links a name to what was said reads these alone, however long the session.
create index turn_speaker on turn (workspace_id, session_id, name, doc_no) where name is not null;

create table review_item (
  workspace_id uuid not null references workspace,
  id uuid not null,
  kind text not null,
  status text not null default 'open' check (status in ('open', 'resolved', 'dismissed')),
  sensitivity sensitivity not null,
  subject_id uuid not null,
  other_id uuid,
  detail jsonb not null default '{}',
  resolution jsonb,
  created_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  resolved_by text,
  primary key (workspace_id, id),
  constraint review_item_kind_check check (kind in ('contested_fact', 'outdated_fact', 'near_duplicate', 'stale_dependant', 'self_edit', 'federation_conflict'))
);
create index review_open on review_item (workspace_id, id) where status = 'open';
create index review_subject on review_item (workspace_id, subject_id);
create index review_other on review_item (workspace_id, other_id) where other_id is not null;
-- One open item for each stale unit.
create unique index review_open_stale on review_item (workspace_id, subject_id)
  where kind = 'stale_dependant' and status = 'open';
create policy review_item_definer on review_item to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));
grant select (workspace_id, id, kind, status, sensitivity, subject_id), insert,
      update (status, resolution, resolved_at, resolved_by) on review_item to svc_definer;

-- Ids that were erased: 410 for readers, RESURRECTION_BLOCKED for writers. Kept for ever.
create table deletion_log (
  workspace_id uuid not null references workspace,
  resource_id uuid not null,
  resource_type text not null,
  origin_instance text not null,
  -- A reader who was never cleared for the resource gets 404 and not 410.
  sensitivity sensitivity not null,
  erased_at timestamptz(3) not null,
  erased_by text not null,
  receipt jsonb not null default '{}',
  primary key (workspace_id, resource_id, resource_type)
);
alter table deletion_log enable row level security;
alter table deletion_log force row level security;
create policy deletion_log_own on deletion_log to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert on deletion_log to svc_app;

-- Counters per workspace and day, such as recalls and recalls that returned something. Processes add to them in batches.
create table usage_counter (
  workspace_id uuid not null references workspace,
  day date not null,
  name text not null,
  value bigint not null,
  primary key (workspace_id, day, name)
);
alter table usage_counter enable row level security;
alter table usage_counter force row level security;
create policy usage_counter_own on usage_counter to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update on usage_counter to svc_app;

-- Importing: the ids that could not be kept, and how long a unit's history is.
-- What an imported resource is called here, where the id that it had at its source was taken. References in later lines
-- and later imports from the same source follow it.
create table import_id (
  workspace_id uuid not null references workspace,
  -- Where the id was given: `<instance>/<workspace>`, or the name of a foreign format.
  source text not null check (length(source) between 1 and 400),
  source_id uuid not null,
  local_id uuid not null,
  primary key (workspace_id, source, source_id)
);
alter table import_id enable row level security;
alter table import_id force row level security;
create policy import_id_own on import_id to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert on import_id to svc_app;

do $$
declare
  t text;
begin
  foreach t in array array['unit', 'unit_revision', 'session', 'turn', 'review_item'] loop
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

create function svc_system.count_revisions(p_id uuid) returns bigint
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select count(*) from public.unit_revision r
     where r.workspace_id = public.current_workspace() and r.id = p_id
  $$;

create function svc_system.find_external_ids(p_type text, p_ids text[]) returns table (external_id text, id uuid)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select u.external_id, u.id from public.unit u
     where u.workspace_id = (select public.current_workspace()) and u.type = p_type
       and u.external_id is not null and u.external_id = any(p_ids)
     union all
    select s.external_id, s.id from public.session s
     where s.workspace_id = (select public.current_workspace()) and p_type = 'session' and s.external_id = any(p_ids)
  $$;

grant create on schema svc_system to svc_definer;
alter function svc_system.count_revisions(uuid) owner to svc_definer;
revoke all on function svc_system.count_revisions(uuid) from public;
grant execute on function svc_system.count_revisions(uuid) to svc_app;
alter function svc_system.find_external_ids(text, text[]) owner to svc_definer;
revoke all on function svc_system.find_external_ids(text, text[]) from public;
grant execute on function svc_system.find_external_ids(text, text[]) to svc_app;
revoke create on schema svc_system from svc_definer;
