-- When the background loops enter a workspace again: a queue of what is due when, so that a quiet workspace costs nothing.

-- One row a workspace. All loops visit it when its feed has moved or a setting has changed, and in any case a day later,
-- then after two more, and so on up to eight: that visit finds what a lost timer would have announced.
create table loop_round (
  workspace_id uuid primary key references workspace on delete cascade,
  -- Whoever finds the time over visits the workspace, and moves the time on before it does.
  due_at timestamptz(3) not null,
  -- The place in the change feed up to which the loops that hurry have done their work.
  seq bigint not null default 0,
  -- How many visits of all loops have found that the feed had not moved since the one before, up to 4.
  quiet smallint not null default 0,
  -- The rules, models and settings by which all loops last visited it; null: they never did.
  build text
);
create index loop_round_due on loop_round (due_at);

-- When a loop has work in a workspace that no change announces: a fact expires, a lease ends. A loop says it at the end of
-- each visit.
create table loop_timer (
  workspace_id uuid not null references workspace on delete cascade,
  loop text not null check (length(loop) between 1 and 64),
  due_at timestamptz(3) not null,
  primary key (workspace_id, loop)
);
create index loop_timer_due on loop_timer (due_at);

-- The next facts to expire, also contested ones.
create index unit_expiring on unit (workspace_id, expires_at)
  where expires_at is not null and status in ('active', 'contested');

do $$
declare
  t text;
