-- Roles, the settings of a request, workspaces, keys, admins, sessions of the console.

-- A function may name a table of a later file.
set local check_function_bodies = off;

-- Roles, the request's settings, workspaces and API keys.
--
-- svc_app      what requests may do: tables through forced row-level policies, never BYPASSRLS, owner of nothing.
-- svc_definer  owns the SECURITY DEFINER functions. It sees exactly what its own policies name, nothing else.
do $$
begin
  if not exists (select from pg_roles where rolname = 'svc_app') then
    create role svc_app nologin;
  end if;
  if not exists (select from pg_roles where rolname = 'svc_definer') then
    create role svc_definer nologin;
  end if;
  -- Handing a function to svc_definer takes the right to become it. From Postgres 16 on, whoever creates a role is a
  -- member of it that may grant it but not become it.
  if not pg_has_role(
    current_user, 'svc_definer',
    case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end
  ) then
    execute format('grant svc_definer to %I', current_user);
  end if;
  execute format('grant connect on database %I to svc_app', current_database());
end
$$;

create extension if not exists vector;

-- Tables live in the default schema; the SECURITY DEFINER functions live apart, so that an audit finds them at once.
create schema svc_system;

grant usage on schema public to svc_app, svc_definer;

grant usage on schema svc_system to svc_app, svc_definer;

create type sensitivity as enum ('public', 'internal', 'confidential', 'restricted');

-- The transaction's workspace. After a transaction that used set_config(…, true) the setting is '' and not null.
create function current_workspace() returns uuid
  language sql stable parallel safe
  as $$ select nullif(current_setting('app.workspace_id', true), '')::uuid $$;

-- The transaction's clearance: the most sensitive rows it may see.
create function current_clearance() returns sensitivity
  language sql stable parallel safe
  as $$ select nullif(current_setting('app.max_sensitivity', true), '')::sensitivity $$;

create table workspace (
  workspace_id uuid primary key,
  name text not null check (length(name) between 1 and 200),
  region text not null check (region in ('us-east-1', 'eu-west-1', 'ap-southeast-1')),
  settings jsonb not null default '{}',
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- Keys and workspaces that are administered over HTTP: versions, secrets that were rotated, lists over all workspaces.
  version integer not null default 1,
  -- No key sees rows above it, whatever its own clearance.
  max_sensitivity sensitivity not null default 'restricted',
  -- Of keys that have none of their own; null: the configured one.
  rate_limit jsonb,
  -- Callers' addresses in the audit log are forgotten after so many days; null: they are kept.
  audit_address_days integer check (audit_address_days between 1 and 3650),
  -- Hours between two consolidations; null: only when somebody asks.
  consolidate_every_hours integer check (consolidate_every_hours between 1 and 720),
  -- Restricted data is erased after so many days without a change; null: it is kept.
  restricted_retention_days integer check (restricted_retention_days between 1 and 3650),
  -- From when on: a day after the number was set or made smaller, so that a slip can be taken back.
  restricted_retention_from timestamptz(3),
  -- How many values predicates have at a time in a workspace, where its own words differ from the defaults of the
  -- service.
  predicates jsonb not null default '{}' check (jsonb_typeof(predicates) = 'object'),
  -- The recall diary: what was asked of a workspace and what was shown, for as many days as the workspace says; 0: not
  -- at all.
  recall_diary_days smallint not null default 0 check (recall_diary_days between 0 and 90),
  -- What was kept before the diary was last turned on does not come back.
  recall_diary_from timestamptz(3),
  timezone text check (octet_length(timezone) between 1 and 64),
  check ((restricted_retention_days is null) = (restricted_retention_from is null))
);
alter table workspace enable row level security;
alter table workspace force row level security;
create policy workspace_own on workspace to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
-- Listing workspaces is the operator's: the definer functions below are the only way.
create policy workspace_definer on workspace to svc_definer using (true) with check (true);
grant select, update on workspace to svc_app;

