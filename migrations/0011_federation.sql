-- Peers, what was exchanged with them, and contradictions with them.

-- A function may name a table of a later file.
set local check_function_bodies = off;

-- Other instances that a workspace exchanges knowledge with, invitations to become one, and what tokens were used.
-- One row is one workspace's entry of one peer: tenants do not meet. An entry of the configuration has its public members
-- here, its secrets in the configuration.
create table federation_peer (
  workspace_id uuid not null references workspace,
  id text not null check (id ~ '^instance:[a-z0-9][a-z0-9.:-]{0,252}$'),
  -- For the change feed and the audit log, whose targets are uuids.
  uid uuid not null,
  source text not null check (source in ('config', 'stored', 'srv')),
  endpoint text not null check (endpoint like 'https://%' and length(endpoint) <= 2000),
  state text not null check (state in ('DISCOVERED', 'HANDSHAKE', 'ACTIVE', 'DEGRADED')),
  stale boolean not null default false,
  approved_at timestamptz(3),
  approved_by text,
  -- When the first handshake, of either side, was completed: nothing is served before.
  verified_at timestamptz(3),
  removed_at timestamptz(3),
  -- push: this instance pushes, the peer only receives.
  direction text not null default 'bidirectional' check (direction in ('bidirectional', 'push')),
  -- How the peer calls the workspace.
  remote_workspace_id uuid not null,
  region text,
  max_sensitivity sensitivity not null default 'internal',
  conflict_resolution text not null default 'manual'
    check (conflict_resolution in ('theirs_wins', 'ours_wins', 'consensus', 'manual')),
  -- Null: it has no vote.
  trust_weight smallint check (trust_weight between 0 and 100),
  -- Pins of the certificates: of its server, and of its client where that is another one.
  cert_pin text,
  cert_pin_next text,
  cert_pin_next_since timestamptz(3),
  client_cert_pin text,
  signing_key bytea check (length(signing_key) = 32),
  signing_key_next bytea check (length(signing_key_next) = 32),
  signing_key_next_since timestamptz(3),
  -- Sealed JSON of symmetricKey, symmetricKeyNext, sealKey and apiKey; null for an entry of the configuration.
  secrets text,
  -- The API key that was issued to it: it counts for nothing without the peer's token.
  inbound_key_id uuid,
  -- What it said in a signed handshake: capabilities, direction, region.
  told jsonb not null default '{}',
  -- What DNS says of one that was discovered: priority, weight, when it was seen.
  found jsonb,
  contact_at timestamptz(3),
  success_at timestamptz(3),
  level_at timestamptz(3),
  degraded_at timestamptz(3),
  failures integer not null default 0,
  next_attempt_at timestamptz(3),
  last_error jsonb,
  skew_ms integer,
  certificate jsonb,
  pull_cursor text,
  remote_epoch text,
  pushed_seq bigint not null default 0,
  acked_seq bigint not null default 0,
  reconciled_at timestamptz(3),
  reconciliation jsonb,
  counts jsonb not null default '{}',
  lease_id uuid,
  lease_expires_at timestamptz(3),
  version integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Who removed a peer: one that a person removed does not come back from the configuration.
  removed_by text,
  primary key (workspace_id, id),
  unique (workspace_id, uid),
  foreign key (workspace_id, inbound_key_id) references api_key (workspace_id, key_id)
);
create index federation_peer_due on federation_peer (next_attempt_at) where removed_at is null and approved_at is not null;
create index federation_peer_key on federation_peer (workspace_id, inbound_key_id) where inbound_key_id is not null;
alter table federation_peer enable row level security;
alter table federation_peer force row level security;
create policy federation_peer_own on federation_peer to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
create policy federation_peer_definer on federation_peer to svc_definer using (true);
grant select, insert, update, delete on federation_peer to svc_app;
grant select on federation_peer to svc_definer;

