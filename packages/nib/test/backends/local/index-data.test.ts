import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendFiles } from '../../../src/backends/local/ask-for-data.ts';
import { novel } from '../start-program.ts';
import { openBackend } from './backend.ts';

const schema = {
  type: 'object',
  required: ['scene'],
  properties: { scene: { type: 'object', required: ['pov'], properties: { pov: { enum: ['ada', 'bo'] } } } },
};
const GOOD = '{"scene":{"pov":"ada"}}';
const index = { context: 'Index the scene scenes/dawn.md.', schema };

describe('continuity-index with a local model', () => {
  it('an index request sends the schema and the text of the scene, without tools', async () => {
    await using backend = await openBackend([{ text: GOOD }]);
    const done = await backend.ask('continuity-index', index);
    expect(done.result).toEqual({ data: { scene: { pov: 'ada' } } });
    const [{ body } = { body: undefined }] = backend.server.requests;
    expect(body.response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', strict: true, schema },
    });
    expect(body.temperature).toBe(0.2);
    expect(body.tools).toBeUndefined();
    expect(body.messages.at(-1).content).toContain('Ada locks the the door.');
  });

  it('an index request is repeated without the schema if the server refuses it', async () => {
    await using backend = await openBackend(({ body }) =>
      body.response_format === undefined
        ? { text: `\`\`\`json\n${GOOD}\n\`\`\`` }
        : { status: 400, error: "'response_format.type' must be 'text'" },
    );
    expect((await backend.ask('continuity-index', index)).result).toEqual({
      data: { scene: { pov: 'ada' } },
    });
    expect(backend.server.requests).toHaveLength(2);
  });

  it.each([
    ['<think>{"scene":{"pov":"bo"}}</think>', GOOD],
    ['Here it is:\n', GOOD],
    ['```\n', `${GOOD}\n\`\`\``],
  ])('finds the data of an index after %j', async (before, data) => {
    await using backend = await openBackend([{ text: before + data }]);
    expect((await backend.ask('continuity-index', index)).result).toEqual({
      data: { scene: { pov: 'ada' } },
    });
  });

  it.each([
    ['{"scene":{"pov":"cy"}}', 'data.scene.pov is not one of ["ada","bo"]'],
    ['{"facts":[]}', 'data.scene is missing'],
    ['I cannot.', 'it holds no JSON object'],
    ['[1]', 'data is not of type "object"'],
  ])('an index request is repeated after the answer %j', async (first, problem) => {
    await using backend = await openBackend([{ text: first }, { text: GOOD }]);
    expect((await backend.ask('continuity-index', index)).result).toEqual({
      data: { scene: { pov: 'ada' } },
    });
    expect(backend.server.requests[1]?.body.messages.at(-1).content).toContain(problem);
  });

  it('an index fails with a sentence after a second invalid answer', async () => {
    await using backend = await openBackend([{ text: '{}' }]);
    const { error, result } = await backend.ask('continuity-index', index);
    expect(error).toBe('The model did not answer in the form asked for: data.scene is missing.');
    expect(result).toBeUndefined();
    expect(backend.server.requests).toHaveLength(2);
  });

  it('an index of a text too long for the model reports that', async () => {
    await using backend = await openBackend([{ status: 400, error: 'context length exceeded' }]);
    expect((await backend.ask('continuity-index', index)).error).toContain('too long for the model');
    expect(backend.server.requests).toHaveLength(1);
  });
});

describe('the files that a context names', () => {
  it('files named in a context are appended, by relative and absolute paths, also with spaces', () => {
    using place = novel();
    place.write('book/scenes/the long day.md', 'A LONG DAY');
    const absolute = join(place.root, 'scenes/the long day.md');
    expect(appendFiles(`Read ${absolute}, please.`, place.root, place.root)).toContain('A LONG DAY');
    expect(appendFiles('Read `scenes/the long day.md`.', place.root, '/other')).toContain('A LONG DAY');
    const linked = appendFiles('Read /novels/book/scenes/noon.md', place.root, '/novels/book/');
    expect(linked).toContain('Bo waits');
  });

  it('a context appends no files whose name is only part of another, nor files outside', () => {
    using place = novel();
    place.write('book/noon.md', 'ROOT NOON');
    place.write('outside.md', 'OUTSIDE');
    const text = appendFiles(
      `scenes/noon.md and ${join(place.root, '..', 'outside.md')}`,
      place.root,
      place.root,
    );
    expect(text).toContain('Bo waits');
    expect(text).not.toMatch(/ROOT NOON|OUTSIDE/);
  });
});
