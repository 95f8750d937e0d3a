-- The nearest-neighbour indexes hold vectors of embedding models only: the built-in vectors are compared without one.
-- They are built in the background, so the ones that held all vectors go; nothing here makes the new ones.
drop index if exists embedding_hnsw;
drop index if exists reasoning_vector_hnsw;

-- The vector of a text that still waits for its place in the index, where it was computed with the write. It waits here
-- because an entry of the index costs more than the rest of a write; a worker moves it when few others write.
alter table embedding_pending add column model text;
alter table embedding_pending add column vector vector;
alter table embedding_pending add constraint embedding_pending_whole check ((model is null) = (vector is null));
