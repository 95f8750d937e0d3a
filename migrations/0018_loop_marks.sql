-- As before, and for all workspaces at once it joins the tables: a look into each for every workspace took seconds among
-- 100,000.
create or replace function svc_system.mark_loop_rounds(p_held timestamptz, p_ids uuid[], p_seqs bigint[]) returns void
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  begin
    if p_ids is not null then
      update public.loop_round r set due_at = '-infinity'
        from unnest(p_ids, p_seqs) as m(id, seq)
       where r.workspace_id = m.id and r.seq < m.seq and r.due_at > p_held and r.due_at < 'infinity';
      return;
    end if;
    update public.loop_round r set due_at = '-infinity'
      from public.feed_head f
     where f.workspace_id = r.workspace_id and f.seq > r.seq and r.due_at > p_held and r.due_at < 'infinity';
    update public.loop_round r set due_at = '-infinity'
      from public.svc_audit_head h
      left join (
        select c.workspace_id, max(c.size) as size from public.svc_audit_checkpoint c group by c.workspace_id
      ) c on c.workspace_id = h.workspace_id
     where h.workspace_id = r.workspace_id and h.seq > coalesce(c.size, 0)
       and r.due_at > p_held and r.due_at < 'infinity';
  end
  $$;
