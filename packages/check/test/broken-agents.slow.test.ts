import type { DialectName } from '@plugboard/protocol';
import { describe, expect, it, vi } from 'vitest';
import { brokenIn, check, FOLDERS, failures } from './agents.ts';

// Many of them are waited for in vain, which costs nothing but time.
vi.setConfig({ maxConcurrency: 8 });

describe.concurrent('Broken agents', () => {
  for (const [dialect, folder] of Object.entries(FOLDERS)) {
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
