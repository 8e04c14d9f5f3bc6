import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../design/Button.tsx'
import { Name } from '../../generic/detail/Sentence.tsx'
import { DataTable } from '../../generic/list/table/DataTable.tsx'
import { Pager } from '../../generic/rows/Pager.tsx'
import { api, errorText, type ListPage } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import { forget, keys } from '../../lib/query.ts'
import { inRootOrg } from '../../session/session.ts'

interface CoveredTableProps {
  /** Already translated. */
  title: string
  /** Everything that a permission covers, through nodes and groups too. */
  path: string
  /** Wire name of what is covered; `<name>_display` are its words. */
  name: 'user' | 'asset' | 'application'
  address: (id: string) => string | undefined
  /** The permission in its relations. */
  owner: string
  /** Relations of what is named directly. */
  relations: string
  permission: string
  onChanged: () => void
  empty: string
}

/** A permission that names more than this is made of nodes and groups. */
const MAX_NAMED = 5000

type Covered = Record<string, string>

/**
 * All targets of a permission; only those that it names directly can be taken away here
 * (docs/rules/perms.md#asset_permission).
 */
export function CoveredTable(props: CoveredTableProps) {
  const { title, path, name, address, owner, relations, permission, onChanged, empty } = props
  const [page, setPage] = useState(1)
  const [size, setSize] = useState(15)
  const query = { limit: size, offset: (page - 1) * size }
  const list = useQuery({
    queryKey: keys.list(path, query),
    queryFn: ({ signal }) => api.get<{ count: number; results: Covered[] }>(path, { query, signal, quiet: true }),
    placeholderData: keepPreviousData,
  })
  const rows = (list.data?.results ?? []).map((row) => ({ ...row, id: row[name] ?? '' }))
  const direct = useQuery({
    queryKey: keys.list(relations, { [owner]: permission, direct: true }),
    queryFn: ({ signal }) =>
      api.get<ListPage<Covered & { id: string }>>(relations, {
        query: { [owner]: permission, limit: MAX_NAMED, offset: 0 },
        signal,
        quiet: true,
      }),
  })
  const named = new Set((direct.data?.results ?? []).map((row) => String(row[name])))
  const remove = async (id: string) => {
    await api.delete(relations, { query: { [owner]: permission, [name]: id }, failed: t('Remove failed') })
    await Promise.all([forget(relations), forget(path)])
    onChanged()
  }
  return (
    <section className="panel">
      <h2>{title}</h2>
      <div className="inside">
        {list.isError ? (
          <p role="alert">{errorText(list.error)}</p>
        ) : (
          <DataTable
            label={title}
            rows={rows}
            busy={list.isPlaceholderData}
            columns={[
              {
                key: name,
                title: t('Name'),
                draw: (row) => (
                  <Name
                    thing={{
                      words: String(row[`${name}_display`]),
                      address: address(row.id),
                    }}
                  />
                ),
              },
              {
                key: 'actions',
                title: t('Actions@@column'),
                width: 150,
                align: 'center',
                draw: (row) =>
                  named.has(row.id) ? (
                    <Button
                      size="small"
                      danger
                      whyDisabled={inRootOrg() ? t('The root organization is read-only') : undefined}
                      onClick={() => void remove(row.id).catch(() => {})}
                    >
                      {t('Remove')}
                    </Button>
                  ) : direct.isPending ? null : direct.isError ? (
                    <span className="bad" role="alert">
                      {t('Get failed')}
                    </span>
                  ) : (
                    <span className="quiet">{name === 'user' ? t('by group') : t('by node')}</span>
                  ),
              },
            ]}
            empty={list.isPending ? t('Loading') : empty}
          />
        )}
        <Pager
          count={list.data?.count}
          page={page}
          size={size}
          onPage={setPage}
          onSize={(next) => {
            setSize(next)
            setPage(1)
          }}
        />
      </div>
    </section>
  )
}
