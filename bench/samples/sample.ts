import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Sample } from '../method/rounds.ts';

const execute = promisify(execFile);

/** Runs a sample in a process of its own: what one case taught the compiler must not help or hinder another. */
export async function freshSample(program: string, args: readonly (string | number)[]): Promise<Sample> {
  const { stdout } = await execute(process.execPath, [program, ...args.map(String)]);
  return JSON.parse(stdout) as Sample;
}

/** Gives the sample to the process that asked for it. */
export function giveSample(sample: Sample): void {
  process.stdout.write(JSON.stringify(sample));
}

/** CPU time of this process so far, in milliseconds. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
