// Our own help pages in a terminal: headings, paragraphs, lists, tables and code, as much Markdown as they use.
import {wrap} from './layout.ts';
import {type Output, styled} from './print.ts';

const columnsMax = 88;

/** Returns a page as lines; paragraphs are wrapped to the terminal, code and tables stay line by line. */
export function markdownLines(page: string, output: Output): readonly string[] {
  const columns = Math.min(output.columns, columnsMax);
  return blocks(page).flatMap((block, index) => [...(index === 0 ? [] : ['']), ...blockLines(block, columns, output)]);
}

// Blocks are parted by empty lines; inside fenced code an empty line parts nothing.
function blocks(page: string): readonly string[] {
  return page.trim().match(/```[\s\S]*?```|(?:(?!```).+\n?)+/g) ?? [];
}

function blockLines(block: string, columns: number, output: Output): readonly string[] {
  const text = block.trimEnd();
  if (text.startsWith('```'))
    return text
      .split('\n')
      .slice(1, -1)
      .map(line => `    ${line}`);
  if (text.startsWith('#')) return [styled(output, 'bold', text.replace(/^#+\s*/, ''))];
  if (text.startsWith('|')) return tableLines(text, columns);
  if (/^[-*] /.test(text)) return text.split(/\n(?=[-*] )/).flatMap(item => itemLines(item, columns));
  return wrap(plainWords(text), columns);
}

function itemLines(item: string, columns: number): readonly string[] {
  const [first = '', ...rest] = wrap(plainWords(item.replace(/^[-*] /, '')), columns, '    ');
  return [`  - ${first.trimStart()}`, ...rest];
}

function tableLines(text: string, columns: number): readonly string[] {
  const rows = text
    .split('\n')
    .filter(line => !/^\|[\s|:-]+\|$/.test(line))
    .map(line =>
      line
        .split('|')
        .slice(1, -1)
        .map(cell => plainWords(cell.trim())),
    );
  const head = rows.map(cells => cells.slice(0, -1).join('  ').length);
  // Where the last column would be cut to nothing, it goes below the others.
  if (Math.max(...head) + 40 > columns) {
    return rows
      .slice(1)
      .flatMap(cells => [
        ...wrap(cells.slice(0, -1).filter(Boolean).join('  '), columns, '  '),
        ...wrap(cells.at(-1) ?? '', columns, '      '),
      ]);
  }

  const widths = rows[0]!.slice(0, -1).map((_, index) => Math.max(...rows.map(cells => cells[index]?.length ?? 0)));
  return rows.flatMap(cells => {
    const start = `  ${cells
      .slice(0, -1)
      .map((cell, index) => cell.padEnd(widths[index]!))
      .join('  ')}  `;
    const [first = '', ...rest] = wrap(cells.at(-1) ?? '', columns, ' '.repeat(start.length));
    return [start + first.trimStart(), ...rest];
  });
}

// Lines of a paragraph are one; marks that only a browser shows go. Backticks stay: they tell what can be typed.
function plainWords(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replace(/\*\*(.+?)\*\*/g, '$1')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');
}
