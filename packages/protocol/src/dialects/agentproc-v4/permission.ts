import { readFrame } from './wire.ts';

/**
 * The line that denies what a line of stdout asks permission for, or undefined if it asks for none. Whoever owns
 * stdin must write it while the turn runs: an agent waits for the answer.
 */
export function permissionReply(line: string): string | undefined {
  // Looked for first: frames that ask for permission are rare, and parsing each frame twice is not free.
  if (!line.includes('permission_request')) return undefined;
  const reading = readFrame(line);
  if (!reading.ok || reading.frame.type !== 'permission_request') return undefined;
  const message = 'There is nobody here who could allow it.';
  const reply = { type: 'permission_response', request_id: reading.frame.id, behavior: 'deny', message };
  return `${JSON.stringify(reply)}\n`;
}
