import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Novel, novel } from '../../start-program.ts';
import { openBackend } from '../backend.ts';

const talk = (session: object) => ({ context: 'You are Ada.', session: { id: 'ada-1', ...session } });

function kept(place: Novel): string[] {
  const sessions = join(place.root, '..', 'state', 'nib', 'sessions');
  const [project = ''] = readdirSync(sessions);
  return readdirSync(join(sessions, project)).map((name) => join(sessions, project, name));
}

describe('a conversation with a local model', () => {
  it('a conversation continues with each line, and is stored with mode 600', async () => {
    await using backend = await openBackend([{ text: 'I am Ada.' }, { text: 'The mill.' }]);
    expect((await backend.ask('character-talk', talk({}))).deltas).toBe('I am Ada.');
    expect((await backend.say('Where do you live?')).deltas).toBe('The mill.');
    const { messages, tools } = backend.server.requests[1]?.body ?? {};
    expect(messages).toEqual([
      { role: 'user', content: 'You are Ada.' },
      { role: 'assistant', content: 'I am Ada.' },
      { role: 'user', content: 'Where do you live?' },
    ]);
    expect(tools).toBeUndefined();
    const [file = ''] = kept(backend.novel);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8')).said).toHaveLength(4);
  });

  it('a conversation can be resumed by a later process', async () => {
    using place = novel();
    {
      await using first = await openBackend([{ text: 'I am Ada.' }], {}, place);
      await first.ask('character-talk', talk({}));
    }
    await using second = await openBackend([{ text: 'As I said.' }], {}, place);
    const resumed = await second.ask('character-talk', { session: { id: 'ada-1', resume: true } });
    expect(resumed.text).toBe('I am Ada.');
    await second.say('Who?');
    expect(second.server.requests).toHaveLength(1);
    expect(second.server.requests[0]?.body.messages).toHaveLength(3);
    expect(kept(place)).toHaveLength(1);
  });

  it('a missing conversation cannot be resumed', async () => {
    await using backend = await openBackend([]);
    expect((await backend.ask('character-talk', { session: { id: 'x', resume: true } })).error).toBe(
      'There is no conversation x of this project to resume. Start one without --resume.',
    );
  });

  it('an earlier conversation is renamed at the first answer of a new one', async () => {
    using place = novel();
    await using backend = await openBackend([{ text: 'One.' }, { status: 401 }, { text: 'Two.' }], {}, place);
    await backend.ask('character-talk', talk({}));
    await backend.ask('character-talk', talk({ new: true }));
    expect(kept(place)).toHaveLength(1);
    const { steps } = await backend.ask('character-talk', talk({ new: true }));
    expect(steps.join()).toContain('The conversation before this one is kept in ');
    const texts = kept(place).map((file) => JSON.parse(readFileSync(file, 'utf8')).said[1].text);
    expect(texts.sort()).toEqual(['One.', 'Two.']);
  });

  it('a conversation is kept when the next answer fails', async () => {
    await using backend = await openBackend([{ text: 'One.' }, { status: 500 }]);
    await backend.ask('character-talk', talk({}));
    expect((await backend.say('And?')).error).toContain('in trouble');
    const [file = ''] = kept(backend.novel);
    expect(JSON.parse(readFileSync(file, 'utf8')).said).toHaveLength(2);
  });

  it.each(['../../../evil', 'a/b', '..', 'ü'])(
    'the file of a conversation named %j stays in its directory',
    async (id) => {
      await using backend = await openBackend([{ text: 'One.' }]);
      await backend.ask('character-talk', talk({ id }));
      expect(kept(backend.novel)).toHaveLength(1);
    },
  );

  it('a damaged conversation is reported and not overwritten', async () => {
    await using backend = await openBackend([{ text: 'One.' }]);
    await backend.ask('character-talk', talk({}));
    const [file = ''] = kept(backend.novel);
    chmodSync(file, 0o600);
    writeFileSync(file, '{"said":[{"role":"user"}]}');
    const { error } = await backend.ask('character-talk', talk({ resume: true }));
    expect(error).toBe(`The conversation in ${file} cannot be read. Move the file away to start anew.`);
  });

  it('a conversation about a scene has tools, and shows text before and after their calls', async () => {
    await using backend = await openBackend([
      { text: 'Let me read.', calls: [{ name: 'read', input: { path: 'scenes/dawn.md' } }] },
      { text: 'The mill is good.' },
      { text: 'Because.' },
    ]);
    const done = await backend.ask('scene-critique', { paths: ['scenes/dawn.md'] });
    expect(done.deltas).toBe('Let me read.\n\nThe mill is good.');
    expect(done.steps).toEqual(['Reading scenes/dawn.md']);
    expect((await backend.say('Why?')).deltas).toBe('Because.');
  });

  it('an answer that breaks off is not shown twice', async () => {
    await using backend = await openBackend([
      { text: 'half an answer', streamError: 'out of memory' },
      { text: 'again' },
    ]);
    const done = await backend.ask('character-talk', talk({}));
    expect(done).toMatchObject({ deltas: 'half an answer', error: expect.stringContaining('broke off') });
  });
});
