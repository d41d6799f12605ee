import { type AddressInfo, createServer } from "node:net";

/**
 * A Postgres whose first word is its last. `killed`: it lets a client in and ends the session in one piece, as it arrives at a
 * process that was busy while its server was killed. `starting`: it lets nobody in yet.
 */
export async function startLastWordServer(kind: "killed" | "starting" = "killed") {
  const lastWord = kind === "killed" ? [welcome, readyForQuery, goodbye] : [notYet];
  let clients = 0;
  const server = createServer((socket) => {
    clients++;
    socket.on("error", () => socket.destroy());
    socket.once("data", () => socket.end(Buffer.concat(lastWord)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `postgres://tieout:any@127.0.0.1:${port}/tieout`,
    clients: () => clients,
    close: () => void server.close(),
  };
}

const welcome = message("R", Buffer.alloc(4));
const readyForQuery = message("Z", Buffer.from("I"));
const goodbye = message("E", Buffer.from("SFATAL\0C57P01\0Mthe server was killed\0\0"));
const notYet = message("E", Buffer.from("SFATAL\0C57P03\0Mthe database system is starting up\0\0"));

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