create table api_key (
  workspace_id uuid not null references workspace,
  public_id text not null check (public_id ~ '^[0-9A-Za-z]{12}$'),
  key_id uuid not null,
  name text not null check (length(name) between 1 and 200),
  secret_hash text not null check (secret_hash like '$argon2id$%'),
  scopes text[] not null,
  max_sensitivity sensitivity not null default 'confidential',
  cidrs text[] not null default '{}',
  rate_limit jsonb,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  version integer not null default 1,
  updated_at timestamptz(3) not null default now(),
  primary key (workspace_id, key_id)
);
-- The public id is random and looked up before a workspace is known, so it is unique over all workspaces.
create unique index api_key_public_id on api_key (public_id);
-- A key is administered by its id alone.
create index api_key_id on api_key (key_id);
alter table api_key enable row level security;
alter table api_key force row level security;
create policy api_key_own on api_key to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
create policy api_key_definer on api_key to svc_definer using (true) with check (true);
grant select, insert, update on api_key to svc_app;

-- Embeddings, one per indexed text and model. The dimension belongs to the deployment: it is fixed when the service
-- first migrates and checked at every boot; the nearest-neighbour index over it is made then, for that dimension.
create table deployment (
  singleton boolean primary key default true check (singleton),
  embedding_dimension integer not null check (embedding_dimension between 8 and 2000),
  created_at timestamptz(3) not null default now()
);
grant select on deployment to svc_app;

-- Replies that are kept to answer the same request again. A row commits with the write that it answers.
create table idempotent_reply (
  -- The workspace of the caller's key; all zeros for operations of an admin, which belong to none.
  workspace_id uuid not null,
  operation_id text not null,
  -- SHA-256 of the `Idempotency-Key`, in hex.
  key_hash text not null,
  -- What else must be the same: SHA-256 over path, query, body and clearance.
  fingerprint text not null,
  -- The clearance of the caller that it was made for.
  sensitivity sensitivity not null,
  status smallint check (status between 200 and 299),
  headers jsonb not null,
  -- Null: it told of a resource that has been erased since.
  body text,
  -- The body is sealed under the caller's own secret.
  sealed boolean not null default false,
  -- What the body names, so that erasing finds it.
  resource_ids uuid[] not null default '{}',
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (workspace_id, operation_id, key_hash)
);
create index idempotent_reply_age on idempotent_reply (workspace_id, created_at);
alter table idempotent_reply enable row level security;
alter table idempotent_reply force row level security;
create policy idempotent_reply_own on idempotent_reply to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
  with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
create policy idempotent_reply_definer on idempotent_reply to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));
grant select, insert, update, delete on idempotent_reply to svc_app;
-- Erasing reaches replies that were made for callers of a higher clearance, too, and those of admins.
grant select (workspace_id, operation_id, key_hash, created_at, resource_ids, body), update (body) on idempotent_reply to svc_definer;

-- Secrets that a rotation replaced and that still count for a while: the same key, with the same rights.
create table api_key_former_secret (
  workspace_id uuid not null,
  public_id text not null check (public_id ~ '^[0-9A-Za-z]{12}$'),
  key_id uuid not null,
  secret_hash text not null check (secret_hash like '$argon2id$%'),
  expires_at timestamptz(3) not null,
  primary key (workspace_id, public_id),
  foreign key (workspace_id, key_id) references api_key (workspace_id, key_id)
);
-- Looked up before a workspace is known, as the current one is.
create unique index api_key_former_public_id on api_key_former_secret (public_id);
create index api_key_former_key on api_key_former_secret (workspace_id, key_id);
alter table api_key_former_secret enable row level security;
alter table api_key_former_secret force row level security;
create policy api_key_former_secret_own on api_key_former_secret to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
create policy api_key_former_secret_definer on api_key_former_secret to svc_definer using (true);
grant select, insert, delete on api_key_former_secret to svc_app;
grant select on api_key_former_secret to svc_definer;
-- A rotation of a key shortens the overlaps of the rotations before it.
grant update (expires_at) on api_key_former_secret to svc_app;

