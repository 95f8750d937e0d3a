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
  primary key (workspace_id, id),
  check (valid_to is null or valid_from is null or valid_to >= valid_from)
);
create index unit_list on unit (workspace_id, type, id);
create index unit_content_hash on unit (workspace_id, type, content_hash);
create index unit_triple on unit (workspace_id, triple_key) where triple_key is not null;
create unique index unit_doc on unit (workspace_id, doc_no);
create index unit_pinned on unit (workspace_id, id) where pinned;
create index unit_recent on unit (workspace_id, updated_at desc);
create index unit_expiry on unit (workspace_id, expires_at) where expires_at is not null and status = 'active';

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
  primary key (workspace_id, id)
);
create unique index session_group on session (workspace_id, group_no);
create index session_status on session (workspace_id, status, id);
create index session_agent on session (workspace_id, agent_id, id) where agent_id is not null;

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
  primary key (workspace_id, id),
  unique (workspace_id, session_id, position),
  unique (workspace_id, session_id, message_id),
  foreign key (workspace_id, session_id) references session (workspace_id, id) on delete cascade
);
create unique index turn_doc on turn (workspace_id, doc_no);
create index turn_message on turn (workspace_id, message_id);
create index turn_pinned on turn (workspace_id, session_id, position) where pinned;
create index turn_occurred on turn (workspace_id, occurred_at);

create table review_item (
  workspace_id uuid not null references workspace,
  id uuid not null,
  kind text not null check (kind in ('contested_fact', 'near_duplicate', 'stale_dependant', 'self_edit', 'federation_conflict')),
  status text not null default 'open' check (status in ('open', 'resolved', 'dismissed')),
  sensitivity sensitivity not null,
  subject_id uuid not null,
  other_id uuid,
  detail jsonb not null default '{}',
  resolution jsonb,
  created_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  resolved_by text,
  primary key (workspace_id, id)
);
create index review_open on review_item (workspace_id, id) where status = 'open';
create index review_subject on review_item (workspace_id, subject_id);
create index review_other on review_item (workspace_id, other_id) where other_id is not null;

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
  primary key (workspace_id, resource_id)
);

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

alter table unit_source enable row level security;
alter table unit_source force row level security;
create policy unit_source_own on unit_source to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, delete on unit_source to svc_app;

alter table deletion_log enable row level security;
alter table deletion_log force row level security;
create policy deletion_log_own on deletion_log to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert on deletion_log to svc_app;
