import { crc32, deflateSync } from 'node:zlib';

const SIDE = 96;
const COLOURS = [
  [0x1f, 0x6f, 0xeb],
  [0xf2, 0xa9, 0x00],
  [0x2d, 0xa4, 0x4e],
] as const;

/** A picture of slanting stripes, as a PNG. */
export function drawStripes(): Buffer {
  const rows = Array.from({ length: SIDE }, (_, y) => {
    const pixels = Array.from(
      { length: SIDE },
      (_, x) => COLOURS[Math.floor((x + y) / 16) % 3] ?? COLOURS[0],
    );
    // 0: the row is not filtered.
    return [0, ...pixels.flat()];
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  // Eight bits of red, green and blue.
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    createChunk('IHDR', header),
    createChunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    createChunk('IEND', Buffer.alloc(0)),
  ]);
}

function createChunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
