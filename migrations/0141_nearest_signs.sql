-- The nearest-neighbour indexes have new names and conditions; the service builds the one that it needs while it runs.
drop index if exists embedding_nearest;

-- The embedding worker takes the latest texts first.
create index embedding_model_latest on embedding (workspace_id, model, doc_no desc);
drop index embedding_model;
