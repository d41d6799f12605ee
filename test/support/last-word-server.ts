import { type AddressInfo, createServer } from "node:net";

/**
 * A Postgres whose first word is its last: it lets a client in and ends the session in one piece, as it arrives at a process
 * that was busy while its server was killed.
 */
export async function startLastWordServer(): Promise<{ url: string; clients(): number; close(): void }> {
  let clients = 0;
  const server = createServer((socket) => {
    clients++;
    socket.on("error", () => socket.destroy());
    socket.once("data", () => socket.end(Buffer.concat([welcome, readyForQuery, goodbye])));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `postgres://tieout:any@127.0.0.1:${(server.address() as AddressInfo).port}/tieout`,
    clients: () => clients,
    close: () => void server.close(),
  };
}

const welcome = message("R", Buffer.alloc(4));
const readyForQuery = message("Z", Buffer.from("I"));
const goodbye = message("E", Buffer.from("SFATAL\0C57P01\0Mthe server was killed\0\0"));

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
