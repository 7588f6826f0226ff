import type { FakeCall } from '../fake-server.ts';

/** Fields and files of a call of the Bot API, in either of its forms. */
export interface CallInput {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: ReadonlyMap<string, UploadedFile>;
}

export interface UploadedFile {
  readonly name: string;
  readonly bytes: Buffer;
}

export function readInput({ headers, body, query }: FakeCall): CallInput {
  const type = headers['content-type'] ?? '';
  const boundary = /boundary=(.+)$/.exec(type)?.[1];
  if (boundary !== undefined) return readMultipart(body, boundary);
  const fields = body.length === 0 ? Object.fromEntries(query) : JSON.parse(body.toString('utf8'));
  return { fields, files: new Map() };
}

function readMultipart(body: Buffer, boundary: string): CallInput {
  const fields: Record<string, unknown> = {};
  const files = new Map<string, UploadedFile>();
  for (const part of partsOf(body, boundary)) {
    const split = part.indexOf('\r\n\r\n');
    const head = part.subarray(0, split).toString('utf8');
    const bytes = part.subarray(split + 4);
    const name = /name="([^"]*)"/.exec(head)?.[1] ?? '';
    const file = /filename="?([^"\r\n]*)"?/.exec(head)?.[1];
    if (file !== undefined) files.set(name, { name: file, bytes });
    else fields[name] = readField(bytes.toString('utf8'));
  }
  return { fields, files };
}

function partsOf(body: Buffer, boundary: string): Buffer[] {
  const mark = Buffer.from(`--${boundary}`);
  const parts: Buffer[] = [];
  for (let at = body.indexOf(mark); at !== -1; ) {
    const start = at + mark.length + 2;
    at = body.indexOf(mark, start);
    if (at !== -1) parts.push(body.subarray(start, at - 2));
  }
  return parts;
}

/** Numbers, booleans and objects are written as JSON; every other value is a text. */
function readField(value: string): unknown {
  if (!/^(\{|\[|-?\d+$|true$|false$)/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
