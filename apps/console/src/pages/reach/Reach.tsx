import { type AccessPath, accessPerson } from '@sallyport/contract/resources/perms/access-person.ts'
import { accessTarget } from '@sallyport/contract/resources/perms/access-target.ts'
import { keepPreviousData, useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { EmptyState } from '../../design/EmptyState.tsx'
import { SearchInput } from '../../design/inputs/SearchInput.tsx'
import { Segmented } from '../../design/inputs/Segmented.tsx'
import { LoadFailed } from '../../design/LoadFailed.tsx'
import { Skeleton } from '../../design/Skeleton.tsx'
import { ResourceTable } from '../../generic/list/ResourceTable.tsx'
import { Pager } from '../../generic/rows/Pager.tsx'
import type { DetailProps } from '../../generic/view/detail-view.ts'
import { api, type ListPage } from '../../lib/api.ts'
import { useSettled } from '../../lib/hooks/use-settled.ts'
import { t } from '../../lib/i18n.ts'
import { keys } from '../../lib/query.ts'
import { PathPicture } from './PathPicture.tsx'
import styles from './reach.module.css'
import { type About, peoplePages, pictureWords, targetPages } from './reach-pages.tsx'

const PEOPLE = { name: 'people', path: accessPerson.path } as const
const TARGETS = { name: 'targets', path: accessTarget.path } as const

/** The lists that a page of each kind has. */
const LISTS = {
  user: [TARGETS],
  asset: [PEOPLE],
  application: [PEOPLE],
  permission: [PEOPLE, TARGETS],
} as const

/** A tab: who can reach this target, what this person can reach, or whom a permission lets go where. */
export const reachTab =
  (part: About['part']) =>
  ({ row }: DetailProps) => <Reach key={String(row.id)} about={{ part, id: String(row.id) }} />

function Reach({ about }: { about: About }) {
  const lists = LISTS[about.part]
  const [view, setView] = useState<'people' | 'targets' | 'picture'>(lists[0].name)
  const titles = { people: t('People'), targets: t('Targets'), picture: t('Picture') }
  const isAlone = lists.length === 1
  return (
    <>
      <div className={styles.tools}>
        <Segmented
          aria-label={t('View')}
          value={view}
          options={[
            ...lists.map(({ name }) => ({ value: name, label: isAlone ? t('Table') : titles[name] })),
            { value: 'picture' as const, label: titles.picture },
          ]}
          onChange={setView}
        />
      </div>
      {view === 'picture' ? <Pictured about={about} /> : <Listed key={view} about={about} view={view} />}
    </>
  )
}

function Listed({ about, view }: { about: About; view: 'people' | 'targets' }) {
  const [pages] = useState(() => (view === 'people' ? peoplePages(about) : targetPages(about)))
  return <ResourceTable pages={pages} base="Reach" inAddress={false} query={{ [`${about.part}_id`]: about.id }} />
}

/** People, or targets, in one picture: more would be lines on lines. */
const SIZE = 10

/** A page of the same rows as a picture of their paths. */
function Pictured({ about }: { about: About }) {
  const [page, setPage] = useState(1)
  const [typed, setTyped] = useState('')
  const search = useSettled(typed)
  const query = {
    [`${about.part}_id`]: about.id,
    ...{ limit: SIZE, offset: (page - 1) * SIZE },
    ...(search ? { search } : {}),
  }
  const lists = useQueries({
    queries: LISTS[about.part].map(({ path }) => ({
      queryKey: keys.list(path, query),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.get<ListPage<{ id: string; paths: AccessPath[] }>>(path, { query, signal, quiet: true }),
      placeholderData: keepPreviousData,
    })),
  })
  const failed = lists.find(({ error }) => error)
  const paths = lists.flatMap(({ data }) => data?.results.flatMap((row) => row.paths) ?? [])
  return (
    <section className="panel" aria-label={t('Picture')}>
      <div className="inside">
        <SearchInput
          className={styles.search}
          aria-label={t('Search')}
          placeholder={t('Search')}
          value={typed}
          onChange={(text) => {
            setTyped(text)
            setPage(1)
          }}
        />
      </div>
      {failed?.error ? (
        <LoadFailed error={failed.error} onRetry={() => void failed.refetch()} />
      ) : lists.some(({ isPending }) => isPending) ? (
        <Skeleton lines={8} />
      ) : paths.length === 0 ? (
        <EmptyState title={t('There is no path now')} />
      ) : (
        <>
          <p className="visually-hidden">{pictureWords()}</p>
          <PathPicture paths={paths} />
        </>
      )}
      <Pager count={Math.max(...lists.map(({ data }) => data?.count ?? 0))} page={page} size={SIZE} onPage={setPage} />
    </section>
  )
}
