/** Rows under a heading, for people to read. */
export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** A ratio that is to be reached. */
export interface Bar {
  readonly name: string;
  readonly measured: number;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** What a part of the benchmark has found. */
export interface Report {
  readonly tables: readonly Table[];
  readonly bars: readonly Bar[];
}

export interface Part {
  readonly name: string;
  /** `quick` takes few rounds: enough to see that it works, too few to believe. */
  run(quick: boolean): Promise<Report>;
}

export function isMet({ measured, atMost = Infinity, atLeast = -Infinity }: Bar): boolean {
  return measured <= atMost && measured >= atLeast;
}

/** The bars as a table with their verdicts. */
export function verdicts(bars: readonly Bar[]): Table {
  const rows = bars.map((bar) => [
    bar.name,
    bar.atMost === undefined ? `≥ ${bar.atLeast}` : `≤ ${bar.atMost}`,
    bar.measured,
    isMet(bar) ? 'met' : 'not met',
  ]);
  return { title: 'Bars', head: ['what', 'bar', 'measured', 'verdict'], rows };
}

/** A table as Markdown. */
export function render({ title, head, rows }: Table): string {
  const lines = [head, head.map(() => '---'), ...rows.map((row) => row.map(cell))];
  return `### ${title}\n\n${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`;
}

function cell(value: string | number): string {
  if (typeof value === 'string') return value;
  if (!Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
