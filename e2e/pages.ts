/** Every page that the console's router has, and how one with an id in its address is come to. */
import type { MenuEntry } from '../apps/console/src/navigation/menu-entry.ts'

export interface Place {
  name: string
  /** Address within the console, with `:id` where it is that of a row. */
  path: string
}

/** The pages of a menu, hidden ones too. */
export function pagesOf(entries: readonly MenuEntry[]): Place[] {
  return entries.flatMap(({ name, path, children, external }) =>
    children ? pagesOf(children) : name && !external ? [{ name, path }] : [],
  )
}

/** The address of a page, with the id of a row that one of these links leads to; undefined when none does. */
export function addressIn(links: ReadonlySet<string>, { name, path }: Place, all: readonly Place[]) {
  if (!path.includes(':id')) return path
  const detail = all.find((other) => other.name === name.replace(/(Update|Edit)$/, 'Detail'))
  for (const way of detail ? [path, detail.path] : [path]) {
    const pattern = new RegExp(`^${way.replace(':id', '([0-9a-f-]{36}|\\d+)')}(?:$|[?#])`)
    for (const link of links) {
      const id = pattern.exec(link)?.[1]
      if (id) return path.replace(':id', id)
    }
  }
  return undefined
}
