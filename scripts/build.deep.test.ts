import { afterAll, beforeAll, describe, it } from 'vitest';
import { buildLibraries } from './build/all.ts';
import { type Installation, install } from './build/installation.ts';
import { PROOFS } from './build/prove.ts';

describe('the packages as they are published', () => {
  let installation: Installation;

  // The commands are there already, and other tests are using them.
  beforeAll(async () => {
    await buildLibraries();
    installation = install();
  });
  afterAll(() => installation?.remove());

  it.each(PROOFS)('serve for $name', ({ run }) => run(installation));
});