-- Admins of the service, their keys, and their access to workspaces under a grant. Decisions §2 "Break-glass".
--
-- They belong to no tenant: their rows stand in the workspace of all zeros, which no key of a tenant leads to.
create table svc_admin (
  workspace_id uuid not null,
  admin_id uuid not null,
  name text not null check (length(name) between 1 and 200),
  -- Sealed under SVC_ADMIN_TOTP_KEY; null until the admin is enrolled.
  totp_sealed text,
  -- The step of the last code that was accepted: no code of it or before counts again.
  totp_last_step bigint,
  -- Failed codes since `totp_tries_from`.
  totp_tries integer not null default 0,
  totp_tries_from timestamptz(3),
  created_at timestamptz(3) not null,
  enrolled_at timestamptz(3),
  disabled_at timestamptz(3),
  primary key (workspace_id, admin_id)
);
create unique index svc_admin_name on svc_admin (workspace_id, lower(name));

create table svc_admin_key (
  workspace_id uuid not null,
  key_id uuid not null,
  admin_id uuid not null,
  public_id text not null check (public_id ~ '^[0-9A-Za-z]{12}$'),
  name text not null check (length(name) between 1 and 200),
  secret_hash text not null check (secret_hash like '$argon2id$%'),
  cidrs text[] not null default '{}',
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  primary key (workspace_id, key_id),
  foreign key (workspace_id, admin_id) references svc_admin (workspace_id, admin_id)
);
create unique index svc_admin_key_public_id on svc_admin_key (workspace_id, public_id);

create table svc_break_glass_request (
  workspace_id uuid not null,
  id uuid not null,
  target_workspace_id uuid not null,
  requested_by uuid not null,
  reason text not null check (length(reason) between 1 and 500),
  scopes text[] not null check (cardinality(scopes) >= 1),
  max_sensitivity sensitivity not null,
  ttl_seconds integer not null check (ttl_seconds between 1 and 86400),
  -- What was decided; that its time is over shows in the times alone. By the database's clock, as all times here.
  decision text not null default 'pending' check (decision in ('pending', 'approved', 'denied', 'revoked')),
  created_at timestamptz(3) not null default clock_timestamp(),
  approved_by uuid,
  approved_at timestamptz(3),
  expires_at timestamptz(3),
  ended_by uuid,
  ended_at timestamptz(3),
  uses bigint not null default 0,
  last_used_at timestamptz(3),
  primary key (workspace_id, id),
  foreign key (workspace_id, requested_by) references svc_admin (workspace_id, admin_id),
  foreign key (workspace_id, approved_by) references svc_admin (workspace_id, admin_id),
  foreign key (workspace_id, ended_by) references svc_admin (workspace_id, admin_id),
  -- Two people, and never for more than a day.
  constraint svc_break_glass_two_admins check (approved_by <> requested_by),
  constraint svc_break_glass_day check (expires_at <= created_at + interval '24 hours'),
  constraint svc_break_glass_approved check (
    (approved_by is null) = (approved_at is null) and (approved_by is null) = (expires_at is null)
    and (decision <> 'approved' or approved_by is not null) and (decision not in ('pending', 'denied') or approved_by is null)
  )
);