create table federation_invite (
  workspace_id uuid not null references workspace,
  id uuid not null,
  -- What the invitation holds, sealed; the text itself is stored nowhere.
  sealed text not null,
  -- Wrong proofs that were given for it: some of them burn it.
  failures smallint not null default 0,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  peer_id text,
  created_by text not null,
  created_at timestamptz(3) not null,
  -- The key of an invitation, so that it opens nothing before anybody has taken the invitation up.
  key_id uuid not null,
  primary key (workspace_id, id),
  foreign key (workspace_id, key_id) references api_key (workspace_id, key_id)
);
create index federation_invite_key on federation_invite (workspace_id, key_id);
alter table federation_invite enable row level security;
alter table federation_invite force row level security;
create policy federation_invite_own on federation_invite to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update, delete on federation_invite to svc_app;

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
  -- Where the item stands in the digest, and what it adds to it: as it is, and as it is told to whom it is withdrawn
  -- from.
  key bytea not null check (length(key) = 8),
  leaf bytea not null check (length(leaf) = 32),
  withdrawn_leaf bytea check (length(withdrawn_leaf) = 32),
  verdict text not null check (verdict in ('own', 'shown', 'equal', 'kept_ours', 'contested', 'covered', 'blocked',
                                           'deferred', 'erased')),
  unit_id uuid,
  -- Of entries of this instance: the version of the unit or relation that the entry tells.
  unit_version integer,
  received_at timestamptz(3),
  -- What another instance says of an item of which something else is shown here: kept while it may still come to be
  -- shown,
  -- so that nothing has to be asked for again. Gone with the item.
  word jsonb,
  -- Under row-level security Postgres computes nothing from a row, and compares no bytes, before the policy has let the
  -- row
  -- through. So it looked for the entries of a few buckets among all entries. A whole number in a column of its own it
  -- looks up.
  bucket integer not null
  generated always as (get_byte(key, 0) * 256 + get_byte(key, 1)) stored,
  primary key (workspace_id, origin_instance, origin_id, writer),
  check (least_sensitivity <= sensitivity),
  check ((verdict = 'own') = (seq is not null))
);
create unique index federation_version_seq on federation_version (workspace_id, seq) where seq is not null;
create index federation_version_unit on federation_version (workspace_id, unit_id) where unit_id is not null;
create index federation_version_deferred on federation_version (workspace_id, writer) where verdict = 'deferred';
-- A reconciliation fetches entries of this instance by the ids that their items have at their origins.
create index federation_version_origin on federation_version (workspace_id, origin_id) where seq is not null;
create index federation_version_digest on federation_version (workspace_id, writer, bucket, key)
  include (leaf, withdrawn_leaf, sensitivity, least_sensitivity, origin_instance, origin_id);

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
  -- The hash of what is shown: the writer of the version may have published another one since.
  shown_hash bytea check (length(shown_hash) = 32),
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
  strategy text not null,
  review_item_id uuid,
  task_id uuid,
  sensitivity sensitivity not null,
  resolution jsonb,
  opened_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  resolved_by text,
  -- What the voters said, and until when the others may.
  claims jsonb not null default '{}',
  primary key (workspace_id, id)
);
create unique index federation_conflict_open on federation_conflict (workspace_id, origin_instance, origin_id, writer)
  where state = 'contested';
create index federation_conflict_unit on federation_conflict (workspace_id, unit_id) where state = 'contested';

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
create policy federation_erasure_definer on federation_erasure for select to svc_definer using (true);
grant select on federation_erasure to svc_definer;

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
create policy federation_cursor_definer on federation_cursor for select to svc_definer using (true);
grant select on federation_cursor to svc_definer;

-- What bounds federation for the whole service: items that each key has sealed, peers of all workspaces, and the
-- notices of erasure that wait for peers, for the metrics.
-- Each sealed item has a random nonce, so a key may seal only so many. A key is known by a hash; the row of a key that
-- is used no more stays. Requests reach the table by the function below alone.
create table svc_sealed_items (
  key_hash bytea primary key check (length(key_hash) = 32),
  items bigint not null check (items >= 0)
);
-- `select` is what adding to a row takes.
grant select, insert, update on svc_sealed_items to svc_definer;

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

-- Claims the id of a token for so many seconds: true for one of any number of callers. Takes some old ones away.
create function svc_system.claim_federation_jti(p_hash bytea, p_seconds integer) returns boolean
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    with old as (
      select r.jti_hash from public.svc_replay r
       where r.expires_at < now() and r.jti_hash <> p_hash
       order by r.expires_at limit 100 for update skip locked
    ), gone as (
      delete from public.svc_replay r using old where r.jti_hash = old.jti_hash
    ), claimed as (
      insert into public.svc_replay (jti_hash, expires_at) values (p_hash, now() + make_interval(secs => p_seconds))
      on conflict (jti_hash) do nothing returning true
    )
    select exists (select from claimed)
  $$;

