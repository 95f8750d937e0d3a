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
grant select, insert, update, delete on federation_peer to svc_app;
create policy federation_peer_definer on federation_peer to svc_definer using (true);
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
  primary key (workspace_id, id)
);
alter table federation_invite enable row level security;
alter table federation_invite force row level security;
create policy federation_invite_own on federation_invite to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update, delete on federation_invite to svc_app;

-- Tokens that were used, where no Redis keeps them: by the hash of issuer and id, of whichever workspace. Requests reach
-- it, and the secrets of this deployment, by the functions below alone.
create table svc_replay (
  jti_hash bytea primary key check (length(jti_hash) = 32),
  expires_at timestamptz not null
);
create index svc_replay_age on svc_replay (expires_at);
create table svc_instance_secret (
  name text primary key check (name in ('handshake', 'projection')),
  value bytea not null check (length(value) = 32)
);
-- `update` is what locking rows takes.
grant select, insert, update, delete on svc_replay to svc_definer;
grant select, insert on svc_instance_secret to svc_definer;

grant create on schema svc_system to svc_definer;

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
alter function svc_system.claim_federation_jti(bytea, integer) owner to svc_definer;

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
alter function svc_system.instance_secret(text) owner to svc_definer;

-- The entries that came from the configuration, of all workspaces: what the configuration of now is held against.
create function svc_system.list_configured_peers() returns table (workspace_id uuid, id text)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select p.workspace_id, p.id from public.federation_peer p
     where p.source = 'config' and p.removed_at is null order by 1, 2
  $$;
alter function svc_system.list_configured_peers() owner to svc_definer;

revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.claim_federation_jti(bytea, integer), svc_system.instance_secret(text),
  svc_system.list_configured_peers() from public;
grant execute on function svc_system.claim_federation_jti(bytea, integer), svc_system.instance_secret(text),
  svc_system.list_configured_peers() to svc_app;
