import { booleanCell } from '../generic/cells/cells.tsx'
import type { CellProps } from '../generic/view/list-view.ts'

/** A tick where the value is true, nothing where it is not. */
export function tickCell(props: CellProps) {
  return props.value ? booleanCell(props) : null
}
