import { expect, it } from 'vitest';
import { createTalkSessionId } from '../../src/talk/talk.ts';

it.each([
  ['2.1', '9f63d056-f976-5821-a28d-6502ede9fd72'],
  ['1.1', '3db6c856-4f24-5d7e-9028-7e0e8cc4b6e7'],
  ['1', '2e40ecb3-5b69-5a96-802d-47f93fab4b1e'],
  ['37.2', '07bfb2ee-4f6d-573d-a2fb-9f8ed2f51cd8'],
])('a talk with a character at %s always has the same session id', (scene, id) => {
  expect(createTalkSessionId('lance-thurgood', scene)).toBe(id);
});