-- One-use tickets with which browsers open streams: they cannot send an Authorization header with a WebSocket.
create table stream_ticket (
  workspace_id uuid not null references workspace,
  -- SHA-256 of the ticket, which is stored nowhere.
  ticket_hash text not null check (ticket_hash ~ '^[0-9a-f]{64}$'),
  key_id uuid not null,
  -- The key's secret that it was got with.
  public_id text not null check (public_id ~ '^[0-9A-Za-z]{12}$'),
  max_sensitivity sensitivity not null,
  expires_at timestamptz(3) not null,
  primary key (workspace_id, ticket_hash),
  foreign key (workspace_id, key_id) references api_key (workspace_id, key_id)
);
-- Looked up before a workspace is known.
create index stream_ticket_hash on stream_ticket (ticket_hash);
create index stream_ticket_key on stream_ticket (workspace_id, key_id);
create index stream_ticket_expiry on stream_ticket (workspace_id, expires_at);
alter table stream_ticket enable row level security;
alter table stream_ticket force row level security;
create policy stream_ticket_own on stream_ticket to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
create policy stream_ticket_definer on stream_ticket to svc_definer using (true);
grant select, insert, delete on stream_ticket to svc_app;
grant select, delete on stream_ticket to svc_definer;

-- Tokens that were used, where no Redis keeps them: by the hash of issuer and id, of whichever workspace. Requests reach
-- it, and the secrets of this deployment, by the functions below alone.
create table svc_replay (
  jti_hash bytea primary key check (length(jti_hash) = 32),
  expires_at timestamptz not null
);
create index svc_replay_age on svc_replay (expires_at);
-- `update` is what locking rows takes.
grant select, insert, update, delete on svc_replay to svc_definer;

create table svc_instance_secret (
  name text primary key check (name in ('handshake', 'projection')),
  value bytea not null check (length(value) = 32)
);
grant select, insert on svc_instance_secret to svc_definer;

-- Sessions of the console: what a browser's cookie stands for.
create table console_session (
  workspace_id uuid not null references workspace,
  -- SHA-256 of the cookie's value, which is stored nowhere.
  session_hash text not null check (session_hash ~ '^[0-9a-f]{64}$'),
  -- A browser sends a cookie to every port of a host, so a session also needs what only the page of its own origin has.
  proof_hash text not null check (proof_hash ~ '^[0-9a-f]{64}$'),
  key_id uuid not null,
  -- The key's secret that it was opened with.
  public_id text not null check (public_id ~ '^[0-9A-Za-z]{12}$'),
  -- What the key could do at that time. The session may do what the key may now, within this.
  scopes text[] not null,
  max_sensitivity sensitivity not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- Until then it may change something; null: it only reads.
  writes_until timestamptz(3),
  -- Whoever opened a session at the terminal could make and revoke keys by the command line, too.
  manages_keys boolean not null default false,
  primary key (workspace_id, session_hash),
  foreign key (workspace_id, key_id) references api_key (workspace_id, key_id)
);
-- Looked up before a workspace is known.
create index console_session_hash on console_session (session_hash);
create index console_session_key on console_session (workspace_id, key_id, created_at);
create index console_session_expiry on console_session (workspace_id, expires_at);
alter table console_session enable row level security;
alter table console_session force row level security;
create policy console_session_own on console_session to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
create policy console_session_definer on console_session to svc_definer using (true);
grant select, insert, update, delete on console_session to svc_app;
grant select, update on console_session to svc_definer;

-- Sessions of named admins in the console: what a browser's cookie stands for once its admin has shown a key and a code.
-- Their rows stand in the workspace of all zeros, as those of admins do.
create table console_admin_session (
  workspace_id uuid not null,
  -- SHA-256 of the cookie's value, which is stored nowhere.
  session_hash text not null check (session_hash ~ '^[0-9a-f]{64}$'),
  -- A browser sends a cookie to every port of a host, so a session also needs what only the page of its own origin has.
  proof_hash text not null check (proof_hash ~ '^[0-9a-f]{64}$'),
  admin_id uuid not null,
  -- The admin's key that it was opened with.
  key_id uuid not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- Until then it may change something; null: it only reads.
  writes_until timestamptz(3),
  primary key (workspace_id, session_hash),
  foreign key (workspace_id, admin_id) references svc_admin (workspace_id, admin_id),
  foreign key (workspace_id, key_id) references svc_admin_key (workspace_id, key_id)
);
create index console_admin_session_admin on console_admin_session (workspace_id, admin_id, created_at);
alter table console_admin_session enable row level security;
alter table console_admin_session force row level security;
create policy console_admin_session_own on console_admin_session to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update, delete on console_admin_session to svc_app;

