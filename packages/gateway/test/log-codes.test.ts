import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

/** A call of the logger up to the bracket that opens its arguments. */
const CALL = /\blog\.(?:debug|info|warn|error)\(/;

/** Source of each file that writes to the log of the gateway. */
const SOURCES = globSync('packages/{gateway,cli}/src/**/*.ts', { cwd: ROOT })
  .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const)
  .filter(([, source]) => CALL.test(source));

/** The arguments of each call of the logger. */
function callsIn(source: string): string[] {
  return source
    .split(new RegExp(CALL, 'g'))
    .slice(1)
    .map((rest) => {
      let depth = 1;
      let at = 0;
      for (; depth > 0 && at < rest.length; at += 1) {
        if (rest[at] === '(') depth += 1;
        if (rest[at] === ')') depth -= 1;
      }
      return rest.slice(0, at - 1);
    });
}

it('each log code of the source stands in docs/gateway.md, and no other', () => {
  const docs = readFileSync(join(ROOT, 'docs/gateway.md'), 'utf8');
  const [, section = ''] = /^## Log codes\n(.+?)^## /ms.exec(docs) ?? [];
  const documented = [...section.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, code]) => code);
  // Not the codes of errors and refusals, which stand behind a message.
  const used = SOURCES.flatMap(([, source]) =>
    [...source.matchAll(/(?<!message, )\bcode: '([a-z]+(?:-[a-z]+)+)'/g)].map(([, code]) => code),
  );
  expect(documented).toEqual([...new Set(used)].sort());
});

/** Where each call of the logger has a code. */
const CODED = /\/gateway\/src\//;

it.each(SOURCES.filter(([file]) => CODED.test(file)))('each log record of %s has a code', (_file, source) => {
  for (const call of callsIn(source)) expect(call).toMatch(/code: '[a-z]+(?:-[a-z]+)+'/);
});
