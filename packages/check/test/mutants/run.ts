import type { DialectName } from '@plugboard/protocol';
import { expect } from 'vitest';
import { checkHost } from '../../src/host.ts';
import type { Report } from '../../src/report.ts';
import { at, check, FOLDERS, failures } from '../agents.ts';
import { ENVIRONMENT } from '../environment.ts';

export type Side = 'agent' | 'host';

function checkMutant(
  side: Side,
  dialect: DialectName,
  mutant: string,
  only?: readonly string[],
): Promise<Report> {
  const folder = FOLDERS[dialect];
  if (side === 'agent') return check([process.execPath, at(`mutants/${folder}.mjs`), mutant], dialect, only);
  const words = ['{message}', '{session}', '{timeout}'];
  // A nib host finds its agent by NIB_AGENT and has no sessions, so `{agent}` and `{session}` are absent.
  const given = dialect === 'nib' ? ['{message}', '{timeout}'] : ['{agent}', ...words];
  const hostCommand = [process.execPath, at(`mutants/hosts/${folder}.mjs`), mutant, ...given];
  return checkHost({
    dialect,
    hostCommand,
    environment: ENVIRONMENT,
    timeoutSecs: 6,
    ...(only === undefined ? {} : { only }),
  });
}

/** The case id for `caught` in `table.ts` (agents) or `host-table.ts` (hosts). */
export function idOf(side: Side, dialect: DialectName, caught: string): string {
  return side === 'agent' ? `${dialect}/${caught}` : `${dialect}/host/${caught}`;
}

/** True if the case `caught` fails for the mutant. */
export async function isCaught(
  side: Side,
  dialect: DialectName,
  mutant: string,
  caught: string,
): Promise<boolean> {
  const id = idOf(side, dialect, caught);
  const { cases } = await checkMutant(side, dialect, mutant, [id]);
  return cases.some((result) => result.id === id && result.outcome === 'fail');
}

/** Asserts that the mutant `none`, which breaks no rule, fails no case. */
export async function checkConforming(side: Side, dialect: DialectName): Promise<void> {
  const report = await checkMutant(side, dialect, 'none');
  expect(failures(report)).toEqual([]);
  expect(report.conforms).toBe(true);
}
