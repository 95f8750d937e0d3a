-- The users of an app: brokers, whose keys make workspaces and nothing else, and tenants, the workspaces that they made.

-- A broker stands for an app. Its key stands in the same row: a rotation keeps the broker, and so its tenants. Its row
-- stands in the workspace of all zeros, as those of admins do.
create table svc_broker (
  workspace_id uuid not null,
  broker_id uuid not null,
  name text not null check (length(name) between 1 and 200),
  region text not null check (region in ('us-east-1', 'eu-west-1', 'ap-southeast-1')),
  -- What the credentials that it gives may do at most, and their highest clearance.
  scopes text[] not null check (cardinality(scopes) >= 1),
  max_sensitivity sensitivity not null,
  cidrs text[] not null default '{}',
  rate_limit jsonb,
  public_id text not null check (public_id ~ '^[0-9A-Za-z]{12}$'),
  secret_hash text not null check (secret_hash like '$argon2id$%'),
  -- The secret that a rotation replaced, until its time is over.
  former_public_id text check (former_public_id ~ '^[0-9A-Za-z]{12}$'),
  former_secret_hash text check (former_secret_hash like '$argon2id$%'),
  former_valid_until timestamptz(3),
  version integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  primary key (workspace_id, broker_id),
  check ((former_public_id is null) = (former_secret_hash is null)),
  check ((former_public_id is null) = (former_valid_until is null))
);
create unique index svc_broker_public_id on svc_broker (workspace_id, public_id);
create unique index svc_broker_former_public_id on svc_broker (workspace_id, former_public_id);
create unique index svc_broker_name on svc_broker (workspace_id, lower(name));
alter table svc_broker enable row level security;
alter table svc_broker force row level security;
create policy svc_broker_own on svc_broker to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update on svc_broker to svc_app;

-- `workspace_id` is the broker's id, so that row-level security stands between brokers, too. `tenant_id` is the workspace
-- that the tenant has, on whichever cluster; these rows are on the home cluster.
create table svc_tenant (
  workspace_id uuid not null,
  tenant_id uuid not null,
  -- The app's own id of its user; null once the tenant is erased.
  external_id text check (length(external_id) between 1 and 200),
  -- The public id of the key in its workspace that stands behind its tokens, and whose secret nobody has.
  public_id text not null check (public_id ~ '^[0-9A-Za-z]{12}$'),
  -- `creating`: the workspace may not be there yet. `erasing`: rows of it may still be there.
  state text not null default 'creating' check (state in ('creating', 'active', 'suspended', 'erasing', 'erased')),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  suspended_at timestamptz(3),
  erased_at timestamptz(3),
  -- How many rows it had in which tables when its erasure began.
  erased_rows jsonb,
  version integer not null default 1,
  primary key (workspace_id, tenant_id),
  check ((state = 'erased') = (external_id is null)),
  check ((state = 'erased') = (erased_at is not null)),
  check (state not in ('erased') or erased_rows is not null)
);
create unique index svc_tenant_external_id on svc_tenant (workspace_id, external_id text_pattern_ops);
-- An admin names a tenant by its id alone.
create index svc_tenant_id on svc_tenant (tenant_id);
alter table svc_tenant enable row level security;
alter table svc_tenant force row level security;
create policy svc_tenant_own on svc_tenant to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
create policy svc_tenant_definer on svc_tenant for select to svc_definer using (true);
grant select, insert, update on svc_tenant to svc_app;
grant select (workspace_id, tenant_id) on svc_tenant to svc_definer;

-- From then on every request in the workspace is refused.
alter table workspace add column suspended_at timestamptz(3);

alter table svc_audit_log drop constraint svc_audit_log_actor_type_check;
-- Wider than before, so the rows that are there need no look.
alter table svc_audit_log add constraint svc_audit_log_actor_type_check
  check (actor_type in ('key', 'admin', 'broker', 'worker', 'operator', 'system', 'peer')) not valid;

-- Deletes the rows of a workspace. It sees what requests see, by their own policies: the transaction's workspace alone.
do $$
begin
  if not exists (select from pg_roles where rolname = 'svc_eraser') then
    create role svc_eraser nologin;
  end if;
  -- As for svc_definer: handing a function over takes the right to become its owner.
  if not pg_has_role(
    current_user, 'svc_eraser',
    case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end
  ) then
    execute format('grant svc_eraser to %I', current_user);
  end if;
end
$$;
grant svc_app to svc_eraser;
grant select, delete on all tables in schema public to svc_eraser;
alter default privileges in schema public grant select, delete on tables to svc_eraser;
revoke delete on svc_audit_log, svc_audit_head, svc_audit_checkpoint, svc_audit_node from svc_eraser;
-- Requests only append to it.
create policy change_erase on change to svc_eraser
  using (workspace_id = (select current_workspace())) with check (workspace_id = (select current_workspace()));

create function svc_system.locate_tenant(p_tenant_id uuid) returns uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select t.workspace_id from public.svc_tenant t where t.tenant_id = p_tenant_id $$;

-- Makes the workspace of a tenant. False: it is there already.
create function svc_system.create_tenant_workspace(p_workspace_id uuid, p_name text, p_region text) returns boolean
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    with made as (
      insert into public.workspace (workspace_id, name, region) values (p_workspace_id, p_name, p_region)
      on conflict do nothing returning 1
    ) select exists (select from made)
  $$;

