import type { DialectName } from '@plugboard/protocol';
import { expect } from 'vitest';
import { checkHost, type Report } from '../../src/index.ts';
import { at, check, FOLDERS, failures } from '../agents.ts';
import { ENVIRONMENT } from '../environment.ts';

/** Which program is checked. */
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
  // A nib host finds its agent by name and keeps no session.
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

/** The id of a case. */
export function idOf(side: Side, dialect: DialectName, caught: string): string {
  return side === 'agent' ? `${dialect}/${caught}` : `${dialect}/host/${caught}`;
}

/** Whether a case fails for the program that breaks one rule. */
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

/** The program that breaks no rule fails no case. */
export async function checkConforming(side: Side, dialect: DialectName): Promise<void> {
  const report = await checkMutant(side, dialect, 'none');
  expect(failures(report)).toEqual([]);
  expect(report.conforms).toBe(true);
}
