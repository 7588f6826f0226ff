import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { gitConfig, readEntries } from '../../../src/backends/local/git-config.ts';
import { settle } from '../../../src/backends/local/settings.ts';
import { novel } from '../program.ts';

describe('the settings of the local backend', () => {
  it('have defaults', () => {
    expect(settle({}, {})).toEqual({
      endpoint: 'http://localhost:1234/v1',
      model: 'qwen3-30b-a3b',
      noThink: true,
      maxTokens: 4096,
      maxCalls: 20,
    });
  });

  it('come from a variable before git, and from git before the default', () => {
    const environment = { NIB_LOCAL_MODEL: 'mine', NIB_LOCAL_ENDPOINT: '', NIB_LOCAL_NO_THINK: '0' };
    const configured = {
      model: 'theirs',
      endpoint: 'https://x.test/v1/',
      'no-think': 'true',
      'api-key': 'k',
    };
    expect(settle(environment, configured)).toMatchObject({
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
  ])('that cannot be are refused: %j', (environment, message) => {
    expect(() => settle(environment, {})).toThrow(message);
  });

  it('are read from the configuration of the project, the last of several values', async () => {
    using place = novel();
    const git = (...args: string[]) => execFileSync('git', args, { cwd: place.root, env: place.env });
    git('init', '-q');
    git('config', 'nib.agents.local.model', 'first');
    git('config', '--add', 'nib.agents.local.model', 'last one');
    git('config', 'nib.agents.other.model', 'not this');
    expect(await gitConfig(place.root, place.env, new AbortController().signal)).toEqual({
      model: 'last one',
    });
  });

  it('are not looked for where there is no git', async () => {
    using place = novel();
    expect(await gitConfig(place.root, { PATH: '/nowhere' }, new AbortController().signal)).toEqual({});
  });

  it('may stand in git as a bare key', () => {
    expect(readEntries('nib.agents.local.no-think\0')).toEqual({ 'no-think': 'true' });
  });
});
