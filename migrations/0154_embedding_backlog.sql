-- How many texts of all workspaces have no vector of a present model: a number for the metrics page, as in 0008.
grant select (workspace_id, model) on embedding to svc_definer;
grant select (workspace_id) on embedding_pending to svc_definer;
create policy embedding_gauges on embedding for select to svc_definer using ((select current_workspace()) is null);
create policy embedding_pending_gauges on embedding_pending for select to svc_definer
  using ((select current_workspace()) is null);

grant create on schema svc_system to svc_definer;

-- Reads the gaps between the models in the index, workspace by workspace, so that it costs what waits and not what is there.
create function svc_system.count_unembedded(models text[])
  returns bigint
  language sql stable security definer set search_path = pg_catalog, pg_temp
  as $$
    with sorted as (select array(select m from unnest(models) as m order by m) as m)
    select (select count(*) from public.embedding_pending) + coalesce(sum(outdated.n), 0)::bigint
      from public.workspace w, sorted s, lateral (
        select count(*) as n from public.embedding e where e.workspace_id = w.workspace_id and e.model < s.m[1]
        union all
        select (select count(*) from public.embedding e
                 where e.workspace_id = w.workspace_id and e.model > s.m[i] and e.model < s.m[i + 1])
          from generate_series(1, cardinality(s.m) - 1) as i
        union all
        select count(*) from public.embedding e where e.workspace_id = w.workspace_id and e.model > s.m[cardinality(s.m)]
      ) as outdated
  $$;

alter function svc_system.count_unembedded(text[]) owner to svc_definer;
revoke create on schema svc_system from svc_definer;
revoke all on function svc_system.count_unembedded(text[]) from public;
grant execute on function svc_system.count_unembedded(text[]) to svc_app;
