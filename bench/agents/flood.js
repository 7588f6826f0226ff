// Writes `count` lines of `bytes` bytes each: node flood.js bytes count plain|accented|endless
// `endless` leaves out every newline. Blocking writes to the pipe: this is to be faster than any reader.
import { writeSync } from 'node:fs';

const [bytes, count, kind] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]];
const BLOCK_BYTES = 1024 * 1024;

function line() {
  const head = '{"type":"progress","text":"';
  const tail = kind === 'endless' ? '"} ' : '"}\n';
  const words = kind === 'accented' ? 'Größe, œuvre, naïve – ő ' : 'The quick brown fox jumps over it ';
  const room = bytes - head.length - tail.length;
  const filler = Buffer.from(words.repeat(Math.ceil(room / words.length) + 1));
  let end = room;
  // Never in the middle of a character; what is missing then is filled with spaces.
  while ((filler[end] & 0xc0) === 0x80) end -= 1;
  return Buffer.concat([
    Buffer.from(head),
    filler.subarray(0, end),
    Buffer.from(' '.repeat(room - end) + tail),
  ]);
}

const one = line();
const perBlock = Math.max(1, Math.floor(BLOCK_BYTES / bytes));
const block = Buffer.concat(Array.from({ length: perBlock }, () => one));
for (let left = count; left > 0; left -= perBlock) {
  const part = left >= perBlock ? block : block.subarray(0, left * bytes);
  for (let at = 0; at < part.length; ) at += writeSync(1, part, at);
}
