import { displayOf } from '@sallyport/contract/define.ts'
import type { Row } from '../../lib/api.ts'
import type { ResourcePages } from './define-pages.ts'

/** Words for a row: the page's own, else the definition's display, else its name or id. */
export function rowTitle(pages: Pick<ResourcePages, 'definition' | 'rowTitle'>, row: Row): string {
  if (pages.rowTitle) return pages.rowTitle(row)
  const names = [...pages.definition.display.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  if (names.length > 0 && names.every((name) => row[name] !== undefined && row[name] !== null))
    return displayOf(pages.definition, row)
  return String(row.name ?? row.hostname ?? row.id)
}
