import { expect, it } from 'vitest';
import { permissionsBy } from '../src/permission.ts';
import type { Station } from '../src/station.ts';

/** A host that can be asked, and its answers. */
function host(answers: string[]) {
  const written: string[] = [];
  const station = {
    dialect: {
      agent: {
        askPermission: (_state: unknown, { id }: { id: string }) => `${id}\n`,
        step: (_state: unknown, line: string, out: unknown[]) => out.push(JSON.parse(line)),
      },
    },
    state: {},
    output: { write: async (text: string) => void written.push(text) },
    log: () => {},
  } as unknown as Station;
  const lines = answers.values();
  const ask = permissionsBy(station, { next: async () => lines.next() as IteratorResult<string> });
  return { ask, written };
}

it('is asked, and answers', async () => {
  const answer = { type: 'permission', id: 'permission-1', permission: { allowed: true } };
  const { ask, written } = host([JSON.stringify(answer)]);
  expect(await ask('rm', {}, new AbortController().signal)).toEqual({ allowed: true });
  expect(written).toEqual(['permission-1\n']);
});

it('is not asked in a turn that was cancelled', async () => {
  const { ask, written } = host([]);
  expect(await ask('rm', {}, AbortSignal.abort())).toMatchObject({ allowed: false });
  expect(written).toEqual([]);
});
