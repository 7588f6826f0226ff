import { expect, it } from 'vitest';
import { redactFrames, redactKeys } from '../src/index.ts';

const KEY = 'sk-abcdefghijklmnop0123456789';

it.each([
  [`{"providers":{"openai":{"apiKeys":["${KEY}","short"],"models":["m"]}}}`],
  ['{"api_key": "x\\"y", "token":"abc", "password" : "grüße", "text":"ok"}'],
  [`curl -H "Authorization: Bearer abc.def" https://user:pass@host/?token=abc ${KEY}`],
])('takes secrets out of a frame, which stays JSON and as long as it was: %s', (frame) => {
  const clean = redactFrames(frame);
  expect(Buffer.byteLength(clean)).toBe(Buffer.byteLength(frame));
  expect(clean).not.toMatch(/sk-abc|"short"|x\\"y|"abc"|grüße|abc\.def|:pass@|=abc/);
  if (frame.startsWith('{')) expect(() => JSON.parse(clean)).not.toThrow();
});

it('leaves other text as it is', () => {
  const text = '{"text":"The key to the tokens is secret.","keys":[1,2],"models":["m"]}';
  expect(redactFrames(text)).toBe(text);
  expect(redactKeys(`a ${KEY} b`)).toBe('a [secret] b');
});

it('takes no longer in proportion for a frame that is made to be slow', () => {
  const slow = [
    `"token":${' '.repeat(200_000)}`,
    `"tokens":[${'"a",'.repeat(50_000)}`,
    `"key":"${'\\\\'.repeat(100_000)}`,
  ];
  const began = process.threadCpuUsage();
  for (const frame of slow) redactFrames(frame);
  expect(process.threadCpuUsage(began).user / 1_000).toBeLessThan(2_000);
});
