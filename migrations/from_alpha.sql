-- Brings a database of the last alpha (its migrations up to 0147) to the schema of the files beside this one. The rest of
-- what it holds is the same. This file goes when no such database is left.

-- How much of rare words both statements have in common, apart from their meaning: links of earlier builds lack it, and texts
-- from before there were links have none. So the links of all texts that are there are found anew by a worker, the latest
-- text first.
alter table newer_link add column words real not null default 0;
truncate newer_link;

-- Texts below this number were there; later ones are linked at their write.
create table newer_start (
  only_row boolean primary key default true check (only_row),
  doc_no bigint not null,
  at timestamptz(3) not null default now()
);
insert into newer_start (doc_no) select last_value + 1 from doc_no;
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
grant select, insert, update on newer_cursor to svc_app;

-- How many workspaces wait for links of their earlier texts: a number for the metrics page, as in 0008.
grant select on newer_cursor to svc_definer;
create policy newer_cursor_gauges on newer_cursor for select to svc_definer using ((select current_workspace()) is null);
grant create on schema svc_system to svc_definer;
create function svc_system.count_unlinked()
  returns bigint
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select count(*) from public.workspace w, public.newer_start s
     where w.created_at < s.at and not exists (
       select from public.newer_cursor c where c.workspace_id = w.workspace_id and c.before_doc = 0)
  $$;
alter function svc_system.count_unlinked() owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.count_unlinked() from public;
grant execute on function svc_system.count_unlinked() to svc_app;

-- Sessions of the console: what a browser's cookie stands for.
create table console_session (
  workspace_id uuid not null references workspace,
  -- SHA-256 of the cookie's value, which is stored nowhere.
  session_hash text not null check (session_hash ~ '^[0-9a-f]{64}$'),
  -- A browser sends a cookie to every port of a host, so a session also needs what only the page of its own origin has.
  proof_hash text not null check (proof_hash ~ '^[0-9a-f]{64}$'),
  key_id uuid not null,
  -- The key's secret that it was opened with.
  public_id text not null check (public_id ~ '^[0-9A-Za-z]{12}$'),
  -- What the key could do at that time. The session may do what the key may now, within this.
  scopes text[] not null,
  max_sensitivity sensitivity not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- Until then it may change something; null: it only reads.
  writes_until timestamptz(3),
  primary key (workspace_id, session_hash),
  foreign key (workspace_id, key_id) references api_key (workspace_id, key_id)
);
-- Looked up before a workspace is known.
create index console_session_hash on console_session (session_hash);
create index console_session_key on console_session (workspace_id, key_id, created_at);
create index console_session_expiry on console_session (workspace_id, expires_at);
alter table console_session enable row level security;
alter table console_session force row level security;
create policy console_session_own on console_session to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update, delete on console_session to svc_app;
create policy console_session_definer on console_session to svc_definer using (true);
grant select, update on console_session to svc_definer;

grant create on schema svc_system to svc_definer;
-- Finds a session that has neither ended nor been idle too long, and notes its use, at most twice a minute.
create function svc_system.use_console_session(
    p_hash text, p_proof_hash text, p_now timestamptz, p_idle_seconds integer
  )
  returns table (
    workspace_id uuid, public_id text, scopes text[], max_sensitivity public.sensitivity, expires_at timestamptz,
    writes_until timestamptz
  )
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    with found as (
      select s.* from public.console_session s
       where s.session_hash = p_hash and s.proof_hash = p_proof_hash and s.expires_at > p_now
         and s.last_used_at > p_now - make_interval(secs => p_idle_seconds)
    ), noted as (
      update public.console_session s set last_used_at = p_now from found f
       where s.workspace_id = f.workspace_id and s.session_hash = f.session_hash
         and s.last_used_at < p_now - interval '30 seconds'
    )
    select f.workspace_id, f.public_id, f.scopes, f.max_sensitivity, f.expires_at, f.writes_until from found f
  $$;
alter function svc_system.use_console_session(text, text, timestamptz, integer) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.use_console_session(text, text, timestamptz, integer) from public;
grant execute on function svc_system.use_console_session(text, text, timestamptz, integer) to svc_app;

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

