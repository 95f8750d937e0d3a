-- An id may be told of as more than one type: an entry of one type, which a file brought, does not keep what has the id and
-- is of another type from being erased.
alter table deletion_log drop constraint deletion_log_pkey;
alter table deletion_log add primary key (workspace_id, resource_id, resource_type);
