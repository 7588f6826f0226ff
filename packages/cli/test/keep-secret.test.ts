import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { keepSecret } from '../src/channels/keep-secret.ts';

it('a secret of another configuration is kept when a second one has the same name', () => {
  using directory = temporaryDirectory();
  const secrets = join(directory.path, 'secrets');
  const first = keepSecret(secrets, 'telegram-token', 'one');
  const second = keepSecret(secrets, 'telegram-token', 'two');
  expect([first, second].map((file) => readFileSync(file, 'utf8'))).toEqual(['one\n', 'two\n']);
  expect(keepSecret(secrets, 'telegram-token', 'two')).toBe(second);
  expect(statSync(second).mode & 0o077).toBe(0);
});
