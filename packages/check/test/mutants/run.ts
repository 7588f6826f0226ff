import type { DialectName } from '@plugboard/protocol';
import { expect } from 'vitest';
import { at, check, FOLDERS, failures } from '../agents.ts';

function commandOf(dialect: DialectName, mutant: string): readonly string[] {
  return [process.execPath, at(`mutants/${FOLDERS[dialect]}.mjs`), mutant];
}

/** Whether a case fails for the agent that breaks one rule. */
export async function isCaught(dialect: DialectName, mutant: string, caught: string): Promise<boolean> {
  const id = `${dialect}/${caught}`;
  const { cases } = await check(commandOf(dialect, mutant), dialect, [id]);
  return cases.some((result) => result.id === id && result.outcome === 'fail');
}

/** The agent that breaks no rule fails no case. */
export async function checkConforming(dialect: DialectName): Promise<void> {
  const report = await check(commandOf(dialect, 'none'), dialect);
  expect(failures(report)).toEqual([]);
  expect(report.conforms).toBe(true);
}
