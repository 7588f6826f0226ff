import { temporaryDirectory } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { judge } from './checker.ts';
import { crash, historiesOf, live, sweep } from './life.ts';
import { startPlatform } from './platform.ts';
import { UPDATES } from './updates.ts';

describe('a gateway that is killed', () => {
  it('at a point between a message and its answer loses nothing and says nothing twice', {
    timeout: 240_000,
  }, async () => {
    expect(await sweep(UPDATES, judge, 4)).toEqual([]);
  });

  it('and acknowledges before it has taken in is found out', async () => {
    const { problems } = await crash(UPDATES, judge, 'before inbox.admit', 'careless');
    expect(problems).toContain('Update 1 was acknowledged and is lost.');
  });

  it('with a checker that sees what is wrong', async () => {
    using directory = temporaryDirectory();
    const platform = await startPlatform(UPDATES);
    await live(directory.path, platform, 0);
    await platform.close();
    const history = historiesOf(platform, directory.path);
    const { visible } = history;
    const [first, ...rest] = visible;
    if (first === undefined) throw new Error('Nothing was seen.');
    expect(judge(history)).toEqual([]);
    expect(judge({ ...history, visible: rest })).toHaveLength(1);
    expect(judge({ ...history, visible: [first, ...visible] })).toHaveLength(1);
    const unknown = { id: 4, place: 'hall', text: 'four' };
    expect(judge({ ...history, updates: [...UPDATES, unknown], acknowledged: 4 })).toContain(
      'Update 4 was acknowledged and is lost.',
    );
  });
});
