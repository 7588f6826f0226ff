import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Installation, install } from './build/installation.ts';
import { PROOFS } from './build/prove.ts';

describe('the packages as they are published', () => {
  let installation: Installation;

  beforeAll(() => {
    installation = install();
  });
  afterAll(() => installation?.remove());

  it.each(PROOFS)('serve for $name', ({ run }) => run(installation));
});
