import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { type BannerFacts, bannerOf } from '../src/gateway/banner.ts';
import { listensEverywhere, networkUrls } from '../src/gateway/links.ts';

const at = (address: string, internal = false): NetworkInterfaceInfo => ({
  address,
  internal,
  family: 'IPv4',
  netmask: '255.255.255.0',
  mac: '00:00:00:00:00:00',
  cidr: null,
});

const MACHINE = {
  lo: [at('127.0.0.1', true)],
  wlan0: [at('192.168.1.5'), { ...at('fe80::1'), family: 'IPv6' as const, scopeid: 2 }],
  eth0: [at('10.0.0.7')],
  gone: undefined,
};

const server = {
  host: '0.0.0.0',
  port: 7420,
  exposed: true,
  names: [],
  proxies: [],
  bodyBytes: 1,
  mediaBytes: 1,
  requestsPerMinute: 1,
  openaiStrict: false,
};

describe('the addresses for other machines', () => {
  it.each([
    ['http://127.0.0.1:7420', ['http://192.168.1.5:7420', 'http://10.0.0.7:7420']],
    ['http://[::1]:8080', ['http://192.168.1.5:8080', 'http://10.0.0.7:8080']],
    ['http://127.0.0.1:80', ['http://192.168.1.5', 'http://10.0.0.7']],
  ])('of %s are those of the machine that lead out of it', (url, urls) => {
    expect(networkUrls(url, MACHINE)).toEqual(urls);
  });

  it('are of use when all are listened on and nothing better is known', () => {
    expect(listensEverywhere(server)).toBe(true);
    expect(listensEverywhere({ ...server, host: '::' })).toBe(true);
    expect(listensEverywhere({ ...server, host: '192.168.1.5' })).toBe(false);
    expect(listensEverywhere({ ...server, publicUrl: 'https://chat.example.org' })).toBe(false);
  });
});

describe('the banner', () => {
  const facts: BannerFacts = { version: '1', url: 'http://h', agents: ['a'], data: '/d', starts: 'node' };
  const banner = (login?: BannerFacts['login']): string =>
    bannerOf(login === undefined ? facts : { ...facts, login }, (text) => text);

  it('has the links for other machines, and says that they are plain HTTP', () => {
    const network = ['http://192.168.1.5:1/#code=y', 'http://10.0.0.7:1/#code=y'];
    const said = banner({ here: 'http://h/#code=x', network, everywhere: true });
    expect(said).toContain('  log in   http://h/#code=x\n');
    for (const link of network) expect(said).toContain(`  network  ${link}\n`);
    expect(said).toMatch(/plain HTTP.*server\.public_url: https:/);
    expect(banner({ here: 'http://h/#code=x', network: [], everywhere: false })).not.toContain('plain HTTP');
  });

  it('has no link to a page that was not built, but what to run', () => {
    expect(banner()).toContain('The web page has not been built. Run npm run build:page, then start');
    expect(banner()).not.toContain('log in');
  });
});
