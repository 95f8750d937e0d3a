-- Truth maintenance takes as long with a plan that was made while the tables were empty: until they are analysed, Postgres
-- expects one row of each and joins them row by row. Each table is now read once, by a list of ids, and what is
-- joined is what was read. What the functions do stays the same.
create or replace function svc_system.settle_standing(p_sources uuid[], p_afters uuid[], p_limit integer)
  returns table (source_id uuid, id uuid, type text, version integer, status text, sensitivity public.sensitivity,
                 event text, source_state text, source_sensitivity public.sensitivity)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  #variable_conflict use_column
  declare
    v_sources uuid[];
    v_units uuid[];
    v_stale uuid[];
    v_held uuid[];
  begin
    -- Whoever is about to change one of them is waited for, or waits, so that no verdict is older than what it is about.
    perform from public.unit u
      where u.workspace_id = public.current_workspace() and u.id = any(p_sources) order by u.id for share;
    -- The order by the source, of which there is one, has it read by the primary key.
    select array_agg(p.source_id order by p.source_id, p.unit_id), array_agg(p.unit_id order by p.source_id, p.unit_id)
      into v_sources, v_units
      from (
        select f.source_id, l.unit_id
          from unnest(p_sources, p_afters) as f(source_id, after_id)
         cross join lateral (
           select distinct s.source_id, s.unit_id from public.unit_source s
            where s.workspace_id = public.current_workspace() and s.source_id between f.source_id and f.source_id
              and s.unit_id > f.after_id
            order by s.source_id, s.unit_id limit p_limit) l
         order by f.source_id, l.unit_id limit p_limit) p;
    if v_units is null then
      return;
    end if;
    select array_agg(u.id) into v_stale from public.unit u
      where u.workspace_id = public.current_workspace() and u.id = any(v_units) and u.stale;
    select array_agg(distinct s.source_id) into v_held from public.unit_source s
      where s.workspace_id = public.current_workspace() and s.unit_id = any(v_stale);
    perform from public.unit u
      where u.workspace_id = public.current_workspace() and u.id = any(v_held) order by u.id for share;
    return query
      with page as materialized (
        select p.source_id, p.unit_id from unnest(v_sources, v_units) as p(source_id, unit_id)
      ), known as materialized (
        select u.id, u.sensitivity, u.stale, u.status in ('superseded', 'retracted', 'rejected') as fell, u.status
          from public.unit u
         where u.workspace_id = public.current_workspace() and u.id = any((
           select v_sources || v_units || array(
             select s.source_id from public.unit_source s
              where s.workspace_id = public.current_workspace() and s.unit_id = any(v_stale)))::uuid[])
      ), source as materialized (
        select p.source_id, k.sensitivity,
               case when k.id is null then 'erased' when k.fell then k.status when k.stale then 'stale' end as state
          from (select distinct page.source_id from page) p left join known k on k.id = p.source_id
      ), verdict as materialized (
        select p.unit_id, bool_or(s.state is not null) as falls
          from page p join source s on s.source_id = p.source_id join known d on d.id = p.unit_id
         where s.sensitivity is null or s.sensitivity <= d.sensitivity
         group by p.unit_id
      ), resting as materialized (
        -- What is stale now and rests on something that does not stand.
        select distinct s.unit_id
          from public.unit_source s left join known x on x.id = s.source_id join known d on d.id = s.unit_id
         where s.workspace_id = public.current_workspace() and s.unit_id = any(v_stale)
           and (x.id is null or (x.sensitivity <= d.sensitivity and (x.stale or x.fell)))
      ), changed as (
        update public.unit u set stale = v.falls
          from verdict v
         where u.workspace_id = public.current_workspace() and u.id = any(v_units) and u.id = v.unit_id
           and u.stale <> v.falls
           and (v.falls or v.unit_id = any(v_stale) and v.unit_id not in (select resting.unit_id from resting))
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
  declare
    v_sources uuid[];
    v_units uuid[];
  begin
    perform from public.unit u
      where u.workspace_id = public.current_workspace() and u.id = any(p_sources) order by u.id for share;
    -- The order by the source, of which there is one, has it read by the primary key.
    select array_agg(p.source_id order by p.source_id, p.unit_id), array_agg(p.unit_id order by p.source_id, p.unit_id)
      into v_sources, v_units
      from (
        select f.source_id, l.unit_id
          from unnest(p_sources, p_afters) as f(source_id, after_id)
         cross join lateral (
           select s.unit_id from public.unit_source s
            where s.workspace_id = public.current_workspace() and s.source_id between f.source_id and f.source_id
              and s.unit_id > f.after_id and s.kind = 'derived_from'
            order by s.source_id, s.unit_id limit p_limit) l
         order by f.source_id, l.unit_id limit p_limit) p;
    if v_units is null then
      return;
    end if;
    return query
      with page as materialized (
        select p.source_id, p.unit_id from unnest(v_sources, v_units) as p(source_id, unit_id)
      ), known as materialized (
        select u.id, u.sensitivity, u.trust_score from public.unit u
         where u.workspace_id = public.current_workspace() and u.id = any((select v_sources || v_units)::uuid[])
      ), bound as materialized (
        select p.unit_id, min(s.trust_score) as score
          from page p join known s on s.id = p.source_id join known d on d.id = p.unit_id
         where s.sensitivity <= d.sensitivity
         group by p.unit_id
      ), changed as (
        update public.unit u set trust_score = least(u.trust_score, b.score), trust_cap = b.score
          from bound b
         where u.workspace_id = public.current_workspace() and u.id = any(v_units) and u.id = b.unit_id
           and u.trust_cap > b.score
        returning u.id, u.type, u.version, u.status, u.sensitivity
      )
      select p.source_id, p.unit_id, c.type, c.version, c.status, c.sensitivity,
             case when c.id is not null then 'trust_capped' end, null, null::public.sensitivity
        from page p left join changed c on c.id = p.unit_id
       order by p.source_id, p.unit_id;
  end
  $$;
