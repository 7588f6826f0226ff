import { expect, it } from 'vitest';
import { inputText } from '../../src/program/input-text.ts';

it('shows all of an input that a person is asked about, or how much of it is missing', () => {
  expect(inputText({ command: 'ls' })).toBe('{"command":"ls"}');
  const long = inputText({ command: `echo ${'x'.repeat(10_000)}; rm -rf /` });
  expect(long).toMatch(/\[… 6\d{3} characters are not shown …\]/);
  expect(long).toContain('rm -rf /');
});
