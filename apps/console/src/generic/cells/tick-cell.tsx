import type { CellProps } from '../view/list-view.ts'
import { booleanCell } from './cells.tsx'

/** A tick where the value is true, nothing where it is not. */
export function tickCell(props: CellProps) {
  return props.value ? booleanCell(props) : null
}
