import { processesWith, until } from '@plugboard/testkit';
import { expect, it } from 'vitest';
import { endForgotten } from '../start-program.ts';
import { createClaudeTest } from './claude-test.ts';

// In a file of its own: `endForgotten` would end the programs of concurrent tests.
it('programs of a test that never comes to the end of its scope are ended after its file', async () => {
  const at = createClaudeTest();
  const mark = `claude-hangs-${process.pid}-${at.novel.root}`;
  at.talk(
    'character-talk',
    { character: 'ada', character_name: 'Ada', scenes_available: ['dawn.md'] },
    { CLAUDE_HANGS: mark },
  );
  await until(() => at.starts().length === 1, 'claude has started');
  expect(processesWith(mark)).not.toEqual([]);
  endForgotten();
  expect(processesWith(mark)).toEqual([]);
});
