import type { CommandFilter } from '@sallyport/contract/resources/assets/command-filter.ts'
import { useMemo } from 'react'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { rulePagesOf } from './rule-pages.tsx'

/** The rules of a filter, in the order in which they are tried. */
export function FilterRules({ row, refresh }: DetailProps<CommandFilter>) {
  const pages = useMemo(() => rulePagesOf(row.id), [row.id])
  return (
    <ResourceTable
      pages={pages}
      base="CommandFilterRules"
      inAddress={false}
      createQuery={{ filter: row.id }}
      onChanged={refresh}
    />
  )
}
