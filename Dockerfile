# The service as it runs from a checkout: the locked packages, the migrations and the source.
FROM denoland/deno:2.9.6

WORKDIR /app
RUN mkdir /data && chown deno:deno /data
USER deno

# What the program imports is fetched and compiled here, exactly as locked; the container starts without a network.
COPY deno.json deno.lock imports.json ./
COPY migrations migrations
COPY clients/typescript clients/typescript
COPY src src
RUN deno cache --frozen src/cli/main.ts src/cli/run.ts src/providers/sentence_encoder/transformer_thread.ts

ENV SVC_HOST=0.0.0.0 SVC_PORT=8787 SVC_DATA_DIR=/data
VOLUME /data
EXPOSE 8787
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["deno", "eval", "--no-config", "Deno.exit((await fetch(`http://127.0.0.1:${Deno.env.get('SVC_PORT')}/healthz`)).ok ? 0 : 1)"]

ENTRYPOINT ["/tini", "--", "deno", "run", "--allow-all", "--cached-only", "--no-remote", "--v8-flags=--max-semi-space-size=64", "src/cli/main.ts"]
CMD ["serve"]
