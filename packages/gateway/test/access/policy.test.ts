import { expect, it } from 'vitest';
import { type AccessPolicy, judge } from '../../src/access/policy.ts';

const NOBODY: AccessPolicy = { allow: [], owners: [], groups: 'mention', pairing: true };
const GROUP = { place: 'g', addressed: true };
const UNADDRESSED = { place: 'g', addressed: false };

it.each([
  ['a stranger in private is given a code', NOBODY, {}, false, 'pair'],
  ['a stranger is refused where nobody is paired', { ...NOBODY, pairing: false }, {}, false, 'refuse'],
  ['a stranger who addresses the agent in a group is refused', NOBODY, { group: GROUP }, false, 'refuse'],
  ['a stranger who talks in a group is ignored', NOBODY, { group: UNADDRESSED }, false, 'ignore'],
  ['a paired person may talk', NOBODY, {}, true, 'admit'],
  ['an allowed person may talk', { ...NOBODY, allow: ['7'] }, {}, false, 'admit'],
  ['an owner may talk', { ...NOBODY, owners: ['7'] }, {}, false, 'admit'],
  ['everybody may talk where * is allowed', { ...NOBODY, allow: ['*'] }, {}, false, 'admit'],
  ['a paired person may address the agent in a group', NOBODY, { group: GROUP }, true, 'admit'],
  [
    'what a paired person says to others in a group is ignored',
    NOBODY,
    { group: UNADDRESSED },
    true,
    'ignore',
  ],
  [
    'all of a group is heard where that is set',
    { ...NOBODY, groups: 'all' },
    { group: UNADDRESSED },
    true,
    'admit',
  ],
  [
    'strangers are not heard in a group that is',
    { ...NOBODY, groups: 'all' },
    { group: UNADDRESSED },
    false,
    'ignore',
  ],
  ['groups are ignored where they are off', { ...NOBODY, groups: 'off' }, { group: GROUP }, true, 'ignore'],
] as const)('%s', (_title, policy, where, isPaired, kind) => {
  expect(judge(policy, { sender: '7', ...where }, isPaired).kind).toBe(kind);
});
