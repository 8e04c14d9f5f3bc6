import type { CommandFilter } from '@sallyport/contract/resources/assets/command-filter.ts'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { OpenedRule } from './OpenedRule.tsx'
import { rulePagesOf } from './rule-pages.tsx'

/** The rules of a filter, in the order in which they are tried; the one that a link is about first. */
export function FilterRules({ row, refresh }: DetailProps<CommandFilter>) {
  const pages = useMemo(() => rulePagesOf(row.id), [row.id])
  const rule = useSearchParams()[0].get('rule')
  return (
    <>
      {rule && <OpenedRule filter={row.id} id={rule} />}
      <ResourceTable
        pages={pages}
        base="CommandFilterRules"
        inAddress={false}
        createQuery={{ filter: row.id }}
        onChanged={refresh}
      />
    </>
  )
}
