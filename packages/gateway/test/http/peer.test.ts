import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { peerOf } from '../../src/http/peer.ts';
import { startDoor } from './door.ts';

function peer(remoteAddress: string, forwarded: string | undefined, proxies: string[]): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return peerOf({ socket: { remoteAddress }, headers } as unknown as IncomingMessage, proxies);
}

describe('the address of a peer', () => {
  it('is the one that is connected, whatever it says of itself', () => {
    expect(peer('10.0.0.9', '1.2.3.4', [])).toBe('10.0.0.9');
    expect(peer('10.0.0.9', '1.2.3.4', ['10.0.0.1'])).toBe('10.0.0.9');
    expect(peer('::ffff:10.0.0.9', undefined, [])).toBe('10.0.0.9');
  });

  it('is what a proxy of the operator says, of whom it heard', () => {
    expect(peer('10.0.0.1', '1.2.3.4', ['10.0.0.1'])).toBe('1.2.3.4');
    expect(peer('::ffff:10.0.0.1', '6.6.6.6, 1.2.3.4', ['10.0.0.1'])).toBe('1.2.3.4');
    expect(peer('10.0.0.1', '6.6.6.6, 1.2.3.4, 10.0.0.2', ['10.0.0.1', '10.0.0.2'])).toBe('1.2.3.4');
    expect(peer('10.0.0.1', '2001:db8::1', ['10.0.0.1'])).toBe('2001:db8::1');
  });

  it('is the proxy itself where it says nothing that is an address', () => {
    for (const said of [undefined, '', 'unknown', 'evil"address', '1.2.3.4:99', '10.0.0.1']) {
      expect(peer('10.0.0.1', said, ['10.0.0.1'])).toBe('10.0.0.1');
    }
  });

  it('does not give a new allowance to whoever makes one up', async () => {
    const door = await startDoor({ server: { requestsPerMinute: 3 } });
    const statuses: number[] = [];
    for (let count = 0; count < 5; count++) {
      const headers = {
        'x-forwarded-for': `1.2.3.${count}`,
        'x-forwarded-host': 'evil.example',
        forwarded: `for=1.2.3.${count}`,
      };
      statuses.push((await fetch(`${door.door.url}/healthz`, { headers })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  });

  it('counts by itself behind a proxy', async () => {
    const door = await startDoor({ server: { requestsPerMinute: 3, proxies: ['127.0.0.1'] } });
    const statuses: number[] = [];
    for (let count = 0; count < 5; count++) {
      statuses.push(
        (await fetch(`${door.door.url}/healthz`, { headers: { 'x-forwarded-for': `1.2.3.${count}` } }))
          .status,
      );
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
  });
});
