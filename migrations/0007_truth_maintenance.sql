-- Truth maintenance: what rests on knowledge that fell becomes stale, also where the one who made it fall is not
-- cleared to see it. The functions see a few columns of all units of the transaction's workspace and change the flags
-- alone; they give back references, never content.
grant select (workspace_id, id, type, version, sensitivity, status, stale, trust_score, trust_cap),
      update (stale, trust_score, trust_cap) on unit to svc_definer;
grant select on unit_source to svc_definer;
create policy unit_definer on unit to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));
create policy unit_source_definer on unit_source to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));

-- An operation may append to the feed above its clearance, as marking dependants does; it cannot read it there.
drop policy change_own on change;
create policy change_read on change for select to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
create policy change_append on change for insert to svc_app
  with check (workspace_id = (select current_workspace()));

grant create on schema svc_system to svc_definer;

-- Marks as stale everything that rests on the given units, transitively. The walk ends at units that are stale already:
-- what rests on them is stale too.
create function svc_system.mark_stale(p_ids uuid[])
  returns table (id uuid, type text, version integer, sensitivity public.sensitivity)
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    with recursive dependant as (
      select s.unit_id from public.unit_source s
       where s.workspace_id = public.current_workspace() and s.source_id = any(p_ids)
      union
      select s.unit_id from dependant d
        join public.unit u on u.workspace_id = public.current_workspace() and u.id = d.unit_id and not u.stale
        join public.unit_source s on s.workspace_id = public.current_workspace() and s.source_id = d.unit_id
    )
    update public.unit u set stale = true
      from dependant d
     where u.workspace_id = public.current_workspace() and u.id = d.unit_id and not u.stale
    returning u.id, u.type, u.version, u.sensitivity
  $$;

-- Clears the mark of what rests on the given units, where everything that it rests on stands again; then of what rests
-- on that, and so on.
create function svc_system.mark_fresh(p_ids uuid[])
  returns table (id uuid, type text, version integer, sensitivity public.sensitivity)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  #variable_conflict use_column
  declare
    v_next uuid[] := p_ids;
    v_row record;
  begin
    while cardinality(v_next) > 0 loop
      p_ids := v_next;
      v_next := '{}';
      for v_row in
        update public.unit u set stale = false
         where u.workspace_id = public.current_workspace() and u.stale
           and u.id in (select s.unit_id from public.unit_source s
                         where s.workspace_id = public.current_workspace() and s.source_id = any(p_ids))
           and not exists (
             select from public.unit_source s
               left join public.unit x on x.workspace_id = s.workspace_id and x.id = s.source_id
              where s.workspace_id = public.current_workspace() and s.unit_id = u.id
                and (x.id is null or x.stale or x.status in ('superseded', 'retracted', 'rejected')))
        returning u.id, u.type, u.version, u.sensitivity
      loop
        v_next := v_next || v_row.id;
        id := v_row.id;
        type := v_row.type;
        version := v_row.version;
        sensitivity := v_row.sensitivity;
        return next;
      end loop;
    end loop;
  end
  $$;

-- Lowers the trust of what was derived from a unit to that unit's trust, transitively. Evidence does not cap.
create function svc_system.cap_trust(p_id uuid, p_score integer)
  returns table (id uuid, type text, version integer, sensitivity public.sensitivity)
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    with recursive derived as (
      select s.unit_id from public.unit_source s
       where s.workspace_id = public.current_workspace() and s.source_id = p_id and s.kind = 'derived_from'
      union
      select s.unit_id from derived d
        join public.unit_source s
          on s.workspace_id = public.current_workspace() and s.source_id = d.unit_id and s.kind = 'derived_from'
    )
    update public.unit u
       set trust_score = least(u.trust_score, p_score), trust_cap = least(u.trust_cap, p_score)
      from derived d
     where u.workspace_id = public.current_workspace() and u.id = d.unit_id and u.id <> p_id and u.trust_cap > p_score
    returning u.id, u.type, u.version, u.sensitivity
  $$;

alter function svc_system.mark_stale(uuid[]) owner to svc_definer;
alter function svc_system.mark_fresh(uuid[]) owner to svc_definer;
alter function svc_system.cap_trust(uuid, integer) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.mark_stale(uuid[]), svc_system.mark_fresh(uuid[]), svc_system.cap_trust(uuid, integer)
  from public;
grant execute on function svc_system.mark_stale(uuid[]), svc_system.mark_fresh(uuid[]), svc_system.cap_trust(uuid, integer)
  to svc_app;
