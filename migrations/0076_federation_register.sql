-- What instances tell each other of one item: for each writer the latest version that it published. Beside it what is
-- shown here, what contradicts it, and what was erased and has to be told.

-- The register. A writer writes its own entry only; it holds no content.
create table federation_version (
  workspace_id uuid not null references workspace,
  origin_instance text not null,
  origin_id uuid not null,
  writer text not null,
  -- Without `:deleted`; what is deleted says so.
  type text not null,
  version integer not null check (version >= 1),
  updated_at timestamptz(3) not null,
  -- SHA-256 of what the version says.
  hash bytea not null check (length(hash) = 32),
  -- Of each other writer the last version that this one was made with knowledge of.
  seen jsonb not null default '{}',
  affirms text check (affirms in ('kept', 'taken')),
  is_deleted boolean not null default false,
  is_withdrawn boolean not null default false,
  -- As the writer said it; of an entry of this instance also the lowest that the item ever was offered with.
  sensitivity sensitivity not null,
  least_sensitivity sensitivity not null,
  -- Of entries of this instance: the place in the order of publication.
  seq bigint,
  -- Where the item stands in the digest, and what it adds to it: as it is, and as it is told to whom it is withdrawn from.
  key bytea not null check (length(key) = 8),
  leaf bytea not null check (length(leaf) = 32),
  withdrawn_leaf bytea check (length(withdrawn_leaf) = 32),
  verdict text not null check (verdict in ('own', 'shown', 'equal', 'kept_ours', 'contested', 'covered', 'blocked',
                                           'deferred', 'erased')),
  unit_id uuid,
  -- Of entries of this instance: the version of the unit or relation that the entry tells.
  unit_version integer,
  received_at timestamptz(3),
  primary key (workspace_id, origin_instance, origin_id, writer),
  check (least_sensitivity <= sensitivity),
  check ((verdict = 'own') = (seq is not null))
);
create unique index federation_version_seq on federation_version (workspace_id, seq) where seq is not null;
create index federation_version_key on federation_version (workspace_id, writer, key) include (leaf, sensitivity);
create index federation_version_unit on federation_version (workspace_id, unit_id) where unit_id is not null;

-- What is shown of an item that two instances have a word on, and the id that it has here.
create table federation_item (
  workspace_id uuid not null references workspace,
  origin_instance text not null,
  origin_id uuid not null,
  unit_id uuid not null,
  -- `reserved`: something names it and it is not here. `stand_in`: a unit that says the same stands for it.
  role text not null check (role in ('unit', 'stand_in', 'reserved')),
  shown_writer text,
  shown_version integer,
  context jsonb not null default '{}',
  settled jsonb not null default '{}',
  is_own boolean not null default false,
  primary key (workspace_id, origin_instance, origin_id)
);
create unique index federation_item_unit on federation_item (workspace_id, unit_id) where role <> 'stand_in';
create index federation_item_local on federation_item (workspace_id, unit_id);

create table federation_conflict (
  workspace_id uuid not null references workspace,
  id uuid not null,
  origin_instance text not null,
  origin_id uuid not null,
  writer text not null,
  type text not null,
  state text not null default 'contested' check (state in ('contested', 'resolved', 'dismissed')),
  -- What is shown; and the other version, where it is a unit.
  unit_id uuid not null,
  other_unit_id uuid,
  -- The other version, where it is no unit.
  body jsonb,
  strategy text not null,
  review_item_id uuid,
  task_id uuid,
  sensitivity sensitivity not null,
  resolution jsonb,
  opened_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  resolved_by text,
  primary key (workspace_id, id)
);
create unique index federation_conflict_open on federation_conflict (workspace_id, origin_instance, origin_id, writer)
  where state = 'contested';

-- Erasures that a peer has not acknowledged yet, and what it said when it did.
create table federation_erasure (
  workspace_id uuid not null references workspace,
  peer_id text not null,
  origin_instance text not null,
  origin_id uuid not null,
  type text not null,
  version integer not null,
  erased_at timestamptz(3) not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) not null,
  acked_at timestamptz(3),
  outcome text,
  ack jsonb,
  primary key (workspace_id, peer_id, origin_instance, origin_id)
);
create index federation_erasure_due on federation_erasure (workspace_id, peer_id, next_attempt_at) where acked_at is null;

-- Facts of another region, by id and keyed hash: nothing else of them crosses a border.
create table federation_remote_fact (
  workspace_id uuid not null references workspace,
  peer_id text not null,
  fact_id uuid not null,
  hash text not null,
  region text not null,
  seen_at timestamptz(3) not null,
  primary key (workspace_id, peer_id, fact_id)
);

-- How far publication has come. There is no row while nobody is published to.
create table federation_cursor (
  workspace_id uuid primary key references workspace,
  -- The last change of the feed that was looked at.
  published_seq bigint not null default 0,
  next_seq bigint not null default 1,
  -- Another one after a restore: cursors of the old one mean nothing.
  epoch uuid not null,
  -- What was there before anybody asked is walked through once.
  walk text check (walk in ('unit', 'relation')),
  walk_after uuid
);

do $$
declare
  t text;
begin
  foreach t in array array['federation_version', 'federation_item', 'federation_conflict', 'federation_erasure',
                           'federation_remote_fact', 'federation_cursor'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('grant select, insert, update, delete on %I to svc_app', t);
  end loop;
  foreach t in array array['federation_item', 'federation_erasure', 'federation_remote_fact', 'federation_cursor'] loop
    execute format(
      'create policy %I on %I to svc_app
         using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()))',
      t || '_own', t);
  end loop;
  foreach t in array array['federation_version', 'federation_conflict'] loop
    execute format(
      'create policy %I on %I to svc_app
         using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
         with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))',
      t || '_own', t);
  end loop;
end
$$;

-- Another instance holds something else of it, and nobody has decided. A flag without a version, as `stale` is.
alter table unit add column disputed boolean not null default false;

-- Items of instances are found by where they began.
create index unit_origin on unit (workspace_id, origin_instance, origin_id);
