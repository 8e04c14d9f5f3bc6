import { useMemo, useState } from 'react'
import { session } from '../../session/session.ts'
import type { ResourcePages } from '../view/define-pages.ts'
import { NO_FIELDS } from '../view/metadata.ts'
import { frozenByRootOrg, mayWrite } from '../view/write-rules.ts'
import { tableColumns } from './table-columns.tsx'
import { chooseColumns, chosenColumns } from './table-memory.ts'
import type { ListedRows } from './use-listed-rows.ts'

/** The columns of a table, and which of them are shown: as the person chose, else as the page says. */
export function useTableColumns(pages: ResourcePages, base: string, { path, metadata, fields, offered }: ListedRows) {
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
  return {
    all: columns,
    shown,
    /** Keys of columns that cannot be hidden. */
    fixed,
    visible: columns.filter(({ key }) => shown.includes(key) || fixed.includes(key)),
    choose: (next: readonly string[] | undefined) => {
      chooseColumns(username, table, next)
      setChosen(next)
    },
  }
}

export type TableColumns = ReturnType<typeof useTableColumns>
