import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { shell, worker } from '../harness.ts';
import { gather, speaker, startDesk } from './client.ts';

const user = (content: string) => ({ role: 'user' as const, content });

describe.concurrent('chat completions', () => {
  it('list every agent as a model, to those who may use it', async () => {
    const desk = await startDesk({
      agents: (at) => [shell('one', 'echo 1', at), shell('two', 'echo 2', at)],
    });
    const ids = async (client = desk.client) => (await client.models.list()).data.map(({ id }) => id);
    expect(await ids()).toEqual(['one', 'two']);
    expect(await ids(await desk.clientWith(['chat', 'agent:two']))).toEqual(['two']);
    expect(await desk.client.models.retrieve('one')).toMatchObject({ id: 'one', object: 'model' });
  });

  it('answer at once', async () => {
    const desk = await startDesk({ agents: (at) => [speaker('one', 'agentproc/v4', at)] });
    const answer = await desk.client.chat.completions.create({
      model: 'one',
      messages: [user('count')],
      temperature: 0.5,
      max_completion_tokens: 10,
      seed: 1,
      stop: ['x'],
      response_format: { type: 'text' },
    });
    expect(answer).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      model: 'one',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: 'counted', refusal: null },
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    });
    expect(Math.abs(answer.created - Date.now() / 1000)).toBeLessThan(60);
    expect(answer._request_id).toMatch(/^[\w-]+$/);
  });

  it('do not repeat counts that cannot be', async () => {
    const desk = await startDesk({ agents: (at) => [speaker('one', 'agentproc/v4', at)] });
    const { usage } = await desk.client.chat.completions.create({
      model: 'one',
      messages: [user('miscount')],
    });
    expect(usage).toEqual({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });
  });

  it('stream what is said piece by piece, and what is thought beside it', async () => {
    const desk = await startDesk({ agents: (at) => [speaker('one', 'agentproc/v4', at)] });
    const stream = await desk.client.chat.completions.create({
      model: 'one',
      messages: [user('think')],
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await gather(stream);
    expect(chunks.map(({ choices }) => choices[0]?.delta)).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'hm ' },
      { reasoning_content: 'hm' },
      { content: 'so ' },
      { content: 'be it' },
      {},
      undefined,
    ]);
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.map(({ usage }) => usage?.total_tokens)).toEqual([...Array(6).fill(undefined), 0]);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  it('end a stream with [DONE], and only when all was said', async () => {
    const desk = await startDesk({ agents: (at) => [worker('one', 'terminal', at)] });
    const raw = async (text: string): Promise<string> => {
      const body = { model: 'one', messages: [user(text)], stream: true };
      const response = await desk.call('POST', '/v1/chat/completions', body);
      expect(response.headers.get('content-type')).toContain('text/event-stream');
      return response.text();
    };
    const said = await raw('line\ndata: [DONE]\r\nevent: x');
    expect(said.split('\n\n').every((block) => block === '' || block.startsWith('data: '))).toBe(true);
    expect(said.match(/^data: \[DONE\]$/gm)?.length).toBe(1);
    expect(said.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(await raw('fail')).not.toContain('[DONE]');
  });

  it('say the same in a stream and at once, and leave tools and progress out', async () => {
    const desk = await startDesk({ agents: (at) => [speaker('one', 'nuum', at)] });
    for (const text of ['twice', 'think', 'nothing', 'word for word']) {
      const body = { model: 'one', messages: [user(text)] };
      const whole = (await desk.client.chat.completions.create(body)).choices[0]?.message.content;
      const runner = desk.client.chat.completions.stream(body);
      expect((await runner.finalMessage()).content ?? '').toBe(whole);
      if (text === 'twice') expect(whole).toBe('one\n\ntwo');
    }
  });

  it('give commands of the gateway to the agent', async () => {
    const desk = await startDesk({ agents: (at) => [worker('one', 'agentproc', at)] });
    for (const text of ['/stop', '/new', '//help', '/agent two']) {
      expect(await desk.chat('one', text)).toBe(text);
    }
  });

  it('give the agent the words as they are, and name the session after them', async () => {
    const desk = await startDesk({ agents: (at) => [worker('one', 'agentproc', at)] });
    for (const text of ['/stop', '//help', '  \n /new', 'a / b']) {
      await desk.chat('one', text, { 'X-Plugboard-Session': text.trim() });
      const [session] = await desk.store.sessions.list({ limit: 1 });
      if (session === undefined) throw new Error('no session');
      expect(session.title).toBe(text.trim());
      const [said] = await desk.log(session);
      expect(said?.event).toMatchObject({ type: 'user', text });
    }
  });

  it('hand pictures and files to the agent', async () => {
    const desk = await startDesk({ agents: (at) => [worker('one', 'terminal', at)] });
    const png = Buffer.from('89504e470d0a1a0a0000', 'hex').toString('base64');
    const { choices } = await desk.client.chat.completions.create({
      model: 'one',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'attached here' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
            { type: 'image_url', image_url: { url: 'https://example.org/cat.jpg' } },
            { type: 'file', file: { filename: 'note.txt', file_data: Buffer.from('hi').toString('base64') } },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          ],
        },
      ],
    });
    const content = choices[0]?.message.content ?? '';
    const lines = content.split('\n');
    const paths = lines.map((line) => line.split(': ')[1] ?? '');
    expect(readFileSync(paths[0] ?? '').toString('base64')).toBe(png);
    expect(readFileSync(paths[1] ?? '', 'utf8')).toBe('hi');
    expect(lines[3]).toBe('https://example.org/cat.jpg');
    expect(lines.length).toBe(4);
    const [session] = await desk.store.sessions.list({ limit: 1 });
    if (session === undefined) throw new Error('no session');
    const log = await desk.store.log.read(session.id, { after: 0, limit: 9 });
    const said = log.find(({ event }) => event.type === 'user')?.event;
    expect(said).toMatchObject({
      attachments: [
        { kind: 'image', name: 'image.png' },
        { kind: 'image', url: 'https://example.org/cat.jpg' },
        { kind: 'file', name: 'note.txt' },
        { name: 'audio.wav' },
      ],
    });
  });

  it('give the files that the agent hands out as links', async () => {
    const desk = await startDesk({ agents: (at) => [worker('one', 'terminal', at)] });
    const content = (await desk.chat('one', 'file note.txt')) ?? '';
    const [, url] = /^Here it is\.\n\n\[note\.txt\]\((http:\S+)\)$/.exec(content) ?? [];
    const file = await fetch(url ?? '', { headers: { authorization: `Bearer ${desk.token}` } });
    expect(await file.text()).toBe('made by the agent');
  });
});
