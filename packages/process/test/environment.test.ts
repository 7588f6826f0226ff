import { expect, it } from 'vitest';
import { baseEnvironment, withoutUndefined } from '../src/index.ts';

it('the base set holds what a program needs to run', () => {
  const wanted = {
    PATH: '/bin',
    HOME: '/home/a',
    LANG: 'C',
    LC_ALL: 'C',
    LC_TIME: 'C',
    TERM: 'xterm',
    TZ: 'UTC',
    http_proxy: 'p',
    HTTPS_PROXY: 'p',
    NO_PROXY: 'n',
    no_proxy: 'n',
    SSL_CERT_FILE: '/ca',
    NODE_EXTRA_CA_CERTS: '/ca',
  };
  expect(baseEnvironment(wanted)).toEqual(wanted);
});

it('the base set leaves out secrets, loader variables and the directory of the host', () => {
  const others = { API_KEY: 's', PWD: '/x', NODE_OPTIONS: '--inspect', LD_PRELOAD: 'x', XLC_ALL: 'x' };
  expect(baseEnvironment(others)).toEqual({});
});

it('an unset variable stays unset instead of becoming a word', () => {
  const source = { A: '1', B: undefined, PATH: undefined, EMPTY: '' };
  expect(withoutUndefined(source)).toEqual({ A: '1', EMPTY: '' });
  expect(baseEnvironment(source)).toEqual({});
});

it('the mark of a host above is handed on', () => {
  expect(baseEnvironment({ PLUGBOARD_PROCESS: 'ab12' })).toEqual({ PLUGBOARD_PROCESS: 'ab12' });
});
