/** A size in bytes with a decimal unit: B, KB, MB or GB. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['KB', 'MB', 'GB'];
  const power = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power - 1]}`;
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Decodes base64 to text; bytes that are not valid UTF-8 are shown as numbers. */
export function decodeBytes(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    return decoder.decode(bytes);
  } catch {
    return decodePieces(bytes, decoder);
  }
}

function decodePieces(bytes: Uint8Array, decoder: TextDecoder): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes[at] ?? 0);
    try {
      text += decoder.decode(bytes.subarray(at, at + length));
      at += length;
    } catch {
      text += `⟨${(bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0')}⟩`;
      at += 1;
    }
  }
  return text;
}

function sequenceLength(lead: number): number {
  if (lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
