import { createHash } from 'node:crypto';
import { TOOL_NAME } from '../names.ts';

const HASH_LENGTH = 8;
const LONGEST = 64;

/**
 * What a server's tool is called to the model: `server__tool`. A name that models do not take, or that another tool has
 * already, is made fit and ends in a hash of what it really is, so that no two tools can be taken for each other.
 */
export function offeredName(server: string, tool: string, taken: ReadonlySet<string>): string {
  const plain = `${server}__${tool}`;
  if (TOOL_NAME.test(plain) && !taken.has(plain)) return plain;
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, HASH_LENGTH);
  const fit = plain.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, LONGEST - HASH_LENGTH - 1);
  return `${fit}_${hash}`;
}
