-- Gives the large rows that are there a stamp. Recalls and writes go on meanwhile. Rows are locked in an order, because
-- erasures and the compaction lock them, too.
with large as (
  select workspace_id, term, kind, sensitivity, first_doc from posting
   where n >= 256 and stamp is null
   order by workspace_id, kind, sensitivity, term, first_doc
     for update
)
update posting p set n = p.n
  from large l
 where p.workspace_id = l.workspace_id and p.term = l.term and p.kind = l.kind and p.sensitivity = l.sensitivity
   and p.first_doc = l.first_doc;
