-- A rotation of a key shortens the overlaps of the rotations before it.
grant update (expires_at) on api_key_former_secret to svc_app;
