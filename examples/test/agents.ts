import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The path of a file in the examples. */
export function example(path: string): string {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}

/** The Python that runs the examples; undefined, with a warning, where there is none. */
export const python: string | undefined = findPython();

/** One way to write an agent, and the command that starts its showcase. */
export interface Language {
  readonly name: string;
  readonly argv: readonly string[];
}

/** Every language that this machine can run. */
export const languages: readonly Language[] = [
  ...(python === undefined ? [] : [{ name: 'Python', argv: [python, example('test/agents/showcase.py')] }]),
  ...['dash', 'bash'].filter(isThere).map((shell) => ({
    name: shell,
    argv: [shell, example('test/agents/showcase.sh')],
  })),
];

/** Asks for the interpreter itself: a shim in front of it would be paid for at each start. */
function findPython(): string | undefined {
  const { status, stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)']);
  if (status === 0) return stdout.toString().trim();
  const complaint = 'There is no python3: the Python examples are NOT tested.';
  if (process.env.CI === 'true') throw new Error(complaint);
  console.warn(complaint);
  return undefined;
}

function isThere(shell: string): boolean {
  if (spawnSync(shell, ['-c', ':']).status === 0) return true;
  console.warn(`There is no ${shell}: the shell helper is NOT tested with it.`);
  return false;
}
