import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parseEntries, readGitConfig } from '../../../src/backends/local/main.ts';
import { resolveSettings } from '../../../src/backends/local/settings.ts';
import { novel } from '../start-program.ts';

describe('the settings of the local backend', () => {
  it('settings of the local backend have defaults', () => {
    expect(resolveSettings({}, {})).toEqual({
      endpoint: 'http://localhost:1234/v1',
      model: 'qwen3-30b-a3b',
      noThink: true,
      maxTokens: 4096,
      maxCalls: 20,
    });
  });

  it('a variable overrides a setting in git, which overrides the default', () => {
    const environment = { NIB_LOCAL_MODEL: 'mine', NIB_LOCAL_ENDPOINT: '', NIB_LOCAL_NO_THINK: '0' };
    const configured = {
      model: 'theirs',
      endpoint: 'https://x.test/v1/',
      'no-think': 'true',
      'api-key': 'k',
    };
    expect(resolveSettings(environment, configured)).toMatchObject({
      model: 'mine',
      endpoint: 'https://x.test/v1',
      noThink: false,
      apiKey: 'k',
    });
  });

  it.each([
    [{ NIB_LOCAL_ENDPOINT: 'localhost' }, /^NIB_LOCAL_ENDPOINT .* is "localhost": it must be an address/],
    [{ NIB_LOCAL_ENDPOINT: 'file:///etc' }, /must be an address/],
    [{ NIB_LOCAL_NO_THINK: 'maybe' }, /must be true or false/],
    [{ NIB_LOCAL_MAX_CALLS: '0' }, /must be a number, 1 or more/],
  ])('invalid settings are refused: %j', (environment, message) => {
    expect(() => resolveSettings(environment, {})).toThrow(message);
  });

  it("settings are read from the project's git configuration, the last of several values", async () => {
    using place = novel();
    const git = (...args: string[]) => execFileSync('git', args, { cwd: place.root, env: place.env });
    git('init', '-q');
    git('config', 'nib.agents.local.model', 'first');
    git('config', '--add', 'nib.agents.local.model', 'last one');
    git('config', 'nib.agents.other.model', 'not this');
    expect(await readGitConfig(place.root, place.env, new AbortController().signal)).toEqual({
      model: 'last one',
    });
  });

  it('settings need no git', async () => {
    using place = novel();
    expect(await readGitConfig(place.root, { PATH: '/nowhere' }, new AbortController().signal)).toEqual({});
  });

  it('a setting may be a key without a value in git', () => {
    expect(parseEntries('nib.agents.local.no-think\0')).toEqual({ 'no-think': 'true' });
  });
});
