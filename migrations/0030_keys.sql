-- Keys and workspaces that are administered over HTTP: versions, secrets that were rotated, lists over all workspaces.

alter table workspace add column version integer not null default 1;
-- A workspace is pinned to its region. Interface §2.2.
create function refuse_region_change() returns trigger
  language plpgsql
  as $$
  begin
    raise exception 'the region of a workspace never changes' using errcode = '23514';
  end
  $$;
create trigger workspace_region_kept before update on workspace
  for each row when (old.region is distinct from new.region) execute function refuse_region_change();

alter table api_key add column version integer not null default 1;
alter table api_key add column updated_at timestamptz(3);
update api_key set updated_at = created_at;
alter table api_key alter column updated_at set not null, alter column updated_at set default now();
-- A key is administered by its id alone.
create index api_key_id on api_key (key_id);

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
grant select, insert, delete on api_key_former_secret to svc_app;
create policy api_key_former_secret_definer on api_key_former_secret to svc_definer using (true);
grant select on api_key_former_secret to svc_definer;

grant create on schema svc_system to svc_definer;

-- As before, and by a secret that was rotated out, until its time is over.
create or replace function svc_system.find_api_key(p_public_id text)
  returns table (
    workspace_id uuid, key_id uuid, name text, secret_hash text, scopes text[], max_sensitivity public.sensitivity,
    cidrs text[], rate_limit jsonb, expires_at timestamptz, revoked_at timestamptz, region text
  )
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select k.workspace_id, k.key_id, k.name, s.secret_hash, k.scopes, k.max_sensitivity, k.cidrs, k.rate_limit,
           least(k.expires_at, s.expires_at), k.revoked_at, w.region
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

create or replace function svc_system.touch_api_key(p_public_id text) returns void
  language sql security definer set search_path = pg_catalog, pg_temp
  as $$
    update public.api_key set last_used_at = now()
     where (workspace_id, key_id) in (
             select c.workspace_id, c.key_id from public.api_key c where c.public_id = p_public_id
             union all
             select f.workspace_id, f.key_id from public.api_key_former_secret f where f.public_id = p_public_id)
       and (last_used_at is null or last_used_at < now() - interval '1 minute')
  $$;

-- The workspace of a key, which an admin names by its id alone.
create function svc_system.locate_api_key(p_key_id uuid) returns uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select k.workspace_id from public.api_key k where k.key_id = p_key_id $$;
alter function svc_system.locate_api_key(uuid) owner to svc_definer;

-- Keys of all workspaces, or of one, in the order of their ids; without secrets.
create function svc_system.page_api_keys(p_workspace_id uuid, p_after uuid, p_ascending boolean, p_limit integer)
  returns table (
    workspace_id uuid, key_id uuid, public_id text, name text, scopes text[], max_sensitivity public.sensitivity,
    cidrs text[], rate_limit jsonb, version integer, created_at timestamptz, updated_at timestamptz,
    expires_at timestamptz, revoked_at timestamptz, last_used_at timestamptz, former_valid_until timestamptz
  )
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select k.workspace_id, k.key_id, k.public_id, k.name, k.scopes, k.max_sensitivity, k.cidrs, k.rate_limit, k.version,
           k.created_at, k.updated_at, k.expires_at, k.revoked_at, k.last_used_at,
           (select max(f.expires_at) from public.api_key_former_secret f
             where f.workspace_id = k.workspace_id and f.key_id = k.key_id)
      from public.api_key k
     where (p_workspace_id is null or k.workspace_id = p_workspace_id)
       and (p_after is null or case when p_ascending then k.key_id > p_after else k.key_id < p_after end)
     order by case when p_ascending then k.key_id end, case when not p_ascending then k.key_id end desc
     limit p_limit
  $$;
alter function svc_system.page_api_keys(uuid, uuid, boolean, integer) owner to svc_definer;

create function svc_system.page_workspaces(p_after uuid, p_ascending boolean, p_limit integer)
  returns table (
    workspace_id uuid, name text, region text, version integer, created_at timestamptz, updated_at timestamptz
  )
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select w.workspace_id, w.name, w.region, w.version, w.created_at, w.updated_at
      from public.workspace w
     where p_after is null or case when p_ascending then w.workspace_id > p_after else w.workspace_id < p_after end
     order by case when p_ascending then w.workspace_id end, case when not p_ascending then w.workspace_id end desc
     limit p_limit
  $$;
alter function svc_system.page_workspaces(uuid, boolean, integer) owner to svc_definer;

revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.locate_api_key(uuid), svc_system.page_api_keys(uuid, uuid, boolean, integer),
  svc_system.page_workspaces(uuid, boolean, integer) from public;
grant execute on function svc_system.locate_api_key(uuid), svc_system.page_api_keys(uuid, uuid, boolean, integer),
  svc_system.page_workspaces(uuid, boolean, integer) to svc_app;
