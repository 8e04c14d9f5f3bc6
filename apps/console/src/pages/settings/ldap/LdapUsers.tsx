import { Button } from '../../../design/Button.tsx'
import { ask } from '../../../design/dialogs/feedback.tsx'
import { SearchInput } from '../../../design/inputs/SearchInput.tsx'
import { Notice } from '../../../design/Notice.tsx'
import { DataTable } from '../../../generic/list/table/DataTable.tsx'
import type { TableColumn } from '../../../generic/list/table/table-column.ts'
import { Pager } from '../../../generic/rows/Pager.tsx'
import type { Row } from '../../../lib/api.ts'
import { t } from '../../../lib/i18n.ts'
import type { DirectoryPlace } from './directory-place.ts'
import { type DirectoryPeople, useDirectoryPeople } from './use-directory-people.ts'

interface LdapUsersProps {
  place: DirectoryPlace
  /** The source of the list, and the place of those who are imported. */
  lead: string
  /** Opens the times of import, where they have a dialog. */
  onSchedule?: () => void
}

/** People of a directory, of whom some or all are imported into the current organization. */
export function LdapUsers({ place, lead, onSchedule }: LdapUsersProps) {
  const people = useDirectoryPeople(place)
  const { state, change, failure, isAsking } = people
  return (
    <>
      <Notice tone="info" role="note" title={lead} />
      <div className="table-tools">
        <ImportTools people={people} onSchedule={onSchedule} />
        <div className="right">
          <SearchInput
            aria-label={t('Search')}
            placeholder={t('Search')}
            maxLength={128}
            onSearch={(search) => change({ search })}
          />
        </div>
      </div>
      {failure ? (
        <div className="table-failed" role="alert">
          <p>{failure}</p>
        </div>
      ) : (
        <>
          <PeopleTable people={people} />
          <Pager
            count={isAsking ? 0 : people.count}
            page={state.page}
            size={state.size}
            onPage={(page) => change({ page })}
            onSize={(size) => change({ size })}
          />
        </>
      )}
    </>
  )
}

function ImportTools({ people, onSchedule }: { people: DirectoryPeople; onSchedule: (() => void) | undefined }) {
  const { selected, busy, count, isAsking, bringIn, refresh } = people
  const bringInAll = async () => {
    const question = {
      title: t('Import all'),
      content: t('Import all people of the directory, {{count}} of them?', { count }),
    }
    if (await ask({ ...question, okText: t('Import') })) await bringIn([])
  }
  return (
    <div className="left">
      <Button type="primary" disabled={selected.size === 0} loading={busy} onClick={() => void bringIn([...selected])}>
        {t('Import')}
      </Button>
      <Button disabled={busy || !count || isAsking} onClick={() => void bringInAll()}>
        {t('Import all')}
      </Button>
      {onSchedule && <Button onClick={onSchedule}>{t('Sync schedule')}</Button>}
      <Button disabled={busy || isAsking} onClick={() => void refresh()}>
        {t('Refresh')}
      </Button>
      {selected.size > 0 && <span className="selected-count">{t('{{count}} selected', { count: selected.size })}</span>}
    </div>
  )
}

function PeopleTable({ people }: { people: DirectoryPeople }) {
  const { state, change, selected, setSelected, list, isAsking, rows } = people
  return (
    <DataTable
      label={t('LDAP user list')}
      columns={peopleColumns()}
      rows={rows}
      order={state.order}
      onOrder={(order) => change({ order })}
      selected={selected}
      onSelect={setSelected}
      busy={list.isPlaceholderData}
      empty={
        <span role="status">
          {isAsking
            ? t('Reading the directory; its people appear in a moment')
            : list.isLoading
              ? t('Loading')
              : t('No data')}
        </span>
      }
    />
  )
}

function peopleColumns(): TableColumn[] {
  const text = (field: string) => (row: Row) => String(row[field] ?? '')
  return [
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
  ]
}
