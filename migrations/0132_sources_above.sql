-- A source that is more sensitive than what rests on it no longer makes that stale or less trusted: who may see the
-- latter alone would learn of the source. An erased source counts for all that still rest on it; `erase` unlinks those
-- that are less sensitive before.
create or replace function svc_system.settle_standing(p_sources uuid[], p_afters uuid[], p_limit integer)
  returns table (source_id uuid, id uuid, type text, version integer, status text, sensitivity public.sensitivity,
                 event text, source_state text, source_sensitivity public.sensitivity)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  #variable_conflict use_column
  declare
    v_sources uuid[];
    v_units uuid[];
  begin
    -- Whoever is about to change one of them is waited for, or waits, so that no verdict is older than what it is about.
    perform from public.unit u
      where u.workspace_id = public.current_workspace() and u.id = any(p_sources) order by u.id for share;
    select array_agg(p.source_id order by p.source_id, p.unit_id), array_agg(p.unit_id order by p.source_id, p.unit_id)
      into v_sources, v_units
      from (
        select f.source_id, l.unit_id
          from unnest(p_sources, p_afters) as f(source_id, after_id)
         cross join lateral (
           select distinct s.unit_id from public.unit_source s
            where s.workspace_id = public.current_workspace() and s.source_id = f.source_id and s.unit_id > f.after_id
            order by s.unit_id limit p_limit) l
         order by f.source_id, l.unit_id limit p_limit) p;
    perform from public.unit u
      where u.workspace_id = public.current_workspace() and u.id in (
        select s.source_id from public.unit_source s
          join public.unit d on d.workspace_id = public.current_workspace() and d.id = s.unit_id and d.stale
         where s.workspace_id = public.current_workspace() and s.unit_id = any(v_units))
      order by u.id for share;
    return query
      with page as (
        select p.source_id, p.unit_id from unnest(v_sources, v_units) as p(source_id, unit_id)
      ), source as (
        select p.source_id, u.sensitivity,
               case when u.id is null then 'erased'
                    when u.status in ('superseded', 'retracted', 'rejected') then u.status
                    when u.stale then 'stale' end as state
          from (select distinct page.source_id from page) p
          left join public.unit u on u.workspace_id = public.current_workspace() and u.id = p.source_id
      ), verdict as (
        select p.unit_id, bool_or(s.state is not null) as falls
          from page p join source s on s.source_id = p.source_id
          join public.unit d on d.workspace_id = public.current_workspace() and d.id = p.unit_id
         where s.sensitivity is null or s.sensitivity <= d.sensitivity
         group by p.unit_id
      ), changed as (
        update public.unit u set stale = v.falls
          from verdict v
         where u.workspace_id = public.current_workspace() and u.id = v.unit_id and u.stale <> v.falls
           and (v.falls or not exists (
             select from public.unit_source s
               left join public.unit x on x.workspace_id = s.workspace_id and x.id = s.source_id
              where s.workspace_id = public.current_workspace() and s.unit_id = v.unit_id
                and (x.id is null or x.sensitivity <= u.sensitivity)
                and (x.id is null or x.stale or x.status in ('superseded', 'retracted', 'rejected'))))
        returning u.id, u.type, u.version, u.status, u.sensitivity, u.stale
      )
      select p.source_id, p.unit_id, c.type, c.version, c.status, c.sensitivity,
             case when c.stale then 'stale' when not c.stale then 'fresh' end, s.state, s.sensitivity
        from page p join source s on s.source_id = p.source_id left join changed c on c.id = p.unit_id
       order by p.source_id, p.unit_id;
  end
  $$;

create or replace function svc_system.settle_trust(p_sources uuid[], p_afters uuid[], p_limit integer)
  returns table (source_id uuid, id uuid, type text, version integer, status text, sensitivity public.sensitivity,
                 event text, source_state text, source_sensitivity public.sensitivity)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  #variable_conflict use_column
  begin
    perform from public.unit u
      where u.workspace_id = public.current_workspace() and u.id = any(p_sources) order by u.id for share;
    return query
      with page as (
        select f.source_id, l.unit_id
          from unnest(p_sources, p_afters) as f(source_id, after_id)
         cross join lateral (
           select s.unit_id from public.unit_source s
            where s.workspace_id = public.current_workspace() and s.source_id = f.source_id
              and s.unit_id > f.after_id and s.kind = 'derived_from'
            order by s.unit_id limit p_limit) l
         order by f.source_id, l.unit_id limit p_limit
      ), bound as (
        select p.unit_id, min(u.trust_score) as score
          from page p join public.unit u on u.workspace_id = public.current_workspace() and u.id = p.source_id
          join public.unit d on d.workspace_id = public.current_workspace() and d.id = p.unit_id
         where u.sensitivity <= d.sensitivity
         group by p.unit_id
      ), changed as (
        update public.unit u set trust_score = least(u.trust_score, b.score), trust_cap = b.score
          from bound b
         where u.workspace_id = public.current_workspace() and u.id = b.unit_id and u.trust_cap > b.score
        returning u.id, u.type, u.version, u.status, u.sensitivity
      )
      select p.source_id, p.unit_id, c.type, c.version, c.status, c.sensitivity,
             case when c.id is not null then 'trust_capped' end, null, null::public.sensitivity
        from page p left join changed c on c.id = p.unit_id
       order by p.source_id, p.unit_id;
  end
  $$;

create or replace function svc_system.settle_relations(p_ids uuid[])
  returns table (id uuid, version integer, sensitivity public.sensitivity, event text)
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    with resting as (
      select s.relation_id, s.source_id = any(p_ids) as is_named,
             u.id is not null and not u.stale and u.status not in ('superseded', 'retracted', 'rejected') as stands
        from public.relation_source s
        join public.relation r on r.workspace_id = s.workspace_id and r.id = s.relation_id
        left join public.unit u on u.workspace_id = s.workspace_id and u.id = s.source_id
       where s.workspace_id = public.current_workspace() and (u.id is null or u.sensitivity <= r.sensitivity)
         and s.relation_id in (select n.relation_id from public.relation_source n
                                where n.workspace_id = public.current_workspace() and n.source_id = any(p_ids))
    ), settled as (
      select relation_id, bool_or(is_named and not stands) as fell, bool_and(stands) as stand
        from resting group by relation_id
    )
    update public.relation r set stale = t.fell
      from settled t
     where r.workspace_id = public.current_workspace() and r.id = t.relation_id
       and (t.fell and not r.stale or t.stand and r.stale)
    returning r.id, r.version, r.sensitivity, case when r.stale then 'stale' else 'fresh' end
  $$;
