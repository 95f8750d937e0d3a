-- The key that answers for a webhook. The service sends the webhook only what this key may read now; null: the command line.
alter table webhook_endpoint add column key_id uuid;
update webhook_endpoint set key_id = substring(created_by from 5)::uuid
 where created_by ~ '^key:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';
alter table webhook_endpoint
  add constraint webhook_endpoint_key foreign key (workspace_id, key_id) references api_key (workspace_id, key_id);
create index webhook_endpoint_key on webhook_endpoint (workspace_id, key_id);

grant create on schema svc_system to svc_definer;

-- As before, but in random order: where more endpoints are due than the limit, each of them is returned in its turn.
create or replace function svc_system.due_webhooks(p_now timestamptz, p_region text, p_limit integer)
  returns table (workspace_id uuid, endpoint_id uuid, max_sensitivity public.sensitivity, is_unverified boolean,
                 is_behind boolean, is_trusted boolean)
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    select e.workspace_id, e.id, e.sensitivity, e.status = 'unverified', coalesce(h.seq > e.cursor_seq, false),
           e.failures = 0 and e.last_success_at is not null
      from public.webhook_endpoint e
      join public.workspace w on w.workspace_id = e.workspace_id
      left join public.feed_head h on h.workspace_id = e.workspace_id
     where (p_region is null or w.region = p_region)
       and ((e.status = 'unverified' and e.verify_at <= p_now)
         or (e.status = 'enabled'
           and (h.seq > e.cursor_seq
             or (coalesce(e.throttled_until <= p_now, true)
               and exists (
                 select from public.webhook_delivery d
                  where d.workspace_id = e.workspace_id and d.endpoint_id = e.id and d.state = 'pending'
                    and d.next_attempt_at <= p_now
                    and (d.lease_expires_at is null or d.lease_expires_at <= clock_timestamp()))))))
     order by random() limit p_limit
  $$;

-- As before, but the deliveries of disabled endpoints are not counted: they wait for a person, and nobody is late.
create or replace function svc_system.webhook_gauges()
  returns table (unverified bigint, enabled bigint, disabled bigint, pending bigint, oldest_pending_at timestamptz)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select e.unverified, e.enabled, e.disabled, d.pending, d.oldest
      from (select count(*) filter (where status = 'unverified') as unverified,
                   count(*) filter (where status = 'enabled') as enabled,
                   count(*) filter (where status = 'disabled') as disabled
              from public.webhook_endpoint) e,
           (select count(*) as pending, min(w.created_at) as oldest
              from public.webhook_delivery w
              join public.webhook_endpoint o on o.workspace_id = w.workspace_id and o.id = w.endpoint_id
             where w.state = 'pending' and o.status = 'enabled') d
  $$;

revoke create on schema svc_system from svc_definer;
