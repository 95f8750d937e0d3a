-- Reads from a streaming replica: what it must hold before a read may use it, and the mark by which it is recognised.
--
-- Where no replica is configured the table stays empty.

-- The primary writes it, a second apart at most while reads ask for it. Positions in the write-ahead log alone do not tell
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

grant create on schema svc_system to svc_definer;

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
alter function svc_system.bound_replica() owner to svc_definer;

-- On the replica, ahead of a read: waits until everything is there, for some milliseconds. The statements behind it see it:
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
alter function svc_system.refuse_replica(pg_lsn, uuid, bigint, text, integer) owner to svc_definer;

revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.bound_replica(), svc_system.refuse_replica(pg_lsn, uuid, bigint, text, integer)
  from public;
grant execute on function svc_system.bound_replica(), svc_system.refuse_replica(pg_lsn, uuid, bigint, text, integer)
  to svc_app;
