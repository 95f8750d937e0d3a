-- Pages of keys and workspaces that are read along an index: each order and each narrowing is a branch of its own, of which
-- the others are not run. The planner must know that a page is small (200 and the one after it at most), or it sorts.
grant create on schema svc_system to svc_definer;

create or replace function svc_system.page_api_keys(p_workspace_id uuid, p_after uuid, p_ascending boolean, p_limit integer)
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

create or replace function svc_system.page_workspaces(p_after uuid, p_ascending boolean, p_limit integer)
  returns table (
    workspace_id uuid, name text, region text, version integer, created_at timestamptz, updated_at timestamptz
  )
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select * from (
      (select w.workspace_id, w.name, w.region, w.version, w.created_at, w.updated_at from public.workspace w
        where p_ascending and w.workspace_id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
        order by w.workspace_id limit 201)
      union all
      (select w.workspace_id, w.name, w.region, w.version, w.created_at, w.updated_at from public.workspace w
        where not p_ascending and w.workspace_id < coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
        order by w.workspace_id desc limit 201)) page
     order by case when p_ascending then page.workspace_id end, page.workspace_id desc limit p_limit
  $$;

revoke create on schema svc_system from svc_definer;
