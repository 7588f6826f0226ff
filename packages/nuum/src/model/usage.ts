import type { Usage } from '@plugboard/protocol';

export function addUsage(one: Usage, other: Usage): Usage {
  const sum: Record<string, number> = { ...one };
  for (const [name, count] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
