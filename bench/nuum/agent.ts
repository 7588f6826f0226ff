import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { distOf } from '../../scripts/build/workspace.ts';
import { WORKSPACE } from '../agents/agents.ts';

export const NUUM: string = join(distOf('nuum'), 'bin', 'nuum.js');

/** A running agent, as a host sees it, and what it takes of the machine. */
export interface MeasuredNuum {
  /** From the start of the process to its first line. */
  readonly initMs: number;
  /** Says something and waits for the end of the turn; resolves to milliseconds. */
  turn(text: string): Promise<number>;
  heartbeat(): Promise<number>;
  /** Processor time so far, in milliseconds. */
  cpuMs(): number;
  rssMiB(): number;
  descriptors(): number;
  end(): Promise<void>;
}

const PLAIN = 'otherwise: { text: "You said something, and this is a plain answer to it." }\n';

/** Starts the built agent on a memory, with a model that answers at once what its script says. */
export async function startNuum(db: string, words: string = PLAIN): Promise<MeasuredNuum> {
  const script = join(WORKSPACE, 'nuum-script.yaml');
  writeFileSync(script, words);
  const started = performance.now();
  const child = spawn(process.execPath, [NUUM, '--stdio', '--db', db, '--model', `script:${script}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: WORKSPACE,
  });
  const waiting = new Map<string, () => void>();
  const lines = createInterface({ input: child.stdout });
  const first = once(lines, 'line');
  lines.on('line', (line) => {
    const { type, subtype } = JSON.parse(line);
    waiting.get(type === 'result' ? 'result' : subtype)?.();
  });
  await first;
  const initMs = performance.now() - started;
  const say = (value: object, answer: string): Promise<number> => {
    const asked = performance.now();
    return new Promise((resolve) => {
      waiting.set(answer, () => resolve(performance.now() - asked));
      child.stdin.write(`${JSON.stringify(value)}\n`);
    });
  };
  return {
    initMs,
    turn: (text) => say({ type: 'user', message: { role: 'user', content: text } }, 'result'),
    heartbeat: () => say({ type: 'control', action: 'heartbeat' }, 'heartbeat_ack'),
    cpuMs() {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    },
    rssMiB: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
    async end() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

/** The unit in which Linux counts processor time. */
const TICK_MS = 10;
