import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { createRecorder, type RecorderOptions } from '../src/record/recorder.ts';

const ENVELOPE = '{"version":1,"providers":{"openai":{"apiKeys":["key-of-mine"]}}}\n';

function record(options: RecorderOptions): { text: string; redacted: boolean } {
  using directory = temporaryDirectory();
  const file = join(directory.path, 'a.rec');
  const recorder = createRecorder(file, options);
  recorder.tap({ dialect: 'terminal', name: 'a' }).write('stdin', Buffer.from(ENVELOPE));
  recorder.close();
  return { text: readFileSync(file, 'utf8'), redacted: recorder.redacted };
}

it('a recording holds no keys of providers, and says that it does not', () => {
  const { text, redacted } = record({});
  expect(redacted).toBe(true);
  expect(text).not.toContain('key-of-mine');
  expect(text).toContain('[secret]');
});

it('a recording holds keys when that is asked for', () => {
  const { text, redacted } = record({ keepSecrets: true });
  expect(redacted).toBe(false);
  expect(text).toContain('key-of-mine');
});
