-- Several clusters: where a workspace is, and moves of it; replicas.

-- A function may name a table of a later file.
set local check_function_bodies = off;

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
grant select, insert on placement to svc_definer;

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

-- In the cluster that it is about. `arriving`: rows are being copied here. `paused`: no writes until then, the last
-- rows are
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

-- Reads from a streaming replica: what it must hold before a read may use it, and the mark by which it is recognised.
--
-- Where no replica is configured the table stays empty.
-- The primary writes it, a second apart at most while reads ask for it. Positions in the write-ahead log alone do not
-- tell
-- two servers apart that were one: a server that follows another primary never shows this one's next beat.
create table replica_mark (
  only_one boolean primary key default true check (only_one),
  -- Drawn anew when a server was promoted: what was written before and after belongs to two histories.
  epoch uuid not null,
  timeline text not null,
  beat bigint not null,
  beaten_at timestamptz not null
);
grant select, insert, update on replica_mark to svc_definer;

grant select on placement_mark, cluster_identity to svc_definer;

create function svc_system.cluster_name() returns text
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select name from public.cluster_identity $$;

create function svc_system.find_placement(p_id uuid) returns text
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select cluster from public.placement where id = p_id $$;

-- Places a workspace that is about to be created. What is placed stays where it is: only a move takes it elsewhere.
create function svc_system.place_workspace(p_id uuid, p_cluster text) returns void
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    insert into public.placement (id, cluster)
    select p_id, p_cluster where not exists (select from public.workspace w where w.workspace_id = p_id)
    on conflict do nothing
  $$;

-- The workspaces of which this cluster has rows that do not count.
create function svc_system.list_unserved() returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select id from public.placement_mark where state <> 'paused' $$;

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

-- On the primary: what a replica must have replayed so that it shows everything that was acknowledged until now.
create function svc_system.bound_replica(out needed pg_lsn, out epoch uuid, out beat bigint, out reader text)
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  declare
    v_timeline text := left(pg_walfile_name(pg_current_wal_lsn()), 8);
    v_mark public.replica_mark;
  begin
    -- Postgres flushes a commit before it acknowledges it, unless told not to.
    needed := case current_setting('synchronous_commit')
      when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end;
    reader := format('%s in %s', session_user, current_database());
    select * into v_mark from public.replica_mark;
    if not found or v_mark.timeline <> v_timeline
      or v_mark.beaten_at not between clock_timestamp() - interval '1 second' and clock_timestamp() then
      -- A synchronous standby that is away holds up writes. It must not hold up reads.
      perform set_config('synchronous_commit', 'local', true);
      insert into public.replica_mark as m (epoch, timeline, beat, beaten_at)
      values (gen_random_uuid(), v_timeline, 1, clock_timestamp())
      on conflict (only_one) do update
        set epoch = case when m.timeline = excluded.timeline then m.epoch else excluded.epoch end,
            timeline = excluded.timeline, beat = m.beat + 1, beaten_at = excluded.beaten_at
      returning m.* into v_mark;
    end if;
    epoch := v_mark.epoch;
    beat := v_mark.beat;
  end
  $$;

-- On the replica, ahead of a read: waits until everything is there, for some milliseconds. The statements behind it see
-- it:
-- each takes its own snapshot.
create function svc_system.refuse_replica(
  p_needed pg_lsn, p_epoch uuid, p_beat bigint, p_reader text, p_wait_ms integer
) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  declare
    v_until timestamptz := clock_timestamp() + p_wait_ms * interval '1 millisecond';
    v_mark public.replica_mark;
  begin
    loop
      if not pg_is_in_recovery() then
        raise exception 'the server is not a standby' using errcode = 'SVC12';
      end if;
      -- Another role may see more than the one that the boot looked at.
      if format('%s in %s', session_user, current_database()) <> p_reader then
        raise exception 'the replica is read as %, not as %', session_user, p_reader using errcode = 'SVC13';
      end if;
      if pg_last_wal_replay_lsn() >= p_needed then
        select * into v_mark from public.replica_mark;
        if found and v_mark.epoch = p_epoch and v_mark.beat >= p_beat then
          return;
        end if;
      end if;
      exit when clock_timestamp() >= v_until;
      perform pg_sleep(0.002);
    end loop;
    if pg_last_wal_replay_lsn() >= p_needed then
      raise exception 'the replica does not follow the primary' using errcode = 'SVC13';
    end if;
    raise exception 'the replica is behind' using errcode = 'SVC11';
  end
  $$;

grant create on schema svc_system to svc_definer;
alter function svc_system.cluster_name() owner to svc_definer;
alter function svc_system.find_placement(uuid) owner to svc_definer;
alter function svc_system.place_workspace(uuid, text) owner to svc_definer;
alter function svc_system.list_unserved() owner to svc_definer;
alter function svc_system.refuse_unserved(uuid, boolean) owner to svc_definer;
revoke all on function svc_system.cluster_name(), svc_system.find_placement(uuid), svc_system.place_workspace(uuid, text),
  svc_system.list_unserved(), svc_system.refuse_unserved(uuid, boolean) from public;
grant execute on function svc_system.cluster_name(), svc_system.find_placement(uuid), svc_system.place_workspace(uuid, text),
  svc_system.list_unserved(), svc_system.refuse_unserved(uuid, boolean) to svc_app;
alter function svc_system.bound_replica() owner to svc_definer;
alter function svc_system.refuse_replica(pg_lsn, uuid, bigint, text, integer) owner to svc_definer;
revoke all on function svc_system.bound_replica(), svc_system.refuse_replica(pg_lsn, uuid, bigint, text, integer)
  from public;
grant execute on function svc_system.bound_replica(), svc_system.refuse_replica(pg_lsn, uuid, bigint, text, integer)
  to svc_app;
revoke create on schema svc_system from svc_definer;
