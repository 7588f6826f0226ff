import type { DialectName } from '@plugboard/protocol';
import { describe, expect, it, vi } from 'vitest';
import { listAgentCases } from '../src/agent.ts';
import { brokenIn, check, FOLDERS, failures } from './agents.ts';

// Many broken agents idle until a time-out, so 8 of them at once cost little CPU.
vi.setConfig({ maxConcurrency: 8 });

describe.concurrent('Broken agents', () => {
  for (const [dialect, folder] of Object.entries(FOLDERS)) {
    if (listAgentCases(dialect as DialectName).length === 0) continue;
    for (const { name, path } of brokenIn(`broken/${folder}`)) {
      it(`${folder}/${name} fails exactly its case`, async () => {
        const command = path.endsWith('.mjs') ? [process.execPath, path] : [path];
        const report = await check(command, dialect as DialectName);
        const ids = failures(report).map((failure) => failure.slice(0, failure.indexOf(': ')));
        expect(ids, failures(report).join('\n')).toEqual([`${dialect}/${name}`]);
      });
    }
  }
});
