import { describe, it } from 'vitest';
import { expectGoodHost, HOST_DIALECTS } from './good-hosts.ts';

describe.concurrent('Hosts', () => {
  it.each(HOST_DIALECTS)('of Plugboard that speak %s pass every check', expectGoodHost);
});
