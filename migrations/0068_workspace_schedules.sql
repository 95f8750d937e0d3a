-- What a workspace does by itself: consolidating, and erasing restricted data that nobody has changed for a time.

alter table workspace
  -- Hours between two consolidations; null: only when somebody asks.
  add column consolidate_every_hours integer check (consolidate_every_hours between 1 and 720),
  -- Restricted data is erased after so many days without a change; null: it is kept.
  add column restricted_retention_days integer check (restricted_retention_days between 1 and 3650),
  -- From when on: a day after the number was set or made smaller, so that a slip can be taken back.
  add column restricted_retention_from timestamptz(3),
  add check ((restricted_retention_days is null) = (restricted_retention_from is null));

create index unit_restricted on unit (workspace_id, updated_at) where sensitivity = 'restricted';
create index session_restricted on session (workspace_id, updated_at) where sensitivity = 'restricted';
create index reasoning_entry_restricted on reasoning_entry (workspace_id, updated_at) where sensitivity = 'restricted';

grant create on schema svc_system to svc_definer;

-- Pages of whole rows, along the index: a column that comes later needs no further function. `page_workspaces` and
-- `page_workspace_settings` are what older builds ask.
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
alter function svc_system.page_workspace_rows(uuid, boolean, integer) owner to svc_definer;

revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.page_workspace_rows(uuid, boolean, integer) from public;
grant execute on function svc_system.page_workspace_rows(uuid, boolean, integer) to svc_app;
