-- Tasks and events can be erased, up to the clearance of the request. Events are still never changed.
grant delete on task, event to svc_app;
