import { BlockList, isIP, isIPv4 } from 'node:net';

/** Networks that are not part of the public internet. */
const CLOSED: readonly (readonly [network: string, prefix: number, kind: string])[] = [
  ['0.0.0.0', 8, 'unspecified'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'shared by a provider'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'for documentation'],
  ['192.88.99.0', 24, 'a 6to4 relay'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'for benchmarks'],
  ['198.51.100.0', 24, 'for documentation'],
  ['203.0.113.0', 24, 'for documentation'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
  ['::', 128, 'unspecified'],
  ['::1', 128, 'loopback'],
  ['::', 96, 'an IPv4 address in IPv6'],
  ['::ffff:0:0', 96, 'an IPv4 address in IPv6'],
  ['::ffff:0:0:0', 96, 'an IPv4 address in IPv6'],
  ['64:ff9b::', 96, 'NAT64'],
  ['64:ff9b:1::', 48, 'NAT64'],
  ['100::', 64, 'for discarding'],
  ['2001::', 23, 'reserved for protocols'],
  ['2001:db8::', 32, 'for documentation'],
  ['2002::', 16, '6to4'],
  ['3fff::', 20, 'for documentation'],
  ['5f00::', 16, 'for segment routing'],
  ['fc00::', 7, 'private'],
  ['fe80::', 10, 'link-local'],
  ['fec0::', 10, 'site-local'],
  ['ff00::', 8, 'multicast'],
];

const LISTS = CLOSED.map(([network, prefix, kind]) => {
  const list = new BlockList();
  list.addSubnet(network, prefix, isIPv4(network) ? 'ipv4' : 'ipv6');
  return { list, kind, version: isIP(network) };
});

/** The kind of a private or reserved address. Undefined for addresses of the public internet. */
export function closedKind(address: string): string | undefined {
  const plain = address.split('%', 1)[0] ?? '';
  const version = isIP(plain);
  if (version === 0) return 'no address';
  // `BlockList` of IPv4 also matches IPv6 addresses that map to it.
  const own = LISTS.filter((entry) => entry.version === version);
  return (
    own.find(({ list }) => list.check(plain, version === 4 ? 'ipv4' : 'ipv6'))?.kind ??
    kindBySpace(plain, version)
  );
}

// All IPv6 addresses of the public internet are in 2000::/3.
function kindBySpace(address: string, version: number): string | undefined {
  return version === 4 || /^[23]/.test(address) ? undefined : 'reserved';
}
