import { textWidth } from '../../../prompt/plain-text.ts'

/**
 * Answer of a server to clients that want to show it
 * (https://kubernetes.io/docs/reference/using-api/api-concepts).
 */
export interface WireTable {
  columnDefinitions?: { name?: string; format?: string; priority?: number }[]
  rows?: {
    cells?: unknown[]
    object?: { metadata?: { name?: string; namespace?: string; resourceVersion?: string } }
  }[]
  metadata?: { continue?: string; remainingItemCount?: number; resourceVersion?: string }
}

export const AS_TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json'

const GAP = 3
const CELL_MAX = 200

/** Rows beside each other, as `kubectl` shows them: as wide as those that came first. */
export class ObjectTable {
  readonly #isWide: boolean
  readonly #showsNamespace: boolean
  readonly #hasTitles: boolean
  #widths: number[] | undefined

  constructor({ isWide = false, showsNamespace = false, hasTitles = true } = {}) {
    this.#hasTitles = hasTitles
    this.#isWide = isWide
    this.#showsNamespace = showsNamespace
  }

  /** With titles above those that come first. */
  lines({ columnDefinitions = [], rows = [] }: WireTable): string[] {
    const shown = columnDefinitions.flatMap(({ priority = 0 }, at) => (this.#isWide || priority === 0 ? [at] : []))
    const table = rows.map(({ cells = [], object }) => [
      ...(this.#showsNamespace ? [String(object?.metadata?.namespace ?? '')] : []),
      ...shown.map((at) => cellText(cells[at])),
    ])
    const titles = [
      ...(this.#showsNamespace ? ['NAMESPACE'] : []),
      ...shown.map((at) => String(columnDefinitions[at]?.name ?? '').toUpperCase()),
    ]
    const head = this.#hasTitles && !this.#widths ? [titles] : []
    const widths =
      this.#widths ?? titles.map((_, at) => Math.max(...[...head, ...table].map((row) => textWidth(row[at] ?? ''))))
    this.#widths = widths
    return [...head, ...table].map((row) =>
      row
        .map((text, at) => text + ' '.repeat(Math.max(1, (widths[at] ?? 0) - textWidth(text) + GAP)))
        .join('')
        .trimEnd(),
    )
  }
}

/** A value as in a table: on one line. */
export const cellText = (value: unknown): string =>
  (value === null || value === undefined ? '<none>' : typeof value === 'object' ? JSON.stringify(value) : String(value))
    .replaceAll(/\s+/g, ' ')
    .slice(0, CELL_MAX)
