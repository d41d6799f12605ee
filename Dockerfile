# The program's image, for `serve`, `work` and `migrate` beside a Postgres and a Redis of their own.
# Checked by test/docker.test.ts, which reads this file; no Docker engine was at hand to build it.

FROM node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json bundle.mjs ./
COPY migrations ./migrations
COPY jobs ./jobs
COPY src ./src
RUN npm run build
# Once more, for running only. The optional packages are the embedded Postgres, which a container has no use for.
# Then readable by everybody: the modes came from the machine that built this, and another user runs it.
RUN npm ci --omit=dev --omit=optional && chmod -R a+rX . && mkdir --mode=0700 data

FROM node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/migrations ./migrations
COPY --from=build /app/dist ./dist
# The page's own style sheets and scripts, which the compiler leaves where they are.
COPY --from=build /app/src/web/assets ./src/web/assets
# A volume that is mounted here takes over the owner of this folder.
COPY --from=build --chown=1000:1000 /app/data /data
ENV TIEOUT_DATA_DIR=/data
# The base image's user `node`, by number, so that an orchestrator can tell that it is not root.
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/livez').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/tieout.js"]
CMD ["serve"]