grant select, insert, update on workspace, api_key to svc_definer;
do $$
declare
  t text;
begin
  foreach t in array array['svc_admin', 'svc_admin_key', 'svc_break_glass_request'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy %I on %I to svc_app
         using (workspace_id = (select current_workspace()))
         with check (workspace_id = (select current_workspace()))',
      t || '_own', t);
    execute format('grant select, insert, update on %I to svc_app', t);
  end loop;
end
$$;

-- Finds one key by its public id, which is what authentication needs before a workspace is known: also by a secret that
-- was rotated out, until its time is over, and within what the workspace allows.
create function svc_system.find_api_key(p_public_id text)
  returns table (
    workspace_id uuid, key_id uuid, name text, secret_hash text, scopes text[], max_sensitivity public.sensitivity,
    cidrs text[], rate_limit jsonb, expires_at timestamptz, revoked_at timestamptz, region text
  )
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select k.workspace_id, k.key_id, k.name, s.secret_hash, k.scopes, least(k.max_sensitivity, w.max_sensitivity),
           k.cidrs, coalesce(k.rate_limit, w.rate_limit), least(k.expires_at, s.expires_at), k.revoked_at, w.region
      from (
        select c.workspace_id, c.key_id, c.secret_hash, null::timestamptz as expires_at
          from public.api_key c where c.public_id = p_public_id
        union all
        select f.workspace_id, f.key_id, f.secret_hash, f.expires_at
          from public.api_key_former_secret f where f.public_id = p_public_id
      ) s
      join public.api_key k on k.workspace_id = s.workspace_id and k.key_id = s.key_id
      join public.workspace w on w.workspace_id = s.workspace_id
  $$;

-- Notes that a key was used; at most once a minute, so that reads do not become writes.
create function svc_system.touch_api_key(p_public_id text) returns void
  language sql security definer set search_path = pg_catalog, pg_temp
  as $$
    update public.api_key set last_used_at = now()
     where (workspace_id, key_id) in (
             select c.workspace_id, c.key_id from public.api_key c where c.public_id = p_public_id
             union all
             select f.workspace_id, f.key_id from public.api_key_former_secret f where f.public_id = p_public_id)
       and (last_used_at is null or last_used_at < now() - interval '1 minute')
  $$;

create function svc_system.create_workspace(p_workspace_id uuid, p_name text, p_region text) returns void
  language sql security definer set search_path = pg_catalog, pg_temp
  as $$ insert into public.workspace (workspace_id, name, region) values (p_workspace_id, p_name, p_region) $$;

create function svc_system.list_workspaces()
  returns table (workspace_id uuid, name text, region text, created_at timestamptz)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select w.workspace_id, w.name, w.region, w.created_at from public.workspace w order by w.workspace_id $$;

-- The first workspace of an empty service: made by one process only, also when several start at once.
create function svc_system.create_first_workspace(p_workspace_id uuid, p_name text, p_region text) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp
  as $$
  begin
    perform pg_advisory_xact_lock(7305410129);
    if exists (select from public.workspace) then
      return false;
    end if;
    insert into public.workspace (workspace_id, name, region) values (p_workspace_id, p_name, p_region);
    return true;
  end
  $$;

create function svc_system.erase_idempotent_replies(p_resource_id uuid) returns void
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    update public.idempotent_reply set body = null
     where workspace_id = public.current_workspace() and body is not null and p_resource_id = any(resource_ids)
  $$;

-- Whether a reply is kept under a name, also one that the caller is not cleared for.
create function svc_system.is_reply_kept(p_operation_id text, p_key_hash text) returns boolean
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select exists (
      select from public.idempotent_reply
       where workspace_id = public.current_workspace() and operation_id = p_operation_id and key_hash = p_key_hash
         and created_at > clock_timestamp() - interval '24 hours')
  $$;

