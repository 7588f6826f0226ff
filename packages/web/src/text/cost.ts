import type { Cost } from '@plugboard/protocol';

/** A price with as many digits as it takes to see it: `$0.0042`, `$1.20`. */
export function formatCost({ amount, currency }: Cost): string {
  const maximumFractionDigits = amount >= 1 || amount === 0 ? 2 : 4;
  const style = { minimumFractionDigits: 2, maximumFractionDigits };
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency, ...style }).format(amount);
  } catch {
    // The agent has named no currency that `Intl` knows.
    return `${amount.toFixed(maximumFractionDigits)} ${currency}`;
  }
}
