import { useQueries } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { EmptyState } from '../../design/EmptyState.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { LinkedWords } from '../../generic/cells/link-cell.tsx'
import type { ListPage } from '../../lib/api.ts'
import { AllLink } from './AllLink.tsx'
import { asked } from './ask.ts'
import { Card } from './Card.tsx'
import { type Line, Lines } from './Lines.tsx'

/** Rows of one list that want somebody's attention. */
export interface Group {
  title: string
  /** The list, narrowed to exactly these. */
  to: string | undefined
  path: string
  query: Readonly<Record<string, string | number>>
  // biome-ignore lint/suspicious/noExplicitAny: each group knows the rows of its list
  line: (row: any) => Line
}

interface GroupedCardProps {
  title: string
  note?: string
  groups: readonly Group[]
  icon: ReactNode
  /** Text of an empty card. */
  nothing: string
  refetchInterval?: number
}

/** Several short lists under one heading; those without rows are left out. */
export function GroupedCard({ title, note, groups, icon, nothing, refetchInterval }: GroupedCardProps) {
  const answers = useQueries({
    queries: groups.map(({ path, query }) => asked<ListPage<unknown>>(path, query, refetchInterval)),
  })
  const isThere = answers.every(({ data, error }) => data || error)
  const count = answers.reduce((sum, { data }) => sum + (data?.count ?? 0), 0)
  const failed = answers.some(({ data, error }) => error && !data)
  const [only] = groups
  return (
    <Card
      title={title}
      note={note ?? ''}
      to={groups.length === 1 ? only?.to : undefined}
      count={count}
      query={{ data: isThere ? answers : undefined, error: null, refetch: () => {} }}
      lines={5}
    >
      {() =>
        count === 0 && !failed ? (
          <EmptyState icon={icon} title={nothing} />
        ) : (
          groups.map((group, at) => {
            const { data, error, refetch } = answers[at] ?? { data: undefined, error: null, refetch: () => {} }
            if (error && !data) return <LoadFailed key={group.title} error={error} onRetry={() => void refetch()} />
            if (!data?.count) return null
            return (
              <div className="group" key={group.title}>
                {groups.length > 1 && (
                  <h3>
                    <LinkedWords to={group.to}>{group.title}</LinkedWords> <b>{data.count}</b>
                  </h3>
                )}
                <Lines lines={data.results.map(group.line)} />
                <AllLink to={group.to} count={data.count} shown={data.results.length} />
              </div>
            )
          })
        )
      }
    </Card>
  )
}
