import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenAgent } from '@plugboard/host';
import { quiet } from '../method/quiet.ts';
import type { Sample } from '../method/rounds.ts';
import { TURN, WORKSPACE } from './agents.ts';

/** The lines that a host writes, for turns by hand: some agents read them byte by byte, and a shorter one is read sooner. */
const TERMINAL_LINE = `${JSON.stringify({
  version: 1,
  text: 'hello',
  channel: 'cli',
  chat_id: 'default',
  session_key: 'cli:default',
  workspace: WORKSPACE,
  user_data_dir: `${WORKSPACE}/users/default`,
})}\n`;
export const AGENTPROC_LINE = '{"type":"turn","message":"hello","session_id":"","protocol_version":"0.4"}\n';

/** A turn by hand: start, write a line, split and parse two frames, see the process close. */
export function bareTurn(argv: readonly string[], line = TERMINAL_LINE): Promise<Sample> {
  const [file = '', ...args] = argv;
  const started = performance.now();
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let rest = '';
  let frames = 0;
  let first = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    rest += chunk;
    for (let at = rest.indexOf('\n'); at !== -1; at = rest.indexOf('\n')) {
      JSON.parse(rest.slice(0, at));
      rest = rest.slice(at + 1);
      frames += 1;
      first ||= performance.now() - started;
    }
  });
  child.stderr?.resume();
  child.stdin?.on('error', () => {});
  child.stdin?.end(line);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => {
      if (frames === 2) resolve({ first, done: performance.now() - started });
      else reject(new Error(`${file} said ${frames} frames rather than two.`));
    });
  });
}

/** The most that waiting can give here: a process that was started before, driven with nothing in between. */
export async function handTurn(argv: readonly string[], warmingMs: number): Promise<Sample> {
  const [file = '', ...args] = argv;
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  await sleep(warmingMs);
  await quiet();
  const started = performance.now();
  let first = 0;
  child.stderr.resume();
  child.stdin.on('error', () => {});
  child.stdout.on('data', (chunk: Buffer) => {
    for (const line of String(chunk).trim().split('\n')) JSON.parse(line);
    first ||= performance.now() - started;
    // Not sooner: to end the input takes as long as the turn, and it is the write alone that wakes the agent.
    setImmediate(() => child.stdin.end());
  });
  child.stdin.write(TERMINAL_LINE);
  await once(child, 'close');
  return { first, done: performance.now() - started };
}

/** A turn through the host, to its end. */
export async function hostTurn(agent: OpenAgent): Promise<Sample> {
  const started = performance.now();
  let first = 0;
  for await (const event of agent.run(TURN)) {
    first ||= performance.now() - started;
    if (event.type === 'end' && event.outcome !== 'success') {
      throw new Error(event.error?.message ?? event.outcome);
    }
  }
  return { first, done: performance.now() - started };
}