-- A secret of this deployment, 32 bytes: the same in all its processes, made when it is first asked for. Each of the four
-- ids has 122 random bits.
create function svc_system.instance_secret(p_name text) returns bytea
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  declare
    found_value bytea;
  begin
    select s.value into found_value from public.svc_instance_secret s where s.name = p_name;
    if found_value is not null then
      return found_value;
    end if;
    insert into public.svc_instance_secret (name, value)
    values (p_name, sha256(convert_to(
      gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')))
    on conflict (name) do nothing;
    -- Of two that make it at once the second has waited for the first, whose value it reads here.
    select s.value into found_value from public.svc_instance_secret s where s.name = p_name;
    return found_value;
  end
  $$;

-- Of all that came from a configuration, those that a person removed among them.
create function svc_system.list_configured_peers() returns table (workspace_id uuid, id text)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select p.workspace_id, p.id from public.federation_peer p
     where p.source = 'config' and p.removed_by is distinct from 'config' order by 1, 2
  $$;

-- A relation that its origin erased while its ends stay.
create function svc_system.delete_relation(p_id uuid)
  returns table (id uuid, version integer, sensitivity public.sensitivity)
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    delete from public.relation r
     where r.workspace_id = public.current_workspace() and r.id = p_id
    returning r.id, r.version, r.sensitivity
  $$;

create function svc_system.list_federation_turns(p_now timestamptz)
  returns table (workspace_id uuid, region text, peer_id text, state text, is_due boolean, has_news boolean,
                 last_seq bigint, acked_seq bigint, has_erasures boolean)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select p.workspace_id, w.region, p.id, p.state,
           coalesce(p.next_attempt_at <= p_now, false) and (p.lease_id is null or p.lease_expires_at <= p_now),
           c.workspace_id is null or c.walk is not null or coalesce(h.seq, 0) > c.published_seq,
           coalesce(c.next_seq - 1, 0), p.acked_seq,
           exists (select from public.federation_erasure e
                    where e.workspace_id = p.workspace_id and e.peer_id = p.id and e.acked_at is null)
      from public.federation_peer p
      join public.workspace w on w.workspace_id = p.workspace_id
      left join public.federation_cursor c on c.workspace_id = p.workspace_id
      left join public.feed_head h on h.workspace_id = p.workspace_id
     where p.removed_at is null and p.approved_at is not null
     order by p.next_attempt_at, p.workspace_id, p.id
  $$;

create function svc_system.list_federation_jobs(p_now timestamptz) returns table (workspace_id uuid, region text)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select distinct j.workspace_id, w.region
      from public.job j join public.workspace w on w.workspace_id = j.workspace_id
     where j.kind = 'federation_sync' and j.state in ('queued', 'running')
       and (j.lease_id is null or j.lease_expires_at <= p_now)
  $$;

-- Adds items to what a key has sealed, before they are sealed; answers how many there are then. Items beyond the limit
-- are not added: the answer is greater than the limit.
create function svc_system.count_sealed_items(p_key_hash bytea, p_items integer, p_max bigint) returns bigint
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    with added as (
      insert into public.svc_sealed_items as s (key_hash, items)
      select p_key_hash, p_items where p_items <= p_max
      on conflict (key_hash) do update set items = s.items + excluded.items where s.items + excluded.items <= p_max
      returning items
    )
    select coalesce((select a.items from added a), p_max + 1)
  $$;

-- How many instances other than one are approved peers, in whichever workspace. Transactions that count wait for each
-- other, so that two cannot both take the last place.
create function svc_system.count_other_peers(p_id text) returns integer
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  begin
    perform pg_advisory_xact_lock(hashtextextended('federation peers of the service', 7305411));
    return (select count(distinct p.id)::integer from public.federation_peer p
             where p.approved_at is not null and p.removed_at is null and p.id is distinct from p_id);
  end
  $$;

create function svc_system.federation_gauges() returns table (
    peer text, active boolean, degraded boolean, stale boolean, level_at timestamptz,
    certificate_expires_at timestamptz, erasures_pending bigint)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select p.id, bool_and(p.state = 'ACTIVE'), bool_or(p.state = 'DEGRADED'), bool_or(p.stale),
           -- An entry that never was level counts from its approval.
           min(coalesce(p.level_at, p.approved_at)), min((p.certificate ->> 'expiresAt')::timestamptz),
           sum((select count(*) from public.federation_erasure e
                 where e.workspace_id = p.workspace_id and e.peer_id = p.id and e.acked_at is null))::bigint
      from public.federation_peer p
     where p.approved_at is not null and p.removed_at is null
     group by p.id
     order by p.id collate "C"
     limit 1000
  $$;

grant create on schema svc_system to svc_definer;
alter function svc_system.claim_federation_jti(bytea, integer) owner to svc_definer;
alter function svc_system.instance_secret(text) owner to svc_definer;
alter function svc_system.list_configured_peers() owner to svc_definer;
revoke all on function svc_system.claim_federation_jti(bytea, integer), svc_system.instance_secret(text),
  svc_system.list_configured_peers() from public;
grant execute on function svc_system.claim_federation_jti(bytea, integer), svc_system.instance_secret(text),
  svc_system.list_configured_peers() to svc_app;
alter function svc_system.delete_relation(uuid) owner to svc_definer;
revoke all on function svc_system.delete_relation(uuid) from public;
grant execute on function svc_system.delete_relation(uuid) to svc_app;
alter function svc_system.list_federation_turns(timestamptz) owner to svc_definer;
alter function svc_system.list_federation_jobs(timestamptz) owner to svc_definer;
revoke all on function svc_system.list_federation_turns(timestamptz), svc_system.list_federation_jobs(timestamptz)
  from public;
grant execute on function svc_system.list_federation_turns(timestamptz), svc_system.list_federation_jobs(timestamptz)
  to svc_app;
alter function svc_system.count_sealed_items(bytea, integer, bigint) owner to svc_definer;
alter function svc_system.count_other_peers(text) owner to svc_definer;
alter function svc_system.federation_gauges() owner to svc_definer;
revoke all on function svc_system.count_sealed_items(bytea, integer, bigint), svc_system.count_other_peers(text),
  svc_system.federation_gauges() from public;
grant execute on function svc_system.count_sealed_items(bytea, integer, bigint), svc_system.count_other_peers(text),
  svc_system.federation_gauges() to svc_app;
revoke create on schema svc_system from svc_definer;
