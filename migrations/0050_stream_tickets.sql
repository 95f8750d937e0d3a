-- One-use tickets with which browsers open streams: they cannot send an Authorization header with a WebSocket.
create table stream_ticket (
  workspace_id uuid not null references workspace,
  -- SHA-256 of the ticket, which is stored nowhere.
  ticket_hash text not null check (ticket_hash ~ '^[0-9a-f]{64}$'),
  key_id uuid not null,
  -- The key's secret that it was got with.
  public_id text not null check (public_id ~ '^[0-9A-Za-z]{12}$'),
  max_sensitivity sensitivity not null,
  expires_at timestamptz(3) not null,
  primary key (workspace_id, ticket_hash),
  foreign key (workspace_id, key_id) references api_key (workspace_id, key_id)
);
-- Looked up before a workspace is known.
create index stream_ticket_hash on stream_ticket (ticket_hash);
create index stream_ticket_key on stream_ticket (workspace_id, key_id);
create index stream_ticket_expiry on stream_ticket (workspace_id, expires_at);
alter table stream_ticket enable row level security;
alter table stream_ticket force row level security;
create policy stream_ticket_own on stream_ticket to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, delete on stream_ticket to svc_app;
create policy stream_ticket_definer on stream_ticket to svc_definer using (true);
grant select, delete on stream_ticket to svc_definer;

grant create on schema svc_system to svc_definer;
-- Takes a ticket: of callers at the same time, one gets it.
create function svc_system.redeem_stream_ticket(p_hash text)
  returns table (public_id text, max_sensitivity public.sensitivity, expires_at timestamptz)
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    delete from public.stream_ticket t where t.ticket_hash = p_hash
    returning t.public_id, t.max_sensitivity, t.expires_at
  $$;
alter function svc_system.redeem_stream_ticket(text) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.redeem_stream_ticket(text) from public;
grant execute on function svc_system.redeem_stream_ticket(text) to svc_app;
