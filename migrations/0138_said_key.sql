-- What says the same in another dress is one fact: `said_key` leaves out capitals, kinds of quotes and the full stop.
-- Facts of earlier builds have none until a worker has read them; until then they are found by their content alone.
alter table unit add column said_key text collate "C";
create index unit_said on unit (workspace_id, type, said_key) where said_key is not null;
create index unit_unsaid on unit (workspace_id, id) where type = 'fact' and said_key is null;

-- As `rival_ids`, which stays as long as a process of an older build may call it, and by `p_said`, too.
create function rival_units(p_type text, p_statuses text[], p_hashes text[], p_said text[], p_keys text[], p_most integer[])
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
      select same.id from unnest(p_said) as s(said) cross join lateral (
        select u.id from unit u
         where u.workspace_id = current_workspace() and u.type = p_type and u.said_key is not null
           and u.said_key >= s.said collate "C" and u.said_key <= s.said collate "C" and u.status = any(p_statuses)
         order by u.said_key offset 0) same;
    return query
      select last.id from unnest(p_keys, p_most) as k(key, most) cross join lateral (
        select u.id from unit u
         where u.workspace_id = current_workspace() and u.type = p_type and u.triple_key = k.key
           and u.status = any(p_statuses)
         order by u.recorded_at desc limit k.most) last;
  end
  $$;
