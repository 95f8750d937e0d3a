-- Facts compare subject, predicate and object as everything else compares names: by `nameKey` (src/language/names.ts), whose
-- number stands beside what it gave (`body.folded.rule`). An earlier rule kept typographic apostrophes, `ß` and characters
-- that are not seen, and dropped a possessive. Both rules give the same for printable ASCII without "'s"; any other fact of
-- the earlier rule waits in these indexes until the service has compared its names anew. They are empty once it has.
create index unit_old_names on unit (workspace_id, id)
 where type = 'fact' and (body -> 'folded' ->> 'rule') is distinct from '2'
   and (coalesce(body ->> 'subject', '') || ' ' || coalesce(body ->> 'predicate', '') || ' ' || coalesce(body ->> 'object', ''))
       collate "C" ~ '[^ -~]|''[sS]';
create index unit_revision_old_names on unit_revision (workspace_id, id, version)
 where snapshot ->> 'type' = 'fact' and (snapshot -> 'body' -> 'folded' ->> 'rule') is distinct from '2'
   and (coalesce(snapshot -> 'body' ->> 'subject', '') || ' ' || coalesce(snapshot -> 'body' ->> 'predicate', '') || ' ' ||
        coalesce(snapshot -> 'body' ->> 'object', '')) collate "C" ~ '[^ -~]|''[sS]';

-- The workspaces where such facts wait: what a service asks before it answers its first request.
grant create on schema svc_system to svc_definer;
create function svc_system.list_old_names() returns table (workspace_id uuid)
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    select distinct u.workspace_id from public.unit u
     where u.type = 'fact' and (u.body -> 'folded' ->> 'rule') is distinct from '2'
       and (coalesce(u.body ->> 'subject', '') || ' ' || coalesce(u.body ->> 'predicate', '') || ' ' ||
            coalesce(u.body ->> 'object', '')) collate "C" ~ '[^ -~]|''[sS]'
  $$;
alter function svc_system.list_old_names() owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.list_old_names() from public;
grant execute on function svc_system.list_old_names() to svc_app;
