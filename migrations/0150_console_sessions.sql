-- Sessions of the console: what a browser's cookie stands for.
create table console_session (
  workspace_id uuid not null references workspace,
  -- SHA-256 of the cookie's value, which is stored nowhere.
  session_hash text not null check (session_hash ~ '^[0-9a-f]{64}$'),
  -- A browser sends a cookie to every port of a host, so a session also needs what only the page of its own origin has.
  proof_hash text not null check (proof_hash ~ '^[0-9a-f]{64}$'),
  key_id uuid not null,
  -- The key's secret that it was opened with.
  public_id text not null check (public_id ~ '^[0-9A-Za-z]{12}$'),
  -- What the key could do at that time. The session may do what the key may now, within this.
  scopes text[] not null,
  max_sensitivity sensitivity not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- Until then it may change something; null: it only reads.
  writes_until timestamptz(3),
  primary key (workspace_id, session_hash),
  foreign key (workspace_id, key_id) references api_key (workspace_id, key_id)
);
-- Looked up before a workspace is known.
create index console_session_hash on console_session (session_hash);
create index console_session_key on console_session (workspace_id, key_id, created_at);
create index console_session_expiry on console_session (workspace_id, expires_at);
alter table console_session enable row level security;
alter table console_session force row level security;
create policy console_session_own on console_session to svc_app
  using (workspace_id = (select current_workspace()))
  with check (workspace_id = (select current_workspace()));
grant select, insert, update, delete on console_session to svc_app;
create policy console_session_definer on console_session to svc_definer using (true);
grant select, update on console_session to svc_definer;

grant create on schema svc_system to svc_definer;
-- Finds a session that has neither ended nor been idle too long, and notes its use, at most twice a minute.
create function svc_system.use_console_session(
    p_hash text, p_proof_hash text, p_now timestamptz, p_idle_seconds integer
  )
  returns table (
    workspace_id uuid, public_id text, scopes text[], max_sensitivity public.sensitivity, expires_at timestamptz,
    writes_until timestamptz
  )
  language sql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
    with found as (
      select s.* from public.console_session s
       where s.session_hash = p_hash and s.proof_hash = p_proof_hash and s.expires_at > p_now
         and s.last_used_at > p_now - make_interval(secs => p_idle_seconds)
    ), noted as (
      update public.console_session s set last_used_at = p_now from found f
       where s.workspace_id = f.workspace_id and s.session_hash = f.session_hash
         and s.last_used_at < p_now - interval '30 seconds'
    )
    select f.workspace_id, f.public_id, f.scopes, f.max_sensitivity, f.expires_at, f.writes_until from found f
  $$;
alter function svc_system.use_console_session(text, text, timestamptz, integer) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.use_console_session(text, text, timestamptz, integer) from public;
grant execute on function svc_system.use_console_session(text, text, timestamptz, integer) to svc_app;
