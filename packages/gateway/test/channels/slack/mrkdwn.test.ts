import { describe, expect, it } from 'vitest';
import { escapedLength, escapeText, renderMrkdwn } from '../../../src/channels/slack/mrkdwn.ts';
import { readText } from '../../../src/channels/slack/read-text.ts';

describe('Markdown as mrkdwn', () => {
  it.each([
    ['**b** *i* ~~s~~ `c`', '*b* _i_ ~s~ `c`'],
    ['# A **bold** title', '*A bold title*'],
    ['a**b**c', 'a\u200b*b*\u200bc'],
    ['中**文**字', '中\u200b*文*\u200b字'],
    ['**_both_**', '*_both_*'],
    ['[a|b](https://e.org/?a=1&b=2)', '<https://e.org/?a=1&amp;b=2|a b>'],
    ['`<!channel>` & <@U1>', '`&lt;!channel&gt;` &amp; &lt;@U1&gt;'],
    ['```ts\nlet a = 1 < 2;\n```', '```\nlet a = 1 &lt; 2;\n```'],
    ['> one\n> two', '> one\n> two'],
    ['- a\n  - b\n- c', '• a\n  • b\n• c'],
    ['`` a`b ``', 'a`b'],
    ['![cat](https://e.org/cat.png)', '<https://e.org/cat.png|cat>'],
    ['[x](javascript:alert(1))', '[x](javascript:alert(1))'],
  ])('%s', (source, rendered) => {
    expect(renderMrkdwn(source)).toBe(rendered);
  });

  it('lays tables out in a block of code', () => {
    expect(renderMrkdwn('| a | bb |\n|---|---|\n| 1 | 2 |')).toBe('```\na  bb\n─  ──\n1  2\n```');
  });

  it('keeps a fence within a block of code apart from its end', () => {
    expect(renderMrkdwn('````\n```\nx\n```\n````').match(/```/g)).toHaveLength(2);
  });

  it('is measured as long as its text is once it is escaped', () => {
    for (const text of ['', 'a<b', '&&', '👩‍👩‍👧‍👦 > &lt;'])
      expect(escapedLength(text)).toBe(escapeText(text).length);
  });
});

describe('a text of Slack', () => {
  it.each([
    ['<@UBOT> hello', 'hello'],
    ['<@UBOT>: hello <@UBOT>!', 'hello!'],
    ['ask <@U2> or <@U3|ada>', 'ask @U2 or @ada'],
    ['see <#C1|general> and <#C2>', 'see #general and #C2'],
    ['<https://e.org/|e.org> and <https://e.org|the page>', 'https://e.org/ and the page (https://e.org)'],
    ['<mailto:a@e.org|a@e.org>', 'a@e.org'],
    ['<!here> <!subteam^S1|@team> <!date^1^{date}|today>', '@here @team today'],
    ['1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt;', '1 < 2 && 3 > 2 &lt;'],
  ])('%s is read as people typed it', (given, read) => {
    expect(readText(given, 'UBOT')).toBe(read);
  });
});