-- A workspace is pinned to its region. Interface §2.2.
create function refuse_region_change() returns trigger
  language plpgsql
  as $$
  begin
    raise exception 'the region of a workspace never changes' using errcode = '23514';
  end
  $$;

-- The workspace of a key, which an admin names by its id alone.
create function svc_system.locate_api_key(p_key_id uuid) returns uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select k.workspace_id from public.api_key k where k.key_id = p_key_id $$;

-- Keys of all workspaces, or of one, in the order of their ids; without secrets.
create function svc_system.page_api_keys(p_workspace_id uuid, p_after uuid, p_ascending boolean, p_limit integer)
  returns table (
    workspace_id uuid, key_id uuid, public_id text, name text, scopes text[], max_sensitivity public.sensitivity,
    cidrs text[], rate_limit jsonb, version integer, created_at timestamptz, updated_at timestamptz,
    expires_at timestamptz, revoked_at timestamptz, last_used_at timestamptz, former_valid_until timestamptz
  )
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    with page as (
      (select k.workspace_id, k.key_id from public.api_key k
        where p_workspace_id is null and p_ascending
          and k.key_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
        order by k.key_id limit 201)
      union all
      (select k.workspace_id, k.key_id from public.api_key k
        where p_workspace_id is null and not p_ascending
          and k.key_id < coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        order by k.key_id desc limit 201)
      union all
      (select k.workspace_id, k.key_id from public.api_key k
        where k.workspace_id = p_workspace_id and p_ascending
          and k.key_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
        order by k.key_id limit 201)
      union all
      (select k.workspace_id, k.key_id from public.api_key k
        where k.workspace_id = p_workspace_id and not p_ascending
          and k.key_id < coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        order by k.key_id desc limit 201)
    )
    select k.workspace_id, k.key_id, k.public_id, k.name, k.scopes, k.max_sensitivity, k.cidrs, k.rate_limit, k.version,
           k.created_at, k.updated_at, k.expires_at, k.revoked_at, k.last_used_at,
           (select max(f.expires_at) from public.api_key_former_secret f
             where f.workspace_id = k.workspace_id and f.key_id = k.key_id)
      from page p
     cross join lateral (
       select * from public.api_key one
        where one.workspace_id = p.workspace_id and one.key_id = p.key_id offset 0) k
     order by case when p_ascending then k.key_id end, k.key_id desc limit p_limit
  $$;

-- Takes a ticket: of callers at the same time, one gets it.
create function svc_system.redeem_stream_ticket(p_hash text)
  returns table (public_id text, max_sensitivity public.sensitivity, expires_at timestamptz)
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    delete from public.stream_ticket t where t.ticket_hash = p_hash
    returning t.public_id, t.max_sensitivity, t.expires_at
  $$;

-- Pages of whole rows, along the index: a column that comes later needs no further function.
create function svc_system.page_workspace_rows(p_after uuid, p_ascending boolean, p_limit integer)
  returns setof public.workspace
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    with page as (
      (select w.workspace_id from public.workspace w
        where p_ascending and w.workspace_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
        order by w.workspace_id limit 201)
      union all
      (select w.workspace_id from public.workspace w
        where not p_ascending and w.workspace_id < coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        order by w.workspace_id desc limit 201)
    )
    select w.*
      from page p
     cross join lateral (select * from public.workspace one where one.workspace_id = p.workspace_id offset 0) w
     order by case when p_ascending then w.workspace_id end, w.workspace_id desc limit p_limit
  $$;

