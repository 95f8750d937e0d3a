-- Truth maintenance in bounded steps: a pass looks at so many links; what it leaves waits in a queue that a worker empties.
-- What became stale opens a review item, also above the clearance of whoever made its source fall.

-- Units whose state or trust changed, and whose dependants were not all looked at. What is to be done follows from the
-- unit as it is then, so that a row may be carried out late, twice, or after the change was undone.
create table dependant_pass (
  workspace_id uuid not null references workspace,
  source_id uuid not null,
  -- `standing`: whether it stands changed; `trust`: how far it is trusted did.
  what text not null check (what in ('standing', 'trust')),
  -- Dependants up to this one, in the order of their ids, are done.
  after_id uuid not null,
  -- What fell at first, and how, for the review of what became stale. It may be more sensitive than what rests on it.
  fallen_id uuid,
  how text,
  fallen_sensitivity sensitivity,
  queued_at timestamptz(3) not null,
  primary key (workspace_id, source_id, what)
);
alter table dependant_pass enable row level security;
alter table dependant_pass force row level security;
create policy dependant_pass_own on dependant_pass to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update, delete on dependant_pass to svc_app;

-- One open item for each stale unit.
create unique index review_open_stale on review_item (workspace_id, subject_id)
  where kind = 'stale_dependant' and status = 'open';
grant select (workspace_id, id, kind, status, sensitivity, subject_id), insert,
      update (status, resolution, resolved_at, resolved_by) on review_item to svc_definer;
create policy review_item_definer on review_item to svc_definer
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));

drop function svc_system.mark_stale(uuid[]);
drop function svc_system.mark_fresh(uuid[]);
drop function svc_system.cap_trust(uuid, integer);

grant create on schema svc_system to svc_definer;

-- Looks at up to p_limit dependants of some units, each list after its p_afters, in the order of source and dependant.
-- Where the source has fallen, or is stale itself, the dependant becomes stale; where it stands, a stale dependant
-- becomes fresh if everything else that it rests on stands too. Answers a row for each dependant looked at; `event` is
-- null where nothing changed, `source_state` null where the source stands.
create function svc_system.settle_standing(p_sources uuid[], p_afters uuid[], p_limit integer)
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
          from page p join source s on s.source_id = p.source_id group by p.unit_id
      ), changed as (
        update public.unit u set stale = v.falls
          from verdict v
         where u.workspace_id = public.current_workspace() and u.id = v.unit_id and u.stale <> v.falls
           and (v.falls or not exists (
             select from public.unit_source s
               left join public.unit x on x.workspace_id = s.workspace_id and x.id = s.source_id
              where s.workspace_id = public.current_workspace() and s.unit_id = v.unit_id
                and (x.id is null or x.stale or x.status in ('superseded', 'retracted', 'rejected'))))
        returning u.id, u.type, u.version, u.status, u.sensitivity, u.stale
      )
      select p.source_id, p.unit_id, c.type, c.version, c.status, c.sensitivity,
             case when c.stale then 'stale' when not c.stale then 'fresh' end, s.state, s.sensitivity
        from page p join source s on s.source_id = p.source_id left join changed c on c.id = p.unit_id
       order by p.source_id, p.unit_id;
  end
  $$;

-- Looks at up to p_limit units derived from some units, as settle_standing does: none is trusted more than its source.
-- Evidence does not bound trust.
create function svc_system.settle_trust(p_sources uuid[], p_afters uuid[], p_limit integer)
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

-- Opens the review of units that became stale, where it is not open; each has the sensitivity of its unit. p_items:
-- [{ id, unit_id, other_id, detail }]. Answers what was opened.
create function svc_system.open_stale_reviews(p_items jsonb, p_at timestamptz)
  returns table (id uuid, subject_id uuid, sensitivity public.sensitivity)
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    insert into public.review_item (workspace_id, id, kind, sensitivity, subject_id, other_id, detail, created_at)
    select public.current_workspace(), i.id, 'stale_dependant', u.sensitivity, u.id, i.other_id, i.detail, p_at
      from jsonb_to_recordset(p_items) as i(id uuid, unit_id uuid, other_id uuid, detail jsonb)
      join public.unit u on u.workspace_id = public.current_workspace() and u.id = i.unit_id
        on conflict (workspace_id, subject_id) where kind = 'stale_dependant' and status = 'open' do nothing
    returning id, subject_id, sensitivity
  $$;

-- Closes the open reviews of units that are no longer stale or no longer count; all but p_except, which is decided.
create function svc_system.settle_stale_reviews(
    p_units uuid[], p_except uuid, p_resolution jsonb, p_at timestamptz, p_by text)
  returns table (id uuid, subject_id uuid, sensitivity public.sensitivity)
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    update public.review_item r
       set status = 'resolved', resolution = p_resolution, resolved_at = p_at, resolved_by = p_by
     where r.workspace_id = public.current_workspace() and r.kind = 'stale_dependant' and r.status = 'open'
       and r.subject_id = any(p_units) and r.id is distinct from p_except
    returning r.id, r.subject_id, r.sensitivity
  $$;

alter function svc_system.settle_standing(uuid[], uuid[], integer) owner to svc_definer;
alter function svc_system.settle_trust(uuid[], uuid[], integer) owner to svc_definer;
alter function svc_system.open_stale_reviews(jsonb, timestamptz) owner to svc_definer;
alter function svc_system.settle_stale_reviews(uuid[], uuid, jsonb, timestamptz, text) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function
    svc_system.settle_standing(uuid[], uuid[], integer), svc_system.settle_trust(uuid[], uuid[], integer),
    svc_system.open_stale_reviews(jsonb, timestamptz),
    svc_system.settle_stale_reviews(uuid[], uuid, jsonb, timestamptz, text)
  from public;
grant execute on function
    svc_system.settle_standing(uuid[], uuid[], integer), svc_system.settle_trust(uuid[], uuid[], integer),
    svc_system.open_stale_reviews(jsonb, timestamptz),
    svc_system.settle_stale_reviews(uuid[], uuid, jsonb, timestamptz, text)
  to svc_app;
