import { fileURLToPath } from 'node:url';
import { type DialectName, dialects } from '@plugboard/protocol';

const program = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The command of `agents/showcase.ts`. */
export const SHOWCASE: readonly string[] = [process.execPath, program('../agents/showcase.ts')];

/** The command of `agents/coder.ts`. */
export const CODER: readonly string[] = [process.execPath, program('../agents/coder.ts')];

/** The command of `agents/claude.ts`, which speaks the wire of Claude Code without a model. */
export const SCRIPTED_CLAUDE: readonly string[] = [process.execPath, program('../agents/claude.ts')];

/** The command of `agents/codex.ts`, which speaks both wires of Codex without a model. */
export const SCRIPTED_CODEX: readonly string[] = [process.execPath, program('../agents/codex.ts')];

/** The command of `agents/acp.ts`, an agent of the Agent Client Protocol without a model. */
export const SCRIPTED_ACP: readonly string[] = [process.execPath, program('../agents/acp.ts')];

/** The file of a published command in `dist`, which `scripts/build/before-tests.ts` builds before slow tests. */
export function builtCommand(folder: string, name: string): string {
  return program(`../../${folder}/dist/bin/${name}.js`);
}

/** The published `plugboard` command. */
export const PLUGBOARD: readonly string[] = [process.execPath, builtCommand('cli', 'plugboard')];

/** The `plugboard` command in its source form, with a module that is loaded before it. */
export function plugboardWith(module: string): readonly string[] {
  return [process.execPath, '--import', module, program('../../cli/bin/plugboard.js')];
}

/** The command that starts an SDK agent: a `nuum` host needs `--stdio`. */
export function startedAs(dialect: string, argv: readonly string[]): readonly string[] {
  return [...argv, ...(dialects[dialect as DialectName].startArguments ?? [])];
}
