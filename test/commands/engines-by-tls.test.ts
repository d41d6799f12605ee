import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { refuseUnsafeRedis } from "../../jobs/connection.ts";
import { secret } from "../../src/core/secret.ts";
import { asDatabaseError } from "../../src/store/sql-errors.ts";
import { certificate, privateKey } from "../support/self-signed.ts";
import { openTestDatabase } from "../support/test-database.ts";

const trustless = { key: privateKey, cert: certificate };

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

test.each(["require", "verify-full"])(
  "a Postgres with a certificate of its own making is refused before it hears a password (sslmode %s)",
  async (mode) => {
    let heard = "";
    const server = createServer((socket) => {
      // The client asks for TLS in eight bytes; one letter says yes.
      socket.once("data", () => {
        socket.write("S");
        const tls = new TLSSocket(socket, { ...trustless, isServer: true });
        tls.on("error", () => undefined);
        tls.on("data", (bytes: Buffer) => (heard += bytes.toString("latin1")));
      });
    });
    const port = await listen(server);
    const db = openTestDatabase(secret(`postgres://anna:canary@127.0.0.1:${port}/books?sslmode=${mode}`));
    onTestFinished(() => db.close());
    const failure = await db.query("select 1").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(String(failure)).not.toContain("canary");
    expect(heard).toBe("");
    expect(asDatabaseError(failure).message).toContain("add sslrootcert=FILE to DATABASE_URL");
  },
);

test("a Redis with a certificate of its own making is refused before it hears a password", async () => {
  let heard = "";
  const server = createTlsServer(trustless, (socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => (heard += bytes.toString("latin1")));
  });
  server.on("tlsClientError", () => undefined);
  const port = await listen(server);
  const failure = await refuseUnsafeRedis(secret(`rediss://:canary@127.0.0.1:${port}`)).catch(
    (error: unknown) => error,
  );
  expect(failure).toMatchObject({ code: "queue_unreachable" });
  expect(String(failure)).toContain("start tieout with NODE_EXTRA_CA_CERTS=FILE");
  expect(String(failure)).not.toContain("canary");
  expect(heard).toBe("");
});
