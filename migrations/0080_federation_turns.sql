-- What is to be done with peers now: the system's loop asks once for all workspaces, and enters those alone that it names.

create policy job_definer on job for select to svc_definer using (true);
grant select on job to svc_definer;
create policy federation_cursor_definer on federation_cursor for select to svc_definer using (true);
grant select on federation_cursor to svc_definer;
create policy federation_erasure_definer on federation_erasure for select to svc_definer using (true);
grant select on federation_erasure to svc_definer;

-- A workspace has one open job of exchange with the same peer and the same wishes.
create unique index job_sync_alone on job (workspace_id, (input ->> 'same'))
  where state in ('queued', 'running') and kind = 'federation_sync';
create index job_sync_open on job (workspace_id) where state in ('queued', 'running') and kind = 'federation_sync';

grant create on schema svc_system to svc_definer;

create function svc_system.list_federation_turns(p_now timestamptz)
  returns table (workspace_id uuid, region text, peer_id text, state text, is_due boolean, has_news boolean,
                 last_seq bigint, acked_seq bigint, has_erasures boolean)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select p.workspace_id, w.region, p.id, p.state,
           coalesce(p.next_attempt_at <= p_now, false) and (p.lease_id is null or p.lease_expires_at <= p_now),
           c.workspace_id is null or c.walk is not null or coalesce(h.seq, 0) > c.published_seq,
           coalesce(c.next_seq - 1, 0), p.acked_seq,
           exists (select from public.federation_erasure e
                    where e.workspace_id = p.workspace_id and e.peer_id = p.id and e.acked_at is null)
      from public.federation_peer p
      join public.workspace w on w.workspace_id = p.workspace_id
      left join public.federation_cursor c on c.workspace_id = p.workspace_id
      left join public.feed_head h on h.workspace_id = p.workspace_id
     where p.removed_at is null and p.approved_at is not null
     order by p.next_attempt_at, p.workspace_id, p.id
  $$;
alter function svc_system.list_federation_turns(timestamptz) owner to svc_definer;

create function svc_system.list_federation_jobs(p_now timestamptz) returns table (workspace_id uuid, region text)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select distinct j.workspace_id, w.region
      from public.job j join public.workspace w on w.workspace_id = j.workspace_id
     where j.kind = 'federation_sync' and j.state in ('queued', 'running')
       and (j.lease_id is null or j.lease_expires_at <= p_now)
  $$;
alter function svc_system.list_federation_jobs(timestamptz) owner to svc_definer;

revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.list_federation_turns(timestamptz), svc_system.list_federation_jobs(timestamptz)
  from public;
grant execute on function svc_system.list_federation_turns(timestamptz), svc_system.list_federation_jobs(timestamptz)
  to svc_app;
