import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { judgeCommands } from './command-checker.ts';
import { crash, historiesOf, live, sweep } from './life.ts';
import { startPlatform, type Update } from './platform.ts';
import { COMMANDS as UPDATES } from './updates.ts';

describe('a gateway that is killed', () => {
  it('at a point between a command and its answer obeys it once, and answers once', {
    timeout: 240_000,
  }, async () => {
    expect(await sweep(UPDATES, judgeCommands, 4)).toEqual([]);
  });

  it('and has forgotten what a command was called is found out', async () => {
    const { problems } = await crash(UPDATES, judgeCommands, 'after commands.obey', 'forgetful');
    expect(problems).toContainEqual(expect.stringMatching(/^hall has had .* it should have had /));
  });

  it('with a checker that sees when a command was obeyed twice', async () => {
    using directory = temporaryDirectory();
    // A platform that calls a repetition by another name is obeyed again.
    const repeated: Update = { id: UPDATES.length + 1, place: 'hall', text: '/new' };
    const platform = await startPlatform([...UPDATES, repeated]);
    await live(directory.path, platform, 0);
    await platform.close();
    const history = historiesOf(platform, directory.path);
    expect(judgeCommands(history)).toEqual([]);
    expect(judgeCommands({ ...history, updates: UPDATES })).toEqual([
      expect.stringMatching(/^hall has had .* it should have had /),
      expect.stringMatching(/^hall was answered /),
    ]);
  });
});
