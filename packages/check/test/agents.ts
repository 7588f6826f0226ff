import { existsSync, readdirSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DialectName } from '@plugboard/protocol';
import { checkAgent } from '../src/agent.ts';
import type { CaseResult, Report } from '../src/report.ts';
import { ENVIRONMENT } from './environment.ts';

/** Folder of test agents below `good` and `broken`, by dialect. */
export const FOLDERS: Readonly<Record<DialectName, string>> = {
  nib: 'nib',
  agentproc: 'agentproc',
  'agentproc/v4': 'agentproc-v4',
  terminal: 'terminal',
  nuum: 'nuum',
  claude: 'claude',
  acp: 'acp',
  codex: 'codex',
  'codex/exec': 'codex-exec',
};

/** Absolute path of a file in `test`. */
export function at(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Broken agents of a folder, none without it; `name` is the last part of the id of the only case that each fails. */
export function brokenIn(folder: string): { readonly name: string; readonly path: string }[] {
  if (!existsSync(at(folder))) return [];
  return readdirSync(at(folder)).map((file) => ({
    name: basename(file, extname(file)),
    path: at(`${folder}/${file}`),
  }));
}

/** Runs `checkAgent` with the time limits of test agents. */
export function check(
  command: readonly string[],
  dialect: DialectName,
  only?: readonly string[],
): Promise<Report> {
  const options = { dialect, environment: ENVIRONMENT, timeoutSecs: 4, graceSecs: 1 };
  return checkAgent(command, only === undefined ? options : { ...options, only });
}

/** Failed cases as `id: detail`, so that a failing assertion prints them. */
export function failures(report: Report): string[] {
  return report.cases
    .filter(({ outcome }) => outcome === 'fail')
    .map(({ id, detail }: CaseResult) => `${id}: ${detail}`);
}
