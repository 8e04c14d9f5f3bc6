import { useMemo, useState } from 'react'
import { session } from '../../session/session.ts'
import type { ResourcePages } from '../view/define-pages.ts'
import { NO_FIELDS } from '../view/metadata.ts'
import { frozenByRootOrg, mayWrite } from '../view/write-rules.ts'
import { FOLDED_FIRST } from './columns/column-room.ts'
import { foldColumns } from './columns/fit-columns.ts'
import { tableColumns } from './table/table-columns.tsx'
import { chooseColumns, chosenColumns } from './table-memory.ts'
import type { ListedRows } from './use-listed-rows.ts'

interface TableRoom {
  /** Pixels of the columns together. */
  room: number
  /** Whether check boxes are before them. */
  hasTicks: boolean
}

/**
 * The columns of a table, and which of them are shown: as the person chose, else as the page says
 * and as there is room.
 */
export function useTableColumns(
  pages: ResourcePages,
  base: string,
  { path, metadata, fields, offered }: ListedRows,
  { room, hasTicks }: TableRoom,
) {
  const view = pages.list ?? { columns: [] }
  const writable =
    frozenByRootOrg(pages) || !mayWrite(pages, 'update')
      ? NO_FIELDS
      : (metadata.data?.actions.PATCH ?? metadata.data?.actions.PUT ?? NO_FIELDS)
  const columns = useMemo(
    () => tableColumns(pages, path, fields, writable, base, offered),
    [pages, path, fields, writable, base, offered],
  )
  const username = session().profile.username
  const table = `${base}_${path}`
  const [chosen, setChosen] = useState(() => chosenColumns(username, table))
  const allKeys = columns.map(({ key }) => key)
  const fixed = ['id', ...(view.minColumns ?? [allKeys[0] ?? ''])]
  const shown = (chosen ?? view.defaultColumns ?? allKeys).filter((key) => allKeys.includes(key))
  const wanted = columns.filter(({ key }) => shown.includes(key) || fixed.includes(key))
  const foldFirst = (view.foldFirst ?? FOLDED_FIRST).filter((key) => !fixed.includes(key))
  const visible = chosen || room < CARDS_BELOW ? wanted : foldColumns(wanted, { room, hasTicks, foldFirst })
  return {
    /** Under which the choice of this person is kept. */
    table,
    /** The person's choice; undefined for the page's own. */
    chosen,
    all: columns,
    shown: visible.map(({ key }) => key),
    /** Keys of columns that cannot be hidden. */
    fixed,
    visible,
    choose: (next: readonly string[] | undefined) => {
      chooseColumns(username, table, next)
      setChosen(next)
    },
  }
}

/** Narrower than this rows are drawn as cards, which have room for all (table.css). */
const CARDS_BELOW = 560

export type TableColumns = ReturnType<typeof useTableColumns>
