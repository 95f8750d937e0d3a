-- The face through which a ticket was made, if the audit log names it: the streams that it opens carry it, too.
alter table stream_ticket add column via text check (via in ('mcp', 'console'));

grant create on schema svc_system to svc_definer;
-- The old function stays: processes of the build before call it until they end.
create function svc_system.take_stream_ticket(p_hash text)
  returns table (public_id text, max_sensitivity public.sensitivity, expires_at timestamptz, via text)
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    delete from public.stream_ticket t where t.ticket_hash = p_hash
    returning t.public_id, t.max_sensitivity, t.expires_at, t.via
  $$;
alter function svc_system.take_stream_ticket(text) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.take_stream_ticket(text) from public;
grant execute on function svc_system.take_stream_ticket(text) to svc_app;
