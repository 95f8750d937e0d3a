-- What people gave to clients by OAuth 2.1: grants, their codes and refresh tokens, and what devices ask for.

-- The key that gave this one, if one did: this one can do no more than that one, and ends with it.
alter table api_key add column given_by uuid;
create index api_key_given on api_key (workspace_id, given_by) where given_by is not null;

-- A grant is a key of the workspace whose secret nobody has, and the client to which it was given.
create table oauth_grant (
  workspace_id uuid not null references workspace,
  -- No key is ever deleted.
  key_id uuid not null,
  client_id text not null check (octet_length(client_id) between 1 and 4096),
  -- Where the client got its code; null: by the code of a device.
  redirect_host text check (length(redirect_host) between 1 and 300),
  -- What its tokens are for (RFC 8707).
  resource text not null check (octet_length(resource) between 1 and 1000),
  created_at timestamptz(3) not null,
  primary key (workspace_id, key_id)
);
alter table oauth_grant enable row level security;
alter table oauth_grant force row level security;
create policy oauth_grant_own on oauth_grant to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert on oauth_grant to svc_app;

-- What a client changes for tokens, once: an authorization code, the code of a device, a refresh token. It stays after its
-- use, so that a second use shows and ends the grant.
create table oauth_secret (
  workspace_id uuid not null,
  -- SHA-256 of the secret, which is stored nowhere.
  secret_hash text not null check (secret_hash ~ '^[0-9a-f]{64}$'),
  key_id uuid not null,
  kind text not null check (kind in ('code', 'device', 'refresh')),
  -- Of a code: the S256 challenge (RFC 7636), and the address that it was sent to.
  challenge text check (challenge ~ '^[A-Za-z0-9_-]{43}$'),
  redirect_uri text check (octet_length(redirect_uri) between 1 and 2000),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  primary key (workspace_id, secret_hash),
  foreign key (workspace_id, key_id) references oauth_grant (workspace_id, key_id),
  check ((kind = 'code') = (challenge is not null)),
  check ((kind = 'code') = (redirect_uri is not null))
);
-- Looked up before a workspace is known.
create index oauth_secret_hash on oauth_secret (secret_hash);
create index oauth_secret_grant on oauth_secret (workspace_id, key_id, created_at);
create index oauth_secret_expiry on oauth_secret (workspace_id, expires_at);
alter table oauth_secret enable row level security;
alter table oauth_secret force row level security;
create policy oauth_secret_own on oauth_secret to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
create policy oauth_secret_definer on oauth_secret for select to svc_definer using (true);
grant select, insert, update, delete on oauth_secret to svc_app;
grant select (workspace_id, secret_hash, key_id) on oauth_secret to svc_definer;

-- What a device asks for until somebody decides (RFC 8628). Nobody knows the workspace yet, so the rows stand in that of all
-- zeros.
create table oauth_device_request (
  workspace_id uuid not null,
  -- SHA-256 of the device's code and of the person's, which are stored nowhere.
  device_hash text not null check (device_hash ~ '^[0-9a-f]{64}$'),
  user_hash text not null check (user_hash ~ '^[0-9a-f]{64}$'),
  client_id text not null check (octet_length(client_id) between 1 and 4096),
  scopes text[] not null,
  resource text not null check (octet_length(resource) between 1 and 1000),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- When the device may ask again.
  ask_from timestamptz(3) not null,
  interval_seconds integer not null check (interval_seconds between 1 and 600),
  denied_at timestamptz(3),
  primary key (workspace_id, device_hash)
);
create unique index oauth_device_request_user on oauth_device_request (workspace_id, user_hash);
create index oauth_device_request_age on oauth_device_request (workspace_id, expires_at);
alter table oauth_device_request enable row level security;
alter table oauth_device_request force row level security;
create policy oauth_device_request_own on oauth_device_request to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update, delete on oauth_device_request to svc_app;

-- As before, within what the key that gave it may do now.
create or replace function svc_system.find_api_key(p_public_id text)
  returns table (
    workspace_id uuid, key_id uuid, name text, secret_hash text, scopes text[], max_sensitivity public.sensitivity,
    cidrs text[], rate_limit jsonb, expires_at timestamptz, revoked_at timestamptz, region text
  )
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select k.workspace_id, k.key_id, k.name, s.secret_hash,
           case when g.key_id is null then k.scopes else array(select unnest(k.scopes) intersect select unnest(g.scopes)) end,
           least(k.max_sensitivity, g.max_sensitivity, w.max_sensitivity),
           case when k.cidrs = '{}' then coalesce(g.cidrs, '{}') else k.cidrs end,
           coalesce(k.rate_limit, g.rate_limit, w.rate_limit), least(k.expires_at, s.expires_at, g.expires_at),
           coalesce(k.revoked_at, g.revoked_at), w.region
      from (
        select c.workspace_id, c.key_id, c.secret_hash, null::timestamptz as expires_at
          from public.api_key c where c.public_id = p_public_id
        union all
        select f.workspace_id, f.key_id, f.secret_hash, f.expires_at
          from public.api_key_former_secret f where f.public_id = p_public_id
      ) s
      join public.api_key k on k.workspace_id = s.workspace_id and k.key_id = s.key_id
      left join public.api_key g on g.workspace_id = k.workspace_id and g.key_id = k.given_by
      join public.workspace w on w.workspace_id = s.workspace_id
  $$;

-- The grant of a secret, which a client presents before a workspace is known.
create function svc_system.find_oauth_secret(p_hash text) returns table (workspace_id uuid, key_id uuid)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select s.workspace_id, s.key_id from public.oauth_secret s where s.secret_hash = p_hash $$;

grant create on schema svc_system to svc_definer;
alter function svc_system.find_oauth_secret(text) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.find_oauth_secret(text) from public;
grant execute on function svc_system.find_oauth_secret(text) to svc_app;
