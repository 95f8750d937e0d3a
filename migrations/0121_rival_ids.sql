-- Finds what says the same as new facts, and what speaks of the same subject in the same respect: of each of `p_keys`
-- the ones that were recorded last, at most so many as `p_most` says beside it, or all. Under row-level security planning
-- takes longer than reading: each session plans each look-up once, for any values. Of a table that was filled a moment
-- ago the planner knows nothing and takes any index of the workspace for as good as the right one. Where it may not sort,
-- it takes the one that has the order. With `=` it would see that all rows have the same hash and need no order, so the
-- function asks for a range. `latest_claims` stays as long as a process of an older build may call it.
create function rival_ids(p_type text, p_statuses text[], p_hashes text[], p_keys text[], p_most integer[])
  returns setof uuid
  language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan
  set enable_sort = off set enable_incremental_sort = off set jit = off
  as $$
  begin
    return query
      select same.id from unnest(p_hashes) as h(hash) cross join lateral (
        select u.id from unit u
         where u.workspace_id = current_workspace() and u.type = p_type
           and u.content_hash >= h.hash and u.content_hash <= h.hash and u.status = any(p_statuses)
         order by u.content_hash offset 0) same;
    return query
      select last.id from unnest(p_keys, p_most) as k(key, most) cross join lateral (
        select u.id from unit u
         where u.workspace_id = current_workspace() and u.type = p_type and u.triple_key = k.key
           and u.status = any(p_statuses)
         order by u.recorded_at desc limit k.most) last;
  end
  $$;
