/** What people can do on a page, as data: to one row, to those selected, to the whole list. */
import type { Row } from '../../lib/api.ts'

/** The effects of an action on the page around it. */
export interface ActionContext {
  /** Reads the list or the row again. */
  refresh: () => Promise<void>
  /** Goes to a page of the console. */
  go: (address: string) => void
}

/** Whether something can be done now, or why it cannot, translated: that is shown beside what is greyed out. */
export type Allowed = true | string

export interface RowAction<R extends Row = Row> {
  name: string
  /** Marked with `msg`. */
  title: string
  /** Built in are Update 10, Delete 20, Clone 30; 100 when not said (A2.84). */
  order?: number
  danger?: boolean
  /** False takes the action away. */
  has?: (row: R) => boolean
  can?: (row: R) => Allowed
  run: (row: R, context: ActionContext) => unknown
}

export interface BulkAction<R extends Row = Row> {
  name: string
  /** Marked with `msg`. */
  title: string
  danger?: boolean
  /** It asks before it does anything, and says how many rows it changes. */
  asks?: boolean
  /** False takes the action away. */
  has?: () => boolean
  can?: (rows: readonly R[]) => Allowed
  /**
   * The rows leave the list, so that they are selected no more when it is read again; any other
   * action keeps the selection for the next one.
   */
  takesAway?: boolean
  /** `ids` may hold rows of other pages; `rows` are those that were seen. */
  run: (ids: readonly string[], rows: readonly R[], context: ActionContext) => unknown
}

export interface HeaderAction {
  name: string
  /** Marked with `msg`. */
  title: string
  has?: () => boolean
  can?: () => Allowed
  /** Not called where there are `items`. */
  run?: (context: ActionContext) => unknown
  /** Makes the button a menu of these. Titles are marked with `msg`. */
  items?: readonly { name: string; title: string; run: (context: ActionContext) => unknown }[]
  /** The main thing to do on the page. */
  primary?: boolean
}

export interface QuickAction<R extends Row = Row> {
  name: string
  /** Marked with `msg`. */
  title: string
  has?: (row: R) => boolean
  can?: (row: R) => Allowed
  /** A switch when given, else a button. */
  checked?: (row: R) => boolean
  /** Text of the button. Marked with `msg`. */
  button?: string
  run: (row: R, context: ActionContext & { checked: boolean }) => unknown
}

/** Why something cannot be done now; undefined where it can. */
export const whyNot = (can: Allowed | undefined): string | undefined => (typeof can === 'string' ? can : undefined)

/** An item of a menu that cannot be chosen now, and why. */
export const availability = (can: Allowed | undefined) => ({ disabled: whyNot(can) !== undefined, title: whyNot(can) })

/** Actions as they are beside each other (B9.14). */
export const inOrder = <R extends Row>(actions: readonly RowAction<R>[]): RowAction<R>[] =>
  actions.toSorted((one, other) => (one.order ?? 100) - (other.order ?? 100))