-- The tables with rows of workspaces, those that refer to others first; so the last is that of the workspaces. Without the
-- audit chains, whose rows hold no content and stay.
create function list_workspace_tables() returns setof text
  language sql stable set search_path = pg_catalog, pg_temp
  as $$
    with recursive own as (
      select c.oid, c.relname from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
         and c.relname not in ('svc_audit_log', 'svc_audit_head', 'svc_audit_checkpoint', 'svc_audit_node')
         and exists (select from pg_attribute a
                      where a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped)
    ), reference as (
      select distinct k.conrelid as child, k.confrelid as parent from pg_constraint k
       where k.contype = 'f' and k.conrelid <> k.confrelid
    ), placed as (
      select o.oid, 0 as depth from own o
      union
      select r.parent, p.depth + 1 from placed p join reference r on r.child = p.oid where p.depth < 50
    )
    select o.relname::text from own o join placed p on p.oid = o.oid group by o.relname order by max(p.depth), o.relname
  $$;

-- How many rows of the transaction's workspace stand in which tables.
create function svc_system.count_workspace_rows() returns table (name text, n bigint)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp
  as $$
  begin
    for name in select t from public.list_workspace_tables() t loop
      execute format('select count(*) from public.%I where workspace_id = $1', name)
        into n using public.current_workspace();
      if n > 0 then
        return next;
      end if;
    end loop;
  end
  $$;

-- Deletes at most p_limit rows of the transaction's workspace, which must be suspended. Its own row is the last, so that
-- nothing can be added from then on. Answers how many it deleted; 0: there is none left.
create function svc_system.erase_workspace_part(p_limit integer) returns bigint
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  declare
    v_own constant uuid := public.current_workspace();
    v_total bigint := 0;
    v_table text;
    v_n bigint;
  begin
    if not exists (select from public.workspace w where w.workspace_id = v_own and w.suspended_at is not null) then
      return 0;
    end if;
    for v_table in select t from public.list_workspace_tables() t loop
      execute format(
        'with gone as (
           delete from public.%1$I where ctid = any(array(select ctid from public.%1$I where workspace_id = $1 limit $2))
           returning 1)
         select count(*) from gone', v_table) into v_n using v_own, p_limit - v_total;
      v_total := v_total + v_n;
      exit when v_total >= p_limit;
    end loop;
    return v_total;
  end
  $$;

-- As before; it finds the type whatever the search path of the function that looks at a policy.
create or replace function current_clearance() returns sensitivity
  language sql stable parallel safe
  as $$ select nullif(current_setting('app.max_sensitivity', true), '')::public.sensitivity $$;

create or replace function refuse_event_deletion() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
  begin
    if current_user = 'svc_eraser' or exists (
      select from public.deletion_log d
       where d.workspace_id = old.workspace_id and d.resource_id = old.id and d.resource_type = 'event') then
      return old;
    end if;
    raise exception 'an event is deleted by its erasure alone' using errcode = '42501';
  end
  $$;

drop function svc_system.find_api_key(text);
-- As before, and whether the workspace is suspended.
create function svc_system.find_api_key(p_public_id text)
  returns table (
    workspace_id uuid, key_id uuid, name text, secret_hash text, scopes text[], max_sensitivity public.sensitivity,
    cidrs text[], rate_limit jsonb, expires_at timestamptz, revoked_at timestamptz, region text, is_suspended boolean
  )
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select k.workspace_id, k.key_id, k.name, s.secret_hash,
           case when g.key_id is null then k.scopes else array(select unnest(k.scopes) intersect select unnest(g.scopes)) end,
           least(k.max_sensitivity, g.max_sensitivity, w.max_sensitivity),
           case when k.cidrs = '{}' then coalesce(g.cidrs, '{}') else k.cidrs end,
           coalesce(k.rate_limit, g.rate_limit, w.rate_limit), least(k.expires_at, s.expires_at, g.expires_at),
           coalesce(k.revoked_at, g.revoked_at), w.region, w.suspended_at is not null
      from (
        select c.workspace_id, c.key_id, c.secret_hash, null::timestamptz as expires_at
          from public.api_key c where c.public_id = p_public_id
        union all
        select f.workspace_id, f.key_id, f.secret_hash, f.expires_at
          from public.api_key_former_secret f where f.public_id = p_public_id
      ) s
      join public.api_key k on k.workspace_id = s.workspace_id and k.key_id = s.key_id
      left join public.api_key g on g.workspace_id = k.workspace_id and g.key_id = k.given_by
      join public.workspace w on w.workspace_id = s.workspace_id
  $$;

grant create on schema svc_system to svc_definer, svc_eraser;
alter function svc_system.locate_tenant(uuid) owner to svc_definer;
alter function svc_system.create_tenant_workspace(uuid, text, text) owner to svc_definer;
alter function svc_system.find_api_key(text) owner to svc_definer;
alter function svc_system.count_workspace_rows() owner to svc_eraser;
alter function svc_system.erase_workspace_part(integer) owner to svc_eraser;
revoke all on function svc_system.locate_tenant(uuid), svc_system.create_tenant_workspace(uuid, text, text),
  svc_system.find_api_key(text), svc_system.count_workspace_rows(), svc_system.erase_workspace_part(integer) from public;
grant execute on function svc_system.locate_tenant(uuid), svc_system.create_tenant_workspace(uuid, text, text),
  svc_system.find_api_key(text), svc_system.count_workspace_rows(), svc_system.erase_workspace_part(integer) to svc_app;
revoke create on schema svc_system from svc_definer, svc_eraser;
-- Or the owner of the tables would see by it what row-level security, forced on it, hides.
do $$
begin
  execute format('revoke svc_eraser from %I', current_user);
end
$$;
