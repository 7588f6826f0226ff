import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { replaceFile } from '../../../src/tools/files/replace.ts';

let place: TemporaryDirectory;
let file: string;
beforeEach(() => {
  place = temporaryDirectory();
  file = join(place.path, 'f');
});
afterEach(() => place[Symbol.dispose]());

const bytes = Buffer.from('new');

it('replaceFile refuses a file that was replaced meanwhile', async () => {
  writeFileSync(file, 'old');
  const before = lstatSync(file);
  writeFileSync(file, 'somebody was faster');
  await expect(replaceFile(file, bytes, before)).rejects.toThrow('changed by somebody else');
  expect(readFileSync(file, 'utf8')).toBe('somebody was faster');
  expect(readdirSync(place.path)).toEqual(['f']);
});

it('replaceFile refuses a file that was created meanwhile', async () => {
  writeFileSync(file, 'somebody was faster');
  await expect(replaceFile(file, bytes, undefined)).rejects.toThrow('changed by somebody else');
});

it('replaceFile refuses a file that was removed meanwhile', async () => {
  writeFileSync(file, 'old');
  const before = lstatSync(file);
  rmSync(file);
  await expect(replaceFile(file, bytes, before)).rejects.toThrow();
  expect(readdirSync(place.path)).toEqual([]);
});
