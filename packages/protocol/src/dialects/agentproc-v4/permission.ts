import { asciiJson } from '../../framing/json.ts';
import type { Turn } from '../../model/turn.ts';
import type { Permission, PermissionQuestion } from '../dialect.ts';
import type { AgentprocV4Settings } from './settings.ts';
import { readFrame } from './wire.ts';

/** Whether an agent is told that it may ask: the profile says so, or another host of this dialect that is in front. */
export function mayAsk({ extensions }: Turn, { permission }: AgentprocV4Settings): boolean {
  return permission !== 'off' || extensions?.permission === true;
}

/** What a line of stdout asks permission for, or undefined. The agent waits for the answer while the turn runs. */
export function questionIn(line: string): PermissionQuestion | undefined {
  // Looked for first: frames that ask for permission are rare, and parsing each frame twice is not free.
  if (!line.includes('permission_request')) return undefined;
  const reading = readFrame(line);
  if (!reading.ok || reading.frame.type !== 'permission_request') return undefined;
  const { id, tool, input } = reading.frame;
  return { id, tool, input };
}

/** The line that answers a question. */
export function permissionLine(id: string, { allowed, reason, input }: Permission): string {
  const answer = {
    type: 'permission_response',
    request_id: id,
    behavior: allowed ? 'allow' : 'deny',
    ...(reason === undefined ? {} : { message: reason }),
    ...(input === undefined ? {} : { updated_input: input }),
  };
  return `${asciiJson(answer)}\n`;
}
