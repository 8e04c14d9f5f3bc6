/** Adds up what files cost, and draws it. Times are in seconds. */

/**
 * A row for each project and for each of the `most` dearest files. A file has `project`,
 * `file`, `tests`, `begun` and `ended` (ms), `loading`, `running`, `own` and `children` (of the
 * processor), and `work`: `{kind: {times, ms}}`.
 */
export function costsOf(files, most) {
  const kinds = [...new Set(files.flatMap(({ work }) => Object.keys(work)))].sort()
  const byProject = Map.groupBy(files, ({ project }) => project)
  const projects = [...byProject].map(([project, of]) => ({
    project,
    files: of.length,
    clock: (Math.max(...of.map(({ ended }) => ended)) - Math.min(...of.map(({ begun }) => begun))) / 1000,
    ...rowOf(of, kinds),
  }))
  const dearest = files
    .toSorted((a, b) => b.own + b.children - (a.own + a.children))
    .slice(0, most)
    .map((one) => ({ file: one.file, ...rowOf([one], kinds) }))
  return { projects: [...projects, { project: 'all', files: files.length, ...rowOf(files, kinds) }], dearest }
}

function rowOf(files, kinds) {
  const sum = (value) => files.reduce((total, one) => total + value(one), 0)
  const processor = sum(({ own, children }) => own + children)
  const taken = sum(({ loading, running }) => loading + running)
  return {
    tests: sum(({ tests }) => tests),
    processor,
    'of which children': sum(({ children }) => children),
    loading: sum(({ loading }) => loading),
    running: sum(({ running }) => running),
    waiting: Math.max(0, taken - processor),
    ...Object.fromEntries(
      kinds.map((kind) => {
        const times = sum(({ work }) => work[kind]?.times ?? 0)
        return [kind, times ? `${times} in ${(sum(({ work }) => work[kind]?.ms ?? 0) / 1000).toFixed(1)}` : '']
      }),
    ),
  }
}

/** Rows as a Markdown table; what is not whole is shown with one digit. */
export function tableOf(rows) {
  if (!rows.length) return '(nothing)'
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const shown = rows.map((row) => columns.map((column) => cell(row[column])))
  const widths = columns.map((column, at) => Math.max(column.length, ...shown.map((cells) => cells[at].length)))
  const line = (cells) => `| ${cells.map((text, at) => text.padEnd(widths[at])).join(' | ')} |`
  return [line(columns), line(widths.map((width) => '-'.repeat(width))), ...shown.map(line)].join('\n')
}

function cell(value) {
  if (value === undefined) return ''
  return typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(1) : String(value)
}
