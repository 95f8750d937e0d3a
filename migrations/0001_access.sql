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
grant create on schema svc_system to svc_definer;

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
  updated_at timestamptz(3) not null default now()
);
alter table workspace enable row level security;
alter table workspace force row level security;
create policy workspace_own on workspace to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
-- Listing workspaces is the operator's: the definer functions below are the only way.
create policy workspace_definer on workspace to svc_definer using (true) with check (true);

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
  primary key (workspace_id, key_id)
);
-- The public id is random and looked up before a workspace is known, so it is unique over all workspaces.
create unique index api_key_public_id on api_key (public_id);
alter table api_key enable row level security;
alter table api_key force row level security;
create policy api_key_own on api_key to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
create policy api_key_definer on api_key to svc_definer using (true) with check (true);

grant select, update on workspace to svc_app;
grant select, insert, update on api_key to svc_app;
grant select, insert, update on workspace, api_key to svc_definer;

-- Finds one key by its public id: what authentication needs, before a workspace is known.
create function svc_system.find_api_key(p_public_id text)
  returns table (
    workspace_id uuid, key_id uuid, name text, secret_hash text, scopes text[], max_sensitivity public.sensitivity,
    cidrs text[], rate_limit jsonb, expires_at timestamptz, revoked_at timestamptz, region text
  )
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select k.workspace_id, k.key_id, k.name, k.secret_hash, k.scopes, k.max_sensitivity, k.cidrs, k.rate_limit,
           k.expires_at, k.revoked_at, w.region
      from public.api_key k join public.workspace w using (workspace_id)
     where k.public_id = p_public_id
  $$;

-- Notes that a key was used; at most once a minute, so that reads do not become writes.
create function svc_system.touch_api_key(p_public_id text) returns void
  language sql security definer set search_path = pg_catalog, pg_temp
  as $$
    update public.api_key set last_used_at = now()
     where public_id = p_public_id and (last_used_at is null or last_used_at < now() - interval '1 minute')
  $$;

create function svc_system.create_workspace(p_workspace_id uuid, p_name text, p_region text) returns void
  language sql security definer set search_path = pg_catalog, pg_temp
  as $$ insert into public.workspace (workspace_id, name, region) values (p_workspace_id, p_name, p_region) $$;

create function svc_system.list_workspaces()
  returns table (workspace_id uuid, name text, region text, created_at timestamptz)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select w.workspace_id, w.name, w.region, w.created_at from public.workspace w order by w.workspace_id $$;

alter function svc_system.find_api_key(text) owner to svc_definer;
alter function svc_system.touch_api_key(text) owner to svc_definer;
alter function svc_system.create_workspace(uuid, text, text) owner to svc_definer;
alter function svc_system.list_workspaces() owner to svc_definer;
revoke create on schema svc_system from svc_definer;

revoke all on all functions in schema svc_system from public;
grant execute on all functions in schema svc_system to svc_app;
grant execute on function current_workspace(), current_clearance() to svc_definer;

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
grant create on schema svc_system to svc_definer;
alter function svc_system.create_first_workspace(uuid, text, text) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.create_first_workspace(uuid, text, text) from public;
grant execute on function svc_system.create_first_workspace(uuid, text, text) to svc_app;
