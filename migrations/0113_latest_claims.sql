-- Finds the facts that were recorded last of each of some respects. Of a table that was filled a moment ago the planner knows
-- nothing, takes any index of the workspace for as good as `unit_triple_latest`, and would read the whole workspace once
-- for each respect. Without sorting only that index gives the order.
create function latest_claims(p_type text, p_keys text[], p_statuses text[], p_most integer) returns setof uuid
  language plpgsql stable set enable_sort = off set enable_incremental_sort = off
  as $$
  begin
    return query
      select last.id from unnest(p_keys) as k(key) cross join lateral (
        select u.id from unit u
         where u.workspace_id = current_workspace() and u.type = p_type and u.triple_key = k.key
           and u.status = any(p_statuses)
         order by u.recorded_at desc limit p_most) last;
  end
  $$;
