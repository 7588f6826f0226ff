import type { Command } from 'commander';
import type { Env } from '../env.ts';
import { NibError } from '../failure.ts';
import { printColumns, printJson } from '../output.ts';
import { rootAround } from '../project/root.ts';
import { type Conformance, checkBackend } from './check.ts';
import { type Choice, chooseBackend } from './choice.ts';
import { type InstalledBackend, installedBackends, programPath } from './lookup.ts';

/** What the person said on the command line. */
export interface AgentsOptions {
  readonly check?: boolean;
  readonly json?: boolean;
}

interface Listed extends InstalledBackend {
  readonly chosen: boolean;
  readonly conformance?: Conformance;
}

/** Lists the backends there are; fails when the chosen one is not among them, or one breaks the protocol. */
export async function listBackends(env: Env, command: Command, options: AgentsOptions): Promise<void> {
  // Backends are also of interest where there is no project yet.
  const choice = await chooseBackend(env, rootAround(env.cwd) ?? env.cwd);
  const checker = options.check === true ? requireChecker(env) : undefined;
  const listed: Listed[] = [];
  for (const backend of installedBackends(env)) {
    const conformance =
      checker === undefined ? {} : { conformance: await checkBackend(env, checker, backend) };
    listed.push({ ...backend, chosen: backend.name === choice.name, ...conformance });
  }
  if (options.json === true) printJson(env, command, { choice, backends: listed });
  else print(env, choice, listed);
  judge(choice, listed);
}

function print(env: Env, choice: Choice, listed: readonly Listed[]): void {
  const rows = listed.map(({ name, path, chosen, conformance }) => {
    const verdict = conformance === undefined ? [] : [conformance.summary];
    return [chosen ? '*' : '', name, ...verdict, path];
  });
  printColumns(env, rows);
  if (listed.length === 0)
    env.err('There is no backend on the PATH: none of its directories has a nib-agent-NAME.\n');
  env.err(`Used here: ${choice.name}, from ${choice.source}.\n`);
}

function judge(choice: Choice, listed: readonly Listed[]): void {
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
  const path = programPath(env, 'plugboard');
  if (path !== undefined) return path;
  throw new NibError(
    '--check needs the command plugboard, which is not on the PATH. Install it with npm install --global plugboard.',
  );
}
