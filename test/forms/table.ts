// The table of forms as the README has it.
import {type Cell, type Column, columns, type Form} from './forms.ts';

export type Row = {readonly name: string; readonly cells: Readonly<Record<Column, Cell>>};

/** Returns what a form promises. */
export function promised({name, but}: Form): Row {
  return {name, cells: Object.fromEntries(columns.map(column => [column, but?.[column] ?? 'ok'])) as Row['cells']};
}

/** Returns rows as a table in Markdown; what is refused has a letter, and below the table stands the sentence. */
export function formsTable(rows: readonly Row[]): string {
  const sentences: string[] = [];
  const textOf = (cell: Cell): string => {
    if (typeof cell === 'string') return cell;
    const sentence = `exit status ${cell.status}, "${cell.says}"`;
    if (!sentences.includes(sentence)) sentences.push(sentence);
    return `no (${letterOf(sentences.indexOf(sentence))})`;
  };
  const cells = [
    ['repository', ...columns],
    ...rows.map(row => [row.name, ...columns.map(column => textOf(row.cells[column]))]),
  ];
  const widths = cells[0]!.map((_, index) => Math.max(...cells.map(line => line[index]!.length)));
  const [head, ...body] = cells.map(
    line => `| ${line.map((text, index) => text.padEnd(widths[index]!)).join(' | ')} |`,
  );
  const rule = `| ${widths.map(width => '-'.repeat(width)).join(' | ')} |`;
  const notes = sentences.map((sentence, index) => `- (${letterOf(index)}) ${sentence}`);
  return [head, rule, ...body, '', ...notes, ''].join('\n');
}

function letterOf(index: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + index);
}
