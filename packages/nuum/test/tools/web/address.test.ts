import { describe, expect, it } from 'vitest';
import { closedKind } from '../../../src/tools/web/address.ts';
import { type Resolve, targetOf } from '../../../src/tools/web/request-target.ts';

const nobody: Resolve = async () => [];
const target = (url: string, resolve: Resolve = nobody, allowHosts: string[] = []) =>
  targetOf(url, { resolve, allowHosts });

describe('an address', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.9',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '4000::1',
    'not an address',
  ])('the address %s is not public', (address) => {
    expect(closedKind(address)).toEqual(expect.any(String));
  });

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '100.63.0.1',
    '172.32.0.1',
    '198.20.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
  ])('the address %s is public', (address) => expect(closedKind(address)).toBeUndefined());
});

describe('where a request may go', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://0177.0.0.01/',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http://127.0.0.1./',
    'http://0/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[0:0:0:0:0:ffff:7f00:0001]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[2002:7f00:1::]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://10.0.0.1:8080/',
    'https://192.168.0.1/',
  ])('the URL %s is refused', async (url) => {
    await expect(target(url)).rejects.toThrow('not on the public internet');
  });

  it('a name is refused when any of its addresses is private', async () => {
    const mixed: Resolve = async () => [
      { address: '93.184.215.14', family: 4 },
      { address: '::1', family: 6 },
    ];
    await expect(target('https://example.com/', mixed)).rejects.toThrow(
      'example.com (::1) is not on the public',
    );
    await expect(
      target('http://localhost./', async () => [{ address: '127.0.0.1', family: 4 }]),
    ).rejects.toThrow('loopback');
  });

  it('a target has the addresses that were checked', async () => {
    let asked = 0;
    const rebinding: Resolve = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '93.184.215.14' : '127.0.0.1', family: 4 }];
    };
    const { addresses } = await target('https://example.com/', rebinding);
    expect(addresses).toEqual([{ address: '93.184.215.14', family: 4 }]);
    expect(asked).toBe(1);
  });

  it.each([
    ['file:///etc/passwd', 'file: addresses cannot be fetched'],
    ['ftp://example.com/', 'cannot be fetched'],
    ['javascript:alert(1)', 'cannot be fetched'],
    ['https://user:secret@example.com/', 'user name or password'],
    ['not a url', 'is no web address'],
    ['http://', 'is no web address'],
    ['https://nowhere.invalid/', 'cannot be resolved'],
  ])('the URL %s is refused with a reason', async (url, problem) => {
    await expect(target(url)).rejects.toThrow(problem);
  });

  it('an allowed private host is reached, but no other port of it', async () => {
    await expect(target('http://127.0.0.1:8080/', nobody, ['127.0.0.1:8080'])).resolves.toBeDefined();
    await expect(target('http://[::1]:8080/', nobody, ['[::1]:8080'])).resolves.toBeDefined();
    await expect(target('http://10.0.0.1/', nobody, ['10.0.0.1'])).resolves.toBeDefined();
    await expect(target('http://127.0.0.1:8081/', nobody, ['127.0.0.1:8080'])).rejects.toThrow('loopback');
  });
});
