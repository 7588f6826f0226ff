import type { Command } from 'commander';
import type { Env } from '../env.ts';
import { NibError } from '../nib-error.ts';
import { printColumns, printJson } from '../output.ts';
import { findRootIfAny } from '../project/project-root.ts';
import { type Choice, chooseBackend } from './choose-backend.ts';
import { type Conformance, checkBackend } from './conformance.ts';
import { findProgramPath, type InstalledBackend, listInstalledBackends } from './find-backend.ts';

/** The options of `nib agents`. */
export interface AgentsOptions {
  readonly check?: boolean;
  readonly json?: boolean;
}

interface Listed extends InstalledBackend {
  readonly chosen: boolean;
  readonly conformance?: Conformance;
}

/**
 * Lists the installed backends; fails when the chosen backend is not installed, or a checked one breaks the protocol.
 */
export async function listBackends(env: Env, command: Command, options: AgentsOptions): Promise<void> {
  // Outside of a project `cwd` stands for its root: the list is useful there too.
  const choice = await chooseBackend(env, findRootIfAny(env.cwd) ?? env.cwd);
  const checker = options.check === true ? requireChecker(env) : undefined;
  const listed: Listed[] = [];
  for (const backend of listInstalledBackends(env)) {
    const conformance =
      checker === undefined ? {} : { conformance: await checkBackend(env, checker, backend) };
    listed.push({ ...backend, chosen: backend.name === choice.name, ...conformance });
  }
  if (options.json === true) printJson(env, command, { choice, backends: listed });
  else printBackends(env, choice, listed);
  requireUsable(choice, listed);
}

function printBackends(env: Env, choice: Choice, listed: readonly Listed[]): void {
  const rows = listed.map(({ name, path, chosen, conformance }) => {
    const verdict = conformance === undefined ? [] : [conformance.summary];
    return [chosen ? '*' : '', name, ...verdict, path];
  });
  printColumns(env, rows);
  if (listed.length === 0)
    env.err('There is no backend on the PATH: none of its directories has a nib-agent-NAME.\n');
  env.err(`Used here: ${choice.name}, from ${choice.source}.\n`);
}

function requireUsable(choice: Choice, listed: readonly Listed[]): void {
  if (!listed.some(({ chosen }) => chosen)) {
    throw new NibError(
      `The backend ${choice.name} is not on the PATH as nib-agent-${choice.name}. Install it, or choose another with NIB_AGENT or git config nib.agent NAME.`,
    );
  }
  const broken = listed.filter(({ conformance }) => conformance?.conforms === false);
  if (broken.length === 0) return;
  const names = broken.map(({ name }) => name).join(', ');
  throw new NibError(
    `These do not keep to the protocol: ${names}. plugboard check --dialect nib -- nib-agent-NAME tells why.`,
  );
}

function requireChecker(env: Env): string {
  const path = findProgramPath(env, 'plugboard');
  if (path !== undefined) return path;
  throw new NibError(
    '--check needs the command plugboard, which is not on the PATH. Install it with npm install --global plugboard.',
  );
}