-- How many texts of all workspaces have no vector of a present model: a number for the metrics page, as in 0008.
grant select (workspace_id, model) on embedding to svc_definer;
grant select (workspace_id) on embedding_pending to svc_definer;
create policy embedding_gauges on embedding for select to svc_definer using ((select current_workspace()) is null);
create policy embedding_pending_gauges on embedding_pending for select to svc_definer
  using ((select current_workspace()) is null);

grant create on schema svc_system to svc_definer;

-- Reads the gaps between the models in the index, workspace by workspace, so that it costs what waits and not what is there.
create function svc_system.count_unembedded(models text[])
  returns bigint
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    with sorted as (select array(select m from unnest(models) as m order by m) as m)
    select (select count(*) from public.embedding_pending) + coalesce(sum(outdated.n), 0)::bigint
      from public.workspace w, sorted s, lateral (
        select count(*) as n from public.embedding e where e.workspace_id = w.workspace_id and e.model < s.m[1]
        union all
        select (select count(*) from public.embedding e
                 where e.workspace_id = w.workspace_id and e.model > s.m[i] and e.model < s.m[i + 1])
          from generate_series(1, cardinality(s.m) - 1) as i
        union all
        select count(*) from public.embedding e where e.workspace_id = w.workspace_id and e.model > s.m[cardinality(s.m)]
      ) as outdated
  $$;

alter function svc_system.count_unembedded(text[]) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.count_unembedded(text[]) from public;
grant execute on function svc_system.count_unembedded(text[]) to svc_app;

-- Sessions of named admins in the console: what a browser's cookie stands for once its admin has shown a key and a code.
-- Their rows stand in the workspace of all zeros, as those of admins do.
create table console_admin_session (
  workspace_id uuid not null,
  -- SHA-256 of the cookie's value, which is stored nowhere.
  session_hash text not null check (session_hash ~ '^[0-9a-f]{64}$'),
  -- A browser sends a cookie to every port of a host, so a session also needs what only the page of its own origin has.
  proof_hash text not null check (proof_hash ~ '^[0-9a-f]{64}$'),
  admin_id uuid not null,
  -- The admin's key that it was opened with.
  key_id uuid not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- Until then it may change something; null: it only reads.
  writes_until timestamptz(3),
  primary key (workspace_id, session_hash),
  foreign key (workspace_id, admin_id) references svc_admin (workspace_id, admin_id),
  foreign key (workspace_id, key_id) references svc_admin_key (workspace_id, key_id)
);
create index console_admin_session_admin on console_admin_session (workspace_id, admin_id, created_at);
alter table console_admin_session enable row level security;
alter table console_admin_session force row level security;
create policy console_admin_session_own on console_admin_session to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update, delete on console_admin_session to svc_app;

-- Whoever opened a session at the terminal could make and revoke keys by the command line, too.
alter table console_session add column manages_keys boolean not null default false;

grant create on schema svc_system to svc_definer;
drop function svc_system.use_console_session(text, text, timestamptz, integer);
-- Finds a session that has neither ended nor been idle too long, and notes its use, at most twice a minute.
create function svc_system.use_console_session(
    p_hash text, p_proof_hash text, p_now timestamptz, p_idle_seconds integer
  )
  returns table (
    workspace_id uuid, public_id text, scopes text[], max_sensitivity public.sensitivity, expires_at timestamptz,
    writes_until timestamptz, manages_keys boolean
  )
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    with found as (
      select s.* from public.console_session s
       where s.session_hash = p_hash and s.proof_hash = p_proof_hash and s.expires_at > p_now
         and s.last_used_at > p_now - make_interval(secs => p_idle_seconds)
    ), noted as (
      update public.console_session s set last_used_at = p_now from found f
       where s.workspace_id = f.workspace_id and s.session_hash = f.session_hash
         and s.last_used_at < p_now - interval '30 seconds'
    )
    select f.workspace_id, f.public_id, f.scopes, f.max_sensitivity, f.expires_at, f.writes_until, f.manages_keys
      from found f
  $$;
alter function svc_system.use_console_session(text, text, timestamptz, integer) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.use_console_session(text, text, timestamptz, integer) from public;
grant execute on function svc_system.use_console_session(text, text, timestamptz, integer) to svc_app;

-- What builds before that alpha called.
drop function latest_claims(text, text[], text[], integer);
drop function rival_ids(text, text[], text[], text[], integer[]);
drop function svc_system.page_workspace_settings(uuid, boolean, integer);
drop function svc_system.page_workspaces(uuid, boolean, integer);
