-- What holds for a whole workspace, whatever its keys say.

alter table workspace
  -- No key sees rows above it, whatever its own clearance.
  add column max_sensitivity sensitivity not null default 'restricted',
  -- Of keys that have none of their own; null: the configured one.
  add column rate_limit jsonb,
  -- Callers' addresses in the audit log are forgotten after so many days; null: they are kept.
  add column audit_address_days integer check (audit_address_days between 1 and 3650);

grant create on schema svc_system to svc_definer;

-- As before, within what the workspace allows.
create or replace function svc_system.find_api_key(p_public_id text)
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

-- Pages of workspaces with their settings, along the index. `page_workspaces`, without them, is what older builds ask.
create function svc_system.page_workspace_settings(p_after uuid, p_ascending boolean, p_limit integer)
  returns table (
    workspace_id uuid, name text, region text, version integer, created_at timestamptz, updated_at timestamptz,
    max_sensitivity public.sensitivity, rate_limit jsonb, audit_address_days integer
  )
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
    select w.workspace_id, w.name, w.region, w.version, w.created_at, w.updated_at,
           w.max_sensitivity, w.rate_limit, w.audit_address_days
      from page p
     cross join lateral (select * from public.workspace one where one.workspace_id = p.workspace_id offset 0) w
     order by case when p_ascending then w.workspace_id end, w.workspace_id desc limit p_limit
  $$;
alter function svc_system.page_workspace_settings(uuid, boolean, integer) owner to svc_definer;

revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.page_workspace_settings(uuid, boolean, integer) from public;
grant execute on function svc_system.page_workspace_settings(uuid, boolean, integer) to svc_app;