begin
  foreach t in array array['loop_round', 'loop_timer'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format(
      'create policy %I on %I to svc_app
         using (workspace_id = (select current_workspace()))
         with check (workspace_id = (select current_workspace()))',
      t || '_own', t);
    execute format('create policy %I on %I to svc_definer using (true) with check (true)', t || '_definer', t);
    execute format('grant select, insert, update, delete on %I to svc_definer', t);
  end loop;
end
$$;
-- For the trigger below, which runs with the rights of who writes the workspace's row.
grant select, insert, update on loop_round to svc_app;
grant select, delete on loop_timer to svc_app;
-- Which chains have grown since their last checkpoint, after a process died.
create policy svc_audit_head_definer on svc_audit_head for select to svc_definer using (true);
create policy svc_audit_checkpoint_definer on svc_audit_checkpoint for select to svc_definer using (true);
grant select on svc_audit_head, svc_audit_checkpoint to svc_definer;

-- A new workspace has nothing to do until its feed moves. What an admin changes may make work due at once. Nobody visits a
-- suspended one; the visit when it is no longer suspended finds its timers.
create function plan_loop_round() returns trigger
  language plpgsql set search_path = public, pg_temp
  as $$
  begin
    insert into public.loop_round (workspace_id, due_at)
    values (new.workspace_id,
            case when new.suspended_at is not null then 'infinity'
                 when tg_op = 'INSERT' then now() + random() * interval '8 days' else '-infinity' end)
    on conflict (workspace_id) do update set due_at = excluded.due_at;
    if new.suspended_at is not null then
      delete from public.loop_timer where workspace_id = new.workspace_id;
    end if;
    return null;
  end
  $$;
create trigger workspace_loop_round after insert or update on workspace
  for each row execute function plan_loop_round();

-- Gives every workspace its row. With `p_build`: visits are due now in the workspaces that another build visited last.
create function svc_system.begin_loop_rounds(p_build text, p_now timestamptz) returns void
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    insert into public.loop_round (workspace_id, due_at)
    select w.workspace_id, p_now from public.workspace w
     where not exists (select from public.loop_round r where r.workspace_id = w.workspace_id)
    on conflict do nothing;
    update public.loop_round r set due_at = p_now
     where r.build <> p_build and r.due_at > p_now and r.due_at < 'infinity';
  $$;

-- Makes visits due of which nobody may have heard: the feed has moved, or the audit chain has grown. Leaves out those for
-- which somebody has time until `p_held`. With `p_ids`: only these, whose feeds have reached `p_seqs`.
create function svc_system.mark_loop_rounds(p_held timestamptz, p_ids uuid[], p_seqs bigint[]) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  begin
    if p_ids is not null then
      update public.loop_round r set due_at = '-infinity'
        from unnest(p_ids, p_seqs) as m(id, seq)
       where r.workspace_id = m.id and r.seq < m.seq and r.due_at > p_held and r.due_at < 'infinity';
    else
      update public.loop_round r set due_at = '-infinity'
       where r.due_at > p_held and r.due_at < 'infinity' and (
         exists (select from public.feed_head f where f.workspace_id = r.workspace_id and f.seq > r.seq)
         or exists (
           select from public.svc_audit_head h
            where h.workspace_id = r.workspace_id
              and h.seq > coalesce((select max(c.size) from public.svc_audit_checkpoint c
                                     where c.workspace_id = h.workspace_id), 0)));
    end if;
  end
  $$;

-- Takes visits that are due, in the workspaces of a region (null: of all), until a time; who does not end them by then loses
-- them to others. `seq` is the place that the feed has reached.
create function svc_system.take_loop_rounds(p_now timestamptz, p_until timestamptz, p_region text, p_limit integer)
  returns table (workspace_id uuid, seq double precision)
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    with due as materialized (
      select r.workspace_id from public.loop_round r
        join public.workspace w on w.workspace_id = r.workspace_id
       where r.due_at <= p_now and (p_region is null or w.region = p_region)
         and not exists (select from public.placement_mark m where m.id = r.workspace_id and m.state <> 'paused')
       order by r.due_at limit p_limit for update of r skip locked
    )
    update public.loop_round r set due_at = p_until from due where r.workspace_id = due.workspace_id
    returning r.workspace_id,
              coalesce((select f.seq from public.feed_head f where f.workspace_id = r.workspace_id), 0)::float8
  $$;

-- The same for timers of some loops.
create function svc_system.take_loop_timers(
  p_loops text[], p_now timestamptz, p_until timestamptz, p_region text, p_limit integer
)
  returns table (workspace_id uuid, loop text)
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    with due as materialized (
      select t.workspace_id, t.loop from public.loop_timer t
        join public.workspace w on w.workspace_id = t.workspace_id
       where t.due_at <= p_now and t.loop = any(p_loops) and (p_region is null or w.region = p_region)
         and not exists (select from public.placement_mark m where m.id = t.workspace_id and m.state <> 'paused')
       order by t.due_at limit p_limit for update of t skip locked
    )
    update public.loop_timer t set due_at = p_until from due
     where t.workspace_id = due.workspace_id and t.loop = due.loop
    returning t.workspace_id, t.loop
  $$;

-- Writes how far visits have come: rows of `id`, `seq` and, when all loops are through, `build`; where they are not,
-- somebody visits the workspace again at `p_until`, and so where the feed has moved on: who heard of that may have left it
-- to the visit. A visit that was asked for meanwhile stays due.
create function svc_system.settle_loop_rounds(p_rows jsonb, p_now timestamptz, p_until timestamptz) returns void
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    insert into public.loop_round as r (workspace_id, due_at, seq, build)
    select s.id, case when s.build is null then p_until else p_now + interval '1 day' end, s.seq, s.build
      from jsonb_to_recordset(p_rows) as s(id uuid, seq bigint, build text)
      join public.workspace w on w.workspace_id = s.id and w.suspended_at is null
     order by s.id
    on conflict (workspace_id) do update
       set seq = greatest(r.seq, excluded.seq), build = coalesce(excluded.build, r.build),
           quiet = case when excluded.build is not null
                          then least(case when excluded.seq > r.seq then 0 else r.quiet end + 1, 4)
                        when excluded.seq > r.seq then 0 else r.quiet end,
           due_at = case when r.due_at = '-infinity' then r.due_at
                         when excluded.build is null or exists (
                           select from public.feed_head f where f.workspace_id = r.workspace_id and f.seq > excluded.seq
                         ) then p_until
                         -- Spread, so that workspaces that were visited together are visited apart the next time.
                         else p_now + (0.9 + 0.2 * random()) * interval '1 day'
                                * case when excluded.seq > r.seq then 1 else 2 ^ least(r.quiet, 3) end end
  $$;

-- Writes timers: rows of `id`, `loop`, `heldUntil` if the process had taken the timer, and `dueAt` unless nothing is due any
-- more. What another process has written since is changed only to an earlier time, and be it by a millisecond: if the time
-- is that until which a process holds the timer, that one no longer ends it, because it may not have seen the new work.
create function svc_system.settle_loop_timers(p_rows jsonb) returns void
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    delete from public.loop_timer t
     using jsonb_to_recordset(p_rows) as s(id uuid, loop text, "heldUntil" timestamptz, "dueAt" timestamptz)
     where t.workspace_id = s.id and t.loop = s.loop and t.due_at = s."heldUntil" and s."dueAt" is null;
    update public.loop_timer t set due_at = s."dueAt"
      from jsonb_to_recordset(p_rows) as s(id uuid, loop text, "heldUntil" timestamptz, "dueAt" timestamptz)
     where t.workspace_id = s.id and t.loop = s.loop and t.due_at = s."heldUntil" and s."dueAt" is not null;
    insert into public.loop_timer as t (workspace_id, loop, due_at)
    select s.id, s.loop, s."dueAt"
      from jsonb_to_recordset(p_rows) as s(id uuid, loop text, "dueAt" timestamptz)
      join public.workspace w on w.workspace_id = s.id and w.suspended_at is null
     where s."dueAt" is not null
     order by s.id, s.loop
    on conflict (workspace_id, loop) do update
       set due_at = least(excluded.due_at, t.due_at - interval '1 millisecond') where t.due_at <> excluded.due_at;
  $$;

grant create on schema svc_system to svc_definer;
alter function svc_system.begin_loop_rounds(text, timestamptz) owner to svc_definer;
alter function svc_system.mark_loop_rounds(timestamptz, uuid[], bigint[]) owner to svc_definer;
alter function svc_system.take_loop_rounds(timestamptz, timestamptz, text, integer) owner to svc_definer;
alter function svc_system.take_loop_timers(text[], timestamptz, timestamptz, text, integer) owner to svc_definer;
alter function svc_system.settle_loop_rounds(jsonb, timestamptz, timestamptz) owner to svc_definer;
alter function svc_system.settle_loop_timers(jsonb) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.begin_loop_rounds(text, timestamptz),
  svc_system.mark_loop_rounds(timestamptz, uuid[], bigint[]),
  svc_system.take_loop_rounds(timestamptz, timestamptz, text, integer),
  svc_system.take_loop_timers(text[], timestamptz, timestamptz, text, integer),
  svc_system.settle_loop_rounds(jsonb, timestamptz, timestamptz), svc_system.settle_loop_timers(jsonb) from public;
grant execute on function svc_system.begin_loop_rounds(text, timestamptz),
  svc_system.mark_loop_rounds(timestamptz, uuid[], bigint[]),
  svc_system.take_loop_rounds(timestamptz, timestamptz, text, integer),
  svc_system.take_loop_timers(text[], timestamptz, timestamptz, text, integer),
  svc_system.settle_loop_rounds(jsonb, timestamptz, timestamptz), svc_system.settle_loop_timers(jsonb) to svc_app;
