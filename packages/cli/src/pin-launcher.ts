import { execFile } from 'node:child_process';

/** A command whose launcher starts a fixed version, and what the person is told about it. */
export interface Pinned {
  readonly command: readonly string[];
  readonly remark?: string;
}

/** Time for the registry to name the version. */
const VIEW_MS = 20_000;

/** The words of each launcher before the package. */
const LAUNCHERS: readonly (readonly string[])[] = [['npx'], ['bunx'], ['pnpm', 'dlx'], ['npm', 'exec']];

/**
 * Writes the present version into a command such as `npx NAME`: without one, the launcher asks the registry for a newer
 * version at each start. A command without a launcher, or with a version, stays as it is.
 */
export async function pinLauncher(command: readonly string[]): Promise<Pinned> {
  const at = findPackage(command);
  const name = command[at];
  if (name === undefined || /.@/.test(name)) return { command };
  const version = await askVersion(name);
  if (version === undefined) {
    const remark = `${command[0]} looks for a newer ${name} at each start, and its version could not be found out. Write ${name}@VERSION to keep one.`;
    return { command, remark };
  }
  const pinned = `${name}@${version}`;
  return {
    command: command.with(at, pinned),
    remark: `It is written as ${pinned}, so that a start looks for no newer one.`,
  };
}

/** The place of the package in the command; -1 where no launcher begins it. */
function findPackage(command: readonly string[]): number {
  const launcher = LAUNCHERS.find((words) => words.every((word, at) => command[at] === word));
  if (launcher === undefined) return -1;
  return command.findIndex((word, at) => at >= launcher.length && !word.startsWith('-'));
}

function askVersion(name: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = execFile('npm', ['view', name, 'version'], { timeout: VIEW_MS }, (error, stdout) => {
      const version = stdout.trim();
      resolve(error === null && /^\d[\w.+-]*$/.test(version) ? version : undefined);
    });
    child.stdin?.end();
  });
}
