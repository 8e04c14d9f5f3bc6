import { sizeText as textOfSize } from '@sallyport/contract/size-text.ts'
/**
 * A folder's entries as a person looks at them: sorted, filtered, with a cursor and a selection.
 * All pure.
 */

export interface Entry {
  name: string
  kind: 'file' | 'folder' | 'link' | 'other'
  /** Bytes. */
  size: number | null
  /** Unix seconds. */
  modified: number | null
  /** Permission bits. */
  mode: number | null
}

export type Column = 'name' | 'size' | 'modified' | 'mode'
export interface Order {
  by: Column
  down: boolean
}

const words = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/**
 * Folders first, then by the column; equal ones by name. `filter` is looked for in names, whatever
 * the case.
 */
export function shownEntries(entries: readonly Entry[], { filter, order }: { filter: string; order: Order }): Entry[] {
  const wanted = filter.trim().toLowerCase()
  const direction = order.down ? -1 : 1
  const byName = (a: Entry, b: Entry) => words.compare(a.name, b.name) || (a.name < b.name ? -1 : 1)
  const { by } = order
  return entries
    .filter(({ name }) => wanted === '' || name.toLowerCase().includes(wanted))
    .sort(
      (a, b) =>
        Number(b.kind === 'folder') - Number(a.kind === 'folder') ||
        (by === 'name' ? direction * byName(a, b) : direction * ((a[by] ?? -1) - (b[by] ?? -1)) || byName(a, b)),
    )
}

/** The same column again turns the order round; sizes and times begin with the largest. */
export function orderAfter(order: Order, by: Column): Order {
  return order.by === by ? { by, down: !order.down } : { by, down: by === 'size' || by === 'modified' }
}

export interface Selection {
  chosen: ReadonlySet<string>
  cursor: string | undefined
  /** Where a range begins. */
  anchor: string | undefined
}
export const NOTHING: Selection = { chosen: new Set(), cursor: undefined, anchor: undefined }

/**
 * After a click: alone, added or taken away (`toggle`), or all from the anchor on (`range`).
 * `names` as they are shown.
 */
export function clicked(
  selection: Selection,
  names: readonly string[],
  name: string,
  { toggle = false, range = false }: { toggle?: boolean; range?: boolean } = {},
): Selection {
  if (range)
    return {
      ...selection,
      chosen: between(names, selection.anchor ?? name, name),
      cursor: name,
      anchor: selection.anchor ?? name,
    }
  if (!toggle) return { chosen: new Set([name]), cursor: name, anchor: name }
  const chosen = new Set(selection.chosen)
  if (!chosen.delete(name)) chosen.add(name)
  return { chosen, cursor: name, anchor: name }
}

function between(names: readonly string[], from: string, to: string): Set<string> {
  const [a, b] = [names.indexOf(from), names.indexOf(to)]
  return new Set(a < 0 ? [to] : names.slice(Math.min(a, b), Math.max(a, b) + 1))
}

/** Rows that a page key moves by. */
const PAGE = 10

/**
 * After a key that moves the cursor, or marks; undefined for any other key. Shift draws a range
 * along, Ctrl moves the cursor alone.
 */
export function keyed(
  selection: Selection,
  names: readonly string[],
  { key, shiftKey, ctrlKey, metaKey }: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey'>,
): Selection | undefined {
  const command = ctrlKey || metaKey
  if (command && key.toLowerCase() === 'a') return { ...selection, chosen: new Set(names) }
  const at = selection.cursor === undefined ? -1 : names.indexOf(selection.cursor)
  if (key === ' ' && selection.cursor !== undefined)
    return clicked(selection, names, selection.cursor, { toggle: true })
  if (key === 'Escape') return { ...selection, chosen: new Set() }
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at < 0 ? names.length - 1 : at - 1,
    PageDown: at + PAGE,
    PageUp: at - PAGE,
    Home: 0,
    End: names.length - 1,
  }
  const step = steps[key]
  if (step === undefined) return undefined
  const name = names[Math.max(0, Math.min(names.length - 1, step))]
  if (name === undefined) return selection
  return command && !shiftKey ? { ...selection, cursor: name } : clicked(selection, names, name, { range: shiftKey })
}

/** The rest of a selection after the folder was read again. */
export function kept(selection: Selection, names: readonly string[]): Selection {
  const there = new Set(names)
  const still = (name: string | undefined) => (name !== undefined && there.has(name) ? name : undefined)
  return {
    chosen: new Set([...selection.chosen].filter((name) => there.has(name))),
    cursor: still(selection.cursor),
    anchor: still(selection.anchor),
  }
}

/** Permission bits as `ls` writes them: `rwxr-xr-x`. */
export function modeText(mode: number | null): string {
  if (mode === null) return ''
  const special = [0o4000, 0o2000, 0o1000]
  return [6, 3, 0]
    .map((shift, at) => {
      const bits = (mode >> shift) & 7
      const runs = bits & 1
      const isSpecial = mode & (special[at] ?? 0)
      const letter = at === 2 ? 't' : 's'
      return `${bits & 4 ? 'r' : '-'}${bits & 2 ? 'w' : '-'}${isSpecial ? (runs ? letter : letter.toUpperCase()) : runs ? 'x' : '-'}`
    })
    .join('')
}

/** `1.4 MB`; nothing where it is not known. */
export const sizeText = (bytes: number | null): string => (bytes === null ? '' : textOfSize(bytes))
