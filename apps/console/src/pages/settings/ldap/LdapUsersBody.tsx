import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Alert, Button, Input } from 'antd'
import { useState } from 'react'
import { ask, showError, showSuccess } from '../../../design/feedback.tsx'
import { DataTable } from '../../../generic/list/DataTable.tsx'
import { Pager } from '../../../generic/rows/Pager.tsx'
import { ApiError, api, errorText, type Row } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import { forget, keys } from '../../../lib/query.ts'
import { inRootOrg, session } from '../../../session/session.ts'
import { importLdapUsers, LDAP_USERS } from './ldap-calls.ts'

interface Page {
  count: number
  results: Row[]
}

const POLL_MS = 1500
const FIRST_SIZE = 15
const isBeingAsked = (error: unknown) => error instanceof ApiError && error.status === 409

/** People of the directory, of whom some or all are imported into the current organisation. */
export function LdapUsersBody({ onSchedule }: { onSchedule: () => void }) {
  const [state, setState] = useState({ page: 1, size: FIRST_SIZE, order: '', search: '' })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [busy, setBusy] = useState(false)
  const query = {
    cache_police: 1,
    limit: state.size,
    offset: (state.page - 1) * state.size,
    order: state.order,
    search: state.search,
  }
  const list = useQuery({
    queryKey: keys.list(LDAP_USERS, query),
    queryFn: ({ signal }) => api.get<Page>(LDAP_USERS, { query, signal, quiet: true }),
    placeholderData: keepPreviousData,
    gcTime: 0,
    // The server reads the directory in the background and answers 409 until it is done.
    refetchInterval: ({ state: { error } }) => (isBeingAsked(error) ? POLL_MS : false),
  })
  const asking = isBeingAsked(list.error)
  const failure = list.isError && !asking ? errorText(list.error) : undefined

  const act = async (work: () => Promise<void>) => {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      showError(errorText(error))
    } finally {
      setBusy(false)
    }
  }
  const refresh = () =>
    act(async () => {
      await api.get('/api/v1/settings/ldap/cache/refresh/', { quiet: true })
      setSelected(new Set())
      await list.refetch()
    })
  const bringIn = (names: readonly string[]) =>
    act(async () => {
      showSuccess(await importLdapUsers(names))
      setSelected(new Set())
      await forget(LDAP_USERS)
    })
  const bringInAll = async () => {
    const question = {
      title: t('Import all'),
      content: t('Import all people of the directory, {{count}} of them?', { count: list.data?.count ?? 0 }),
    }
    if (await ask({ ...question, okText: t('Import') })) await bringIn([])
  }
  const text = (field: string) => (row: Row) => String(row[field] ?? '')
  return (
    <>
      <Alert
        type="info"
        showIcon
        title={
          inRootOrg()
            ? t(
                'Save the LDAP settings first: the saved ones are used. New people become users of the Default organization.',
              )
            : t('Save the LDAP settings first: the saved ones are used. Imported people become users of {{org}}.', {
                org: session().org?.name ?? 'Default',
              })
        }
        style={{ marginBottom: 12 }}
      />
      <div className="table-tools">
        <div className="left">
          <Button
            type="primary"
            disabled={selected.size === 0}
            loading={busy}
            onClick={() => void bringIn([...selected])}
          >
            {t('Import')}
          </Button>
          <Button disabled={busy || !list.data?.count || asking} onClick={() => void bringInAll()}>
            {t('Import all')}
          </Button>
          <Button onClick={onSchedule}>{t('Sync setting')}</Button>
          <Button disabled={busy || asking} onClick={() => void refresh()}>
            {t('Refresh')}
          </Button>
          {selected.size > 0 && (
            <span className="selected-count">{t('{{count}} selected', { count: selected.size })}</span>
          )}
        </div>
        <div className="right">
          <Input.Search
            allowClear
            aria-label={t('Search')}
            placeholder={t('Search')}
            maxLength={128}
            onSearch={(search) => setState({ ...state, search, page: 1 })}
          />
        </div>
      </div>
      {failure ? (
        <div className="table-failed" role="alert">
          <p>{failure}</p>
        </div>
      ) : (
        <DataTable
          label={t('LDAP user list')}
          columns={[
            { key: 'username', title: t('Username'), orderBy: 'username', draw: text('username') },
            { key: 'name', title: t('Name'), orderBy: 'name', draw: text('name') },
            { key: 'email', title: t('Email'), orderBy: 'email', draw: text('email') },
            {
              key: 'existing',
              title: t('Existing'),
              orderBy: 'existing',
              width: 100,
              align: 'center',
              draw: (row) => (row.existing === true ? t('Yes') : t('No')),
            },
          ]}
          rows={asking ? [] : (list.data?.results ?? [])}
          order={state.order}
          onOrder={(order) => setState({ ...state, order, page: 1 })}
          selected={selected}
          onSelect={setSelected}
          busy={list.isPlaceholderData}
          empty={
            <span className="nothing" role="status">
              {asking
                ? t('The directory is being asked, its people come in a moment')
                : list.isLoading
                  ? t('Loading')
                  : t('No data')}
            </span>
          }
        />
      )}
      {!failure && (
        <Pager
          count={asking ? 0 : (list.data?.count ?? 0)}
          page={state.page}
          size={state.size}
          onPage={(page) => setState({ ...state, page })}
          onSize={(size) => setState({ ...state, size, page: 1 })}
        />
      )}
    </>
  )
}
