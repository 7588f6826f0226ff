import { describe, expect, it } from 'vitest';
import { findEditorCommand } from '../../src/terminal/editor.ts';

describe('the editor', () => {
  it.each([
    [{ NIB_EDITOR: 'code --wait', VISUAL: 'vim', EDITOR: 'ed' }, ['code', '--wait']],
    [{ NIB_EDITOR: ' ', VISUAL: 'vim' }, ['vim']],
    [{ EDITOR: '"/opt/my editor/bin" -c \'set x\' a\\ b' }, ['/opt/my editor/bin', '-c', 'set x', 'a b']],
    [{ EDITOR: 'emacs -nw --eval="(a \\"b\\")"' }, ['emacs', '-nw', '--eval=(a "b")']],
  ])('the editor of %j is %j', (variables, command) => expect(findEditorCommand(variables)).toEqual(command));

  it('a missing editor variable is reported', () =>
    expect(() => findEditorCommand({})).toThrow('Set NIB_EDITOR'));
});
