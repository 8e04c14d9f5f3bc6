import { useState } from 'react'
import { useNavigate } from 'react-router'
import { forget } from '../../lib/query.ts'
import type { ActionContext } from '../view/actions.ts'
import type { ResourcePages } from '../view/define-pages.ts'
import { frozenByRootOrg } from '../view/write-rules.ts'
import { bulkActionsOf, rowActionsOf } from './table-actions.ts'

/** Ticks that somebody else keeps. */
export interface OutsideSelection {
  ids: ReadonlySet<string>
  onChange: (ids: ReadonlySet<string>) => void
  fixed?: ReadonlySet<string>
}

interface RowsWorkOptions {
  pages: ResourcePages
  base: string
  path: string
  selection: OutsideSelection | undefined
  onChanged: (() => void) | undefined
}

/** What can be done to rows, alone and to those that are selected, and which are. */
export function useRowsWork({ pages, base, path, selection, onChanged }: RowsWorkOptions) {
  const navigate = useNavigate()
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set())
  const [selected, setSelected] = selection ? [selection.ids, selection.onChange] : [own, setOwn]
  const frozen = frozenByRootOrg(pages)
  const refresh = async () => {
    await forget(path)
    onChanged?.()
  }
  const context: ActionContext = { refresh, go: (to) => void navigate(to) }
  const rowActions = rowActionsOf(pages, base, path, frozen, (deleted) => {
    setSelected(new Set([...selected].filter((id) => id !== deleted.id)))
    onChanged?.()
  })
  const bulkActions = selection ? [] : bulkActionsOf(pages, path, frozen)
  return {
    selected,
    setSelected,
    selectable: selection !== undefined || (pages.list?.hasSelection ?? bulkActions.length > 0),
    frozen,
    context,
    rowActions,
    bulkActions,
    hasRowActions: pages.list?.hasActions !== false && (rowActions.length > 0 || pages.list?.hasActions === true),
  }
}

export type RowsWork = ReturnType<typeof useRowsWork>
