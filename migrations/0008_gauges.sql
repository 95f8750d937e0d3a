-- Numbers for the metrics page, over all workspaces: counts alone, never content.
--
-- The functions see the units of all workspaces only outside of any: a request's transaction has a workspace, and there
-- they see that one, as the other functions of svc_definer do.
grant select (body, worth) on unit to svc_definer;
create policy unit_gauges on unit for select to svc_definer using ((select current_workspace()) is null);

grant create on schema svc_system to svc_definer;

-- Facts by workspace, type and status.
create function svc_system.count_facts()
  returns table (workspace_id uuid, fact_type text, status text, facts bigint)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select u.workspace_id, u.body ->> 'factType', u.status, count(*)
      from public.unit u
     where u.type = 'fact'
     group by 1, 2, 3
  $$;

-- Knowledge units by worth, in tenths: 0 stands for 0 up to 0.1, 9 for 0.9 up to and with 1.
create function svc_system.count_worth()
  returns table (tenth integer, units bigint)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select least(9, floor(u.worth::numeric * 10))::integer, count(*)
      from public.unit u
     group by 1
  $$;

alter function svc_system.count_facts() owner to svc_definer;
alter function svc_system.count_worth() owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.count_facts(), svc_system.count_worth() from public;
grant execute on function svc_system.count_facts(), svc_system.count_worth() to svc_app;
