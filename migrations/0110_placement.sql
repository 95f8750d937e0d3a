-- Several clusters: where workspaces live, and what a cluster does not serve of the rows that it holds.
--
-- One database of them is the home cluster; only its `placement` and `placement_move` count. In a deployment with one
-- database all of these tables stay empty and nobody asks them.

-- The cluster of a workspace; one without a row lives on the home cluster.
create table placement (
  id uuid primary key,
  cluster text not null check (cluster ~ '^[a-z][a-z0-9-]{0,29}$'),
  placed_at timestamptz(3) not null default now()
);

-- Moves that are under way, and those whose rows at the source are still to be deleted.
create table placement_move (
  id uuid primary key,
  source text not null,
  target text not null check (target <> source),
  -- `copy`: the source serves it. `switched`: the target does.
  phase text not null check (phase in ('copy', 'switched')),
  -- By table: the oldest transaction that was open at the source when the table was last copied.
  copied jsonb not null default '{}',
  started_at timestamptz(3) not null default now(),
  switched_at timestamptz(3)
);

-- In the cluster that it is about. `arriving`: rows are being copied here. `paused`: no writes until then, the last rows are
-- being copied from here. `left`: another cluster serves it; the mark outlasts the rows, so that a process which has not
-- heard of the move is told so and does not find an empty workspace.
create table placement_mark (
  id uuid primary key,
  state text not null check (state in ('arriving', 'paused', 'left')),
  paused_until timestamptz check ((state = 'paused') = (paused_until is not null)),
  -- The run of the move that may act by this mark: one that another has taken over from does nothing any more.
  mover uuid not null
);

-- What this database is called among the clusters; without a row it is the only one. The migrations of a deployment with
-- several write it, so that no process takes one for another.
create table cluster_identity (
  only_one boolean primary key default true check (only_one),
  name text not null check (name ~ '^[a-z][a-z0-9-]{0,29}$')
);

grant select on placement_mark, cluster_identity to svc_definer;
grant select, insert on placement to svc_definer;

grant create on schema svc_system to svc_definer;

create function svc_system.cluster_name() returns text
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select name from public.cluster_identity $$;
alter function svc_system.cluster_name() owner to svc_definer;

create function svc_system.find_placement(p_id uuid) returns text
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select cluster from public.placement where id = p_id $$;
alter function svc_system.find_placement(uuid) owner to svc_definer;

-- Places a workspace that is about to be created. What is placed stays where it is: only a move takes it elsewhere.
create function svc_system.place_workspace(p_id uuid, p_cluster text) returns void
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    insert into public.placement (id, cluster)
    select p_id, p_cluster where not exists (select from public.workspace w where w.workspace_id = p_id)
    on conflict do nothing
  $$;
alter function svc_system.place_workspace(uuid, text) owner to svc_definer;

-- The workspaces of which this cluster has rows that do not count.
create function svc_system.list_unserved() returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select id from public.placement_mark where state <> 'paused' $$;
alter function svc_system.list_unserved() owner to svc_definer;

-- Every transaction of a workspace begins with it where there are several clusters. Writers hold the lock, shared, until
-- they end: who pauses them or ends the service of the workspace here takes it alone, and so waits for those that have
-- begun. Volatile: each statement sees what was committed when the lock was had.
create function svc_system.refuse_unserved(p_id uuid, p_writes boolean) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  declare
    v_mark public.placement_mark;
  begin
    if p_writes then
      perform pg_advisory_xact_lock_shared(hashtextextended(p_id::text, 7305415));
    end if;
    select * into v_mark from public.placement_mark where id = p_id;
    if found and (v_mark.state <> 'paused' or (p_writes and v_mark.paused_until > clock_timestamp())) then
      raise exception 'the workspace % is %', p_id, v_mark.state using errcode = 'SVC10';
    end if;
  end
  $$;
alter function svc_system.refuse_unserved(uuid, boolean) owner to svc_definer;

revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.cluster_name(), svc_system.find_placement(uuid), svc_system.place_workspace(uuid, text),
  svc_system.list_unserved(), svc_system.refuse_unserved(uuid, boolean) from public;
grant execute on function svc_system.cluster_name(), svc_system.find_placement(uuid), svc_system.place_workspace(uuid, text),
  svc_system.list_unserved(), svc_system.refuse_unserved(uuid, boolean) to svc_app;
