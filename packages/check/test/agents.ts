import { readdirSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DialectName } from '@plugboard/protocol';
import { type CaseResult, checkAgent, type Report } from '../src/index.ts';
import { ENVIRONMENT } from './environment.ts';

/** The folders of test agents, by dialect. */
export const FOLDERS: Readonly<Record<DialectName, string>> = {
  nib: 'nib',
  agentproc: 'agentproc',
  'agentproc/v4': 'agentproc-v4',
  terminal: 'terminal',
  nuum: 'nuum',
};

/** A path below this folder. */
export function at(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** Each broken program of a folder, with the name of the case it breaks. */
export function brokenIn(folder: string): { readonly name: string; readonly path: string }[] {
  return readdirSync(at(folder)).map((file) => ({
    name: basename(file, extname(file)),
    path: at(`${folder}/${file}`),
  }));
}

/** Checks a test agent with limits that fit it. */
export function check(
  command: readonly string[],
  dialect: DialectName,
  only?: readonly string[],
): Promise<Report> {
  const options = { dialect, environment: ENVIRONMENT, timeoutSecs: 4, graceSecs: 1 };
  return checkAgent(command, only === undefined ? options : { ...options, only });
}

/** What failed, in a form that a failing test shows whole. */
export function failures(report: Report): string[] {
  return report.cases
    .filter(({ outcome }) => outcome === 'fail')
    .map(({ id, detail }: CaseResult) => `${id}: ${detail}`);
}
