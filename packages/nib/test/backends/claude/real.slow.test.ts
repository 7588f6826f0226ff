import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type ModelReply, startModelServer } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { getLauncher, type Novel, novel, startProgram } from '../start-program.ts';

const CLAUDE = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'claude'))
  .find((file) => existsSync(file));

/** A model that makes these calls one by one; requests without tools ask for a title of the conversation. */
async function modelThatCalls(calls: NonNullable<ModelReply['calls']>) {
  let next = 0;
  const server = await startModelServer(({ body }) => {
    const call = (body?.tools ?? []).length === 0 ? undefined : calls[next++];
    return call === undefined ? { text: 'Done.' } : { calls: [{ id: `toolu_${next}`, ...call }] };
  });
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
}

/** Sends a request to the real program, for an author whose settings allow all tools. */
async function ask(place: Novel, baseUrl: string, request: object) {
  const home = join(place.root, '..', 'home');
  mkdirSync(join(home, '.claude'), { recursive: true });
  const permissions = { allow: ['Read(//**)', 'Edit', 'Write', 'Bash'] };
  writeFileSync(join(home, '.claude', 'settings.json'), JSON.stringify({ permissions }));
  const env = {
    ...place.env,
    HOME: home,
    NIB_CLAUDE_COMMAND: CLAUDE ?? '',
    ANTHROPIC_BASE_URL: baseUrl.replace(/\/v1$/, ''),
    ANTHROPIC_API_KEY: 'key',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  };
  const input = JSON.stringify({ dir: place.root, ...request });
  return startProgram([process.execPath, getLauncher('nib-agent-claude')], { cwd: place.root, env, input })
    .done;
}

describe.skipIf(CLAUDE === undefined)('nib-agent-claude with Claude Code itself', () => {
  it("Claude Code edits only the named scene, even if the author's settings allow more", async () => {
    using place = novel();
    const outside = join(place.root, '..', 'outside.md');
    writeFileSync(outside, 'outside\n');
    const scene = join(place.root, 'scenes/dawn.md');
    const [word = ''] = readFileSync(scene, 'utf8').split(' ');
    await using server = await modelThatCalls([
      { name: 'Read', input: { file_path: scene } },
      { name: 'Edit', input: { file_path: scene, old_string: word, new_string: `${word}!` } },
      { name: 'Read', input: { file_path: outside } },
      { name: 'Edit', input: { file_path: outside, old_string: 'outside', new_string: 'changed' } },
      { name: 'Write', input: { file_path: outside, content: 'changed' } },
      { name: 'Read', input: { file_path: join(place.root, 'scenes/noon.md') } },
      { name: 'Bash', input: { command: `echo changed > '${outside}'`, description: 'x' } },
    ]);
    const done = await ask(place, server.baseUrl, { operation: 'scene-proof', paths: ['scenes/dawn.md'] });
    expect(JSON.parse(done.stdout), done.stderr).toMatchObject({ type: 'success', text: 'Done.' });
    expect(readFileSync(scene, 'utf8')).toContain(`${word}!`);
    expect(readFileSync(outside, 'utf8')).toBe('outside\n');
    const noon = readFileSync(join(place.root, 'scenes/noon.md'), 'utf8').trim();
    expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain(noon);
    const tools = server.requests.flatMap(({ body }) => body?.tools ?? []);
    expect(new Set(tools.map(({ name }: { name: string }) => name))).toEqual(new Set(['Read', 'Edit']));
  });

  it('a wrong key for Claude Code is reported within ten seconds', async () => {
    using place = novel();
    const server = await startModelServer([{ status: 401, error: 'invalid x-api-key' }]);
    const began = performance.now();
    const done = await ask(place, server.baseUrl, { operation: 'continuity-ask', question: 'Who?' });
    await server.close();
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(JSON.parse(done.stdout).error).toContain('the server refuses the key or the login (401');
  });
});
