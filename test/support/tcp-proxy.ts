import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** What befalls the bytes that come back from the server. All at once is possible; nothing set is a plain wire. */
export interface Mishaps {
  /** Before the first byte of each piece. */
  readonly latencyMs?: number;
  /** Bytes per piece. */
  readonly sliceBytes?: number;
  /** From here on nothing comes, and nothing ends. */
  readonly stallAfterBytes?: number;
  /** A reset, as of a machine that is switched off. */
  readonly resetAfterBytes?: number;
  /** An orderly end in the wrong place. */
  readonly cutAfterBytes?: number;
}

export interface TcpProxy {
  readonly url: string;
  readonly connections: number;
  /** For the connections made from now on. */
  set(mishaps: Mishaps): void;
  /** Connections made from now on go there, as when a name or an address moves. Those that are open stay where they are. */
  leadTo(targetPort: number): void;
  /** On the connections that are open nothing more comes back, and nothing ends: a machine that is cut off. */
  freeze(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(firstPort: number, initial: Mishaps = {}): Promise<TcpProxy> {
  let targetPort = firstPort;
  let mishaps = initial;
  let connections = 0;
  const open = new Set<Socket>();
  const frozen = new WeakSet<Socket>();
  const server = createServer((client) => {
    connections++;
    const target = connect(targetPort, "127.0.0.1");
    for (const socket of [client, target]) {
      open.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => open.delete(socket));
    }
    client.pipe(target);
    client.on("close", () => target.destroy());
    void carry(target, client, { ...mishaps, isFrozen: () => frozen.has(target) });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    set: (next) => {
      mishaps = next;
    },
    leadTo: (port) => {
      targetPort = port;
    },
    freeze: () => {
      for (const socket of open) frozen.add(socket);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

async function carry(
  target: Socket,
  client: Socket,
  mishaps: Mishaps & { isFrozen: () => boolean },
): Promise<void> {
  const { latencyMs = 0, sliceBytes = Infinity, isFrozen } = mishaps;
  const { stallAfterBytes = Infinity, resetAfterBytes = Infinity, cutAfterBytes = Infinity } = mishaps;
  const allowed = Math.min(stallAfterBytes, resetAfterBytes, cutAfterBytes);
  let carried = 0;
  try {
    for await (const chunk of target as AsyncIterable<Buffer>) {
      if (isFrozen()) await new Promise((resolve) => client.once("close", resolve));
      for (let at = 0; at < chunk.length && carried < allowed;) {
        const bytes = Math.min(sliceBytes, chunk.length - at, allowed - carried);
        if (latencyMs > 0) await sleep(latencyMs);
        client.write(chunk.subarray(at, at + bytes));
        at += bytes;
        carried += bytes;
      }
      if (carried < allowed) continue;
      if (allowed === resetAfterBytes) client.resetAndDestroy();
      else if (allowed === cutAfterBytes) client.end();
      if (allowed !== stallAfterBytes) return;
      await new Promise((resolve) => client.once("close", resolve));
    }
    client.end();
  } catch {
    client.destroy();
  }
}
