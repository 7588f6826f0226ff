const SMALL = [
  'Zero One Two Three Four Five Six Seven Eight Nine Ten',
  'Eleven Twelve Thirteen Fourteen Fifteen Sixteen Seventeen Eighteen Nineteen',
]
  .join(' ')
  .split(' ');
const TENS = 'Zero Ten Twenty Thirty Forty Fifty Sixty Seventy Eighty Ninety'.split(' ');

/** A number below a thousand in English words, as chapter headings show it; larger ones in digits. */
export function numberWords(number: number): string {
  if (number >= 1000) return String(number);
  if (number >= 100) {
    const rest = number % 100 === 0 ? '' : ` and ${numberWords(number % 100)}`;
    return `${SMALL[Math.floor(number / 100)]} Hundred${rest}`;
  }
  if (number >= 20) {
    const rest = number % 10 === 0 ? '' : `-${SMALL[number % 10]}`;
    return `${TENS[Math.floor(number / 10)]}${rest}`;
  }
  return SMALL[number] ?? String(number);
}
