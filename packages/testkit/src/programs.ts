import { fileURLToPath } from 'node:url';

const program = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The agent that does one thing of each kind. */
export const SHOWCASE: readonly string[] = [process.execPath, program('../agents/showcase.ts')];

/** The file of a command as it is published: slow tests have everything built before they begin. */
export function builtCommand(folder: 'cli' | 'nib' | 'nuum', name: string): string {
  return program(`../../${folder}/dist/bin/${name}.js`);
}

/** The command line under test. */
export const PLUGBOARD: readonly string[] = [process.execPath, builtCommand('cli', 'plugboard')];

/** The command that starts an SDK agent for a host of this dialect. */
export function startedAs(dialect: string, argv: readonly string[]): readonly string[] {
  return dialect === 'nuum' ? [...argv, '--stdio'] : argv;
}
