import { expect, it } from 'vitest';
import { renderForDiscord } from '../../../src/channels/discord/markdown.ts';

it.each([
  ['# One\n\n#### Four', '# One\n\n**Four**'],
  ['**a** *b* ~~c~~ `d`', '**a** *b* ~~c~~ `d`'],
  ['`` a ` b ``', '`` a ` b ``'],
  ['1 \\* 2 | 3 \\_x\\_ snake_case', '1 \\* 2 \\| 3 \\_x\\_ snake_case'],
  ['\\# no heading', '\\# no heading'],
  ['\\> no quote', '\\> no quote'],
  ['a\n\\- no list', 'a\n\\- no list'],
  ['see https://example.org/a_b_c*d', 'see https://example.org/a_b_c*d'],
  ['[a](https://example.org/(b))', '[a](https://example.org/%28b%29)'],
  ['[me](mailto:a@example.org)', 'me (a@example.org)'],
  ['![cat](https://example.org/c.png)', '[cat](https://example.org/c.png)'],
  ['> one\n> two', '> one\n> two'],
  ['- a\n- b\n  - c', '• a\n• b\n  • c'],
  ['```js\nlet a = `b`;\n```', '```js\nlet a = `b`;\n```'],
  ['````\n```\n````', '```\n``\u200B`\n```'],
  ['| a | b |\n|---|---|\n| 1 | 2 |', '```\na  b\n─  ─\n1  2\n```'],
  ['<b>x</b> [no](javascript:x)', '<b>x</b> \\[no\\](javascript:x)'],
])('writes %j for Discord', (source, wanted) => {
  expect(renderForDiscord(source)).toBe(wanted);
});
