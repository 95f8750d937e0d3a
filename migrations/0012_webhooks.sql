-- Webhooks and their deliveries.

-- A function may name a table of a later file.
set local check_function_bodies = off;

-- Webhooks: what receives a workspace's changes, and what was sent to it.
create table webhook_endpoint (
  workspace_id uuid not null references workspace,
  id uuid not null,
  version integer not null default 1,
  url text not null check (length(url) <= 2000),
  description text,
  -- Kinds of the change feed, or their beginnings up to a full stop; empty: all.
  kinds text[] not null default '{}',
  status text not null check (status in ('unverified', 'enabled', 'disabled')),
  -- Why it is disabled: manual, gone, failing, backlog.
  status_reason text,
  -- Changes above it are not sent; who is not cleared for them does not see the endpoint.
  sensitivity sensitivity not null,
  -- Whether changes of tasks and events are sent: the key that made it could read them.
  with_tasks boolean not null,
  rate_per_minute integer check (rate_per_minute >= 1),
  -- Sealed JSON of at most two secrets, the newest first, each with the time at which it ceases to sign.
  secrets text not null,
  -- The place in the change feed up to which changes are in webhook_delivery.
  cursor_seq bigint not null check (cursor_seq >= 0),
  -- When the URL answered its challenge; null: it has not.
  verified_at timestamptz(3),
  verify_attempts integer not null default 0,
  -- When it is asked next; null: it is not asked by itself.
  verify_at timestamptz(3),
  last_error text,
  -- Since when every attempt fails, and how many have.
  failing_since timestamptz(3),
  failures integer not null default 0,
  last_success_at timestamptz(3),
  throttled_until timestamptz(3),
  -- When the feed was last told that something could not be delivered.
  dead_told_at timestamptz(3),
  created_by text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- The key that answers for a webhook. The service sends the webhook only what this key may read now; null: the
  -- command line.
  key_id uuid,
  primary key (workspace_id, id),
  constraint webhook_endpoint_key foreign key (workspace_id, key_id) references api_key (workspace_id, key_id)
);
create index webhook_endpoint_key on webhook_endpoint (workspace_id, key_id);
alter table webhook_endpoint enable row level security;
alter table webhook_endpoint force row level security;
create policy webhook_endpoint_own on webhook_endpoint to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
  with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
create policy webhook_endpoint_definer on webhook_endpoint for select to svc_definer using (true);
grant select, insert, update, delete on webhook_endpoint to svc_app;
grant select on webhook_endpoint to svc_definer;

-- One change on its way to one endpoint. What it says is in the change itself.
create table webhook_delivery (
  workspace_id uuid not null,
  endpoint_id uuid not null,
  seq bigint not null,
  -- What the receiver knows it by: the same for ever.
  id text not null,
  kind text not null,
  resource_type text not null,
  resource_id uuid not null,
  sensitivity sensitivity not null,
  state text not null check (state in ('pending', 'delivered', 'dead', 'skipped')),
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) not null,
  lease_id uuid,
  lease_expires_at timestamptz(3),
  last_status integer,
  last_error text,
  last_attempt_at timestamptz(3),
  duration_ms integer,
  created_at timestamptz(3) not null,
  finished_at timestamptz(3),
  primary key (workspace_id, endpoint_id, seq),
  unique (workspace_id, endpoint_id, id),
  foreign key (workspace_id, endpoint_id) references webhook_endpoint (workspace_id, id) on delete cascade
);
create index webhook_delivery_due on webhook_delivery (workspace_id, endpoint_id, next_attempt_at) where state = 'pending';
create index webhook_delivery_resource on webhook_delivery (workspace_id, endpoint_id, resource_id, seq) where state = 'pending';
create index webhook_delivery_finished on webhook_delivery (workspace_id, finished_at) where finished_at is not null;
alter table webhook_delivery enable row level security;
alter table webhook_delivery force row level security;
create policy webhook_delivery_own on webhook_delivery to svc_app
  using (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()))
  with check (workspace_id = (select current_workspace()) and sensitivity <= (select current_clearance()));
create policy webhook_delivery_definer on webhook_delivery for select to svc_definer using (true);
grant select, insert, update, delete on webhook_delivery to svc_app;
grant select on webhook_delivery to svc_definer;

-- Endpoints of the workspaces of a region (null: of all) with something to do: a URL to verify, changes that are not in
-- their deliveries yet, deliveries that are due. In random order: where more endpoints are due than the limit, each of
-- them is returned in its turn.
create function svc_system.due_webhooks(p_now timestamptz, p_region text, p_limit integer)
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

-- Whether any endpoint is there at all: without one nothing is looked for.
create function svc_system.has_webhooks() returns boolean
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$ select exists (select from public.webhook_endpoint) $$;

-- Numbers for the metrics page, over all workspaces. The deliveries of disabled endpoints are not counted: they wait
-- for a
-- person, and nobody is late.
create function svc_system.webhook_gauges()
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

grant create on schema svc_system to svc_definer;
alter function svc_system.due_webhooks(timestamptz, text, integer) owner to svc_definer;
alter function svc_system.has_webhooks() owner to svc_definer;
alter function svc_system.webhook_gauges() owner to svc_definer;
revoke all on function svc_system.due_webhooks(timestamptz, text, integer), svc_system.has_webhooks(),
  svc_system.webhook_gauges() from public;
grant execute on function svc_system.due_webhooks(timestamptz, text, integer), svc_system.has_webhooks(),
  svc_system.webhook_gauges() to svc_app;
revoke create on schema svc_system from svc_definer;