-- Finds a session that has neither ended nor been idle too long, and notes its use, at most twice a minute.
create function svc_system.use_console_session(
    p_hash text, p_proof_hash text, p_now timestamptz, p_idle_seconds integer
  )
  returns table (
    workspace_id uuid, public_id text, scopes text[], max_sensitivity public.sensitivity, expires_at timestamptz,
    writes_until timestamptz, manages_keys boolean
  )
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    with found as (
      select s.* from public.console_session s
       where s.session_hash = p_hash and s.proof_hash = p_proof_hash and s.expires_at > p_now
         and s.last_used_at > p_now - make_interval(secs => p_idle_seconds)
    ), noted as (
      update public.console_session s set last_used_at = p_now from found f
       where s.workspace_id = f.workspace_id and s.session_hash = f.session_hash
         and s.last_used_at < p_now - interval '30 seconds'
    )
    select f.workspace_id, f.public_id, f.scopes, f.max_sensitivity, f.expires_at, f.writes_until, f.manages_keys
      from found f
  $$;

create trigger workspace_region_kept before update on workspace
  for each row when (old.region is distinct from new.region) execute function refuse_region_change();

grant create on schema svc_system to svc_definer;
alter function svc_system.find_api_key(text) owner to svc_definer;
alter function svc_system.touch_api_key(text) owner to svc_definer;
alter function svc_system.create_workspace(uuid, text, text) owner to svc_definer;
alter function svc_system.list_workspaces() owner to svc_definer;
grant execute on function current_workspace(), current_clearance() to svc_definer;
alter function svc_system.create_first_workspace(uuid, text, text) owner to svc_definer;
revoke all on function svc_system.create_first_workspace(uuid, text, text) from public;
grant execute on function svc_system.create_first_workspace(uuid, text, text) to svc_app;
alter function svc_system.erase_idempotent_replies(uuid) owner to svc_definer;
alter function svc_system.is_reply_kept(text, text) owner to svc_definer;
revoke all on function svc_system.erase_idempotent_replies(uuid), svc_system.is_reply_kept(text, text) from public;
grant execute on function svc_system.erase_idempotent_replies(uuid), svc_system.is_reply_kept(text, text) to svc_app;
alter function svc_system.locate_api_key(uuid) owner to svc_definer;
alter function svc_system.page_api_keys(uuid, uuid, boolean, integer) owner to svc_definer;
revoke all on function svc_system.locate_api_key(uuid), svc_system.page_api_keys(uuid, uuid, boolean, integer) from public;
grant execute on function svc_system.locate_api_key(uuid), svc_system.page_api_keys(uuid, uuid, boolean, integer) to svc_app;
alter function svc_system.redeem_stream_ticket(text) owner to svc_definer;
revoke all on function svc_system.redeem_stream_ticket(text) from public;
grant execute on function svc_system.redeem_stream_ticket(text) to svc_app;
alter function svc_system.page_workspace_rows(uuid, boolean, integer) owner to svc_definer;
revoke all on function svc_system.page_workspace_rows(uuid, boolean, integer) from public;
grant execute on function svc_system.page_workspace_rows(uuid, boolean, integer) to svc_app;
alter function svc_system.use_console_session(text, text, timestamptz, integer) owner to svc_definer;
revoke all on function svc_system.use_console_session(text, text, timestamptz, integer) from public;
grant execute on function svc_system.use_console_session(text, text, timestamptz, integer) to svc_app;
revoke all on function svc_system.find_api_key(text) from public;
grant execute on function svc_system.find_api_key(text) to svc_app;
revoke all on function svc_system.touch_api_key(text) from public;
grant execute on function svc_system.touch_api_key(text) to svc_app;
revoke all on function svc_system.create_workspace(uuid, text, text) from public;
grant execute on function svc_system.create_workspace(uuid, text, text) to svc_app;
revoke all on function svc_system.list_workspaces() from public;
grant execute on function svc_system.list_workspaces() to svc_app;
revoke all on function svc_system.create_first_workspace(uuid, text, text) from public;
grant execute on function svc_system.create_first_workspace(uuid, text, text) to svc_app;
revoke create on schema svc_system from svc_definer;
