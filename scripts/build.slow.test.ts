import { afterAll, beforeAll, describe, it } from 'vitest';
import { buildAll } from './build/all.ts';
import { type Installation, install } from './build/installation.ts';
import { PROOFS } from './build/prove.ts';

describe('the packages as they are published', () => {
  let installation: Installation;

  beforeAll(async () => {
    await buildAll();
    installation = install();
  });
  afterAll(() => installation?.remove());

  it.each(PROOFS)('serve for $name', ({ run }) => run(installation));
});
