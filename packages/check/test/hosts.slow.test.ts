import type { DialectName } from '@plugboard/protocol';
import { builtCommand } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { checkHost, type Report } from '../src/index.ts';
import { at, brokenIn, failures } from './agents.ts';
import { ENVIRONMENT } from './environment.ts';

const CLI = builtCommand('cli', 'plugboard');
const PLACEHOLDERS = ['{agent}', '{message}', '{session}', '{timeout}'];

function checkCommand(dialect: DialectName, ...command: readonly string[]): Promise<Report> {
  const hostCommand = [process.execPath, ...command];
  return checkHost({ dialect, hostCommand, environment: ENVIRONMENT, timeoutSecs: 10 });
}

/** A nib host finds its agent by name. */
function placeholders(dialect: DialectName): readonly string[] {
  return dialect === 'nib' ? ['{message}', '{timeout}'] : PLACEHOLDERS;
}

describe.concurrent('Hosts', () => {
  for (const dialect of ['terminal', 'agentproc', 'agentproc/v4'] as const) {
    it(`our own command line passes every check of ${dialect} hosts`, async () => {
      const own = [
        'run',
        '--dialect',
        dialect,
        '--timeout',
        '{timeout}',
        '--session',
        '{session}',
        '-m',
        '{message}',
      ];
      const report = await checkCommand(dialect, CLI, ...own, '--', '{agent}');
      expect(failures(report)).toEqual([]);
      expect(report.skipped).toBe(0);
    });
  }

  it('a small host passes every check of nib hosts', async () => {
    const report = await checkCommand('nib', at('hosts/good-nib.mjs'), ...placeholders('nib'));
    expect(failures(report)).toEqual([]);
  });

  const folders = {
    terminal: 'terminal',
    agentproc: 'agentproc',
    'agentproc/v4': 'agentproc-v4',
    nib: 'nib',
  } as const;
  for (const [name, folder] of Object.entries(folders)) {
    const dialect = name as DialectName;
    for (const broken of brokenIn(`broken-hosts/${folder}`)) {
      it(`${folder}/${broken.name} fails exactly its case`, async () => {
        const report = await checkCommand(dialect, broken.path, ...placeholders(dialect));
        const ids = failures(report).map((failure) => failure.slice(0, failure.indexOf(': ')));
        expect(ids, failures(report).join('\n')).toEqual([`${dialect}/host/${broken.name}`]);
      });
    }
  }
});
