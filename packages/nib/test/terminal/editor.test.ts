import { describe, expect, it } from 'vitest';
import { editorCommand } from '../../src/terminal/editor.ts';

describe('the editor', () => {
  it.each([
    [{ NIB_EDITOR: 'code --wait', VISUAL: 'vim', EDITOR: 'ed' }, ['code', '--wait']],
    [{ NIB_EDITOR: ' ', VISUAL: 'vim' }, ['vim']],
    [{ EDITOR: '"/opt/my editor/bin" -c \'set x\' a\\ b' }, ['/opt/my editor/bin', '-c', 'set x', 'a b']],
    [{ EDITOR: 'emacs -nw --eval="(a \\"b\\")"' }, ['emacs', '-nw', '--eval=(a "b")']],
  ])('of %j is %j', (variables, command) => expect(editorCommand(variables)).toEqual(command));

  it('has to be named somewhere', () => expect(() => editorCommand({})).toThrow('Set NIB_EDITOR'));
});
