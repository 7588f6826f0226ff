import { expect, it } from 'vitest';
import { baseEnvironment, withoutUndefined } from '../src/environment.ts';

it('baseEnvironment holds the variables that a program needs to run', () => {
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

it('baseEnvironment leaves out secrets, loader variables and the directory of the host', () => {
  const others = { API_KEY: 's', PWD: '/x', NODE_OPTIONS: '--inspect', LD_PRELOAD: 'x', XLC_ALL: 'x' };
  expect(baseEnvironment(others)).toEqual({});
});

it('an undefined variable stays unset instead of becoming the word undefined', () => {
  const source = { A: '1', B: undefined, PATH: undefined, EMPTY: '' };
  expect(withoutUndefined(source)).toEqual({ A: '1', EMPTY: '' });
  expect(baseEnvironment(source)).toEqual({});
});

it('baseEnvironment keeps the mark of the host above', () => {
  expect(baseEnvironment({ PLUGBOARD_PROCESS: 'ab12' })).toEqual({ PLUGBOARD_PROCESS: 'ab12' });
});
