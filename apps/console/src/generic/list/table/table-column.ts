import type { ReactNode } from 'react'
import type { Row } from '../../../lib/api.ts'
import type { RemoteChoice } from '../../view/metadata.ts'
import type { ColumnRoom } from '../columns/column-room.ts'

export interface TableColumn extends ColumnRoom {
  key: string
  title: string
  /** Shown when the pointer or the keyboard rests on the mark beside the title. */
  tip?: string | undefined
  /** The name of the row: it leads. */
  isName?: boolean
  /** The value says nothing without the title, which is before it where there are no heads. */
  isLabelled?: boolean
  align?: 'left' | 'center' | 'right' | undefined
  /** Field to order by; no ordering when absent. */
  orderBy?: string | undefined
  /** Values to narrow the list to in the head; there is no ordering then. */
  choices?: readonly RemoteChoice[] | undefined
  draw: (row: Row) => ReactNode
}
