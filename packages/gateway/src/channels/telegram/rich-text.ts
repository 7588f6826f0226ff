import { layOutTable } from '../markdown/table.ts';

/**
 * Reads the text of a rich message. Its blocks and spans are trees of many types: each `text`, `blocks`, `items` and
 * `cells` is walked, so that types of a later Bot API are read as well.
 */
export function richMessageText(message: unknown): string {
  return blocksOf(message)
    .map(blockText)
    .filter((text) => text !== '')
    .join('\n\n');
}

type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function blocksOf(value: unknown): readonly Node[] {
  const blocks = isNode(value) ? (value.blocks ?? []) : [];
  return Array.isArray(blocks) ? blocks.filter(isNode) : [];
}

function blockText(block: Node): string {
  if (block.type === 'pre') return `\`\`\`${String(block.language ?? '')}\n${spanText(block.text)}\n\`\`\``;
  if (block.type === 'heading') return `${'#'.repeat(Number(block.size ?? 1))} ${spanText(block.text)}`;
  if (block.type === 'mathematical_expression') return String(block.expression ?? '');
  if (Array.isArray(block.items)) return block.items.filter(isNode).map(itemText).join('\n');
  if (Array.isArray(block.cells)) return layOutTable(block.cells.map(rowCells));
  const parts = [
    spanText(block.summary),
    spanText(block.text),
    richMessageText(block),
    spanText(block.caption),
  ];
  return parts.filter((text) => text !== '').join('\n');
}

function itemText(item: Node): string {
  return `${String(item.label ?? '-')} ${richMessageText(item)}`.trim();
}

function rowCells(row: unknown): string[] {
  return Array.isArray(row) ? row.map((cell) => (isNode(cell) ? spanText(cell.text) : '')) : [];
}

function spanText(span: unknown): string {
  if (typeof span === 'string') return span;
  if (Array.isArray(span)) return span.map(spanText).join('');
  if (!isNode(span)) return '';
  if (span.type === 'custom_emoji') return String(span.alternative_text ?? '');
  if (span.type === 'mathematical_expression') return String(span.expression ?? '');
  if (span.type === 'url' && typeof span.url === 'string') {
    const text = spanText(span.text);
    return text === span.url ? text : `[${text}](${span.url})`;
  }
  return spanText(span.text);
}
