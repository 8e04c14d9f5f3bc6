/** How a row is shown on a page of its own, as data (docs/console-pages.md). */
import type { ComponentType, ReactNode } from 'react'
import type { Tone } from '../../design/Status.tsx'
import type { Query, Row } from '../../lib/api.ts'
import type { ActionContext, Allowed, QuickAction } from './actions.ts'

export interface DetailProps<R extends Row = Row> {
  row: R
  refresh: () => Promise<void>
}

export interface DetailItem<R extends Row = Row> {
  /** Field name, or any key with a `render`. */
  field: string
  /** Instead of the label of the metadata. Marked with `msg`. */
  title?: string
  /** Nothing, an empty text too, is folded away with what is empty. */
  render?: (row: R) => ReactNode
  /** Address of what the value names. */
  address?: (row: R) => string | undefined
  /** What people carry elsewhere: in the font of code, with a button that copies it. */
  copy?: boolean
  has?: (row: R) => boolean
}

export interface FactGroup<R extends Row = Row> {
  /** Marked with `msg`. */
  title: string
  fields: readonly (string | DetailItem<R>)[]
}

/** Rows of another list that a detail page names, with links to them. */
export interface RelatedList {
  /** Marked with `msg`. */
  title: string
  path: string
  query: Query
  words: (row: Row) => string
  /** More about it, behind the name. */
  note?: (row: Row) => string
  address?: (row: Row) => string | undefined
}

/** How it stands with a row, in a word or two. */
export interface RowState {
  tone: Tone
  /** Already translated. */
  words: string
}

export interface DetailTab<R extends Row = Row> {
  name: string
  /** Marked with `msg`. */
  title: string
  component: ComponentType<DetailProps<R>>
  has?: (row: R) => boolean
}

/** A usual next step for a row that has just been made. One of the ways leads to it. */
export interface NextStep<R extends Row = Row> {
  /** Marked with `msg`. */
  title: string
  /** The reason, in one line. Marked with `msg`. */
  lead: string
  /** The words of its button; none where it has a form. Marked with `msg`. */
  button?: string
  has?: (row: R) => boolean
  /** A tab of the page. */
  tab?: string
  /** A page, whose form leads back here when it is sent. */
  address?: (row: R) => string | undefined
  /** Another window. */
  window?: (row: R) => string
  run?: (row: R, context: ActionContext) => unknown
  /** What it takes, on the spot; gone once it is done. */
  form?: ComponentType<{ row: R }>
  /** It is done, or it is as soon as this list has rows; never when not said. */
  done?: (row: R) => boolean | { path: string; query: Query }
}

export interface DetailView<R extends Row = Row> {
  /** Words for the row; the definition's display when absent. */
  title?: (row: R) => string
  /** Beside the title: how it stands with the row. */
  states?: (row: R) => readonly (RowState | undefined)[]
  /** Under the title: what a reader wants to know first, in parts; empty ones are left out. */
  lead?: (row: R) => readonly ReactNode[]
  /** What people come for: the first button of the page. */
  primary?: QuickAction<R>
  /** In place of one button: what the page draws itself, first in its head. `tab` is the one that is shown. */
  actions?: ComponentType<DetailProps<R> & { tab: string }>
  /** Over the cards of the first tab, as wide as the page. */
  top?: ComponentType<DetailProps<R>>
  /** Over all tabs of a row that has just been made: its form leads here then. */
  nextSteps?: readonly NextStep<R>[]
  /** Card of the first tab. */
  fields?: readonly (string | DetailItem<R>)[]
  /** Further facts of that card, each group under its title. */
  groups?: readonly FactGroup<R>[]
  /** Beside the card. */
  quickActions?: readonly QuickAction<R>[]
  /** Cards under the quick actions. */
  side?: ComponentType<DetailProps<R>>
  /** What belongs to it elsewhere, by name, in cards under those. */
  related?: (row: R) => readonly RelatedList[]
  /** Further tabs. */
  tabs?: readonly DetailTab<R>[]
  canUpdate?: boolean | ((row: R) => Allowed)
  canDelete?: boolean | ((row: R) => Allowed)
}
