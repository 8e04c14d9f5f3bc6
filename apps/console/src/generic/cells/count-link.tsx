import type { Row } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { addressOf } from '../../navigation/routes.ts'
import type { CellProps } from '../view/list-view.ts'
import { LinkedWords } from './link-cell.tsx'

/**
 * A number of related things that leads to them: `address` is where they are listed, undefined for
 * people who may not see that. None are a quiet 0.
 */
export function countLink<R extends Row>(address: (row: R) => string | undefined) {
  return ({ value, row }: CellProps) => {
    const count = Array.isArray(value) ? value.length : Number(value ?? 0)
    if (count === 0) return <span className="quiet none">0</span>
    return <LinkedWords to={address(row as R)}>{formatNumber(count)}</LinkedWords>
  }
}

/** The tab of a row's detail page, for `countLink`. */
export const tabOf = (page: string, tab: string) => (row: Row) => {
  const detail = addressOf(page, { id: row.id })
  return detail && `${detail}?activeTab=${tab}`
}
