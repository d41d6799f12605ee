import { crc32, deflateSync } from "node:zlib";
import { hash32 } from "./world/random.ts";

/** A disc in a colour of its own, with up to four letters: enough to tell things apart on a page. */
export function drawSvg(name: string, label: string): string {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 160" role="img" aria-label="${label}">` +
    `<circle cx="80" cy="80" r="80" fill="#${colourOf(name).toString("hex")}"/>` +
    `<text x="80" y="96" font-family="sans-serif" font-size="44" text-anchor="middle" fill="#fff">${label.slice(0, 4)}</text></svg>`
  );
}

/** The same disc without letters, as the smallest PNG that says so: one byte of palette index a pixel. */
export function drawPng(name: string, size: number): Buffer {
  const rows = Buffer.alloc(size * (size + 1));
  const radius = size / 2;
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const inside = (x + 0.5 - radius) ** 2 + (y + 0.5 - radius) ** 2 <= radius ** 2;
      // Each row starts with its filter type, 0.
      if (inside) rows[y * (size + 1) + 1 + x] = 1;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.concat([Buffer.alloc(3), colourOf(name)])),
    chunk("tRNS", Buffer.from([0, 255])),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Dark enough that white letters can be read on it. */
function colourOf(name: string): Buffer {
  const hash = hash32("icon", name);
  return Buffer.from([hash % 150, (hash >>> 8) % 130, (hash >>> 16) % 170]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
