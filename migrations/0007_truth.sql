-- What rests on what, and which statement is newer.

-- A function may name a table of a later file.
set local check_function_bodies = off;

-- Finds what says the same as new facts, by `p_hashes` to the letter and by `p_said` in another dress, and what speaks
-- of the same subject in the same respect: of each of `p_keys`
-- the ones that were recorded last, at most so many as `p_most` says beside it, or all. Under row-level security planning
-- takes longer than reading: each session plans each look-up once, for any values. Of a table that was filled a moment
-- ago the planner knows nothing and takes any index of the workspace for as good as the right one. Where it may not sort,
-- it takes the one that has the order. With `=` it would see that all rows have the same hash and need no order, so the
-- function asks for a range.
create function rival_units(p_type text, p_statuses text[], p_hashes text[], p_said text[], p_keys text[], p_most integer[])
  returns setof uuid
  language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan
  set enable_sort = off set enable_incremental_sort = off set jit = off
  as $$
  begin
    return query
      select same.id from unnest(p_hashes) as h(hash) cross join lateral (
        select u.id from unit u
         where u.workspace_id = current_workspace() and u.type = p_type
           and u.content_hash >= h.hash and u.content_hash <= h.hash and u.status = any(p_statuses)
         order by u.content_hash offset 0) same;
    return query
      select same.id from unnest(p_said) as s(said) cross join lateral (
        select u.id from unit u
         where u.workspace_id = current_workspace() and u.type = p_type and u.said_key is not null
           and u.said_key >= s.said collate "C" and u.said_key <= s.said collate "C" and u.status = any(p_statuses)
         order by u.said_key offset 0) same;
    return query
      select last.id from unnest(p_keys, p_most) as k(key, most) cross join lateral (
        select u.id from unit u
         where u.workspace_id = current_workspace() and u.type = p_type and u.triple_key = k.key
           and u.status = any(p_statuses)
         order by u.recorded_at desc limit k.most) last;
  end
  $$;

-- Truth maintenance in bounded steps: a pass looks at so many links; what it leaves waits in a queue that a worker
-- empties.
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

-- Which statement is newer than which other one about the same matter, by the words and the meaning of both. It is
-- found at
-- the write of the later one; each statement is linked to a few others, so the table grows with the statements alone. A
-- link
-- holds no text, is seen by who may see the newer statement, and goes with either one.
create table newer_link (
  workspace_id uuid not null references workspace,
  id bigint generated always as identity,
  older_unit uuid,
  older_turn uuid,
  newer_unit uuid,
  newer_turn uuid,
  -- How likely both are about the same matter; more is likelier.
  strength real not null,
  -- That of the newer statement.
  sensitivity sensitivity not null,
  -- How much of rare words both statements have in common, apart from their meaning: links of earlier builds lack it,
  -- and texts
  -- from before there were links have none. So the links of all texts that are there are found anew by a worker, the
  -- latest
  -- text first.
  words real not null default 0,
  primary key (workspace_id, id),
  check (num_nonnulls(older_unit, older_turn) = 1 and num_nonnulls(newer_unit, newer_turn) = 1),
  foreign key (workspace_id, older_unit) references unit (workspace_id, id) on delete cascade,
  foreign key (workspace_id, newer_unit) references unit (workspace_id, id) on delete cascade,
  foreign key (workspace_id, older_turn) references turn (workspace_id, id) on delete cascade,
  foreign key (workspace_id, newer_turn) references turn (workspace_id, id) on delete cascade
);
create index newer_link_older_unit on newer_link (workspace_id, older_unit, id) where older_unit is not null;
create index newer_link_older_turn on newer_link (workspace_id, older_turn, id) where older_turn is not null;
create index newer_link_newer_unit on newer_link (workspace_id, newer_unit, id) where newer_unit is not null;
create index newer_link_newer_turn on newer_link (workspace_id, newer_turn, id) where newer_turn is not null;
alter table newer_link enable row level security;
alter table newer_link force row level security;
create policy newer_link_own on newer_link to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
  with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
grant select, insert, update (sensitivity), delete on newer_link to svc_app;

-- Texts below this number were there; later ones are linked at their write.
create table newer_start (
  only_row boolean primary key default true check (only_row),
  doc_no bigint not null,
  at timestamptz(3) not null default now()
);
grant select on newer_start to svc_app, svc_definer;

create table newer_cursor (
  workspace_id uuid primary key references workspace,
  -- Texts below this one are still to be linked; 0: none are.
  before_doc bigint not null
);
alter table newer_cursor enable row level security;
alter table newer_cursor force row level security;
create policy newer_cursor_own on newer_cursor to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
create policy newer_cursor_gauges on newer_cursor for select to svc_definer using ((select current_workspace()) is null);
grant select, insert, update on newer_cursor to svc_app;
-- How many workspaces wait for links of their earlier texts: a number for the metrics page, as in 0008.
grant select on newer_cursor to svc_definer;

insert into newer_start (doc_no) select last_value + 1 from doc_no;

-- Truth maintenance takes as long with a plan that was made while the tables were empty: until they are analysed,
-- Postgres
-- expects one row of each and joins them row by row. Each table is now read once, by a list of ids, and what is
-- joined is what was read. What the functions do stays the same.
create function svc_system.settle_standing(p_sources uuid[], p_afters uuid[], p_limit integer)
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

-- Looks at up to p_limit units derived from some units, as settle_standing does: none is trusted more than its source.
-- Evidence does not bound trust.
create function svc_system.settle_trust(p_sources uuid[], p_afters uuid[], p_limit integer)
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

create function svc_system.count_unlinked()
  returns bigint
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select count(*) from public.workspace w, public.newer_start s
     where w.created_at < s.at and not exists (
       select from public.newer_cursor c where c.workspace_id = w.workspace_id and c.before_doc = 0)
  $$;

grant create on schema svc_system to svc_definer;
alter function svc_system.settle_standing(uuid[], uuid[], integer) owner to svc_definer;
alter function svc_system.settle_trust(uuid[], uuid[], integer) owner to svc_definer;
alter function svc_system.open_stale_reviews(jsonb, timestamptz) owner to svc_definer;
alter function svc_system.settle_stale_reviews(uuid[], uuid, jsonb, timestamptz, text) owner to svc_definer;
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
alter function svc_system.count_unlinked() owner to svc_definer;
revoke all on function svc_system.count_unlinked() from public;
grant execute on function svc_system.count_unlinked() to svc_app;
revoke create on schema svc_system from svc_definer;
