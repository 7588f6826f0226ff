import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A session of acpx, whose background process keeps the agent between prompts. */
export interface AcpxSession {
  /** One `acpx prompt`; resolves to the milliseconds until the command has ended. */
  ask(): Promise<number>;
  close(): Promise<void>;
}

/** Calls `acpx sessions new` with a temporary `HOME`, which `close` removes. */
export async function openAcpx(agent: readonly string[]): Promise<AcpxSession> {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-bench-acpx-'));
  const program = fileURLToPath(import.meta.resolve('acpx'));
  const options = { cwd: home, env: { ...process.env, HOME: home } };
  const fixed = ['--cwd', home, '--agent', agent.join(' '), '--format', 'quiet', '--ttl', '60'];
  const acpx = (...words: string[]) =>
    promisify(execFile)(process.execPath, [program, ...fixed, ...words], options);
  await acpx('sessions', 'new', '--name', 'bench');
  return {
    async ask() {
      const started = performance.now();
      await acpx('prompt', '-s', 'bench', 'hello');
      return performance.now() - started;
    },
    async close() {
      await acpx('sessions', 'close', 'bench');
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
