import { describe, expect, it } from 'vitest';
import { possibleCommands, splitCommand } from '../../src/policy/command.ts';

describe('splitting a command line', () => {
  it.each([
    ['git status', ['git status']],
    ['a && b || c; d | e & f', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['a\nb', ['a', 'b']],
    ['a \\\n  b', ['a b']],
    ["echo 'a; b' && c", ["echo 'a; b'", 'c']],
    ['echo "a | b"; c', ['echo "a | b"', 'c']],
    ['echo a\\;b', ['echo a\\;b']],
    ['make 2>&1 | tail', ['make 2>&1', 'tail']],
    ['make >/dev/null 2>&1', ['make >/dev/null 2>&1']],
    ['echo $HOME', ['echo $HOME']],
    ['a   b\tc', ['a b c']],
  ])('the command line %j is split with certainty', (line, parts) => {
    expect(splitCommand(line)).toEqual({ parts, certain: true });
  });

  it.each([
    'echo $(rm x)',
    'echo `rm x`',
    'echo "$(rm x)"',
    'echo "`rm x`"',
    'echo ${x:=$(rm y)}',
    'cat <<EOF\nrm x\nEOF',
    'diff <(rm a) b',
    '(rm x)',
    'git log > ~/.bashrc',
    'git log >> file',
    'cat < /etc/passwd',
    "echo 'unclosed",
    'echo "unclosed',
    "git log # it's\nrm -rf x '",
    "echo $'a\\'; rm x'",
    'if true; then rm x; fi',
    'for f in *; do rm $f; done',
    '{ rm x; }',
    '! git status',
    'git status\r rm x',
    'a \\',
    'echo "open\\"',
    `git log >${' '.repeat(54)}/dev/nullish`,
    'git log >/dev/null/../x',
    '{rm,-rf,x}',
  ])('the command line %j is split without certainty', (line) => {
    expect(splitCommand(line).certain).toBe(false);
  });
});

describe('what a refusing rule is held against', () => {
  it.each([
    ['git status; rm -rf x', 'rm -rf x'],
    ['echo $(rm -rf x)', 'rm -rf x'],
    ['echo "`rm -rf x`"', 'rm -rf x'],
    ['sudo rm -rf x', 'rm -rf x'],
    ['FOO=1 rm -rf x', 'rm -rf x'],
    ['/bin/rm -rf x', 'rm -rf x'],
    ['r\\m -rf x', 'rm -rf x'],
    ['"rm" -rf x', 'rm -rf x'],
    ['bash -c "rm -rf x"', 'rm -rf x'],
    ['timeout 5 rm -rf x', 'rm -rf x'],
    ['if true; then rm -rf x; fi', 'rm -rf x'],
    ['(rm -rf x)', 'rm -rf x'],
    ['{rm,-rf,x}', 'rm'],
    ['>o rm -rf x', 'rm -rf x'],
    ['> o rm -rf x', 'rm -rf x'],
    ['2>>"o p" rm -rf x', 'rm -rf x'],
    ['&>o rm -rf x', 'rm -rf x'],
    ['<o >p FOO=1 rm -rf x', 'rm -rf x'],
    ['rm<f -rf x', 'rm -rf x'],
    ['rm -rf>o x', 'rm -rf x'],
    ['<<<text rm -rf x', 'rm -rf x'],
    ['sudo >o rm -rf x', 'rm -rf x'],
    ['rm$IFS-rf${IFS}x', 'rm -rf x'],
    ["git log # it's\nrm -rf x '", 'rm -rf x'],
  ])('the command line %j may run %j', (line, command) => {
    expect(possibleCommands(line)).toContain(command);
  });

  it('a long command line has a bounded number of possible commands', () => {
    const started = process.threadCpuUsage();
    expect(possibleCommands(`sudo ${'a; '.repeat(20_000)}`).length).toBeLessThan(100);
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(1000);
  });
});
