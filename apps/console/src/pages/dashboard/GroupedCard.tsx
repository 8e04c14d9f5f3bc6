import { useQueries } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { EmptyState } from '../../design/EmptyState.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { LinkedWords } from '../../generic/cells/link-cell.tsx'
import type { ListPage } from '../../lib/api.ts'
import { AllLink } from './AllLink.tsx'
import { asked } from './ask.ts'
import { Card } from './Card.tsx'
import styles from './dashboard.module.css'
import { type Line, Lines } from './Lines.tsx'

/** Rows of one list that want somebody's attention. */
export interface Group {
  title: string
  /** The list, narrowed to exactly these. */
  to: string | undefined
  path: string
  query: Readonly<Record<string, string | number>>
  /** A row; `times` are those of the rows like it, where `likeness` puts them together. */
  // biome-ignore lint/suspicious/noExplicitAny: each group knows the rows of its list
  line: (row: any, times: Times) => Line
  /** Rows of the same likeness are one line, that of the first; then at most `MOST_LINES` are shown. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  likeness?: (row: any) => string
}

export interface Times {
  count: number
  /** There may be more among the rows that were not read. */
  isLeast: boolean
}

const MOST_LINES = 5

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
              <div className={styles.group} key={group.title}>
                {groups.length > 1 && (
                  <h3>
                    <LinkedWords to={group.to}>{group.title}</LinkedWords> <b>{data.count}</b>
                  </h3>
                )}
                <GroupLines group={group} rows={data.results} count={data.count} />
              </div>
            )
          })
        )
      }
    </Card>
  )
}

function GroupLines({ group, rows, count }: { group: Group; rows: readonly unknown[]; count: number }) {
  const { likeness, line, to } = group
  const alike = likeness ? [...Map.groupBy(rows, likeness).values()].slice(0, MOST_LINES) : rows.map((row) => [row])
  const shown = alike.reduce((sum, some) => sum + some.length, 0)
  return (
    <>
      <Lines lines={alike.map((some) => line(some[0], { count: some.length, isLeast: count > rows.length }))} />
      <AllLink to={to} count={count} shown={shown} />
    </>
  )
}
