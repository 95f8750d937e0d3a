/** A certificate for tests. */

/** A self-signed certificate (P-256) that only tests use; its private key was thrown away. */
export const CERTIFICATE =
  "MIIBfzCCASWgAwIBAgIUKTXIACHdk+3YRbx7DY0m5gN41PswCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJcGVlci50ZXN0MCAXDTI2" +
  "MTEyMTE1MDYyMFoYDzIxMjYxMDI4MTUwNjIwWjAUMRIwEAYDVQQDDAlwZWVyLnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC" +
  "AAR+MY3bX26iv3ZYIx5N1L3IJPkGNL9eb3uXE63kMsSQTMEoqjuDRwIxJCDIssaTMP1I+qYjSkIW1n/0h/E0iWb6o1MwUTAdBgNV" +
  "HQ4EFgQUN9By5eavqAMGgC+Sf3Mt857tzNQwHwYDVR0jBBgwFoAUN9By5eavqAMGgC+Sf3Mt857tzNQwDwYDVR0TAQH/BAUwAwEB" +
  "/zAKBggqhkjOPQQDAgNIADBFAiEAxdRu/NG/3EVOeq/CrcJJdrIuylsWzKSi/z+tBAeAo3kCIFX4guAr5xOi3CafykMbm6ZPdgHu" +
  "cpdwGaffwkKcL7vy";
/** Its pin. */
export const PIN = "sha256/8fzK4NIZKgIWvs4c3SUvj/JkcckaqNwXc5EfuKeEBXc=";
